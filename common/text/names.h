/* A small list of names and their indices: kinds, states, behaviors, targets of a snapshot. */
#ifndef DROVER_COMMON_TEXT_NAMES_H
#define DROVER_COMMON_TEXT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/failure.h"
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
/** "some/dir/hunters.json" -> "hunters". Characters a name cannot have become '_'. */
void name_from_path(const char *path, char name[LIMIT_NAME_CHARS + 1]);
/** The index of the name, or -1. */
NODISCARD int name_table_find(const struct name_table *table, const char *name);

/* "Did you mean ...?": of the names there are, the one most like what was typed.
 *
 *     struct nearest_name nearest = nearest_name_begin(typed);
 *     for each name: nearest_name_offer(&nearest, name);
 *     nearest_name_hint(&nearest, hint);   ->   " (did you mean \"seek\"?)" or ""
 *
 * Likeness counts letters added, left out, changed and swapped with their neighbor; letters that differ only
 * in case are the same. A name is suggested when at most a third of it (and at least one letter, at most
 * three) has to change, or when at least half of it (and four letters) was typed and the rest left off; never what was
 * typed itself. Of equally near names the first offered wins.
 */

enum {
    NEAREST_NAME_CHARS = 63, /* longer names and longer typed text are never alike */
    NEAREST_HINT_BYTES = NEAREST_NAME_CHARS + 24
};

struct nearest_name {
    const char *typed; /* the caller's, as long as the struct is used */
    char best[NEAREST_NAME_CHARS + 1];
    int distance; /* of best; more than any when there is none */
};

struct nearest_name nearest_name_begin(const char *typed);
void nearest_name_offer(struct nearest_name *nearest, const char *name);
/** The suggestion to append to a sentence; "" when nothing is near. */
void nearest_name_hint(const struct nearest_name *nearest, char hint[NEAREST_HINT_BYTES]);
/** The suggestion alone; "" when nothing is near. It lies in *nearest. */
const char *nearest_name_best(const struct nearest_name *nearest);
/** How many letters differ (see above); at most NEAREST_NAME_CHARS + 1, which also stands for too long. */
int nearest_name_distance(const char *a, const char *b);

/* Lists of names for people: a, b, c ... Owns nothing. */

/** Appends one more name to a list, ", " before it when it is not the first. Where it has no room, " ..."
 * ends the list and nothing follows any more. list: a text, "" at first, in `size` bytes. */
void text_list_add(char *list, size_t size, const char *name, bool is_quoted);

/* The names that persons may give themselves: a name that others see must show as what it is.
 *
 * At most LIMIT_PERSON_BYTES of UTF-8 without controls (C0, C1, line and paragraph separators), without what
 * turns the direction of a text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) and without what
 * has no width (U+180E, U+200B to U+200D, U+2060 to U+206F, U+FEFF, U+FFF9 to U+FFFB); not blanks alone.
 * Blanks around it are cut off. protocol.schema.json has the same as a pattern.
 */

/** Writes the name without the blanks around it; an empty text is no name, and fine. 0, or -1 with *failure
 * (bad_param, field `field`), which says what is allowed. */
NODISCARD int person_name_read(const char *text, const char *field, char out[LIMIT_PERSON_BYTES + 1],
                               struct failure *failure);

#endif
