/* See run_values.h. */
#include "clients/drover/run/run_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/limits.h"

enum { NUMBER_CHARS = 63 };

void run_values_fini(struct run_values *list) {
    free(list->values);
    *list = (struct run_values){0};
}

int run_values_add(struct run_values *list, double value, struct failure *failure) {
    if (list->count == RUN_VALUES_MOST) {
        return failure_set(failure, FAILURE_FULL, NULL, "too many values; allowed: at most %d",
                           RUN_VALUES_MOST);
    }
    if (list->count == list->room) {
        const int room = list->room == 0 ? 16 : 2 * list->room;
        double *values = realloc(list->values, (size_t)room * sizeof *values);
        if (values == NULL) {
            return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        }
        list->values = values;
        list->room = room;
    }
    list->values[list->count++] = value;
    return 0;
}

bool run_number_read(const char *text, size_t length, double *value) {
    char copy[NUMBER_CHARS + 1];
    char *end = NULL;
    if (length == 0 || length > NUMBER_CHARS) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (strspn(copy, "0123456789+-.eE") != length) { /* strtod reads hexadecimal numbers, too */
        return false;
    }
    *value = strtod(copy, &end);
    return end == copy + length && isfinite(*value);
}

bool run_seed_read(const char *text, size_t length, double *value) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
    }
    return run_number_read(text, length, value) && *value <= LIMIT_ID_INTEGER;
}

static int fail_part(const char *text, size_t length, const char *allowed, struct failure *failure) {
    return failure_set(failure, FAILURE_BAD_PARAM, NULL, "\"%.*s\" is not understood; allowed: %s",
                       length > 60 ? 60 : (int)length, text, allowed);
}

static int read_steps(struct run_values *list, const char *text, size_t length, struct failure *failure) {
    static const char allowed[] = "a number, or FROM:TO:STEP with TO not before FROM and STEP above 0";
    const char *first = memchr(text, ':', length);
    const char *second = memchr(first + 1, ':', length - (size_t)(first + 1 - text));
    double low = 0.0, high = 0.0, step = 0.0;
    if (second == NULL || !run_number_read(text, (size_t)(first - text), &low) ||
        !run_number_read(first + 1, (size_t)(second - first - 1), &high) ||
        !run_number_read(second + 1, length - (size_t)(second + 1 - text), &step) || step <= 0.0 ||
        high < low) {
        return fail_part(text, length, allowed, failure);
    }
    const double steps = floor((high - low) / step + 1e-9);
    if (!(steps < RUN_VALUES_MOST)) {
        return failure_set(failure, FAILURE_FULL, NULL, "\"%.*s\" has too many values; allowed: at most %d",
                           length > 60 ? 60 : (int)length, text, RUN_VALUES_MOST);
    }
    for (int i = 0; i <= (int)steps; i++) {
        char decimal[40];
        (void)snprintf(decimal, sizeof decimal, "%.15g", low + (double)i * step);
        if (run_values_add(list, strtod(decimal, NULL), failure) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_value(struct run_values *list, const char *text, size_t length, struct failure *failure) {
    double value = 0.0;
    if (length > 0 && memchr(text, ':', length) != NULL) {
        return read_steps(list, text, length, failure);
    }
    if (!run_number_read(text, length, &value)) {
        return fail_part(text, length, "numbers with commas between them, or FROM:TO:STEP", failure);
    }
    return run_values_add(list, value, failure);
}

static int read_seed(struct run_values *list, const char *text, size_t length, struct failure *failure) {
    size_t dots = 0;
    double low = 0.0, high = 0.0;
    while (dots + 1 < length && (text[dots] != '.' || text[dots + 1] != '.')) {
        dots++;
    }
    const bool is_one = dots + 1 >= length;
    const bool is_good = is_one ? run_seed_read(text, length, &low)
                                : run_seed_read(text, dots, &low) &&
                                      run_seed_read(text + dots + 2, length - dots - 2, &high) && low <= high;
    if (!is_good) {
        return fail_part(text, length,
                         "whole numbers from 0 to 2^53 - 1 with commas between them, or FIRST..LAST",
                         failure);
    }
    for (double seed = low; seed <= (is_one ? low : high); seed += 1.0) {
        if (run_values_add(list, seed, failure) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Each part between commas. */
static int read_parts(struct run_values *list, const char *text, size_t length, struct failure *failure,
                      int (*read)(struct run_values *, const char *, size_t, struct failure *)) {
    const char *end = text + length;
    for (;;) {
        const char *comma = text == end ? NULL : memchr(text, ',', (size_t)(end - text));
        if (read(list, text, (size_t)((comma == NULL ? end : comma) - text), failure) != 0) {
            return -1;
        }
        if (comma == NULL) {
            return 0;
        }
        text = comma + 1;
    }
}

int run_values_read(struct run_values *list, const char *text, size_t length, struct failure *failure) {
    return read_parts(list, text, length, failure, read_value);
}

int run_seeds_read(struct run_values *list, const char *text, size_t length, struct failure *failure) {
    return read_parts(list, text, length, failure, read_seed);
}
