/* Neighbors are counted as by looking at every pair, across the seam of a torus and outside an open world too. */
#include <math.h>
#include <stdlib.h>

#include "tests/unit/common/test_support.h"
#include "tests/unit/server/cmocka_all.h"
#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/explain/agent_colors.h"

enum { AGENTS = 300 };

struct fixture {
    struct neighbor_count count;
    struct neighbor_rules rules;
    struct frame frame;
    struct snapshot *names;
};

static int setup(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
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

static int teardown(void **state) {
    struct fixture *fixture = *state;
    neighbor_count_fini(&fixture->count);
    frame_fini(&fixture->frame);
    snapshot_destroy(fixture->names);
    free(fixture);
    return 0;
}

static float short_way(float difference, float size, bool wraps) {
    return wraps ? difference - size * rintf(difference / size) : difference;
}

static int pairs_of(const struct fixture *fixture, int32_t agent) {
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

static void is_as_by_pairs(struct fixture *fixture) {
    assert_int_equal(neighbor_count_update(&fixture->count, &fixture->frame, &fixture->rules), 0);
    for (int32_t i = 0; i < fixture->frame.count; i++) {
        assert_int_equal(fixture->count.counts[i], pairs_of(fixture, i));
    }
}

/* margin: so far outside the world they may be. */
static void scatter(struct fixture *fixture, uint64_t *random, float margin) {
    struct frame *frame = &fixture->frame;
    frame->count = (int32_t)test_below(random, AGENTS + 1);
    for (int32_t i = 0; i < frame->count; i++) {
        frame->kind[i] = (uint16_t)test_below(random, 2);
        frame->x[i] = (float)test_below(random, (uint32_t)(400.0f + 2.0f * margin)) - margin;
        frame->y[i] = (float)test_below(random, (uint32_t)(300.0f + 2.0f * margin)) - margin;
    }
}

static void counts_are_those_of_all_pairs(void **state) {
    struct fixture *fixture = *state;
    uint64_t random = 5;
    for (int round = 0; round < 40; round++) {
        fixture->rules.wraps = round % 2 == 0;
        fixture->rules.radius[0] = round % 5 == 0 ? 0.0f : 10.0f + (float)test_below(&random, 200);
        scatter(fixture, &random, fixture->rules.wraps ? 0.0f : 150.0f);
        is_as_by_pairs(fixture);
    }
}

static void the_seam_is_no_border(void **state) {
    struct fixture *fixture = *state;
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
    struct fixture *fixture = *state;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counts_are_those_of_all_pairs, setup, teardown),
        cmocka_unit_test_setup_teardown(the_seam_is_no_border, setup, teardown),
        cmocka_unit_test_setup_teardown(a_heap_is_counted_up_to_a_limit, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
