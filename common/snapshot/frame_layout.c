/* See frame_layout.h. */
#include "common/snapshot/frame_layout.h"

#include <assert.h>
#include <string.h>

#define DECLARED(constant, name) extern const struct frame_layout frame_layout_##name;
FRAME_LAYOUTS(DECLARED)

/* Messages alone. */
const struct frame_layout frame_layout_events = {.ops = {NULL}};

#define ROW(constant, name)  [LAYOUT_##constant] = &frame_layout_##name,
#define NAME(constant, name) [LAYOUT_##constant] = #name,
static const struct frame_layout *const rows[LAYOUT_COUNT] = {FRAME_LAYOUTS(ROW)};
const char *const frame_layout_names[] = {FRAME_LAYOUTS(NAME)[LAYOUT_COUNT] = NULL};

const struct frame_layout *frame_layout_row(int layout) {
    assert(layout >= 0 && layout < LAYOUT_COUNT);
    return rows[layout];
}

bool frame_layout_has_frames(const struct frame_layout *row) {
    return row->ops[0] != NULL;
}

/* The text of `op` at the beginning of a line: {"op":"TEXT" */
static bool begins_with_op(const char *line, size_t length, const char *op) {
    static const char start[] = "{\"op\":\"";
    const size_t before = sizeof start - 1, wanted = strlen(op);
    return length > before + wanted && memcmp(line, start, before) == 0 &&
           memcmp(line + before, op, wanted) == 0 && line[before + wanted] == '"';
}

const struct frame_layout *frame_layout_of_line(const char *line, size_t length) {
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
        for (int i = 0; i < FRAME_OPS && rows[layout]->ops[i] != NULL; i++) {
            if (begins_with_op(line, length, rows[layout]->ops[i])) {
                return rows[layout];
            }
        }
    }
    return NULL;
}
