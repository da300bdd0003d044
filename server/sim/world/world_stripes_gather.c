/* The whole of a world that ranks share in stripes, on one of them. */
#include <assert.h>
#include <string.h>

#include "server/sim/world/world_stripes_inside.h"

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
