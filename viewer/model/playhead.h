/* The moment that the picture shows: now, or a moment of the past, held or playing on. Pure.
 *
 * Times are simulated seconds; now_s is the world's newest. Invariants: 1. A held moment stays on its tick,
 * whatever the world does. 2. Only the end of the past, or going live, ends it.
 */
#ifndef DROVER_VIEWER_MODEL_PLAYHEAD_H
#define DROVER_VIEWER_MODEL_PLAYHEAD_H

#include "viewer/model/history.h"

struct playhead {
    bool is_live;
    bool is_playing; /* not is_live: it moves on by itself */
    double at_s;     /* not is_live: the moment shown */
};

/** The picture shows now. */
void playhead_go_live(struct playhead *head);
/** Holds the copy nearest to a moment; from now_s on it is live. Without a copy before now nothing changes.
 */
void playhead_seek(struct playhead *head, const struct history *history, double now_s, double to_s);
/** Holds the copy nearest to a moment if one is within so many seconds of it, before or after now; else it is live.
 * For recordings that are played. */
void playhead_preview(struct playhead *head, const struct history *history, double to_s, double within_s);
/** Holds the copy nearest to so many seconds later (or earlier), but never the one that is shown already. */
void playhead_jump(struct playhead *head, const struct history *history, double now_s, double by_s);
/** Holds the copy after or before the one shown; after the newest it is live. */
void playhead_step(struct playhead *head, const struct history *history, double now_s, bool is_forward);
/** The past plays on, or is held where it is. */
void playhead_toggle(struct playhead *head, const struct history *history);
/** passed_s of wall time went by. */
void playhead_advance(struct playhead *head, const struct history *history, double now_s, double passed_s);

#endif
