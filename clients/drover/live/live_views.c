/* Frames, replies and statistics for people and for programs. See live.h. */
#include "clients/drover/live/live.h"

#include <stdio.h>
#include <string.h>

#include "common/json/json_writer.h"
#include "common/text/names.h"

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

/* ---- frames ---- */

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

/* ---- replies ---- */

enum { PATH_BYTES = 512, VALUE_LIMIT = 1 << 20, CELL_BYTES = 256, LINE_COLUMNS = 100, DEPTH = 12 };

/* ---- values ---- */

static void append_string(const struct drover_message *message, const char *path, struct buffer *out) {
    struct json_writer json = json_writer_begin(out);
    const char *text = drover_message_string(message, path);
    json_string(&json, text == NULL ? "" : text);
}

static void append_number(const struct drover_message *message, const char *path, struct buffer *out) {
    char text[JSON_NUMBER_TEXT];
    (void)json_number_text(text, drover_message_number(message, path, 0.0));
    buffer_append_text(out, text);
}

static bool element_path(char out[PATH_BYTES], const char *path, int index) {
    const int length = snprintf(out, PATH_BYTES, "%s[%d]", path, index);
    return length > 0 && length < PATH_BYTES;
}

static bool member_path(char out[PATH_BYTES], const char *path, const char *key) {
    const int length = snprintf(out, PATH_BYTES, "%s%s%s", path, path[0] == '\0' ? "" : ".", key);
    return length > 0 && length < PATH_BYTES;
}

static void append_json(const struct drover_message *message, const char *path, int depth,
                        struct buffer *out);

static void append_items(const struct drover_message *message, const char *path, bool is_object, int depth,
                         struct buffer *out) {
    char inner[PATH_BYTES];
    const int count = depth < DEPTH ? drover_message_count(message, path) : 0;
    buffer_append_text(out, is_object ? "{" : "[");
    for (int i = 0; i < count && out->length < CELL_BYTES; i++) {
        const char *key = is_object ? drover_message_key(message, path, i) : NULL;
        buffer_append_text(out, i == 0 ? "" : ",");
        if (is_object && key != NULL) {
            buffer_printf(out, "%s:", key);
        }
        if (is_object ? key != NULL && member_path(inner, path, key) : element_path(inner, path, i)) {
            append_json(message, inner, depth + 1, out);
        }
    }
    buffer_append_text(out, is_object ? "}" : "]");
}

static void append_json(const struct drover_message *message, const char *path, int depth,
                        struct buffer *out) {
    switch (drover_message_type(message, path)) {
    case DROVER_ABSENT:
        break;
    case DROVER_NULL:
        buffer_append_text(out, "null");
        break;
    case DROVER_BOOLEAN:
        buffer_append_text(out, drover_message_flag(message, path, 0) ? "true" : "false");
        break;
    case DROVER_NUMBER:
        append_number(message, path, out);
        break;
    case DROVER_STRING:
        append_string(message, path, out);
        break;
    case DROVER_ARRAY:
    case DROVER_OBJECT:
        append_items(message, path, drover_message_type(message, path) == DROVER_OBJECT, depth, out);
        break;
    }
}

void message_view_value(const struct drover_message *message, const char *path, struct buffer *out) {
    const char *text = drover_message_string(message, path);
    if (text != NULL) {
        buffer_append_text(out, text);
    } else {
        append_json(message, path, 0, out);
    }
}

/* ---- what a member is ---- */

static bool is_envelope(const char *key) {
    return strcmp(key, "op") == 0 || strcmp(key, "to") == 0 || strcmp(key, "id") == 0;
}

/* A list with a row for each of its objects. */
static bool is_list(const struct drover_message *message, const char *path) {
    char first[PATH_BYTES];
    return drover_message_type(message, path) == DROVER_ARRAY && element_path(first, path, 0) &&
           drover_message_type(message, first) == DROVER_OBJECT;
}

/* An object whose members are shown one by one. */
static bool is_group(const struct drover_message *message, const char *path) {
    return drover_message_type(message, path) == DROVER_OBJECT && drover_message_count(message, path) > 0;
}

/* ---- single values ---- */

/* The values as rows of a table, those of inner objects as a.b. head: bytes of the path that the names leave out. */
static void collect(const struct drover_message *message, const char *path, size_t head, int depth,
                    struct text_table *table) {
    char inner[PATH_BYTES];
    const int count = depth < DEPTH ? drover_message_count(message, path) : 0;
    for (int i = 0; i < count; i++) {
        const char *key = drover_message_key(message, path, i);
        if (key == NULL || (depth == 0 && is_envelope(key)) || !member_path(inner, path, key) ||
            is_list(message, inner)) {
            continue;
        }
        if (is_group(message, inner)) {
            collect(message, inner, head, depth + 1, table);
            continue;
        }
        struct buffer value;
        buffer_init(&value, VALUE_LIMIT);
        message_view_value(message, inner, &value);
        text_table_put(table, text_table_column(table, "member"), inner + head);
        text_table_put(table, text_table_column(table, "value"), value.data == NULL ? "" : value.data);
        text_table_end_row(table);
        buffer_fini(&value);
    }
}

static const char *cell_text(const struct text_table *table, int row, int column, size_t *length) {
    struct text_cell cells[TEXT_TABLE_COLUMNS];
    memcpy(cells, table->cells.data + (size_t)row * sizeof cells, sizeof cells);
    *length = cells[column].length;
    return *length == 0 ? "" : table->text.data + cells[column].offset;
}

/* "tick 60, hash 0123456789abcdef" */
static void write_in_line(const struct text_table *table, struct buffer *out) {
    for (int i = 0; i < table->row_count; i++) {
        size_t key_length = 0, length = 0;
        const char *key = cell_text(table, i, 0, &key_length);
        const char *value = table->column_count < 2 ? "" : cell_text(table, i, 1, &length);
        buffer_printf(out, "%s%.*s %.*s", i == 0 ? "" : ", ", (int)key_length, key, (int)length, value);
    }
}

static void write_values(const struct drover_message *message, const char *path,
                         const struct text_style *style, bool has_lists, struct buffer *out) {
    struct text_table table;
    struct buffer line;
    const char *to = path[0] == '\0' ? drover_message_string(message, "to") : NULL;
    text_table_init(&table);
    buffer_init(&line, VALUE_LIMIT);
    collect(message, path, path[0] == '\0' ? 0 : strlen(path) + 1, 0, &table);
    write_in_line(&table, &line);
    const bool is_short = line.length <= LINE_COLUMNS && table.row_count <= 10;
    if (table.row_count == 0 ||
        (has_lists && table.row_count == 1)) { /* the tick alone: the lists say it all */
        if (!has_lists) {
            shown_text_append(out, to == NULL ? "done" : to, to == NULL ? 4 : strlen(to));
            buffer_append_text(out, ": done\n");
        }
    } else if (is_short) {
        shown_text_append(out, to == NULL ? "" : to, to == NULL ? 0 : strlen(to));
        buffer_append_text(out, to == NULL ? "" : ": ");
        buffer_append(out, line.data, line.length);
        buffer_append_text(out, "\n");
    } else {
        text_table_write(&table, style, out);
    }
    buffer_fini(&line);
    text_table_fini(&table);
}

/* ---- lists ---- */

/* Of lists whose rows have more than a line's worth: what to show, in this order. */
struct list_columns {
    const char *list, *columns; /* with blanks around each */
};
static const struct list_columns list_columns[] = {
    {"scenarios", " name group caption "},
    {"params", " kind param value min max unit help "},
    {"saves", " name scenario tick agents bytes saved hash "},
};

static const char *columns_of(const char *list) {
    for (size_t i = 0; i < sizeof list_columns / sizeof *list_columns; i++) {
        if (strcmp(list_columns[i].list, list) == 0) {
            return list_columns[i].columns;
        }
    }
    return NULL;
}

/* Makes the columns that are named, so that they stand in this order. */
static void make_columns(const char *columns, struct text_table *table) {
    char name[TEXT_TABLE_NAME];
    for (const char *at = columns + 1; *at != '\0';) {
        const size_t length = strcspn(at, " ");
        (void)snprintf(name, sizeof name, "%.*s", (int)length, at);
        (void)text_table_column(table, name);
        at += length + 1;
    }
}

static bool is_named(const char *columns, const char *name) {
    char word[TEXT_TABLE_NAME];
    (void)snprintf(word, sizeof word, " %.36s ", name);
    return columns == NULL || strstr(columns, word) != NULL;
}

static void write_row(const struct drover_message *message, const char *row, const char *columns,
                      struct text_table *table) {
    char inner[PATH_BYTES];
    const int count = drover_message_count(message, row);
    for (int i = 0; i < count; i++) {
        const char *key = drover_message_key(message, row, i);
        if (key == NULL || !is_named(columns, key) || !member_path(inner, row, key)) {
            continue;
        }
        struct buffer value;
        buffer_init(&value, VALUE_LIMIT);
        message_view_value(message, inner, &value);
        text_table_put(table, text_table_column(table, key), value.data == NULL ? "" : value.data);
        buffer_fini(&value);
    }
    text_table_end_row(table);
}

static void write_table(const struct drover_message *message, const char *path, const char *columns,
                        const struct text_style *style, struct buffer *out) {
    char row[PATH_BYTES];
    struct text_table table;
    text_table_init(&table);
    if (columns != NULL) {
        make_columns(columns, &table);
    }
    const int count = drover_message_count(message, path);
    for (int i = 0; i < count; i++) {
        if (element_path(row, path, i)) {
            write_row(message, row, columns, &table);
        }
    }
    text_table_write(&table, style, out);
    text_table_fini(&table);
}

static int count_lists(const struct drover_message *message, const char *path) {
    char inner[PATH_BYTES];
    int lists = 0;
    const int count = drover_message_count(message, path);
    for (int i = 0; i < count; i++) {
        const char *key = drover_message_key(message, path, i);
        lists += key != NULL && member_path(inner, path, key) && is_list(message, inner);
    }
    return lists;
}

static void view_object(const struct drover_message *message, const char *path, int depth,
                        const struct text_style *style, struct buffer *out);

/* A table; one below the other, when the rows have lists themselves. */
static void write_list(const struct drover_message *message, const char *path, const char *name, int depth,
                       const struct text_style *style, struct buffer *out) {
    char row[PATH_BYTES];
    if (depth >= DEPTH || !element_path(row, path, 0) || count_lists(message, row) == 0) {
        write_table(message, path, depth == 0 ? columns_of(name) : NULL, style, out);
        return;
    }
    const int count = drover_message_count(message, path);
    for (int i = 0; i < count; i++) {
        if (element_path(row, path, i)) {
            buffer_append_text(out, i == 0 ? "" : "\n");
            view_object(message, row, depth + 1, style, out);
        }
    }
}

static void view_object(const struct drover_message *message, const char *path, int depth,
                        const struct text_style *style, struct buffer *out) {
    char inner[PATH_BYTES];
    const int lists = count_lists(message, path);
    const int count = drover_message_count(message, path);
    write_values(message, path, style, depth == 0 && lists > 0, out);
    for (int i = 0; i < count; i++) {
        const char *key = drover_message_key(message, path, i);
        if (key == NULL || !member_path(inner, path, key) || !is_list(message, inner)) {
            continue;
        }
        if (lists > 1 || depth > 0) {
            buffer_append_text(out, "\n");
            shown_text_append(out, key, strlen(key));
            buffer_append_text(out, ":\n");
        }
        write_list(message, inner, key, depth, style, out);
    }
}

void message_view(const struct drover_message *message, const struct text_style *style, struct buffer *out) {
    view_object(message, "", 0, style, out);
}

/* ---- stats view ---- */

enum { PATH = 96, TEXT = 160 };

static double number(const struct drover_message *reply, const char *path) {
    return drover_message_number(reply, path, 0.0);
}

struct stats_counts stats_counts_of(const struct drover_message *reply) {
    return (struct stats_counts){.is_there = true,
                                 .uptime = number(reply, "uptime"),
                                 .ticks = number(reply, "ticks"),
                                 .commands = number(reply, "commands"),
                                 .bytes_received = number(reply, "bytes_received"),
                                 .bytes_sent = number(reply, "bytes_sent"),
                                 .frames_sent = number(reply, "frames_sent"),
                                 .frames_skipped = number(reply, "frames_skipped")};
}

/* "1:02:03" */
static void write_time(double seconds, struct buffer *out) {
    const unsigned long long whole = seconds > 0.0 && seconds < 1e12 ? (unsigned long long)seconds : 0u;
    buffer_printf(out, "%llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
}

/* "12.3 MB" */
static void write_bytes(char text[TEXT], double bytes) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    while (bytes >= 1000.0 && unit < 4) {
        bytes /= 1000.0;
        unit++;
    }
    (void)snprintf(text, TEXT, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
}

static const char *pace(const struct drover_message *reply, char text[TEXT]) {
    const double speed = number(reply, "speed");
    if (drover_message_flag(reply, "paused", 0)) {
        return "paused";
    }
    if (speed == 1.0) {
        return "running";
    }
    (void)snprintf(text, TEXT, speed == 0.0 ? "as fast as it can" : "%.4g times as fast", speed);
    return text;
}

static void write_head(const struct drover_message *reply, const char *address, struct buffer *out) {
    char text[TEXT];
    shown_text_append(out, address, strlen(address));
    buffer_append_text(out, "  up ");
    write_time(number(reply, "uptime"), out);
    buffer_printf(out, "  tick %.0f at %.0f Hz, %s, %.0f agents, %.1f candidates\n", number(reply, "tick"),
                  number(reply, "tick_hz"), pace(reply, text), number(reply, "agents"),
                  number(reply, "candidates"));
    buffer_printf(out, "ticks %.0f  overruns %.0f  dropped %.0f  requests %.0f, waiting %.0f\n\n",
                  number(reply, "ticks"), number(reply, "overruns"), number(reply, "dropped_ticks"),
                  number(reply, "commands"), number(reply, "commands_waiting"));
}

static void put_phase(const struct drover_message *reply, const char *name, const char *path,
                      struct text_table *table) {
    static const char *const measures[] = {"p50", "p99", "max"};
    char inner[PATH], text[TEXT];
    text_table_put(table, text_table_column(table, "phase, ms"), name);
    for (int i = 0; i < 3; i++) {
        (void)snprintf(inner, sizeof inner, "%.60s.%s", path, measures[i]);
        const int column = text_table_column(table, measures[i]);
        if (drover_message_type(reply, inner) == DROVER_NUMBER) {
            (void)snprintf(text, sizeof text, "%.3f", number(reply, inner));
            text_table_put(table, column, text);
        }
    }
    text_table_end_row(table);
}

static void write_phases(const struct drover_message *reply, const struct text_style *style,
                         struct buffer *out) {
    struct text_table table;
    char path[PATH];
    text_table_init(&table);
    for (int i = 0; i < drover_message_count(reply, "phases_ms"); i++) {
        const char *name = drover_message_key(reply, "phases_ms", i);
        if (name != NULL) {
            (void)snprintf(path, sizeof path, "phases_ms.%.40s", name);
            put_phase(reply, name, path, &table);
        }
    }
    put_phase(reply, "lateness", "lateness_ms", &table);
    text_table_write(&table, style, out);
    buffer_append_text(out, "\n");
    text_table_fini(&table);
}

/* A number of a rank, in its column. */
static void put_of_rank(const struct drover_message *reply, int rank, const char *member, const char *name,
                        int decimals, struct text_table *table) {
    char path[PATH], text[TEXT];
    (void)snprintf(path, sizeof path, "cluster.ranks[%d].%.40s", rank, member);
    const int column = text_table_column(table, name);
    if (drover_message_type(reply, path) == DROVER_NUMBER) {
        (void)snprintf(text, sizeof text, "%.*f", decimals, number(reply, path));
        text_table_put(table, column, text);
    }
}

/* Of stripes: "0..300". */
static void put_rows(const struct drover_message *reply, int rank, struct text_table *table) {
    char path[PATH], text[TEXT];
    (void)snprintf(path, sizeof path, "cluster.ranks[%d].rows", rank);
    if (drover_message_count(reply, path) == 2) {
        (void)snprintf(path, sizeof path, "cluster.ranks[%d].rows[0]", rank);
        const double first = number(reply, path);
        (void)snprintf(path, sizeof path, "cluster.ranks[%d].rows[1]", rank);
        (void)snprintf(text, sizeof text, "%.0f..%.0f", first, number(reply, path));
        text_table_put(table, text_table_column(table, "rows"), text);
    }
}

static void put_rank(const struct drover_message *reply, int i, struct text_table *table) {
    char path[PATH], text[TEXT];
    put_of_rank(reply, i, "rank", "rank", 0, table);
    put_of_rank(reply, i, "work_ms.mean", "work, ms", 3, table);
    put_of_rank(reply, i, "work_ms.p99", "p99", 3, table);
    put_of_rank(reply, i, "wait_ms.mean", "wait, ms", 3, table);
    put_of_rank(reply, i, "agents", "agents", 0, table);
    put_of_rank(reply, i, "ghosts", "ghosts", 0, table);
    put_of_rank(reply, i, "migrants", "migrants", 0, table);
    put_rows(reply, i, table);
    (void)snprintf(path, sizeof path, "cluster.ranks[%d].host", i);
    const char *host = drover_message_string(reply, path);
    (void)snprintf(path, sizeof path, "cluster.ranks[%d].rank", i);
    const bool is_longest = number(reply, path) == number(reply, "cluster.longest");
    (void)snprintf(text, sizeof text, "%.80s%s", host != NULL ? host : "", is_longest ? " (longest)" : "");
    text_table_put(table, text_table_column(table, "host"), text);
    text_table_end_row(table);
}

/* Of a cluster alone. */
static void write_ranks(const struct drover_message *reply, const struct text_style *style,
                        struct buffer *out) {
    if (drover_message_type(reply, "cluster") != DROVER_OBJECT) {
        return;
    }
    const char *mode = drover_message_string(reply, "cluster.mode");
    mode = mode == NULL ? "" : mode;
    buffer_printf(out, "cluster of %.0f ranks, ", number(reply, "cluster.count"));
    shown_text_append(out, mode, strlen(mode));
    buffer_printf(out, ", balance %.2f, %.1f migrants a second\n", number(reply, "cluster.balance"),
                  number(reply, "cluster.migrants_per_second"));
    struct text_table table;
    text_table_init(&table);
    for (int i = 0; i < drover_message_count(reply, "cluster.ranks"); i++) {
        put_rank(reply, i, &table);
    }
    text_table_write(&table, style, out);
    buffer_append_text(out, "\n");
    text_table_fini(&table);
}

static void put_sum(const char *name, double sum, double before, double seconds, bool is_bytes,
                    struct text_table *table) {
    char text[TEXT];
    text_table_put(table, text_table_column(table, "traffic"), name);
    (void)snprintf(text, sizeof text, "%.0f", sum);
    if (is_bytes) {
        write_bytes(text, sum);
    }
    text_table_put(table, text_table_column(table, "since the start"), text);
    const int column = text_table_column(table, "a second");
    if (seconds > 0.0) {
        (void)snprintf(text, sizeof text, "%.1f", (sum - before) / seconds);
        if (is_bytes) {
            write_bytes(text, (sum - before) / seconds);
        }
        text_table_put(table, column, text);
    }
    text_table_end_row(table);
}

static void write_traffic(const struct drover_message *reply, const struct stats_counts *before,
                          const struct text_style *style, struct buffer *out) {
    const struct stats_counts now = stats_counts_of(reply);
    const bool is_same = before->is_there && now.uptime > before->uptime && now.ticks >= before->ticks &&
                         now.bytes_sent >= before->bytes_sent;
    const double seconds = is_same ? now.uptime - before->uptime : 0.0;
    struct text_table table;
    text_table_init(&table);
    put_sum("ticks", now.ticks, before->ticks, seconds, false, &table);
    put_sum("requests", now.commands, before->commands, seconds, false, &table);
    put_sum("received", now.bytes_received, before->bytes_received, seconds, true, &table);
    put_sum("sent", now.bytes_sent, before->bytes_sent, seconds, true, &table);
    put_sum("frames sent", now.frames_sent, before->frames_sent, seconds, false, &table);
    put_sum("frames skipped", now.frames_skipped, before->frames_skipped, seconds, false, &table);
    text_table_write(&table, style, out);
    buffer_append_text(out, "\n");
    text_table_fini(&table);
}

static void write_sessions(const struct drover_message *reply, const struct text_style *style,
                           struct buffer *out) {
    struct text_table table;
    char path[PATH], text[TEXT];
    text_table_init(&table);
    text_table_put(&table, text_table_column(&table, "sessions"), "");
    for (int i = 0; i < drover_message_count(reply, "sessions"); i++) {
        const char *name = drover_message_key(reply, "sessions", i);
        if (name != NULL) {
            (void)snprintf(path, sizeof path, "sessions.%.40s", name);
            (void)snprintf(text, sizeof text, "%.0f", number(reply, path));
            text_table_put(&table, text_table_column(&table, name), text);
        }
    }
    text_table_end_row(&table);
    text_table_write(&table, style, out);
    text_table_fini(&table);
}

static void write_files(const struct drover_message *reply, struct buffer *out) {
    char now[TEXT], most[TEXT], limit[TEXT];
    write_bytes(now, number(reply, "frame_memory.now"));
    write_bytes(most, number(reply, "frame_memory.most"));
    write_bytes(limit, number(reply, "frame_memory.limit"));
    buffer_printf(out, "\nmemory of frames %s, %s at most so far, %s allowed\n", now, most, limit);
    if (drover_message_type(reply, "journal") == DROVER_OBJECT) {
        write_bytes(now, number(reply, "journal.bytes"));
        buffer_printf(out, "journal %s, on disk up to tick %.0f\n", now, number(reply, "journal.tick"));
    }
    const char *name = drover_message_string(reply, "recording.name");
    name = name == NULL ? drover_message_string(reply, "recording.file") : name;
    if (name != NULL) {
        buffer_append_text(out, "recording ");
        shown_text_append(out, name, strlen(name));
        buffer_append_text(out, "\n");
    }
}

void stats_view(const struct drover_message *reply, const struct stats_counts *before, const char *address,
                const struct text_style *style, struct buffer *out) {
    write_head(reply, address, out);
    write_phases(reply, style, out);
    write_ranks(reply, style, out);
    write_traffic(reply, before, style, out);
    write_sessions(reply, style, out);
    write_files(reply, out);
}
