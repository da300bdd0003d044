/* How far `drover run` has got, on standard error: a bar with the time left on a terminal, otherwise a line every 30 s. */
#ifndef DROVER_CLIENTS_DROVER_RUN_RUN_PROGRESS_H
#define DROVER_CLIENTS_DROVER_RUN_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "clients/drover/run/run_values.h"

enum { RUN_PROGRESS_LINE = 128, RUN_PROGRESS_EVERY_S = 30 };

/** Of all runs of the plan. */
struct run_counts {
    uint32_t total, done, failed; /* done: well, those of earlier times included */
    double begun; /* of the runs that go on, the sum of the shares that are done: 0.5 is half of one */
    int going;    /* runs that go on */
};

struct run_progress {
    bool is_terminal, is_shown;
    int jobs;
    uint64_t begun_ns, shown_ns;
    struct run_values seconds; /* of the runs that ended, ascending */
};

void run_progress_begin(struct run_progress *progress, int jobs);
/** Shows the line again, when it is time. */
void run_progress_show(struct run_progress *progress, const struct run_counts *counts);
/** A run took so long. */
void run_progress_note(struct run_progress *progress, double seconds);
/** Takes the line away; before anything else is printed, and at the end. */
void run_progress_clear(struct run_progress *progress);
void run_progress_end(struct run_progress *progress);

/** Seconds until the end, from the median run so far; before one has ended, from what of the first ones is done. Negative:
 * not known yet. elapsed: s since the beginning. */
double run_progress_left(const struct run_progress *progress, const struct run_counts *counts,
                         double elapsed);
/** The text: "run 12/60 [######....] 20 %  1:02 left  1 failed"; without the bar for a file. Returns out. */
const char *run_progress_line(char out[RUN_PROGRESS_LINE], const struct run_counts *counts, double left,
                              bool with_bar);

#endif
