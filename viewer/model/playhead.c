/* See playhead.h. */
#include "viewer/model/playhead.h"

#include <assert.h>
#include <math.h>

void playhead_go_live(struct playhead *head) {
    assert(head != NULL);
    head->is_live = true;
    head->is_playing = false;
}

static void hold(struct playhead *head, double at_s) {
    head->is_live = head->is_playing = false;
    head->at_s = at_s;
}

/* The newest copy that is not the present itself; -1 when there is none. */
static int last_past(const struct history *history, double now_s) {
    const int last = history->count - 1;
    return last >= 0 && history_time_s(history, last) >= now_s ? last - 1 : last;
}

void playhead_seek(struct playhead *head, const struct history *history, double now_s, double to_s) {
    const int last = last_past(history, now_s);
    if (to_s >= now_s) {
        playhead_go_live(head);
    } else if (last >= 0) {
        const int before = history_find(history, to_s);
        const int after = before < last ? before + 1 : before;
        const bool is_after = history_time_s(history, after) - to_s < to_s - history_time_s(history, before);
        const int nearest = is_after ? after : before;
        hold(head, history_time_s(history, nearest < last ? nearest : last));
    }
}

void playhead_preview(struct playhead *head, const struct history *history, double to_s, double within_s) {
    const int before = history_find(history, to_s);
    const int after = before >= 0 && before + 1 < history->count ? before + 1 : before;
    playhead_go_live(head);
    if (before >= 0) {
        const double low_s = history_time_s(history, before), high_s = history_time_s(history, after);
        const double nearest_s = fabs(high_s - to_s) < fabs(to_s - low_s) ? high_s : low_s;
        if (fabs(nearest_s - to_s) <= within_s) {
            hold(head, nearest_s);
        }
    }
}

void playhead_step(struct playhead *head, const struct history *history, double now_s, bool is_forward) {
    const int last = last_past(history, now_s);
    int index = head->is_live ? last + 1 : history_find(history, head->at_s);
    if (last < 0 || (head->is_live && is_forward)) {
        return;
    }
    if (is_forward) { /* what is held may be older than the oldest copy by now */
        index += history_time_s(history, index) <= head->at_s ? 1 : 0;
    } else {
        index -= index > 0 ? 1 : 0;
    }
    if (index > last) {
        playhead_go_live(head);
    } else if (is_forward || head->is_live || history_time_s(history, index) < head->at_s) {
        hold(head, history_time_s(history, index));
    }
}

void playhead_jump(struct playhead *head, const struct history *history, double now_s, double by_s) {
    const struct playhead before = *head;
    playhead_seek(head, history, now_s, (head->is_live ? now_s : head->at_s) + by_s);
    if (!before.is_live && !head->is_live && head->at_s == before.at_s) { /* copies are farther apart */
        playhead_step(head, history, now_s, by_s > 0.0);
    }
}

void playhead_toggle(struct playhead *head, const struct history *history) {
    const int index = history_find(history, head->at_s);
    if (head->is_playing && index >= 0) {
        hold(head, history_time_s(history, index));
    } else {
        head->is_playing = !head->is_live;
    }
}

void playhead_advance(struct playhead *head, const struct history *history, double now_s, double passed_s) {
    assert(passed_s >= 0.0);
    if (head->is_playing) {
        head->at_s = fmax(head->at_s + passed_s, history_begin_s(history));
        if (head->at_s >= now_s) {
            playhead_go_live(head);
        }
    }
}
