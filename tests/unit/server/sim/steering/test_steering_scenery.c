/* The part of server/sim/kernels/steering.inc.h about what stands and flows in the world: every width against the functions
 * for one agent, bit by bit. */
#include <stdlib.h>
#include <string.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/math/rng.h"
#include "server/sim/steering/behavior.h"
#include "tests/unit/server/cmocka_all.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_follow_path),
        cmocka_unit_test(test_avoid_obstacles),
        cmocka_unit_test(test_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
