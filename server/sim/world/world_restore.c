/* Builds a world from plain values. See world_image.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/world/world_image.h"
#include "server/sim/world/world_internal.h"

static bool is_finite(float value) {
    return value - value == 0.0f;
}

static bool is_near(float value) {
    return value >= -(float)LIMIT_COORDINATE && value <= (float)LIMIT_COORDINATE;
}

/* ---- the definition, as it was ---- */

static const char *target_fault(const struct world_def *def) {
    for (int i = 0; i < def->target_count; i++) {
        const struct target_def *target = &def->targets[i];
        if (!is_near(target->at.x) || !is_near(target->at.y) || !is_near(target->way_at.x) ||
            !is_near(target->way_at.y) || !is_finite(target->jump_within) ||
            !is_finite(target->jump_margin)) {
            return "a target is out of range; allowed: coordinates up to LIMIT_COORDINATE, finite distances";
        }
        if (!(target->stroll_speed >= 0.0f && target->stroll_speed <= (float)LIMIT_SPEED) ||
            !(target->stroll_after >= 0.0f && target->stroll_after <= (float)LIMIT_STROLL_AFTER)) {
            return "a target strolls out of range; allowed: up to LIMIT_SPEED, after up to "
                   "LIMIT_STROLL_AFTER";
        }
        for (int other = 0; other < i; other++) {
            if (strcmp(def->targets[other].name, target->name) == 0) {
                return "two targets have the same name; allowed: each name once";
            }
        }
    }
    return NULL;
}

static const char *obstacle_id_fault(const struct world_def *def, uint32_t next_obstacle) {
    uint32_t last = 0;
    for (int i = 0; i < def->geometry.obstacle_count; i++) {
        const uint32_t id = def->geometry.obstacles[i].id;
        if (id <= last || id >= next_obstacle) {
            return "an obstacle has a wrong id; allowed: ascending from 1, less than next_obstacle";
        }
        last = id;
    }
    return next_obstacle == 0 ? "next_obstacle is 0; allowed: from 1" : NULL;
}

static const char *image_fault(const struct world_def *def, const struct world_image *image) {
    if (image->agent_count < 0 || image->agent_count > def->max_agents) {
        return "there are too many agents; allowed: 0 to max_agents";
    }
    if (image->agent_count > 0 && def->kind_count == 0) {
        return "there are agents, but no kinds; allowed: a definition with kinds";
    }
    if (image->next_id == 0) {
        return "next_id is 0; allowed: from 1";
    }
    const char *fault = target_fault(def);
    return fault != NULL ? fault : obstacle_id_fault(def, image->next_obstacle);
}

static enum world_result make_room(struct world *world, int32_t count, bool is_by_slot) {
    if (world_reserve(world, count) != 0) {
        return WORLD_NO_MEMORY;
    }
    for (int32_t row = 0; row < count; row++) {
        world_set_initial(world, row, is_by_slot ? -1 : row);
        if (!is_by_slot) {
            grid_append(&world->grid, (struct motion){0.0f, 0.0f, 0.0f, 0.0f}, 0);
        }
    }
    world->agent_count = count;
    world->grid.absent = is_by_slot ? count : 0;
    return WORLD_OK;
}

enum world_result world_restore_begin(const struct world_def *def, const struct world_image *image,
                                      struct world **out, const char **what) {
    *what = "";
    if (!world_def_is_sane(def, what)) {
        return WORLD_BAD_DEF;
    }
    *what = image_fault(def, image);
    if (*what != NULL) {
        return WORLD_BAD_DEF;
    }
    struct world *world = calloc(1, sizeof *world);
    if (world == NULL) {
        return WORLD_NO_MEMORY;
    }
    *what = "the definition and the targets do not fit";
    enum world_result result = world_build(world, def, what);
    if (result == WORLD_OK) {
        result = make_room(world, image->agent_count, image->is_by_slot);
    }
    if (result != WORLD_OK) {
        world_destroy(world);
        return result;
    }
    for (int i = 0; i < def->target_count; i++) {
        world->targets[i].at = def->targets[i].at;
        world->targets[i].way_at = def->targets[i].way_at;
    }
    world_lead_ways(world, false);
    world->tick = world->counted_since = image->tick;
    scenery_place_movers(&world->scenery, &world->bounds, world->tick_hz, world->tick);
    world->next_id = image->next_id;
    world->next_obstacle = image->next_obstacle;
    world->is_pure_flock = image->is_pure_flock;
    *out = world;
    return WORLD_OK;
}

/* ---- kinds ---- */

bool world_restore_kind(struct world *world, int index, struct aim aim, bool is_tireless) {
    assert(index >= 0 && index < world->kind_count);
    struct kind *kind = &world->kinds[index];
    const bool is_known = aim.mode <= AIM_TARGET && aim.target >= 0 &&
                          (aim.target == 0 || aim.target < world->target_count) &&
                          (aim.mode != AIM_TARGET || world->target_count > 0);
    if (!is_known || !is_near(aim.point.x) || !is_near(aim.point.y)) {
        return false;
    }
    kind->aim = aim;
    kind->is_tireless = is_tireless;
    world_refresh_kind(world, index);
    return true;
}

/* ---- sources and sinks ---- */

bool world_restore_turnover(struct world *world, const struct image_turnover *turnover) {
    struct turnover *own = &world->turnover;
    for (int i = 0; i < own->source_count; i++) {
        if (turnover->spawned[i] > turnover->due[i]) {
            return false;
        }
        own->due[i] = turnover->due[i];
        own->spawned[i] = turnover->spawned[i];
    }
    memcpy(own->removed, turnover->removed, sizeof own->removed);
    own->limit = (int32_t)turnover->limit;
    return turnover->limit >= 1 && turnover->limit <= (uint32_t)world->max_agents;
}

bool world_restore_formation(struct world *world, int formation, const struct formation_state *state) {
    assert(formation >= 0 && formation < world->formation_count);
    world->formations[formation].state = *state;
    const float square = vec2_length_squared(state->heading);
    return state->members == 0 ? square == 0.0f : square > 0.99f && square < 1.01f;
}

/* ---- agents ---- */

bool world_restore_ids(struct world *world, const uint32_t (*runs)[2], int32_t count,
                       struct image_fault *fault) {
    int32_t row = 0;
    uint32_t last = 0;
    for (int32_t i = 0; i < count; i++) {
        const uint32_t first = runs[i][0], length = runs[i][1];
        *fault = (struct image_fault){"ids are ascending from 1, each less than next_id", i};
        if (first <= last || first >= world->next_id || length == 0 || length > world->next_id - first) {
            return false;
        }
        *fault = (struct image_fault){"as many ids as there are agents", i};
        if (length > (uint32_t)(world->agent_count - row)) {
            return false;
        }
        for (uint32_t k = 0; k < length; k++) {
            world->id[row++] = first + k;
        }
        last = first + length - 1;
    }
    *fault = (struct image_fault){"as many ids as there are agents", -1};
    return row == world->agent_count;
}

/* What follows from the columns by row. */
static void take_rows(struct world *world) {
    world->grid.has_kinds = false;
    for (int32_t row = 0; row < world->agent_count; row++) {
        world->grid.has_kinds = world->grid.has_kinds || world->kind[row] != world->kind[0];
        world->has_sent = world->has_sent || world->aim[row].mode != AIM_BEHAVIOR;
        world->has_driven = world->has_driven || world->drive[row].left != 0;
    }
    for (int32_t slot = 0; slot < world->grid.count; slot++) {
        world->grid.kind[slot] = world->kind[world->grid.row[slot]];
    }
    world_group_kinds(world);
}

enum world_result world_restore_sort(struct world *world, int32_t *cells) {
    take_rows(world);
    world->is_creating = true; /* it may be given up */
    world_sort(world);
    world->is_creating = false;
    *cells = world->is_sorted ? world->grid.across.cells * world->grid.down.cells : 0;
    return world_is_given_up(world) ? WORLD_GIVEN_UP : WORLD_OK;
}

/* ---- the order of slots ---- */

/* Whether a coordinate is at most `drift` px outside its cell, on a torus the short way. */
static bool is_in_cell(const struct grid_axis *axis, float coordinate, int32_t cell, float drift) {
    if (axis->cells == 1) {
        return true;
    }
    const float low = axis->origin + (float)cell / axis->scale;
    const float high = axis->origin + (float)(cell + 1) / axis->scale, reach = grid_reach(axis, drift);
    return (coordinate >= low - reach && coordinate <= high + reach) ||
           coordinate - axis->size >= low - reach || coordinate + axis->size <= high + reach;
}

/* The walks of an order visit each agent within their radius if no agent is further from its cell than it may have
 * drifted. */
static bool set_cells(struct grid *grid, float drift, const int32_t *counts, struct image_fault *fault) {
    const int32_t columns = grid->across.cells, cells = columns * grid->down.cells;
    int32_t slot = 0;
    for (int32_t cell = 0; cell < cells; cell++) {
        *fault =
            (struct image_fault){"as many agents as there are, each at most its drift from its cell", cell};
        grid->begin[cell] = slot;
        if (counts[cell] < 0 || counts[cell] > grid->count - slot) {
            return false;
        }
        for (const int32_t end = slot + counts[cell]; slot < end; slot++) {
            const struct motion *motion = &grid->motion[slot];
            if (!is_in_cell(&grid->across, motion->x, cell % columns, drift) ||
                !is_in_cell(&grid->down, motion->y, cell / columns, drift)) {
                return false;
            }
        }
    }
    grid->begin[cells] = grid->count;
    return slot == grid->count;
}

/* The agents of the rows go into these slots. */
static bool set_rows(struct world *world, const int32_t *row, struct image_fault *fault) {
    struct grid *grid = &world->grid;
    bool is_sorted = true; /* by row, for a moment */
    for (int32_t slot = 0; slot < grid->count; slot++) {
        grid->next[grid->row[slot]] = grid->motion[slot];
        grid->key[slot] = 0;
    }
    for (int32_t slot = 0; slot < grid->count && is_sorted; slot++) {
        *fault = (struct image_fault){"the row of each agent once", slot};
        is_sorted = row[slot] >= 0 && row[slot] < grid->count && grid->key[row[slot]]++ == 0;
        if (is_sorted) {
            grid->motion[slot] = grid->next[row[slot]];
            grid->kind[slot] = world->kind[row[slot]];
            grid->radius[slot] = world_body(world, row[slot])->radius;
            grid->row[slot] = row[slot];
        }
    }
    grid->lookup->is_fresh = false;
    return is_sorted;
}

bool world_restore_order(struct world *world, float drift, const int32_t *row, const int32_t *counts,
                         const char **place, struct image_fault *fault) {
    *place = "drift";
    *fault = (struct image_fault){"so far that the agents would not have been sorted yet", -1};
    if (!world_may_have_drifted(world, drift)) {
        return false;
    }
    *place = "row";
    const struct parallel alone = parallel_alone();
    grid_look_up(&world->grid, &alone);
    if (!set_rows(world, row, fault)) {
        return false;
    }
    if (!world->is_pure_flock) {
        world_follow_slots(world, &alone);
    }
    *place = "cells";
    world->grid.drift = drift;
    return set_cells(&world->grid, drift, counts, fault);
}

/* ---- by slot ---- */

void world_restore_slots(struct world *world, const int32_t *row, int32_t count) {
    struct grid *grid = &world->grid;
    assert(count <= grid->absent);
    for (int32_t i = 0; i < count; i++) {
        const int32_t slot = grid->count++;
        grid->row[slot] = row[i];
        if (world->has_memories) {
            world->memory[world->is_pure_flock ? row[i] : slot] = MEMORY_INITIAL;
        }
        if (!world->is_pure_flock) { /* else only those at rest have one */
            world->heading[slot] = vec2_make(1.0f, 0.0f);
        }
    }
    grid->absent -= count;
    grid->lookup->is_fresh = false;
}

void world_restore_cell(struct world *world, int32_t slot, int32_t count, int32_t cell) {
    assert(slot >= 0 && count <= world->grid.count - slot);
    for (int32_t i = slot; i < slot + count; i++) {
        world->grid.key[i] = cell;
    }
}

/* The cells that agents were sorted into are those in `key`. */
static bool take_cells(struct world *world, int64_t cells, const char **place, struct image_fault *fault) {
    struct grid *grid = &world->grid;
    const int32_t columns = grid->across.cells;
    *place = "cells";
    *fault = (struct image_fault){"as many cells as the world has", -1};
    bool is_right = cells == (int64_t)columns * grid->down.cells;
    for (int32_t slot = 0; is_right && slot < grid->count; slot++) {
        const struct motion *motion = &grid->motion[slot];
        *fault = (struct image_fault){"each agent at most its drift from its cell", slot};
        is_right = is_in_cell(&grid->across, motion->x, grid->key[slot] % columns, grid->drift) &&
                   is_in_cell(&grid->down, motion->y, grid->key[slot] / columns, grid->drift);
    }
    return is_right;
}

/* Slots are in the order of their cells. */
static void begin_cells(struct grid *grid) {
    const int32_t cells = grid->across.cells * grid->down.cells;
    int32_t slot = 0;
    for (int32_t cell = 0; cell < cells; cell++) {
        grid->begin[cell] = slot;
        while (slot < grid->count && grid->key[slot] == cell) {
            slot++;
        }
    }
    grid->begin[cells] = slot;
}

enum world_result world_restore_arrange(struct world *world, float drift, bool is_share, int64_t cells,
                                        const char **place, struct image_fault *fault) {
    int32_t unused;
    world->is_shared_out = is_share;
    if (drift == 0.0f && !is_share) {
        return world_restore_sort(world, &unused);
    }
    take_rows(world);
    *place = "drift";
    *fault = (struct image_fault){"so far that the agents would not have been sorted yet", -1};
    if (!world_keep_slots(world, drift) || (drift != 0.0f && !take_cells(world, cells, place, fault))) {
        return WORLD_BAD_DEF;
    }
    if (!is_share) {
        begin_cells(&world->grid);
    }
    return WORLD_OK;
}

bool world_restore_end(struct world *world) {
    assert(world_is_consistent(world));
    return !world->is_pure_flock || world_is_pure_flock(world);
}
