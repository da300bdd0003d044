/* Crowds: whole ticks of the world beside the rival (crowd_rival.h), in turns in one run, from one settled state. */
#ifndef DROVER_TESTS_BENCH_BENCH_CROWD_H
#define DROVER_TESTS_BENCH_BENCH_CROWD_H

#include "common/base/nodiscard.h"

/** [ROW [ROUNDS]] [--simd NAME] [--threads N] [--no-rival]; ROW: "all", a row of the table, "quality" or "circles". Returns 0; 1 when two ways of
 * computing differ in a bit; 2 after a line on standard error about an argument. */
NODISCARD int bench_crowd(int argc, char **argv);

#endif
