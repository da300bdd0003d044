/* Prints "SCENARIO TICK HASH" for scenario files at the given ticks:
 *
 *     golden_hashes 1,60,600 scenarios/seek.json ...
 *
 * A few commands are applied at fixed ticks, so that the hashes cover them.
 * DROVER_SIMD=plain|sse2|avx2|avx512 and DROVER_THREADS=N choose the computation. Exit code 77: this
 * processor lacks the instructions.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/library/scenario_file.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world.h"
#include "server/simulation/worker_pool.h"

enum { EXIT_UNSUPPORTED = 77 };

static void command_at(struct world *world, uint64_t tick) {
    if (world_target_count(world) == 0 || world_kind_count(world) == 0) {
        return;
    }
    uint32_t first_id;
    const struct spawn_def spawn = {
        .kind = 0, .count = 3, .shape = PLACE_CIRCLE, .at = {200.0f, 150.0f}, .radius = 40.0f};
    const uint32_t gone[] = {2};
    struct param_ref ref;
    switch (tick) {
    case 30:
        world_set_target(world, 0, (vec2){123.0f, 234.5f});
        break;
    case 40:
        if (world_spawn(world, &spawn, &first_id) != WORLD_OK) {
            abort();
        }
        break;
    case 50:
        (void)world_remove(world, gone, 1, NULL);
        break;
    case 90:
        if (world_find_param(world, 0, "max_speed", &ref)) {
            world_set_param(world, &ref, 133.0);
        }
        break;
    case 120:
        world_set_target(world, 0, (vec2){700.0f, 20.0f});
        break;
    default:
        break;
    }
}

/* "scenarios/seek.json" -> "seek" */
static void print_name(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    printf("%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
}

static int run(const char *path, const char *ticks, enum simd simd, struct worker_pool *pool) {
    const struct parallel parallel = worker_pool_parallel(pool);
    struct scenario scenario;
    struct failure failure;
    if (scenario_file_load(path, &scenario, &failure) != 0) {
        fprintf(stderr, "%s\n", failure.message);
        return 1;
    }
    struct world *world = NULL;
    const enum world_result result = world_create(&scenario.def, &world, NULL);
    scenario_fini(&scenario);
    if (result != WORLD_OK) {
        return 1;
    }
    world_set_simd(world, simd);
    for (const char *at = ticks; *at;) {
        char *end;
        const uint64_t until = strtoull(at, &end, 10);
        while (world_tick(world) < until) {
            command_at(world, world_tick(world));
            world_step_parallel(world, &parallel);
        }
        print_name(path);
        printf(" %" PRIu64 " %016" PRIx64 "\n", until, world_hash(world));
        at = *end == ',' ? end + 1 : end;
    }
    world_destroy(world);
    return 0;
}

int main(int argc, char **argv) {
    const char *name = getenv("DROVER_SIMD"), *threads = getenv("DROVER_THREADS");
    const int simd = name ? simd_from_name(name) : (int)simd_best();
    if (simd < 0 || !simd_is_supported((enum simd)simd)) {
        return EXIT_UNSUPPORTED;
    }
    struct worker_pool *pool = worker_pool_create(threads ? (int)strtol(threads, NULL, 10) : 1);
    int failed = argc < 3 || !pool;
    for (int i = 2; i < argc && pool; i++) {
        failed |= run(argv[i], argv[1], (enum simd)simd, pool);
    }
    worker_pool_destroy(pool);
    return failed;
}
