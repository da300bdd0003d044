/* See echo.h. */
#include "viewer/model/echo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float same_px = 0.02f; /* places on the wire have two decimals */

void echo_init(struct echo *echo) {
    memset(echo, 0, sizeof *echo);
}

static void drop(struct echo *echo, int count) {
    echo->sent_count -= count;
    memmove(echo->sent, echo->sent + count, (size_t)echo->sent_count * sizeof *echo->sent);
}

void echo_note_sent(struct echo *echo, vec2 point, double now_ms) {
    if (echo->sent_count == ECHO_SENT) {
        drop(echo, 1);
    }
    echo->sent[echo->sent_count++] = (struct echo_sent){point, now_ms};
}

void echo_note_seen(struct echo *echo, vec2 point, double now_ms) {
    for (int i = echo->sent_count; i > 0; i--) {
        const struct echo_sent *sent = &echo->sent[i - 1];
        if (fabsf(sent->point.x - point.x) <= same_px && fabsf(sent->point.y - point.y) <= same_px) {
            echo->times_ms[echo->count++ % ECHO_TIMES] = now_ms - sent->at_ms;
            drop(echo, i);
            return;
        }
    }
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

double echo_median_ms(const struct echo *echo) {
    double sorted[ECHO_TIMES];
    const int kept = echo->count < ECHO_TIMES ? echo->count : ECHO_TIMES;
    if (kept == 0) {
        return -1.0;
    }
    memcpy(sorted, echo->times_ms, (size_t)kept * sizeof *sorted);
    qsort(sorted, (size_t)kept, sizeof *sorted, compare);
    return sorted[kept / 2];
}
