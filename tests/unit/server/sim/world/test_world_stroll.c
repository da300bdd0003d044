/* Targets that stroll when no request sets them. */
#include "tests/unit/server/sim/sim_fixture.h"

#include <math.h>

enum { AFTER_S = 2, HZ = 60 };
static const float speed = 100.0f; /* px/s */

static struct world *park(uint64_t seed, vec2 at, int edge) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, at);
    def.seed = seed;
    def.edge = edge;
    def.targets[0].stroll_speed = speed;
    def.targets[0].stroll_after = (float)AFTER_S;
    place(&def, vec2_make(100.0f, 100.0f), vec2_make(0.0f, 0.0f));
    return build(&def);
}

static vec2 place_of(const struct world *world) {
    return world_target_position(world, 0);
}

static vec2 moved(struct world *world) {
    const vec2 before = place_of(world);
    world_step(world);
    return vec2_sub(place_of(world), before);
}

static void waits_and_sets_out_gently(void **state) {
    struct world *world = park(1, vec2_make(790.0f, 10.0f), EDGE_OPEN);
    for (int tick = 0; tick <= AFTER_S * HZ; tick++) {
        assert_false(world_target_is_strolling(world, 0));
        assert_true(vec2_length(moved(world)) == 0.0f);
    }
    assert_true(world_target_is_strolling(world, 0));
    vec2 velocity = vec2_make(0.0f, 0.0f);
    float top = 0.0f;
    for (int tick = 0; tick < 60 * HZ; tick++) {
        const vec2 now = vec2_scale(moved(world), (float)HZ);
        assert_true(vec2_length(now) <= speed * 1.001f);
        assert_true(vec2_length(vec2_sub(now, velocity)) <= speed / 20.0f); /* no jump, no jerk */
        velocity = now;
        top = fmaxf(top, vec2_length(now));
    }
    assert_true(top > 0.8f * speed);
    world_destroy(world);
}

static void a_request_stops_it_at_once(void **state) {
    struct world *world = park(1, vec2_make(400.0f, 300.0f), EDGE_WRAP);
    steps(world, 10 * HZ);
    assert_true(world_target_is_strolling(world, 0) && vec2_length(moved(world)) > 0.0f);
    world_set_target(world, 0, vec2_make(7.0f, 8.0f));
    for (int tick = 0; tick <= AFTER_S * HZ; tick++) {
        assert_false(world_target_is_strolling(world, 0));
        assert_true(place_of(world).x == 7.0f && place_of(world).y == 8.0f);
        world_step(world);
    }
    assert_true(vec2_length(moved(world)) > 0.0f);
    world_destroy(world);
}

/* All of 8 x 6 fields within the margins in 20 minutes, at a mean speed that fits the limit. */
static void it_comes_by_everywhere(void **state) {
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct world *world = park(seed, vec2_make(400.0f, 300.0f), EDGE_CONTAIN);
        bool was_here[8][6] = {{false}};
        double length = 0.0;
        int fields = 0, slow = 0;
        steps(world, 30 * HZ);
        const int ticks = 1200 * HZ;
        for (int tick = 0; tick < ticks; tick++) {
            const float step = vec2_length(moved(world));
            const vec2 at = place_of(world);
            const int column = (int)((at.x - 80.0f) / 80.0f), row = (int)((at.y - 60.0f) / 80.0f);
            assert_true(at.x >= 79.0f && at.x <= 721.0f && at.y >= 59.0f && at.y <= 541.0f);
            length += (double)step;
            slow += step * (float)HZ < 0.1f * speed;
            if (column >= 0 && column < 8 && row >= 0 && row < 6 && !was_here[column][row]) {
                was_here[column][row] = true;
                fields++;
            }
        }
        const double mean = length / (double)ticks * (double)HZ;
        if (fields < 46 || mean < 0.5 * (double)speed || slow > ticks / 10) {
            fail_msg("seed %d: %d fields, %.1f px/s, %d of %d ticks slow", (int)seed, fields, mean, slow,
                     ticks);
        }
        world_destroy(world);
    }
}

static void the_way_follows_from_the_seed(void **state) {
    struct world *one = park(1, vec2_make(400.0f, 300.0f), EDGE_OPEN);
    struct world *same = park(1, vec2_make(400.0f, 300.0f), EDGE_OPEN);
    struct world *other = park(2, vec2_make(400.0f, 300.0f), EDGE_OPEN);
    steps(one, 10 * HZ);
    steps(same, 10 * HZ);
    steps(other, 10 * HZ);
    assert_true(world_hash(one) == world_hash(same));
    assert_true(vec2_length(vec2_sub(place_of(one), place_of(other))) > 1.0f);
    world_destroy(one);
    world_destroy(same);
    world_destroy(other);
}

/* A small world, a fast target, an extreme rate, far away. */
static void extremes_stay_in_range(void **state) {
    static const double rates[] = {1.0, 60.0, LIMIT_TICK_HZ};
    for (int i = 0; i < 3; i++) {
        for (int edge = 0; edge < 4; edge++) {
            struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(1e6f, -1e6f));
            def.size = vec2_make(1.0f, i == 0 ? 1.0f : (float)LIMIT_WORLD_SIZE);
            def.edge = edge;
            def.tick_hz = rates[i];
            def.targets[0].stroll_speed = (float)LIMIT_SPEED;
            struct world *world = build(&def);
            for (int tick = 0; tick < 2000; tick++) {
                world_step(world);
                const vec2 at = place_of(world);
                assert_true(fabsf(at.x) <= 1e6f && fabsf(at.y) <= 1e6f);
            }
            world_destroy(world);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_and_sets_out_gently), cmocka_unit_test(a_request_stops_it_at_once),
        cmocka_unit_test(it_comes_by_everywhere),    cmocka_unit_test(the_way_follows_from_the_seed),
        cmocka_unit_test(extremes_stay_in_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
