/* Room for agents, rows grouped by kind, and columns that follow agents from slot to slot. */
#include <assert.h>
#include <string.h>

#include "server/sim/math/column.h"
#include "server/sim/world/world_internal.h"

enum { ROOM_MOST = 1048576 /* agents that there is room for beyond what was asked for */ };

static int reserve_sights(struct world *world, int32_t count) {
    const bool is_written = !world_is_partial(world); /* a rank has an index of the agents that are here */
    return world->has_kind_targets ? sight_index_reserve(&world->sights, count, is_written) : 0;
}

int32_t world_room_for(const struct world *world, int32_t count) {
    if (count <= world->capacity) {
        return world->capacity;
    }
    const int32_t half = world->capacity / 2, more = world->capacity + (half < ROOM_MOST ? half : ROOM_MOST);
    const int32_t most = more < world->max_agents ? more : world->max_agents;
    return most > count ? most : count;
}

int world_reserve(struct world *world, int32_t count) {
    assert(count >= 0 && count <= LIMIT_AGENTS && world->agent_count <= world->capacity);
    if (count <= world->capacity) {
        return reserve_sights(world, count);
    }
    const int32_t capacity = world_room_for(world, count);
    const int32_t old = world->capacity > 0 ? world->capacity + GRID_SPARE : 0;
    /* A column that grew before another failed is merely larger than `capacity`. */
    bool grown = true;
#define GROW_ARRAY(type, name)                                                                               \
    grown = grown && column_grow_zero(&world->name, sizeof *world->name, old, capacity + GRID_SPARE);
#define GROW_COLUMN(number, type, name, initial, saved, hashed, by, copied)                                  \
    WORLD_ARRAYS_##by(GROW_ARRAY, type, name)
    WORLD_COLUMNS(GROW_COLUMN)
#undef GROW_COLUMN
#undef GROW_ARRAY
    if (!grown || grid_reserve(&world->grid, capacity) != 0 || reserve_sights(world, capacity) != 0) {
        return -1;
    }
    world->capacity = capacity;
    return 0;
}

void world_remember(struct world *world) {
    const int32_t places = world->is_pure_flock ? world->agent_count : world->grid.count;
    for (int32_t place = 0; !world->has_memories && place < places; place++) {
        world->memory[place] = MEMORY_INITIAL;
    }
    world->has_memories = true;
}

void world_set_initial(struct world *world, int32_t row, int32_t slot) {
    const int32_t remembering = world->has_memories ? slot : -1;
#define SET_INITIAL(number, type, name, initial, saved, hashed, by, copied)                                  \
    const type name = initial;                                                                               \
    const int32_t entry_of_##name = (by) == BY_ROW ? row : remembering;                                      \
    if (entry_of_##name >= 0) {                                                                              \
        column_write(&world->name[entry_of_##name], &name, sizeof name);                                     \
    }
    WORLD_COLUMNS(SET_INITIAL)
#undef SET_INITIAL
    if (slot >= 0) {
        world->heading[slot] = heading;
    }
}

void world_group_kinds(struct world *world) {
    int32_t count[LIMIT_KINDS] = {0};
    for (int32_t row = 0; row < world->agent_count; row++) {
        count[world->kind[row]]++;
    }
    int32_t begin = 0;
    for (int k = 0; k < LIMIT_KINDS; k++) {
        world->kind_begin[k] = begin;
        begin += count[k];
    }
    world->kind_begin[LIMIT_KINDS] = begin;
    assert(begin == world->agent_count);
    if (world_is_partial(world)) { /* agents of every kind may come here */
        world->grid.has_kinds = begin > 0 && count[world->kind[0]] < begin;
    }
    int32_t next[LIMIT_KINDS];
    memcpy(next, world->kind_begin, sizeof next);
    for (int32_t row = 0; row < world->agent_count; row++) {
        const int kind = world->kind[row];
        world->rank[row] = next[kind] - world->kind_begin[kind];
        world->by_kind[next[kind]++] = row;
    }
}

/* ---- columns by slot ---- */

enum { MOVE_GRAIN = 4096, MOVE_BLOCK = 256 /* slots whose moves are known before their entries are moved */ };

static void swap_columns(struct world *world) {
#define SWAP_BY_ROW(type, name)
#define SWAP_BY_SLOT(type, name)                                                                             \
    type *name = world->name;                                                                                \
    world->name = world->next_##name;                                                                        \
    world->next_##name = name;
#define SWAP_COLUMN(number, type, name, initial, saved, hashed, by, copied) SWAP_##by(type, name)
    WORLD_COLUMNS(SWAP_COLUMN)
#undef SWAP_COLUMN
#undef SWAP_BY_SLOT
#undef SWAP_BY_ROW
}

/* Whether the entries of a column by slot differ: those of state and memory are all zero without memories. */
static bool differs(const struct world *world, const void *column) {
    return world->has_memories || column == world->heading;
}

/* Entries go from the places `from` to those from `begin` on; swap_columns makes them count. */
static void gather_columns(struct world *world, const int32_t *from, int32_t begin, int32_t count) {
#define GATHER_BY_ROW(name, copied)
#define GATHER_BY_SLOT(name, copied)                                                                         \
    for (int32_t i = 0; (copied) && differs(world, world->name) && i < count; i++) {                         \
        world->next_##name[begin + i] = world->name[from[i]];                                                \
    }
#define GATHER_COLUMN(number, type, name, initial, saved, hashed, by, copied) GATHER_##by(name, copied)
    WORLD_COLUMNS(GATHER_COLUMN)
#undef GATHER_COLUMN
#undef GATHER_BY_SLOT
#undef GATHER_BY_ROW
}

static void follow_slots(void *context, int32_t begin, int32_t end) {
    struct world *world = context;
    for (int32_t first = begin; first < end; first += MOVE_BLOCK) {
        int32_t from[MOVE_BLOCK];
        const int32_t count = end - first < MOVE_BLOCK ? end - first : MOVE_BLOCK;
        grid_follow(&world->grid, first, first + count, from);
        gather_columns(world, from, first, count);
    }
}

void world_follow_slots(struct world *world, const struct parallel *parallel) {
    assert(!world->is_pure_flock);
    parallel->run(parallel->pool, world->grid.count, MOVE_GRAIN, follow_slots, world);
    grid_followed(&world->grid);
    swap_columns(world);
}

void world_slots_to_rows(struct world *world) {
    for (int32_t slot = 0; slot < world->grid.count; slot++) {
        gather_columns(world, &slot, world->grid.row[slot], 1);
    }
    swap_columns(world);
}

void world_rows_to_slots(struct world *world) {
    gather_columns(world, world->grid.row, 0, world->grid.count);
    swap_columns(world);
}
