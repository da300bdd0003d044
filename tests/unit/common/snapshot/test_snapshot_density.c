/* common/snapshot_density and snapshot_view: the agents of a view, the counts of a cell, the line there and
 * back. */
#include "common/snapshot/snapshot_density.h"

#include "tests/unit/common/test_support.h"

static struct snapshot *create(int32_t count, float width, float height, bool wraps) {
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    assert_int_equal(snapshot_reserve(snapshot, count, 0, false), 0);
    snapshot->count = count;
    snapshot->width = width;
    snapshot->height = height;
    snapshot->wraps = wraps;
    assert_int_equal(name_table_intern(&snapshot->kind_names, "prey", 4), 0);
    assert_int_equal(name_table_intern(&snapshot->kind_names, "hunter", 6), 1);
    assert_int_equal(name_table_intern(&snapshot->state_names, "s", 1), 0);
    for (int32_t i = 0; i < count; i++) {
        snapshot->id[i] = (uint32_t)i + 1;
        snapshot->kind[i] = (uint16_t)(i % 2);
        snapshot->state[i] = 0;
        snapshot->heading[i] = snapshot->stamina[i] = 0;
        snapshot->vx[i] = snapshot->vy[i] = 0;
    }
    return snapshot;
}

static struct snapshot_view view_of(float x, float y, float width, float height) {
    return (struct snapshot_view){.has_region = true, .region = {x, y, width, height}};
}

static int32_t shown(const struct snapshot_view *view, const struct snapshot *snapshot) {
    struct snapshot_filter filter;
    int32_t rows[64];
    snapshot_view_filter(view, snapshot, 0.0, &filter);
    return snapshot_filter_rows(&filter, snapshot, rows);
}

static void a_region_wraps_with_the_world(void **state) {
    static const int32_t x[] = {0, 999, 5000, 79999, 80000, 79000, -100};
    struct snapshot *flat = create(7, 800, 600, false), *round = create(7, 800, 600, true);
    for (int32_t i = 0; i < 7; i++) {
        flat->x[i] = round->x[i] = x[i];
        flat->y[i] = round->y[i] = 100;
    }
    const struct snapshot_view corner = view_of(-10, 0, 20, 600);
    assert_int_equal(shown(&corner, flat), 3);  /* 0, 999 and -100 */
    assert_int_equal(shown(&corner, round), 6); /* all but 5000 */
    const struct snapshot_view edge = view_of(790, 0, 10, 600);
    assert_int_equal(shown(&edge, flat), 3);
    const struct snapshot_view everything = view_of(-5000, -5000, 10000, 10000);
    assert_int_equal(shown(&everything, round), 7);
    const struct snapshot_view nowhere = view_of(300, 300, 10, 10);
    assert_int_equal(shown(&nowhere, round), 0);
    snapshot_destroy(flat);
    snapshot_destroy(round);
}

static void kinds_by_name(void **state) {
    struct snapshot *world = create(9, 800, 600, false);
    struct snapshot_view view = {.kinds = "hunter"};
    assert_int_equal(shown(&view, world), 4);
    memcpy(view.kinds, "hunt prey", 10);
    assert_int_equal(shown(&view, world), 5);
    memcpy(view.kinds, "prey hunter", 12);
    assert_int_equal(shown(&view, world), 9);
    memcpy(view.kinds, "preys", 6);
    assert_int_equal(shown(&view, world), 0); /* another scenario's kinds: no agent */
    struct snapshot_view other = view;
    assert_true(snapshot_view_equals(&view, &other));
    other.fields = 1;
    assert_false(snapshot_view_equals(&view, &other));
    snapshot_destroy(world);
}

static void cells_count_and_average(void **state) {
    struct snapshot *world = create(6, 100, 100, false);
    static const int32_t at[6][4] = {{0, 0, 100, -100},    {4999, 4999, 101, -100}, {5000, 0, 7, 8},
                                     {10000, 10000, 9, 9}, {10001, 0, 5, 5},        {5000, 5000, -10, 0}};
    for (int32_t i = 0; i < 6; i++) {
        world->x[i] = at[i][0];
        world->y[i] = at[i][1];
        world->vx[i] = at[i][2];
        world->vy[i] = at[i][3];
    }
    const struct snapshot_view view = {.grid = {2, 2}};
    struct density density;
    density_init(&density);
    assert_int_equal(density_count(&view, world, &density), 0);
    assert_int_equal(density.inside, 5);
    assert_int_equal(density.outside, 1);
    assert_memory_equal(density.count, ((uint32_t[]){2, 1, 0, 2}), 16);
    assert_memory_equal(density.vx, ((int32_t[]){101, 7, 0, -1}), 16); /* 100.5 and -0.5 away from zero */
    assert_memory_equal(density.vy, ((int32_t[]){-100, 8, 0, 5}), 16);
    density_fini(&density);
    snapshot_destroy(world);
}

static void kinds_and_speeds_when_they_are_asked_for(void **state) {
    struct snapshot *world = create(7, 100, 100, false); /* prey and hunters in turns */
    static const int32_t at[7][4] = {{0, 0, 100, 0},   {10, 10, -100, 0}, {20, 20, 300, 400},
                                     {6000, 10, 3, 4}, {7000, 10, 0, 4},  {9, 9999, 0, 0},
                                     {10001, 0, 5, 5}};
    for (int32_t i = 0; i < 7; i++) {
        world->x[i] = at[i][0];
        world->y[i] = at[i][1];
        world->vx[i] = at[i][2];
        world->vy[i] = at[i][3];
    }
    struct density density;
    density_init(&density);
    struct snapshot_view view = {.grid = {2, 2}, .by_kind = true, .mean_speed = true};
    assert_int_equal(density_count(&view, world, &density), 0);
    assert_true(density.kind_count == 2 && density.has_mean_speed);
    assert_string_equal(density.kinds[0], "prey");
    assert_string_equal(density.kinds[1], "hunter");
    assert_memory_equal(density.by_kind, ((uint32_t[]){2, 1, 0, 0, 1, 1, 1, 0}), 32);
    assert_memory_equal(density.mean_speed, ((uint32_t[]){233, 5, 0, 0}),
                        16); /* 700 / 3; 4.5 away from zero */
    memcpy(view.kinds, "hunter", 7);
    assert_int_equal(density_count(&view, world, &density), 0);
    assert_int_equal(density.kind_count, 1); /* a kind that is not shown has no column */
    assert_string_equal(density.kinds[0], "hunter");
    assert_memory_equal(density.by_kind, density.count, 16);
    const struct snapshot_view plain = {.grid = {2, 2}};
    assert_int_equal(density_count(&plain, world, &density), 0);
    assert_true(density.kind_count == 0 && !density.has_mean_speed);
    assert_false(snapshot_view_equals(&plain, &(struct snapshot_view){.grid = {2, 2}, .by_kind = true}));
    assert_false(snapshot_view_equals(&plain, &(struct snapshot_view){.grid = {2, 2}, .mean_speed = true}));
    density_fini(&density);
    snapshot_destroy(world);
}

static void grids_by_cell_size(void **state) {
    int32_t columns = 0, rows = 0;
    struct snapshot_view view = {.cell = 10};
    density_grid(&view, 800, 601, &columns, &rows);
    assert_true(columns == 80 && rows == 61);
    density_grid(&view, 5, 1e5, &columns, &rows);
    assert_true(columns == 1 && rows == 10000);
    density_grid(&view, 1e5, 1e5, &columns, &rows); /* would be 10^8 cells */
    assert_true(columns * rows <= LIMIT_GRID_CELLS && columns * rows > LIMIT_GRID_CELLS / 2);
}

static void random_worlds_there_and_back(void **state) {
    uint64_t random = 21;
    struct density density, back;
    density_init(&density);
    density_init(&back);
    for (int round = 0; round < 200; round++) {
        struct snapshot *world = create((int32_t)test_below(&random, 500), 640, 480, round % 2 == 0);
        for (int32_t i = 0; i < world->count; i++) {
            world->x[i] = (int32_t)test_below(&random, 70000) - 3000;
            world->y[i] = (int32_t)test_below(&random, 50000) - 1000;
            world->vx[i] = (int32_t)test_below(&random, 4000001) - 2000000;
        }
        struct snapshot_view view = view_of(-20, 100, 5 + (float)test_below(&random, 900), 77);
        view.has_region = round % 3 != 0;
        view.grid[0] = 1 + (float)test_below(&random, 40);
        view.grid[1] = 1 + (float)test_below(&random, 40);
        view.by_kind = round % 4 > 0;
        view.mean_speed = round % 4 > 1;
        assert_int_equal(density_count(&view, world, &density), 0);
        assert_int_equal(density.inside + density.outside, world->count);
        struct buffer line;
        buffer_init(&line, 1 << 20);
        density_encode(&density, world, &line);
        struct failure failure;
        char *copy = test_exact_copy(line.data, line.length);
        assert_int_equal(density_decode(copy, line.length, &back, &failure), 0);
        const size_t bytes = (size_t)(density.columns * density.rows) * 4;
        assert_memory_equal(back.count, density.count, bytes);
        assert_memory_equal(back.vx, density.vx, bytes);
        assert_memory_equal(back.vy, density.vy, bytes);
        assert_true(back.kind_count == (view.by_kind ? 2 : 0) && back.has_mean_speed == view.mean_speed);
        for (int32_t k = 0; k < back.kind_count; k++) {
            assert_string_equal(back.kinds[k], density.kinds[k]);
        }
        if (view.by_kind) {
            assert_memory_equal(back.by_kind, density.by_kind, 2 * bytes);
        }
        if (view.mean_speed) {
            assert_memory_equal(back.mean_speed, density.mean_speed, bytes);
        }
        assert_memory_equal(&back.region, &density.region, sizeof back.region);
        assert_true(back.inside == density.inside && back.outside == density.outside);
        for (int hits = 0; hits < 20; hits++) { /* mutants: accepted or not, nothing is touched outside */
            const uint32_t place = test_below(&random, (uint32_t)line.length);
            copy[place] = (char)test_random(&random);
            const int result = density_decode(copy, line.length, &back, &failure);
            assert_true(result == -1 || back.columns * back.rows <= LIMIT_GRID_CELLS);
            copy[place] = line.data[place];
        }
        free(copy);
        buffer_fini(&line);
        snapshot_destroy(world);
    }
    density_fini(&density);
    density_fini(&back);
}

#define LINE(grid, region, n, counts)                                                                        \
    "{\"op\":\"density\",\"tick\":1,\"time\":1,\"grid\":" grid ",\"region\":" region ",\"n\":" n             \
    ",\"outside\":0,\"count\":\"" counts "\",\"vx\":\"AAAAAA==\",\"vy\":\"AAAAAA==\",\"clock\":1}"
/* One agent in one cell, with more members. */
#define MORE(members)                                                                                        \
    "{\"op\":\"density\",\"tick\":1,\"time\":1,\"grid\":[1,1],\"region\":[0,0,1,1],\"n\":1,\"outside\":0,"   \
    "\"count\":\"AQAAAA==\",\"vx\":\"AAAAAA==\",\"vy\":\"AAAAAA==\",\"clock\":1," members "}"
#define NAME_OF_32 "\"a2345678901234567890123456789012\""

static void wrong_lines_are_refused(void **state) {
    static const char *const lines[] = {LINE("[1,1]", "[0,0,1,1]", "0", "AQAAAA=="),
                                        LINE("[1,2]", "[0,0,1,1]", "1", "AQAAAA=="),
                                        LINE("[0,1]", "[0,0,1,1]", "1", "AQAAAA=="),
                                        LINE("[1]", "[0,0,1,1]", "1", "AQAAAA=="),
                                        LINE("[1,1,1]", "[0,0,1,1]", "1", "AQAAAA=="),
                                        LINE("[1.5,1]", "[0,0,1,1]", "1", "AQAAAA=="),
                                        LINE("[129,128]", "[0,0,1,1]", "1", "AQAAAA=="),
                                        LINE("[1,1]", "[0,0,0,1]", "1", "AQAAAA=="),
                                        LINE("[1,1]", "[0,0,1]", "1", "AQAAAA=="),
                                        LINE("[1,1]", "[0,0,1,1e300]", "1", "AQAAAA=="),
                                        LINE("[1,1]", "[0,0,1,1]", "-1", "AQAAAA=="),
                                        LINE("[1,1]", "[0,0,1,1]", "1", "AQAAAA"),
                                        LINE("[1,1]", "[0,\"a\",1,1]", "1", "AQAAAA=="),
                                        MORE("\"mean_speed\":5"),
                                        MORE("\"mean_speed\":\"AAAA\""),
                                        MORE("\"by_kind\":[\"AQAAAA==\"]"),
                                        MORE("\"by_kind\":{}"),
                                        MORE("\"by_kind\":{\"a\":\"AgAAAA==\"}"),
                                        MORE("\"by_kind\":{\"a\":\"AQAAAA==\",\"b\":\"AQAAAA==\"}"),
                                        MORE("\"by_kind\":{\"a\":\"AQAA\"}"),
                                        MORE("\"by_kind\":{\"a\":1}"),
                                        MORE("\"by_kind\":{" NAME_OF_32 ":\"AQAAAA==\"}"),
                                        "{\"op\":\"density\"}",
                                        "{\"op\":\"snapshot\"}"};
    struct density density;
    struct failure failure;
    density_init(&density);
    static const char fine[] = LINE("[1,1]", "[0,0,1,1]", "1", "AQAAAA==");
    assert_int_equal(density_decode(fine, sizeof fine - 1, &density, &failure), 0);
    static const char more[] =
        MORE("\"by_kind\":{\"a\":\"AAAAAA==\",\"b\":\"AQAAAA==\"},\"mean_speed\":\"AAAAAA==\"");
    assert_int_equal(density_decode(more, sizeof more - 1, &density, &failure), 0);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        failure.message[0] = '\0';
        assert_int_equal(density_decode(lines[i], strlen(lines[i]), &density, &failure), -1);
        assert_true(failure.message[0] != '\0');
    }
    density_fini(&density);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_wraps_with_the_world),
        cmocka_unit_test(kinds_by_name),
        cmocka_unit_test(cells_count_and_average),
        cmocka_unit_test(grids_by_cell_size),
        cmocka_unit_test(random_worlds_there_and_back),
        cmocka_unit_test(wrong_lines_are_refused),
        cmocka_unit_test(kinds_and_speeds_when_they_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
