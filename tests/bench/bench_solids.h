/* A part of drover-bench; see bench_solids.c. */
#ifndef DROVER_TESTS_BENCH_BENCH_SOLIDS_H
#define DROVER_TESTS_BENCH_BENCH_SOLIDS_H

void bench_solids(void);

#endif
