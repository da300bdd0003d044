/* What commands share, and their table. See command.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/drover/command.h"
#include "clients/drover/live/live.h"
#include "common/system/clock.h"
#include "common/system/process.h"
#include "common/text/names.h"
#include "server/storage/file_writer.h"

/* ---- interrupts ---- */

enum { GLANCE_MS = 50 };

static sigset_t taken_signals(void) {
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    return set;
}

static void *take_signals(void *context) {
    struct interrupt *interrupt = context;
    const sigset_t set = taken_signals();
    int signal_number = 0;
    (void)sigwait(&set, &signal_number);
    if (atomic_load(&interrupt->is_over)) {
        return NULL;
    }
    atomic_store(&interrupt->is_set, true);
    (void)sigwait(&set, &signal_number);
    if (atomic_load(&interrupt->is_over)) {
        return NULL;
    }
    const char *unfinished = atomic_load(&interrupt->unfinished);
    if (unfinished != NULL) {
        (void)unlink(unfinished);
    }
    _exit(EXIT_INTERRUPTED);
}

/* Blocks the signals in this thread and those that it starts, and begins to take them. NULL without memory or a
 * thread. */
static struct interrupt *interrupt_begin(void) {
    const sigset_t set = taken_signals();
    struct interrupt *interrupt = calloc(1, sizeof *interrupt);
    if (interrupt == NULL) {
        return NULL;
    }
    atomic_init(&interrupt->is_set, false);
    atomic_init(&interrupt->is_over, false);
    atomic_init(&interrupt->unfinished, NULL);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0 ||
        pthread_create(&interrupt->thread, NULL, take_signals, interrupt) != 0) {
        free(interrupt);
        return NULL;
    }
    return interrupt;
}

static void interrupt_end(struct interrupt *interrupt) {
    atomic_store(&interrupt->is_over, true);
    (void)pthread_kill(interrupt->thread, SIGINT);
    (void)pthread_join(interrupt->thread, NULL);
    free(interrupt);
}

bool interrupt_is_set(const struct interrupt *interrupt) {
    return atomic_load_explicit(&interrupt->is_set, memory_order_relaxed);
}

bool interrupt_wait(const struct interrupt *interrupt, int descriptor, short events) {
    struct pollfd entry = {.fd = descriptor, .events = events};
    while (!interrupt_is_set(interrupt)) {
        if (poll(&entry, 1, GLANCE_MS) > 0) {
            return true;
        }
    }
    return false;
}

/* ---- output ---- */

enum { AT_ONCE = 1 << 18, OUTPUT_LIMIT = 1 << 30 };

static int fail(const char *path, int error, struct failure *failure) {
    return failure_set(failure, error == EEXIST ? FAILURE_EXISTS : FAILURE_IO, NULL, "%.250s: %s", path,
                       error == EEXIST ? "the file exists already; choose another name, or --replace"
                                       : strerror(error));
}

int output_begin(struct output *output, struct interrupt *interrupt, const char *path, bool replaces,
                 struct failure *failure) {
    *output = (struct output){.interrupt = interrupt, .descriptor = STDOUT_FILENO, .replaces = replaces};
    buffer_init(&output->buffer, OUTPUT_LIMIT);
    buffer_init(&output->packed, OUTPUT_LIMIT);
    if (path[0] == '\0' || strcmp(path, "-") == 0) {
        return 0;
    }
    const int length =
        snprintf(output->unfinished, sizeof output->unfinished, "%s.part-%ld", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof output->unfinished) {
        output->descriptor = -1;
        return fail(path, ENAMETOOLONG, failure);
    }
    if (!replaces && access(path, F_OK) == 0) { /* link says so too, but only at the end */
        output->descriptor = -1;
        return fail(path, EEXIST, failure);
    }
    output->descriptor = open(output->unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (output->descriptor < 0) {
        return fail(path, errno == EEXIST ? EBUSY : errno, failure);
    }
    output->path = path;
    output->is_packed = packed_frame_is_name(path);
    atomic_store(&interrupt->unfinished, output->unfinished);
    return 0;
}

static void write_bytes(struct output *output, const char *bytes, size_t left) {
    while (left > 0 && output->error == 0) {
        if (!interrupt_wait(output->interrupt, output->descriptor, POLLOUT)) {
            output->error = EINTR;
            break;
        }
        /* No more than a pipe has room for when poll says that it has some. */
        const size_t some = output->path == NULL && left > 4096 ? 4096 : left;
        const ssize_t written = write(output->descriptor, bytes, some);
        if (written >= 0) {
            bytes += written;
            left -= (size_t)written;
        } else if (errno == EPIPE && output->path == NULL) {
            _exit(EXIT_SUCCESS); /* the reader of the pipe has all that it wanted */
        } else if (errno != EINTR && errno != EAGAIN) {
            output->error = errno;
        }
    }
}

static void write_all(struct output *output) {
    struct buffer *buffer = &output->buffer;
    if (output->is_packed && buffer->length > 0) {
        buffer_clear(&output->packed);
        packed_frame_append(buffer->data, buffer->length, &output->packed);
        buffer = &output->packed;
    }
    if (buffer->failed) {
        output->error = output->error == 0 ? ENOMEM : output->error;
    } else {
        write_bytes(output, buffer->data, buffer->length);
    }
    buffer_clear(&output->buffer);
}

bool output_flush(struct output *output) {
    if (output->buffer.failed && output->error == 0) {
        output->error = ENOMEM;
    }
    if (output->buffer.length >= AT_ONCE) {
        write_all(output);
    }
    return output->error == 0 && !interrupt_is_set(output->interrupt);
}

bool output_write(struct output *output) {
    if (output->buffer.length > 0 || output->buffer.failed) {
        write_all(output);
    }
    return output->error == 0 && !interrupt_is_set(output->interrupt);
}

/* Puts the finished file in its place. 0, or errno. */
static int put_in_place(struct output *output) {
    if (output->replaces) {
        return rename(output->unfinished, output->path) == 0 ? 0 : errno;
    }
    return link(output->unfinished, output->path) == 0 ? 0 : errno;
}

int output_finish(struct output *output, struct failure *failure) {
    const char *path = output->path == NULL ? "standard output" : output->path;
    if (output_flush(output)) {
        write_all(output);
    }
    int error = interrupt_is_set(output->interrupt) ? EINTR : output->error;
    if (output->path != NULL && error == 0) {
        error = fsync(output->descriptor) == 0 ? put_in_place(output) : errno;
    }
    output_abandon(output);
    return error == 0 ? 0 : fail(path, error, failure);
}

void output_abandon(struct output *output) {
    buffer_fini(&output->buffer);
    buffer_fini(&output->packed);
    if (output->path != NULL) {
        (void)unlink(output->unfinished); /* of a file that was put in place this is the other name, if any */
        atomic_store(&output->interrupt->unfinished, NULL);
        (void)close(output->descriptor);
        output->path = NULL;
    }
    output->descriptor = -1;
}

/* ---- progress ---- */

static const uint64_t SHOW_NS = 100000000u;
/* The first guesses at the time left are worth nothing. */
static const double GUESS_S = 0.5;

void progress_begin(struct progress *progress, const char *what, uint64_t total) {
    *progress = (struct progress){.what = what,
                                  .total = total,
                                  .begun_ns = clock_now_ns(),
                                  .log_s = PROGRESS_LOG_S,
                                  .is_on = isatty(STDERR_FILENO) == 1};
}

const char *progress_time(char out[PROGRESS_TIME], double seconds) {
    const unsigned long whole = seconds < 1e9 ? (unsigned long)(seconds + 0.5) : 1000000000ul;
    if (whole >= 3600) {
        (void)snprintf(out, PROGRESS_TIME, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        (void)snprintf(out, PROGRESS_TIME, "%lu:%02lu", whole / 60, whole % 60);
    }
    return out;
}

const char *progress_bar(char out[PROGRESS_BAR + 1], double share) {
    memset(out, '.', PROGRESS_BAR);
    memset(out, '#', (size_t)(share * PROGRESS_BAR));
    out[PROGRESS_BAR] = '\0';
    return out;
}

const char *progress_line(char out[PROGRESS_LINE], const char *what, uint64_t done, uint64_t total,
                          double seconds) {
    char bar[PROGRESS_BAR + 1];
    char left[PROGRESS_TIME] = "";
    const double share = total == 0 ? 0.0 : done >= total ? 1.0 : (double)done / (double)total;
    if (total == 0) {
        (void)snprintf(out, PROGRESS_LINE, "%s %llu", what, (unsigned long long)done);
        return out;
    }
    if (share > 0.0 && seconds >= GUESS_S) {
        (void)progress_time(left, seconds * (1.0 - share) / share);
    }
    (void)snprintf(out, PROGRESS_LINE, "%.20s [%s] %3d %%%s%s%s", what, progress_bar(bar, share),
                   (int)(share * 100.0), left[0] == '\0' ? "" : "  ", left, left[0] == '\0' ? "" : " left");
    return out;
}

void progress_show(struct progress *progress, uint64_t done) {
    char line[PROGRESS_LINE];
    const uint64_t now = clock_now_ns();
    const double seconds = (double)(now - progress->begun_ns) / 1e9;
    if (!progress->is_on && seconds >= progress->log_s) {
        while (progress->log_s <= seconds) {
            progress->log_s *= 2.0;
        }
        (void)fprintf(stderr, "%s\n", progress_line(line, progress->what, done, progress->total, seconds));
    }
    if (!progress->is_on || now - progress->shown_ns < SHOW_NS) {
        return;
    }
    progress->shown_ns = now;
    progress->is_shown = true;
    (void)fprintf(stderr, "\r%s\033[K", progress_line(line, progress->what, done, progress->total, seconds));
    (void)fflush(stderr);
}

void progress_end(struct progress *progress) {
    if (progress->is_shown) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        progress->is_shown = false;
    }
}

/* ---- the commands ---- */

#define LIVE(name, run, arguments, summary, options)                                                         \
    { name, run, arguments, summary, COMMAND_GROUP_LIVE, options }
#define REQUEST(name, arguments, summary) LIVE(name, command_request, arguments, summary, NULL)

const struct command command_table[] = {
    LIVE("watch", command_watch, "[FIELD...]", "Shows where the agents are, as it changes.",
         &command_watch_options),
    LIVE("get", command_get, "[FIELD...]", "Shows where the agents are now.", &command_get_options),
    REQUEST("inspect", "AGENT...", "Says what agents are about to do, and why."),
    REQUEST("measure", "[NAME...]", "Says what gates counted, and what areas have."),
    LIVE("list", command_list, "[WHAT]", "Lists scenarios, kinds, targets, behaviors, saves.",
         &command_list_options),
    REQUEST("params", "[KIND]", "Lists what set can set."),
    REQUEST("set", "KIND.PARAM VALUE", "Sets a parameter of a kind or an agent."),
    REQUEST("target", "[NAME] [X Y]", "Moves a target, or sends an agent or a kind there."),
    REQUEST("spawn", "KIND [COUNT [X Y]]", "Adds agents."),
    REQUEST("place", "AGENT [X Y]", "Puts an agent elsewhere."),
    REQUEST("remove", "[AGENT...]", "Removes agents."),
    REQUEST("pause", "", "Stops the time of the world."),
    REQUEST("resume", "", "Lets it go on."),
    REQUEST("step", "[COUNT]", "Does ticks of a paused world."),
    REQUEST("speed", "[FACTOR]", "Sets how fast the time of the world goes."),
    REQUEST("rewind", "[SECONDS]", "Goes back in the world that runs."),
    REQUEST("mark", "NAME", "Puts a name on the moment where the world is."),
    REQUEST("compare", "", "Runs a twin of the world beside it, which differs in what you say."),
    REQUEST("seek", "TICK", "Goes to a tick of the recording that is played."),
    REQUEST("load", "[SCENARIO]", "Puts a scenario or a saved world in place."),
    REQUEST("edit", "FILE.json", "Changes the scenario that the world goes by."),
    REQUEST("save", "NAME", "Keeps the world as it is, in the server."),
    REQUEST("record", "[NAME]", "Writes a recording, in the server's folder."),
    LIVE("top", command_top, "", "Shows how the server keeps up, as it changes.", &command_top_options),
    LIVE("ping", command_ping, "", "Says how long the server takes to answer.", &command_ping_options),
    LIVE("ask", command_ask, "OP [MEMBER=VALUE...]", "Sends any request and shows its reply.",
         &command_ask_options),
    LIVE("raw", command_raw, "", "Carries lines to and from the server, as nc does.", &command_raw_options),
    {"run", command_runs, "SCENARIO", "Runs a scenario many times and writes what was measured.",
     COMMAND_GROUP_RUNS, &command_runs_options},
    {"info", command_info, "FILE...", "Says what recordings and saves hold.", COMMAND_GROUP_RECORDINGS,
     &command_info_options},
    {"verify", command_verify, "FILE...", "Plays a recording again and compares the hashes.",
     COMMAND_GROUP_RECORDINGS, &command_verify_options},
    {"repair", command_repair, "DIR", "Shows what can be kept of a damaged state folder; --write keeps it.",
     COMMAND_GROUP_RECORDINGS, &command_repair_options},
    {"diff", command_diff, "A [B]",
     "Finds the first input, tick, agent, field and behavior in which runs differ.", COMMAND_GROUP_RECORDINGS,
     &command_diff_options},
    {"cut", command_cut, "FILE OUT", "Writes a part of a recording as a recording.", COMMAND_GROUP_RECORDINGS,
     &command_cut_options},
    {"export", command_export, "FILE...",
     "Writes where the agents were, as CSV or a trajectory; or the scenario.", COMMAND_GROUP_RECORDINGS,
     &command_export_options},
    {"import", command_import, "FILE...", "Makes a scenario of a floor plan in WKT.", COMMAND_GROUP_RUNS,
     &command_import_options},
    {"states", command_states, "FILE", NULL, COMMAND_GROUP_RECORDINGS, &command_states_options},
    {"help", command_help, "[NAME]", "Shows this; or what the server says about a request.",
     COMMAND_GROUP_OTHER, &command_help_options},
    {"completion", command_completion, "SHELL", "Prints the completion script for bash, zsh or fish.",
     COMMAND_GROUP_OTHER, &command_completion_options},
    {"complete", command_complete, "-- WORD...", NULL, COMMAND_GROUP_OTHER, &command_complete_options},
    {.name = NULL},
};

static const char *const group_heads[COMMAND_GROUP_COUNT] = {
    [COMMAND_GROUP_LIVE] = "A live server (--server HOST:PORT, $DROVER_SERVER)",
    [COMMAND_GROUP_RUNS] = "Experiments, without a server",
    [COMMAND_GROUP_RECORDINGS] = "Recordings and saved worlds, without a server",
    [COMMAND_GROUP_OTHER] = "Other",
};

const struct command *command_find(const char *name) {
    for (const struct command *command = command_table; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
    }
    return NULL;
}

static void print_group(enum command_group group, FILE *out) {
    bool has_head = false;
    for (const struct command *command = command_table; command->name != NULL; command++) {
        if (command->group != group || command->summary == NULL) {
            continue;
        }
        if (!has_head) {
            (void)fprintf(out, "%s:\n", group_heads[group]);
            has_head = true;
        }
        (void)fprintf(out, "  %-11s%-21s%s\n", command->name, command->arguments, command->summary);
    }
    if (has_head) {
        (void)fputc('\n', out);
    }
}

void commands_print_help(FILE *out) {
    (void)fputs("Usage: drover COMMAND [OPTIONS] [ARGUMENTS]\n"
                "Drives a live server; works with recordings (.drover, .drover.zst) and saved worlds without "
                "one.\n\n",
                out);
    for (int group = 0; group < COMMAND_GROUP_COUNT; group++) {
        print_group((enum command_group)group, out);
    }
    (void)fputs(
        "Options:\n"
        "  --help                  Shows this and exits; after a command, shows its options.\n"
        "  --version               Shows the version and exits.\n\n"
        "Options of all commands for a live server, which may stand before the command, too:\n"
        "  --server HOST:PORT      The server; otherwise $DROVER_SERVER, otherwise 127.0.0.1:7717.\n"
        "  --token-file FILE       Has the token for the server in its first line; otherwise $DROVER_TOKEN.\n"
        "  --timeout S             How long to wait for the server's first line, seconds (5).\n"
        "  --json                  JSON objects, one a line, as into pipes; on a terminal there are "
        "tables.\n\n"
        "A FILE that is - is standard input. The folder of drover-server --state is a recording, too.\n"
        "Exit codes: 0 well, 1 differs, refused or failed, 2 usage, 3 no server, 130 interrupted.\n",
        out);
}

/* An empty text is no server, though it is given: a variable that is not set is no wish for the usual one. */
static bool has_empty_server(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const bool is_apart = strcmp(argv[i], "--server") == 0 && i + 1 < argc && argv[i + 1][0] == '\0';
        if (is_apart || strcmp(argv[i], "--server=") == 0) {
            return true;
        }
    }
    return false;
}

bool command_options(const struct options_def *def, int argc, char **argv, void *object, int count_min,
                     int count_max, int *count, enum exit_code *code) {
    struct failure failure = {0};
    const char *first = NULL;
    char output_flag[] = "--output";
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        argv[i] = strcmp(argv[i], "-o") == 0 ? output_flag : argv[i];
    }
    *code = EXIT_USAGE;
    if (has_empty_server(argc, argv)) {
        (void)fputs("drover: --server: expected HOST:PORT, found nothing\n", stderr);
        return false;
    }
    switch (options_parse(def, argc, argv, object, &first, &failure)) {
    case OPTIONS_EXIT:
        *code = EXIT_WELL;
        return false;
    case OPTIONS_BAD:
        (void)fprintf(stderr, "drover: %s\n", failure.message);
        return false;
    case OPTIONS_RUN:
        break;
    }
    *count = 0;
    while (first != NULL && *count + 1 < argc && argv[1 + *count] != NULL) {
        ++*count;
    }
    if (*count < count_min || *count > count_max) {
        (void)fprintf(stderr, "drover: %s: expected %s; --help shows the usage\n", argv[0], def->positional);
        return false;
    }
    return true;
}

enum exit_code command_complain(const struct command_context *context, const struct failure *failure,
                                enum exit_code code) {
    if (interrupt_is_set(context->interrupt)) {
        return EXIT_INTERRUPTED;
    }
    (void)fprintf(stderr, "drover: %s\n", failure->message);
    return code;
}

int command_print_line(struct buffer *line, struct failure *failure) {
    const bool is_whole = !line->failed;
    if (is_whole) {
        (void)printf("%s\n", line->data);
    }
    buffer_fini(line);
    return is_whole ? 0 : failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
}

static int complain_command(const char *name) {
    struct nearest_name nearest = nearest_name_begin(name);
    char hint[NEAREST_HINT_BYTES];
    for (const struct command *command = command_table; command->name != NULL; command++) {
        if (command->summary != NULL) {
            nearest_name_offer(&nearest, command->name);
        }
    }
    nearest_name_hint(&nearest, hint);
    (void)fprintf(stderr, "drover: unknown command \"%.60s\"%s; --help lists them\n", name, hint);
    return EXIT_USAGE;
}

/* A reader of a pipe that has gone has all that it wanted. Returns the exit code. */
static int finish_output(int code) {
    if (fflush(stdout) == 0 || errno == EPIPE || code != EXIT_WELL) {
        return code;
    }
    perror("drover: standard output");
    return EXIT_DIFFERS;
}

static int run(const struct command_context *context, const struct command *command, int argc, char **argv) {
    const int code = finish_output((int)command->run(context, argc, argv));
    return interrupt_is_set(context->interrupt) ? EXIT_INTERRUPTED : code;
}

/* Moves the command before the options of live servers that stand before it. */
static void put_command_first(int argc, char **argv) {
    static const char *const valued[] = {"--server", "--token-file", "--timeout"};
    int at = 1;
    while (at < argc && argv[at][0] == '-' && argv[at][1] != '\0') {
        bool takes_next = false;
        bool is_known = strcmp(argv[at], "--json") == 0;
        for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
            const size_t length = strlen(valued[i]);
            const bool is_this = strncmp(argv[at], valued[i], length) == 0;
            takes_next = takes_next || (is_this && argv[at][length] == '\0');
            is_known = is_known || (is_this && (argv[at][length] == '\0' || argv[at][length] == '='));
        }
        if (!is_known) {
            return;
        }
        at += takes_next ? 2 : 1;
    }
    if (at > 1 && at < argc) {
        char *command = argv[at];
        memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
        argv[1] = command;
    }
}

int commands_main(int argc, char **argv) {
    if (descriptors_fill_standard() != 0) {
        perror("drover: /dev/null");
        return EXIT_DIFFERS;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that reaches the limit of the system is an error of its write */
    put_command_first(argc, argv);
    const char *word = argc < 2 ? "--help" : argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        commands_print_help(argc < 2 ? stderr : stdout);
        return finish_output(argc < 2 ? EXIT_USAGE : EXIT_WELL);
    }
    if (strcmp(word, "--version") == 0) {
        (void)printf("drover %s\n", DROVER_VERSION);
        return finish_output(EXIT_WELL);
    }
    const struct command *command = command_find(word);
    if (command == NULL) {
        return complain_command(word);
    }
    struct interrupt *interrupt = interrupt_begin();
    if (interrupt == NULL) {
        (void)fputs("drover: no thread can be started\n", stderr);
        return EXIT_DIFFERS;
    }
    const int code = run(&(struct command_context){.program = argv[0], .interrupt = interrupt}, command,
                         argc - 1, argv + 1);
    interrupt_end(interrupt);
    return code;
}
