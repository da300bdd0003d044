/* The behaviors that steer by what stands and flows in the world. See behavior.h. */
#define LANES_WIDTH 1 /* one agent at a time */
#include <assert.h>

#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_fields.h"
#include "server/sim/steering/one_agent.inc.h"
#include "server/sim/steering/path_following.inc.h"

#define SLOW_PROBE SOLID_SLOW_PROBE
#define HEAD_ON    0.35f /* cosine between course and surface, below which the detour decides the side */
#define KEEP_SIDE  1.0f  /* s: a side is kept for so long after the solid was last in the way */
#define KEEP_PACE  SOLID_KEEP_PACE
#define BESIDE     4.0f /* px: further away than its clearance it is no longer beside a solid */
#define TOUCHING   SOLID_TOUCHING

#define PATH_ROW                                                                                             \
    ROW(FIELD_NAME, "path", struct behavior_def, path, FIELD_REQUIRED, 0, 0, 0, "",                          \
        "One of the world's paths.")

static const struct steering_output no_output = {false, {0.0f, 0.0f}, {0.0f, 0.0f}};
static const vec2 nowhere = {0.0f, 0.0f};

/* ---- avoid obstacles ---- */

/* The velocity with which the agent probes ahead: at rest a slow one along the heading. */
static vec2 probe_velocity(const struct steering_context *context) {
    const float slow = SLOW_PROBE * context->body->max_speed;
    return vec2_length_squared(context->velocity) < slow * slow ? vec2_scale(context->heading, slow)
                                                                : context->velocity;
}

static vec2 right_of(vec2 way) {
    return vec2_make(-way.y, way.x);
}

/* Whether a body that passes the solid on this side finds the border of the world there. */
static bool is_shut(int index, const struct steering_context *context, vec2 side) {
    const struct scenery *scenery = context->scenery;
    const struct bounds *bounds = context->bounds;
    if (bounds->edge == EDGE_WRAP || bounds->edge == EDGE_OPEN) {
        return false;
    }
    const vec2 end = vec2_add(scenery->solids[scenery->first[index]].center,
                              vec2_scale(side, scenery_reach_of(scenery, index, side)));
    const float room = 2.0f * context->body->radius;
    const float sides[] = {side.x < 0.0f ? end.x : bounds->size.x - end.x,
                           side.y < 0.0f ? end.y : bounds->size.y - end.y};
    const bool is_level = side.x > 0.7f || side.x < -0.7f;
    return sides[is_level ? 0 : 1] < room;
}

/* +1 or -1: the side of the way, right or left, on which less must be gone around the solid; right when
 * equal. */
static float shorter_side(int index, const struct steering_context *context, vec2 way) {
    const struct scenery *scenery = context->scenery;
    const struct solid *solid = &scenery->solids[scenery->first[index]];
    const vec2 right = right_of(way);
    const vec2 left = vec2_scale(right, -1.0f);
    const float own = vec2_dot(solid_offset(solid, context->bounds, context->position), right);
    return scenery_reach_of(scenery, index, right) - own <= scenery_reach_of(scenery, index, left) + own
               ? 1.0f
               : -1.0f;
}

/* The side for a solid that comes into the way: where the body is going, or head-on the shorter one; never
 * into the border of the world when the other side is open. +1: along right_of(normal). */
static float choose_side(int index, vec2 normal, vec2 way, const struct steering_context *context) {
    const vec2 tangent = right_of(normal);
    const float along = vec2_dot(tangent, way);
    float sign = along < 0.0f ? -1.0f : 1.0f;
    if (along < HEAD_ON && along > -HEAD_ON) {
        const vec2 side = vec2_scale(right_of(way), shorter_side(index, context, way));
        sign = vec2_dot(tangent, side) < 0.0f ? -1.0f : 1.0f;
    }
    const vec2 side = vec2_scale(tangent, sign);
    return is_shut(index, context, side) && !is_shut(index, context, vec2_scale(side, -1.0f)) ? -sign : sign;
}

static struct touch touch_of(int index, const struct steering_context *context) {
    return scenery_touch_of(context->scenery, context->bounds, index, context->position);
}

static bool is_recent(float seconds, const struct steering_context *context) {
    return solid_is_recent(context->memory, seconds, context->tick, context->dt);
}

/* A solid is in the way. Once chosen the side is kept, for this solid and for one that adjoins it: an agent
 * that is pulled back to the middle of something wide would turn round again and again. The sense of going
 * round is the same along the whole outline. */
static void note_solid(int index, vec2 normal, vec2 way, float speed,
                       const struct steering_context *context) {
    struct memory *memory = context->memory;
    const bool keeps = is_recent(KEEP_SIDE, context) &&
                       (memory->solid == index + 1 ||
                        touch_of(memory->solid - 1, context).distance < 4.0f * context->body->radius);
    if (!keeps) {
        const float sign = choose_side(index, normal, way, context);
        memory->side = sign < 0.0f ? -1 : 1;
        memory->pace = speed;
    }
    memory->solid = (uint16_t)(index + 1);
    memory->solid_tick = (uint32_t)context->tick;
}

static vec2 passing_tangent(vec2 normal, const struct steering_context *context) {
    return vec2_scale(right_of(normal), (float)context->memory->side);
}

/* Out of an obstacle by the shortest way. */
static struct steering_output get_out(vec2 normal, const struct steering_context *context) {
    trace_vector(context->trace, "out", normal);
    return behavior_match_velocity(vec2_scale(normal, context->body->max_speed), context,
                                   context->exact_rate);
}

/* Beside what it passes: not inwards, and no slower along the surface than it came. Without this an agent
 * comes to rest where what it is after pulls it straight against the surface. */
static struct steering_output keep_pace(vec2 normal, const struct steering_context *context) {
    const vec2 tangent = passing_tangent(normal, context);
    const float along = vec2_dot(context->velocity, tangent), out = vec2_dot(context->velocity, normal);
    trace_vector(context->trace, "along", tangent);
    trace_vector(context->trace, "normal", normal);
    if (along >= context->memory->pace && out >= 0.0f) {
        return no_output;
    }
    trace_number(context->trace, "outward_speed", out > 0.0f ? out : 0.0f);
    const float pace = along > context->memory->pace ? along : context->memory->pace;
    const vec2 desired = vec2_add(vec2_scale(tangent, pace), vec2_scale(normal, out > 0.0f ? out : 0.0f));
    trace_number(context->trace, "pace", pace);
    return behavior_match_velocity(vec2_truncate(desired, context->body->max_speed), context,
                                   context->exact_rate);
}

/* Along the surface that it would meet; speed: of the probe. */
static struct steering_output pass(const struct contact *contact, float speed,
                                   const struct steering_context *context) {
    const struct body *body = context->body;
    const float least = 4.0f * context->dt;
    float time = contact->distance / speed;
    time = time > least ? time : least;
    /* What must change until contact, against what max_force can change until then. */
    const vec2 passing = vec2_scale(passing_tangent(contact->normal, context), speed);
    const float needed = vec2_length(vec2_sub(passing, context->velocity)) * body->mass / time;
    const float share = needed > body->max_force ? body->max_force / needed : 1.0f;
    const vec2 desired = vec2_truncate(vec2_scale(passing, share), body->max_speed);
    const float rate = body->mass / time;
    trace_vector(context->trace, "passing", passing);
    trace_number(context->trace, "contact_distance", contact->distance);
    trace_number(context->trace, "speed", speed);
    trace_number(context->trace, "least_time", least);
    trace_number(context->trace, "time", time);
    trace_number(context->trace, "needed", needed);
    trace_number(context->trace, "share", share);
    return behavior_match_velocity(desired, context, rate < context->exact_rate ? rate : context->exact_rate);
}

/* The surface to go along: in an inner corner of a concave obstacle the one that the way along this one runs into, or the agent
 * would push against it for ever. A corner between two obstacles stays a dead end. */
static vec2 surface_ahead(vec2 normal, const struct steering_context *context) {
    const struct scenery *scenery = context->scenery;
    const int index = context->memory->solid - 1;
    if (scenery->first[index + 1] - scenery->first[index] == 1) {
        return normal;
    }
    const struct scenery_contact ahead =
        scenery_sweep(scenery, context->bounds, context->position, passing_tangent(normal, context), BESIDE,
                      context->body->radius);
    return ahead.index == index ? ahead.contact.normal : normal;
}

const struct field behavior_avoid_obstacles_fields[] = {
    WEIGHT_ROW,
    NUMBER("horizon", horizon, 60.0, 1.5, "s", "How far ahead it looks for obstacles and walls."),
    NUMBER("clearance", clearance, 1000.0, 4.0, "px", "Kept between the body and what it passes."),
    TURN_ROWS,
    END_ROW,
};

/* Avoid obstacles: pass what stands in the way within horizon s, or brake.
 *
 * The body, grown by clearance px, is swept along its velocity (at rest along its heading, slowly); the first
 * obstacle or wall it meets is passed along its surface, on the side of the present way, or when met head-on
 * on the side that needs the smaller detour. The force is what brings the velocity onto that tangent by the
 * time of contact, so it grows as the obstacle comes nearer; when there is no time to pass, the desired speed
 * is lower too. From inside an obstacle: out by the shortest way, at max_speed. Nothing in the way: inactive.
 * source  Reynolds 1999, "Obstacle avoidance"; OpenSteer, steerToAvoidObstacles */
struct steering_output behavior_avoid_obstacles(const struct behavior_def *behavior,
                                                const struct steering_context *context) {
    assert(context->scenery != NULL);
    const struct scenery *scenery = context->scenery;
    const struct body *body = context->body;
    const vec2 probe = probe_velocity(context);
    const float speed = vec2_length(probe);
    const vec2 way = vec2_with_length(probe, 1.0f);
    if (scenery_room(scenery, context->bounds, context->position) < body->radius + TOUCHING) {
        const struct scenery_touch nearest = scenery_nearest(scenery, context->bounds, context->position);
        if (nearest.touch.distance < 0.0f) {
            return get_out(nearest.touch.normal, context);
        }
        if (nearest.touch.distance < body->radius + TOUCHING) {
            note_solid(nearest.index, nearest.touch.normal, way, speed, context);
        }
    }
    if (!(speed > 1e-6f)) {
        return no_output;
    }
    const float length = speed * behavior->horizon;
    const struct scenery_contact first = scenery_meet(scenery, context->bounds, context->position, way, speed,
                                                      behavior->horizon, body->radius + behavior->clearance);
    trace_offset(context->trace, TRACE_PROBE, vec2_scale(way, length));
    if (first.index >= 0) {
        trace_offset(context->trace, TRACE_CONTACT, vec2_scale(way, first.contact.distance));
        note_solid(first.index, first.contact.normal, way, speed, context);
    }
    if (is_recent(KEEP_PACE, context)) {
        const struct touch beside = touch_of(context->memory->solid - 1, context);
        if (beside.distance < body->radius + behavior->clearance + BESIDE) {
            return keep_pace(surface_ahead(beside.normal, context), context);
        }
    }
    return first.index >= 0 ? pass(&first.contact, speed, context) : no_output;
}

/* ---- walls ---- */

const struct field behavior_follow_wall_fields[] = {
    WEIGHT_ROW,    NUMBER("distance", distance, 10000.0, 20.0, "px", "Kept between the body and the wall."),
    LOOK_ROW(0.3), TURN_ROWS,
    END_ROW,
};

/* Follow wall: go along the nearest wall or outline of an obstacle, `distance` px between it and the body.
 *
 * Predicts where the agent will be after prediction s; keeps the direction it goes in already, and at an
 * inner corner turns away from the wall it comes along. Inactive in a world without walls and obstacles.
 * source  Reynolds 1999, "Wall following" */
struct steering_output behavior_follow_wall(const struct behavior_def *behavior,
                                            const struct steering_context *context) {
    const struct body *body = context->body;
    const struct scenery_touch here = scenery_nearest(context->scenery, context->bounds, context->position);
    if (here.index < 0) {
        return no_output;
    }
    /* Where it will be, on this side of what it would run into. */
    const float speed = vec2_length(context->velocity);
    const vec2 way = speed > 1e-6f ? vec2_scale(context->velocity, 1.0f / speed) : context->heading;
    const struct scenery_contact ahead = scenery_sweep(context->scenery, context->bounds, context->position,
                                                       way, speed * behavior->prediction, body->radius);
    const vec2 future = vec2_add(context->position, vec2_scale(way, ahead.contact.distance));
    const struct scenery_touch there = scenery_nearest(context->scenery, context->bounds, future);
    /* What counts is the wall it will be at; while that is the wall it is at, its surface beside the body,
     * for that ahead of it would cut every curve. */
    const bool is_beside = here.index == there.index;
    const struct touch touch = is_beside ? here.touch : there.touch;
    const vec2 normal = touch.normal;
    trace_place(context->trace, TRACE_FUTURE, future);
    trace_place(context->trace, TRACE_SURFACE,
                vec2_sub(is_beside ? context->position : future, vec2_scale(normal, touch.distance)));
    const vec2 right = right_of(normal);
    /* Onwards, and in a corner away from the wall it comes along. */
    const float onwards = vec2_dot(right, vec2_add(way, vec2_scale(here.touch.normal, 0.5f)));
    const vec2 tangent = vec2_scale(right, onwards < 0.0f ? -1.0f : 1.0f);
    const float wanted = body->radius + behavior->distance;
    float error = (wanted - touch.distance) / (wanted > 1.0f ? wanted : 1.0f);
    error = error > 2.0f ? 2.0f : error < -2.0f ? -2.0f : error;
    const vec2 desired = vec2_with_length(vec2_add(tangent, vec2_scale(normal, error)), body->max_speed);
    trace_vector(context->trace, "along", tangent);
    trace_vector(context->trace, "normal", normal);
    trace_number(context->trace, "wall_distance", touch.distance);
    trace_number(context->trace, "wanted_distance", wanted);
    trace_number(context->trace, "error", error);
    return behavior_match_velocity(desired, context, context->rate);
}

/* ---- paths ---- */

static vec2 future_place(const struct behavior_def *behavior, const struct steering_context *context) {
    const vec2 future = vec2_add(context->position, vec2_scale(context->velocity, behavior->prediction));
    trace_place(context->trace, TRACE_FUTURE, future);
    trace_number(context->trace, "prediction", behavior->prediction);
    return future;
}

/* The way to a point of the path, px. */
static vec2 way_to_path(float s, const struct steering_context *context) {
    const vec2 offset = bounds_difference(context->bounds, context->position, path_point(context->path, s));
    trace_offset(context->trace, TRACE_PATH_POINT, offset);
    return offset;
}

/* The agent, and what it remembers of its path. */
static struct path_followers path_follower(const struct behavior_def *behavior,
                                           const struct steering_context *context) {
    const struct memory *memory = context->memory;
    return (struct path_followers){
        .agents = rule_agent(context),
        .place = pair_of(context->position),
        .mass = context->body->mass,
        .exact_rate = context->exact_rate,
        .sign = behavior->direction < 0.0f ? -1.0f : 1.0f,
        .s = memory->path_s,
        .is_known = memory->path == path_number(context->scenery, context->path),
        .wanted = true,
    };
}

/* No faster than it can stop at the path's end. */
static void trace_seeking(const struct path_course *course, const struct steering_context *context) {
    const vec2 way = vec2_of(course->way);
    trace_offset(context->trace, TRACE_PATH_POINT, way);
    trace_vector(context->trace, "way", way);
    if (course->remaining < 1e9f) {
        trace_number(context->trace, "remaining", course->remaining);
    }
    trace_number(context->trace, "speed", course->speed);
}

const struct field behavior_follow_path_fields[] = {
    WEIGHT_ROW,
    LOOK_ROW(0.4),
    ROW(FIELD_FLOAT, "direction", struct behavior_def, direction, FIELD_PARAM, -1, 1, 1, "1",
        "1: along the path, -1: against it."),
    NUMBER("window", window, LIMIT_COORDINATE, 100.0, "px",
           "Its place on the path is looked for so far before and after the last; matters where a path "
           "crosses itself."),
    PATH_ROW,
    TURN_ROWS,
    END_ROW,
};

/* Follow path: go along a path in its direction.
 *
 * When it will be within the path's radius after prediction s, further along than now, it keeps its course at
 * full speed; otherwise it seeks the point of the path that far ahead. At the end of a path that is no loop
 * it arrives and stops.
 * source  Reynolds 1999, "Path following"; OpenSteer, steerToFollowPath */
struct steering_output behavior_follow_path(const struct behavior_def *behavior,
                                            const struct steering_context *context) {
    assert(context->path != NULL && context->path->count > 0);
    const struct path *path = context->path;
    struct trace *trace = context->trace;
    const struct path_followers follower = path_follower(behavior, context);
    const struct path_course course =
        follow_path(path, context->bounds, &follower, behavior->prediction, behavior->window, context->dt);
    context->memory->path = path_number(context->scenery, path);
    context->memory->path_s = course.here.s;
    (void)future_place(behavior, context); /* for the trace */
    if (course.ends) {
        const vec2 offset = way_to_path(follower.sign > 0.0f ? path->length : 0.0f, context);
        trace_vector(trace, "way", offset);
        trace_number(trace, "end", course.left);
        return behavior_match_velocity(
            vec2_truncate(behavior_stopping_velocity(offset, nowhere, 0.0f, context),
                          context->body->max_speed),
            context, context->exact_rate);
    }
    trace_number(trace, "path_distance", course.there.distance);
    trace_number(trace, "path_radius", course.radius);
    if (course.keeps) {
        trace_vector(trace, "course", context->velocity);
    } else {
        trace_seeking(&course, context);
    }
    return behavior_match_velocity(vec2_of(course.output.desired), context, context->rate);
}

const struct field behavior_stay_on_path_fields[] = {WEIGHT_ROW, LOOK_ROW(0.4), PATH_ROW, TURN_ROWS, END_ROW};

/* Stay on path: back towards the path's middle when it will be outside its radius after prediction s;
 * inactive inside.
 * source  OpenSteer, steerToStayOnPath */
struct steering_output behavior_stay_on_path(const struct behavior_def *behavior,
                                             const struct steering_context *context) {
    assert(context->path != NULL);
    const vec2 future = future_place(behavior, context);
    const struct path_spot there = path_nearest(context->path, context->bounds, future);
    trace_number(context->trace, "path_distance", there.distance);
    const float radius = path_radius(context->path, there.s);
    trace_number(context->trace, "path_radius", radius);
    if (there.distance <= radius) {
        return no_output;
    }
    const vec2 to_path =
        bounds_difference(context->bounds, context->position, vec2_add(future, there.offset));
    trace_offset(context->trace, TRACE_PATH_POINT, to_path);
    trace_vector(context->trace, "way", to_path);
    return behavior_match_velocity(vec2_with_length(to_path, context->body->max_speed), context,
                                   context->rate);
}

/* ---- flow ---- */

const struct field behavior_follow_flow_fields[] = {
    WEIGHT_ROW,
    LOOK_ROW(0.2),
    ROW(FIELD_NAME, "flow_field", struct behavior_def, flow_field, FIELD_REQUIRED, 0, 0, 0, "",
        "One of the world's flow fields."),
    TURN_ROWS,
    END_ROW,
};

/* Follow flow: the velocity of the flow field where it will be after prediction s, at most max_speed.
 * source  Reynolds 1999, "Flow field following" */
struct steering_output behavior_follow_flow(const struct behavior_def *behavior,
                                            const struct steering_context *context) {
    assert(context->flow != NULL);
    const vec2 flow = flow_at(context->flow, context->bounds, future_place(behavior, context));
    trace_vector(context->trace, "flow", flow);
    return behavior_match_velocity(vec2_truncate(flow, context->body->max_speed), context, context->rate);
}

/* ---- hide ---- */

/* Where one hides behind an obstacle, px from the agent: on the line from the menace through its center. */
static vec2 hiding_place(const struct solid *solid, const struct behavior_def *behavior,
                         const struct steering_context *context) {
    const vec2 to_center = bounds_difference(context->bounds, context->position, solid->center);
    vec2 from_menace = bounds_difference(context->bounds, context->first.offset, to_center);
    if (!(vec2_length_squared(from_menace) > 1e-12f)) {
        from_menace = context->heading;
    }
    const float behind = solid->radius + context->body->radius + behavior->clearance;
    return vec2_add(to_center, vec2_with_length(from_menace, behind));
}

static bool is_in_world(const struct bounds *bounds, vec2 place) {
    return bounds->edge == EDGE_WRAP || bounds->edge == EDGE_OPEN ||
           (place.x >= 0.0f && place.y >= 0.0f && place.x <= bounds->size.x && place.y <= bounds->size.y);
}

const struct field behavior_hide_fields[] = {
    WEIGHT_ROW,
    PREDICTION_ROW,
    SLOWING_ROW,
    NUMBER("clearance", clearance, 1000.0, 10.0, "px",
           "Kept between the body and the obstacle it hides behind."),
    TARGET_ROWS,
    TURN_ROWS,
    END_ROW,
};

/* Hide: arrive behind the obstacle whose hiding place, seen from the menace, is nearest, `clearance` px from
 * it. Without an obstacle in the world: evade.
 * source  Buckland 2005, "Hide" */
struct steering_output behavior_hide(const struct behavior_def *behavior,
                                     const struct steering_context *context) {
    const struct scenery *scenery = context->scenery;
    bool is_found = false;
    vec2 best = nowhere;
    for (int i = 0; i < scenery->def.obstacle_count; i++) {
        const vec2 offset = hiding_place(&scenery->solids[scenery->first[i]], behavior, context);
        const bool is_nearer = !is_found || vec2_length_squared(offset) < vec2_length_squared(best);
        if (is_nearer && is_in_world(context->bounds, vec2_add(context->position, offset))) {
            best = offset;
            is_found = true;
        }
    }
    if (!is_found) {
        return behavior_evade(behavior, context);
    }
    trace_offset(context->trace, TRACE_HIDING_PLACE, best);
    trace_vector(context->trace, "way", best);
    const vec2 desired = behavior_stopping_velocity(best, nowhere, behavior->slowing_distance, context);
    return behavior_match_velocity(vec2_truncate(desired, context->body->max_speed), context,
                                   context->exact_rate);
}
