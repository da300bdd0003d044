/* A small list of names and their indices. Owns nothing outside the struct.
 *
 * Invariants: names [0, count) are distinct, NUL-terminated, and padded with NULs; an index never changes.
 */
#include "common/text/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"

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

void name_from_path(const char *path, char name[LIMIT_NAME_CHARS + 1]) {
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(base, '.');
    size_t length = dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base);
    length = length > LIMIT_NAME_CHARS ? LIMIT_NAME_CHARS : length;
    for (size_t i = 0; i < length; i++) {
        name[i] = name_is_valid(base + i, 1) ? base[i] : '_';
    }
    name[length] = '\0';
}

/* ---- nearest name ---- */

enum { TOO_FAR = NEAREST_NAME_CHARS + 1, MOST_CHANGES = 3, LEAST_BEGUN = 4 };

static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

int nearest_name_distance(const char *a, const char *b) {
    const size_t rows = strlen(a);
    const size_t columns = strlen(b);
    if (rows > NEAREST_NAME_CHARS || columns > NEAREST_NAME_CHARS) {
        return TOO_FAR;
    }
    /* Three rows of the usual table: this one, the last, and the one before for swaps. */
    int table[3][NEAREST_NAME_CHARS + 1];
    for (size_t j = 0; j <= columns; j++) {
        table[0][j] = (int)j;
    }
    for (size_t i = 1; i <= rows; i++) {
        int *now = table[i % 3];
        const int *last = table[(i + 2) % 3];
        const int *before = table[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= columns; j++) {
            const int changed = last[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
            now[j] = least(changed, least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
                now[j] = least(now[j], before[j - 2] + 1);
            }
        }
    }
    return table[rows % 3][columns];
}

struct nearest_name nearest_name_begin(const char *typed) {
    return (struct nearest_name){.typed = typed, .distance = TOO_FAR};
}

/* Whether a name was left off after its half: "slowing_dist". */
static bool is_begun(const char *typed, const char *name) {
    const size_t length = strlen(typed), whole = strlen(name);
    return length >= LEAST_BEGUN && length < whole && 2 * length >= whole && whole <= NEAREST_NAME_CHARS &&
           strncmp(typed, name, length) == 0;
}

void nearest_name_offer(struct nearest_name *nearest, const char *name) {
    const size_t length = strlen(name);
    const int third = (int)(length / 3);
    const int most = third < 1 ? 1 : least(third, MOST_CHANGES);
    int distance = nearest_name_distance(nearest->typed, name);
    if (distance > most && is_begun(nearest->typed, name)) {
        distance = most;
    }
    const bool is_typed = distance == 0 && strcmp(nearest->typed, name) == 0;
    if (!is_typed && length > 1 && distance <= most && distance < nearest->distance) {
        nearest->distance = distance;
        memcpy(nearest->best, name, length + 1);
    }
}

const char *nearest_name_best(const struct nearest_name *nearest) {
    return nearest->distance < TOO_FAR ? nearest->best : "";
}

void nearest_name_hint(const struct nearest_name *nearest, char hint[NEAREST_HINT_BYTES]) {
    hint[0] = '\0';
    if (nearest->distance < TOO_FAR) {
        (void)snprintf(hint, NEAREST_HINT_BYTES, " (did you mean \"%s\"?)", nearest->best);
    }
}

/* ---- text list ---- */

static const char ellipsis[] = " ...";

static bool is_ended(const char *list, size_t used) {
    const size_t length = sizeof ellipsis - 1;
    return used >= length && memcmp(list + used - length, ellipsis, length) == 0;
}

void text_list_add(char *list, size_t size, const char *name, bool is_quoted) {
    const size_t used = strlen(list);
    const char *separator = used == 0 ? "" : ", ";
    const char *quote = is_quoted ? "\"" : "";
    const size_t more = strlen(separator) + strlen(name) + 2 * strlen(quote);
    if (is_ended(list, used)) {
        return;
    }
    if (used + more + sizeof ellipsis <= size) { /* with room for an end */
        (void)snprintf(list + used, size - used, "%s%s%s%s", separator, quote, name, quote);
    } else {
        (void)snprintf(list + used, size - used, "%s", ellipsis);
    }
}

/* ---- person name ---- */

struct span {
    uint32_t first, last; /* code points */
};

static const struct span hidden[] = {
    {0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x034F, 0x034F}, {0x061C, 0x061C},
    {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F}, {0x2028, 0x202E},
    {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB},
    {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};
/* The last is the choice of a character's form, which emoji need behind them. */
static const struct span blank[] = {
    {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A}, {0x202F, 0x202F},
    {0x205F, 0x205F}, {0x2800, 0x2800}, {0x3000, 0x3000}, {0xFE00, 0xFE0F},
};

static bool is_in(const struct span *spans, size_t count, uint32_t code_point) {
    for (size_t i = 0; i < count; i++) {
        if (code_point >= spans[i].first && code_point <= spans[i].last) {
            return true;
        }
    }
    return false;
}

static bool is_blank(uint32_t code_point) {
    return is_in(blank, sizeof blank / sizeof *blank, code_point);
}

int person_name_read(const char *text, const char *field, char out[LIMIT_PERSON_BYTES + 1],
                     struct failure *failure) {
    static const char allowed[] = "a name has 1 to 31 bytes of UTF-8 that can be seen";
    const size_t length = strlen(text);
    size_t begin = length, end = 0; /* of what is not blank */
    memset(out, 0, LIMIT_PERSON_BYTES + 1);
    for (size_t i = 0; i < length;) {
        const size_t size = utf8_character(text + i, length - i);
        if (size == 0) {
            return failure_set(failure, FAILURE_BAD_PARAM, field, "byte %zu is not UTF-8; %s", i + 1,
                               allowed);
        }
        const uint32_t code_point = utf8_code_point(text + i, size);
        if (is_in(hidden, sizeof hidden / sizeof *hidden, code_point)) {
            return failure_set(failure, FAILURE_BAD_PARAM, field, "U+%04X cannot be seen; %s",
                               (unsigned)code_point, allowed);
        }
        if (!is_blank(code_point)) {
            begin = begin < i ? begin : i;
            end = i + size;
        }
        i += size;
    }
    if (end == 0 && length > 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, field, "nothing but blanks; %s", allowed);
    }
    const size_t kept = end > begin ? end - begin : 0;
    if (kept > LIMIT_PERSON_BYTES) {
        return failure_set(failure, FAILURE_BAD_PARAM, field, "%zu bytes are too many; %s", kept, allowed);
    }
    memcpy(out, text + (kept > 0 ? begin : 0), kept);
    return 0;
}
