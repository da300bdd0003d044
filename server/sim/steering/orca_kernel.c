/* See orca_kernel.h: the kernel of each instruction set. */
#include "server/sim/steering/orca_kernel.h"

#include <assert.h>
#include <string.h>

static orca_function *const kernels[SIMD_COUNT] = {
    [SIMD_PLAIN] = orca_kernel_plain,
#if defined(__x86_64__)
    [SIMD_SSE2] = orca_kernel_sse2,
    [SIMD_AVX2] = orca_kernel_avx2,
    [SIMD_AVX512] = orca_kernel_avx512,
#elif defined(__wasm_simd128__)
    [SIMD_SIMD128] = orca_kernel_simd128,
#endif
};

void orca_kernel_solve(enum simd simd, const struct orca_query *query, const struct orca_wishes *wishes,
                       int32_t begin, int32_t end, const uint64_t *wanted,
                       const struct orca_answers *answers) {
    assert(simd_is_supported(simd) && begin >= 0 && begin <= end && end <= query->grid->count);
    const size_t size = (size_t)orca_words(end - begin) * sizeof *wanted;
    memset(answers->active, 0, size);
    memset(answers->alone, 0, size);
    const struct orca_plan plan = orca_make_plan(query);
    if (!(plan.furthest > 0.0f)) {
        return; /* without neighbors everything is permitted */
    }
    if (plan.quanta > 1e30f) {
        memcpy(answers->alone, wanted, size); /* in a circle so small ranks would be no numbers */
        return;
    }
    kernels[simd](&plan, wishes, begin, end, wanted, answers);
}
