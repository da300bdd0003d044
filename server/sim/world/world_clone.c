/* Whole copies of worlds: all that docs/architecture.md lists under "What decides the future", and what
 * follows from it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/math/column.h"
#include "server/sim/world/world_internal.h"
#include "server/sim/world/world_stripes_inside.h"

/* Agents that the index of sights needs room for. */
static int32_t sights_of(const struct world *world) {
    return world->has_kind_targets ? world->agent_count : 0;
}

static bool fits(const struct world *to, const struct world *from) {
    return from->agent_count <= to->capacity && from->kind_count <= to->kind_room &&
           sights_of(from) <= to->sights.capacity && scenery_clone_fits(&to->scenery, &from->scenery);
}

/* Without memories, state and memory are zero; without timers, those are. */
static bool is_written(const struct world *world, const void *column) {
    return column == world->timers
               ? world->has_timers
               : world->has_memories || (column != world->state && column != world->memory);
}

/* Ends has_memories, in what is about to become a clone. */
static void forget(struct world *world) {
    const size_t count = world->has_memories ? (size_t)world->capacity : 0;
    if (count > 0) {
        memset(world->state, 0, count * sizeof *world->state);
        memset(world->next_state, 0, count * sizeof *world->next_state);
        memset(world->memory, 0, count * sizeof *world->memory);
        memset(world->next_memory, 0, count * sizeof *world->next_memory);
    }
    world->has_memories = false;
}

static void clone_columns(struct world *to, const struct world *own, const struct world *from) {
    const size_t rows = (size_t)from->agent_count;
    const size_t slots = from->is_pure_flock ? rows : (size_t)from->grid.count;
#define KEEP_ARRAY(type, name) to->name = own->name;
#define CLONE_COLUMN(number, type, name, initial, saved, hashed, by, copied)                                 \
    WORLD_ARRAYS_##by(KEEP_ARRAY, type, name);                                                               \
    if ((copied) && rows > 0 && is_written(from, from->name)) {                                              \
        column_copy(to->name, from->name, sizeof *to->name *((by) == BY_ROW ? rows : slots));                \
    }
    WORLD_COLUMNS(CLONE_COLUMN)
#undef CLONE_COLUMN
#undef KEEP_ARRAY
}

bool world_clone(struct world *to, const struct world *from) {
    assert(!from->scenery.has_old_ways);
    if (!fits(to, from) || !world_stripes_fit(to, from)) {
        return false;
    }
    if (from->stripes == NULL) {
        world_stripes_fini(to);
    } else {
        world_stripes_clone(to, from);
    }
    return world_clone_here(to, from);
}

bool world_clone_here(struct world *to, const struct world *from) {
    assert(to != from && world_is_consistent(from));
    if (!fits(to, from)) {
        return false;
    }
    if (!from->has_memories) {
        forget(to);
    }
    if (to->has_timers && !from->has_timers) {
        memset(to->timers, 0, (size_t)to->capacity * sizeof *to->timers);
        memset(to->next_timers, 0, (size_t)to->capacity * sizeof *to->next_timers);
    }
    const struct world own = *to;
    *to = *from;
    to->exchange = own.exchange;
    to->stripes = own.stripes;
    to->simd = own.simd;
    to->capacity = own.capacity;
    to->kind_room = own.kind_room;
    to->kinds = own.kinds;
    if (from->kind_count > 0) {
        memcpy(to->kinds, from->kinds, sizeof *to->kinds * (size_t)from->kind_count);
    }
    to->scenery = own.scenery;
    scenery_clone(&to->scenery, &from->scenery);
    to->grid = own.grid;
    grid_clone(&to->grid, &from->grid);
    to->sights = own.sights;
    to->has_sights = false;
    to->has_counted = false; /* of the ticks of that one */
    clone_columns(to, &own, from);
    world_group_kinds(to);
    assert(world_is_consistent(to));
    return true;
}

static bool reserve(struct world *to, const struct world_room *room) {
    if (room->kinds > to->kind_room) {
        struct kind *kinds = realloc(to->kinds, sizeof *kinds * (size_t)room->kinds);
        if (kinds == NULL) {
            return false;
        }
        to->kinds = kinds;
        to->kind_room = room->kinds;
    }
    return scenery_reserve(&to->scenery, room->scenery) == 0 && world_reserve(to, room->agents) == 0 &&
           sight_index_reserve(&to->sights, room->sights, !world_is_partial(to)) == 0;
}

bool world_clone_reserve(struct world *to, const struct world *from) {
    assert(to != from);
    const struct world_room room = world_room_of(from);
    world_stripes_reserve(to, from);
    return reserve(to, &room);
}

bool world_has_room(const struct world *to, const struct world *from) {
    return fits(to, from);
}

struct world_room world_room_of(const struct world *world) {
    return (struct world_room){world->agent_count, world->kind_count, scenery_clone_size(&world->scenery),
                               sights_of(world)};
}

/* The system gives memory when it is written for the first time. */
static void touch(struct world *world) {
    if (world->kind_room > 0) {
        memset(world->kinds, 0, sizeof *world->kinds * (size_t)world->kind_room);
    }
#define TOUCH_ARRAY(type, name)                                                                              \
    if (world->capacity > 0) {                                                                               \
        memset(world->name, 0, sizeof *world->name *(size_t)world->capacity);                                \
    }
#define TOUCH_COLUMN(number, type, name, initial, saved, hashed, by, copied)                                 \
    WORLD_ARRAYS_##by(TOUCH_ARRAY, type, name)
    WORLD_COLUMNS(TOUCH_COLUMN)
#undef TOUCH_COLUMN
#undef TOUCH_ARRAY
#define TOUCH_GRID(type, name, copied)                                                                       \
    if (world->grid.capacity > 0) {                                                                          \
        memset(world->grid.name, 0, sizeof *world->grid.name *(size_t)world->grid.capacity);                 \
    }
    GRID_COLUMNS(TOUCH_GRID)
#undef TOUCH_GRID
}

struct world *world_new_room(const struct world_room *room) {
    struct world *world = calloc(1, sizeof *world);
    if (world != NULL && !reserve(world, room)) {
        world_destroy(world);
        return NULL;
    }
    if (world != NULL) {
        touch(world);
    }
    return world;
}

struct world *world_clone_new(const struct world *from) {
    struct world *to = calloc(1, sizeof *to);
    if (to != NULL &&
        (!world_stripes_begin_clone(to, from) || !world_clone_reserve(to, from) || !world_clone(to, from))) {
        world_destroy(to);
        return NULL;
    }
    if (to != NULL) {
        to->simd = from->simd;
    }
    return to;
}

/* ---- stripes gather ---- */

/* The whole of a world that ranks share in stripes, on one of them. */

/* Own agents, in order, to `root`. */
static void send_own(const struct world *world, int root) {
    struct world_stripes *stripes = world->stripes;
    const struct grid *grid = &world->grid;
    const int32_t own = world->own_end - world->own_begin;
    struct stripes_migrant *all = stripes_room(&stripes->room_out, sizeof *all * (size_t)own);
    int32_t cell = stripes->rows > 0 ? stripes->cut[world->exchange->rank] * grid->across.cells : 0;
    for (int32_t i = 0; i < own; i++) {
        const int32_t slot = world->own_begin + i;
        while (stripes->rows > 0 && grid->begin[cell + 1] <= slot) {
            cell++;
        }
        all[i] = stripes_pack(world, grid->motion, slot, cell);
    }
    for (int r = 0; r < world->exchange->ranks; r++) {
        stripes->out[r] = (struct exchange_part){all, r == root ? sizeof *all * (size_t)own : 0};
    }
    world->exchange->hand_over(world->exchange->context, stripes->out, stripes->in);
}

/* Slot by slot, in the order of the ranks: their rows of cells follow on each other. */
static void receive_all(const struct world *world, struct world *whole) {
    struct grid *grid = &whole->grid;
    const bool is_sorted = world->stripes->rows > 0;
    int32_t slot = 0, cell = 0;
    for (int r = 0; r < world->exchange->ranks; r++) {
        const struct exchange_part *in = &world->stripes->in[r];
        for (size_t at = 0; at < in->size; at += sizeof(struct stripes_migrant)) {
            struct stripes_migrant migrant;
            memcpy(&migrant, (const char *)in->bytes + at, sizeof migrant);
            for (; is_sorted && cell <= migrant.cell; cell++) {
                grid->begin[cell] = slot;
            }
            stripes_unpack(whole, grid->motion, slot++, &migrant);
        }
    }
    for (; is_sorted && cell <= grid->across.cells * grid->down.cells; cell++) {
        grid->begin[cell] = slot;
    }
    assert(slot == whole->agent_count);
}

static int gather_stripes(const struct world *world, int root, struct world *whole) {
    const bool is_root = world->exchange->rank == root;
    const bool has_room = is_root && world_clone_reserve(whole, world) && world_clone_here(whole, world);
    send_own(world, root);
    if (has_room) {
        world_stripes_fini(whole); /* it may have been a clone of a part */
        whole->grid.count = whole->agent_count;
        whole->grid.absent = 0;
        receive_all(world, whole);
        assert(whole->grid.lookup == NULL ||
               !whole->grid.lookup->is_fresh); /* it is a clone's, or a world never had agents */
        whole->halo = 0.0f;
        whole->known = 0;
        assert(world_is_consistent(whole));
    }
    return is_root && !has_room ? -1 : 0;
}

int world_gather(const struct world *world, int root, struct world *whole) {
    if (world->stripes != NULL) {
        return gather_stripes(world, root, whole);
    }
    const bool is_root = world->exchange == NULL || world->exchange->rank == root;
    return !is_root || (world_clone_reserve(whole, world) && world_clone(whole, world)) ? 0 : -1;
}
