/* The flock benchmark. */
#ifndef DROVER_TESTS_FLOCK_BENCH_H
#define DROVER_TESTS_FLOCK_BENCH_H

/** Times the three rules of flocking, uniform and settled, beside a plain implementation of the same rules.
 */
void bench_flock(void);

#endif
