/* Predicted ways: where agents will be in the next two seconds if they go on as they do. Pure.
 *
 * An agent keeps its change of speed and its turn, those of its steering force where that is known, else those of the
 * last moments; its speed stays between 0 and max_speed. Nothing else is known here: no target, no neighbor, no wall.
 */
#ifndef DROVER_VIEWER_MODEL_WAYS_H
#define DROVER_VIEWER_MODEL_WAYS_H

#include "common/protocol/message_agent.h"
#include "viewer/model/frame.h"
#include "viewer/model/history.h"
#include "viewer/model/selection.h"

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
