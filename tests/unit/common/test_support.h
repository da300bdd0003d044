/* Common to the tests of common/: cmocka in its order, a seeded generator, an exact-size copy for ASan. */
#ifndef DROVER_TESTS_UNIT_COMMON_TEST_SUPPORT_H
#define DROVER_TESTS_UNIT_COMMON_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** splitmix64: the same sequence on every machine. */
static inline uint64_t test_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/** 0 .. bound - 1 */
static inline uint32_t test_below(uint64_t *state, uint32_t bound) {
    return (uint32_t)(test_random(state) % bound);
}

/** A malloc'd copy without a NUL, so that the address sanitizer sees every byte read past the end. */
static inline char *test_exact_copy(const char *text, size_t length) {
    char *copy = malloc(length == 0 ? 1 : length);
    assert_non_null(copy);
    if (length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

#endif
