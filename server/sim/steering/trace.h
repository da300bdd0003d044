/* What an agent uses while it steers, for an inspection of that agent: the places its behaviors aim at, the
 * neighbors that count, and the numbers of each behavior's formula.
 *
 * The behaviors themselves note what they use, where they use it, so a trace cannot differ from the
 * steering. Without an inspection the trace is NULL and a tick only pays for testing the pointer. Plain
 * value.
 */
#ifndef DROVER_SERVER_SIM_STEERING_TRACE_H
#define DROVER_SERVER_SIM_STEERING_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/limits.h"
#include "server/sim/space/edge.h"
#include "server/sim/space/neighbors.h"

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

/** A number of a behavior's formula, or a vector. */
struct trace_value {
    const char *name; /* static; protocol.md names them */
    bool is_vector;   /* otherwise vector.y is 0 and vector.x the number */
    vec2 vector;
};

enum {
    TRACE_TERMS_MAX = LIMIT_BEHAVIORS + 1, /* each behavior, and the containment of the edge */
    TRACE_TERM_VALUES = 18,                /* of a behavior */
    TRACE_PARTS = 3,                       /* of flock: separation, alignment, cohesion */
    TRACE_NO_TIER = -1,
};

/** One summand of the steering force. */
struct trace_term {
    const char *label, *type; /* "seek2", "seek"; owned by the world, or static */
    float weight;
    const char *way, *why;   /* "lanes" or "alone" and the reason for that; static, or NULL */
    int tier;                /* TRACE_NO_TIER: a velocity filter, or the containment of the edge */
    bool has_desired;        /* false: inactive */
    vec2 desired;            /* px/s, before weighting */
    vec2 wants;              /* mass*px/s^2, weighted; as in steering_view */
    vec2 gets;               /* mass*px/s^2, what is left of it in the net force so far */
    int part_count;          /* 0 or TRACE_PARTS */
    vec2 parts[TRACE_PARTS]; /* mass*px/s^2; they add up to wants */
    int value_count;
    struct trace_value values[TRACE_TERM_VALUES];
};

struct trace {
    struct bounds bounds;
    vec2 position;     /* px, the agent's */
    const char *label; /* of the behavior that is evaluated at present */
    int point_count;
    struct trace_point points[TRACE_POINTS_MAX];
    struct neighbor_log neighbors;
    int term_count; /* in the order of evaluation */
    struct trace_term terms[TRACE_TERMS_MAX];
};

/** Notes a place of the world and the radius of a circle around it, px. */
void trace_note_place(struct trace *trace, enum trace_what what, vec2 place, float radius);

/** Begins the term of a behavior; what is noted from now on belongs to it. */
void trace_begin_term(struct trace *trace, const char *label, const char *type, float weight, int tier);
/** Notes what the term came to. desired: px/s, unweighted, or NULL; force: mass*px/s^2, weighted. */
void trace_end_term(struct trace *trace, const vec2 *desired, vec2 force);
/** Notes that of the sum of the forces of the terms from `first` on only a part was kept: `after` instead of
 * `before`, in the same direction. */
void trace_scale_terms(struct trace *trace, int first, vec2 after, vec2 before);
/** Notes a number of the present term; beyond TRACE_TERM_VALUES it is left out. */
void trace_note_value(struct trace *trace, const char *name, bool is_vector, vec2 vector);
/** Notes the unweighted forces of flock's three rules, mass*px/s^2. */
void trace_note_parts(struct trace *trace, const vec2 parts[TRACE_PARTS]);

/** Names of the parts, in their order. */
extern const char *const trace_part_names[TRACE_PARTS];

/* For behaviors: nothing happens without a trace (NULL). */

/** A number of the formula, where it is used. */
static inline void trace_number(struct trace *trace, const char *name, float value) {
    if (trace != NULL) {
        trace_note_value(trace, name, false, (vec2){value, 0.0f});
    }
}

static inline void trace_vector(struct trace *trace, const char *name, vec2 value) {
    if (trace != NULL) {
        trace_note_value(trace, name, true, value);
    }
}

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
