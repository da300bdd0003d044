/* Instruction sets the inner loops are compiled for, and which of them this processor has. What they compute
 * is the same, bit for bit. */
#ifndef DROVER_SERVER_SIM_MATH_SIMD_H
#define DROVER_SERVER_SIM_MATH_SIMD_H

#include <stdbool.h>

/** By width: 1, 4, 8, 16 lanes; then WebAssembly's, 4 lanes. */
enum simd { SIMD_PLAIN, SIMD_SSE2, SIMD_AVX2, SIMD_AVX512, SIMD_SIMD128, SIMD_COUNT };

/** "plain", "sse2", "avx2", "avx512", "simd128"; NULL-ended. */
extern const char *const simd_names[];
/** The instruction set of this name, or -1. */
int simd_from_name(const char *name);
/** Whether this program has it and this processor too. SIMD_PLAIN: always, but in the server of a page. */
bool simd_is_supported(enum simd simd);
/** The widest that is supported. */
enum simd simd_best(void);
/** SIMD_PLAIN, or what there is in its place. */
enum simd simd_simplest(void);

#endif
