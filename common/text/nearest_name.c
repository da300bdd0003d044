/* See nearest_name.h. Owns nothing. */
#include "common/text/nearest_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
