/* The legend has a row for everything that is drawn, with its color, and none for what is not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/server/cmocka_all.h"
#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/legend.h"
#include "viewer/explain/theme.h"

struct fixture {
    struct snapshot *snapshot; /* that the frame names */
    struct server_model server;
    struct frame frame;
    struct view_settings settings;
    struct state_colors colors;
    struct legend legend;
};

static void name_kind(struct message_kind *kind, const char *name) {
    (void)snprintf(kind->name, sizeof kind->name, "%.31s", name);
}

/* Two ships that seek and one that flees; no agent is of the kind cargo. */
static int setup(void **state) {
    static const struct test_agent agents[] = {{.id = 1}, {.id = 2, .state = "flee"}, {.id = 3}};
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    server_model_init(&fixture->server);
    struct snapshot *snapshot = make_snapshot(0.0, agents, 3);
    fixture->server.has_scenario = true;
    fixture->server.scenario.kind_count = 2;
    name_kind(&fixture->server.scenario.kinds[0], "ship");
    name_kind(&fixture->server.scenario.kinds[1], "cargo");
    fixture->settings = view_settings_default();
    fixture->settings.shows_velocity = fixture->settings.shows_desired = fixture->settings.shows_steering =
        false;
    fixture->snapshot = snapshot;
    fixture->frame.names = snapshot;
    fixture->frame.count = fixture->frame.settled_count = 3;
    for (int i = 0; i < 2; i++) {
        (void)snprintf(fixture->server.legend[i].state, sizeof fixture->server.legend[i].state, "%s",
                       i == 0 ? "seek" : "flee");
    }
    fixture->server.legend_count = 2;
    fixture->server.names_count = 2;
    state_colors_init(&fixture->colors);
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    struct fixture *fixture = *state;
    snapshot_destroy(fixture->snapshot);
    server_model_fini(&fixture->server);
    free(fixture);
    return 0;
}

static struct legend_input collect(struct fixture *fixture) {
    state_colors_update(&fixture->colors, &fixture->server);
    const struct legend_input input = {.server = &fixture->server,
                                       .frame = &fixture->frame,
                                       .settings = &fixture->settings,
                                       .colors = &fixture->colors};
    legend_collect(&input, &fixture->legend);
    return input;
}

static const struct legend_row *row_of(const struct fixture *fixture, const char *words) {
    for (int i = 0; i < fixture->legend.count; i++) {
        if (strcmp(fixture->legend.rows[i].words, words) == 0) {
            return &fixture->legend.rows[i];
        }
    }
    return NULL;
}

static void kinds_are_counted(void **state) {
    struct fixture *fixture = *state;
    fixture->settings.color = COLOR_KIND;
    (void)collect(fixture);
    const struct legend_row *ship = row_of(fixture, "ship"), *cargo = row_of(fixture, "cargo");
    assert_non_null(ship);
    assert_non_null(cargo);
    assert_true(ship->mark == LEGEND_AGENT && ship->count == 3 && ship->kind == 0);
    assert_true(cargo->count == 0 && cargo->kind == 1 && cargo->fill != ship->fill);
    assert_int_equal(fixture->legend.agent_count, 2);
    assert_int_equal(fixture->legend.count, 2);
}

/* A row of agents names them; pointed at or kept, it is the lit one. */
static void a_row_of_agents_lights_them(void **state) {
    struct fixture *fixture = *state;
    fixture->settings.color = COLOR_KIND;
    (void)collect(fixture);
    assert_int_equal(fixture->legend.lit, -1);
    const struct agent_group cargo = row_of(fixture, "cargo")->lights, ship = row_of(fixture, "ship")->lights;
    assert_true(cargo.is_on && cargo.kind == 1 && cargo.row == -1 && !agent_group_same(cargo, ship));
    fixture->colors.kept = cargo;
    (void)collect(fixture);
    assert_int_equal(fixture->legend.lit, row_of(fixture, "cargo") - fixture->legend.rows);
    fixture->colors.pointed = ship;
    fixture->server.names_count++; /* another state was seen: the colors are dealt again, in the same world */
    (void)collect(fixture);
    assert_int_equal(fixture->legend.lit, row_of(fixture, "ship") - fixture->legend.rows);
    fixture->server.epoch++;
    (void)collect(fixture);
    assert_int_equal(fixture->legend.lit, -1);
}

static void counts_of_a_part_say_so(void **state) {
    struct fixture *fixture = *state;
    fixture->settings.color = COLOR_KIND;
    fixture->settings.shows_velocity = true;
    struct legend_input input = collect(fixture);
    input.is_part = true; /* frames have the agents around what is visible alone */
    legend_collect(&input, &fixture->legend);
    assert_int_equal(row_of(fixture, "ship, in view")->count, 3);
    assert_null(row_of(fixture, "ship"));
    assert_non_null(row_of(fixture, "velocity")); /* it counts nothing */
}

/* Under a scale the shapes have no color of their own. */
static void a_scale_stands_below_gray_shapes(void **state) {
    struct fixture *fixture = *state;
    const struct color_scale scale = color_scale_of_values(PALETTE_SAFE, "speed, px/s", 100.0f);
    fixture->settings.color = COLOR_SPEED;
    struct legend_input input = collect(fixture);
    input.scale = &scale;
    legend_collect(&input, &fixture->legend);
    assert_int_equal(row_of(fixture, "ship")->fill, theme_color(PALETTE_SAFE, THEME_TEXT_DIM));
    assert_string_equal(fixture->legend.scale.title, "speed, px/s");
    struct legend_heat heat = {.is_tinted = true, .full = 50.0f, .cell_px = 36.0f};
    input.heat = &heat;
    legend_collect(&input, &fixture->legend);
    assert_int_equal(fixture->legend.agent_count, 0);
    assert_null(row_of(fixture, "ship"));
    assert_non_null(row_of(fixture, "full color: 50 per 36 x 36 px"));
    heat.is_tinted = false; /* a density without what the setting asks for */
    legend_collect(&input, &fixture->legend);
    assert_non_null(row_of(fixture, "speed: zoom in to see it"));
}

static void heat_by_kind_has_the_kinds_of_the_density(void **state) {
    struct fixture *fixture = *state;
    uint32_t by_kind[] = {1, 2, 30, 40};
    const struct density density = {.columns = 2,
                                    .rows = 1,
                                    .inside = 73,
                                    .kind_count = 2,
                                    .kinds = {"cargo", "ship"},
                                    .by_kind = by_kind};
    const struct legend_heat heat = {.density = &density, .is_tinted = true, .full = 5.0f, .cell_px = 9.0f};
    fixture->settings.color = COLOR_STATE; /* which no density has */
    struct legend_input input = collect(fixture);
    input.heat = &heat;
    legend_collect(&input, &fixture->legend);
    assert_int_equal(row_of(fixture, "cargo")->count, 3);
    assert_int_equal(row_of(fixture, "ship")->count, 70);
    assert_int_equal(row_of(fixture, "ship")->fill, state_colors_kind(&fixture->colors, PALETTE_SAFE, 0));
    assert_int_equal(fixture->legend.agent_count, 2);
    fixture->settings.color = COLOR_HEADING;
    legend_collect(&input, &fixture->legend);
    assert_non_null(row_of(fixture, "gray: as many each way"));
    assert_null(row_of(fixture, "ship"));
}

static void arrows_have_rows_while_they_are_drawn(void **state) {
    struct fixture *fixture = *state;
    fixture->settings.shows_velocity = fixture->settings.shows_desired = fixture->settings.shows_predicted =
        true;
    (void)collect(fixture);
    assert_int_equal(row_of(fixture, "velocity")->fill, theme_color(PALETTE_SAFE, THEME_VELOCITY));
    assert_int_equal(row_of(fixture, "velocity")->mark, LEGEND_VECTOR);
    assert_int_equal(row_of(fixture, "velocity")->count, -1);
    assert_non_null(row_of(fixture, "the next 2 s"));
    assert_null(row_of(fixture, "desired velocity")); /* there are no forces */
    fixture->frame.has_forces = true;
    fixture->settings.theme = THEME_LIGHT;
    (void)collect(fixture);
    assert_int_equal(row_of(fixture, "desired velocity")->fill,
                     theme_color(PALETTE_SAFE_LIGHT, THEME_DESIRED));
}

/* A behavior has one row, whatever is drawn of it. */
static void behaviors_have_their_colors_once(void **state) {
    struct fixture *fixture = *state;
    struct message_agent *agent = calloc(1, sizeof *agent);
    assert_non_null(agent);
    agent->share_count = 2;
    (void)snprintf(agent->shares[0].behavior, sizeof agent->shares[0].behavior, "seek");
    (void)snprintf(agent->shares[1].behavior, sizeof agent->shares[1].behavior, "seek2");
    fixture->settings.shows_behaviors = true;
    struct legend_input input = collect(fixture);
    input.inspected = agent;
    legend_collect(&input, &fixture->legend);
    assert_int_equal(fixture->legend.count - fixture->legend.agent_count, 1);
    assert_int_equal(fixture->legend.rows[fixture->legend.agent_count].fill,
                     explain_behavior_color(PALETTE_SAFE, "seek"));
    free(agent);
}

static void put_region(struct fixture *fixture, const char *kind, const char *name) {
    struct message_geometry *geometry = &fixture->server.scenario.geometry;
    struct message_region *region = &geometry->regions[geometry->region_count++];
    *region = (struct message_region){.is_circle = true, .radius = 5.0f};
    (void)snprintf(region->kind, sizeof region->kind, "%.31s", kind);
    (void)snprintf(region->state, sizeof region->state, "%.31s", name);
}

static void what_lies_in_the_world_has_rows(void **state) {
    struct fixture *fixture = *state;
    struct message_geometry *geometry = &fixture->server.scenario.geometry;
    geometry->path_count = 2;
    geometry->flow_count = 2;
    (void)snprintf(geometry->flows[0].name, sizeof geometry->flows[0].name, "come");
    (void)snprintf(geometry->flows[1].name, sizeof geometry->flows[1].name, "leave");
    put_region(fixture, "ship", "a");
    put_region(fixture, "ship", "b");
    put_region(fixture, "cargo", "c");
    fixture->frame.target_count = 1;
    (void)collect(fixture);
    assert_int_equal(row_of(fixture, "target")->mark, LEGEND_TARGET);
    assert_int_equal(row_of(fixture, "paths, and which way")->mark, LEGEND_PATH);
    assert_true(row_of(fixture, "flow: come")->fill != row_of(fixture, "flow: leave")->fill);
    const struct legend_row *region = row_of(fixture, "stays inside: ship, cargo");
    assert_non_null(region);
    assert_int_equal(region->mark, LEGEND_REGION);
    assert_int_equal(region->fill, explain_behavior_color(PALETTE_SAFE, "contain"));
}

static void a_flag_is_no_other_target(void **state) {
    struct fixture *fixture = *state;
    add_target(fixture->snapshot, "home", 0, 0);
    add_target(fixture->snapshot, "mouse", 0, 0);
    assert_int_equal(frame_reserve(&fixture->frame, 1), 0);
    fixture->frame.count = fixture->frame.settled_count = 1;
    fixture->frame.kind[0] = fixture->frame.state[0] = 0;
    fixture->frame.x[0] = fixture->frame.y[0] = fixture->frame.vx[0] = fixture->frame.vy[0] = 0;
    fixture->frame.target_count = 2;
    fixture->frame.targets[0] = (struct frame_target){0, {400, 300}};
    fixture->frame.targets[1] = (struct frame_target){1, {500, 300}};
    (void)snprintf(fixture->server.scenario.view.flag, sizeof fixture->server.scenario.view.flag, "mouse");
    (void)collect(fixture);
    assert_int_equal(row_of(fixture, "flag")->mark, LEGEND_FLAG);
    assert_int_equal(row_of(fixture, "target")->mark, LEGEND_TARGET);
    fixture->frame.targets[1].position = vec2_make(0, 0);
    (void)collect(fixture);
    assert_non_null(row_of(fixture, "flag, captured"));
    frame_fini(&fixture->frame);
}

static void a_crowd_of_kinds_stays_in_the_box(void **state) {
    struct fixture *fixture = *state;
    fixture->settings.color = COLOR_KIND;
    fixture->server.scenario.kind_count = LIMIT_KINDS;
    for (int k = 0; k < LIMIT_KINDS; k++) {
        char name[LIMIT_NAME_CHARS + 1];
        (void)snprintf(name, sizeof name, "a-kind-with-a-name-%d", k);
        name_kind(&fixture->server.scenario.kinds[k], name);
        for (int s = 0; s < 2 && fixture->server.scenario.geometry.region_count < LIMIT_REGIONS; s++) {
            put_region(fixture, name, "s");
        }
    }
    (void)collect(fixture);
    assert_true(fixture->legend.agent_count <= LEGEND_MOST_AGENTS);
    assert_true(fixture->legend.count <= LEGEND_MOST_ROWS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_row_of_agents_lights_them, setup, teardown),
        cmocka_unit_test_setup_teardown(counts_of_a_part_say_so, setup, teardown),
        cmocka_unit_test_setup_teardown(kinds_are_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(heat_by_kind_has_the_kinds_of_the_density, setup, teardown),
        cmocka_unit_test_setup_teardown(a_scale_stands_below_gray_shapes, setup, teardown),
        cmocka_unit_test_setup_teardown(arrows_have_rows_while_they_are_drawn, setup, teardown),
        cmocka_unit_test_setup_teardown(behaviors_have_their_colors_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_flag_is_no_other_target, setup, teardown),
        cmocka_unit_test_setup_teardown(what_lies_in_the_world_has_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(a_crowd_of_kinds_stays_in_the_box, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
