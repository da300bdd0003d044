/* What an agent uses while it steers, for an inspection of that agent: the places its behaviors aim at, and
 * the neighbors that count.
 *
 * The behaviors themselves note what they use, where they use it, so a trace cannot differ from the
 * steering. Without an inspection the trace is NULL and a tick only pays for testing the pointer. Plain
 * value.
 */
#ifndef DROVER_SERVER_SIM_STEERING_TRACE_H
#define DROVER_SERVER_SIM_STEERING_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/limits.h"
#include "server/sim/space/edge.h"
#include "server/sim/space/neighbor_log.h"

/** What a place is to its behavior. */
enum trace_what {
    TRACE_TARGET,       /* what the behavior is about, where it is now */
    TRACE_PREDICTED,    /* where that will be */
    TRACE_MIDPOINT,     /* interpose: halfway between the two predicted places */
    TRACE_PLACE,        /* offset_pursuit, formation, follow_leader: the place to keep */
    TRACE_CIRCLE,       /* wander: the center of the circle ahead, and its radius */
    TRACE_GOAL,         /* wander: the goal on that circle */
    TRACE_FUTURE,       /* where the agent itself will be, by its present velocity */
    TRACE_PROBE,        /* avoid_obstacles: how far ahead it probes */
    TRACE_CONTACT,      /* avoid_obstacles: where its center is when it meets the first thing in the way */
    TRACE_SURFACE,      /* follow_wall: the nearest point of the wall */
    TRACE_PATH_POINT,   /* follow_path, stay_on_path: the point of the path that is sought */
    TRACE_HIDING_PLACE, /* hide */
    TRACE_CENTER,       /* cohesion, flock: the neighbors' mean position */
    TRACE_COUNT
};

/** Their names, as the wire has them. */
extern const char *const trace_names[TRACE_COUNT];

struct trace_point {
    const char *label; /* the behavior's, as in steering_view; owned by the world */
    enum trace_what what;
    vec2 at;      /* px, settled when the world wraps */
    float radius; /* px, TRACE_CIRCLE; 0 otherwise */
};

/** No behavior notes more than 3 places. */
enum { TRACE_POINTS_MAX = 3 * LIMIT_BEHAVIORS };

struct trace {
    struct bounds bounds;
    vec2 position;     /* px, the agent's */
    const char *label; /* of the behavior that is evaluated at present */
    int point_count;
    struct trace_point points[TRACE_POINTS_MAX];
    struct neighbor_log neighbors;
};

/** Notes a place of the world and the radius of a circle around it, px. */
void trace_note_place(struct trace *trace, enum trace_what what, vec2 place, float radius);

/* For behaviors: nothing happens without a trace (NULL). */

static inline void trace_place(struct trace *trace, enum trace_what what, vec2 place) {
    if (trace != NULL) {
        trace_note_place(trace, what, place, 0.0f);
    }
}

/** offset: px, from the agent. */
static inline void trace_offset(struct trace *trace, enum trace_what what, vec2 offset) {
    if (trace != NULL) {
        trace_note_place(trace, what, vec2_add(trace->position, offset), 0.0f);
    }
}

static inline void trace_circle(struct trace *trace, enum trace_what what, vec2 offset, float radius) {
    if (trace != NULL) {
        trace_note_place(trace, what, vec2_add(trace->position, offset), radius);
    }
}

/** The log of a trace, NULL without one. */
static inline struct neighbor_log *trace_neighbors(struct trace *trace) {
    return trace != NULL ? &trace->neighbors : NULL;
}

#endif
