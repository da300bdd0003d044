/* Text of a server as a terminal may show it: nothing that a server sends moves the cursor, changes a color or turns the
 * direction of a line. Pure. */
#ifndef DROVER_CLIENTS_DROVER_LIVE_LIVE_VIEWS_H
#define DROVER_CLIENTS_DROVER_LIVE_LIVE_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/c/include/drover/drover.h"
#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"

/** Appends text for people. Controls (C0, DEL, C1), what turns the direction of a text and what cannot be seen become
 * \u001b and the like, bytes that are not UTF-8 \x9b. */
void shown_text_append(struct buffer *out, const char *text, size_t length);
/** Appends JSON. Inside strings the same characters become escapes of JSON, so that the values stay what they are; white
 * space between the values becomes a blank. json: checked already (json_check). */
void shown_json_append(struct buffer *out, const char *json, size_t length);
/** How many columns of a terminal the text takes: 2 for the wide characters of East Asia and for emoji, 0 for marks that
 * combine. text: valid UTF-8 without controls. */
int shown_text_width(const char *text, size_t length);
/** How many bytes of the text fit into so many columns. */
size_t shown_text_fit(const char *text, size_t length, int columns);

/* A table for people: columns as wide as what stands in them, numbers at the right. Pure.
 *
 *     text_table_init(&table);
 *     text_table_put(&table, text_table_column(&table, "name"), "mouse");
 *     text_table_end_row(&table);
 *     text_table_write(&table, &style, &out);
 *
 * Columns that a row leaves out are empty. Cells are texts of servers: they are written as shown_text_append has them. */

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

/* Frames for people and for programs: which fields of the agents, of which agents, and how they are written. Pure. */

/** What can be written of an agent, beside its id, which always is. */
enum frame_field {
    FRAME_KIND,
    FRAME_STATE,
    FRAME_X,
    FRAME_Y,
    FRAME_VX,
    FRAME_VY,
    FRAME_HEADING,
    FRAME_STAMINA,
    FRAME_FIELD_COUNT
};
extern const char *const frame_field_names[FRAME_FIELD_COUNT + 1]; /* NULL-ended */

enum { FRAME_VIEW_AGENTS = 256 };

struct frame_view {
    enum frame_field fields[FRAME_FIELD_COUNT]; /* in the order in which they are written */
    int field_count;
    uint32_t agents[FRAME_VIEW_AGENTS]; /* only these, when there are any */
    int agent_count;
};

/** Reads names with commas or blanks between them; "": the usual ones, all but stamina. Also "pos" and "vel", as in
 * subscribe. 0, or -1 with *failure. */
NODISCARD int frame_view_read_fields(struct frame_view *view, const char *text, struct failure *failure);
/** Reads ids with commas between them; "": all agents. 0, or -1 with *failure. */
NODISCARD int frame_view_read_agents(struct frame_view *view, const char *text, struct failure *failure);
/** Appends the member `fields` of a subscription: ["pos","kind"]. */
void frame_view_write_wanted(const struct frame_view *view, struct buffer *out);

/** How many agents of the frame are shown. */
int frame_view_count(const struct frame_view *view, const struct drover_frame *frame);
/** Appends the frame as a line of JSON, like the `snapshot` of the protocol with the members of the view. */
void frame_view_json(const struct frame_view *view, const struct drover_frame *frame, struct buffer *out);
/** Appends a table of at most `most` agents from number `first` on; most < 0: all. */
void frame_view_table(const struct frame_view *view, const struct drover_frame *frame, int first, int most,
                      const struct text_style *style, struct buffer *out);
/** Appends "tick 60, 1.00 s, 202 agents: 200 prey, 2 predator", the kinds when the frame has them. */
void frame_view_summary(const struct frame_view *view, const struct drover_frame *frame, struct buffer *out);

/* Replies for people: a line for a few numbers, a table for a list. Any reply can be shown, also one of a later server.
 * Pure. */

/** Appends what a reply says: its numbers and texts, in one line ("step: tick 60, hash 0123456789abcdef") or, when they are
 * many, one below the other; then a table for each array of objects. */
void message_view(const struct drover_message *message, const struct text_style *style, struct buffer *out);
/** Appends a value as compact JSON; a string as its bare text, which may hold anything a server sends. */
void message_view_value(const struct drover_message *message, const char *path, struct buffer *out);

/* What drover top shows: the numbers of two replies to `stats`, one after the other, and what changed between them. It shows
 * only what the server counts. Pure. */

/** The counters of a reply, from which rates follow. */
struct stats_counts {
    bool is_there;
    double uptime; /* s */
    double ticks, commands, bytes_received, bytes_sent, frames_sent, frames_skipped;
};

/** The counters of a reply to stats. */
struct stats_counts stats_counts_of(const struct drover_message *reply);
/** Appends the tables. before: the counters of an earlier reply; when it is of another run of the server, or there is none,
 * the rates are left out. */
void stats_view(const struct drover_message *reply, const struct stats_counts *before, const char *address,
                const struct text_style *style, struct buffer *out);

#endif
