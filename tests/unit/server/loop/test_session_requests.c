/* Every op has the handlers that its row promises: what the server checks when it starts. */
#include "tests/unit/server/cmocka_all.h"

#include "server/loop/loop_context.h"

static void test_every_op_has_its_handlers(void **state) {
    struct failure failure = {0};
    if (session_requests_check(&failure) != 0) {
        fail_msg("%s", failure.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_op_has_its_handlers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
