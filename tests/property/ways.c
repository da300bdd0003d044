/* Way fields: the times of the front equal those of a plain search for the least time, bit for bit, in random worlds, torus
 * or not; they are close to the true distances; a body that follows the flow arrives without a solid in its way; and a
 * world whose ways follow a target that moves is the same after a save, whenever it is saved.
 *
 * DROVER_PROPERTY_SEED and DROVER_PROPERTY_WORLDS repeat or lengthen a run.
 */
#include <stdlib.h>
#include <string.h>

#include "server/recording/checkpoint.h"
#include "server/sim/math/rng.h"
#include "server/sim/world/world_image.h"
#include "tests/property/environment.h"
#include "tests/property/named_scenario.h"
#include "tests/unit/server/recording/save_fixture.h"
#include "tests/unit/server/sim/sim_fixture.h"

#define NEVER 3e38f

static struct rng dice;

static float any(float low, float high) {
    return rng_between(&dice, low, high);
}
static int below(int count) {
    return (int)(rng_next(&dice) % (uint64_t)count);
}

/* ---- the reference: no heap ---- */

struct plain {
    int columns, rows;
    bool wraps;
    float width, height; /* px, of a cell */
    const bool *solid;
    float *time;
    bool *known;
};

static float time_at(const struct plain *plain, int column, int row) {
    if (plain->wraps) {
        column = (column + plain->columns) % plain->columns;
        row = (row + plain->rows) % plain->rows;
    }
    if (column < 0 || row < 0 || column >= plain->columns || row >= plain->rows) {
        return NEVER;
    }
    const int cell = row * plain->columns + column;
    return plain->known[cell] ? plain->time[cell] : NEVER;
}

static float less(float a, float b) {
    return a < b ? a : b;
}

/* The upwind quadratic of two sides, or of one. */
static float front_at(const struct plain *plain, int cell) {
    const int column = cell % plain->columns, row = cell / plain->columns;
    const float w = plain->width, h = plain->height;
    const float a = less(time_at(plain, column - 1, row), time_at(plain, column + 1, row));
    const float b = less(time_at(plain, column, row - 1), time_at(plain, column, row + 1));
    float best = a < NEVER ? a + w : NEVER;
    best = b < NEVER ? less(best, b + h) : best;
    if (a < NEVER && b < NEVER) {
        const float p = 1.0f / (w * w), q = 1.0f / (h * h);
        const float root = p + q - p * q * (a - b) * (a - b);
        if (root > 0.0f) {
            const float time = (p * a + q * b + sqrtf(root)) / (p + q);
            best = time > a && time > b ? less(best, time) : best;
        }
    }
    return best;
}

/* plain->time: 0 at the goals, NEVER elsewhere; known: nothing. */
static void spread(struct plain *plain) {
    const int cells = plain->columns * plain->rows;
    for (;;) {
        int first = -1;
        for (int cell = 0; cell < cells; cell++) {
            if (!plain->known[cell] && plain->time[cell] < NEVER &&
                (first < 0 || plain->time[cell] < plain->time[first])) {
                first = cell;
            }
        }
        if (first < 0) {
            return;
        }
        plain->known[first] = true;
        for (int cell = 0; cell < cells; cell++) {
            if (!plain->known[cell] && !plain->solid[cell]) {
                plain->time[cell] = less(plain->time[cell], front_at(plain, cell));
            }
        }
    }
}

/* ---- sceneries ---- */

static vec2 somewhere(vec2 size) {
    return vec2_make(any(0.0f, size.x), any(0.0f, size.y));
}

static void add_solids(struct geometry_def *def, vec2 size) {
    for (int i = below(6); i > 0; i--) {
        struct obstacle_def *obstacle = geometry_def_add_obstacle(def);
        assert_non_null(obstacle);
        *obstacle =
            (struct obstacle_def){.shape = below(2) ? OBSTACLE_CIRCLE : OBSTACLE_BOX, .at = somewhere(size)};
        obstacle->radius = any(0.0f, 0.24f * less(size.x, size.y));
        obstacle->size = vec2_scale(somewhere(size), 0.4f);
    }
    for (int i = below(6); i > 0; i--) {
        struct wall_def *wall = geometry_def_add_wall(def);
        assert_non_null(wall);
        wall->from = somewhere(size);
        wall->to = vec2_add(wall->from, vec2_scale(vec2_sub(somewhere(size), somewhere(size)), 0.4f));
    }
}

static void add_way(struct geometry_def *def, vec2 size, float cell, float body, int goals) {
    struct flow_def *flow = geometry_def_add_flow(def);
    assert_non_null(flow);
    *flow = (struct flow_def){.name = "w", .strength = 50.0f, .body = body, .goal_count = goals};
    for (int i = 0; i < goals; i++) {
        flow->goals[i] = (struct way_goal){.name = {(char)('a' + i)}, .at = somewhere(size)};
    }
    assert_int_equal(flow_def_begin_way(flow, cell, size), 0);
}

static struct scenery make(struct geometry_def *def, const struct bounds *bounds) {
    struct scenery scenery;
    assert_null(geometry_def_fault(def, bounds->edge == EDGE_WRAP, bounds->size));
    assert_int_equal(scenery_init(&scenery, def, bounds), 0);
    geometry_def_fini(def);
    return scenery;
}

static bool is_goal(const struct flow_def *flow, const struct bounds *bounds, int cell) {
    for (int i = 0; i < flow->goal_count; i++) {
        if (way_cell_of(flow, bounds, flow->goals[i].at) == cell) {
            return true;
        }
    }
    return false;
}

/* Whether all goals are where a body fits: otherwise they go elsewhere, which the reference leaves alone. */
static bool has_free_goals(const struct scenery *scenery, const struct bounds *bounds) {
    const struct flow_def *flow = &scenery->def.flows[0];
    for (int i = 0; i < flow->goal_count; i++) {
        if (scenery->no_way[way_cell_of(flow, bounds, flow->goals[i].at)]) {
            return false;
        }
    }
    return true;
}

static void check_times(const struct scenery *scenery, const struct bounds *bounds) {
    const struct flow_def *flow = &scenery->def.flows[0];
    const int cells = flow_def_cells(flow);
    struct plain plain = {flow->columns,
                          flow->rows,
                          bounds->edge == EDGE_WRAP,
                          bounds->size.x / (float)flow->columns,
                          bounds->size.y / (float)flow->rows,
                          scenery->no_way,
                          calloc((size_t)cells, sizeof(float)),
                          calloc((size_t)cells, sizeof(bool))};
    for (int cell = 0; cell < cells; cell++) {
        plain.time[cell] = is_goal(flow, bounds, cell) ? 0.0f : NEVER;
    }
    spread(&plain);
    assert_memory_equal(plain.time, scenery->room.time, sizeof(float) * (size_t)cells);
    for (int cell = 0; cell < cells; cell++) {
        const vec2 vector = flow->vectors[cell];
        const float speed = vec2_length(vector);
        const bool leads = plain.known[cell] && plain.time[cell] > 0.0f;
        assert_true(!leads || (speed > 49.99f && speed < 50.01f));
        assert_true(plain.known[cell] || scenery->no_way[cell] || speed == 0.0f); /* cut off: no flow */
    }
    free(plain.time);
    free(plain.known);
}

static void test_reference(void **state) {
    const int worlds = (int)environment("DROVER_PROPERTY_WORLDS", 60);
    int compared = 0;
    dice = rng_begin(environment("DROVER_PROPERTY_SEED", 1), 0, 0, 0);
    for (int i = 0; i < worlds; i++) {
        const struct bounds bounds = {{any(100.0f, 400.0f), any(100.0f, 300.0f)},
                                      below(2) ? EDGE_WRAP : EDGE_OPEN};
        struct geometry_def def = {0};
        add_solids(&def, bounds.size);
        add_way(&def, bounds.size, any(7.0f, 20.0f), any(0.0f, 12.0f), 1 + below(3));
        struct scenery scenery = make(&def, &bounds);
        if (has_free_goals(&scenery, &bounds)) {
            compared++;
            check_times(&scenery, &bounds);
        }
        /* The same field when a goal comes from elsewhere. */
        struct scenery copy;
        assert_int_equal(scenery_init(&copy, &scenery.def, &bounds), 0);
        const vec2 at = scenery.def.flows[0].goals[0].at;
        (void)scenery_lead_ways(&copy, &bounds, "a", somewhere(bounds.size));
        (void)scenery_lead_ways(&copy, &bounds, "a", at);
        assert_memory_equal(copy.def.flows[0].vectors, scenery.def.flows[0].vectors,
                            sizeof(vec2) * (size_t)flow_def_cells(&scenery.def.flows[0]));
        scenery_fini(&copy);
        scenery_fini(&scenery);
    }
    assert_true(compared > worlds / 4);
}

/* ---- how good the times are ---- */

static void test_error(void **state) {
    const struct bounds bounds = {{1024.0f, 1024.0f}, EDGE_OPEN};
    struct geometry_def def = {0};
    add_way(&def, bounds.size, 8.0f, 5.0f, 1);
    def.flows[0].goals[0].at = vec2_make(100.0f, 100.0f);
    struct scenery scenery = make(&def, &bounds);
    const struct flow_def *flow = &scenery.def.flows[0];
    const vec2 goal = way_cell_middle(flow, &bounds, way_cell_of(flow, &bounds, flow->goals[0].at));
    float worst = 0.0f;
    for (int cell = 0; cell < flow_def_cells(flow); cell++) {
        const float distance = vec2_length(vec2_sub(way_cell_middle(flow, &bounds, cell), goal));
        const float share = distance > 160.0f ? (scenery.room.time[cell] - distance) / distance : 0.0f;
        assert_true(share > -0.0001f);
        worst = share > worst ? share : worst;
    }
    print_message("worst error at 20 cells and more: %.2f %%\n", (double)(100.0f * worst));
    assert_true(worst < 0.05f);
    scenery_fini(&scenery);
}

/* A point that the flow carries gets to the goal and stays as far from solids as a body needs, but for half a cell. */
static void test_carried(void **state) {
    int arrived = 0;
    dice = rng_begin(environment("DROVER_PROPERTY_SEED", 2), 0, 0, 0);
    for (int i = 0; i < 60; i++) {
        const struct bounds bounds = {{any(300.0f, 500.0f), any(200.0f, 400.0f)},
                                      below(2) ? EDGE_WRAP : EDGE_OPEN};
        struct geometry_def def = {0};
        add_solids(&def, bounds.size);
        add_way(&def, bounds.size, 6.0f, 8.0f, 1);
        struct scenery scenery = make(&def, &bounds);
        const struct flow_def *flow = &scenery.def.flows[0];
        const int32_t cell = below(flow_def_cells(flow));
        if (!has_free_goals(&scenery, &bounds) || scenery.room.time[cell] >= NEVER) {
            scenery_fini(&scenery);
            continue;
        }
        vec2 at = way_cell_middle(flow, &bounds, cell);
        const float length = scenery.room.time[cell];
        float left = 1.5f * length + 50.0f;
        const vec2 goal = flow->goals[0].at;
        while (left > 0.0f && vec2_length(bounds_difference(&bounds, at, goal)) > 12.0f) {
            at = bounds_settle(&bounds, vec2_add(at, vec2_scale(flow_at(flow, &bounds, at), 0.02f)));
            assert_true(scenery_nearest(&scenery, &bounds, at).touch.distance > 8.0f - 6.0f);
            left -= 1.0f;
        }
        assert_true(left > 0.0f);
        arrived++;
        scenery_fini(&scenery);
    }
    assert_true(arrived > 20);
}

/* ---- in a world ---- */

static const char *const rooms =
    "{\"name\":\"Rooms\",\"seed\":3,\"world\":{\"size\":[400,200],\"edge\":\"bounce\","
    "\"walls\":[[200,0,200,90],[200,120,200,200]],\"areas\":{\"hall\":{\"rect\":[20,20,60,160]}},"
    "\"flow_fields\":{\"out\":{\"way\":{\"to\":[\"exit\"],\"cell\":5,\"body\":6}},"
    "\"home\":{\"way\":{\"to\":[\"hall\"],\"cell\":8,\"body\":6}}}},"
    "\"targets\":{\"exit\":[380,30]},"
    "\"kinds\":{\"walker\":{\"radius\":5,\"behaviors\":[{\"follow_flow\":{\"flow_field\":\"out\"}}]},"
    "\"guest\":{\"radius\":5,\"behaviors\":[{\"follow_flow\":{\"flow_field\":\"home\"}}]}},"
    "\"agents\":[{\"kind\":\"walker\",\"at\":[40,30]},{\"kind\":\"walker\",\"at\":[60,170]},"
    "{\"kind\":\"guest\",\"at\":[360,180]}]}";

/* Whether ways lead elsewhere than to where their target is now. */
static bool is_behind(const struct world *world) {
    const struct target_def *exit = world_image_target(world, 0);
    return exit->at.x != exit->way_at.x || exit->at.y != exit->way_at.y;
}

/* The state as it is after a save, and a clone, go on as it does. */
static void check_goes_on(const struct simulation_state *state) {
    const struct world_overrides overrides = {0};
    struct simulation_state loaded;
    state_through_save(state, &overrides, &loaded);
    struct world *clone = world_clone_new(state->world), *own = world_clone_new(state->world);
    assert_true(clone && own);
    for (int tick = 0; tick < 20; tick++) {
        assert_true(world_hash(loaded.world) == world_hash(own) && world_hash(clone) == world_hash(own));
        step_state(&loaded, 1);
        world_step(own);
        world_step(clone);
    }
    world_destroy(clone);
    world_destroy(own);
    simulation_state_fini(&loaded);
}

static void test_saves(void **unused) {
    struct simulation_state state;
    int behind = 0;
    simulation_state_init(&state);
    put_world(&state, rooms, "rooms");
    for (int tick = 0; tick < 40; tick++) {
        if (tick % 4 == 1) {
            char request[128];
            (void)snprintf(request, sizeof request,
                           "{\"op\":\"set_target\",\"name\":\"exit\",\"x\":%d,\"y\":%d}", 20 + 9 * tick,
                           190 - 4 * tick);
            apply_text(&state, 1, request);
        }
        behind += is_behind(state.world);
        check_goes_on(&state);
        step_state(&state, 1);
        assert_true(world_tick(state.world) % WAY_TICKS != 0 || !is_behind(state.world));
    }
    assert_true(behind > 10);
    simulation_state_fini(&state);
}

static vec2 place_of_agent(const struct simulation_state *state, int32_t row) {
    return world_agent(state->world, row).position;
}

static float to_exit(const struct simulation_state *state, int32_t row) {
    return vec2_length(vec2_sub(place_of_agent(state, row), world_target_position(state->world, 0)));
}

/* Through the door to the target, and back when it has moved; a door that is closed ends the way, one that opens again
 * gives it back; areas are reached on the way that is shortest. */
static void test_doors(void **unused) {
    struct simulation_state state;
    simulation_state_init(&state);
    put_world(&state, rooms, "rooms");
    step_state(&state, 600);
    assert_true(to_exit(&state, 0) < 15.0f && to_exit(&state, 1) < 15.0f);
    const vec2 guest = place_of_agent(&state, 2);
    assert_true(guest.x > 20.0f && guest.x < 80.0f && guest.y > 20.0f && guest.y < 180.0f);
    apply_text(&state, 1, "{\"op\":\"set_target\",\"name\":\"exit\",\"x\":30,\"y\":180}");
    apply_text(&state, 1, "{\"op\":\"add_obstacle\",\"box\":[190,85,20,40]}");
    step_state(&state, 600);
    assert_true(place_of_agent(&state, 0).x > 210.0f && place_of_agent(&state, 1).x > 210.0f);
    assert_true(vec2_length(world_agent(state.world, 0).velocity) < 1.0f); /* no way: it stands */
    apply_text(&state, 1, "{\"op\":\"move_obstacle\",\"obstacle\":1,\"x\":390,\"y\":10}");
    step_state(&state, 600);
    assert_true(to_exit(&state, 0) < 15.0f && to_exit(&state, 1) < 15.0f);
    simulation_state_fini(&state);
}

/* Whether ways are rebuilt once or with each change, the world is the same; and they are rebuilt once. */
static void test_held(void **unused) {
    struct world *worlds[] = {world_named("level_crossing"), world_named("level_crossing")};
    world_hold_ways(worlds[1], true);
    for (int i = 0; i < 2; i++) {
        const uint32_t made = world_ways_made(worlds[i]);
        int32_t pushed = 0;
        for (int turn = 0; turn < 9; turn++) {
            assert_int_equal(world_set_door(worlds[i], 4, turn % 2 == 0), WORLD_OK);
        }
        assert_int_equal(world_move_obstacle(worlds[i], 3, (vec2){20.0f, 20.0f}, &pushed), WORLD_OK);
        assert_int_equal(world_ways_made(worlds[i]) - made, i == 0 ? 10 : 0);
        world_hold_ways(worlds[i], false);
        assert_int_equal(world_ways_made(worlds[i]) - made, i == 0 ? 10 : 1);
        for (int tick = 0; tick < 100; tick++) {
            world_step(worlds[i]);
        }
    }
    assert_true(world_hash(worlds[0]) == world_hash(worlds[1]));
    world_destroy(worlds[0]);
    world_destroy(worlds[1]);
}

static void test_labyrinth(void **unused) {
    struct world *world = world_named("labyrinth");
    const vec2 exit = world_target_position(world, 0);
    int out = 0;
    for (int tick = 0; tick < 90 * 60; tick++) {
        world_step(world);
    }
    for (int32_t row = 0; row < world_agent_count(world); row++) {
        out += world_agent(world, row).position.x > 630.0f;
    }
    (void)exit;
    assert_int_equal(out, 100);
    world_destroy(world);
}

enum { DRIVE_SECONDS = 90, PATIENCE_SECONDS = 12, STANDING_PX = 30 };

/* The cars of scenarios/map_drive.json come to the flag again and again, wherever it jumps, and are never in a rock. */
static void drive_map(uint64_t seed) {
    struct scenario scenario;
    struct world *world = NULL;
    scenario_named("map_drive", &scenario);
    scenario.def.seed = seed;
    assert_int_equal(world_create(&scenario.def, &world, NULL), WORLD_OK);
    scenario_fini(&scenario);
    const struct scenery *scenery = world_scenery(world);
    const struct bounds bounds = world_bounds(world);
    const int32_t cars = world_agent_count(world);
    vec2 flag = world_target_position(world, 0), begin[8];
    int arrivals = 0, since[8] = {0}, tick = 0;
    float least = 1e9f;
    assert_true(cars == 5 && scenery->def.obstacle_count >= 30);
    for (; tick < DRIVE_SECONDS * 60; tick++) {
        world_step(world);
        const vec2 now = world_target_position(world, 0);
        arrivals += now.x != flag.x || now.y != flag.y;
        flag = now;
        for (int32_t row = 0; row < cars; row++) {
            const struct agent_view car = world_agent(world, row);
            const float room =
                scenery_nearest_of_all(scenery, &bounds, car.position).touch.distance - car.radius;
            least = room < least ? room : least;
            if (tick == 0 || vec2_length(vec2_sub(car.position, begin[row])) > STANDING_PX) {
                begin[row] = car.position;
                since[row] = tick;
            }
            assert_true(tick - since[row] < PATIENCE_SECONDS * 60);
        }
    }
    print_message("seed %d: %d arrivals in %d s, never nearer to a rock than %.3f px\n", (int)seed, arrivals,
                  DRIVE_SECONDS, (double)least);
    assert_true(arrivals >= 15 && least >= -0.001f);
    world_destroy(world);
}

static void test_map_drive(void **unused) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        drive_map(seed);
    }
    (void)unused;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map_drive), cmocka_unit_test(test_reference), cmocka_unit_test(test_error),
        cmocka_unit_test(test_carried),   cmocka_unit_test(test_saves),     cmocka_unit_test(test_doors),
        cmocka_unit_test(test_held),      cmocka_unit_test(test_labyrinth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
