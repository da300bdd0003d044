/* The rule that bodies do not enter or pass what is solid, also when it moves. See scenery.h. */
#include "server/sim/scenery/scenery.h"

#define SLIDES    4 /* surfaces that one tick's way may be turned along */
#define PUSHES    8 /* solids that a body is pushed out of in one tick */
#define SKIN      SCENERY_SKIN
#define ON_COURSE 1e-6f

static vec2 without_inward(vec2 velocity, vec2 normal) {
    const float inward = vec2_dot(velocity, normal);
    return inward < 0.0f ? vec2_sub(velocity, vec2_scale(normal, inward)) : velocity;
}

/* Whether the straight way of a body's center passes through a solid. */
static bool is_barred(const struct scenery *scenery, const struct bounds *bounds, vec2 from, vec2 step) {
    const float length = vec2_length(step);
    return length > 0.0f &&
           scenery_sweep_still(scenery, bounds, from, vec2_scale(step, 1.0f / length), length, 0.0f).index >=
               0;
}

static vec2 push_out(const struct scenery *scenery, const struct bounds *bounds, vec2 place, float radius,
                     enum scenery_moment moment) {
    vec2 outside = place;
    for (int push = 0; !(scenery_room(scenery, bounds, place) > radius); push++) {
        const struct scenery_touch nearest = scenery_nearest_at(scenery, bounds, place, moment);
        const float depth = radius - nearest.touch.distance;
        const bool is_outside = nearest.touch.distance >= 0.0f;
        outside = is_outside || push == 0 ? place : outside;
        if (push == PUSHES) {
            return outside; /* a body too wide for its place: at least not with its center in a solid */
        }
        if (nearest.index < 0 || !(depth > 0.0f)) {
            break;
        }
        const vec2 step = vec2_scale(nearest.touch.normal, depth + SKIN);
        /* Out of one solid it starts in, but not through a wall into the next room. */
        if ((is_outside || moment == MOMENT_NEXT) && is_barred(scenery, bounds, place, step)) {
            break;
        }
        place = vec2_add(place, step);
    }
    return place;
}

vec2 scenery_push_out(const struct scenery *scenery, const struct bounds *bounds, vec2 place, float radius) {
    return push_out(scenery, bounds, place, radius, MOMENT_NOW);
}

/* Along the way as far as solids allow, then along their surfaces. */
static vec2 slide(const struct scenery *scenery, const struct bounds *bounds, vec2 place, vec2 step,
                  float radius, vec2 *velocity) {
    for (int turn = 0; turn <= SLIDES; turn++) {
        const float length = vec2_length(step);
        if (!(length > ON_COURSE)) {
            return place;
        }
        const vec2 way = vec2_scale(step, 1.0f / length);
        const struct scenery_contact first = scenery_sweep_still(scenery, bounds, place, way, length, radius);
        if (first.index < 0) {
            return vec2_add(place, step);
        }
        const vec2 normal = first.contact.normal;
        const float free_way = first.contact.distance > SKIN ? first.contact.distance - SKIN : 0.0f;
        place = vec2_add(place, vec2_scale(way, free_way));
        step = without_inward(vec2_scale(way, length - free_way), normal);
        *velocity = without_inward(*velocity, normal);
    }
    return place;
}

struct motion scenery_constrain(const struct scenery *scenery, const struct bounds *bounds,
                                struct motion before, struct motion moved, float radius) {
    if (scenery->solid_count == 0) {
        return moved;
    }
    const vec2 from = {before.x, before.y};
    const vec2 step = vec2_sub(vec2_make(moved.x, moved.y), from);
    const float reach = vec2_length(step) + radius + SKIN;
    if (scenery_room(scenery, bounds, from) > reach ||
        scenery_nearest_at(scenery, bounds, from, MOMENT_STILL).touch.distance > reach) {
        return moved;
    }
    vec2 velocity = {moved.vx, moved.vy};
    vec2 place = slide(scenery, bounds, from, step, radius, &velocity);
    place = push_out(scenery, bounds, place, radius, MOMENT_STILL);
    const struct scenery_touch after = scenery_nearest_at(scenery, bounds, place, MOMENT_STILL);
    if (after.touch.distance <= radius + 2.0f * SKIN) {
        velocity = without_inward(velocity, after.touch.normal);
    }
    return (struct motion){place.x, place.y, velocity.x, velocity.y};
}

/* ---- what moves ---- */

/* On a torus in the world; otherwise a mover may leave it. */
static vec2 settle_center(const struct bounds *bounds, vec2 center) {
    return bounds->edge == EDGE_WRAP ? bounds_settle(bounds, center) : center;
}

void scenery_place_movers(struct scenery *scenery, const struct bounds *bounds, double tick_hz,
                          uint64_t tick) {
    const vec2 none = {0.0f, 0.0f}, wrap = bounds->edge == EDGE_WRAP ? bounds->size : none;
    scenery->fastest = 0.0f;
    for (int m = 0; m < scenery->mover_count; m++) {
        struct mover *mover = &scenery->movers[m];
        const struct obstacle_def *obstacle = &scenery->def.obstacles[mover->owner];
        const int index = geometry_def_find_path(&scenery->def, obstacle->move.path);
        const struct path_def *path = index < 0 ? NULL : &scenery->def.paths[index];
        const vec2 offset = obstacle_offset(obstacle, path, wrap, tick_hz, (double)tick);
        const vec2 then = obstacle_offset(obstacle, path, wrap, tick_hz, (double)tick + 1.0);
        mover->at = settle_center(bounds, vec2_add(mover->home, offset));
        mover->next = settle_center(bounds, vec2_add(mover->home, then));
        mover->step = bounds_difference(bounds, mover->at, mover->next);
        mover->velocity = vec2_scale(mover->step, (float)tick_hz);
        const float speed = vec2_length(mover->velocity);
        scenery->fastest = speed > scenery->fastest ? speed : scenery->fastest;
        for (int i = scenery->first[mover->owner]; i < scenery->first[mover->owner + 1]; i++) {
            scenery->solids[i].center = mover->at;
        }
    }
}

vec2 scenery_offset_of(const struct scenery *scenery, int obstacle) {
    for (int m = 0; m < scenery->mover_count; m++) {
        if (scenery->movers[m].owner == obstacle) {
            return vec2_sub(scenery->movers[m].at, scenery->movers[m].home);
        }
    }
    return vec2_make(0.0f, 0.0f);
}

/* Whether the edge leaves a body in this place; on a torus it is the same place in the world then. */
static bool settles(const struct bounds *bounds, float radius, vec2 *place) {
    const vec2 before = *place;
    const struct motion at = bounds_apply(bounds, (struct motion){before.x, before.y, 0.0f, 0.0f}, radius);
    *place = vec2_make(at.x, at.y);
    return bounds->edge == EDGE_WRAP || (at.x == before.x && at.y == before.y);
}

/* Takes the way of this tick as a mover sees it, and the velocity: along its surface, not into it. */
static void pass_mover(const struct scenery *scenery, const struct bounds *bounds, const struct mover *mover,
                       vec2 from, float radius, vec2 *place, vec2 *velocity) {
    const vec2 start = bounds_difference(bounds, mover->at, from);
    const vec2 step = vec2_sub(bounds_difference(bounds, from, *place), mover->step);
    const float length = vec2_length(step), speed = vec2_length(*velocity);
    const vec2 way = vec2_with_length(step, 1.0f);
    struct contact first = {.is_hit = false, .distance = length};
    for (int i = scenery->first[mover->owner]; i < scenery->first[mover->owner + 1]; i++) {
        const struct contact one = solid_sweep(&scenery->solids[i], start, way, first.distance, radius);
        first = one.is_hit && (!first.is_hit || one.distance < first.distance) ? one : first;
    }
    if (!first.is_hit) {
        return;
    }
    const float free_way = first.distance > SKIN ? first.distance - SKIN : 0.0f;
    const vec2 along = without_inward(vec2_scale(way, length - free_way), first.normal);
    const vec2 end = vec2_add(vec2_add(start, vec2_scale(way, free_way)), along);
    const vec2 shift = bounds_difference(bounds, *place, vec2_add(mover->next, end));
    const vec2 own = without_inward(vec2_sub(*velocity, mover->velocity), first.normal);
    *velocity = vec2_truncate(vec2_add(own, mover->velocity), speed);
    *place = slide(scenery, bounds, *place, shift, radius, velocity);
}

/* Whether a body is between a mover and something else. */
static bool is_squeezed(const struct scenery *scenery, const struct bounds *bounds, vec2 place,
                        float radius) {
    for (int m = 0; m < scenery->mover_count; m++) {
        if (scenery_touch_next(scenery, bounds, m, place).distance < radius) {
            return true;
        }
    }
    return scenery_nearest_at(scenery, bounds, place, MOMENT_NEXT).touch.distance < 0.0f;
}

/* Looks for a free place around a body, further and further away. is_straight: only where no solid that stands still is
 * on the straight way. */
static bool find_room(const struct scenery *scenery, const struct bounds *bounds, vec2 from, float radius,
                      float needed, bool is_straight, vec2 *place) {
    static const vec2 eighth[] = {
        {1.0f, 0.0f}, {0.92387953f, 0.38268343f}, {0.70710678f, 0.70710678f}, {0.38268343f, 0.92387953f}};
    const float far = bounds->size.x + bounds->size.y;
    for (float away = 1.0f + 0.5f * radius; away < far; away *= 1.25f) {
        for (int i = 0; i < 16; i++) {
            const vec2 turn = eighth[i / 4];
            const vec2 ways[] = {{turn.x, turn.y}, {-turn.y, turn.x}, {-turn.x, -turn.y}, {turn.y, -turn.x}};
            const vec2 step = vec2_scale(ways[i % 4], away);
            vec2 to = vec2_add(from, step);
            if (settles(bounds, radius, &to) &&
                scenery_nearest_at(scenery, bounds, to, MOMENT_NEXT).touch.distance >= needed &&
                !(is_straight && is_barred(scenery, bounds, from, step))) {
                *place = to;
                return true;
            }
        }
    }
    return false;
}

struct motion scenery_yield(const struct scenery *scenery, const struct bounds *bounds, struct motion before,
                            struct motion moved, float radius) {
    const vec2 from = {before.x, before.y}, to = {moved.x, moved.y};
    const float reach = vec2_length(bounds_difference(bounds, from, to)) + radius + SKIN;
    if (scenery->mover_count == 0 || scenery_room(scenery, bounds, from) > reach) {
        return moved;
    }
    vec2 place = to, velocity = {moved.vx, moved.vy};
    for (int m = 0; m < scenery->mover_count; m++) {
        pass_mover(scenery, bounds, &scenery->movers[m], from, radius, &place, &velocity);
    }
    place = push_out(scenery, bounds, place, radius, MOMENT_NEXT);
    (void)settles(bounds, radius, &place);
    if (is_squeezed(scenery, bounds, place, radius)) {
        (void)(find_room(scenery, bounds, to, radius, radius, true, &place) ||
               find_room(scenery, bounds, to, radius, SKIN, true, &place) ||
               find_room(scenery, bounds, to, radius, radius, false, &place) ||
               find_room(scenery, bounds, to, radius, SKIN, false, &place));
    }
    return (struct motion){place.x, place.y, velocity.x, velocity.y};
}
