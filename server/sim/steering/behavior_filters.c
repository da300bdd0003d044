/* Velocity filters: the others say which velocity the agent prefers, these which it may have.
 *
 * orca, optimal reciprocal collision avoidance (reciprocal velocity obstacles): each neighbor that may be met within the horizon
 * forbids a half-plane of velocities, as does each solid thing; the agent takes the permitted velocity
 * nearest to the preferred one (velocity_obstacles.h). What keeps two apart is shared between them by a
 * rule both know, so neither has to guess what the other will do.
 *
 * walk, the collision-free speed model: neighbors and solids turn the direction of the preferred velocity, and
 * the room to the body ahead bounds the speed, as with people.
 *
 * Both go by solids and neighbors in a fixed order: the nearest first.
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
        float gap;     /* px, to the body */
        vec2 away;     /* unit vector */
        float nearing; /* px/s, with which a solid that moves comes that way */
    } at[NEAR_SOLIDS_MAX];
};

static void keep_solid(struct near_solids *near, float gap, vec2 away, float nearing) {
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
    near->at[place].nearing = nearing;
}

/* The solid, when the agent may touch it within the horizon at some speed. */
static void compare_solid(const struct steering_context *context, int index, float far,
                          struct near_solids *near) {
    const struct solid *solid = &context->scenery->solids[index];
    const struct touch touch = solid_touch(solid, solid_offset(solid, context->bounds, context->position));
    const float gap = touch.distance - context->body->radius;
    if (gap < far) {
        const vec2 still = {0.0f, 0.0f};
        const vec2 velocity = solid->mover > 0 ? context->scenery->movers[solid->mover - 1].velocity : still;
        keep_solid(near, gap, touch.normal, vec2_dot(velocity, touch.normal));
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
        find_solids(context, (max_speed + context->scenery->fastest) * horizon, &near);
    }
    for (int i = 0; i < near.count; i++) {
        planes[i] = half_plane_of_solid(near.at[i].away, near.at[i].gap, near.at[i].nearing, horizon, settle,
                                        max_speed);
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

/* ---- walk ---- */

#define WALK_CONE    0.5f  /* cosine: what is within 60 degrees of the direction is ahead */
#define WALK_ASIDE   1.5f  /* of two bodies: who comes towards it within so much to the side is in its way */
#define WALK_HEAD_ON 0.01f /* of two bodies: within so much to the side both step to the right */
#define WALK_COMING  0.05f /* of max_speed: who is faster against it comes towards it */
#define WALK_SHOULDER                                                                                        \
    0.75f /* of two bodies: nearer beside each other than this they cannot pass; they turn their shoulders */
#define WALK_SETTLE   0.3f /* s: time in which overlapping bodies part */
#define WALK_PUSH_MAX 100.0f
#define WALK_FADED    4.0f /* ranges: there the push of what is further is 0 */

const struct field behavior_walk_fields[] = {
    ROW(FIELD_FLOAT, "weight", struct behavior_def, weight, FIELD_PARAM, 0, 1, 1, "1",
        "How much of its correction is made; 0: none."),
    NUMBER("time_gap", time_gap, 60.0, 0.8, "s",
           "It is no faster than the room to the body ahead divided by this time; 0: as fast as fits."),
    NUMBER("push", push, 1000.0, 5, "1", "How much neighbors turn its direction."),
    NUMBER("range", range, LIMIT_COORDINATE, 0, "px",
           "The push of a neighbor fades over this distance between the bodies; 0: half the body's radius."),
    NUMBER("wall_push", wall_push, 1000.0, 5, "1", "How much solid things turn its direction."),
    NUMBER("wall_range", wall_range, LIMIT_COORDINATE, 0, "px",
           "The push of a solid fades over this distance; 0: a tenth of the body's radius."),
    NUMBER("side_step", side_step, 1000.0, 1, "1",
           "How much it steps aside for those that come towards it; 0: it does not."),
    NUMBER("side_range", side_range, LIMIT_COORDINATE, 0, "px",
           "Stepping aside fades over this distance; 0: 15 times the body's radius."),
    CLEARANCE_ROW(0),
    NUMBER("radius", zones[ZONE_SEPARATION].radius, LIMIT_COORDINATE, 0, "px",
           "Neighbors nearer than this count; 0: 22 times the body's radius."),
    NEAREST_ROW("Only the nearest so many count.", 1, NEIGHBORS_NEAREST_MAX),
    KINDS_ROW,
    TURN_ROWS,
    END_ROW,
};

/* About exp(-gap / range) for bodies apart, growing linearly when they overlap. */
static float fade(float gap, float range) {
    if (!(gap < WALK_FADED * range)) {
        return 0.0f;
    }
    if (gap < 0.0f) {
        const float grown = 1.0f - gap / range;
        return grown < WALK_PUSH_MAX ? grown : WALK_PUSH_MAX;
    }
    const float left = 1.0f - gap / (WALK_FADED * range), squared = left * left;
    return squared * squared;
}

static float or_radii(float length, float radii, const struct steering_context *context) {
    return length > 0.0f ? length : radii * context->body->radius;
}

/* What neighbors do to a walker. */
struct walk_pushes {
    vec2 away;    /* of the wish: away from them */
    vec2 aside;   /* of the wish: to the side of those that come towards it */
    vec2 contact; /* px/s: out of those that it overlaps */
};

/* wish: unit vector. */
static struct walk_pushes walk_push(const struct behavior_def *behavior,
                                    const struct steering_context *context, vec2 wish) {
    const float range = or_radii(behavior->range, 0.5f, context);
    const float side_range = or_radii(behavior->side_range, 15.0f, context);
    const float coming = -WALK_COMING * context->body->max_speed;
    const float settle = WALK_SETTLE > context->dt ? WALK_SETTLE : context->dt;
    struct walk_pushes pushes = {{0.0f, 0.0f}, {0.0f, 0.0f}, {0.0f, 0.0f}};
    float left = 0.0f; /* less right */
    for (int32_t i = 0; i < context->nearest_count; i++) {
        const struct neighbor *other = &context->nearest[i];
        const float bodies = context->body->radius + other->radius, room = bodies + behavior->clearance;
        const float distance = vec2_length(other->offset), gap = distance - room;
        const vec2 to = distance > 1e-6f ? vec2_scale(other->offset, 1.0f / distance)
                                         : neighbors_split(context->id, other->id);
        pushes.away = vec2_sub(pushes.away, vec2_scale(to, behavior->push * fade(gap, range)));
        if (distance < bodies) { /* each half of the way */
            pushes.contact = vec2_sub(pushes.contact, vec2_scale(to, 0.5f * (bodies - distance) / settle));
        }
        const float side = vec2_cross(wish, other->offset); /* > 0: on its right */
        if (vec2_dot(wish, to) > WALK_CONE && vec2_dot(other->velocity, wish) < coming &&
            side < WALK_ASIDE * room && side > -WALK_ASIDE * room) {
            const float step = behavior->side_step * fade(gap, side_range);
            left += side > WALK_HEAD_ON * room ? step : -step;
        }
    }
    pushes.aside = vec2_scale(vec2_make(wish.y, -wish.x), left);
    return pushes;
}

static vec2 walk_wall_push(const struct behavior_def *behavior, const struct steering_context *context) {
    const float range = or_radii(behavior->wall_range, 0.1f, context);
    struct near_solids near = {.count = 0};
    vec2 push = {0.0f, 0.0f};
    find_solids(context, WALK_FADED * range, &near);
    for (int i = 0; i < near.count; i++) {
        push = vec2_add(push, vec2_scale(near.at[i].away, behavior->wall_push * fade(near.at[i].gap, range)));
    }
    return push;
}

/* px: the room to the nearest body in the way, along the direction; false when there is none. Ahead a body is an
 * ellipse, narrower than it is deep. */
static bool walk_gap(const struct behavior_def *behavior, const struct steering_context *context,
                     vec2 direction, float *gap) {
    bool is_there = false;
    *gap = 0.0f;
    for (int32_t i = 0; i < context->nearest_count; i++) {
        const struct neighbor *other = &context->nearest[i];
        const float room = context->body->radius + other->radius + behavior->clearance;
        const float ahead = vec2_dot(direction, other->offset);
        const float side = vec2_cross(direction, other->offset), wide = WALK_SHOULDER * room;
        const float far = WALK_CONE * WALK_CONE * vec2_length_squared(other->offset);
        if (ahead > 0.0f && ahead * ahead > far && side < wide && side > -wide) {
            const float share = side / wide, free = ahead - room * sqrtf(1.0f - share * share);
            *gap = !is_there || free < *gap ? free : *gap;
            is_there = true;
        }
    }
    *gap = *gap > 0.0f ? *gap : 0.0f;
    return is_there;
}

/* Walking as people do: in the preferred direction, turned by neighbors and solids, no faster than the room
 * ahead allows.
 *
 * A velocity filter (TRAIT_VELOCITY_FILTER). Always active.
 * source  Tordeux, Chraibi, Seyfried 2016, "Collision-free speed model for pedestrian dynamics"; with a cone
 *         instead of a half-plane ahead, with stepping aside, with shoulders, and with contact */
struct steering_output behavior_walk(const struct behavior_def *behavior,
                                     const struct steering_context *context) {
    const vec2 wish = vec2_with_length(context->preferred, 1.0f);
    const float time_gap = behavior->time_gap > context->dt ? behavior->time_gap : context->dt;
    float speed = vec2_length(context->preferred), gap;
    const struct walk_pushes pushes = walk_push(behavior, context, wish);
    const vec2 wall = walk_wall_push(behavior, context);
    const vec2 sum = vec2_add(vec2_add(wish, pushes.away), vec2_add(wall, pushes.aside));
    const vec2 direction = vec2_truncate(sum, 1.0f);
    trace_vector(context->trace, "preferred", context->preferred);
    trace_vector(context->trace, "away", pushes.away);
    trace_vector(context->trace, "wall_push", wall);
    trace_vector(context->trace, "side_step", pushes.aside);
    trace_vector(context->trace, "direction", direction);
    trace_vector(context->trace, "contact", pushes.contact);
    if (walk_gap(behavior, context, vec2_with_length(sum, 1.0f), &gap)) {
        trace_number(context->trace, "gap", gap);
        trace_number(context->trace, "time_gap", time_gap);
        speed = gap < speed * time_gap ? gap / time_gap : speed;
    }
    const vec2 desired =
        vec2_truncate(vec2_add(vec2_scale(direction, speed), pushes.contact), context->body->max_speed);
    return behavior_match_velocity(desired, context, context->exact_rate);
}
