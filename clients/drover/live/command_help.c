/* drover help: the commands, or a request in the server's own words. */
#include <stdio.h>
#include <string.h>

#include "clients/drover/live/live.h"
#include "clients/drover/live/live_commands.h"
#include "clients/drover/live/live_views.h"
#include "common/protocol/request.h"

enum { PATH = 160, ALLOWED_CHARS = 12 };

struct help_options {
    struct live_options live;
    bool has_all;
};

static const struct field help_table[] = {
    OPTION_FLAG(struct help_options, has_all, "all", "All requests of the server, for ask and raw."),
    LIVE_OPTION_ROWS(struct help_options, live),
    OPTIONS_END,
};
const struct options_def command_help_options = {
    .program = "drover help",
    .summary = "Shows the commands; with the name of a request, what the server says about it.",
    .positional = "[NAME]",
    .positional_help = "A command, or a request of the server.",
    .takes_several = true,
    .table = help_table,
};

/* ---- a request in words ---- */

static void put(struct text_table *table, const char *column, const struct drover_message *reply,
                const char *field, const char *member) {
    struct buffer value;
    char path[PATH];
    (void)snprintf(path, sizeof path, "%.100s.%.40s", field, member);
    buffer_init(&value, 1 << 16);
    message_view_value(reply, path, &value);
    text_table_put(table, text_table_column(table, column), value.data == NULL ? "" : value.data);
    buffer_fini(&value);
}

/* "1 to 100000", or "seek, flee" of choices. */
static void put_allowed(struct text_table *table, const struct drover_message *reply, const char *field) {
    struct buffer text;
    char path[PATH];
    buffer_init(&text, 1 << 16);
    (void)snprintf(path, sizeof path, "%.100s.min", field);
    if (drover_message_type(reply, path) == DROVER_NUMBER) {
        message_view_value(reply, path, &text);
        buffer_append_text(&text, " to ");
        (void)snprintf(path, sizeof path, "%.100s.max", field);
        message_view_value(reply, path, &text);
    }
    (void)snprintf(path, sizeof path, "%.100s.choices", field);
    const int count = drover_message_count(reply, path);
    for (int i = 0; i < count; i++) {
        (void)snprintf(path, sizeof path, "%.100s.choices[%d]", field, i);
        if (text.length > ALLOWED_CHARS) { /* --json has all of them */
            buffer_append_text(&text, " ...");
            break;
        }
        buffer_append_text(&text, i == 0 ? "" : ", ");
        message_view_value(reply, path, &text);
    }
    text_table_put(table, text_table_column(table, "allowed"), text.data == NULL ? "" : text.data);
    buffer_fini(&text);
}

static void write_members(const struct drover_message *reply, const char *op, const struct text_style *style,
                          struct buffer *out) {
    struct text_table table;
    char path[PATH], field[PATH];
    text_table_init(&table);
    (void)snprintf(path, sizeof path, "%.60s.fields", op);
    const int count = drover_message_count(reply, path);
    for (int i = 0; i < count; i++) {
        (void)snprintf(field, sizeof field, "%.60s.fields[%d]", op, i);
        put(&table, "member", reply, field, "name");
        put(&table, "type", reply, field, "type");
        put_allowed(&table, reply, field);
        put(&table, "unit", reply, field, "unit");
        (void)snprintf(path, sizeof path, "%.100s.required", field);
        if (drover_message_flag(reply, path, 0)) {
            text_table_put(&table, text_table_column(&table, "default"), "required");
        } else {
            put(&table, "default", reply, field, "default");
        }
        put(&table, "help", reply, field, "help");
        text_table_end_row(&table);
    }
    text_table_write(&table, style, out);
    text_table_fini(&table);
}

static void append_shown(const struct drover_message *reply, const char *op, const char *member,
                         struct buffer *out) {
    char path[PATH];
    (void)snprintf(path, sizeof path, "%.60s.%.40s", op, member);
    const char *text = drover_message_string(reply, path);
    shown_text_append(out, text == NULL ? "?" : text, text == NULL ? 1 : strlen(text));
}

/* "step, for the role admin", then its members. */
static void write_op(const struct drover_message *reply, int index, const struct text_style *style,
                     struct buffer *out) {
    char op[32], path[PATH];
    (void)snprintf(op, sizeof op, "ops[%d]", index);
    append_shown(reply, op, "op", out);
    (void)snprintf(path, sizeof path, "%.60s.always_answers", op);
    buffer_append_text(out, ", for the role ");
    append_shown(reply, op, "role", out);
    buffer_append_text(out, drover_message_flag(reply, path, 0) ? "; always answered\n"
                                                                : "; answered when it fails, or has an id\n");
    (void)snprintf(path, sizeof path, "%.60s.fields", op);
    if (drover_message_count(reply, path) == 0) {
        buffer_append_text(out, "no members\n");
    }
    write_members(reply, op, style, out);
}

static void write_all(const struct drover_message *reply, const struct text_style *style,
                      struct buffer *out) {
    struct text_table table;
    char op[PATH], path[PATH];
    text_table_init(&table);
    for (int i = 0; i < drover_message_count(reply, "ops"); i++) {
        struct buffer members;
        buffer_init(&members, 1 << 16);
        (void)snprintf(op, sizeof op, "ops[%d]", i);
        put(&table, "request", reply, op, "op");
        put(&table, "role", reply, op, "role");
        (void)snprintf(path, sizeof path, "%.60s.fields", op);
        const int count = drover_message_count(reply, path);
        for (int k = 0; k < count; k++) {
            (void)snprintf(path, sizeof path, "%.60s.fields[%d].name", op, k);
            buffer_append_text(&members, k == 0 ? "" : ", ");
            message_view_value(reply, path, &members);
        }
        text_table_put(&table, text_table_column(&table, "members"),
                       members.data == NULL ? "" : members.data);
        text_table_end_row(&table);
        buffer_fini(&members);
    }
    text_table_write(&table, style, out);
    text_table_fini(&table);
}

/* ---- the command ---- */

static void show(struct live *live, const struct drover_message *reply, bool has_all) {
    const struct text_style style = live_style(live);
    if (live->is_json) {
        live_show(live, reply);
    } else if (has_all) {
        write_all(reply, &style, &live->output.buffer);
    } else {
        write_op(reply, 0, &style, &live->output.buffer);
    }
}

static enum exit_code ask_server(const struct command_context *context, const struct help_options *options,
                                 const char *name) {
    struct live live;
    char quoted[256], request[320];
    enum exit_code code = EXIT_WELL;
    (void)drover_quote(name, quoted, sizeof quoted);
    (void)snprintf(
        request, sizeof request,
        options->has_all ? "{\"op\":\"help\",\"id\":1}" : "{\"op\":\"help\",\"about\":%s,\"id\":1}", quoted);
    if (live_begin(&live, context, &options->live, &code) == 0 &&
        live_connect(&live, DROVER_RECONNECT_NEVER, &code) == 0) {
        struct drover_message *reply = live_ask(&live, request, &code);
        if (reply != NULL) {
            show(&live, reply, options->has_all);
            (void)live_write(&live);
        }
        drover_message_free(reply);
    }
    return live_end(&live, code);
}

static bool is_request(const char *name) {
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        if (strcmp(request_op_name((enum request_op)op), name) == 0) {
            return true;
        }
    }
    return false;
}

enum exit_code command_help(const struct command_context *context, int argc, char **argv) {
    struct help_options options = {.live.timeout = LIVE_TIMEOUT_S};
    enum exit_code code = EXIT_USAGE;
    int count = 0;
    if (!command_options(&command_help_options, argc, argv, &options, 0, 1, &count, &code)) {
        return code;
    }
    if (count == 0 && !options.has_all) {
        commands_print_help(stdout);
        return EXIT_WELL;
    }
    const struct command *command = count == 0 ? NULL : command_find(argv[1]);
    if (command == NULL || is_request(command->name)) {
        return ask_server(context, &options, count == 0 ? "" : argv[1]);
    }
    char flag[] = "--help";
    char *arguments[] = {argv[1], flag, NULL};
    return command->run(context, 2, arguments);
}

/* ---- list ---- */

/* drover list: what the server has, as a table or as bare names for scripts and shells. */

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
