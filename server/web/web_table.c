/* See web_table.h. The rows that answer with files of the server are here. */
#include "server/web/web_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/limits.h"
#include "server/web/web_assets.h"
#include "server/web/web_operators.h"
#include "server/web/web_schema.h"

enum { PICTURE_BYTES = 4 << 20, PATH_BYTES = 4352 };

static const char html[] = "text/html; charset=utf-8";

/* ---- the page ---- */

static void answer_asset(const struct web_asset *asset, const struct web_request *request,
                         struct web_answer *answer) {
    const bool is_small = request->accepts_gzip && asset->gzip != NULL;
    web_answer_static(answer, asset->type, is_small ? asset->gzip : asset->bytes,
                      is_small ? asset->gzip_length : asset->length);
    answer->encoding = is_small ? "gzip" : NULL;
    answer->etag = asset->etag;
    answer->cache = asset->is_immutable ? "public, max-age=31536000, immutable" : NULL;
}

static const struct web_asset *find_asset(const char *name) {
    for (size_t i = 0; i < web_asset_count; i++) {
        if (strcmp(web_assets[i].name, name) == 0) {
            return &web_assets[i];
        }
    }
    return NULL;
}

static void answer_asset_named(const struct web_site *site, const struct web_request *request,
                               struct web_answer *answer) {
    (void)site;
    const struct web_asset *asset = find_asset(request->rest);
    if (asset == NULL) {
        web_answer_refusal(answer, 404, "there is no such file\n");
    } else {
        answer_asset(asset, request, answer);
    }
}

static void answer_page(const struct web_site *site, const struct web_request *request,
                        struct web_answer *answer) {
    static const char without[] =
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Drover</title>\n"
        "<h1>Drover</h1>\n<p>This server was built without the page for browsers. Its WebSocket is at "
        "<code>/ws</code>, "
        "with the subprotocol <code>drover.v1</code>; the viewer <code>drover-viewer</code> connects over "
        "TCP.</p>\n"
        "<p>A build with the page needs clang, lld, llvm, wasi-libc, libclang-rt-dev-wasm32, esbuild and "
        "node-typescript.</p></html>\n";
    (void)site;
    const struct web_asset *asset = find_asset("index.html");
    if (asset == NULL) {
        web_answer_static(answer, html, without, sizeof without - 1);
    } else {
        answer_asset(asset, request, answer);
    }
}

static void answer_icon(const struct web_site *site, const struct web_request *request,
                        struct web_answer *answer) {
    (void)site;
    const struct web_asset *asset = find_asset("favicon.ico");
    asset = asset != NULL ? asset : find_asset("favicon.svg");
    if (asset == NULL) {
        web_answer_refusal(answer, 404, "there is no icon\n");
    } else {
        answer_asset(asset, request, answer);
    }
}

/* ---- pictures of the scenarios ---- */

/* Whether the name is NAME.png of a scenario's name, so that it leaves no folder. */
static bool is_picture(const char *name) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    const size_t length = strspn(name, letters);
    return length > 0 && length <= LIMIT_NAME_CHARS && strcmp(name + length, ".png") == 0;
}

static void read_picture(FILE *file, struct buffer *out) {
    char bytes[16384];
    size_t count = 0;
    buffer_init(out, PICTURE_BYTES);
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0) {
        buffer_append(out, bytes, count);
    }
    out->failed = out->failed || ferror(file) != 0;
}

static void answer_picture(const struct web_site *site, const struct web_request *request,
                           struct web_answer *answer) {
    char path[PATH_BYTES];
    struct buffer picture;
    FILE *file = NULL;
    if (is_picture(request->rest) && site->scenarios[0] != '\0') {
        (void)snprintf(path, sizeof path, "%.4000s/previews/%.60s", site->scenarios, request->rest);
        file = fopen(path, "rb");
    }
    if (file == NULL) {
        web_answer_refusal(answer, 404, "there is no such picture\n");
        return;
    }
    read_picture(file, &picture);
    (void)fclose(file);
    web_answer_buffer(answer, "image/png", &picture);
    buffer_fini(&picture);
    answer->cache = "max-age=300";
}

/* ---- the protocol ---- */

static void answer_schema(const struct web_site *site, const struct web_request *request,
                          struct web_answer *answer) {
    (void)site;
    (void)request;
    web_answer_static(answer, "application/schema+json", web_schema, web_schema_length);
}

static const struct web_route table[] = {
    {"/", answer_page},
    {"/assets/", answer_asset_named},
    {"/previews/", answer_picture},
    {"/protocol.schema.json", answer_schema},
    {"/favicon.ico", answer_icon},
    {"/metrics", web_answer_metrics},
    {"/healthz", web_answer_healthz},
    {"/readyz", web_answer_readyz},
};

const struct web_route *web_table(size_t *count) {
    *count = sizeof table / sizeof *table;
    return table;
}
