/* A batch's query about threats as numbers: what the kernels of every width begin with. */
#ifndef DROVER_SERVER_SIM_SPACE_THREAT_PLAN_H
#define DROVER_SERVER_SIM_SPACE_THREAT_PLAN_H

#include "server/sim/space/kernel_plan.h"

/** The query of a batch about threats as numbers. */
struct threat_plan {
    struct kernel_plan near;  /* its candidates: those in ZONE_SEPARATION */
    float clearance, horizon; /* px, s */
};

/** A kernel: threat_kernel_sums of its width. */
typedef void threat_function(const struct threat_plan *plan, int32_t begin, int32_t end, uint64_t wanted,
                             struct threat_columns *out);

/* threat_kernel.inc.h for each width. */
threat_function threat_kernel_plain;
#if defined(__x86_64__)
threat_function threat_kernel_sse2, threat_kernel_avx2, threat_kernel_avx512;
#elif defined(__wasm_simd128__)
threat_function threat_kernel_simd128;
#endif

#endif
