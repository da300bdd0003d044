/* Where agents start that have a spacing, those of a new world and those that are spawned: at random, at a place where no body that
 * was there before is nearer than that. A place that is refused is drawn again from the agent's own random numbers, a bounded number
 * of times; then the first one stays.
 *
 * Every rank computes the places of all agents of a new world, so they are the same however many share it; such a world is not deferred. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/nodiscard.h"
#include "server/sim/world/world.h"
#include "server/sim/world/world_internal.h"

/** Discs in a grid of cells. Zero: nothing has a spacing. */
struct world_spacing {
    vec2 *places;    /* owned, by agent, in a new world ids less 1; px */
    float *radii;    /* owned, by agent; px */
    int32_t *behind; /* owned, by agent: the next one in its cell; -1: none */
    int32_t *cells;  /* owned: the first agent of each; -1: none */
    int32_t columns, rows;
    vec2 cell_size;
    int32_t count;       /* of agents placed */
    int32_t unspaced;    /* of these, so many found no place that keeps their spacing */
    int64_t checks_left; /* pairs that are compared at most: then places stay as they are drawn */
};

/** Room for the placements of a definition, when one has a spacing. False without memory; world_spacing_fini is due in
 * both cases. */
NODISCARD bool world_spacing_init(struct world_spacing *spacing, const struct world *world,
                                  const struct world_def *def);
void world_spacing_fini(struct world_spacing *spacing);
/** Places the agents of the next placement, which `spawn` will add, and has spawn->places say where. Nothing happens when
 * nothing has a spacing. */
void world_spacing_place(struct world_spacing *spacing, const struct world *world,
                         const struct placement_def *placement, struct spawn_def *spawn);

/* ---- clump ---- */

/* Where agents are crowded, and how many candidates their queries visit. */

enum { CANDIDATE_SAMPLES = 1024 };

/* How many candidates the queries of an agent visit. */
static int64_t candidates_of(const struct world *world, int32_t slot) {
    const int32_t row = world->grid.row[slot];
    const struct motion motion = world->grid.motion[slot];
    const struct kind *kind = &world->kinds[world->kind[row]];
    const int state = world->state[world->is_pure_flock ? row : slot]; /* without the lookup */
    const struct state_runtime *runtime = &kind->states[state];
    int64_t candidates = 0;
    for (int b = 0; b < kind->def.states[state].behavior_count; b++) {
        const float radius = world_widest_zone(&runtime->behaviors[b]);
        if (!(radius > 0.0f)) {
            continue;
        }
        struct grid_walk walk;
        grid_walk_begin(&walk, &world->grid, vec2_make(motion.x, motion.y), radius);
        for (int32_t begin, end; grid_walk_next(&walk, &begin, &end);) {
            candidates += end - begin;
        }
    }
    return candidates;
}

double world_candidates(const struct world *world) {
    const struct world_slots own = world_own_slots(world);
    const int32_t stride = (own.end - own.begin) / CANDIDATE_SAMPLES + 1;
    int64_t candidates = 0, samples = 0;
    for (int32_t slot = own.begin; world->is_sorted && slot < own.end; slot += stride) {
        candidates += candidates_of(world, slot);
        samples++;
    }
    return samples > 0 ? (double)candidates / (double)samples : 0.0;
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
    assert(world_is_consistent(world));
    const struct grid *grid = &world->grid;
    const struct world_slots own = world_own_slots(world);
    if (!world->is_sorted || own.begin == own.end) {
        return false;
    }
    const struct world_window window = world_window(world);
    const int32_t first = window.first_row * grid->across.cells;
    int32_t fullest = first;
    for (int32_t cell = first; cell < window.end_row * grid->across.cells; cell++) {
        const int32_t count = grid->begin[cell + 1] - grid->begin[cell];
        fullest = count > grid->begin[fullest + 1] - grid->begin[fullest] ? cell : fullest;
    }
    const int32_t begin = grid->begin[fullest], end = grid->begin[fullest + 1];
    const int kind = most_frequent_kind(grid, begin, end);
    assert(end > begin && kind < world->kind_count);
    int32_t slot = begin;
    while (grid->kind[slot] != kind) {
        slot++;
    }
    const int64_t visited = candidates_of(world, slot);
    const int64_t candidates = visited > end - begin ? visited : end - begin;
    *out = (struct world_clump){
        .kind = kind,
        .at = middle_of(world, slot, end),
        .candidates = candidates < INT32_MAX ? (int32_t)candidates : INT32_MAX,
    };
    return true;
}

/* ---- spacing ---- */

enum { TRIES = 64, CELLS_ACROSS = 1024, CHECKS_EACH = 4096 };

static float larger(float a, float b) {
    return a > b ? a : b;
}

/* A whole number of `most` at most, and `least` at least. */
static int32_t whole_within(float value, int32_t least, int32_t most) {
    return value <= (float)least ? least : value >= (float)most ? most : (int32_t)value;
}

/* Room for so many agents, in cells as wide as two of the largest bodies are apart that just keep the largest spacing. */
static bool lay_out(struct world_spacing *spacing, const struct world *world, size_t agents, float radius,
                    float gap) {
    const float wide = larger(2.0f * radius + gap, 1.0f);
    const vec2 size = world->bounds.size;
    spacing->columns = whole_within(size.x / wide, 1, CELLS_ACROSS);
    spacing->rows = whole_within(size.y / wide, 1, CELLS_ACROSS);
    spacing->cell_size = vec2_make(size.x / (float)spacing->columns, size.y / (float)spacing->rows);
    const int32_t cells = spacing->columns * spacing->rows;
    spacing->checks_left = (int64_t)agents * CHECKS_EACH;
    spacing->places = calloc(agents, sizeof *spacing->places);
    spacing->radii = calloc(agents, sizeof *spacing->radii);
    spacing->behind = calloc(agents, sizeof *spacing->behind);
    spacing->cells = malloc((size_t)cells * sizeof *spacing->cells);
    for (int32_t cell = 0; cell < cells && spacing->cells != NULL; cell++) {
        spacing->cells[cell] = -1;
    }
    return spacing->places != NULL && spacing->radii != NULL && spacing->behind != NULL &&
           spacing->cells != NULL;
}

bool world_spacing_init(struct world_spacing *spacing, const struct world *world,
                        const struct world_def *def) {
    size_t agents = 0;
    bool is_needed = false;
    float radius = 0.0f, gap = 0.0f;
    *spacing = (struct world_spacing){0};
    for (int i = 0; i < def->placement_count; i++) {
        const int kind = world_find_kind(world, def->placements[i].kind);
        radius = kind < 0 ? radius : larger(radius, world->kinds[kind].def.body.radius.high);
        gap = larger(gap, def->placements[i].spacing);
        agents += def->placements[i].count;
        is_needed = is_needed || def->placements[i].has_spacing;
    }
    return !is_needed || lay_out(spacing, world, agents, radius, gap);
}

void world_spacing_fini(struct world_spacing *spacing) {
    free(spacing->places);
    free(spacing->radii);
    free(spacing->behind);
    free(spacing->cells);
    *spacing = (struct world_spacing){0};
}

/* In an open world what lies outside counts to the cells at the border. */
static int32_t index_of(float at, float cell, int32_t count) {
    return whole_within(at / cell, 0, count - 1);
}

/* The neighbor of an index, around the world where that wraps; -1: there is none. */
static int32_t beside(int32_t index, int32_t step, int32_t count, bool wraps) {
    const int32_t other = index + step;
    return wraps ? (other + count) % count : other < count ? other : -1;
}

/* Whether no body of a cell is nearer than `gap`. */
static bool is_clear(struct world_spacing *spacing, const struct bounds *bounds, int32_t cell, vec2 place,
                     float radius, float gap) {
    for (int32_t other = spacing->cells[cell]; other >= 0; other = spacing->behind[other]) {
        const vec2 between = bounds_difference(bounds, place, spacing->places[other]);
        const float least = radius + spacing->radii[other] + gap;
        if (spacing->checks_left-- <= 0 || vec2_length_squared(between) < least * least) {
            return false;
        }
    }
    return true;
}

static bool is_free(struct world_spacing *spacing, const struct bounds *bounds, vec2 place, float radius,
                    float gap) {
    const int32_t column = index_of(place.x, spacing->cell_size.x, spacing->columns),
                  row = index_of(place.y, spacing->cell_size.y, spacing->rows);
    const bool wraps = bounds->edge == EDGE_WRAP;
    for (int32_t down = -1; down <= 1; down++) {
        for (int32_t across = -1; across <= 1; across++) {
            const int32_t x = beside(column, across, spacing->columns, wraps),
                          y = beside(row, down, spacing->rows, wraps);
            if (x >= 0 && y >= 0 &&
                !is_clear(spacing, bounds, y * spacing->columns + x, place, radius, gap)) {
                return false;
            }
        }
    }
    return true;
}

static void put(struct world_spacing *spacing, vec2 place, float radius) {
    const int32_t agent = spacing->count++;
    const int32_t cell = index_of(place.y, spacing->cell_size.y, spacing->rows) * spacing->columns +
                         index_of(place.x, spacing->cell_size.x, spacing->columns);
    spacing->places[agent] = place;
    spacing->radii[agent] = radius;
    spacing->behind[agent] = spacing->cells[cell];
    spacing->cells[cell] = agent;
}

static void place_one(struct world_spacing *spacing, const struct world *world, const struct spawn_def *spawn,
                      uint32_t id, bool has_spacing, float gap) {
    struct rng rng = rng_begin(world->seed, world->tick, id, RNG_SPAWN_PLACE);
    const float radius = world_new_radius(world, spawn->kind, id);
    const vec2 first = world_draw_place(world, spawn, radius, &rng);
    vec2 place = first;
    bool is_kept = !has_spacing;
    for (int i = 0; i < TRIES && !is_kept; i++) {
        place = i == 0 ? first : world_draw_place(world, spawn, radius, &rng);
        is_kept = is_free(spacing, &world->bounds, place, radius, gap);
    }
    spacing->unspaced += !is_kept;
    put(spacing, is_kept ? place : first, radius);
}

void world_spacing_place(struct world_spacing *spacing, const struct world *world,
                         const struct placement_def *placement, struct spawn_def *spawn) {
    for (uint32_t i = 0; i < spawn->count && spacing->places != NULL && !world_is_given_up(world); i++) {
        place_one(spacing, world, spawn, (uint32_t)spacing->count + 1, placement->has_spacing,
                  placement->spacing);
    }
    spawn->places = spacing->places;
    spawn->first_place = 1;
}

enum world_result world_spawn_spaced(struct world *world, const struct spawn_def *spawn, float gap,
                                     uint32_t *first_id, int32_t *unspaced) {
    assert(!world_is_partial(world));
    const int32_t there = world->agent_count;
    if (spawn->count > (uint32_t)(world->max_agents - there)) {
        return WORLD_FULL;
    }
    struct world_spacing spacing = {0};
    float radius = world->kinds[spawn->kind].def.body.radius.high;
    for (int32_t row = 0; row < there; row++) {
        radius = larger(radius, world_body(world, row)->radius);
    }
    enum world_result result = WORLD_NO_MEMORY;
    if (lay_out(&spacing, world, (size_t)there + spawn->count, radius, gap)) {
        for (int32_t row = 0; row < there; row++) {
            put(&spacing, world_agent(world, row).position, world_body(world, row)->radius);
        }
        for (uint32_t i = 0; i < spawn->count; i++) {
            place_one(&spacing, world, spawn, world->next_id + i, true, gap);
        }
        struct spawn_def spaced = *spawn;
        spaced.places = spacing.places + there;
        spaced.first_place = world->next_id;
        result = world_spawn(world, &spaced, first_id);
    }
    *unspaced = spacing.unspaced;
    world_spacing_fini(&spacing);
    return result;
}

/* ---- create ---- */

/* Worlds begin and end: a world is built from its definition, its agents are placed. */

static void build_targets(const struct world_def *def, struct world *world) {
    world->target_count = def->target_count;
    for (int i = 0; i < def->target_count; i++) {
        world->targets[i] = def->targets[i];
        world->targets[i].at = bounds_settle(&world->bounds, def->targets[i].at);
    }
}

/* False: a goal's name is neither an area's nor a target's. */
static bool build_ways(struct world *world) {
    const struct geometry_def *def = &world->scenery.def;
    for (int i = 0; i < def->flow_count; i++) {
        for (int g = 0; g < def->flows[i].goal_count; g++) {
            const char *name = def->flows[i].goals[g].name;
            const int target = world_find_target(world, name);
            if (geometry_def_find_area(def, name) >= 0) {
                continue;
            }
            if (target < 0) {
                return false;
            }
            world->targets[target].is_goal = true;
        }
    }
    world_lead_ways(world, true);
    return true;
}

static const char unknown_kind[] = "a placement names an unknown kind; allowed: those of the definition";

/* Room for all of them at once. */
static enum world_result make_room(const struct world_def *def, struct world *world) {
    int64_t total = 0;
    for (int i = 0; i < def->placement_count; i++) {
        total += def->placements[i].count;
    }
    if (total > world->max_agents) {
        return WORLD_FULL;
    }
    return world_all_ranks(world, world_reserve(world, (int32_t)total) == 0) ? WORLD_OK : WORLD_NO_MEMORY;
}

struct spawn_def world_spawn_of(const struct placement_def *placement) {
    return (struct spawn_def){
        .kind = -1,
        .count = placement->count,
        .shape = placement->shape,
        .at = placement->at,
        .size = placement->size,
        .radius = placement->radius,
        .velocity = placement->velocity,
        .has_heading = placement->has_heading,
        .heading = placement->heading,
    };
}

static enum world_result place_all(const struct world_def *def, struct world *world,
                                   struct world_spacing *spacing, const char **what) {
    for (int i = 0; i < def->placement_count; i++) {
        const struct placement_def *placement = &def->placements[i];
        struct spawn_def spawn = world_spawn_of(placement);
        spawn.kind = world_find_kind(world, placement->kind);
        if (spawn.kind < 0) {
            *what = unknown_kind;
            return WORLD_BAD_DEF;
        }
        world_spacing_place(spacing, world, placement, &spawn);
        uint32_t first_id;
        const enum world_result result = world_spawn(world, &spawn, &first_id);
        if (result != WORLD_OK) {
            return result;
        }
    }
    return WORLD_OK;
}

static enum world_result place_agents(const struct world_def *def, struct world *world, const char **what) {
    const enum world_result room = make_room(def, world);
    if (room != WORLD_OK) {
        return room;
    }
    struct world_spacing spacing;
    const bool has_room = world_spacing_init(&spacing, world, def);
    const enum world_result result =
        world_all_ranks(world, has_room) ? place_all(def, world, &spacing, what) : WORLD_NO_MEMORY;
    if (def->unspaced != NULL) {
        *def->unspaced = spacing.unspaced;
    }
    world_spacing_fini(&spacing);
    return result;
}

static bool is_sane_source(const struct world_def *def, const struct source_def *source) {
    return source->kind >= 0 && source->kind < def->kind_count && source->area >= 0 &&
           source->area < def->geometry.area_count && source->burst >= 1 && source->rate > 0.0f &&
           source->rate <= (float)LIMIT_SOURCE_RATE && source->from >= 0.0f && source->until >= 0.0f;
}

/* Whether sources and sinks are of kinds and areas that there are. */
static bool are_sane(const struct world_def *def) {
    bool are = def->source_count >= 0 && def->source_count <= LIMIT_SOURCES && def->sink_count >= 0 &&
               def->sink_count <= LIMIT_SINKS;
    for (int i = 0; are && i < def->source_count; i++) {
        are = is_sane_source(def, &def->sources[i]);
    }
    for (int i = 0; are && i < def->sink_count; i++) {
        are = def->sinks[i].area >= 0 && def->sinks[i].area < def->geometry.area_count;
    }
    return are;
}

/* Whether formations have places, for kinds that there are. */
static bool can_form(const struct world_def *def) {
    bool can = def->formation_count >= 0 && def->formation_count <= LIMIT_FORMATIONS;
    for (int f = 0; can && f < def->formation_count; f++) {
        const struct formation_def *formation = &def->formations[f];
        can = formation->place_count >= 1 && formation->place_count <= LIMIT_FORMATION_PLACES;
        for (int i = 0; can && i < formation->place_count; i++) {
            can = formation->places[i].kind >= -1 && formation->places[i].kind < def->kind_count;
        }
    }
    return can;
}

bool world_def_is_sane(const struct world_def *def, const char **what) {
    *what = "size or tick_hz is out of range; allowed: 1 to LIMIT_WORLD_SIZE px, 1 to LIMIT_TICK_HZ";
    if (!(def->size.x >= 1.0f && def->size.x <= (float)LIMIT_WORLD_SIZE && def->size.y >= 1.0f &&
          def->size.y <= (float)LIMIT_WORLD_SIZE && def->tick_hz >= 1.0 && def->tick_hz <= LIMIT_TICK_HZ)) {
        return false;
    }
    const char *fault = geometry_def_fault(&def->geometry, def->edge == EDGE_WRAP, def->size);
    if (fault != NULL) {
        *what = fault;
        return false;
    }
    *what = "a source or sink is of no kind or area, or out of range; allowed: indices of the definition";
    if (!are_sane(def)) {
        return false;
    }
    *what = "a formation has no places, too many, or one for an unknown kind; allowed: 1 to "
            "LIMIT_FORMATION_PLACES, for kinds of the definition";
    if (!can_form(def)) {
        return false;
    }
    *what = "max_agents is out of range; allowed: 1 to LIMIT_AGENTS";
    if (def->max_agents < 1 || def->max_agents > LIMIT_AGENTS) {
        return false;
    }
    *what = "too many kinds, targets or placements; allowed: LIMIT_KINDS, LIMIT_TARGETS, LIMIT_PLACEMENTS";
    return def->kind_count >= 0 && def->kind_count <= LIMIT_KINDS && def->target_count >= 0 &&
           def->target_count <= LIMIT_TARGETS && def->placement_count >= 0 &&
           def->placement_count <= LIMIT_PLACEMENTS;
}

static void build_turnover(const struct world_def *def, struct turnover *turnover) {
    const int32_t usual = def->max_agents < LIMIT_AGENTS_USUAL ? def->max_agents : LIMIT_AGENTS_USUAL;
    turnover->source_count = def->source_count;
    turnover->sink_count = def->sink_count;
    memcpy(turnover->sources, def->sources, sizeof turnover->sources);
    memcpy(turnover->sinks, def->sinks, sizeof turnover->sinks);
    turnover->limit = def->source_limit > 0 ? def->source_limit : usual;
}

enum world_result world_build(struct world *world, const struct world_def *def, const char **what) {
    world->bounds = (struct bounds){def->size, (enum edge)def->edge};
    world->tick_hz = def->tick_hz;
    world->dt = (float)(1.0 / def->tick_hz);
    world->meter = def->meter;
    world->seed = def->seed;
    world->next_id = 1;
    world->max_agents = def->max_agents;
    world->simd = simd_best();
    world_allow_giving_up(world, def->exchange == NULL ? def->given_up : NULL);
    build_targets(def, world);
    build_turnover(def, &world->turnover);
    world->formation_count = def->formation_count;
    for (int i = 0; i < def->formation_count; i++) {
        world->formations[i].def = def->formations[i];
    }
    if (scenery_init(&world->scenery, &def->geometry, &world->bounds) != 0) {
        return WORLD_NO_MEMORY;
    }
    scenery_place_movers(&world->scenery, &world->bounds, world->tick_hz, 0);
    for (int i = 0; i < def->geometry.area_count; i++) {
        world->has_slow_areas |= def->geometry.areas[i].speed < 1.0f;
    }
    if (!build_ways(world)) {
        *what = "a way leads to an unknown name; allowed: the areas and targets of the definition";
        return WORLD_BAD_DEF;
    }
    return world_build_kinds(world, def, what);
}

static void number_obstacles(struct world *world) {
    for (int i = 0; i < world->scenery.def.obstacle_count; i++) {
        world->scenery.def.obstacles[i].id = (uint32_t)i + 1;
    }
    world->next_obstacle = (uint32_t)world->scenery.def.obstacle_count + 1;
}

/* Whether all that the new agents do is to flock, and ranks have shares of them. */
static bool will_flock(const struct world *world, const struct world_def *def) {
    bool will = world_is_partial(world) && world->agent_count == 0;
    for (int i = 0; will && i < def->placement_count; i++) {
        const int k = world_find_kind(world, def->placements[i].kind);
        will = k >= 0 && world_kind_flocks(world, &world->kinds[k]) && !world->kinds[k].draws_body;
    }
    return will;
}

/* Where the new agents face that are here, which lie where they belong. */
static void give_headings(const struct world *world, const struct world_def *def) {
    int32_t ends[LIMIT_PLACEMENTS], end = 0; /* rows */
    for (int i = 0; i < def->placement_count; i++) {
        ends[i] = end += (int32_t)def->placements[i].count;
    }
    for (int32_t slot = 0; slot < world->grid.count; slot++) {
        const int32_t row = world->grid.row[slot];
        int low = 0, high = def->placement_count - 1;
        while (low < high) { /* the first that ends behind the row */
            const int middle = low + (high - low) / 2;
            if (ends[middle] > row) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        const struct spawn_def spawn = world_spawn_of(&def->placements[low]);
        world->heading[slot] = world_new_heading(world, &spawn, world->id[row]);
    }
}

/* All that new agents of a flock have by slot is their headings, which follow from their ids: they do not go from rank to rank, nor from
 * slot to slot, so that sorting needs neither a second column of them nor the lookup, which has an entry for every agent of the world. */
static void sort_new(struct world *world, const struct world_def *def) {
    world->is_pure_flock = world->lacks_headings && !world->has_memories;
    world_sort(world);
    if (world->lacks_headings) {
        world->is_pure_flock = world->lacks_headings = false;
        give_headings(world, def);
    }
}

static enum world_result populate(struct world *world, const struct world_def *def, const char **what) {
    world->is_creating = true;
    world->lacks_headings = will_flock(world, def);
    const enum world_result result = place_agents(def, world, what);
    if (result == WORLD_OK && !world_is_given_up(world)) {
        world_group_kinds(world);
        sort_new(world, def);
    }
    world->is_creating = false;
    return result == WORLD_OK && world_is_given_up(world) ? WORLD_GIVEN_UP : result;
}

/* ---- deferred ---- */

bool world_def_may_wait(const struct world_def *def) {
    bool may = def->is_deferred && def->placement_count > 0;
    for (int i = 0; may && i < def->placement_count; i++) {
        may = !def->placements[i].has_spacing;
    }
    return may;
}

/* Takes down the placements. Their kinds and numbers are as they have to be: nothing but memory lacks later. */
static enum world_result defer(struct world *world, const struct world_def *def, const char **what) {
    const size_t bytes = sizeof *world->pending * (size_t)def->placement_count;
    int64_t total = 0;
    for (int i = 0; i < def->placement_count; i++) {
        total += def->placements[i].count;
        if (world_find_kind(world, def->placements[i].kind) < 0) {
            *what = unknown_kind;
            return WORLD_BAD_DEF;
        }
    }
    if (total > world->max_agents) {
        return WORLD_FULL;
    }
    world->pending = malloc(bytes);
    if (world->pending == NULL) {
        return WORLD_NO_MEMORY;
    }
    memcpy(world->pending, def->placements, bytes);
    world->pending_count = def->placement_count;
    return WORLD_OK;
}

/* Gives back what the lookup takes until it is brought up to date again. Without memory nothing happens. */
static void empty_lookup(struct grid *grid) {
    const size_t slots = (size_t)grid->capacity + GRID_SPARE;
    int32_t *fresh = grid->lookup != NULL ? calloc(slots, sizeof *grid->lookup->slot) : NULL;
    if (fresh != NULL) {
        free(grid->lookup->slot);
        grid->lookup->slot = fresh;
        grid->lookup->is_fresh = false;
    }
}

int world_populate(struct world *world, const struct exchange *exchange) {
    struct world_def def = {.placements = world->pending, .placement_count = world->pending_count};
    const char *what;
    if (world_join(world, exchange) != 0) {
        return -1;
    }
    world->pending = NULL;
    world->pending_count = 0;
    const enum world_result result = def.placement_count > 0 ? populate(world, &def, &what) : WORLD_OK;
    free(def.placements);
    if (world_flocks(world)) {
        empty_lookup(&world->grid); /* ticks of a flock do not use it */
    }
    world_give_back_scratch(world);
    return result == WORLD_OK ? 0 : -1;
}

enum world_result world_create(const struct world_def *def, struct world **out, const char **what) {
    assert(def != NULL && out != NULL);
    const char *ignored;
    const char **reason = what != NULL ? what : &ignored;
    *reason = "";
    if (!world_def_is_sane(def, reason)) {
        return WORLD_BAD_DEF;
    }
    struct world *world = calloc(1, sizeof *world);
    if (world == NULL) {
        return WORLD_NO_MEMORY;
    }
    enum world_result result = world_build(world, def, reason);
    if (result == WORLD_OK) {
        number_obstacles(world);
        /* In stripes no rank ever has what lies by slot of all agents. */
        result = world_def_may_wait(def)                 ? defer(world, def, reason)
                 : world_join(world, def->exchange) == 0 ? populate(world, def, reason)
                                                         : WORLD_NO_MEMORY;
    }
    if (result != WORLD_OK) {
        world_destroy(world);
        return result;
    }
    assert(world_is_consistent(world) && world->next_id == (uint32_t)world->agent_count + 1);
    *out = world;
    return WORLD_OK;
}

void world_destroy(struct world *world) {
    if (world == NULL) {
        return;
    }
    world_stripes_fini(world);
    scenery_fini(&world->scenery);
    free(world->kinds);
    free(world->pending);
#define FREE_ARRAY(type, name) free(world->name);
#define FREE_COLUMN(number, type, name, initial, saved, hashed, by, copied)                                  \
    WORLD_ARRAYS_##by(FREE_ARRAY, type, name)
    WORLD_COLUMNS(FREE_COLUMN)
#undef FREE_COLUMN
#undef FREE_ARRAY
    grid_fini(&world->grid);
    sight_index_fini(&world->sights);
    free(world);
}
