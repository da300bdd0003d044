/* Text and tables for a terminal, and the connection of the commands for a live server. See live.h. */
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clients/drover/live/live.h"
#include "common/base/limits.h"
#include "common/base/utf8.h"
#include "common/system/clock.h"
#include "common/text/server_address.h"

/* ---- text ---- */

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

void shown_text_print(FILE *out, const char *before, const char *text, const char *after) {
    struct buffer shown;
    buffer_init(&shown, 1 << 16);
    shown_text_append(&shown, text, strlen(text));
    (void)fprintf(out, "%s%s%s", before, shown.data == NULL ? "" : shown.data, after);
    buffer_fini(&shown);
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

struct table_layout {
    int last_at;    /* where the last column begins */
    int last_width; /* to which it is broken; 0: it is not */
    int line_width; /* to which lines are cut; 0: they are not */
};

static struct table_layout lay_out(const struct text_table *table, const struct text_style *style) {
    struct table_layout layout = {0};
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
                       const struct table_layout *layout, struct buffer *out) {
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
    const struct table_layout layout = lay_out(table, style);
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

/* ---- the terminal ---- */

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

enum { GLANCE_MS = 50 };
static const char usual_address[] = "127.0.0.1:7717";

void live_say(const char *words) {
    shown_text_print(stderr, "drover: ", words, "\n");
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

/* A host, or an address of IPv6 in brackets, and a port; or a world at a broker, which the library reads. */
static bool is_address(const char *text) {
    const char *colon = strrchr(text, ':');
    const size_t digits = colon == NULL ? 0 : strspn(colon + 1, "0123456789");
    const long port = digits > 0 && digits <= 5 ? strtol(colon + 1, NULL, 10) : 0;
    return address_is_mqtt(text) ||
           (colon != NULL && colon > text && colon[1 + digits] == '\0' && port >= 1 && port <= UINT16_MAX);
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
        (void)failure_set(&failure, FAILURE_BAD_PARAM, "--server",
                          "%s: expected HOST:PORT or mqtt://HOST/NAME, found \"%.200s\"",
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
