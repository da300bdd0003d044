/* The frames on the wire: the cost of encoding and decoding, each layout beside its rival. */
#ifndef DROVER_TESTS_BENCH_BENCH_WIRE_H
#define DROVER_TESTS_BENCH_BENCH_WIRE_H

/** Prints the tables; 0. Takes about half a minute. */
int bench_wire(void);

#endif
