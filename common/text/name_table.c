/* A small list of names and their indices. Owns nothing outside the struct.
 *
 * Invariants: names [0, count) are distinct, NUL-terminated, and padded with NULs; an index never changes.
 */
#include "common/text/name_table.h"

#include <string.h>

static bool is_name(const struct name_table *table, int index, const char *name, size_t length) {
    return memcmp(table->names[index], name, length) == 0 && table->names[index][length] == '\0';
}

static int find(const struct name_table *table, const char *name, size_t length) {
    if (length > LIMIT_NAME_CHARS) {
        return -1;
    }
    for (int i = 0; i < table->count; i++) {
        if (is_name(table, i, name, length)) {
            return i;
        }
    }
    return -1;
}

int name_table_intern(struct name_table *table, const char *name, size_t length) {
    const int found = find(table, name, length);
    if (found >= 0 || length > LIMIT_NAME_CHARS || table->count >= NAME_TABLE_CAPACITY) {
        return found;
    }
    char *entry = table->names[table->count];
    memset(entry, 0, sizeof table->names[0]);
    memcpy(entry, name, length);
    return table->count++;
}

int name_table_find(const struct name_table *table, const char *name) {
    return find(table, name, strlen(name));
}

bool name_is_valid(const char *text, size_t length) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    if (length < 1 || length > LIMIT_NAME_CHARS) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (memchr(allowed, text[i], sizeof allowed - 1) == NULL) {
            return false;
        }
    }
    return true;
}
