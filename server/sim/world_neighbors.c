/* Neighbours in the world: when the grid is sorted, which kinds and zones a behaviour looks at, and what it
 * is told. */
#include <assert.h>
#include <string.h>

#include "server/sim/locomotion.h"
#include "server/sim/trig.h"
#include "server/sim/world_internal.h"

#define CORE_RADII    3.0f  /* body radii within which everything is noticed (OpenSteer) */
#define ALL_ROUND     -2.0f /* no cosine is less */
#define SMALLEST_EDGE 1.0f  /* px */

enum { CANDIDATE_SAMPLES = 1024 };

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

/* Whether a type uses a zone. */
static bool uses_zone(int type, int zone) {
    switch (type) {
    case BEHAVIOR_FLOCK:
        return true;
    case BEHAVIOR_ALIGNMENT:
        return zone == ZONE_ALIGNMENT;
    case BEHAVIOR_COHESION:
        return zone == ZONE_COHESION;
    default:
        return zone == ZONE_SEPARATION;
    }
}

void world_refresh_zones(const struct behavior_def *behavior, struct behavior_runtime *runtime) {
    for (int z = 0; z < ZONE_COUNT; z++) {
        const struct zone_def *def = &behavior->zones[z];
        const float half = 0.5f * def->field_of_view;
        const bool is_round =
            half > 3.1415f || behavior->type == BEHAVIOR_FOLLOW_LEADER || behavior->type == BEHAVIOR_ORCA;
        runtime->zones[z] = (struct neighbor_zone){
            .radius = uses_zone(behavior->type, z) ? def->radius : 0.0f,
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

/* The widest zone, or without any the widest `within`. */
static float widest_look(const struct world *world) {
    float zone = 0.0f, within = 0.0f;
    for (int k = 0; k < world->kind_count; k++) {
        const struct kind *kind = &world->kinds[k];
        for (int s = 0; s < kind->def.state_count; s++) {
            const struct state_def *state = &kind->def.states[s];
            for (int b = 0; b < state->behavior_count; b++) {
                zone = larger(zone, widest_zone(&kind->states[s].behaviors[b]));
                within = larger(within, is_about_kind(&state->behaviors[b].target)
                                            ? state->behaviors[b].target.within
                                            : 0.0f);
            }
            for (int c = 0; c < state->condition_count; c++) {
                within = larger(within, is_about_kind(&state->conditions[c].target)
                                            ? state->conditions[c].target.within
                                            : 0.0f);
            }
        }
    }
    return world->has_neighbors ? larger(zone, SMALLEST_EDGE) : within;
}

/* The edge of cells: 0 when nobody asks. */
static float cell_edge(const struct world *world) {
    const bool is_asked = world->has_neighbors || world->has_sights;
    return is_asked && world->agent_count > 0 ? widest_look(world) : 0.0f;
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
        grid_resort(&world->grid, &world->bounds, edge);
        fill_radii(world, 0, world->agent_count);
    }
}

void world_advance(struct world *world, const struct parallel *parallel) {
    const float edge = cell_edge(world);
    world->is_sorted = edge > 0.0f;
    if (!world->is_fluid) {
        vec2 *heading = world->next_heading;
        world->next_heading = world->heading;
        world->heading = heading;
    }
    if (!world->is_sorted) {
        grid_advance(&world->grid);
    } else {
        grid_sort(&world->grid, &world->bounds, edge, parallel);
        if (!world->has_one_radius) {
            parallel->run(parallel->pool, world->agent_count, 4096, fill_radii, world);
        }
    }
    world->is_fluid = world_is_fluid(world);
}

void world_keep_headings(struct world *world) {
    for (int32_t row = 0; world->is_fluid && row < world->agent_count; row++) {
        world->heading[row] = world_heading(world, row);
    }
    world->is_fluid = false;
}

/* ---- what a behaviour is told ---- */

static void feel_ahead(const struct world *world, struct neighbor_query *query,
                       const struct behavior_def *behavior, const struct behavior_runtime *runtime,
                       struct senses *senses) {
    query->heading = vec2_with_length(senses->first.offset, 1.0f);
    query->core = 0.0f;
    senses->ahead = neighbors_nearest(&world->grid, query, &runtime->zones[ZONE_SEPARATION]);
    const struct neighbor_zone elbows[ZONE_COUNT] = {
        [ZONE_SEPARATION] = {.radius = 2.0f * senses->body->radius + behavior->clearance,
                             .cosine = ALL_ROUND}};
    senses->sums = neighbors_sum(&world->grid, query, elbows);
}

/* Sums that were found beforehand. */
static bool recall(const struct behavior_def *behavior, const struct foreseen *foreseen,
                   struct neighbor_sums *sums) {
    for (int i = 0; foreseen != NULL && i < foreseen->count; i++) {
        if (foreseen->behavior[i] == behavior) {
            *sums = *foreseen->sums[i];
            return true;
        }
    }
    return false;
}

struct neighbor_crowd world_crowd(const struct world *world, const struct kind *kind,
                                  const struct behavior_runtime *runtime) {
    const uint64_t all = world->kind_count < 64 ? (UINT64_C(1) << world->kind_count) - 1 : UINT64_MAX;
    return (struct neighbor_crowd){
        .grid = &world->grid,
        .bounds = &world->bounds,
        .ids = world->id,
        .heading = world->heading,
        .course_above = world->is_fluid ? locomotion_hold_squared(kind->body.max_speed) : COURSE_NEVER,
        .core_radii = CORE_RADII,
        .kinds = (runtime->kinds & all) == all ? UINT64_MAX : runtime->kinds,
        .zones = runtime->zones,
    };
}

void world_feel(const struct world *world, int32_t row, const struct behavior_def *behavior,
                const struct behavior_runtime *runtime, struct senses *senses) {
    assert(world->is_sorted && world->grid.count == world->agent_count);
    struct neighbor_query query = {
        .bounds = &world->bounds,
        .ids = world->id,
        .slot = grid_slot(&world->grid, row),
        .heading = senses->heading,
        .core = CORE_RADII * senses->body->radius,
        .kinds = runtime->kinds,
        .most = (int32_t)behavior->max_neighbors,
        .trace = senses->trace,
    };
    switch (behavior_neighbor_use((enum behavior_type)behavior->type)) {
    case NEIGHBORS_SUMS:
        /* Who foresees knows of no limit. */
        if (query.most > 0 || !recall(behavior, senses->foreseen, &senses->sums)) {
            senses->sums = neighbors_sum(&world->grid, &query, runtime->zones);
        }
        break;
    case NEIGHBORS_THREATS:
        senses->threats = neighbors_threats(
            &world->grid, &query, &runtime->zones[ZONE_SEPARATION],
            &(struct neighbor_space){senses->body->radius, behavior->clearance, behavior->horizon});
        break;
    case NEIGHBORS_AHEAD:
        feel_ahead(world, &query, behavior, runtime, senses);
        break;
    case NEIGHBORS_NEAREST:
        senses->nearest_count =
            neighbors_nearest_few(&world->grid, &query, &runtime->zones[ZONE_SEPARATION], senses->nearest);
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
