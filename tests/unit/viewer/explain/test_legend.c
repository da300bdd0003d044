/* The legend, places of labels, numbers of neighbors, times in states. */

#include "tests/unit/common/test_support.h"

#include <math.h>
#include <stdio.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/explain/agent_colors.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/label_places.h"
#include "viewer/explain/legend.h"
#include "viewer/explain/theme.h"

/* ==== The legend has a row for everything that is drawn, with its color, and none for what is not ==== */

struct legend_fixture {
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
static int setup_legend(void **state) {
    static const struct test_agent agents[] = {{.id = 1}, {.id = 2, .state = "flee"}, {.id = 3}};
    struct legend_fixture *fixture = calloc(1, sizeof *fixture);
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

static int teardown_legend(void **state) {
    struct legend_fixture *fixture = *state;
    snapshot_destroy(fixture->snapshot);
    server_model_fini(&fixture->server);
    free(fixture);
    return 0;
}

static struct legend_input collect(struct legend_fixture *fixture) {
    state_colors_update(&fixture->colors, &fixture->server);
    const struct legend_input input = {.server = &fixture->server,
                                       .frame = &fixture->frame,
                                       .settings = &fixture->settings,
                                       .colors = &fixture->colors};
    legend_collect(&input, &fixture->legend);
    return input;
}

static const struct legend_row *row_of(const struct legend_fixture *fixture, const char *words) {
    for (int i = 0; i < fixture->legend.count; i++) {
        if (strcmp(fixture->legend.rows[i].words, words) == 0) {
            return &fixture->legend.rows[i];
        }
    }
    return NULL;
}

static void kinds_are_counted(void **state) {
    struct legend_fixture *fixture = *state;
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
    struct legend_fixture *fixture = *state;
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
    struct legend_fixture *fixture = *state;
    fixture->settings.color = COLOR_KIND;
    fixture->settings.shows_velocity = true;
    struct legend_input input = collect(fixture);
    input.is_part = true; /* frames have the agents around what is visible alone */
    legend_collect(&input, &fixture->legend);
    assert_int_equal(row_of(fixture, "ship, in view")->count, 3);
    assert_null(row_of(fixture, "ship"));
    assert_non_null(row_of(fixture, "velocity")); /* it counts nothing */
    struct snapshot *sampled = snapshot_create();
    assert_true(sampled != NULL && snapshot_copy(fixture->frame.names, sampled) == 0);
    sampled->one_in = 8;
    const struct snapshot *all = fixture->frame.names;
    fixture->frame.names = sampled;
    legend_collect(&input, &fixture->legend);
    assert_int_equal(row_of(fixture, "ship, 1 in 8 shown")->count, 3);
    fixture->frame.names = all;
    snapshot_destroy(sampled);
}

/* Under a scale the shapes have no color of their own. */
static void a_scale_stands_below_gray_shapes(void **state) {
    struct legend_fixture *fixture = *state;
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
    struct legend_fixture *fixture = *state;
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
    struct legend_fixture *fixture = *state;
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
    struct legend_fixture *fixture = *state;
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

static void put_region(struct legend_fixture *fixture, const char *kind, const char *name) {
    struct message_geometry *geometry = &fixture->server.scenario.geometry;
    struct message_region *region = &geometry->regions[geometry->region_count++];
    *region = (struct message_region){.is_circle = true, .radius = 5.0f};
    (void)snprintf(region->kind, sizeof region->kind, "%.31s", kind);
    (void)snprintf(region->state, sizeof region->state, "%.31s", name);
}

static void what_lies_in_the_world_has_rows(void **state) {
    struct legend_fixture *fixture = *state;
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
    struct legend_fixture *fixture = *state;
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
    struct legend_fixture *fixture = *state;
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

/* ==== label places ====
 * Names lie beside their markers and cover neither each other nor panels, and they keep their side. */

static const struct label_room empty = {.picture = {400.0f, 300.0f}};

static struct label_wish wish(const char *words, float x, float y) {
    return (struct label_wish){
        .key = label_places_key('t', words), .at = {x, y}, .reach = 10.0f, .size = {40.0f, 14.0f}};
}

static void a_name_lies_to_the_right_of_its_marker(void **state) {
    struct label_places places = {0};
    struct label_wish wishes[] = {wish("door", 100, 100), wish("ring", 200, 100)};
    vec2 corner[2];
    bool shown[2];
    wishes[1].side = LABEL_ABOVE;
    label_places_find(&places, &empty, wishes, 2, corner, shown);
    assert_true(shown[0] && corner[0].x == 110.0f && corner[0].y == 93.0f);
    assert_true(shown[1] && corner[1].x == 180.0f && corner[1].y == 76.0f);
}

static void names_of_one_place_go_apart(void **state) {
    struct label_places places = {0};
    struct label_wish wishes[9];
    vec2 corner[9];
    bool shown[9];
    const char *const words[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    for (int i = 0; i < 9; i++) {
        wishes[i] = wish(words[i], 200, 150);
    }
    label_places_find(&places, &empty, wishes, 9, corner, shown);
    assert_true(shown[0] && shown[1] && shown[2] && shown[3]);
    assert_false(shown[8]); /* there are eight sides */
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < i && shown[i]; k++) {
            assert_true(!shown[k] || corner[i].x >= corner[k].x + 40.0f ||
                        corner[k].x >= corner[i].x + 40.0f || corner[i].y >= corner[k].y + 14.0f ||
                        corner[k].y >= corner[i].y + 14.0f);
        }
    }
}

static void nothing_lies_over_panels_or_outside(void **state) {
    const struct label_box panel = {{110.0f, 0.0f}, {400.0f, 300.0f}};
    const struct label_room room = {.picture = {400.0f, 300.0f}, .covers = &panel, .cover_count = 1};
    struct label_places places = {0};
    struct label_wish wishes[] = {wish("left", 100, 100), wish("none", 20, 5), wish("gone", -100, 5)};
    vec2 corner[3];
    bool shown[3];
    label_places_find(&places, &room, wishes, 3, corner, shown);
    assert_true(shown[0] && corner[0].x == 50.0f);
    assert_true(shown[1] && corner[1].y >= 0.0f && corner[1].x >= 0.0f);
    assert_false(shown[2]);
}

static void a_name_keeps_its_side_until_it_must_not(void **state) {
    struct label_box marker = {{112.0f, 90.0f}, {130.0f, 110.0f}};
    const struct label_room room = {.picture = {400.0f, 300.0f}, .markers = &marker, .marker_count = 1};
    struct label_places places = {0};
    struct label_wish one = wish("door", 100, 100);
    vec2 corner;
    bool shown;
    label_places_find(&places, &room, &one, 1, &corner, &shown);
    assert_true(shown && corner.x == 50.0f); /* left: a marker is at the right */
    marker.low.x = marker.high.x = 1000.0f;
    label_places_find(&places, &room, &one, 1, &corner, &shown);
    assert_true(shown && corner.x == 50.0f);
    one.at.x = 30.0f; /* no room at the left any more */
    label_places_find(&places, &room, &one, 1, &corner, &shown);
    assert_true(shown && corner.x == 40.0f);
}

/* ==== neighbor count ====
 * Neighbors are counted as by looking at every pair, across the seam of a torus and outside an open world too. */

enum { AGENTS = 300 };

struct neighbor_count_fixture {
    struct neighbor_count count;
    struct neighbor_rules rules;
    struct frame frame;
    struct snapshot *names;
};

static int setup_neighbor_count(void **state) {
    struct neighbor_count_fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    neighbor_count_init(&fixture->count);
    frame_init(&fixture->frame);
    assert_int_equal(frame_reserve(&fixture->frame, AGENTS), 0);
    const struct test_agent one = {.id = 1};
    fixture->names = make_snapshot(0.0, &one, 1);
    assert_int_equal(name_table_intern(&fixture->names->kind_names, "hawk", 4), 1);
    fixture->frame.names = fixture->names;
    fixture->rules = (struct neighbor_rules){.size = {400, 300}, .radius = {30, 70}};
    *state = fixture;
    return 0;
}

static int teardown_neighbor_count(void **state) {
    struct neighbor_count_fixture *fixture = *state;
    neighbor_count_fini(&fixture->count);
    frame_fini(&fixture->frame);
    snapshot_destroy(fixture->names);
    free(fixture);
    return 0;
}

static float short_way(float difference, float size, bool wraps) {
    return wraps ? difference - size * rintf(difference / size) : difference;
}

static int pairs_of(const struct neighbor_count_fixture *fixture, int32_t agent) {
    const struct frame *frame = &fixture->frame;
    const float radius = fixture->rules.radius[frame->kind[agent]];
    int found = 0;
    for (int32_t i = 0; i < frame->count; i++) {
        const float dx =
            short_way(frame->x[i] - frame->x[agent], fixture->rules.size.x, fixture->rules.wraps);
        const float dy =
            short_way(frame->y[i] - frame->y[agent], fixture->rules.size.y, fixture->rules.wraps);
        found += i != agent && dx * dx + dy * dy < radius * radius ? 1 : 0;
    }
    return found < NEIGHBOR_COUNT_MOST ? found : NEIGHBOR_COUNT_MOST;
}

static void is_as_by_pairs(struct neighbor_count_fixture *fixture) {
    assert_int_equal(neighbor_count_update(&fixture->count, &fixture->frame, &fixture->rules), 0);
    for (int32_t i = 0; i < fixture->frame.count; i++) {
        assert_int_equal(fixture->count.counts[i], pairs_of(fixture, i));
    }
}

/* margin: so far outside the world they may be. */
static void scatter(struct neighbor_count_fixture *fixture, uint64_t *random, float margin) {
    struct frame *frame = &fixture->frame;
    frame->count = (int32_t)test_below(random, AGENTS + 1);
    for (int32_t i = 0; i < frame->count; i++) {
        frame->kind[i] = (uint16_t)test_below(random, 2);
        frame->x[i] = (float)test_below(random, (uint32_t)(400.0f + 2.0f * margin)) - margin;
        frame->y[i] = (float)test_below(random, (uint32_t)(300.0f + 2.0f * margin)) - margin;
    }
}

static void counts_are_those_of_all_pairs(void **state) {
    struct neighbor_count_fixture *fixture = *state;
    uint64_t random = 5;
    for (int round = 0; round < 40; round++) {
        fixture->rules.wraps = round % 2 == 0;
        fixture->rules.radius[0] = round % 5 == 0 ? 0.0f : 10.0f + (float)test_below(&random, 200);
        scatter(fixture, &random, fixture->rules.wraps ? 0.0f : 150.0f);
        is_as_by_pairs(fixture);
    }
}

static void the_seam_is_no_border(void **state) {
    struct neighbor_count_fixture *fixture = *state;
    struct frame *frame = &fixture->frame;
    frame->count = 2;
    frame->kind[0] = frame->kind[1] = 0;
    frame->x[0] = 2.0f;
    frame->x[1] = 398.0f;
    frame->y[0] = 298.0f;
    frame->y[1] = 1.0f;
    fixture->rules.wraps = true;
    assert_int_equal(neighbor_count_update(&fixture->count, frame, &fixture->rules), 0);
    assert_int_equal(fixture->count.counts[0], 1);
    fixture->rules.wraps = false;
    assert_int_equal(neighbor_count_update(&fixture->count, frame, &fixture->rules), 0);
    assert_int_equal(fixture->count.counts[0], 0);
}

static void a_heap_is_counted_up_to_a_limit(void **state) {
    struct neighbor_count_fixture *fixture = *state;
    fixture->frame.count = AGENTS;
    for (int32_t i = 0; i < AGENTS; i++) {
        fixture->frame.kind[i] = 0;
        fixture->frame.x[i] = fixture->frame.y[i] = 50.0f;
    }
    is_as_by_pairs(fixture);
    assert_int_equal(fixture->count.counts[7], NEIGHBOR_COUNT_MOST);
    fixture->rules.size = vec2_make(0.0f, 0.0f); /* a world of no size does no harm */
    assert_int_equal(neighbor_count_update(&fixture->count, &fixture->frame, &fixture->rules), 0);
}

/* ==== state times ====
 * How long agents have been in their states: from snapshot to snapshot, through comings, goings and other worlds. */

struct state_times_fixture {
    struct state_times times;
    struct frame frame;
    struct snapshot *names;
};

static int setup_state_times(void **state) {
    struct state_times_fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    state_times_init(&fixture->times);
    frame_init(&fixture->frame);
    assert_int_equal(frame_reserve(&fixture->frame, 1000), 0);
    *state = fixture;
    return 0;
}

static int teardown_state_times(void **state) {
    struct state_times_fixture *fixture = *state;
    state_times_fini(&fixture->times);
    frame_fini(&fixture->frame);
    snapshot_destroy(fixture->names);
    free(fixture);
    return 0;
}

/* The frame has these agents at that moment, in the given order; then the times take it in. */
static void show(struct state_times_fixture *fixture, double time_s, uint32_t epoch,
                 const struct test_agent *agents, int32_t count) {
    struct frame *frame = &fixture->frame;
    snapshot_destroy(fixture->names);
    fixture->names = make_snapshot(time_s * 1000.0, agents, count);
    frame->names = fixture->names;
    frame->time_s = time_s;
    frame->count = frame->settled_count = count;
    for (int32_t i = 0; i < count; i++) {
        frame->id[i] = fixture->names->id[i];
        frame->state[i] = fixture->names->state[i];
    }
    assert_int_equal(state_times_update(&fixture->times, frame, epoch), 0);
}

static float at(const struct state_times_fixture *fixture, int32_t index) {
    return state_times_at(&fixture->times, &fixture->frame, index);
}

static void time_counts_from_the_change(void **state) {
    struct state_times_fixture *fixture = *state;
    show(fixture, 10.0, 1, (const struct test_agent[]){{.id = 1}, {.id = 2}}, 2);
    assert_float_equal(at(fixture, 0), 0.0f, 1e-4f);
    show(fixture, 12.0, 1, (const struct test_agent[]){{.id = 1}, {.id = 2, .state = "flee"}}, 2);
    assert_float_equal(at(fixture, 0), 2.0f, 1e-4f);
    assert_float_equal(at(fixture, 1), 0.0f, 1e-4f);
    /* the names of states come in another order: the states are the same */
    show(fixture, 15.0, 1, (const struct test_agent[]){{.id = 2, .state = "flee"}, {.id = 3}}, 2);
    assert_float_equal(at(fixture, 0), 3.0f, 1e-4f);
    assert_float_equal(at(fixture, 1), 0.0f, 1e-4f);
}

static void comings_and_goings_keep_the_others(void **state) {
    struct state_times_fixture *fixture = *state;
    show(fixture, 0.0, 1, (const struct test_agent[]){{.id = 2}, {.id = 4}, {.id = 6}}, 3);
    show(fixture, 1.0, 1, (const struct test_agent[]){{.id = 1}, {.id = 4}, {.id = 5}, {.id = 6}}, 4);
    assert_float_equal(at(fixture, 0), 0.0f, 1e-4f);
    assert_float_equal(at(fixture, 1), 1.0f, 1e-4f);
    assert_float_equal(at(fixture, 2), 0.0f, 1e-4f);
    assert_float_equal(at(fixture, 3), 1.0f, 1e-4f);
    fixture->frame.count = 5; /* one that comes is not settled: nothing is known of it */
    assert_float_equal(at(fixture, 4), 0.0f, 1e-4f);
}

static void another_world_begins_anew(void **state) {
    struct state_times_fixture *fixture = *state;
    show(fixture, 5.0, 1, (const struct test_agent[]){{.id = 1}}, 1);
    show(fixture, 8.0, 2, (const struct test_agent[]){{.id = 1}}, 1);
    assert_float_equal(at(fixture, 0), 0.0f, 1e-4f);
}

static void a_look_back_is_never_below_nothing(void **state) {
    struct state_times_fixture *fixture = *state;
    show(fixture, 5.0, 1, (const struct test_agent[]){{.id = 1}}, 1);
    show(fixture, 3.0, 1, (const struct test_agent[]){{.id = 1}}, 1);
    assert_float_equal(at(fixture, 0), 0.0f, 1e-4f);
    show(fixture, 6.0, 1, (const struct test_agent[]){{.id = 1}}, 1);
    assert_float_equal(at(fixture, 0), 3.0f, 1e-4f);
}

static void a_crowd_that_grows_keeps_its_times(void **state) {
    struct state_times_fixture *fixture = *state;
    struct test_agent *agents = calloc(1000, sizeof *agents);
    assert_non_null(agents);
    for (uint32_t i = 0; i < 1000; i++) {
        agents[i].id = i + 1;
    }
    show(fixture, 0.0, 1, agents, 10);
    show(fixture, 2.0, 1, agents, 1000);
    assert_float_equal(at(fixture, 9), 2.0f, 1e-4f);
    assert_float_equal(at(fixture, 999), 0.0f, 1e-4f);
    free(agents);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_row_of_agents_lights_them, setup_legend, teardown_legend),
        cmocka_unit_test_setup_teardown(counts_of_a_part_say_so, setup_legend, teardown_legend),
        cmocka_unit_test_setup_teardown(kinds_are_counted, setup_legend, teardown_legend),
        cmocka_unit_test_setup_teardown(heat_by_kind_has_the_kinds_of_the_density, setup_legend,
                                        teardown_legend),
        cmocka_unit_test_setup_teardown(a_scale_stands_below_gray_shapes, setup_legend, teardown_legend),
        cmocka_unit_test_setup_teardown(arrows_have_rows_while_they_are_drawn, setup_legend, teardown_legend),
        cmocka_unit_test_setup_teardown(behaviors_have_their_colors_once, setup_legend, teardown_legend),
        cmocka_unit_test_setup_teardown(a_flag_is_no_other_target, setup_legend, teardown_legend),
        cmocka_unit_test_setup_teardown(what_lies_in_the_world_has_rows, setup_legend, teardown_legend),
        cmocka_unit_test_setup_teardown(a_crowd_of_kinds_stays_in_the_box, setup_legend, teardown_legend),
        cmocka_unit_test(a_name_lies_to_the_right_of_its_marker),
        cmocka_unit_test(names_of_one_place_go_apart),
        cmocka_unit_test(nothing_lies_over_panels_or_outside),
        cmocka_unit_test(a_name_keeps_its_side_until_it_must_not),
        cmocka_unit_test_setup_teardown(counts_are_those_of_all_pairs, setup_neighbor_count,
                                        teardown_neighbor_count),
        cmocka_unit_test_setup_teardown(the_seam_is_no_border, setup_neighbor_count, teardown_neighbor_count),
        cmocka_unit_test_setup_teardown(a_heap_is_counted_up_to_a_limit, setup_neighbor_count,
                                        teardown_neighbor_count),
        cmocka_unit_test_setup_teardown(time_counts_from_the_change, setup_state_times, teardown_state_times),
        cmocka_unit_test_setup_teardown(comings_and_goings_keep_the_others, setup_state_times,
                                        teardown_state_times),
        cmocka_unit_test_setup_teardown(another_world_begins_anew, setup_state_times, teardown_state_times),
        cmocka_unit_test_setup_teardown(a_look_back_is_never_below_nothing, setup_state_times,
                                        teardown_state_times),
        cmocka_unit_test_setup_teardown(a_crowd_that_grows_keeps_its_times, setup_state_times,
                                        teardown_state_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
