/* The lookup of solids against a check of every solid, bit for bit: random worlds, places and motions, torus
 * or not.
 *
 * DROVER_PROPERTY_SEED and DROVER_PROPERTY_WORLDS repeat or lengthen a run.
 */
#include <stdio.h>
#include <stdlib.h>

#include "server/sim/math/rng.h"
#include "server/sim/math/trig.h"
#include "tests/property/environment.h"
#include "tests/unit/server/sim/sim_fixture.h"

static struct rng dice;

static float any(float low, float high) {
    return rng_between(&dice, low, high);
}
static int below(int count) {
    return (int)(rng_next(&dice) % (uint64_t)count);
}
/* Sizes from next to nothing up to `most`. */
static float some(float most) {
    static const float shares[] = {0.0f, 0.001f, 0.01f, 0.1f, 0.3f, 1.0f};
    return most * shares[below(6)] * any(0.0f, 1.0f);
}

static vec2 any_place(vec2 size) {
    /* Corners and borders are where a torus goes wrong. */
    const float x = below(4) ? any(0.0f, size.x) : (float)below(2) * size.x;
    const float y = below(4) ? any(0.0f, size.y) : (float)below(2) * size.y;
    return (vec2){x, y};
}

static void add_obstacle(struct geometry_def *def, vec2 size) {
    struct obstacle_def *obstacle = geometry_def_add_obstacle(def);
    assert_non_null(obstacle);
    obstacle->shape = below(4);
    obstacle->at = any_place(size);
    obstacle->size = (vec2){some(0.499f * size.x), some(0.499f * size.y)};
    obstacle->radius = some(0.249f * (size.x < size.y ? size.x : size.y));
    const float w = 0.01f + obstacle->size.x, h = 0.01f + obstacle->size.y;
    const vec2 corners[] = {{0.0f, 0.3f * h}, {0.6f * w, 0.0f}, {w, h}};
    obstacle->point_count = 3;
    for (int i = 0; i < 3; i++) {
        obstacle->points[i] = vec2_add(obstacle->at, corners[i]);
    }
    if (obstacle->shape == 3) { /* a star with a dent at every second corner, two at most deep */
        obstacle->shape = OBSTACLE_POLYGON;
        obstacle->point_count = 6 + 2 * below(12);
        for (int i = 0; i < obstacle->point_count; i++) {
            const vec2 out = trig_unit((float)i * 6.2831853f / (float)obstacle->point_count);
            const float share = i % 2 ? any(0.1f, 0.5f) : any(0.6f, 1.0f);
            obstacle->points[i] =
                vec2_add(obstacle->at, (vec2){0.5f * w * share * out.x, 0.5f * h * share * out.y});
        }
        if (obstacle_def_fault(obstacle, false, size) != NULL) { /* thinner than a hundredth of a px */
            obstacle->shape = OBSTACLE_CIRCLE;
        }
    }
}

static void add_wall(struct geometry_def *def, vec2 size) {
    struct wall_def *wall = geometry_def_add_wall(def);
    assert_non_null(wall);
    wall->from = any_place(size);
    const vec2 line = {some(0.499f * size.x), some(0.499f * size.y)};
    wall->to = vec2_add(wall->from, below(2) ? line : (vec2){line.x, -line.y});
}

static struct scenery random_scenery(struct bounds *bounds) {
    static const float sizes[] = {1.0f, 37.0f, 800.0f, 3000.0f, 100000.0f};
    *bounds = (struct bounds){{sizes[below(5)], sizes[below(5)]}, below(2) ? EDGE_WRAP : EDGE_OPEN};
    struct geometry_def def = {0};
    const int obstacles = below(4) ? below(12) : below(200), walls = below(4) ? below(8) : below(300);
    for (int i = 0; i < obstacles; i++) {
        add_obstacle(&def, bounds->size);
    }
    for (int i = 0; i < walls; i++) {
        add_wall(&def, bounds->size);
    }
    struct path_def *path = geometry_def_add_path(&def);
    assert_non_null(path);
    *path = (struct path_def){.name = "p", .is_loop = below(2), .point_count = 3};
    for (int i = 0; i < 3; i++) {
        path->points[i] = any_place(bounds->size);
    }
    for (int i = 0; i < obstacles && i < LIMIT_MOVERS && below(3); i++) { /* others stand still */
        copy_text(def.obstacles[i].move.path, "p");
        def.obstacles[i].move.speed = any(0.01f, 1000.0f);
        if (below(3) == 0) {
            def.obstacles[i].move.speed = 0.0f;
            def.obstacles[i].door =
                (struct door_def){any_place(bounds->size), 1.0f, below(2), (uint64_t)below(90)};
        }
    }
    if (geometry_def_fault(&def, bounds->edge == EDGE_WRAP, bounds->size)) {
        def.obstacle_count = 0; /* a triangle too thin to have an area */
    }
    struct scenery scenery;
    assert_int_equal(scenery_init(&scenery, &def, bounds), 0);
    scenery_place_movers(&scenery, bounds, 60.0, (uint64_t)below(1000));
    geometry_def_fini(&def);
    return scenery;
}

/* Mostly in the world; somewhat and far outside; exactly on the outline of a solid. */
static vec2 question_place(const struct scenery *scenery, const struct bounds *bounds) {
    const vec2 size = bounds->size;
    switch (below(8)) {
    case 0:
        return (vec2){any(-2.0f, 3.0f) * size.x, any(-2.0f, 3.0f) * size.y};
    case 1:
        return (vec2){any(-1e6f, 1e6f), any(-1e6f, 1e6f)};
    case 2:
        if (scenery->solid_count > 0) {
            const struct solid *solid = &scenery->solids[below(scenery->solid_count)];
            return vec2_add(solid->center, solid->corners[below(3)]);
        }
        return any_place(size);
    default:
        return any_place(size);
    }
}

static void check_place(const struct scenery *scenery, const struct bounds *bounds) {
    const vec2 place = question_place(scenery, bounds);
    const struct scenery_touch a = scenery_nearest(scenery, bounds, place);
    const struct scenery_touch b = scenery_nearest_of_all(scenery, bounds, place);
    assert_int_equal(a.index, b.index);
    assert_memory_equal(&a.touch, &b.touch, sizeof a.touch);
    assert_true(scenery_room(scenery, bounds, place) <= b.touch.distance);
    const struct scenery_touch next = scenery_nearest_at(scenery, bounds, place, MOMENT_NEXT);
    assert_true(scenery_room(scenery, bounds, place) <= next.touch.distance);
    const vec2 way = vec2_with_length((vec2){any(-1, 1), any(-1, 1)}, 1.0f);
    const vec2 ways[] = {way, {1, 0}, {0, -1}, {-1, 0}, {0, 1}};
    const float length = below(10) ? some(2.0f * (bounds->size.x + bounds->size.y)) : any(0.0f, 2e6f);
    const float radius = some(0.2f * bounds->size.x);
    const vec2 towards = ways[below(5)];
    const struct scenery_contact c = scenery_sweep(scenery, bounds, place, towards, length, radius);
    const struct scenery_contact d = scenery_sweep_all(scenery, bounds, place, towards, length, radius);
    assert_int_equal(c.index, d.index);
    assert_true(c.contact.is_hit == d.contact.is_hit);
    assert_memory_equal(&c.contact.distance, &d.contact.distance, sizeof c.contact.distance);
    assert_memory_equal(&c.contact.normal, &d.contact.normal, sizeof c.contact.normal);
}

static void test_equals_looking_at_all(void **state) {
    const uint64_t first = environment("DROVER_PROPERTY_SEED", 1);
    const uint64_t count = environment("DROVER_PROPERTY_WORLDS", 60);
    for (uint64_t world = first; world < first + count; world++) {
        dice = rng_begin(world, 0, 0, RNG_SPAWN_PLACE);
        struct bounds bounds;
        struct scenery scenery = random_scenery(&bounds);
        print_message("world %llu: %d solids, %g x %g\n", (unsigned long long)world, scenery.solid_count,
                      (double)bounds.size.x, (double)bounds.size.y);
        for (int question = 0; question < 2000; question++) {
            check_place(&scenery, &bounds);
        }
        scenery_fini(&scenery);
    }
}

/* A few solids far apart: the purpose of the lookup. Cells that name all solids would pass the other test. */
static void test_names_few(void **state) {
    struct geometry_def def = {0};
    const struct bounds bounds = {{2000, 2000}, EDGE_WRAP};
    for (int i = 0; i < 100; i++) {
        struct obstacle_def *circle = geometry_def_add_obstacle(&def);
        assert_non_null(circle);
        const int column = i % 10, row = i / 10;
        circle->at = (vec2){100.0f + 200.0f * (float)column, 100.0f + 200.0f * (float)row};
        circle->radius = 20;
    }
    struct scenery scenery;
    assert_int_equal(scenery_init(&scenery, &def, &bounds), 0);
    geometry_def_fini(&def);
    const struct solid_grid *grid = &scenery.grid;
    const int32_t cells = grid->columns * grid->rows;
    assert_true(cells >= 1024);
    assert_true(grid->nearest.begin[cells] < 3 * cells);
    assert_true(grid->reach.begin[cells] < cells);
    assert_true(scenery_room(&scenery, &bounds, (vec2){0, 0}) > 40.0f);
    scenery_fini(&scenery);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_looking_at_all),
        cmocka_unit_test(test_names_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
