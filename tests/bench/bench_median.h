/* The median of several runs of a benchmark. */
#ifndef DROVER_TESTS_BENCH_BENCH_MEDIAN_H
#define DROVER_TESTS_BENCH_BENCH_MEDIAN_H

#include <stdlib.h>

static inline int bench_by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/** Of an odd number of values, which it sorts. */
static inline double bench_median(double *values, size_t count) {
    qsort(values, count, sizeof *values, bench_by_value);
    return values[count / 2];
}

#endif
