/* The commands of `drover`: what they share and their table. */
#ifndef DROVER_CLIENTS_DROVER_COMMAND_H
#define DROVER_CLIENTS_DROVER_COMMAND_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
    const struct options_def *options; /* NULL: those of its request (live/live.h) */
};

/** All commands; the last row has no name. */
extern const struct command command_table[];
/** The command of this name, or NULL. */
const struct command *command_find(const char *name);
/** The commands by group. */
void commands_print_help(FILE *out);

command_run command_cut, command_diff, command_export, command_import, command_info, command_repair,
    command_runs, command_states, command_verify;
extern const struct options_def command_cut_options, command_diff_options, command_export_options,
    command_import_options, command_info_options, command_repair_options, command_runs_options,
    command_states_options, command_verify_options;

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

/* SIGINT and SIGTERM as a word that calculations look at. A thread takes the signals, so no handler runs.
 *
 * 1. The first signal sets the word; the command then ends in order within some 100 ms, with what it has begun to write
 * removed.
 * 2. A second signal removes the file that is being written and ends the program at once.
 */

struct interrupt {
    atomic_bool is_set;
    atomic_bool is_over;              /* the program ends by itself */
    _Atomic(const char *) unfinished; /* the path of the file that is being written; NULL: none */
    pthread_t thread;
};

/** Whether a signal came. Any thread. */
bool interrupt_is_set(const struct interrupt *interrupt);
/** Waits until the descriptor can be read (POLLIN) or written (POLLOUT), or its other end is closed. False after an
 * interrupt. */
bool interrupt_wait(const struct interrupt *interrupt, int descriptor, short events);

/* Where a command writes: standard output, or a file that is there entirely or not at all.
 *
 * A file whose name ends in .zst is compressed: a zstd frame for each piece that is written at once. A file is written under another name beside its place and put there by output_finish; otherwise nothing is left
 * of it. Errors are kept: the first one is output_finish's. */

enum { OUTPUT_PATH = 4096 };

struct output {
    struct interrupt *interrupt;
    const char *path; /* not owned; NULL: standard output */
    char unfinished[OUTPUT_PATH];
    int descriptor;
    bool replaces;
    int error;            /* errno of the first write that failed */
    struct buffer buffer; /* what is written at once; append here, then output_flush */
    bool is_packed;
    struct buffer packed; /* of the buffer, a frame */
};

/** path: "" or "-" is standard output. replaces: a file that is there already is replaced, and otherwise refused. 0,
 * or -1 with *failure (exists, io). */
NODISCARD int output_begin(struct output *output, struct interrupt *interrupt, const char *path,
                           bool replaces, struct failure *failure);
/** Writes the buffer when it is large. Returns false when there is no sense in going on: a write failed, or an
 * interrupt came. */
bool output_flush(struct output *output);
/** Writes the buffer now, however small it is. Returns as output_flush. */
bool output_write(struct output *output);
/** Writes all the rest and puts the file in its place. 0, or -1 with *failure; output_abandon is not needed then. */
NODISCARD int output_finish(struct output *output, struct failure *failure);
/** Leaves nothing of the file. Does nothing after output_finish, or when output_begin failed. */
void output_abandon(struct output *output);

/* A line on standard error that says how far a command has got and how long the rest will take. Where standard error is no
 * terminal, it is a line of its own after PROGRESS_LOG_S, and after twice the time each further time. */

struct progress {
    const char *what; /* "verify" */
    uint64_t total;
    uint64_t begun_ns, shown_ns;
    double log_s;  /* since the beginning, when the next line of a log is due */
    bool is_on;    /* standard error is a terminal */
    bool is_shown; /* there is a line to take away */
};

/** total: of what progress_show counts, 0 for unknown. */
void progress_begin(struct progress *progress, const char *what, uint64_t total);
/** Draws the line again, at most ten times a second; in a log when it is due. */
void progress_show(struct progress *progress, uint64_t done);
/** Takes the line away; before anything else is printed. */
void progress_end(struct progress *progress);

enum { PROGRESS_LOG_S = 10, PROGRESS_LINE = 96, PROGRESS_BAR = 30, PROGRESS_TIME = 24 };
/** A bar of PROGRESS_BAR characters, "#####....."; share: 0 to 1. Returns out. */
const char *progress_bar(char out[PROGRESS_BAR + 1], double share);
/** "1:02:03", "2:03", "0:03". Returns out. */
const char *progress_time(char out[PROGRESS_TIME], double seconds);
/** The text of the line: "verify [#####.....] 50 %  1:02 left". seconds: since the beginning. Returns out. */
const char *progress_line(char out[PROGRESS_LINE], const char *what, uint64_t done, uint64_t total,
                          double seconds);

#endif
