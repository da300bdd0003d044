/* The events of a tick: targets that were reached, quarries that were caught. */
#include <assert.h>
#include <string.h>

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
    world->tallies[world->kind[row]].reached++;
    note(world, (struct world_note){.type = NOTE_REACHED,
                                    .agent = world->id[row],
                                    .target = target,
                                    .at = world->targets[target].at});
}

static void note_caught(struct world *world, int32_t row, uint32_t quarry) {
    note(world, (struct world_note){.type = NOTE_CAUGHT, .agent = world->id[row], .quarry = quarry});
}

/* ---- catches of ranks ---- */

/* An agent that caught its quarry. */
struct caught {
    int32_t row;
    uint32_t quarry; /* id */
};

/* The first catches of a world, in their order. */
struct first_caught {
    int count;
    struct caught at[WORLD_NOTES_MAX];
};

/* By kind, then by id. */
static bool comes_before(const struct world *world, int32_t row, int32_t other) {
    const int kind = world->kind[row], other_kind = world->kind[other];
    return kind < other_kind || (kind == other_kind && row < other);
}

static void enter(const struct world *world, struct first_caught *first, struct caught caught) {
    int at = first->count;
    while (at > 0 && comes_before(world, caught.row, first->at[at - 1].row)) {
        at--;
    }
    if (at == WORLD_NOTES_MAX) {
        return;
    }
    const int moved = (first->count < WORLD_NOTES_MAX ? first->count : WORLD_NOTES_MAX - 1) - at;
    memmove(&first->at[at + 1], &first->at[at], sizeof first->at[0] * (size_t)moved);
    first->at[at] = caught;
    first->count = at + moved + 1;
}

/* The catches of own agents, counted by kind. */
static void find_own(const struct world *world, uint64_t counts[LIMIT_KINDS], struct first_caught *first) {
    const struct world_slots own = world_own_slots(world);
    for (int32_t slot = own.begin; slot < own.end; slot++) {
        const int kind = world->grid.kind[slot];
        const int32_t row = world->grid.row[slot];
        const struct memory *memory = &world->memory[world->is_pure_flock ? row : slot];
        if (world->kinds[kind].pursues && memory->has_caught) {
            counts[kind]++;
            enter(world, first, (struct caught){row, memory->caught});
        }
    }
}

/* Every rank sends its first ones to all others. */
static void gather_first(const struct world *world, struct first_caught *first) {
    const struct exchange *exchange = world->exchange;
    struct first_caught own = *first;
    struct exchange_part out[EXCHANGE_RANKS_MAX], in[EXCHANGE_RANKS_MAX];
    for (int rank = 0; rank < exchange->ranks; rank++) {
        const size_t size = rank == exchange->rank ? 0 : sizeof own.at[0] * (size_t)own.count;
        out[rank] = (struct exchange_part){own.at, size};
    }
    exchange->hand_over(exchange->context, out, in);
    for (int rank = 0; rank < exchange->ranks; rank++) {
        for (size_t i = 0; i < in[rank].size / sizeof(struct caught); i++) {
            struct caught caught;
            memcpy(&caught, (const char *)in[rank].bytes + i * sizeof caught, sizeof caught);
            enter(world, first, caught);
        }
    }
}

static bool some_pursue(const struct world *world) {
    bool some = false;
    for (int k = 0; k < world->kind_count; k++) {
        some |= world->kinds[k].pursues && world_kind_population(world, k) > 0;
    }
    return some;
}

static void note_catches_of_ranks(struct world *world) {
    uint64_t counts[LIMIT_KINDS] = {0}, all = 0;
    struct first_caught first = {.count = 0};
    if (!some_pursue(world)) {
        return;
    }
    find_own(world, counts, &first);
    world->exchange->sum(world->exchange->context, counts, world->kind_count);
    for (int k = 0; k < world->kind_count; k++) {
        world->tallies[k].caught += (uint32_t)counts[k];
        all += counts[k];
    }
    if (all > 0) {
        gather_first(world, &first);
    }
    for (int i = 0; i < first.count; i++) {
        note_caught(world, first.at[i].row, first.at[i].quarry);
    }
    world->notes_left_out += (uint32_t)(all - (uint64_t)first.count);
}

/* ---- all of them ---- */

void world_note_catches(struct world *world) {
    if (world_is_partial(world)) {
        note_catches_of_ranks(world);
        return;
    }
    for (int k = 0; k < world->kind_count; k++) {
        if (!world->kinds[k].pursues) {
            continue;
        }
        for (int32_t i = world->kind_begin[k]; i < world->kind_begin[k + 1]; i++) {
            const struct memory *memory = world_memory(world, world->by_kind[i]);
            if (memory->has_caught) {
                world->tallies[k].caught++;
                note_caught(world, world->by_kind[i], memory->caught);
            }
        }
    }
}

struct world_tally world_tally_of(const struct world *world, int kind) {
    assert(kind >= 0 && kind < world->kind_count);
    return world->tallies[kind];
}

int world_notes(const struct world *world, const struct world_note **notes, uint32_t *left_out) {
    assert(world->notes_left_out == 0 || world->note_count == WORLD_NOTES_MAX);
    *notes = world->notes;
    *left_out = world->notes_left_out;
    return world->note_count;
}
