/* See framing.h. */
#include "server/net/framing.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- protocol sniff ---- */

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

void framing_init(struct framing *framing, size_t max_bytes) {
    framing->protocol = PROTOCOL_SNIFF_UNSURE;
    framing->web = NULL;
    line_reader_init(&framing->lines, max_bytes);
}

int framing_init_web(struct framing *framing, size_t max_bytes) {
    framing_init(framing, max_bytes);
    framing->protocol = PROTOCOL_SNIFF_OURS;
    framing->web = web_framing_create(max_bytes);
    return framing->web == NULL ? -1 : 0;
}

void framing_set_limit(struct framing *framing, size_t max_bytes) {
    line_reader_set_limit(&framing->lines, max_bytes);
    if (framing->web != NULL) {
        web_framing_set_limit(framing->web, max_bytes);
    }
}

size_t framing_limit(const struct framing *framing) {
    return framing->lines.max_line_bytes;
}

void framing_fini(struct framing *framing) {
    line_reader_fini(&framing->lines);
    web_framing_destroy(framing->web);
    framing->web = NULL;
}

char *framing_reserve(struct framing *framing, size_t wish, size_t *size) {
    if (framing->web != NULL) {
        return web_framing_reserve(framing->web, size);
    }
    return line_reader_reserve(&framing->lines, wish, size);
}

enum protocol_sniff framing_commit(struct framing *framing, size_t count) {
    struct line_reader *lines = &framing->lines;
    if (framing->web != NULL) {
        web_framing_commit(framing->web, count);
        return framing->protocol;
    }
    line_reader_commit(lines, count);
    if (framing->protocol == PROTOCOL_SNIFF_UNSURE) {
        framing->protocol = protocol_sniff_look(lines->data + lines->begin, lines->end - lines->begin);
    }
    return framing->protocol;
}

int framing_end(struct framing *framing) {
    return framing->web != NULL ? 0 : line_reader_end(&framing->lines);
}

enum framing_event framing_next(struct framing *framing, char **message, size_t *length) {
    if (framing->web != NULL) {
        return web_framing_next(framing->web, message, length) ? FRAMING_MESSAGE : FRAMING_NEED_MORE;
    }
    switch (line_reader_next(&framing->lines, message, length)) {
    case LINE_READY:
        return FRAMING_MESSAGE;
    case LINE_TOO_LONG:
        return FRAMING_TOO_LONG;
    case LINE_NEED_MORE:
        line_reader_trim(&framing->lines, FRAMING_KEPT_BYTES);
        break;
    }
    return FRAMING_NEED_MORE;
}

void framing_take_replies(struct framing *framing, struct buffer *out) {
    if (framing->web != NULL) {
        web_framing_take_replies(framing->web, out);
    }
}

int framing_end_code(const struct framing *framing, bool *by_peer) {
    *by_peer = false;
    return framing->web == NULL ? 0 : web_framing_end_code(framing->web, by_peer);
}

bool framing_is_empty(const struct framing *framing) {
    if (framing->web != NULL) {
        return web_framing_is_empty(framing->web);
    }
    return framing->lines.begin == framing->lines.end;
}

void framing_clear(struct framing *framing) {
    const size_t max_bytes = framing->lines.max_line_bytes;
    if (framing->web != NULL) {
        return; /* it holds one read, which the next one overwrites */
    }
    line_reader_fini(&framing->lines);
    line_reader_init(&framing->lines, max_bytes);
}
