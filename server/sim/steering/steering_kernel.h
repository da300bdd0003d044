/* Steering of many agents at once: the behaviors that have a rule for lanes, and what becomes of their
 * forces. steering_kernel.inc.h is compiled for each instruction set; every width computes the same bits as
 * the functions for one agent do (test_steering_kernel).
 *
 * A behavior without a rule is computed agent by agent. A new rule: its formula in steering_rules.inc.h, where
 * the behavior's function takes it from as well, and a row in steering_rule_list.h.
 */
#ifndef DROVER_SERVER_SIM_STEERING_STEERING_KERNEL_H
#define DROVER_SERVER_SIM_STEERING_STEERING_KERNEL_H

#include <stdbool.h>

#include "server/sim/math/motion.h"
#include "server/sim/math/simd.h"
#include "server/sim/steering/steering_batch.h"

/** What one behavior puts out for the agents at `wanted`; what it is about has been found for them. It
 * may change what the agents remember. */
typedef void steering_rule(const struct steering_batch *batch, const struct behavior_def *behavior,
                           place_set wanted, struct steering_columns *out);

struct steering_kernel {
    /** By enum behavior_type; NULL: agent by agent. */
    steering_rule *rules[BEHAVIOR_ROWS];

    /** Fills x, y, vx and vy of the whole batch. motion: of its first slot; GRID_SPARE more than the batch has can
     * be read. */
    void (*gather)(struct steering_batch *batch, const struct motion *motion);
    /** Makes the points that stand in offset_x and offset_y the offsets to them, and the velocities there {0,0}.
     * limit: px^2; returns the places whose point is no further. */
    place_set (*look)(struct steering_batch *batch, const float *limit, place_set wanted);
    /** Makes the places of agents that stand in offset_x and offset_y the offsets to them. */
    void (*turn_to)(struct steering_batch *batch, place_set wanted);
    /** Which of the agents have at most `limit` in a column of the batch. */
    place_set (*within)(const struct steering_batch *batch, const float *squared, float limit,
                        place_set wanted);
    /** Fills the rates (behavior_rates) and empties what the agents want. */
    void (*begin)(struct steering_batch *batch, float weight_sum, place_set wanted);
    /** Adds a behavior's weighted output to the tier in hand. */
    void (*add)(struct steering_batch *batch, float weight, place_set wanted,
                const struct steering_columns *output);
    /** Before the end of the tier in hand: counts its desired velocity as far as it leads (behavior_lead). After the
     * last tier the agents want the velocity that all have led to. */
    void (*lead_tier)(struct steering_batch *batch, bool is_first, bool is_last, place_set wanted);
    /** Ends the tier in hand. is_only: there is no other, so it is truncated once, by the locomotion. */
    void (*end_tier)(struct steering_batch *batch, bool is_only, place_set wanted);
    /** The velocity that a velocity filter is asked for: the present one when nothing is wanted. */
    void (*prefer)(struct steering_batch *batch, place_set wanted);
    /** Makes a share of the correction that a velocity filter permits instead of what is preferred. */
    void (*filter)(struct steering_batch *batch, float share, place_set wanted);
    /** Fills room. */
    void (*find_room)(struct steering_batch *batch);
    /** Which of the agents have no solid within reach on their way to next_x, next_y: scenery_constrain does
     * nothing. Not necessarily all of these. */
    place_set (*clear)(const struct steering_batch *batch, place_set wanted);
    /** Which of the agents containment may act on: all for which bounds_contain is true, and few others. */
    place_set (*leaves)(const struct steering_batch *batch, place_set wanted);
    /** The velocities and the places of t+1, before solids and the edge; `desired` is truncated. */
    void (*move)(struct steering_batch *batch, enum locomotion locomotion, place_set wanted);
    /** Which of the agents are inside at t+1, where bounds_apply changes nothing. Those on the border are not. */
    place_set (*inside)(const struct steering_batch *batch, place_set wanted);
    /** Writes next_x, next_y, next_vx and next_vy of the agents. motion: of the batch's first slot. */
    void (*scatter)(const struct steering_batch *batch, place_set wanted, struct motion *motion);
    /** The headings of t+1, by the velocities of t+1. They take the place of those of tick t. */
    void (*turn)(struct steering_batch *batch, place_set wanted);
};

/** Whether a behavior has a rule for lanes, whatever the width. */
bool steering_has_rule(enum behavior_type type);

/** The kernel of an instruction set, which must be supported. */
const struct steering_kernel *steering_kernel_of(enum simd simd);

/* steering_kernel.inc.h for each width. */
extern const struct steering_kernel steering_kernel_plain;
#if defined(__x86_64__)
extern const struct steering_kernel steering_kernel_sse2, steering_kernel_avx2, steering_kernel_avx512;
#elif defined(__wasm_simd128__)
extern const struct steering_kernel steering_kernel_simd128;
#endif

#endif
