/* What changes in a running world besides its agents: targets and obstacles that come and go, between ticks.
 *
 * Obstacles have ids, which are never used twice; agents remember solids by index, so every change
 * renumbers the indices. Each change builds the lookup of solids again; when that fails nothing has changed.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/world/world_internal.h"

/* ---- every reference of every kind ---- */

typedef bool visit(struct ref_runtime *runtime, const struct target_ref *ref, const void *context);

/* Calls the function for each reference of a kind until it returns true. */
static bool visit_refs(struct kind *kind, visit *function, const void *context) {
    for (int s = 0; s < kind->def.state_count; s++) {
        const struct state_def *state = &kind->def.states[s];
        struct state_runtime *runtime = &kind->states[s];
        for (int b = 0; b < state->behavior_count; b++) {
            if (function(&runtime->behaviors[b].target, &state->behaviors[b].target, context) ||
                function(&runtime->behaviors[b].second, &state->behaviors[b].second, context)) {
                return true;
            }
        }
        for (int c = 0; c < state->condition_count; c++) {
            if (function(&runtime->conditions[c], &state->conditions[c].target, context)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_about_target(struct ref_runtime *runtime, const struct target_ref *ref, const void *context) {
    const int *target = context;
    (void)ref;
    return runtime->mode == REF_TARGET && runtime->index == *target;
}

/* The targets behind the one that goes move up. */
static bool move_up(struct ref_runtime *runtime, const struct target_ref *ref, const void *context) {
    const int *target = context;
    (void)ref;
    runtime->index -= runtime->mode == REF_TARGET && runtime->index > *target;
    return false;
}

static bool wants_set(struct ref_runtime *runtime, const struct target_ref *ref, const void *context) {
    const char *beginning = context;
    const size_t length = strlen(beginning), known = (size_t)(runtime->index > 0 ? runtime->index : 0);
    return runtime->mode == REF_PREFIX && known + 1 >= length &&
           strncmp(ref->target, beginning, known < length ? known : length) == 0;
}

bool world_wants_targets(const struct world *world, const char *beginning) {
    for (int k = 0; k < world->kind_count; k++) {
        if (visit_refs(&world->kinds[k], wants_set, beginning)) {
            return true;
        }
    }
    return false;
}

/* ---- targets ---- */

enum world_result world_add_target(struct world *world, const char *name, vec2 at) {
    assert(name[0] != '\0' && strlen(name) <= LIMIT_NAME_CHARS);
    if (world_find_target(world, name) >= 0) {
        return WORLD_EXISTS;
    }
    if (world->target_count == LIMIT_TARGETS) {
        return WORLD_FULL;
    }
    struct target_def *target = &world->targets[world->target_count++];
    *target = (struct target_def){.at = bounds_settle(&world->bounds, at), .is_live = true};
    memcpy(target->name, name, strlen(name) + 1);
    return WORLD_OK;
}

static void forget_target(struct aim *aim, int target) {
    if (aim->mode == AIM_TARGET && aim->target == target) {
        *aim = (struct aim){.mode = AIM_BEHAVIOR};
    } else if (aim->mode == AIM_TARGET && aim->target > target) {
        aim->target--;
    }
}

enum world_result world_remove_target(struct world *world, int target, int *kind) {
    assert(target >= 0 && target < world->target_count);
    for (int k = 0; k < world->kind_count; k++) {
        if (visit_refs(&world->kinds[k], is_about_target, &target)) {
            *kind = k;
            return WORLD_IN_USE;
        }
    }
    for (int k = 0; k < world->kind_count; k++) {
        (void)visit_refs(&world->kinds[k], move_up, &target);
        forget_target(&world->kinds[k].aim, target);
    }
    for (int32_t row = 0; row < world->agent_count; row++) {
        forget_target(&world->aim[row], target);
    }
    world->target_count--;
    memmove(&world->targets[target], &world->targets[target + 1],
            sizeof world->targets[0] * (size_t)(world->target_count - target));
    return WORLD_OK;
}

/* ---- obstacles ---- */

static int find_obstacle(const struct world *world, uint32_t id) {
    const struct geometry_def *def = &world->scenery.def;
    for (int i = 0; i < def->obstacle_count; i++) {
        if (def->obstacles[i].id == id) {
            return i;
        }
    }
    return -1;
}

const struct obstacle_def *world_find_obstacle(const struct world *world, uint32_t id) {
    const int index = find_obstacle(world, id);
    return index < 0 ? NULL : &world->scenery.def.obstacles[index];
}

/* Puts other obstacles in place of those there are. */
static enum world_result replace_obstacles(struct world *world, struct obstacle_def *obstacles, int count) {
    struct geometry_def def = world->scenery.def; /* shares its arrays; scenery_init copies them */
    struct scenery scenery;
    def.obstacles = obstacles;
    def.obstacle_count = count;
    const bool is_made = scenery_init(&scenery, &def, &world->bounds) == 0;
    if (!world_all_ranks(world, is_made)) {
        if (is_made) {
            scenery_fini(&scenery);
        }
        return WORLD_NO_MEMORY;
    }
    const bool had_solids = world->scenery.solid_count > 0;
    scenery_fini(&world->scenery);
    world->scenery = scenery;
    if (had_solids != (scenery.solid_count > 0)) {
        world_sort(world); /* agents keep their slots, and cells have room for that, only without solids */
    }
    return WORLD_OK;
}

/* Solids from `index` on are `by` further back now; -1: the one before them is gone. */
static void renumber_solids(struct world *world, int index, int by) {
    assert(!world->is_pure_flock);
    const struct world_slots own = world_own_slots(world);
    for (int32_t slot = own.begin; world->has_memories && slot < own.end; slot++) {
        struct memory *memory = &world->memory[slot];
        const int solid = (int)memory->solid - 1;
        if (by < 0 && solid == index - 1) {
            memory->solid = 0;
        } else if (solid >= index) {
            memory->solid = (uint16_t)((int)memory->solid + by);
        }
    }
}

/* Bodies that overlap a solid are put outside, the shortest way. Returns how many, on all ranks. */
static int32_t push_bodies(struct world *world, int index) {
    assert(index >= 0 && index < world->scenery.solid_count);
    int32_t pushed = 0;
    const struct solid *solid = &world->scenery.solids[index];
    const struct world_slots own = world_own_slots(world);
    for (int32_t slot = own.begin; slot < own.end; slot++) {
        struct motion *motion = &world->grid.motion[slot];
        const vec2 place = {motion->x, motion->y};
        const float radius = world_body(world, world->grid.row[slot])->radius;
        if (!(solid_touch(solid, solid_offset(solid, &world->bounds, place)).distance < radius)) {
            continue;
        }
        const vec2 outside =
            bounds_settle(&world->bounds, scenery_push_out(&world->scenery, &world->bounds, place, radius));
        motion->x = outside.x;
        motion->y = outside.y;
        pushed++;
    }
    pushed = world_sum_ranks(world, pushed);
    if (pushed > 0) {
        world_sort(world);
    }
    return pushed;
}

enum world_result world_add_obstacle(struct world *world, const struct obstacle_def *obstacle, uint32_t *id,
                                     int32_t *pushed) {
    assert(world_is_consistent(world));
    assert(obstacle_def_fault(obstacle, world->bounds.edge == EDGE_WRAP, world->bounds.size) == NULL);
    const struct geometry_def *def = &world->scenery.def;
    const int count = def->obstacle_count;
    if (count == LIMIT_OBSTACLES || world->next_obstacle == UINT32_MAX) {
        return WORLD_FULL;
    }
    struct obstacle_def obstacles[LIMIT_OBSTACLES];
    for (int i = 0; i < count; i++) {
        obstacles[i] = def->obstacles[i];
    }
    obstacles[count] = *obstacle;
    obstacles[count].id = world->next_obstacle;
    world_keep_headings(world);
    const enum world_result result = replace_obstacles(world, obstacles, count + 1);
    if (result == WORLD_OK) {
        *id = world->next_obstacle++;
        renumber_solids(world, count, 1); /* walls come after obstacles */
        *pushed = push_bodies(world, count);
    }
    return result;
}

enum world_result world_move_obstacle(struct world *world, uint32_t id, vec2 to, int32_t *pushed) {
    assert(world_is_consistent(world));
    const struct geometry_def *def = &world->scenery.def;
    const int index = find_obstacle(world, id);
    if (index < 0) {
        return WORLD_NO_OBSTACLE;
    }
    struct obstacle_def obstacles[LIMIT_OBSTACLES];
    for (int i = 0; i < def->obstacle_count; i++) {
        obstacles[i] = def->obstacles[i];
    }
    const vec2 from = obstacle_point(&obstacles[index]);
    if (bits_of(from.x) == bits_of(to.x) && bits_of(from.y) == bits_of(to.y)) {
        *pushed = 0;
        return WORLD_OK;
    }
    obstacles[index] = obstacle_moved(&obstacles[index], to);
    if (obstacle_def_fault(&obstacles[index], world->bounds.edge == EDGE_WRAP, world->bounds.size) != NULL) {
        return WORLD_BAD_DEF;
    }
    world_keep_headings(world);
    const enum world_result result = replace_obstacles(world, obstacles, def->obstacle_count);
    if (result == WORLD_OK) {
        *pushed = push_bodies(world, index);
    }
    return result;
}

enum world_result world_remove_obstacle(struct world *world, uint32_t id) {
    assert(world_is_consistent(world));
    const struct geometry_def *def = &world->scenery.def;
    const int index = find_obstacle(world, id);
    if (index < 0) {
        return WORLD_NO_OBSTACLE;
    }
    struct obstacle_def obstacles[LIMIT_OBSTACLES];
    int count = 0;
    for (int i = 0; i < def->obstacle_count; i++) {
        if (i != index) {
            obstacles[count++] = def->obstacles[i];
        }
    }
    world_keep_headings(world);
    const enum world_result result = replace_obstacles(world, obstacles, count);
    if (result == WORLD_OK) {
        renumber_solids(world, index + 1, -1);
    }
    return result;
}
