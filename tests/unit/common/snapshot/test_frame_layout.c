/* The rows of the layouts: each is whole, and a line belongs to one of them at most. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "common/snapshot/frame_layout.h"

static void every_row_is_whole(void **state) {
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
        const struct frame_layout *row = frame_layout_row(layout);
        const bool has_frames = frame_layout_has_frames(row);
        assert_int_equal(has_frames, row->decode != NULL);
        assert_int_equal(has_frames, (row->key != NULL) != (row->encode != NULL));
        assert_int_equal(row->fields != 0, row->agent_bytes != NULL);
        assert_int_equal(row->takes_grid, row->entry_bytes != 0);
        assert_true(row->key == NULL || row->key->agent_bytes != NULL);
        for (int i = 0; i < FRAME_OPS && row->ops[i] != NULL; i++) {
            char line[64] = "{\"op\":\"";
            strncat(line, row->ops[i], sizeof line - 16);
            strncat(line, "\",", 3);
            assert_ptr_equal(frame_layout_of_line(line, strlen(line)), row);
        }
    }
}

static void names_are_those_of_the_wire(void **state) {
    assert_string_equal(frame_layout_names[LAYOUT_OBJECTS], "objects");
    assert_string_equal(frame_layout_names[LAYOUT_PACKED], "packed");
    assert_string_equal(frame_layout_names[LAYOUT_DENSITY], "density");
    assert_string_equal(frame_layout_names[LAYOUT_EVENTS], "events");
    assert_null(frame_layout_names[LAYOUT_COUNT]);
}

static void other_lines_are_no_frames(void **state) {
    static const char *const lines[] = {
        "",
        "{}",
        "{\"op\":\"",
        "{\"op\":\"hello\",",
        "{\"op\":\"keys\",",
        "{\"op\":\"ke",
        "{\"op\":\"key",
        " {\"op\":\"key\"",
        "{\"op\": \"key\"",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_null(frame_layout_of_line(lines[i], strlen(lines[i])));
    }
    assert_ptr_equal(frame_layout_of_line("{\"op\":\"key\"", 11), frame_layout_row(LAYOUT_PACKED));
    assert_null(frame_layout_of_line("{\"op\":\"key\"", 10)); /* no further than its length */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_whole),
        cmocka_unit_test(names_are_those_of_the_wire),
        cmocka_unit_test(other_lines_are_no_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
