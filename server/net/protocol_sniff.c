/* See protocol_sniff.h. */
#include "server/net/protocol_sniff.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PAGE_BYTES = 256 };

static const char *const methods[] = {"GET ",     "POST ",  "HEAD ",  "PUT ",     "DELETE ",
                                      "OPTIONS ", "PATCH ", "TRACE ", "CONNECT ", "PRI * HTTP/2"};

/* A TLS record: a handshake (22) of version 3.x. */
static const char tls[] = {0x16, 0x03};

/* Whether bytes and start agree as far as both go. */
static bool agrees(const char *bytes, size_t length, const char *start, size_t start_length) {
    return memcmp(bytes, start, length < start_length ? length : start_length) == 0;
}

enum protocol_sniff protocol_sniff_look(const char *bytes, size_t length) {
    if (length == 0) {
        return PROTOCOL_SNIFF_UNSURE;
    }
    if (agrees(bytes, length, tls, sizeof tls)) {
        return length >= sizeof tls ? PROTOCOL_SNIFF_TLS : PROTOCOL_SNIFF_UNSURE;
    }
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        const size_t needed = strlen(methods[i]);
        if (agrees(bytes, length, methods[i], needed)) {
            return length >= needed ? PROTOCOL_SNIFF_HTTP : PROTOCOL_SNIFF_UNSURE;
        }
    }
    return PROTOCOL_SNIFF_OURS;
}

void protocol_sniff_answer(const char *web_address, struct buffer *out) {
    static const char refusal[] =
        "This port speaks the Drover protocol: one JSON object a line, not HTTP, not TLS\n";
    char page[PAGE_BYTES] = "";
    if (web_address != NULL) {
        (void)snprintf(page, sizeof page, "The page for browsers is at %s\n", web_address);
    }
    buffer_printf(out,
                  "HTTP/1.1 400 Bad Request\r\n"
                  "Content-Type: text/plain; charset=utf-8\r\n"
                  "Content-Length: %zu\r\n"
                  "Connection: close\r\n"
                  "\r\n"
                  "%s%s",
                  strlen(refusal) + strlen(page), refusal, page);
}
