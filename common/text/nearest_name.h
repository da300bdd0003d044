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
#ifndef DROVER_COMMON_TEXT_NEAREST_NAME_H
#define DROVER_COMMON_TEXT_NEAREST_NAME_H

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

#endif
