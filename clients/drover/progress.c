/* See progress.h. */
#include "clients/drover/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/system/clock.h"

static const uint64_t SHOW_NS = 100000000u;
/* The first guesses at the time left are worth nothing. */
static const double GUESS_S = 0.5;

void progress_begin(struct progress *progress, const char *what, uint64_t total) {
    *progress = (struct progress){.what = what,
                                  .total = total,
                                  .begun_ns = clock_now_ns(),
                                  .log_s = PROGRESS_LOG_S,
                                  .is_on = isatty(STDERR_FILENO) == 1};
}

const char *progress_time(char out[PROGRESS_TIME], double seconds) {
    const unsigned long whole = seconds < 1e9 ? (unsigned long)(seconds + 0.5) : 1000000000ul;
    if (whole >= 3600) {
        (void)snprintf(out, PROGRESS_TIME, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        (void)snprintf(out, PROGRESS_TIME, "%lu:%02lu", whole / 60, whole % 60);
    }
    return out;
}

const char *progress_bar(char out[PROGRESS_BAR + 1], double share) {
    memset(out, '.', PROGRESS_BAR);
    memset(out, '#', (size_t)(share * PROGRESS_BAR));
    out[PROGRESS_BAR] = '\0';
    return out;
}

const char *progress_line(char out[PROGRESS_LINE], const char *what, uint64_t done, uint64_t total,
                          double seconds) {
    char bar[PROGRESS_BAR + 1];
    char left[PROGRESS_TIME] = "";
    const double share = total == 0 ? 0.0 : done >= total ? 1.0 : (double)done / (double)total;
    if (total == 0) {
        (void)snprintf(out, PROGRESS_LINE, "%s %llu", what, (unsigned long long)done);
        return out;
    }
    if (share > 0.0 && seconds >= GUESS_S) {
        (void)progress_time(left, seconds * (1.0 - share) / share);
    }
    (void)snprintf(out, PROGRESS_LINE, "%.20s [%s] %3d %%%s%s%s", what, progress_bar(bar, share),
                   (int)(share * 100.0), left[0] == '\0' ? "" : "  ", left, left[0] == '\0' ? "" : " left");
    return out;
}

void progress_show(struct progress *progress, uint64_t done) {
    char line[PROGRESS_LINE];
    const uint64_t now = clock_now_ns();
    const double seconds = (double)(now - progress->begun_ns) / 1e9;
    if (!progress->is_on && seconds >= progress->log_s) {
        while (progress->log_s <= seconds) {
            progress->log_s *= 2.0;
        }
        (void)fprintf(stderr, "%s\n", progress_line(line, progress->what, done, progress->total, seconds));
    }
    if (!progress->is_on || now - progress->shown_ns < SHOW_NS) {
        return;
    }
    progress->shown_ns = now;
    progress->is_shown = true;
    (void)fprintf(stderr, "\r%s\033[K", progress_line(line, progress->what, done, progress->total, seconds));
    (void)fflush(stderr);
}

void progress_end(struct progress *progress) {
    if (progress->is_shown) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        progress->is_shown = false;
    }
}
