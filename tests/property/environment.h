/* The number and the seed of the worlds of a property test, from the environment. */
#ifndef DROVER_TESTS_PROPERTY_ENVIRONMENT_H
#define DROVER_TESTS_PROPERTY_ENVIRONMENT_H

#include <stdint.h>
#include <stdlib.h>

static inline uint64_t environment(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

#endif
