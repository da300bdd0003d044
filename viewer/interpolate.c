/* See interpolate.h. */
#include "viewer/interpolate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float pi = 3.14159265358979f;
static const float target_jump_px = 150.0f;
static const double cubic_from_ms = 50.0;

void frame_init(struct frame *frame) {
    memset(frame, 0, sizeof *frame);
}

void frame_fini(struct frame *frame) {
    free(frame->poses);
    frame_init(frame);
}

float interpolate_wrap_difference(float difference, float length) {
    return length > 0.0f ? difference - length * roundf(difference / length) : difference;
}

/* The two snapshots a moment lies between and where. */
struct span {
    const struct snapshot *a, *b;
    const struct interpolate_rules *rules;
    float f;         /* 0 at a, 1 at b */
    float seconds;   /* simulated time from a to b */
    float since_a_s; /* wall time since a, for agents that left */
    float fade_in;   /* 0..1, agents only in b */
    float fade_out;  /* 1..0, agents only in a */
    bool is_cubic;
};

static vec2 hundredths(int32_t x, int32_t y) {
    return vec2_make((float)x * 0.01f, (float)y * 0.01f);
}

static vec2 lerp(vec2 a, vec2 b, float f) {
    return vec2_add(a, vec2_scale(vec2_sub(b, a), f));
}

static float wrap_into(float value, float length) {
    const float wrapped = value - length * floorf(value / length);
    return wrapped >= length ? 0.0f : wrapped; /* rounding can give length itself */
}

static vec2 place(vec2 position, const struct interpolate_rules *rules) {
    if (!rules->wraps || !(rules->world_size.x > 0.0f) || !(rules->world_size.y > 0.0f)) {
        return position;
    }
    return vec2_make(wrap_into(position.x, rules->world_size.x), wrap_into(position.y, rules->world_size.y));
}

static float heading_of(const struct snapshot *snapshot, int32_t i) {
    return (float)snapshot->heading[i] * (pi / 18000.0f);
}

static struct pose pose_of(const struct snapshot *snapshot, int32_t i) {
    struct pose pose = {
        .id = snapshot->id[i],
        .kind = snapshot->kind[i],
        .state = snapshot->state[i],
        .position = hundredths(snapshot->x[i], snapshot->y[i]),
        .velocity = hundredths(snapshot->vx[i], snapshot->vy[i]),
        .heading = heading_of(snapshot, i),
        .alpha = 1.0f,
    };
    if (snapshot->has_forces) {
        pose.desired = hundredths(snapshot->desired[i].x, snapshot->desired[i].y);
        pose.steering = hundredths(snapshot->steering[i].x, snapshot->steering[i].y);
    }
    return pose;
}

/* Cubic Hermite: passes a and a + d with the velocities given. */
static vec2 hermite(vec2 d, vec2 va, vec2 vb, float seconds, float f) {
    const float f2 = f * f, f3 = f2 * f;
    const vec2 ends = vec2_scale(d, 3.0f * f2 - 2.0f * f3);
    const vec2 leave = vec2_scale(va, (f3 - 2.0f * f2 + f) * seconds);
    const vec2 reach = vec2_scale(vb, (f3 - f2) * seconds);
    return vec2_add(ends, vec2_add(leave, reach));
}

static struct pose pose_between(const struct span *span, int32_t ia, int32_t ib) {
    const struct pose a = pose_of(span->a, ia), b = pose_of(span->b, ib);
    struct pose pose = b;
    vec2 d = vec2_sub(b.position, a.position);
    if (span->rules->wraps) {
        d.x = interpolate_wrap_difference(d.x, span->rules->world_size.x);
        d.y = interpolate_wrap_difference(d.y, span->rules->world_size.y);
    }
    const float speed = fmaxf(vec2_length(a.velocity), vec2_length(b.velocity));
    const float reach = 3.0f * speed * fabsf(span->seconds) + 10.0f;
    if (vec2_length(d) > reach) {
        pose.position = span->f < 1.0f ? a.position : b.position;
        pose.heading = span->f < 1.0f ? a.heading : b.heading;
        pose.velocity = span->f < 1.0f ? a.velocity : b.velocity;
        return pose;
    }
    const vec2 way =
        span->is_cubic ? hermite(d, a.velocity, b.velocity, span->seconds, span->f) : vec2_scale(d, span->f);
    pose.position = place(vec2_add(a.position, way), span->rules);
    pose.velocity = lerp(a.velocity, b.velocity, span->f);
    const float turn = interpolate_wrap_difference(b.heading - a.heading, 2.0f * pi);
    pose.heading = interpolate_wrap_difference(a.heading + turn * span->f, 2.0f * pi);
    if (span->a->has_forces && span->b->has_forces) {
        pose.desired = lerp(a.desired, b.desired, span->f);
        pose.steering = lerp(a.steering, b.steering, span->f);
    }
    return pose;
}

/* Index of a's name in b's table; the tables of two snapshots need not agree. -1 when b does not know it. */
static int translate(const struct name_table *from, uint16_t index, const struct name_table *to) {
    return index < from->count ? name_table_find(to, from->names[index]) : -1;
}

static void add_leaving(const struct span *span, int32_t ia, struct frame *frame) {
    const int kind = translate(&span->a->kind_names, span->a->kind[ia], &span->b->kind_names);
    const int state = translate(&span->a->state_names, span->a->state[ia], &span->b->state_names);
    if (span->fade_out <= 0.0f || kind < 0 || state < 0) {
        return;
    }
    struct pose pose = pose_of(span->a, ia);
    pose.kind = (uint16_t)kind;
    pose.state = (uint16_t)state;
    pose.position = place(vec2_add(pose.position, vec2_scale(pose.velocity, span->since_a_s)), span->rules);
    pose.alpha = span->fade_out;
    frame->poses[frame->count++] = pose;
}

static void merge_agents(const struct span *span, struct frame *frame) {
    const struct snapshot *a = span->a, *b = span->b;
    int32_t ia = 0, ib = 0;
    while (ia < a->count || ib < b->count) {
        if (ib >= b->count || (ia < a->count && a->id[ia] < b->id[ib])) {
            add_leaving(span, ia++, frame);
        } else if (ia >= a->count || b->id[ib] < a->id[ia]) {
            struct pose pose = pose_of(b, ib++);
            pose.alpha = span->fade_in;
            if (pose.alpha > 0.0f) {
                frame->poses[frame->count++] = pose;
            }
        } else {
            frame->poses[frame->count++] = pose_between(span, ia++, ib++);
        }
    }
}

static void merge_targets(const struct span *span, struct frame *frame) {
    const struct snapshot *a = span->a, *b = span->b;
    frame->target_count = 0;
    for (int32_t i = 0; i < b->target_count; i++) {
        vec2 position = hundredths(b->target_x[i], b->target_y[i]);
        for (int32_t j = 0; j < a->target_count; j++) {
            if (strcmp(a->target_names.names[a->target_name[j]], b->target_names.names[b->target_name[i]]) ==
                0) {
                const vec2 before = hundredths(a->target_x[j], a->target_y[j]);
                const bool jumps = vec2_length(vec2_sub(position, before)) > target_jump_px;
                position = !jumps ? lerp(before, position, span->f) : span->f < 1.0f ? before : position;
                break;
            }
        }
        frame->targets[frame->target_count++] = (struct frame_target){b->target_name[i], position};
    }
}

static int frame_reserve(struct frame *frame, int32_t count) {
    if (count <= frame->capacity) {
        return 0;
    }
    struct pose *poses = realloc(frame->poses, (size_t)count * sizeof *poses);
    if (poses == NULL) {
        return -1;
    }
    frame->poses = poses;
    frame->capacity = count;
    return 0;
}

static float clamp_unit(double value) {
    return value < 0.0 ? 0.0f : value > 1.0 ? 1.0f : (float)value;
}

static struct span span_make(const struct snapshot *a, const struct snapshot *b, double server_ms,
                             const struct interpolate_rules *rules) {
    const double whole = b->clock_ms - a->clock_ms;
    const double length = fmin(whole, fmax(INTERPOLATE_SPAN_MS, 1.5 * rules->period_ms));
    const double begin = b->clock_ms - length;
    const double simulated_ms = (b->time_s - a->time_s) * 1000.0;
    const double fade = fmin(INTERPOLATE_FADE_MS, length);
    return (struct span){
        .a = a,
        .b = b,
        .rules = rules,
        .f = clamp_unit((server_ms - begin) / length),
        .seconds = (float)(simulated_ms * 0.001),
        .since_a_s = simulated_ms > 0.0 ? (float)(fmax(server_ms - begin, 0.0) * 0.001) : 0.0f,
        .fade_in = clamp_unit((server_ms - begin) / fade),
        .fade_out = clamp_unit(1.0 - (server_ms - begin) / fade),
        /* a cubic needs both ends' velocities to belong to the same stretch of time */
        .is_cubic = whole > cubic_from_ms && length == whole && fabs(simulated_ms - whole) < 0.25 * whole,
    };
}

/* Beyond the newest snapshot, or before the oldest: one snapshot, moved on by its velocities. */
static void move_on(const struct snapshot *snapshot, double milliseconds,
                    const struct interpolate_rules *rules, struct frame *frame) {
    for (int32_t i = 0; i < snapshot->count; i++) {
        struct pose pose = pose_of(snapshot, i);
        pose.position =
            place(vec2_add(pose.position, vec2_scale(pose.velocity, (float)(milliseconds * 0.001))), rules);
        frame->poses[frame->count++] = pose;
    }
    frame->target_count = 0;
    for (int32_t i = 0; i < snapshot->target_count; i++) {
        frame->targets[frame->target_count++] = (struct frame_target){
            snapshot->target_name[i], hundredths(snapshot->target_x[i], snapshot->target_y[i])};
    }
}

int interpolate_at(const struct snapshot_buffer *buffer, double server_ms,
                   const struct interpolate_rules *rules, struct frame *frame) {
    const struct snapshot *a, *b;
    snapshot_buffer_around(buffer, server_ms, &a, &b);
    frame->count = 0;
    frame->target_count = 0;
    frame->is_stalled = false;
    frame->late_ms = 0.0;
    frame->names = b != NULL ? b : a;
    if (frame->names == NULL) {
        return 0;
    }
    frame->has_forces = frame->names->has_forces;
    if (frame_reserve(frame, (a != NULL ? a->count : 0) + (b != NULL ? b->count : 0)) != 0) {
        frame->names = NULL;
        return -1;
    }
    if (a != NULL && b != NULL) {
        const struct span span = span_make(a, b, server_ms, rules);
        merge_agents(&span, frame);
        merge_targets(&span, frame);
        return 0;
    }
    frame->late_ms = a != NULL ? server_ms - a->clock_ms : 0.0;
    frame->is_stalled =
        !rules->is_paused && frame->late_ms > fmax(INTERPOLATE_EXTRAPOLATE_MS, 2.0 * rules->period_ms);
    move_on(frame->names, rules->is_paused ? 0.0 : fmin(frame->late_ms, INTERPOLATE_EXTRAPOLATE_MS), rules,
            frame);
    return 0;
}
