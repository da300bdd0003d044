/* See foreign.h. */
#include "server/net/foreign.h"

#include <stdbool.h>
#include <string.h>

static const char *const methods[] = {"GET ",     "POST ",  "HEAD ",  "PUT ",     "DELETE ",
                                      "OPTIONS ", "PATCH ", "TRACE ", "CONNECT ", "PRI * HTTP/2"};

/* A TLS record: a handshake (22) of version 3.x. */
static const char tls[] = {0x16, 0x03};

/* Whether bytes and start agree as far as both go. */
static bool agrees(const char *bytes, size_t length, const char *start, size_t start_length) {
    return memcmp(bytes, start, length < start_length ? length : start_length) == 0;
}

enum foreign foreign_look(const char *bytes, size_t length) {
    if (length == 0) {
        return FOREIGN_MAYBE;
    }
    if (agrees(bytes, length, tls, sizeof tls)) {
        return length >= sizeof tls ? FOREIGN_TLS : FOREIGN_MAYBE;
    }
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        const size_t needed = strlen(methods[i]);
        if (agrees(bytes, length, methods[i], needed)) {
            return length >= needed ? FOREIGN_HTTP : FOREIGN_MAYBE;
        }
    }
    return FOREIGN_NO;
}

const char *foreign_answer(void) {
    return "HTTP/1.1 400 Bad Request\r\n"
           "Content-Type: text/plain; charset=utf-8\r\n"
           "Content-Length: 80\r\n"
           "Connection: close\r\n"
           "\r\n"
           "This port speaks the Drover protocol: one JSON object a line, not HTTP, not TLS\n";
}
