/* Neighbours in the world: when the grid is sorted, which kinds and zones a behaviour queries, and the
 * results of the query. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "server/sim/math/trig.h"
#include "server/sim/steering/locomotion.h"
#include "server/sim/world/world_internal.h"

#define CORE_RADII     3.0f   /* body radii within which everything is noticed (OpenSteer) */
#define ALL_ROUND      -2.0f  /* no cosine is less */
#define SMALLEST_EDGE  1.0f   /* px */
#define ROW_COST       4.0f   /* candidates */
#define DRIFT_SHARE    0.036f /* of a cell's edge: how far agents may drift; more makes too many candidates */
#define KEPT_TICKS_MAX 7.0f   /* however slow all agents are */

enum { CANDIDATE_SAMPLES = 1024, LOOKS_MAX = 32 };

/* ---- definitions ---- */

/* The next name of a list and its length; NULL at its end. */
static const char *next_name(const char *list, size_t *length) {
    while (*list == ' ') {
        list++;
    }
    *length = 0;
    while (list[*length] != '\0' && list[*length] != ' ') {
        (*length)++;
    }
    return *length > 0 ? list : NULL;
}

bool world_resolve_kinds(const struct world_def *def, int own, const struct behavior_def *behavior,
                         uint64_t *kinds) {
    size_t length;
    const char *name = next_name(behavior->kinds, &length);
    *kinds = name == NULL ? UINT64_C(1) << own : 0;
    for (; name != NULL; name = next_name(name + length, &length)) {
        int kind = 0;
        while (kind < def->kind_count && !(strlen(def->kinds[kind].name) == length &&
                                           memcmp(def->kinds[kind].name, name, length) == 0)) {
            kind++;
        }
        if (kind == def->kind_count) {
            return false;
        }
        *kinds |= UINT64_C(1) << kind;
    }
    return true;
}

void world_refresh_zones(const struct behavior_def *behavior, struct behavior_runtime *runtime) {
    const struct behavior_row *row = behavior_row(behavior->type);
    for (int z = 0; z < ZONE_COUNT; z++) {
        const struct zone_def *def = &behavior->zones[z];
        const float half = 0.5f * def->field_of_view;
        const bool is_round = half > 3.1415f || (row->traits & TRAIT_ALL_ROUND) != 0;
        runtime->zones[z] = (struct neighbor_zone){
            .radius = (row->zones >> z) & 1 ? def->radius : 0.0f,
            .cosine = is_round ? ALL_ROUND : trig_unit(half).x,
            .is_sharp = behavior->falloff == FALLOFF_NONE,
        };
    }
}

static bool is_about_kind(const struct target_ref *ref) {
    return ref->target[0] == '\0' && ref->kind[0] != '\0';
}

void world_note_neighbors(struct world *world, const struct kind_def *kind) {
    for (int s = 0; s < kind->state_count; s++) {
        const struct state_def *state = &kind->states[s];
        for (int b = 0; b < state->behavior_count; b++) {
            const struct behavior_def *behavior = &state->behaviors[b];
            world->has_neighbors |=
                behavior_neighbor_use((enum behavior_type)behavior->type) != NEIGHBORS_UNUSED;
            world->has_sights |= is_about_kind(&behavior->target) || is_about_kind(&behavior->second);
        }
        for (int c = 0; c < state->condition_count; c++) {
            world->has_sights |= is_about_kind(&state->conditions[c].target);
        }
    }
}

/* ---- the grid ---- */

static float larger(float a, float b) {
    return a > b ? a : b;
}

static float widest_zone(const struct behavior_runtime *runtime) {
    float widest = 0.0f;
    for (int z = 0; z < ZONE_COUNT; z++) {
        widest = larger(widest, runtime->zones[z].radius);
    }
    return widest;
}

/* How far the agents of a world look, in how many looks. */
struct looks {
    int count;
    struct {
        float radius;  /* px */
        int32_t looks; /* a tick */
    } at[LOOKS_MAX];
};

static void add_look(struct looks *looks, float radius, int32_t agents) {
    if (!(radius > 0.0f) || agents == 0) {
        return;
    }
    int i = 0;
    while (i < looks->count && looks->at[i].radius != radius) {
        i++;
    }
    if (i == LOOKS_MAX) { /* too many to tell apart: the last stands for the rest */
        i = LOOKS_MAX - 1;
        looks->at[i].radius = larger(looks->at[i].radius, radius);
    } else if (i == looks->count) {
        looks->at[looks->count++].radius = radius;
        looks->at[i].looks = 0;
    }
    looks->at[i].looks += agents;
}

/* Zones, or without any what is within sight. */
static void find_looks(const struct world *world, struct looks *looks) {
    for (int k = 0; k < world->kind_count; k++) {
        const struct kind *kind = &world->kinds[k];
        const int32_t agents = world_kind_population(world, k);
        for (int s = 0; s < kind->def.state_count; s++) {
            const struct state_def *state = &kind->def.states[s];
            for (int b = 0; b < state->behavior_count; b++) {
                const struct target_ref *target = &state->behaviors[b].target;
                add_look(looks,
                         world->has_neighbors    ? widest_zone(&kind->states[s].behaviors[b])
                         : is_about_kind(target) ? target->within
                                                 : 0.0f,
                         agents);
            }
            for (int c = 0; c < state->condition_count && !world->has_neighbors; c++) {
                const struct target_ref *target = &state->conditions[c].target;
                add_look(looks, is_about_kind(target) ? target->within : 0.0f, agents);
            }
        }
    }
}

/* What all looks cost with cells of this edge, in candidates: those of the rows of cells that a circle
 * touches, and what it takes to begin each row. */
static float cost_of(const struct looks *looks, float density, float edge) {
    float cost = 0.0f;
    for (int i = 0; i < looks->count; i++) {
        const float radius = looks->at[i].radius;
        const float rows = 1.0f + 2.0f * ceilf(radius / edge);
        const float candidates = rows * (ROW_COST + density * edge * (2.0f * radius + edge));
        cost += candidates * (float)looks->at[i].looks;
    }
    return cost;
}

/* The edge of cells: 0 without queries. Of the radii in use the one with which all queries together
 * are cheapest: a few agents with large radii must not make all others visit many candidates. */
static float cell_edge(const struct world *world) {
    if (world->agent_count == 0 || !(world->has_neighbors || world->has_sights)) {
        return 0.0f;
    }
    struct looks looks = {.count = 0};
    find_looks(world, &looks);
    const vec2 size = world->bounds.size;
    const float density = (float)world->agent_count / (size.x * size.y);
    float best = world->has_neighbors ? SMALLEST_EDGE : 0.0f, least = 0.0f;
    for (int i = 0; i < looks.count; i++) {
        const float edge = larger(looks.at[i].radius, SMALLEST_EDGE), cost = cost_of(&looks, density, edge);
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

/* The walks that cells are made for: two agents that look for each other have both drifted. */
static float widest_walk(const struct world *world, float edge) {
    return edge + 2.0f * drift_limit(world, edge);
}

static void fill_radii(void *context, int32_t begin, int32_t end) {
    struct world *world = context;
    const struct grid *grid = &world->grid;
    for (int32_t slot = begin; slot < end; slot++) {
        grid->radius[slot] = world->has_own_bodies ? world_body(world, grid->row[slot])->radius
                                                   : world->kinds[grid->kind[slot]].body.radius;
    }
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

void world_sort(struct world *world) {
    const float edge = cell_edge(world);
    world->is_sorted = edge > 0.0f;
    note_bodies(world);
    if (world->is_sorted) {
        const atomic_bool *given_up = world->grid.given_up;
        if (!world->is_creating) {
            world->grid.given_up = NULL; /* a command takes effect wholly */
        }
        grid_resort(&world->grid, &world->bounds, widest_walk(world, edge));
        world->grid.given_up = given_up;
        fill_radii(world, 0, world->agent_count);
    } else {
        world->grid.drift = 0.0f; /* no order, no drift */
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
    world->is_pure_flock = world_is_pure_flock(world);
    if (!world->is_sorted || world->keeps_order) {
        grid_advance(&world->grid, world->is_sorted ? step_of(world) : 0.0f);
    } else {
        grid_sort(&world->grid, &world->bounds, widest_walk(world, edge), parallel);
        if (!world->has_one_radius) {
            parallel->run(parallel->pool, world->agent_count, 4096, fill_radii, world);
        }
    }
}

void world_keep_headings(struct world *world) {
    for (int32_t row = 0; world->is_pure_flock && row < world->agent_count; row++) {
        world->heading[row] = world_heading(world, row);
    }
    world->is_pure_flock = false;
}

/* ---- queries of behaviours ---- */

static void query_ahead(const struct world *world, struct neighbor_query *query,
                        const struct behavior_def *behavior, const struct behavior_runtime *runtime,
                        struct steering_context *context) {
    query->heading = vec2_with_length(context->first.offset, 1.0f);
    query->core = 0.0f;
    context->ahead = neighbors_nearest(&world->grid, query, &runtime->zones[ZONE_SEPARATION]);
    const struct neighbor_zone elbows[ZONE_COUNT] = {
        [ZONE_SEPARATION] = {.radius = 2.0f * context->body->radius + behavior->clearance,
                             .cosine = ALL_ROUND}};
    context->sums = neighbors_sum(&world->grid, query, elbows);
}

/* Takes precomputed sums of the behaviour; false when there are none. */
static bool use_precomputed(const struct behavior_def *behavior, const struct precomputed_sums *precomputed,
                            struct neighbor_sums *sums) {
    for (int i = 0; precomputed != NULL && i < precomputed->count; i++) {
        if (precomputed->behavior[i] == behavior) {
            *sums = *precomputed->sums[i];
            return true;
        }
    }
    return false;
}

struct neighbor_batch world_neighbor_batch(const struct world *world, const struct kind *kind,
                                           const struct behavior_runtime *runtime) {
    const uint64_t all = world->kind_count < 64 ? (UINT64_C(1) << world->kind_count) - 1 : UINT64_MAX;
    return (struct neighbor_batch){
        .grid = &world->grid,
        .bounds = &world->bounds,
        .ids = world->id,
        .heading = world->heading,
        .course_above = world->is_pure_flock ? locomotion_hold_squared(kind->body.max_speed) : COURSE_NEVER,
        .core_radii = CORE_RADII,
        .kinds = (runtime->kinds & all) == all ? UINT64_MAX : runtime->kinds,
        .zones = runtime->zones,
    };
}

void world_query_neighbors(const struct world *world, int32_t row, const struct behavior_def *behavior,
                           const struct behavior_runtime *runtime, struct steering_context *context) {
    assert(world->is_sorted && world->grid.count == world->agent_count);
    struct neighbor_query query = {
        .bounds = &world->bounds,
        .ids = world->id,
        .slot = grid_slot(&world->grid, row),
        .heading = context->heading,
        .core = CORE_RADII * context->body->radius,
        .kinds = runtime->kinds,
        .most = (int32_t)behavior->max_neighbors,
        .log = trace_neighbors(context->trace),
    };
    switch (behavior_neighbor_use((enum behavior_type)behavior->type)) {
    case NEIGHBORS_SUMS:
        /* Precomputed sums know of no limit. */
        if (query.most > 0 || !use_precomputed(behavior, context->precomputed, &context->sums)) {
            context->sums = neighbors_sum(&world->grid, &query, runtime->zones);
        }
        break;
    case NEIGHBORS_THREATS:
        context->threats = neighbors_threats(
            &world->grid, &query, &runtime->zones[ZONE_SEPARATION],
            &(struct neighbor_space){context->body->radius, behavior->clearance, behavior->horizon});
        break;
    case NEIGHBORS_AHEAD:
        query_ahead(world, &query, behavior, runtime, context);
        break;
    case NEIGHBORS_NEAREST:
        context->nearest_count =
            neighbors_nearest_few(&world->grid, &query, &runtime->zones[ZONE_SEPARATION], context->nearest);
        break;
    case NEIGHBORS_UNUSED:
        break;
    }
}

/* All that the agent's behaviours look at. */
static int64_t candidates_of(const struct world *world, int32_t slot) {
    const int32_t row = world->grid.row[slot];
    const struct motion motion = world->grid.motion[slot];
    const struct kind *kind = &world->kinds[world->kind[row]];
    const struct state_runtime *runtime = &kind->states[world->state[row]];
    int64_t candidates = 0;
    for (int b = 0; b < kind->def.states[world->state[row]].behavior_count; b++) {
        const float radius = widest_zone(&runtime->behaviors[b]);
        if (!(radius > 0.0f)) {
            continue;
        }
        struct grid_walk walk = grid_walk_begin(&world->grid, (vec2){motion.x, motion.y}, radius);
        for (int32_t begin, end; grid_walk_next(&walk, &begin, &end);) {
            candidates += end - begin;
        }
    }
    return candidates;
}

double world_candidates(const struct world *world) {
    const int32_t stride = world->agent_count / CANDIDATE_SAMPLES + 1;
    int64_t candidates = 0, asked = 0;
    for (int32_t slot = 0; world->is_sorted && slot < world->agent_count; slot += stride) {
        candidates += candidates_of(world, slot);
        asked++;
    }
    return asked > 0 ? (double)candidates / (double)asked : 0.0;
}

static int most_frequent_kind(const struct grid *grid, int32_t begin, int32_t end) {
    int32_t count[LIMIT_KINDS] = {0};
    int most = 0;
    for (int32_t slot = begin; slot < end; slot++) {
        count[grid->kind[slot]]++;
    }
    for (int kind = 1; kind < LIMIT_KINDS; kind++) {
        most = count[kind] > count[most] ? kind : most;
    }
    return most;
}

/* The middle of the agents of a kind among some that stand close; `first` is one of them. */
static vec2 middle_of(const struct world *world, int32_t first, int32_t end) {
    const struct grid *grid = &world->grid;
    const vec2 origin = {grid->motion[first].x, grid->motion[first].y};
    double x = 0.0, y = 0.0;
    int32_t count = 0;
    for (int32_t slot = first; slot < end; slot++) {
        if (grid->kind[slot] == grid->kind[first]) {
            const vec2 there = {grid->motion[slot].x, grid->motion[slot].y};
            const vec2 offset = bounds_difference(&world->bounds, origin, there);
            x += (double)offset.x;
            y += (double)offset.y;
            count++;
        }
    }
    const vec2 middle = {origin.x + (float)(x / count), origin.y + (float)(y / count)};
    return bounds_settle(&world->bounds, middle);
}

bool world_find_clump(const struct world *world, struct world_clump *out) {
    const struct grid *grid = &world->grid;
    if (!world->is_sorted || world->agent_count == 0) {
        return false;
    }
    const int32_t cells = grid->across.cells * grid->down.cells;
    int32_t fullest = 0;
    for (int32_t cell = 1; cell < cells; cell++) {
        const int32_t count = grid->begin[cell + 1] - grid->begin[cell];
        fullest = count > grid->begin[fullest + 1] - grid->begin[fullest] ? cell : fullest;
    }
    const int32_t begin = grid->begin[fullest], end = grid->begin[fullest + 1];
    const int kind = most_frequent_kind(grid, begin, end);
    int32_t slot = begin;
    while (grid->kind[slot] != kind) {
        slot++;
    }
    const int64_t looked_at = candidates_of(world, slot);
    const int64_t candidates = looked_at > end - begin ? looked_at : end - begin;
    *out = (struct world_clump){
        .kind = kind,
        .at = middle_of(world, slot, end),
        .candidates = candidates < INT32_MAX ? (int32_t)candidates : INT32_MAX,
    };
    return true;
}
