/* Prints "SCENARIO TICK HASH" for scenario files at the given ticks:
 *
 *     golden_hashes 1,60,600 scenarios/seek.json ...
 *
 * DROVER_SIMD=plain|sse2|avx2|avx512 and DROVER_THREADS=N choose the computation. Exit code 77: this
 * processor lacks the instructions.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/library/scenario_library.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world.h"
#include "server/simulation/worker_pool.h"
#include "tests/golden/golden_commands.h"

enum { EXIT_UNSUPPORTED = 77 };

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
            golden_command(world, world_tick(world));
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
