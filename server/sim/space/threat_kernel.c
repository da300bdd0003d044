/* See threat_kernel.h: the kernel of each instruction set. */
#include "server/sim/space/threat_kernel.h"

#include <assert.h>

#include "server/sim/space/threat_plan.h"

static threat_function *const kernels[SIMD_COUNT] = {
    [SIMD_PLAIN] = threat_kernel_plain,
#if defined(__x86_64__)
    [SIMD_SSE2] = threat_kernel_sse2,
    [SIMD_AVX2] = threat_kernel_avx2,
    [SIMD_AVX512] = threat_kernel_avx512,
#elif defined(__wasm_simd128__)
    [SIMD_SIMD128] = threat_kernel_simd128,
#endif
};

void threat_kernel_sums(enum simd simd, const struct threat_batch *batch, int32_t begin, int32_t end,
                        uint64_t wanted, struct threat_columns *out) {
    const struct neighbor_batch *neighbors = batch->neighbors;
    assert(simd_is_supported(simd) && begin >= 0 && begin <= end && end <= neighbors->grid->count);
    assert(end - begin <= KERNEL_PLACES);
    const struct neighbor_zone zones[ZONE_COUNT] = {[ZONE_SEPARATION] = neighbors->zones[ZONE_SEPARATION]};
    struct neighbor_batch near = *neighbors;
    near.zones = zones;
    const struct threat_plan plan = {kernel_make_plan(&near), batch->clearance, batch->horizon};
    kernels[simd](&plan, begin, end, wanted, out);
}
