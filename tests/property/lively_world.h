/* Random worlds of ordinary numbers, in which much happens: agents meet, see each other, follow paths and run into
 * solids; kinds and states often steer alike. And random commands between ticks. */
#ifndef DROVER_TESTS_PROPERTY_LIVELY_WORLD_H
#define DROVER_TESTS_PROPERTY_LIVELY_WORLD_H

#include "tests/property/random_world.h"

enum { LIVELY_AGENTS_MAX = 3000 };

/* Mostly between low and high; sometimes nothing, or far too much. */
static inline float often(float low, float high, float far) {
    const int which = below(16);
    return which == 0 ? 0.0f : which == 1 ? any(high, far) : which == 2 ? low : any(low, high);
}

static inline struct field_range own_range(float low, float high) {
    const float a = any(low, high), b = below(3) == 0 ? any(low, high) : a;
    return (struct field_range){fminf(a, b), fmaxf(a, b)};
}

/* ---- what agents do ---- */

static inline void lively_ref(struct target_ref *ref, int kinds) {
    memset(ref, 0, sizeof *ref);
    ref->within = below(2) ? 0.0f : often(10.0f, 250.0f, 3000.0f);
    switch (below(8)) {
    case 0:
    case 1:
        copy_text(ref->target, below(2) ? "t0" : "t1");
        break;
    case 2:
        copy_text(ref->target, "t*");
        break;
    case 3:
        ref->agent = 1 + (uint32_t)below(100);
        break;
    default:
        ref->kind[0] = 'k';
        ref->kind[1] = (char)('0' + below(kinds));
    }
}

static inline void lively_kinds(struct behavior_def *behavior, int kinds) {
    const char *const masks[] = {"", "k0", "k1", "k0 k1", "k0 k2", "k1 k2 k3", "k0 k1 k2 k3 k4 k5 k6 k7"};
    const int least[] = {1, 1, 2, 2, 3, 4, 8};
    const int which = below(7);
    copy_text(behavior->kinds, least[which] <= kinds ? masks[which] : "");
}

static inline void lively_neighbors(struct behavior_def *behavior, int kinds) {
    for (int zone = 0; zone < ZONE_COUNT; zone++) {
        behavior->zones[zone].radius = often(5.0f, 90.0f, 400.0f);
        behavior->zones[zone].field_of_view = below(2) ? 6.2831853f : any(0.0f, 6.2831853f);
        behavior->zones[zone].weight = often(0.1f, 2.0f, 1000.0f);
    }
    behavior->falloff = below(2);
    behavior->horizon = often(0.2f, 4.0f, 60.0f);
    behavior->clearance = often(0.0f, 10.0f, 200.0f);
    behavior->max_neighbors = below(4) ? 0 : (uint32_t)below(NEIGHBORS_NEAREST_MAX + 1);
    behavior->obstacle_horizon = often(0.1f, 2.0f, 60.0f);
    behavior->time_gap = often(0.2f, 1.0f, 60.0f);
    behavior->range = below(2) ? 0.0f : often(1.0f, 20.0f, 1000.0f);
    behavior->wall_range = below(2) ? 0.0f : often(1.0f, 20.0f, 1000.0f);
    behavior->side_range = below(2) ? 0.0f : often(1.0f, 90.0f, 1000.0f);
    behavior->push = often(0.5f, 8.0f, 1000.0f);
    behavior->wall_push = often(0.5f, 8.0f, 1000.0f);
    behavior->side_step = often(0.5f, 8.0f, 1000.0f);
    if (behavior_is_velocity_filter((enum behavior_type)behavior->type)) {
        const uint32_t some = (uint32_t)(below(2) ? 10 : 1 + below(NEIGHBORS_NEAREST_MAX));
        behavior->max_neighbors = some;
        behavior->weight = below(2) ? 1.0f : any(0.0f, 1.0f);
    }
    lively_kinds(behavior, kinds);
}

static inline void lively_places(struct behavior_def *behavior, vec2 size) {
    behavior->distance = often(0.0f, 60.0f, 5000.0f);
    behavior->clear_ahead = often(0.0f, 60.0f, 5000.0f);
    behavior->offset = (vec2){any(-50.0f, 50.0f), any(-50.0f, 50.0f)};
    behavior->shape = below(4);
    behavior->spacing = often(1.0f, 40.0f, 5000.0f);
    behavior->prediction = often(0.0f, 2.0f, 60.0f);
    behavior->window = below(3) ? behavior->window : often(1.0f, 200.0f, 10000.0f);
    behavior->direction = below(2) ? 1.0f : -1.0f;
    behavior->region = (struct region_def){.shape = below(3),
                                           .at = {any(0.0f, size.x / 2.0f), any(0.0f, size.y / 2.0f)},
                                           .size = {any(0.0f, size.x / 2.0f), any(0.0f, size.y / 2.0f)},
                                           .radius = any(0.0f, size.x / 2.0f)};
    behavior->margin = often(0.0f, 30.0f, 1000.0f);
}

static inline void lively_behavior(struct behavior_def *behavior, int type, int kinds, vec2 size) {
    *behavior = behavior_def_default((enum behavior_type)type);
    lively_ref(&behavior->target, kinds);
    lively_ref(&behavior->second, kinds);
    copy_text(behavior->path, below(3) ? "p0" : "p1");
    copy_text(behavior->flow_field, "f0");
    if (below(4) == 0) {
        return; /* all as it is by default */
    }
    behavior->weight = below(2) ? 1.0f : often(0.1f, 2.0f, 1000.0f);
    behavior->tier = below(2) ? 0 : (uint32_t)below(3);
    behavior->probability = any(0.0f, 1.0f);
    behavior->slowing_distance = often(1.0f, 100.0f, 5000.0f);
    behavior->panic_distance = often(10.0f, 200.0f, 5000.0f);
    behavior->law = below(2);
    behavior->max_prediction = often(0.1f, 3.0f, 3600.0f);
    behavior->keep = type == BEHAVIOR_PURSUE && below(2);
    behavior->wander_radius = often(1.0f, 40.0f, 10000.0f);
    behavior->wander_distance = often(1.0f, 60.0f, 10000.0f);
    behavior->wander_rate = often(0.1f, 10.0f, 100.0f);
    behavior->mode = below(2);
    behavior->hold = (uint32_t)often(1.0f, 8.0f, LIMIT_HOLD);
    behavior->limit = below(2) ? 0.0f : often(1.0f, 200.0f, 1e9f);
    lively_places(behavior, size);
    lively_neighbors(behavior, kinds);
}

static inline void lively_state(struct state_def *state, bool is_last, int kinds, vec2 size) {
    state->stamina_rate = below(2) ? 0.0f : any(-5.0f, 5.0f);
    state->combine = below(6) == 0;
    state->behavior_count = below(5) ? 1 + below(4) : below(LIMIT_BEHAVIORS + 1);
    for (int b = 0; b < state->behavior_count; b++) {
        lively_behavior(&state->behaviors[b], below(BEHAVIOR_TYPE_COUNT), kinds, size);
    }
    if (below(4) == 0 && state->behavior_count < LIMIT_BEHAVIORS) {
        lively_behavior(&state->behaviors[state->behavior_count++], below(2) ? BEHAVIOR_ORCA : BEHAVIOR_WALK,
                        kinds, size);
    }
    if (!is_last && below(8)) {
        random_condition(state, kinds);
        for (int c = 0; c < state->condition_count; c++) {
            lively_ref(&state->conditions[c].target, kinds);
            if (state->conditions[c].type == CONDITION_HEARD) { /* which ranks refuse */
                state->conditions[c].type = CONDITION_CHANCE;
            }
        }
    }
}

/* The same states about something else. */
static inline void copy_states(struct kind_def *kind, const struct kind_def *from, int kinds) {
    kind->state_count = from->state_count;
    memcpy(kind->states, from->states, sizeof kind->states);
    for (int s = 0; s < kind->state_count; s++) {
        for (int b = 0; b < kind->states[s].behavior_count && below(3); b++) {
            struct behavior_def *behavior = &kind->states[s].behaviors[b];
            lively_ref(&behavior->target, kinds);
            copy_text(behavior->path, below(2) ? "p0" : "p1");
            behavior->direction = below(2) ? 1.0f : -1.0f;
            behavior->keep = behavior->type == BEHAVIOR_PURSUE && below(2);
        }
    }
}

static inline void lively_kind(struct world_def *def, int index, int kinds) {
    const char name[] = {'k', (char)('0' + index), '\0'};
    struct kind_def *kind = world_def_add_kind(def, name);
    assert_non_null(kind);
    const float speed = below(8) ? 200.0f : any(1.0f, 20000.0f);
    kind->body.mass = below(2) ? (struct field_range){1.0f, 1.0f} : own_range(0.1f, 20.0f);
    kind->body.radius = below(8) ? own_range(1.0f, 12.0f) : (struct field_range){0.0f, 0.0f};
    kind->body.max_speed = own_range(below(4) ? speed / 4.0f : 0.0f, speed);
    kind->body.max_force = own_range(below(4) ? 10.0f : 0.0f, 1000.0f);
    kind->body.max_turn_rate = below(2) ? 1507.0f : often(1.0f, 20.0f, 1507.0f);
    kind->body.locomotion = below(2) ? 0 : below(LOCOMOTION_COUNT);
    kind->body.max_stamina = below(2) ? any(0.0f, 5.0f) : 0.0f;
    kind->body.turn_radius = any(1.0f, 200.0f);
    if (index > 0 && below(2)) {
        copy_states(kind, &def->kinds[below(index)], kinds);
        return;
    }
    kind->state_count = 1 + (below(2) ? 0 : below(4));
    for (int s = 0; s < kind->state_count; s++) {
        lively_state(&kind->states[s], s + 1 == kind->state_count, kinds, def->size);
        name_state(&kind->states[s], s, index);
    }
}

/* ---- where they are ---- */

static inline vec2 lively_size(void) {
    switch (below(8)) {
    case 0:
        return vec2_make(any(1.0f, 60.0f), any(1.0f, 60.0f));
    case 1:
        return vec2_make(any(1000.0f, 100000.0f), any(30.0f, 100000.0f));
    case 2:
        return vec2_make(any(20.0f, 80.0f), any(1000.0f, 4000.0f));
    default:
        return vec2_make(any(100.0f, 1200.0f), any(100.0f, 900.0f));
    }
}

static inline vec2 somewhere(vec2 size) {
    return vec2_make(any(0.0f, size.x), any(0.0f, size.y));
}

static inline void lively_path(struct world_def *def, const char *name) {
    struct path_def *path = geometry_def_add_path(&def->geometry);
    assert_non_null(path);
    copy_text(path->name, name);
    path->is_loop = below(2);
    path->radius = often(1.0f, 40.0f, 1000.0f);
    path->point_count = 2 + (below(2) ? below(4) : below(63));
    for (int i = 0; i < path->point_count; i++) {
        path->points[i] = i > 0 && below(8) == 0 ? path->points[i - 1] : somewhere(def->size);
    }
}

static inline void lively_scenery(struct world_def *def) {
    lively_path(def, "p0");
    lively_path(def, "p1");
    struct flow_def *flow = geometry_def_add_flow(&def->geometry);
    assert_non_null(flow);
    copy_text(flow->name, "f0");
    flow->type = below(FLOW_GRID);
    flow->at = somewhere(def->size);
    flow->vector = (vec2){any(-200.0f, 200.0f), any(-200.0f, 200.0f)};
    flow->strength = any(-200.0f, 200.0f);
    flow->scale = any(1.0f, 400.0f);
    flow->seed = (uint32_t)below(1000);
    if (below(2)) {
        random_geometry(def);
    }
}

/* `count` agents: anywhere, in a heap, or on a lattice, where many are as far apart. */
static inline void lively_placement(struct world_def *def, int kinds, uint32_t count) {
    const char name[] = {'k', (char)('0' + below(kinds)), '\0'};
    const int shape = below(8);
    const bool is_lattice = shape == 0 && count <= 100;
    const vec2 corner = vec2_make(floorf(def->size.x / 4.0f), floorf(def->size.y / 4.0f));
    for (uint32_t i = 0; i < (is_lattice ? count : 1); i++) {
        const uint32_t line = i / 10;
        struct placement_def *placement = world_def_add_placement(def, name);
        assert_non_null(placement);
        placement->count = is_lattice ? 1 : count;
        placement->shape = is_lattice || shape == 1 ? PLACE_POINT : shape == 2 ? PLACE_CIRCLE : PLACE_RECT;
        placement->at = is_lattice
                            ? vec2_make(corner.x + 16.0f * (float)(i % 10), corner.y + 16.0f * (float)line)
                        : shape == 1 ? somewhere(def->size)
                        : shape == 2 ? vec2_scale(def->size, 0.5f)
                                     : vec2_make(0.0f, 0.0f);
        placement->size = def->size;
        placement->radius = 0.25f * fminf(def->size.x, def->size.y);
        placement->has_velocity = !is_lattice && below(2);
        placement->velocity = vec2_make(any(-100.0f, 100.0f), any(-100.0f, 100.0f));
    }
}

static inline void lively_targets(struct world_def *def) {
    def->target_count = 2 + below(3);
    for (int t = 0; t < def->target_count; t++) {
        struct target_def *target = &def->targets[t];
        target->name[0] = 't';
        target->name[1] = (char)('0' + t);
        target->at = below(8) ? somewhere(def->size) : vec2_make(any(-1e6f, 1e6f), any(-1e6f, 1e6f));
        target->jump_within = below(2) ? often(1.0f, 50.0f, 1000.0f) : 0.0f;
        target->jump_margin = often(0.0f, 50.0f, 1000.0f);
        target->stroll_speed = below(4) == 0 ? any(1.0f, 300.0f) : 0.0f;
        target->stroll_after = target->stroll_speed > 0.0f ? any(0.0f, 0.2f) : 0.0f;
    }
}

static inline struct world_def lively_def(void) {
    struct world_def def = world_def_default();
    def.seed = rng_next(&dice);
    def.tick_hz = below(3) ? 60.0 : (double)any(1.0f, LIMIT_TICK_HZ);
    def.size = lively_size();
    def.edge = below(4);
    lively_targets(&def);
    lively_scenery(&def);
    const int kinds = below(8) ? 1 + below(4) : 1 + below(10);
    for (int k = 0; k < kinds; k++) {
        lively_kind(&def, k, kinds);
    }
    const int most = below(16) == 0 ? 250 : below(2) ? 60 : 20;
    for (int p = 1 + below(4); p > 0; p--) {
        lively_placement(&def, kinds, 1 + (uint32_t)below(most));
    }
    return def;
}

/* ---- commands between ticks ---- */

static inline uint32_t some_agent(const struct world *world) {
    const int32_t count = world_agent_count(world);
    return count > 0 ? world_agent(world, below(count)).id : 1;
}

static inline void command_spawn(struct world *world) {
    uint32_t first;
    const struct spawn_def spawn = {
        .kind = below(world_kind_count(world)),
        .count = (uint32_t)(below(8) ? below(10) : below(200)),
        .shape = below(3),
        .at = somewhere(world_size(world)),
        .size = {any(0.0f, 100.0f), any(0.0f, 100.0f)},
        .radius = any(0.0f, 100.0f),
        .velocity = {any(-50.0f, 50.0f), 0.0f},
    };
    if (world_agent_count(world) < LIVELY_AGENTS_MAX) {
        (void)(world_spawn(world, &spawn, &first) == WORLD_OK);
    }
}

static inline void command_remove(struct world *world) {
    uint32_t ids[20];
    const int count = 1 + below(20);
    for (int i = 0; i < count; i++) {
        ids[i] = some_agent(world);
    }
    if (below(32) == 0) {
        world_remove_kind(world, below(world_kind_count(world)));
    } else {
        world_remove(world, ids, count, NULL);
    }
}

static inline void command_param(struct world *world) {
    struct param_ref ref;
    char name[64];
    const int kind = below(world_kind_count(world)), wanted = below(60);
    int found = 0;
    while (found < 60 && world_param_at(world, kind, found, &ref, name)) {
        found++;
    }
    if (found == 0 || !world_param_at(world, kind, wanted % found, &ref, name)) {
        return;
    }
    double value = world_get_param(world, &ref) * (double)any(0.5f, 2.0f);
    const int which = below(16);
    value = which == 0 ? ref.field->min : value;
    value = which == 1 ? ref.field->min + (ref.field->max - ref.field->min) * 0.001 : value;
    value = ref.field->type == FIELD_UINT32 ? floor(value) : value;
    value = value < ref.field->min ? ref.field->min : value > ref.field->max ? ref.field->max : value;
    if (below(3) == 0 && ref.state < 0 && ref.field->type == FIELD_RANGE) {
        (void)(world_set_agent_param(world, some_agent(world), ref.field, value) == WORLD_OK);
    } else {
        world_set_param(world, &ref, value);
    }
}

static inline void command_aim(struct world *world) {
    const struct aim aim = {
        .mode = (enum aim_mode)below(3),
        .target = below(world_target_count(world)),
        .point = world_settle_point(world, somewhere(world_size(world))),
    };
    if (below(2)) {
        world_aim_kind(world, below(world_kind_count(world)), aim);
    } else {
        (void)(world_aim_agent(world, some_agent(world), aim) == WORLD_OK);
    }
}

static inline void command_obstacle(struct world *world) {
    const vec2 size = world_size(world);
    const float room = 0.2f * fminf(size.x, size.y);
    struct obstacle_def obstacle = {.shape = below(2),
                                    .at = somewhere(size),
                                    .radius = any(0.0f, fminf(room, 40.0f)),
                                    .size = {any(0.0f, fminf(room, 60.0f)), any(0.0f, fminf(room, 60.0f))}};
    if (below(3) == 0) { /* an L, which is cut */
        const vec2 at = obstacle.at, wide = obstacle.size;
        const float x[] = {0.0f, 1.0f, 1.0f, 0.3f, 0.3f, 0.0f}, y[] = {0.0f, 0.0f, 0.4f, 0.4f, 1.0f, 1.0f};
        obstacle.shape = OBSTACLE_POLYGON;
        obstacle.point_count = 6;
        for (int i = 0; i < 6; i++) {
            obstacle.points[i] = vec2_add(at, vec2_make(x[i] * wide.x, y[i] * wide.y));
        }
    }
    uint32_t id = 1 + (uint32_t)below(20);
    int32_t pushed;
    switch (below(3)) {
    case 0:
        (void)(world_remove_obstacle(world, id) == WORLD_OK);
        break;
    case 1:
        (void)(world_move_obstacle(world, id, obstacle.at, &pushed) == WORLD_OK);
        break;
    default:
        if (obstacle_def_fault(&obstacle, world_edge(world) == EDGE_WRAP, size) == NULL) {
            (void)(world_add_obstacle(world, &obstacle, &id, &pushed) == WORLD_OK);
        }
    }
}

static inline void command_target(struct world *world) {
    const char name[] = {'t', (char)('0' + below(10)), '\0'};
    const vec2 at = somewhere(world_size(world));
    int kind;
    switch (below(4)) {
    case 0:
        (void)(world_add_target(world, name, at) == WORLD_OK);
        break;
    case 1:
        if (world_target_count(world) > 1) { /* commands need one */
            (void)(world_remove_target(world, below(world_target_count(world)), &kind) == WORLD_OK);
        }
        break;
    default:
        world_set_target(world, below(world_target_count(world)), at);
    }
}

/* Some agents of a kind, or those of some ids. */
static inline void command_drive(struct world *world) {
    float x[64], y[64];
    uint32_t ids[64];
    struct drive_def drive = {.kind = below(world_kind_count(world)), .x = x, .y = y};
    const int32_t population = world_kind_population(world, drive.kind);
    const float most = often(1.0f, 300.0f, 1e9f);
    drive.count = population < 64 ? population : 64;
    drive.first = below(population - drive.count + 1);
    for (int32_t i = 0; i < drive.count; i++) {
        ids[i] = some_agent(world) + (uint32_t)below(2);
        x[i] = any(-most, most);
        y[i] = any(-most, most);
    }
    drive.agents = below(3) == 0 ? ids : NULL;
    int32_t gone;
    (void)(world_drive(world, &drive, &gone) == WORLD_OK);
}

static inline void some_commands(struct world *world) {
    static void (*const commands[])(struct world *) = {command_spawn,  command_remove, command_param,
                                                       command_param,  command_aim,    command_obstacle,
                                                       command_target, command_drive,  command_drive};
    for (int i = below(4); i > 0; i--) {
        commands[below(9)](world);
    }
}

#endif
