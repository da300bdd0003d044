/* See bench_world.h. */
#include "tests/bench/bench_world.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/clock.h"
#include "server/sim/world/world_internal.h" /* to time the parts of a tick by themselves */
#include "server/simulation/worker_pool.h"
#include "tests/bench/bench_median.h"
#include "tests/bench/bench_scenario.h"
#include "tests/bench/flock_rival.h"

enum {
    RUNS = 5,
    UPDATES = 200000, /* agent-updates in one run, at least */
    CYCLE = 12        /* ticks, of which every third or fourth sorts, or each */
};
#define RADIUS 50.0 /* px */

struct setup {
    uint32_t count;
    double neighbors; /* on average within RADIUS at the start */
    bool has_cones;   /* OpenSteer's three radii and views instead of one radius all round */
    bool is_sharp;    /* falloff none, as OpenSteer has it, instead of smooth */
};

static double median_of(double values[RUNS]) {
    return bench_median(values, RUNS);
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
    kind->states[0].behaviors[0].falloff = setup->is_sharp ? FALLOFF_NONE : FALLOFF_SMOOTH;
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
struct cost {
    double all, sort, sense;
};

static double now_ns(void) {
    return (double)clock_now_ns();
}

static struct cost time_ticks(struct world *world, struct worker_pool *pool) {
    const struct parallel parallel = worker_pool_parallel(pool);
    const int32_t count = world_agent_count(world);
    const int ticks = (UPDATES / count / CYCLE + 1) * CYCLE;
    double all[RUNS], sort[RUNS];
    for (int run = 0; run < RUNS; run++) {
        double acting = 0.0, sorting = 0.0;
        for (int tick = 0; tick < ticks; tick++) {
            const double start = now_ns();
            world_act(world, &parallel);
            const double acted = now_ns();
            world->tick++;
            world_advance(world, &parallel);
            acting += acted - start;
            sorting += now_ns() - acted;
        }
        all[run] = (acting + sorting) / ticks / count;
        sort[run] = sorting / ticks / count;
    }
    return (struct cost){.all = median_of(all), .sort = median_of(sort)};
}

static void sense(void *context, int32_t begin, int32_t end) {
    const struct world *world = context;
    const struct neighbor_batch batch =
        world_neighbor_batch(world, &world->kinds[0], &world->kinds[0].states[0].behaviors[0]);
    struct sums_columns sums;
    for (int32_t first = begin; first < end; first += KERNEL_PLACES) {
        const int32_t stop = end - first < KERNEL_PLACES ? end : first + KERNEL_PLACES;
        neighbor_kernel_columns(world->simd, &batch, first, stop, UINT64_MAX, &sums);
    }
}

/* ns an agent of summing neighbors. */
static double time_sense(struct world *world, struct worker_pool *pool) {
    const int32_t count = world_agent_count(world);
    const int repeats = UPDATES / count + 1;
    const struct parallel parallel = worker_pool_parallel(pool);
    double times[RUNS];
    for (int run = 0; run < RUNS; run++) {
        const uint64_t start = clock_now_ns();
        for (int i = 0; i < repeats; i++) {
            parallel.run(parallel.pool, count, 2048, sense, world);
        }
        times[run] = (double)(clock_now_ns() - start) / repeats / count;
    }
    return median_of(times);
}

static void print_row(const struct setup *setup, const char *start, int threads, const char *how, double ns) {
    printf("%8u %4.0f %-6s %-6s %-8s %2d %-7s %9.1f %9.2f", setup->count, setup->neighbors,
           setup->has_cones ? "cones" : "plain", setup->is_sharp ? "none" : "smooth", start, threads, how,
           1e3 / ns, ns);
}

static void bench_world_at(const struct setup *setup, struct world *world, const char *start) {
    for (int threads = 1; threads <= 2; threads++) {
        struct worker_pool *pool = worker_pool_create(threads);
        if (!pool) {
            abort();
        }
        for (int simd = SIMD_COUNT - 1; simd >= 0; simd--) {
            const bool is_slow = simd == SIMD_PLAIN && setup->count > 100000;
            if (!simd_is_supported((enum simd)simd) || is_slow) {
                continue;
            }
            world_set_simd(world, (enum simd)simd);
            struct cost cost = time_ticks(world, pool);
            cost.sense = time_sense(world, pool);
            print_row(setup, start, threads, simd_names[simd], cost.all);
            printf(" %5.0f%% %5.0f%% %9.0f%%\n", 100.0 * cost.sort / cost.all, 100.0 * cost.sense / cost.all,
                   100.0 * (cost.all - cost.sort - cost.sense) / cost.all);
            fflush(stdout);
        }
        worker_pool_destroy(pool);
    }
    printf("%8u %4.0f %-6s %-6s %-8s candidates an agent: %.0f\n", setup->count, setup->neighbors,
           setup->has_cones ? "cones" : "plain", setup->is_sharp ? "none" : "smooth", start,
           world_candidates(world));
}

static void bench_rival(const struct setup *setup, struct world *world) {
    struct rival *rival = rival_create(world);
    const int ticks = setup->count < 100000 ? 200000 / (int)setup->count : 2;
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
    printf("  (the rival; %.3f px from ours after %d ticks)\n", distance, ticks);
    rival_destroy(rival);
}

static void bench_setup(const struct setup *setup, int settle) {
    struct world *world = make_flock(setup);
    if (setup->count <= 100000) {
        bench_rival(setup, world);
    }
    bench_world_at(setup, world, "uniform");
    struct worker_pool *pool = worker_pool_create(2);
    if (!pool) {
        abort();
    }
    world_set_simd(world, simd_best());
    step(world, pool, settle);
    worker_pool_destroy(pool);
    if (settle > 0) {
        bench_world_at(setup, world, "settled");
    }
    printf("%8u %4.0f %-6s %-6s hash %016" PRIx64 " at tick %" PRIu64 "\n", setup->count, setup->neighbors,
           setup->has_cones ? "cones" : "plain", setup->is_sharp ? "none" : "smooth", world_hash(world),
           world_tick(world));
    world_destroy(world);
}

/* ---- kinds with states, obstacles, paths ---- */

static void bench_scenario(const char *name, uint32_t count) {
    struct scenario scenario;
    if (bench_scenario_load(name, count, &scenario) != 0) {
        return;
    }
    struct world *world = NULL;
    if (world_create(&scenario.def, &world, NULL) != WORLD_OK) {
        abort();
    }
    scenario_fini(&scenario);
    for (int threads = 1; threads <= 2; threads++) {
        struct worker_pool *pool = worker_pool_create(threads);
        if (!pool) {
            abort();
        }
        step(world, pool, 60);
        const struct cost cost = time_ticks(world, pool);
        printf("%-20s %8d %2d %9.2f %9.1f %9.2f %9.0f\n", name, (int)world_agent_count(world), threads,
               1e3 / cost.all, cost.all, cost.all * world_agent_count(world) * 1e-6, world_candidates(world));
        fflush(stdout);
        worker_pool_destroy(pool);
    }
    world_destroy(world);
}

int bench_world(int argc, char **argv) {
    const uint32_t most = argc > 0 ? (uint32_t)strtoul(argv[0], NULL, 10) : 1000000;
    const int settle = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 5000;
    const uint32_t asked = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    const uint32_t least = asked > 0 ? asked : 1000;
    printf("scenarios at their own density\n%-20s %8s %2s %9s %9s %9s %9s\n", "", "agents", "T", "M upd/s",
           "ns/agent", "ms/tick", "candid.");
    bench_scenario("hunters_and_prey", most < 100000 ? most : 100000);
    bench_scenario("pedestrians", most < 20000 ? most : 20000);
    bench_scenario("boids", most < 10000 ? most : 10000);
    printf(
        "\nflocks: three rules, torus, mean neighbors at the start; steer and move are one pass with sense\n"
        "%8s %4s %-6s %-6s %-8s %2s %-7s %9s %9s %6s %6s %10s\n",
        "agents", "near", "rules", "fade", "start", "T", "simd", "M upd/s", "ns/agent", "sort", "sense",
        "steer+move");
    for (int variant = 0; variant < 4; variant += variant == 0 ? 2 : 1) { /* not the plain smooth one */
        for (uint32_t count = least; count <= most; count *= 10) {
            for (int dense = 0; dense < 2; dense++) {
                const struct setup setup = {count, dense ? 30.0 : 10.0, variant / 2 != 0, variant % 2 == 0};
                bench_setup(&setup, settle);
            }
        }
    }
    return 0;
}
