/* Columns: arrays that belong together and grow together. */
#ifndef DROVER_SERVER_SIM_MATH_COLUMN_H
#define DROVER_SERVER_SIM_MATH_COLUMN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** Room for `count` entries in a column; what is new is not set. column: the address of its pointer, whatever
 * that points to. False without memory: then it is as it was. */
static inline bool column_grow(void *column, size_t entry, int32_t count) {
    void *old;
    memcpy(&old, column, sizeof old);
    void *bigger = realloc(old, entry * (size_t)count);
    if (bigger == NULL) {
        return false;
    }
    memcpy(column, &bigger, sizeof bigger);
    return true;
}

/** Gives an entry these bytes. A page in which every entry has its bytes already is not written. */
static inline void column_write(void *entry, const void *value, size_t size) {
    if (memcmp(entry, value, size) != 0) {
        memcpy(entry, value, size);
    }
}

enum { COLUMN_PIECE = 4096 /* bytes: a page */ };

/** The same for many bytes: pages that have theirs already are not written, so those that no one has used take no memory. */
static inline void column_copy(void *to, const void *from, size_t size) {
    for (size_t at = 0; at < size; at += COLUMN_PIECE) {
        const size_t left = size - at;
        column_write((char *)to + at, (const char *)from + at, left < COLUMN_PIECE ? left : COLUMN_PIECE);
    }
}

/** column_grow for a column that has room for `old` entries, 0 at first; what is new is zero bytes, which cost nothing until they are
 * written. */
static inline bool column_grow_zero(void *column, size_t entry, int32_t old, int32_t count) {
    char *start, *fresh = calloc((size_t)count, entry);
    if (fresh == NULL) {
        return false;
    }
    memcpy(&start, column, sizeof start);
    column_copy(fresh, start, entry * (size_t)old);
    free(start);
    memcpy(column, &fresh, sizeof fresh);
    return true;
}

#endif
