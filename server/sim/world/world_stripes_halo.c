/* Which agents of other ranks a rank sees in stripes, and what ranks send each other in a tick that keeps the order of agents. */
#include <assert.h>
#include <string.h>

#include "server/sim/world/world_stripes_inside.h"

/* ---- rows of ghosts ---- */

static int add_span(struct world_slots *spans, int count, int32_t begin, int32_t end) {
    if (begin >= end) {
        return count;
    }
    spans[count] = (struct world_slots){begin, end};
    return count + 1;
}

int stripes_ghost_rows(const struct world *world, int rank, struct world_slots spans[STRIPES_PIECES]) {
    const struct world_stripes *stripes = world->stripes;
    const int32_t rows = stripes->rows, halo = stripes->halo;
    const struct world_slots own = stripes_rows_of(stripes, rank);
    const bool wraps = world->grid.down.wraps;
    int count = 0;
    if (own.begin == own.end) {
        return 0;
    }
    const bool sees_all = halo >= rows || (wraps && own.end - own.begin + 2 * halo >= rows);
    const int32_t low = sees_all ? 0 : own.begin - halo, high = sees_all ? rows : own.end + halo;
    if (wraps && high > rows) { /* around the border */
        count = add_span(spans, count, 0, high - rows);
    }
    count = add_span(spans, count, low > 0 ? low : 0, own.begin);
    count = add_span(spans, count, own.end, high < rows ? high : rows);
    if (wraps && low < 0) {
        count = add_span(spans, count, rows + low, rows);
    }
    return count;
}

/* ---- links ---- */

static struct world_slots slots_of_rows(const struct grid *grid, struct world_slots rows) {
    return (struct world_slots){grid->begin[rows.begin * grid->across.cells],
                                grid->begin[rows.end * grid->across.cells]};
}

/* What `viewer` sees of `owner` in its halo. */
static struct stripes_link link_between(const struct world *world, int viewer, int owner) {
    struct stripes_link link = {.range_count = 0};
    struct world_slots spans[STRIPES_PIECES];
    const int count =
        world->stripes->rows > 0 && viewer != owner ? stripes_ghost_rows(world, viewer, spans) : 0;
    for (int i = 0; i < count; i++) {
        const struct world_slots both = world_slots_both(spans[i], stripes_rows_of(world->stripes, owner));
        if (both.begin < both.end) {
            const struct world_slots slots = slots_of_rows(&world->grid, both);
            link.ranges[link.range_count++] = slots;
            link.count += slots.end - slots.begin;
        }
    }
    return link;
}

static bool has_known(const struct world *world) {
    return world->stripes->needs.known != 0 || world->stripes->needs.named_count > 0;
}

static int32_t own_slot(const struct world *world, int32_t row) {
    const int32_t slot = grid_slot(&world->grid, row);
    return slot >= world->own_begin && slot < world->own_end ? slot : -1;
}

/* The own slots of all that every rank sees, in stripes.room_list. Returns how many. */
static int32_t list_known(const struct world *world) {
    struct world_stripes *stripes = world->stripes;
    size_t most = STRIPES_NAMED_MAX;
    for (int k = 0; k < world->kind_count; k++) {
        most += (stripes->needs.known >> k) & 1 ? (size_t)world_kind_population(world, k) : 0;
    }
    int32_t *list = stripes_room(&stripes->room_list, sizeof *list * most), count = 0;
    for (int k = 0; k < world->kind_count; k++) {
        const int32_t end = (stripes->needs.known >> k) & 1 ? world->kind_begin[k + 1] : 0;
        for (int32_t i = world->kind_begin[k]; i < end; i++) {
            list[count] = own_slot(world, world->by_kind[i]);
            count += list[count] >= 0;
        }
    }
    for (int32_t i = 0; i < stripes->needs.named_count; i++) {
        const int32_t row = world_find_agent(world, stripes->needs.named[i]);
        if (row >= 0 && !((stripes->needs.known >> world->kind[row]) & 1)) {
            list[count] = own_slot(world, row);
            count += list[count] >= 0;
        }
    }
    return count;
}

static bool has_slot(const struct stripes_link *link, int32_t slot) {
    bool is_in = false;
    for (int i = 0; i < link->range_count; i++) {
        is_in |= slot >= link->ranges[i].begin && slot < link->ranges[i].end;
    }
    return is_in;
}

/* For each rank those of the list that it does not see in its halo. Returns how many in all. */
static int32_t choose_known(const struct world *world, const int32_t *list, int32_t count) {
    struct world_stripes *stripes = world->stripes;
    const int ranks = world->exchange->ranks;
    stripes->known_out =
        stripes_room(&stripes->room_known, sizeof *list * ((size_t)count * (size_t)ranks + 1));
    int32_t chosen = 0;
    for (int r = 0; r < ranks; r++) {
        struct stripes_link *link = &stripes->to[r];
        link->first_known = chosen;
        for (int32_t i = 0; r != world->exchange->rank && i < count; i++) {
            stripes->known_out[chosen] = list[i];
            chosen += !has_slot(link, list[i]);
        }
        link->known_count = chosen - link->first_known;
    }
    return chosen;
}

/* Tick t of the known, behind all other slots. */
static void bring_known(struct world *world) {
    struct world_stripes *stripes = world->stripes;
    const struct exchange *exchange = world->exchange;
    const int32_t count = list_known(world);
    const int32_t chosen =
        choose_known(world, (const int32_t *)(const void *)stripes->room_list.bytes, count);
    struct stripes_ghost *ghosts = stripes_room(&stripes->room_out, sizeof *ghosts * (size_t)chosen);
    for (int32_t i = 0; i < chosen; i++) {
        const int32_t slot = stripes->known_out[i], row = world->grid.row[slot];
        ghosts[i] =
            (struct stripes_ghost){row, 0, world->grid.motion[slot], stripes_heading(world, row, slot)};
    }
    for (int r = 0; r < exchange->ranks; r++) {
        stripes->out[r] = (struct exchange_part){ghosts + stripes->to[r].first_known,
                                                 sizeof *ghosts * (size_t)stripes->to[r].known_count};
    }
    exchange->hand_over(exchange->context, stripes->out, stripes->in);
    for (int r = 0; r < exchange->ranks; r++) {
        stripes->from[r].first_known = world->grid.count;
        for (size_t at = 0; at < stripes->in[r].size; at += sizeof *ghosts) {
            struct stripes_ghost ghost;
            memcpy(&ghost, (const char *)stripes->in[r].bytes + at, sizeof ghost);
            world->grid.absent--;
            stripes_put(world, world->grid.motion, world->grid.count++, &ghost);
        }
        stripes->from[r].known_count = world->grid.count - stripes->from[r].first_known;
    }
}

static uint64_t count_ghosts(const struct world *world) {
    return (uint64_t)(world->grid.count - (world->own_end - world->own_begin));
}

void stripes_link_up(struct world *world) {
    struct world_stripes *stripes = world->stripes;
    const int rank = world->exchange->rank;
    for (int r = 0; r < world->exchange->ranks; r++) {
        stripes->to[r] = link_between(world, r, rank);
        stripes->from[r] = link_between(world, rank, r);
    }
    if (has_known(world)) {
        bring_known(world);
    }
    stripes->ghost_ticks += count_ghosts(world);
}

/* ---- ticks that keep the order ---- */

struct world_slots world_stripes_inner(const struct world *world) {
    const struct world_stripes *stripes = world->stripes;
    struct world_slots inner = {world->own_begin, world->own_end};
    if (stripes->rows > 0) {
        const struct world_slots own = stripes_rows_of(stripes, world->exchange->rank);
        const int32_t begin = own.begin + stripes->halo < own.end ? own.begin + stripes->halo : own.end;
        const int32_t end = own.end - stripes->halo > begin ? own.end - stripes->halo : begin;
        inner = slots_of_rows(&world->grid, (struct world_slots){begin, end});
    }
    return inner;
}

/* Bytes that a tick sends for one agent. */
static size_t news_size(const struct world *world) {
    return sizeof(struct motion) + (world->is_pure_flock ? 0 : sizeof(vec2));
}

static char *write_news(const struct world *world, int32_t slot, char *to) {
    memcpy(to, &world->grid.next[slot], sizeof(struct motion));
    if (!world->is_pure_flock) {
        memcpy(to + sizeof(struct motion), &world->next_heading[slot], sizeof(vec2));
    }
    return to + news_size(world);
}

static const char *read_news(struct world *world, int32_t slot, const char *from) {
    memcpy(&world->grid.next[slot], from, sizeof(struct motion));
    if (!world->is_pure_flock) {
        memcpy(&world->next_heading[slot], from + sizeof(struct motion), sizeof(vec2));
    }
    return from + news_size(world);
}

/* Motion alone, of consecutive slots, needs no copy. */
static bool is_direct(const struct world *world, const struct stripes_link *link) {
    return world->is_pure_flock && link->range_count == 1;
}

/* Shares a room out to all ranks. */
static char *lay_out_news(const struct world *world, const struct stripes_link *links,
                          struct stripes_room *room, struct exchange_part *parts) {
    size_t size = 0;
    for (int r = 0; r < world->exchange->ranks; r++) {
        parts[r].size = news_size(world) * (size_t)links[r].count;
        size += is_direct(world, &links[r]) ? 0 : parts[r].size;
    }
    char *bytes = stripes_room(room, size);
    for (int r = 0; r < world->exchange->ranks; r++) {
        if (is_direct(world, &links[r])) {
            parts[r].bytes = world->grid.next + links[r].ranges[0].begin;
        } else {
            parts[r].bytes = bytes;
            bytes += parts[r].size;
        }
    }
    return bytes;
}

void world_stripes_begin(struct world *world) {
    struct world_stripes *stripes = world->stripes;
    const struct exchange *exchange = world->exchange;
    (void)lay_out_news(world, stripes->to, &stripes->room_out, stripes->out);
    (void)lay_out_news(world, stripes->from, &stripes->room_in, stripes->in);
    for (int r = 0; r < exchange->ranks; r++) {
        const struct stripes_link *link = &stripes->to[r];
        char *to = stripes->out[r].bytes;
        for (int i = 0; !is_direct(world, link) && i < link->range_count; i++) {
            for (int32_t slot = link->ranges[i].begin; slot < link->ranges[i].end; slot++) {
                to = write_news(world, slot, to);
            }
        }
    }
    exchange->begin(exchange->context, stripes->out, stripes->in);
}

/* The known: some of them were in inner rows. */
static void tell_known(struct world *world) {
    struct world_stripes *stripes = world->stripes;
    const struct exchange *exchange = world->exchange;
    const size_t size = news_size(world);
    size_t out = 0, in = 0;
    for (int r = 0; r < exchange->ranks; r++) {
        out += size * (size_t)stripes->to[r].known_count;
        in += size * (size_t)stripes->from[r].known_count;
    }
    char *to = stripes_room(&stripes->room_out, out), *at = stripes_room(&stripes->room_in, in);
    for (int r = 0; r < exchange->ranks; r++) {
        const struct stripes_link *link = &stripes->to[r];
        stripes->out[r] = (struct exchange_part){to, size * (size_t)link->known_count};
        stripes->in[r] = (struct exchange_part){at, size * (size_t)stripes->from[r].known_count};
        at += stripes->in[r].size;
        for (int32_t i = link->first_known; i < link->first_known + link->known_count; i++) {
            to = write_news(world, stripes->known_out[i], to);
        }
    }
    exchange->begin(exchange->context, stripes->out, stripes->in);
    exchange->end(exchange->context);
    const char *from = stripes->room_in.bytes;
    for (int32_t slot = stripes->sorted_end; slot < world->grid.count; slot++) {
        from = read_news(world, slot, from);
    }
}

void world_stripes_end(struct world *world) {
    struct world_stripes *stripes = world->stripes;
    const struct exchange *exchange = world->exchange;
    exchange->end(exchange->context);
    for (int r = 0; r < exchange->ranks; r++) {
        const struct stripes_link *link = &stripes->from[r];
        const char *from = stripes->in[r].bytes;
        for (int i = 0; !is_direct(world, link) && i < link->range_count; i++) {
            for (int32_t slot = link->ranges[i].begin; slot < link->ranges[i].end; slot++) {
                from = read_news(world, slot, from);
            }
        }
    }
    if (has_known(world)) {
        tell_known(world);
    }
    stripes->ghost_ticks += count_ghosts(world);
}
