/* Numbers side by side in the lanes of a SIMD register, LANES_WIDTH of them (1, 4, 8 or 16): what
 * neighbor_kernel.inc.h is written in.
 *
 * 1. Every operation rounds as the plain C one does: no estimates, no fused multiply-add. A lane gives the
 * same bits at every width.
 * 2. A mask holds a truth for each lane. lanes_keep gives +0.0 where it is false, whatever stands there.
 *
 * Included by the neighbor_kernel_*.c files only, which are compiled for their instruction set.
 */
#ifndef DROVER_SIM_LANES_H
#define DROVER_SIM_LANES_H

#include <stdbool.h>
#include <stdint.h>

#ifndef LANES_WIDTH
#error "LANES_WIDTH says how many lanes there are"
#endif

#define LANES_INLINE static inline __attribute__((always_inline, unused))

#if LANES_WIDTH == 1

#include <math.h>

typedef float lanes;
typedef bool lanes_mask;
typedef int32_t lanes_tally;

LANES_INLINE lanes lanes_load(const float *from) {
    return *from;
}
LANES_INLINE void lanes_store(float *to, lanes a) {
    *to = a;
}
LANES_INLINE lanes lanes_all(float value) {
    return value;
}
LANES_INLINE lanes lanes_add(lanes a, lanes b) {
    return a + b;
}
LANES_INLINE lanes lanes_sub(lanes a, lanes b) {
    return a - b;
}
LANES_INLINE lanes lanes_mul(lanes a, lanes b) {
    return a * b;
}
LANES_INLINE lanes lanes_div(lanes a, lanes b) {
    return a / b;
}
LANES_INLINE lanes lanes_sqrt(lanes a) {
    return sqrtf(a);
}
/* a < b ? a : b */
LANES_INLINE lanes lanes_min(lanes a, lanes b) {
    return a < b ? a : b;
}
/* a > b ? a : b */
LANES_INLINE lanes lanes_max(lanes a, lanes b) {
    return a > b ? a : b;
}
LANES_INLINE lanes_mask lanes_less(lanes a, lanes b) {
    return a < b;
}
LANES_INLINE lanes_mask lanes_at_most(lanes a, lanes b) {
    return a <= b;
}
LANES_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
    return a && b;
}
LANES_INLINE lanes_mask lanes_either(lanes_mask a, lanes_mask b) {
    return a || b;
}
LANES_INLINE lanes_mask lanes_but(lanes_mask a, lanes_mask b) {
    return a && !b;
}
LANES_INLINE bool lanes_any(lanes_mask a) {
    return a;
}
LANES_INLINE lanes lanes_keep(lanes_mask mask, lanes a) {
    return mask ? a : 0.0f;
}
LANES_INLINE lanes lanes_select(lanes_mask mask, lanes a, lanes b) {
    return mask ? a : b;
}
LANES_INLINE lanes_tally lanes_tally_none(void) {
    return 0;
}
LANES_INLINE lanes_tally lanes_tally_add(lanes_tally tally, lanes_mask mask) {
    return tally + mask;
}
LANES_INLINE void lanes_tally_store(int32_t *to, lanes_tally tally) {
    *to = tally;
}

#elif LANES_WIDTH == 4

#include <emmintrin.h>

typedef __m128 lanes;
typedef __m128 lanes_mask;
typedef __m128i lanes_tally;

LANES_INLINE lanes lanes_load(const float *from) {
    return _mm_load_ps(from);
}
LANES_INLINE void lanes_store(float *to, lanes a) {
    _mm_store_ps(to, a);
}
LANES_INLINE lanes lanes_all(float value) {
    return _mm_set1_ps(value);
}
LANES_INLINE lanes lanes_add(lanes a, lanes b) {
    return _mm_add_ps(a, b);
}
LANES_INLINE lanes lanes_sub(lanes a, lanes b) {
    return _mm_sub_ps(a, b);
}
LANES_INLINE lanes lanes_mul(lanes a, lanes b) {
    return _mm_mul_ps(a, b);
}
LANES_INLINE lanes lanes_div(lanes a, lanes b) {
    return _mm_div_ps(a, b);
}
LANES_INLINE lanes lanes_sqrt(lanes a) {
    return _mm_sqrt_ps(a);
}
LANES_INLINE lanes lanes_min(lanes a, lanes b) {
    return _mm_min_ps(a, b);
}
LANES_INLINE lanes lanes_max(lanes a, lanes b) {
    return _mm_max_ps(a, b);
}
LANES_INLINE lanes_mask lanes_less(lanes a, lanes b) {
    return _mm_cmplt_ps(a, b);
}
LANES_INLINE lanes_mask lanes_at_most(lanes a, lanes b) {
    return _mm_cmple_ps(a, b);
}
LANES_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
    return _mm_and_ps(a, b);
}
LANES_INLINE lanes_mask lanes_either(lanes_mask a, lanes_mask b) {
    return _mm_or_ps(a, b);
}
LANES_INLINE lanes_mask lanes_but(lanes_mask a, lanes_mask b) {
    return _mm_andnot_ps(b, a);
}
LANES_INLINE bool lanes_any(lanes_mask a) {
    return _mm_movemask_ps(a) != 0;
}
LANES_INLINE lanes lanes_keep(lanes_mask mask, lanes a) {
    return _mm_and_ps(mask, a);
}
LANES_INLINE lanes lanes_select(lanes_mask mask, lanes a, lanes b) {
    return _mm_or_ps(_mm_and_ps(mask, a), _mm_andnot_ps(mask, b));
}
LANES_INLINE lanes_tally lanes_tally_none(void) {
    return _mm_setzero_si128();
}
LANES_INLINE lanes_tally lanes_tally_add(lanes_tally tally, lanes_mask mask) {
    return _mm_sub_epi32(tally, _mm_castps_si128(mask));
}
LANES_INLINE void lanes_tally_store(int32_t *to, lanes_tally tally) {
    _mm_store_si128((__m128i *)(void *)to, tally);
}

#elif LANES_WIDTH == 8

#include <immintrin.h>

typedef __m256 lanes;
typedef __m256 lanes_mask;
typedef __m256i lanes_tally;

LANES_INLINE lanes lanes_load(const float *from) {
    return _mm256_load_ps(from);
}
LANES_INLINE void lanes_store(float *to, lanes a) {
    _mm256_store_ps(to, a);
}
LANES_INLINE lanes lanes_all(float value) {
    return _mm256_set1_ps(value);
}
LANES_INLINE lanes lanes_add(lanes a, lanes b) {
    return _mm256_add_ps(a, b);
}
LANES_INLINE lanes lanes_sub(lanes a, lanes b) {
    return _mm256_sub_ps(a, b);
}
LANES_INLINE lanes lanes_mul(lanes a, lanes b) {
    return _mm256_mul_ps(a, b);
}
LANES_INLINE lanes lanes_div(lanes a, lanes b) {
    return _mm256_div_ps(a, b);
}
LANES_INLINE lanes lanes_sqrt(lanes a) {
    return _mm256_sqrt_ps(a);
}
LANES_INLINE lanes lanes_min(lanes a, lanes b) {
    return _mm256_min_ps(a, b);
}
LANES_INLINE lanes lanes_max(lanes a, lanes b) {
    return _mm256_max_ps(a, b);
}
LANES_INLINE lanes_mask lanes_less(lanes a, lanes b) {
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
LANES_INLINE lanes_mask lanes_at_most(lanes a, lanes b) {
    return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}
LANES_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
    return _mm256_and_ps(a, b);
}
LANES_INLINE lanes_mask lanes_either(lanes_mask a, lanes_mask b) {
    return _mm256_or_ps(a, b);
}
LANES_INLINE lanes_mask lanes_but(lanes_mask a, lanes_mask b) {
    return _mm256_andnot_ps(b, a);
}
LANES_INLINE bool lanes_any(lanes_mask a) {
    return _mm256_movemask_ps(a) != 0;
}
LANES_INLINE lanes lanes_keep(lanes_mask mask, lanes a) {
    return _mm256_and_ps(mask, a);
}
LANES_INLINE lanes lanes_select(lanes_mask mask, lanes a, lanes b) {
    return _mm256_blendv_ps(b, a, mask);
}
LANES_INLINE lanes_tally lanes_tally_none(void) {
    return _mm256_setzero_si256();
}
LANES_INLINE lanes_tally lanes_tally_add(lanes_tally tally, lanes_mask mask) {
    return _mm256_sub_epi32(tally, _mm256_castps_si256(mask));
}
LANES_INLINE void lanes_tally_store(int32_t *to, lanes_tally tally) {
    _mm256_store_si256((__m256i *)(void *)to, tally);
}

#elif LANES_WIDTH == 16

#include <immintrin.h>

typedef __m512 lanes;
typedef __mmask16 lanes_mask;
typedef __m512i lanes_tally;

LANES_INLINE lanes lanes_load(const float *from) {
    return _mm512_load_ps(from);
}
LANES_INLINE void lanes_store(float *to, lanes a) {
    _mm512_store_ps(to, a);
}
LANES_INLINE lanes lanes_all(float value) {
    return _mm512_set1_ps(value);
}
LANES_INLINE lanes lanes_add(lanes a, lanes b) {
    return _mm512_add_ps(a, b);
}
LANES_INLINE lanes lanes_sub(lanes a, lanes b) {
    return _mm512_sub_ps(a, b);
}
LANES_INLINE lanes lanes_mul(lanes a, lanes b) {
    return _mm512_mul_ps(a, b);
}
LANES_INLINE lanes lanes_div(lanes a, lanes b) {
    return _mm512_div_ps(a, b);
}
LANES_INLINE lanes lanes_sqrt(lanes a) {
    return _mm512_sqrt_ps(a);
}
LANES_INLINE lanes lanes_min(lanes a, lanes b) {
    return _mm512_min_ps(a, b);
}
LANES_INLINE lanes lanes_max(lanes a, lanes b) {
    return _mm512_max_ps(a, b);
}
LANES_INLINE lanes_mask lanes_less(lanes a, lanes b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
LANES_INLINE lanes_mask lanes_at_most(lanes a, lanes b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
LANES_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
    return _kand_mask16(a, b);
}
LANES_INLINE lanes_mask lanes_either(lanes_mask a, lanes_mask b) {
    return _kor_mask16(a, b);
}
LANES_INLINE lanes_mask lanes_but(lanes_mask a, lanes_mask b) {
    return _kandn_mask16(b, a);
}
LANES_INLINE bool lanes_any(lanes_mask a) {
    return a != 0;
}
LANES_INLINE lanes lanes_keep(lanes_mask mask, lanes a) {
    return _mm512_maskz_mov_ps(mask, a);
}
LANES_INLINE lanes lanes_select(lanes_mask mask, lanes a, lanes b) {
    return _mm512_mask_mov_ps(b, mask, a);
}
LANES_INLINE lanes_tally lanes_tally_none(void) {
    return _mm512_setzero_si512();
}
LANES_INLINE lanes_tally lanes_tally_add(lanes_tally tally, lanes_mask mask) {
    return _mm512_mask_add_epi32(tally, mask, tally, _mm512_set1_epi32(1));
}
LANES_INLINE void lanes_tally_store(int32_t *to, lanes_tally tally) {
    _mm512_store_si512(to, tally);
}

#else
#error "LANES_WIDTH is 1, 4, 8 or 16"
#endif

#endif
