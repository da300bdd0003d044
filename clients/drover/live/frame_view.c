/* See frame_view.h. */
#include "clients/drover/live/frame_view.h"

#include <stdio.h>
#include <string.h>

#include "clients/drover/live/shown_text.h"
#include "common/json/json_writer.h"
#include "common/text/nearest_name.h"

enum { NAME_BYTES = 32, MOST_KINDS = 12 };

const char *const frame_field_names[FRAME_FIELD_COUNT + 1] = {[FRAME_KIND] = "kind",
                                                              [FRAME_STATE] = "state",
                                                              [FRAME_X] = "x",
                                                              [FRAME_Y] = "y",
                                                              [FRAME_VX] = "vx",
                                                              [FRAME_VY] = "vy",
                                                              [FRAME_HEADING] = "heading",
                                                              [FRAME_STAMINA] = "stamina",
                                                              [FRAME_FIELD_COUNT] = NULL};

/* What the protocol calls them. */
static const char *const wanted_names[FRAME_FIELD_COUNT] = {
    [FRAME_KIND] = "kind", [FRAME_STATE] = "state", [FRAME_X] = "pos",           [FRAME_Y] = "pos",
    [FRAME_VX] = "vel",    [FRAME_VY] = "vel",      [FRAME_HEADING] = "heading", [FRAME_STAMINA] = "stamina"};

/* ---- reading ---- */

static bool has_field(const struct frame_view *view, enum frame_field field) {
    for (int i = 0; i < view->field_count; i++) {
        if (view->fields[i] == field) {
            return true;
        }
    }
    return false;
}

static bool add_named(struct frame_view *view, const char *name) {
    bool is_known = strcmp(name, "id") == 0;
    for (int field = 0; field < FRAME_FIELD_COUNT; field++) {
        const bool is_meant =
            strcmp(frame_field_names[field], name) == 0 || strcmp(wanted_names[field], name) == 0;
        if (is_meant && !has_field(view, (enum frame_field)field)) {
            view->fields[view->field_count++] = (enum frame_field)field;
        }
        is_known = is_known || is_meant;
    }
    return is_known;
}

static int fail_field(const char *name, struct failure *failure) {
    struct nearest_name nearest = nearest_name_begin(name);
    char hint[NEAREST_HINT_BYTES];
    for (int field = 0; field < FRAME_FIELD_COUNT; field++) {
        nearest_name_offer(&nearest, frame_field_names[field]);
    }
    nearest_name_hint(&nearest, hint);
    return failure_set(
        failure, FAILURE_BAD_PARAM, NULL,
        "no field \"%.31s\"%s; there are id, kind, state, x, y, vx, vy, heading, stamina, and pos "
        "and vel for two each",
        name, hint);
}

int frame_view_read_fields(struct frame_view *view, const char *text, struct failure *failure) {
    char name[NAME_BYTES];
    view->field_count = 0;
    for (int field = 0; field < FRAME_STAMINA && text[0] == '\0'; field++) {
        view->fields[view->field_count++] = (enum frame_field)field;
    }
    while (*text != '\0') {
        const size_t length = strcspn(text, ", ");
        (void)snprintf(name, sizeof name, "%.*s", length < NAME_BYTES ? (int)length : NAME_BYTES - 1, text);
        if (length > 0 && !add_named(view, name)) {
            return fail_field(name, failure);
        }
        text += length + (text[length] != '\0');
    }
    return 0;
}

int frame_view_read_agents(struct frame_view *view, const char *text, struct failure *failure) {
    view->agent_count = 0;
    while (*text != '\0') {
        uint64_t id = 0;
        size_t digits = 0;
        for (; text[digits] >= '0' && text[digits] <= '9' && digits < 11; digits++) {
            id = id * 10u + (uint64_t)(text[digits] - '0');
        }
        if (digits == 0 || id < 1 || id > UINT32_MAX || (text[digits] != ',' && text[digits] != '\0')) {
            return failure_set(failure, FAILURE_BAD_PARAM, "--agents",
                               "--agents: expected ids with commas between them, found \"%.40s\"", text);
        }
        if (view->agent_count == FRAME_VIEW_AGENTS) {
            return failure_set(failure, FAILURE_OUT_OF_RANGE, "--agents",
                               "--agents: at most %d ids are allowed", (int)FRAME_VIEW_AGENTS);
        }
        view->agents[view->agent_count++] = (uint32_t)id;
        text += digits + (text[digits] == ',');
    }
    return 0;
}

void frame_view_write_wanted(const struct frame_view *view, struct buffer *out) {
    struct json_writer json = json_writer_begin(out);
    const char *written[FRAME_FIELD_COUNT];
    int count = 0;
    json_array(&json);
    for (int i = 0; i < view->field_count; i++) {
        const char *name = wanted_names[view->fields[i]];
        bool is_written = false;
        for (int before = 0; before < count; before++) {
            is_written = is_written || strcmp(written[before], name) == 0;
        }
        if (!is_written) {
            json_string(&json, name);
            written[count++] = name;
        }
    }
    if (count == 0) {
        json_string(&json, "pos"); /* ids alone: a subscription has one field at least */
    }
    json_end(&json);
}

/* ---- rows ---- */

/* The row of the frame that is shown as number `index`, or -1. */
static int32_t row_at(const struct frame_view *view, const struct drover_frame *frame, int index) {
    return view->agent_count == 0 ? index : drover_frame_row(frame, view->agents[index]);
}

static int row_limit(const struct frame_view *view, const struct drover_frame *frame) {
    return view->agent_count == 0 ? (int)frame->count : view->agent_count;
}

int frame_view_count(const struct frame_view *view, const struct drover_frame *frame) {
    int count = 0;
    if (view->agent_count == 0) {
        return (int)frame->count;
    }
    for (int i = 0; i < view->agent_count; i++) {
        count += row_at(view, frame, i) >= 0;
    }
    return count;
}

static int64_t number_at(const struct drover_frame *frame, enum frame_field field, int32_t row) {
    switch (field) {
    case FRAME_X:
        return frame->x[row];
    case FRAME_Y:
        return frame->y[row];
    case FRAME_VX:
        return frame->vx[row];
    case FRAME_VY:
        return frame->vy[row];
    case FRAME_HEADING:
        return frame->heading[row];
    case FRAME_STAMINA:
        return frame->stamina[row];
    case FRAME_KIND:
    case FRAME_STATE:
    case FRAME_FIELD_COUNT:
        break;
    }
    return 0;
}

static const char *text_at(const struct drover_frame *frame, enum frame_field field, int32_t row) {
    return field == FRAME_KIND ? drover_frame_kind(frame, frame->kind[row])
                               : drover_frame_state(frame, frame->state[row]);
}

static bool is_text(enum frame_field field) {
    return field == FRAME_KIND || field == FRAME_STATE;
}

/* ---- JSON ---- */

static void write_agent(const struct frame_view *view, const struct drover_frame *frame, int32_t row,
                        struct json_writer *json) {
    json_object(json);
    json_key_unsigned(json, "id", frame->id[row]);
    for (int i = 0; i < view->field_count; i++) {
        const enum frame_field field = view->fields[i];
        if (is_text(field)) {
            json_key_string(json, frame_field_names[field], text_at(frame, field, row));
        } else {
            json_key_hundredths(json, frame_field_names[field], number_at(frame, field, row));
        }
    }
    json_end(json);
}

void frame_view_json(const struct frame_view *view, const struct drover_frame *frame, struct buffer *out) {
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    json_key_string(&json, "op", "snapshot");
    json_key_unsigned(&json, "tick", frame->tick);
    json_key_number(&json, "time", frame->time);
    if (frame->missed > 0) {
        json_key_unsigned(&json, "missed", frame->missed);
    }
    json_key(&json, "agents");
    json_array(&json);
    for (int i = 0; i < row_limit(view, frame); i++) {
        const int32_t row = row_at(view, frame, i);
        if (row >= 0) {
            write_agent(view, frame, row, &json);
        }
    }
    json_end(&json);
    json_key(&json, "targets");
    json_array(&json);
    for (int32_t i = 0; i < frame->target_count; i++) {
        json_object(&json);
        json_key_string(&json, "name", drover_frame_target(frame, i));
        json_key_hundredths(&json, "x", frame->target_x[i]);
        json_key_hundredths(&json, "y", frame->target_y[i]);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
    buffer_append(out, "\n", 1);
}

/* ---- tables ---- */

static void put_hundredths(struct text_table *table, int column, int64_t value) {
    char text[32];
    const uint64_t size = value < 0 ? (uint64_t)-value : (uint64_t)value;
    (void)snprintf(text, sizeof text, "%s%llu.%02llu", value < 0 ? "-" : "", (unsigned long long)(size / 100),
                   (unsigned long long)(size % 100));
    text_table_put(table, column, text);
}

static void put_agent(const struct frame_view *view, const struct drover_frame *frame, int32_t row,
                      struct text_table *table) {
    char id[16];
    (void)snprintf(id, sizeof id, "%lu", (unsigned long)frame->id[row]);
    text_table_put(table, 0, id);
    for (int i = 0; i < view->field_count; i++) {
        const enum frame_field field = view->fields[i];
        if (is_text(field)) {
            text_table_put(table, i + 1, text_at(frame, field, row));
        } else {
            put_hundredths(table, i + 1, number_at(frame, field, row));
        }
    }
    text_table_end_row(table);
}

void frame_view_table(const struct frame_view *view, const struct drover_frame *frame, int first, int most,
                      const struct text_style *style, struct buffer *out) {
    struct text_table table;
    text_table_init(&table);
    (void)text_table_column(&table, "id");
    for (int i = 0; i < view->field_count; i++) {
        (void)text_table_column(&table, frame_field_names[view->fields[i]]);
    }
    int shown = 0;
    for (int i = 0; i < row_limit(view, frame) && (most < 0 || shown < first + most); i++) {
        const int32_t row = row_at(view, frame, i);
        if (row >= 0 && shown++ >= first) {
            put_agent(view, frame, row, &table);
        }
    }
    text_table_write(&table, style, out);
    text_table_fini(&table);
}

static void write_kinds(const struct frame_view *view, const struct drover_frame *frame, struct buffer *out) {
    int counts[MOST_KINDS + 1] = {0};
    for (int i = 0; i < row_limit(view, frame); i++) {
        const int32_t row = row_at(view, frame, i);
        if (row >= 0) {
            counts[frame->kind[row] < MOST_KINDS ? frame->kind[row] : MOST_KINDS]++;
        }
    }
    const char *before = ": ";
    for (unsigned kind = 0; kind < MOST_KINDS; kind++) {
        if (counts[kind] > 0) {
            const char *name = drover_frame_kind(frame, kind);
            buffer_printf(out, "%s%d ", before, counts[kind]);
            shown_text_append(out, name, strlen(name));
            before = ", ";
        }
    }
    if (counts[MOST_KINDS] > 0) {
        buffer_printf(out, "%s%d of other kinds", before, counts[MOST_KINDS]);
    }
}

void frame_view_summary(const struct frame_view *view, const struct drover_frame *frame, struct buffer *out) {
    const int count = frame_view_count(view, frame);
    buffer_printf(out, "tick %llu, %.2f s, %d agent%s", (unsigned long long)frame->tick, frame->time, count,
                  count == 1 ? "" : "s");
    if ((frame->columns & DROVER_KIND) != 0) {
        write_kinds(view, frame, out);
    }
}
