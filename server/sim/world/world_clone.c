/* Whole copies of worlds: all that docs/architecture.md lists under "What decides the future", and what
 * follows from it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/world/world_internal.h"

static bool fits(const struct world *to, const struct world *from) {
    return from->agent_count <= to->capacity && from->kind_count <= to->kind_room &&
           scenery_clone_fits(&to->scenery, &from->scenery);
}

static void clone_columns(struct world *to, const struct world *own, const struct world *from) {
    const size_t count = (size_t)from->agent_count;
#define CLONE_COLUMN(number, type, name, initial, saved, hashed, copied)                                     \
    to->name = own->name;                                                                                    \
    if ((copied) && count > 0) {                                                                             \
        memcpy(to->name, from->name, sizeof *to->name *count);                                               \
    }
    WORLD_COLUMNS(CLONE_COLUMN)
#undef CLONE_COLUMN
}

bool world_clone(struct world *to, const struct world *from) {
    assert(to != from && world_is_consistent(from));
    if (!fits(to, from)) {
        return false;
    }
    const struct world own = *to;
    *to = *from;
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
    clone_columns(to, &own, from);
    world_group_kinds(to);
    assert(world_is_consistent(to));
    return true;
}

bool world_clone_reserve(struct world *to, const struct world *from) {
    assert(to != from);
    if (from->kind_count > to->kind_room) {
        struct kind *kinds = realloc(to->kinds, sizeof *kinds * (size_t)from->kind_count);
        if (kinds == NULL) {
            return false;
        }
        to->kinds = kinds;
        to->kind_room = from->kind_count;
    }
    return scenery_clone_reserve(&to->scenery, &from->scenery) == 0 &&
           world_reserve(to, from->agent_count) == 0;
}

struct world *world_clone_new(const struct world *from) {
    struct world *to = calloc(1, sizeof *to);
    if (to != NULL && (!world_clone_reserve(to, from) || !world_clone(to, from))) {
        world_destroy(to);
        return NULL;
    }
    if (to != NULL) {
        to->simd = from->simd;
    }
    return to;
}
