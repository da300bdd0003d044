/* The members of a world, by address: what the hash must know, and what follows from that. The names are
 * those of the table in docs/architecture.md, "What decides the future", and of HASH in world_hash*.c. A row is compared byte by
 * byte, so it is one without padding: a number, or a structure whose members leave no gap. */
#ifndef DROVER_TESTS_PROPERTY_STATE_ROWS_H
#define DROVER_TESTS_PROPERTY_STATE_ROWS_H

#include <string.h>

#include "server/sim/world/world_internal.h"

struct state_row {
    const char *name;
    void *at;
    size_t size;
};
enum { STATE_ROWS_MAX = 256 };

struct state_rows {
    int count;
    struct state_row row[STATE_ROWS_MAX];
};

static inline void state_row(struct state_rows *rows, const char *name, void *at, size_t size) {
    assert(rows->count < STATE_ROWS_MAX);
    rows->row[rows->count++] = (struct state_row){name, at, size};
}
#define STATE_ROW(rows, name, member) state_row(rows, name, &(member), sizeof(member))
#define STATE_ARRAY(rows, name, pointer, count)                                                              \
    state_row(rows, name, pointer, sizeof *(pointer) * (size_t)(count))

static inline void state_rows_of_zones(struct state_rows *rows, struct behavior_runtime *behavior) {
    for (int zone = 0; zone < ZONE_COUNT; zone++) {
        STATE_ROW(rows, "behavior.zones", behavior->zones[zone].radius);
        STATE_ROW(rows, "behavior.zones", behavior->zones[zone].cosine);
        STATE_ROW(rows, "behavior.zones", behavior->zones[zone].is_sharp);
    }
}

static inline void state_rows_of_paths(struct state_rows *rows, struct scenery *scenery) {
    for (int i = 0; i < scenery->def.path_count; i++) {
        struct path *path = &scenery->paths[i];
        STATE_ROW(rows, "scenery.paths", path->is_loop);
        STATE_ROW(rows, "scenery.paths", path->radius);
        STATE_ROW(rows, "scenery.paths", path->length);
        STATE_ROW(rows, "scenery.paths", path->count);
        STATE_ARRAY(rows, "scenery.paths", path->sides, path->count);
    }
}

static inline void state_rows_of_axis(struct state_rows *rows, const char *name, struct grid_axis *axis) {
    STATE_ROW(rows, name, axis->origin);
    STATE_ROW(rows, name, axis->scale);
    STATE_ROW(rows, name, axis->size);
    STATE_ROW(rows, name, axis->cells);
    STATE_ROW(rows, name, axis->wraps);
}

static inline void state_rows_of_target(struct state_rows *rows, struct target_def *target) {
    state_row(rows, "targets", target->name, strlen(target->name) + 1);
    STATE_ROW(rows, "targets", target->at);
    STATE_ROW(rows, "targets", target->jump_within);
    STATE_ROW(rows, "targets", target->jump_margin);
    STATE_ROW(rows, "targets", target->is_live);
    STATE_ROW(rows, "targets", target->is_goal);
    STATE_ROW(rows, "targets", target->way_at);
    STATE_ROW(rows, "targets", target->stroll_speed);
    STATE_ROW(rows, "targets", target->stroll_after);
    STATE_ROW(rows, "targets", target->idle);
}

static inline void state_rows_of_memory(struct state_rows *rows, struct memory *memory) {
    STATE_ROW(rows, "memory.stamina", memory->stamina);
    STATE_ROW(rows, "memory.is_exhausted", memory->is_exhausted);
    STATE_ROW(rows, "memory.state_since", memory->state_since);
    STATE_ROW(rows, "memory.quarry", memory->quarry);
    STATE_ROW(rows, "memory.wander", memory->wander);
    STATE_ROW(rows, "memory.caught", memory->caught);
    STATE_ROW(rows, "memory.solid", memory->solid);
    STATE_ROW(rows, "memory.side", memory->side);
    STATE_ROW(rows, "memory.pace", memory->pace);
    STATE_ROW(rows, "memory.solid_tick", memory->solid_tick);
    STATE_ROW(rows, "memory.path", memory->path);
    STATE_ROW(rows, "memory.path_s", memory->path_s);
}

static inline void derived_of_kind(struct state_rows *rows, struct kind *kind) {
    STATE_ROW(rows, "kind.body", kind->body);
    STATE_ROW(rows, "kind.draws_body", kind->draws_body);
    STATE_ROW(rows, "kind.pursues", kind->pursues);
    STATE_ROW(rows, "kind.hold", kind->hold);
    STATE_ROW(rows, "kind.timer_count", kind->timer_count);
    STATE_ARRAY(rows, "kind.timers", kind->timers, kind->timer_count);
    STATE_ROW(rows, "kind.turn", kind->turn);
    for (int s = 0; s < 1; s++) {
        STATE_ROW(rows, "state.weight_sum", kind->states[s].weight_sum);
        STATE_ROW(rows, "state.has_velocity_filter", kind->states[s].has_velocity_filter);
        STATE_ROW(rows, "state.cosine", kind->states[s].cosine);
        STATE_ROW(rows, "state.timer", kind->states[s].timer);
        STATE_ROW(rows, "state.is_led", kind->states[s].is_led);
        STATE_ROW(rows, "state.order", kind->states[s].order);
        struct behavior_runtime *behavior = &kind->states[s].behaviors[0];
        state_rows_of_zones(rows, behavior);
        state_row(rows, "behavior.label", behavior->label, strlen(behavior->label) + 1);
    }
}

/** What follows from hashed members: equal in two worlds whose hashes are equal. */
static inline void derived_rows(struct world *world, struct state_rows *rows) {
    struct scenery *scenery = &world->scenery;
    struct grid *grid = &world->grid;
    const int32_t agents = world->agent_count, cells = scenery->grid.columns * scenery->grid.rows;
    STATE_ROW(rows, "dt", world->dt);
    STATE_ROW(rows, "kind_count", world->kind_count);
    STATE_ROW(rows, "target_count", world->target_count);
    STATE_ROW(rows, "agent_count", world->agent_count);
    STATE_ROW(rows, "kind_begin", world->kind_begin);
    STATE_ROW(rows, "has_neighbors", world->has_neighbors);
    STATE_ROW(rows, "has_kind_targets", world->has_kind_targets);
    STATE_ROW(rows, "has_timers", world->has_timers);
    STATE_ROW(rows, "has_signals", world->has_signals);
    STATE_ROW(rows, "is_sorted", world->is_sorted);
    STATE_ROW(rows, "has_own_bodies", world->has_own_bodies);
    STATE_ROW(rows, "has_slow_areas", world->has_slow_areas);
    STATE_ROW(rows, "has_one_radius", world->has_one_radius);
    STATE_ARRAY(rows, "rank", world->rank, world->has_blocks ? 0 : agents);
    STATE_ARRAY(rows, "by_kind", world->by_kind, world->has_blocks ? 0 : agents);
    STATE_ROW(rows, "grid.count", grid->count);
    if (world->is_sorted) {
        STATE_ARRAY(rows, "grid.row", grid->row, agents);
        STATE_ARRAY(rows, "grid.kind", grid->kind, agents);
        STATE_ARRAY(rows, "grid.radius", grid->radius, agents);
        STATE_ROW(rows, "grid.has_kinds", grid->has_kinds);
        STATE_ARRAY(rows, "grid.begin", grid->begin, grid->across.cells * grid->down.cells + 1);
    }
    for (int k = 0; k < world->kind_count && k < 4; k++) {
        derived_of_kind(rows, &world->kinds[k]);
    }
    STATE_ROW(rows, "scenery.owner_count", scenery->owner_count);
    STATE_ARRAY(rows, "scenery.first", scenery->first, scenery->owner_count + 1);
    STATE_ROW(rows, "scenery.solid_count", scenery->solid_count);
    STATE_ROW(rows, "scenery.mover_count", scenery->mover_count);
    STATE_ARRAY(rows, "scenery.movers", scenery->movers, scenery->mover_count);
    STATE_ROW(rows, "scenery.fastest", scenery->fastest);
    STATE_ARRAY(rows, "scenery.solids", scenery->solids, scenery->solid_count);
    state_rows_of_paths(rows, scenery);
    for (int i = 0, cells_before = 0; i < scenery->def.flow_count; i++) {
        struct flow_def *flow = &scenery->def.flows[i];
        STATE_ARRAY(rows, "flow.vectors", flow->vectors, flow->type == FLOW_WAY ? flow_def_cells(flow) : 0);
        if (flow->type == FLOW_WAY) {
            STATE_ARRAY(rows, "scenery.no_way", scenery->no_way + cells_before, flow_def_cells(flow));
            cells_before += flow_def_cells(flow);
        }
    }
    STATE_ROW(rows, "solid_grid.cell", scenery->grid.cell);
    STATE_ARRAY(rows, "solid_grid.room", scenery->grid.room, cells);
    if (cells > 0) {
        struct solid_lists *nearest = &scenery->grid.nearest, *reach = &scenery->grid.reach;
        STATE_ARRAY(rows, "solid_grid.nearest", nearest->begin, cells + 1);
        STATE_ARRAY(rows, "solid_grid.reach", reach->begin, cells + 1);
        STATE_ARRAY(rows, "solid_lists.members", nearest->members, nearest->begin[cells]);
        STATE_ARRAY(rows, "solid_lists.members", reach->members, reach->begin[cells]);
    }
}

#endif
