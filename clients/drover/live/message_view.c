/* See message_view.h. */
#include "clients/drover/live/message_view.h"

#include <stdio.h>
#include <string.h>

#include "clients/drover/live/shown_text.h"
#include "common/json/json_writer.h"

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
