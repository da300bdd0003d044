/* Lists of numbers as the options of `drover run` give them. Pure.
 *
 *     80,100,120        these
 *     0.5:2:0.5         from, to, step: 0.5, 1, 1.5, 2
 *     1..20             seeds: whole numbers, both ends included
 *
 * A step is counted in decimals: 0:0.3:0.1 ends with 0.3, not with 0.30000000000000004. */
#ifndef DROVER_CLIENTS_DROVER_RUN_RUN_VALUES_H
#define DROVER_CLIENTS_DROVER_RUN_RUN_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"

enum { RUN_VALUES_MOST = 1000000 };

/** Zero is an empty list. */
struct run_values {
    double *values; /* owned */
    int count, room;
};

void run_values_fini(struct run_values *list);
/** One more. -1 without memory, or at RUN_VALUES_MOST, with *failure. */
NODISCARD int run_values_add(struct run_values *list, double value, struct failure *failure);
/** Appends what text[0..length) says. 0, or -1 with *failure, whose message says what is wrong with which part. */
NODISCARD int run_values_read(struct run_values *list, const char *text, size_t length,
                              struct failure *failure);
NODISCARD int run_seeds_read(struct run_values *list, const char *text, size_t length,
                             struct failure *failure);
/** One decimal number, and nothing else. False when it is none, or not finite. */
NODISCARD bool run_number_read(const char *text, size_t length, double *value);
/** The same for a whole number from 0 to 2^53 - 1. */
NODISCARD bool run_seed_read(const char *text, size_t length, double *value);

#endif
