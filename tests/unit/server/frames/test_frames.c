/* Frames of a server: their forms, parcels between threads, when they are due, what of a world is in them, which sessions get them. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request.h"
#include "common/snapshot/snapshot.h"
#include "server/broadcast/broadcast.h"
#include "server/frames/frame_form.h"
#include "server/frames/snapshot_gather.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/math/trig.h"
#include "server/sim/steering/trace.h"
#include "tests/support/snapshots.h"
#include "tests/unit/server/frames/world_fixture.h"

/* ==== Keys of packed frames with a region, and frames of a world that no process has whole ==== */

enum { FRAME_FORM_AGENTS = 3 };

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
    assert_int_equal(snapshot_reserve(stage->snapshot, FRAME_FORM_AGENTS, 0, false), 0);
    assert_int_equal(name_table_intern(&stage->snapshot->kind_names, "bird", 4), 0);
    assert_int_equal(name_table_intern(&stage->snapshot->state_names, "fly", 3), 0);
    stage->snapshot->count = FRAME_FORM_AGENTS;
    stage->snapshot->width = stage->snapshot->height = 1000;
    stage->snapshot->fields = SNAPSHOT_USUAL;
    for (int32_t i = 0; i < FRAME_FORM_AGENTS; i++) {
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
    frame_form_clear(stage->form);
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
    assert_int_equal(stage.form->packed.base->count, FRAME_FORM_AGENTS);
    stage.snapshot->x[0] = 18001;
    assert_true(key_of_next(&stage) > first);
    assert_int_equal(stage.form->packed.base->count, FRAME_FORM_AGENTS - 1);
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
    for (int32_t i = 0; i < FRAME_FORM_AGENTS; i++) { /* each from another part of the world */
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
    struct shared_bytes *whole = shared_bytes_keep(stage.form->frame);
    frame_form_clear(stage.form);
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
    assert_true(snapshot_extract_shows(extract, &view));
    extract->views[0].is_left_out = true;
    assert_false(snapshot_extract_shows(extract, &view));
    snapshot_extract_destroy(extract);
    tear_down(&stage);
}

/* ---- samples ---- */

enum { CROWD = 4000 };

/* protocol.md's rule, written once more. */
static bool is_one_in(uint32_t id, uint32_t n) {
    uint64_t h = id;
    h = ((h ^ (h >> 16)) * 0x85EBCA6Bu) & 0xFFFFFFFFu;
    h = ((h ^ (h >> 13)) * 0xC2B2AE35u) & 0xFFFFFFFFu;
    return (h ^ (h >> 16)) % n == 0;
}

static void samples_are_even_and_each_has_those_of_smaller_ones(void **state) {
    for (uint32_t n = 1; n <= 256; n *= 2) {
        int count = 0;
        for (uint32_t id = 1; id <= 100000; id++) {
            assert_int_equal(snapshot_in_sample(id, n), is_one_in(id, n));
            assert_true(!snapshot_in_sample(id, 2 * n) || snapshot_in_sample(id, n));
            count += snapshot_in_sample(id, n);
        }
        assert_true(abs(count - (int)(100000 / n)) <= 4 * (int)sqrt(100000.0 / n));
    }
}

static void a_sample_stays_while_its_count_goes_up_and_down(void **state) {
    assert_int_equal(snapshot_choose_sample(0, 10, 0), 1);
    assert_int_equal(snapshot_choose_sample(10, 10, 0), 1);
    assert_int_equal(snapshot_choose_sample(11, 10, 0), 2);
    assert_int_equal(snapshot_choose_sample(81, 10, 0), 16);
    assert_int_equal(snapshot_choose_sample(80, 10, 16), 16); /* one in 8 would be all of the 10 */
    assert_int_equal(snapshot_choose_sample(60, 10, 16), 8);
    assert_int_equal(snapshot_choose_sample(19, 10, 16), 2);
    assert_int_equal(snapshot_choose_sample(LIMIT_AGENTS, 1, 0), 1 << 27);
}

/* The agents of a line are those that the rule and the region let pass, and no others. */
static void assert_sample(const struct stage *stage, const struct snapshot *got, uint32_t n) {
    const struct snapshot *all = stage->snapshot;
    int32_t found = 0, of = 0;
    for (int32_t i = 0; i < all->count; i++) {
        const bool is_inside = all->x[i] <= 200000;
        of += is_inside;
        if (is_inside && is_one_in(all->id[i], n)) {
            assert_true(found < got->count && got->id[found] == all->id[i] && got->x[found] == all->x[i]);
            found++;
        }
    }
    assert_int_equal(found, got->count);
    assert_int_equal(got->one_in, n);
    assert_int_equal(got->of, of);
}

static void read_line(const struct frame_layout *layout, struct packed_decoder *key,
                      const struct shared_bytes *line, struct snapshot *out) {
    const struct frame_reader reader = {.key = key, .snapshot = out};
    struct failure failure = {0};
    assert_true(layout->decode(&reader, line->data, line->length, &failure) != FRAME_REFUSED);
}

static void frames_have_the_sample_that_they_name(void **state) {
    for (int l = LAYOUT_OBJECTS; l <= LAYOUT_PACKED; l++) {
        const struct snapshot_view view = {.layout = l,
                                           .fields = SNAPSHOT_USUAL,
                                           .has_region = true,
                                           .region = {0, 0, 2000, 3000},
                                           .most = 300};
        struct stage stage;
        struct snapshot *got = snapshot_create();
        struct packed_decoder *key = packed_decoder_create();
        set_up(&stage, &view);
        assert_int_equal(snapshot_reserve(stage.snapshot, CROWD, 0, false), 0);
        stage.snapshot->count = CROWD;
        for (int32_t i = 0; i < CROWD; i++) {
            stage.snapshot->id[i] = 3 * (uint32_t)i + 1;
            stage.snapshot->kind[i] = stage.snapshot->state[i] = 0;
            stage.snapshot->x[i] = i % 2 == 0 ? 100 * i / 4 : 400000; /* half of them far from the region */
            stage.snapshot->y[i] = 100;
            stage.snapshot->vx[i] = stage.snapshot->vy[i] = 7;
            stage.snapshot->heading[i] = stage.snapshot->stamina[i] = 0;
        }
        for (int turn = 0; turn < 3; turn++) { /* 2000 agents in it, then they move, then 500 are left */
            (void)key_of_next(&stage);
            if (stage.form->key != NULL) {
                read_line(frame_layout_row(l), key, stage.form->key, got);
            }
            read_line(frame_layout_row(l), key, stage.form->frame, got);
            assert_sample(&stage, got, turn < 2 ? 8 : 2);
            for (int32_t i = 0; i < CROWD; i += 2) {
                stage.snapshot->x[i] += turn == 1 && i % 8 != 0 ? 400000 : 30;
            }
        }
        packed_decoder_destroy(key);
        snapshot_destroy(got);
        tear_down(&stage);
    }
}

/* ==== snapshot parcel ====
 * Agents as bytes, and snapshots of several such parts: what comes of them is the snapshot of the whole. */

enum { PARTS = 5, SNAPSHOT_PARCEL_AGENTS = 60 };

/* Two kinds, of which one has forces with parts. */
static const char *const text =
    "{\"name\":\"t\",\"world\":{\"size\":[300,200]},\"targets\":{\"a\":[100,0],\"b\":[0,7.5]},"
    "\"kinds\":{\"bird\":{\"behaviors\":[{\"seek\":{\"target\":\"b\"}},{\"flock\":{}}]},"
    "\"fish\":{\"behaviors\":[{\"wander\":{}},{\"seek\":{\"target\":\"a\"}}]}},"
    "\"agents\":[{\"kind\":\"fish\",\"count\":25,\"in\":{\"rect\":[0,0,300,200]}},"
    "{\"kind\":\"bird\",\"count\":35,\"in\":{\"rect\":[0,0,300,200]}}]}";

/* The rows that a part has; `turn` varies who has whom. Some parts have none. */
static int32_t rows_of(int part, int turn, int32_t rows[SNAPSHOT_PARCEL_AGENTS]) {
    int32_t count = 0;
    for (int32_t row = 0; row < SNAPSHOT_PARCEL_AGENTS; row++) {
        if ((row * (turn + 3) + row / 7) % (PARTS - turn % 3) == part) {
            rows[count++] = row;
        }
    }
    return count;
}

/* At an odd address, as bytes from elsewhere may lie. */
static struct exchange_part pack(const struct world *world, unsigned fields, int part, int turn) {
    int32_t rows[SNAPSHOT_PARCEL_AGENTS];
    struct buffer bytes;
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    buffer_init(&bytes, 1 << 20);
    const int32_t count = rows_of(part, turn, rows);
    assert_int_equal(world_snapshot_copy_rows(world, fields, rows, count, snapshot), 0);
    snapshot_parcel_write(snapshot, &bytes);
    assert_false(bytes.failed);
    char *copy = malloc(bytes.length + 1);
    assert_non_null(copy);
    memcpy(copy + 1, bytes.data, bytes.length);
    const struct exchange_part parcel = {copy + 1, bytes.length};
    buffer_fini(&bytes);
    snapshot_destroy(snapshot);
    return parcel;
}

/* All that a frame may say. */
static void assert_same(const struct snapshot *a, const struct snapshot *b) {
    struct buffer one, other;
    buffer_init(&one, 1 << 20);
    buffer_init(&other, 1 << 20);
    snapshot_encode_fields(a, ~0u, &one);
    snapshot_encode_fields(b, ~0u, &other);
    assert_false(one.failed || other.failed);
    assert_int_equal(one.length, other.length);
    assert_memory_equal(one.data, other.data, one.length);
    assert_int_equal(a->share_count, b->share_count);
    assert_int_equal(a->part_count, b->part_count);
    assert_int_equal(a->behavior_names.count, b->behavior_names.count);
    for (int i = 0; i < a->behavior_names.count; i++) {
        assert_string_equal(a->behavior_names.names[i], b->behavior_names.names[i]);
    }
    buffer_fini(&one);
    buffer_fini(&other);
}

static void parts_make_the_whole(void **state) {
    static const unsigned wanted[] = {0, SNAPSHOT_HEADING, SNAPSHOT_FORCES,
                                      SNAPSHOT_HEADING | SNAPSHOT_FORCES | SNAPSHOT_PARTS};
    struct world *world = make_world(text);
    assert_int_equal(world_agent_count(world), SNAPSHOT_PARCEL_AGENTS);
    struct snapshot *whole = snapshot_create(), *merged = snapshot_create();
    assert_true(whole != NULL && merged != NULL);
    for (int turn = 0; turn < 16; turn++) {
        const unsigned fields = wanted[turn % 4];
        struct exchange_part parcels[PARTS];
        world_step(world);
        for (int part = 0; part < PARTS; part++) {
            parcels[part] = pack(world, fields, part, turn);
        }
        assert_int_equal(world_snapshot_copy_wanted(world, fields, NULL, whole), 0);
        assert_int_equal(world_snapshot_copy_rows(world, fields, NULL, 0, merged), 0);
        assert_int_equal(merged->count, 0);
        assert_int_equal(snapshot_parcel_merge(parcels, PARTS, merged), 0);
        assert_same(merged, whole);
        for (int part = 0; part < PARTS; part++) {
            free((char *)parcels[part].bytes - 1);
        }
    }
    snapshot_destroy(whole);
    snapshot_destroy(merged);
    world_destroy(world);
}

/* ==== What subscriptions add up to ==== */

static void test_nothing(void **state) {
    const struct snapshot_schedule schedule = {0};
    assert_false(snapshot_schedule_wants(&schedule, 0));
    assert_false(snapshot_schedule_wants(&schedule, 60));
}

static void test_union(void **state) {
    struct snapshot_schedule schedule = {0};
    snapshot_schedule_add(&schedule, 3, false);
    snapshot_schedule_add(&schedule, 4, true);
    snapshot_schedule_add(&schedule, 6, false); /* in 3 */
    assert_int_equal(schedule.count, 2);
    assert_true(schedule.forces);
    assert_int_equal(snapshot_schedule_fields(&schedule), SNAPSHOT_FORCES);
    schedule.headings = schedule.parts = true;
    assert_int_equal(snapshot_schedule_fields(&schedule),
                     SNAPSHOT_FORCES | SNAPSHOT_PARTS | SNAPSHOT_HEADING);
    for (uint64_t tick = 0; tick < 100; tick++) {
        assert_int_equal(snapshot_schedule_wants(&schedule, tick), tick % 3 == 0 || tick % 4 == 0);
    }
}

static void test_too_many_rates(void **state) {
    struct snapshot_schedule schedule = {0};
    for (uint64_t every = 1000; every < 1000 + SNAPSHOT_SCHEDULE_RATES + 1; every++) {
        snapshot_schedule_add(&schedule, every, false);
    }
    assert_int_equal(schedule.count, 1);
    assert_true(snapshot_schedule_wants(&schedule, 7)); /* every tick rather than a missing one */
    snapshot_schedule_add(&schedule, 5, false);
    assert_int_equal(schedule.count, 1);
}

/* As one tick at a time would have it. */
static void test_since(void **state) {
    struct snapshot_schedule schedule = {0};
    assert_false(snapshot_schedule_wants_since(&schedule, 0, 1000));
    snapshot_schedule_add(&schedule, 4, false);
    snapshot_schedule_add(&schedule, 6, false);
    for (uint64_t from = 0; from < 30; from++) {
        bool wants = false;
        assert_false(snapshot_schedule_wants_since(&schedule, from, from));
        for (uint64_t to = from + 1; to < from + 15; to++) {
            wants = wants || snapshot_schedule_wants(&schedule, to);
            assert_int_equal(snapshot_schedule_wants_since(&schedule, from, to), wants);
        }
    }
}

/* ==== Copying a world out: rounding, headings, names, forces ==== */

static void test_rounding(void **state) {
    assert_int_equal(world_snapshot_hundredths(0.0f), 0);
    assert_int_equal(world_snapshot_hundredths(12.34f), 1234);
    assert_int_equal(world_snapshot_hundredths(-0.006f), -1);
    assert_int_equal(world_snapshot_hundredths(-0.004f), 0);
    assert_int_equal(world_snapshot_hundredths(1e6f), 100000000);
    assert_int_equal(world_snapshot_hundredths(1e12f), INT32_MAX);
    assert_int_equal(world_snapshot_hundredths(-1e12f), -INT32_MAX);
}

static void test_heading(void **state) {
    assert_int_equal(world_snapshot_heading(vec2_make(1.0f, 0.0f)), 0);
    assert_int_equal(world_snapshot_heading(vec2_make(0.0f, 1.0f)), 9000);
    assert_int_equal(world_snapshot_heading(vec2_make(-1.0f, 0.0f)), 18000);
    assert_int_equal(world_snapshot_heading(vec2_make(0.0f, -1.0f)), 27000);
    assert_int_equal(world_snapshot_heading(vec2_make(1.0f, -1e-7f)), 0); /* not 36000 */
    for (int hundredths = 0; hundredths < 36000; hundredths += 37) {
        const vec2 unit = trig_unit((float)(hundredths * TRIG_PI / 18000.0));
        assert_true(abs(world_snapshot_heading(unit) - hundredths) <= 1);
    }
}

static const char *const two_kinds =
    "{\"name\":\"t\",\"tick_hz\":50,\"world\":{\"size\":[800,600]},\"targets\":{\"a\":[100,0],\"b\":[0,-7.5]}"
    ","
    "\"kinds\":{\"slow\":{\"max_force\":10,\"behaviors\":[{\"seek\":{\"target\":\"a\"}},{\"seek\":{"
    "\"target\":\"b\"}}]},"
    "\"still\":{}},\"agents\":[{\"kind\":\"still\",\"at\":[1.25,2.5],\"heading\":45,\"count\":2},"
    "{\"kind\":\"slow\",\"at\":[0,0],\"heading\":0}]}";

static void test_copy(void **state) {
    struct world *world = make_world(two_kinds);
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    for (int i = 0; i < 5; i++) {
        world_step(world);
    }
    assert_int_equal(world_snapshot_copy(world, false, snapshot), 0);
    assert_int_equal(snapshot->tick, 5);
    assert_true(fabs(snapshot->time_s - 0.1) < 1e-12);
    assert_int_equal(snapshot->count, 3);
    assert_false(snapshot->has_forces);
    assert_int_equal(snapshot->id[0], 1);
    assert_int_equal(snapshot->id[2], 3);
    assert_int_equal(snapshot->x[0], 125);
    assert_int_equal(snapshot->y[1], 250);
    assert_int_equal(snapshot->heading[0], 4500);
    assert_string_equal(snapshot->kind_names.names[snapshot->kind[0]], "still");
    assert_string_equal(snapshot->state_names.names[snapshot->state[0]], "idle");
    assert_string_equal(snapshot->kind_names.names[snapshot->kind[2]], "slow");
    assert_string_equal(snapshot->state_names.names[snapshot->state[2]], "seek");
    assert_true(snapshot->vx[2] > 0);
    assert_int_equal(snapshot->target_count, 2);
    assert_string_equal(snapshot->target_names.names[snapshot->target_name[1]], "b");
    assert_int_equal(snapshot->target_y[1], -750);
    snapshot_destroy(snapshot);
    world_destroy(world);
}

static void test_world_snapshot_forces(void **state) {
    struct world *world = make_world(two_kinds);
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    assert_int_equal(world_snapshot_copy(world, true, snapshot), 0);
    assert_true(snapshot->has_forces);
    assert_int_equal(snapshot->share_begin[0], snapshot->share_begin[1]); /* the still ones have none */
    assert_int_equal(snapshot->share_begin[3] - snapshot->share_begin[2], 2);
    const struct snapshot_share *shares = &snapshot->shares[snapshot->share_begin[2]];
    assert_string_equal(snapshot->behavior_names.names[shares[0].behavior], "seek");
    assert_string_equal(snapshot->behavior_names.names[shares[1].behavior], "seek2");
    assert_true(shares[0].force.x > 0 && shares[1].force.y < 0);
    const double steering = hypot(snapshot->steering[2].x, snapshot->steering[2].y);
    assert_true(fabs(steering - 1000.0) < 2.0); /* max_force 10, in hundredths */
    /* Again without, then with: the same snapshot is reused, growing and shrinking. */
    assert_int_equal(world_snapshot_copy(world, false, snapshot), 0);
    assert_false(snapshot->has_forces);
    assert_int_equal(world_snapshot_copy(world, true, snapshot), 0);
    assert_int_equal(snapshot->share_count, 2);
    snapshot_destroy(snapshot);
    world_destroy(world);
}

static const char *const birds =
    "{\"name\":\"t\",\"world\":{\"size\":[300,300]},\"targets\":{\"a\":[100,0]},\"kinds\":{"
    "\"ant\":{\"behaviors\":[{\"seek\":{\"target\":\"a\"}}]},"
    "\"bird\":{\"behaviors\":[{\"seek\":{\"target\":\"a\"}},{\"flock\":{\"weight\":2}}]}},"
    "\"agents\":[{\"kind\":\"bird\",\"count\":40,\"in\":{\"rect\":[0,0,300,300]}},{\"kind\":\"ant\",\"at\":["
    "9,9],\"count\":3}]}";

/* The parts of a term are what they are to a hundredth or so, and add up to what it wants. */
static void assert_rounded(const struct trace_term *term, const struct snapshot_part *parts) {
    int64_t x = 0, y = 0;
    for (int p = 0; p < term->part_count; p++) {
        assert_true(llabs((int64_t)parts[p].force.x - world_snapshot_hundredths(term->parts[p].x)) <= 2);
        assert_true(llabs((int64_t)parts[p].force.y - world_snapshot_hundredths(term->parts[p].y)) <= 2);
        x += parts[p].force.x;
        y += parts[p].force.y;
    }
    if (term->part_count > 0) {
        assert_int_equal(x, world_snapshot_hundredths(term->wants.x));
        assert_int_equal(y, world_snapshot_hundredths(term->wants.y));
    }
}

/* The parts of an agent's flock are those that inspect tells, and no more. */
static void assert_parts(const struct world *world, int32_t row, const struct snapshot *snapshot) {
    struct steering_view view;
    struct trace trace;
    world_trace(world, row, &view, &trace);
    int32_t at = snapshot->part_begin[row];
    for (int t = 0; t < trace.term_count; t++) {
        for (int p = 0; p < trace.terms[t].part_count; p++, at++) {
            const struct snapshot_part *part = &snapshot->parts[at];
            assert_string_equal(snapshot->behavior_names.names[part->behavior], "flock");
            assert_string_equal(snapshot->part_names.names[part->part], trace_part_names[p]);
        }
        assert_rounded(&trace.terms[t], &snapshot->parts[at - trace.terms[t].part_count]);
    }
    assert_int_equal(at, snapshot->part_begin[row + 1]);
}

static void test_parts(void **state) {
    struct world *world = make_world(birds);
    struct snapshot *snapshot = snapshot_create(), *plain = snapshot_create();
    assert_non_null(snapshot);
    assert_non_null(plain);
    world_step(world);
    const uint64_t hash = world_hash(world);
    assert_int_equal(world_snapshot_copy(world, true, plain), 0);
    assert_int_equal(world_snapshot_copy_wanted(world, SNAPSHOT_FORCES | SNAPSHOT_PARTS, NULL, snapshot), 0);
    assert_true(world_hash(world) == hash);
    assert_true(snapshot_has_parts(snapshot) && !snapshot_has_parts(plain));
    for (int32_t row = 0; row < snapshot->count; row++) {
        assert_parts(world, row, snapshot);
    }
    assert_true(snapshot->part_count > 60);
    assert_int_equal(snapshot->share_count, plain->share_count); /* what forces say is the same */
    assert_memory_equal(snapshot->shares, plain->shares, (size_t)plain->share_count * sizeof *plain->shares);
    assert_memory_equal(snapshot->steering, plain->steering, (size_t)plain->count * sizeof *plain->steering);
    assert_int_equal(world_snapshot_copy_wanted(world, SNAPSHOT_PARTS, NULL, snapshot), 0);
    assert_false(snapshot_has_parts(snapshot)); /* parts belong to forces */
    snapshot_destroy(snapshot);
    snapshot_destroy(plain);
    world_destroy(world);
}

/* Agents that no view with forces shows have none; the others have what they have beside all. */
static void test_no_more_than_is_shown(void **state) {
    struct world *world = make_world(birds);
    struct snapshot *all = snapshot_create(), *some = snapshot_create();
    struct snapshot_demand *demand = calloc(1, sizeof *demand);
    assert_non_null(demand);
    snapshot_demand_add(demand, &(struct snapshot_view){.fields = SNAPSHOT_USUAL});
    snapshot_demand_add(
        demand,
        &(struct snapshot_view){.fields = SNAPSHOT_FORCES, .has_region = true, .region = {0, 0, 150, 300}});
    assert_int_equal(world_snapshot_copy(world, true, all), 0);
    assert_int_equal(world_snapshot_copy_wanted(world, SNAPSHOT_HEADING | SNAPSHOT_FORCES, demand, some), 0);
    int shown = 0;
    for (int32_t i = 0; i < all->count; i++) {
        const bool is_shown = all->x[i] < 15000;
        const int count = some->share_begin[i + 1] - some->share_begin[i];
        const struct snapshot_vector none = {0};
        assert_int_equal(count, is_shown ? all->share_begin[i + 1] - all->share_begin[i] : 0);
        assert_memory_equal(&some->steering[i], is_shown ? &all->steering[i] : &none, sizeof none);
        assert_memory_equal(&some->shares[some->share_begin[i]], &all->shares[all->share_begin[i]],
                            (size_t)count * sizeof *all->shares);
        shown += is_shown ? 1 : 0;
    }
    assert_true(shown > 5 && shown < all->count - 5);
    free(demand);
    snapshot_destroy(all);
    snapshot_destroy(some);
    world_destroy(world);
}

static void expect_rounded(const float parts[TRACE_PARTS], float wants, const int32_t rounded[TRACE_PARTS]) {
    struct trace_term term = {.part_count = TRACE_PARTS, .wants = vec2_make(wants, 0.0f)};
    struct snapshot_vector out[TRACE_PARTS];
    for (int i = 0; i < TRACE_PARTS; i++) {
        term.parts[i] = vec2_make(parts[i], 0.0f);
    }
    world_snapshot_parts(&term, out);
    for (int i = 0; i < TRACE_PARTS; i++) {
        assert_int_equal(out[i].x, rounded[i]);
        assert_int_equal(out[i].y, 0);
    }
}

static void test_rounded_parts_add_up(void **state) {
    expect_rounded((const float[]){1.004f, 1.004f, 1.004f}, 3.012f, (const int32_t[]){100, 101, 100});
    expect_rounded((const float[]){-1.006f, 2.003f, 0.0f}, 0.997f, (const int32_t[]){-101, 201, 0});
    expect_rounded((const float[]){0.0f, 0.0f, 0.0f}, 0.0f, (const int32_t[]){0, 0, 0});
    expect_rounded((const float[]){1e9f, -1e9f, 5.0f}, 5.0f, (const int32_t[]){INT32_MAX, -INT32_MAX, 500});
}

static void test_empty(void **state) {
    struct world *world = make_world("{\"name\":\"t\",\"world\":{\"size\":[1,1]}}");
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    assert_int_equal(world_snapshot_copy(world, true, snapshot), 0);
    assert_int_equal(snapshot->count, 0);
    assert_int_equal(snapshot->target_count, 0);
    snapshot_destroy(snapshot);
    world_destroy(world);
}

/* ==== Which session is due. Sending is tested end to end ==== */

static void test_every(void **state) {
    assert_int_equal(broadcast_every(60.0, 30.0), 2);
    assert_int_equal(broadcast_every(60.0, 25.0), 3); /* rounded down: 20 Hz */
    assert_int_equal(broadcast_every(60.0, 60.0), 1);
    assert_int_equal(broadcast_every(60.0, 480.0), 1);
    assert_int_equal(broadcast_every(60.0, 0.01), 6000);
    assert_int_equal(broadcast_every(59.94, 59.94), 1);
    assert_int_equal(broadcast_every(60.0, 59.99), 2);
    for (uint64_t every = 1; every <= 480; every++) {
        assert_int_equal(broadcast_every(480.0, 480.0 / (double)every), every); /* the granted rate stays */
    }
}

static void test_rate(void **state) {
    struct subscription subscription = {.is_active = true, .every = 3, .has_sent = true, .last_tick = 7};
    assert_false(broadcast_is_due(&subscription, 7, 0, FRAME_REASON_RATE, false));
    assert_false(broadcast_is_due(&subscription, 8, 0, FRAME_REASON_RATE, false));
    assert_true(broadcast_is_due(&subscription, 9, 0, FRAME_REASON_RATE, false));
    assert_true(broadcast_is_due(&subscription, 10, 0, FRAME_REASON_RATE, false)); /* tick 9 was missed */
    subscription.last_tick = 9;
    assert_false(broadcast_is_due(&subscription, 11, 0, FRAME_REASON_RATE, false));
    subscription.has_sent = false;
    assert_true(broadcast_is_due(&subscription, 9, 0, FRAME_REASON_RATE, false)); /* subscribed just now */
    subscription.is_active = false;
    assert_false(broadcast_is_due(&subscription, 100, 0, FRAME_REASON_ALL, true));
}

static void test_paused(void **state) {
    const struct subscription subscription = {
        .is_active = true, .every = 6, .has_sent = true, .last_tick = 6};
    assert_false(broadcast_is_due(&subscription, 6, 0, FRAME_REASON_NEWER, false));
    assert_true(broadcast_is_due(&subscription, 7, 0, FRAME_REASON_NEWER, false));
    assert_true(broadcast_is_due(&subscription, 6, 0, FRAME_REASON_ALL, false));
}

/* During a step ticks go by as fast as they can; the clock decides which session is due. */
static void test_clock(void **state) {
    struct subscription subscription = {
        .is_active = true, .every = 2, .has_sent = true, .last_tick = 100, .last_clock_tick = 10};
    assert_false(broadcast_is_due(&subscription, 9000, 11, FRAME_REASON_CLOCK, false));
    assert_true(broadcast_is_due(&subscription, 101, 12, FRAME_REASON_CLOCK, false));
    assert_true(broadcast_is_due(&subscription, 101, 11, FRAME_REASON_ALL, false)); /* its end */
    subscription.has_sent = false;
    assert_true(broadcast_is_due(&subscription, 101, 10, FRAME_REASON_CLOCK, false));
}

static void test_broadcast_forces(void **state) {
    const struct subscription subscription = {.is_active = true, .every = 1, .forces = true};
    assert_false(broadcast_is_due(&subscription, 1, 0, FRAME_REASON_ALL, false)); /* the next one has them */
    assert_true(broadcast_is_due(&subscription, 1, 0, FRAME_REASON_RATE, true));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agents_that_left_stay_within_reach),
        cmocka_unit_test(densities_come_from_sums),
        cmocka_unit_test(a_view_of_too_many_is_not_shown),
        cmocka_unit_test(samples_are_even_and_each_has_those_of_smaller_ones),
        cmocka_unit_test(a_sample_stays_while_its_count_goes_up_and_down),
        cmocka_unit_test(frames_have_the_sample_that_they_name),
        cmocka_unit_test(parts_make_the_whole),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_union),
        cmocka_unit_test(test_too_many_rates),
        cmocka_unit_test(test_since),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_heading),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_world_snapshot_forces),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_rounded_parts_add_up),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_no_more_than_is_shown),
        cmocka_unit_test(test_every),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_paused),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_broadcast_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
