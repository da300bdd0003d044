/* drover-bench world: flocks of a thousand to a million agents, every width, one and two threads, beside a
 * rival; then the cost of kinds with states, obstacles and paths. */
#ifndef DROVER_TESTS_BENCH_BENCH_WORLD_H
#define DROVER_TESTS_BENCH_BENCH_WORLD_H

/** Arguments after "world": a largest number of agents (default 1000000), a number of ticks to settle
 * (default 5000), a smallest number of agents (default 1000). Prints tables; returns an exit code. */
int bench_world(int argc, char **argv);

#endif
