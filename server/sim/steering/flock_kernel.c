/* See flock_kernel.h: the kernel of each instruction set. */
#include "server/sim/steering/flock_kernel.h"

#include <assert.h>

#include "server/sim/steering/locomotion.h"

static flock_function *const kernels[SIMD_COUNT] = {
    [SIMD_PLAIN] = flock_kernel_plain,
#if defined(__x86_64__)
    [SIMD_SSE2] = flock_kernel_sse2,
    [SIMD_AVX2] = flock_kernel_avx2,
    [SIMD_AVX512] = flock_kernel_avx512,
#elif defined(__wasm_simd128__)
    [SIMD_SIMD128] = flock_kernel_simd128,
#endif
};

void flock_kernel_step(enum simd simd, const struct neighbor_batch *batch, const struct flock_rules *rules,
                       int32_t begin, int32_t end, const struct flock_out *out) {
    assert(simd_is_supported(simd) && batch->bounds->edge != EDGE_CONTAIN);
    assert(!out->only_of_resting || rules->turn.x <= NO_TURN_LIMIT);
    const struct kernel_plan plan = kernel_make_plan(batch);
    const struct flock_plan flock = flock_make_plan(batch->bounds, rules);
    kernels[simd](&plan, &flock, begin, end, out);
}
