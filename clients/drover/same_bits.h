/* Numbers compared by their bits: -0 and 0 differ, as they do in the hash. */
#ifndef DROVER_CLIENTS_DROVER_SAME_BITS_H
#define DROVER_CLIENTS_DROVER_SAME_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/base/vec2.h"

static inline uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline bool is_same_float(float a, float b) {
    return float_bits(a) == float_bits(b);
}

static inline bool is_same_double(double a, double b) {
    return double_bits(a) == double_bits(b);
}

static inline bool is_same_vec2(vec2 a, vec2 b) {
    return is_same_float(a.x, b.x) && is_same_float(a.y, b.y);
}

#endif
