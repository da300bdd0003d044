/* Cuts a byte stream into lines. Owns its buffer.
 *
 * Invariants: bytes [begin, end) are not yet given out; [begin, scanned) hold no newline; while discarding,
 * nothing before the next newline is kept.
 */
#include "common/protocol/line_reader.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void line_reader_init(struct line_reader *reader, size_t max_line_bytes) {
    *reader = (struct line_reader){.max_line_bytes = max_line_bytes};
}

void line_reader_set_limit(struct line_reader *reader, size_t max_line_bytes) {
    reader->max_line_bytes = max_line_bytes;
}

void line_reader_fini(struct line_reader *reader) {
    free(reader->data);
    line_reader_init(reader, reader->max_line_bytes);
}

static void move_to_front(struct line_reader *reader) {
    if (reader->begin > 0) {
        memmove(reader->data, reader->data + reader->begin, reader->end - reader->begin);
        reader->scanned -= reader->begin;
        reader->end -= reader->begin;
        reader->begin = 0;
    }
}

char *line_reader_reserve(struct line_reader *reader, size_t wish, size_t *size) {
    if (wish == 0) {
        wish = 1;
    }
    move_to_front(reader);
    if (reader->capacity - reader->end < wish) {
        /* Half as much again, so that a long line in small pieces is copied O(1) times a byte. */
        const size_t half_more = reader->capacity + reader->capacity / 2;
        const size_t needed = reader->end + wish;
        const size_t most = reader->max_line_bytes + wish; /* a line of the limit fits, and what follows it */
        const size_t grown = half_more < most ? half_more : most;
        const size_t capacity = needed > grown ? needed : grown;
        char *data = realloc(reader->data, capacity);
        if (data != NULL) {
            reader->data = data;
            reader->capacity = capacity;
        } else if (reader->capacity == reader->end) {
            return NULL;
        }
    }
    *size = reader->capacity - reader->end;
    return reader->data + reader->end;
}

void line_reader_commit(struct line_reader *reader, size_t count) {
    assert(count <= reader->capacity - reader->end);
    reader->end += count;
}

int line_reader_end(struct line_reader *reader) {
    if (reader->end == reader->begin || reader->data[reader->end - 1] == '\n') {
        return 0;
    }
    size_t size = 0;
    char *space = line_reader_reserve(reader, 1, &size);
    if (space == NULL) {
        return -1;
    }
    *space = '\n';
    line_reader_commit(reader, 1);
    return 0;
}

/* No newline in sight: keep what may still become a line, drop what cannot. */
static enum line_event keep_tail(struct line_reader *reader) {
    const size_t pending = reader->end - reader->begin;
    reader->scanned = reader->end;
    if (reader->discarding || pending == 0) {
        reader->begin = reader->scanned = reader->end = 0;
        return LINE_NEED_MORE;
    }
    const bool may_be_crlf = pending == reader->max_line_bytes + 1 && reader->data[reader->end - 1] == '\r';
    if (pending > reader->max_line_bytes && !may_be_crlf) {
        reader->discarding = true;
        reader->begin = reader->scanned = reader->end = 0;
        return LINE_TOO_LONG;
    }
    return LINE_NEED_MORE;
}

enum line_event line_reader_next(struct line_reader *reader, char **line, size_t *length) {
    for (;;) {
        const size_t unseen = reader->end - reader->scanned;
        char *newline = unseen == 0 ? NULL : memchr(reader->data + reader->scanned, '\n', unseen);
        if (newline == NULL) {
            return keep_tail(reader);
        }
        char *start = reader->data + reader->begin;
        reader->begin = reader->scanned = (size_t)(newline - reader->data) + 1;
        if (reader->discarding) {
            reader->discarding = false;
            continue;
        }
        if (newline > start && newline[-1] == '\r') {
            newline--;
        }
        *newline = '\0';
        *line = start;
        *length = (size_t)(newline - start);
        return *length > reader->max_line_bytes ? LINE_TOO_LONG : LINE_READY;
    }
}

void line_reader_trim(struct line_reader *reader, size_t kept_bytes) {
    if (reader->begin == reader->end && reader->capacity > kept_bytes) {
        free(reader->data);
        reader->data = NULL;
        reader->begin = reader->scanned = reader->end = reader->capacity = 0;
    }
}
