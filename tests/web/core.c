/* core.wasm: the steering core and the scenario loader as a module, for the golden hashes (core.mjs calls it).
 * One world at a time. The state is that of the module, which has one thread and one user.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/scenario/scenario.h"
#include "server/sim/math/parallel.h"
#include "server/sim/world/world.h"
#include "tests/golden/golden_commands.h"

#define EXPORT(name) __attribute__((export_name(name), used))

static struct {
    char *text; /* written from outside; NULL before core_text */
    size_t room;
    struct world *world;
    char error[512]; /* why the last call failed */
} core;

/** Memory for a text of `size` bytes, which stays until the next call; NULL when there is none. */
EXPORT("core_text") char *core_text(size_t size);
/** A world from the scenario in the text's first `length` bytes, in place of the last one. 0, or -1. */
EXPORT("core_open") int core_open(size_t length);
/** Computes with the instructions named in the text's first `length` bytes. 0; -1: this module lacks them. */
EXPORT("core_use") int core_use(size_t length);
/** Steps to this tick, with the commands of the golden hashes on the way. */
EXPORT("core_run") void core_run(uint64_t tick);
EXPORT("core_hash") uint64_t core_hash(void);
EXPORT("core_agents") uint32_t core_agents(void);
/** Frees the world. Nothing happens where there is none. */
EXPORT("core_close") void core_close(void);
/** Why core_open failed; NUL-terminated. */
EXPORT("core_error") const char *core_error(void);

char *core_text(size_t size) {
    if (size > core.room) {
        char *text = realloc(core.text, size);
        if (text == NULL) {
            return NULL;
        }
        core.text = text;
        core.room = size;
    }
    return core.text;
}

int core_open(size_t length) {
    core_close();
    struct scenario scenario;
    struct failure failure = {0};
    if (length > core.room || scenario_read(core.text, length, &scenario, &failure) != 0) {
        (void)snprintf(core.error, sizeof core.error, "%s: %s", failure.field, failure.message);
        return -1;
    }
    const enum world_result result = world_create(&scenario.def, &core.world, NULL);
    scenario_fini(&scenario);
    if (result != WORLD_OK) {
        (void)snprintf(core.error, sizeof core.error, "the world cannot be made: result %d", (int)result);
        return -1;
    }
    return 0;
}

int core_use(size_t length) {
    char name[16];
    if (core.world == NULL || length >= sizeof name || length > core.room) {
        return -1;
    }
    memcpy(name, core.text, length);
    name[length] = '\0';
    const int simd = simd_from_name(name);
    if (simd < 0 || !simd_is_supported((enum simd)simd)) {
        return -1;
    }
    world_set_simd(core.world, (enum simd)simd);
    return 0;
}

void core_run(uint64_t tick) {
    const struct parallel alone = parallel_alone();
    while (world_tick(core.world) < tick) {
        golden_command(core.world, world_tick(core.world));
        world_step_parallel(core.world, &alone);
    }
}

uint64_t core_hash(void) {
    return world_hash(core.world);
}

uint32_t core_agents(void) {
    return (uint32_t)world_agent_count(core.world);
}

void core_close(void) {
    world_destroy(core.world);
    core.world = NULL;
}

const char *core_error(void) {
    return core.error;
}
