/* drover-bench flock: flocks of a thousand to a million, every width, one and two threads, and a rival. */
#ifndef DROVER_TESTS_BENCH_FLOCK_H
#define DROVER_TESTS_BENCH_FLOCK_H

/** Arguments after "flock": a largest number of agents (default 1000000), then a number of ticks to settle
 * (default 2000; fewer for a million). Prints a table; returns an exit code. */
int bench_flock(int argc, char **argv);

#endif
