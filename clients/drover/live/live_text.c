/* See live_views.h. */
#include "clients/drover/live/live_views.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"

struct span {
    uint32_t first, last; /* code points */
};

/* Controls, what has no width, and what turns the direction of a text. */
static const struct span hidden[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},       {0xAD, 0xAD},       {0x061C, 0x061C},   {0x180E, 0x180E},
    {0x200B, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},
    {0xFFFE, 0xFFFF}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0x10FFFF}};
static const struct span wide[] = {
    {0x1100, 0x115F}, {0x2E80, 0x303E}, {0x3041, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F}, {0xFF01, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD},
};
static const struct span combining[] = {
    {0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
};

static bool is_in(const struct span *spans, size_t count, uint32_t code_point) {
    for (size_t i = 0; i < count; i++) {
        if (code_point >= spans[i].first && code_point <= spans[i].last) {
            return true;
        }
    }
    return false;
}

static bool is_hidden(uint32_t code_point) {
    return is_in(hidden, sizeof hidden / sizeof *hidden, code_point);
}

/* Six characters, or twelve: what JSON has for a code point above U+FFFF. */
static void append_escape(struct buffer *out, uint32_t code_point) {
    if (code_point > 0xFFFF) {
        const uint32_t rest = code_point - 0x10000;
        buffer_printf(out, "\\u%04x\\u%04x", (unsigned)(0xD800 + (rest >> 10)),
                      (unsigned)(0xDC00 + (rest & 0x3FF)));
    } else {
        buffer_printf(out, "\\u%04x", (unsigned)code_point);
    }
}

void shown_text_append(struct buffer *out, const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        const size_t size = utf8_character(text + i, length - i);
        if (size == 0) {
            buffer_printf(out, "\\x%02x", (unsigned)(unsigned char)text[i]);
            i++;
            continue;
        }
        const uint32_t code_point = utf8_code_point(text + i, size);
        if (is_hidden(code_point)) {
            append_escape(out, code_point);
        } else {
            buffer_append(out, text + i, size);
        }
        i += size;
    }
}

void shown_json_append(struct buffer *out, const char *json, size_t length) {
    for (size_t i = 0; i < length;) {
        const size_t size = utf8_character(json + i, length - i);
        const uint32_t code_point = size == 0 ? 0 : utf8_code_point(json + i, size);
        if (code_point < 0x20) { /* white space: strings of JSON have none of these */
            buffer_append(out, " ", 1);
        } else if (is_hidden(code_point)) {
            append_escape(out, code_point);
        } else {
            buffer_append(out, json + i, size);
        }
        i += size == 0 ? 1 : size;
    }
}

static int width_of(uint32_t code_point) {
    if (code_point < 0x300) {
        return 1;
    }
    if (is_in(combining, sizeof combining / sizeof *combining, code_point)) {
        return 0;
    }
    return is_in(wide, sizeof wide / sizeof *wide, code_point) ? 2 : 1;
}

size_t shown_text_fit(const char *text, size_t length, int columns) {
    size_t i = 0;
    while (i < length) {
        const size_t size = utf8_character(text + i, length - i);
        const int width = size == 0 ? 1 : width_of(utf8_code_point(text + i, size));
        if (width > columns) {
            break;
        }
        columns -= width;
        i += size == 0 ? 1 : size;
    }
    return i;
}

int shown_text_width(const char *text, size_t length) {
    int width = 0;
    for (size_t i = 0; i < length;) {
        const size_t size = utf8_character(text + i, length - i);
        width += size == 0 ? 1 : width_of(utf8_code_point(text + i, size));
        i += size == 0 ? 1 : size;
    }
    return width;
}

/* ---- text table ---- */

enum { TEXT_LIMIT = 1 << 28, GAP = 2, LEAST_LAST = 24 };

void text_table_init(struct text_table *table) {
    memset(table, 0, sizeof *table);
    buffer_init(&table->text, TEXT_LIMIT);
    buffer_init(&table->cells, TEXT_LIMIT);
}

void text_table_fini(struct text_table *table) {
    buffer_fini(&table->text);
    buffer_fini(&table->cells);
}

void text_table_clear(struct text_table *table) {
    buffer_clear(&table->text);
    buffer_clear(&table->cells);
    memset(table->columns, 0, sizeof table->columns);
    memset(table->row, 0, sizeof table->row);
    table->column_count = table->row_count = 0;
}

int text_table_column(struct text_table *table, const char *name) {
    struct buffer shown;
    int found = -1;
    buffer_init(&shown, TEXT_TABLE_NAME * 8);
    const size_t length = strlen(name);
    shown_text_append(&shown, name, length < TEXT_TABLE_NAME - 1 ? length : TEXT_TABLE_NAME - 1);
    const char *text = shown.data == NULL ? "" : shown.data;
    for (int i = 0; i < table->column_count && found < 0; i++) {
        found = strncmp(table->columns[i].name, text, TEXT_TABLE_NAME - 1) == 0 ? i : -1;
    }
    if (found < 0 && table->column_count < TEXT_TABLE_COLUMNS) {
        struct text_column *column = &table->columns[found = table->column_count++];
        (void)snprintf(column->name, sizeof column->name, "%s", text);
        column->width = shown_text_width(column->name, strlen(column->name));
    }
    buffer_fini(&shown);
    return found;
}

static bool is_number(const char *text) {
    const char *digits = text + (text[0] == '-');
    return digits[0] >= '0' && digits[0] <= '9' && digits[strspn(digits, "0123456789.eE+-")] == '\0';
}

void text_table_put(struct text_table *table, int column, const char *text) {
    if (column < 0 || text[0] == '\0') {
        return;
    }
    struct text_cell *cell = &table->row[column];
    cell->offset = table->text.length;
    shown_text_append(&table->text, text, strlen(text));
    cell->length = table->text.length - cell->offset;
    cell->width = cell->length == 0 ? 0 : shown_text_width(table->text.data + cell->offset, cell->length);
    struct text_column *of = &table->columns[column];
    of->width = cell->width > of->width ? cell->width : of->width;
    of->has_text = of->has_text || !is_number(text);
}

void text_table_end_row(struct text_table *table) {
    buffer_append(&table->cells, table->row, sizeof table->row);
    table->row_count += !table->cells.failed;
    memset(table->row, 0, sizeof table->row);
}

static void pad(struct buffer *out, int columns) {
    for (int i = 0; i < columns; i++) {
        buffer_append(out, " ", 1);
    }
}

/* The last column, whose lines after the first begin below it. */
static void write_broken(const char *text, size_t length, int indent, int width, struct buffer *out) {
    while (length > 0) {
        size_t fits = shown_text_fit(text, length, width);
        if (fits < length) {
            size_t blank = fits;
            while (blank > 0 && text[blank] != ' ') {
                blank--;
            }
            fits = blank > 0 ? blank : fits > 0 ? fits : 1;
        }
        buffer_append(out, text, fits);
        text += fits;
        length -= fits;
        while (length > 0 && text[0] == ' ') {
            text++;
            length--;
        }
        if (length > 0) {
            buffer_append(out, "\n", 1);
            pad(out, indent);
        }
    }
}

struct layout {
    int last_at;    /* where the last column begins */
    int last_width; /* to which it is broken; 0: it is not */
    int line_width; /* to which lines are cut; 0: they are not */
};

static struct layout lay_out(const struct text_table *table, const struct text_style *style) {
    struct layout layout = {0};
    for (int i = 0; i + 1 < table->column_count; i++) {
        layout.last_at += table->columns[i].width + GAP;
    }
    const struct text_column *last = &table->columns[table->column_count - 1];
    if (style->width > 0 && layout.last_at + last->width > style->width) {
        const int left = style->width - layout.last_at;
        layout.last_width = last->has_text && left >= LEAST_LAST ? left : 0;
        layout.line_width = layout.last_width == 0 ? style->width : 0;
    }
    return layout;
}

/* One line. names: the head; otherwise the cells are those of the table's text. */
static void write_line(const struct text_table *table, const struct text_cell *cells,
                       const struct layout *layout, struct buffer *out) {
    struct buffer line;
    buffer_init(&line, TEXT_LIMIT);
    int behind = 0; /* blanks that are written when something follows */
    for (int i = 0; i < table->column_count; i++) {
        const struct text_column *column = &table->columns[i];
        const char *text = cells == NULL          ? column->name
                           : cells[i].length == 0 ? ""
                                                  : table->text.data + cells[i].offset;
        const size_t length = cells == NULL ? strlen(text) : cells[i].length;
        const int space = column->width - shown_text_width(text, length);
        const int before = column->has_text || length == 0 ? 0 : space;
        if (length > 0) {
            pad(&line, behind + before);
            behind = 0;
        }
        if (i + 1 == table->column_count && layout->last_width > 0) {
            write_broken(text, length, layout->last_at, layout->last_width, &line);
        } else {
            buffer_append(&line, text, length);
        }
        behind += space - before + GAP;
    }
    if (line.length > 0) {
        buffer_append(out, line.data,
                      layout->line_width == 0 ? line.length
                                              : shown_text_fit(line.data, line.length, layout->line_width));
    }
    buffer_fini(&line);
}

void text_table_write(const struct text_table *table, const struct text_style *style, struct buffer *out) {
    if (table->column_count == 0) {
        return;
    }
    const struct layout layout = lay_out(table, style);
    buffer_append_text(out, style->has_color ? "\033[1m" : "");
    write_line(table, NULL, &layout, out);
    buffer_append_text(out, style->has_color ? "\033[0m\n" : "\n");
    for (int i = 0; i < table->row_count; i++) {
        struct text_cell cells[TEXT_TABLE_COLUMNS];
        memcpy(cells, table->cells.data + (size_t)i * sizeof cells, sizeof cells);
        write_line(table, cells, &layout, out);
        buffer_append(out, "\n", 1);
    }
    out->failed = out->failed || table->text.failed || table->cells.failed;
}
