/* See neighbors.h. */
#include "server/sim/space/neighbors.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "server/sim/math/rng.h"

#define LANES_WIDTH 1

bool zone_is_same(const struct neighbor_zone *a, const struct neighbor_zone *b) {
    return a->radius == b->radius && a->cosine == b->cosine && a->is_sharp == b->is_sharp;
}

struct zone_plan zone_make_plan(const struct neighbor_zone *zone) {
    const float radius = zone->radius, cosine = zone->cosine;
    assert(radius >= 0.0f);
    struct zone_plan plan = {.squared = radius * radius, .cone = cosine * fabsf(cosine)};
    if (zone->is_sharp) {
        plan.strength = radius;
    } else if (plan.squared > 0.0f) {
        plan.fade = 1.0f / plan.squared;
        plan.strength = radius * (2.0f / 3.0f);
        plan.less = (2.0f / 3.0f) / radius;
    }
    return plan;
}

/* ---- neighbor log ---- */

static bool is_noted(const struct neighbor_log *log, uint32_t id) {
    for (int i = 0; i < log->count; i++) {
        if (log->ids[i] == id) {
            return true;
        }
    }
    return false;
}

/* Whether a neighbor comes before the one at a place of the list. */
static bool is_before(const struct neighbor_log *log, float squared, uint32_t id, int place) {
    return squared < log->squared[place] || (squared <= log->squared[place] && id < log->ids[place]);
}

void neighbor_log_add(struct neighbor_log *log, uint32_t id, vec2 offset) {
    assert(log->count >= 0 && log->count <= LIMIT_INSPECT_NEIGHBORS);
    if (is_noted(log, id)) {
        return;
    }
    const float squared = vec2_length_squared(offset);
    int place = log->count;
    if (place == LIMIT_INSPECT_NEIGHBORS) {
        place--;
        if (!is_before(log, squared, id, place)) {
            return;
        }
    } else {
        log->count++;
    }
    for (; place > 0 && is_before(log, squared, id, place - 1); place--) {
        log->ids[place] = log->ids[place - 1];
        log->squared[place] = log->squared[place - 1];
    }
    log->ids[place] = id;
    log->squared[place] = squared;
}

/* ---- neighbors ---- */

/* One agent at a time: the formulas of zone_sums.inc.h and threat_rule.inc.h with a single
 * lane. */

#include "server/sim/space/threat_rule.inc.h"
#include "server/sim/space/zone_sums.inc.h"

#define COINCIDENT_PUSH                                                                                      \
    64.0f /* separation from an agent in the same place, as from one at 1/64 of the radius */

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
    struct grid_walk walk;
    grid_walk_begin(&walk, grid, vec2_make(lens->self.x, lens->self.y), radius);
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
    struct grid_walk walk;
    grid_walk_begin(&walk, grid, vec2_make(lens->self.x, lens->self.y), radius);
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
    struct grid_walk walk;
    grid_walk_begin(&walk, grid, vec2_make(lens.self.x, lens.self.y), radius);
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
    struct grid_walk walk;
    grid_walk_begin(&walk, grid, vec2_make(lens.self.x, lens.self.y), zone->radius);
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

int32_t neighbors_nearest_slots(const struct grid *grid, const struct neighbor_query *query,
                                const struct neighbor_zone *zone, int32_t *out) {
    assert(query->most >= 1 && query->most <= NEIGHBORS_NEAREST_MAX);
    const struct lens lens = make_lens(grid, query);
    const struct zone_plan plan = zone_make_plan(zone);
    struct few few;
    find_few(grid, &lens, &plan, 1, zone->radius, query->most, &few);
    for (int32_t i = 0; i < few.count; i++) {
        out[i] = few.at[i].slot;
    }
    return few.count;
}

int32_t neighbors_nearest_few(const struct grid *grid, const struct neighbor_query *query,
                              const struct neighbor_zone *zone, struct neighbor *out) {
    int32_t slots[NEIGHBORS_NEAREST_MAX];
    const int32_t count = neighbors_nearest_slots(grid, query, zone, slots);
    const struct lens lens = make_lens(grid, query);
    for (int32_t i = 0; i < count; i++) {
        out[i] = describe(grid, query, slots[i], offset_of(&lens, &grid->motion[slots[i]]));
        neighbor_log_note(query->log, out[i].id, out[i].offset);
    }
    return count;
}

/* ---- threats ---- */

static struct approach approach_of(const struct lens *lens, const struct neighbor_space *space,
                                   const struct grid *grid, int32_t slot, vec2 offset) {
    const struct motion *other = &grid->motion[slot];
    return (struct approach){
        .offset = {offset.x, offset.y},
        .own = {lens->self.vx, lens->self.vy},
        .theirs = {other->vx, other->vy},
        .room = space->radius + grid->radius[slot] + space->clearance,
    };
}

static struct neighbor describe_threat(const struct grid *grid, const struct neighbor_query *query,
                                       int32_t slot, vec2 offset, const struct threat *threat) {
    struct neighbor other = describe(grid, query, slot, offset);
    other.time = threat->time;
    other.miss = sqrtf(threat->then_squared);
    other.offset_then = vec2_make(threat->then.x, threat->then.y);
    return other;
}

static vec2 push_from(const struct grid *grid, const struct neighbor_query *query,
                      const struct neighbor_space *space, const struct approach *approach,
                      const struct threat *threat, uint32_t other) {
    struct pair away = threat_away(approach, threat);
    if (pair_dot(away, away) < NEIGHBORS_COINCIDENT) {
        const vec2 split = neighbors_split(query->ids[grid->row[query->slot]], other);
        away = pair_all(-split.x, -split.y);
    }
    const struct pair push = threat_push(approach, threat, away, space->clearance, space->horizon);
    return vec2_make(push.x, push.y);
}

static void keep_soonest(const struct neighbor *other, struct neighbor *soonest) {
    if (!soonest->is_there || other->time < soonest->time ||
        (other->time == soonest->time && other->row < soonest->row)) {
        *soonest = *other;
    }
}

struct neighbor_threats neighbors_threats(const struct grid *grid, const struct neighbor_query *query,
                                          const struct neighbor_zone *zone,
                                          const struct neighbor_space *space) {
    const struct lens lens = make_lens(grid, query);
    const struct zone_plan plan = zone_make_plan(zone);
    struct neighbor_threats threats = {0};
    struct grid_walk walk;
    grid_walk_begin(&walk, grid, vec2_make(lens.self.x, lens.self.y), zone->radius);
    for (int32_t begin, end; grid_walk_next(&walk, &begin, &end);) {
        for (int32_t slot = begin; slot < end; slot++) {
            const vec2 offset = offset_of(&lens, &grid->motion[slot]);
            if (!counts(&lens, grid, slot) || !is_in_zone(&lens, &plan, offset)) {
                continue;
            }
            const struct approach approach = approach_of(&lens, space, grid, slot, offset);
            const struct threat threat = threat_predict(&approach, space->horizon);
            if (threat.is_one) {
                const struct neighbor other = describe_threat(grid, query, slot, offset, &threat);
                threats.push =
                    vec2_add(threats.push, push_from(grid, query, space, &approach, &threat, other.id));
                threats.count++;
                neighbor_log_note(query->log, other.id, offset);
                keep_soonest(&other, &threats.soonest);
            }
        }
    }
    return threats;
}
