/* Room for rows, and rows grouped by kind. */
#include <assert.h>
#include <string.h>

#include "server/sim/math/column.h"
#include "server/sim/world/world_internal.h"

int world_reserve(struct world *world, int32_t count) {
    assert(count >= 0 && count <= LIMIT_AGENTS && world->agent_count <= world->capacity);
    if (count <= world->capacity) {
        return 0;
    }
    int32_t capacity = world->capacity + world->capacity / 2;
    capacity = capacity > count ? capacity : count;
    /* A column that grew before another failed is merely larger than `capacity`. */
    bool grown = true;
#define GROW_COLUMN(number, type, name, initial, saved, hashed, copied)                                      \
    grown = grown && column_grow(&world->name, sizeof *world->name, capacity);
    WORLD_COLUMNS(GROW_COLUMN)
#undef GROW_COLUMN
    if (!grown || grid_reserve(&world->grid, capacity) != 0) {
        return -1;
    }
    world->capacity = capacity;
    return 0;
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
    int32_t next[LIMIT_KINDS];
    memcpy(next, world->kind_begin, sizeof next);
    for (int32_t row = 0; row < world->agent_count; row++) {
        const int kind = world->kind[row];
        world->rank[row] = next[kind] - world->kind_begin[kind];
        world->by_kind[next[kind]++] = row;
    }
}
