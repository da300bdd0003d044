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

/** The same for a column that has room for `old` entries, 0 at first; what is new is zero bytes. Those that a column
 * begins with cost nothing until they are written. */
static inline bool column_grow_zero(void *column, size_t entry, int32_t old, int32_t count) {
    char *start;
    if (old > 0) {
        if (!column_grow(column, entry, count)) {
            return false;
        }
        memcpy(&start, column, sizeof start);
        memset(start + entry * (size_t)old, 0, entry * (size_t)(count - old));
        return true;
    }
    char *fresh = calloc((size_t)count, entry);
    if (fresh == NULL) {
        return false;
    }
    memcpy(&start, column, sizeof start);
    free(start);
    memcpy(column, &fresh, sizeof fresh);
    return true;
}

/** Gives an entry these bytes. A page in which every entry has its bytes already is not written. */
static inline void column_write(void *entry, const void *value, size_t size) {
    if (memcmp(entry, value, size) != 0) {
        memcpy(entry, value, size);
    }
}

#endif
