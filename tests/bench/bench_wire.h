/* The snapshots of the wire: what a frame costs to make and to read, each layout beside its rival. */
#ifndef DROVER_TESTS_BENCH_BENCH_WIRE_H
#define DROVER_TESTS_BENCH_BENCH_WIRE_H

/** Prints the tables; 0. Takes about half a minute. */
int bench_wire(void);

#endif
