/* Numbers side by side in the lanes of a SIMD register, LANES_WIDTH of them (1, 4, 8 or 16): what
 * the kernels are written in.
 *
 * 1. Every operation rounds as the plain C one does: no estimates, no fused multiply-add. A lane gives the
 * same bits at every width.
 * 2. A mask holds a truth for each lane. lanes_keep gives +0.0 where it is false, whatever stands there.
 *
 * Included with LANES_WIDTH 1 by functions for one agent; with more only by kernels_*.c, which are compiled for their
 * instruction set.
 */
#ifndef DROVER_SERVER_SIM_MATH_LANES_H
#define DROVER_SERVER_SIM_MATH_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "server/sim/math/motion.h"

#ifndef LANES_WIDTH
#error "LANES_WIDTH says how many lanes there are"
#endif

/* Of lanes_key. */
#define LANES_FIRST_KEY UINT32_C(0x00800000) /* the bits of the least one: less would be a subnormal number */
#define LANES_NO_KEY    8.0f                 /* more than any */

#define LANES_INLINE static inline __attribute__((always_inline, unused))

/* ---- the registers of each width ---- */

#if LANES_WIDTH == 1
#include <math.h>
typedef float lanes;
typedef bool lanes_mask;
typedef int32_t lanes_tally;
#elif LANES_WIDTH == 4 && defined(__wasm_simd128__)
#include <wasm_simd128.h>
typedef v128_t lanes;
typedef v128_t lanes_mask;
typedef v128_t lanes_tally;
#elif LANES_WIDTH == 4
#include <emmintrin.h>
typedef __m128 lanes;
typedef __m128 lanes_mask;
typedef __m128i lanes_tally;
#define LANES_OF(name) _mm_##name /* the intrinsic of that name */
#elif LANES_WIDTH == 8
#include <immintrin.h>
typedef __m256 lanes;
typedef __m256 lanes_mask;
typedef __m256i lanes_tally;
#define LANES_OF(name) _mm256_##name
#elif LANES_WIDTH == 16
#include <immintrin.h>
typedef __m512 lanes;
typedef __mmask16 lanes_mask;
typedef __m512i lanes_tally;
#define LANES_OF(name) _mm512_##name
#else
#error "LANES_WIDTH is 1, 4, 8 or 16"
#endif

/* Records of motion, field by field. */
struct lanes_motion {
    lanes x, y, vx, vy;
};

#if LANES_WIDTH == 1

/* ---- one lane ---- */

LANES_INLINE lanes lanes_load(const float *from) {
    return *from;
}
LANES_INLINE void lanes_store(float *to, lanes a) {
    *to = a;
}
/* The same from and to anywhere; the others want memory that is aligned to their lanes. */
LANES_INLINE lanes lanes_load_loose(const float *from) {
    return *from;
}
LANES_INLINE void lanes_store_loose(float *to, lanes a) {
    *to = a;
}
LANES_INLINE lanes lanes_all(float value) {
    return value;
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
/* Without what stands behind the point; |a| < 2^31. */
LANES_INLINE lanes lanes_truncated(lanes a) {
    return (float)(int32_t)a;
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
/* The lowest and the highest of the lanes; none is NaN. */
LANES_INLINE float lanes_lowest(lanes a) {
    return a;
}
LANES_INLINE float lanes_highest(lanes a) {
    return a;
}
LANES_INLINE lanes_mask lanes_either(lanes_mask a, lanes_mask b) {
    return a || b;
}
LANES_INLINE lanes_mask lanes_not(lanes_mask a) {
    return !a;
}
/* a && !b */
LANES_INLINE lanes_mask lanes_but_not(lanes_mask a, lanes_mask b) {
    return a && !b;
}
LANES_INLINE lanes lanes_key(lanes_mask mask, lanes quanta, uint32_t number) {
    const uint32_t bits = mask ? ((uint32_t)quanta << 10) + number + LANES_FIRST_KEY : 0;
    float key;
    memcpy(&key, &bits, sizeof key);
    return mask ? key : LANES_NO_KEY;
}
/* Whether two keys differ in their numbers at most. */
LANES_INLINE lanes_mask lanes_same_quanta(lanes a, lanes b) {
    uint32_t one, two;
    memcpy(&one, &a, sizeof one);
    memcpy(&two, &b, sizeof two);
    return (one ^ two) >> 10 == 0;
}
/* The numbers of keys. */
LANES_INLINE void lanes_store_numbers(int32_t *to, lanes key) {
    uint32_t bits;
    memcpy(&bits, &key, sizeof bits);
    *to = (int32_t)(bits & 1023);
}
/* from[index[lane]] */
LANES_INLINE lanes lanes_fetch(const float *from, const int32_t *index) {
    return from[*index];
}
LANES_INLINE void lanes_fetch_motion(const struct motion *from, const int32_t *index,
                                     struct lanes_motion *to) {
    lanes_load_motion(from + *index, to);
}

#elif defined(__wasm_simd128__)

/* ---- WebAssembly ---- */

LANES_INLINE lanes lanes_load(const float *from) {
    return wasm_v128_load(from);
}
LANES_INLINE void lanes_store(float *to, lanes a) {
    wasm_v128_store(to, a);
}
LANES_INLINE lanes lanes_load_loose(const float *from) {
    return wasm_v128_load(from);
}
LANES_INLINE void lanes_store_loose(float *to, lanes a) {
    wasm_v128_store(to, a);
}
LANES_INLINE lanes lanes_all(float value) {
    return wasm_f32x4_splat(value);
}
LANES_INLINE lanes lanes_add(lanes a, lanes b) {
    return wasm_f32x4_add(a, b);
}
LANES_INLINE lanes lanes_sub(lanes a, lanes b) {
    return wasm_f32x4_sub(a, b);
}
LANES_INLINE lanes lanes_mul(lanes a, lanes b) {
    return wasm_f32x4_mul(a, b);
}
LANES_INLINE lanes lanes_div(lanes a, lanes b) {
    return wasm_f32x4_div(a, b);
}
LANES_INLINE lanes lanes_sqrt(lanes a) {
    return wasm_f32x4_sqrt(a);
}
/* pmin(b, a) is a < b ? a : b; min alone has rules of its own for zeros and NaN. */
LANES_INLINE lanes lanes_min(lanes a, lanes b) {
    return wasm_f32x4_pmin(b, a);
}
LANES_INLINE lanes lanes_max(lanes a, lanes b) {
    return wasm_f32x4_pmax(b, a);
}
LANES_INLINE lanes_mask lanes_less(lanes a, lanes b) {
    return wasm_f32x4_lt(a, b);
}
LANES_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
    return wasm_v128_and(a, b);
}
LANES_INLINE bool lanes_any(lanes_mask a) {
    return wasm_v128_any_true(a);
}
LANES_INLINE lanes lanes_keep(lanes_mask mask, lanes a) {
    return wasm_v128_and(mask, a);
}
LANES_INLINE lanes lanes_select(lanes_mask mask, lanes a, lanes b) {
    return wasm_v128_bitselect(a, b, mask);
}
LANES_INLINE lanes lanes_abs(lanes a) {
    return wasm_f32x4_abs(a);
}
LANES_INLINE lanes_mask lanes_at_most_where(lanes_mask mask, lanes a, lanes b) {
    return wasm_v128_and(mask, wasm_f32x4_le(a, b));
}
LANES_INLINE uint32_t lanes_bits(lanes_mask mask) {
    return (uint32_t)wasm_i32x4_bitmask(mask);
}
LANES_INLINE lanes_mask lanes_from_bits(uint32_t bits) {
    const v128_t each = wasm_i32x4_const(1, 2, 4, 8);
    return wasm_i32x4_eq(wasm_v128_and(wasm_i32x4_splat((int32_t)bits), each), each);
}
/* Rows to columns and back. */
LANES_INLINE void lanes_transpose(v128_t row[4]) {
    const v128_t low_01 = wasm_i32x4_shuffle(row[0], row[1], 0, 4, 1, 5);
    const v128_t high_01 = wasm_i32x4_shuffle(row[0], row[1], 2, 6, 3, 7);
    const v128_t low_23 = wasm_i32x4_shuffle(row[2], row[3], 0, 4, 1, 5);
    const v128_t high_23 = wasm_i32x4_shuffle(row[2], row[3], 2, 6, 3, 7);
    row[0] = wasm_i64x2_shuffle(low_01, low_23, 0, 2);
    row[1] = wasm_i64x2_shuffle(low_01, low_23, 1, 3);
    row[2] = wasm_i64x2_shuffle(high_01, high_23, 0, 2);
    row[3] = wasm_i64x2_shuffle(high_01, high_23, 1, 3);
}
LANES_INLINE void lanes_load_motion(const struct motion *from, struct lanes_motion *to) {
    v128_t row[4] = {wasm_v128_load(&from[0].x), wasm_v128_load(&from[1].x), wasm_v128_load(&from[2].x),
                     wasm_v128_load(&from[3].x)};
    lanes_transpose(row);
    *to = (struct lanes_motion){row[0], row[1], row[2], row[3]};
}
LANES_INLINE void lanes_store_motion(struct motion *to, const struct lanes_motion *from) {
    v128_t row[4] = {from->x, from->y, from->vx, from->vy};
    lanes_transpose(row);
    wasm_v128_store(&to[0].x, row[0]);
    wasm_v128_store(&to[1].x, row[1]);
    wasm_v128_store(&to[2].x, row[2]);
    wasm_v128_store(&to[3].x, row[3]);
}
LANES_INLINE lanes_tally lanes_tally_add(lanes_tally tally, lanes_mask mask) {
    return wasm_i32x4_sub(tally, mask);
}
LANES_INLINE void lanes_tally_store(int32_t *to, lanes_tally tally) {
    wasm_v128_store(to, tally);
}
LANES_INLINE void lanes_store_cells(int32_t *to, lanes row, lanes column, int32_t columns) {
    /* As for SSE2: neither factor has more than 15 bits. */
    const v128_t before = wasm_i32x4_dot_i16x8(wasm_i32x4_trunc_sat_f32x4(row), wasm_i32x4_splat(columns));
    wasm_v128_store(to, wasm_i32x4_add(before, wasm_i32x4_trunc_sat_f32x4(column)));
}
LANES_INLINE lanes lanes_truncated(lanes a) {
    return wasm_f32x4_convert_i32x4(wasm_i32x4_trunc_sat_f32x4(a)); /* -0.5 gives +0.0, as in C */
}
LANES_INLINE lanes lanes_min_positive(lanes a, lanes b) {
    return wasm_f32x4_pmin(b, a);
}
LANES_INLINE lanes lanes_from_tally(lanes_tally tally) {
    return wasm_f32x4_convert_i32x4(tally);
}
LANES_INLINE float lanes_lowest(lanes a) {
    const v128_t two = lanes_min(a, wasm_i64x2_shuffle(a, a, 1, 1));
    return wasm_f32x4_extract_lane(lanes_min(two, wasm_i32x4_shuffle(two, two, 1, 1, 1, 1)), 0);
}
LANES_INLINE float lanes_highest(lanes a) {
    const v128_t two = lanes_max(a, wasm_i64x2_shuffle(a, a, 1, 1));
    return wasm_f32x4_extract_lane(lanes_max(two, wasm_i32x4_shuffle(two, two, 1, 1, 1, 1)), 0);
}
LANES_INLINE lanes lanes_negate(lanes a) {
    return wasm_f32x4_neg(a);
}
LANES_INLINE lanes_mask lanes_either(lanes_mask a, lanes_mask b) {
    return wasm_v128_or(a, b);
}
LANES_INLINE lanes_mask lanes_not(lanes_mask a) {
    return wasm_v128_not(a);
}
LANES_INLINE lanes_mask lanes_but_not(lanes_mask a, lanes_mask b) {
    return wasm_v128_andnot(a, b);
}
LANES_INLINE lanes lanes_key(lanes_mask mask, lanes quanta, uint32_t number) {
    const v128_t above = wasm_i32x4_shl(wasm_i32x4_trunc_sat_f32x4(quanta), 10);
    const v128_t below = wasm_i32x4_splat((int32_t)(number + LANES_FIRST_KEY));
    return lanes_select(mask, wasm_i32x4_add(above, below), wasm_f32x4_const_splat(LANES_NO_KEY));
}
LANES_INLINE lanes_mask lanes_same_quanta(lanes a, lanes b) {
    const v128_t differs = wasm_u32x4_shr(wasm_v128_xor(a, b), 10);
    return wasm_i32x4_eq(differs, wasm_i32x4_const_splat(0));
}
LANES_INLINE void lanes_store_numbers(int32_t *to, lanes key) {
    wasm_v128_store(to, wasm_v128_and(key, wasm_i32x4_const_splat(1023)));
}
LANES_INLINE lanes lanes_fetch(const float *from, const int32_t *index) {
    return wasm_f32x4_make(from[index[0]], from[index[1]], from[index[2]], from[index[3]]);
}
LANES_INLINE void lanes_fetch_motion(const struct motion *from, const int32_t *index,
                                     struct lanes_motion *to) {
    v128_t row[4] = {wasm_v128_load(&from[index[0]].x), wasm_v128_load(&from[index[1]].x),
                     wasm_v128_load(&from[index[2]].x), wasm_v128_load(&from[index[3]].x)};
    lanes_transpose(row);
    *to = (struct lanes_motion){row[0], row[1], row[2], row[3]};
}

#else

/* ---- x86: what all its widths have under one name ---- */

LANES_INLINE lanes lanes_load(const float *from) {
    return LANES_OF(load_ps)(from);
}
LANES_INLINE void lanes_store(float *to, lanes a) {
    LANES_OF(store_ps)(to, a);
}
LANES_INLINE lanes lanes_load_loose(const float *from) {
    return LANES_OF(loadu_ps)(from);
}
LANES_INLINE void lanes_store_loose(float *to, lanes a) {
    LANES_OF(storeu_ps)(to, a);
}
LANES_INLINE lanes lanes_all(float value) {
    return LANES_OF(set1_ps)(value);
}
LANES_INLINE lanes lanes_sqrt(lanes a) {
    return LANES_OF(sqrt_ps)(a);
}
LANES_INLINE lanes lanes_min(lanes a, lanes b) {
    return LANES_OF(min_ps)(a, b);
}
LANES_INLINE lanes lanes_max(lanes a, lanes b) {
    return LANES_OF(max_ps)(a, b);
}
LANES_INLINE lanes lanes_truncated(lanes a) {
    return LANES_OF(cvtepi32_ps)(LANES_OF(cvttps_epi32)(a));
}
LANES_INLINE lanes lanes_from_tally(lanes_tally tally) {
    return LANES_OF(cvtepi32_ps)(tally);
}

#if LANES_WIDTH < 16
/* Masks are registers of lanes. */
LANES_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
    return LANES_OF(and_ps)(a, b);
}
LANES_INLINE bool lanes_any(lanes_mask a) {
    return LANES_OF(movemask_ps)(a) != 0;
}
LANES_INLINE lanes lanes_keep(lanes_mask mask, lanes a) {
    return LANES_OF(and_ps)(mask, a);
}
LANES_INLINE lanes lanes_abs(lanes a) {
    return LANES_OF(andnot_ps)(LANES_OF(set1_ps)(-0.0f), a);
}
LANES_INLINE uint32_t lanes_bits(lanes_mask mask) {
    return (uint32_t)LANES_OF(movemask_ps)(mask);
}
LANES_INLINE lanes_mask lanes_either(lanes_mask a, lanes_mask b) {
    return LANES_OF(or_ps)(a, b);
}
LANES_INLINE lanes_mask lanes_but_not(lanes_mask a, lanes_mask b) {
    return LANES_OF(andnot_ps)(b, a);
}
#endif
#if LANES_WIDTH > 4
/* Rows to columns, four by four in each 128 bits of the registers. */
LANES_INLINE void lanes_transpose(const lanes row[4], struct lanes_motion *to) {
    const lanes p = LANES_OF(unpacklo_ps)(row[0], row[1]), q = LANES_OF(unpackhi_ps)(row[0], row[1]);
    const lanes s = LANES_OF(unpacklo_ps)(row[2], row[3]), t = LANES_OF(unpackhi_ps)(row[2], row[3]);
    to->x = LANES_OF(shuffle_ps)(p, s, 0x44);
    to->y = LANES_OF(shuffle_ps)(p, s, 0xEE);
    to->vx = LANES_OF(shuffle_ps)(q, t, 0x44);
    to->vy = LANES_OF(shuffle_ps)(q, t, 0xEE);
}
#endif

#if LANES_WIDTH == 4

/* ---- SSE2 ---- */

LANES_INLINE lanes_mask lanes_less(lanes a, lanes b) {
    return _mm_cmplt_ps(a, b);
}
LANES_INLINE lanes lanes_select(lanes_mask mask, lanes a, lanes b) {
    return _mm_or_ps(_mm_and_ps(mask, a), _mm_andnot_ps(mask, b));
}
LANES_INLINE lanes_mask lanes_at_most_where(lanes_mask mask, lanes a, lanes b) {
    return _mm_and_ps(mask, _mm_cmple_ps(a, b));
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
LANES_INLINE lanes lanes_min_positive(lanes a, lanes b) {
    return _mm_min_ps(a, b);
}
LANES_INLINE float lanes_lowest(lanes a) {
    const __m128 two = _mm_min_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_min_ss(two, _mm_shuffle_ps(two, two, 1)));
}
LANES_INLINE float lanes_highest(lanes a) {
    const __m128 two = _mm_max_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}
LANES_INLINE lanes_mask lanes_not(lanes_mask a) {
    return _mm_xor_ps(a, _mm_castsi128_ps(_mm_set1_epi32(-1)));
}
LANES_INLINE lanes lanes_key(lanes_mask mask, lanes quanta, uint32_t number) {
    const __m128i above = _mm_slli_epi32(_mm_cvttps_epi32(quanta), 10);
    const __m128i below = _mm_set1_epi32((int32_t)(number + LANES_FIRST_KEY));
    return lanes_select(mask, _mm_castsi128_ps(_mm_add_epi32(above, below)), _mm_set1_ps(LANES_NO_KEY));
}
LANES_INLINE lanes_mask lanes_same_quanta(lanes a, lanes b) {
    const __m128i differs = _mm_srli_epi32(_mm_castps_si128(_mm_xor_ps(a, b)), 10);
    return _mm_castsi128_ps(_mm_cmpeq_epi32(differs, _mm_setzero_si128()));
}
LANES_INLINE void lanes_store_numbers(int32_t *to, lanes key) {
    _mm_storeu_si128((__m128i *)(void *)to, _mm_and_si128(_mm_castps_si128(key), _mm_set1_epi32(1023)));
}
LANES_INLINE lanes lanes_fetch(const float *from, const int32_t *index) {
    return _mm_set_ps(from[index[3]], from[index[2]], from[index[1]], from[index[0]]);
}
LANES_INLINE void lanes_fetch_motion(const struct motion *from, const int32_t *index,
                                     struct lanes_motion *to) {
    __m128 a = _mm_loadu_ps(&from[index[0]].x), b = _mm_loadu_ps(&from[index[1]].x);
    __m128 c = _mm_loadu_ps(&from[index[2]].x), d = _mm_loadu_ps(&from[index[3]].x);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    *to = (struct lanes_motion){a, b, c, d};
}

#elif LANES_WIDTH == 8

/* ---- AVX2 ---- */

LANES_INLINE lanes_mask lanes_less(lanes a, lanes b) {
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
LANES_INLINE lanes lanes_select(lanes_mask mask, lanes a, lanes b) {
    return _mm256_blendv_ps(b, a, mask);
}
LANES_INLINE lanes_mask lanes_at_most_where(lanes_mask mask, lanes a, lanes b) {
    return _mm256_and_ps(mask, _mm256_cmp_ps(a, b, _CMP_LE_OQ));
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
    const __m256 r[4] = {_mm256_permute2f128_ps(a, c, 0x20), _mm256_permute2f128_ps(a, c, 0x31),
                         _mm256_permute2f128_ps(b, d, 0x20), _mm256_permute2f128_ps(b, d, 0x31)};
    lanes_transpose(r, to);
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
LANES_INLINE lanes lanes_min_positive(lanes a, lanes b) {
    return _mm256_castsi256_ps(_mm256_min_epu32(_mm256_castps_si256(a), _mm256_castps_si256(b)));
}
LANES_INLINE float lanes_lowest(lanes a) {
    const __m128 four = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_min_ss(two, _mm_shuffle_ps(two, two, 1)));
}
LANES_INLINE float lanes_highest(lanes a) {
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}
LANES_INLINE lanes_mask lanes_not(lanes_mask a) {
    return _mm256_xor_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(-1)));
}
LANES_INLINE lanes lanes_key(lanes_mask mask, lanes quanta, uint32_t number) {
    const __m256i above = _mm256_slli_epi32(_mm256_cvttps_epi32(quanta), 10);
    const __m256i below = _mm256_set1_epi32((int32_t)(number + LANES_FIRST_KEY));
    return lanes_select(mask, _mm256_castsi256_ps(_mm256_add_epi32(above, below)),
                        _mm256_set1_ps(LANES_NO_KEY));
}
LANES_INLINE lanes_mask lanes_same_quanta(lanes a, lanes b) {
    const __m256i differs = _mm256_srli_epi32(_mm256_castps_si256(_mm256_xor_ps(a, b)), 10);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(differs, _mm256_setzero_si256()));
}
LANES_INLINE void lanes_store_numbers(int32_t *to, lanes key) {
    _mm256_storeu_si256((__m256i *)(void *)to,
                        _mm256_and_si256(_mm256_castps_si256(key), _mm256_set1_epi32(1023)));
}
/* No gathers: some processors take them apart, slowly. */
LANES_INLINE lanes lanes_fetch(const float *from, const int32_t *index) {
    return _mm256_set_ps(from[index[7]], from[index[6]], from[index[5]], from[index[4]], from[index[3]],
                         from[index[2]], from[index[1]], from[index[0]]);
}
/* Records i and i + 4 in the halves of a register; then each half is transposed. */
LANES_INLINE void lanes_fetch_motion(const struct motion *from, const int32_t *index,
                                     struct lanes_motion *to) {
    __m256 r[4];
    for (int i = 0; i < 4; i++) {
        const __m128 low = _mm_loadu_ps(&from[index[i]].x), high = _mm_loadu_ps(&from[index[i + 4]].x);
        r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
    }
    lanes_transpose(r, to);
}

#elif LANES_WIDTH == 16

/* ---- AVX-512 ---- */

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
LANES_INLINE float lanes_lowest(lanes a) {
    return _mm512_reduce_min_ps(a);
}
LANES_INLINE float lanes_highest(lanes a) {
    return _mm512_reduce_max_ps(a);
}
LANES_INLINE lanes_mask lanes_either(lanes_mask a, lanes_mask b) {
    return _kor_mask16(a, b);
}
LANES_INLINE lanes_mask lanes_not(lanes_mask a) {
    return _knot_mask16(a);
}
LANES_INLINE lanes_mask lanes_but_not(lanes_mask a, lanes_mask b) {
    return _kandn_mask16(b, a);
}
LANES_INLINE lanes lanes_key(lanes_mask mask, lanes quanta, uint32_t number) {
    const __m512i above = _mm512_slli_epi32(_mm512_cvttps_epi32(quanta), 10);
    const __m512i below = _mm512_set1_epi32((int32_t)(number + LANES_FIRST_KEY));
    return lanes_select(mask, _mm512_castsi512_ps(_mm512_add_epi32(above, below)),
                        _mm512_set1_ps(LANES_NO_KEY));
}
LANES_INLINE lanes_mask lanes_same_quanta(lanes a, lanes b) {
    const __m512i differs = _mm512_xor_si512(_mm512_castps_si512(a), _mm512_castps_si512(b));
    return _mm512_testn_epi32_mask(differs, _mm512_set1_epi32(~1023));
}
LANES_INLINE void lanes_store_numbers(int32_t *to, lanes key) {
    _mm512_storeu_si512(to, _mm512_and_si512(_mm512_castps_si512(key), _mm512_set1_epi32(1023)));
}
LANES_INLINE lanes lanes_fetch(const float *from, const int32_t *index) {
    return _mm512_set_ps(from[index[15]], from[index[14]], from[index[13]], from[index[12]], from[index[11]],
                         from[index[10]], from[index[9]], from[index[8]], from[index[7]], from[index[6]],
                         from[index[5]], from[index[4]], from[index[3]], from[index[2]], from[index[1]],
                         from[index[0]]);
}
/* Records i, i + 4, i + 8 and i + 12 in the quarters of a register; then each quarter is transposed. */
LANES_INLINE void lanes_fetch_motion(const struct motion *from, const int32_t *index,
                                     struct lanes_motion *to) {
    __m512 r[4];
    for (int i = 0; i < 4; i++) {
        r[i] = _mm512_castps128_ps512(_mm_loadu_ps(&from[index[i]].x));
        r[i] = _mm512_mask_broadcast_f32x4(r[i], 0x00F0, _mm_loadu_ps(&from[index[i + 4]].x));
        r[i] = _mm512_mask_broadcast_f32x4(r[i], 0x0F00, _mm_loadu_ps(&from[index[i + 8]].x));
        r[i] = _mm512_mask_broadcast_f32x4(r[i], 0xF000, _mm_loadu_ps(&from[index[i + 12]].x));
    }
    lanes_transpose(r, to);
}

#endif
#endif

/* ---- at every width ---- */

#if LANES_WIDTH == 1 || !defined(__wasm_simd128__)
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
LANES_INLINE lanes lanes_negate(lanes a) {
    return -a;
}
#endif
#if LANES_WIDTH > 1 && LANES_WIDTH < 16 /* masks are registers of lanes */
LANES_INLINE lanes lanes_sub_where(lanes_mask mask, lanes a, lanes b) {
    return lanes_keep(mask, lanes_sub(a, b));
}
LANES_INLINE lanes lanes_add_where(lanes_mask mask, lanes a, lanes b) {
    return lanes_add(a, lanes_keep(mask, b));
}
LANES_INLINE lanes lanes_div_where(lanes_mask mask, lanes a, lanes b) {
    return lanes_keep(mask, lanes_div(a, b));
}
#endif
LANES_INLINE lanes_tally lanes_tally_none(void) {
    return (lanes_tally){0};
}

#endif
