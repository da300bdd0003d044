/* See protocol_sniff.h. */
#include "server/net/protocol_sniff.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { PAGE_BYTES = 256 };

static const char *const methods[] = {"GET ",     "POST ",  "HEAD ",  "PUT ",     "DELETE ",
                                      "OPTIONS ", "PATCH ", "TRACE ", "CONNECT ", "PRI * HTTP/2"};

/* Fields of which every request of HTTP/1.1 has the first; the others announce a body. */
static const char *const fields[] = {"host", "content-length", "content-type", "transfer-encoding"};

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

static size_t without_blanks(const char *line, size_t length) {
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t' || line[length - 1] == '\r')) {
        length--;
    }
    return length;
}

static bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

static bool ends_in_version(const char *line, size_t length) {
    enum { BYTES = sizeof " HTTP/1.1" - 1 };
    const size_t end = without_blanks(line, length);
    if (end < BYTES) {
        return false;
    }
    const char *last = line + end - BYTES;
    return strncasecmp(last, " HTTP/", 6) == 0 && is_digit(last[6]) && last[7] == '.' && is_digit(last[8]);
}

static bool begins_with_field(const char *line, size_t length) {
    const char *colon = memchr(line, ':', length);
    const size_t name = colon == NULL ? 0 : without_blanks(line, (size_t)(colon - line));
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strlen(fields[i]) == name && strncasecmp(line, fields[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool protocol_sniff_is_http(const char *line, size_t length) {
    return ends_in_version(line, length) || begins_with_field(line, length);
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
