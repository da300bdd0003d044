/* Cuts a byte stream into lines: half lines, many lines at once, and lines that are too long.
 *
 * Each byte is looked at once (the scan offset is remembered). A line longer than the cap is reported once as
 * LINE_TOO_LONG and its bytes are thrown away up to its newline, so the buffer stays within cap + one read.
 *
 *     char *space = line_reader_reserve(&reader, wish, &size);   read into it
 *     line_reader_commit(&reader, count);
 *     while ((event = line_reader_next(&reader, &line, &length)) != LINE_NEED_MORE) ...
 */
#ifndef DROVER_COMMON_PROTOCOL_LINE_READER_H
#define DROVER_COMMON_PROTOCOL_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/nodiscard.h"

enum line_event {
    LINE_NEED_MORE, /* no complete line is left */
    LINE_READY,     /* *line and *length are set */
    LINE_TOO_LONG,  /* a line passed the cap; it is being discarded */
};

struct line_reader {
    char *data;
    size_t begin, scanned, end, capacity; /* begin <= scanned <= end <= capacity */
    size_t max_line_bytes;
    bool discarding;
};

/** Allocates nothing yet. max_line_bytes: the longest line accepted, without its newline. */
void line_reader_init(struct line_reader *reader, size_t max_line_bytes);
/** Another longest line, for what is cut from now on. */
void line_reader_set_limit(struct line_reader *reader, size_t max_line_bytes);
void line_reader_fini(struct line_reader *reader);
/** Where the next bytes may be written: at least 1 byte, aims at `wish`. Moves earlier lines: pointers from
 * line_reader_next are invalid afterwards. NULL when out of memory. */
NODISCARD char *line_reader_reserve(struct line_reader *reader, size_t wish, size_t *size);
void line_reader_commit(struct line_reader *reader, size_t count);
/** The stream has ended: what stands behind the last newline, if anything, is a line as well. 0, or -1 when
 * out of memory (it is lost then). */
NODISCARD int line_reader_end(struct line_reader *reader);
/** The next line, without "\n" or "\r\n", NUL-terminated in place; owned by the reader and valid until the
 * next line_reader_reserve or line_reader_trim. Call until it says LINE_NEED_MORE. */
enum line_event line_reader_next(struct line_reader *reader, char **line, size_t *length);

/** Gives the memory up when it is more than kept_bytes and no byte of it is needed: call it after LINE_NEED_MORE. */
void line_reader_trim(struct line_reader *reader, size_t kept_bytes);

#endif
