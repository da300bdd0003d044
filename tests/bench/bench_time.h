/* What it costs a world that it is written down: a journal, a recording, hashes and checkpoints. */
#ifndef DROVER_TESTS_BENCH_BENCH_TIME_H
#define DROVER_TESTS_BENCH_BENCH_TIME_H

/** drover-bench time FOLDER [AGENTS [ROUNDS]]: ticks of the same world, written down and not, in turn. FOLDER: where the
 * files go. AGENTS: this size alone, instead of 1000, 100000 and 1000000. Prints tables; returns an exit code. */
int bench_time(int argc, char **argv);

/** drover-bench hour FOLDER: what an hour of an untouched `flock` takes on the disk, and whether the memory of the process
 * grows. The clock is that of the ticks; the files of the simulation are those of the server. */
int bench_hour(const char *folder);

#endif
