/* The last minutes in memory: which part a span begins with, and what is forgotten. */
#include "tests/unit/server/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "server/simulation/logbook_internal.h"

static struct flight_memory memory;

static int set_up(void **unused) {
    flight_memory_init(&memory);
    return 0;
}

static int tear_down(void **unused) {
    flight_memory_fini(&memory);
    return 0;
}

/* A part that begins at this second, with its checkpoint. */
static void begin(uint64_t second) {
    char *line = malloc(2);
    assert_non_null(line);
    memcpy(line, "c\n", 2);
    flight_memory_begin(&memory, second * UINT64_C(1000000000), second * 60, "w\n", 2);
    assert_true(flight_memory_waits(&memory));
    free(flight_memory_put_checkpoint(&memory, line, 2));
    assert_false(flight_memory_waits(&memory));
}

static int find(uint64_t second) {
    return flight_memory_find(&memory, second * UINT64_C(1000000000));
}

static void test_a_span_begins_with_the_newest_part_before_it(void **unused) {
    assert_int_equal(find(5), -1);
    begin(10);
    assert_int_equal(find(50), 0);
    assert_int_equal(find(5), 0); /* there is nothing older */
    begin(70);
    assert_int_equal(find(80), 1);
    assert_int_equal(find(60), 0);
    begin(130);
    assert_int_equal(memory.count, FLIGHT_PARTS);
    assert_int_equal(memory.parts[0].tick, 70 * 60);
    assert_int_equal(find(135), 1);
    assert_int_equal(find(20), 0);
}

static void test_a_part_without_its_checkpoint_is_no_beginning(void **unused) {
    begin(10);
    flight_memory_begin(&memory, UINT64_C(70000000000), 4200, "w\n", 2);
    flight_memory_add(&memory, "x\n", 2);
    assert_int_equal(find(80), 0); /* the lines of both follow it */
    assert_int_equal(memory.parts[1].lines.length, 2);
}

static void test_too_many_lines_forget_the_past(void **unused) {
    char *lines = calloc(1, 1 << 20);
    assert_non_null(lines);
    begin(10);
    begin(70);
    for (int i = 0; i < 9; i++) {
        flight_memory_add(&memory, lines, 1 << 20);
    }
    assert_int_equal(find(80), -1);
    assert_int_equal(find(20), -1);
    begin(130);
    assert_int_equal(find(20), 1);
    flight_memory_clear(&memory);
    assert_int_equal(find(140), -1);
    free(lines);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_span_begins_with_the_newest_part_before_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_part_without_its_checkpoint_is_no_beginning, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_too_many_lines_forget_the_past, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
