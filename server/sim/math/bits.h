/* Sets of up to 64, a bit each. */
#ifndef DROVER_SERVER_SIM_MATH_BITS_H
#define DROVER_SERVER_SIM_MATH_BITS_H

#include <stdint.h>

/** How many bits are set. (The builtin is a call of the compiler's library on most processors.) */
static inline int32_t bits_count(uint64_t bits) {
    const uint64_t pairs = bits - (bits >> 1 & UINT64_C(0x5555555555555555));
    const uint64_t fours =
        (pairs & UINT64_C(0x3333333333333333)) + (pairs >> 2 & UINT64_C(0x3333333333333333));
    const uint64_t bytes = (fours + (fours >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (int32_t)(bytes * UINT64_C(0x0101010101010101) >> 56);
}

#endif
