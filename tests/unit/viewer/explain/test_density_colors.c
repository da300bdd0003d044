/* The colors of a density's cells, and of the heat that is drawn from them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "viewer/draw/heat.h"
#include "viewer/explain/density_colors.h"
#include "viewer/explain/theme.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kinds_are_mixed, setup, teardown),
        cmocka_unit_test_setup_teardown(headings_pale_where_they_differ, setup, teardown),
        cmocka_unit_test_setup_teardown(heat_takes_the_tints, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
