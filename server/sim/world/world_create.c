/* Worlds begin and end: a world is built from its definition, its agents are placed. */
#include <assert.h>
#include <stdlib.h>

#include "server/sim/world/world_internal.h"
#include "server/sim/world/world_spacing.h"

static void build_targets(const struct world_def *def, struct world *world) {
    world->target_count = def->target_count;
    for (int i = 0; i < def->target_count; i++) {
        world->targets[i] = def->targets[i];
        world->targets[i].at = bounds_settle(&world->bounds, def->targets[i].at);
    }
}

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

static enum world_result place_all(const struct world_def *def, struct world *world,
                                   struct world_spacing *spacing, const char **what) {
    for (int i = 0; i < def->placement_count; i++) {
        const struct placement_def *placement = &def->placements[i];
        struct spawn_def spawn = {
            .kind = world_find_kind(world, placement->kind),
            .count = placement->count,
            .shape = placement->shape,
            .at = placement->at,
            .size = placement->size,
            .radius = placement->radius,
            .velocity = placement->velocity,
            .has_heading = placement->has_heading,
            .heading = placement->heading,
        };
        if (spawn.kind < 0) {
            *what = "a placement names an unknown kind; allowed: those of the definition";
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
    *what = "max_agents is out of range; allowed: 1 to LIMIT_AGENTS";
    if (def->max_agents < 1 || def->max_agents > LIMIT_AGENTS) {
        return false;
    }
    *what = "too many kinds, targets or placements; allowed: LIMIT_KINDS, LIMIT_TARGETS, LIMIT_PLACEMENTS";
    return def->kind_count >= 0 && def->kind_count <= LIMIT_KINDS && def->target_count >= 0 &&
           def->target_count <= LIMIT_TARGETS && def->placement_count >= 0 &&
           def->placement_count <= LIMIT_PLACEMENTS;
}

enum world_result world_build(struct world *world, const struct world_def *def, const char **what) {
    world->bounds = (struct bounds){def->size, (enum edge)def->edge};
    world->tick_hz = def->tick_hz;
    world->dt = (float)(1.0 / def->tick_hz);
    world->seed = def->seed;
    world->next_id = 1;
    world->max_agents = def->max_agents;
    world->simd = simd_best();
    world_let_give_up(world, def->exchange == NULL ? def->given_up : NULL);
    build_targets(def, world);
    if (scenery_init(&world->scenery, &def->geometry, &world->bounds) != 0) {
        return WORLD_NO_MEMORY;
    }
    return world_build_kinds(world, def, what);
}

static void number_obstacles(struct world *world) {
    for (int i = 0; i < world->scenery.def.obstacle_count; i++) {
        world->scenery.def.obstacles[i].id = (uint32_t)i + 1;
    }
    world->next_obstacle = (uint32_t)world->scenery.def.obstacle_count + 1;
}

static enum world_result populate(struct world *world, const struct world_def *def, const char **what) {
    world->is_creating = true;
    const enum world_result result = place_agents(def, world, what);
    if (result == WORLD_OK && !world_is_given_up(world)) {
        world_group_kinds(world);
        world_sort(world);
    }
    world->is_creating = false;
    return result == WORLD_OK && world_is_given_up(world) ? WORLD_GIVEN_UP : result;
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
        result = world_join(world, def->exchange) == 0 ? populate(world, def, reason) : WORLD_NO_MEMORY;
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
