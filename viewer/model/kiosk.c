/* See kiosk.h. */
#include "viewer/model/kiosk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text/digits.h"
#include "common/text/names.h"

static const double patience_ms = 10000.0; /* for a world that was asked for */
static const double rest_ms = 10000.0;     /* a world does not go from under a hand that moves, */
static const double longest_stay = 3.0;    /* but no longer than so many times its seconds */

/* ---- playlists ---- */

/* The next word of a line, at most size - 1 bytes of it; returns where it ends. */
static const char *take_word(const char *at, const char *end, char *out, size_t size) {
    size_t used = 0;
    for (; at < end && (*at == ' ' || *at == '\t' || *at == '\r'); at++) {}
    for (; at < end && *at != ' ' && *at != '\t' && *at != '\r'; at++) {
        if (used + 1 < size) {
            out[used++] = *at;
        }
    }
    out[used] = '\0';
    return at;
}

static int read_row(const char *at, const char *end, int line, struct kiosk_list *list,
                    struct failure *failure) {
    char name[LIMIT_NAME_CHARS + 2], seconds[24], more[4];
    at = take_word(at, end, name, sizeof name);
    if (name[0] == '\0') {
        return 0;
    }
    at = take_word(at, end, seconds, sizeof seconds);
    (void)take_word(at, end, more, sizeof more);
    const char *rest = seconds;
    const double time_s = seconds[0] != '\0' ? decimal_read(seconds, &rest) : (double)KIOSK_USUAL_S;
    if (!name_is_valid(name, strlen(name))) {
        return failure_set(failure, FAILURE_BAD_PARAM, "kiosk-list",
                           "line %d: '%s' is no name of a scenario; expected SCENARIO [SECONDS]", line, name);
    }
    if (more[0] != '\0' || *rest != '\0' || time_s < 1.0 || time_s > (double)KIOSK_LONGEST_S) {
        return failure_set(failure, FAILURE_BAD_PARAM, "kiosk-list",
                           "line %d: '%s%s%s' is no time; expected seconds from 1 to %d", line, seconds,
                           more[0] != '\0' ? " " : "", more, KIOSK_LONGEST_S);
    }
    if (list->count == KIOSK_ROWS) {
        return failure_set(failure, FAILURE_BAD_PARAM, "kiosk-list",
                           "line %d: too many scenarios; at most %d are allowed", line, KIOSK_ROWS);
    }
    struct kiosk_row *row = &list->rows[list->count++];
    (void)snprintf(row->scenario, sizeof row->scenario, "%.*s", LIMIT_NAME_CHARS, name);
    row->seconds = time_s;
    return 0;
}

int kiosk_list_read(const char *text, size_t length, struct kiosk_list *list, struct failure *failure) {
    struct kiosk_list *read = calloc(1, sizeof *read);
    int line = 1, result = read != NULL ? 0 : -1;
    if (read == NULL) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    }
    for (const char *at = text, *last = text + length; at < last && result == 0; line++) {
        const char *end = memchr(at, '\n', (size_t)(last - at));
        end = end != NULL ? end : last;
        const char *note = memchr(at, '#', (size_t)(end - at));
        result = read_row(at, note != NULL ? note : end, line, read, failure);
        at = end + 1;
    }
    if (result == 0 && read->count == 0) {
        result = failure_set(failure, FAILURE_BAD_PARAM, "kiosk-list",
                             "no scenario in it; expected lines SCENARIO [SECONDS]");
    }
    if (result == 0) {
        *list = *read;
    }
    free(read);
    return result;
}

void kiosk_list_fill(struct kiosk_list *list, const struct message_scenario_row *rows, int count) {
    static const char *const groups[] = {"tutorials", "behaviors", "crowds"};
    enum { GROUPS = sizeof groups / sizeof groups[0] };
    list->count = 0;
    for (int group = 0; group <= GROUPS; group++) {
        for (int i = 0; i < count && list->count < KIOSK_ROWS; i++) {
            int its = 0;
            while (its < GROUPS && strcmp(rows[i].group, groups[its]) != 0) {
                its++;
            }
            if (its == group && strcmp(rows[i].group, "large") != 0) {
                struct kiosk_row *row = &list->rows[list->count++];
                (void)snprintf(row->scenario, sizeof row->scenario, "%s", rows[i].name);
                row->seconds = (double)KIOSK_USUAL_S;
            }
        }
    }
}

/* ---- time ---- */

static bool is_row(const struct kiosk *kiosk, int row, const char *scenario) {
    return row >= 0 && row < kiosk->list.count && strcmp(kiosk->list.rows[row].scenario, scenario) == 0;
}

/* A scenario may stand in the list more than once: the row that was asked for wins. A hand that touched the world stays
 * known when a further line is about the same one. */
void kiosk_begin(struct kiosk *kiosk, const char *scenario, double now_ms) {
    const bool is_wanted = is_row(kiosk, kiosk->at, scenario);
    for (int i = 0; i < kiosk->list.count && !is_wanted; i++) {
        if (is_row(kiosk, i, scenario)) {
            kiosk->at = i;
            break;
        }
    }
    kiosk->is_touched = kiosk->is_touched && kiosk->has_begun && is_wanted && !kiosk->is_asked;
    kiosk->has_begun = true;
    kiosk->is_asked = false;
    kiosk->begun_ms = now_ms;
}

void kiosk_touch(struct kiosk *kiosk, double now_ms) {
    kiosk->is_touched = true;
    kiosk->touched_ms = now_ms;
}

static bool is_over(const struct kiosk *kiosk, double now_ms) {
    const bool has_row = kiosk->at >= 0 && kiosk->at < kiosk->list.count;
    const double time_ms = 1000.0 * (has_row ? kiosk->list.rows[kiosk->at].seconds : (double)KIOSK_USUAL_S);
    const double shown_ms = now_ms - kiosk->begun_ms;
    const bool rests = !kiosk->is_touched || now_ms - kiosk->touched_ms >= rest_ms;
    return shown_ms >= time_ms && (rests || shown_ms >= longest_stay * time_ms);
}

enum kiosk_step kiosk_update(struct kiosk *kiosk, bool may_load, double now_ms) {
    if (!kiosk->has_begun) {
        return KIOSK_GOES_ON;
    }
    if (kiosk->is_asked) {
        return may_load && now_ms - kiosk->asked_ms >= patience_ms ? KIOSK_NEXT : KIOSK_GOES_ON;
    }
    if (may_load && kiosk->list.count > 0 && is_over(kiosk, now_ms)) {
        return KIOSK_NEXT;
    }
    if (kiosk->is_touched && now_ms - kiosk->touched_ms >= kiosk->reset_after * 1000.0) {
        kiosk->is_touched = false;
        return KIOSK_RESETS;
    }
    return KIOSK_GOES_ON;
}

const char *kiosk_next(struct kiosk *kiosk, double now_ms) {
    if (kiosk->list.count == 0) {
        return NULL;
    }
    kiosk->at = (kiosk->at + 1) % kiosk->list.count;
    kiosk->is_asked = true;
    kiosk->asked_ms = now_ms;
    return kiosk->list.rows[kiosk->at].scenario;
}
