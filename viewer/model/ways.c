/* See ways.h. */
#include "viewer/model/ways.h"

#include <assert.h>
#include <math.h>

static const double before_s = 0.15;    /* the moment that turns and changes of speed are measured from */
static const float most_turn = 12.0f;   /* rad/s: a jump is no turn */
static const float least_speed = 1e-3f; /* px/s: what is slower has no direction */

void way_push(struct way_motion *motion, vec2 force, float mass) {
    const float speed = vec2_length(motion->velocity);
    if (speed > least_speed && mass > 0.0f) {
        const vec2 change = vec2_scale(force, 1.0f / mass);
        motion->turn = vec2_cross(motion->velocity, change) / (speed * speed);
        motion->gain = vec2_dot(motion->velocity, change) / speed;
        motion->turn = fminf(fmaxf(motion->turn, -most_turn), most_turn);
    }
}

void way_predict(const struct way_motion *motion, vec2 *points) {
    const float step = WAYS_S / (float)WAYS_STEPS;
    const float most = motion->max_speed > 0.0f ? motion->max_speed : INFINITY;
    float heading = atan2f(motion->velocity.y, motion->velocity.x), speed = vec2_length(motion->velocity);
    points[0] = motion->position;
    for (int i = 1; i <= WAYS_STEPS; i++) {
        const float middle = heading + 0.5f * step * motion->turn; /* of this step: circles stay circles */
        speed = fminf(fmaxf(speed + motion->gain * step, 0.0f), fmaxf(most, vec2_length(motion->velocity)));
        points[i] =
            vec2_add(points[i - 1], vec2_make(cosf(middle) * speed * step, sinf(middle) * speed * step));
        heading += motion->turn * step;
    }
}

/* The turn and the change of speed since the copy of a moment ago. */
static void measure(struct way_motion *motion, const struct history *history, int copy, double now_s,
                    uint32_t id) {
    struct history_agent before;
    const float passed = copy >= 0 ? (float)(now_s - history_time_s(history, copy)) : 0.0f;
    if (passed < 0.02f || passed > 1.0f || !history_agent(history, copy, id, &before)) {
        return;
    }
    const float speed = vec2_length(motion->velocity), was = vec2_length(before.velocity);
    if (speed > least_speed && was > least_speed) {
        const float turned = atan2f(vec2_cross(before.velocity, motion->velocity),
                                    vec2_dot(before.velocity, motion->velocity));
        motion->turn = fminf(fmaxf(turned / passed, -most_turn), most_turn);
    }
    motion->gain = (speed - was) / passed;
}

void ways_fill(struct ways *ways, const struct history *history, const struct frame *frame,
               const struct selection *selection, const float *max_speed,
               const struct message_agent *inspected) {
    assert(frame->settled_count <= frame->count && max_speed != NULL);
    const int32_t selected = selection->has_agent ? frame_find(frame, selection->id) : -1;
    const int32_t begin = selection->has_agent ? selected : 0;
    const int32_t end = selection->has_agent ? selected + 1 : frame->settled_count;
    const int copy = history_find(history, frame->time_s - before_s);
    ways->count = 0;
    for (int32_t i = begin; i >= 0 && i < end && ways->count < WAYS_AGENTS; i++) {
        struct way_motion motion = {.position = vec2_make(frame->x[i], frame->y[i]),
                                    .velocity = vec2_make(frame->vx[i], frame->vy[i]),
                                    .max_speed = max_speed[frame->kind[i]]};
        if (inspected != NULL && inspected->id == frame->id[i]) {
            motion.max_speed = inspected->max_speed;
            way_push(&motion, inspected->steering, inspected->mass);
        } else {
            measure(&motion, history, copy, frame->time_s, frame->id[i]);
        }
        ways->rows[ways->count].index = i;
        way_predict(&motion, ways->rows[ways->count++].points);
    }
}
