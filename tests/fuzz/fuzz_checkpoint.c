/* Any text as a saved world: refused with a reason, or a world that has the hash it states and ticks.
 *
 * A mutation seldom leaves the hash right. So a save that is refused for its hash alone is read once more with the hash
 * that its world has: whatever passes the checks of the reader must be a world that ticks.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/recording/checkpoint.h"
#include "tests/fuzz/save_hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_AGENTS = 300, TICKS = 4 };

static const struct world_overrides no_overrides;

static void run_world(struct world *world) {
    struct buffer line;
    const struct checkpoint_rest rest = {.seq = 0};
    buffer_init(&line, (size_t)1 << 24);
    checkpoint_write(world, &rest, &line, NULL);
    if (line.failed) {
        abort();
    }
    buffer_fini(&line);
    for (int i = 0; i < TICKS && world_agent_count(world) <= MOST_AGENTS; i++) {
        world_step(world);
    }
    (void)world_hash(world);
}

/* 0; -1 when it was refused. */
static int try_save(const char *text, size_t size, struct failure *failure) {
    struct built_world built;
    struct checkpoint_rest rest;
    *failure = (struct failure){.code = FAILURE_NONE};
    if (saved_world_read(text, size, &no_overrides, NULL, &built, &rest, failure) != 0) {
        if (failure->code == FAILURE_NONE || failure->message[0] == '\0' || built.world != NULL) {
            abort();
        }
        return -1;
    }
    if (world_hash(built.world) != built.hash) {
        abort();
    }
    run_world(built.world);
    built_world_fini(&built);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct failure failure;
    char *text = malloc(size == 0 ? 1 : size);
    if (text == NULL) {
        abort();
    }
    memcpy(text, data, size);
    (void)try_save(text, size, &failure);
    size = save_take_sums(text, size);
    if (try_save(text, size, &failure) != 0 && strcmp(failure.field, "hash") == 0 &&
        save_put_hash(text, size, &failure)) {
        (void)try_save(text, size, &failure);
    }
    free(text);
    return 0;
}
