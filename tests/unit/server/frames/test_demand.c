/* The ticks that a set of subscriptions wants. */
#include "tests/unit/server/cmocka_all.h"

#include "server/frames/demand.h"

static void test_nothing(void **state) {
    (void)state;
    const struct demand demand = {0};
    assert_false(demand_wants(&demand, 0));
    assert_false(demand_wants(&demand, 60));
}

static void test_union(void **state) {
    (void)state;
    struct demand demand = {0};
    demand_add(&demand, 3, false);
    demand_add(&demand, 4, true);
    demand_add(&demand, 6, false); /* in 3 */
    assert_int_equal(demand.count, 2);
    assert_true(demand.forces);
    for (uint64_t tick = 0; tick < 100; tick++) {
        assert_int_equal(demand_wants(&demand, tick), tick % 3 == 0 || tick % 4 == 0);
    }
}

static void test_too_many_rates(void **state) {
    (void)state;
    struct demand demand = {0};
    for (uint64_t every = 1000; every < 1000 + DEMAND_RATES + 1; every++) {
        demand_add(&demand, every, false);
    }
    assert_int_equal(demand.count, 1);
    assert_true(demand_wants(&demand, 7)); /* every tick rather than a missing one */
    demand_add(&demand, 5, false);
    assert_int_equal(demand.count, 1);
}

/* As one tick at a time would have it. */
static void test_since(void **state) {
    (void)state;
    struct demand demand = {0};
    assert_false(demand_wants_since(&demand, 0, 1000));
    demand_add(&demand, 4, false);
    demand_add(&demand, 6, false);
    for (uint64_t from = 0; from < 30; from++) {
        bool wants = false;
        assert_false(demand_wants_since(&demand, from, from));
        for (uint64_t to = from + 1; to < from + 15; to++) {
            wants = wants || demand_wants(&demand, to);
            assert_int_equal(demand_wants_since(&demand, from, to), wants);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_union),
        cmocka_unit_test(test_too_many_rates),
        cmocka_unit_test(test_since),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
