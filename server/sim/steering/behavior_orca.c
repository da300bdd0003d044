/* Optimal reciprocal collision avoidance (reciprocal velocity obstacles): a velocity filter.
 *
 * The others say which velocity the agent prefers. Each neighbor that may be met within the horizon
 * forbids a half-plane of velocities, as does each solid thing; the agent takes the permitted velocity
 * nearest to the preferred one (velocity_obstacles.h). What keeps two apart is shared between them by a
 * rule both know, so neither has to guess what the other will do.
 *
 * Half-planes come in a fixed order: solids, the nearest first, then neighbors, the nearest first.
 */
#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_fields.h"
#include "server/sim/steering/velocity_obstacles.h"

enum { NEAR_SOLIDS_MAX = 16 };
_Static_assert(NEAR_SOLIDS_MAX + NEIGHBORS_NEAREST_MAX <= HALF_PLANES_MAX, "a half-plane for each");

/* Solids within reach, nearest first. */
struct near_solids {
    int count;
    struct {
        float gap; /* px, to the body */
        vec2 away; /* unit vector */
    } at[NEAR_SOLIDS_MAX];
};

static void keep_solid(struct near_solids *near, float gap, vec2 away) {
    if (near->count == NEAR_SOLIDS_MAX && near->at[NEAR_SOLIDS_MAX - 1].gap <= gap) {
        return;
    }
    int place = near->count < NEAR_SOLIDS_MAX ? near->count++ : NEAR_SOLIDS_MAX - 1;
    while (place > 0 && near->at[place - 1].gap > gap) {
        near->at[place] = near->at[place - 1];
        place--;
    }
    near->at[place].gap = gap;
    near->at[place].away = away;
}

/* The solid, when the agent may touch it within the horizon at some speed. */
static void compare_solid(const struct steering_context *context, int index, float far,
                          struct near_solids *near) {
    const struct solid *solid = &context->scenery->solids[index];
    const struct touch touch = solid_touch(solid, solid_offset(solid, context->bounds, context->position));
    const float gap = touch.distance - context->body->radius;
    if (gap < far) {
        keep_solid(near, gap, touch.normal);
    }
}

/* far: px, to the body. */
static void find_solids(const struct steering_context *context, float far, struct near_solids *near) {
    const struct scenery *scenery = context->scenery;
    const float reach = far + context->body->radius;
    struct solid_set set;
    if (!scenery_within(scenery, context->bounds, context->position, reach, &set)) {
        for (int i = 0; i < scenery->solid_count; i++) {
            compare_solid(context, i, far, near);
        }
    }
    for (int word = 0; 64 * word < scenery->solid_count; word++) {
        for (uint64_t left = set.words[word]; left != 0; left &= left - 1) {
            compare_solid(context, 64 * word + __builtin_ctzll(left), far, near);
        }
    }
}

/* The half-planes of what is solid; returns how many. */
static int forbid_solids(const struct behavior_def *behavior, const struct steering_context *context,
                         float settle, struct half_plane *planes) {
    const float horizon = behavior->obstacle_horizon, max_speed = context->body->max_speed;
    struct near_solids near = {.count = 0};
    if (horizon > 0.0f) {
        find_solids(context, max_speed * horizon, &near);
    }
    for (int i = 0; i < near.count; i++) {
        planes[i] = half_plane_of_solid(near.at[i].away, near.at[i].gap, horizon, settle, max_speed);
    }
    return near.count;
}

/* The way to an agent in the same place. Every agent has a direction of its own to leave in, so that none is
 * shut in by the others, whatever their number. */
static vec2 parting(uint32_t id, uint32_t other) {
    const vec2 way = vec2_sub(neighbors_split(other, 0), neighbors_split(id, 0));
    return vec2_length_squared(way) > 1e-6f ? vec2_with_length(way, 1.0f) : neighbors_split(id, other);
}

/* The half-planes of the neighbors; returns how many. */
static int forbid_neighbors(const struct behavior_def *behavior, const struct steering_context *context,
                            float settle, struct half_plane *planes) {
    int count = 0;
    /* Wheels do not take a vehicle aside at once. */
    const float clearance = context->turn_radius > 0.0f ? 2.0f * behavior->clearance : behavior->clearance;
    for (int32_t i = 0; i < context->nearest_count; i++) {
        const struct neighbor *other = &context->nearest[i];
        const float room = context->body->radius + other->radius + clearance;
        const bool are_apart = vec2_length_squared(other->offset) > room * room;
        const struct encounter encounter = {
            .offset = other->offset,
            .own = context->velocity,
            .other = other->velocity,
            .room = room,
            .split = are_apart ? vec2_make(0.0f, 0.0f) : parting(context->id, other->id),
            .horizon = behavior->horizon > context->dt ? behavior->horizon : context->dt,
            .settle = settle,
        };
        if (room > 0.0f) { /* two points without clearance cannot collide */
            planes[count++] = half_plane_of(&encounter);
        }
    }
    return count;
}

const struct field behavior_orca_fields[] = {
    ROW(FIELD_FLOAT, "weight", struct behavior_def, weight, FIELD_PARAM, 0, 1, 1, "1",
        "How much of its correction is made; 0: none."),
    NUMBER("horizon", horizon, 60.0, 2.0, "s", "No collision is allowed to come within this time."),
    CLEARANCE_ROW(2),
    RADIUS_ROW("radius", ZONE_SEPARATION, 150),
    NEAREST_ROW("Only the nearest so many count.", 1, 10),
    NUMBER("obstacle_horizon", obstacle_horizon, 60.0, 0.5, "s",
           "Nothing solid is allowed to be touched within this time; 0: whatever is solid is ignored."),
    KINDS_ROW,
    TURN_ROWS,
    END_ROW,
};

/* Optimal reciprocal collision avoidance: the permitted velocity nearest to the preferred one.
 *
 * A velocity filter (TRAIT_VELOCITY_FILTER). Inactive while the preferred velocity is permitted.
 * source  van den Berg, Guy, Lin, Manocha 2011, "Reciprocal n-Body Collision Avoidance" */
struct steering_output behavior_orca(const struct behavior_def *behavior,
                                     const struct steering_context *context) {
    struct half_plane planes[NEAR_SOLIDS_MAX + NEIGHBORS_NEAREST_MAX];
    const float settle = ORCA_SETTLE > context->dt ? ORCA_SETTLE : context->dt;
    const int hard = forbid_solids(behavior, context, settle, planes);
    const int count = hard + forbid_neighbors(behavior, context, settle, planes + hard);
    const vec2 preferred = context->preferred;
    trace_vector(context->trace, "preferred", preferred);
    trace_number(context->trace, "half_planes", (float)count);
    if (half_planes_permit(planes, count, preferred)) {
        return (struct steering_output){false, {0.0f, 0.0f}, {0.0f, 0.0f}};
    }
    /* Every agent leans to the right, as on a pavement: mirror images would brake for each other
     * indefinitely. */
    const vec2 lean = vec2_scale(vec2_make(-context->velocity.y, context->velocity.x), ORCA_LEAN);
    const vec2 permitted =
        half_planes_nearest(planes, count, hard, vec2_add(preferred, lean), context->body->max_speed);
    trace_vector(context->trace, "lean", lean);
    return behavior_match_velocity(permitted, context, context->exact_rate);
}
