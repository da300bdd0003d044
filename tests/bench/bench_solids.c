/* The cost of solids: wanderers that avoid obstacles, among none to five hundred of them. */
#include "tests/bench/bench_solids.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/system/clock.h"
#include "server/sim/world/world.h"

enum { AGENTS = 20000, TICKS = 20, RUNS = 5 };

static const vec2 size = {4000.0f, 3000.0f};

/* Circles and walls in turn, evenly over the world. */
static void add_solids(struct world_def *def, int count) {
    int columns = 1;
    while (columns * columns < count) {
        columns++;
    }
    for (int i = 0; i < count; i++) {
        const int column = i % columns, row = i / columns;
        const vec2 at = {size.x * ((float)column + 0.5f) / (float)columns,
                         size.y * ((float)row + 0.5f) / (float)columns};
        struct obstacle_def *circle = i % 2 ? NULL : geometry_def_add_obstacle(&def->geometry);
        struct wall_def *wall = i % 2 ? geometry_def_add_wall(&def->geometry) : NULL;
        if (circle) {
            *circle = (struct obstacle_def){.shape = OBSTACLE_CIRCLE, .at = at, .radius = 30.0f};
        } else if (wall) {
            *wall = (struct wall_def){at, {at.x + 50.0f, at.y + 30.0f}};
        }
    }
}

static struct world *make_world(int solids) {
    struct world_def def = world_def_default();
    def.size = size;
    def.edge = EDGE_WRAP;
    add_solids(&def, solids);
    struct kind_def *kind = world_def_add_kind(&def, "agent");
    struct placement_def *placement = world_def_add_placement(&def, "agent");
    struct world *world = NULL;
    if (!kind || !placement) {
        abort();
    }
    kind->body.radius = (struct field_range){6.0f, 6.0f};
    kind->states[0].behavior_count = 2;
    kind->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_AVOID_OBSTACLES);
    kind->states[0].behaviors[1] = behavior_def_default(BEHAVIOR_WANDER);
    kind->states[0].behaviors[1].tier = 1;
    placement->count = AGENTS;
    placement->shape = PLACE_RECT;
    placement->size = size;
    if (world_create(&def, &world, NULL) != WORLD_OK) {
        abort();
    }
    world_def_fini(&def);
    return world;
}

static double best_tick_ms(struct world *world) {
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        const uint64_t start = clock_now_ns();
        for (int tick = 0; tick < TICKS; tick++) {
            world_step(world);
        }
        const double ms = (double)(clock_now_ns() - start) / 1e6 / TICKS;
        best = ms < best ? ms : best;
    }
    return best;
}

/* us to move a circle to and fro, as a drag with the mouse does: the scenery is rebuilt, and agents are
 * pushed out. 0 without circles. */
static double move_us(struct world *world) {
    const struct scenery *scenery = world_scenery(world);
    if (scenery->def.obstacle_count == 0) {
        return 0.0;
    }
    const struct obstacle_def first = scenery->def.obstacles[0];
    double best = 1e9;
    for (int run = 0; run < RUNS * TICKS; run++) {
        const vec2 to = {first.at.x + (run % 2 ? 0.0f : 20.0f), first.at.y};
        int32_t pushed;
        const uint64_t start = clock_now_ns();
        if (world_move_obstacle(world, first.id, to, &pushed) != WORLD_OK) {
            abort();
        }
        const double us = (double)(clock_now_ns() - start) / 1e3;
        best = us < best ? us : best;
    }
    return best;
}

/* A way field of so many cells of 6 px, between walls that leave a labyrinth or in the open. */
static double build_way_ms(int32_t columns, int32_t rows, bool is_labyrinth) {
    const struct bounds bounds = {{6.0f * (float)columns, 6.0f * (float)rows}, EDGE_OPEN};
    struct geometry_def def = {0};
    struct flow_def *flow = geometry_def_add_flow(&def);
    struct scenery scenery;
    if (flow == NULL) {
        abort();
    }
    *flow = (struct flow_def){
        .type = FLOW_WAY, .strength = 100.0f, .body = 7.0f, .columns = columns, .rows = rows};
    flow->goal_count = 1;
    flow->goals[0].at = vec2_make(bounds.size.x - 10.0f, 10.0f);
    flow->vectors = calloc((size_t)columns * (size_t)rows, sizeof *flow->vectors);
    for (int i = 1; i < 12 && is_labyrinth; i++) {
        struct wall_def *wall = geometry_def_add_wall(&def);
        const float x = bounds.size.x * (float)i / 12.0f, gap = 40.0f;
        if (wall == NULL) {
            abort();
        }
        *wall = (struct wall_def){{x, i % 2 ? gap : 0.0f}, {x, bounds.size.y - (i % 2 ? 0.0f : gap)}};
    }
    if (flow->vectors == NULL || scenery_init(&scenery, &def, &bounds) != 0) {
        abort();
    }
    const int32_t goal = way_cell_of(&scenery.def.flows[0], &bounds, scenery.def.flows[0].goals[0].at);
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        const uint64_t start = clock_now_ns();
        way_field_build(&scenery.def.flows[0], scenery.no_way, &bounds, &goal, 1, &scenery.room);
        const double ms = (double)(clock_now_ns() - start) / 1e6;
        best = ms < best ? ms : best;
    }
    scenery_fini(&scenery);
    geometry_def_fini(&def);
    return best;
}

static void bench_ways(void) {
    static const int32_t sizes[][2] = {{128, 128}, {256, 256}, {512, 384}};
    printf("way fields\n%10s %12s %12s\n", "cells", "ms, open", "ms, labyrinth");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        printf("%4d x %3d %12.2f %12.2f\n", sizes[i][0], sizes[i][1],
               build_way_ms(sizes[i][0], sizes[i][1], false), build_way_ms(sizes[i][0], sizes[i][1], true));
    }
}

void bench_solids(void) {
    static const int counts[] = {0, 1, 11, 100, 500};
    printf("solids: %d wanderers that avoid them, one thread\n%10s %12s %12s %12s\n", AGENTS, "solids",
           "ms/tick", "ms to build", "us to move");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const uint64_t start = clock_now_ns();
        struct world *world = make_world(counts[i]);
        const double built = (double)(clock_now_ns() - start) / 1e6;
        const double tick = best_tick_ms(world);
        printf("%10d %12.2f %12.1f %12.0f\n", counts[i], tick, built, move_us(world));
        world_destroy(world);
    }
    bench_ways();
}
