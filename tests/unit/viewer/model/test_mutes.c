/* A muted behavior gets back the weight it had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "viewer/model/edits.h"

static void a_weight_comes_back(void **state) {
    struct mutes mutes = {0};
    struct message_param weight = {.kind = "bird", .param = "flock.weight", .value = 2.5};
    assert_true(mutes_toggle(&mutes, &weight) == 0.0);
    weight.value = 0.0;
    assert_true(mutes_toggle(&mutes, &weight) == 2.5);
    assert_int_equal(mutes.count, 0);
    assert_true(mutes_toggle(&mutes, &weight) == 1.0); /* 0 from the start */
}

static void the_oldest_note_is_forgotten(void **state) {
    struct mutes mutes = {0};
    struct message_param weight = {.kind = "bird", .value = 3.0};
    for (int i = 0; i <= MUTES_MOST; i++) {
        (void)snprintf(weight.param, sizeof weight.param, "seek%d.weight", i);
        assert_true(mutes_toggle(&mutes, &weight) == 0.0);
    }
    assert_int_equal(mutes.count, MUTES_MOST);
    weight.value = 0.0;
    (void)snprintf(weight.param, sizeof weight.param, "seek0.weight");
    assert_true(mutes_toggle(&mutes, &weight) == 1.0);
    (void)snprintf(weight.param, sizeof weight.param, "seek1.weight");
    assert_true(mutes_toggle(&mutes, &weight) == 3.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_weight_comes_back),
                                       cmocka_unit_test(the_oldest_note_is_forgotten)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
