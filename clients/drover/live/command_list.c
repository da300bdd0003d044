/* drover list: what the server has, as a table or as bare names for scripts and shells. */
#include <stdio.h>
#include <string.h>

#include "clients/drover/live/live.h"
#include "clients/drover/live/live_commands.h"
#include "clients/drover/live/shown_text.h"

struct list_options {
    struct live_options live;
    bool has_names;
};

static const struct field list_table[] = {
    OPTION_FLAG(struct list_options, has_names, "names",
                "Names alone, one a line; of parameters those that set takes."),
    LIVE_OPTION_ROWS(struct list_options, live),
    OPTIONS_END,
};
const struct options_def command_list_options = {
    .program = "drover list",
    .summary = "Lists what the server has.",
    .positional = "[WHAT]",
    .positional_help = "scenarios (when left out), kinds, targets, behaviors, saves or params.",
    .takes_several = true,
    .table = list_table,
};

static void write_request(const char *what, struct buffer *out) {
    char quoted[256];
    if (strcmp(what, "params") == 0) {
        buffer_append_text(out, "{\"op\":\"get_params\",\"id\":1}");
    } else if (drover_quote(what, quoted, sizeof quoted) < sizeof quoted) {
        buffer_printf(out, "{\"op\":\"list\",\"what\":%s,\"id\":1}", quoted);
    } else {
        buffer_append_text(out, "{\"op\":\"list\",\"what\":\"?\",\"id\":1}");
    }
}

/* One name a line, of the rows of the array `what`. */
static void show_names(struct live *live, const struct drover_message *reply, const char *what) {
    struct buffer *out = &live->output.buffer;
    const bool is_params = strcmp(what, "params") == 0;
    char path[128];
    for (int i = 0; i < drover_message_count(reply, what); i++) {
        (void)snprintf(path, sizeof path, "%.60s[%d].%s", what, i, is_params ? "kind" : "name");
        const char *name = drover_message_string(reply, path);
        (void)snprintf(path, sizeof path, "%.60s[%d]", what, i);
        name = name == NULL ? drover_message_string(reply, path) : name;
        if (name == NULL) {
            continue;
        }
        shown_text_append(out, name, strlen(name));
        (void)snprintf(path, sizeof path, "%.60s[%d].param", what, i);
        const char *param = is_params ? drover_message_string(reply, path) : NULL;
        if (param != NULL) {
            buffer_append_text(out, ".");
            shown_text_append(out, param, strlen(param));
        }
        buffer_append_text(out, "\n");
    }
}

static enum exit_code list(const struct command_context *context, const struct list_options *options,
                           const char *what) {
    struct live live;
    struct buffer request;
    enum exit_code code = EXIT_WELL;
    buffer_init(&request, 1 << 16);
    write_request(what, &request);
    if (live_begin(&live, context, &options->live, &code) == 0 &&
        live_connect(&live, DROVER_RECONNECT_NEVER, &code) == 0) {
        struct drover_message *reply = live_ask(&live, request.data, &code);
        if (reply != NULL && options->has_names) {
            show_names(&live, reply, what);
        } else if (reply != NULL) {
            live_show(&live, reply);
        }
        drover_message_free(reply);
        (void)live_write(&live);
    }
    buffer_fini(&request);
    return live_end(&live, code);
}

enum exit_code command_list(const struct command_context *context, int argc, char **argv) {
    struct list_options options = {.live.timeout = LIVE_TIMEOUT_S};
    enum exit_code code = EXIT_USAGE;
    int count = 0;
    if (!command_options(&command_list_options, argc, argv, &options, 0, 1, &count, &code)) {
        return code;
    }
    return list(context, &options, count > 0 ? argv[1] : "scenarios");
}
