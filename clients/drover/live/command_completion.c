/* See live_commands.h. */
#include "clients/drover/live/live_commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/drover/live/live.h"
#include "clients/drover/live/live_views.h"

/* ---- words ---- */

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
    {"load", COMPLETION_SCENARIOS}, {"spawn", COMPLETION_KINDS},    {"params", COMPLETION_KINDS},
    {"set", COMPLETION_PARAMS},     {"target", COMPLETION_TARGETS}, {NULL, COMPLETION_NOTHING},
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

/* ---- completion ---- */

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

enum { ANSWER_MS = 1000, PATH = 96 };

/* The address that the words name, or the usual one. */
static const char *find_address(int count, char *const *words) {
    const char *named = getenv("DROVER_SERVER");
    for (int i = 0; i + 1 < count; i++) {
        if (strcmp(words[i], "--server") == 0) {
            return words[i + 1];
        }
        if (strncmp(words[i], "--server=", 9) == 0) {
            return words[i] + 9;
        }
    }
    return named != NULL && named[0] != '\0' ? named : "127.0.0.1:7717";
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

/* A server that does not answer at once is left alone: a shell waits for this. */
static void ask_server(enum completion_source source, int count, char *const *words, struct buffer *out) {
    const struct question *question = &questions[source];
    struct drover_options options = DROVER_OPTIONS;
    struct failure failure = {0};
    struct live_options live = {.timeout = 1.0};
    char token[160];
    if (live_find_token(&live, token, sizeof token, &failure) != 0) {
        return;
    }
    options.token = token[0] == '\0' ? NULL : token;
    options.timeout_ms = ANSWER_MS;
    options.reconnect = DROVER_RECONNECT_NEVER;
    struct drover *server = drover_connect(find_address(count, words), &options);
    if (server != NULL && drover_wait_ready(server, ANSWER_MS) == 0) {
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
        ask_server(source, argc - 2, argv + 2, &out);
    }
    (void)fputs(out.data == NULL ? "" : out.data, stdout);
    buffer_fini(&out);
    return EXIT_WELL;
}
