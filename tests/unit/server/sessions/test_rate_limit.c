/* The token bucket: burst, refill, which requests are held and for how long. */
#include "tests/unit/server/cmocka_all.h"

#include <string.h>

#include "server/sessions/session.h"

static struct rate_limit limit;

static int take_all(void) {
    int count = 0;
    while (rate_limit_allows(&limit) && count < 100000) {
        rate_limit_take(&limit, 1.0);
        count++;
    }
    return count;
}

static void burst_then_rate(void **state) {
    rate_limit_init(&limit, 200, 5000);
    assert_int_equal(take_all(), 400);
    rate_limit_fill(&limit, 5100);
    assert_int_equal(take_all(), 20);
    rate_limit_fill(&limit, 5100);
    assert_int_equal(take_all(), 0);
    rate_limit_fill(&limit, 100000);
    assert_int_equal(take_all(), 400);
}

static void parts_of_a_token(void **state) {
    rate_limit_init(&limit, 1, 0);
    int count = 0;
    for (; rate_limit_allows(&limit); count++) {
        rate_limit_take(&limit, 0.125);
    }
    assert_int_equal(count, 9); /* two tokens, down to less than one */
}

static void several_tokens(void **state) {
    rate_limit_init(&limit, 200, 0);
    (void)take_all();
    rate_limit_fill(&limit, 5);
    rate_limit_take(&limit, 256.0);
    rate_limit_fill(&limit, 1279);
    assert_false(rate_limit_allows(&limit));
    rate_limit_fill(&limit, 1290);
    assert_true(rate_limit_allows(&limit));
    rate_limit_init(&limit, 1, 0);
    rate_limit_take(&limit, 256.0); /* owes no more than it can hold */
    rate_limit_fill(&limit, 3000);
    assert_true(rate_limit_allows(&limit));
}

static void no_limit(void **state) {
    rate_limit_init(&limit, 0, 0);
    assert_int_equal(take_all(), 100000);
    rate_limit_fill(&limit, 1000);
    assert_true(rate_limit_allows(&limit));
}

static void held_until_half_full(void **state) {
    rate_limit_init(&limit, 200, 0);
    assert_false(rate_limit_report(&limit, 0));
    (void)take_all();
    rate_limit_hold(&limit, 10);
    assert_true(rate_limit_report(&limit, 20));
    assert_false(rate_limit_report(&limit, 1019));
    assert_true(rate_limit_report(&limit, 1020));
    for (uint64_t now = 100; now <= 9000; now += 100) {
        rate_limit_fill(&limit, now);
        assert_int_equal(take_all(), 20);
        rate_limit_hold(&limit, now); /* held all the while: the first time counts */
    }
    assert_int_equal(rate_limit_held_for_ms(&limit, 9010), 9000);
    rate_limit_fill(&limit, 9999);
    assert_true(rate_limit_held_for_ms(&limit, 9999) > 0);
    rate_limit_fill(&limit, 10001);
    assert_int_equal(rate_limit_held_for_ms(&limit, 10001), 0);
    assert_false(rate_limit_report(&limit, 20000));
}

/* A script in lock-step, three lines and one answer at a time, 1000 rounds a second: never held. */
static void forgiven(void **state) {
    rate_limit_init(&limit, 200, 0);
    for (uint64_t now = 0; now < 20000; now++) {
        rate_limit_fill(&limit, now);
        for (int line = 0; line < 3; line++) {
            assert_true(rate_limit_allows(&limit));
            rate_limit_take(&limit, 1.0);
        }
        rate_limit_forgive(&limit, now);
    }
    rate_limit_fill(&limit, 20998); /* free for a second after the last answer */
    for (int line = 0; line < 5000; line++) {
        rate_limit_take(&limit, 1.0);
    }
    rate_limit_fill(&limit, 20999); /* and then it counts again, from a full bucket */
    assert_int_equal(take_all(), 400);
    rate_limit_hold(&limit, 20999);
    rate_limit_forgive(&limit, 21500);
    assert_true(rate_limit_allows(&limit));
    assert_int_equal(rate_limit_held_for_ms(&limit, 30000), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(burst_then_rate), cmocka_unit_test(parts_of_a_token),
        cmocka_unit_test(no_limit),        cmocka_unit_test(held_until_half_full),
        cmocka_unit_test(forgiven),        cmocka_unit_test(several_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
