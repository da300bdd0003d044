/* Vectors that clients drive agents with: where they come in, and when they expire. */
#include <assert.h>

#include "server/sim/world/world_internal.h"

uint32_t world_longest_hold(const struct kind_def *kind) {
    uint32_t longest = 0;
    for (int s = 0; s < kind->state_count; s++) {
        const struct state_def *state = &kind->states[s];
        for (int b = 0; b < state->behavior_count; b++) {
            const struct behavior_def *behavior = &state->behaviors[b];
            if (behavior_has_trait(behavior->type, TRAIT_DRIVEN) && behavior->hold > longest) {
                longest = behavior->hold;
            }
        }
    }
    return longest;
}

bool world_heeds_drive(const struct world *world, int kind) {
    assert(kind >= 0 && kind < world->kind_count);
    return world->kinds[kind].hold > 0;
}

static void drive_agent(struct world *world, int32_t row, const struct drive_def *drive, int32_t index) {
    const float x = drive->x[index], y = drive->y[index], most = (float)LIMIT_DRIVE;
    assert(x >= -most && x <= most && y >= -most && y <= most);
    world->drive[row] = (struct drive){vec2_make(x, y), LIMIT_HOLD};
    world->has_driven = true;
    (void)most;
}

/* The index of the first agent that cannot be driven; `count` when there is none. */
static int32_t find_undriven(const struct world *world, const struct drive_def *drive) {
    int32_t index = 0;
    for (; index < drive->count; index++) {
        const int32_t row = world_find_agent(world, drive->agents[index]);
        if (row >= 0 && !world_heeds_drive(world, world->kind[row])) {
            break;
        }
    }
    return index;
}

static void drive_kind(struct world *world, const struct drive_def *drive) {
    const int32_t begin = world->kind_begin[drive->kind] + drive->first;
    assert(drive->first >= 0 && drive->first <= world_kind_population(world, drive->kind) - drive->count);
    for (int32_t i = 0; i < drive->count; i++) {
        drive_agent(world, world->by_kind[begin + i], drive, i);
    }
}

enum world_result world_drive(struct world *world, const struct drive_def *drive, int32_t *gone) {
    assert(world_is_consistent(world) && drive->count >= 0);
    *gone = 0;
    if (drive->agents == NULL) {
        const bool heeds = world_heeds_drive(world, drive->kind);
        if (heeds) {
            drive_kind(world, drive);
        }
        return heeds ? WORLD_OK : WORLD_NOT_DRIVEN;
    }
    *gone = find_undriven(world, drive);
    if (*gone < drive->count) {
        return WORLD_NOT_DRIVEN;
    }
    *gone = 0;
    for (int32_t i = 0; i < drive->count; i++) {
        const int32_t row = world_find_agent(world, drive->agents[i]);
        if (row >= 0) {
            drive_agent(world, row, drive, i);
        } else {
            ++*gone;
        }
    }
    return WORLD_OK;
}

void world_fade_drives(struct world *world) {
    if (!world->has_driven) {
        return;
    }
    bool has_driven = false;
    for (int32_t row = 0; row < world->agent_count; row++) {
        struct drive *drive = &world->drive[row];
        if (drive->left > 1) {
            drive->left--;
            has_driven = true;
        } else if (drive->left == 1) {
            *drive = (struct drive){.left = 0};
        }
    }
    world->has_driven = has_driven;
}
