/* Every change has a line in the log, but not sixty a second of what moves. */
#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "server/simulation/simulation_internal.h"

static const uint64_t ms = 1000000;
static struct change_log changes;

static int set_up(void **state) {
    memset(&changes, 0, sizeof changes);
    return 0;
}

static int lines(uint32_t session, enum request_op op, uint64_t from_ms, uint64_t to_ms, uint64_t every_ms,
                 uint32_t *left_out) {
    const struct request request = request_default(op);
    int taken = 0;
    for (uint64_t t = from_ms; t < to_ms; t += every_ms) {
        taken += change_log_take(&changes, session, &request, t * ms, left_out);
    }
    return taken;
}

static void what_moves_has_a_line_a_second(void **state) {
    uint32_t left_out = 99;
    assert_int_equal(lines(1, REQUEST_MOUSE, 5, 3005, 10, &left_out), 3);
    assert_int_equal(left_out, 99);
    assert_int_equal(lines(1, REQUEST_MOUSE, 3005, 3006, 1, &left_out), 1);
    assert_int_equal(left_out, 99);
    assert_int_equal(lines(2, REQUEST_MOUSE, 3006, 3007, 1, &left_out), 1); /* another session */
    assert_int_equal(left_out, 0);
}

static void the_others_have_each_their_own(void **state) {
    uint32_t left_out = 99;
    assert_int_equal(lines(1, REQUEST_SPAWN, 0, CHANGE_LOG_RATE, 1, &left_out), CHANGE_LOG_RATE);
    assert_int_equal(left_out, 0);
    assert_int_equal(lines(1, REQUEST_SPAWN, CHANGE_LOG_RATE, 100, 1, &left_out), 0);
    assert_int_equal(lines(1, REQUEST_REMOVE, 100, 101, 1, &left_out), 1);
    assert_int_equal(lines(1, REQUEST_SPAWN, 1000, 1001, 1, &left_out), 1);
    assert_int_equal(left_out, 100 - CHANGE_LOG_RATE);
}

static void a_line_says_who_and_what(void **state) {
    struct command command = {.origin = {.session = 3, .line = 7, .name = "Ann"}};
    command.request = request_default(REQUEST_REMOVE_TARGET);
    (void)snprintf(command.request.body.remove_target.name, LIMIT_NAME_CHARS + 1, "den");
    struct buffer out;
    buffer_init(&out, 4096);
    change_log_write(&command, 12, 600, 0, &out);
    assert_string_equal(out.data, "change 12 at tick 600 by session 3 (Ann): "
                                  "{\"op\":\"remove_target\",\"name\":\"den\"}");
    buffer_clear(&out);
    command.origin.name[0] = '\0';
    command.request = request_default(REQUEST_REMOVE);
    command.request.body.remove.agent_count = LIMIT_REMOVE_IDS;
    change_log_write(&command, 13, 601, 59, &out);
    assert_true(out.length < 400);
    assert_non_null(strstr(out.data, "by session 3: {\"op\":\"remove\",\"agents\":[0,0,"));
    assert_non_null(strstr(out.data, "0...; before it 59 more of this op without a line"));
    buffer_fini(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_moves_has_a_line_a_second, set_up),
        cmocka_unit_test_setup(the_others_have_each_their_own, set_up),
        cmocka_unit_test_setup(a_line_says_who_and_what, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
