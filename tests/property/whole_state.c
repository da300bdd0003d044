/* Every member of a world that decides the future is in the hash, in clones and in images (what is written down);
 * hash_mutants.py shows that this test would notice if one were not. */
#include <stdlib.h>

#include "server/sim/world/world_image.h"
#include "tests/property/state_rows.h"
#include "tests/unit/server/sim/sim_fixture.h"

/* ---- a world that has some of everything ---- */

static void add_geometry(struct world_def *def) {
    struct path_def *path = geometry_def_add_path(&def->geometry);
    struct wall_def *wall = geometry_def_add_wall(&def->geometry);
    struct obstacle_def *obstacle = geometry_def_add_obstacle(&def->geometry);
    vec2 *vectors = calloc(6, sizeof *vectors);
    struct area_def *area = geometry_def_add_area(&def->geometry);
    struct gate_def *gate = geometry_def_add_gate(&def->geometry);
    assert_true(path && wall && obstacle && vectors && area && gate);
    *gate = (struct gate_def){.name = "g", .from = {650, 500}, .to = {690, 550}};
    *area = (struct area_def){
        .name = "a", .shape = {.shape = OBSTACLE_BOX, .size = {700, 500}, .radius = 50.0f}, .speed = 0.5f};
    vectors[0] = vec2_make(5.0f, 6.0f);
    *path = (struct path_def){.name = "p",
                              .radius = 20.0f,
                              .point_count = 2,
                              .points = {{9, 9}, {700, 500}},
                              .radius_count = 2,
                              .radii = {20, 9}};
    *wall = (struct wall_def){{300.0f, 100.0f}, {300.0f, 200.0f}};
    *obstacle = (struct obstacle_def){.shape = OBSTACLE_POLYGON,
                                      .at = {1.0f, 2.0f},
                                      .size = {3.0f, 4.0f},
                                      .radius = 5.0f,
                                      .point_count = 3,
                                      .points = {{500, 300}, {540, 300}, {500, 340}},
                                      .move = {"p", 30.0f, 1.0f, 2.0f, false}};
    struct obstacle_def *door = geometry_def_add_obstacle(&def->geometry);
    assert_non_null(door);
    *door = (struct obstacle_def){.shape = OBSTACLE_BOX,
                                  .at = {600.0f, 20.0f},
                                  .size = {8.0f, 40.0f},
                                  .door = {{0.0f, 40.0f}, 1.0f, true, 20}};
    add_flow(def, "f",
             (struct flow_def){.type = FLOW_GRID,
                               .at = {1.0f, 2.0f},
                               .vector = {3.0f, 4.0f},
                               .strength = 5.0f,
                               .scale = 6.0f,
                               .seed = 8,
                               .columns = 2,
                               .rows = 3,
                               .vectors = vectors});
}

static void add_way(struct world_def *def) {
    struct flow_def *flow = geometry_def_add_flow(&def->geometry);
    assert_non_null(flow);
    *flow = (struct flow_def){.name = "way", .strength = 50.0f, .body = 6.0f, .goal_count = 1};
    copy_text(flow->goals[0].name, "mouse");
    assert_int_equal(flow_def_begin_way(flow, 40.0f, def->size), 0);
}

static void add_behavior(struct state_def *state, enum behavior_type type) {
    struct behavior_def *behavior = &state->behaviors[state->behavior_count++];
    *behavior = behavior_def_default(type);
    copy_text(behavior->target.target, "mouse");
    copy_text(behavior->second.kind, "other");
    copy_text(behavior->path, "p");
    copy_text(behavior->flow_field, "f");
}

static struct world_def everything_def(void) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(400.0f, 300.0f));
    assert_non_null(world_def_add_kind(&def, "other"));
    def.targets[0].jump_within = 3.0f;
    def.targets[0].stroll_speed = 30.0f;
    def.targets[0].stroll_after = 0.1f;
    def.kinds[0].state_count = 2;
    struct state_def *state = &def.kinds[0].states[0];
    add_behavior(state, BEHAVIOR_INTERPOSE);
    add_behavior(state, BEHAVIOR_FOLLOW_PATH);
    add_behavior(state, BEHAVIOR_FLOCK);
    add_behavior(state, BEHAVIOR_CONTAIN);
    add_behavior(state, BEHAVIOR_FOLLOW_FLOW);
    state->condition_count = 6;
    state->conditions[0] = (struct condition_def){.type = CONDITION_ALL, .count = 5};
    for (int i = 1; i < 6; i++) {
        state->conditions[i] =
            (struct condition_def){.type = CONDITION_NEAR, .target = {.kind = "other"}, .remember = 1.0f};
    }
    struct state_def *other = &def.kinds[1].states[0];
    def.kinds[1].state_count = 2;
    copy_text(other->signal, "alarm");
    other->condition_count = 3;
    other->conditions[0] = (struct condition_def){.type = CONDITION_ANY, .count = 2};
    other->conditions[1] = (struct condition_def){.type = CONDITION_COOLDOWN, .value = 2.0f};
    copy_text(other->conditions[1].name, other->name);
    other->conditions[2] = (struct condition_def){.type = CONDITION_HEARD, .name = "alarm", .value = 50.0f};
    add_geometry(&def);
    add_way(&def);
    for (int i = 0; i < 30; i++) {
        place(&def, vec2_make(20.0f * (float)i, 50.0f), vec2_make(9.0f, 8.0f));
    }
    def.source_count = def.sink_count = 1; /* nobody comes so soon, and nobody leaves */
    def.sources[0] = (struct source_def){.name = "s", .rate = 0.001f, .burst = 1};
    def.sinks[0] = (struct sink_def){.name = "s", .kinds = 0};
    def.formation_count = 1;
    def.formations[0] = (struct formation_def){.name = "f", .place_count = 2, .places[1].kind = -1};
    struct placement_def *others = world_def_add_placement(&def, "other");
    assert_non_null(others);
    others->count = 3;
    return def;
}

/* Three agents who share two places. */
static struct world_def squad_def(void) {
    struct world_def def = one_kind_def(BEHAVIOR_FORMATION, vec2_make(400.0f, 300.0f));
    copy_text(def.kinds[0].states[0].behaviors[0].formation, "f");
    def.formation_count = 1;
    def.formations[0] = (struct formation_def){
        .name = "f", .place_count = 2, .places = {{.at = {-20.0f, 0.0f}}, {.at = {-20.0f, 30.0f}}}};
    for (int i = 0; i < 3; i++) {
        place(&def, vec2_make(100.0f + 40.0f * (float)i, 200.0f), vec2_make(9.0f, 8.0f));
    }
    return def;
}

/* Where the entries of an agent are in a column. */
static int32_t place_of(const struct world *world, enum column_order by, int32_t row) {
    return by == BY_ROW ? row : world_place(world, row);
}

static struct world *make_everything(void) {
    struct world_def def = everything_def();
    struct world *world = build(&def);
    struct memory *memory = world_memory(world, 0);
    world->flags[1] |= AGENT_OWN_BODY;
    world->flags[2] |= AGENT_OWN_BODY;
    world->own_body[1] = (struct body){1.0f, 2.0f, 3.0f, 4.0f};
    world->own_body[2] = (struct body){0}; /* so that the flag alone makes the difference */
    world->kinds[0].aim = (struct aim){AIM_TARGET, 0, {0.0f, 0.0f}};
    memory->solid = 2;
    memory->side = 1;
    memory->path = 2;
    world->drive[0] = (struct drive){{3.0f, 4.0f}, 50};
    world->has_driven = true;
    for (int i = 0; i < 5; i++) {
        world->timers[world_place(world, 0)].left[i] = 7 + (uint32_t)i;
    }
    return world;
}

/* A flock in the middle of keeping its order. */
static struct world_def drifting_def(void) {
    struct world_def def = one_kind_def(BEHAVIOR_FLOCK, vec2_make(400.0f, 300.0f));
    def.edge = EDGE_WRAP;
    def.kinds[0].body.max_speed.low = def.kinds[0].body.max_speed.high = 10.0f;
    for (int i = 0; i < 40; i++) {
        place(&def, vec2_make(20.0f * (float)i, 50.0f + 30.0f * (float)(i % 5)), vec2_make(9.0f, 8.0f));
    }
    return def;
}

static struct world *make_drifting(void) {
    struct world_def def = drifting_def();
    struct world *world = build(&def);
    steps(world, 3);
    assert_true(world->grid.drift > 0.0f);
    return world;
}

/* ---- what must be in the hash ---- */

static void rows_of_agents(struct world *world, struct state_rows *rows) {
    struct motion *motion = &world->grid.motion[grid_slot(&world->grid, 0)];
    struct memory *memory = world_memory(world, 0);
    STATE_ROW(rows, "id", world->id[0]);
    STATE_ROW(rows, "kind", world->kind[0]);
    STATE_ROW(rows, "state", world->state[world_place(world, 0)]);
    STATE_ROW(rows, "flags", world->flags[2]);
    STATE_ROW(rows, "heading", world->heading[world_place(world, 0)]);
    STATE_ROW(rows, "motion.position", motion->x);
    STATE_ROW(rows, "motion.velocity", motion->vx);
    STATE_ROW(rows, "own_body.mass", world->own_body[1].mass);
    STATE_ROW(rows, "own_body.radius", world->own_body[1].radius);
    STATE_ROW(rows, "own_body.max_speed", world->own_body[1].max_speed);
    STATE_ROW(rows, "own_body.max_force", world->own_body[1].max_force);
    STATE_ROW(rows, "aim.mode", world->aim[0].mode);
    STATE_ROW(rows, "aim.target", world->aim[0].target);
    STATE_ROW(rows, "aim.point", world->aim[0].point);
    STATE_ROW(rows, "drive.vector", world->drive[0].vector);
    STATE_ROW(rows, "drive.left", world->drive[0].left);
    STATE_ROW(rows, "timers.left", world->timers[world_place(world, 0)].left[4]);
    STATE_ROW(rows, "post", world->post[0]);
    state_rows_of_memory(rows, memory);
}

static void rows_of_kinds(struct world *world, struct state_rows *rows) {
    struct kind *kind = &world->kinds[0];
    struct state_def *state = &kind->def.states[0];
    struct state_runtime *runtime = &kind->states[0];
    STATE_ROW(rows, "kind.body", kind->def.body.mass.low);
    STATE_ROW(rows, "kind.aim", kind->aim.mode);
    STATE_ROW(rows, "kind.aim.point", kind->aim.point);
    STATE_ROW(rows, "state.stamina_rate", state->stamina_rate);
    STATE_ROW(rows, "state.combine", state->combine);
    STATE_ROW(rows, "condition.type", state->conditions[0].count);
    STATE_ROW(rows, "condition.value", state->conditions[0].value);
    STATE_ROW(rows, "condition.target", runtime->conditions[1].index);
    STATE_ROW(rows, "condition.rows", state->conditions[1].target.within);
    STATE_ROW(rows, "condition.rows", state->conditions[1].remember);
    STATE_ROW(rows, "condition.name", world->kinds[1].states[0].conditions[1].index);
    STATE_ROW(rows, "state.signal", world->kinds[1].states[0].signal);
    STATE_ROW(rows, "behavior.type", state->behaviors[0].type);
    STATE_ROW(rows, "behavior.rows", state->behaviors[0].weight);
    STATE_ROW(rows, "behavior.rows", state->behaviors[1].second.within);
    STATE_ROW(rows, "behavior.target", runtime->behaviors[0].target.index);
    STATE_ROW(rows, "behavior.second", runtime->behaviors[1].second.index);
    STATE_ROW(rows, "behavior.path", runtime->behaviors[2].path);
    STATE_ROW(rows, "behavior.kinds", runtime->behaviors[3].kinds);
    STATE_ROW(rows, "behavior.region", state->behaviors[4].region.shape);
    STATE_ROW(rows, "behavior.region", state->behaviors[4].region.at);
    STATE_ROW(rows, "behavior.region", state->behaviors[4].region.size);
    STATE_ROW(rows, "behavior.region", state->behaviors[4].region.radius);
    STATE_ROW(rows, "behavior.flow", runtime->behaviors[5].flow);
}

static void rows_of_geometry(struct world *world, struct state_rows *rows) {
    struct geometry_def *def = &world->scenery.def;
    struct obstacle_def *obstacle = &def->obstacles[0];
    STATE_ROW(rows, "next_obstacle", world->next_obstacle);
    STATE_ROW(rows, "obstacle.id", obstacle->id);
    STATE_ROW(rows, "obstacle.at", obstacle->at);
    STATE_ROW(rows, "obstacle.size", obstacle->size);
    STATE_ROW(rows, "obstacle.radius", obstacle->radius);
    STATE_ROW(rows, "obstacle.points", obstacle->points[0]);
    STATE_ROW(rows, "move.path", obstacle->move.path[0]);
    STATE_ROW(rows, "move.speed", obstacle->move.speed);
    STATE_ROW(rows, "move.wait", obstacle->move.wait);
    STATE_ROW(rows, "move.start", obstacle->move.start);
    STATE_ROW(rows, "move.is_once", obstacle->move.is_once);
    STATE_ROW(rows, "door.open", def->obstacles[1].door.open);
    STATE_ROW(rows, "door.time", def->obstacles[1].door.time);
    STATE_ROW(rows, "door.is_closed", def->obstacles[1].door.is_closed);
    STATE_ROW(rows, "door.until", def->obstacles[1].door.until);
    STATE_ROW(rows, "wall.from", def->walls[0].from);
    STATE_ROW(rows, "wall.to", def->walls[0].to);
    STATE_ROW(rows, "path.is_loop", def->paths[0].is_loop);
    STATE_ROW(rows, "path.radius", def->paths[0].radius);
    STATE_ROW(rows, "path.radii", def->paths[0].radii[1]);
    STATE_ROW(rows, "path.points", def->paths[0].points[1]);
    STATE_ROW(rows, "area.speed", def->areas[0].speed);
    STATE_ROW(rows, "area.shape", def->areas[0].shape.at);
    STATE_ROW(rows, "area.shape", def->areas[0].shape.radius);
    STATE_ROW(rows, "flow.seed", def->flows[0].seed);
    STATE_ROW(rows, "flow.at", def->flows[0].at);
    STATE_ROW(rows, "flow.vector", def->flows[0].vector);
    STATE_ROW(rows, "flow.strength", def->flows[0].strength);
    STATE_ROW(rows, "flow.scale", def->flows[0].scale);
    STATE_ROW(rows, "flow.vectors", def->flows[0].vectors[0]);
    STATE_ROW(rows, "flow.body", def->flows[1].body);
    STATE_ROW(rows, "flow.goals", def->flows[1].goals[0].name[0]);
}

static void rows_of_turnover(struct world *world, struct state_rows *rows) {
    struct turnover *turnover = &world->turnover;
    struct source_def *source = &turnover->sources[0];
    STATE_ROW(rows, "source.kind", source->kind);
    STATE_ROW(rows, "source.area", source->area);
    STATE_ROW(rows, "source.rate", source->rate);
    STATE_ROW(rows, "source.from", source->from);
    STATE_ROW(rows, "source.until", source->until);
    STATE_ROW(rows, "source.at_most", source->at_most);
    STATE_ROW(rows, "source.burst", source->burst);
    STATE_ROW(rows, "source.spread", source->spread);
    STATE_ROW(rows, "turnover.due", turnover->due[0]);
    STATE_ROW(rows, "turnover.spawned", turnover->spawned[0]);
    STATE_ROW(rows, "turnover.limit", turnover->limit);
    STATE_ROW(rows, "sink.area", turnover->sinks[0].area);
    STATE_ROW(rows, "sink.kinds", turnover->sinks[0].kinds);
    STATE_ROW(rows, "turnover.removed", turnover->removed[0]);
}

static void rows_of_everything(struct world *world, struct state_rows *rows) {
    rows->count = 0;
    STATE_ROW(rows, "seed", world->seed);
    STATE_ROW(rows, "tick", world->tick);
    STATE_ROW(rows, "tick_hz", world->tick_hz);
    STATE_ROW(rows, "bounds.size", world->bounds.size);
    STATE_ROW(rows, "bounds.edge", world->bounds.edge);
    STATE_ROW(rows, "next_id", world->next_id);
    STATE_ROW(rows, "target.name", world->targets[0].name[0]);
    STATE_ROW(rows, "target.at", world->targets[0].at);
    STATE_ROW(rows, "target.way_at", world->targets[0].way_at);
    STATE_ROW(rows, "target.jump", world->targets[0].jump_within);
    STATE_ROW(rows, "target.jump", world->targets[0].jump_margin);
    STATE_ROW(rows, "target.is_live", world->targets[0].is_live);
    STATE_ROW(rows, "target.stroll_speed", world->targets[0].stroll_speed);
    STATE_ROW(rows, "target.stroll_after", world->targets[0].stroll_after);
    STATE_ROW(rows, "target.idle", world->targets[0].idle);
    rows_of_agents(world, rows);
    rows_of_kinds(world, rows);
    rows_of_geometry(world, rows);
    rows_of_turnover(world, rows);
    struct formation *formation = &world->formations[0];
    STATE_ROW(rows, "place.at", formation->def.places[0].at);
    STATE_ROW(rows, "place.kind", formation->def.places[0].kind);
    STATE_ROW(rows, "formed.heading", formation->state.heading);
    STATE_ROW(rows, "formed.leader", formation->state.leader);
    STATE_ROW(rows, "formed.members", formation->state.members);
    STATE_ROW(rows, "formed.ids", formation->state.ids);
}

static void rows_of_order(struct world *world, struct state_rows *rows) {
    rows->count = 0;
    STATE_ROW(rows, "grid.drift", world->grid.drift);
    STATE_ROW(rows, "grid.across", world->grid.across.scale);
    STATE_ROW(rows, "grid.down", world->grid.down.cells);
}

/* Another value that is allowed. */
static void flip(const struct state_row *row) {
    unsigned char *bytes = row->at;
    bytes[0] ^= 1;
}

static void check_hash(struct world *world, const struct state_rows *rows) {
    const uint64_t hash = world_hash(world);
    for (int i = 0; i < rows->count; i++) {
        flip(&rows->row[i]);
        if (world_hash(world) == hash) {
            fail_msg("%s is not in the hash", rows->row[i].name);
        }
        flip(&rows->row[i]);
        assert_true(world_hash(world) == hash);
    }
}

static void test_hash(void **state) {
    struct state_rows rows;
    struct world *everything = make_everything(), *drifting = make_drifting();
    rows_of_everything(everything, &rows);
    check_hash(everything, &rows);
    rows_of_order(drifting, &rows);
    check_hash(drifting, &rows);
    world_destroy(everything);
    world_destroy(drifting);
}

/* Every number of every behavior, tunable or not. */
static void test_hash_of_rows(void **state) {
    for (int type = 0; type < BEHAVIOR_TYPE_COUNT; type++) {
        struct world *world = make_everything();
        struct behavior_def *behavior = &world->kinds[0].def.states[0].behaviors[0];
        *behavior = behavior_def_default((enum behavior_type)type);
        struct state_rows rows = {0};
        for (const struct field *field = behavior_fields((enum behavior_type)type); field->type != FIELD_END;
             field++) {
            if (field->type != FIELD_NAME && field->type != FIELD_NAMES && field->type != FIELD_TEXT) {
                state_row(&rows, field->name, (char *)behavior + field->offset, field->size);
            }
        }
        check_hash(world, &rows);
        world_destroy(world);
    }
}

/* Members that cannot be flipped alone. */
static void test_hash_of_shapes(void **state) {
    struct world *world = make_everything();
    struct flow_def *flow = &world->scenery.def.flows[0];
    uint64_t hash = world_hash(world);
    flow->columns = 3;
    flow->rows = 2;
    assert_true(world_hash(world) != hash);
    flow->type = FLOW_VORTEX;
    hash = world_hash(world);
    flow->type = FLOW_TOWARDS;
    assert_true(world_hash(world) != hash);
    world_destroy(world);
    struct world_def empty = world_def_default(); /* agents count ticks since something */
    world = build(&empty);
    hash = world_hash(world);
    world->tick++;
    assert_true(world_hash(world) != hash);
    world_destroy(world);
}

/* Two neighbors in slots, the other way round: the same agents in the same places. */
static void test_hash_of_slots(void **state) {
    struct world *world = make_drifting();
    struct grid *grid = &world->grid;
    const uint64_t hash = world_hash(world);
    const struct motion motion = grid->motion[0];
    const int32_t row = grid->row[0];
    grid->motion[0] = grid->motion[1];
    grid->row[0] = grid->row[1];
    grid->motion[1] = motion;
    grid->row[1] = row;
    grid->lookup->is_fresh = false;
    assert_true(world_hash(world) != hash);

    world_destroy(world);
}

/* ---- clones ---- */

static void check_equal(const struct state_rows *a, const struct state_rows *b) {
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        if (a->row[i].size != b->row[i].size ||
            (a->row[i].size > 0 && memcmp(a->row[i].at, b->row[i].at, a->row[i].size) != 0)) {
            fail_msg("%s is not in the clone or image", a->row[i].name);
        }
    }
}

/* What has no influence, but goes along. */
static void rows_beside(struct world *world, struct state_rows *rows) {
    STATE_ROW(rows, "has_sent", world->has_sent);
    STATE_ROW(rows, "has_driven", world->has_driven);
    STATE_ROW(rows, "is_pure_flock", world->is_pure_flock);
    STATE_ROW(rows, "has_memories", world->has_memories);
    STATE_ROW(rows, "is_tireless", world->kinds[0].is_tireless);
    STATE_ARRAY(rows, "gates", world->scenery.def.gates, world->scenery.def.gate_count);
}

static void check_clone(struct world *world, struct world *other,
                        void (*rows_of)(struct world *, struct state_rows *)) {
    struct state_rows from = {0}, to = {0};
    assert_true(world_clone_reserve(other, world));
    for (int round = 0; round < 2; round++) {
        rows_of(world, &from);
        derived_rows(world, &from);
        rows_beside(world, &from);
        for (int i = 0; i < from.count && round == 0; i++) {
            assert_true(from.row[i].size == 0 || from.row[i].at != NULL);
        }
        assert_true(world_clone(other, world));
        rows_of(other, &to);
        derived_rows(other, &to);
        rows_beside(other, &to);
        check_equal(&from, &to);
        assert_true(world_hash(world) == world_hash(other));
        for (int i = 0; i < from.count; i++) { /* they share nothing */
            assert_true(from.row[i].size == 0 || from.row[i].at != to.row[i].at);
        }
    }
}

static void test_clones(void **state) {
    struct world *everything = make_everything(), *drifting = make_drifting();
    struct world_def def = world_def_default();
    struct world *other = build(&def);
    struct state_rows rows;
    world_sort(everything); /* own bodies were given behind its back */
    world_group_kinds(everything);
    rows_of_everything(everything, &rows);
    everything->has_sent = everything->kinds[0].draws_body = true;
    for (int i = 0; i < rows.count; i++) { /* so that nothing is what a new world has */
        const char *name = rows.row[i].name;
        if (strcmp(name, "kind") != 0 && strcmp(name, "id") != 0 && strcmp(name, "flags") != 0) {
            flip(&rows.row[i]);
        }
    }
    check_clone(everything, other, rows_of_everything);
    check_clone(drifting, other, rows_of_order);
    check_clone(everything, other, rows_of_everything);
    world_destroy(everything);
    world_destroy(drifting);
    world_destroy(other);
}

/* A row that moves takes everything along. */
static void test_moved_rows(void **state) {
    struct world *world = make_everything();
    struct state_rows before = {0}, after = {0};
    const uint32_t first = world->id[5];
    world->aim[3] = (struct aim){AIM_POINT, 0, {1.0f, 2.0f}};
    world->drive[3] = (struct drive){{-3.0f, 4.0f}, 7};
    world_memory(world, 3)->quarry = 7;
    world->heading[world_place(world, 3)] = vec2_make(0.6f, 0.8f);
    world->own_body[3] = (struct body){1.0f, 2.0f, 3.0f, 4.0f};
    world->flags[3] |= AGENT_OWN_BODY;
    world->kind[3] = 1;
    world->post[3] = 2;
    world->timers[world_place(world, 3)].left[0] = 9;
    world->state[world_place(world, 3)] = 1;
    struct world *old = world_clone_new(world);
    assert_non_null(old);
    assert_int_equal(world_remove(world, (const uint32_t[]){1, first}, 2, NULL), 2);
    for (int row = 3; row <= 4; row++) {
#define MOVED_ENTRY(number, type, name, initial, saved, hashed, by, copied)                                  \
    if (saved) {                                                                                             \
        STATE_ROW(&before, #name, old->name[place_of(old, by, row)]);                                        \
        STATE_ROW(&after, #name, world->name[place_of(world, by, row - 1)]);                                 \
    }
        WORLD_COLUMNS(MOVED_ENTRY)
#undef MOVED_ENTRY
    }
    check_equal(&before, &after);
    world_destroy(old);
    world_destroy(world);
}

/* ---- images ---- */

/* Values that no new agent has, and that are allowed. */
static void change_agents(struct world *world) {
    int32_t pushed = 0;
    uint32_t id = 0;
    const struct obstacle_def stone = {.shape = OBSTACLE_CIRCLE, .at = {700.0f, 500.0f}, .radius = 5.0f};
    world->own_body[2] = (struct body){5.0f, 6.0f, 7.0f, 8.0f};
    world_memory(world, 0)->path = 1;
    world_sort(world);
    assert_int_equal(world_add_obstacle(world, &stone, &id, &pushed), WORLD_OK);
    assert_int_equal(world_add_target(world, "extra", vec2_make(3.0f, 4.0f)), WORLD_OK);
    assert_int_equal(world_remove(world, (const uint32_t[]){5}, 1, NULL), 1);
    steps(world, 3);
    world->state[world_place(world, 1)] = 1;
    *world_memory(world, 1) = (struct memory){.stamina = 0.5f,
                                              .is_exhausted = true,
                                              .state_since = 2,
                                              .quarry = 7,
                                              .wander = {0.6f, 0.8f},
                                              .solid = 2,
                                              .side = -1,
                                              .pace = 12.0f,
                                              .solid_tick = 1,
                                              .path = 1,
                                              .path_s = 33.0f,
                                              .caught = 9};
    world->aim[1] = (struct aim){AIM_TARGET, 1, {0.0f, 0.0f}};
    world->aim[2] = (struct aim){AIM_POINT, 0, {5.0f, 6.0f}};
    world->has_sent = true;
    world->drive[2] = (struct drive){{-5.0f, 6.0f}, LIMIT_HOLD};
    world->has_driven = true;
    world->flags[3] |= AGENT_OWN_BODY;
    world->own_body[3] = (struct body){1.0f, 2.0f, 3.0f, 4.0f};
    world->heading[world_place(world, 4)] = vec2_make(0.8f, -0.6f);
    world->kinds[1].is_tireless = false;
    world->kinds[1].aim = (struct aim){AIM_POINT, 0, {7.0f, 8.0f}};
    world_set_param(world, &(struct param_ref){1, -1, -1, body_fields()}, 3.0);
    world_sort(world);
}

static void rows_of_agent(struct world *world, int32_t row, struct state_rows *rows) {
    struct memory *memory = world_memory(world, row);
    STATE_ROW(rows, "grid.motion", world->grid.motion[grid_slot(&world->grid, row)]);
#define AGENT_ENTRY(number, type, name, initial, saved, hashed, by, copied)                                  \
    if ((saved) && (const void *)&world->name[place_of(world, by, row)] != (const void *)memory &&           \
        ((const void *)&world->name[place_of(world, by, row)] != (const void *)&world->own_body[row] ||      \
         (world->flags[row] & AGENT_OWN_BODY))) {                                                            \
        STATE_ROW(rows, #name, world->name[place_of(world, by, row)]);                                       \
    }
    WORLD_COLUMNS(AGENT_ENTRY)
#undef AGENT_ENTRY
    state_rows_of_memory(rows, memory);
}

static void rows_of_image(struct world *world, struct state_rows *rows) {
    STATE_ROW(rows, "seed", world->seed);
    STATE_ROW(rows, "tick", world->tick);
    STATE_ROW(rows, "tick_hz", world->tick_hz);
    STATE_ROW(rows, "bounds", world->bounds);
    STATE_ROW(rows, "next_id", world->next_id);
    STATE_ROW(rows, "next_obstacle", world->next_obstacle);
    STATE_ROW(rows, "has_sent", world->has_sent);
    STATE_ROW(rows, "has_driven", world->has_driven);
    STATE_ROW(rows, "is_pure_flock", world->is_pure_flock);
    for (int t = 0; t < world->target_count; t++) {
        state_rows_of_target(rows, &world->targets[t]);
    }
    STATE_ARRAY(rows, "obstacles", world->scenery.def.obstacles, world->scenery.def.obstacle_count);
    for (int k = 0; k < world->kind_count; k++) {
        STATE_ROW(rows, "kind.body", world->kinds[k].def.body);
        STATE_ROW(rows, "kind.aim", world->kinds[k].aim);
        STATE_ROW(rows, "kind.is_tireless", world->kinds[k].is_tireless);
    }
    STATE_ROW(rows, "grid.drift", world->grid.drift);
    state_rows_of_axis(rows, "grid.across", &world->grid.across);
    state_rows_of_axis(rows, "grid.down", &world->grid.down);
    derived_rows(world, rows);
}

static void restore_kinds(struct world *to, const struct world *from) {
    for (int k = 0; k < from->kind_count; k++) {
        struct param_ref ref;
        char name[64];
        for (int i = 0; world_param_at(from, k, i, &ref, name); i++) {
            assert_true(world_restore_param(to, &ref, world_image_param(from, &ref)));
        }
        assert_true(world_restore_kind(to, k, world_image_aim(from, k), world_image_is_tireless(from, k)));
    }
    const struct image_turnover turnover = world_image_turnover(from);
    assert_true(world_restore_turnover(to, &turnover));
    if (from->formation_count == 0) {
        return;
    }
    const struct formation_state formation = world_image_formation(from, 0);
    const bool is_unit = world_restore_formation(to, 0, &formation);
    (void)is_unit; /* rows have other headings than agents */
}

static void restore_agents(struct world *to, const struct world *from) {
    uint32_t runs[64][2];
    int32_t row = 0, count = 0;
    unsigned char entries[64 * WORLD_ENTRY_BYTES];
    struct image_fault fault = {"", 0};
    struct image_column column;
    const struct image_slots all = world_image_own(from);
    const uint64_t changed = world_image_changed(from, &all, true);
    while (world_image_ids(from, &row, &runs[count][0], &runs[count][1])) {
        count++;
    }
    assert_true(world_restore_ids(to, (const uint32_t(*)[2])runs, count, &fault));
    for (int i = 0; world_image_column(i, &column); i++) {
        struct image_cursor taken = {.column = i}, put = {.column = i};
        assert_int_equal(world_image_entries(to, i), world_image_entries(from, i));
        while ((changed >> i & 1) && (count = world_image_take(from, &taken, entries, 7)) > 0) {
            if (!world_image_put(to, &put, entries, count, &fault)) {
                fail_msg("%s[%d]: %s", column.name, (int)fault.index, fault.what);
            }
        }
    }
}

static void restore_order(struct world *to, const struct world *from) {
    int32_t cells = 0, counts[2 * 64 + 64];
    struct image_fault fault;
    const char *place = "";
    assert_int_equal(world_restore_sort(to, &cells), WORLD_OK);
    if (from->grid.drift != 0.0f) {
        const struct image_order order = world_image_order(from);
        assert_int_equal(order.cells, cells);
        for (int32_t cell = 0; cell < cells; cell++) {
            counts[cell] = order.begin[cell + 1] - order.begin[cell];
        }
        assert_true(world_restore_order(to, from->grid.drift, order.row, counts, &place, &fault));
    }
    assert_true(world_restore_end(to));
}

/* The world that is restored from the image of another; frees the definition. */
static struct world *restore(const struct world *from, struct world_def *def) {
    const struct world_image image = world_image_of(from);
    struct world *to = NULL;
    const char *what = "";
    struct world_def changed = *def;
    for (changed.target_count = 0; changed.target_count < world_target_count(from); changed.target_count++) {
        changed.targets[changed.target_count] = *world_image_target(from, changed.target_count);
    }
    changed.geometry.obstacles = from->scenery.def.obstacles;
    changed.geometry.obstacle_count = from->scenery.def.obstacle_count;
    changed.seed = world_seed(from);
    changed.tick_hz = world_tick_hz(from);
    assert_int_equal(world_restore_begin(&changed, &image, &to, &what), WORLD_OK);
    world_def_fini(def);
    restore_kinds(to, from);
    restore_agents(to, from);
    restore_order(to, from);
    return to;
}

static void check_image(struct world *from, struct world_def def) {
    struct world *to = restore(from, &def);
    struct state_rows a = {0}, b = {0};
    rows_of_image(from, &a);
    rows_of_image(to, &b);
    check_equal(&a, &b);
    for (int32_t row = 0; row < from->agent_count; row++) {
        a.count = b.count = 0;
        world_keep_headings(from);
        world_keep_headings(to);
        rows_of_agent(from, row, &a);
        rows_of_agent(to, row, &b);
        check_equal(&a, &b);
    }
    assert_true(world_hash(from) == world_hash(to));
    world_destroy(to);
}

static void test_images(void **state) {
    struct world *everything = make_everything(), *drifting = make_drifting();
    change_agents(everything);
    check_image(everything, everything_def());
    check_image(drifting, drifting_def());
    struct world_def def = squad_def();
    struct world *squad = build(&def);
    steps(squad, 3);
    assert_true(squad->post[0] + squad->post[1] + squad->post[2] > 0);
    check_image(squad, squad_def());
    world_destroy(squad);
    world_destroy(everything);
    world_destroy(drifting);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash),           cmocka_unit_test(test_hash_of_rows),
        cmocka_unit_test(test_hash_of_shapes), cmocka_unit_test(test_hash_of_slots),
        cmocka_unit_test(test_clones),         cmocka_unit_test(test_moved_rows),
        cmocka_unit_test(test_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
