/* drover help: the commands, or a request in the server's own words. drover completion: what may follow on a command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/drover/live/live.h"
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

/* ---- completion: words ---- */

static void offer(const char *typed, const char *word, const char *help, struct buffer *out) {
    if (strncmp(word, typed, strlen(typed)) == 0) {
        buffer_printf(out, "%s\t%s\n", word, help == NULL ? "" : help);
    }
}

static void offer_commands(const char *typed, struct buffer *out) {
    for (const struct command *command = command_table; command->name != NULL; command++) {
        if (command->summary != NULL) {
            offer(typed, command->name, command->summary, out);
        }
    }
}

static void offer_requests(const char *typed, struct buffer *out) {
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        offer(typed, request_op_name((enum request_op)op), "a request", out);
    }
}

static void offer_list(const char *typed, const char *const *list, struct buffer *out) {
    for (; *list != NULL; list++) {
        offer(typed, *list, NULL, out);
    }
}

static void offer_flags(const struct options_def *def, const char *typed, struct buffer *out) {
    struct buffer flag;
    buffer_init(&flag, 256);
    for (const struct field *field = def == NULL ? NULL : def->table;
         field != NULL && field->type != FIELD_END; field++) {
        buffer_clear(&flag);
        buffer_printf(&flag, "--%s", field->name);
        offer(typed, flag.data == NULL ? "" : flag.data, field->help, out);
    }
    buffer_fini(&flag);
    offer(typed, "--help", "Shows the options.", out);
}

/* The members of a request, for ask. */
static void offer_members(const char *op, const char *typed, struct buffer *out) {
    struct buffer word;
    buffer_init(&word, 256);
    for (int i = 0; i < REQUEST_OP_COUNT; i++) {
        const struct field *field = request_fields((enum request_op)i);
        for (; strcmp(request_op_name((enum request_op)i), op) == 0 && field->type != FIELD_END; field++) {
            buffer_clear(&word);
            buffer_printf(&word, "%s=", field->name);
            offer(typed, word.data == NULL ? "" : word.data, field->help, out);
        }
    }
    buffer_fini(&word);
}

/* ---- values of options ---- */

struct source_row {
    const char *name; /* of an option without its dashes, or of a command */
    enum completion_source source;
};

static const struct source_row option_sources[] = {
    {"kind", COMPLETION_KINDS},       {"kinds", COMPLETION_KINDS},        {"name", COMPLETION_TARGETS},
    {"follow", COMPLETION_TARGETS},   {"scenario", COMPLETION_SCENARIOS}, {"save", COMPLETION_SAVES},
    {"token-file", COMPLETION_FILES}, {"output", COMPLETION_FILES},       {"with", COMPLETION_FILES},
    {"cut", COMPLETION_FILES},        {"design", COMPLETION_FILES},       {"out", COMPLETION_FILES},
    {"from", COMPLETION_FILES},       {NULL, COMPLETION_NOTHING},
};
/* The first positional argument. */
static const struct source_row argument_sources[] = {
    {"edit", COMPLETION_FILES},   {"load", COMPLETION_SCENARIOS}, {"spawn", COMPLETION_KINDS},
    {"params", COMPLETION_KINDS}, {"set", COMPLETION_PARAMS},     {"target", COMPLETION_TARGETS},
    {NULL, COMPLETION_NOTHING},
};

static enum completion_source source_of(const struct source_row *rows, const char *name) {
    while (rows->name != NULL && strcmp(rows->name, name) != 0) {
        rows++;
    }
    return rows->source;
}

static const struct field *find_flag(const struct options_def *def, const char *word) {
    for (const struct field *field = def == NULL ? NULL : def->table;
         field != NULL && field->type != FIELD_END; field++) {
        if (strncmp(word, "--", 2) == 0 && strcmp(field->name, word + 2) == 0) {
            return field;
        }
    }
    return NULL;
}

/* ---- positional arguments ---- */

/* How many of the words between the command and the last one are positional. */
static int count_arguments(const struct options_def *def, int count, char *const *words) {
    int arguments = 0;
    for (int i = 1; i + 1 < count; i++) {
        const struct field *flag = find_flag(def, words[i]);
        if (flag != NULL) {
            i += flag->type != FIELD_BOOL;
        } else {
            arguments += strncmp(words[i], "--", 2) != 0;
        }
    }
    return arguments;
}

static const char *first_argument(const struct options_def *def, int count, char *const *words) {
    for (int i = 1; i + 1 < count; i++) {
        const struct field *flag = find_flag(def, words[i]);
        if (flag == NULL && strncmp(words[i], "--", 2) != 0) {
            return words[i];
        }
        i += flag != NULL && flag->type != FIELD_BOOL;
    }
    return "";
}

static enum completion_source offer_arguments(const struct command *command, const struct options_def *def,
                                              int count, char *const *words, struct buffer *out) {
    static const char *const lists[] = {"scenarios", "kinds",  "targets", "behaviors",
                                        "saves",     "params", NULL};
    static const char *const shells[] = {"bash", "zsh", "fish", NULL};
    const char *typed = words[count - 1];
    const int before = count_arguments(def, count, words);
    if (strcmp(command->name, "watch") == 0 || strcmp(command->name, "get") == 0) {
        offer_list(typed, frame_field_names, out);
    } else if (strcmp(command->name, "ask") == 0 && before > 0) {
        offer_members(first_argument(def, count, words), typed, out);
    } else if (before > 0 && command->group == COMMAND_GROUP_LIVE) {
        return COMPLETION_NOTHING;
    } else if (strcmp(command->name, "ask") == 0 || strcmp(command->name, "help") == 0) {
        offer_requests(typed, out);
        if (strcmp(command->name, "help") == 0) {
            offer_commands(typed, out);
        }
    } else if (strcmp(command->name, "list") == 0) {
        offer_list(typed, lists, out);
    } else if (strcmp(command->name, "completion") == 0) {
        offer_list(typed, shells, out);
    } else {
        return command->group == COMMAND_GROUP_LIVE ? source_of(argument_sources, command->name)
                                                    : COMPLETION_FILES;
    }
    return COMPLETION_NOTHING;
}

static enum completion_source complete(const struct command *command, const struct options_def *def,
                                       int count, char *const *words, struct buffer *out) {
    const char *typed = words[count - 1];
    const struct field *flag = count > 2 ? find_flag(def, words[count - 2]) : NULL;
    if (flag != NULL && flag->type == FIELD_CHOICE) {
        offer_list(typed, flag->choices, out);
        return COMPLETION_NOTHING;
    }
    if (flag != NULL && flag->type != FIELD_BOOL) {
        return source_of(option_sources, flag->name);
    }
    if (typed[0] == '-') {
        offer_flags(def, typed, out);
        return COMPLETION_NOTHING;
    }
    return offer_arguments(command, def, count, words, out);
}

enum completion_source completion_find(int count, char *const *words, struct buffer *out) {
    const char *typed = words[count - 1];
    if (count == 1) {
        offer_commands(typed, out);
        offer(typed, "--help", "Shows the commands.", out);
        offer(typed, "--version", "Shows the version.", out);
        return COMPLETION_NOTHING;
    }
    const struct command *command = command_find(words[0]);
    if (command == NULL || command->summary == NULL) {
        return COMPLETION_NOTHING;
    }
    const struct request_command *request =
        command->options == NULL ? request_command_find(command->name) : NULL;
    struct request_options *made = request == NULL ? NULL : calloc(1, sizeof *made);
    if (made != NULL) {
        request_options_make(request, made);
    }
    const enum completion_source source =
        complete(command, made != NULL ? &made->def : command->options, count, words, out);
    free(made);
    return source;
}

/* drover completion, which prints the script for a shell, and drover complete, which the scripts call. */

/* ---- drover completion ---- */

struct completion_script {
    const char *shell, *text;
};

/* The scripts know nothing of commands and options: they ask the program, so they are never out of date. */
static const struct completion_script scripts[] = {
    {"bash", "# bash completion of drover; made by `drover completion bash`.\n"
             "_drover() {\n"
             "    local IFS=$' \\t\\n' line=${COMP_LINE:0:COMP_POINT} word row\n"
             "    local -a words\n"
             "    read -ra words <<< \"$line\"\n"
             "    [[ $line == *[[:space:]] ]] && words+=('')\n"
             "    word=${words[${#words[@]} - 1]}\n"
             "    COMPREPLY=()\n"
             "    while IFS= read -r row; do\n"
             "        row=${row%%$'\\t'*}\n"
             "        # bash replaces what follows the last = or : alone\n"
             "        [[ $word == *[=:]* ]] && row=${row#\"${word%\"${word##*[=:]}\"}\"}\n"
             "        COMPREPLY+=(\"$row\")\n"
             "    done < <(\"${words[0]}\" complete -- \"${words[@]:1}\" 2> /dev/null)\n"
             "    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then\n"
             "        compopt -o nospace\n"
             "    fi\n"
             "}\n"
             "complete -o default -F _drover drover\n"},
    {"zsh", "#compdef drover\n"
            "# zsh completion of drover; made by `drover completion zsh`.\n"
            "_drover() {\n"
            "    local row word tab=$'\\t'\n"
            "    local -a rows shown\n"
            "    rows=(${(f)\"$(\"${words[1]}\" complete -- \"${(@)words[2,CURRENT]}\" 2> /dev/null)\"})\n"
            "    for row in $rows; do\n"
            "        word=${row%%$tab*}\n"
            "        shown+=(\"${word//:/\\\\:}:${row#*$tab}\")\n"
            "    done\n"
            "    if (( ${#shown} )); then\n"
            "        _describe -V 'drover' shown\n"
            "    else\n"
            "        _files\n"
            "    fi\n"
            "}\n"
            "if [[ $funcstack[1] == _drover ]]; then\n"
            "    _drover \"$@\"\n"
            "else\n"
            "    compdef _drover drover\n"
            "fi\n"},
    {"fish", "# fish completion of drover; made by `drover completion fish`.\n"
             "function __drover_complete\n"
             "    set -l words (commandline -opc) (commandline -ct)\n"
             "    set -l rows ($words[1] complete -- $words[2..-1] 2>/dev/null)\n"
             "    if test (count $rows) -gt 0\n"
             "        printf '%s\\n' $rows\n"
             "    else\n"
             "        __fish_complete_path (commandline -ct)\n"
             "    end\n"
             "end\n"
             "complete -c drover -f -a '(__drover_complete)'\n"},
};

struct no_options {
    char unused;
};
static const struct field no_table[] = {OPTIONS_END};

const struct options_def command_completion_options = {
    .program = "drover completion",
    .summary = "Prints the completion script of a shell.",
    .positional = "SHELL",
    .positional_help = "bash, zsh or fish.",
    .epilog = "Packages install it; by hand: source <(drover completion bash).",
    .takes_several = true,
    .table = no_table,
};
const struct options_def command_complete_options = {
    .program = "drover complete",
    .summary = "Lists what may stand in place of the last word; the scripts of drover completion call it.",
    .positional = "-- WORD...",
    .positional_help = "What follows drover on the line, the last word unfinished or empty.",
    .takes_several = true,
    .table = no_table,
};

enum exit_code command_completion(const struct command_context *context, int argc, char **argv) {
    struct no_options options = {0};
    enum exit_code code = EXIT_USAGE;
    int count = 0;
    (void)context;
    if (!command_options(&command_completion_options, argc, argv, &options, 1, 1, &count, &code)) {
        return code;
    }
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        if (strcmp(scripts[i].shell, argv[1]) == 0) {
            (void)fputs(scripts[i].text, stdout);
            return EXIT_WELL;
        }
    }
    (void)fprintf(stderr, "drover: no completion for \"%.60s\"; there are bash, zsh, fish\n", argv[1]);
    return EXIT_USAGE;
}

/* ---- drover complete ---- */

struct question {
    const char *request, *list, *first,
        *second; /* the members of a row that make the word; second NULL: one */
};

static const struct question questions[] = {
    [COMPLETION_SCENARIOS] = {"{\"op\":\"list\"}", "scenarios", "name", NULL},
    [COMPLETION_KINDS] = {"{\"op\":\"list\",\"what\":\"kinds\"}", "kinds", "name", NULL},
    [COMPLETION_TARGETS] = {"{\"op\":\"list\",\"what\":\"targets\"}", "targets", "name", NULL},
    [COMPLETION_SAVES] = {"{\"op\":\"list\",\"what\":\"saves\"}", "saves", "name", NULL},
    [COMPLETION_PARAMS] = {"{\"op\":\"get_params\"}", "params", "kind", "param"},
};

/* What the words say of this option; NULL when they do not name it. */
static const char *find_option(int count, char *const *words, const char *name) {
    const size_t length = strlen(name);
    for (int i = 0; i + 1 < count; i++) {
        if (strncmp(words[i], name, length) == 0 && (words[i][length] == '\0' || words[i][length] == '=')) {
            return words[i][length] == '=' ? words[i] + length + 1 : words[i + 1];
        }
    }
    return NULL;
}

/* The address that the words name, or the usual one. */
static const char *find_address(int count, char *const *words) {
    const char *typed = find_option(count, words, "--server"), *named = getenv("DROVER_SERVER");
    return typed != NULL ? typed : named != NULL && named[0] != '\0' ? named : "127.0.0.1:7717";
}

/* How long the server may take, in ms: as long as the words allow; else a second, because a shell waits for this. */
static int find_patience(int count, char *const *words) {
    const char *typed = find_option(count, words, "--timeout");
    const double seconds = typed == NULL ? 0.0 : strtod(typed, NULL);
    return seconds >= LIVE_TIMEOUT_LEAST_S && seconds <= LIVE_TIMEOUT_MOST_S ? (int)(seconds * 1e3) : 1000;
}

static void append_member(const struct drover_message *reply, const struct question *question, int row,
                          const char *member, struct buffer *out) {
    char path[PATH];
    (void)snprintf(path, sizeof path, "%s[%d].%s", question->list, row, member);
    const char *text = drover_message_string(reply, path);
    shown_text_append(out, text == NULL ? "" : text, text == NULL ? 0 : strlen(text));
}

static void write_answer(const struct drover_message *reply, const struct question *question,
                         const char *typed, struct buffer *out) {
    struct buffer word;
    buffer_init(&word, 1 << 16);
    for (int i = 0; i < drover_message_count(reply, question->list); i++) {
        buffer_clear(&word);
        append_member(reply, question, i, question->first, &word);
        if (question->second != NULL) {
            buffer_append_text(&word, ".");
            append_member(reply, question, i, question->second, &word);
        }
        if (word.length > 0 && strncmp(word.data, typed, strlen(typed)) == 0) {
            buffer_printf(out, "%s\t", word.data);
            append_member(reply, question, i, question->second == NULL ? "caption" : "help", out);
            buffer_append_text(out, "\n");
        }
    }
    buffer_fini(&word);
}

/* A server that does not answer in time is left alone. */
static void offer_of_server(enum completion_source source, int count, char *const *words,
                            struct buffer *out) {
    const struct question *question = &questions[source];
    struct drover_options options = DROVER_OPTIONS;
    struct failure failure = {0};
    struct live_options live = {0};
    const int patience_ms = find_patience(count, words);
    char token[160];
    if (live_find_token(&live, token, sizeof token, &failure) != 0) {
        return;
    }
    options.token = token[0] == '\0' ? NULL : token;
    options.timeout_ms = patience_ms;
    options.reconnect = DROVER_RECONNECT_NEVER;
    struct drover *server = drover_connect(find_address(count, words), &options);
    if (server != NULL && drover_wait_ready(server, patience_ms) == 0) {
        struct drover_message *reply = drover_ask(server, question->request);
        if (reply != NULL && drover_message_code(reply) == NULL) {
            write_answer(reply, question, words[count - 1], out);
        }
        drover_message_free(reply);
    }
    drover_close(server);
}

enum exit_code command_complete(const struct command_context *context, int argc, char **argv) {
    struct buffer out;
    (void)context;
    if (argc < 3 || strcmp(argv[1], "--") != 0) { /* the words have options of their own */
        options_print_help(&command_complete_options,
                           argc == 2 && strcmp(argv[1], "--help") == 0 ? stdout : stderr);
        return argc == 2 && strcmp(argv[1], "--help") == 0 ? EXIT_WELL : EXIT_USAGE;
    }
    buffer_init(&out, 1 << 24);
    const enum completion_source source = completion_find(argc - 2, argv + 2, &out);
    if (source > COMPLETION_FILES) {
        offer_of_server(source, argc - 2, argv + 2, &out);
    }
    (void)fputs(out.data == NULL ? "" : out.data, stdout);
    buffer_fini(&out);
    return EXIT_WELL;
}
