/* See steering_kernel.h: the kernel of each instruction set. */
#include "server/sim/steering/steering_kernel.h"

#include <assert.h>
#include <stddef.h>

static const struct steering_kernel *const kernels[SIMD_COUNT] = {
    [SIMD_PLAIN] = &steering_kernel_plain,
#if defined(__x86_64__)
    [SIMD_SSE2] = &steering_kernel_sse2,
    [SIMD_AVX2] = &steering_kernel_avx2,
    [SIMD_AVX512] = &steering_kernel_avx512,
#elif defined(__wasm_simd128__)
    [SIMD_SIMD128] = &steering_kernel_simd128,
#endif
};

bool steering_has_rule(enum behavior_type type) {
    return steering_kernel_plain.rules[type] != NULL;
}

const struct steering_kernel *steering_kernel_of(enum simd simd) {
    assert(simd_is_supported(simd) && kernels[simd] != NULL);
    return kernels[simd];
}
