/* Any text as a scenario: refused with a reason, or a small world of it can be created and ticks. */
#include <stdint.h>
#include <stdlib.h>

#include "server/scenario/scenario.h"
#include "server/sim/world/world.h"

/* Whether a mistake's line and column are those of a byte of the text, or of its end. */
static bool is_in_text(const struct failure *failure, const uint8_t *data, size_t size) {
    int line = 1;
    size_t begin = 0;
    for (size_t i = 0; i < size && line < failure->line; i++) {
        if (data[i] == '\n') {
            line++;
            begin = i + 1;
        }
    }
    return failure->line == line && failure->column >= 1 && (size_t)failure->column <= size - begin + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_AGENTS = 300, TICKS = 3 };

static int64_t count_agents(const struct world_def *def) {
    int64_t count = 0;
    for (int i = 0; i < def->placement_count; i++) {
        count += def->placements[i].count;
    }
    return count;
}

static void run_world(const struct world_def *def) {
    struct world *world = NULL;
    const char *what = NULL;
    if (count_agents(def) > MOST_AGENTS || world_create(def, &world, &what) != WORLD_OK) {
        return; /* too big for this test, or refused for a reason that only building finds */
    }
    for (int i = 0; i < TICKS; i++) {
        world_step(world);
    }
    world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct scenario scenario;
    struct failure failure = {0};
    if (scenario_read((const char *)data, size, &scenario, &failure) == 0) {
        run_world(&scenario.def);
    } else if (failure.code == FAILURE_NONE || failure.message[0] == '\0' ||
               !is_in_text(&failure, data, size)) {
        abort();
    }
    scenario_fini(&scenario);
    return 0;
}
