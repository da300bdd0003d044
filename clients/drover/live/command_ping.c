/* drover ping: how long the server takes to answer. */
#include <stdio.h>

#include "clients/drover/live/live.h"
#include "clients/drover/live/live_commands.h"
#include "common/json/json_writer.h"
#include "common/system/clock.h"

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
