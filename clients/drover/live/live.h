/* The commands for a live server: what a terminal shows, the connection, the requests that words of a command line are. */
#ifndef DROVER_CLIENTS_DROVER_LIVE_LIVE_H
#define DROVER_CLIENTS_DROVER_LIVE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <termios.h>

#include "clients/c/include/drover/drover.h"
#include "clients/drover/command.h"
#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"
#include "common/system/options.h"

/* ---- text ---- */

/* Text of a server as a terminal may show it: nothing that a server sends moves the cursor, changes a color or turns the
 * direction of a line. Pure. */

/** Appends text for people. Controls (C0, DEL, C1), what turns the direction of a text and what cannot be seen become
 * \u001b and the like, bytes that are not UTF-8 \x9b. */
void shown_text_append(struct buffer *out, const char *text, size_t length);
/** Prints a text like that between two others. */
void shown_text_print(FILE *out, const char *before, const char *text, const char *after);
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

/* ---- the connection ---- */

/* What the commands for a live server share: the connection, where they write, and how they end. */

enum { LIVE_SERVER = 300, LIVE_PATH = 1024 };

struct live_options {
    char server[LIVE_SERVER];   /* HOST:PORT; "": $DROVER_SERVER, or the usual one */
    char token_file[LIVE_PATH]; /* "": $DROVER_TOKEN, or none */
    double timeout;             /* s, for the connection; initially LIVE_TIMEOUT_S */
    bool is_json;
};

#define LIVE_TIMEOUT_S       5.0
#define LIVE_TIMEOUT_LEAST_S 0.1
#define LIVE_TIMEOUT_MOST_S  3600.0

/* The rows of an option table; `member` is the struct live_options in `structure`. */
#define LIVE_OPTION_ROWS(structure, member)                                                                  \
    LIVE_SERVER_ROWS(structure, member),                                                                     \
        OPTION_FLAG(structure, member.is_json, "json",                                                       \
                    "JSON objects, one a line, as where standard output is no terminal.")
#define LIVE_SERVER_ROWS(structure, member)                                                                  \
    OPTION_TEXT(structure, member.server, "server", "HOST:PORT",                                             \
                "The server; by default $DROVER_SERVER, otherwise 127.0.0.1:7717."),                         \
        OPTION_TEXT(structure, member.token_file, "token-file", "FILE",                                      \
                    "The file that has the token for the server in its first line; - is standard input. By " \
                    "default the token is $DROVER_TOKEN."),                                                  \
        OPTION_NUMBER(structure, member.timeout, "timeout", LIVE_TIMEOUT_LEAST_S, LIVE_TIMEOUT_MOST_S,       \
                      LIVE_TIMEOUT_S, "S", "How long to wait for the server's first line, seconds.")

/* The terminal that a command writes to: its size, whether colors are wanted, and single keys without Enter. */

struct terminal {
    bool is_there;  /* standard output is one */
    bool has_color; /* no NO_COLOR, and TERM is not dumb */
    bool has_keys;  /* standard input is one, too, and gives single keys since terminal_take; until it ends */
    bool is_single; /* its modes were changed for that */
    bool is_taken;  /* the other screen is shown */
    struct termios before;
};

/** Its size; 80 and 24 where it does not say. */
void terminal_size(int *width, int *height);
/** Shows the other screen, without the cursor, and reads single keys. What was on the screen comes back with
 * terminal_give_back, which is also called when the program is stopped by a signal that command.h takes. */
void terminal_take(struct terminal *terminal);
/** The key that was pressed, or -1 when none was, or standard input has ended. Does not wait. */
int terminal_key(struct terminal *terminal);

struct live {
    const struct command_context *context;
    const struct live_options *options;
    const char *address; /* as it was given */
    struct drover *server;
    struct output output;
    struct terminal terminal;
    bool is_json; /* lines of JSON, not tables */
};

/** Why a wait came back. */
enum live_wait {
    LIVE_READY, /* drover_next has something */
    LIVE_TIME,  /* the time is over */
    LIVE_KEY,   /* standard input can be read */
    LIVE_GONE,  /* there is no connection, and none will come */
    LIVE_OVER,  /* an interrupt, or the reader of standard output has gone */
};

/** Finds standard output. 0, or -1 with *code. live_end after it in both cases. */
NODISCARD int live_begin(struct live *live, const struct command_context *context,
                         const struct live_options *options, enum exit_code *code);
/** Connects, shows the token and waits until requests can be sent. reconnect: enum drover_reconnect. 0, or -1 with *code
 * after it was said why on standard error. */
NODISCARD int live_connect(struct live *live, int reconnect, enum exit_code *code);
/** Closes and frees everything. Returns the code: that of output when writing failed and `code` is EXIT_WELL. */
enum exit_code live_end(struct live *live, enum exit_code code);

/** Waits, at most timeout_ms (negative: without end). wants_input: for standard input, too. */
enum live_wait live_wait(struct live *live, int timeout_ms, bool wants_input);
/** Sends a request and waits for its answer, which may take any time. NULL with *code after it was said why: refused, no
 * server, or an interrupt. Otherwise the caller's: drover_message_free. */
NODISCARD struct drover_message *live_ask(struct live *live, const char *request, enum exit_code *code);
/** Says on standard error that the server is gone, and why. EXIT_NO_SERVER; EXIT_DIFFERS when it refuses the token. */
enum exit_code live_complain_gone(struct live *live);
/** Says on standard error what an error of the server says: the member, the message, the hint and the code. EXIT_DIFFERS. */
enum exit_code live_complain_refused(struct live *live, const struct drover_message *error);
/** Prints "drover: WORDS", as a terminal may show them, on standard error. */
void live_say(const char *words);
/** Writes what is in live->output.buffer. False when nothing more is to be written: an interrupt came, or the reader has
 * gone. */
bool live_write(struct live *live);
/** What tables look like on this standard output. */
struct text_style live_style(const struct live *live);

/** The token of --token-file (its first line; "-" is standard input) or of $DROVER_TOKEN, "" for none. size: with the NUL.
 * 0, or -1 with *failure, which never has the token. */
NODISCARD int live_find_token(const struct live_options *options, char *token, size_t size,
                              struct failure *failure);

/* ---- the commands ---- */

/** command_request: argv[0] names its row, which request_command_find finds. */
command_run command_request, command_ask, command_get, command_help, command_list, command_ping, command_raw,
    command_top, command_watch;
extern const struct options_def command_ask_options, command_get_options, command_help_options,
    command_list_options, command_ping_options, command_raw_options, command_top_options,
    command_watch_options;

/** NULL when there is none of this name. */
const struct request_command *request_command_find(const char *name);
/** Appends a reply to the output: its JSON, or what message_view makes of it. */
void live_show(struct live *live, const struct drover_message *reply);

/* Requests from words of a command line. Pure.
 *
 * The options of a command that sends a request are the members of that request, with their help, from the table that
 * decoding uses (common/protocol/request_table.c): a new member is a new option. Positional arguments stand for the members
 * that the command names. */

enum {
    REQUEST_WORDS_MEMBERS = 24,
    REQUEST_WORDS_SWITCHES = 2,
    REQUEST_WORDS_FORMS = 4,
    REQUEST_WORDS_VALUE = 16384
};

/** An option that stands for a member with a value. */
struct request_switch {
    const char *flag; /* NULL: there is none */
    const char *member;
    const char *value; /* JSON */
    const char *help;
};

/** A command that sends a request. */
struct request_command {
    const char *name;
    enum request_op op;
    const char *arguments; /* "KIND [COUNT]"; NULL: none */
    const char *arguments_help, *summary;
    /* What positional arguments there may be: names of members with blanks between them. "name|agent": the second one when
     * the argument is a number. "kind.param": two members in one argument. "agents...": the last member, an array of all
     * arguments that are left. The form with as many words as there are arguments counts; one with "x" as its first word where that argument is a number.
     * "": no arguments, and no options either. */
    const char *forms[REQUEST_WORDS_FORMS]; /* NULL-ended */
    struct request_switch switches[REQUEST_WORDS_SWITCHES + 1];
    const char *left_out; /* members without an option, with blanks around each; NULL: none */
    const char *implied;  /* a member that is true when no option says otherwise; NULL: none */
    const char *unless;   /* another member whose presence takes that away; NULL: none */
};

/** What the command line said. Too large for the stack. */
struct request_words {
    struct live_options live;
    bool switches[REQUEST_WORDS_SWITCHES];
    char values[REQUEST_WORDS_MEMBERS][REQUEST_WORDS_VALUE]; /* as the fields of the op; "": not given */
    const char *document; /* of load and edit: JSON, in place of the argument; not owned; NULL: none */
    char document_name[LIMIT_NAME_CHARS + 1]; /* what its world is called when no option says */
};

/** The options of a command, made from tables. It points into itself: it may not be moved. */
struct request_options {
    struct options_def def;
    char program[48];
    char flags[REQUEST_WORDS_MEMBERS][48];
    char helps[REQUEST_WORDS_MEMBERS][320];
    struct field rows[REQUEST_WORDS_MEMBERS + REQUEST_WORDS_SWITCHES + 5];
};

void request_options_make(const struct request_command *command, struct request_options *options);
/** Appends the request as a JSON object with the id 1. arguments: the positional ones. 0, or -1 with *failure, which names the
 * option or the argument. */
NODISCARD int request_words_write(const struct request_command *command, const struct request_words *words,
                                  int count, char *const *arguments, struct buffer *out,
                                  struct failure *failure);
/** Appends the request of an op that may be one this program does not know, of words MEMBER=VALUE: a value that is JSON is
 * taken as such, any other as a text; so is each value of a member that this program knows as a name or a text. */
NODISCARD int request_words_ask(const char *op, int count, char *const *words, struct buffer *out,
                                struct failure *failure);

/* What may follow on a command line of drover, from the tables that the commands read it with. */

/** What only a live server knows. */
enum completion_source {
    COMPLETION_NOTHING, /* all is said */
    COMPLETION_FILES,   /* names of files, which the shell knows */
    COMPLETION_SCENARIOS,
    COMPLETION_KINDS,
    COMPLETION_TARGETS,
    COMPLETION_SAVES,
    COMPLETION_PARAMS
};

/** Appends the words that may stand in place of the last one, a line each: the word, a tab, and what it is. words: what
 * follows `drover`, the last one unfinished or empty; count >= 1. Returns what else there is. Pure. */
enum completion_source completion_find(int count, char *const *words, struct buffer *out);

/** drover completion SHELL prints the script of a shell; drover complete -- WORDS is what the scripts call. */
command_run command_completion, command_complete;
extern const struct options_def command_completion_options, command_complete_options;

#endif
