/* Clones of what is here of a world in stripes: the same window, the same ghosts. */
#include <assert.h>
#include <string.h>

#include "server/sim/world/world_stripes_inside.h"

/* Bytes of the slots of the known that are sent to other ranks. */
static size_t known_size(const struct world *world) {
    const struct stripes_link *last = &world->stripes->to[world->exchange->ranks - 1];
    return sizeof *world->stripes->known_out * (size_t)(last->first_known + last->known_count);
}

bool world_stripes_begin_clone(struct world *to, const struct world *from) {
    to->stripes = from->stripes != NULL ? stripes_new(from->exchange) : NULL;
    return from->stripes == NULL || to->stripes != NULL;
}

void world_stripes_reserve(struct world *to, const struct world *from) {
    if (from->stripes != NULL && to->stripes != NULL) {
        to->stripes->known_out = stripes_room(&to->stripes->room_known, known_size(from));
    }
}

bool world_stripes_fit(const struct world *to, const struct world *from) {
    return from->stripes == NULL || (to->stripes != NULL && known_size(from) <= to->stripes->room_known.size);
}

void world_stripes_clone(struct world *to, const struct world *from) {
    const struct world_stripes own = *to->stripes;
    struct world_stripes *stripes = to->stripes;
    const size_t ranks = (size_t)from->exchange->ranks;
    *stripes = *from->stripes;
    stripes->to = own.to;
    stripes->from = own.from;
    stripes->out = own.out;
    stripes->in = own.in;
    stripes->agents = own.agents;
    stripes->room_known = own.room_known;
    stripes->room_out = own.room_out;
    stripes->room_in = own.room_in;
    stripes->room_list = own.room_list;
    stripes->known_out = (int32_t *)(void *)own.room_known.bytes;
    memcpy(stripes->to, from->stripes->to, sizeof *stripes->to * ranks);
    memcpy(stripes->from, from->stripes->from, sizeof *stripes->from * ranks);
    if (known_size(from) > 0) {
        memcpy(stripes->known_out, from->stripes->known_out, known_size(from));
    }
    to->exchange = from->exchange;
}
