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
#elif defined(__wasm_simd128__)
    [SIMD_SIMD128] = neighbor_kernel_simd128,
#endif
};

void neighbor_kernel_columns(enum simd simd, const struct neighbor_batch *batch, int32_t begin, int32_t end,
                             uint64_t wanted, struct sums_columns *out) {
    assert(simd_is_supported(simd) && begin >= 0 && begin <= end && end <= batch->grid->count);
    assert(end - begin <= KERNEL_PLACES);
    const struct kernel_plan plan = kernel_make_plan(batch);
    kernels[simd](&plan, begin, end, wanted, out);
}

void neighbor_kernel_sums(enum simd simd, const struct neighbor_batch *batch, int32_t begin, int32_t end,
                          struct neighbor_sums *out) {
    assert(simd_is_supported(simd) && begin >= 0 && begin <= end && end <= batch->grid->count);
    const struct kernel_plan plan = kernel_make_plan(batch);
    struct sums_columns columns = {.separation_count = {0}};
    for (int32_t first = begin; first < end; first += KERNEL_PLACES) {
        const int32_t stop = end - first < KERNEL_PLACES ? end : first + KERNEL_PLACES;
        kernels[simd](&plan, first, stop, UINT64_MAX, &columns);
        for (int32_t slot = first; slot < stop; slot++) {
            out[slot - begin] = sums_columns_get(&columns, slot - first);
        }
    }
}
