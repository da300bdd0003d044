/* The subscription: all agents, those around the visible part, or counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "viewer/link/mailbox.h"

static struct stream_wish wish_for(double total, float x, float y, float width, float height) {
    return (struct stream_wish){.world = {40000.0f, 30000.0f},
                                .visible = {{x, y}, {x + width, y + height}},
                                .cell = width / 150.0f,
                                .total = total,
                                .agents = LAYOUT_PACKED};
}

static const struct stream_choice packed = {.layout = LAYOUT_PACKED};

static void small_worlds_come_whole(void **state) {
    const struct stream_wish wish = wish_for(1000, 100, 100, 500, 400);
    const struct stream_choice next = stream_plan(&packed, &wish, 1000);
    assert_true(stream_equals(&next, &packed));
}

static void large_worlds_come_around_what_is_visible(void **state) {
    struct stream_wish wish = wish_for(1e6, 20000, 15000, 2000, 1000);
    const struct stream_choice next = stream_plan(&packed, &wish, 3000);
    assert_int_equal(next.layout, LAYOUT_PACKED);
    assert_true(next.has_region && next.region.low.x == 19500.0f && next.region.high.x == 22500.0f);
    assert_true(next.region.low.y == 14750.0f && next.region.high.y == 16250.0f);
    wish.visible.low.x += 300.0f; /* still inside the margin: no request */
    wish.visible.high.x += 300.0f;
    const struct stream_choice kept = stream_plan(&next, &wish, 3000);
    assert_true(stream_equals(&kept, &next));
    wish.visible.low.x += 300.0f;
    wish.visible.high.x += 300.0f;
    const struct stream_choice moved = stream_plan(&next, &wish, 3000);
    assert_true(moved.region.low.x == 20100.0f);
    const struct request request = stream_request(&moved, &next);
    assert_int_equal(request.op, REQUEST_SET_REGION);
    assert_true(request.body.set_region.region[0] == 20100.0f &&
                request.body.set_region.region[2] == 3000.0f);
    wish = wish_for(1e6, 20000, 15000, 200, 100); /* far closer: a smaller region */
    const struct stream_choice closer = stream_plan(&next, &wish, 30);
    assert_true(closer.region.high.x - closer.region.low.x == 300.0f);
}

static void crowds_come_as_densities(void **state) {
    const struct stream_wish wish = wish_for(1e6, -100, -100, 41000, 31000);
    const struct stream_choice next = stream_plan(&packed, &wish, 1e6);
    assert_int_equal(next.layout, LAYOUT_DENSITY);
    assert_false(next.has_region);
    assert_true(next.cell == wish.cell);
    assert_int_equal(stream_request(&next, &packed).op, REQUEST_SUBSCRIBE);
    const struct stream_wish part = wish_for(1e6, 10000, 10000, 4000, 3000);
    /* between the bounds the plan does not change */
    assert_int_equal(stream_plan(&next, &part, STREAM_MOST_AGENTS - 1000).layout, LAYOUT_DENSITY);
    assert_int_equal(stream_plan(&packed, &part, STREAM_MOST_AGENTS - 1000).layout, LAYOUT_PACKED);
    struct stream_wish tinted = wish;
    tinted.by_kind = true;
    const struct stream_choice by_kind = stream_plan(&next, &tinted, 1e6);
    assert_true(by_kind.by_kind && !by_kind.mean_speed && !stream_equals(&by_kind, &next));
    const struct request ask = stream_request(&by_kind, &next);
    assert_true(ask.op == REQUEST_SUBSCRIBE && ask.body.subscribe.by_kind && !ask.body.subscribe.mean_speed);
    assert_false(stream_plan(&by_kind, &tinted, 1000).by_kind); /* agents one by one have their kind */
    struct stream_wish never = part;
    never.never_heat = true;
    assert_int_equal(stream_plan(&next, &never, STREAM_MOST_AGENTS + 1000).layout, LAYOUT_PACKED);
}

static void behaviors_come_with_their_parts(void **state) {
    struct stream_wish wish = wish_for(1000, 100, 100, 500, 400);
    wish.forces = true;
    const struct stream_choice forces = stream_plan(&packed, &wish, 1000);
    assert_true(forces.forces && !forces.parts && forces.layout == LAYOUT_PACKED);
    wish.shares = true;
    const struct stream_choice shares = stream_plan(&forces, &wish, 1000);
    assert_true(shares.forces && shares.parts && shares.layout == LAYOUT_OBJECTS);
    assert_false(stream_equals(&forces, &shares));
    const struct request request = stream_request(&shares, &forces);
    assert_int_equal(request.op, REQUEST_SUBSCRIBE);
    assert_true(request.body.subscribe.forces && request.body.subscribe.parts);
}

static void the_first_is_by_the_scenario(void **state) {
    static struct message_scenario scenario;
    scenario.size = vec2_make(4000.0f, 3000.0f);
    scenario.kind_count = 2;
    scenario.kinds[0].count = scenario.kinds[1].count = 100;
    assert_int_equal(stream_first(&scenario, LAYOUT_PACKED).layout, LAYOUT_PACKED);
    assert_int_equal(stream_first(&scenario, LAYOUT_OBJECTS).layout, LAYOUT_OBJECTS);
    scenario.kinds[0].count = STREAM_MOST_AGENTS;
    const struct stream_choice first = stream_first(&scenario, LAYOUT_PACKED);
    assert_int_equal(first.layout, LAYOUT_DENSITY);
    assert_true(first.cell > 30.0f && first.cell < 33.0f);
}

static void counts_by_a_density(void **state) {
    uint32_t counts[4] = {10, 20, 30, 40};
    const struct density density = {
        .columns = 2, .rows = 2, .region = {0, 0, 4000000, 3000000}, .count = counts};
    const struct stream_wish wish = wish_for(100, 0, 0, 1, 1);
    const struct stream_box left = {{0.0f, 0.0f}, {15000.0f, 30000.0f}},
                            all = {{0.0f, 0.0f}, {40000.0f, 30000.0f}};
    assert_true(stream_count(&density, &left, &wish) == 40.0);
    assert_true(stream_count(&density, &all, &wish) == 100.0);
    struct density corner = density;
    corner.region.width = corner.region.height = 100;
    assert_true(stream_count(&corner, &all, &wish) == 100.0); /* agents outside it are estimated */
}

static void what_is_known_covers_a_part_of_what_is_visible(void **state) {
    struct stream_wish wish = wish_for(1e6, -1000, -1000, 42000, 32000); /* all of it, and the margins */
    struct stream_box box = {{0.0f, 0.0f}, {40000.0f, 30000.0f}};
    assert_true(stream_covered(&box, &wish) == 1.0);
    box = (struct stream_box){{10000.0f, 10000.0f}, {12000.0f, 11000.0f}}; /* as it was zoomed in */
    assert_true(fabs(stream_covered(&box, &wish) - 2e6 / 12e8) < 1e-9);
    wish = wish_for(1e6, 10000, 10000, 1000, 1000);
    assert_true(stream_covered(&box, &wish) == 1.0);
    wish = wish_for(1e6, 11500, 10000, 1000, 1000); /* panned out of it by half */
    assert_true(fabs(stream_covered(&box, &wish) - 0.5) < 1e-6);
    wish = wish_for(1e6, 30000, 20000, 1000, 1000); /* elsewhere */
    assert_true(stream_covered(&box, &wish) == 0.0);
    wish = wish_for(1e6, 50000, 50000, 1000, 1000); /* outside the world */
    assert_true(stream_covered(&box, &wish) == 1.0);
    uint32_t counts[1] = {0};
    const struct density density = {
        .columns = 1, .rows = 1, .region = {100, 200, 30000, 40000}, .count = counts};
    const struct stream_box of = stream_density_box(&density);
    assert_true(of.low.x == 1.0f && of.low.y == 2.0f && of.high.x == 301.0f && of.high.y == 402.0f);
}

static void over_the_border_of_a_wrapping_world_the_region_goes_on(void **state) {
    struct stream_wish wish = wish_for(1e6, -1000, 15000, 2000, 1000);
    const struct stream_choice bounded = stream_plan(&packed, &wish, 3000);
    assert_true(bounded.region.low.x == 0.0f && bounded.region.high.x == 1500.0f);
    wish.wraps = true;
    const struct stream_choice next = stream_plan(&packed, &wish, 3000);
    assert_true(next.region.low.x == -1500.0f && next.region.high.x == 1500.0f);
    wish = wish_for(1e6, -1000, 15000, 45000, 1000); /* all of it from left to right, once */
    wish.wraps = true;
    const struct stream_choice wide = stream_plan(&packed, &wish, 3000);
    assert_true(wide.region.low.x == 0.0f && wide.region.high.x == 40000.0f);
    assert_true(wide.region.low.y == 14750.0f && wide.region.high.y == 16250.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_worlds_come_whole),
        cmocka_unit_test(large_worlds_come_around_what_is_visible),
        cmocka_unit_test(over_the_border_of_a_wrapping_world_the_region_goes_on),
        cmocka_unit_test(crowds_come_as_densities),
        cmocka_unit_test(behaviors_come_with_their_parts),
        cmocka_unit_test(the_first_is_by_the_scenario),
        cmocka_unit_test(counts_by_a_density),
        cmocka_unit_test(what_is_known_covers_a_part_of_what_is_visible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
