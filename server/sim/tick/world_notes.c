/* The events of a tick: targets that were reached, quarries that were caught. */
#include <assert.h>

#include "server/sim/world/world_internal.h"

static void note(struct world *world, struct world_note happening) {
    if (world->note_count < WORLD_NOTES_MAX) {
        world->notes[world->note_count++] = happening;
    } else {
        world->notes_left_out++;
    }
}

void world_note_reached(struct world *world, int32_t row, int target) {
    assert(row >= 0 && row < world->agent_count && target >= 0 && target < world->target_count);
    note(world, (struct world_note){.type = NOTE_REACHED,
                                    .agent = world->id[row],
                                    .target = target,
                                    .at = world->targets[target].at});
}

void world_note_catches(struct world *world) {
    for (int k = 0; k < world->kind_count; k++) {
        if (!world->kinds[k].pursues) {
            continue;
        }
        for (int32_t i = world->kind_begin[k]; i < world->kind_begin[k + 1]; i++) {
            const struct memory *memory = &world->memory[world->by_kind[i]];
            if (memory->has_caught) {
                note(world, (struct world_note){.type = NOTE_CAUGHT,
                                                .agent = world->id[world->by_kind[i]],
                                                .quarry = memory->caught});
            }
        }
    }
}

int world_notes(const struct world *world, const struct world_note **notes, uint32_t *left_out) {
    assert(world->notes_left_out == 0 || world->note_count == WORLD_NOTES_MAX);
    *notes = world->notes;
    *left_out = world->notes_left_out;
    return world->note_count;
}
