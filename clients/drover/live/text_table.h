/* A table for people: columns as wide as what stands in them, numbers at the right. Pure.
 *
 *     text_table_init(&table);
 *     text_table_put(&table, text_table_column(&table, "name"), "mouse");
 *     text_table_end_row(&table);
 *     text_table_write(&table, &style, &out);
 *
 * Columns that a row leaves out are empty. Cells are texts of servers: they are written as shown_text_append has them. */
#ifndef DROVER_CLIENTS_DROVER_LIVE_TEXT_TABLE_H
#define DROVER_CLIENTS_DROVER_LIVE_TEXT_TABLE_H

#include "common/base/buffer.h"

enum { TEXT_TABLE_COLUMNS = 32, TEXT_TABLE_NAME = 40 };

struct text_style {
    int width; /* columns of the terminal, to which lines are broken or cut; 0: no limit */
    bool has_color;
};

/** A cell: a part of the text of the table. */
struct text_cell {
    size_t offset, length; /* bytes; length 0: empty */
    int width;             /* columns */
};

struct text_column {
    char name[TEXT_TABLE_NAME];
    int width;
    bool has_text; /* a cell of it is no number */
};

struct text_table {
    struct text_column columns[TEXT_TABLE_COLUMNS];
    int column_count;
    struct text_cell row[TEXT_TABLE_COLUMNS]; /* the one that is being put together */
    struct buffer text;
    struct buffer cells; /* struct text_cell, TEXT_TABLE_COLUMNS a row */
    int row_count;
};

void text_table_init(struct text_table *table);
void text_table_fini(struct text_table *table);
/** Begins afresh, and keeps the memory. */
void text_table_clear(struct text_table *table);
/** The column of this name, which is made when there is none; -1 when there are too many. */
int text_table_column(struct text_table *table, const char *name);
/** Puts a text into the row. column -1: nothing is put. */
void text_table_put(struct text_table *table, int column, const char *text);
void text_table_end_row(struct text_table *table);
/** Writes the head and the rows. A last column of text that does not fit is broken at blanks; other lines are cut. Errors are
 * those of the buffers: out->failed. */
void text_table_write(const struct text_table *table, const struct text_style *style, struct buffer *out);

#endif
