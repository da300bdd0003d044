/* Benchmarks of the parts, each with its rival in the same run: medians of several runs, never a test.
 *
 *     drover-bench [world|wire|solids|flock [AGENTS [TICKS]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "server/sim/world.h"
#include "tests/bench/bench_flock.h"
#include "tests/bench/bench_solids.h"
#include "tests/bench/bench_wire.h"

enum { RUNS = 7 };

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[RUNS]) {
    qsort(values, RUNS, sizeof *values, by_value);
    return values[RUNS / 2];
}

static struct world *make_world(uint32_t count) {
    struct world_def def = world_def_default();
    def.size = (vec2){2000.0f, 2000.0f};
    def.edge = EDGE_WRAP;
    def.target_count = 1;
    memcpy(def.targets[0].name, "mouse", 6);
    def.targets[0].at = (vec2){1000.0f, 1000.0f};
    struct kind_def *kind = world_def_add_kind(&def, "agent");
    if (!kind) {
        abort();
    }
    kind->states[0].behavior_count = 1;
    kind->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_SEEK);
    memcpy(kind->states[0].behaviors[0].target.target, "mouse", 6);
    struct placement_def *placement = world_def_add_placement(&def, "agent");
    if (!placement) {
        abort();
    }
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

static void bench_world(void) {
    printf("world: seek, one thread, scalar\n%10s %14s %14s\n", "agents", "ns/agent tick", "ns/agent hash");
    for (uint32_t count = 1000; count <= 1000000; count *= 10) {
        struct world *world = make_world(count);
        const int ticks = (int)(4000000 / count) + 1;
        double step[RUNS], hash[RUNS];
        uint64_t sink = 0;
        for (int run = 0; run < RUNS; run++) {
            uint64_t start = clock_now_ns();
            for (int tick = 0; tick < ticks; tick++) {
                world_step(world);
            }
            step[run] = (double)(clock_now_ns() - start) / ticks / count;
            start = clock_now_ns();
            sink ^= world_hash(world);
            hash[run] = (double)(clock_now_ns() - start) / count;
        }
        printf("%10u %14.1f %14.1f%s\n", count, median(step), median(hash), sink == 1 ? " " : "");
        world_destroy(world);
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "all";
    const int all = strcmp(what, "all") == 0;
    if (all || strcmp(what, "world") == 0) {
        bench_world();
    }
    if (all || strcmp(what, "wire") == 0) {
        (void)bench_wire();
    }
    if (all || strcmp(what, "solids") == 0) {
        bench_solids();
    }
    if (strcmp(what, "flock") == 0) {
        return bench_flock(argc - 2, argv + 2);
    }
    if (!all && strcmp(what, "world") != 0 && strcmp(what, "wire") != 0 && strcmp(what, "solids") != 0) {
        fprintf(stderr, "drover-bench: unknown benchmark \"%s\"; there are world, wire, solids and flock\n",
                what);
        return 2;
    }
    return 0;
}
