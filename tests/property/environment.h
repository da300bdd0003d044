/* The number and the seed of the worlds of a property test, from the environment. */
#ifndef DROVER_TESTS_PROPERTY_ENVIRONMENT_H
#define DROVER_TESTS_PROPERTY_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static inline uint64_t environment(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

/** Whether this is a slow test, which tries more. */
static inline bool is_slow(void) {
    return getenv("DROVER_SLOW") != NULL;
}

/** Whether slow tests are to try all that they can, instead of what fits in the continuous integration. */
static inline bool is_full(void) {
    return getenv("DROVER_FULL") != NULL;
}

#endif
