/* See neighbors.h. One agent at a time: the formula of zone_sums.inc.h with a single lane. */
#define LANES_WIDTH 1
#include "server/sim/space/neighbors.h"

#include <assert.h>
#include <math.h>

#include "server/sim/math/rng.h"
#include "server/sim/space/zone_sums.inc.h"

#define COINCIDENT_PUSH                                                                                      \
    64.0f /* separation from an agent in the same place, as from one at 1/64 of the radius */
#define STILL_SQUARED  1e-12f /* (px/s)^2: slower than that two agents do not approach each other */
#define SIDE_SHARE     0.2f   /* of the room two need: how far each agent leans to the same hand */
#define CROSSING_SHARE 0.3f   /* of the speed: less of it across is no crossing */
#define FASTER         1.1f   /* times as fast goes first */

vec2 neighbors_split(uint32_t id, uint32_t other) {
    const uint32_t low = id < other ? id : other, high = id < other ? other : id;
    struct rng rng = {rng_mix(((uint64_t)high << 32) | low)};
    vec2 direction;
    do {
        const float x = rng_between(&rng, -1.0f, 1.0f), y = rng_between(&rng, -1.0f, 1.0f);
        direction = vec2_make(x, y);
    } while (vec2_length_squared(direction) < 1e-4f);
    return vec2_with_length(direction, id < other ? 1.0f : -1.0f);
}

/* ---- one candidate ---- */

/* What a query means in numbers. */
struct lens {
    struct motion self;
    vec2 heading;
    float core_squared;
    vec2 size, half; /* px */
    uint64_t kinds;
    int32_t slot;
};

static struct lens make_lens(const struct grid *grid, const struct neighbor_query *query) {
    assert(query->slot >= 0 && query->slot < grid->count);
    assert(query->most >= 0 && query->most <= NEIGHBORS_NEAREST_MAX);
    const bool wraps = query->bounds->edge == EDGE_WRAP;
    const vec2 size = query->bounds->size, far = {3e38f, 3e38f};
    return (struct lens){
        .self = grid->motion[query->slot],
        .heading = query->heading,
        .core_squared = query->core * query->core,
        .size = size,
        .half = wraps ? vec2_scale(size, 0.5f) : far,
        .kinds = query->kinds,
        .slot = query->slot,
    };
}

static inline vec2 offset_of(const struct lens *lens, const struct motion *other) {
    return vec2_make(short_way(other->x - lens->self.x, lens->size.x, lens->half.x),
                     short_way(other->y - lens->self.y, lens->size.y, lens->half.y));
}

static inline struct candidate candidate_at(vec2 offset) {
    return (struct candidate){.x = offset.x, .y = offset.y, .squared = vec2_length_squared(offset)};
}

static inline bool counts(const struct lens *lens, const struct grid *grid, int32_t slot) {
    return slot != lens->slot && ((lens->kinds >> grid->kind[slot]) & 1) != 0;
}

static inline bool is_in_zone(const struct lens *lens, const struct zone_plan *zone, vec2 offset) {
    struct candidate other = candidate_at(offset);
    other.facing = candidate_facing(&other, lens->heading.x, lens->heading.y, lens->core_squared);
    return zone_contains(zone, &other, true);
}

/* ---- sums ---- */

/* Adds a candidate that counts in a zone. */
static inline void add_to_zone(const struct grid *grid, const struct neighbor_query *query,
                               const struct zone_plan zones[ZONE_COUNT], enum zone zone, int32_t slot,
                               const struct candidate *other, struct sums *sums) {
    sums->count[zone]++;
    if (zone == ZONE_ALIGNMENT) {
        const float weight = zone_weight(&zones[zone], true, other);
        zone_align(weight, &grid->motion[slot], sums);
        sums->velocity_weight += weight;
    } else if (zone == ZONE_COHESION) {
        const float weight = zone_weight(&zones[zone], true, other);
        zone_cohere(weight, other, sums);
        sums->offset_weight += weight;
    } else if (other->squared < NEIGHBORS_COINCIDENT) {
        const vec2 push =
            vec2_scale(neighbors_split(query->ids[grid->row[query->slot]], query->ids[grid->row[slot]]),
                       COINCIDENT_PUSH);
        sums->separation_x -= push.x;
        sums->separation_y -= push.y;
    } else {
        zone_separate(&zones[zone], false, true, other, sums);
    }
}

static void sum_run(const struct grid *grid, const struct neighbor_query *query, const struct lens *lens,
                    const struct zone_plan zones[ZONE_COUNT], float furthest, int32_t begin, int32_t end,
                    struct sums *sums) {
    for (int32_t slot = begin; slot < end; slot++) {
        struct candidate other = candidate_at(offset_of(lens, &grid->motion[slot]));
        if (!(other.squared < furthest) || !counts(lens, grid, slot)) {
            continue;
        }
        other.facing = candidate_facing(&other, lens->heading.x, lens->heading.y, lens->core_squared);
        for (int zone = 0; zone < ZONE_COUNT; zone++) {
            if (zone_contains(&zones[zone], &other, true)) {
                add_to_zone(grid, query, zones, (enum zone)zone, slot, &other, sums);
            }
        }
    }
}

static struct neighbor_sums finish_sums(const struct sums *sums) {
    return (struct neighbor_sums){
        .separation_count = sums->count[ZONE_SEPARATION],
        .alignment_count = sums->count[ZONE_ALIGNMENT],
        .cohesion_count = sums->count[ZONE_COHESION],
        .separation = {sums->separation_x, sums->separation_y},
        .velocity = {sums->velocity_x, sums->velocity_y},
        .velocity_weight = sums->velocity_weight,
        .offset = {sums->offset_x, sums->offset_y},
        .offset_weight = sums->offset_weight,
    };
}

/* ---- the nearest so many ---- */

/* Those found so far, nearest first, of two as near the lower row (and so the lower id) first. */
struct few {
    int32_t count;
    struct {
        float squared;
        int32_t slot;
    } at[NEIGHBORS_NEAREST_MAX];
};

/* Whether one at that distance could still be of them; most are not. */
static bool may_enter(const struct few *few, int32_t most, float squared) {
    return few->count < most || squared <= few->at[most - 1].squared;
}

static void keep(struct few *few, const struct grid *grid, int32_t most, int32_t slot, float squared) {
    int32_t place = few->count;
    while (place > 0 &&
           (squared < few->at[place - 1].squared || (squared == few->at[place - 1].squared &&
                                                     grid->row[slot] < grid->row[few->at[place - 1].slot]))) {
        place--;
    }
    if (place == most) {
        return;
    }
    for (int32_t i = few->count < most ? few->count : most - 1; i > place; i--) {
        few->at[i] = few->at[i - 1];
    }
    few->at[place].squared = squared;
    few->at[place].slot = slot;
    few->count += few->count < most;
}

/* few[z]: the nearest `most` of zones[z]. radius: of the widest. */
static void find_few(const struct grid *grid, const struct lens *lens, const struct zone_plan *zones,
                     int zone_count, float radius, int32_t most, struct few *few) {
    for (int zone = 0; zone < zone_count; zone++) {
        few[zone].count = 0;
    }
    struct grid_walk walk = grid_walk_begin(grid, vec2_make(lens->self.x, lens->self.y), radius);
    for (int32_t begin, end; grid_walk_next(&walk, &begin, &end);) {
        for (int32_t slot = begin; slot < end; slot++) {
            const vec2 offset = offset_of(lens, &grid->motion[slot]);
            const float squared = vec2_length_squared(offset);
            if (!(squared < radius * radius) || !counts(lens, grid, slot)) {
                continue;
            }
            for (int zone = 0; zone < zone_count; zone++) {
                if (may_enter(&few[zone], most, squared) && is_in_zone(lens, &zones[zone], offset)) {
                    keep(&few[zone], grid, most, slot, squared);
                }
            }
        }
    }
}

static void log_slot(const struct grid *grid, const struct neighbor_query *query, int32_t slot, vec2 offset) {
    neighbor_log_note(query->log, query->ids[grid->row[slot]], offset);
}

static struct neighbor_sums sum_few(const struct grid *grid, const struct neighbor_query *query,
                                    const struct lens *lens, const struct zone_plan zones[ZONE_COUNT],
                                    float radius) {
    struct few few[ZONE_COUNT];
    find_few(grid, lens, zones, ZONE_COUNT, radius, query->most, few);
    struct sums sums = {0};
    for (int zone = 0; zone < ZONE_COUNT; zone++) {
        for (int32_t i = 0; i < few[zone].count; i++) {
            const int32_t slot = few[zone].at[i].slot;
            const vec2 offset = offset_of(lens, &grid->motion[slot]);
            const struct candidate other = candidate_at(offset);
            log_slot(grid, query, slot, offset);
            add_to_zone(grid, query, zones, (enum zone)zone, slot, &other, &sums);
        }
    }
    return finish_sums(&sums);
}

/* Logs every agent in one of the zones: those that sum_run adds. */
static void log_zones(const struct grid *grid, const struct neighbor_query *query, const struct lens *lens,
                      const struct zone_plan zones[ZONE_COUNT], float radius) {
    struct grid_walk walk = grid_walk_begin(grid, vec2_make(lens->self.x, lens->self.y), radius);
    for (int32_t begin, end; grid_walk_next(&walk, &begin, &end);) {
        for (int32_t slot = begin; slot < end; slot++) {
            const vec2 offset = offset_of(lens, &grid->motion[slot]);
            bool is_in = false;
            for (int zone = 0; zone < ZONE_COUNT; zone++) {
                is_in |= is_in_zone(lens, &zones[zone], offset);
            }
            if (is_in && counts(lens, grid, slot)) {
                log_slot(grid, query, slot, offset);
            }
        }
    }
}

struct neighbor_sums neighbors_sum(const struct grid *grid, const struct neighbor_query *query,
                                   const struct neighbor_zone zones[ZONE_COUNT]) {
    const struct lens lens = make_lens(grid, query);
    struct zone_plan plans[ZONE_COUNT];
    float radius = 0.0f;
    for (int zone = 0; zone < ZONE_COUNT; zone++) {
        plans[zone] = zone_make_plan(&zones[zone]);
        radius = zones[zone].radius > radius ? zones[zone].radius : radius;
    }
    if (query->most > 0) {
        return sum_few(grid, query, &lens, plans, radius);
    }
    if (query->log != NULL) {
        log_zones(grid, query, &lens, plans, radius);
    }
    struct sums sums = {0};
    struct grid_walk walk = grid_walk_begin(grid, vec2_make(lens.self.x, lens.self.y), radius);
    for (int32_t begin, end; grid_walk_next(&walk, &begin, &end);) {
        sum_run(grid, query, &lens, plans, radius * radius, begin, end, &sums);
    }
    return finish_sums(&sums);
}

/* ---- single neighbors ---- */

static struct neighbor describe(const struct grid *grid, const struct neighbor_query *query, int32_t slot,
                                vec2 offset) {
    const struct motion *other = &grid->motion[slot];
    const int32_t row = grid->row[slot];
    return (struct neighbor){
        .is_there = true,
        .row = row,
        .id = query->ids[row],
        .distance = vec2_length(offset),
        .radius = grid->radius[slot],
        .offset = offset,
        .velocity = {other->vx, other->vy},
    };
}

struct neighbor neighbors_nearest(const struct grid *grid, const struct neighbor_query *query,
                                  const struct neighbor_zone *zone) {
    const struct lens lens = make_lens(grid, query);
    const struct zone_plan plan = zone_make_plan(zone);
    struct neighbor nearest = {.is_there = false};
    float best = zone->radius * zone->radius;
    struct grid_walk walk = grid_walk_begin(grid, vec2_make(lens.self.x, lens.self.y), zone->radius);
    for (int32_t begin, end; grid_walk_next(&walk, &begin, &end);) {
        for (int32_t slot = begin; slot < end; slot++) {
            const vec2 offset = offset_of(&lens, &grid->motion[slot]);
            const float squared = vec2_length_squared(offset);
            const bool is_nearer =
                squared < best || (squared == best && nearest.is_there && grid->row[slot] < nearest.row);
            if (is_nearer && counts(&lens, grid, slot) && is_in_zone(&lens, &plan, offset)) {
                best = squared;
                nearest = describe(grid, query, slot, offset);
            }
        }
    }
    if (nearest.is_there) {
        neighbor_log_note(query->log, nearest.id, nearest.offset);
    }
    return nearest;
}

int32_t neighbors_nearest_few(const struct grid *grid, const struct neighbor_query *query,
                              const struct neighbor_zone *zone, struct neighbor *out) {
    assert(query->most >= 1 && query->most <= NEIGHBORS_NEAREST_MAX);
    const struct lens lens = make_lens(grid, query);
    const struct zone_plan plan = zone_make_plan(zone);
    struct few few;
    find_few(grid, &lens, &plan, 1, zone->radius, query->most, &few);
    for (int32_t i = 0; i < few.count; i++) {
        const int32_t slot = few.at[i].slot;
        out[i] = describe(grid, query, slot, offset_of(&lens, &grid->motion[slot]));
        neighbor_log_note(query->log, out[i].id, out[i].offset);
    }
    return few.count;
}

/* When two that are `offset` apart and move apart at `velocity` are nearest: s, 0 when that is over. */
static float time_of_approach(vec2 offset, vec2 velocity) {
    const float speed_squared = vec2_length_squared(velocity);
    if (!(speed_squared > STILL_SQUARED)) {
        return 0.0f;
    }
    const float time = -vec2_dot(offset, velocity) / speed_squared;
    return time > 0.0f ? time : 0.0f;
}

/* The side to step to when the other comes near the middle, as a unit vector across the relative velocity:
 * the one that lets the faster of two on crossing courses pass first; otherwise the same hand for every
 * agent. What the other computes is the opposite. */
static vec2 sidestep(vec2 own, vec2 theirs, vec2 relative) {
    const vec2 along = vec2_with_length(relative, 1.0f);
    const vec2 across = {-along.y, along.x};
    const float own_speed = vec2_length(own), their_speed = vec2_length(theirs);
    float gain = 0.0f, fastest = own_speed;
    if (own_speed > FASTER * their_speed) {
        gain = vec2_dot(across, own);
    } else if (their_speed > FASTER * own_speed) {
        gain = -vec2_dot(across, theirs);
        fastest = their_speed;
    }
    const bool is_crossing = gain > CROSSING_SHARE * fastest || gain < -CROSSING_SHARE * fastest;
    return is_crossing && gain < 0.0f ? vec2_scale(across, -1.0f) : across;
}

/* The unit vector away from where the other will be. */
static vec2 away_from(const struct grid *grid, const struct neighbor_query *query, const struct lens *lens,
                      const struct neighbor *other, float room) {
    const vec2 own = {lens->self.vx, lens->self.vy};
    const vec2 relative = vec2_sub(other->velocity, own);
    vec2 away = vec2_scale(other->offset_then, -1.0f);
    if (vec2_length_squared(relative) > STILL_SQUARED) {
        away = vec2_add(away, vec2_scale(sidestep(own, other->velocity, relative), SIDE_SHARE * room));
    }
    if (vec2_length_squared(away) < NEIGHBORS_COINCIDENT) {
        away = vec2_scale(neighbors_split(query->ids[grid->row[query->slot]], other->id), -1.0f);
    }
    return vec2_with_length(away, 1.0f);
}

static float at_most(float value, float limit) {
    return value < limit ? value : limit;
}

/* Whether the candidate will come too near within the horizon; fills what is known of it. */
static bool is_threat(const struct grid *grid, const struct neighbor_query *query, const struct lens *lens,
                      const struct neighbor_space *space, int32_t slot, vec2 offset, struct neighbor *out) {
    const struct motion *other = &grid->motion[slot];
    const vec2 relative = {other->vx - lens->self.vx, other->vy - lens->self.vy};
    const float time = time_of_approach(offset, relative);
    const vec2 then = vec2_add(offset, vec2_scale(relative, time));
    const float room = space->radius + grid->radius[slot] + space->clearance;
    /* An agent that moves away is no threat, however near. */
    if (!(time < space->horizon && vec2_length_squared(then) < room * room) ||
        vec2_dot(offset, relative) > 0.0f) {
        return false;
    }
    *out = describe(grid, query, slot, offset);
    out->time = time;
    out->miss = vec2_length(then);
    out->offset_then = then;
    return true;
}

struct neighbor_threats neighbors_threats(const struct grid *grid, const struct neighbor_query *query,
                                          const struct neighbor_zone *zone,
                                          const struct neighbor_space *space) {
    const struct lens lens = make_lens(grid, query);
    const struct zone_plan plan = zone_make_plan(zone);
    struct neighbor_threats threats = {0};
    struct grid_walk walk = grid_walk_begin(grid, vec2_make(lens.self.x, lens.self.y), zone->radius);
    for (int32_t begin, end; grid_walk_next(&walk, &begin, &end);) {
        for (int32_t slot = begin; slot < end; slot++) {
            const vec2 offset = offset_of(&lens, &grid->motion[slot]);
            struct neighbor other;
            if (!counts(&lens, grid, slot) || !is_in_zone(&lens, &plan, offset) ||
                !is_threat(grid, query, &lens, space, slot, offset, &other)) {
                continue;
            }
            const float room = space->radius + other.radius + space->clearance;
            /* Both fade out where the danger begins, so that noticing it is no jolt. */
            const float soon = at_most(2.0f * (1.0f - other.time / space->horizon), 1.0f);
            const float band = space->clearance + SIDE_SHARE * room;
            const float near = at_most((room - at_most(other.miss, room)) / band, 1.0f);
            threats.push =
                vec2_add(threats.push, vec2_scale(away_from(grid, query, &lens, &other, room), soon * near));
            threats.count++;
            neighbor_log_note(query->log, other.id, offset);
            const struct neighbor *first = &threats.soonest;
            if (!first->is_there || other.time < first->time ||
                (other.time == first->time && other.row < first->row)) {
                threats.soonest = other;
            }
        }
    }
    return threats;
}
