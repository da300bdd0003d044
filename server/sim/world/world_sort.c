/* When the agents of a world are sorted into the grid, and into which cells. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/world/world_internal.h"
#include "server/sim/world/world_stripes_inside.h"

#define SMALLEST_EDGE  1.0f   /* px */
#define ROW_COST       4.0f   /* candidates */
#define DRIFT_SHARE    0.036f /* of a cell's edge: how far agents may drift; more makes too many candidates */
#define KEPT_TICKS_MAX 7.0f   /* however slow all agents are */

enum { RADII_MAX = 32 };

static float larger(float a, float b) {
    return a > b ? a : b;
}

/* The radii of all queries of a tick. */
struct query_radii {
    int count;
    struct {
        float radius;    /* px */
        int64_t queries; /* a tick */
    } at[RADII_MAX];
};

static void add_radius(struct query_radii *radii, float radius, int32_t agents) {
    if (!(radius > 0.0f) || agents == 0) {
        return;
    }
    int i = 0;
    while (i < radii->count && radii->at[i].radius != radius) {
        i++;
    }
    if (i == RADII_MAX) { /* too many: the last stands for the rest */
        i = RADII_MAX - 1;
        radii->at[i].radius = larger(radii->at[i].radius, radius);
    } else if (i == radii->count) {
        radii->at[radii->count++].radius = radius;
        radii->at[i].queries = 0;
    }
    radii->at[i].queries += agents;
}

/* Of zones, or without any of targets that are the nearest of a kind. */
static void collect_radii(const struct world *world, struct query_radii *radii) {
    for (int k = 0; k < world->kind_count; k++) {
        const struct kind *kind = &world->kinds[k];
        const int32_t agents = world_kind_population(world, k);
        for (int s = 0; s < kind->def.state_count; s++) {
            const struct state_def *state = &kind->def.states[s];
            for (int b = 0; b < state->behavior_count; b++) {
                const struct target_ref *target = &state->behaviors[b].target;
                add_radius(radii,
                           world->has_neighbors          ? world_widest_zone(&kind->states[s].behaviors[b])
                           : world_is_about_kind(target) ? target->within
                                                         : 0.0f,
                           agents);
            }
            for (int c = 0; c < state->condition_count && !world->has_neighbors; c++) {
                const struct condition_def *node = &state->conditions[c];
                const bool is_about_kind = world_is_about_kind(&node->target);
                add_radius(radii,
                           node->type == CONDITION_HEARD ? node->value
                           : is_about_kind               ? node->target.within
                                                         : 0.0f,
                           agents);
            }
        }
    }
}

/* What all queries cost with cells of this edge, in candidates: those of the rows of cells that a circle
 * touches, and what it takes to begin each row. */
static float cost_of(const struct query_radii *radii, float density, float edge) {
    float cost = 0.0f;
    for (int i = 0; i < radii->count; i++) {
        const float radius = radii->at[i].radius;
        const float rows = 1.0f + 2.0f * ceilf(radius / edge);
        const float candidates = rows * (ROW_COST + density * edge * (2.0f * radius + edge));
        cost += candidates * (float)radii->at[i].queries;
    }
    return cost;
}

/* The edge of cells: 0 without queries. Of the radii in use the one with which all queries together
 * are cheapest: a few agents with large radii must not make all others visit many candidates. */
static float cell_edge(const struct world *world) {
    if (world->agent_count == 0 || !(world->has_neighbors || world->has_kind_targets || world->has_signals)) {
        return 0.0f;
    }
    struct query_radii radii = {.count = 0};
    collect_radii(world, &radii);
    const vec2 size = world->bounds.size;
    const float density = (float)world->agent_count / (size.x * size.y);
    float best = world->has_neighbors ? SMALLEST_EDGE : 0.0f, least = 0.0f;
    for (int i = 0; i < radii.count; i++) {
        const float edge = larger(radii.at[i].radius, SMALLEST_EDGE), cost = cost_of(&radii, density, edge);
        if (i == 0 || cost < least) {
            best = edge;
            least = cost;
        }
    }
    return best;
}

/* ---- how long the order is kept ---- */

/* px: how far an agent may get in a tick. */
static float step_of(const struct world *world) {
    float fastest = 0.0f;
    for (int k = 0; k < world->kind_count; k++) {
        if (world_kind_population(world, k) > 0) {
            fastest = larger(fastest, world->kinds[k].body.max_speed);
        }
    }
    const vec2 size = world->bounds.size;
    return GRID_SLACK * fastest * world->dt + GRID_ROUNDING * larger(size.x, size.y);
}

/* px: so far agents may drift before they are sorted again; 0 where each tick sorts. Only on a torus without
 * solids is it certain that no agent moves further than its kind's speed allows. */
static float drift_limit(const struct world *world, float edge) {
    if (world->bounds.edge != EDGE_WRAP || world->scenery.solid_count > 0 || world->has_own_bodies) {
        return 0.0f;
    }
    const float step = step_of(world), ticks = floorf(DRIFT_SHARE * edge / step);
    return 1.0001f * step * (ticks < KEPT_TICKS_MAX ? ticks : KEPT_TICKS_MAX);
}

bool world_keeps_order(const struct world *world) {
    return world->is_sorted && world->grid.drift + step_of(world) <= drift_limit(world, cell_edge(world));
}

bool world_may_have_drifted(const struct world *world, float drift) {
    return world->is_sorted && drift > 0.0f && drift <= drift_limit(world, cell_edge(world));
}

bool world_will_sort(const struct world *world) {
    return !world->keeps_order && cell_edge(world) > 0.0f;
}

/* px: so far agents may drift before they are sorted again; 0 where each tick sorts. */
static float world_drift_limit(const struct world *world) {
    return drift_limit(world, cell_edge(world));
}

/* The walks that cells are made for: two agents that query each other have both drifted. */
static float widest_walk(const struct world *world, float edge) {
    return edge + 2.0f * drift_limit(world, edge);
}

int32_t world_cells(const struct world *world) {
    const float edge = cell_edge(world);
    return edge > 0.0f ? grid_cells_of(world->agent_count, world->bounds.size,
                                       world->bounds.edge == EDGE_WRAP, widest_walk(world, edge))
                       : 0;
}

static void fill_radii(void *context, int32_t begin, int32_t end) {
    struct world *world = context;
    const struct grid *grid = &world->grid;
    for (int32_t slot = begin; slot < end; slot++) {
        grid->radius[slot] = world->has_own_bodies ? world_body(world, grid->row[slot])->radius
                                                   : world->kinds[grid->kind[slot]].body.radius;
    }
}

/* The radii of bodies in the order of slots; after a sort. */
static void world_fill_radii(struct world *world) {
    fill_radii(world, 0, world->grid.count);
}

/* What all bodies have in common. */
static void note_bodies(struct world *world) {
    uint8_t flags = 0;
    for (int32_t row = 0; row < world->agent_count; row++) {
        flags |= world->flags[row];
    }
    world->has_own_bodies = (flags & AGENT_OWN_BODY) != 0;
    world->has_one_radius = !world->has_own_bodies;
    for (int k = 1; k < world->kind_count; k++) {
        world->has_one_radius &= world->kinds[k].body.radius == world->kinds[0].body.radius;
    }
}

static void sort_again(struct world *world, float edge) {
    const float radius = widest_walk(world, edge);
    const struct parallel alone = parallel_alone();
    if (world->stripes != NULL) {
        if (!world->is_pure_flock) { /* in one, no agent is looked up: its page of the table is not written */
            grid_look_up(&world->grid, &alone);
        }
        grid_advance(&world->grid, 0.0f);
        world_stripes_sort(world, radius, drift_limit(world, edge), &alone);
    } else if (world->is_pure_flock) {
        grid_resort(&world->grid, &world->bounds, radius);
    } else {
        grid_look_up(&world->grid, &alone);
        grid_resort(&world->grid, &world->bounds, radius);
        world_follow_slots(world, &alone);
    }
}

/* What is known of a world before its agents are sorted. Returns the edge of cells. */
static float prepare(struct world *world) {
    const float edge = cell_edge(world);
    world->is_sorted = edge > 0.0f;
    note_bodies(world);
    world_find_needs(world);
    if (world->agent_count > 0 && !world_is_pure_flock(world)) {
        world_remember(world);
    }
    return edge;
}

bool world_keep_slots(struct world *world, float drift) {
    const float edge = prepare(world);
    if (drift == 0.0f) {
        return true;
    }
    if (!world_may_have_drifted(world, drift)) {
        return false;
    }
    grid_choose(&world->grid, &world->bounds, (struct grid_box){{0.0f, 0.0f}, world->bounds.size},
                widest_walk(world, edge));
    world->grid.drift = drift;
    world_fill_radii(world);
    return true;
}

void world_sort(struct world *world) {
    assert(world_is_consistent(world));
    const float edge = prepare(world);
    if (world->is_sorted) {
        const atomic_bool *given_up = world->grid.given_up;
        if (!world->is_creating) {
            world->grid.given_up = NULL; /* a command takes effect wholly */
        }
        sort_again(world, edge);
        world->grid.given_up = given_up;
        world_fill_radii(world);
    } else {
        world->grid.drift = 0.0f; /* no order, no drift */
        if (world->stripes != NULL) {
            world_stripes_stay(world);
        }
    }
}

void world_advance(struct world *world, const struct parallel *parallel) {
    const float edge = cell_edge(world);
    world->is_sorted = edge > 0.0f;
    if (!world->is_pure_flock) {
        vec2 *heading = world->next_heading;
        world->next_heading = world->heading;
        world->heading = heading;
    }
    const bool was_pure_flock = world->is_pure_flock;
    world->is_pure_flock = world_is_pure_flock(world);
    assert(world->is_pure_flock || !was_pure_flock); /* only commands end it: world_keep_headings */
    if (world->is_pure_flock && !was_pure_flock) {
        world_give_back_next(world);
        world_slots_to_rows(world);
        world_give_back_next(world);
    }
    if (!world->is_sorted || world->keeps_order) {
        grid_advance(&world->grid, world->is_sorted ? step_of(world) : 0.0f);
    } else {
        assert(world->is_pure_flock || world->grid.lookup->is_fresh); /* by world_act */
        if (world->stripes != NULL) {
            world_stripes_sort(world, widest_walk(world, edge), drift_limit(world, edge), parallel);
        } else {
            grid_sort(&world->grid, &world->bounds, widest_walk(world, edge), parallel);
            if (!world->is_pure_flock) {
                world_follow_slots(world, parallel);
            }
        }
        if (!world->has_one_radius) {
            parallel->run(parallel->pool, world->grid.count, 4096, fill_radii, world);
        }
    }
}

void world_keep_headings(struct world *world) {
    if (!world->is_pure_flock) {
        return;
    }
    world_rows_to_slots(world);
    for (int32_t slot = 0; slot < world->grid.count; slot++) {
        const struct motion motion = world->grid.motion[slot];
        if (world_faces_course(world, world->grid.row[slot], motion)) {
            world->heading[slot] = vec2_with_length(vec2_make(motion.vx, motion.vy), 1.0f);
        }
    }
    world->is_pure_flock = false;
    world_give_back_next(world);
}

/* ---- stripes join ---- */

/* A whole world becomes one that ranks share. */

/* What a rank has besides a world of one process, all zero. NULL without memory. */
static struct world_stripes *stripes_new(const struct exchange *exchange) {
    const size_t ranks = (size_t)exchange->ranks;
    struct world_stripes *stripes = calloc(1, sizeof *stripes);
    if (stripes == NULL) {
        return NULL;
    }
    stripes->to = calloc(ranks, sizeof *stripes->to);
    stripes->from = calloc(ranks, sizeof *stripes->from);
    stripes->out = calloc(ranks, sizeof *stripes->out);
    stripes->in = calloc(ranks, sizeof *stripes->in);
    stripes->agents = calloc(GRID_AXIS_CELLS_MAX, sizeof *stripes->agents);
    if (stripes->to == NULL || stripes->from == NULL || stripes->out == NULL || stripes->in == NULL ||
        stripes->agents == NULL) {
        stripes_free(stripes);
        return NULL;
    }
    return stripes;
}

/* The cells that agents were sorted into, and the slots of the window. */
static void choose_window(struct world *world) {
    struct world_stripes *stripes = world->stripes;
    struct grid *grid = &world->grid;
    const struct exchange *exchange = world->exchange;
    const int32_t columns = grid->across.cells;
    stripes->rows = grid->down.cells;
    for (int32_t row = 0; row < stripes->rows; row++) {
        stripes->agents[row] = (uint64_t)(grid->begin[(row + 1) * columns] - grid->begin[row * columns]);
    }
    exchange->cut(exchange->context, 1, stripes->rows, stripes->agents, stripes->cut);
    const struct world_slots own = stripes_rows_of(stripes, exchange->rank);
    world->own_begin = grid->begin[own.begin * columns];
    world->own_end = grid->begin[own.end * columns];
    for (int32_t cell = own.begin * columns; cell < own.end * columns; cell++) {
        for (int32_t slot = grid->begin[cell]; slot < grid->begin[cell + 1]; slot++) {
            grid->key[slot] = cell;
        }
    }
}

/* The order stays as old as it is. */
static void keep_window(struct world *world) {
    const struct parallel alone = parallel_alone();
    const float drift = world->grid.drift;
    choose_window(world);
    world->stripes->halo = stripes_halo_rows(world, world_drift_limit(world));
    grid_look_up(&world->grid, &alone);
    grid_advance(&world->grid, 0.0f);
    world->grid.has_cells = true;
    stripes_regroup(world, &alone);
    world->grid.drift = drift;
    world->stripes->columns = world->grid.across.cells;
    world_fill_radii(world);
    world->stripes->sorts = 1; /* cuts are new */
}

/* Agents that are not sorted stay with the rank that has them now. */
static void keep_share(struct world *world) {
    const struct exchange *exchange = world->exchange;
    world->own_begin = (int32_t)((int64_t)world->agent_count * exchange->rank / exchange->ranks);
    world->own_end = (int32_t)((int64_t)world->agent_count * (exchange->rank + 1) / exchange->ranks);
    world_stripes_stay(world);
}

/* Each rank has a share of the agents, wherever they are. The order stays as old as it is. */
static void bring_shares(struct world *world) {
    const float drift = world->grid.drift;
    world->is_shared_out = false;
    world->stripes->is_bare = true;
    world->grid.has_cells = drift != 0.0f;
    if (!world_all_ranks(world, !world->has_memories)) { /* of any share */
        world_remember(world);
    }
    world_sort(world);
    world->grid.drift = drift;
}

int world_join(struct world *world, const struct exchange *exchange) {
    assert(world_is_consistent(world) && world->stripes == NULL);
    struct world_stripes *stripes = NULL;
    if (exchange != NULL && exchange->mode == EXCHANGE_STRIPES) {
        uint64_t without = 0;
        stripes = stripes_new(exchange);
        without += stripes == NULL;
        exchange->sum(exchange->context, &without, 1);
        if (without > 0) {
            stripes_free(stripes);
            return -1;
        }
    }
    world->exchange = exchange;
    world->stripes = stripes;
    if (stripes != NULL) {
        world_find_needs(world);
        if (world->is_shared_out) {
            bring_shares(world);
        } else if (world->is_sorted) {
            keep_window(world);
        } else {
            keep_share(world);
        }
    }
    return 0;
}

/* ---- stripes clone ---- */

/* Clones of what is here of a world in stripes: the same window, the same ghosts. */

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
    stripes->used = own.used;
    stripes_note_used(stripes, from->grid.count);
    memcpy(stripes->to, from->stripes->to, sizeof *stripes->to * ranks);
    memcpy(stripes->from, from->stripes->from, sizeof *stripes->from * ranks);
    if (known_size(from) > 0) {
        memcpy(stripes->known_out, from->stripes->known_out, known_size(from));
    }
    to->exchange = from->exchange;
}
