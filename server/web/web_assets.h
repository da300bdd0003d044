/* The page's files, compiled into the server. The build writes their bytes (web/CMakeLists.txt); a server that is built
 * without the page has none of them. */
#ifndef DROVER_SERVER_WEB_WEB_ASSETS_H
#define DROVER_SERVER_WEB_WEB_ASSETS_H

#include <stdbool.h>
#include <stddef.h>

struct web_asset {
    const char *name;  /* "index.html" (the page at /), "page.wasm", "page-1a2b3c4d.js" */
    const char *type;  /* Content-Type */
    const char *etag;  /* with its quotes, of the plain bytes */
    bool is_immutable; /* its name has the hash of its bytes: a browser may keep it as long as it likes */
    const unsigned char *bytes;
    size_t length;
    const unsigned char *gzip; /* NULL when compression saves nothing */
    size_t gzip_length;
};

/** web_asset_count rows; 0 in a server that is built without the page. */
extern const struct web_asset web_assets[];
extern const size_t web_asset_count;

/* protocol.schema.json as it was when the server was built. cmake/embed.cmake writes the bytes. */

extern const unsigned char web_schema[];
extern const size_t web_schema_length;

#endif
