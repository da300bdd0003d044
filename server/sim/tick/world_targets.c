/* Targets that stroll: one that no request has set for some time walks about by itself.
 *
 * A goal swings through the world along both axes, each a sum of two sines whose frequencies have no common period, so
 * it comes by everywhere within the margins and turns gently. Its place is a function of (seed, tick, target). The target
 * moves as the goal does and closes the distance to it, at no more than its speed: it sets out from wherever it is,
 * and walks with the goal once it has reached it. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "server/sim/math/rng.h"
#include "server/sim/math/trig.h"
#include "server/sim/tick/world_sights.h"
#include "server/sim/world/world_internal.h"

static const double ramp_s = 2.0;       /* from rest to full speed */
static const float margin_share = 0.1f; /* of the world's width and height, kept from the borders */
static const float closing = 0.5f;      /* 1/s, how fast the distance to the goal is closed */
static const float slow_part = 0.65f;   /* amplitude of the slower sine; the other one has the rest */
static const double fast_ratio = 1.6180339887498949; /* of the frequencies of the sines */
static const double swing_slope = 3.83; /* root mean square of the slope of the sum, for one turn a second */
static const double share_x = 0.5,
                    share_y = 0.41421356237309505; /* of the speed, root mean square along the axes */
static const double most_turns = 0.5;              /* 1/s, in a world that is small for the speed */

/* turns >= 0 */
static float sine_of_turns(double turns) {
    const double rest = turns - (double)(int64_t)turns;
    return trig_unit((float)(rest * (2.0 * TRIG_PI))).y;
}

/* From -1 to 1. share: of the speed that goes along this axis; reach: px to either side. */
static float swing(struct rng *phases, double time_s, float reach, float speed, double share) {
    const double wanted = share * (double)speed / ((double)reach * swing_slope);
    const double turns = time_s * (wanted < most_turns ? wanted : most_turns);
    const double slow = (double)rng_unit(phases), fast = (double)rng_unit(phases);
    return slow_part * sine_of_turns(turns + slow) +
           (1.0f - slow_part) * sine_of_turns(turns * fast_ratio + fast);
}

static vec2 goal(const struct world *world, int target, uint64_t tick) {
    const float speed = world->targets[target].stroll_speed;
    const vec2 middle = vec2_scale(world->bounds.size, 0.5f);
    const vec2 reach = vec2_scale(world->bounds.size, 0.5f - margin_share);
    const double time_s = (double)tick / world->tick_hz;
    struct rng phases = rng_begin(world->seed, 0, (uint32_t)target, RNG_TARGET_STROLL);
    const float x = swing(&phases, time_s, reach.x, speed, share_x);
    const float y = swing(&phases, time_s, reach.y, speed, share_y);
    return vec2_make(middle.x + reach.x * x, middle.y + reach.y * y);
}

/* Ticks for which it waits. */
static double wait_of(const struct world *world, const struct target_def *target) {
    return (double)target->stroll_after * world->tick_hz;
}

/* From 0, at rest, to 1, at full speed. */
static float ramp_of(const struct world *world, const struct target_def *target) {
    const double share = ((double)target->idle - wait_of(world, target)) / (ramp_s * world->tick_hz);
    const float x = (float)(share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share);
    return x * x * (3.0f - 2.0f * x);
}

vec2 world_stroll(const struct world *world, int index) {
    assert(index >= 0 && index < world->target_count);
    const struct target_def *target = &world->targets[index];
    const float ramp = target->stroll_speed > 0.0f ? ramp_of(world, target) : 0.0f;
    if (ramp == 0.0f) {
        return target->at;
    }
    const vec2 now = goal(world, index, world->tick), next = goal(world, index, world->tick + 1);
    const vec2 behind = bounds_difference(&world->bounds, target->at, now);
    const vec2 wanted = vec2_add(vec2_sub(next, now), vec2_scale(behind, closing * world->dt));
    const vec2 step = vec2_scale(vec2_truncate(wanted, target->stroll_speed * world->dt), ramp);
    return bounds_settle(&world->bounds, vec2_add(target->at, step));
}

uint32_t world_stroll_idle(const struct world *world, int index) {
    assert(index >= 0 && index < world->target_count);
    const struct target_def *target = &world->targets[index];
    const double full = wait_of(world, target) + ramp_s * world->tick_hz;
    const bool is_counted = target->stroll_speed > 0.0f && (double)target->idle < full;
    return target->idle + (is_counted ? 1u : 0u);
}

bool world_target_is_strolling(const struct world *world, int index) {
    assert(index >= 0 && index < world->target_count);
    const struct target_def *target = &world->targets[index];
    return target->stroll_speed > 0.0f && (double)target->idle > wait_of(world, target);
}

/* ---- targets ---- */

/* What an agent notices: the targets and other agents that its behaviors and conditions are about. All of
 * tick t. */

static vec2 place_of(const struct world *world, int32_t slot) {
    return vec2_make(world->grid.motion[slot].x, world->grid.motion[slot].y);
}

static vec2 position_of(const struct world *world, int32_t row) {
    const struct motion motion = world_motion(world, row);
    return vec2_make(motion.x, motion.y);
}

static struct target_info nothing(void) {
    return (struct target_info){.is_there = false, .heading = {1.0f, 0.0f}};
}

/* Whether something at `offset` is within `within` px (0: however far). */
static bool is_noticed(vec2 offset, float within) {
    return !(within > 0.0f) || vec2_length_squared(offset) <= within * within;
}

static struct target_info resolve_named(const struct world *world, vec2 here, int target, float within) {
    struct target_info info = nothing();
    info.offset = bounds_difference(&world->bounds, here, world->targets[target].at);
    info.is_there = is_noticed(info.offset, within);
    return info;
}

static struct target_info resolve_agent(const struct world *world, vec2 here, int32_t other, uint32_t id,
                                        float within) {
    const struct motion motion = world_motion(world, other);
    const vec2 at = {motion.x, motion.y};
    struct target_info info = {
        .id = id,
        .offset = bounds_difference(&world->bounds, here, at),
        .velocity = {motion.vx, motion.vy},
        .heading = world_heading(world, other),
    };
    info.is_there = is_noticed(info.offset, within);
    return info;
}

/* The agent in a slot, as the one in slot `own` sees it. Not of a pure flock. */
static struct target_info seen_in_slot(const struct world *world, int32_t own, int32_t slot) {
    const struct motion motion = world->grid.motion[slot];
    assert(!world->is_pure_flock);
    return (struct target_info){
        .is_there = true,
        .id = world->id[world->grid.row[slot]],
        .offset = bounds_difference(&world->bounds, place_of(world, own), place_of(world, slot)),
        .velocity = {motion.vx, motion.vy},
        .heading = world->heading[slot],
    };
}

/* The nearest of the targets whose names begin with the prefix; of two as near the first in the scenario. */
static struct target_info resolve_prefix(const struct world *world, int32_t row, const struct target_ref *ref,
                                         int length) {
    struct target_info nearest = nothing();
    for (int i = 0; i < world->target_count; i++) {
        if (strncmp(world->targets[i].name, ref->target, (size_t)length) != 0) {
            continue;
        }
        const struct target_info one = resolve_named(world, position_of(world, row), i, ref->within);
        const bool is_nearer = vec2_length_squared(one.offset) < vec2_length_squared(nearest.offset);
        if (one.is_there && (!nearest.is_there || is_nearer)) {
            nearest = one;
        }
    }
    return nearest;
}

#define FEW_AGENTS 64 /* a list of so few is faster than the grid */

/* resolve_kind through the grid: the same agent from fewer candidates. */
static struct target_info search_grid(const struct world *world, int32_t row, int kind, float within,
                                      struct grid_walk *walk) {
    const struct grid *grid = &world->grid;
    const vec2 here = position_of(world, row);
    int32_t nearest = -1;
    float best = within * within;
    for (int32_t begin, end; grid_walk_next(walk, &begin, &end);) {
        for (int32_t slot = begin; slot < end; slot++) {
            if (grid->kind[slot] != kind || grid->row[slot] == row) {
                continue;
            }
            const vec2 there = {grid->motion[slot].x, grid->motion[slot].y};
            const float squared = vec2_length_squared(bounds_difference(&world->bounds, here, there));
            if (squared < best || (squared == best && (nearest < 0 || grid->row[slot] < nearest))) {
                best = squared;
                nearest = grid->row[slot];
            }
        }
    }
    return nearest < 0 ? nothing() : resolve_agent(world, here, nearest, world->id[nearest], 0.0f);
}

/* px: a circle of this size holds about `wanted` agents of a kind, were they spread evenly. */
static float circle_for(const struct world *world, float wanted, int32_t population) {
    const struct grid *grid = &world->grid;
    return sqrtf(wanted / 3.0f * grid->across.size * grid->down.size / (float)population);
}

/* Whether cells within so many px may be searched: a rank has no agents in those further away. */
static bool may_search(const struct world *world, float reach) {
    return !world_is_partial(world) || reach <= world->halo;
}

/* Searches the grid in larger and larger circles. False when a list would be faster, or all there is. */
static bool search_kind(const struct world *world, int32_t row, int kind, float within, int32_t population,
                        struct target_info *found) {
    const float limit = within > 0.0f ? within : (float)LIMIT_COORDINATE * 4.0f;
    float radius = circle_for(world, 4.0f, population);
    radius = radius > 1.0f ? radius : 1.0f;
    for (;; radius *= 2.0f) {
        const float reach = radius < limit ? radius : limit;
        struct grid_walk walk;
        grid_walk_begin(&walk, &world->grid, position_of(world, row), reach);
        if (!may_search(world, reach) || grid_walk_runs(&walk) >= population / 4) {
            return false;
        }
        *found = search_grid(world, row, kind, reach, &walk);
        if (found->is_there || reach >= limit) {
            return true;
        }
    }
}

/* The nearest other agent of a kind; of two as near the one of lower id. */
static struct target_info resolve_kind(const struct world *world, int32_t row, int kind, float within) {
    const int32_t population = world->kind_begin[kind + 1] - world->kind_begin[kind];
    struct target_info found;
    if (world->is_sorted && population > FEW_AGENTS && world_owns(world, row) &&
        search_kind(world, row, kind, within, population, &found)) {
        return found;
    }
    const vec2 here = position_of(world, row);
    int32_t nearest = -1;
    float best = within > 0.0f ? within * within : 3e38f;
    const int32_t end = world_is_given_up(world) ? 0 : world->kind_begin[kind + 1];
    for (int32_t i = world->kind_begin[kind]; i < end; i++) {
        const int32_t other = world_row_of_kind(world, kind, i), slot = grid_slot(&world->grid, other);
        if (slot < 0) {
            continue; /* another rank has it: too far away */
        }
        const float squared =
            vec2_length_squared(bounds_difference(&world->bounds, here, place_of(world, slot)));
        if (other != row && (squared < best || (nearest < 0 && squared <= best))) {
            best = squared;
            nearest = other;
        }
    }
    return nearest < 0 ? nothing() : resolve_agent(world, here, nearest, world->id[nearest], 0.0f);
}

static bool finds_sight(const struct target_ref *ref, const struct ref_runtime *runtime,
                        struct sight_place known, int32_t *slot) {
    return runtime->mode == REF_KIND && known.sights != NULL &&
           world_sights_find(known.sights, known.place, runtime->index, ref->within, slot);
}

bool world_notices(const struct world *world, int32_t row, const struct target_ref *ref,
                   const struct ref_runtime *runtime, struct sight_place known) {
    int32_t slot;
    if (runtime->mode == REF_TARGET) {
        const vec2 here = place_of(world, world_sights_slot(world, row, known));
        return is_noticed(bounds_difference(&world->bounds, here, world->targets[runtime->index].at),
                          ref->within);
    }
    return finds_sight(ref, runtime, known, &slot)
               ? slot >= 0
               : world_resolve_target(world, row, ref, runtime, known).is_there;
}

struct target_info world_resolve_target(const struct world *world, int32_t row, const struct target_ref *ref,
                                        const struct ref_runtime *runtime, struct sight_place known) {
    assert(row >= 0 && row < world->agent_count);
    assert(runtime->mode != REF_TARGET || runtime->index < world->target_count);
    assert(runtime->mode != REF_KIND || runtime->index < world->kind_count);
    int32_t slot;
    if (finds_sight(ref, runtime, known, &slot)) {
        return slot < 0 ? nothing() : seen_in_slot(world, world_sights_slot(world, row, known), slot);
    }
    switch (runtime->mode) {
    case REF_TARGET:
        return resolve_named(world, place_of(world, world_sights_slot(world, row, known)), runtime->index,
                             ref->within);
    case REF_PREFIX:
        return resolve_prefix(world, row, ref, runtime->index);
    case REF_KIND:
        return resolve_kind(world, row, runtime->index, ref->within);
    case REF_AGENT: {
        const int32_t other = world_find_agent(world, ref->agent);
        const vec2 here = place_of(world, world_sights_slot(world, row, known));
        return other < 0 || other == row ? nothing()
                                         : resolve_agent(world, here, other, ref->agent, ref->within);
    }
    case REF_NONE:
        break;
    }
    return nothing();
}

/* ---- sight ---- */

/* Whether a solid stands between two places. On a torus a ray may leave the half of the world that is near to its
 * beginning, so it is cast from its end, too. */
static bool is_hidden(const struct world *world, vec2 here, vec2 offset) {
    const float length = vec2_length(offset);
    if (world->scenery.solid_count == 0 || !(length > 0.0f)) {
        return false;
    }
    const vec2 way = vec2_scale(offset, 1.0f / length);
    const struct bounds *bounds = &world->bounds;
    const struct scenery *scenery = &world->scenery;
    /* As wide as the gap that bodies keep from solids: it does not slip through where two walls meet. */
    return scenery_sweep(scenery, bounds, here, way, length, SCENERY_SKIN).index >= 0 ||
           (bounds->edge == EDGE_WRAP &&
            scenery_sweep(scenery, bounds, bounds_settle(bounds, vec2_add(here, offset)),
                          vec2_scale(way, -1.0f), length, SCENERY_SKIN)
                    .index >= 0);
}

/* An agent that looks. */
struct viewer {
    const struct world *world;
    const struct condition_def *condition;
    int32_t row;
    vec2 here, heading;
    float cosine;
};

/* Whether it sees something at `offset`: the cheap questions first. */
static bool is_seen(const struct viewer *viewer, vec2 offset) {
    return is_noticed(offset, viewer->condition->target.within) &&
           (viewer->cosine == WORLD_ALL_ROUND ||
            vec2_dot(offset, viewer->heading) >= viewer->cosine * vec2_length(offset)) &&
           !(viewer->condition->is_visible && is_hidden(viewer->world, viewer->here, offset));
}

static bool sees_slot(const struct viewer *viewer, int kind, int32_t slot) {
    const struct world *world = viewer->world;
    return world->grid.kind[slot] == kind && world->grid.row[slot] != viewer->row &&
           is_seen(viewer, bounds_difference(&world->bounds, viewer->here, place_of(world, slot)));
}

/* Whether it sees any agent of a kind: not the nearest alone, which may be behind it or behind a wall. */
static bool sees_kind(const struct viewer *viewer, int kind) {
    const struct world *world = viewer->world;
    const float within = viewer->condition->target.within;
    const int32_t population = world->kind_begin[kind + 1] - world->kind_begin[kind];
    if (world->is_sorted && within > 0.0f && population > FEW_AGENTS && may_search(world, within)) {
        struct grid_walk walk;
        grid_walk_begin(&walk, &world->grid, viewer->here, within);
        bool sees = false;
        for (int32_t begin, end; !sees && grid_walk_next(&walk, &begin, &end);) {
            for (int32_t slot = begin; slot < end && !sees; slot++) {
                sees = sees_slot(viewer, kind, slot);
            }
        }
        return sees;
    }
    for (int32_t i = world->kind_begin[kind]; i < world->kind_begin[kind + 1]; i++) {
        const int32_t slot = grid_slot(&world->grid, world_row_of_kind(world, kind, i));
        if (slot >= 0 && sees_slot(viewer, kind, slot)) { /* < 0: another rank has it: too far away */
            return true;
        }
    }
    return false;
}

/* The same of the targets whose names begin alike. */
static bool sees_target(const struct viewer *viewer, int length) {
    const struct world *world = viewer->world;
    bool sees = false;
    for (int i = 0; i < world->target_count && !sees; i++) {
        const struct target_def *target = &world->targets[i];
        sees = strncmp(target->name, viewer->condition->target.target, (size_t)length) == 0 &&
               is_seen(viewer, bounds_difference(&world->bounds, viewer->here, target->at));
    }
    return sees;
}

bool world_sees(const struct world *world, int32_t row, const struct condition_def *condition,
                const struct ref_runtime *runtime, float cosine, struct sight_place known) {
    const struct viewer viewer = {world, condition, row, position_of(world, row), world_heading(world, row),
                                  cosine};
    const struct target_info nearest = world_resolve_target(world, row, &condition->target, runtime, known);
    if (!nearest.is_there || is_seen(&viewer, nearest.offset)) {
        return nearest.is_there;
    }
    return (runtime->mode == REF_KIND && sees_kind(&viewer, runtime->index)) ||
           (runtime->mode == REF_PREFIX && sees_target(&viewer, runtime->index));
}

/* ---- hearing ---- */

/* The signal of the agent in a slot, by its state. */
static int signal_of(const struct world *world, int32_t slot) {
    return world->kinds[world->grid.kind[slot]].states[world->state[slot]].signal;
}

void world_listen(struct world *world) {
    world->has_voices = world->has_signals;
    world->voice_count = 0;
    for (int32_t slot = 0; world->has_signals && slot < world->grid.count; slot++) {
        world->voice[slot] = (uint16_t)signal_of(world, slot);
        world->voice_count += world->voice[slot] != 0;
    }
}

bool world_hears(const struct world *world, int32_t row, int signal, float within) {
    const vec2 here = position_of(world, row);
    const bool is_silent = world->has_voices && world->voice_count == 0;
    struct grid_walk walk;
    grid_walk_begin(&walk, &world->grid, here, within);
    bool hears = false;
    for (int32_t begin, end; !is_silent && !hears && grid_walk_next(&walk, &begin, &end);) {
        for (int32_t slot = begin; slot < end && !hears; slot++) {
            const int given = world->has_voices ? world->voice[slot] : signal_of(world, slot);
            hears = given == signal && world->grid.row[slot] != row &&
                    is_noticed(bounds_difference(&world->bounds, here, place_of(world, slot)), within);
        }
    }
    return hears;
}
