/* A small list of names and their indices: kinds, states, behaviors, targets of a snapshot. */
#ifndef DROVER_COMMON_TEXT_NAME_TABLE_H
#define DROVER_COMMON_TEXT_NAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/limits.h"
#include "common/base/nodiscard.h"

enum { NAME_TABLE_CAPACITY = 1024 };

struct name_table {
    int count;
    char names[NAME_TABLE_CAPACITY][LIMIT_NAME_CHARS + 1];
};

/** The index of the name, added when it is new; -1 when the table is full or the name too long.
 * Fast when the same names come in the same order. */
NODISCARD int name_table_intern(struct name_table *table, const char *name, size_t length);
/** Whether text[0..length) is a name: 1 to LIMIT_NAME_CHARS characters of A-Z a-z 0-9 _ -. */
bool name_is_valid(const char *text, size_t length);
/** The index of the name, or -1. */
NODISCARD int name_table_find(const struct name_table *table, const char *name);

#endif
