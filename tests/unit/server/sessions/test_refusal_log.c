/* Refused sessions: what is counted, and which of them have a line in the log. */
#include "tests/unit/server/cmocka_all.h"

#include "server/sessions/session.h"

static void names_are_reasons(void **state) {
    for (int i = 0; i < REFUSAL_COUNT; i++) {
        enum refusal_cause cause = REFUSAL_COUNT;
        assert_true(refusal_find(refusal_name((enum refusal_cause)i), &cause));
        assert_int_equal(cause, i);
    }
    enum refusal_cause cause;
    assert_false(refusal_find("shutdown", &cause));
    assert_false(refusal_find("idle", &cause));
}

static void a_flood_has_a_line_a_second(void **state) {
    struct refusal_log log = {0};
    uint64_t lines = 0, reported = 0;
    for (uint64_t ms = 0; ms < 10000; ms++) {
        lines += refusal_log_take(&log, REFUSAL_FULL, ms) ? 1 : 0;
        if (ms % 100 == 0) {
            const uint64_t more = refusal_log_report(&log, REFUSAL_FULL, ms);
            lines += more > 0 ? 1 : 0;
            reported += more;
        }
    }
    assert_int_equal(lines, 10);
    assert_int_equal(refusal_log_count(&log, REFUSAL_FULL), 10000);
    assert_int_equal(refusal_log_report(&log, REFUSAL_FULL, 20000), 10000 - 1 - reported);
    assert_int_equal(refusal_log_report(&log, REFUSAL_FULL, 30000), 0);
    assert_true(refusal_log_take(&log, REFUSAL_FULL, 30000));
}

static void causes_do_not_hide_each_other(void **state) {
    struct refusal_log log = {0};
    assert_true(refusal_log_take(&log, REFUSAL_FULL, 5));
    assert_true(refusal_log_take(&log, REFUSAL_AUTH, 5));
    assert_false(refusal_log_take(&log, REFUSAL_AUTH, 6));
    assert_int_equal(refusal_log_report(&log, REFUSAL_FULL, 2000), 0);
    assert_int_equal(refusal_log_report(&log, REFUSAL_AUTH, 2000), 1);
}

static void without_a_log_all_have_a_line(void **state) {
    assert_true(refusal_log_take(NULL, REFUSAL_RATE, 0));
    assert_true(refusal_log_take(NULL, REFUSAL_RATE, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_reasons),
        cmocka_unit_test(a_flood_has_a_line_a_second),
        cmocka_unit_test(causes_do_not_hide_each_other),
        cmocka_unit_test(without_a_log_all_have_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
