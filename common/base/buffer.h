/* A growable byte buffer with a mandatory cap.
 *
 * Invariants: data is NULL or holds capacity bytes; length < capacity whenever data is not NULL (there is
 * always room for a NUL); length never exceeds limit. A failed append (cap or memory) changes nothing and
 * sets `failed`, which stays set until buffer_clear, so a writer may append many times and check once.
 */
#ifndef DROVER_COMMON_BASE_BUFFER_H
#define DROVER_COMMON_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/nodiscard.h"

struct buffer {
    char *data;
    size_t length, capacity;
    size_t limit; /* bytes, most that length may become */
    bool failed;
};

/** Starts empty; allocates nothing until the first append. limit_bytes > 0. */
void buffer_init(struct buffer *buffer, size_t limit_bytes);
/** Frees the bytes; the buffer is as after buffer_init. */
void buffer_fini(struct buffer *buffer);
/** length = 0, failed = false; the memory is kept. */
void buffer_clear(struct buffer *buffer);
/** Room for `bytes` more. Returns where to write them, or NULL (failed is set). Follow with buffer_commit. */
char *buffer_reserve(struct buffer *buffer, size_t bytes);
/** length += bytes, at most what was reserved; keeps the NUL. */
void buffer_commit(struct buffer *buffer, size_t bytes);
void buffer_append(struct buffer *buffer, const void *bytes, size_t length);
void buffer_append_text(struct buffer *buffer, const char *text);
void buffer_printf(struct buffer *buffer, const char *format, ...) PRINTF_LIKE(2, 3);
/** Gives the bytes away (malloc'd, NUL-terminated; the caller frees) and leaves the buffer empty.
 * NULL when it failed or nothing was ever written. *length may be NULL. */
NODISCARD char *buffer_take(struct buffer *buffer, size_t *length);

#endif
