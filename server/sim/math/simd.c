/* See simd.h. */
#include "server/sim/math/simd.h"

#include <string.h>

const char *const simd_names[] = {"plain", "sse2", "avx2", "avx512", "simd128", NULL};

int simd_from_name(const char *name) {
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        if (strcmp(simd_names[simd], name) == 0) {
            return simd;
        }
    }
    return -1;
}

bool simd_is_supported(enum simd simd) {
#if defined(__x86_64__)
    switch (simd) {
    case SIMD_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    case SIMD_AVX2:
        return __builtin_cpu_supports("avx2");
    default:
        return simd == SIMD_PLAIN || simd == SIMD_SSE2;
    }
#elif defined(__wasm_simd128__)
#if !defined(DROVER_WITHOUT_PLAIN)
    if (simd == SIMD_PLAIN) {
        return true;
    }
#endif
    return simd == SIMD_SIMD128;
#else
    return simd == SIMD_PLAIN;
#endif
}

enum simd simd_best(void) {
    int simd = SIMD_COUNT - 1;
    while (!simd_is_supported((enum simd)simd)) {
        simd--;
    }
    return (enum simd)simd;
}

enum simd simd_simplest(void) {
    return simd_is_supported(SIMD_PLAIN) ? SIMD_PLAIN : simd_best();
}
