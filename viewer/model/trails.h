/* Where agents were and where they will be: trails, ghosts of earlier moments, predicted ways. Pure. */
#ifndef DROVER_VIEWER_MODEL_TRAILS_H
#define DROVER_VIEWER_MODEL_TRAILS_H

#include "common/base/nodiscard.h"
#include "common/protocol/message_event.h"
#include "viewer/model/frame.h"
#include "viewer/model/history.h"
#include "viewer/model/input.h"

/* The trails of agents: their places in the last seconds. Pure.
 *
 * Owns one ring of points an agent. Invariants: 1. No more than TRAILS_AGENTS agents have a trail and all
 * trails together have a fixed size. 2. A trail breaks where its agent jumped: no line is drawn across. Over the border of a
 * wrapping world the way between two points is the short one. 3. An agent that is gone leaves no trail. 4. A trail reaches
 * back for trails_points * TRAILS_STEP_S of simulated time at most, however fast that goes.
 */

enum { TRAILS_AGENTS = 1024, TRAILS_POINTS = 64 };
#define TRAILS_STEP_S 0.06 /* between two points */
#define TRAILS_JUMP_S 0.12 /* pictures that are farther apart make longer lines, not gaps */

struct trail {
    uint32_t id;
    int begin, count;              /* a ring, oldest first */
    vec2 points[TRAILS_POINTS];    /* px of the world */
    bool is_broken[TRAILS_POINTS]; /* no line from the point before to this one */
};

struct trails {
    struct trail *rows, *others; /* in the order of the frame; the ones before, to copy from */
    int count;
    double next_s;                 /* when the next point is due, simulated time */
    double last_s;                 /* of the last points */
    double times_s[TRAILS_POINTS]; /* of the points, the newest first */
    int time_count;
    int points_kept;
};

/** Without trails. -1 when out of memory. */
NODISCARD int trails_init(struct trails *trails);
/** Frees the trails. */
void trails_fini(struct trails *trails);
/** Forgets all points. */
void trails_clear(struct trails *trails);
/** How many points a trail has at most when there are so many agents. */
int trails_points(int32_t agents);
/** Adds the place of every agent of the frame, if a point is due at its time. jump_px: farther than that
 * between two points is a jump, where no more than TRAILS_JUMP_S passed between them; a longer time reaches farther in proportion. wrap_size: px of a wrapping world, {0,0} otherwise. A time that falls clears them. */
void trails_add(struct trails *trails, const struct frame *frame, float jump_px, vec2 wrap_size);
/** The trail of this agent, or NULL. */
const struct trail *trails_find(const struct trails *trails, uint32_t id);
/** Point number i of it, 0 the oldest; *is_broken as above. */
vec2 trail_point(const struct trail *trail, int index, bool *is_broken);

/* Onion skin: where agents were each quarter of a second of simulated time, out of the history. Pure.
 *
 * Ghosts stand at fixed moments, so they stay where they are until they are too old.
 */

/** With more agents, ghosts are those of the selected one alone. */
enum { ONION_AGENTS = 256, ONION_SKINS = 8, ONION_MOST = ONION_AGENTS * ONION_SKINS };
#define ONION_STEP_S 0.25 /* simulated, between two ghosts of an agent */

struct onion_ghost {
    int32_t index;            /* of its agent in the frame */
    vec2 position, direction; /* px of the world; length 1 */
    float age;                /* 0 for now, 1 for the oldest */
};

struct onion {
    int count;
    struct onion_ghost rows[ONION_MOST]; /* oldest first */
};

/** The ghosts of the selected agent, or of all when none is selected and they are not too many. */
void onion_fill(struct onion *onion, const struct history *history, const struct frame *frame,
                const struct selection *selection);

/* Predicted ways: where agents will be in the next two seconds if they go on as they do. Pure.
 *
 * An agent keeps its change of speed and its turn, those of its steering force where that is known, else those of the
 * last moments; its speed stays between 0 and max_speed. Nothing else is known here: no target, no neighbor, no wall.
 */

/** Without a selected agent no more agents than these have a way. */
enum { WAYS_AGENTS = 512, WAYS_STEPS = 20 };
#define WAYS_S 2.0f /* simulated */

struct way {
    int32_t index; /* of its agent in the frame */
    vec2 points[WAYS_STEPS +
                1]; /* px of the world, WAYS_S / WAYS_STEPS apart; the first is where the agent is */
};

struct ways {
    int count;
    struct way rows[WAYS_AGENTS];
};

/** How an agent moves. */
struct way_motion {
    vec2 position, velocity; /* px, px/s */
    float turn;              /* rad/s, from +x towards +y */
    float gain;              /* px/s^2, of speed */
    float max_speed;         /* px/s; 0: not known */
};

/** The motion that a force (mass * px/s^2) gives: its part across the velocity turns it. */
void way_push(struct way_motion *motion, vec2 force, float mass);
/** Fills the WAYS_STEPS + 1 points. */
void way_predict(const struct way_motion *motion, vec2 *points);

/** The ways of the selected agent, or of all when none is selected.
 *
 * max_speed  px/s, by the frame's numbers of kinds
 * inspected  what is known of the selected agent's forces, or NULL */
void ways_fill(struct ways *ways, const struct history *history, const struct frame *frame,
               const struct selection *selection, const float *max_speed,
               const struct message_agent *inspected);

#endif
