/* See kernels.h: the plans that all widths have in common, and the kernels of each instruction set. */
#include "server/sim/kernels/kernels.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "server/sim/kernels/kernels_internal.h"

static const struct kernel_set *const sets[SIMD_COUNT] = {
#if !defined(DROVER_WITHOUT_PLAIN)
    [SIMD_PLAIN] = &kernels_plain,
#endif
#if defined(__x86_64__)
    [SIMD_SSE2] = &kernels_sse2,
    [SIMD_AVX2] = &kernels_avx2,
    [SIMD_AVX512] = &kernels_avx512,
#elif defined(__wasm_simd128__)
    [SIMD_SIMD128] = &kernels_simd128,
#endif
};

static const struct kernel_set *kernels_of(enum simd simd) {
    assert(simd_is_supported(simd) && sets[simd] != NULL);
    return sets[simd];
}

/* ---- neighbors ---- */

vec2 neighbor_batch_heading(const struct neighbor_batch *batch, int32_t slot) {
    assert(slot >= 0 && slot < batch->grid->count);
    const vec2 velocity = {batch->grid->motion[slot].vx, batch->grid->motion[slot].vy};
    return vec2_length_squared(velocity) > batch->course_above
               ? vec2_with_length(velocity, 1.0f)
               : batch->heading[neighbor_batch_place(batch, slot)];
}

#define ALL_ROUND -1.5f /* a cosine of a view no larger than this leaves nothing out */

enum { GAP_LEAST = 6 }; /* slots: what it takes to begin a block */

#define SPARSE 4.0f /* zones are sparse where a lane has room for so many squares of their radius */

static enum kernel_layout find_layout(const struct neighbor_zone *zones) {
    if (!zone_is_same(&zones[ZONE_ALIGNMENT], &zones[ZONE_COHESION])) {
        return KERNEL_THREE;
    }
    return zone_is_same(&zones[ZONE_SEPARATION], &zones[ZONE_ALIGNMENT]) ? KERNEL_ONE : KERNEL_TWIN;
}

static enum zone find_only(const struct neighbor_zone *zones) {
    enum zone only = ZONE_COUNT;
    for (int z = 0; z < ZONE_COUNT; z++) {
        if (zones[z].radius > 0.0f && only != ZONE_COUNT) {
            return ZONE_COUNT;
        }
        only = zones[z].radius > 0.0f ? (enum zone)z : only;
    }
    return only;
}

/* Whether most candidates are out of reach of all lanes, even where these share no part of their zones. */
static bool is_sparse(const struct kernel_plan *plan, const struct grid *grid) {
    const float width = (float)(2 * plan->reach_columns + 1) / grid->across.scale;
    const float height = (float)(2 * plan->reach_rows + 1) / grid->down.scale;
    return SPARSE * (float)KERNEL_WIDTH_MAX * plan->furthest < width * height;
}

/* A slot more adds a candidate to each row of cells; a block more has candidates of its own. */
static int32_t find_gap(const struct kernel_plan *plan, const struct grid *grid) {
    const int64_t columns = 2 * plan->reach_columns + 1;
    const int64_t gap =
        GAP_LEAST + columns * (grid->count + grid->absent) / (grid->across.cells * grid->down.cells);
    return gap < KERNEL_WIDTH_MAX ? (int32_t)gap : KERNEL_WIDTH_MAX;
}

/* The plan of a query. batch: must live as long as the plan. */
static struct kernel_plan kernel_make_plan(const struct neighbor_batch *batch) {
    const vec2 size = batch->bounds->size;
    const struct neighbor_zone *zones = batch->zones;
    struct kernel_plan plan = {
        .batch = batch,
        .is_picky = batch->kinds != UINT64_MAX,
        .layout = find_layout(zones),
        .only = find_only(zones),
        .size_x = size.x,
        .size_y = size.y,
        .half_x = 0.5f * size.x,
        .half_y = 0.5f * size.y,
    };
    float radius = 0.0f;
    plan.is_sharp = true;
    for (int z = 0; z < ZONE_COUNT; z++) {
        plan.is_sharp &= zones[z].is_sharp || zones[z].radius <= 0.0f;
        plan.zones[z] = zone_make_plan(&zones[z]);
        radius = zones[z].radius > radius ? zones[z].radius : radius;
        plan.has_cones |= zones[z].radius > 0.0f && zones[z].cosine > ALL_ROUND;
    }
    plan.furthest = radius * radius;
    /* From the cell that oneself was in, to those that others were in. */
    const float reach = radius + 2.0f * batch->grid->drift;
    plan.reach_columns = grid_reach_cells(&batch->grid->across, reach);
    plan.reach_rows = grid_reach_cells(&batch->grid->down, reach);
    plan.is_sparse = is_sparse(&plan, batch->grid);
    plan.gap = find_gap(&plan, batch->grid);
    return plan;
}

struct neighbor_sums kernel_sums_alone(const struct kernel_plan *plan, int32_t slot) {
    assert(slot >= 0 && slot < plan->batch->grid->count);
    const struct neighbor_batch *batch = plan->batch;
    const struct neighbor_query query = {
        .bounds = batch->bounds,
        .ids = batch->ids,
        .slot = slot,
        .heading = neighbor_batch_heading(batch, slot),
        .core = batch->core_radii * batch->grid->radius[slot],
        .kinds = batch->kinds,
    };
    return neighbors_sum(batch->grid, &query, batch->zones);
}

void neighbor_kernel_columns(enum simd simd, const struct neighbor_batch *batch, int32_t begin, int32_t end,
                             uint64_t wanted, struct sums_columns *out) {
    assert(simd_is_supported(simd) && begin >= 0 && begin <= end && end <= batch->grid->count);
    assert(end - begin <= KERNEL_PLACES);
    const struct kernel_plan plan = kernel_make_plan(batch);
    kernels_of(simd)->neighbor(&plan, begin, end, wanted, out);
}

/* ---- threats ---- */

void threat_kernel_sums(enum simd simd, const struct threat_batch *batch, int32_t begin, int32_t end,
                        uint64_t wanted, struct threat_columns *out) {
    const struct neighbor_batch *neighbors = batch->neighbors;
    assert(simd_is_supported(simd) && begin >= 0 && begin <= end && end <= neighbors->grid->count);
    assert(end - begin <= KERNEL_PLACES);
    const struct neighbor_zone zones[ZONE_COUNT] = {[ZONE_SEPARATION] = neighbors->zones[ZONE_SEPARATION]};
    struct neighbor_batch near = *neighbors;
    near.zones = zones;
    const struct threat_plan plan = {kernel_make_plan(&near), batch->clearance, batch->horizon};
    kernels_of(simd)->threat(&plan, begin, end, wanted, out);
}

/* ---- sights ---- */

/* Candidates that lanes may share, for each agent in them and once: more cost more than a further walk. */
enum { SHARED_EACH = 8, SHARED_ONCE = 24 };

void sight_kernel_find(enum simd simd, const struct sight_query *query, int32_t begin, int32_t end,
                       uint64_t wanted, struct sight_columns *out) {
    assert(simd_is_supported(simd) && begin >= 0 && begin <= end && end <= query->grid->count);
    assert(end - begin <= SIGHT_PLACES && query->within > 0.0f);
    assert(query->index->kinds[query->kind].count > 0);
    kernels_of(simd)->sight(query, begin, end, wanted, out);
}

/* The lower half of the bits that are set, `count` of them. */
static uint32_t lower_half(uint32_t bits, int count) {
    uint32_t half = 0;
    for (int taken = 0; taken < count / 2; taken++) {
        const uint32_t lowest = bits & (~bits + 1);
        half |= lowest;
        bits ^= lowest;
    }
    return half;
}

uint32_t sight_choose_agents(const struct sight_query *query, uint32_t wanted, vec2 low, vec2 high,
                             float reach, struct sight_area *area) {
    const struct sight_kind *kind = &query->index->kinds[query->kind];
    const int count = bits_count(wanted);
    *area = sight_area_of(kind, low, high, kind->is_in_grid ? reach + query->grid->drift : reach);
    return count == 1 || sight_area_entries(kind, area) <= SHARED_EACH * count + SHARED_ONCE
               ? wanted
               : lower_half(wanted, count);
}

/* ---- flocks ---- */

/* Where bounds_apply changes nothing. */
static void set_limits(const struct bounds *bounds, float radius, struct flock_plan *plan) {
    const float most = (float)LIMIT_COORDINATE;
    switch (bounds->edge) {
    case EDGE_WRAP:
        plan->low = vec2_make(0.0f, 0.0f);
        plan->high = bounds->size;
        break;
    case EDGE_BOUNCE:
        plan->low = vec2_make(radius, radius);
        plan->high = vec2_make(bounds->size.x - radius, bounds->size.y - radius);
        break;
    case EDGE_OPEN:
    case EDGE_CONTAIN:
        plan->low = vec2_make(-most, -most);
        plan->high = vec2_make(most, most);
        break;
    }
}

/* The plan of a tick. rules: must live as long as the plan. */
static struct flock_plan flock_make_plan(const struct bounds *bounds, const struct flock_rules *rules) {
    assert(rules->mass > 0.0f && rules->dt > 0.0f && rules->max_speed >= 0.0f);
    struct flock_plan plan = {
        .rules = rules,
        .limits = flock_limits(rules->max_speed, rules->max_force, rules->exact_rate),
        .full_radius_inverse = flock_full_inverse(rules->cohesion_radius),
        .push = rules->dt / rules->mass,
        .hold_squared = locomotion_hold_squared(rules->max_speed),
    };
    set_limits(bounds, rules->radius, &plan);
    return plan;
}

void flock_finish(const struct kernel_plan *plan, const struct flock_plan *flock, int32_t slot,
                  struct motion moved, const struct flock_out *out) {
    const struct flock_rules *rules = flock->rules;
    const struct motion next = bounds_apply(plan->batch->bounds, moved, rules->radius);
    out->next[slot] = next;
    if (out->cell != NULL) {
        out->cell[slot] = grid_cell(plan->batch->grid, &next);
    }
    out->heading[neighbor_batch_place(plan->batch, slot)] =
        locomotion_heading(neighbor_batch_heading(plan->batch, slot), vec2_make(next.vx, next.vy),
                           rules->max_speed, rules->turn);
}

void flock_kernel_step(enum simd simd, const struct neighbor_batch *batch, const struct flock_rules *rules,
                       int32_t begin, int32_t end, const struct flock_out *out) {
    assert(simd_is_supported(simd) && batch->bounds->edge != EDGE_CONTAIN);
    assert(!out->only_of_resting || rules->turn.x <= NO_TURN_LIMIT);
    const struct kernel_plan plan = kernel_make_plan(batch);
    const struct flock_plan flock = flock_make_plan(batch->bounds, rules);
    kernels_of(simd)->flock(&plan, &flock, begin, end, out);
}

/* ---- orca ---- */

#define MOST_QUANTA 1048575.0f /* 20 bits */
#define ANY_BEARING -2.0f      /* no cosine is less */

/* The plan of a query. query: must live as long as the plan. */
static struct orca_plan orca_make_plan(const struct orca_query *query) {
    assert(query->horizon > 0.0f && query->settle > 0.0f && query->radius >= 0.0f);
    assert(query->most >= 1 && query->most <= NEIGHBORS_NEAREST_MAX);
    const struct grid *grid = query->grid;
    const vec2 size = query->bounds->size;
    /* Where all agents are of one kind, a look at the first one tells. */
    const bool leaves_out = grid->has_kinds || ((query->kinds >> grid->kind[0]) & 1) == 0;
    /* From where an agent is now to the cell that another one was in. */
    const float reach = query->radius + 2.0f * grid->drift;
    return (struct orca_plan){
        .query = query,
        .is_picky = query->kinds != UINT64_MAX && leaves_out,
        .size_x = size.x,
        .size_y = size.y,
        .half_x = 0.5f * size.x,
        .half_y = 0.5f * size.y,
        .furthest = query->radius * query->radius,
        .quanta = MOST_QUANTA / (query->radius * query->radius),
        .reach_x = grid_reach(&grid->across, reach),
        .reach_y = grid_reach(&grid->down, reach),
        .horizon_inverse = 1.0f / query->horizon,
        .settle_inverse = 1.0f / query->settle,
    };
}

int32_t orca_rank_alone(const struct orca_plan *plan, int32_t slot, int32_t *out) {
    const struct orca_query *asked = plan->query;
    const struct neighbor_query query = {
        .bounds = asked->bounds,
        .ids = asked->ids,
        .slot = slot,
        .heading = {1.0f, 0.0f},
        .kinds = asked->kinds,
        .most = asked->most,
    };
    const struct neighbor_zone zone = {.radius = asked->radius, .cosine = ANY_BEARING};
    return neighbors_nearest_slots(asked->grid, &query, &zone, out);
}

void orca_kernel_solve(enum simd simd, const struct orca_query *query, const struct orca_wishes *wishes,
                       int32_t begin, int32_t end, const uint64_t *wanted,
                       const struct orca_answers *answers) {
    assert(simd_is_supported(simd) && begin >= 0 && begin <= end && end <= query->grid->count);
    const size_t size = (size_t)orca_words(end - begin) * sizeof *wanted;
    memset(answers->active, 0, size);
    memset(answers->alone, 0, size);
    const struct orca_plan plan = orca_make_plan(query);
    if (!(plan.furthest > 0.0f)) {
        return; /* without neighbors everything is permitted */
    }
    if (plan.quanta > 1e30f) {
        memcpy(answers->alone, wanted, size); /* in a circle so small ranks would be no numbers */
        return;
    }
    kernels_of(simd)->orca(&plan, wishes, begin, end, wanted, answers);
}

/* ---- steering ---- */

bool steering_has_rule(enum behavior_type type) {
    return kernels_of(simd_simplest())->steering->rules[type] != NULL;
}

const struct steering_kernel *steering_kernel_of(enum simd simd) {
    return kernels_of(simd)->steering;
}
