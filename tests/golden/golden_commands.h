/* The commands of the golden hashes: a few, at fixed ticks, so that the hashes cover them. */
#ifndef DROVER_TESTS_GOLDEN_GOLDEN_COMMANDS_H
#define DROVER_TESTS_GOLDEN_GOLDEN_COMMANDS_H

#include <stdlib.h>

#include "server/sim/world/world.h"

/* For three seconds of every four a client drives the first agents of each kind that can be driven. */
static inline void golden_drive(struct world *world, uint64_t tick) {
    for (int kind = 0; kind < world_kind_count(world) && tick % 240 < 180 && tick % 5 == 0; kind++) {
        float x[16], y[16];
        const int32_t population = world_kind_population(world, kind);
        const struct drive_def drive = {
            .kind = kind, .count = population < 16 ? population : 16, .x = x, .y = y};
        int32_t gone;
        for (int i = 0; i < 16; i++) {
            x[i] = 17.0f * (float)((int)(tick / 60 + 5 * (uint64_t)i) % 23 - 11);
            y[i] = 13.5f * (float)((int)(tick / 30 + 3 * (uint64_t)i) % 19 - 9);
        }
        if (world_heeds_drive(world, kind) && world_drive(world, &drive, &gone) != WORLD_OK) {
            abort();
        }
    }
}

/* What is done before the step that ends `tick`. */
static inline void golden_command(struct world *world, uint64_t tick) {
    golden_drive(world, tick);
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

#endif
