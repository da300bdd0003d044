/* Wrong tokens: when they are answered, the address they count for, and when it is forgotten. */
#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>

#include "server/sessions/access.h"

static struct token_guard guard;

static int set_up(void **state) {
    guard = (struct token_guard){0};
    return 0;
}

static void use_up(const char *address, uint64_t now_ms) {
    for (int i = 0; i < LIMIT_TOKEN_FREE; i++) {
        assert_int_equal(token_guard_wrong(&guard, address, now_ms), now_ms);
    }
}

static void one_a_second_after_the_first_ten(void **state) {
    use_up("192.0.2.1", 5000);
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", 5000), 6000);
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", 5010), 7000); /* of another session, say */
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", 5020), 8000);
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", 9500), 10500);
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.2", 5020), 5020); /* another address */
}

static void a_debt_ends(void **state) {
    use_up("192.0.2.1", 5000);
    uint64_t answer_ms = 0;
    for (int i = 0; i < 5000; i++) {
        answer_ms = token_guard_wrong(&guard, "192.0.2.1", 5000);
    }
    assert_int_equal(answer_ms, 5000 + TOKEN_GUARD_MOST_MS);
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", 15000), 16000);
}

static void an_address_is_a_house(void **state) {
    use_up("2001:db8:1:2::1", 5000);
    assert_int_equal(token_guard_wrong(&guard, "2001:db8:1:2:ffff::77", 5000), 6000);
    assert_int_equal(token_guard_wrong(&guard, "2001:db8:1:3::1", 5000), 5000);
    use_up("192.0.2.1", 5000);
    assert_int_equal(token_guard_wrong(&guard, "::ffff:192.0.2.1", 5000), 6000);
    assert_int_equal(token_guard_wrong(&guard, "::ffff:192.0.2.3", 5000), 5000);
    use_up("::1", 5000);
    assert_int_equal(token_guard_wrong(&guard, "::1", 5000), 6000);
}

static void addresses_are_forgotten(void **state) {
    use_up("192.0.2.1", 5000);
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", 5000), 6000);
    const uint64_t later_ms = 5000 + TOKEN_GUARD_FORGET_MS;
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", later_ms - 1), later_ms + 999);
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", later_ms + TOKEN_GUARD_FORGET_MS),
                     later_ms + TOKEN_GUARD_FORGET_MS);
    /* Many addresses: the table keeps its size and knows the most recent ones. */
    char address[32];
    for (unsigned i = 0; i < 4 * TOKEN_GUARD_ROWS; i++) {
        (void)snprintf(address, sizeof address, "10.0.%u.%u", i / 256, i % 256);
        use_up(address, 10000000 + i);
    }
    assert_int_equal(token_guard_wrong(&guard, address, 10002000), 10003000);
    assert_int_equal(token_guard_wrong(&guard, "10.0.0.0", 10002000), 10002000);
}

static void so_many_may_wait(void **state) {
    use_up("192.0.2.1", 5000);
    int waiting = 0;
    while (!token_guard_is_full(&guard, "192.0.2.1", 5000)) {
        assert_true(token_guard_wrong(&guard, "192.0.2.1", 5000) < 5000 + TOKEN_GUARD_MOST_MS);
        waiting++;
    }
    assert_int_equal(waiting, TOKEN_GUARD_MOST_MS / TOKEN_GUARD_EACH_MS - 1);
    assert_false(token_guard_is_full(&guard, "192.0.2.2", 5000));
    assert_false(token_guard_is_full(&guard, "192.0.2.1", 5000 + TOKEN_GUARD_EACH_MS));
}

static void the_log_is_told_once_a_second(void **state) {
    assert_int_equal(token_guard_report(&guard, 5000), 0);
    use_up("192.0.2.1", 5000);
    assert_int_equal(token_guard_report(&guard, 5000), LIMIT_TOKEN_FREE);
    (void)token_guard_wrong(&guard, "192.0.2.1", 5001);
    (void)token_guard_wrong(&guard, "192.0.2.2", 5002);
    assert_int_equal(token_guard_report(&guard, 5999), 0);
    assert_int_equal(token_guard_report(&guard, 6000), 2);
    assert_int_equal(token_guard_report(&guard, 7000), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_a_second_after_the_first_ten, set_up),
        cmocka_unit_test_setup(a_debt_ends, set_up),
        cmocka_unit_test_setup(an_address_is_a_house, set_up),
        cmocka_unit_test_setup(addresses_are_forgotten, set_up),
        cmocka_unit_test_setup(so_many_may_wait, set_up),
        cmocka_unit_test_setup(the_log_is_told_once_a_second, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
