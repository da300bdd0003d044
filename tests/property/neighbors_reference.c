/* The grid and its kernels against the plain reference, bit for bit, on random arrangements: every edge,
 * every density, tiny and huge radii, agents outside the box, heaps of coincident agents.
 *
 * The reference visits all agents, in the order of the contract, and follows neighbors.h; an agent that
 * does not count adds +0.0, as in a kernel with agents in SIMD lanes.
 *
 * DROVER_PROPERTY_SEED and DROVER_PROPERTY_WORLDS repeat or lengthen a run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/math/rng.h"
#include "server/sim/space/neighbors.h"
#include "tests/property/environment.h"
#include "tests/unit/server/cmocka_all.h"
#include "tests/unit/server/sim/grid_fixture.h"

enum { MOST = 400 };

static struct rng dice;
static struct bounds bounds;
static struct grid grid;
static struct motion motion[MOST];
static uint8_t kind[MOST];
static uint32_t ids[MOST];
static int32_t count;

static float any(float low, float high) {
    return rng_between(&dice, low, high);
}
static int below(int limit) {
    return (int)(rng_next(&dice) % (uint64_t)limit);
}
/* Spread over orders of magnitude. */
static float spread(float low, float high) {
    return low * powf(high / low, any(0.0f, 1.0f));
}

static vec2 random_place(void) {
    switch (below(6)) {
    case 0: /* exactly on a corner or an edge */
        return (vec2){below(2) ? 0.0f : bounds.size.x, below(2) ? 0.0f : any(0.0f, bounds.size.y)};
    case 1: /* outside */
        return (vec2){any(-1e6f, 1e6f), any(-2.0f, 2.0f) * bounds.size.y};
    default:
        return (vec2){any(0.0f, bounds.size.x), any(0.0f, bounds.size.y)};
    }
}

static void random_arrangement(void) {
    bounds.size = (vec2){spread(1.0f, 1e5f), spread(1.0f, 1e5f)};
    bounds.edge = (enum edge)below(4);
    count = 1 + below(MOST);
    const bool is_heap = below(3) == 0;
    for (int32_t i = 0; i < count; i++) {
        vec2 place = random_place();
        if (is_heap && i > 0 && below(2)) {
            place = (vec2){motion[i - 1].x, motion[i - 1].y};
        }
        place = bounds_settle(&bounds, place);
        const float speed = below(4) ? spread(1e-3f, 2e4f) : 0.0f;
        motion[i] = (struct motion){place.x, place.y, any(-speed, speed), any(-speed, speed)};
        kind[i] = (uint8_t)(below(3) * 31);
        ids[i] = (i > 0 ? ids[i - 1] : 0) + 1 + (uint32_t)below(1000);
    }
    grid_build(&grid, &bounds, motion, kind, count, below(3) ? spread(1e-2f, 1e6f) : 1.0f);
    for (int ticks = below(3); ticks > 0; ticks--) {
        grid_drift_apart(&grid, &bounds, motion, spread(1e-2f, 1e2f), &dice);
    }
    for (int32_t slot = 0; slot < count; slot++) {
        grid.radius[slot] = (float)(grid.row[slot] % 5) * 3.0f;
    }
}

static struct neighbor_zone random_zone(void) {
    const struct neighbor_zone zone = {below(8) ? spread(1e-3f, 1e6f) : 0.0f,
                                       below(2) ? -2.0f : any(-1.0f, 1.0f), below(2) != 0};
    return zone;
}

/* ---- the reference ---- */

static float short_way(float difference, float size) {
    if (bounds.edge == EDGE_WRAP && difference > 0.5f * size) {
        return difference - size;
    }
    return bounds.edge == EDGE_WRAP && difference < -0.5f * size ? difference + size : difference;
}

struct candidate {
    int32_t row;
    vec2 offset;
    float squared;
};

static struct candidate candidate_at(const struct neighbor_query *query, int32_t slot) {
    const struct motion *self = &motion[grid.row[query->slot]];
    struct candidate one = {.row = grid.row[slot]};
    one.offset.x = short_way(motion[one.row].x - self->x, bounds.size.x);
    one.offset.y = short_way(motion[one.row].y - self->y, bounds.size.y);
    one.squared = one.offset.x * one.offset.x + one.offset.y * one.offset.y;
    return one;
}

static bool is_counted(const struct neighbor_query *query, const struct neighbor_zone *zone,
                       const struct candidate *one) {
    const float ahead = query->heading.x * one->offset.x + query->heading.y * one->offset.y;
    const bool is_seen =
        one->squared < query->core * query->core ||
        ahead * (ahead < 0.0f ? -ahead : ahead) >=
            zone->cosine * (zone->cosine < 0.0f ? -zone->cosine : zone->cosine) * one->squared;
    return one->row != grid.row[query->slot] && (query->kinds & (UINT64_C(1) << kind[one->row])) != 0 &&
           one->squared < zone->radius * zone->radius && is_seen;
}

static float reference_weight(const struct neighbor_zone *zone, const struct candidate *one, bool counts) {
    const float weight = zone->is_sharp ? 1.0f : 1.0f - 1.0f / (zone->radius * zone->radius) * one->squared;
    assert_true(!counts || weight >= 0.0f);
    return counts ? weight : 0.0f;
}

static vec2 reference_push(const struct neighbor_query *query, const struct neighbor_zone *zone,
                           const struct candidate *one) {
    if (one->squared < 1e-12f) {
        return vec2_scale(neighbors_split(ids[grid.row[query->slot]], ids[one->row]), 64.0f);
    }
    const float scale = zone->is_sharp ? zone->radius : zone->radius * (2.0f / 3.0f);
    const float factor = scale / one->squared - (zone->is_sharp ? 0.0f : 2.0f / 3.0f / zone->radius);
    return (vec2){one->offset.x * factor, one->offset.y * factor};
}

static struct neighbor_sums reference_sum(const struct neighbor_query *query,
                                          const struct neighbor_zone zones[ZONE_COUNT]) {
    struct neighbor_sums sums = {0};
    for (int32_t slot = 0; slot < count; slot++) {
        const struct candidate one = candidate_at(query, slot);
        const struct motion *other = &motion[one.row];
        const bool apart = is_counted(query, &zones[ZONE_SEPARATION], &one),
                   along = is_counted(query, &zones[ZONE_ALIGNMENT], &one),
                   together = is_counted(query, &zones[ZONE_COHESION], &one);
        const vec2 zero = {0.0f, 0.0f},
                   push = apart ? reference_push(query, &zones[ZONE_SEPARATION], &one) : zero;
        sums.separation.x -= push.x;
        sums.separation.y -= push.y;
        sums.separation_count += apart;
        const float a = reference_weight(&zones[ZONE_ALIGNMENT], &one, along);
        sums.velocity.x += along ? other->vx * a : 0.0f;
        sums.velocity.y += along ? other->vy * a : 0.0f;
        sums.velocity_weight += a;
        sums.alignment_count += along;
        const float c = reference_weight(&zones[ZONE_COHESION], &one, together);
        sums.offset.x += together ? one.offset.x * c : 0.0f;
        sums.offset.y += together ? one.offset.y * c : 0.0f;
        sums.offset_weight += c;
        sums.cohesion_count += together;
    }
    return sums;
}

static int32_t reference_nearest(const struct neighbor_query *query, const struct neighbor_zone *zone) {
    int32_t nearest = -1;
    float best = 0.0f;
    for (int32_t row = 0; row < count; row++) {
        const struct candidate one = candidate_at(query, grid_slot(&grid, row));
        if (is_counted(query, zone, &one) && (nearest < 0 || one.squared < best)) {
            best = one.squared;
            nearest = row;
        }
    }
    return nearest;
}

/* Whether `one` comes before `other`: nearer, or as near and of lower id. */
static bool is_before(const struct candidate *one, const struct candidate *other) {
    return one->squared < other->squared || (one->squared == other->squared && one->row < other->row);
}

/* The agents that count in a zone, sorted by distance and id: each is compared with all others. */
static int32_t reference_few(const struct neighbor_query *query, const struct neighbor_zone *zone,
                             struct candidate *few) {
    struct candidate all[MOST];
    int32_t those = 0, found = 0;
    for (int32_t row = 0; row < count; row++) {
        all[those] = candidate_at(query, grid_slot(&grid, row));
        those += is_counted(query, zone, &all[those]);
    }
    for (int32_t i = 0; i < those; i++) {
        int32_t before = 0;
        for (int32_t other = 0; other < those; other++) {
            before += is_before(&all[other], &all[i]);
        }
        if (before < query->most) {
            few[before] = all[i];
            found++;
        }
    }
    return found;
}

/* reference_sum with a limit: the nearest of each zone, nearest first. */
static struct neighbor_sums reference_sum_few(const struct neighbor_query *query,
                                              const struct neighbor_zone zones[ZONE_COUNT]) {
    struct candidate few[NEIGHBORS_NEAREST_MAX] = {0};
    struct neighbor_sums sums = {0};
    sums.separation_count = reference_few(query, &zones[ZONE_SEPARATION], few);
    for (int32_t i = 0; i < sums.separation_count; i++) {
        sums.separation = vec2_sub(sums.separation, reference_push(query, &zones[ZONE_SEPARATION], &few[i]));
    }
    sums.alignment_count = reference_few(query, &zones[ZONE_ALIGNMENT], few);
    for (int32_t i = 0; i < sums.alignment_count; i++) {
        const float weight = reference_weight(&zones[ZONE_ALIGNMENT], &few[i], true);
        sums.velocity.x += motion[few[i].row].vx * weight;
        sums.velocity.y += motion[few[i].row].vy * weight;
        sums.velocity_weight += weight;
    }
    sums.cohesion_count = reference_few(query, &zones[ZONE_COHESION], few);
    for (int32_t i = 0; i < sums.cohesion_count; i++) {
        const float weight = reference_weight(&zones[ZONE_COHESION], &few[i], true);
        sums.offset.x += few[i].offset.x * weight;
        sums.offset.y += few[i].offset.y * weight;
        sums.offset_weight += weight;
    }
    return sums;
}

/* The soonest threat, in doubles: rounding may not decide more than it must. Returns the least and the
 * largest possible number of threats. */
static void reference_threats(const struct neighbor_query *query, const struct neighbor_zone *zone,
                              const struct neighbor_space *space, int *surely, int *maybe) {
    const struct motion *self = &motion[grid.row[query->slot]];
    *surely = *maybe = 0;
    for (int32_t row = 0; row < count; row++) {
        const struct candidate one = candidate_at(query, grid_slot(&grid, row));
        if (!is_counted(query, zone, &one)) {
            continue;
        }
        const double px = (double)one.offset.x, py = (double)one.offset.y;
        const double vx = (double)(motion[row].vx - self->vx), vy = (double)(motion[row].vy - self->vy);
        const double speed = sqrt(vx * vx + vy * vy), way = speed > 0.0 ? -(px * vx + py * vy) / speed : 0.0;
        const double time = way > 0.0 ? way / speed : 0.0;
        const double squared = px * px + py * py - (way > 0.0 ? way * way : 0.0);
        const double miss = sqrt(squared > 0.0 ? squared : 0.0);
        const double room = (double)(space->radius + grid.radius[grid_slot(&grid, row)] + space->clearance);
        const double slack = 1e-3 * (room + sqrt(px * px + py * py)), late = 1e-3 * (double)space->horizon;
        const double leaving = px * vx + py * vy, doubt = 1e-4 * speed * sqrt(px * px + py * py) + 1e-9;
        *maybe += miss < room + slack && time < (double)space->horizon + late && leaving < doubt;
        *surely += miss < room - slack && time < (double)space->horizon - late && leaving < -doubt;
    }
}

/* ---- */

static void check_bits(const void *a, const void *b, size_t size) {
    assert_memory_equal(a, b, size);
}

static void check_agent(int32_t row) {
    const float angle = any(0.0f, 6.28f);
    const struct neighbor_query query = {
        .bounds = &bounds,
        .ids = ids,
        .slot = grid_slot(&grid, row),
        .heading = {cosf(angle), sinf(angle)},
        .core = below(2) ? 0.0f : spread(1e-2f, 100.0f),
        .kinds = rng_next(&dice) | (below(2) ? ~UINT64_C(0) : 0),
    };
    const struct neighbor_zone zones[ZONE_COUNT] = {random_zone(), random_zone(), random_zone()};
    const struct neighbor_sums fast = neighbors_sum(&grid, &query, zones),
                               plain = reference_sum(&query, zones);
    check_bits(&fast, &plain, sizeof fast);
    const struct neighbor nearest = neighbors_nearest(&grid, &query, &zones[0]);
    assert_int_equal(nearest.is_there ? nearest.row : -1, reference_nearest(&query, &zones[0]));
    const struct neighbor_space space = {any(0.0f, 20.0f), any(0.0f, 20.0f), spread(1e-2f, 60.0f)};
    const struct neighbor_threats threats = neighbors_threats(&grid, &query, &zones[0], &space);
    int surely, maybe;
    reference_threats(&query, &zones[0], &space, &surely, &maybe);
    assert_true(threats.count >= surely && threats.count <= maybe);
    assert_true(isfinite(threats.push.x) && isfinite(threats.push.y));
    assert_true(vec2_length(threats.push) <= 1.001f * (float)threats.count);
}

/* The max_neighbors nearest, one by one and summed. */
static void check_few(int32_t row) {
    const float angle = any(0.0f, 6.28f);
    const struct neighbor_query query = {
        .bounds = &bounds,
        .ids = ids,
        .slot = grid_slot(&grid, row),
        .heading = {cosf(angle), sinf(angle)},
        .core = below(2) ? 0.0f : spread(1e-2f, 100.0f),
        .kinds = below(4) ? ~UINT64_C(0) : rng_next(&dice),
        .most = 1 + below(NEIGHBORS_NEAREST_MAX),
    };
    const struct neighbor_zone zones[ZONE_COUNT] = {random_zone(), random_zone(), random_zone()};
    const struct neighbor_sums fast = neighbors_sum(&grid, &query, zones),
                               plain = reference_sum_few(&query, zones);
    check_bits(&fast, &plain, sizeof fast);
    struct neighbor nearest[NEIGHBORS_NEAREST_MAX] = {0};
    struct candidate few[NEIGHBORS_NEAREST_MAX] = {0};
    const int32_t found = neighbors_nearest_few(&grid, &query, &zones[0], nearest);
    assert_int_equal(found, reference_few(&query, &zones[0], few));
    for (int32_t i = 0; i < found; i++) {
        assert_int_equal(nearest[i].row, few[i].row);
        assert_int_equal(nearest[i].id, ids[few[i].row]);
        check_bits(&nearest[i].offset, &few[i].offset, sizeof few[i].offset);
    }
}

static uint64_t current_seed;

static void test_reference(void **state) {
    assert_int_equal(grid_reserve(&grid, MOST), 0);
    const uint64_t seed = environment("DROVER_PROPERTY_SEED", 1),
                   worlds = environment("DROVER_PROPERTY_WORLDS", 1000);
    for (uint64_t w = 0; w < worlds; w++) {
        current_seed = seed + w;
        dice = rng_begin(current_seed, 0, 0, RNG_SPAWN_PLACE);
        random_arrangement();
        for (int i = 0; i < 20; i++) {
            check_agent(below(count));
        }
        check_few(below(count));
    }
}

/* All agents on a lattice, ids in any order: at equal distances the lower ids count, wherever their cells
 * are. */
static void test_ties(void **state) {
    assert_int_equal(grid_reserve(&grid, MOST), 0);
    dice = rng_begin(environment("DROVER_PROPERTY_SEED", 1), 0, 0, RNG_SPAWN_PLACE);
    bounds = (struct bounds){{160.0f, 160.0f}, EDGE_WRAP};
    count = 256;
    for (int round = 0; round < 20; round++) {
        int32_t place[256] = {0};
        for (int32_t i = 0; i < count; i++) {
            const int32_t other = below(i + 1);
            place[i] = place[other];
            place[other] = i;
        }
        for (int32_t i = 0; i < count; i++) {
            const int32_t column = place[i] % 16, line = place[i] / 16;
            const float x = 10.0f * (float)column, y = 10.0f * (float)line;
            motion[i] = (struct motion){x, y, any(-9.0f, 9.0f), any(-9.0f, 9.0f)};
            kind[i] = 0;
            ids[i] = (uint32_t)i + 1;
        }
        grid_build(&grid, &bounds, motion, kind, count, 25.0f);
        for (int i = 0; i < 20; i++) {
            check_few(below(count));
        }
    }
}

static int tell_seed(void **state) {
    grid_fini(&grid);
    grid = (struct grid){0};
    fprintf(stderr, "last world: DROVER_PROPERTY_SEED=%llu DROVER_PROPERTY_WORLDS=1\n",
            (unsigned long long)current_seed);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_reference, tell_seed),
                                       cmocka_unit_test(test_ties)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
