/* See flock_bench.h. One thread. The rival takes over the world's agents, so both work on the same flock. */
#include "flock_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "plain_flock.h"
#include "server/sim/grid.h"
#include "server/sim/world.h"

enum { RUNS = 5, SETTLE_TICKS = 2000 };

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[RUNS]) {
    qsort(values, RUNS, sizeof *values, by_value);
    return values[RUNS / 2];
}

/* About 10 neighbours within the largest radius at a uniform start. */
static struct world *make_flock(uint32_t count) {
    struct world_def def = world_def_default();
    const float side = sqrtf((float)count * 3.14159f * 44.0f * 44.0f / 10.0f);
    def.size = (vec2){side, side};
    def.edge = EDGE_WRAP;
    struct kind_def *kind = world_def_add_kind(&def, "starling");
    struct placement_def *placement = world_def_add_placement(&def, "starling");
    if (!kind || !placement) {
        abort();
    }
    kind->body.radius = (struct field_range){4.0f, 4.0f};
    kind->body.max_speed = (struct field_range){150.0f, 150.0f};
    kind->body.max_force = (struct field_range){450.0f, 450.0f};
    kind->states[0].behavior_count = 1;
    struct behavior_def *flock = &kind->states[0].behaviors[0];
    *flock = behavior_def_default(BEHAVIOR_FLOCK);
    flock->zones[ZONE_SEPARATION].radius = 26.0f;
    flock->zones[ZONE_SEPARATION].weight = 2.0f;
    flock->zones[ZONE_ALIGNMENT].radius = 44.0f;
    flock->zones[ZONE_COHESION].radius = 44.0f;
    flock->zones[ZONE_COHESION].weight = 0.8f;
    placement->count = count;
    placement->shape = PLACE_RECT;
    placement->size = def.size;
    struct world *world = NULL;
    if (world_create(&def, &world, NULL) != WORLD_OK) {
        abort();
    }
    world_def_fini(&def);
    return world;
}

/* What the counting sort alone takes, ns an agent. */
static double time_sort(const struct world *world) {
    const int32_t count = world_agent_count(world);
    const struct bounds bounds = {world_size(world), world_edge(world)};
    struct grid grid = {0};
    struct motion *motion = malloc((size_t)count * sizeof *motion);
    uint8_t *kind = calloc((size_t)count, sizeof *kind);
    if (!motion || !kind || grid_reserve(&grid, count) != 0) {
        abort();
    }
    for (int32_t row = 0; row < count; row++) {
        const struct agent_view view = world_agent(world, row);
        motion[row] = (struct motion){view.position.x, view.position.y, view.velocity.x, view.velocity.y};
    }
    double times[RUNS];
    for (int run = 0; run < RUNS; run++) {
        const uint64_t start = clock_now_ns();
        grid_build(&grid, &bounds, motion, kind, count, 44.0f);
        times[run] = (double)(clock_now_ns() - start) / count;
    }
    free(motion);
    free(kind);
    grid_fini(&grid);
    return median(times);
}

static void measure(struct world *world, const char *start_name) {
    const int32_t count = world_agent_count(world);
    const int ticks = 300000 / count + 1;
    const double candidates = world_candidates(world), sort = time_sort(world);
    struct plain_flock *plain = plain_flock_create(world);
    double ours[RUNS], theirs[RUNS];
    for (int run = 0; run < RUNS; run++) {
        uint64_t start = clock_now_ns();
        for (int tick = 0; tick < ticks; tick++) {
            world_step(world);
        }
        ours[run] = (double)(clock_now_ns() - start) / ticks / count;
        start = clock_now_ns();
        for (int tick = 0; tick < ticks; tick++) {
            plain_flock_step(plain);
        }
        theirs[run] = (double)(clock_now_ns() - start) / ticks / count;
    }
    const double a = median(ours), b = median(theirs);
    printf("%8d %8s %10.1f %8.2f %10.1f %10.1f %6.0f %% %12.1f %6.1f\n", count, start_name, a, 1e3 / a,
           candidates, (double)plain_flock_neighbors(plain) / count, 100.0 * sort / a, b, b / a);
    (void)fflush(stdout);
    plain_flock_destroy(plain);
}

void bench_flock(void) {
    printf("flock: three radii and views, one thread\n%8s %8s %10s %8s %10s %10s %8s %12s %6s\n", "agents",
           "start", "ns/agent", "M/s", "candidates", "neighbours", "sort", "plain ns", "ratio");
    for (uint32_t count = 1000; count <= 100000; count *= 10) {
        struct world *world = make_flock(count);
        measure(world, "uniform");
        while (world_tick(world) < SETTLE_TICKS) {
            world_step(world);
        }
        measure(world, "settled");
        world_destroy(world);
    }
}
