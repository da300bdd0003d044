/* The commands for a live server. */
#ifndef DROVER_CLIENTS_DROVER_LIVE_LIVE_COMMANDS_H
#define DROVER_CLIENTS_DROVER_LIVE_LIVE_COMMANDS_H

#include "clients/drover/command.h"
#include "clients/drover/live/live.h"
#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"
#include "common/system/options.h"

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
/** Connects, sends one request, shows its reply. */
enum exit_code live_ask_once(const struct command_context *context, const struct live_options *options,
                             const char *request);

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
