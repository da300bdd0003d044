/* The nearest agent of a kind, for many agents at once: agents in SIMD lanes, candidates broadcast to all
 * lanes.
 *
 * 1. The agent found is the one of the least squared distance (bounds_difference, vec2_length_squared), of
 * several as near the one of the lowest row, never the agent itself; a squared distance of within * within
 * still counts. The result is the same whichever instruction set does it.
 * 2. Lanes hold agents of consecutive slots in one row of cells. Agents so far apart that they would share
 * too many candidates go by halves, at last alone.
 * 3. Where many agents of the kind are within reach, near ones are searched for first.
 */
#ifndef DROVER_SERVER_SIM_SPACE_SIGHT_KERNEL_H
#define DROVER_SERVER_SIM_SPACE_SIGHT_KERNEL_H

#include "server/sim/math/simd.h"
#include "server/sim/space/sight_index.h"

enum { SIGHT_PLACES = 64, SIGHT_SPARE = 16, SIGHT_WIDTH_MAX = 16 };

/** What agents look for. Plain value; owns nothing. */
struct sight_query {
    const struct grid *grid;
    const struct sight_index *index; /* of the grid's agents as they are now */
    int kind;                        /* looked for when the index was built */
    float within;                    /* px, > 0 */
};

/** What the agents of a batch see, by place: slot - begin. */
struct sight_columns {
    _Alignas(64) float squared[SIGHT_PLACES + SIGHT_SPARE]; /* px^2; INFINITY where slot is -1 */
    int32_t slot[SIGHT_PLACES + SIGHT_SPARE];               /* of the nearest agent; -1: there is none */
};

/** The sights of the agents in slots [begin, end), SIGHT_PLACES at most. simd must be supported.
 * wanted: bit i for place i; the other places are left as they are. */
void sight_kernel_find(enum simd simd, const struct sight_query *query, int32_t begin, int32_t end,
                       uint64_t wanted, struct sight_columns *out);

/** A kernel: sight_kernel.inc.h for a width. */
typedef void sight_kernel_function(const struct sight_query *query, int32_t begin, int32_t end,
                                   uint64_t wanted, struct sight_columns *out);
sight_kernel_function sight_kernel_plain;
#if defined(__x86_64__)
sight_kernel_function sight_kernel_sse2, sight_kernel_avx2, sight_kernel_avx512;
#elif defined(__wasm_simd128__)
sight_kernel_function sight_kernel_simd128;
#endif

/** The agents of a block whose candidates are visited together, and where these are.
 *
 * wanted     bit i for lane i; not 0
 * low, high  of the box around the agents that are wanted, px
 * reach      px: how far candidates are looked for
 * area       receives the cells
 * returns    the bits to go together: `wanted`, or the lower half of them, whose box is another one */
uint32_t sight_choose_agents(const struct sight_query *query, uint32_t wanted, vec2 low, vec2 high,
                             float reach, struct sight_area *area);

#endif
