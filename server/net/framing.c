/* See framing.h. */
#include "server/net/framing.h"

#include <assert.h>

void framing_init(struct framing *framing, size_t max_bytes) {
    framing->protocol = PROTOCOL_SNIFF_UNSURE;
    line_reader_init(&framing->lines, max_bytes);
}

void framing_fini(struct framing *framing) {
    line_reader_fini(&framing->lines);
}

char *framing_reserve(struct framing *framing, size_t wish, size_t *size) {
    return line_reader_reserve(&framing->lines, wish, size);
}

enum protocol_sniff framing_commit(struct framing *framing, size_t count) {
    struct line_reader *lines = &framing->lines;
    line_reader_commit(lines, count);
    if (framing->protocol == PROTOCOL_SNIFF_UNSURE) {
        framing->protocol = protocol_sniff_look(lines->data + lines->begin, lines->end - lines->begin);
    }
    return framing->protocol;
}

int framing_end(struct framing *framing) {
    return line_reader_end(&framing->lines);
}

enum framing_event framing_next(struct framing *framing, char **message, size_t *length) {
    switch (line_reader_next(&framing->lines, message, length)) {
    case LINE_READY:
        return FRAMING_MESSAGE;
    case LINE_TOO_LONG:
        return FRAMING_TOO_LONG;
    case LINE_NEED_MORE:
        break;
    }
    return FRAMING_NEED_MORE;
}

bool framing_is_empty(const struct framing *framing) {
    return framing->lines.begin == framing->lines.end;
}

void framing_clear(struct framing *framing) {
    const size_t max_bytes = framing->lines.max_line_bytes;
    line_reader_fini(&framing->lines);
    line_reader_init(&framing->lines, max_bytes);
}
