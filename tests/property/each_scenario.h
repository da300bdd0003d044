/* Goes over the scenarios of the project. */
#ifndef DROVER_TESTS_PROPERTY_EACH_SCENARIO_H
#define DROVER_TESTS_PROPERTY_EACH_SCENARIO_H

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/server/cmocka_all.h"

static inline int scenario_by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

/** Calls failures_of with the name of every scenario, in order of the names, and returns the sum of what it
 * returns. only: the one scenario to try; NULL: all. */
static inline int each_scenario(const char *only, int (*failures_of)(const char *name)) {
    struct dirent **entries;
    int failures = 0;
    const int count = scandir("scenarios", &entries, NULL, scenario_by_name);
    assert_true(count > 2);
    for (int i = 0; i < count; i++) {
        char *dot = strstr(entries[i]->d_name, ".json");
        if (dot != NULL) {
            *dot = '\0';
            if (only == NULL || strcmp(only, entries[i]->d_name) == 0) {
                failures += failures_of(entries[i]->d_name);
            }
        }
        free(entries[i]);
    }
    free(entries);
    return failures;
}

#endif
