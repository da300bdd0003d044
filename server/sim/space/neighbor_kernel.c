/* See neighbor_kernel.h: the kernel of each instruction set. */
#include "server/sim/space/neighbor_kernel.h"

#include <assert.h>

#include "server/sim/space/kernel_plan.h"

static kernel_function *const kernels[SIMD_COUNT] = {
    [SIMD_PLAIN] = neighbor_kernel_plain,
#if defined(__x86_64__)
    [SIMD_SSE2] = neighbor_kernel_sse2,
    [SIMD_AVX2] = neighbor_kernel_avx2,
    [SIMD_AVX512] = neighbor_kernel_avx512,
#endif
};

void neighbor_kernel_sums(enum simd simd, const struct neighbor_batch *batch, int32_t begin, int32_t end,
                          struct neighbor_sums *out) {
    assert(simd_is_supported(simd) && begin >= 0 && begin <= end && end <= batch->grid->count);
    const struct kernel_plan plan = kernel_make_plan(batch);
    kernels[simd](&plan, begin, end, out);
}
