/* What memory a world takes, from the sizes of its columns. */
#include <assert.h>
#include <stddef.h>

#include "server/sim/world/world_internal.h"

/* Whether some agents have a body of their own. */
static bool draws_bodies(const struct world *world) {
    bool draws = world->has_own_bodies;
    for (int k = 0; k < world->kind_count; k++) {
        draws |= world->kinds[k].draws_body && world_kind_population(world, k) > 0;
    }
    return draws;
}

/* Whether agents of such a world write to a column (its place in struct world): otherwise the system never gives its
 * memory. */
static bool is_written(const struct world *world, size_t column) {
    if (column == offsetof(struct world, state) || column == offsetof(struct world, memory)) {
        return !world_flocks(world) || draws_bodies(world);
    }
    if (column == offsetof(struct world, own_body)) {
        return draws_bodies(world);
    }
    return (column != offsetof(struct world, aim) || world->has_sent) &&
           (column != offsetof(struct world, drive) || world->has_driven);
}

/* Of an agent. world: counts the columns that such a world writes to; NULL: all. */
static uint64_t entry_bytes(const struct world *world) {
    uint64_t bytes = sizeof(int32_t); /* of the grid's lookup */
#define ADD_ARRAY(type, name) +sizeof(type)
#define ADD_COLUMN(number, type, name, initial, saved, hashed, by, copied)                                   \
    if (world == NULL || is_written(world, offsetof(struct world, name))) {                                  \
        bytes += (uint64_t)(0 WORLD_ARRAYS_##by(ADD_ARRAY, type, name));                                     \
    }
    WORLD_COLUMNS(ADD_COLUMN)
#undef ADD_COLUMN
#undef ADD_ARRAY
#define ADD_COLUMN(type, name, copied) bytes += sizeof(type);
    GRID_COLUMNS(ADD_COLUMN)
#undef ADD_COLUMN
    return bytes;
}

/* begin, shared, and a cursor for each part that a thread sorts. */
static uint64_t cell_bytes(const struct grid *grid, int threads) {
    const int parts = threads < 1 ? 1 : threads < GRID_PARTS ? threads : GRID_PARTS;
    return sizeof *grid->begin + sizeof *grid->shared + (uint64_t)parts * sizeof **grid->cursor;
}

uint64_t world_bytes(const struct world *world, const int64_t population[LIMIT_KINDS], int threads) {
    struct world such = *world;
    int64_t count = 0;
    for (int k = 0; k < LIMIT_KINDS; k++) {
        such.kind_begin[k] = (int32_t)count;
        count += k < world->kind_count ? population[k] : 0;
    }
    assert(count <= LIMIT_AGENTS);
    such.kind_begin[LIMIT_KINDS] = such.agent_count = (int32_t)count;
    const uint64_t agents = (uint64_t)count;
    return agents * entry_bytes(&such) + (uint64_t)world_cells(&such) * cell_bytes(&such.grid, threads) +
           (such.has_kind_targets ? sight_index_bytes(such.agent_count) : 0);
}

uint64_t world_room_bytes(const struct world_room *room) {
    return (uint64_t)room->agents * entry_bytes(NULL) +
           (room->sights > 0 ? sight_index_bytes(room->sights) : 0) +
           (uint64_t)room->kinds * sizeof(struct kind) + room->scenery;
}

uint64_t world_spawn_bytes(const struct world *world, int kind, uint32_t count, int threads) {
    int64_t population[LIMIT_KINDS] = {0};
    const int64_t wanted = (int64_t)world->agent_count + count;
    if (wanted <= world->capacity || wanted > world->max_agents) {
        return 0;
    }
    for (int k = 0; k < world->kind_count; k++) {
        population[k] = world_kind_population(world, k);
    }
    const uint64_t before = world_bytes(world, population, threads);
    population[kind] += world_room_for(world, (int32_t)wanted) - world->agent_count;
    const uint64_t after = world_bytes(world, population, threads);
    return after > before ? after - before : 0;
}
