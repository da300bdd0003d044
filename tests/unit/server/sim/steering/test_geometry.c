/* Behaviors of geometry and scenery. */

#define LANES_WIDTH 1 /* path_rules.inc.h */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/math/rng.h"
#include "server/sim/scenery/path_rules.inc.h"
#include "server/sim/steering/behavior.h"
#include "tests/unit/server/sim/sim_fixture.h"

/* ==== behavior_geometry.c: each behavior alone, and run in small worlds ==== */

static struct world_def def_with(enum behavior_type type) {
    struct world_def def = one_kind_def(type, (vec2){700, 300});
    def.kinds[0].body.radius = (struct field_range){5, 5};
    def.kinds[0].body.max_force = (struct field_range){400, 400};
    return def;
}

static void add_path(struct world_def *def, bool is_loop) {
    const vec2 points[] = {{100, 100}, {700, 100}, {700, 500}, {100, 500}};
    struct path_def *path = geometry_def_add_path(&def->geometry);
    assert_non_null(path);
    copy_text(path->name, "way");
    path->is_loop = is_loop;
    path->radius = 20;
    path->point_count = 4;
    memcpy(path->points, points, sizeof points);
    copy_text(behavior_of(def)->path, "way");
}

static vec2 steering(const struct world *world) {
    struct steering_view view;
    world_explain(world, 0, &view);
    return view.steering;
}

static float clearance(const struct world *world) {
    const struct bounds bounds = world_bounds(world);
    const struct agent_view agent = world_agent(world, 0);
    return scenery_nearest(world_scenery(world), &bounds, agent.position).touch.distance - agent.radius;
}

/* ---- avoid obstacles ---- */

static struct world *towards_circle(float y, float speed) {
    struct world_def def = def_with(BEHAVIOR_AVOID_OBSTACLES);
    add_circle(&def, (vec2){400, 300}, 40);
    place(&def, (vec2){250, y}, (vec2){speed, 0});
    return build(&def);
}

static void test_avoid_steers_to_the_nearer_side(void **state) {
    for (int side = -1; side <= 1; side += 2) {
        struct world *world = towards_circle(300.0f + 15.0f * (float)side, 100);
        assert_true(steering(world).y * (float)side > 1.0f);
        for (int tick = 0; tick < 240; tick++) {
            world_step(world);
            assert_true(clearance(world) > 0.5f); /* it need not touch */
        }
        assert_true(world_agent(world, 0).position.x > 450.0f);
        world_destroy(world);
    }
}

static void test_avoid_ignores_what_it_misses(void **state) {
    struct world *beside = towards_circle(350, 100), *far = towards_circle(300, 60);
    assert_true(steering(beside).x == 0.0f && steering(beside).y == 0.0f);
    assert_true(steering(far).x == 0.0f && steering(far).y == 0.0f); /* beyond 1.5 s */
    world_destroy(beside);
    world_destroy(far);
}

static void test_avoid_head_on(void **state) {
    struct world *world = towards_circle(300, 100);
    steps(world, 300);
    assert_true(world_agent(world, 0).position.x > 460.0f);
    world_destroy(world);
}

static void test_avoid_brakes_when_it_cannot_pass(void **state) {
    struct world_def def = def_with(BEHAVIOR_AVOID_OBSTACLES);
    struct wall_def *wall = geometry_def_add_wall(&def.geometry);
    assert_non_null(wall);
    *wall = (struct wall_def){{400, -5000}, {400, 5000}};
    def.kinds[0].body.max_force = (struct field_range){60, 60};
    place(&def, (vec2){340, 300}, (vec2){100, 0});
    struct world *world = build(&def);
    assert_true(steering(world).x < -20.0f);
    for (int tick = 0; tick < 300; tick++) {
        world_step(world);
        assert_true(world_agent(world, 0).position.x < 395.1f);
    }
    world_destroy(world);
}

/* In the corner of a court, in which it was driven at whatever angle, it goes on along the other side. */
static void test_avoid_leaves_an_inner_corner(void **state) {
    static const vec2 angle[] = {{200, 200}, {500, 200}, {500, 240}, {240, 240}, {240, 500}, {200, 500}};
    for (int share = 0; share <= 10; share++) {
        const float turn = (float)(share - 5) * 0.1f;
        struct world_def def = def_with(BEHAVIOR_AVOID_OBSTACLES);
        struct obstacle_def *court = geometry_def_add_obstacle(&def.geometry);
        assert_non_null(court);
        court->shape = OBSTACLE_POLYGON;
        court->point_count = 6;
        memcpy(court->points, angle, sizeof angle);
        place(&def, (vec2){246, 246}, vec2_scale((vec2){-1.0f + turn, -1.0f - turn}, 40.0f));
        struct world *world = build(&def);
        for (int tick = 0; tick < 240; tick++) {
            world_step(world);
            assert_true(clearance(world) > -0.05f);
        }
        const vec2 at = world_agent(world, 0).position;
        assert_true(vec2_length(vec2_sub(at, (vec2){240, 240})) > 60.0f);
        world_destroy(world);
    }
}

static void test_avoid_gets_out(void **state) {
    const struct body body = {.mass = 1, .radius = 5, .max_speed = 100, .max_force = 400};
    const struct bounds plain = {{800, 600}, EDGE_OPEN};
    struct geometry_def geometry = {0};
    struct obstacle_def *box = geometry_def_add_obstacle(&geometry);
    assert_non_null(box);
    *box = (struct obstacle_def){.shape = OBSTACLE_BOX, .at = {100, 100}, .size = {200, 80}};
    struct scenery scenery;
    assert_int_equal(scenery_init(&scenery, &geometry, &plain), 0);
    struct steering_context context = {.position = {200, 170},
                                       .heading = {1, 0},
                                       .scenery = &scenery,
                                       .body = &body,
                                       .bounds = &plain,
                                       .dt = 1.0f / 60.0f};
    behavior_rates(&context, 1.0f);
    const struct behavior_def avoid = behavior_def_default(BEHAVIOR_AVOID_OBSTACLES);
    const struct steering_output output = behavior_avoid_obstacles(&avoid, &context);
    assert_true(output.is_active && output.desired.x == 0.0f && output.desired.y == 100.0f);
    /* From the very middle, whatever the pull along the box: one way out, and always the same one. */
    context.position = (vec2){200, 140};
    const vec2 first = behavior_avoid_obstacles(&avoid, &context).desired;
    assert_true(first.x == 0.0f && fabsf(first.y) == 100.0f);
    for (int tick = 0; tick < 30; tick++) {
        context.velocity = vec2_add(first, (vec2){tick % 2 ? 40.0f : -40.0f, 0.0f});
        context.position.y += first.y / 60.0f;
        if (context.position.y < 100.0f || context.position.y > 180.0f) {
            break;
        }
        assert_true(behavior_avoid_obstacles(&avoid, &context).desired.y == first.y);
    }
    scenery_fini(&scenery);
    geometry_def_fini(&geometry);
}

/* An agent that wants to be straight behind a box 600 px wide, which `split` cuts into two that adjoin. */
static struct world *towards_box(float x, bool split) {
    struct world_def def = def_with(BEHAVIOR_AVOID_OBSTACLES);
    def.size = (vec2){1000, 800};
    for (int i = 0; i < (split ? 2 : 1); i++) {
        struct obstacle_def *box = geometry_def_add_obstacle(&def.geometry);
        assert_non_null(box);
        *box =
            (struct obstacle_def){.shape = OBSTACLE_BOX, .at = {200, 400}, .size = {split ? 300 : 600, 40}};
        box->at.x += 300.0f * (float)i;
    }
    struct state_def *state = &def.kinds[0].states[0];
    state->behaviors[1] = behavior_def_default(BEHAVIOR_SEEK);
    state->behaviors[1].tier = 1;
    copy_text(state->behaviors[1].target.target, "mouse");
    state->behavior_count = 2;
    def.targets[0].at = (vec2){500, 600};
    place(&def, (vec2){x, 200}, (vec2){0, 60});
    return build(&def);
}

/* It goes round, without touching the box and without turning back on the way. */
static void test_avoid_gets_round_a_wide_box(void **state) {
    for (int run = 0; run < 22; run++) {
        const float x = 450.0f + 10.0f * (float)(run % 11);
        struct world *world = towards_box(x, run >= 11);
        int turns = 0, tick = 0;
        float side = 0.0f;
        for (; tick < 900 && world_agent(world, 0).position.y < 450.0f; tick++) {
            const float vx = world_agent(world, 0).velocity.x;
            const float now = vx > 5.0f ? 1.0f : vx < -5.0f ? -1.0f : side;
            turns += now != side && side != 0.0f;
            side = now;
            assert_true(clearance(world) > 0.0f);
            world_step(world);
        }
        assert_true(tick < 900);
        assert_true(turns <= 2); /* away from the side of the target, and back behind the box */
        world_destroy(world);
    }
}

/* An agent cannot go round on the side where a box reaches the border of a closed world. */
static void test_avoid_passes_where_there_is_room(void **state) {
    struct world_def def = def_with(BEHAVIOR_AVOID_OBSTACLES);
    def.edge = EDGE_CONTAIN;
    struct obstacle_def *box = geometry_def_add_obstacle(&def.geometry);
    assert_non_null(box);
    *box = (struct obstacle_def){.shape = OBSTACLE_BOX, .at = {400, 300}, .size = {400, 40}};
    place(&def, (vec2){760, 200}, (vec2){0, 80});
    struct world *world = build(&def);
    assert_true(steering(world).x < -1.0f);
    world_destroy(world);
}

static void test_avoid_across_the_wrapping_edge(void **state) {
    struct world_def def = def_with(BEHAVIOR_AVOID_OBSTACLES);
    def.edge = EDGE_WRAP;
    add_circle(&def, (vec2){20, 300}, 30);
    place(&def, (vec2){720, 310}, (vec2){100, 0});
    struct world *world = build(&def);
    assert_true(steering(world).y > 1.0f);
    world_destroy(world);
}

/* ---- walls ---- */

static void test_follow_wall_keeps_its_distance(void **state) {
    struct world_def def = def_with(BEHAVIOR_FOLLOW_WALL);
    add_circle(&def, (vec2){400, 300}, 100);
    place(&def, (vec2){400, 100}, (vec2){80, 0});
    struct world *world = build(&def);
    steps(world, 240);
    float around = 0.0f;
    for (int tick = 0; tick < 900; tick++) {
        const vec2 before = vec2_sub(world_agent(world, 0).position, (vec2){400, 300});
        world_step(world);
        const vec2 after = vec2_sub(world_agent(world, 0).position, (vec2){400, 300});
        around += vec2_cross(before, after) / vec2_length_squared(after);
        assert_true(fabsf(clearance(world) - 20.0f) < 4.0f);
        assert_true(vec2_length(world_agent(world, 0).velocity) > 90.0f);
    }
    assert_true(around > 6.3f); /* once round, without turning back */
    world_destroy(world);
}

static void test_follow_wall_turns_in_a_corner(void **state) {
    struct world_def def = def_with(BEHAVIOR_FOLLOW_WALL);
    const struct wall_def walls[] = {{{100, 500}, {600, 500}}, {{600, 500}, {600, 100}}};
    for (int i = 0; i < 2; i++) {
        struct wall_def *wall = geometry_def_add_wall(&def.geometry);
        assert_non_null(wall);
        *wall = walls[i];
    }
    place(&def, (vec2){300, 475}, (vec2){100, 0});
    struct world *world = build(&def);
    steps(world, 330);
    const struct agent_view agent = world_agent(world, 0);
    assert_true(agent.velocity.y < -80.0f && fabsf(clearance(world) - 20.0f) < 5.0f);
    world_destroy(world);
}

static void test_follow_wall_without_walls(void **state) {
    struct world_def def = def_with(BEHAVIOR_FOLLOW_WALL);
    place(&def, (vec2){300, 475}, (vec2){0, 0});
    struct world *world = build(&def);
    assert_true(steering(world).x == 0.0f && steering(world).y == 0.0f);
    world_destroy(world);
}

/* ---- paths ---- */

static float way_round(float direction, int ticks, float *farthest) {
    struct world_def def = def_with(BEHAVIOR_FOLLOW_PATH);
    add_path(&def, true);
    behavior_of(&def)->direction = direction;
    place(&def, (vec2){100, 300}, (vec2){0, 0}); /* at rest, exactly on the line */
    struct world *world = build(&def);
    const struct bounds bounds = world_bounds(world);
    const struct path *path = &world_scenery(world)->paths[0];
    float way = 0.0f;
    *farthest = 0.0f;
    for (int tick = 0; tick < ticks; tick++) {
        const struct path_spot before = path_nearest(path, &bounds, world_agent(world, 0).position);
        world_step(world);
        const struct path_spot after = path_nearest(path, &bounds, world_agent(world, 0).position);
        way += path_difference(path, before.s, after.s);
        *farthest = fmaxf(*farthest, after.distance);
    }
    world_destroy(world);
    return way;
}

static void test_follow_path_both_ways(void **state) {
    float farthest;
    assert_true(way_round(1, 1500, &farthest) > 2000.0f); /* more than once round */
    assert_true(farthest < 32.0f);
    assert_true(way_round(-1, 1500, &farthest) < -2000.0f);
    assert_true(farthest < 32.0f);
}

static void test_follow_path_comes_from_afar_and_stops_at_the_end(void **state) {
    struct world_def def = def_with(BEHAVIOR_FOLLOW_PATH);
    add_path(&def, false);
    place(&def, (vec2){300, 300}, (vec2){-100, 0});
    struct world *world = build(&def);
    steps(world, 1800);
    const struct agent_view agent = world_agent(world, 0);
    assert_true(hypotf(agent.position.x - 100.0f, agent.position.y - 500.0f) < 0.1f);
    assert_true(agent.velocity.x == 0.0f && agent.velocity.y == 0.0f);
    world_destroy(world);
}

static void test_stay_on_path(void **state) {
    struct world_def def = def_with(BEHAVIOR_STAY_ON_PATH);
    add_path(&def, false);
    place(&def, (vec2){300, 110}, (vec2){50, 0});
    place(&def, (vec2){300, 110}, (vec2){0, 90}); /* about to leave */
    struct world *world = build(&def);
    struct steering_view view;
    world_explain(world, 0, &view);
    assert_true(view.steering.x == 0.0f && view.steering.y == 0.0f);
    world_explain(world, 1, &view);
    assert_true(view.steering.y < -100.0f);
    world_destroy(world);
}

static const vec2 crossing = {400, 300};

/* A path that crosses itself in the middle, first along x, later along y. */
static struct world_def eight(float direction) {
    struct world_def def = def_with(BEHAVIOR_FOLLOW_PATH);
    const vec2 points[] = {{100, 300}, {700, 300}, {700, 100}, {400, 100}, {400, 500}, {100, 500}};
    struct path_def *path = geometry_def_add_path(&def.geometry);
    assert_non_null(path);
    copy_text(path->name, "way");
    path->is_loop = true;
    path->radius = 25;
    path->point_count = 6;
    memcpy(path->points, points, sizeof points);
    copy_text(behavior_of(&def)->path, "way");
    behavior_of(&def)->direction = direction;
    def.kinds[0].body.max_speed = (struct field_range){100, 100};
    return def;
}

/* An agent that comes along x goes on along x, though the other branch is as near in the middle. */
static void test_follow_path_keeps_its_course_at_a_crossing(void **state) {
    for (int run = 0; run < 10; run++) {
        const float sign = run % 2 ? 1.0f : -1.0f;
        struct world_def def = eight(sign);
        place(&def, (vec2){400.0f - 150.0f * sign, 276.0f + 5.0f * (float)run}, (vec2){0, 0});
        struct world *world = build(&def);
        for (int round = 0; round < 2; round++) {
            int tick = 0;
            while (tick < 1500 &&
                   vec2_length_squared(vec2_sub(world_agent(world, 0).position, crossing)) > 900.0f) {
                world_step(world);
                tick++;
            }
            assert_true(tick < 1500);
            const bool is_level = fabsf(world_agent(world, 0).velocity.x) > 70.0f;
            assert_true(is_level == (round == 0));
            steps(world, 60);
            assert_true((fabsf(world_agent(world, 0).velocity.x) > 70.0f) == is_level);
            assert_true(fabsf(is_level ? world_agent(world, 0).position.y - 300.0f
                                       : world_agent(world, 0).position.x - 400.0f) < 30.0f);
        }
        world_destroy(world);
    }
}

/* Pushed at rest onto the crossing it still knows which way it was going. */
static void test_follow_path_remembers_where_it_was(void **state) {
    const struct bounds plain = {{800, 600}, EDGE_OPEN};
    struct world_def def = eight(1);
    struct scenery scenery;
    assert_int_equal(scenery_init(&scenery, &def.geometry, &plain), 0);
    const struct body body = {.mass = 1, .radius = 5, .max_speed = 100, .max_force = 400};
    struct memory memory = {0};
    struct steering_context context = {.heading = {1, 0},
                                       .scenery = &scenery,
                                       .path = scenery.paths,
                                       .body = &body,
                                       .bounds = &plain,
                                       .dt = 1.0f / 60.0f,
                                       .memory = &memory};
    behavior_rates(&context, 1.0f);
    const vec2 starts[] = {{330, 300}, {400, 230}};
    for (int i = 0; i < 2; i++) {
        memory = (struct memory){0};
        context.position = starts[i];
        (void)behavior_follow_path(behavior_of(&def), &context);
        context.position = vec2_add(crossing, (vec2){i == 0 ? 0.0f : 6.0f, i == 0 ? 6.0f : 0.0f});
        const struct steering_output output = behavior_follow_path(behavior_of(&def), &context);
        assert_true(i == 0 ? output.desired.x > 90.0f : output.desired.y > 90.0f);
    }
    /* Carried off, it starts again from the nearest place. */
    context.position = (vec2){110, 480};
    (void)behavior_follow_path(behavior_of(&def), &context);
    assert_true(fabsf(path_point(scenery.paths, memory.path_s).x - 100.0f) < 1.0f);
    scenery_fini(&scenery);
    world_def_fini(&def);
}

/* ---- flow ---- */

static void test_follow_flow(void **state) {
    struct world_def def = def_with(BEHAVIOR_FOLLOW_FLOW);
    add_flow(&def, "wind", (struct flow_def){.type = FLOW_UNIFORM, .vector = {30, 40}});
    place(&def, (vec2){300, 300}, (vec2){0, 0});
    struct world *world = build(&def);
    steps(world, 120);
    vec2 velocity = world_agent(world, 0).velocity;
    assert_true(fabsf(velocity.x - 30.0f) < 0.01f && fabsf(velocity.y - 40.0f) < 0.01f);
    world_destroy(world);
}

static void test_flow_is_looked_up_ahead(void **state) {
    struct world_def def = def_with(BEHAVIOR_FOLLOW_FLOW);
    add_flow(&def, "sink", (struct flow_def){.type = FLOW_TOWARDS, .at = {400, 300}, .strength = 500});
    behavior_of(&def)->prediction = 1.0f;
    place(&def, (vec2){350, 300}, (vec2){100, 0}); /* in a second it will be beyond */
    struct world *world = build(&def);
    struct steering_view view;
    world_explain(world, 0, &view);
    assert_true(fabsf(view.desired.x + 100.0f) < 1e-3f && fabsf(view.desired.y) < 1e-3f);
    world_destroy(world);
}

/* ---- hide ---- */

static void test_hide_behind_the_nearest(void **state) {
    struct world_def def = def_with(BEHAVIOR_HIDE); /* the threat is the target at 700, 300 */
    add_circle(&def, (vec2){400, 300}, 40);
    add_circle(&def, (vec2){700, 100}, 40);
    place(&def, (vec2){300, 400}, (vec2){0, 0});
    struct world *world = build(&def);
    steps(world, 600);
    const struct agent_view agent = world_agent(world, 0);
    assert_true(fabsf(agent.position.x - 345.0f) < 0.1f && fabsf(agent.position.y - 300.0f) < 0.1f);
    assert_true(agent.velocity.x == 0.0f && agent.velocity.y == 0.0f);
    world_destroy(world);
}

static void test_hide_without_obstacles_evades(void **state) {
    struct world_def def = def_with(BEHAVIOR_HIDE);
    place(&def, (vec2){600, 300}, (vec2){0, 0});
    struct world *world = build(&def);
    assert_true(steering(world).x < -100.0f);
    world_destroy(world);
}

static void test_names_must_be_there(void **state) {
    struct world_def def = def_with(BEHAVIOR_FOLLOW_PATH);
    copy_text(behavior_of(&def)->path, "nowhere");
    struct world *world = NULL;
    const char *what = "";
    assert_int_equal(world_create(&def, &world, &what), WORLD_BAD_DEF);
    assert_non_null(strstr(what, "path"));
    world_def_fini(&def);
}

/* ==== steering scenery ====
 * The part of server/sim/kernels/steering.inc.h about what stands and flows in the world: every width against the functions
 * for one agent, bit by bit. */

enum { PATHS = 3, WORLDS = 60 };

static const struct bounds all_bounds[] = {{{800, 600}, EDGE_OPEN}, {{800, 600}, EDGE_WRAP}};

/* A world of paths and solids, and the agents of a batch in it. */
struct scene {
    struct bounds bounds;
    struct path paths[PATHS];
    struct scenery scenery;
    struct behavior_def behavior;
    struct body body[BATCH_MAX];
    struct memory memory[BATCH_MAX];
    float direction[BATCH_MAX];
    struct steering_batch batch;
    place_set wanted;
};

static float chance(struct rng *dice) {
    return rng_unit(dice);
}

static void draw_path(struct scene *scene, struct rng *dice, struct path *path) {
    struct path_def def = {.is_loop = chance(dice) < 0.5f, .radius = rng_between(dice, 5, 60)};
    def.point_count = 2 + (int)(chance(dice) * 12.0f);
    for (int i = 0; i < def.point_count; i++) {
        /* Whole numbers, so that places can lie on corners; now and then a side of no length. */
        def.points[i] = vec2_make((float)(int)(chance(dice) * 800.0f), (float)(int)(chance(dice) * 600.0f));
        if (i > 0 && chance(dice) < 0.1f) {
            def.points[i] = def.points[i - 1];
        }
    }
    *path = path_prepare(&def, &scene->bounds);
}

static void draw_solids(struct scene *scene, struct rng *dice) {
    struct geometry_def def = {0};
    for (int i = 0; i < 6; i++) {
        struct obstacle_def *obstacle = geometry_def_add_obstacle(&def);
        assert_non_null(obstacle);
        obstacle->shape = OBSTACLE_CIRCLE;
        obstacle->at = vec2_make(rng_between(dice, 0, 800), rng_between(dice, 0, 600));
        obstacle->radius = rng_between(dice, 5, 40);
    }
    assert_int_equal(scenery_init(&scene->scenery, &def, &scene->bounds), 0);
    free(scene->scenery.paths);
    scene->scenery.paths = scene->paths;
    geometry_def_fini(&def);
}

/* On a corner, in a window's edge, or anywhere. */
static vec2 draw_place(const struct path *path, struct rng *dice) {
    const float kind = chance(dice);
    if (kind < 0.2f) {
        return path->sides[(int)(chance(dice) * (float)path->count)].from;
    }
    if (kind < 0.6f) {
        const vec2 off = {rng_between(dice, -30, 30), rng_between(dice, -30, 30)};
        return vec2_add(path_point(path, chance(dice) * path->length), off);
    }
    return vec2_make(rng_between(dice, 0, 800), rng_between(dice, 0, 600));
}

static void draw_agent(struct scene *scene, struct rng *dice, int place) {
    struct steering_batch *batch = &scene->batch;
    const int path = (int)(chance(dice) * (float)PATHS);
    const vec2 at = bounds_settle(&scene->bounds, draw_place(&scene->paths[path], dice));
    scene->body[place] = (struct body){.max_speed = rng_between(dice, 1, 200),
                                       .max_force = rng_between(dice, 1, 400),
                                       .mass = rng_between(dice, 0.5f, 3),
                                       .radius = rng_between(dice, 0, 12)};
    struct memory *memory = &scene->memory[place];
    *memory = (struct memory){.solid = chance(dice) < 0.3f ? 1 : 0, .side = 1};
    memory->solid_tick = (uint32_t)(100.0f - chance(dice) * 40.0f);
    memory->path = chance(dice) < 0.7f ? (uint32_t)(1 + path) : chance(dice) < 0.5f ? 0 : 1;
    memory->path_s = chance(dice) * scene->paths[path].length;
    scene->direction[place] = chance(dice) < 0.5f ? -1.0f : 1.0f;
    batch->path[place] = (float)path;
    batch->path_sign[place] = scene->direction[place];
    batch->memory = scene->memory;
    batch->x[place] = at.x;
    batch->y[place] = at.y;
    batch->vx[place] = rng_between(dice, -150, 150);
    batch->vy[place] = chance(dice) < 0.1f ? 0.0f : rng_between(dice, -150, 150);
    batch->max_speed[place] = scene->body[place].max_speed;
    batch->max_force[place] = scene->body[place].max_force;
    batch->mass[place] = scene->body[place].mass;
    batch->radius[place] = scene->body[place].radius;
}

static void draw_scene(struct scene *scene, uint64_t seed) {
    struct rng dice = rng_begin(seed, 0, 0, RNG_SPAWN_PLACE);
    memset(scene, 0, sizeof *scene);
    scene->bounds = all_bounds[seed % 2];
    for (int i = 0; i < PATHS; i++) {
        draw_path(scene, &dice, &scene->paths[i]);
    }
    draw_solids(scene, &dice);
    scene->behavior = (struct behavior_def){.weight = 1,
                                            .horizon = rng_between(&dice, 0, 1),
                                            .clearance = rng_between(&dice, 0, 10),
                                            .prediction = chance(&dice) < 0.2f ? 0.0f : chance(&dice),
                                            .window = rng_between(&dice, 0, 300)};
    scene->batch.count = 1 + (int32_t)(chance(&dice) * (float)BATCH_MAX);
    scene->batch.count = scene->batch.count > BATCH_MAX ? BATCH_MAX : scene->batch.count;
    scene->batch.dt = 1.0f / 60.0f;
    scene->batch.tick = 100;
    scene->batch.bounds = scene->bounds;
    scene->batch.scenery = &scene->scenery;
    scene->batch.half =
        scene->bounds.edge == EDGE_WRAP ? vec2_scale(scene->bounds.size, 0.5f) : vec2_make(3e38f, 3e38f);
    for (int place = 0; place < scene->batch.count; place++) {
        draw_agent(scene, &dice, place);
        scene->wanted |= (place_set)(chance(&dice) < 0.8f) << place;
    }
}

static void drop_scene(struct scene *scene) {
    scene->scenery.paths = NULL;
    scenery_fini(&scene->scenery);
}

static struct steering_context context_of(struct scene *scene, int place, struct memory *memory) {
    const struct steering_batch *batch = &scene->batch;
    *memory = scene->memory[place];
    return (struct steering_context){
        .position = {batch->x[place], batch->y[place]},
        .velocity = {batch->vx[place], batch->vy[place]},
        .heading = {1, 0},
        .scenery = &scene->scenery,
        .path = &scene->paths[(int)batch->path[place]],
        .body = &scene->body[place],
        .bounds = &scene->bounds,
        .dt = batch->dt,
        .rate = batch->rate[place],
        .exact_rate = batch->exact_rate[place],
        .tick = batch->tick,
        .memory = memory,
    };
}

static void assert_same_bits(float a, float b) {
    assert_memory_equal(&a, &b, sizeof a);
}

static void compare_paths(struct scene *scene, const struct steering_kernel *kernel) {
    struct steering_columns out = {.active = 0};
    struct steering_output expected[BATCH_MAX] = {{.is_active = false}};
    struct memory after[BATCH_MAX] = {{.path = 0}};
    kernel->begin(&scene->batch, 1.0f, UINT64_MAX);
    for (int place = 0; place < scene->batch.count; place++) {
        const struct steering_context context = context_of(scene, place, &after[place]);
        scene->behavior.direction = scene->direction[place];
        expected[place] = behavior_follow_path(&scene->behavior, &context);
    }
    kernel->rules[BEHAVIOR_FOLLOW_PATH](&scene->batch, &scene->behavior, scene->wanted, &out);
    assert_true(out.active == scene->wanted && out.left == 0);
    for (int place = 0; place < scene->batch.count; place++) {
        if ((scene->wanted >> place & 1) == 0) {
            continue;
        }
        assert_same_bits(out.desired_x[place], expected[place].desired.x);
        assert_same_bits(out.desired_y[place], expected[place].desired.y);
        assert_same_bits(out.force_x[place], expected[place].force.x);
        assert_same_bits(out.force_y[place], expected[place].force.y);
        assert_int_equal(scene->memory[place].path, after[place].path);
        assert_same_bits(scene->memory[place].path_s, after[place].path_s);
    }
}

static void for_every_width(void (*compare)(struct scene *, const struct steering_kernel *)) {
    struct scene scene;
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        for (uint64_t seed = 1; seed <= WORLDS && simd_is_supported((enum simd)simd); seed++) {
            draw_scene(&scene, seed);
            compare(&scene, steering_kernel_of((enum simd)simd));
            drop_scene(&scene);
        }
    }
}

static void test_follow_path(void **state) {
    for_every_width(compare_paths);
}

/* Those that are left have to be asked; the others would put out nothing and remember nothing. */
static void compare_obstacles(struct scene *scene, const struct steering_kernel *kernel) {
    struct steering_columns out = {.active = 0};
    kernel->begin(&scene->batch, 1.0f, UINT64_MAX);
    kernel->find_room(&scene->batch);
    kernel->rules[BEHAVIOR_AVOID_OBSTACLES](&scene->batch, &scene->behavior, scene->wanted, &out);
    assert_true(out.active == 0 && (out.left & ~scene->wanted) == 0);
    for (int place = 0; place < scene->batch.count; place++) {
        struct memory memory;
        const struct steering_context context = context_of(scene, place, &memory);
        const struct steering_output one = behavior_avoid_obstacles(&scene->behavior, &context);
        if (((scene->wanted & ~out.left) >> place & 1) != 0) {
            assert_true(!one.is_active);
            assert_memory_equal(&memory, &scene->memory[place], sizeof memory);
        }
    }
}

static void test_avoid_obstacles(void **state) {
    for_every_width(compare_obstacles);
}

/* Where the way is clear nothing constrains it. */
static void compare_clear(struct scene *scene, const struct steering_kernel *kernel) {
    struct steering_batch *batch = &scene->batch;
    kernel->find_room(batch);
    for (int place = 0; place < batch->count; place++) {
        batch->next_x[place] = batch->x[place] + batch->vx[place] * 0.2f;
        batch->next_y[place] = batch->y[place] + batch->vy[place] * 0.2f;
    }
    const place_set clear = kernel->clear(batch, scene->wanted);
    assert_true((clear & ~scene->wanted) == 0);
    for (int place = 0; place < batch->count; place++) {
        const struct motion old = {batch->x[place], batch->y[place], 0, 0},
                            moved = {batch->next_x[place], batch->next_y[place], 1, 2};
        const struct motion held =
            scenery_constrain(&scene->scenery, &scene->bounds, old, moved, batch->radius[place]);
        if ((clear >> place & 1) != 0) {
            assert_memory_equal(&held, &moved, sizeof held);
        }
    }
}

static void test_clear(void **state) {
    for_every_width(compare_clear);
}

/* ---- slow areas ---- */

static float speed_of(const struct world *world, int32_t row) {
    return vec2_length(world_agent(world, row).velocity);
}

/* Who stands in areas has the max_speed of the slowest of them, and the whole one again behind them. */
static void test_slow_areas(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(790, 300));
    struct area_def *mud = geometry_def_add_area(&def.geometry), *bog = geometry_def_add_area(&def.geometry);
    assert_non_null(bog);
    mud = &def.geometry.areas[0];
    *mud = (struct area_def){
        .name = "mud", .shape = {.shape = OBSTACLE_BOX, .at = {200, 0}, .size = {200, 600}}, .speed = 0.5f};
    *bog = (struct area_def){
        .name = "bog", .shape = {.shape = OBSTACLE_CIRCLE, .at = {300, 300}, .radius = 50}, .speed = 0.25f};
    place(&def, (vec2){100, 300}, (vec2){0, 0});
    struct world *world = build(&def);
    const float most = world_agent(world, 0).max_speed;
    float seen[3] = {0.0f, 0.0f, 0.0f};
    for (int tick = 0; tick < 900; tick++) {
        const float x = world_agent(world, 0).position.x;
        world_step(world);
        if (x > 750.0f) {
            break;
        }
        const int where = x < 200.0f || x >= 400.0f ? 0 : x < 250.0f || x > 350.0f ? 1 : 2;
        seen[where] = fmaxf(seen[where], speed_of(world, 0));
    }
    assert_true(world_agent(world, 0).position.x > 750.0f && world_agent(world, 0).max_speed == most);
    assert_true(seen[0] <= most && seen[0] > 0.99f * most);
    assert_true(seen[1] <= 0.5f * most * 1.0001f && seen[1] > 0.49f * most);
    assert_true(seen[2] <= 0.25f * most * 1.0001f && seen[2] > 0.24f * most);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_avoid_steers_to_the_nearer_side),
        cmocka_unit_test(test_avoid_ignores_what_it_misses),
        cmocka_unit_test(test_avoid_head_on),
        cmocka_unit_test(test_avoid_brakes_when_it_cannot_pass),
        cmocka_unit_test(test_avoid_leaves_an_inner_corner),
        cmocka_unit_test(test_avoid_gets_out),
        cmocka_unit_test(test_avoid_across_the_wrapping_edge),
        cmocka_unit_test(test_avoid_gets_round_a_wide_box),
        cmocka_unit_test(test_avoid_passes_where_there_is_room),
        cmocka_unit_test(test_follow_path_keeps_its_course_at_a_crossing),
        cmocka_unit_test(test_follow_path_remembers_where_it_was),
        cmocka_unit_test(test_follow_wall_keeps_its_distance),
        cmocka_unit_test(test_follow_wall_turns_in_a_corner),
        cmocka_unit_test(test_follow_wall_without_walls),
        cmocka_unit_test(test_follow_path_both_ways),
        cmocka_unit_test(test_follow_path_comes_from_afar_and_stops_at_the_end),
        cmocka_unit_test(test_stay_on_path),
        cmocka_unit_test(test_follow_flow),
        cmocka_unit_test(test_flow_is_looked_up_ahead),
        cmocka_unit_test(test_hide_behind_the_nearest),
        cmocka_unit_test(test_hide_without_obstacles_evades),
        cmocka_unit_test(test_names_must_be_there),
        cmocka_unit_test(test_follow_path),
        cmocka_unit_test(test_avoid_obstacles),
        cmocka_unit_test(test_clear),
        cmocka_unit_test(test_slow_areas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
