/* Colors of densities, values, behaviors, states and themes. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/library/scenario_library.h"
#include "server/scenario/scenario.h"
#include "server/sim/steering/behavior_def.h"
#include "server/sim/world/world.h"
#include "tests/property/each_scenario.h"
#include "viewer/draw/canvas.h"
#include "viewer/draw/heat.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/density_colors.h"
#include "viewer/explain/theme.h"

/* ==== color scale ====
 * Scales: directions go around, numbers go away from the ground, and what the legend says is easily read. */

static void directions_are_equally_light_and_come_around(void **state) {
    for (int p = 0; p < PALETTE_COUNT; p++) {
        const enum palette palette = (enum palette)p;
        const struct color_seen first = color_seen_of(color_scale_heading(palette, 0.0f));
        const struct color_seen around = color_seen_of(color_scale_heading(palette, 1.0f));
        assert_true(color_seen_distance(&first, &around, VISION_NORMAL) < 1.0f);
        for (int i = 0; i < 64; i++) {
            const float turn = (float)i / 64.0f;
            const struct color_seen here = color_seen_of(color_scale_heading(palette, turn));
            const struct color_seen back = color_seen_of(color_scale_heading(palette, turn + 0.5f));
            const struct color_seen next = color_seen_of(color_scale_heading(palette, turn + 1.0f / 64.0f));
            assert_true(fabsf(here.lab[VISION_NORMAL][0] - first.lab[VISION_NORMAL][0]) < 4.0f);
            assert_true(color_seen_distance(&here, &back, VISION_NORMAL) > 50.0f);
            assert_true(color_seen_distance(&here, &next, VISION_NORMAL) < 10.0f);
        }
    }
}

static void larger_numbers_are_farther_from_the_ground(void **state) {
    for (int p = 0; p < PALETTE_COUNT; p++) {
        const enum palette palette = (enum palette)p;
        const float way = theme_is_light(palette) ? -1.0f : 1.0f;
        float value = -1e9f, heat = -1e9f;
        for (int i = 0; i <= 16; i++) {
            const float share = (float)i / 16.0f;
            const struct color_seen v = color_seen_of(color_scale_value(palette, share));
            const struct color_seen h = color_seen_of(color_scale_heat(palette, share));
            assert_true(way * v.lab[VISION_NORMAL][0] > value && way * h.lab[VISION_NORMAL][0] > heat);
            value = way * v.lab[VISION_NORMAL][0];
            heat = way * h.lab[VISION_NORMAL][0];
        }
        assert_int_equal(color_scale_heat(palette, 0.0f), theme_color(palette, THEME_WORLD));
        assert_int_equal(color_scale_value(palette, -3.0f), color_scale_value(palette, 0.0f));
        assert_int_equal(color_scale_value(palette, 7.0f), color_scale_value(palette, 1.0f));
        assert_int_equal(color_scale_value(palette, NAN), color_scale_value(palette, 0.0f));
    }
}

static void a_scale_says_its_numbers(void **state) {
    const struct color_scale speed = color_scale_of_values(PALETTE_SAFE, "speed, px/s", 200.0f);
    assert_string_equal(speed.title, "speed, px/s");
    assert_string_equal(speed.low, "0");
    assert_string_equal(speed.high, "200");
    assert_false(speed.is_cyclic);
    assert_int_equal(speed.steps[0], color_scale_value(PALETTE_SAFE, 0.0f));
    assert_int_equal(speed.steps[COLOR_SCALE_STEPS - 1], color_scale_value(PALETTE_SAFE, 1.0f));
    const struct color_scale heading = color_scale_of_headings(PALETTE_SAFE_LIGHT);
    assert_true(heading.is_cyclic);
    assert_string_equal(heading.low, heading.high);
    assert_string_equal(heading.middle, "left");
}

static void ends_are_round_numbers(void **state) {
    static const float rows[][2] = {{0.0f, 1}, {0.3f, 1}, {1, 1},   {1.01f, 2}, {2, 2},     {3, 5},
                                    {7, 10},   {10, 10},  {11, 20}, {240, 500}, {501, 1000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_float_equal(color_scale_round(rows[i][0]), rows[i][1], 1e-3f);
    }
    assert_true(isfinite(color_scale_round(1e30f)));
}

/* ==== The colors of a density's cells, and of the heat that is drawn from them ==== */

enum { CELLS = 5 };

/* Cells with agents of one kind, of both alike, mostly of one, of the other; one is empty. */
static uint32_t count[CELLS] = {4, 4, 4, 4, 0}, by_kind[2 * CELLS] = {4, 2, 3, 0, 0, 0, 2, 1, 4, 0};
static int32_t vx[CELLS] = {1000, 0, 250, -1000, 0}, vy[CELLS] = {0, 0, 0, 0, 0};
static uint32_t mean_speed[CELLS] = {1000, 1000, 1000, 1000, 0};

struct fixture {
    struct server_model server;
    struct state_colors colors;
    struct view_settings settings;
    struct density density;
    color out[CELLS];
};

static int setup(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->settings = view_settings_default();
    fixture->server.has_scenario = true;
    fixture->server.scenario.kind_count = 2;
    memcpy(fixture->server.scenario.kinds[0].name, "east", 5);
    memcpy(fixture->server.scenario.kinds[1].name, "west", 5);
    fixture->server.scenario.kinds[0].max_speed = fixture->server.scenario.kinds[1].max_speed = 20.0f;
    state_colors_init(&fixture->colors);
    state_colors_update(&fixture->colors, &fixture->server);
    fixture->density = (struct density){.columns = CELLS,
                                        .rows = 1,
                                        .inside = 16,
                                        .count = count,
                                        .vx = vx,
                                        .vy = vy,
                                        .kind_count = 2,
                                        .kinds = {"east", "west"},
                                        .by_kind = by_kind,
                                        .has_mean_speed = true,
                                        .mean_speed = mean_speed};
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    free(*state);
    return 0;
}

static bool fill(struct fixture *fixture, enum color_mode mode) {
    fixture->settings.color = (int)mode;
    return density_colors_fill(&fixture->colors, &fixture->density, &fixture->server, &fixture->settings,
                               fixture->out);
}

static void kinds_are_mixed(void **state) {
    struct fixture *fixture = *state;
    const enum palette palette = view_settings_palette(&fixture->settings);
    const color east = state_colors_kind(&fixture->colors, palette, 0),
                west = state_colors_kind(&fixture->colors, palette, 1);
    assert_true(fill(fixture, COLOR_KIND));
    assert_int_equal(fixture->out[0], east);
    assert_int_equal(fixture->out[1], color_mix(east, west, 0.5f));
    assert_int_equal(fixture->out[2], color_mix(east, west, 0.1f)); /* 1 of 1 + 9 */
    assert_int_equal(fixture->out[3], west);
    assert_true(density_colors_need_kinds(&fixture->colors, &fixture->settings));
    assert_false(density_colors_need_speed(&fixture->colors, &fixture->settings));
    fixture->colors.kept = (struct agent_group){true, -1, 0}; /* the others are dimmed */
    assert_true(fill(fixture, COLOR_KIND));
    assert_true(fixture->out[0] == east && fixture->out[3] != west);
    fixture->density.kind_count = 0; /* of a frame that was sent before it was asked for */
    assert_false(fill(fixture, COLOR_KIND));
}

static void headings_pale_where_they_differ(void **state) {
    struct fixture *fixture = *state;
    const enum palette palette = view_settings_palette(&fixture->settings);
    const color right = color_scale_heading(palette, 0.0f), left = color_scale_heading(palette, 0.5f),
                gray = color_mix(right, left, 0.5f);
    assert_true(fill(fixture, COLOR_HEADING));
    assert_true(fixture->out[0] == right && fixture->out[3] == left && fixture->out[1] == gray);
    assert_int_equal(fixture->out[2], color_mix(gray, right, 0.5f)); /* the square root of a quarter */
    assert_true(density_colors_need_speed(&fixture->colors, &fixture->settings));
    assert_true(fill(fixture, COLOR_SPEED));
    assert_int_equal(fixture->out[1], color_scale_value(palette, 0.5f)); /* opposite ways do not cancel */
    assert_false(fill(fixture, COLOR_FORCE));
    fixture->density.has_mean_speed = false;
    assert_false(fill(fixture, COLOR_HEADING) || fill(fixture, COLOR_SPEED));
}

/* Lanes of one cell stay apart in the picture, on the ground of nothing. */
static void heat_takes_the_tints(void **state) {
    struct fixture *fixture = *state;
    struct heat heat;
    struct raster *raster = raster_create(50, 10);
    assert_non_null(raster);
    struct canvas canvas = canvas_on_raster(raster, NULL);
    const struct heat_place place = {{0.0f, 0.0f}, {10.0f, 10.0f}};
    heat_init(&heat);
    canvas_clear(&canvas, 0xff000000u);
    assert_int_equal(heat_take(&heat, &fixture->density, 1e6f), 0);
    assert_true(fill(fixture, COLOR_KIND));
    memcpy(heat.fill, fixture->out, sizeof fixture->out);
    heat_tint(&heat);
    heat_draw(&heat, &canvas, &place, 1.0f, 1.0f);
    const uint32_t first = raster->pixels[5 * 50 + 5], last = raster->pixels[5 * 50 + 35];
    const color east = fixture->out[0], west = fixture->out[3];
    for (unsigned shift = 0; shift < 24; shift += 8) { /* it differs as the kinds' colors do */
        const int wanted = (int)(east >> shift & 0xffu) - (int)(west >> shift & 0xffu);
        const int found = (int)(first >> shift & 0xffu) - (int)(last >> shift & 0xffu);
        assert_true(abs(wanted) < 40 || (found > 0) == (wanted > 0));
        assert_true(abs(wanted) < 40 || abs(found) > abs(wanted) / 3);
    }
    heat_draw(&heat, &canvas, &place, 1.0f, 1.0f); /* again, as in a wrapping world: the same fills */
    assert_int_equal(raster->pixels[5 * 50 + 5], first);
    heat_fini(&heat);
    raster_destroy(raster);
}

/* ==== Words can be read on what lies behind them, and arrows be seen on the ground, in both themes ==== */

static const enum palette grounds[] = {PALETTE_SAFE, PALETTE_SAFE_LIGHT};

static void contrast_is_that_of_the_standard(void **state) {
    assert_float_equal(color_contrast(0xff000000u, 0xffffffffu), 21.0f, 1e-3f);
    assert_float_equal(color_contrast(0xff777777u, 0xffffffffu), 4.478f, 1e-2f);
    assert_float_equal(color_contrast(0xff336699u, 0xff336699u), 1.0f, 1e-6f);
}

static void at_least(enum theme_part words, enum theme_part behind, float least) {
    for (int i = 0; i < 2; i++) {
        const float contrast =
            color_contrast(theme_color(grounds[i], words), theme_color(grounds[i], behind));
        if (contrast < least) {
            fail_msg("theme %d: part %d on part %d has a contrast of %.2f", i, (int)words, (int)behind,
                     (double)contrast);
        }
    }
}

static void words_can_be_read(void **state) {
    static const enum theme_part words[] = {THEME_TEXT,    THEME_TEXT_DIM, THEME_FAINT, THEME_ACCENT,
                                            THEME_OK,      THEME_WARN,     THEME_BAD,   THEME_VELOCITY,
                                            THEME_DESIRED, THEME_STEERING, THEME_TARGET};
    static const enum theme_part behind[] = {THEME_PANEL, THEME_LEGEND, THEME_CAPTION, THEME_POP, THEME_WELL};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        for (size_t b = 0; b < sizeof behind / sizeof behind[0]; b++) {
            at_least(words[w], behind[b], 4.5f);
        }
    }
    static const enum theme_part text_behind[] = {
        THEME_FRAME,    THEME_FRAME_OVER, THEME_BUTTON, THEME_BUTTON_OVER, THEME_ROW,  THEME_ROW_OVER,
        THEME_ROW_DOWN, THEME_SECTION,    THEME_LIT,    THEME_MARKED,      THEME_TOOL, THEME_HINT};
    for (size_t b = 0; b < sizeof text_behind / sizeof text_behind[0]; b++) {
        at_least(THEME_TEXT, text_behind[b], 4.5f);
    }
    at_least(THEME_ACCENT, THEME_SECTION, 4.5f);
    at_least(THEME_FAINT, THEME_BUTTON, 4.5f);
    at_least(THEME_ON_BUTTON, THEME_AGREE, 4.5f);
    at_least(THEME_ON_BUTTON, THEME_CAUTION, 4.5f);
    at_least(THEME_ON_BUTTON, THEME_GRAVE, 4.5f);
    at_least(THEME_ON_WARN, THEME_WARN, 4.5f);
}

static void lines_can_be_seen(void **state) {
    static const enum theme_part lines[] = {THEME_FLOW,     THEME_FLOW_SECOND, THEME_PATH_LINE, THEME_WALL,
                                            THEME_VELOCITY, THEME_DESIRED,     THEME_STEERING,  THEME_TARGET,
                                            THEME_SELECTED, THEME_NEIGHBOR,    THEME_RADIUS};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        at_least(lines[i], THEME_WORLD, 3.0f);
    }
    at_least(THEME_CURVE, THEME_WELL, 3.0f);
    at_least(THEME_KNOB, THEME_FRAME, 3.0f);
}

static void a_color_is_moved_only_where_it_cannot_be_read(void **state) {
    for (int i = 0; i < 2; i++) {
        const color panel = theme_color(grounds[i], THEME_PANEL), text = theme_color(grounds[i], THEME_TEXT);
        assert_int_equal(theme_readable(grounds[i], text), text);
        assert_true(color_contrast(theme_readable(grounds[i], panel), panel) >= 4.5f);
        static const char *const names[] = {"seek", "flee", "pursue", "wander", "arrive", "cohesion"};
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            const color fill = explain_behavior_color(grounds[i], names[n]);
            assert_true(color_contrast(theme_readable(grounds[i], fill), panel) >= 4.5f);
        }
    }
    const color seek = explain_behavior_color(PALETTE_SAFE, "seek");
    assert_int_equal(theme_readable(PALETTE_SAFE, seek), seek);
}

static void only_the_light_palettes_are_light(void **state) {
    assert_false(theme_is_light(PALETTE_SAFE) || theme_is_light(PALETTE_CLASSIC));
    assert_true(theme_is_light(PALETTE_SAFE_LIGHT) && theme_is_light(PALETTE_CLASSIC_LIGHT));
    for (int part = 0; part < THEME_COUNT; part++) { /* no part was left out of the table */
        assert_int_not_equal(theme_color(PALETTE_SAFE, (enum theme_part)part), 0);
        assert_int_not_equal(theme_color(PALETTE_SAFE_LIGHT, (enum theme_part)part), 0);
    }
}

/* ==== The tutorials' behaviors have their colors; all stand out from the background ==== */

/* WCAG relative luminance. */
static double luminance(color c) {
    double sum = 0.0;
    const double weights[3] = {0.0722, 0.7152, 0.2126};
    for (unsigned i = 0; i < 3; i++) {
        const double part = (double)((c >> (8 * i)) & 0xffu) / 255.0;
        sum += weights[i] * (part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(color a, color b) {
    const double la = luminance(a) + 0.05, lb = luminance(b) + 0.05;
    return la > lb ? la / lb : lb / la;
}

static void tutorial_states_look_as_in_the_tutorials(void **state) {
    const color wander = explain_behavior_color(PALETTE_CLASSIC, "wander"),
                seek = explain_behavior_color(PALETTE_CLASSIC, "seek");
    const color pursue = explain_behavior_color(PALETTE_CLASSIC, "pursue"),
                evade = explain_behavior_color(PALETTE_CLASSIC, "evade");
    const unsigned red = (wander >> 16) & 0xffu, green = (wander >> 8) & 0xffu, blue = wander & 0xffu;
    assert_true(red + 16 > blue && blue + 16 > red && green + 16 > red);  /* gray */
    assert_true(((seek >> 8) & 0xffu) > ((seek >> 16) & 0xffu) + 60);     /* green */
    assert_true(((pursue >> 16) & 0xffu) > 200 && (pursue & 0xffu) < 60); /* orange */
    assert_true(((evade >> 16) & 0xffu) > ((evade >> 8) & 0xffu) + 100);  /* red */
}

static void every_color_is_opaque_and_seen(void **state) {
    const char *const names[] = {"wander", "seek",  "pursue", "evade", "arrive", "flee", "rest", "idle",
                                 "orbit",  "hunt",  "a",      "b",     "c",      "d",    "e",    "f",
                                 "land",   "x-1_2", "",       "queue", "follow", "g",    "h",    "velocity"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (int p = PALETTE_SAFE; p <= PALETTE_CLASSIC; p++) {
            const color c = explain_behavior_color((enum palette)p, names[i]);
            assert_int_equal(c >> 24, 255);
            assert_true(contrast(c, theme_color(PALETTE_SAFE, THEME_WORLD)) >= 4.5);
            assert_int_equal(explain_behavior_color((enum palette)p, names[i]), c);
        }
    }
    assert_true(
        contrast(theme_color(PALETTE_SAFE, THEME_TEXT_DIM), theme_color(PALETTE_SAFE, THEME_GROUND)) >= 7.0);
    assert_true(contrast(theme_color(PALETTE_SAFE, THEME_TEXT), theme_color(PALETTE_SAFE, THEME_GROUND)) >=
                12.0);
}

static void the_main_states_differ(void **state) {
    const char *const names[] = {"wander", "seek", "pursue", "evade", "arrive", "flee", "rest"};
    for (size_t i = 0; i < 7; i++) {
        for (size_t j = i + 1; j < 7; j++) {
            const color a = explain_behavior_color(PALETTE_SAFE, names[i]),
                        b = explain_behavior_color(PALETTE_SAFE, names[j]);
            int distance = 0;
            for (unsigned shift = 0; shift < 24; shift += 8) {
                const int d = (int)((a >> shift) & 0xffu) - (int)((b >> shift) & 0xffu);
                distance += d < 0 ? -d : d;
            }
            assert_true(distance > 60);
        }
    }
}

/* Machado, Oliveira, Fernandes 2009, severity 1: linear RGB as seen without one kind of cone. */
static const double blindness[3][9] = {
    {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
    {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
    {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}};

static void seen_as(color c, const double *matrix, double *lab) {
    double linear[3], seen[3], xyz[3];
    static const double to_xyz[9] = {0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505};
    static const double white[3] = {0.9505, 1.0, 1.089};
    for (unsigned i = 0; i < 3; i++) {
        const double part = (double)((c >> (16 - 8 * i)) & 0xffu) / 255.0;
        linear[i] = part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
    }
    for (int i = 0; i < 3; i++) {
        const double value =
            matrix[3 * i] * linear[0] + matrix[3 * i + 1] * linear[1] + matrix[3 * i + 2] * linear[2];
        seen[i] = fmin(fmax(value, 0.0), 1.0);
    }
    for (int i = 0; i < 3; i++) {
        xyz[i] = cbrt((to_xyz[3 * i] * seen[0] + to_xyz[3 * i + 1] * seen[1] + to_xyz[3 * i + 2] * seen[2]) /
                      white[i]);
    }
    lab[0] = 116.0 * xyz[1] - 16.0;
    lab[1] = 500.0 * (xyz[0] - xyz[1]);
    lab[2] = 200.0 * (xyz[1] - xyz[2]);
}

static void the_safe_palette_is_safe(void **state) {
    const char *const names[] = {"wander", "seek", "pursue", "evade"};
    for (int b = 0; b < 3; b++) {
        for (int i = 0; i < 4; i++) {
            for (int j = i + 1; j < 4; j++) {
                double x[3], y[3];
                seen_as(explain_behavior_color(PALETTE_SAFE, names[i]), blindness[b], x);
                seen_as(explain_behavior_color(PALETTE_SAFE, names[j]), blindness[b], y);
                assert_true(sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                                 (x[2] - y[2]) * (x[2] - y[2])) > 24.0);
            }
        }
    }
}

/* What stands side by side in one legend. */
static void neighbors_in_a_legend_are_far_apart(void **state) {
    static const char *const pairs[][2] = {{"avoid_obstacles", "pursue"}, {"avoid_obstacles", "seek"},
                                           {"avoid_obstacles", "wander"}, {"avoid_obstacles", "separation"},
                                           {"wander", "contain"},         {"separation", "evade"},
                                           {"separation", "alignment"},   {"separation", "cohesion"}};
    for (int p = 0; p < PALETTE_COUNT; p++) {
        const enum palette palette = (enum palette)p;
        for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
            const struct color_seen a = color_seen_of(explain_behavior_color(palette, pairs[i][0])),
                                    b = color_seen_of(explain_behavior_color(palette, pairs[i][1]));
            assert_true(color_seen_distance(&a, &b, VISION_NORMAL) > 28.0f);
        }
        const struct color_seen target = color_seen_of(theme_color(palette, THEME_TARGET)),
                                separation = color_seen_of(explain_behavior_color(palette, "separation"));
        assert_true(color_seen_least(&target, &separation) > 25.0f);
    }
}

/* ==== state colors ====
 * Each behavior has its color wherever it is shown; the states of each scenario of the tree look different, for
 * color-blind eyes too, and do not depend on what was seen first. */

/* ---- a model of a scenario, as the server describes it ---- */

enum { PARAMS_MOST = 4096 };

static void add_params(struct server_model *model, const struct world *world, int kind) {
    struct param_ref ref;
    char name[64];
    for (int i = 0; world_param_at(world, kind, i, &ref, name); i++) {
        assert_true(model->param_count < PARAMS_MOST);
        struct message_param *param = &model->params[model->param_count++];
        (void)snprintf(param->kind, sizeof param->kind, "%s", world_kind(world, kind)->name);
        (void)snprintf(param->param, sizeof param->param, "%s", name);
    }
}

static void note_state(struct server_model *model, int kind, const char *state) {
    char *first = model->kind_states[kind];
    bool is_new = model->legend_count < SERVER_MODEL_LEGEND_ROWS;
    for (int i = 0; i < model->legend_count; i++) {
        is_new = is_new && strcmp(model->legend[i].state, state) != 0;
    }
    if (is_new) {
        (void)snprintf(model->legend[model->legend_count++].state, LIMIT_NAME_CHARS + 1, "%s", state);
    }
    if (first[0] == '\0') {
        (void)snprintf(first, LIMIT_NAME_CHARS + 1, "%s", state);
    }
    model->names_count++;
}

/* backwards: the states are seen in the opposite order. */
static struct server_model *model_of(const char *name, bool backwards) {
    char path[512];
    struct scenario *scenario = calloc(1, sizeof *scenario);
    struct server_model *model = calloc(1, sizeof *model);
    struct failure failure = {0};
    assert_non_null(scenario);
    assert_non_null(model);
    (void)snprintf(path, sizeof path, "scenarios/%s.json", name);
    assert_int_equal(scenario_file_load(path, scenario, &failure), 0);
    struct world *world = NULL;
    scenario->def.placement_count = 0; /* a million agents take their time */
    assert_int_equal(world_create(&scenario->def, &world, NULL), WORLD_OK);
    model->params = calloc(PARAMS_MOST, sizeof *model->params);
    assert_non_null(model->params);
    model->scenario.kind_count = world_kind_count(world);
    for (int k = 0; k < world_kind_count(world); k++) {
        (void)snprintf(model->scenario.kinds[k].name, LIMIT_NAME_CHARS + 1, "%s", world_kind(world, k)->name);
        add_params(model, world, k);
    }
    for (int i = 0; i < world_kind_count(world); i++) {
        const int k = backwards ? world_kind_count(world) - 1 - i : i;
        const struct kind_def *kind = world_kind(world, k);
        for (int s = 0; s < kind->state_count; s++) {
            note_state(model, k, kind->states[backwards ? kind->state_count - 1 - s : s].name);
        }
    }
    world_destroy(world);
    scenario_fini(scenario);
    free(scenario);
    return model;
}

static void model_free(struct server_model *model) {
    free(model->params);
    free(model);
}

/* ---- tests ---- */

static int failures_of(const char *name) {
    struct server_model *model = model_of(name, false), *other = model_of(name, true);
    static struct state_colors colors, again;
    int failures = 0;
    state_colors_init(&colors);
    state_colors_init(&again);
    state_colors_update(&colors, model);
    state_colors_update(&again, other);
    assert_memory_equal(colors.rows, again.rows, sizeof colors.rows);
    assert_true(colors.count > 0);
    for (int p = 0; p < PALETTE_COUNT; p++) {
        const bool is_safe = p == PALETTE_SAFE || p == PALETTE_SAFE_LIGHT;
        for (int i = 0; i < colors.count; i++) {
            assert_int_equal(colors.rows[i].fill[p] >> 24, 255);
            for (int j = 0; j < i; j++) {
                const struct color_seen a = color_seen_of(colors.rows[i].fill[p]),
                                        b = color_seen_of(colors.rows[j].fill[p]);
                const float distance =
                    is_safe ? color_seen_least(&a, &b) : color_seen_distance(&a, &b, VISION_NORMAL);
                const float least = colors.count <= 5 ? 20.0f : 13.0f; /* kinds differ in shape as well */
                if (distance < least) {
                    print_message("%s, palette %d: %s and %s are %.1f apart\n", name, p, colors.rows[i].name,
                                  colors.rows[j].name, (double)distance);
                    failures++;
                }
            }
        }
    }
    model_free(model);
    model_free(other);
    return failures;
}

static void the_states_of_a_scenario_look_different(void **state) {
    assert_int_equal(each_scenario(NULL, failures_of), 0);
}

static const struct state_color *find(const struct state_colors *colors, const char *name) {
    for (int i = 0; i < colors->count; i++) {
        if (strcmp(colors->rows[i].name, name) == 0) {
            return &colors->rows[i];
        }
    }
    return NULL;
}

static void states_have_the_colors_of_behaviors(void **state) {
    static struct state_colors colors;
    struct server_model *model = model_of("hunters_and_prey", false);
    state_colors_init(&colors);
    state_colors_update(&colors, model);
    assert_int_equal(colors.count, 5); /* wander is one for both kinds */
    const char *const names[] = {"pursue", "wander", "evade", "seek"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (int p = 0; p < PALETTE_COUNT; p++) {
            assert_int_equal(find(&colors, names[i])->fill[p],
                             explain_behavior_color((enum palette)p, names[i]));
        }
    }
    assert_int_equal(state_colors_fill(&colors, model, PALETTE_SAFE, 0, "pursue"),
                     explain_behavior_color(PALETTE_SAFE, "pursue"));
    assert_string_equal(state_colors_words(&colors, 0, "pursue"), "pursue");
    assert_true(state_colors_kind(&colors, PALETTE_SAFE, 0) != state_colors_kind(&colors, PALETTE_SAFE, 1));
    model_free(model);
}

/* "seek" is the first behavior of the ships, which flee as well. */
static void kinds_without_states_go_by_their_names(void **state) {
    static struct state_colors colors;
    struct server_model *model = model_of("seek_and_flee", false);
    state_colors_init(&colors);
    state_colors_update(&colors, model);
    assert_int_equal(colors.count, 1);
    assert_true(find(&colors, "ship")->is_kind);
    assert_null(find(&colors, "seek"));
    assert_string_equal(state_colors_words(&colors, 0, "seek"), "");
    assert_int_equal(find(&colors, "ship")->fill[0], explain_behavior_color(PALETTE_SAFE, "seek"));
    model_free(model);
    model = model_of("doorway", false); /* come and leave are two colors */
    state_colors_update(&colors, model);
    assert_true(find(&colors, "come")->fill[0] != find(&colors, "leave")->fill[0]);
    model_free(model);
}

static void every_behavior_has_its_color(void **state) {
    for (int type = 0; behavior_type_name((enum behavior_type)type) != NULL; type++) {
        const char *name = behavior_type_name((enum behavior_type)type);
        assert_true(explain_is_behavior(name));
        assert_string_equal(explain_behavior_name(type), name); /* all of them, in the same order */
        for (int other = 0; other < type; other++) {
            const struct color_seen a = color_seen_of(explain_behavior_color(PALETTE_SAFE, name)),
                                    b = color_seen_of(
                                        explain_behavior_color(PALETTE_SAFE, explain_behavior_name(other)));
            assert_true(color_seen_distance(&a, &b, VISION_NORMAL) > 14.0f);
        }
    }
    assert_int_equal(explain_behavior_color(PALETTE_SAFE, "seek2"),
                     explain_behavior_color(PALETTE_SAFE, "seek"));
    assert_int_equal(explain_behavior_color(PALETTE_SAFE, "hunt/seek12"),
                     explain_behavior_color(PALETTE_SAFE, "seek"));
    assert_int_equal(explain_behavior_color(PALETTE_SAFE, "flock.separation"),
                     explain_behavior_color(PALETTE_SAFE, "separation"));
    assert_false(explain_is_behavior("orbit"));
    assert_false(explain_is_behavior(""));
    assert_int_equal(explain_behavior_color(PALETTE_SAFE, "containment"),
                     explain_behavior_color(PALETTE_SAFE, "contain"));
    assert_null(explain_behavior_name(-1));
}

/* Alone and together: the three rules of a flock, and what is shown beside them. */
static void forces_of_one_agent_differ(void **state) {
    const char *const names[] = {"separation", "alignment", "cohesion", "wander", "flee"};
    for (int p = 0; p < PALETTE_COUNT; p += PALETTE_SAFE_LIGHT) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            for (size_t j = 0; j < i; j++) {
                const struct color_seen a = color_seen_of(explain_behavior_color((enum palette)p, names[i])),
                                        b = color_seen_of(explain_behavior_color((enum palette)p, names[j]));
                assert_true(color_seen_least(&a, &b) > 15.0f);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_equally_light_and_come_around),
        cmocka_unit_test(larger_numbers_are_farther_from_the_ground),
        cmocka_unit_test(a_scale_says_its_numbers),
        cmocka_unit_test(ends_are_round_numbers),
        cmocka_unit_test_setup_teardown(kinds_are_mixed, setup, teardown),
        cmocka_unit_test_setup_teardown(headings_pale_where_they_differ, setup, teardown),
        cmocka_unit_test_setup_teardown(heat_takes_the_tints, setup, teardown),
        cmocka_unit_test(contrast_is_that_of_the_standard),
        cmocka_unit_test(words_can_be_read),
        cmocka_unit_test(lines_can_be_seen),
        cmocka_unit_test(a_color_is_moved_only_where_it_cannot_be_read),
        cmocka_unit_test(only_the_light_palettes_are_light),
        cmocka_unit_test(tutorial_states_look_as_in_the_tutorials),
        cmocka_unit_test(every_color_is_opaque_and_seen),
        cmocka_unit_test(the_main_states_differ),
        cmocka_unit_test(the_safe_palette_is_safe),
        cmocka_unit_test(neighbors_in_a_legend_are_far_apart),
        cmocka_unit_test(the_states_of_a_scenario_look_different),
        cmocka_unit_test(states_have_the_colors_of_behaviors),
        cmocka_unit_test(kinds_without_states_go_by_their_names),
        cmocka_unit_test(every_behavior_has_its_color),
        cmocka_unit_test(forces_of_one_agent_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
