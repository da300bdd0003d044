/* See completion.h. */
#include "clients/drover/live/completion.h"

#include <stdlib.h>
#include <string.h>

#include "clients/drover/live/frame_view.h"
#include "clients/drover/live/live_commands.h"
#include "clients/drover/live/request_words.h"

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
