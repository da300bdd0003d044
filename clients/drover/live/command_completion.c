/* drover completion, which prints the script for a shell, and drover complete, which the scripts call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/drover/live/completion.h"
#include "clients/drover/live/live.h"
#include "clients/drover/live/shown_text.h"

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
