/* See sight_kernel.h: the kernel of each instruction set, and what does not depend on it. */
#include "server/sim/space/sight_kernel.h"

#include <assert.h>

#include "server/sim/math/bits.h"

/* Candidates that lanes may share, for each agent in them and once: more cost more than a further walk. */
enum { SHARED_EACH = 8, SHARED_ONCE = 24 };

static sight_kernel_function *const kernels[SIMD_COUNT] = {
    [SIMD_PLAIN] = sight_kernel_plain,
#if defined(__x86_64__)
    [SIMD_SSE2] = sight_kernel_sse2,
    [SIMD_AVX2] = sight_kernel_avx2,
    [SIMD_AVX512] = sight_kernel_avx512,
#elif defined(__wasm_simd128__)
    [SIMD_SIMD128] = sight_kernel_simd128,
#endif
};

void sight_kernel_find(enum simd simd, const struct sight_query *query, int32_t begin, int32_t end,
                       uint64_t wanted, struct sight_columns *out) {
    assert(simd_is_supported(simd) && begin >= 0 && begin <= end && end <= query->grid->count);
    assert(end - begin <= SIGHT_PLACES && query->within > 0.0f);
    assert(query->index->kinds[query->kind].count > 0);
    kernels[simd](query, begin, end, wanted, out);
}

/* The lower half of the bits that are set, `count` of them. */
static uint32_t lower_half(uint32_t bits, int count) {
    uint32_t half = 0;
    for (int taken = 0; taken < count / 2; taken++) {
        const uint32_t lowest = bits & (~bits + 1);
        half |= lowest;
        bits ^= lowest;
    }
    return half;
}

uint32_t sight_choose_agents(const struct sight_query *query, uint32_t wanted, vec2 low, vec2 high,
                             float reach, struct sight_area *area) {
    const struct sight_kind *kind = &query->index->kinds[query->kind];
    const int count = bits_count(wanted);
    *area = sight_area_of(kind, low, high, kind->is_in_grid ? reach + query->grid->drift : reach);
    return count == 1 || sight_area_entries(kind, area) <= SHARED_EACH * count + SHARED_ONCE
               ? wanted
               : lower_half(wanted, count);
}
