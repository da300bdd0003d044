/* drover raw: lines of standard input to the server, its lines to standard output, as nc does; but a connection that is lost
 * is made again. It has a socket of its own: what comes is not to be read, only passed on. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clients/drover/live/live.h"
#include "common/base/limits.h"
#include "common/json/json_writer.h"
#include "common/system/clock.h"

enum { PIECE = 1 << 16, LINE_LIMIT = 1 << 26, GLANCE_MS = 50, FIRST_WAIT_MS = 250, MOST_WAIT_MS = 5000 };

struct raw_options {
    struct live_options live;
    bool is_once;
};

static const struct field raw_table[] = {
    OPTION_FLAG(struct raw_options, is_once, "once",
                "End when the connection is lost, in place of making it again."),
    LIVE_OPTION_ROWS(struct raw_options, live),
    OPTIONS_END,
};
const struct options_def command_raw_options = {
    .program = "drover raw",
    .summary = "Sends the lines of standard input to the server and writes its lines to standard output.",
    .table = raw_table,
    .epilog = "A connection that is lost is made again. Lines that were not sent then go out on the next "
              "one; none goes\n"
              "out twice. At the end of standard input it waits for the answers.",
};

struct raw {
    struct live live;
    bool is_once;
    char token[LIMIT_TOKEN_CHARS + 1];
    int socket; /* -1: none */
    bool has_input;
    struct buffer out;  /* to the server */
    size_t sent;        /* bytes of it */
    bool is_torn;       /* a line was sent in part */
    bool skips_line;    /* what comes is the rest of a line whose beginning was lost */
    struct buffer line; /* of the server, without its end */
    char farewell[128]; /* the beginning of its last line */
};

/* ---- connecting ---- */

/* HOST, HOST:PORT or [IPV6]:PORT in two parts. */
static bool split_address(const char *address, char host[256], char port[8]) {
    const char *colon = strrchr(address, ':');
    const bool is_bracketed = address[0] == '[';
    const char *end = is_bracketed                                     ? strchr(address, ']')
                      : colon != NULL && strchr(address, ':') == colon ? colon
                                                                       : NULL;
    const char *begin = address + is_bracketed;
    const size_t length = end == NULL ? strlen(begin) : (size_t)(end - begin);
    const char *digits = end == NULL ? NULL : is_bracketed ? (end[1] == ':' ? end + 2 : NULL) : end + 1;
    if (length == 0 || length >= 256 || (is_bracketed && end == NULL)) {
        return false;
    }
    memcpy(host, begin, length);
    host[length] = '\0';
    (void)snprintf(port, 8, "%.7s", digits == NULL ? "7717" : digits);
    return true;
}

static bool wait_connected(const struct raw *raw, int descriptor, uint64_t end_ns) {
    struct pollfd entry = {.fd = descriptor, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof error;
    while (!interrupt_is_set(raw->live.context->interrupt) && clock_now_ns() < end_ns) {
        if (poll(&entry, 1, GLANCE_MS) > 0) {
            return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
        }
    }
    return false;
}

static int try_address(const struct raw *raw, const struct addrinfo *row, uint64_t end_ns) {
    const int descriptor =
        socket(row->ai_family, row->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, row->ai_protocol);
    if (descriptor < 0) {
        return -1;
    }
    if (connect(descriptor, row->ai_addr, row->ai_addrlen) != 0 &&
        (errno != EINPROGRESS || !wait_connected(raw, descriptor, end_ns))) {
        (void)close(descriptor);
        return -1;
    }
    return descriptor;
}

static int open_socket(const struct raw *raw) {
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    const uint64_t end_ns = clock_now_ns() + (uint64_t)(raw->live.options->timeout * 1e9);
    struct addrinfo *rows = NULL;
    char host[256];
    char port[8];
    int descriptor = -1;
    if (!split_address(raw->live.address, host, port) || getaddrinfo(host, port, &hints, &rows) != 0) {
        return -1;
    }
    for (const struct addrinfo *row = rows; row != NULL && descriptor < 0; row = row->ai_next) {
        descriptor = try_address(raw, row, end_ns);
    }
    freeaddrinfo(rows);
    return descriptor;
}

/* The line that shows the token comes before all others. */
static void greet(struct raw *raw) {
    char quoted[1024];
    struct buffer rest = raw->out;
    if (raw->token[0] == '\0') {
        return;
    }
    (void)drover_quote(raw->token, quoted, sizeof quoted);
    buffer_init(&raw->out, LINE_LIMIT);
    buffer_printf(&raw->out, "{\"op\":\"hello\",\"token\":%s}\n", quoted);
    if (rest.length > raw->sent) {
        buffer_append(&raw->out, rest.data + raw->sent, rest.length - raw->sent);
    }
    raw->sent = 0;
    buffer_fini(&rest);
}

/* Drops what waits of a line whose beginning is lost. */
static void skip_line(struct raw *raw) {
    const size_t left = raw->out.length - raw->sent;
    const char *end = left == 0 ? NULL : memchr(raw->out.data + raw->sent, '\n', left);
    raw->skips_line = end == NULL;
    raw->sent = end == NULL ? raw->out.length : (size_t)(end - raw->out.data) + 1;
}

/* Of what waits, the rest of a line whose beginning was sent is lost. */
static void clear_torn_line(struct raw *raw) {
    if (raw->is_torn) {
        skip_line(raw);
    }
    raw->is_torn = false;
    buffer_clear(&raw->line);
}

static bool pause_ms(const struct raw *raw, int ms) {
    const uint64_t end_ns = clock_now_ns() + (uint64_t)ms * 1000000u;
    struct pollfd entry = {.fd = STDOUT_FILENO};
    while (clock_now_ns() < end_ns) {
        if (interrupt_is_set(raw->live.context->interrupt) ||
            (poll(&entry, 1, GLANCE_MS) > 0 && (entry.revents & (POLLERR | POLLHUP)) != 0)) {
            return false;
        }
    }
    return true;
}

/* Tries until there is a connection. False after an interrupt, or when the reader of standard output has gone. */
static bool connect_again(struct raw *raw) {
    char words[400];
    (void)snprintf(words, sizeof words, "%.300s: the connection is lost; trying again", raw->live.address);
    live_say(words);
    for (int wait = FIRST_WAIT_MS; pause_ms(raw, wait);
         wait = wait * 2 < MOST_WAIT_MS ? wait * 2 : MOST_WAIT_MS) {
        raw->socket = open_socket(raw);
        if (raw->socket >= 0) {
            greet(raw);
            return true;
        }
    }
    return false;
}

/* ---- bytes ---- */

static void read_input(struct raw *raw) {
    char *space = buffer_reserve(&raw->out, PIECE);
    const ssize_t got = space == NULL ? -1 : read(STDIN_FILENO, space, PIECE);
    if (got > 0) {
        buffer_commit(&raw->out, (size_t)got);
        if (raw->skips_line) {
            skip_line(raw);
        }
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        raw->has_input = false;
    }
}

/* False when the connection is gone. */
static bool write_socket(struct raw *raw) {
    const ssize_t sent =
        send(raw->socket, raw->out.data + raw->sent, raw->out.length - raw->sent, MSG_NOSIGNAL);
    if (sent < 0) {
        return errno == EINTR || errno == EAGAIN;
    }
    if (sent > 0) {
        raw->sent += (size_t)sent;
        raw->is_torn = raw->out.data[raw->sent - 1] != '\n';
    }
    if (raw->sent == raw->out.length) {
        buffer_clear(&raw->out);
        raw->sent = 0;
    }
    return true;
}

/* Keeps the beginning of each line, and writes what may be shown. */
static void take_bytes(struct raw *raw, const char *bytes, size_t length) {
    for (size_t i = 0; i < length;) {
        const char *end = memchr(bytes + i, '\n', length - i);
        const size_t piece = end == NULL ? length - i : (size_t)(end - bytes) - i;
        buffer_append(&raw->line, bytes + i, piece);
        i += piece + (end != NULL);
        if (end != NULL) {
            const char *line = raw->line.data == NULL ? "" : raw->line.data;
            (void)snprintf(raw->farewell, sizeof raw->farewell, "%.127s", line);
            if (raw->live.terminal.is_there) {
                shown_json_append(&raw->live.output.buffer, line, raw->line.length);
            } else {
                buffer_append(&raw->live.output.buffer, line, raw->line.length);
            }
            buffer_append_text(&raw->live.output.buffer, "\n");
            buffer_clear(&raw->line);
        }
    }
}

/* False when the connection is gone. */
static bool read_socket(struct raw *raw) {
    char bytes[PIECE];
    const ssize_t got = recv(raw->socket, bytes, sizeof bytes, 0);
    if (got <= 0) {
        return got < 0 && (errno == EINTR || errno == EAGAIN);
    }
    take_bytes(raw, bytes, (size_t)got);
    return !raw->line.failed;
}

/* ---- the loop ---- */

enum raw_end { RAW_LOST, RAW_OVER };

/* One connection, to its end. */
static enum raw_end carry(struct raw *raw) {
    bool is_half_closed = false;
    for (;;) {
        const bool has_out = raw->sent < raw->out.length;
        if (!raw->has_input && !has_out && !is_half_closed) {
            is_half_closed = true;
            (void)shutdown(raw->socket, SHUT_WR);
        }
        struct pollfd entries[3] = {
            {.fd = raw->socket, .events = (short)(POLLIN | (has_out ? POLLOUT : 0))},
            {.fd = STDOUT_FILENO},
            {.fd = raw->has_input && raw->out.length < PIECE ? STDIN_FILENO : -1, .events = POLLIN},
        };
        const int ready = poll(entries, 3, GLANCE_MS);
        if (interrupt_is_set(raw->live.context->interrupt) ||
            (entries[1].revents & (POLLERR | POLLHUP)) != 0) {
            return RAW_OVER;
        }
        if (ready <= 0) {
            continue;
        }
        if (entries[2].revents != 0) {
            read_input(raw);
        }
        if ((entries[0].revents & POLLOUT) != 0 && !write_socket(raw)) {
            return RAW_LOST;
        }
        if ((entries[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !read_socket(raw)) {
            (void)live_write(&raw->live);
            return RAW_LOST;
        }
        if (!live_write(&raw->live)) {
            return RAW_OVER;
        }
    }
}

static bool said(const struct raw *raw, const char *reason) {
    char words[64];
    (void)snprintf(words, sizeof words, "\"reason\":\"%s\"", reason);
    return strncmp(raw->farewell, "{\"op\":\"bye\"", 11) == 0 && strstr(raw->farewell, words) != NULL;
}

static enum exit_code raw_loop(struct raw *raw) {
    for (;;) {
        const enum raw_end end = carry(raw);
        (void)close(raw->socket);
        raw->socket = -1;
        if (end == RAW_OVER) {
            break;
        }
        if (said(raw, "client") || (!raw->has_input && raw->sent >= raw->out.length)) {
            return EXIT_WELL;
        }
        if (said(raw, "auth")) {
            live_say("the server wants a token, or another one; --token-file or $DROVER_TOKEN has the token");
            return EXIT_DIFFERS;
        }
        if (raw->is_once) {
            live_say("the connection is lost");
            return EXIT_NO_SERVER;
        }
        clear_torn_line(raw);
        if (!connect_again(raw)) {
            break;
        }
    }
    return interrupt_is_set(raw->live.context->interrupt) ? EXIT_INTERRUPTED : EXIT_WELL;
}

static enum exit_code raw_run(struct raw *raw, const struct command_context *context,
                              const struct live_options *options) {
    struct failure failure = {0};
    enum exit_code code = EXIT_WELL;
    if (live_begin(&raw->live, context, options, &code) != 0) {
        return live_end(&raw->live, code);
    }
    if (live_find_token(options, raw->token, sizeof raw->token, &failure) != 0) {
        return live_end(&raw->live, command_complain(context, &failure, EXIT_USAGE));
    }
    raw->socket = open_socket(raw);
    if (raw->socket < 0) {
        char words[400];
        (void)snprintf(words, sizeof words, "%.300s: no server answers there", raw->live.address);
        if (interrupt_is_set(context->interrupt)) {
            return live_end(&raw->live, EXIT_INTERRUPTED);
        }
        live_say(words);
        return live_end(&raw->live, EXIT_NO_SERVER);
    }
    greet(raw);
    return live_end(&raw->live, raw_loop(raw));
}

enum exit_code command_raw(const struct command_context *context, int argc, char **argv) {
    struct raw_options options = {.live.timeout = LIVE_TIMEOUT_S};
    struct raw raw = {.socket = -1, .has_input = true};
    enum exit_code code = EXIT_USAGE;
    int count = 0;
    if (!command_options(&command_raw_options, argc, argv, &options, 0, 0, &count, &code)) {
        return code;
    }
    raw.is_once = options.is_once;
    buffer_init(&raw.out, LINE_LIMIT);
    buffer_init(&raw.line, LINE_LIMIT);
    code = raw_run(&raw, context, &options.live);
    if (raw.socket >= 0) {
        (void)close(raw.socket);
    }
    buffer_fini(&raw.out);
    buffer_fini(&raw.line);
    return code;
}

/* ---- ping ---- */

/* drover ping: how long the server takes to answer. */

struct ping_options {
    struct live_options live;
    uint32_t count;
    double every;
};

static const struct field ping_table[] = {
    OPTION_NUMBER(struct ping_options, count, "count", 0, 1e9, 4, "N", "How many; 0: go on."),
    OPTION_NUMBER(struct ping_options, every, "every", 0.01, 3600, 1, "S", "From one to the next, seconds."),
    LIVE_OPTION_ROWS(struct ping_options, live),
    OPTIONS_END,
};
const struct options_def command_ping_options = {
    .program = "drover ping",
    .summary = "Says how long the server takes to answer.",
    .table = ping_table,
};

struct pings {
    double least, most, sum; /* ms */
    uint32_t count;
};

static void show(struct live *live, const struct drover_message *reply, double ms) {
    struct buffer *out = &live->output.buffer;
    const double tick = drover_message_number(reply, "tick", -1.0);
    if (live->is_json) {
        struct json_writer json = json_writer_begin(out);
        json_object(&json);
        json_key_number(&json, "ms", ms);
        if (tick >= 0.0) {
            json_key_number(&json, "tick", tick);
        }
        json_end(&json);
        buffer_append_text(out, "\n");
        return;
    }
    buffer_printf(out, "%.300s: %.3f ms", live->address, ms);
    if (tick >= 0.0) {
        buffer_printf(out, ", tick %.0f", tick);
    }
    buffer_append_text(out, "\n");
}

static bool ping_once(struct live *live, struct pings *pings, enum exit_code *code) {
    const uint64_t begun_ns = clock_now_ns();
    struct drover_message *reply = live_ask(live, "{\"op\":\"ping\"}", code);
    if (reply == NULL) {
        return false;
    }
    const double ms = (double)(clock_now_ns() - begun_ns) / 1e6;
    show(live, reply, ms);
    drover_message_free(reply);
    pings->least = pings->count == 0 || ms < pings->least ? ms : pings->least;
    pings->most = pings->count == 0 || ms > pings->most ? ms : pings->most;
    pings->sum += ms;
    pings->count++;
    return live_write(live);
}

/* Waits, and takes in what comes meanwhile. */
static bool rest(struct live *live, double seconds, enum exit_code *code) {
    const uint64_t end_ns = clock_now_ns() + (uint64_t)(seconds * 1e9);
    for (uint64_t now_ns = clock_now_ns(); now_ns < end_ns; now_ns = clock_now_ns()) {
        switch (live_wait(live, (int)((end_ns - now_ns) / 1000000u) + 1, false)) {
        case LIVE_READY:
            while (drover_next(live->server) != DROVER_NOTHING) {}
            break;
        case LIVE_GONE:
            *code = live_complain_gone(live);
            return false;
        case LIVE_OVER:
            return false;
        case LIVE_TIME:
        case LIVE_KEY:
            break;
        }
    }
    return true;
}

static enum exit_code ping_all(struct live *live, const struct ping_options *options) {
    struct pings pings = {0};
    enum exit_code code = EXIT_WELL;
    while (ping_once(live, &pings, &code) && (options->count == 0 || pings.count < options->count) &&
           rest(live, options->every, &code)) {}
    if (!live->is_json && pings.count > 1 && !interrupt_is_set(live->context->interrupt)) {
        buffer_printf(&live->output.buffer, "%u answers: least %.3f ms, mean %.3f ms, most %.3f ms\n",
                      (unsigned)pings.count, pings.least, pings.sum / (double)pings.count, pings.most);
    }
    return code;
}

enum exit_code command_ping(const struct command_context *context, int argc, char **argv) {
    struct ping_options options = {.live.timeout = LIVE_TIMEOUT_S, .count = 4, .every = 1.0};
    struct live live;
    enum exit_code code = EXIT_USAGE;
    int count = 0;
    if (!command_options(&command_ping_options, argc, argv, &options, 0, 0, &count, &code)) {
        return code;
    }
    if (live_begin(&live, context, &options.live, &code) == 0 &&
        live_connect(&live, DROVER_RECONNECT_NEVER, &code) == 0) {
        code = ping_all(&live, &options);
    }
    return live_end(&live, code);
}
