/* See framing.h. */
#include "server/net/framing.h"

#include <assert.h>

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
