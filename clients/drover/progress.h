/* A line on standard error that says how far a command has got and how long the rest will take. Where standard error is no
 * terminal, it is a line of its own after PROGRESS_LOG_S, and after twice the time each further time. */
#ifndef DROVER_CLIENTS_DROVER_PROGRESS_H
#define DROVER_CLIENTS_DROVER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    const char *what; /* "verify" */
    uint64_t total;
    uint64_t begun_ns, shown_ns;
    double log_s;  /* since the beginning, when the next line of a log is due */
    bool is_on;    /* standard error is a terminal */
    bool is_shown; /* there is a line to take away */
};

/** total: of what progress_show counts, 0 for unknown. */
void progress_begin(struct progress *progress, const char *what, uint64_t total);
/** Draws the line again, at most ten times a second; in a log when it is due. */
void progress_show(struct progress *progress, uint64_t done);
/** Takes the line away; before anything else is printed. */
void progress_end(struct progress *progress);

enum { PROGRESS_LOG_S = 10, PROGRESS_LINE = 96, PROGRESS_BAR = 30, PROGRESS_TIME = 24 };
/** A bar of PROGRESS_BAR characters, "#####....."; share: 0 to 1. Returns out. */
const char *progress_bar(char out[PROGRESS_BAR + 1], double share);
/** "1:02:03", "2:03", "0:03". Returns out. */
const char *progress_time(char out[PROGRESS_TIME], double seconds);
/** The text of the line: "verify [#####.....] 50 %  1:02 left". seconds: since the beginning. Returns out. */
const char *progress_line(char out[PROGRESS_LINE], const char *what, uint64_t done, uint64_t total,
                          double seconds);

#endif
