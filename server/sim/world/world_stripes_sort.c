/* Sorting in stripes: agents that have left their window go to the ranks whose rows they are in now, ghosts come, and
 * the agents that are here are sorted as all of them are in one process. */
#include <assert.h>
#include <float.h>
#include <string.h>

#include "server/sim/world/world_stripes_inside.h"

enum { SORTS_A_CUT = 4 /* from one cut to the next */, SCAN_BLOCK = 64 /* slots */ };

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
    const int32_t own = world->own_end - world->own_begin;
    int32_t *list = stripes_room(&world->stripes->room_list, sizeof *list * ((size_t)own + 1)), count = 0;
    const uint32_t inside = end > first ? (uint32_t)(end - first) : 0;
    for (int32_t begin = world->own_begin; begin < world->own_end; begin += SCAN_BLOCK) {
        const bool is_whole = world->own_end - begin >= SCAN_BLOCK;
        if (is_whole && !some_beyond(world->grid.key + begin, first, inside)) {
            continue;
        }
        const int32_t last = is_whole ? begin + SCAN_BLOCK : world->own_end;
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

static void pack_migrants(const struct world *world, const int32_t *list, int32_t count) {
    struct world_stripes *stripes = world->stripes;
    const struct grid *grid = &world->grid;
    const int ranks = world->exchange->ranks;
    clear_out(world);
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

static void hand_migrants_over(struct world *world) {
    struct world_stripes *stripes = world->stripes;
    const struct exchange *exchange = world->exchange;
    const struct world_slots rows = stripes_rows_of(stripes, exchange->rank);
    const int32_t columns = world->grid.across.cells;
    const int32_t count = list_beyond(world, rows.begin * columns, rows.end * columns);
    const int32_t *gaps = (const int32_t *)(const void *)stripes->room_list.bytes;
    pack_migrants(world, gaps, count);
    exchange->hand_over(exchange->context, stripes->out, stripes->in);
    int32_t taken = 0;
    for (int r = 0; r < exchange->ranks; r++) {
        for (size_t at = 0; at < stripes->in[r].size; at += sizeof(struct stripes_migrant)) {
            struct stripes_migrant migrant;
            memcpy(&migrant, (const char *)stripes->in[r].bytes + at, sizeof migrant);
            stripes_unpack(world, world->grid.next, take_slot(world, gaps, count, &taken), &migrant);
            stripes->migrants++;
        }
    }
    close_gaps(world, gaps + taken, count - taken);
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
    hand_migrants_over(world);
    bring_ghosts(world);
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
    exchange->sum(exchange->context, stripes->agents, stripes->rows);
    exchange->cut(exchange->context, is_new, stripes->rows, stripes->agents, stripes->cut);
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
