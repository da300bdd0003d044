/* drover top: how a live server keeps up, drawn again and again. */
#include <stdio.h>
#include <string.h>

#include "clients/drover/live/live.h"
#include "clients/drover/live/live_commands.h"
#include "clients/drover/live/shown_text.h"
#include "clients/drover/live/stats_view.h"
#include "common/system/clock.h"

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
