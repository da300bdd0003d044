/* `drover run`: plans, measures, progress. */

#include "tests/unit/common/test_support.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "clients/drover/command.h"
#include "clients/drover/run/run.h"
#include "server/sim/math/rng.h"
#include "tests/unit/server/sim/sim_fixture.h"

/* ==== run measures ====
 * clients/drover/run/run_measures and run_neighbors: worlds whose measures are known, random ones beside plain loops over all
 * pairs, and the names of columns. */

enum { RING = 40, CROWD = 120, CROWDS = 24 };
static const double PI = 3.14159265358979323846;

static double value_of(const struct world *world, struct run_meter *meter, const char *name) {
    struct run_columns columns;
    struct failure failure = {0};
    double values[64];
    if (run_columns_make(world, name, &columns, &failure) != 0) {
        fail_msg("%s: %s", name, failure.message);
    }
    assert_in_range(columns.count, 1, 64);
    assert_string_equal(columns.rows[0].name, name);
    assert_true(run_meter_take(meter, world, columns.rows, columns.count, values));
    run_columns_fini(&columns);
    return values[0];
}

static double measure(const struct world *world, const char *name) {
    struct run_meter meter = {0};
    const double value = value_of(world, &meter, name);
    run_meter_fini(&meter);
    return value;
}

static void expect_near(const struct world *world, const char *name, double expected, double tolerance) {
    const double value = measure(world, name);
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%s is %.9g, expected %.9g", name, value, expected);
    }
}

/* ---- known worlds ---- */

static struct world *ring(double turned, int edge, vec2 middle) {
    struct world_def def = one_kind_def(BEHAVIOR_WANDER, vec2_make(400.0f, 300.0f));
    def.edge = edge;
    for (int i = 0; i < RING; i++) {
        const double angle = 2.0 * PI * i / RING;
        place(&def, vec2_make(middle.x + (float)(100.0 * cos(angle)), middle.y + (float)(100.0 * sin(angle))),
              vec2_make((float)(50.0 * cos(angle + turned)), (float)(50.0 * sin(angle + turned))));
    }
    return build(&def);
}

static void test_a_mill_turns_and_has_no_direction(void **state) {
    static const int edges[] = {EDGE_OPEN, EDGE_WRAP};
    for (size_t i = 0; i < 2; i++) {
        /* On the torus it lies across the corner. */
        struct world *world =
            ring(PI / 2.0, edges[i], edges[i] == EDGE_WRAP ? vec2_make(0, 0) : vec2_make(300, 300));
        expect_near(world, "milling", 1.0, 1e-4);
        expect_near(world, "polarization", 0.0, 1e-5);
        expect_near(world, "speed", 50.0, 1e-4);
        expect_near(world, "nearest", 200.0 * sin(PI / RING), 1e-3);
        expect_near(world, "count", RING, 0.0);
        expect_near(world, "at_rest", 0.0, 0.0);
        world_destroy(world);
    }
}

static void test_what_goes_outwards_does_not_turn(void **state) {
    struct world *world = ring(0.0, EDGE_OPEN, vec2_make(300, 300));
    expect_near(world, "milling", 0.0, 1e-4);
    expect_near(world, "polarization", 0.0, 1e-5);
    world_destroy(world);
}

static void test_a_column_has_one_direction(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_WANDER, vec2_make(400.0f, 300.0f));
    for (int i = 0; i < 10; i++) {
        place(&def, vec2_make(10.0f + 20.0f * (float)i, 100.0f), vec2_make(3.0f, 4.0f));
    }
    struct world *world = build(&def);
    expect_near(world, "polarization", 1.0, 1e-6);
    expect_near(world, "speed", 5.0, 1e-6);
    expect_near(world, "nearest", 20.0, 1e-6);
    expect_near(world, "overlaps", 0.0, 0.0); /* radius 8: 16 px are enough */
    world_destroy(world);
}

/* Ten in a row, five of them in an area of 100 x 150 px. */
static struct world *row_with_hall(float meter) {
    struct world_def def = one_kind_def(BEHAVIOR_WANDER, vec2_make(400.0f, 300.0f));
    for (int i = 0; i < 10; i++) {
        place(&def, vec2_make(10.0f + 20.0f * (float)i, 100.0f), vec2_make(3.0f, 4.0f));
    }
    def.geometry.areas = calloc(1, sizeof *def.geometry.areas);
    assert_non_null(def.geometry.areas);
    def.geometry.areas[0] =
        (struct area_def){.name = "hall",
                          .shape = {.shape = OBSTACLE_BOX, .at = {0.0f, 0.0f}, .size = {100.0f, 150.0f}},
                          .speed = 1.0f};
    def.geometry.area_count = 1;
    def.meter = meter;
    return build(&def);
}

static void test_a_world_with_a_scale_is_measured_in_meters(void **state) {
    struct run_columns columns;
    struct failure failure = {0};
    struct world *world = row_with_hall(0.0f);
    assert_int_equal(run_columns_make(world, "speed_m_s", &columns, &failure), -1);
    assert_non_null(strstr(failure.message, "the world has no scale"));
    assert_int_equal(run_columns_make(world, "", &columns, &failure), 0);
    const int without = columns.count;
    run_columns_fini(&columns);
    world_destroy(world);
    world = row_with_hall(25.0f);
    expect_near(world, "speed_m_s", 5.0 / 25.0, 1e-7);
    expect_near(world, "nearest_m", 20.0 / 25.0, 1e-7);
    expect_near(world, "inside_per_m2.hall", 5.0 / 24.0, 1e-7);
    expect_near(world, "inside_speed_m_s.hall", 5.0 / 25.0, 1e-4);
    assert_int_equal(run_columns_make(world, "", &columns, &failure), 0);
    assert_int_equal(columns.count, without + 6); /* two of all and of the kind, two of the area */
    run_columns_fini(&columns);
    world_destroy(world);
}

static void test_what_is_not_defined_is_no_number(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_WANDER, vec2_make(400.0f, 300.0f));
    struct world *world = build(&def);
    assert_true(isnan(measure(world, "speed")) && isnan(measure(world, "polarization")) &&
                isnan(measure(world, "milling")) && isnan(measure(world, "nearest")));
    expect_near(world, "count", 0.0, 0.0);
    expect_near(world, "overlaps", 0.0, 0.0);
    world_destroy(world);
    def = one_kind_def(BEHAVIOR_WANDER, vec2_make(400.0f, 300.0f));
    place(&def, vec2_make(1, 1), vec2_make(0, 0));
    world = build(&def);
    assert_true(isnan(measure(world, "polarization")) && isnan(measure(world, "nearest")));
    expect_near(world, "speed", 0.0, 0.0);
    expect_near(world, "at_rest", 1.0, 0.0);
    world_destroy(world);
}

/* ---- random worlds, beside plain loops ---- */

struct reference {
    double nearest, overlaps, polarization, speed;
};

static double squared(const struct world *world, const struct agent_view *a, const struct agent_view *b) {
    double dx = fabs((double)b->position.x - (double)a->position.x),
           dy = fabs((double)b->position.y - (double)a->position.y);
    if (world_edge(world) == EDGE_WRAP) {
        dx = fmin(dx, (double)world_size(world).x - dx);
        dy = fmin(dy, (double)world_size(world).y - dy);
    }
    return dx * dx + dy * dy;
}

static struct reference refer(const struct world *world, int kind) {
    struct reference sums = {0};
    double x = 0.0, y = 0.0, count = 0.0;
    for (int32_t i = 0; i < world_agent_count(world); i++) {
        const struct agent_view a = world_agent(world, i);
        double nearest = (double)INFINITY;
        for (int32_t j = 0; j < world_agent_count(world); j++) {
            const struct agent_view b = world_agent(world, j);
            if (i != j && (kind < 0 || (a.kind == kind && b.kind == kind))) {
                const double reach = (double)a.radius + (double)b.radius;
                nearest = fmin(nearest, squared(world, &a, &b));
                sums.overlaps += j > i && squared(world, &a, &b) < reach * reach ? 1.0 : 0.0;
            }
        }
        if (kind < 0 || a.kind == kind) {
            const double angle = atan2((double)a.velocity.y, (double)a.velocity.x);
            x += cos(angle);
            y += sin(angle);
            sums.speed += hypot((double)a.velocity.x, (double)a.velocity.y);
            sums.nearest += sqrt(nearest);
            count += 1.0;
        }
    }
    return (struct reference){sums.nearest / count, sums.overlaps, hypot(x, y) / count, sums.speed / count};
}

static void place_one(struct world_def *def, struct rng *dice, const char *kind, float spread) {
    struct placement_def *placement = world_def_add_placement(def, kind);
    const vec2 size = def->size;
    assert_non_null(placement);
    placement->at =
        vec2_make(rng_between(dice, 0.0f, size.x * spread), rng_between(dice, 0.0f, size.y * spread));
    placement->has_velocity = true;
    placement->velocity = vec2_make(rng_between(dice, -50.0f, 50.0f), rng_between(dice, 1.0f, 50.0f));
}

static struct world *crowd(struct rng *dice, int number) {
    static const vec2 sizes[] = {{800, 600}, {100, 3000}, {30, 30}, {5000, 5000}};
    static const float spreads[] = {1.0f, 0.02f, 0.3f};
    struct world_def def = one_kind_def(BEHAVIOR_WANDER, vec2_make(10.0f, 10.0f));
    struct kind_def *large = world_def_add_kind(&def, "large");
    assert_non_null(large);
    large->body.radius = (struct field_range){2.0f, number % 5 == 0 ? 200.0f : 30.0f};
    def.edge = number % 2 == 0 ? EDGE_WRAP : EDGE_OPEN;
    def.size = sizes[number % 4];
    def.seed = (uint64_t)number;
    const int count = number % 7 == 0 ? 3 : CROWD;
    for (int i = 0; i < count; i++) {
        place_one(&def, dice, i % 3 == 0 ? "large" : "agent", spreads[number % 3]);
    }
    place_one(&def, dice, "large", 1.0f);
    return build(&def);
}

static void test_random_crowds_beside_loops_over_all_pairs(void **state) {
    for (int number = 0; number < CROWDS; number++) {
        struct rng dice = rng_begin(7, (uint64_t)number, 0, 0);
        struct world *world = crowd(&dice, number);
        for (int kind = -1; kind < 2; kind++) {
            const struct reference expected = refer(world, kind);
            const char *suffix = kind < 0 ? "" : kind == 0 ? ".agent" : ".large";
            char name[32];
            (void)snprintf(name, sizeof name, "nearest%s", suffix);
            expect_near(world, name, expected.nearest, 1e-9 * expected.nearest);
            (void)snprintf(name, sizeof name, "overlaps%s", suffix);
            expect_near(world, name, expected.overlaps, 0.0);
            (void)snprintf(name, sizeof name, "polarization%s", suffix);
            expect_near(world, name, expected.polarization, 1e-9);
            (void)snprintf(name, sizeof name, "speed%s", suffix);
            expect_near(world, name, expected.speed, 1e-9);
        }
        world_destroy(world);
    }
}

/* ---- events ---- */

static void test_all_catches_of_a_tick_count(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_PURSUE, vec2_make(10.0f, 10.0f));
    struct target_ref *target = &behavior_of(&def)->target;
    struct run_meter meter = {0};
    struct failure failure = {0};
    struct run_until until;
    bool is_over = true;
    target->target[0] = '\0';
    copy_text(target->kind, "prey");
    struct kind_def *prey = world_def_add_kind(&def, "prey");
    assert_non_null(prey);
    for (int i = 0; i < 2 * 100; i++) {
        struct placement_def *placement = world_def_add_placement(&def, i % 2 == 0 ? "agent" : "prey");
        assert_non_null(placement);
        const int pair = i / 2, row = pair / 20;
        placement->at = vec2_make(40.0f * (float)(pair % 20) + 5.0f * (float)(i % 2), 40.0f * (float)row);
    }
    struct world *world = build(&def);
    assert_int_equal(run_until_read(world, " caught >= 100 ", &until, &failure), -1); /* a blank behind it */
    assert_int_equal(run_until_read(world, " caught >= 100", &until, &failure), 0);
    assert_true(run_meter_ends(&meter, world, &until, &is_over));
    assert_false(is_over);
    world_step(world);
    run_meter_follow(&meter, world);
    assert_true(value_of(world, &meter, "caught") == 100.0);
    assert_true(value_of(world, &meter, "caught.agent") == 100.0);
    assert_true(value_of(world, &meter, "caught.prey") == 0.0);
    assert_true(value_of(world, &meter, "reached") == 0.0);
    assert_true(run_meter_ends(&meter, world, &until, &is_over));
    assert_true(is_over);
    run_meter_fini(&meter);
    world_destroy(world);
}

static void test_targets_that_are_reached_count(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(100.0f, 100.0f));
    struct run_meter meter = {0};
    def.targets[0].jump_within = 10.0f;
    place(&def, vec2_make(101.0f, 100.0f), vec2_make(0.0f, 0.0f));
    struct world *world = build(&def);
    world_step(world);
    run_meter_follow(&meter, world);
    assert_true(value_of(world, &meter, "reached.agent") == 1.0);
    world_step(world);
    run_meter_follow(&meter, world);
    assert_true(value_of(world, &meter, "reached") == 1.0);
    run_meter_fini(&meter);
    world_destroy(world);
}

/* ---- names ---- */

static void test_columns(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_WANDER, vec2_make(10.0f, 10.0f));
    struct kind_def *kind = world_def_add_kind(&def, "prey");
    struct run_columns columns;
    struct failure failure = {0};
    assert_non_null(kind);
    kind->state_count = 2;
    kind->states[1] = kind->states[0];
    copy_text(kind->states[0].name, "flee");
    copy_text(kind->states[1].name, "graze");
    kind->states[0].condition_count = 1;
    kind->states[0].conditions[0] = (struct condition_def){.type = CONDITION_EXHAUSTED};
    struct world *world = build(&def);
    static const char *const names[] = {"speed.prey", "count",           "count.agent",
                                        "count.prey", "count.prey.flee", "count.prey.graze"};
    assert_int_equal(run_columns_make(world, "speed.prey,count", &columns, &failure), 0);
    assert_int_equal(columns.count, 6);
    for (int i = 0; i < columns.count; i++) {
        assert_string_equal(columns.rows[i].name, names[i]);
    }
    run_columns_fini(&columns);
    assert_int_equal(run_columns_make(world, "", &columns, &failure), 0);
    assert_int_equal(columns.count, (RUN_FORWARD - 2) * 3 + 2); /* two are in meters */
    run_columns_fini(&columns);
    static const char *const wrong[] = {
        "cont",
        "speed,",
        ",",
        "speed.prey.flee",
        "speed,speed",
        "count,count.prey",
        "count.agent.",
        "a_name_that_is_far_too_long_for_any_column_that_there_could_be_in_a_world"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(run_columns_make(world, wrong[i], &columns, &failure), -1);
        assert_non_null(strstr(failure.message, "--measure: "));
    }
    assert_int_equal(run_columns_make(world, "cont", &columns, &failure), -1);
    assert_non_null(strstr(failure.message, "did you mean \"count\"?"));
    world_destroy(world);
}

static void test_ends(void **state) {
    static const struct {
        const char *text;
        bool is_over; /* with two agents */
    } rows[] = {{"count<3", true},   {"count<2", false},  {"count<=2", true},       {"count>1", true},
                {"count>2", false},  {"count>=2", true},  {"count==2", true},       {"count = 1", false},
                {"count!=2", false}, {"nearest>0", true}, {"speed.prey<=0", false}, {"speed.prey!=0", false}};
    static const char *const wrong[] = {"count",    "count<",  "<3",       "count<x",
                                        "count<>3", "cuont<3", "count<3 ", " "};
    struct world_def def = one_kind_def(BEHAVIOR_WANDER, vec2_make(10.0f, 10.0f));
    struct run_meter meter = {0};
    struct run_until until;
    struct failure failure = {0};
    assert_non_null(world_def_add_kind(&def, "prey"));
    place(&def, vec2_make(1.0f, 1.0f), vec2_make(1.0f, 1.0f));
    place(&def, vec2_make(9.0f, 1.0f), vec2_make(1.0f, 1.0f));
    struct world *world = build(&def);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool is_over = !rows[i].is_over;
        assert_int_equal(run_until_read(world, rows[i].text, &until, &failure), 0);
        assert_true(run_meter_ends(&meter, world, &until, &is_over));
        if (is_over != rows[i].is_over) {
            fail_msg("%s", rows[i].text);
        }
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (run_until_read(world, wrong[i], &until, &failure) == 0) {
            fail_msg("%s is not refused", wrong[i]);
        }
    }
    run_meter_fini(&meter);
    world_destroy(world);
}

/* ==== clients/drover/run/run_values, run_plan and run_design: the grid of values, and tables of runs ==== */

/* ---- lists of values ---- */

static void expect_values(int (*read)(struct run_values *, const char *, size_t, struct failure *),
                          const char *text, int count, const double *values) {
    struct run_values list = {0};
    struct failure failure = {0};
    if (read(&list, text, strlen(text), &failure) != 0) {
        fail_msg("%s: %s", text, failure.message);
    }
    assert_int_equal(list.count, count);
    assert_memory_equal(list.values, values, (size_t)count * sizeof *values);
    run_values_fini(&list);
}

static void expect_refusal(int (*read)(struct run_values *, const char *, size_t, struct failure *),
                           const char *text) {
    struct run_values list = {0};
    struct failure failure = {0};
    if (read(&list, text, strlen(text), &failure) == 0) {
        fail_msg("%s is not refused", text);
    }
    assert_non_null(strstr(failure.message, "allowed: "));
    run_values_fini(&list);
}

static void test_values_stand_with_commas_and_as_steps(void **state) {
    expect_values(run_values_read, "80,100,120", 3, (double[]){80, 100, 120});
    expect_values(run_values_read, "-1.5e1", 1, (double[]){-15});
    expect_values(run_values_read, "0.5:2:0.5", 4, (double[]){0.5, 1, 1.5, 2});
    expect_values(run_values_read, "7,0:0.3:0.1,9", 6, (double[]){7, 0, 0.1, 0.2, 0.3, 9});
    expect_values(run_values_read, "1:1:5", 1, (double[]){1});
    expect_values(run_values_read, "0:1:0.4", 3, (double[]){0, 0.4, 0.8});
}

static void test_values_that_are_none(void **state) {
    static const char *const texts[] = {"",      ",",      "1,",    "1,,2",      "a",         "1:2",
                                        "1:2:0", "1:2:-1", "2:1:1", "1:2:3:4",   "0x10",      "inf",
                                        "nan",   " 1",     "1 ",    "1e999",     "1:1e999:1", "0:1e9:0.001",
                                        "1..3",  "--1",    "1e",    "0:1:1e-320"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect_refusal(run_values_read, texts[i]);
    }
}

static void test_seeds(void **state) {
    expect_values(run_seeds_read, "1..4", 4, (double[]){1, 2, 3, 4});
    expect_values(run_seeds_read, "9,1..2,7..7", 4, (double[]){9, 1, 2, 7});
    expect_values(run_seeds_read, "9007199254740991", 1, (double[]){9007199254740991.0});
    static const char *const texts[] = {
        "",           "-1", "1.5", "4..1", "1..", "..4", "1...4", "1..2..3", "1e3", "0x1", "9007199254740992",
        "0..1000000", "1,", "a"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect_refusal(run_seeds_read, texts[i]);
    }
}

/* ---- plans ---- */

static void test_the_last_parameter_changes_before_the_first_and_seeds_before_all(void **state) {
    struct run_grid grid = {0};
    struct run_plan plan;
    struct failure failure = {0};
    assert_int_equal(run_grid_read_set(&grid, "a.x=1,2 b.y.z=5:6:1", &failure), 0);
    assert_int_equal(run_seeds_read(&grid.seeds, "3,8", 3, &failure), 0);
    assert_int_equal(run_plan_make(&grid, 99, &plan, &failure), 0);
    assert_int_equal(plan.count, 8);
    static const double rows[8][3] = {{1, 5, 3}, {1, 5, 8}, {1, 6, 3}, {1, 6, 8},
                                      {2, 5, 3}, {2, 5, 8}, {2, 6, 3}, {2, 6, 8}};
    for (uint32_t run = 0; run < plan.count; run++) {
        assert_memory_equal(run_plan_values(&plan, run), rows[run], 2 * sizeof(double));
        assert_int_equal(plan.seeds[run], (uint64_t)rows[run][2]);
    }
    assert_string_equal(run_parameter_own(&plan.parameters[1]), "y.z");
    run_plan_fini(&plan);
    run_grid_fini(&grid);
}

static void test_nothing_is_one_run(void **state) {
    struct run_grid grid = {0};
    struct run_plan plan;
    struct failure failure = {0};
    assert_int_equal(run_plan_make(&grid, 99, &plan, &failure), 0);
    assert_int_equal(plan.count, 1);
    assert_int_equal(plan.seeds[0], 99);
    run_plan_fini(&plan);
    run_grid_fini(&grid);
}

static void test_sets_that_are_none(void **state) {
    static const char *const texts[] = {"a.x",  "a=1",   ".x=1",        "a.=1",  "=1",
                                        "a.x=", "a.x=b", "a.x=1 a.x=2", "a.x==1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct run_grid grid = {0};
        struct failure failure = {0};
        if (run_grid_read_set(&grid, texts[i], &failure) == 0) {
            fail_msg("%s is not refused", texts[i]);
        }
        assert_true(strncmp(failure.message, "--set", 5) == 0);
        run_grid_fini(&grid);
    }
}

static void test_too_many_runs(void **state) {
    struct run_grid grid = {0};
    struct run_plan plan;
    struct failure failure = {0};
    assert_int_equal(run_grid_read_set(&grid, "a.x=1:2000:1 a.y=1:2000:1", &failure), 0);
    assert_int_equal(run_plan_make(&grid, 1, &plan, &failure), -1);
    assert_non_null(strstr(failure.message, "at most 1000000"));
    run_grid_fini(&grid);
}

/* ---- designs ---- */

static int read_design(struct run_grid *grid, const char *text, struct failure *failure) {
    *grid = (struct run_grid){0};
    return run_design_read(grid, "d.csv", text, strlen(text), failure);
}

static void test_a_design_has_a_row_for_each_run(void **state) {
    struct run_grid grid;
    struct run_plan plan;
    struct failure failure = {0};
    assert_int_equal(read_design(&grid,
                                 "\xEF\xBB\xBF"
                                 "a.x,seed,\"a.y\"\r\n1,7,2\r\n\r\n,,\"3\"\r\n4,8,",
                                 &failure),
                     0);
    assert_int_equal(run_plan_make(&grid, 99, &plan, &failure), 0);
    assert_int_equal(plan.count, 3);
    assert_int_equal(plan.seeds[0], 7);
    assert_int_equal(plan.seeds[1], 99);
    assert_int_equal(plan.seeds[2], 8);
    assert_true(run_plan_values(&plan, 0)[0] == 1 && run_plan_values(&plan, 0)[1] == 2);
    assert_true(isnan(run_plan_values(&plan, 1)[0]) && run_plan_values(&plan, 1)[1] == 3);
    assert_true(run_plan_values(&plan, 2)[0] == 4 && isnan(run_plan_values(&plan, 2)[1]));
    run_plan_fini(&plan);
    run_grid_fini(&grid);
}

static void test_a_design_is_crossed_with_sets_and_seeds(void **state) {
    struct run_grid grid;
    struct run_plan plan;
    struct failure failure = {0};
    assert_int_equal(read_design(&grid, "a.x\n1\n2\n", &failure), 0);
    assert_int_equal(run_grid_read_set(&grid, "a.y=5,6", &failure), 0);
    assert_int_equal(run_seeds_read(&grid.seeds, "3,4", 3, &failure), 0);
    assert_int_equal(run_plan_make(&grid, 99, &plan, &failure), 0);
    assert_int_equal(plan.count, 8);
    assert_memory_equal(run_plan_values(&plan, 6), ((double[]){2, 6}), 2 * sizeof(double));
    assert_int_equal(plan.seeds[6], 3);
    run_plan_fini(&plan);
    assert_int_equal(run_grid_read_set(&grid, "a.x=5", &failure), -1);
    run_grid_fini(&grid);
}

static void test_a_mistake_in_a_design_has_its_line_and_column(void **state) {
    static const struct {
        const char *text, *begins;
    } rows[] = {
        {"a.x,seed\n1,2\n1,b\n", "d.csv:3:3: "},
        {"a.x,seed\n1,2\n\"1\",\"-5\"\n", "d.csv:3:6: "},
        {"a.x,seed\n1,2,3\n", "d.csv:2:5: "},
        {"a.x,a.y\n1\n", "d.csv:2:1: "},
        {"a.x,ax\n1,2\n", "d.csv:1:5: "},
        {"a.x,a.x\n1,2\n", "d.csv:1:5: "},
        {"seed,seed\n1,2\n", "d.csv:1:6: "},
        {"a.x\n\"1\n", "d.csv:2:2: "},
        {"a.x\n\"1\"2\n", "d.csv:2:2: "},
        {"a.\xC3\xA4,b.x\n1,z\n", "d.csv:2:3: "},
        {"a.\xC3\xA4,b\n1,2\n", "d.csv:1:5: "},
        {"a.x\n", "d.csv: no rows"},
        {"", "d.csv: no rows"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run_grid grid;
        struct failure failure = {0};
        assert_int_equal(read_design(&grid, rows[i].text, &failure), -1);
        if (strncmp(failure.message, rows[i].begins, strlen(rows[i].begins)) != 0) {
            fail_msg("%s: %s", rows[i].text, failure.message);
        }
        run_grid_fini(&grid);
    }
}

/* ==== run_progress: what the line says, and how the time left is guessed ==== */

static void test_the_line(void **state) {
    char line[RUN_PROGRESS_LINE];
    const struct run_counts half = {.total = 60, .done = 29, .begun = 1.0};
    const struct run_counts bad = {.total = 60, .done = 40, .failed = 2};
    assert_string_equal(run_progress_line(line, &half, 62.0, true),
                        "run 29/60 [###############...............]  50 %  1:02 left");
    assert_string_equal(run_progress_line(line, &half, -1.0, false), "run 29/60  50 %");
    assert_string_equal(run_progress_line(line, &bad, 5.0, false), "run 42/60  70 %  0:05 left  2 failed");
}

static void test_the_time_left_is_that_of_the_median_run(void **state) {
    struct run_progress progress = {.jobs = 2};
    const struct run_counts counts = {.total = 13, .done = 2, .failed = 1};
    assert_true(run_progress_left(&progress, &counts, 10.0) < 0.0);
    run_progress_note(&progress, 100.0);
    run_progress_note(&progress, 1.0);
    run_progress_note(&progress, 3.0);
    assert_true(run_progress_left(&progress, &counts, 10.0) == 15.0); /* ten runs of 3 s, two at a time */
    const struct run_counts last = {.total = 13, .done = 12, .begun = 0.5};
    assert_true(run_progress_left(&progress, &last, 10.0) == 1.5); /* one process has it */
    run_progress_end(&progress);
}

static void test_before_a_run_has_ended_its_share_is_the_guess(void **state) {
    struct run_progress progress = {.jobs = 1};
    const struct run_counts counts = {.total = 4, .begun = 0.5};
    assert_true(run_progress_left(&progress, &counts, 10.0) == 70.0);
    assert_true(run_progress_left(&progress, &counts, 0.1) < 0.0);
    run_progress_end(&progress);
}

/* ==== progress: what the line says ==== */

static void test_the_line_has_a_bar_a_share_and_the_time_left(void **state) {
    char line[PROGRESS_LINE];
    assert_string_equal(progress_line(line, "verify", 50, 100, 61.6),
                        "verify [###############...............]  50 %  1:02 left");
    assert_string_equal(progress_line(line, "diff", 1, 3600, 2.0),
                        "diff [..............................]   0 %  1:59:58 left");
    assert_string_equal(progress_line(line, "cut", 100, 100, 3.0),
                        "cut [##############################] 100 %  0:00 left");
}

static void test_nothing_is_guessed_at_the_beginning(void **state) {
    char line[PROGRESS_LINE];
    assert_string_equal(progress_line(line, "verify", 0, 100, 9.0),
                        "verify [..............................]   0 %");
    assert_string_equal(progress_line(line, "verify", 10, 100, 0.1),
                        "verify [###...........................]  10 %");
    assert_string_equal(progress_line(line, "verify", 7, 0, 9.0), "verify 7");
}

static void test_more_than_all_is_all(void **state) {
    char line[PROGRESS_LINE];
    assert_string_equal(progress_line(line, "verify", 150, 100, 3.0),
                        "verify [##############################] 100 %  0:00 left");
    (void)progress_line(line, "a command with a very long name indeed", UINT64_MAX - 1, UINT64_MAX, 1e12);
    assert_in_range(strlen(line), 1, PROGRESS_LINE - 1);
}

/* A log gets a line after ten seconds, twenty, forty and so on. */
static void test_a_log_gets_few_lines(void **state) {
    char line[256] = "";
    struct progress progress;
    FILE *log = tmpfile();
    const int errors = dup(STDERR_FILENO);
    assert_non_null(log);
    assert_int_equal(dup2(fileno(log), STDERR_FILENO), STDERR_FILENO);
    progress_begin(&progress, "verify", 1000);
    progress_show(&progress, 1);
    for (uint64_t second = 1; second < 100; second++) {
        progress.begun_ns -= UINT64_C(1000000000);
        progress_show(&progress, 10 * second);
    }
    progress_end(&progress);
    assert_int_equal(dup2(errors, STDERR_FILENO), STDERR_FILENO);
    (void)close(errors);
    rewind(log);
    for (int percent = 10; percent <= 80; percent *= 2) {
        char begin[64];
        (void)snprintf(begin, sizeof begin, " %d %%", percent);
        assert_non_null(fgets(line, sizeof line, log));
        assert_non_null(strstr(line, begin));
    }
    assert_null(fgets(line, sizeof line, log));
    assert_int_equal(fclose(log), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_mill_turns_and_has_no_direction),
        cmocka_unit_test(test_what_goes_outwards_does_not_turn),
        cmocka_unit_test(test_a_column_has_one_direction),
        cmocka_unit_test(test_a_world_with_a_scale_is_measured_in_meters),
        cmocka_unit_test(test_what_is_not_defined_is_no_number),
        cmocka_unit_test(test_random_crowds_beside_loops_over_all_pairs),
        cmocka_unit_test(test_all_catches_of_a_tick_count),
        cmocka_unit_test(test_targets_that_are_reached_count),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_values_stand_with_commas_and_as_steps),
        cmocka_unit_test(test_values_that_are_none),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_the_last_parameter_changes_before_the_first_and_seeds_before_all),
        cmocka_unit_test(test_nothing_is_one_run),
        cmocka_unit_test(test_sets_that_are_none),
        cmocka_unit_test(test_too_many_runs),
        cmocka_unit_test(test_a_design_has_a_row_for_each_run),
        cmocka_unit_test(test_a_design_is_crossed_with_sets_and_seeds),
        cmocka_unit_test(test_a_mistake_in_a_design_has_its_line_and_column),
        cmocka_unit_test(test_the_line),
        cmocka_unit_test(test_the_time_left_is_that_of_the_median_run),
        cmocka_unit_test(test_before_a_run_has_ended_its_share_is_the_guess),
        cmocka_unit_test(test_the_line_has_a_bar_a_share_and_the_time_left),
        cmocka_unit_test(test_nothing_is_guessed_at_the_beginning),
        cmocka_unit_test(test_more_than_all_is_all),
        cmocka_unit_test(test_a_log_gets_few_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
