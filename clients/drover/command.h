/* The commands of `drover`: what they share and their table. */
#ifndef DROVER_CLIENTS_DROVER_COMMAND_H
#define DROVER_CLIENTS_DROVER_COMMAND_H

#include <stdio.h>

#include "clients/drover/interrupt.h"
#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/system/options.h"

/** What a program that calls drover sees. */
enum exit_code {
    EXIT_WELL = 0,
    EXIT_DIFFERS = 1, /* differs, was refused, or failed */
    EXIT_USAGE = 2,
    EXIT_NO_SERVER = 3,
    EXIT_INTERRUPTED = 130,
};

struct command_context {
    const char *program; /* the path by which this program was called */
    struct interrupt *interrupt;
};

/** argv[0] is the command's name, argv[argc] NULL; argv may be reordered (options_parse). */
typedef enum exit_code command_run(const struct command_context *context, int argc, char **argv);

/** Groups of commands, in the order in which the help lists them. */
enum command_group {
    COMMAND_GROUP_LIVE,
    COMMAND_GROUP_RUNS,
    COMMAND_GROUP_RECORDINGS,
    COMMAND_GROUP_OTHER,
    COMMAND_GROUP_COUNT
};

struct command {
    const char *name;
    command_run *run;
    const char *arguments, *summary; /* summary NULL: for the program itself, not listed */
    enum command_group group;
    const struct options_def *options; /* NULL: those of its request (live/request_words.h) */
};

/** All commands; the last row has no name. */
extern const struct command command_table[];
/** The command of this name, or NULL. */
const struct command *command_find(const char *name);
/** The commands by group. */
void commands_print_help(FILE *out);

command_run command_cut, command_diff, command_export, command_info, command_repair, command_runs,
    command_states, command_verify;
extern const struct options_def command_cut_options, command_diff_options, command_export_options,
    command_info_options, command_repair_options, command_runs_options, command_states_options,
    command_verify_options;

/** The program: argv[1] is the name of a command. Returns the exit code. */
int commands_main(int argc, char **argv);

/** Reads the options of a command over *object. count_min, count_max: how many positional arguments it takes;
 * they are argv[1], argv[2] ... afterwards and *count is their number. -o stands for --output. False: the command ends with *code. */
bool command_options(const struct options_def *def, int argc, char **argv, void *object, int count_min,
                     int count_max, int *count, enum exit_code *code);
/** Prints "drover: MESSAGE" on standard error and returns the code: EXIT_INTERRUPTED after an interrupt (then nothing
 * is printed), otherwise `code`. */
enum exit_code command_complain(const struct command_context *context, const struct failure *failure,
                                enum exit_code code);

/** How long a line of --json gets, bytes. */
enum { COMMAND_LINE_BYTES = 1 << 26 };
/** Prints the object of --json as a line, and frees the buffer. 0, or -1 with *failure when it did not fit into memory. */
NODISCARD int command_print_line(struct buffer *line, struct failure *failure);

#endif
