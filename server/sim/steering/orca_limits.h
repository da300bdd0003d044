/* Constants of orca, one agent at a time (behavior_orca.c) and in lanes (orca.inc.h). */
#ifndef DROVER_SERVER_SIM_STEERING_ORCA_LIMITS_H
#define DROVER_SERVER_SIM_STEERING_ORCA_LIMITS_H

/** s: time in which overlapping agents must separate, or a tick if that is longer; short, so that it is the
 * last constraint to be violated in a dense crowd. */
#define ORCA_SETTLE 0.05f
/** Of the speed, to one hand: what an exactly symmetric meeting turns on. */
#define ORCA_LEAN 0.1f

#endif
