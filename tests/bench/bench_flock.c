/* See bench_flock.h. */
#include "tests/bench/bench_flock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "server/sim/world_internal.h" /* to time the parts of a tick by themselves */
#include "server/worker_pool.h"
#include "tests/bench/flock_rival.h"

enum { RUNS = 5, UPDATES = 1000000 /* agent-updates in one run, at least */ };
#define RADIUS 50.0 /* px */

struct setup {
    uint32_t count;
    double neighbors; /* on average within RADIUS at the start */
    bool has_cones;   /* OpenSteer's three radii and views instead of one radius all round */
};

static double median_of(double values[RUNS]) {
    for (int i = 1; i < RUNS; i++) {
        for (int at = i; at > 0 && values[at] < values[at - 1]; at--) {
            const double swap = values[at];
            values[at] = values[at - 1];
            values[at - 1] = swap;
        }
    }
    return values[RUNS / 2];
}

static void set_zones(struct behavior_def *behavior, bool has_cones) {
    static const float cone_radius[ZONE_COUNT] = {27.8f, 41.7f, 50.0f};  /* 5, 7.5, 9 */
    static const float cone_view[ZONE_COUNT] = {4.712f, 1.591f, 3.443f}; /* 270, 91, 197 degrees */
    for (int z = 0; z < ZONE_COUNT; z++) {
        behavior->zones[z].radius = has_cones ? cone_radius[z] : (float)RADIUS;
        behavior->zones[z].field_of_view = has_cones ? cone_view[z] : 6.2832f;
    }
}

static struct world *make_flock(const struct setup *setup) {
    struct world_def def = world_def_default();
    const double area = setup->count / setup->neighbors * 3.14159265 * RADIUS * RADIUS;
    def.size = (vec2){(float)sqrt(area), (float)sqrt(area)};
    def.edge = EDGE_WRAP;
    struct kind_def *kind = world_def_add_kind(&def, "boid");
    struct placement_def *placement = world_def_add_placement(&def, "boid");
    if (!kind || !placement) {
        abort();
    }
    kind->body.radius.low = kind->body.radius.high = 3.0f;
    kind->body.max_speed.low = kind->body.max_speed.high = (float)RADIUS;
    kind->body.max_force.low = kind->body.max_force.high = 3.0f * (float)RADIUS;
    kind->states[0].behavior_count = 1;
    kind->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_FLOCK);
    set_zones(&kind->states[0].behaviors[0], setup->has_cones);
    placement->count = setup->count;
    placement->shape = PLACE_RECT;
    placement->size = def.size;
    struct world *world = NULL;
    if (world_create(&def, &world, NULL) != WORLD_OK) {
        abort();
    }
    world_def_fini(&def);
    return world;
}

static void step(struct world *world, struct worker_pool *pool, int ticks) {
    const struct parallel parallel = worker_pool_parallel(pool);
    for (int tick = 0; tick < ticks; tick++) {
        world_step_parallel(world, &parallel);
    }
}

/* ns an agent and tick. */
static double time_ticks(struct world *world, struct worker_pool *pool) {
    const int32_t count = world_agent_count(world);
    const int ticks = UPDATES / count + 2;
    double times[RUNS];
    for (int run = 0; run < RUNS; run++) {
        const uint64_t start = clock_now_ns();
        step(world, pool, ticks);
        times[run] = (double)(clock_now_ns() - start) / ticks / count;
    }
    return median_of(times);
}

/* ns an agent of sorting. */
static double time_sort(struct world *world, struct worker_pool *pool) {
    const int32_t count = world_agent_count(world);
    const int repeats = UPDATES / count + 1;
    (void)pool;
    double times[RUNS];
    for (int run = 0; run < RUNS; run++) {
        const uint64_t start = clock_now_ns();
        for (int i = 0; i < repeats; i++) {
            world_sort(world);
        }
        times[run] = (double)(clock_now_ns() - start) / repeats / count;
    }
    return median_of(times);
}

static void sense(void *context, int32_t begin, int32_t end) {
    enum { BATCH = 64 };
    const struct world *world = context;
    const struct neighbor_crowd crowd = world_crowd(world, &world->kinds[0], &world->kinds[0].states[0].behaviors[0]);
    struct neighbor_sums sums[BATCH];
    for (int32_t first = begin; first < end; first += BATCH) {
        neighbor_kernel_sums(world->simd, &crowd, first, first + BATCH < end ? first + BATCH : end, sums);
    }
}

/* ns an agent of summing neighbours. */
static double time_sense(struct world *world, struct worker_pool *pool) {
    const int32_t count = world_agent_count(world);
    const int repeats = UPDATES / count + 1;
    const struct parallel parallel = worker_pool_parallel(pool);
    double times[RUNS];
    for (int run = 0; run < RUNS; run++) {
        const uint64_t start = clock_now_ns();
        for (int i = 0; i < repeats; i++) {
            parallel.run(parallel.pool, count, 512, sense, world);
        }
        times[run] = (double)(clock_now_ns() - start) / repeats / count;
    }
    return median_of(times);
}

static void print_row(const struct setup *setup, const char *start, int threads, const char *how, double ns) {
    printf("%8u %4.0f %-6s %-8s %2d %-7s %9.1f %9.2f", setup->count, setup->neighbors,
           setup->has_cones ? "cones" : "plain", start, threads, how, 1e3 / ns, ns);
}

static void bench_world_at(const struct setup *setup, struct world *world, const char *start) {
    for (int threads = 1; threads <= 2; threads++) {
        struct worker_pool *pool = worker_pool_create(threads);
        if (!pool) {
            abort();
        }
        for (int simd = SIMD_COUNT - 1; simd >= 0; simd--) {
            if (!simd_is_supported((enum simd)simd)) {
                continue;
            }
            world_set_simd(world, (enum simd)simd);
            const double ns = time_ticks(world, pool), sort = time_sort(world, pool);
            const double felt = time_sense(world, pool);
            print_row(setup, start, threads, simd_names[simd], ns);
            printf(" %5.0f%% %5.0f%% %5.0f%%\n", 100.0 * sort / ns, 100.0 * felt / ns,
                   100.0 * (ns - sort - felt) / ns);
            fflush(stdout);
        }
        worker_pool_destroy(pool);
    }
}

static void bench_rival(const struct setup *setup, struct world *world) {
    struct rival *rival = rival_create(world);
    const int ticks = UPDATES / (int)setup->count + 1;
    double times[RUNS], distance = 0.0;
    for (int run = 0; run < RUNS; run++) {
        const uint64_t start = clock_now_ns();
        for (int tick = 0; tick < ticks; tick++) {
            rival_step(rival);
        }
        times[run] = (double)(clock_now_ns() - start) / ticks / setup->count;
        if (run == 0) {
            for (int tick = 0; tick < ticks; tick++) {
                world_step(world);
            }
            distance = rival_distance(rival, world);
        }
    }
    print_row(setup, "uniform", 1, "lists", median_of(times));
    printf("  (the rival, %.3f px from ours after %d ticks)\n", distance, ticks);
    rival_destroy(rival);
}

static void bench_setup(const struct setup *setup, int settle) {
    struct world *world = make_flock(setup);
    if (!setup->has_cones) {
        bench_rival(setup, world);
    }
    bench_world_at(setup, world, "uniform");
    struct worker_pool *pool = worker_pool_create(2);
    if (!pool) {
        abort();
    }
    world_set_simd(world, simd_best());
    step(world, pool, setup->count >= 1000000 ? settle / 4 : settle);
    worker_pool_destroy(pool);
    if (settle > 0) {
        bench_world_at(setup, world, "settled");
    }
    printf("%8u %4.0f %-6s hash %016" PRIx64 " at tick %" PRIu64 "\n", setup->count, setup->neighbors,
           setup->has_cones ? "cones" : "plain", world_hash(world), world_tick(world));
    world_destroy(world);
}

int bench_flock(int argc, char **argv) {
    const uint32_t most = argc > 0 ? (uint32_t)strtoul(argv[0], NULL, 10) : 1000000;
    const int settle = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 2000;
    printf("flock: three rules, torus, mean neighbours at the start; rest = steer and move\n"
           "%8s %4s %-6s %-8s %2s %-7s %9s %9s %6s %6s %6s\n",
           "agents", "near", "rules", "start", "T", "simd", "M upd/s", "ns/agent", "sort", "sense", "rest");
    for (int cones = 0; cones < 2; cones++) {
        for (uint32_t count = 1000; count <= most; count *= 10) {
            for (int dense = 0; dense < 2; dense++) {
                const struct setup setup = {count, dense ? 30.0 : 10.0, cones != 0};
                bench_setup(&setup, settle);
            }
        }
    }
    return 0;
}
