/* Placements with a spacing: bodies keep it, on a torus, beside solids and beside those placed before; what has no room. */
#include <math.h>
#include <stdlib.h>

#include "tests/support/fake_ranks.h"
#include "tests/unit/server/sim/sim_fixture.h"

enum { CROWD = 150 };

/* A crowd in a rectangle. */
static struct placement_def *add_crowd(struct world_def *def, uint32_t count, vec2 at, vec2 size,
                                       float spacing) {
    struct placement_def *crowd = world_def_add_placement(def, "agent");
    assert_non_null(crowd);
    *crowd = (struct placement_def){.count = count,
                                    .shape = PLACE_RECT,
                                    .at = at,
                                    .size = size,
                                    .has_spacing = spacing >= 0.0f,
                                    .spacing = spacing};
    copy_text(crowd->kind, "agent");
    return crowd;
}

/* Radii of 5 to 9 px. */
static struct world_def crowd_def(void) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){400.0f, 300.0f});
    def.kinds[0].body.radius = (struct field_range){5.0f, 9.0f};
    return def;
}

/* The agents that have another, of a lower id, nearer than the gap; from row `first` on. */
static int count_near(const struct world *world, const struct bounds *bounds, int32_t first, float gap) {
    int near = 0;
    for (int32_t row = first; row < world_agent_count(world); row++) {
        const struct agent_view one = world_agent(world, row);
        bool is_near = false;
        for (int32_t before = 0; before < row; before++) {
            const struct agent_view other = world_agent(world, before);
            const vec2 between = bounds_difference(bounds, one.position, other.position);
            is_near = is_near || vec2_length(between) < one.radius + other.radius + gap - 1e-3f;
        }
        near += is_near;
    }
    return near;
}

static void test_bodies_keep_their_spacing(void **state) {
    static const int edges[] = {EDGE_OPEN, EDGE_WRAP, EDGE_BOUNCE};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        for (int has_spacing = 0; has_spacing < 2; has_spacing++) {
            struct world_def def = crowd_def();
            int32_t unspaced = -1;
            def.edge = edges[i];
            def.unspaced = &unspaced;
            add_circle(&def, (vec2){700.0f, 500.0f}, 60.0f);
            (void)add_crowd(&def, 20, (vec2){600.0f, 400.0f}, (vec2){300.0f, 300.0f}, -1.0f);
            (void)add_crowd(&def, CROWD, (vec2){600.0f, 400.0f}, (vec2){400.0f, 400.0f},
                            has_spacing ? 2.0f : -1.0f);
            const struct bounds bounds = {def.size, (enum edge)def.edge};
            struct world *world = build(&def);
            assert_int_equal(world_agent_count(world), 20 + CROWD);
            const int near = count_near(world, &bounds, 20, 2.0f);
            assert_int_equal(unspaced, has_spacing ? near : 0);
            assert_true(has_spacing ? near == 0 || edges[i] == EDGE_BOUNCE : near > 20);
            world_destroy(world);
        }
    }
}

static void test_what_has_no_room_is_placed_and_counted(void **state) {
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        struct world_def def = crowd_def();
        int32_t unspaced = 0;
        def.unspaced = &unspaced;
        (void)add_crowd(&def, 1000, (vec2){100.0f, 100.0f}, (vec2){100.0f, 100.0f}, 0.0f);
        const struct bounds bounds = {def.size, (enum edge)def.edge};
        struct world *world = build(&def);
        assert_int_equal(world_agent_count(world), 1000);
        assert_true(unspaced > 800 && unspaced < 990);
        assert_int_equal(count_near(world, &bounds, 0, 0.0f), unspaced);
        hashes[i] = world_hash(world);
        world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* Without a spacing, and where the first place is free, agents are where they always were. */
static void test_only_those_that_are_too_near_are_elsewhere(void **state) {
    struct world *worlds[2];
    for (int i = 0; i < 2; i++) {
        struct world_def def = crowd_def();
        (void)add_crowd(&def, CROWD, (vec2){0.0f, 0.0f}, (vec2){800.0f, 600.0f}, i == 0 ? -1.0f : 0.0f);
        worlds[i] = build(&def);
    }
    int moved = 0;
    for (int32_t row = 0; row < CROWD; row++) {
        const vec2 a = world_agent(worlds[0], row).position, b = world_agent(worlds[1], row).position;
        moved += a.x != b.x || a.y != b.y;
    }
    assert_true(moved > 0 && moved < CROWD / 4);
    world_destroy(worlds[0]);
    world_destroy(worlds[1]);
}

/* A world that ranks create together is the one of one process. */
struct together {
    const struct world_def *def;
    uint64_t hash;
};

static void create_together(const struct exchange *exchange, void *context) {
    const struct together *together = context;
    struct world_def def = *together->def;
    struct world *world = NULL;
    def.exchange = exchange;
    assert_int_equal(world_create(&def, &world, NULL), WORLD_OK);
    assert_true(world_hash(world) == together->hash);
    world_destroy(world);
}

static void test_ranks_place_alike(void **state) {
    static const enum exchange_mode modes[] = {EXCHANGE_COPY, EXCHANGE_STRIPES};
    struct world_def def = crowd_def();
    (void)add_crowd(&def, CROWD, (vec2){100.0f, 50.0f}, (vec2){300.0f, 500.0f}, 3.0f);
    struct world *alone = NULL;
    assert_int_equal(world_create(&def, &alone, NULL), WORLD_OK);
    struct together together = {&def, world_hash(alone)};
    world_destroy(alone);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct fake_ranks *fake = fake_ranks_new(3, modes[i], 5);
        fake_ranks_run(fake, create_together, &together);
        fake_ranks_destroy(fake);
    }
    world_def_fini(&def);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_keep_their_spacing),
        cmocka_unit_test(test_what_has_no_room_is_placed_and_counted),
        cmocka_unit_test(test_only_those_that_are_too_near_are_elsewhere),
        cmocka_unit_test(test_ranks_place_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
