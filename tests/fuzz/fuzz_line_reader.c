/* The line reader against a plain one that sees all bytes at once: the same lines, however the bytes arrive.
 * The first byte of the input chooses the pieces. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/line_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 24 };

struct plain {
    const uint8_t *data;
    size_t size, at;
    bool has_ended; /* the stream: text without a newline is a line as well */
};

/* The next event by the rules of line_reader.h, from the whole input. */
static enum line_event plain_next(struct plain *plain, const uint8_t **line, size_t *length) {
    const uint8_t *start = plain->data + plain->at;
    const size_t left = plain->size - plain->at;
    const uint8_t *newline = left == 0 ? NULL : memchr(start, '\n', left);
    const bool is_whole = newline != NULL || plain->has_ended;
    size_t count = newline == NULL ? left : (size_t)(newline - start);
    plain->at += newline == NULL ? left : count + 1;
    if (count > 0 && start[count - 1] == '\r' && (is_whole || count == MOST + 1)) {
        count--;
    }
    *line = start;
    *length = count;
    if (count > MOST) {
        return LINE_TOO_LONG;
    }
    return is_whole ? LINE_READY : LINE_NEED_MORE;
}

static void compare(struct line_reader *reader, struct plain *plain) {
    char *line = NULL;
    size_t length = 0;
    enum line_event event;
    while ((event = line_reader_next(reader, &line, &length)) != LINE_NEED_MORE) {
        const uint8_t *expected = NULL;
        size_t expected_length = 0;
        if (plain_next(plain, &expected, &expected_length) != event) {
            abort();
        }
        if (event == LINE_READY &&
            (length != expected_length || line[length] != '\0' || memcmp(line, expected, length) != 0)) {
            abort();
        }
    }
    if (reader->capacity > 3 * MOST + 64) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const size_t piece = 1 + data[0] % 30u;
    struct plain plain = {.data = data + 1, .size = size - 1};
    struct line_reader reader;
    line_reader_init(&reader, MOST);
    for (size_t at = 0; at < plain.size;) {
        size_t room = 0;
        char *space = line_reader_reserve(&reader, piece, &room);
        if (space == NULL || room == 0) {
            abort();
        }
        size_t count = plain.size - at < piece ? plain.size - at : piece;
        count = count < room ? count : room;
        memcpy(space, plain.data + at, count);
        line_reader_commit(&reader, count);
        at += count;
        compare(&reader, &plain);
    }
    plain.has_ended = true;
    if (line_reader_end(&reader) != 0) {
        abort();
    }
    compare(&reader, &plain);
    if (plain.at < plain.size) {
        abort();
    }
    line_reader_fini(&reader);
    return 0;
}
