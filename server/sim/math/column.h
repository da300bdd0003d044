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

#endif
