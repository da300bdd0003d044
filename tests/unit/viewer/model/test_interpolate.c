/* Between snapshots: the short way round, no flight through the world after a jump, fading, guessing and
 * stalling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/model/interpolate.h"

static const struct interpolate_rules open_world = {
    .world_size = {800, 600}, .period_ms = 33.0, .speed = 1.0};
static const struct interpolate_rules wrap_world = {
    .world_size = {800, 600}, .wraps = true, .period_ms = 33.0, .speed = 1.0};

static void assert_near(float found, float wanted, float tolerance) {
    if (!(fabsf(found - wanted) <= tolerance)) {
        fail_msg("found %f, wanted %f", (double)found, (double)wanted);
    }
}

/* Two snapshots, 1000 ms and 1000 + gap, and the frame at a moment. */
struct pair {
    struct snapshot_buffer buffer;
    struct frame frame;
};

static void pair_init(struct pair *pair, struct snapshot *a, struct snapshot *b) {
    snapshot_buffer_init(&pair->buffer);
    frame_init(&pair->frame);
    assert_null(snapshot_buffer_push(&pair->buffer, a));
    if (b != NULL) {
        assert_null(snapshot_buffer_push(&pair->buffer, b));
    }
}

static const struct frame *pair_at(struct pair *pair, double ms, const struct interpolate_rules *rules) {
    assert_int_equal(interpolate_at(&pair->buffer, ms, rules, &pair->frame), 0);
    return &pair->frame;
}

static void pair_fini(struct pair *pair) {
    snapshot_buffer_fini(&pair->buffer);
    frame_fini(&pair->frame);
}

static void nothing_before_the_first(void **state) {
    struct pair pair;
    snapshot_buffer_init(&pair.buffer);
    frame_init(&pair.frame);
    const struct frame *frame = pair_at(&pair, 5.0, &open_world);
    assert_null(frame->names);
    assert_int_equal(frame->count, 0);
    assert_false(frame->is_stalled);
    pair_fini(&pair);
}

static void halfway_is_halfway(void **state) {
    const struct test_agent a = {.id = 1, .x = 100, .y = 50, .vx = 300},
                            b = {.id = 1, .x = 112, .y = 50, .vx = 300};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), make_snapshot(1040, &b, 1));
    assert_near(frame_pose(pair_at(&pair, 1000, &open_world), 0).position.x, 100, 0.01f);
    assert_near(frame_pose(pair_at(&pair, 1020, &open_world), 0).position.x, 106, 0.01f);
    assert_near(frame_pose(pair_at(&pair, 1039.9, &open_world), 0).position.x, 112, 0.05f);
    pair_fini(&pair);
}

static void sparse_snapshots_follow_the_curve(void **state) {
    /* a quarter of a circle of radius 100 in 200 ms, known by its ends: the chord's middle is 29 px off the
     * arc */
    const float speed = 100.0f * 1.5707963f / 0.2f;
    const struct test_agent a = {.id = 1, .x = 300, .y = 200, .vx = 0, .vy = speed};
    const struct test_agent b = {.id = 1, .x = 200, .y = 300, .vx = -speed, .vy = 0};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), make_snapshot(1200, &b, 1));
    const struct pose pose = frame_pose(pair_at(&pair, 1100, &open_world), 0);
    const float radius = hypotf(pose.position.x - 200.0f, pose.position.y - 200.0f);
    assert_near(radius, 100.0f, 2.0f);
    pair_fini(&pair);
}

static void wraps_the_short_way(void **state) {
    const struct test_agent a = {.id = 1, .x = 796, .y = 598, .vx = 240, .vy = 120};
    const struct test_agent b = {.id = 1, .x = 4, .y = 2, .vx = 240, .vy = 120};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), make_snapshot(1033, &b, 1));
    const vec2 middle = frame_pose(pair_at(&pair, 1016.5, &wrap_world), 0).position;
    assert_near(interpolate_wrap_difference(middle.x, 800), 0, 0.05f);
    assert_near(interpolate_wrap_difference(middle.y, 600), 0, 0.05f);
    const vec2 early = frame_pose(pair_at(&pair, 1008.25, &wrap_world), 0).position;
    assert_near(early.x, 798, 0.05f);
    for (double ms = 1000; ms < 1033; ms += 1) {
        const vec2 p = frame_pose(pair_at(&pair, ms, &wrap_world), 0).position;
        assert_true(p.x >= 0 && p.x < 800 && p.y >= 0 && p.y < 600);
        assert_true(p.x > 700 || p.x < 100); /* never through the middle */
    }
    pair_fini(&pair);
}

static void heading_turns_the_short_way(void **state) {
    const struct test_agent a = {.id = 1, .heading_degrees = 350}, b = {.id = 1, .heading_degrees = 20};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), make_snapshot(1040, &b, 1));
    const float heading = frame_pose(pair_at(&pair, 1020, &open_world), 0).heading;
    assert_near(heading, 5.0f * 3.14159265f / 180.0f, 1e-3f);
    pair_fini(&pair);
}

static void a_jump_is_not_flown(void **state) {
    const struct test_agent a = {.id = 1, .x = 100, .y = 100, .vx = 60, .heading_degrees = 10};
    const struct test_agent b = {.id = 1, .x = 500, .y = 400, .vx = 60, .heading_degrees = 90};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), make_snapshot(1033, &b, 1));
    assert_near(frame_pose(pair_at(&pair, 1030, &open_world), 0).position.x, 100, 0.01f);
    assert_near(frame_pose(pair_at(&pair, 1033, &open_world), 0).position.x, 500, 0.01f);
    pair_fini(&pair);
}

static void newcomers_fade_in_and_the_gone_fade_out(void **state) {
    const struct test_agent a[] = {
        {.id = 1, .x = 10}, {.id = 3, .x = 30, .vx = 300, .state = "flee"}, {.id = 4, .x = 40}};
    const struct test_agent b[] = {
        {.id = 1, .x = 10, .state = "flee"}, {.id = 2, .x = 20}, {.id = 4, .x = 40}};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, a, 3), make_snapshot(1040, b, 3));
    const struct frame *frame = pair_at(&pair, 1010, &open_world);
    assert_int_equal(frame->count, 4);
    float alpha[5] = {0}, x[5] = {0};
    for (int32_t i = 0; i < frame->count; i++) {
        alpha[frame_pose(frame, i).id] = frame_pose(frame, i).alpha;
        x[frame_pose(frame, i).id] = frame_pose(frame, i).position.x;
        if (frame_pose(frame, i).id == 3) { /* its state in the newer snapshot's table */
            assert_string_equal(frame->names->state_names.names[frame_pose(frame, i).state], "flee");
        }
    }
    assert_near(alpha[1], 1, 1e-4f);
    assert_near(alpha[2], 0.25f, 1e-3f);
    assert_near(alpha[3], 0.75f, 1e-3f);
    assert_near(x[3], 33, 0.01f); /* it goes on while it fades */
    pair_fini(&pair);
}

static void guesses_for_a_quarter_second_then_stalls(void **state) {
    const struct test_agent a = {.id = 1, .x = 100, .y = 100, .vx = 100};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), NULL);
    const struct frame *frame = pair_at(&pair, 1200, &open_world);
    assert_near(frame_pose(frame, 0).position.x, 120, 0.01f);
    assert_false(frame->is_stalled);
    assert_near((float)frame->late_ms, 200, 1e-3f);
    frame = pair_at(&pair, 3000, &open_world);
    assert_near(frame_pose(frame, 0).position.x, 125, 0.01f);
    assert_true(frame->is_stalled);
    pair_fini(&pair);
}

static void a_paused_world_stands_and_is_not_stalled(void **state) {
    struct interpolate_rules paused = open_world;
    paused.is_paused = true;
    const struct test_agent a = {.id = 1, .x = 100, .y = 100, .vx = 100};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), NULL);
    const struct frame *frame = pair_at(&pair, 3000, &paused);
    assert_near(frame_pose(frame, 0).position.x, 100, 1e-4f);
    assert_false(frame->is_stalled);
    pair_fini(&pair);
}

static void a_step_after_a_pause_is_walked_at_its_end(void **state) {
    const struct test_agent a = {.id = 1, .x = 100, .vx = 240}, b = {.id = 1, .x = 104, .vx = 240};
    struct snapshot *after = make_snapshot(9000, &b, 1);
    after->time_s = 1.0 + 1.0 / 60.0; /* one tick later in the world, eight seconds on the wall */
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), after);
    assert_near(frame_pose(pair_at(&pair, 5000, &open_world), 0).position.x, 100, 0.01f);
    assert_near(frame_pose(pair_at(&pair, 8750, &open_world), 0).position.x, 100, 0.01f);
    assert_near(frame_pose(pair_at(&pair, 8875, &open_world), 0).position.x, 102, 0.01f);
    pair_fini(&pair);
}

static void a_single_step_is_walked_straight(void **state) {
    /* a fifth of a second between them, but one tick of the world: the velocities say nothing about the
     * motion */
    const struct test_agent a = {.id = 1, .x = 100, .vx = 0}, b = {.id = 1, .x = 104, .vx = 240};
    struct snapshot *after = make_snapshot(1200, &b, 1);
    after->time_s = 1.0 + 1.0 / 60.0;
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), after);
    assert_near(frame_pose(pair_at(&pair, 1100, &open_world), 0).position.x, 102, 0.01f);
    pair_fini(&pair);
}

static void removed_agents_of_unknown_state_are_left_out(void **state) {
    const struct test_agent a[2] = {{.id = 1, .x = 100}, {.id = 2, .x = 200, .state = "evade"}};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, a, 2), make_snapshot(1040, a, 1));
    const struct frame *frame = pair_at(&pair, 1001, &open_world);
    assert_int_equal(frame->count, 1);
    assert_int_equal(frame_pose(frame, 0).id, 1);
    pair_fini(&pair);
}

static void targets_glide_but_do_not_fly(void **state) {
    const struct test_agent agent = {.id = 1};
    struct snapshot *a = make_snapshot(1000, &agent, 1), *b = make_snapshot(1040, &agent, 1);
    add_target(a, "mouse", 100, 100);
    add_target(a, "far", 10, 10);
    add_target(b, "far", 700, 500); /* another order, another table */
    add_target(b, "mouse", 120, 100);
    struct pair pair;
    pair_init(&pair, a, b);
    const struct frame *frame = pair_at(&pair, 1020, &open_world);
    assert_int_equal(frame->target_count, 2);
    assert_string_equal(frame->names->target_names.names[frame->targets[0].name], "far");
    assert_near(frame->targets[0].position.x, 10, 0.01f);
    assert_near(frame->targets[1].position.x, 110, 0.01f);
    pair_fini(&pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_before_the_first),
        cmocka_unit_test(halfway_is_halfway),
        cmocka_unit_test(sparse_snapshots_follow_the_curve),
        cmocka_unit_test(wraps_the_short_way),
        cmocka_unit_test(heading_turns_the_short_way),
        cmocka_unit_test(a_jump_is_not_flown),
        cmocka_unit_test(newcomers_fade_in_and_the_gone_fade_out),
        cmocka_unit_test(guesses_for_a_quarter_second_then_stalls),
        cmocka_unit_test(a_paused_world_stands_and_is_not_stalled),
        cmocka_unit_test(a_step_after_a_pause_is_walked_at_its_end),
        cmocka_unit_test(a_single_step_is_walked_straight),
        cmocka_unit_test(removed_agents_of_unknown_state_are_left_out),
        cmocka_unit_test(targets_glide_but_do_not_fly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
