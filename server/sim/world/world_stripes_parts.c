/* What stripes are made of: memory, agents that go from rank to rank, and slots without ghosts. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/math/column.h"
#include "server/sim/world/world_stripes_inside.h"

void stripes_free(struct world_stripes *stripes) {
    if (stripes != NULL) {
        free(stripes->to);
        free(stripes->from);
        free(stripes->out);
        free(stripes->in);
        free(stripes->agents);
        free(stripes->room_known.bytes);
        free(stripes->room_out.bytes);
        free(stripes->room_in.bytes);
        free(stripes->room_list.bytes);
    }
    free(stripes);
}

void world_stripes_fini(struct world *world) {
    if (world->stripes != NULL) {
        stripes_free(world->stripes);
        world->stripes = NULL;
    }
}

void *stripes_room(struct stripes_room *room, size_t size) {
    if (size > room->size || room->bytes == NULL) {
        const size_t larger = room->size + room->size / 2, wanted = (size > larger ? size : larger) + 64;
        free(room->bytes);
        room->bytes = malloc(wanted);
        room->size = wanted;
        if (room->bytes == NULL) {
            abort(); /* as a lost rank does */
        }
    }
    return room->bytes;
}

vec2 stripes_heading(const struct world *world, int32_t row, int32_t slot) {
    (void)row;
    return world->is_pure_flock ? vec2_make(1.0f, 0.0f)
                                : world->heading[slot]; /* a pure flock does not read it */
}

void stripes_put(struct world *world, struct motion *motion, int32_t slot,
                 const struct stripes_ghost *agent) {
    struct grid *grid = &world->grid;
    assert(slot >= 0 && slot < world->capacity && agent->row >= 0 && agent->row < world->agent_count);
    motion[slot] = agent->motion;
    grid->row[slot] = agent->row;
    grid->kind[slot] = world->kind[agent->row];
    grid->radius[slot] = world_body(world, agent->row)->radius;
    grid->key[slot] = agent->cell;
    if (!world->is_pure_flock) {
        world->heading[slot] = agent->heading;
        grid->lookup->slot[agent->row] = slot;
    }
}

struct stripes_migrant stripes_pack(const struct world *world, const struct motion *motion, int32_t slot,
                                    int32_t cell) {
    const int32_t row = world->grid.row[slot], place = world->is_pure_flock ? row : slot;
    struct stripes_migrant migrant;
    memset(&migrant, 0, sizeof migrant);
    migrant.row = row;
    migrant.cell = cell;
    migrant.motion = motion[slot];
#define PACK_BY_ROW(name)
#define PACK_BY_SLOT(name)                                                  migrant.name = world->name[place];
#define PACK_MEMBER(number, type, name, initial, saved, hashed, by, copied) PACK_##by(name)
    WORLD_COLUMNS(PACK_MEMBER)
#undef PACK_MEMBER
#undef PACK_BY_SLOT
#undef PACK_BY_ROW
    return migrant;
}

/* Columns of a pure flock are by row: pages that say nothing new are not written. */
void stripes_unpack(struct world *world, struct motion *motion, int32_t slot,
                    const struct stripes_migrant *migrant) {
    const struct stripes_ghost seen = {migrant->row, migrant->cell, migrant->motion, migrant->heading};
    const int32_t place = world->is_pure_flock ? migrant->row : slot;
    stripes_put(world, motion, slot, &seen);
#define UNPACK_BY_ROW(name)
#define UNPACK_BY_SLOT(name)                                                  column_write(&world->name[place], &migrant->name, sizeof migrant->name);
#define UNPACK_MEMBER(number, type, name, initial, saved, hashed, by, copied) UNPACK_##by(name)
    WORLD_COLUMNS(UNPACK_MEMBER)
#undef UNPACK_MEMBER
#undef UNPACK_BY_SLOT
#undef UNPACK_BY_ROW
}

/* ---- ghosts ---- */

void world_find_needs(struct world *world) {
    if (world->stripes != NULL) {
        world_stripes_needs(world, &world->stripes->needs);
        world->halo = world->stripes->needs.halo;
        world->known = world->stripes->needs.known;
    }
}

int32_t stripes_halo_rows(const struct world *world, float drift) {
    return grid_reach_cells(&world->grid.down, world->stripes->needs.halo + 2.0f * drift);
}

/* Own agents move to the first slots. */
static void drop_ghosts(struct world *world, int32_t own) {
    struct grid *grid = &world->grid;
    memmove(grid->motion, grid->motion + world->own_begin, sizeof *grid->motion * (size_t)own);
    memmove(grid->row, grid->row + world->own_begin, sizeof *grid->row * (size_t)own);
    memmove(grid->kind, grid->kind + world->own_begin, sizeof *grid->kind * (size_t)own);
    memmove(grid->radius, grid->radius + world->own_begin, sizeof *grid->radius * (size_t)own);
#define KEEP_BY_ROW(name)
#define KEEP_BY_SLOT(name)                                                                                   \
    if (!world->is_pure_flock) {                                                                             \
        memmove(world->name, world->name + world->own_begin, sizeof *world->name * (size_t)own);             \
    }
#define KEEP_MEMBER(number, type, name, initial, saved, hashed, by, copied) KEEP_##by(name)
    WORLD_COLUMNS(KEEP_MEMBER)
#undef KEEP_MEMBER
#undef KEEP_BY_SLOT
#undef KEEP_BY_ROW
    grid->lookup->is_fresh = false;
}

void world_drop_ghosts(struct world *world) {
    if (world->stripes == NULL || world->stripes->is_bare) {
        return;
    }
    const int32_t own = world->own_end - world->own_begin;
    if (own > 0) {
        drop_ghosts(world, own);
    }
    world->grid.count = own;
    world->grid.absent = world->agent_count - own;
    world->own_begin = 0;
    world->own_end = own;
    world->stripes->sorted_end = own;
    world->stripes->is_bare = true;
}
