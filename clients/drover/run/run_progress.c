/* See run_progress.h. */
#include "clients/drover/run/run_progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clients/drover/progress.h"
#include "common/system/clock.h"

static const uint64_t BAR_NS = 100000000u;
/* The first guesses at the time left are worth nothing. */
static const double GUESS_S = 0.5;

void run_progress_begin(struct run_progress *progress, int jobs) {
    const uint64_t now = clock_now_ns();
    *progress = (struct run_progress){
        .is_terminal = isatty(STDERR_FILENO) == 1, .jobs = jobs, .begun_ns = now, .shown_ns = now};
}

void run_progress_note(struct run_progress *progress, double seconds) {
    struct run_values *list = &progress->seconds;
    struct failure failure;
    if (run_values_add(list, seconds, &failure) != 0) {
        return; /* the median of so many is good enough */
    }
    int place = list->count - 1;
    while (place > 0 && list->values[place - 1] > seconds) {
        list->values[place] = list->values[place - 1];
        place--;
    }
    list->values[place] = seconds;
}

double run_progress_left(const struct run_progress *progress, const struct run_counts *counts,
                         double elapsed) {
    const double waiting = (double)(counts->total - counts->done - counts->failed) - counts->begun;
    if (progress->seconds.count > 0) {
        const double median = progress->seconds.values[progress->seconds.count / 2];
        const double jobs = (double)progress->jobs;
        return median * waiting / (waiting < jobs && waiting > 0.0 ? (waiting > 1.0 ? waiting : 1.0) : jobs);
    }
    return counts->begun > 0.0 && elapsed >= GUESS_S ? elapsed * waiting / counts->begun : -1.0;
}

const char *run_progress_line(char out[RUN_PROGRESS_LINE], const struct run_counts *counts, double left,
                              bool with_bar) {
    char bar[PROGRESS_BAR + 1];
    char time[PROGRESS_TIME] = "";
    char failed[24] = "";
    const double share = ((double)(counts->done + counts->failed) + counts->begun) / (double)counts->total;
    const double shown = share > 1.0 ? 1.0 : share;
    if (left >= 0.0) {
        (void)progress_time(time, left);
    }
    if (counts->failed > 0) {
        (void)snprintf(failed, sizeof failed, "  %" PRIu32 " failed", counts->failed);
    }
    (void)snprintf(out, RUN_PROGRESS_LINE, "run %" PRIu32 "/%" PRIu32 "%s%s%s %3d %%%s%s%s%s",
                   counts->done + counts->failed, counts->total, with_bar ? " [" : "",
                   with_bar ? progress_bar(bar, shown) : "", with_bar ? "]" : "", (int)(shown * 100.0),
                   left >= 0.0 ? "  " : "", time, left >= 0.0 ? " left" : "", failed);
    return out;
}

void run_progress_show(struct run_progress *progress, const struct run_counts *counts) {
    char line[RUN_PROGRESS_LINE];
    const uint64_t now = clock_now_ns();
    const uint64_t every = progress->is_terminal ? BAR_NS : RUN_PROGRESS_EVERY_S * (uint64_t)1000000000;
    if (now - progress->shown_ns < every) {
        return;
    }
    progress->shown_ns = now;
    const double left = run_progress_left(progress, counts, (double)(now - progress->begun_ns) / 1e9);
    (void)run_progress_line(line, counts, left, progress->is_terminal);
    if (progress->is_terminal) {
        (void)fprintf(stderr, "\r%s\033[K", line);
        progress->is_shown = true;
    } else {
        (void)fprintf(stderr, "drover: %s\n", line);
    }
    (void)fflush(stderr);
}

void run_progress_clear(struct run_progress *progress) {
    if (progress->is_shown) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        progress->is_shown = false;
    }
}

void run_progress_end(struct run_progress *progress) {
    run_progress_clear(progress);
    run_values_fini(&progress->seconds);
}
