/* Which agents of other ranks a rank sees in stripes, and what ranks send each other in a tick that keeps the order of agents. */
#include <assert.h>
#include <float.h>
#include <stdlib.h>
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

/* The spans of rows that a rank's ghosts are in, ascending. Returns how many. */
static int stripes_ghost_rows(const struct world *world, int rank, struct world_slots spans[STRIPES_PIECES]) {
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
            list[count] = own_slot(world, world_row_of_kind(world, k, i));
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

/* After a sort: which rank sees which agents, and the known agents that are not in the halo. Collective. */
static void stripes_link_up(struct world *world) {
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
static void exchange_known(struct world *world) {
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
        exchange_known(world);
    }
    stripes->ghost_ticks += count_ghosts(world);
}

/* ---- stripes sort ---- */

/* Sorting in stripes: agents that have left their window go to the ranks whose rows they are in now, ghosts come, and
 * the agents that are here are sorted as all of them are in one process. */

enum {
    SORTS_A_CUT = 4,         /* from one cut to the next */
    SCAN_BLOCK = 64,         /* slots */
    MIGRANTS_A_ROUND = 16384 /* that a rank hands over at once: of new agents all may migrate */
};

/* ---- agents in slots that are not sorted yet: grid.next, and columns by slot as they are ---- */

static void move_entry(struct world *world, int32_t to, int32_t from) {
    struct grid *grid = &world->grid;
    grid->next[to] = grid->next[from];
    grid->row[to] = grid->row[from];
    grid->kind[to] = grid->kind[from];
    grid->radius[to] = grid->radius[from];
    grid->key[to] = grid->key[from];
    if (world->is_pure_flock) {
        return;
    }
    grid->lookup->slot[grid->row[to]] = to;
#define MOVE_BY_ROW(name)
#define MOVE_BY_SLOT(name)                                                  world->name[to] = world->name[from];
#define MOVE_MEMBER(number, type, name, initial, saved, hashed, by, copied) MOVE_##by(name)
    WORLD_COLUMNS(MOVE_MEMBER)
#undef MOVE_MEMBER
#undef MOVE_BY_SLOT
#undef MOVE_BY_ROW
}

/* ---- migrants ---- */

static int owner_of(const struct world_stripes *stripes, int ranks, int32_t row) {
    int low = 0, high = ranks - 1;
    while (low < high) { /* the first whose rows end behind it */
        const int middle = low + (high - low) / 2;
        if (stripes->cut[middle + 1] > row) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* Whether some of SCAN_BLOCK cells are not among the `inside` cells from `first` on. */
static bool some_beyond(const int32_t *cells, int32_t first, uint32_t inside) {
    uint32_t some = 0;
    for (int i = 0; i < SCAN_BLOCK; i++) {
        some |= (uint32_t)((uint32_t)(cells[i] - first) >= inside);
    }
    return some != 0;
}

/* Own slots whose cells are not in [first, end), ascending, in stripes.room_list. Returns how many. Most blocks have
 * none; in the others no branches: they would be mispredicted. */
static int32_t list_beyond(const struct world *world, int32_t first, int32_t end) {
    struct stripes_room *room = &world->stripes->room_list;
    int32_t *list = stripes_room(room, sizeof *list * SCAN_BLOCK), count = 0;
    const uint32_t inside = end > first ? (uint32_t)(end - first) : 0;
    for (int32_t begin = world->own_begin; begin < world->own_end; begin += SCAN_BLOCK) {
        const bool is_whole = world->own_end - begin >= SCAN_BLOCK;
        if (is_whole && !some_beyond(world->grid.key + begin, first, inside)) {
            continue;
        }
        const int32_t last = is_whole ? begin + SCAN_BLOCK : world->own_end;
        list = stripes_more_room(room, sizeof *list * ((size_t)count + SCAN_BLOCK));
        for (int32_t slot = begin; slot < last; slot++) {
            list[count] = slot;
            count += (uint32_t)(world->grid.key[slot] - first) >= inside;
        }
    }
    return count;
}

/* Room for what goes to each rank; out[r].size says how much, and becomes 0 again. */
static void lay_out(const struct world *world) {
    struct world_stripes *stripes = world->stripes;
    size_t size = 0;
    for (int r = 0; r < world->exchange->ranks; r++) {
        size += stripes->out[r].size;
    }
    char *bytes = stripes_room(&stripes->room_out, size);
    for (int r = 0; r < world->exchange->ranks; r++) {
        stripes->out[r].bytes = bytes;
        bytes += stripes->out[r].size;
        stripes->out[r].size = 0;
    }
}

static void append(struct exchange_part *part, const void *entry, size_t size) {
    memcpy((char *)part->bytes + part->size, entry, size);
    part->size += size;
}

static void clear_out(const struct world *world) {
    for (int r = 0; r < world->exchange->ranks; r++) {
        world->stripes->out[r] = (struct exchange_part){NULL, 0};
    }
}

/* Notes in the message to each rank, this one too, that further ones follow. */
static void announce_more(const struct world *world) {
    const struct stripes_migrant more = {.row = -1};
    for (int r = 0; r < world->exchange->ranks; r++) {
        append(&world->stripes->out[r], &more, sizeof more);
    }
}

/* has_more: these are not all. */
static void pack_migrants(const struct world *world, const int32_t *list, int32_t count, bool has_more) {
    struct world_stripes *stripes = world->stripes;
    const struct grid *grid = &world->grid;
    const int ranks = world->exchange->ranks;
    clear_out(world);
    for (int r = 0; r < ranks; r++) {
        stripes->out[r].size = has_more ? sizeof(struct stripes_migrant) : 0;
    }
    for (int32_t i = 0; i < count; i++) {
        const int to = owner_of(stripes, ranks, grid->key[list[i]] / grid->across.cells);
        stripes->out[to].size += sizeof(struct stripes_migrant);
    }
    lay_out(world);
    for (int32_t i = 0; i < count; i++) {
        const struct stripes_migrant migrant =
            stripes_pack(world, world->grid.next, list[i], grid->key[list[i]]);
        append(&stripes->out[owner_of(stripes, ranks, migrant.cell / grid->across.cells)], &migrant,
               sizeof migrant);
    }
    if (has_more) {
        announce_more(world);
    }
}

/* Own agents stay together: the last ones go to where others have left. */
static void close_gaps(struct world *world, const int32_t *gaps, int32_t count) {
    int32_t first = 0;
    while (first < count) {
        const int32_t last = --world->own_end;
        if (gaps[count - 1] == last) {
            count--;
        } else {
            move_entry(world, gaps[first++], last);
        }
    }
}

/* Those that arrive come where others have left, then on either side. */
static int32_t take_slot(struct world *world, const int32_t *gaps, int32_t count, int32_t *taken) {
    if (*taken < count) {
        return gaps[(*taken)++];
    }
    return world->own_end < world->capacity ? world->own_end++ : --world->own_begin;
}

/* Those that arrived. gaps: slots that agents have left; *taken of them are in use again. Returns whether more follow. */
static bool take_migrants(struct world *world, const int32_t *gaps, int32_t count, int32_t *taken) {
    struct world_stripes *stripes = world->stripes;
    bool has_more = false;
    for (int r = 0; r < world->exchange->ranks; r++) {
        for (size_t at = 0; at < stripes->in[r].size; at += sizeof(struct stripes_migrant)) {
            struct stripes_migrant migrant;
            memcpy(&migrant, (const char *)stripes->in[r].bytes + at, sizeof migrant);
            if (migrant.row < 0) {
                has_more = true;
                continue;
            }
            stripes_unpack(world, world->grid.next, take_slot(world, gaps, count, taken), &migrant);
            stripes->migrants++;
        }
    }
    return has_more;
}

/* In rounds, so that messages stay small however many agents are in the rows of other ranks. Returns whether one was not enough. */
static bool hand_migrants_over(struct world *world) {
    struct world_stripes *stripes = world->stripes;
    const struct exchange *exchange = world->exchange;
    const struct world_slots rows = stripes_rows_of(stripes, exchange->rank);
    const int32_t columns = world->grid.across.cells;
    const int32_t count = list_beyond(world, rows.begin * columns, rows.end * columns);
    const int32_t *gaps = (const int32_t *)(const void *)stripes->room_list.bytes;
    int32_t taken = 0, sent = 0;
    bool has_more = true;
    while (has_more) {
        const int32_t left = count - sent, some = left < MIGRANTS_A_ROUND ? left : MIGRANTS_A_ROUND;
        pack_migrants(world, gaps + sent, some, some < left);
        exchange->hand_over(exchange->context, stripes->out, stripes->in);
        sent += some;
        has_more = take_migrants(world, gaps, sent, &taken);
    }
    stripes_note_used(stripes, world->own_end);
    close_gaps(world, gaps + taken, count - taken);
    return count > MIGRANTS_A_ROUND;
}

/* ---- ghosts ---- */

/* The cells of this window in which another rank has ghosts, as ranges of its link. */
static void find_wanted(const struct world *world, int rank) {
    struct stripes_link *link = &world->stripes->to[rank];
    struct world_slots spans[STRIPES_PIECES];
    const struct world_slots own = stripes_rows_of(world->stripes, world->exchange->rank);
    const int32_t columns = world->grid.across.cells;
    const int count = stripes_ghost_rows(world, rank, spans);
    link->range_count = 0;
    for (int i = 0; i < count; i++) {
        const struct world_slots both = world_slots_both(spans[i], own);
        if (both.begin < both.end) {
            link->ranges[link->range_count++] =
                (struct world_slots){both.begin * columns, both.end * columns};
        }
    }
}

static bool is_wanted(const struct stripes_link *link, int32_t cell) {
    bool is_in = false;
    for (int i = 0; i < link->range_count; i++) {
        is_in |= cell >= link->ranges[i].begin && cell < link->ranges[i].end;
    }
    return is_in;
}

static void pack_ghosts(const struct world *world, const int32_t *list, int32_t count) {
    struct world_stripes *stripes = world->stripes;
    const struct grid *grid = &world->grid;
    clear_out(world);
    for (int r = 0; r < world->exchange->ranks; r++) {
        find_wanted(world, r);
        for (int32_t i = 0; stripes->to[r].range_count > 0 && i < count; i++) {
            stripes->out[r].size +=
                is_wanted(&stripes->to[r], grid->key[list[i]]) ? sizeof(struct stripes_ghost) : 0;
        }
    }
    lay_out(world);
    for (int r = 0; r < world->exchange->ranks; r++) {
        for (int32_t i = 0; stripes->to[r].range_count > 0 && i < count; i++) {
            const int32_t slot = list[i], row = grid->row[slot];
            const struct stripes_ghost ghost = {row, grid->key[slot], grid->next[slot],
                                                stripes_heading(world, row, slot)};
            if (is_wanted(&stripes->to[r], ghost.cell)) {
                append(&stripes->out[r], &ghost, sizeof ghost);
            }
        }
    }
}

/* Ghosts come before own agents as far as there is room, then behind them; no slot stays empty. */
static void take_ghosts(struct world *world) {
    struct world_stripes *stripes = world->stripes;
    int32_t ghosts = 0, own = world->own_end - world->own_begin;
    for (int r = 0; r < world->exchange->ranks; r++) {
        for (size_t at = 0; at < stripes->in[r].size; at += sizeof(struct stripes_ghost)) {
            struct stripes_ghost ghost;
            memcpy(&ghost, (const char *)stripes->in[r].bytes + at, sizeof ghost);
            stripes_put(world, world->grid.next, ghosts < world->own_begin ? ghosts : own + ghosts, &ghost);
            ghosts++;
        }
    }
    int32_t empty = ghosts;
    while (world->own_end > own + ghosts && world->own_end > world->own_begin && empty < world->own_begin) {
        move_entry(world, empty++, --world->own_end);
    }
    stripes_note_used(stripes, world->own_end > own + ghosts ? world->own_end : own + ghosts);
    world->grid.count = own + ghosts;
    world->grid.absent = world->agent_count - world->grid.count;
    stripes->sorted_end = world->grid.count;
}

static void bring_ghosts(struct world *world) {
    struct world_stripes *stripes = world->stripes;
    const struct exchange *exchange = world->exchange;
    const struct world_slots rows = stripes_rows_of(stripes, exchange->rank);
    const int32_t columns = world->grid.across.cells;
    const int32_t count =
        list_beyond(world, (rows.begin + stripes->halo) * columns, (rows.end - stripes->halo) * columns);
    pack_ghosts(world, (const int32_t *)(const void *)stripes->room_list.bytes, count);
    exchange->hand_over(exchange->context, stripes->out, stripes->in);
    take_ghosts(world);
}

/* ---- rows ---- */

/* The rows in which agents are here. Returns how many spans. */
static int held_rows(const struct world *world, struct grid_span held[STRIPES_PIECES + 1]) {
    struct world_slots spans[STRIPES_PIECES + 1];
    const int rank = world->exchange->rank;
    int count = stripes_ghost_rows(world, rank, spans), merged = 0;
    const struct world_slots own = stripes_rows_of(world->stripes, rank);
    if (own.begin < own.end) {
        int at = count++;
        for (; at > 0 && spans[at - 1].begin > own.begin; at--) {
            spans[at] = spans[at - 1];
        }
        spans[at] = own;
    }
    for (int i = 0; i < count; i++) {
        if (merged > 0 && held[merged - 1].last + 1 == spans[i].begin) {
            held[merged - 1].last = spans[i].end - 1;
        } else {
            held[merged++] = (struct grid_span){spans[i].begin, spans[i].end - 1};
        }
    }
    return merged;
}

void stripes_regroup(struct world *world, const struct parallel *parallel) {
    struct world_stripes *stripes = world->stripes;
    struct grid *grid = &world->grid;
    struct grid_span held[STRIPES_PIECES + 1];
    stripes_note_used(stripes, grid->count);
    const bool are_many = hand_migrants_over(world);
    bring_ghosts(world);
    if (are_many) {
        stripes_free_room(&stripes->room_list);
        stripes_free_room(&stripes->room_out);
    }
    stripes_trim_cells(world);
    const int spans = held_rows(world, held);
    assert(spans <= GRID_HELD_SPANS);
    grid_sort_rows(grid, held, spans, parallel);
    const struct world_slots own = stripes_rows_of(stripes, world->exchange->rank);
    world->own_begin = grid->begin[own.begin * grid->across.cells];
    world->own_end = grid->begin[own.end * grid->across.cells];
    if (!world->is_pure_flock) {
        world_follow_slots(world, parallel);
    }
    stripes_link_up(world);
    stripes_trim_slots(world);
}

/* ---- cuts ---- */

/* Own agents by row, of the cells at t+1. */
static void count_rows(const struct world *world) {
    for (int32_t slot = world->own_begin; slot < world->own_end; slot++) {
        world->stripes->agents[world->grid.key[slot] / world->grid.across.cells]++;
    }
}

/* Own agents by row as they were sorted last: near enough for borders. */
static void recall_rows(const struct world *world) {
    const struct world_stripes *stripes = world->stripes;
    const struct world_slots rows = stripes_rows_of(stripes, world->exchange->rank);
    for (int32_t row = rows.begin; row < rows.end; row++) {
        const int32_t *begin = world->grid.begin + (ptrdiff_t)row * stripes->columns;
        stripes->agents[row] = (uint64_t)(begin[stripes->columns] - begin[0]);
    }
}

static void cut(struct world *world) {
    struct world_stripes *stripes = world->stripes;
    const struct exchange *exchange = world->exchange;
    const struct grid *grid = &world->grid;
    const bool is_new = stripes->rows != grid->down.cells;
    if (!is_new && stripes->sorts % SORTS_A_CUT != 0) {
        return;
    }
    memset(stripes->agents, 0, sizeof *stripes->agents * (size_t)grid->down.cells);
    if (is_new) {
        count_rows(world);
    } else {
        recall_rows(world);
    }
    stripes->rows = grid->down.cells;
    const struct world_slots former = stripes_rows_of(stripes, exchange->rank);
    exchange->sum(exchange->context, stripes->agents, stripes->rows);
    exchange->cut(exchange->context, is_new, stripes->rows, stripes->agents, stripes->cut);
    const struct world_slots rows = stripes_rows_of(stripes, exchange->rank);
    stripes->shifted += abs(rows.begin - former.begin) + abs(rows.end - former.end);
    assert(stripes->cut[0] == 0 && stripes->cut[exchange->ranks] == stripes->rows);
}

/* Of all agents at t+1. */
static struct grid_box box_of_all(const struct world *world) {
    float sides[4] = {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX};
    if (world->own_begin < world->own_end) {
        const struct grid_box own = grid_box_of(&world->grid, world->own_begin, world->own_end);
        sides[0] = -own.low.x;
        sides[1] = -own.low.y;
        sides[2] = own.high.x;
        sides[3] = own.high.y;
    }
    world->exchange->largest(world->exchange->context, sides, 4);
    return (struct grid_box){{-sides[0], -sides[1]}, {sides[2], sides[3]}};
}

void world_stripes_sort(struct world *world, float radius, float drift, const struct parallel *parallel) {
    struct world_stripes *stripes = world->stripes;
    if (stripes->is_bare) {
        world->own_end = world->grid.count;
        stripes->is_bare = false;
    }
    const bool wraps = world->bounds.edge == EDGE_WRAP;
    const struct grid_box box =
        wraps ? (struct grid_box){{0.0f, 0.0f}, world->bounds.size} : box_of_all(world);
    grid_choose(&world->grid, &world->bounds, box, radius);
    grid_find_cells(&world->grid, world->own_begin, world->own_end, parallel);
    cut(world);
    stripes->halo = stripes_halo_rows(world, drift);
    stripes_regroup(world, parallel);
    stripes->columns = world->grid.across.cells;
    stripes->sorts++;
}

void world_stripes_stay(struct world *world) {
    const struct parallel alone = parallel_alone();
    struct world_stripes *stripes = world->stripes;
    world_drop_ghosts(world);
    world->own_end = stripes->sorted_end = world->grid.count;
    stripes->is_bare = false;
    stripes->rows = 0;
    if (world->grid.lookup != NULL) {
        grid_look_up(&world->grid, &alone);
    }
    stripes_link_up(world);
}
