/* The headings that are drawn: those of slow agents, and of agents that turn to and fro, are smoothed over a tenth of a
 * simulated second, so that a crowd does not flicker. Pure.
 *
 * Owns a mean direction for each agent. An agent that goes straight on, or turns steadily, is drawn as it is.
 */
#ifndef DROVER_VIEWER_MODEL_HEADINGS_H
#define DROVER_VIEWER_MODEL_HEADINGS_H

#include "viewer/model/frame.h"

/** More agents are drawn as they are. */
enum { HEADINGS_MOST = 20000 };

struct heading_row {
    uint32_t id;
    vec2 mean;  /* of the directions of the last moments: shorter than 1 when they differ */
    vec2 drawn; /* length 1 */
};

struct headings {
    struct heading_row *rows, *others; /* in the order of the frame; the ones before, to copy from */
    int32_t count, capacity;
    double time_s; /* of the frame they are of */
};

/** Zeroed memory has none. Frees the rows. */
void headings_fini(struct headings *headings);
/** Forgets all directions. */
void headings_clear(struct headings *headings);
/** Smooths dir_x and dir_y of the frame. A time that falls, or jumps, starts over; without memory headings stay as they
 * are.
 *
 * max_speed  px/s, by the frame's numbers of kinds; 0: not known */
void headings_smooth(struct headings *headings, struct frame *frame, const float *max_speed);

#endif
