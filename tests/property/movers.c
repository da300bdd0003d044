/* Obstacles that move and doors: no body is ever in one, whatever its behaviors, the edge of the world and the shares of the
 * work; where a mover is follows from the tick alone. */
#include <stdio.h>
#include <stdlib.h>

#include "server/sim/world/world_internal.h"
#include "server/sim/world/world_stripes.h"
#include "tests/property/environment.h"
#include "tests/property/other_ways.h"
#include "tests/support/fake_ranks.h"

/* ---- where it is ---- */

/* The same, one tick after the other: along the path, back along it, waiting in between. */
static vec2 slow_offset(const struct path_def *path, int run, int wait, int tick) {
    const int sides = path->point_count - !path->is_loop;
    int at = 0, way = 1, rest = 0;
    for (int i = 0; i < tick; i++) {
        if (rest > 0) {
            rest--;
        } else {
            at += way;
        }
        if (rest == 0 && path->is_loop && at == run) {
            at = 0;
            rest = wait;
        } else if (!path->is_loop && (at == run || at == 0) && way == (at == run ? 1 : -1)) {
            way = -way;
            rest = wait;
        }
    }
    double length = 0.0, left;
    for (int i = 0; i < sides; i++) {
        length += (double)vec2_length(vec2_sub(path->points[(i + 1) % path->point_count], path->points[i]));
    }
    left = length * at / run;
    for (int i = 0; i < sides; i++) {
        const vec2 from = path->points[i], side = vec2_sub(path->points[(i + 1) % path->point_count], from);
        const double along = (double)vec2_length(side);
        if (left <= along) {
            return vec2_sub(vec2_add(from, vec2_scale(side, (float)(left / along))), path->points[0]);
        }
        left -= along;
    }
    return vec2_sub(path->points[sides % path->point_count], path->points[0]);
}

static void test_place_follows_from_the_tick(void **state) {
    const vec2 none = {0.0f, 0.0f};
    for (int turn = 0; turn < 300; turn++) {
        struct path_def path = {.is_loop = below(2), .point_count = 2 + below(5)};
        for (int i = 0; i < path.point_count; i++) {
            path.points[i] = (vec2){any(0.0f, 500.0f), any(0.0f, 400.0f)};
        }
        const double length = path_length(&path, none);
        const int run = 1 + below(80), wait = below(30);
        struct obstacle_def obstacle = {
            .move = {.speed = (float)(length * 60.0 / run), .wait = (float)wait / 60.0f}};
        for (int tick = 0; tick < 400; tick += 1 + below(9)) {
            const vec2 fast = obstacle_offset(&obstacle, &path, none, 60.0, tick);
            const vec2 slow = slow_offset(&path, run, wait, tick);
            if (vec2_length(vec2_sub(fast, slow)) > 0.01f) {
                fail_msg("turn %d, tick %d of %d and %d: %g %g, expected %g %g", turn, tick, run, wait,
                         (double)fast.x, (double)fast.y, (double)slow.x, (double)slow.y);
            }
        }
    }
}

/* ---- worlds ---- */

enum { TICKS = 40, RANKS = 3 };

static void add_shape(struct obstacle_def *obstacle, vec2 size) {
    static const vec2 dented[] = {{0, 0}, {60, 0}, {60, 50}, {45, 50}, {45, 15}, {15, 15}, {15, 50}, {0, 50}};
    obstacle->shape = below(3);
    obstacle->at = (vec2){any(0.0f, size.x), any(0.0f, size.y)};
    obstacle->radius = obstacle->shape == OBSTACLE_CIRCLE ? any(3.0f, 40.0f) : 0.0f;
    obstacle->size =
        obstacle->shape == OBSTACLE_BOX ? (vec2){any(4.0f, 120.0f), any(4.0f, 90.0f)} : (vec2){0, 0};
    obstacle->point_count = obstacle->shape == OBSTACLE_POLYGON ? 8 : 0;
    for (int i = 0; i < obstacle->point_count; i++) {
        obstacle->points[i] = vec2_add(obstacle->at, dented[i]);
    }
    obstacle->at = obstacle->shape == OBSTACLE_POLYGON ? (vec2){0, 0} : obstacle->at;
}

static void add_moving(struct world_def *def) {
    struct path_def *path = geometry_def_add_path(&def->geometry);
    assert_non_null(path);
    *path = (struct path_def){.name = "rails", .is_loop = below(2), .point_count = 2 + below(4)};
    for (int i = 0; i < path->point_count; i++) {
        path->points[i] = (vec2){any(0.0f, def->size.x), any(0.0f, def->size.y)};
    }
    for (int i = 1 + below(8); i > 0; i--) {
        struct obstacle_def *obstacle = geometry_def_add_obstacle(&def->geometry);
        assert_non_null(obstacle);
        add_shape(obstacle, def->size);
        if (below(3) == 0) {
            obstacle->door = (struct door_def){{any(-90, 90), any(-90, 90)}, any(0.05f, 1.0f), below(2), 0};
        } else if (below(3)) {
            copy_text(obstacle->move.path, "rails");
            obstacle->move.speed = below(8) ? any(5.0f, 300.0f) : any(1000.0f, 10000.0f);
            obstacle->move.start = any(0.0f, 100.0f);
        }
    }
    for (int i = below(5); i > 0; i--) {
        struct wall_def *wall = geometry_def_add_wall(&def->geometry);
        assert_non_null(wall);
        wall->from = (vec2){any(0.0f, 0.5f * def->size.x), any(0.0f, 0.5f * def->size.y)};
        wall->to = vec2_add(wall->from, (vec2){any(0.0f, 120.0f), any(0.0f, 120.0f)});
    }
}

static struct world_def moving_def(uint64_t seed) {
    static const enum behavior_type steered[] = {BEHAVIOR_WANDER, BEHAVIOR_SEEK, BEHAVIOR_FLOCK};
    static const enum behavior_type more[] = {BEHAVIOR_AVOID_OBSTACLES, BEHAVIOR_ORCA, BEHAVIOR_WALK,
                                              BEHAVIOR_FOLLOW_WALL, BEHAVIOR_HIDE};
    dice = rng_begin(seed, 0, 2, RNG_SPAWN_PLACE);
    struct world_def def = one_kind_def(steered[below(3)], (vec2){200, 150});
    def.size = (vec2){any(300.0f, 700.0f), any(250.0f, 500.0f)};
    def.edge = below(4);
    def.seed = seed;
    def.kinds[0].body.radius = (struct field_range){2.0f, any(2.0f, 12.0f)};
    struct state_def *state = &def.kinds[0].states[0];
    state->behaviors[state->behavior_count++] = behavior_def_default(more[below(5)]);
    copy_text(state->behaviors[1].target.target, def.targets[0].name);
    add_moving(&def);
    struct placement_def *placement = world_def_add_placement(&def, "agent");
    assert_non_null(placement);
    placement->count = 25;
    placement->shape = PLACE_RECT;
    placement->size = def.size;
    return def;
}

/* The place of each solid is computed here as well, from the definition. */
static void check_bodies(const struct world *world, uint64_t seed) {
    const struct geometry_def *def = &world->scenery.def;
    const vec2 none = {0, 0}, wrap = world->bounds.edge == EDGE_WRAP ? world->bounds.size : none;
    for (int i = 0; i < world->scenery.owner_count; i++) {
        struct solid solids[SOLID_PIECES_MAX];
        int count = 1;
        if (i < def->obstacle_count) {
            struct obstacle_def obstacle = def->obstacles[i];
            count = solids_from_obstacle(&obstacle, solids);
            const vec2 by =
                obstacle_offset(&obstacle, &def->paths[0], wrap, world->tick_hz, (double)world->tick);
            for (int k = 0; k < count; k++) {
                solids[k].center = vec2_add(solids[k].center, by);
            }
        } else {
            solids[0] = solid_from_wall(&def->walls[i - def->obstacle_count]);
        }
        for (int32_t row = 0; row < world->agent_count; row++) {
            const vec2 place = world_agent(world, row).position;
            for (int k = 0; k < count; k++) {
                const float distance =
                    solid_touch(&solids[k], solid_offset(&solids[k], &world->bounds, place)).distance;
                if (distance < -0.002f) {
                    fail_msg("world %llu, tick %llu: agent %u is %g px in solid %d", (unsigned long long)seed,
                             (unsigned long long)world->tick, world_agent(world, row).id, (double)-distance,
                             i);
                }
            }
        }
    }
}

/* Bodies that overlap a mover by more than rounding. */
static int overlaps(const struct world *world) {
    int count = 0;
    for (int32_t row = 0; row < world->agent_count; row++) {
        const struct agent_view agent = world_agent(world, row);
        count += scenery_nearest(&world->scenery, &world->bounds, agent.position).touch.distance <
                 agent.radius - 0.01f;
    }
    return count;
}

static void toggle_doors(struct world *world) {
    const struct geometry_def *def = &world->scenery.def;
    for (int i = 0; i < def->obstacle_count; i++) {
        if (def->obstacles[i].door.time > 0.0f && rng_mix(world->tick + (uint64_t)i) % 16 == 0) {
            assert_int_equal(world_set_door(world, def->obstacles[i].id, !def->obstacles[i].door.is_closed),
                             WORLD_OK);
        }
    }
}

static void test_no_body_is_in_what_moves(void **state) {
    const uint64_t first = environment("DROVER_PROPERTY_SEED", 1);
    const uint64_t count = environment("DROVER_PROPERTY_WORLDS", 1500);
    int all = 0, overlapping = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct world_def def = moving_def(seed);
        struct world *world = build(&def);
        for (int tick = 0; tick < TICKS; tick++) {
            toggle_doors(world);
            world_step(world);
            check_bodies(world, seed);
            overlapping += overlaps(world);
            all += world->agent_count;
        }
        world_destroy(world);
    }
    print_message("%d of %d bodies overlap something\n", overlapping, all);
    assert_true(overlapping * 200 < all);
}

/* ---- other ways to compute the same ---- */

struct trial {
    const struct world *start;
    uint64_t hashes[TICKS];
};

static void run_rank(const struct exchange *exchange, void *context) {
    const struct trial *trial = context;
    struct world *world = world_clone_new(trial->start);
    if (world == NULL || world_join(world, exchange) != 0) {
        abort();
    }
    const struct parallel parallel = exchange->rank % 2 == 1 ? backwards() : parallel_alone();
    for (int tick = 0; tick < TICKS; tick++) {
        toggle_doors(world);
        world_step_parallel(world, &parallel);
        assert_true(world_hash(world) == trial->hashes[tick]);
    }
    world_destroy(world);
}

static void test_same_bits(void **state) {
    int in_stripes = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct trial trial;
        struct world_def def = moving_def(seed);
        struct world *world = build(&def), *start = world_clone_new(world), *other = world_clone_new(world);
        assert_true(start != NULL && other != NULL);
        trial.start = start;
        world_set_simd(world, SIMD_PLAIN);
        const struct parallel pieces = {.threads = 3, .run = run_in_pieces};
        for (int tick = 0; tick < TICKS; tick++) {
            toggle_doors(world);
            toggle_doors(other);
            world_set_simd(other, some_width());
            world_step(world);
            world_step_parallel(other, &pieces);
            trial.hashes[tick] = world_hash(world);
            assert_true(world_hash(other) == trial.hashes[tick]);
            if (tick == TICKS / 2) { /* a clone goes on like the world */
                assert_true(world_clone(other, world));
            }
        }
        for (int mode = EXCHANGE_COPY; mode <= EXCHANGE_STRIPES && seed % 4 == 0; mode++) {
            char why[256];
            if (mode == EXCHANGE_STRIPES && world_stripes_refusal(start, RANKS, why, sizeof why) != NULL) {
                continue;
            }
            in_stripes += mode == EXCHANGE_STRIPES;
            struct fake_ranks *fake = fake_ranks_new(RANKS, (enum exchange_mode)mode, seed);
            fake_ranks_run(fake, run_rank, &trial);
            fake_ranks_destroy(fake);
        }
        world_destroy(world);
        world_destroy(start);
        world_destroy(other);
    }
    assert_true(in_stripes > 3);
}

int main(void) {
    dice = rng_begin(7, 0, 1, RNG_SPAWN_PLACE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place_follows_from_the_tick),
        cmocka_unit_test(test_no_body_is_in_what_moves),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
