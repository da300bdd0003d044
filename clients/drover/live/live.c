/* See live.h. */
#include "clients/drover/live/live.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clients/drover/live/live_views.h"
#include "common/base/limits.h"
#include "common/system/clock.h"

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0';
}

/* Looks what standard output is. */
static struct terminal terminal_find(void) {
    struct terminal terminal = {.is_there = isatty(STDOUT_FILENO) == 1};
    const char *kind = getenv("TERM");
    const bool is_dumb = kind == NULL || kind[0] == '\0' || strcmp(kind, "dumb") == 0;
    terminal.has_color = terminal.is_there && !is_set("NO_COLOR") && !is_dumb;
    return terminal;
}

void terminal_size(int *width, int *height) {
    struct winsize size = {0};
    *width = 80;
    *height = 24;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
        *width = size.ws_col;
        *height = size.ws_row;
    }
}

/* False: a program in the background, which the terminal stops when it changes the keys or reads one.
   A terminal that is not the one of the session stops no program. */
static bool has_foreground(void) {
    const pid_t group = tcgetpgrp(STDIN_FILENO);
    return group < 0 || group == getpgrp();
}

static void say(const char *text) {
    const ssize_t written = write(STDOUT_FILENO, text, strlen(text));
    (void)written; /* a terminal that is gone needs nothing */
}

void terminal_take(struct terminal *terminal) {
    if (!terminal->is_there) {
        return;
    }
    if (isatty(STDIN_FILENO) == 1 && has_foreground() && tcgetattr(STDIN_FILENO, &terminal->before) == 0) {
        struct termios keys = terminal->before;
        keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        keys.c_cc[VMIN] = 0;
        keys.c_cc[VTIME] = 0;
        keys.c_cc[VSUSP] = _POSIX_VDISABLE; /* a stopped program would leave its screen behind */
        terminal->is_single = terminal->has_keys = tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0;
    }
    terminal->is_taken = true;
    say("\033[?1049h\033[?25l");
}

static void terminal_give_back(struct terminal *terminal) {
    if (terminal->is_taken) {
        say("\033[?25h\033[?1049l");
        terminal->is_taken = false;
    }
    if (terminal->is_single) {
        if (has_foreground()) {
            (void)tcsetattr(STDIN_FILENO, TCSANOW, &terminal->before);
        }
        terminal->is_single = terminal->has_keys = false;
    }
}

int terminal_key(struct terminal *terminal) {
    struct pollfd entry = {.fd = STDIN_FILENO, .events = POLLIN};
    unsigned char key = 0;
    terminal->has_keys = terminal->has_keys && has_foreground();
    if (!terminal->has_keys || poll(&entry, 1, 0) <= 0) {
        return -1;
    }
    terminal->has_keys = read(STDIN_FILENO, &key, 1) == 1;
    return terminal->has_keys ? key : -1;
}

/* ---- live ---- */

enum { GLANCE_MS = 50 };
static const char usual_address[] = "127.0.0.1:7717";

void live_say(const char *words) {
    struct buffer text;
    buffer_init(&text, 1 << 16);
    shown_text_append(&text, words, strlen(words));
    (void)fprintf(stderr, "drover: %s\n", text.data == NULL ? "" : text.data);
    buffer_fini(&text);
}

/* ---- token ---- */

static int fail_token(struct failure *failure, const char *path, const char *why) {
    return failure_set(failure, FAILURE_BAD_PARAM, "--token-file", "--token-file %.200s: %s", path, why);
}

static int read_line(int descriptor, const char *path, char *line, size_t size, struct failure *failure) {
    size_t length = 0;
    for (;;) {
        const ssize_t got = read(descriptor, line + length, 1); /* what follows is for the command */
        if (got <= 0 || line[length] == '\n') {
            break;
        }
        if (++length >= size) {
            return fail_token(failure, path,
                              "the first line is too long for a token; at most 128 characters");
        }
    }
    while (length > 0 && (line[length - 1] == '\r' || line[length - 1] == ' ')) {
        length--;
    }
    line[length] = '\0';
    return length > 0 ? 0 : fail_token(failure, path, "the first line is empty; it has to be a token");
}

static int read_token(const char *path, char *token, size_t size, struct failure *failure) {
    if (strcmp(path, "-") == 0) {
        return read_line(STDIN_FILENO, path, token, size, failure);
    }
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return fail_token(failure, path, "cannot be read");
    }
    const int result = read_line(descriptor, path, token, size, failure);
    (void)close(descriptor);
    return result;
}

int live_find_token(const struct live_options *options, char *token, size_t size, struct failure *failure) {
    const char *secret = getenv("DROVER_TOKEN");
    token[0] = '\0';
    if (options->token_file[0] != '\0') {
        return read_token(options->token_file, token, size, failure);
    }
    if (secret != NULL && strlen(secret) >= size) {
        return failure_set(failure, FAILURE_BAD_PARAM, "DROVER_TOKEN",
                           "DROVER_TOKEN: the token is too long (%zu bytes); at most %zu are allowed",
                           strlen(secret), size - 1);
    }
    (void)snprintf(token, size, "%s", secret == NULL ? "" : secret);
    return 0;
}

/* ---- begin, end ---- */

/* A host, or an address of IPv6 in brackets, and a port. */
static bool is_address(const char *text) {
    const char *colon = strrchr(text, ':');
    const size_t digits = colon == NULL ? 0 : strspn(colon + 1, "0123456789");
    const long port = digits > 0 && digits <= 5 ? strtol(colon + 1, NULL, 10) : 0;
    return colon != NULL && colon > text && colon[1 + digits] == '\0' && port >= 1 && port <= UINT16_MAX;
}

int live_begin(struct live *live, const struct command_context *context, const struct live_options *options,
               enum exit_code *code) {
    struct failure failure = {0};
    const char *named = getenv("DROVER_SERVER");
    *live = (struct live){.context = context, .options = options, .terminal = terminal_find()};
    live->is_json = options->is_json || !live->terminal.is_there;
    live->address = options->server[0] != '\0'          ? options->server
                    : named != NULL && named[0] != '\0' ? named
                                                        : usual_address;
    if (output_begin(&live->output, context->interrupt, "-", false, &failure) != 0) {
        *code = command_complain(context, &failure, EXIT_DIFFERS);
        return -1;
    }
    if (!is_address(live->address)) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, "--server", "%s: expected HOST:PORT, found \"%.200s\"",
                          live->address == named ? "DROVER_SERVER" : "--server", live->address);
        *code = command_complain(context, &failure, EXIT_USAGE);
        return -1;
    }
    return 0;
}

/* Why there is no connection, after `head`. */
static enum exit_code complain(struct live *live, const char *head, const char *usual) {
    char words[512];
    const bool is_refused = drover_state(live->server) == DROVER_REFUSED;
    const char *reason = drover_reason(live->server);
    (void)snprintf(words, sizeof words, "%.300s: %s%.120s%s", live->address, is_refused ? "" : head,
                   reason[0] == '\0' ? usual : reason,
                   is_refused ? "; --token-file or $DROVER_TOKEN has the token" : "");
    terminal_give_back(&live->terminal);
    live_say(words);
    return is_refused ? EXIT_DIFFERS : EXIT_NO_SERVER;
}

/* Waits for the server's first line, or for an interrupt. */
static int wait_ready(struct live *live, enum exit_code *code) {
    const uint64_t end_ns = clock_now_ns() + (uint64_t)(live->options->timeout * 1e9);
    while (drover_state(live->server) != DROVER_READY) {
        if (interrupt_is_set(live->context->interrupt)) {
            *code = EXIT_INTERRUPTED;
            return -1;
        }
        const enum drover_state state = drover_state(live->server);
        if (state == DROVER_REFUSED || state == DROVER_ENDED || clock_now_ns() > end_ns) {
            *code = complain(live, "", "the server does not answer");
            return -1;
        }
        (void)drover_wait_ready(live->server, GLANCE_MS);
    }
    return 0;
}

int live_connect(struct live *live, int reconnect, enum exit_code *code) {
    struct drover_options options = DROVER_OPTIONS;
    char token[LIMIT_TOKEN_CHARS + 1];
    struct failure failure = {0};
    if (live_find_token(live->options, token, sizeof token, &failure) != 0) {
        *code = command_complain(live->context, &failure, EXIT_USAGE);
        return -1;
    }
    options.token = token[0] == '\0' ? NULL : token;
    options.timeout_ms = -1;
    options.fixed_hz = 1; /* a pipe gets what was asked for */
    options.reconnect = reconnect;
    live->server = drover_connect(live->address, &options);
    if (live->server == NULL) {
        live_say("out of memory");
        *code = EXIT_DIFFERS;
        return -1;
    }
    return wait_ready(live, code);
}

enum exit_code live_end(struct live *live, enum exit_code code) {
    struct failure failure = {0};
    terminal_give_back(&live->terminal);
    drover_close(live->server);
    live->server = NULL;
    if (output_finish(&live->output, &failure) != 0 && code == EXIT_WELL) {
        return command_complain(live->context, &failure, EXIT_DIFFERS);
    }
    return code;
}

/* ---- waiting ---- */

/* What poll said: an end of standard output comes before everything else. */
static enum live_wait judge(struct live *live, const struct pollfd *entries, bool wants_input) {
    if ((entries[1].revents & (POLLERR | POLLHUP)) != 0) {
        return LIVE_OVER;
    }
    const int turned = drover_turn(live->server);
    if (turned != 0) {
        return turned > 0 ? LIVE_READY : LIVE_GONE;
    }
    return wants_input && entries[2].revents != 0 ? LIVE_KEY : LIVE_TIME;
}

enum live_wait live_wait(struct live *live, int timeout_ms, bool wants_input) {
    const uint64_t begun_ns = clock_now_ns();
    for (;;) {
        const int64_t left = (int64_t)timeout_ms - (int64_t)((clock_now_ns() - begun_ns) / 1000000u);
        if (interrupt_is_set(live->context->interrupt)) {
            return LIVE_OVER;
        }
        const int due = drover_timeout(live->server);
        int patience = timeout_ms >= 0 && left < GLANCE_MS ? (left > 0 ? (int)left : 0) : GLANCE_MS;
        patience = due >= 0 && due < patience ? due : patience;
        struct pollfd entries[3] = {
            {.fd = drover_fd(live->server), .events = (short)drover_poll_events(live->server)},
            {.fd = STDOUT_FILENO},
            {.fd = wants_input ? STDIN_FILENO : -1, .events = POLLIN},
        };
        if (poll(entries, 3, patience) < 0) {
            memset(entries, 0, sizeof entries);
        }
        const enum live_wait why = judge(live, entries, wants_input);
        if (why != LIVE_TIME || (timeout_ms >= 0 && left <= 0)) {
            return why;
        }
    }
}

enum exit_code live_complain_gone(struct live *live) {
    return complain(live, "the connection is lost: ", "the server has gone");
}

/* What a sentence of the server, which speaks of requests, means on the command line; "" for most. */
static const char *command_hint(const char *message) {
    static const struct {
        const char *words, *hint;
    } rows[] = {
        {"\"replace\":true", "; on the command line: drover save --replace"},
        {"`record` with \"on\":false", "; on the command line: drover record --stop"},
        {".json\" is not a name",
         "; a scenario is loaded by its name, without .json: drover-server --scenarios "
         "FOLDER says where its file is"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strstr(message, rows[i].words) != NULL) {
            return rows[i].hint;
        }
    }
    return "";
}

enum exit_code live_complain_refused(struct live *live, const struct drover_message *error) {
    char words[1024];
    const char *message = drover_message_string(error, "message");
    const char *hint = drover_message_string(error, "hint");
    const char *field = drover_message_string(error, "field");
    const char *code = drover_message_code(error);
    message = message == NULL ? "refused" : message;
    const bool has_field = field != NULL && field[0] != '\0' && strstr(message, field) == NULL;
    (void)snprintf(words, sizeof words, "%.120s%s%.500s%s%.250s%s (%.40s)", has_field ? field : "",
                   has_field ? ": " : "", message, hint == NULL ? "" : "; ", hint == NULL ? "" : hint,
                   command_hint(message), code == NULL ? "refused" : code);
    terminal_give_back(&live->terminal);
    live_say(words);
    return EXIT_DIFFERS;
}

/* ---- requests ---- */

/* The answer in hand, or NULL with *code when it is an error. */
static struct drover_message *judge_answer(struct live *live, struct drover_message *answer,
                                           enum exit_code *code) {
    if (answer == NULL) {
        live_say("out of memory");
        *code = EXIT_DIFFERS;
        return NULL;
    }
    if (drover_message_code(answer) == NULL) {
        return answer;
    }
    if (drover_message_is_local(answer) && drover_state(live->server) != DROVER_READY) {
        *code = live_complain_gone(live);
    } else {
        *code = live_complain_refused(live, answer);
    }
    drover_message_free(answer);
    return NULL;
}

struct drover_message *live_ask(struct live *live, const char *request, enum exit_code *code) {
    const uint64_t ticket = drover_request(live->server, request);
    if (ticket == 0) {
        live_say(drover_reason(live->server));
        *code = EXIT_DIFFERS;
        return NULL;
    }
    for (;;) {
        switch (live_wait(live, -1, false)) {
        case LIVE_READY:
            break;
        case LIVE_GONE:
            *code = live_complain_gone(live);
            return NULL;
        case LIVE_OVER:
        case LIVE_TIME:
        case LIVE_KEY:
            *code = interrupt_is_set(live->context->interrupt) ? EXIT_INTERRUPTED : EXIT_WELL;
            return NULL;
        }
        for (enum drover_event event = drover_next(live->server); event != DROVER_NOTHING;
             event = drover_next(live->server)) {
            const struct drover_message *message = drover_this_message(live->server);
            if (event == DROVER_MESSAGE && drover_message_ticket(message) == ticket) {
                return judge_answer(live, drover_take_message(live->server), code);
            }
        }
    }
}

/* ---- output ---- */

bool live_write(struct live *live) {
    return output_write(&live->output);
}

struct text_style live_style(const struct live *live) {
    struct text_style style = {.has_color = live->terminal.has_color};
    int height = 0;
    if (live->terminal.is_there) {
        terminal_size(&style.width, &height);
    }
    return style;
}
