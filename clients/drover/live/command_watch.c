/* drover watch and drover get: the frames and events of a live server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/drover/live/live.h"
#include "common/json/json_writer.h"
#include "common/system/clock.h"

enum { HEAD_LINES = 3, TEXT = 1024 };

struct watch_options {
    struct live_options live;
    double hz;
    uint32_t count;
    char kinds[TEXT], region[128], agents[2048];
    bool has_events, reconnects;
};

#define VIEW_ROWS(structure)                                                                                 \
    OPTION_TEXT(structure, kinds, "kinds", "LIST", "Only agents of these kinds, with commas between them."), \
        OPTION_TEXT(structure, region, "region", "X,Y,W,H",                                                  \
                    "Only agents in this rectangle: its upper left corner, width and height, px."),          \
        OPTION_TEXT(structure, agents, "agents", "LIST",                                                     \
                    "Only agents with these ids, with commas between them.")

static const struct field watch_table[] = {
    OPTION_NUMBER(struct watch_options, hz, "hz", 0.01, 480, 10, "N", "Frames a second of simulated time."),
    OPTION_NUMBER(struct watch_options, count, "count", 0, 1e9, 0, "N",
                  "End after so many frames, or events; 0: go on."),
    VIEW_ROWS(struct watch_options),
    OPTION_FLAG(struct watch_options, has_events, "events",
                "What happens (pause, spawn, caught ...), in place of frames."),
    OPTION_FLAG(struct watch_options, reconnects, "reconnect",
                "When the server goes, wait for it to come back."),
    LIVE_OPTION_ROWS(struct watch_options, live),
    OPTIONS_END,
};
static const struct field get_table[] = {
    VIEW_ROWS(struct watch_options),
    LIVE_OPTION_ROWS(struct watch_options, live),
    OPTIONS_END,
};

#define FIELDS_HELP                                                                                          \
    "What to show of each agent: id, kind, state, x, y (px), vx, vy (px/s), heading (degrees), stamina."
const struct options_def command_watch_options = {
    .program = "drover watch",
    .summary = "Shows where the agents are, as it changes: a table, or into pipes a JSON object a frame.",
    .positional = "[FIELD...]",
    .positional_help = FIELDS_HELP,
    .takes_several = true,
    .table = watch_table,
    .epilog = "On a terminal q ends it, n and p turn the page.",
};
const struct options_def command_get_options = {
    .program = "drover get",
    .summary = "Shows where the agents are now: a table, or into pipes a JSON object.",
    .positional = "[FIELD...]",
    .positional_help = FIELDS_HELP,
    .takes_several = true,
    .table = get_table,
};

struct watch {
    const struct watch_options *options;
    struct live live;
    struct frame_view view;
    bool gives_up;              /* when no frame comes */
    bool is_screen;             /* a table that is drawn again and again */
    uint32_t shown;             /* frames or events */
    int first;                  /* agent of the page */
    struct drover_frame *frame; /* the one that is on the screen; NULL before the first */
    uint64_t missed;            /* frames, since the beginning */
};

/* ---- the subscription ---- */

static int write_list(const char *flag, const char *text, bool has_numbers, struct json_writer *json,
                      struct failure *failure) {
    char item[64];
    json_array(json);
    for (; *text != '\0';) {
        const size_t length = strcspn(text, ",");
        (void)snprintf(item, sizeof item, "%.*s", length < sizeof item ? (int)length : (int)sizeof item - 1,
                       text);
        if (has_numbers && (item[0] == '\0' || item[strspn(item, "0123456789.-")] != '\0')) {
            return failure_set(failure, FAILURE_BAD_PARAM, flag, "%s: expected a number, found \"%.40s\"",
                               flag, item);
        }
        char quoted[sizeof item * 6];
        (void)drover_quote(item, quoted, sizeof quoted);
        json_raw(json, has_numbers ? item : quoted);
        text += length + (text[length] == ',');
    }
    json_end(json);
    return 0;
}

static int write_subscribe(const struct watch *watch, struct buffer *out, struct failure *failure) {
    struct json_writer json = json_writer_begin(out);
    const struct watch_options *options = watch->options;
    json_object(&json);
    json_key_string(&json, "op", "subscribe");
    json_key_string(&json, "layout", options->has_events ? "events" : "packed");
    if (!options->has_events) {
        json_key_number(&json, "hz", options->hz);
        json_key(&json, "fields");
        struct buffer fields;
        buffer_init(&fields, TEXT);
        frame_view_write_wanted(&watch->view, &fields);
        json_raw(&json, fields.data == NULL ? "[\"pos\"]" : fields.data);
        buffer_fini(&fields);
    }
    if (options->kinds[0] != '\0') {
        json_key(&json, "kinds");
        if (write_list("--kinds", options->kinds, false, &json, failure) != 0) {
            return -1;
        }
    }
    if (options->region[0] != '\0') {
        json_key(&json, "region");
        if (write_list("--region", options->region, true, &json, failure) != 0) {
            return -1;
        }
    }
    json_end(&json);
    return out->failed ? failure_set(failure, FAILURE_BUSY, NULL, "out of memory") : 0;
}

/* ---- showing ---- */

static void draw_screen(struct watch *watch, const struct drover_frame *frame) {
    struct buffer *out = &watch->live.output.buffer;
    struct text_style style = live_style(&watch->live);
    struct buffer text;
    int width = 0, height = 0;
    terminal_size(&width, &height);
    const int room = height - HEAD_LINES - 1 > 1 ? height - HEAD_LINES - 1 : 1;
    const int count = frame_view_count(&watch->view, frame);
    watch->first = watch->first >= count ? (count > 0 ? (count - 1) / room * room : 0) : watch->first;
    buffer_init(&text, 1 << 24);
    shown_text_append(&text, watch->live.address, strlen(watch->live.address));
    buffer_append_text(&text, "  ");
    frame_view_summary(&watch->view, frame, &text);
    buffer_append_text(out, "\033[H\033[2J");
    if (text.length > 0) {
        buffer_append(out, text.data, shown_text_fit(text.data, text.length, width));
    }
    buffer_clear(&text);
    buffer_printf(&text, "agents %d to %d; q ends, n and p turn the page; %llu frames missed",
                  count == 0 ? 0 : watch->first + 1,
                  watch->first + room < count ? watch->first + room : count,
                  (unsigned long long)watch->missed);
    buffer_append_text(out, "\n");
    if (text.length > 0) {
        buffer_append(out, text.data, shown_text_fit(text.data, text.length, width));
    }
    buffer_append_text(out, "\n");
    frame_view_table(&watch->view, frame, watch->first, room, &style, out);
    buffer_fini(&text);
}

static void show_frame(struct watch *watch, const struct drover_frame *frame) {
    struct buffer *out = &watch->live.output.buffer;
    watch->missed += frame->missed;
    if (watch->live.is_json) {
        struct buffer line;
        buffer_init(&line, (size_t)1 << 30);
        frame_view_json(&watch->view, frame, &line);
        if (line.length > 0) { /* names are those of a server */
            shown_json_append(out, line.data, line.length - 1);
            buffer_append_text(out, "\n");
        }
        buffer_fini(&line);
    } else if (watch->is_screen) {
        draw_screen(watch, frame);
    } else {
        const struct text_style style = live_style(&watch->live);
        frame_view_summary(&watch->view, frame, out);
        buffer_append_text(out, "\n");
        frame_view_table(&watch->view, frame, 0, -1, &style, out);
    }
}

/* "tick 60  paused  by 1": the members of an event but for those that all have. */
static void write_event(const struct drover_message *message, struct buffer *out) {
    const char *name = drover_message_string(message, "event");
    struct buffer value;
    buffer_init(&value, 1 << 16);
    buffer_printf(out, "tick %.0f  ", drover_message_number(message, "tick", 0.0));
    shown_text_append(out, name == NULL ? "?" : name, name == NULL ? 1 : strlen(name));
    for (int i = 0; i < drover_message_count(message, ""); i++) {
        const char *key = drover_message_key(message, "", i);
        if (key == NULL || strcmp(key, "op") == 0 || strcmp(key, "event") == 0 || strcmp(key, "tick") == 0) {
            continue;
        }
        buffer_clear(&value);
        message_view_value(message, key, &value);
        buffer_append_text(out, "  ");
        shown_text_append(out, key, strlen(key));
        buffer_append_text(out, " ");
        shown_text_append(out, value.data == NULL ? "" : value.data, value.length);
    }
    buffer_append_text(out, "\n");
    buffer_fini(&value);
}

static void show_event(struct watch *watch, const struct drover_message *message) {
    if (watch->live.is_json) {
        size_t length = 0;
        const char *text = drover_message_text(message, &length);
        shown_json_append(&watch->live.output.buffer, text, length);
        buffer_append_text(&watch->live.output.buffer, "\n");
    } else {
        write_event(message, &watch->live.output.buffer);
    }
}

/* ---- the loop ---- */

static bool is_done(const struct watch *watch) {
    return watch->options->count > 0 && watch->shown >= watch->options->count;
}

static void take_frame(struct watch *watch) {
    struct drover_frame *frame = drover_take_frame(watch->live.server, watch->frame);
    if (frame != NULL) {
        watch->frame = frame;
        show_frame(watch, frame);
        watch->shown++;
    }
}

/* Takes in what has come. False: it is time to end, with *code. */
static bool take_in(struct watch *watch, enum exit_code *code) {
    for (;;) {
        switch (drover_next(watch->live.server)) {
        case DROVER_NOTHING:
            return live_write(&watch->live);
        case DROVER_FRAME:
            take_frame(watch);
            break;
        case DROVER_MESSAGE: {
            const struct drover_message *message = drover_this_message(watch->live.server);
            if (drover_message_code(message) != NULL && !drover_message_is_local(message)) {
                *code = live_complain_refused(&watch->live, message);
                return false;
            }
            if (watch->options->has_events && strcmp(drover_message_op(message), "event") == 0) {
                show_event(watch, message);
                watch->shown++;
            }
            break;
        }
        case DROVER_LINK:
            break;
        }
        if (is_done(watch)) {
            (void)live_write(&watch->live);
            return false;
        }
    }
}

static void turn_page(struct watch *watch, int key) {
    int width = 0, height = 0;
    terminal_size(&width, &height);
    const int room = height - HEAD_LINES - 1 > 1 ? height - HEAD_LINES - 1 : 1;
    watch->first += key == 'n' ? room : key == 'p' ? -room : 0;
    watch->first = watch->first < 0 ? 0 : watch->first;
}

/* False: the key ends the command. */
static bool take_key(struct watch *watch) {
    const int key = terminal_key(&watch->live.terminal);
    turn_page(watch, key);
    if (watch->frame != NULL) {
        draw_screen(watch, watch->frame);
    }
    return live_write(&watch->live) && key != 'q' && key != 'Q' && key != 4;
}

static enum exit_code watch_loop(struct watch *watch) {
    enum exit_code code = EXIT_WELL;
    for (;;) {
        const int patience = watch->gives_up ? (int)(watch->options->live.timeout * 1e3) : -1;
        switch (live_wait(&watch->live, patience, watch->live.terminal.has_keys)) {
        case LIVE_READY:
            if (!take_in(watch, &code)) {
                return interrupt_is_set(watch->live.context->interrupt) ? EXIT_INTERRUPTED : code;
            }
            break;
        case LIVE_KEY:
            if (!take_key(watch)) {
                return EXIT_WELL;
            }
            break;
        case LIVE_GONE:
            (void)live_write(&watch->live);
            return live_complain_gone(&watch->live);
        case LIVE_OVER:
            return interrupt_is_set(watch->live.context->interrupt) ? EXIT_INTERRUPTED : EXIT_WELL;
        case LIVE_TIME:
            live_say("no frame came; --timeout says how long to wait");
            return EXIT_NO_SERVER;
        }
    }
}

static enum exit_code watch_run(struct watch *watch, const struct command_context *context,
                                const char *request) {
    enum exit_code code = EXIT_WELL;
    const int reconnect = watch->options->reconnects ? DROVER_RECONNECT_LATER : DROVER_RECONNECT_NEVER;
    if (live_begin(&watch->live, context, &watch->options->live, &code) != 0 ||
        live_connect(&watch->live, reconnect, &code) != 0) {
        return live_end(&watch->live, code);
    }
    watch->is_screen = watch->is_screen && !watch->live.is_json && !watch->options->has_events;
    if (drover_send(watch->live.server, request) != 0) {
        live_say(drover_reason(watch->live.server));
        return live_end(&watch->live, EXIT_DIFFERS);
    }
    if (watch->is_screen) {
        terminal_take(&watch->live.terminal);
    }
    return live_end(&watch->live, watch_loop(watch));
}

/* The words of the command line with blanks between them. */
static void join(char *text, size_t size, int count, char *const *words) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count && used < size; i++) {
        const int length = snprintf(text + used, size - used, "%s%s", i == 0 ? "" : " ", words[i]);
        used += length > 0 ? (size_t)length : 0;
    }
}

static enum exit_code prepare(struct watch *watch, const struct command_context *context, int count,
                              char *const *words) {
    struct failure failure = {0};
    struct buffer request;
    char fields[TEXT];
    enum exit_code code = EXIT_USAGE;
    join(fields, sizeof fields, count, words);
    buffer_init(&request, 1 << 16);
    if (frame_view_read_fields(&watch->view, fields, &failure) != 0 ||
        frame_view_read_agents(&watch->view, watch->options->agents, &failure) != 0 ||
        write_subscribe(watch, &request, &failure) != 0) {
        code = command_complain(context, &failure, EXIT_USAGE);
    } else {
        code = watch_run(watch, context, request.data);
        drover_frame_free(watch->frame);
    }
    buffer_fini(&request);
    return code;
}

enum exit_code command_watch(const struct command_context *context, int argc, char **argv) {
    struct watch_options options = {.live.timeout = LIVE_TIMEOUT_S, .hz = 10.0};
    struct watch watch = {.options = &options, .is_screen = true};
    enum exit_code code = EXIT_USAGE;
    int count = 0;
    if (!command_options(&command_watch_options, argc, argv, &options, 0, argc, &count, &code)) {
        return code;
    }
    return prepare(&watch, context, count, argv + 1);
}

enum exit_code command_get(const struct command_context *context, int argc, char **argv) {
    struct watch_options options = {.live.timeout = LIVE_TIMEOUT_S, .hz = 1.0, .count = 1};
    struct watch watch = {.options = &options, .gives_up = true};
    enum exit_code code = EXIT_USAGE;
    int count = 0;
    if (!command_options(&command_get_options, argc, argv, &options, 0, argc, &count, &code)) {
        return code;
    }
    return prepare(&watch, context, count, argv + 1);
}

/* ---- top ---- */

/* drover top: how a live server keeps up, drawn again and again. */

struct top_options {
    struct live_options live;
    double every;
    uint32_t count;
    bool reconnects;
};

static const struct field top_table[] = {
    OPTION_NUMBER(struct top_options, every, "every", 0.05, 3600, 1, "S",
                  "From one look at the server to the next, seconds."),
    OPTION_NUMBER(struct top_options, count, "count", 0, 1e9, 0, "N", "End after so many; 0: go on."),
    OPTION_FLAG(struct top_options, reconnects, "reconnect",
                "When the server goes, wait for it to come back."),
    LIVE_OPTION_ROWS(struct top_options, live),
    OPTIONS_END,
};
const struct options_def command_top_options = {
    .program = "drover top",
    .summary = "Shows how the server keeps up: a table, or into pipes replies to stats, one a line.",
    .table = top_table,
    .epilog = "On a terminal q ends it, a blank looks at once. It shows only what the server counts.",
};

struct top {
    const struct top_options *options;
    struct live live;
    struct stats_counts before;
    uint32_t shown;
    uint64_t ticket;  /* of the request under way; 0: none */
    uint64_t next_ns; /* when to ask again */
};

/* Lines beyond the height of the terminal would scroll it. */
static void append_cut(struct buffer *out, const char *text, int width, int height) {
    for (int line = 0; *text != '\0' && line < height; line++) {
        const size_t length = strcspn(text, "\n");
        const size_t fits = strncmp(text, "\033", 1) == 0 ? length : shown_text_fit(text, length, width);
        buffer_append_text(out, line == 0 ? "" : "\n");
        buffer_append(out, text, fits);
        text += length + (text[length] == '\n');
    }
}

static void show(struct top *top, const struct drover_message *reply) {
    struct live *live = &top->live;
    if (live->is_json) {
        live_show(live, reply);
    } else {
        const struct text_style style = live_style(live);
        struct buffer text;
        int width = 0, height = 0;
        terminal_size(&width, &height);
        buffer_init(&text, 1 << 20);
        stats_view(reply, &top->before, live->address, &style, &text);
        buffer_append_text(&live->output.buffer, "\033[H\033[2J");
        append_cut(&live->output.buffer, text.data == NULL ? "" : text.data, width, height);
        buffer_fini(&text);
    }
    top->before = stats_counts_of(reply);
    top->shown++;
}

/* Takes in what has come. False: it is time to end, with *code. */
static bool take_in_stats(struct top *top, enum exit_code *code) {
    for (;;) {
        switch (drover_next(top->live.server)) {
        case DROVER_NOTHING:
            return live_write(&top->live);
        case DROVER_MESSAGE: {
            const struct drover_message *message = drover_this_message(top->live.server);
            if (top->ticket == 0 || drover_message_ticket(message) != top->ticket) {
                break;
            }
            top->ticket = 0;
            if (drover_message_code(message) == NULL) {
                show(top, message);
            } else if (!drover_message_is_local(message)) {
                *code = live_complain_refused(&top->live, message);
                return false;
            }
            break;
        }
        case DROVER_FRAME:
        case DROVER_LINK:
            break;
        }
        if (top->options->count > 0 && top->shown >= top->options->count) {
            (void)live_write(&top->live);
            return false;
        }
    }
}

static void ask_again(struct top *top) {
    const uint64_t now_ns = clock_now_ns();
    if (now_ns >= top->next_ns && top->ticket == 0 && drover_state(top->live.server) == DROVER_READY) {
        top->ticket = drover_request(top->live.server, "{\"op\":\"stats\",\"id\":1}");
        top->next_ns = now_ns + (uint64_t)(top->options->every * 1e9);
    }
}

static int patience_ms(const struct top *top) {
    const uint64_t now_ns = clock_now_ns();
    return now_ns >= top->next_ns ? 50 : (int)((top->next_ns - now_ns) / 1000000u) + 1;
}

static enum exit_code top_loop(struct top *top) {
    enum exit_code code = EXIT_WELL;
    for (;;) {
        ask_again(top);
        switch (live_wait(&top->live, patience_ms(top), top->live.terminal.has_keys)) {
        case LIVE_READY:
            if (!take_in_stats(top, &code)) {
                return interrupt_is_set(top->live.context->interrupt) ? EXIT_INTERRUPTED : code;
            }
            break;
        case LIVE_KEY: {
            const int key = terminal_key(&top->live.terminal);
            if (key == 'q' || key == 'Q' || key == 4) {
                return EXIT_WELL;
            }
            top->next_ns = key == ' ' ? 0 : top->next_ns; /* now */
            break;
        }
        case LIVE_GONE:
            (void)live_write(&top->live);
            return live_complain_gone(&top->live);
        case LIVE_OVER:
            return interrupt_is_set(top->live.context->interrupt) ? EXIT_INTERRUPTED : EXIT_WELL;
        case LIVE_TIME:
            break;
        }
    }
}

enum exit_code command_top(const struct command_context *context, int argc, char **argv) {
    struct top_options options = {.live.timeout = LIVE_TIMEOUT_S, .every = 1.0};
    struct top top = {.options = &options};
    enum exit_code code = EXIT_USAGE;
    int count = 0;
    if (!command_options(&command_top_options, argc, argv, &options, 0, 0, &count, &code)) {
        return code;
    }
    const int reconnect = options.reconnects ? DROVER_RECONNECT_LATER : DROVER_RECONNECT_NEVER;
    if (live_begin(&top.live, context, &options.live, &code) != 0 ||
        live_connect(&top.live, reconnect, &code) != 0) {
        return live_end(&top.live, code);
    }
    if (!top.live.is_json) {
        terminal_take(&top.live.terminal);
    }
    return live_end(&top.live, top_loop(&top));
}
