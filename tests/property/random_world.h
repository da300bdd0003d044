/* Random worlds: every behavior, every sort of geometry, mostly ordinary values and sometimes the very
 * limits. */
#ifndef DROVER_TESTS_PROPERTY_RANDOM_WORLD_H
#define DROVER_TESTS_PROPERTY_RANDOM_WORLD_H

#include <math.h>
#include <stdio.h>

#include "server/sim/math/rng.h"
#include "server/sim/world/world.h"
#include "tests/unit/server/sim/sim_fixture.h"

static struct rng dice;

static inline float any(float low, float high) {
    return rng_between(&dice, low, high);
}
static inline int below(int count) {
    return (int)(rng_next(&dice) % (uint64_t)count);
}
/* Mostly ordinary values, sometimes the very limits and zero. */
static inline float extreme(float low, float high) {
    switch (below(8)) {
    case 0:
        return low;
    case 1:
        return high;
    default:
        return any(low, low + (high - low) * powf(10.0f, -(float)below(6)));
    }
}

static inline struct field_range range(double low, double high) {
    const float a = extreme((float)low, (float)high), b = below(2) ? a : extreme((float)low, (float)high);
    return (struct field_range){fminf(a, b), fmaxf(a, b)};
}

static inline void random_ref(struct target_ref *ref, int kinds) {
    const char kind[] = {'k', (char)('0' + below(kinds)), '\0'};
    ref->within = below(2) ? 0.0f : extreme(0.0f, 1e6f);
    switch (below(4)) {
    case 0:
        copy_text(ref->target, below(2) ? "t0" : "t1");
        break;
    case 1:
        copy_text(ref->target, "t*");
        break;
    case 2:
        copy_text(ref->kind, kind);
        break;
    default:
        ref->agent = 1 + (uint32_t)below(100);
    }
}

static inline void random_neighbors(struct behavior_def *behavior, int kinds) {
    for (int zone = 0; zone < ZONE_COUNT; zone++) {
        behavior->zones[zone].radius = extreme(0.0f, 1e6f);
        behavior->zones[zone].field_of_view = extreme(0.0f, 6.2831853f);
        behavior->zones[zone].weight = extreme(0.0f, 1000.0f);
    }
    behavior->falloff = below(2);
    behavior->horizon = extreme(0.0f, 60.0f);
    behavior->clearance = extreme(0.0f, 1e6f);
    behavior->distance = extreme(0.0f, 1e6f);
    behavior->clear_ahead = extreme(0.0f, 1e6f);
    behavior->max_neighbors = (uint32_t)below(NEIGHBORS_NEAREST_MAX + 1);
    if (below(2)) {
        copy_text(behavior->kinds, kinds > 1 ? "k0 k1" : "k0");
    }
}

static inline void random_last(struct behavior_def *behavior) {
    behavior->obstacle_horizon = extreme(0.0f, 60.0f);
    behavior->margin = extreme(0.0f, 1e6f);
    behavior->region = (struct region_def){.shape = below(3),
                                           .at = {any(-1e6f, 1e6f), any(-100.0f, 100.0f)},
                                           .size = {extreme(0.0f, 1e6f), extreme(0.0f, 1e6f)},
                                           .radius = extreme(0.0f, 1e6f)};
    behavior->mode = below(2);
    behavior->hold = 1 + (uint32_t)below(LIMIT_HOLD);
    behavior->limit = below(2) ? 0.0f : extreme(0.0f, 1e9f);
    behavior->time_gap = extreme(0.0f, 60.0f);
    behavior->push = extreme(0.0f, 1000.0f);
    behavior->range = below(2) ? 0.0f : extreme(0.0f, 1e6f);
    behavior->wall_push = extreme(0.0f, 1000.0f);
    behavior->wall_range = below(2) ? 0.0f : extreme(0.0f, 1e6f);
    behavior->side_step = extreme(0.0f, 1000.0f);
    behavior->side_range = below(2) ? 0.0f : extreme(0.0f, 1e6f);
    if (behavior_is_velocity_filter((enum behavior_type)behavior->type)) {
        behavior->weight = behavior->weight > 1.0f ? 1.0f : behavior->weight;
        behavior->max_neighbors = behavior->max_neighbors > 0 ? behavior->max_neighbors : 1;
    }
}

static inline void random_condition(struct state_def *state, int kinds) {
    const int simple[] = {CONDITION_NEAR,          CONDITION_EXHAUSTED, CONDITION_STAMINA_BELOW,
                          CONDITION_STAMINA_ABOVE, CONDITION_TIME_OVER, CONDITION_HAS_QUARRY,
                          CONDITION_DRIVEN,        CONDITION_COOLDOWN,  CONDITION_CHANCE,
                          CONDITION_HEARD};
    struct condition_def *nodes = state->conditions;
    state->condition_count = below(2) ? 1 : 4;
    if (state->condition_count == 4) {
        nodes[0].type = below(2) ? CONDITION_ALL : CONDITION_ANY;
        nodes[0].count = 2;
        nodes[1].type = CONDITION_NOT;
    }
    for (int i = state->condition_count == 4 ? 2 : 0; i < state->condition_count; i++) {
        nodes[i].type = simple[below(10)];
        nodes[i].value = nodes[i].type == CONDITION_HEARD ? any(1.0f, 500.0f) : any(0.0f, 1.0f);
        copy_text(nodes[i].name, nodes[i].type == CONDITION_HEARD ? "alarm" : "s0");
        nodes[i].field_of_view = below(2) ? 0.0f : extreme(0.0f, 6.2831853f);
        nodes[i].is_visible = below(2);
        nodes[i].remember = below(2) ? 0.0f : any(0.0f, 1.0f);
        random_ref(&nodes[i].target, kinds);
    }
}

/* As conditions name states and signals. */
static inline void name_state(struct state_def *state, int index, int kind) {
    copy_text(state->name, index == 0 ? "s0" : "s");
    copy_text(state->signal, kind == 0 || below(2) ? "alarm" : "");
}

static inline void random_state(struct state_def *state, bool is_last, int kinds) {
    state->stamina_rate = below(2) ? extreme(-1e6f, 1e6f) : any(-5.0f, 5.0f);
    state->combine = below(2);
    state->behavior_count = below(LIMIT_BEHAVIORS + 1);
    for (int b = 0; b < state->behavior_count; b++) {
        struct behavior_def *behavior = &state->behaviors[b];
        *behavior = behavior_def_default((enum behavior_type)below(BEHAVIOR_TYPE_COUNT));
        random_ref(&behavior->target, kinds);
        random_ref(&behavior->second, kinds);
        behavior->weight = extreme(0.0f, 1000.0f);
        behavior->tier = (uint32_t)below(4);
        behavior->probability = extreme(0.0f, 1.0f);
        behavior->slowing_distance = extreme(0.0f, 1e6f);
        behavior->panic_distance = extreme(0.0f, 1e6f);
        behavior->law = below(2);
        behavior->max_prediction = extreme(0.0f, 3600.0f);
        behavior->keep = behavior->type == BEHAVIOR_PURSUE && below(2);
        behavior->offset = (vec2){any(-1e5f, 1e5f), any(-100.0f, 100.0f)};
        behavior->shape = below(4);
        behavior->spacing = extreme(0.0f, 10000.0f);
        behavior->wander_radius = extreme(0.0f, 10000.0f);
        behavior->wander_distance = extreme(0.0f, 10000.0f);
        behavior->wander_rate = extreme(0.0f, 100.0f);
        random_neighbors(behavior, kinds);
        copy_text(behavior->path, "p0");
        copy_text(behavior->flow_field, "f0");
        behavior->horizon = extreme(0.0f, 60.0f);
        behavior->clearance = extreme(0.0f, 1000.0f);
        behavior->distance = extreme(0.0f, 10000.0f);
        behavior->prediction = extreme(0.0f, 60.0f);
        behavior->direction = any(-1.0f, 1.0f);
        random_last(behavior);
    }
    if (!is_last && below(4)) {
        random_condition(state, kinds);
    }
}

static inline void random_kind(struct world_def *def, int index, int kinds) {
    char name[] = {'k', (char)('0' + index), '\0'};
    struct kind_def *kind = world_def_add_kind(def, name);
    assert_non_null(kind);
    kind->body.mass = range(0.01, 1e6);
    kind->body.radius = range(0.0, 10000.0);
    kind->body.max_speed = range(0.0, LIMIT_SPEED);
    kind->body.max_force = range(0.0, 1e9);
    kind->body.max_turn_rate = extreme(0.0f, 1507.0f);
    kind->body.locomotion = below(LOCOMOTION_COUNT);
    kind->body.max_stamina = below(2) ? extreme(0.0f, 1e6f) : 0.0f;
    kind->state_count = 1 + below(3);
    for (int s = 0; s < kind->state_count; s++) {
        random_state(&kind->states[s], s + 1 == kind->state_count, kinds);
        name_state(&kind->states[s], s, index);
    }
}

/* Mud and stairs, in places that overlap. */
static inline void random_areas(struct world_def *def) {
    for (int i = below(3); i > 0; i--) {
        struct area_def *area = geometry_def_add_area(&def->geometry);
        assert_non_null(area);
        (void)snprintf(area->name, sizeof area->name, "a%d", i);
        const vec2 size = vec2_scale(def->size, any(0.05f, 0.9f));
        const float radius = 0.5f * fminf(size.x, size.y);
        const vec2 at = {any(0.0f, 0.9f * def->size.x), any(0.0f, 0.9f * def->size.y)};
        area->shape = (struct obstacle_def){.shape = below(2), .at = at, .size = size, .radius = radius};
        area->speed = below(4) ? any(0.2f, 1.0f) : 1.0f;
    }
}

/* Obstacles on a lattice with room between them, so that every body has somewhere to be; walls, a path and
 * flow fields anywhere, degenerate ones too. */
static inline void random_geometry(struct world_def *def) {
    random_areas(def);
    const vec2 cell = {def->size.x / 4.0f, def->size.y / 4.0f};
    const float most = 0.3f * fminf(cell.x, cell.y);
    for (int i = 0; i < 16; i++) {
        const int column = i % 4, row = i / 4;
        const vec2 at = {((float)column + 0.5f) * cell.x, ((float)row + 0.5f) * cell.y};
        const float size = extreme(0.0f, most);
        if (below(3) == 0) {
            struct wall_def *wall = geometry_def_add_wall(&def->geometry);
            assert_non_null(wall);
            *wall = (struct wall_def){at, vec2_add(at, (vec2){below(2) ? size : 0.0f, -size})};
        } else {
            struct obstacle_def *obstacle = geometry_def_add_obstacle(&def->geometry);
            assert_non_null(obstacle);
            *obstacle = (struct obstacle_def){
                .shape = below(2), .at = at, .radius = size, .size = {size, below(4) ? size : 0.0f}};
            if (below(3) == 0 && size > 1.0f) {
                *obstacle = (struct obstacle_def){.shape = OBSTACLE_POLYGON, .point_count = 3};
                obstacle->points[0] = at;
                obstacle->points[1] = vec2_add(at, (vec2){size, 0.0f});
                const float up = below(2) ? size : -size;
                obstacle->points[2] = vec2_add(at, (vec2){0.0f, up});
                if (column % 2 == 0 && size > 4.0f) { /* with a dent: it is cut */
                    obstacle->points[3] = obstacle->points[2];
                    obstacle->points[2] = vec2_add(at, (vec2){0.2f * size, 0.2f * up});
                    obstacle->point_count = 4;
                }
            }
        }
    }
}

/* Some obstacles follow the path, some are doors. */
static inline void random_movers(struct world_def *def) {
    for (int i = 0; i < def->geometry.obstacle_count; i++) {
        struct obstacle_def *obstacle = &def->geometry.obstacles[i];
        if (below(3) == 0) {
            copy_text(obstacle->move.path, "p0");
            obstacle->move.speed = extreme(0.01f, LIMIT_MOVER_SPEED);
            obstacle->move.wait = below(2) ? extreme(0.0f, 100.0f) : 0.0f;
            obstacle->move.start = below(2) ? extreme(0.0f, LIMIT_MOVER_TIME) : 0.0f;
            obstacle->move.is_once = below(4) == 0;
        } else if (below(2)) {
            obstacle->door.open = (vec2){extreme(-1000.0f, 1000.0f), extreme(-1000.0f, 1000.0f)};
            obstacle->door.time = extreme(0.01f, 100.0f);
            obstacle->door.is_closed = below(2);
            obstacle->door.until = (uint64_t)below(100);
        }
    }
}

/* Every behavior that names a path or a flow field finds one. */
static inline void random_ways(struct world_def *def) {
    struct path_def *path = geometry_def_add_path(&def->geometry);
    assert_non_null(path);
    copy_text(path->name, "p0");
    path->is_loop = below(2);
    path->radius = extreme(0.0f, 1000.0f);
    path->point_count = 2 + below(63);
    for (int i = 0; i < path->point_count; i++) {
        path->points[i] =
            i > 0 && below(4) == 0 ? path->points[i - 1] : (vec2){any(-1e6f, 1e6f), any(0.0f, def->size.y)};
    }
    path->radius_count = path->point_count % 3 == 0 ? path->point_count : 0;
    for (int i = 0; i < path->radius_count; i++) {
        path->radii[i] = path->radius / (float)(1 + i % 4);
    }
    struct flow_def *flow = geometry_def_add_flow(&def->geometry);
    assert_non_null(flow);
    copy_text(flow->name, "f0");
    flow->type = below(FLOW_GRID);
    flow->at = (vec2){any(-1e6f, 1e6f), any(0.0f, def->size.y)};
    flow->vector = (vec2){extreme(-20000.0f, 20000.0f), any(-100.0f, 100.0f)};
    flow->strength = extreme(-20000.0f, 20000.0f);
    flow->scale = extreme(1.0f, 100000.0f);
    flow->seed = (uint32_t)below(1000);
}

static inline struct world_def random_def(void) {
    struct world_def def = world_def_default();
    def.seed = rng_next(&dice);
    def.tick_hz = below(2) ? 60.0 : (double)extreme(1.0f, LIMIT_TICK_HZ);
    def.size = (vec2){extreme(1.0f, 100000.0f), extreme(1.0f, 100000.0f)};
    def.edge = below(4);
    def.target_count = 2;
    for (int t = 0; t < 2; t++) {
        def.targets[t].name[0] = 't';
        def.targets[t].name[1] = (char)('0' + t);
        def.targets[t].at = (vec2){any(-1e6f, 1e6f), any(-1e6f, 1e6f)};
        def.targets[t].jump_within = below(2) ? extreme(0.0f, 1000.0f) : 0.0f;
        def.targets[t].jump_margin = extreme(0.0f, 1000.0f);
        def.targets[t].stroll_speed = below(4) == 0 ? extreme(0.0f, LIMIT_SPEED) : 0.0f;
        def.targets[t].stroll_after = def.targets[t].stroll_speed > 0.0f ? extreme(0.0f, 2.0f) : 0.0f;
    }
    random_ways(&def);
    if (below(2)) {
        random_geometry(&def);
    }
    if (below(2)) {
        random_movers(&def);
    }
    const int kinds = 1 + below(3);
    for (int k = 0; k < kinds; k++) {
        random_kind(&def, k, kinds);
    }
    for (int p = 0; p < 6; p++) {
        char name[] = {'k', (char)('0' + below(kinds)), '\0'};
        struct placement_def *placement = world_def_add_placement(&def, name);
        assert_non_null(placement);
        placement->count = 1 + (uint32_t)below(20);
        placement->shape = below(3);
        /* Often exactly on a target, where nothing has a direction. */
        placement->at = below(3) ? (vec2){any(-1e6f, 1e6f), any(0.0f, def.size.y)} : def.targets[0].at;
        placement->size = (vec2){any(0.0f, def.size.x), any(0.0f, def.size.y)};
        placement->radius = below(2) ? 0.0f : any(0.0f, 1000.0f);
        placement->velocity = (vec2){extreme(-20000.0f, 20000.0f), extreme(-20000.0f, 20000.0f)};
    }
    return def;
}

#endif
