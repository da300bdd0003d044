/* server/sim/steering/trace.c and world_trace: the reported places and neighbors are those of the
 * definitions. */
#include <math.h>

#include "server/sim/steering/trace.h"
#include "tests/unit/server/sim/sim_fixture.h"

static const vec2 mouse = {700, 300};

static struct world_def def_with(enum behavior_type type) {
    struct world_def def = one_kind_def(type, mouse);
    def.kinds[0].body.radius = (struct field_range){5, 5};
    def.kinds[0].body.max_speed = (struct field_range){100, 100};
    def.kinds[0].body.max_force = (struct field_range){400, 400};
    return def;
}

/* About agent 2 instead of the mouse. */
static struct world_def def_about_second(enum behavior_type type) {
    struct world_def def = def_with(type);
    behavior_of(&def)->target.target[0] = '\0';
    behavior_of(&def)->target.agent = 2;
    return def;
}

static struct trace trace_of(const struct world *world, int32_t row) {
    struct steering_view view;
    struct trace trace;
    world_trace(world, row, &view, &trace);
    return trace;
}

/* The first agent's places; destroys the world, and with it the labels. */
static struct trace traced(struct world_def *def) {
    struct world *world = build(def);
    const struct trace trace = trace_of(world, 0);
    world_destroy(world);
    return trace;
}

static void assert_point(const struct trace *trace, int index, enum trace_what what, float x, float y) {
    assert_true(index < trace->point_count);
    const struct trace_point *point = &trace->points[index];
    assert_string_equal(trace_names[point->what], trace_names[what]);
    assert_true(fabsf(point->at.x - x) < 0.01f);
    assert_true(fabsf(point->at.y - y) < 0.01f);
    assert_true(what == TRACE_CIRCLE || (point->radius <= 0.0f && point->radius >= 0.0f));
}

static void assert_neighbors(const struct trace *trace, int count, const uint32_t *ids) {
    assert_int_equal(trace->neighbors.count, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(trace->neighbors.ids[i], ids[i]);
    }
}

/* ---- one target ---- */

static void test_targets(void **state) {
    const enum behavior_type types[] = {BEHAVIOR_SEEK, BEHAVIOR_FLEE, BEHAVIOR_ARRIVE, BEHAVIOR_QUEUE};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct world_def def = def_with(types[i]);
        behavior_of(&def)->panic_distance = 0;
        place(&def, (vec2){100, 200}, (vec2){30, 0});
        struct world *world = build(&def);
        const struct trace trace = trace_of(world, 0);
        assert_int_equal(trace.point_count, 1);
        assert_point(&trace, 0, TRACE_TARGET, mouse.x, mouse.y);
        assert_string_equal(trace.points[0].label, behavior_type_name(types[i]));
        assert_int_equal(trace.neighbors.count, 0);
        world_destroy(world);
    }
}

static void test_the_calm_look_at_nothing(void **state) {
    for (int i = 0; i < 2; i++) {
        struct world_def def = def_with(i == 0 ? BEHAVIOR_FLEE : BEHAVIOR_EVADE);
        behavior_of(&def)->panic_distance = 599;
        place(&def, (vec2){100, 300}, (vec2){0, 0});
        assert_int_equal(traced(&def).point_count, 0);
    }
}

/* The quarry is 50 px away, half a second at 100 px/s, or less far ahead when max_prediction says so. */
static void test_predictions(void **state) {
    for (int i = 0; i < 4; i++) {
        struct world_def def = def_about_second(i < 2 ? BEHAVIOR_PURSUE : BEHAVIOR_EVADE);
        behavior_of(&def)->panic_distance = 0;
        behavior_of(&def)->max_prediction = i % 2 == 0 ? 2.0f : 0.25f;
        place(&def, (vec2){100, 300}, (vec2){0, 0});
        place(&def, (vec2){150, 300}, (vec2){0, 60});
        const struct trace trace = traced(&def);
        assert_int_equal(trace.point_count, 1);
        assert_point(&trace, 0, TRACE_PREDICTED, 150, i % 2 == 0 ? 330 : 315);
        assert_neighbors(&trace, 1, (const uint32_t[]){2});
    }
}

/* On a torus a place across the border is reported inside the world; elsewhere beyond it. */
static void test_borders(void **state) {
    for (int wraps = 0; wraps < 2; wraps++) {
        struct world_def def = def_about_second(BEHAVIOR_PURSUE);
        def.edge = wraps ? EDGE_WRAP : EDGE_BOUNCE;
        behavior_of(&def)->max_prediction = 0.5f;
        place(&def, (vec2){700, 300}, (vec2){0, 0});
        place(&def, (vec2){780, 300}, (vec2){60, 0});
        const struct trace trace = traced(&def);
        assert_point(&trace, 0, TRACE_PREDICTED, wraps ? 10 : 810, 300);
    }
}

/* ---- places beside another ---- */

static void test_places(void **state) {
    const enum behavior_type types[] = {BEHAVIOR_OFFSET_PURSUIT, BEHAVIOR_FORMATION, BEHAVIOR_FOLLOW_LEADER};
    /* The other goes down: ahead is +y, its right is -x. */
    const vec2 places[] = {{400 - 8, 300 + 20}, {400, 300 - 25}, {400, 300 - 35}};
    for (int i = 0; i < 3; i++) {
        struct world_def def = def_about_second(types[i]);
        behavior_of(&def)->offset = (vec2){20, 8};
        behavior_of(&def)->shape = FORMATION_COLUMN;
        behavior_of(&def)->spacing = 25;
        behavior_of(&def)->distance = 35;
        place(&def, (vec2){300, 200}, (vec2){0, 0});
        place(&def, (vec2){400, 300}, (vec2){0, 50});
        const struct trace trace = traced(&def);
        assert_int_equal(trace.point_count, 1);
        assert_point(&trace, 0, TRACE_PLACE, places[i].x, places[i].y);
        assert_neighbors(&trace, 1, (const uint32_t[]){2});
    }
}

/* Halfway to the middle (450, 300) are 200 px: 2 s ahead. */
static void test_interpose(void **state) {
    struct world_def def = def_about_second(BEHAVIOR_INTERPOSE);
    copy_text(behavior_of(&def)->second.target, "mouse");
    behavior_of(&def)->max_prediction = 10;
    place(&def, (vec2){450, 500}, (vec2){0, 0});
    place(&def, (vec2){200, 300}, (vec2){10, 20});
    const struct trace trace = traced(&def);
    assert_int_equal(trace.point_count, 3);
    assert_point(&trace, 0, TRACE_PREDICTED, 220, 340);
    assert_point(&trace, 1, TRACE_PREDICTED, 700, 300);
    assert_point(&trace, 2, TRACE_MIDPOINT, 460, 320);
}

/* ---- alone ---- */

static void test_wander(void **state) {
    struct world_def def = def_with(BEHAVIOR_WANDER);
    behavior_of(&def)->target.target[0] = '\0';
    behavior_of(&def)->wander_distance = 50;
    behavior_of(&def)->wander_radius = 20;
    place(&def, (vec2){400, 300}, (vec2){0, 40});
    struct world *world = build(&def);
    struct steering_view view;
    struct trace trace;
    world_trace(world, 0, &view, &trace);
    assert_int_equal(trace.point_count, 2);
    assert_point(&trace, 0, TRACE_CIRCLE, 400, 350);
    assert_true(fabsf(trace.points[0].radius - 20.0f) < 1e-3f);
    const vec2 goal = trace.points[1].at;
    assert_int_equal(trace.points[1].what, TRACE_GOAL);
    assert_true(fabsf(vec2_length(vec2_sub(goal, trace.points[0].at)) - 20.0f) < 1e-2f);
    /* What it wants is to go to the goal. */
    const vec2 way = vec2_with_length(vec2_sub(goal, (vec2){400, 300}), 100.0f);
    assert_true(vec2_length(vec2_sub(way, view.desired)) < 0.05f);
    world_destroy(world);
}

static void test_contain(void **state) {
    struct world_def def = def_with(BEHAVIOR_CONTAIN);
    behavior_of(&def)->target.target[0] = '\0';
    behavior_of(&def)->prediction = 1;
    behavior_of(&def)->region = (struct region_def){REGION_RECT, {100, 100}, {200, 100}, 0};
    place(&def, (vec2){250, 150}, (vec2){30, 40});
    const struct trace trace = traced(&def);
    assert_int_equal(trace.point_count, 1);
    assert_point(&trace, 0, TRACE_FUTURE, 280, 190);
}

/* ---- solids, paths, flow ---- */

static void test_avoid_obstacles(void **state) {
    for (int y = 300; y <= 500; y += 200) {
        struct world_def def = def_with(BEHAVIOR_AVOID_OBSTACLES);
        behavior_of(&def)->horizon = 1.5f;
        behavior_of(&def)->clearance = 3;
        add_circle(&def, (vec2){400, 300}, 40);
        place(&def, (vec2){250, (float)y}, (vec2){100, 0});
        const struct trace trace = traced(&def);
        assert_int_equal(trace.point_count, y == 300 ? 2 : 1);
        assert_point(&trace, 0, TRACE_PROBE, 400, (float)y);
        if (y == 300) {
            assert_point(&trace, 1, TRACE_CONTACT, 400 - 40 - 5 - 3, 300);
        }
    }
}

static void test_follow_wall(void **state) {
    struct world_def def = def_with(BEHAVIOR_FOLLOW_WALL);
    behavior_of(&def)->prediction = 0.5f;
    struct wall_def *wall = geometry_def_add_wall(&def.geometry);
    assert_non_null(wall);
    wall->from = (vec2){50, 400};
    wall->to = (vec2){700, 400};
    place(&def, (vec2){300, 360}, (vec2){80, 0});
    const struct trace trace = traced(&def);
    assert_int_equal(trace.point_count, 2);
    assert_point(&trace, 0, TRACE_FUTURE, 340, 360);
    assert_point(&trace, 1, TRACE_SURFACE, 300, 400);
}

static struct world_def def_with_path(enum behavior_type type) {
    struct world_def def = def_with(type);
    const vec2 points[] = {{100, 100}, {700, 100}};
    struct path_def *path = geometry_def_add_path(&def.geometry);
    assert_non_null(path);
    copy_text(path->name, "way");
    path->radius = 20;
    path->point_count = 2;
    memcpy(path->points, points, sizeof points);
    copy_text(behavior_of(&def)->path, "way");
    behavior_of(&def)->prediction = 0.5f;
    return def;
}

static void test_paths(void **state) {
    struct world_def def = def_with_path(BEHAVIOR_FOLLOW_PATH);
    place(&def, (vec2){300, 200}, (vec2){0, 20});
    struct trace trace = traced(&def); /* off the path: to where 0.5 s at 100 px/s further on it is */
    assert_int_equal(trace.point_count, 2);
    assert_point(&trace, 0, TRACE_FUTURE, 300, 210);
    assert_point(&trace, 1, TRACE_PATH_POINT, 350, 100);

    def = def_with_path(BEHAVIOR_FOLLOW_PATH);
    place(&def, (vec2){300, 100}, (vec2){60, 0});
    trace = traced(&def); /* on its course */
    assert_int_equal(trace.point_count, 1);
    assert_point(&trace, 0, TRACE_FUTURE, 330, 100);

    def = def_with_path(BEHAVIOR_FOLLOW_PATH);
    place(&def, (vec2){680, 110}, (vec2){60, 0});
    trace = traced(&def); /* the end */
    assert_point(&trace, 1, TRACE_PATH_POINT, 700, 100);

    def = def_with_path(BEHAVIOR_STAY_ON_PATH);
    place(&def, (vec2){300, 150}, (vec2){60, 0});
    trace = traced(&def);
    assert_int_equal(trace.point_count, 2);
    assert_point(&trace, 0, TRACE_FUTURE, 330, 150);
    assert_point(&trace, 1, TRACE_PATH_POINT, 330, 100);
}

static void test_follow_flow(void **state) {
    struct world_def def = def_with(BEHAVIOR_FOLLOW_FLOW);
    add_flow(&def, "wind", (struct flow_def){.type = FLOW_UNIFORM, .vector = {30, 40}});
    behavior_of(&def)->prediction = 0.5f;
    place(&def, (vec2){300, 150}, (vec2){60, 20});
    const struct trace trace = traced(&def);
    assert_int_equal(trace.point_count, 1);
    assert_point(&trace, 0, TRACE_FUTURE, 330, 160);
}

static void test_hide(void **state) {
    struct world_def def = def_with(BEHAVIOR_HIDE);
    behavior_of(&def)->clearance = 10;
    add_circle(&def, (vec2){400, 300}, 40);
    place(&def, (vec2){300, 400}, (vec2){0, 0});
    const struct trace trace = traced(&def);
    assert_int_equal(trace.point_count, 1);
    assert_point(&trace, 0, TRACE_HIDING_PLACE, 400 - 40 - 5 - 10, 300);
    def = def_with(BEHAVIOR_HIDE); /* no obstacle: it evades */
    behavior_of(&def)->panic_distance = 0;
    place(&def, (vec2){300, 400}, (vec2){0, 0});
    const struct trace evading = traced(&def);
    assert_point(&evading, 0, TRACE_PREDICTED, mouse.x, mouse.y);
}

/* ---- neighbors ---- */

static void test_center(void **state) {
    for (int i = 0; i < 2; i++) {
        struct world_def def = def_with(i == 0 ? BEHAVIOR_COHESION : BEHAVIOR_FLOCK);
        behavior_of(&def)->target.target[0] = '\0';
        behavior_of(&def)->falloff = FALLOFF_NONE;
        for (int zone = 0; zone < ZONE_COUNT; zone++) {
            behavior_of(&def)->zones[zone] = (struct zone_def){.radius = 60, .field_of_view = 7, .weight = 1};
        }
        place(&def, (vec2){300, 300}, (vec2){10, 0});
        place(&def, (vec2){340, 300}, (vec2){10, 0});
        place(&def, (vec2){300, 320}, (vec2){10, 0});
        place(&def, (vec2){361, 300}, (vec2){10, 0});
        const struct trace trace = traced(&def);
        assert_int_equal(trace.point_count, 1);
        assert_point(&trace, 0, TRACE_CENTER, 320, 310);
        assert_neighbors(&trace, 2, (const uint32_t[]){3, 2});
    }
}

/* Two come head-on, 100 px apart at 100 px/s: they meet in the middle in a second. */
static void test_avoid_agents(void **state) {
    struct world_def def = def_with(BEHAVIOR_AVOID_AGENTS);
    behavior_of(&def)->target.target[0] = '\0';
    place(&def, (vec2){300, 300}, (vec2){50, 0});
    place(&def, (vec2){400, 300}, (vec2){-50, 0});
    place(&def, (vec2){300, 340}, (vec2){-50, 0}); /* near, but no threat */
    const struct trace trace = traced(&def);
    assert_int_equal(trace.point_count, 2);
    assert_point(&trace, 0, TRACE_PREDICTED, 350, 300);
    assert_point(&trace, 1, TRACE_FUTURE, 350, 300);
    assert_neighbors(&trace, 1, (const uint32_t[]){2});
}

/* A row of agents, 1 px from one to the next; the one at 300 asks. */
static struct world *row_of(struct world_def *def, int count) {
    for (int i = 0; i < count; i++) {
        place(def, (vec2){300.0f + (float)i, 300}, (vec2){10, 0});
    }
    return build(def);
}

static struct world_def def_with_zone(enum behavior_type type, float radius, float view) {
    struct world_def def = def_with(type);
    behavior_of(&def)->target.target[0] = '\0';
    behavior_of(&def)->zones[ZONE_SEPARATION].radius = radius;
    behavior_of(&def)->zones[ZONE_SEPARATION].field_of_view = view;
    return def;
}

static void test_the_nearest_are_told_first(void **state) {
    struct world_def def = def_with_zone(BEHAVIOR_SEPARATION, 90, 7);
    struct world *world = row_of(&def, 200);
    uint32_t ids[LIMIT_INSPECT_NEIGHBORS];
    for (uint32_t i = 0; i < LIMIT_INSPECT_NEIGHBORS; i++) {
        ids[i] = 2 + i;
    }
    struct trace trace = trace_of(world, 0);
    assert_neighbors(&trace, LIMIT_INSPECT_NEIGHBORS, ids);
    trace = trace_of(world, 100); /* those on both sides in turn, the lower id first */
    assert_int_equal(trace.neighbors.count, LIMIT_INSPECT_NEIGHBORS);
    for (uint32_t i = 0; i < LIMIT_INSPECT_NEIGHBORS; i++) {
        assert_int_equal(trace.neighbors.ids[i], i % 2 == 0 ? 101 - (1 + i / 2) : 101 + (1 + i / 2));
    }
    world_destroy(world);

    def = def_with_zone(BEHAVIOR_SEPARATION, 20.5f, 7);
    world = row_of(&def, 200);
    assert_int_equal(trace_of(world, 0).neighbors.count, 20);
    assert_int_equal(trace_of(world, 100).neighbors.count, 40);
    world_destroy(world);

    def = def_with_zone(BEHAVIOR_SEPARATION, 20.5f, 3); /* beyond 3 radii only those ahead */
    world = row_of(&def, 200);
    assert_int_equal(trace_of(world, 100).neighbors.count, 20 + 14);
    world_destroy(world);
}

static void test_only_the_nearest_count(void **state) {
    const enum behavior_type types[] = {BEHAVIOR_SEPARATION, BEHAVIOR_ORCA};
    for (int i = 0; i < 2; i++) {
        struct world_def def = def_with_zone(types[i], 90, 7);
        behavior_of(&def)->max_neighbors = 3;
        struct world *world = row_of(&def, 50);
        const struct trace trace = trace_of(world, 0);
        assert_neighbors(&trace, 3, (const uint32_t[]){2, 3, 4});
        assert_int_equal(trace.point_count, 0);
        world_destroy(world);
    }
}

/* ---- terms ---- */

static const struct trace_value *value_of(const struct trace_term *term, const char *name) {
    for (int i = 0; i < term->value_count; i++) {
        if (strcmp(term->values[i].name, name) == 0) {
            return &term->values[i];
        }
    }
    return NULL;
}

static void assert_vector(vec2 vector, float x, float y) {
    assert_true(fabsf(vector.x - x) < 0.01f && fabsf(vector.y - y) < 0.01f);
}

static void test_a_term(void **state) {
    struct world_def def = def_with(BEHAVIOR_SEEK);
    behavior_of(&def)->weight = 0.5f;
    behavior_of(&def)->tier = 2;
    place(&def, (vec2){300, 300}, (vec2){0, 40});
    struct world *world = build(&def);
    const struct trace trace = trace_of(world, 0);
    assert_int_equal(trace.term_count, 1);
    const struct trace_term *term = &trace.terms[0];
    assert_string_equal(term->label, "seek");
    assert_int_equal(term->tier, 2);
    assert_true(term->weight == 0.5f && term->has_desired);
    assert_vector(term->desired, 100, 0);
    assert_vector(value_of(term, "offset")->vector, 400, 0);
    const float rate = value_of(term, "rate")->vector.x;
    assert_vector(term->wants, 0.5f * rate * 100, 0.5f * rate * -40);
    assert_true(fabsf(vec2_length(term->gets) - 400.0f) < 0.01f);
    world_destroy(world);
}

/* What the first tier takes is missing in the second: 400 less what is taken. */
static void test_tiers(void **state) {
    struct world_def def = def_with(BEHAVIOR_SEEK);
    struct state_def *only = &def.kinds[0].states[0];
    only->behaviors[0].weight = 0.04f;
    only->behaviors[1] = only->behaviors[0];
    only->behaviors[1].type = BEHAVIOR_FLEE;
    only->behaviors[1].tier = 1;
    only->behaviors[1].weight = 1;
    only->behavior_count = 2;
    place(&def, (vec2){300, 300}, (vec2){0, 0});
    struct world *world = build(&def);
    struct steering_view view;
    struct trace trace;
    world_trace(world, 0, &view, &trace);
    assert_int_equal(trace.term_count, 2);
    const vec2 first = trace.terms[0].gets, second = trace.terms[1].gets;
    assert_vector(first, trace.terms[0].wants.x, 0);
    assert_true(fabsf(vec2_length(first) + vec2_length(second) - 400.0f) < 0.01f);
    assert_vector(vec2_add(first, second), view.steering.x, view.steering.y);
    world_destroy(world);
}

/* The parts of flock are its rules, each alone. */
static void test_parts(void **state) {
    const enum behavior_type alone[] = {BEHAVIOR_SEPARATION, BEHAVIOR_ALIGNMENT, BEHAVIOR_COHESION};
    vec2 parts[TRACE_PARTS];
    for (int i = 0; i < 4; i++) {
        struct world_def def = def_with(i == 0 ? BEHAVIOR_FLOCK : alone[i - 1]);
        behavior_of(&def)->target.target[0] = '\0';
        behavior_of(&def)->weight = i == 0 ? 0.5f : 0.5f * 3.0f;
        for (int zone = 0; zone < ZONE_COUNT; zone++) {
            behavior_of(&def)->zones[zone] = (struct zone_def){.radius = 60, .field_of_view = 7, .weight = 3};
        }
        place(&def, (vec2){300, 300}, (vec2){10, 0});
        place(&def, (vec2){340, 300}, (vec2){30, 20});
        place(&def, (vec2){300, 320}, (vec2){10, 40});
        struct world *world = build(&def);
        const struct trace trace = trace_of(world, 0);
        const struct trace_term *term = &trace.terms[0];
        if (i == 0) {
            assert_int_equal(term->part_count, TRACE_PARTS);
            memcpy(parts, term->parts, sizeof parts);
            assert_vector(term->wants, parts[0].x + parts[1].x + parts[2].x,
                          parts[0].y + parts[1].y + parts[2].y);
        } else {
            assert_int_equal(term->part_count, 0);
            assert_true(vec2_length(term->wants) > 1.0f);
            assert_true(vec2_length(vec2_sub(parts[i - 1], term->wants)) < 0.001f * vec2_length(term->wants));
        }
        world_destroy(world);
    }
}

/* A velocity filter replaces what the others get. */
static void test_a_velocity_filter(void **state) {
    struct world_def def = def_with(BEHAVIOR_ORCA);
    struct state_def *only = &def.kinds[0].states[0];
    only->behaviors[0].target.target[0] = '\0';
    only->behaviors[0].weight = 0.75f;
    only->behaviors[1] = behavior_def_default(BEHAVIOR_SEEK);
    copy_text(only->behaviors[1].target.target, "mouse");
    only->behavior_count = 2;
    place(&def, (vec2){300, 300}, (vec2){50, 0});
    place(&def, (vec2){340, 300}, (vec2){-50, 0});
    struct world *world = build(&def);
    struct steering_view view;
    struct trace trace;
    world_trace(world, 0, &view, &trace);
    assert_int_equal(trace.term_count, 2);
    assert_string_equal(trace.terms[1].type, "orca");
    assert_int_equal(trace.terms[1].tier, TRACE_NO_TIER);
    assert_true(vec2_length(trace.terms[1].wants) > 1.0f && trace.terms[1].has_desired);
    const vec2 sum = vec2_add(trace.terms[0].gets, trace.terms[1].gets);
    assert_vector(sum, view.steering.x, view.steering.y);
    assert_true(fabsf(vec2_length(trace.terms[0].gets) - 100.0f) < 0.1f); /* a quarter of 400 */
    world_destroy(world);
}

/* ---- all together ---- */

/* The most places that a state can have; each behavior under its own name; no neighbor twice. */
static void test_the_fullest_state(void **state) {
    struct world_def def = def_about_second(BEHAVIOR_INTERPOSE);
    struct state_def *only = &def.kinds[0].states[0];
    copy_text(only->behaviors[0].second.target, "mouse");
    for (int i = 1; i < LIMIT_BEHAVIORS; i++) {
        only->behaviors[i] = only->behaviors[0];
    }
    only->behavior_count = LIMIT_BEHAVIORS;
    place(&def, (vec2){450, 500}, (vec2){0, 0});
    place(&def, (vec2){200, 300}, (vec2){10, 20});
    struct world *world = build(&def);
    const struct trace trace = trace_of(world, 0);
    assert_int_equal(trace.point_count, TRACE_POINTS_MAX);
    assert_int_equal(trace.term_count, LIMIT_BEHAVIORS);
    assert_string_equal(trace.terms[15].label, "interpose16");
    assert_string_equal(trace.terms[15].type, "interpose");
    for (int i = 0; i < trace.term_count; i++) {
        assert_true(trace.terms[i].value_count < TRACE_TERM_VALUES); /* none was left out */
    }
    assert_string_equal(trace.points[2].label, "interpose");
    assert_string_equal(trace.points[3].label, "interpose2");
    assert_string_equal(trace.points[TRACE_POINTS_MAX - 1].label, "interpose16");
    assert_neighbors(&trace, 1, (const uint32_t[]){2});
    world_destroy(world);
}

static void test_to_ask_changes_nothing(void **state) {
    struct world_def def = def_with(BEHAVIOR_FLOCK);
    behavior_of(&def)->target.target[0] = '\0';
    struct state_def *only = &def.kinds[0].states[0];
    only->behaviors[only->behavior_count++] = behavior_def_default(BEHAVIOR_WANDER);
    only->behaviors[only->behavior_count++] = behavior_def_default(BEHAVIOR_AVOID_AGENTS);
    struct world *world = row_of(&def, 60);
    for (int tick = 0; tick < 20; tick++) {
        const uint64_t hash = world_hash(world);
        for (int32_t row = 0; row < 60; row++) {
            struct steering_view plain, asked;
            struct trace trace;
            world_explain(world, row, &plain);
            world_trace(world, row, &asked, &trace);
            assert_int_equal(plain.count, asked.count);
            assert_memory_equal(plain.forces, asked.forces, (size_t)plain.count * sizeof *plain.forces);
            assert_memory_equal(&plain.steering, &asked.steering, sizeof plain.steering);
            assert_null(plain.trace);
        }
        assert_true(world_hash(world) == hash);
        world_step(world);
    }
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_the_calm_look_at_nothing),
        cmocka_unit_test(test_predictions),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_interpose),
        cmocka_unit_test(test_wander),
        cmocka_unit_test(test_contain),
        cmocka_unit_test(test_avoid_obstacles),
        cmocka_unit_test(test_follow_wall),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_follow_flow),
        cmocka_unit_test(test_hide),
        cmocka_unit_test(test_center),
        cmocka_unit_test(test_avoid_agents),
        cmocka_unit_test(test_the_nearest_are_told_first),
        cmocka_unit_test(test_only_the_nearest_count),
        cmocka_unit_test(test_a_term),
        cmocka_unit_test(test_tiers),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_a_velocity_filter),
        cmocka_unit_test(test_the_fullest_state),
        cmocka_unit_test(test_to_ask_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
