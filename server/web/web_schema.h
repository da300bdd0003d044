/* protocol.schema.json as it was when the server was built. cmake/embed.cmake writes the bytes. */
#ifndef DROVER_SERVER_WEB_WEB_SCHEMA_H
#define DROVER_SERVER_WEB_WEB_SCHEMA_H

#include <stddef.h>

extern const unsigned char web_schema[];
extern const size_t web_schema_length;

#endif
