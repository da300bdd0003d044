/* Keys of packed frames with a region, and frames of a world that no process has whole. */
#include "tests/unit/server/cmocka_all.h"

#include <string.h>

#include "common/protocol/request.h"
#include "server/frames/frame_form.h"

enum { AGENTS = 3 };

struct stage {
    struct snapshot *snapshot;
    struct frame_scratch scratch;
    struct frame_form *form;
};

static const struct frame_estimate estimate = {.frame = 1024};

/* Agents in a row, 10 px apart, from (100, 100). */
static void set_up(struct stage *stage, const struct snapshot_view *view) {
    stage->snapshot = snapshot_create();
    assert_non_null(stage->snapshot);
    assert_int_equal(snapshot_reserve(stage->snapshot, AGENTS, 0, false), 0);
    assert_int_equal(name_table_intern(&stage->snapshot->kind_names, "bird", 4), 0);
    assert_int_equal(name_table_intern(&stage->snapshot->state_names, "fly", 3), 0);
    stage->snapshot->count = AGENTS;
    stage->snapshot->width = stage->snapshot->height = 1000;
    stage->snapshot->fields = SNAPSHOT_USUAL;
    for (int32_t i = 0; i < AGENTS; i++) {
        stage->snapshot->id[i] = (uint32_t)i + 1;
        stage->snapshot->kind[i] = stage->snapshot->state[i] = 0;
        stage->snapshot->x[i] = 10000 + 1000 * i;
        stage->snapshot->y[i] = 10000;
        stage->snapshot->vx[i] = stage->snapshot->vy[i] = stage->snapshot->heading[i] = 0;
        stage->snapshot->stamina[i] = 0;
    }
    frame_scratch_init(&stage->scratch, 1 << 20);
    stage->form = frame_form_create(view, &estimate);
    assert_non_null(stage->form);
}

static void tear_down(struct stage *stage) {
    frame_form_destroy(stage->form, &stage->scratch);
    frame_scratch_fini(&stage->scratch);
    snapshot_destroy(stage->snapshot);
}

/* The number of the key of the next frame. */
static uint64_t key_of_next(struct stage *stage) {
    frame_form_forget(stage->form);
    assert_true(frame_form_make(stage->form, stage->snapshot, &stage->scratch));
    return stage->form->packed.number;
}

static void agents_that_left_stay_within_reach(void **state) {
    const struct snapshot_view view = {
        .layout = LAYOUT_PACKED, .fields = SNAPSHOT_USUAL, .has_region = true, .region = {50, 50, 100, 100}};
    struct stage stage;
    set_up(&stage, &view);
    const uint64_t first = key_of_next(&stage);
    stage.snapshot->x[0] = 18000; /* three tenths of 100 px from the edge */
    assert_int_equal(key_of_next(&stage), first);
    assert_int_equal(stage.form->packed.base->count, AGENTS);
    stage.snapshot->x[0] = 18001;
    assert_true(key_of_next(&stage) > first);
    assert_int_equal(stage.form->packed.base->count, AGENTS - 1);
    tear_down(&stage);
}

static void densities_come_from_sums(void **state) {
    const struct snapshot_view view = {
        .layout = LAYOUT_DENSITY, .grid = {4, 3}, .by_kind = true, .mean_speed = true};
    struct stage stage;
    set_up(&stage, &view);
    struct snapshot_extract *extract = snapshot_extract_create();
    assert_non_null(extract);
    assert_int_equal(snapshot_extract_add(extract, &view, stage.snapshot), 0);
    assert_true(snapshot_extract_shows(extract, &view));
    for (int32_t i = 0; i < AGENTS; i++) { /* each from another part of the world */
        struct density_sums part;
        struct snapshot one = *stage.snapshot;
        one.count = 1;
        one.kind += i;
        one.x += i;
        one.y += i;
        one.vx += i;
        one.vy += i;
        assert_int_equal(density_sums_begin(&view, stage.snapshot, &part), 0);
        density_sums_add(&part, &one);
        for (int v = 0; v < part.value_count; v++) {
            extract->views[0].sums.values[v] += part.values[v];
        }
        density_sums_end(&part);
    }
    assert_true(frame_form_make(stage.form, stage.snapshot, &stage.scratch));
    struct shared_bytes *whole = shared_bytes_hold(stage.form->frame);
    frame_form_forget(stage.form);
    stage.scratch.extract = extract;
    stage.snapshot->count = 0; /* none is here */
    assert_true(frame_form_make(stage.form, stage.snapshot, &stage.scratch));
    assert_int_equal(stage.form->frame->length, whole->length);
    assert_memory_equal(stage.form->frame->data, whole->data, whole->length);
    shared_bytes_release(whole);
    snapshot_extract_destroy(extract);
    tear_down(&stage);
}

static void a_view_of_too_many_is_not_shown(void **state) {
    struct snapshot_view view = {.layout = LAYOUT_OBJECTS, .fields = SNAPSHOT_USUAL};
    struct stage stage;
    set_up(&stage, &view);
    struct snapshot_extract *extract = snapshot_extract_create();
    assert_non_null(extract);
    assert_true(snapshot_extract_shows(NULL, &view));
    assert_false(snapshot_extract_shows(extract, &view));
    assert_int_equal(snapshot_extract_add(extract, &view, stage.snapshot), 0);
    view.has_speed = true; /* makes no difference */
    extract->views[0].shown = LIMIT_STRIPES_AGENTS;
    assert_true(snapshot_extract_shows(extract, &view));
    extract->views[0].shown = LIMIT_STRIPES_AGENTS + 1;
    assert_false(snapshot_extract_shows(extract, &view));
    snapshot_extract_destroy(extract);
    tear_down(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agents_that_left_stay_within_reach),
        cmocka_unit_test(densities_come_from_sums),
        cmocka_unit_test(a_view_of_too_many_is_not_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
