/* Numbers side by side in the lanes of a SIMD register, LANES_WIDTH of them (1, 4, 8 or 16): what
 * neighbor_sums.inc.h is written in.
 *
 * 1. Every operation rounds as the plain C one does: no estimates, no fused multiply-add. A lane gives the
 * same bits at every width.
 * 2. A mask holds a truth for each lane. lanes_keep gives +0.0 where it is false, whatever stands there.
 *
 * Included by the neighbor_kernel_*.c files only, which are compiled for their instruction set.
 */
#ifndef DROVER_SERVER_SIM_MATH_LANES_H
#define DROVER_SERVER_SIM_MATH_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "server/sim/math/motion.h"

#ifndef LANES_WIDTH
#error "LANES_WIDTH says how many lanes there are"
#endif

/* Records of motion, field by field. */
#define LANES_MOTION                                                                                         \
    struct lanes_motion {                                                                                    \
        lanes x, y, vx, vy;                                                                                  \
    };

#define LANES_INLINE static inline __attribute__((always_inline, unused))

#if LANES_WIDTH == 1

#include <math.h>

typedef float lanes;
typedef bool lanes_mask;
typedef int32_t lanes_tally;
LANES_MOTION

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
LANES_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
    return a && b;
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
LANES_INLINE lanes lanes_abs(lanes a) {
    return fabsf(a);
}
/* mask && a <= b */
LANES_INLINE lanes_mask lanes_at_most_where(lanes_mask mask, lanes a, lanes b) {
    return mask && a <= b;
}
/* a - b, +0.0 where the mask is false */
LANES_INLINE lanes lanes_sub_where(lanes_mask mask, lanes a, lanes b) {
    return mask ? a - b : 0.0f;
}
/* a + b, a where the mask is false */
LANES_INLINE lanes lanes_add_where(lanes_mask mask, lanes a, lanes b) {
    return mask ? a + b : a;
}
LANES_INLINE uint32_t lanes_bits(lanes_mask mask) {
    return mask;
}
/* Where a bit of `bits` is set. */
LANES_INLINE lanes_mask lanes_from_bits(uint32_t bits) {
    return bits != 0;
}
LANES_INLINE void lanes_load_motion(const struct motion *from, struct lanes_motion *to) {
    *to = (struct lanes_motion){from->x, from->y, from->vx, from->vy};
}
LANES_INLINE void lanes_store_motion(struct motion *to, const struct lanes_motion *from) {
    *to = (struct motion){from->x, from->y, from->vx, from->vy};
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
/* Cells from whole numbers of rows and columns, both below 2^15; `to` need not be aligned. */
LANES_INLINE void lanes_store_cells(int32_t *to, lanes row, lanes column, int32_t columns) {
    *to = (int32_t)row * columns + (int32_t)column;
}
/* a / b, +0.0 where the mask is false */
LANES_INLINE lanes lanes_div_where(lanes_mask mask, lanes a, lanes b) {
    return mask ? a / b : 0.0f;
}
/* Of numbers >= 0, which are in order as whole numbers too: more of the processor can do that. */
LANES_INLINE lanes lanes_min_positive(lanes a, lanes b) {
    return a < b ? a : b;
}
LANES_INLINE lanes lanes_from_tally(lanes_tally tally) {
    return (float)tally;
}

#elif LANES_WIDTH == 4

#include <emmintrin.h>

typedef __m128 lanes;
typedef __m128 lanes_mask;
typedef __m128i lanes_tally;
LANES_MOTION

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
LANES_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
    return _mm_and_ps(a, b);
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
LANES_INLINE lanes lanes_abs(lanes a) {
    return _mm_andnot_ps(_mm_set1_ps(-0.0f), a);
}
LANES_INLINE lanes_mask lanes_at_most_where(lanes_mask mask, lanes a, lanes b) {
    return _mm_and_ps(mask, _mm_cmple_ps(a, b));
}
LANES_INLINE lanes lanes_sub_where(lanes_mask mask, lanes a, lanes b) {
    return _mm_and_ps(mask, _mm_sub_ps(a, b));
}
LANES_INLINE lanes lanes_add_where(lanes_mask mask, lanes a, lanes b) {
    return _mm_add_ps(a, _mm_and_ps(mask, b));
}
LANES_INLINE uint32_t lanes_bits(lanes_mask mask) {
    return (uint32_t)_mm_movemask_ps(mask);
}
LANES_INLINE lanes_mask lanes_from_bits(uint32_t bits) {
    const __m128i each = _mm_set_epi32(8, 4, 2, 1);
    return _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int32_t)bits), each), each));
}
LANES_INLINE void lanes_load_motion(const struct motion *from, struct lanes_motion *to) {
    __m128 a = _mm_loadu_ps(&from[0].x), b = _mm_loadu_ps(&from[1].x);
    __m128 c = _mm_loadu_ps(&from[2].x), d = _mm_loadu_ps(&from[3].x);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    *to = (struct lanes_motion){a, b, c, d};
}
LANES_INLINE void lanes_store_motion(struct motion *to, const struct lanes_motion *from) {
    __m128 a = from->x, b = from->y, c = from->vx, d = from->vy;
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(&to[0].x, a);
    _mm_storeu_ps(&to[1].x, b);
    _mm_storeu_ps(&to[2].x, c);
    _mm_storeu_ps(&to[3].x, d);
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
LANES_INLINE void lanes_store_cells(int32_t *to, lanes row, lanes column, int32_t columns) {
    /* Neither factor has more than 15 bits, so this multiplication of pairs of shorts is one of numbers. */
    const __m128i before = _mm_madd_epi16(_mm_cvttps_epi32(row), _mm_set1_epi32(columns));
    _mm_storeu_si128((__m128i *)(void *)to, _mm_add_epi32(before, _mm_cvttps_epi32(column)));
}
LANES_INLINE lanes lanes_div_where(lanes_mask mask, lanes a, lanes b) {
    return _mm_and_ps(mask, _mm_div_ps(a, b));
}
LANES_INLINE lanes lanes_min_positive(lanes a, lanes b) {
    return _mm_min_ps(a, b);
}
LANES_INLINE lanes lanes_from_tally(lanes_tally tally) {
    return _mm_cvtepi32_ps(tally);
}

#elif LANES_WIDTH == 8

#include <immintrin.h>

typedef __m256 lanes;
typedef __m256 lanes_mask;
typedef __m256i lanes_tally;
LANES_MOTION

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
LANES_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
    return _mm256_and_ps(a, b);
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
LANES_INLINE lanes lanes_abs(lanes a) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
LANES_INLINE lanes_mask lanes_at_most_where(lanes_mask mask, lanes a, lanes b) {
    return _mm256_and_ps(mask, _mm256_cmp_ps(a, b, _CMP_LE_OQ));
}
LANES_INLINE lanes lanes_sub_where(lanes_mask mask, lanes a, lanes b) {
    return _mm256_and_ps(mask, _mm256_sub_ps(a, b));
}
LANES_INLINE lanes lanes_add_where(lanes_mask mask, lanes a, lanes b) {
    return _mm256_add_ps(a, _mm256_and_ps(mask, b));
}
LANES_INLINE uint32_t lanes_bits(lanes_mask mask) {
    return (uint32_t)_mm256_movemask_ps(mask);
}
LANES_INLINE lanes_mask lanes_from_bits(uint32_t bits) {
    const __m256i each = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
    const __m256i set = _mm256_and_si256(_mm256_set1_epi32((int32_t)bits), each);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, each));
}
/* Records 0 to 3 in the low halves, 4 to 7 in the high ones; then each half is transposed. */
LANES_INLINE void lanes_load_motion(const struct motion *from, struct lanes_motion *to) {
    const __m256 a = _mm256_loadu_ps(&from[0].x), b = _mm256_loadu_ps(&from[2].x);
    const __m256 c = _mm256_loadu_ps(&from[4].x), d = _mm256_loadu_ps(&from[6].x);
    const __m256 r0 = _mm256_permute2f128_ps(a, c, 0x20), r1 = _mm256_permute2f128_ps(a, c, 0x31);
    const __m256 r2 = _mm256_permute2f128_ps(b, d, 0x20), r3 = _mm256_permute2f128_ps(b, d, 0x31);
    const __m256 p = _mm256_unpacklo_ps(r0, r1), q = _mm256_unpackhi_ps(r0, r1);
    const __m256 s = _mm256_unpacklo_ps(r2, r3), t = _mm256_unpackhi_ps(r2, r3);
    to->x = _mm256_shuffle_ps(p, s, 0x44);
    to->y = _mm256_shuffle_ps(p, s, 0xEE);
    to->vx = _mm256_shuffle_ps(q, t, 0x44);
    to->vy = _mm256_shuffle_ps(q, t, 0xEE);
}
LANES_INLINE void lanes_store_motion(struct motion *to, const struct lanes_motion *from) {
    const __m256 p = _mm256_unpacklo_ps(from->x, from->y), q = _mm256_unpackhi_ps(from->x, from->y);
    const __m256 s = _mm256_unpacklo_ps(from->vx, from->vy), t = _mm256_unpackhi_ps(from->vx, from->vy);
    const __m256 r0 = _mm256_shuffle_ps(p, s, 0x44), r1 = _mm256_shuffle_ps(p, s, 0xEE);
    const __m256 r2 = _mm256_shuffle_ps(q, t, 0x44), r3 = _mm256_shuffle_ps(q, t, 0xEE);
    _mm256_storeu_ps(&to[0].x, _mm256_permute2f128_ps(r0, r1, 0x20));
    _mm256_storeu_ps(&to[2].x, _mm256_permute2f128_ps(r2, r3, 0x20));
    _mm256_storeu_ps(&to[4].x, _mm256_permute2f128_ps(r0, r1, 0x31));
    _mm256_storeu_ps(&to[6].x, _mm256_permute2f128_ps(r2, r3, 0x31));
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
LANES_INLINE void lanes_store_cells(int32_t *to, lanes row, lanes column, int32_t columns) {
    const __m256i before = _mm256_mullo_epi32(_mm256_cvttps_epi32(row), _mm256_set1_epi32(columns));
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_add_epi32(before, _mm256_cvttps_epi32(column)));
}
LANES_INLINE lanes lanes_div_where(lanes_mask mask, lanes a, lanes b) {
    return _mm256_and_ps(mask, _mm256_div_ps(a, b));
}
LANES_INLINE lanes lanes_min_positive(lanes a, lanes b) {
    return _mm256_castsi256_ps(_mm256_min_epu32(_mm256_castps_si256(a), _mm256_castps_si256(b)));
}
LANES_INLINE lanes lanes_from_tally(lanes_tally tally) {
    return _mm256_cvtepi32_ps(tally);
}

#elif LANES_WIDTH == 16

#include <immintrin.h>

typedef __m512 lanes;
typedef __mmask16 lanes_mask;
typedef __m512i lanes_tally;
LANES_MOTION

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
LANES_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
    return _kand_mask16(a, b);
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
LANES_INLINE lanes lanes_abs(lanes a) {
    return _mm512_abs_ps(a);
}
LANES_INLINE lanes_mask lanes_at_most_where(lanes_mask mask, lanes a, lanes b) {
    return _mm512_mask_cmp_ps_mask(mask, a, b, _CMP_LE_OQ);
}
LANES_INLINE lanes lanes_sub_where(lanes_mask mask, lanes a, lanes b) {
    return _mm512_maskz_sub_ps(mask, a, b);
}
LANES_INLINE lanes lanes_add_where(lanes_mask mask, lanes a, lanes b) {
    return _mm512_mask_add_ps(a, mask, a, b);
}
LANES_INLINE uint32_t lanes_bits(lanes_mask mask) {
    return mask;
}
LANES_INLINE lanes_mask lanes_from_bits(uint32_t bits) {
    return (lanes_mask)bits;
}
/* Two fields of eight records each, then like halves side by side. */
LANES_INLINE void lanes_load_motion(const struct motion *from, struct lanes_motion *to) {
    const __m512 a = _mm512_loadu_ps(&from[0].x), b = _mm512_loadu_ps(&from[4].x);
    const __m512 c = _mm512_loadu_ps(&from[8].x), d = _mm512_loadu_ps(&from[12].x);
    const __m512i places = _mm512_set_epi32(29, 25, 21, 17, 13, 9, 5, 1, 28, 24, 20, 16, 12, 8, 4, 0);
    const __m512i speeds = _mm512_set_epi32(31, 27, 23, 19, 15, 11, 7, 3, 30, 26, 22, 18, 14, 10, 6, 2);
    const __m512 p = _mm512_permutex2var_ps(a, places, b), q = _mm512_permutex2var_ps(c, places, d);
    const __m512 s = _mm512_permutex2var_ps(a, speeds, b), t = _mm512_permutex2var_ps(c, speeds, d);
    to->x = _mm512_shuffle_f32x4(p, q, 0x44);
    to->y = _mm512_shuffle_f32x4(p, q, 0xEE);
    to->vx = _mm512_shuffle_f32x4(s, t, 0x44);
    to->vy = _mm512_shuffle_f32x4(s, t, 0xEE);
}
LANES_INLINE void lanes_store_motion(struct motion *to, const struct lanes_motion *from) {
    const __m512 p = _mm512_shuffle_f32x4(from->x, from->y, 0x44);
    const __m512 q = _mm512_shuffle_f32x4(from->x, from->y, 0xEE);
    const __m512 s = _mm512_shuffle_f32x4(from->vx, from->vy, 0x44);
    const __m512 t = _mm512_shuffle_f32x4(from->vx, from->vy, 0xEE);
    const __m512i low = _mm512_set_epi32(27, 19, 11, 3, 26, 18, 10, 2, 25, 17, 9, 1, 24, 16, 8, 0);
    const __m512i high = _mm512_set_epi32(31, 23, 15, 7, 30, 22, 14, 6, 29, 21, 13, 5, 28, 20, 12, 4);
    _mm512_storeu_ps(&to[0].x, _mm512_permutex2var_ps(p, low, s));
    _mm512_storeu_ps(&to[4].x, _mm512_permutex2var_ps(p, high, s));
    _mm512_storeu_ps(&to[8].x, _mm512_permutex2var_ps(q, low, t));
    _mm512_storeu_ps(&to[12].x, _mm512_permutex2var_ps(q, high, t));
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
LANES_INLINE void lanes_store_cells(int32_t *to, lanes row, lanes column, int32_t columns) {
    const __m512i before = _mm512_mullo_epi32(_mm512_cvttps_epi32(row), _mm512_set1_epi32(columns));
    _mm512_storeu_si512(to, _mm512_add_epi32(before, _mm512_cvttps_epi32(column)));
}
LANES_INLINE lanes lanes_div_where(lanes_mask mask, lanes a, lanes b) {
    return _mm512_maskz_div_ps(mask, a, b);
}
LANES_INLINE lanes lanes_min_positive(lanes a, lanes b) {
    return _mm512_castsi512_ps(_mm512_min_epu32(_mm512_castps_si512(a), _mm512_castps_si512(b)));
}
LANES_INLINE lanes lanes_from_tally(lanes_tally tally) {
    return _mm512_cvtepi32_ps(tally);
}

#else
#error "LANES_WIDTH is 1, 4, 8 or 16"
#endif

#endif
