/* See trails.h. */
#include "viewer/model/trails.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/model/camera.h"

/* ---- trails ---- */

static const double rounding_s = 1e-6;
static const int segments_most = 12000; /* of all trails: what a frame can draw */

int trails_init(struct trails *trails) {
    memset(trails, 0, sizeof *trails);
    trails->rows = calloc(TRAILS_AGENTS, sizeof *trails->rows);
    trails->others = calloc(TRAILS_AGENTS, sizeof *trails->others);
    if (trails->rows == NULL || trails->others == NULL) {
        trails_fini(trails);
        return -1;
    }
    return 0;
}

void trails_fini(struct trails *trails) {
    free(trails->rows);
    free(trails->others);
    memset(trails, 0, sizeof *trails);
}

void trails_clear(struct trails *trails) {
    trails->count = trails->time_count = 0;
    trails->next_s = 0.0;
}

static int with_trail(int32_t agents) {
    return agents < TRAILS_AGENTS ? (int)agents : TRAILS_AGENTS;
}

int trails_points(int32_t agents) {
    assert(agents >= 0);
    const int count = with_trail(agents), share = count > 0 ? segments_most / count : TRAILS_POINTS;
    return share < TRAILS_POINTS ? share : TRAILS_POINTS;
}

/* Ids ascend in both: `from` says where to go on looking. */
static const struct trail *find_old(const struct trails *trails, uint32_t id, int *from) {
    while (*from < trails->count && trails->rows[*from].id < id) {
        (*from)++;
    }
    return *from < trails->count && trails->rows[*from].id == id ? &trails->rows[*from] : NULL;
}

static void add_point(struct trail *trail, vec2 point, float jump_px, vec2 wrap_size, int kept) {
    bool breaks = trail->count == 0;
    if (!breaks) {
        const int last = (trail->begin + trail->count - 1) % TRAILS_POINTS;
        breaks = vec2_length(torus_short_way(vec2_sub(point, trail->points[last]), wrap_size)) > jump_px;
    }
    while (trail->count >= kept) {
        trail->begin = (trail->begin + 1) % TRAILS_POINTS;
        trail->count--;
    }
    const int at = (trail->begin + trail->count++) % TRAILS_POINTS;
    trail->points[at] = point;
    trail->is_broken[at] = breaks;
}

/* Notes the time of new points. Returns how many points a trail may have with them, without those that are too old. */
static int note_time(struct trails *trails, double now_s) {
    const double span_s = trails->points_kept * TRAILS_STEP_S - 2.0 * rounding_s;
    int kept = 1;
    while (kept < trails->points_kept && kept <= trails->time_count &&
           now_s - trails->times_s[kept - 1] <= span_s) {
        kept++;
    }
    memmove(trails->times_s + 1, trails->times_s, (TRAILS_POINTS - 1) * sizeof *trails->times_s);
    trails->times_s[0] = now_s;
    trails->time_count = kept;
    return kept;
}

void trails_add(struct trails *trails, const struct frame *frame, float jump_px, vec2 wrap_size) {
    assert(jump_px > 0.0f);
    const double now_s = frame->time_s + rounding_s;
    if (now_s < trails->next_s - 2.0 * TRAILS_STEP_S) {
        trails_clear(trails);
    }
    if (now_s < trails->next_s) {
        return;
    }
    trails->next_s = now_s - trails->next_s > 4.0 * TRAILS_STEP_S ? frame->time_s + TRAILS_STEP_S
                                                                  : trails->next_s + TRAILS_STEP_S;
    const float late = (float)fmax((now_s - trails->last_s) / TRAILS_JUMP_S, 1.0);
    trails->last_s = now_s;
    const int count = with_trail(frame->settled_count);
    trails->points_kept = trails_points(frame->settled_count);
    const int kept = note_time(trails, now_s);
    for (int i = 0, from = 0; i < count; i++) {
        const struct trail *old = find_old(trails, frame->id[i], &from);
        struct trail *trail = &trails->others[i];
        if (old != NULL) {
            *trail = *old;
        } else {
            trail->id = frame->id[i];
            trail->begin = trail->count = 0;
        }
        add_point(trail, vec2_make(frame->x[i], frame->y[i]), jump_px * late, wrap_size, kept);
    }
    struct trail *rows = trails->rows;
    trails->rows = trails->others;
    trails->others = rows;
    trails->count = count;
}

const struct trail *trails_find(const struct trails *trails, uint32_t id) {
    int low = 0, high = trails->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (trails->rows[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < trails->count && trails->rows[low].id == id ? &trails->rows[low] : NULL;
}

vec2 trail_point(const struct trail *trail, int index, bool *is_broken) {
    assert(index >= 0 && index < trail->count && is_broken != NULL);
    const int at = (trail->begin + index) % TRAILS_POINTS;
    *is_broken = trail->is_broken[at];
    return trail->points[at];
}

/* ---- ghosts of earlier moments ---- */

static const double near_s =
    0.5 * ONION_STEP_S;                 /* a copy so far from a ghost's moment shows another moment */
static const double least_age_s = 0.03; /* nearer ghosts would lie under their agents */

static void add_ghost(struct onion *onion, const struct history *history, int copy, const struct frame *frame,
                      int32_t index, float age) {
    struct history_agent agent;
    if (onion->count < ONION_MOST && history_agent(history, copy, frame->id[index], &agent)) {
        onion->rows[onion->count++] =
            (struct onion_ghost){.index = index,
                                 .position = agent.position,
                                 .direction = vec2_make(cosf(agent.heading), sinf(agent.heading)),
                                 .age = age};
    }
}

void onion_fill(struct onion *onion, const struct history *history, const struct frame *frame,
                const struct selection *selection) {
    assert(frame->settled_count <= frame->count);
    const int32_t selected = selection->has_agent ? frame_find(frame, selection->id) : -1;
    const bool has_all = !selection->has_agent && frame->settled_count <= ONION_AGENTS;
    const double newest_s = floor((frame->time_s - least_age_s) / ONION_STEP_S) * ONION_STEP_S;
    onion->count = 0;
    for (int skin = ONION_SKINS - 1; skin >= 0; skin--) {
        const double at_s = newest_s - skin * ONION_STEP_S;
        const int copy = history_find(history, at_s + 1e-6);
        const float age = (float)((frame->time_s - at_s) / (ONION_STEP_S * (ONION_SKINS + 1)));
        if (copy < 0 || fabs(history_time_s(history, copy) - at_s) > near_s) {
            continue;
        }
        if (selected >= 0) {
            add_ghost(onion, history, copy, frame, selected, age);
        }
        for (int32_t i = 0; has_all && i < frame->settled_count; i++) {
            add_ghost(onion, history, copy, frame, i, age);
        }
    }
}

/* ---- predicted ways ---- */

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
