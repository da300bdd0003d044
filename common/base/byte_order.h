/* Whole numbers as they are written down: little-endian, whatever this machine's order is. */
#ifndef DROVER_COMMON_BASE_BYTE_ORDER_H
#define DROVER_COMMON_BASE_BYTE_ORDER_H

#include <stddef.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { BYTE_ORDER_IS_BIG = 1 };
#else
enum { BYTE_ORDER_IS_BIG = 0 };
#endif

/** Copies `count` numbers of `width` bytes (1, 2, 4 or 8) from this machine's order to little-endian bytes, or back. */
static inline void byte_order_copy(void *to, const void *from, size_t count, size_t width) {
    if (count > 0) {
        memcpy(to, from, count * width);
    }
    for (size_t i = 0; BYTE_ORDER_IS_BIG && i < count; i++) {
        unsigned char *number = (unsigned char *)to + i * width;
        for (size_t low = 0, high = width - 1; low < high; low++, high--) {
            const unsigned char kept = number[low];
            number[low] = number[high];
            number[high] = kept;
        }
    }
}

#endif
