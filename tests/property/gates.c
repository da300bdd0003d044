/* Gates count exactly: around an area, those who went in less those who came out are those who came to be there. Whatever
 * threads and ranks share the work, counters and lists are the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/world/world_stripes.h"
#include "tests/property/other_ways.h"
#include "tests/support/fake_ranks.h"

/* ---- the rule ---- */

/* Gates along the sides of a polygon, some of them the other way round, some sides in two pieces. Returns how many. */
static int gates_around(const struct obstacle_def *polygon, struct gate_def *gates, int *inward) {
    int count = 0;
    for (int i = 0; i < polygon->point_count; i++) {
        const vec2 from = polygon->points[i], to = polygon->points[(i + 1) % polygon->point_count];
        const vec2 middle = vec2_scale(vec2_add(from, to), 0.5f);
        const bool is_cut = below(2);
        for (int part = 0; part <= is_cut; part++) {
            const vec2 a = part == 0 ? from : middle, b = is_cut && part == 0 ? middle : to;
            const bool is_turned = below(2);
            gates[count] = (struct gate_def){.from = is_turned ? b : a, .to = is_turned ? a : b};
            inward[count++] = is_turned ? -1 : 1;
        }
    }
    return count;
}

/* Clockwise on a screen, with whole even coordinates. */
static struct area_def some_area(void) {
    static const struct obstacle_def shapes[] = {
        {.shape = OBSTACLE_POLYGON, .point_count = 4, .points = {{4, 4}, {16, 4}, {16, 12}, {4, 12}}},
        {.shape = OBSTACLE_POLYGON, .point_count = 3, .points = {{4, 4}, {16, 8}, {8, 16}}},
        {.shape = OBSTACLE_POLYGON,
         .point_count = 5,
         .points = {{8, 4}, {14, 4}, {16, 10}, {10, 16}, {4, 10}}},
    };
    return (struct area_def){.shape = shapes[below(3)], .speed = 1.0f};
}

/* Ways between points of a lattice: along gates, to and from them, through corners. */
static void test_ways_on_a_lattice(void **state) {
    for (int turn = 0; turn < 3000; turn++) {
        const struct bounds bounds = {{40, 32}, below(2) ? EDGE_WRAP : EDGE_OPEN};
        struct area_def area = some_area();
        const vec2 by = {(float)(2 * below(16)), (float)(2 * below(14))};
        for (int i = 0; i < area.shape.point_count; i++) {
            area.shape.points[i] = vec2_add(area.shape.points[i], by);
        }
        struct gate_def gates[2 * LIMIT_OBSTACLE_POINTS];
        int inward[2 * LIMIT_OBSTACLE_POINTS], balance = 0;
        const int count = gates_around(&area.shape, gates, inward);
        vec2 place = bounds_settle(&bounds, vec2_make((float)below(40), (float)below(32)));
        int inside = area_holds(&area, &bounds, place);
        for (int step = 0; step < 40; step++) {
            const int most = bounds.edge == EDGE_WRAP ? 6 : 20;
            const vec2 way = {(float)(below(2 * most) - most), (float)(below(2 * most) - most)};
            const vec2 next =
                bounds_settle(&bounds, vec2_add(place, vec2_scale(way, below(2) ? 1.0f : 0.5f)));
            for (int g = 0; g < count; g++) {
                balance += inward[g] * gate_crossing(&gates[g], &bounds, place, next);
            }
            inside = area_holds(&area, &bounds, next) - inside;
            if (balance != inside) {
                fail_msg("turn %d: from %g %g to %g %g: %d went in, %d more are there", turn, (double)place.x,
                         (double)place.y, (double)next.x, (double)next.y, balance, inside);
            }
            balance = 0;
            inside = area_holds(&area, &bounds, next);
            place = next;
        }
    }
}

/* ---- worlds ---- */

enum { AGENTS = 400, TICKS = 60, RANKS = 3 };

static struct world_def gated_def(int turn) {
    struct world_def def = one_kind_def(turn % 2 == 0 ? BEHAVIOR_FLOCK : BEHAVIOR_WANDER, vec2_make(0, 0));
    struct gate_def gates[2 * LIMIT_OBSTACLE_POINTS];
    int inward[2 * LIMIT_OBSTACLE_POINTS];
    def.seed = (uint64_t)turn + 1;
    def.edge = turn % 4 < 2 ? EDGE_WRAP : EDGE_BOUNCE;
    struct area_def *area = geometry_def_add_area(&def.geometry);
    assert_non_null(area);
    *area = some_area();
    area->speed = turn % 3 == 0 ? 0.5f : 1.0f;
    copy_text(area->name, "hall");
    for (int i = 0; i < area->shape.point_count; i++) {
        area->shape.points[i] = vec2_scale(area->shape.points[i], 20.0f);
    }
    const int count = gates_around(&area->shape, gates, inward);
    for (int g = 0; g < count; g++) {
        struct gate_def *gate = geometry_def_add_gate(&def.geometry);
        assert_non_null(gate);
        *gate = gates[g];
        (void)snprintf(gate->name, sizeof gate->name, "%s%d", inward[g] > 0 ? "in" : "out", g);
    }
    struct placement_def *placement = world_def_add_placement(&def, "agent");
    assert_non_null(placement);
    placement->count = AGENTS;
    placement->shape = PLACE_RECT;
    placement->size = def.size;
    placement->has_velocity = true;
    placement->velocity = vec2_make(70.0f, 45.0f);
    return def;
}

/* What a run comes to: counters, the last list, what the area has, and its balance. */
struct outcome {
    struct gate_count gates[LIMIT_GATES];
    struct world_crossing listed[TICKS * 8];
    int listed_count;
    struct area_count areas[LIMIT_AREAS];
    uint64_t hash;
};

static void run(struct world *world, const struct parallel *parallel, struct outcome *out) {
    for (int tick = 0; tick < TICKS; tick++) {
        const struct world_crossing *crossings = NULL;
        uint64_t left_out = 0;
        world_step_parallel(world, parallel);
        const int count = world_crossings(world, &crossings, &left_out);
        for (int i = 0; i < count && out->listed_count < TICKS * 8; i++) {
            out->listed[out->listed_count++] = crossings[i];
        }
    }
    for (int g = 0; g < world_scenery(world)->def.gate_count; g++) {
        out->gates[g] = world_gate_count(world, g);
    }
    world_count_areas(world, out->areas);
    out->hash = world_hash(world);
}

static int64_t went_in(const struct world *world, const struct outcome *outcome) {
    int64_t balance = 0;
    for (int g = 0; g < world_scenery(world)->def.gate_count; g++) {
        const bool is_inward = world_scenery(world)->def.gates[g].name[0] == 'i';
        const int64_t right = (int64_t)outcome->gates[g].forward - (int64_t)outcome->gates[g].backward;
        balance += is_inward ? right : -right;
    }
    return balance;
}

/* What every rank of a trial comes to must be this. */
struct trial {
    const struct world *start;
    const struct outcome *expected;
};

static void run_rank(const struct exchange *exchange, void *context) {
    const struct trial *trial = context;
    struct world *world = world_clone_new(trial->start);
    struct outcome *outcome = calloc(1, sizeof *outcome);
    if (world == NULL || outcome == NULL || world_join(world, exchange) != 0) {
        abort();
    }
    const struct parallel parallel = exchange->rank % 2 == 1 ? backwards() : parallel_alone();
    run(world, &parallel, outcome);
    assert_memory_equal(outcome, trial->expected, sizeof *outcome);
    free(outcome);
    world_destroy(world);
}

static void try_world(int turn) {
    static struct outcome alone, shared; /* zeroed below */
    struct world_def def = gated_def(turn);
    struct world *start = build(&def), *world = world_clone_new(start), *other = world_clone_new(start);
    assert_true(world != NULL && other != NULL);
    struct area_count before[LIMIT_AREAS];
    world_count_areas(world, before);
    memset(&alone, 0, sizeof alone);
    memset(&shared, 0, sizeof shared);
    const struct parallel one = parallel_alone(), pieces = {.threads = 3, .run = run_in_pieces};
    run(world, &one, &alone);
    run(other, &pieces, &shared);
    assert_memory_equal(&alone, &shared, sizeof alone);
    assert_true(alone.listed_count > 20);
    assert_int_equal(went_in(world, &alone), (int64_t)alone.areas[0].agents - (int64_t)before[0].agents);
    uint64_t inside = 0; /* one by one */
    for (int32_t row = 0; row < world_agent_count(world); row++) {
        const struct bounds bounds = {world_size(world), world_edge(world)};
        inside += area_holds(world_scenery(world)->def.areas, &bounds, world_agent(world, row).position);
    }
    assert_int_equal(inside, alone.areas[0].agents);
    for (int mode = EXCHANGE_COPY; mode <= EXCHANGE_STRIPES; mode++) {
        struct trial trial = {start, &alone};
        struct fake_ranks *fake = fake_ranks_new(RANKS, (enum exchange_mode)mode, (uint64_t)turn);
        fake_ranks_run(fake, run_rank, &trial);
        fake_ranks_destroy(fake);
    }
    world_destroy(start);
    world_destroy(world);
    world_destroy(other);
}

static void test_worlds(void **state) {
    for (int turn = 0; turn < 12; turn++) {
        try_world(turn);
    }
}

/* The instruments are not part of the world. */
static void test_hash_without_gates(void **state) {
    const struct rng before = dice;
    struct world_def with = gated_def(1);
    dice = before;
    struct world_def without = gated_def(1);
    without.geometry.gate_count = 0;
    struct world *a = build(&with), *b = build(&without);
    for (int tick = 0; tick < 5; tick++) {
        assert_true(world_hash(a) == world_hash(b));
        world_step(a);
        world_step(b);
    }
    world_destroy(a);
    world_destroy(b);
}

int main(void) {
    dice = rng_begin(5, 0, 1, RNG_SPAWN_PLACE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways_on_a_lattice),
        cmocka_unit_test(test_worlds),
        cmocka_unit_test(test_hash_without_gates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
