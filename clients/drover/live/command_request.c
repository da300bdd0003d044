/* Requests from words of a command line, and the commands that send one. See live.h. */
#include "clients/drover/live/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/json/json_check.h"
#include "common/json/json_text.h"
#include "common/system/regular_file.h"
#include "common/text/names.h"

enum { MEMBER_NAME = 64 };

/* ---- options ---- */

static bool is_left_out(const struct request_command *command, const char *name) {
    char word[MEMBER_NAME];
    (void)snprintf(word, sizeof word, " %s ", name);
    return command->left_out != NULL && strstr(command->left_out, word) != NULL;
}

static const char *value_name(const struct field *field) {
    switch (field->type) {
    case FIELD_FLOAT:
    case FIELD_DOUBLE:
    case FIELD_ANGLE:
    case FIELD_RANGE:
        return field->unit != NULL && strcmp(field->unit, "1") != 0 ? field->unit : "NUMBER";
    case FIELD_UINT32:
    case FIELD_INT32:
    case FIELD_UINT64:
        return "N";
    case FIELD_POINT:
        return "X,Y";
    case FIELD_NAMES:
        return "LIST";
    case FIELD_SHAPED:
    case FIELD_OBJECT:
    case FIELD_TUPLE:
    case FIELD_ROWS:
        return "JSON";
    case FIELD_NAME:
        return "NAME";
    case FIELD_CHOICE:
        return "CHOICE";
    case FIELD_TEXT:
    case FIELD_BOOL:
    case FIELD_END:
        break;
    }
    return "TEXT";
}

static void append(char *text, size_t size, const char *more) {
    const size_t used = strlen(text);
    (void)snprintf(text + used, size - used, "%s", more);
}

/* The help of the request's row, with what a shaped value looks like and what a choice allows. */
static void write_help(const struct field *field, char *help, size_t size) {
    (void)snprintf(help, size, "%s", field->help);
    if (field->type == FIELD_SHAPED) {
        append(help, size, " As JSON: ");
        append(help, size, field->unit);
        append(help, size, "; commas alone will do for numbers.");
    }
    for (int i = 0; field->type == FIELD_CHOICE && field->choices[i] != NULL; i++) {
        append(help, size, i == 0 ? " One of " : ", ");
        append(help, size, field->choices[i]);
    }
}

static void make_member(struct request_options *options, int index, const struct field *field,
                        struct field *row) {
    char *flag = options->flags[index];
    (void)snprintf(flag, sizeof options->flags[index], "%s", field->name);
    for (char *at = flag; *at != '\0'; at++) {
        *at = *at == '_' ? '-' : *at;
    }
    write_help(field, options->helps[index], sizeof options->helps[index]);
    *row =
        (struct field){.name = flag,
                       .type = field->type == FIELD_BOOL ? FIELD_BOOL : FIELD_TEXT,
                       .offset = offsetof(struct request_words, values) + (size_t)index * REQUEST_WORDS_VALUE,
                       .size = REQUEST_WORDS_VALUE,
                       .unit = field->type == FIELD_BOOL ? NULL : value_name(field),
                       .help = options->helps[index]};
}

static const struct field live_rows[] = {LIVE_OPTION_ROWS(struct request_words, live), OPTIONS_END};

void request_options_make(const struct request_command *command, struct request_options *options) {
    const struct field *fields = request_fields(command->op);
    struct field *row = options->rows;
    for (int i = 0; i < REQUEST_WORDS_MEMBERS && fields[i].type != FIELD_END; i++) {
        if (!is_left_out(command, fields[i].name)) {
            make_member(options, i, &fields[i], row++);
        }
    }
    for (int i = 0; command->switches[i].flag != NULL; i++) {
        *row++ = (struct field){.name = command->switches[i].flag,
                                .type = FIELD_BOOL,
                                .offset = offsetof(struct request_words, switches) + (size_t)i * sizeof(bool),
                                .size = sizeof(bool),
                                .help = command->switches[i].help};
    }
    memcpy(row, live_rows, sizeof live_rows);
    (void)snprintf(options->program, sizeof options->program, "drover %s", command->name);
    options->def = (struct options_def){.program = options->program,
                                        .summary = command->summary,
                                        .positional = command->arguments,
                                        .positional_help = command->arguments_help,
                                        .takes_several = true,
                                        .table = options->rows};
}

/* ---- values ---- */

static bool is_utf8(const char *text) {
    for (size_t left = strlen(text); left > 0;) {
        const size_t size = utf8_character(text, left);
        if (size == 0) {
            return false;
        }
        text += size;
        left -= size;
    }
    return true;
}

static bool is_json(const char *text) {
    const struct json_limits limits = json_limits_line();
    struct json_fault fault;
    return json_check(text, strlen(text), &limits, &fault) == JSON_FINE;
}

static bool is_json_number(const char *text) {
    return (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) && is_json(text);
}

static int fail_number(const char *where, const char *text, struct failure *failure) {
    return failure_set(failure, FAILURE_BAD_PARAM, where, "%s: expected a number, found \"%.60s\"", where,
                       text);
}

/* "1,2,3" as an array; names in quotes, numbers without. */
static int write_list(const char *where, const char *text, bool has_names, struct json_writer *json,
                      struct failure *failure) {
    char item[MEMBER_NAME * 2];
    json_array(json);
    while (*text != '\0') {
        const size_t length = strcspn(text, ",");
        if (length >= sizeof item) {
            return failure_set(failure, FAILURE_BAD_PARAM, where, "%s: \"%.60s\" is too long", where, text);
        }
        (void)snprintf(item, sizeof item, "%.*s", (int)length, text);
        if (has_names) {
            json_string(json, item);
        } else if (is_json_number(item)) {
            json_raw(json, item);
        } else {
            return fail_number(where, item, failure);
        }
        text += length + (text[length] == ',');
    }
    json_end(json);
    return 0;
}

static int write_shaped(const char *where, const char *text, struct json_writer *json,
                        struct failure *failure) {
    if (text[0] == '[' || text[0] == '{' || text[0] == '"') {
        if (!is_json(text)) {
            return failure_set(failure, FAILURE_PARSE, where, "%s: not JSON: %.60s", where, text);
        }
        json_raw(json, text);
        return 0;
    }
    return write_list(where, text, false, json, failure);
}

static int write_value(const char *where, const struct field *field, const char *text,
                       struct json_writer *json, struct failure *failure) {
    if ((field->flags & FIELD_COLUMN) != 0 && strpbrk(text, ",[\"") != NULL) {
        return write_shaped(where, text, json, failure);
    }
    switch (field->type) {
    case FIELD_NAMES:
        return write_list(where, text, true, json, failure);
    case FIELD_POINT:
        return write_list(where, text, false, json, failure);
    case FIELD_SHAPED:
    case FIELD_OBJECT:
    case FIELD_TUPLE:
    case FIELD_ROWS:
        return write_shaped(where, text, json, failure);
    case FIELD_RANGE:
    case FIELD_FLOAT:
    case FIELD_DOUBLE:
    case FIELD_ANGLE:
    case FIELD_UINT32:
    case FIELD_INT32:
    case FIELD_UINT64:
        if (!is_json_number(text)) {
            return fail_number(where, text, failure);
        }
        json_raw(json, text);
        return 0;
    case FIELD_BOOL:
        json_raw(json, "true");
        return 0;
    case FIELD_NAME:
    case FIELD_TEXT:
    case FIELD_CHOICE:
    case FIELD_END:
        break;
    }
    if (!is_utf8(text)) {
        return failure_set(failure, FAILURE_BAD_PARAM, where, "%s: not UTF-8", where);
    }
    json_string(json, text);
    return 0;
}

static int find_member(enum request_op op, const char *name) {
    const struct field *fields = request_fields(op);
    for (int i = 0; fields[i].type != FIELD_END; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- positional arguments ---- */

struct writing {
    const struct request_command *command;
    const struct request_words *words;
    struct json_writer json;
    bool is_given[REQUEST_WORDS_MEMBERS];
    struct failure *failure;
};

static int write_member(struct writing *writing, const char *name, const char *where, const char *text) {
    const int index = find_member(writing->command->op, name);
    if (index < 0 || index >= REQUEST_WORDS_MEMBERS) {
        return failure_set(writing->failure, FAILURE_INTERNAL, where, "%s: the request has no member %s",
                           where, name);
    }
    if (writing->is_given[index]) {
        return failure_set(writing->failure, FAILURE_BAD_PARAM, where, "%s was given twice", name);
    }
    writing->is_given[index] = true;
    json_key(&writing->json, name);
    return write_value(where, &request_fields(writing->command->op)[index], text, &writing->json,
                       writing->failure);
}

static bool is_integer(const char *text) {
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* One argument by the word of its form: "name", "name|agent", "kind.param" or "kind|agent.param". */
static int write_argument(struct writing *writing, const char *word, const char *text) {
    char first[MEMBER_NAME];
    char head[REQUEST_WORDS_VALUE];
    const char *dot = strchr(word, '.');
    const char *cut = dot == NULL ? NULL : strchr(text, '.');
    if (dot != NULL && cut == NULL) {
        return failure_set(writing->failure, FAILURE_BAD_PARAM, text,
                           "\"%.60s\": expected %.20s.%.20s, for example prey.max_speed", text, "KIND",
                           "PARAMETER");
    }
    const size_t length = cut == NULL ? strlen(text) : (size_t)(cut - text);
    if (length >= sizeof head) {
        return failure_set(writing->failure, FAILURE_BAD_PARAM, text, "\"%.60s\" is too long", text);
    }
    memcpy(head, text, length);
    head[length] = '\0';
    (void)snprintf(first, sizeof first, "%.*s", dot == NULL ? (int)strlen(word) : (int)(dot - word), word);
    char *bar = strchr(first, '|');
    if (bar != NULL) {
        *bar = '\0';
    }
    const char *member = bar != NULL && is_integer(head) ? bar + 1 : first;
    if (write_member(writing, member, member, head) != 0) {
        return -1;
    }
    return dot == NULL ? 0 : write_member(writing, dot + 1, dot + 1, cut + 1);
}

/* All arguments that are left, as one array. */
static int write_rest(struct writing *writing, const char *word, int count, char *const *arguments) {
    char member[MEMBER_NAME];
    struct buffer list;
    (void)snprintf(member, sizeof member, "%.*s", (int)strcspn(word, "."), word);
    buffer_init(&list, REQUEST_WORDS_VALUE * 8);
    for (int i = 0; i < count; i++) {
        buffer_printf(&list, "%s%s", i == 0 ? "" : ",", arguments[i]);
    }
    const int result = list.failed
                           ? failure_set(writing->failure, FAILURE_BUSY, NULL, "out of memory")
                           : write_member(writing, member, member, list.data == NULL ? "" : list.data);
    buffer_fini(&list);
    return result;
}

static int count_words(const char *form) {
    int count = 0;
    while (*form != '\0') {
        const size_t length = strcspn(form, " ");
        count += length > 0;
        form += length + (form[length] == ' ');
    }
    return count;
}

static bool takes_rest(const char *form) {
    return strstr(form, "...") != NULL;
}

static const char *choose_form(const struct request_command *command, int count, char *const *arguments) {
    for (int i = 0; i < REQUEST_WORDS_FORMS && command->forms[i] != NULL; i++) {
        const char *form = command->forms[i];
        const bool is_place = strncmp(form, "x ", 2) == 0;
        if ((count_words(form) == count || (takes_rest(form) && count >= count_words(form))) &&
            (!is_place || is_json_number(arguments[0]))) {
            return form;
        }
    }
    return count == 0 ? "" : NULL; /* options may say all */
}

static int fail_form(const struct writing *writing, const char *found) {
    const char *arguments = writing->command->arguments;
    const bool has_place = arguments != NULL && strstr(arguments, "X Y") != NULL;
    return failure_set(writing->failure, FAILURE_BAD_PARAM, NULL, "%s: expected %s, found %s%s",
                       writing->command->name, arguments == NULL ? "no arguments" : arguments, found,
                       has_place ? "; X and Y go together, px; --help shows the usage"
                                 : "; --help shows the usage");
}

static int write_arguments(struct writing *writing, int count, char *const *arguments) {
    char word[MEMBER_NAME];
    char found[MEMBER_NAME * 2];
    const char *form = choose_form(writing->command, count, arguments);
    if (form == NULL) {
        (void)snprintf(found, sizeof found, "%d (%.40s ...)", count, arguments[0]);
        return fail_form(writing, found);
    }
    for (int i = 0; i < count; i++) {
        const size_t length = strcspn(form, " ");
        (void)snprintf(word, sizeof word, "%.*s", (int)length, form);
        if (takes_rest(word)) {
            return write_rest(writing, word, count - i, arguments + i);
        }
        if (write_argument(writing, word, arguments[i]) != 0) {
            return -1;
        }
        form += length + (form[length] == ' ');
    }
    return 0;
}

/* ---- requests ---- */

static void write_document(struct writing *writing) {
    const enum request_op op = writing->command->op;
    const char *key = op == REQUEST_EDIT ? "patch" : "document";
    const int document = find_member(op, key), name = find_member(op, "name");
    const struct request_words *words = writing->words;
    writing->is_given[document] = true;
    json_key(&writing->json, key);
    json_raw(&writing->json, words->document);
    if (op == REQUEST_LOAD && words->values[name][0] == '\0') {
        json_key_string(&writing->json, "name", words->document_name);
    }
}

static int write_options(struct writing *writing) {
    const struct request_command *command = writing->command;
    const struct field *fields = request_fields(command->op);
    for (int i = 0; i < REQUEST_WORDS_MEMBERS && fields[i].type != FIELD_END; i++) {
        char flag[MEMBER_NAME];
        const char *text = writing->words->values[i];
        (void)snprintf(flag, sizeof flag, "--%s", fields[i].name);
        if (text[0] != '\0' && write_member(writing, fields[i].name, flag, text) != 0) {
            return -1;
        }
    }
    for (int i = 0; command->switches[i].flag != NULL; i++) {
        const int index = find_member(command->op, command->switches[i].member);
        if (writing->words->switches[i] && index >= 0) {
            writing->is_given[index] = true;
            json_key(&writing->json, command->switches[i].member);
            json_raw(&writing->json, command->switches[i].value);
        }
    }
    return 0;
}

static bool is_given(const struct writing *writing, const char *member) {
    const int index = member == NULL ? -1 : find_member(writing->command->op, member);
    return index >= 0 && writing->is_given[index];
}

/* Whether the command line says nothing of what a request needs that is nothing without it. */
static bool is_bare(const struct writing *writing, int count) {
    bool may_be = false, has_member = count > 0;
    for (int i = 0; i < REQUEST_WORDS_FORMS && writing->command->forms[i] != NULL; i++) {
        may_be = may_be || writing->command->forms[i][0] == '\0';
    }
    for (int i = 0; i < REQUEST_WORDS_MEMBERS; i++) {
        has_member = has_member || writing->is_given[i];
    }
    return !may_be && !has_member;
}

int request_words_write(const struct request_command *command, const struct request_words *words, int count,
                        char *const *arguments, struct buffer *out, struct failure *failure) {
    struct writing writing = {
        .command = command, .words = words, .json = json_writer_begin(out), .failure = failure};
    json_object(&writing.json);
    json_key_string(&writing.json, "op", request_op_name(command->op));
    if (words->document != NULL) {
        write_document(&writing);
    } else if (write_arguments(&writing, count, arguments) != 0) {
        return -1;
    }
    if (write_options(&writing) != 0) {
        return -1;
    }
    if (is_bare(&writing, count)) {
        return fail_form(&writing, "nothing");
    }
    if (command->implied != NULL && !is_given(&writing, command->implied) &&
        !is_given(&writing, command->unless)) {
        json_key(&writing.json, command->implied);
        json_raw(&writing.json, "true");
    }
    json_key_unsigned(&writing.json, "id", 1);
    json_end(&writing.json);
    return out->failed ? failure_set(failure, FAILURE_BUSY, NULL, "out of memory") : 0;
}

/* Whether this program knows the member as one that is always a text. */
static bool is_text_member(const char *op, const char *name) {
    for (int i = 0; i < REQUEST_OP_COUNT; i++) {
        if (strcmp(request_op_name((enum request_op)i), op) == 0) {
            const int index = find_member((enum request_op)i, name);
            const struct field *field = index < 0 ? NULL : &request_fields((enum request_op)i)[index];
            return field != NULL &&
                   (field->type == FIELD_NAME || field->type == FIELD_TEXT || field->type == FIELD_CHOICE);
        }
    }
    return false;
}

int request_words_ask(const char *op, int count, char *const *words, struct buffer *out,
                      struct failure *failure) {
    struct json_writer json = json_writer_begin(out);
    char name[MEMBER_NAME];
    bool has_id = false;
    json_object(&json);
    json_key_string(&json, "op", is_utf8(op) ? op : "?");
    for (int i = 0; i < count; i++) {
        const size_t length = strcspn(words[i], "=");
        if (words[i][length] != '=' || length == 0 || length >= sizeof name || !is_utf8(words[i])) {
            return failure_set(failure, FAILURE_BAD_PARAM, NULL, "\"%.60s\": expected MEMBER=VALUE in UTF-8",
                               is_utf8(words[i]) ? words[i] : "?");
        }
        (void)snprintf(name, sizeof name, "%.*s", (int)length, words[i]);
        const char *text = words[i] + length + 1;
        has_id = has_id || strcmp(name, "id") == 0;
        json_key(&json, name);
        if (!is_text_member(op, name) && is_json(text)) {
            json_raw(&json, text);
        } else {
            json_string(&json, text);
        }
    }
    if (!has_id) {
        json_key_unsigned(&json, "id", 1);
    }
    json_end(&json);
    return out->failed ? failure_set(failure, FAILURE_BUSY, NULL, "out of memory") : 0;
}

/* ---- request ---- */

/* The commands that send one request and show its reply: a row each. */

#define NO_SWITCHES                                                                                          \
    {                                                                                                        \
        { NULL, NULL, NULL, NULL }                                                                           \
    }

static const struct request_command request_commands[] = {
    {"set",
     REQUEST_SET_PARAM,
     "[KIND.PARAMETER VALUE]",
     "What to set and to which value: prey.max_speed 120; 3.max_speed 120 for agent 3.",
     "Sets a parameter of a kind, or of one agent.",
     {"kind|agent.param value", NULL},
     NO_SWITCHES,
     NULL,
     NULL,
     NULL},
    {"target",
     REQUEST_SET_TARGET,
     "[NAME] [X Y]",
     "The target and its new place, px; a number in place of the name is an agent.",
     "Moves a target, or says where an agent or a kind is to go.",
     {"name|agent x y", "x y", "name|agent", NULL},
     NO_SWITCHES,
     NULL,
     NULL,
     NULL},
    {"spawn",
     REQUEST_SPAWN,
     "KIND [COUNT [X Y]]",
     "The kind, how many, and the place, px.",
     "Adds agents.",
     {"kind", "kind count", "kind count x y", NULL},
     NO_SWITCHES,
     NULL,
     NULL,
     NULL},
    {"remove",
     REQUEST_REMOVE,
     "[AGENT...]",
     "The ids of agents.",
     "Removes agents, or with --kind all of a kind.",
     {"agents...", NULL},
     NO_SWITCHES,
     " agent agents ",
     NULL,
     NULL},
    {"place",
     REQUEST_PLACE,
     "AGENT [X Y]",
     "The id of an agent, and its new place, px.",
     "Puts an agent elsewhere, or gives it another velocity, heading or stamina.",
     {"agent", "agent x y", NULL},
     NO_SWITCHES,
     " agent ",
     NULL,
     NULL},
    {"inspect",
     REQUEST_INSPECT,
     "AGENT...",
     "The ids of agents, 16 at most.",
     "Says what agents are about to do, and why.",
     {"agents...", NULL},
     NO_SWITCHES,
     " agent agents ",
     NULL,
     NULL},
    {"measure",
     REQUEST_MEASURE,
     "[NAME...]",
     "Gates and areas; all when left out.",
     "Says how many agents went through gates each way, and how many are in areas, how fast and how densely.",
     {"names...", "", NULL},
     NO_SWITCHES,
     " names ",
     NULL,
     NULL},
    {"params",
     REQUEST_GET_PARAMS,
     "[KIND]",
     "One kind; all when left out.",
     "Lists what set can set.",
     {"kind", "", NULL},
     NO_SWITCHES,
     " kind ",
     NULL,
     NULL},
    {"pause",
     REQUEST_PAUSE,
     NULL,
     NULL,
     "Stops the time of the world.",
     {"", NULL},
     NO_SWITCHES,
     NULL,
     NULL,
     NULL},
    {"resume",
     REQUEST_RESUME,
     NULL,
     NULL,
     "Lets the time of the world go on.",
     {"", NULL},
     NO_SWITCHES,
     NULL,
     NULL,
     NULL},
    {"step",
     REQUEST_STEP,
     "[COUNT]",
     "How many ticks; 1 when left out.",
     "Does ticks of a paused world, and says the hash then.",
     {"count", "", NULL},
     NO_SWITCHES,
     " count ",
     NULL,
     NULL},
    {"speed",
     REQUEST_SPEED,
     "[FACTOR]",
     "Times as fast as the clock.",
     "Sets how fast the time of the world goes.",
     {"factor", NULL},
     NO_SWITCHES,
     " factor ",
     NULL,
     NULL},
    {"rewind",
     REQUEST_REWIND,
     "[SECONDS]",
     "How far back, in the world's time.",
     "Goes back in the running world: by seconds or --ticks, to a --tick or --mark, or to the end of a "
     "--branch.",
     {"seconds", "", NULL},
     NO_SWITCHES,
     " seconds ",
     NULL,
     NULL},
    {"mark",
     REQUEST_MARK,
     "NAME",
     "What to call it.",
     "Puts a name on the moment where the world is; rewind --mark goes back there.",
     {"name", NULL},
     NO_SWITCHES,
     " name ",
     NULL,
     NULL},
    {"compare",
     REQUEST_COMPARE,
     NULL,
     NULL,
     "Runs a twin of the world beside it, or of a --branch or --save, with another --value of a --kind's "
     "--param.",
     {"", NULL},
     {{"alone", "follow", "false", "What changes the world later does not change the twin."},
      {NULL, NULL, NULL, NULL}},
     " follow ",
     NULL,
     NULL},
    {"seek",
     REQUEST_SEEK,
     "TICK",
     "The tick.",
     "Goes to a tick of the recording that the server plays.",
     {"tick", NULL},
     NO_SWITCHES,
     " tick ",
     NULL,
     NULL},
    {"load",
     REQUEST_LOAD,
     "[SCENARIO | FILE.json]",
     "Its name, as list has it; or the path of a file here, with a / or .json, whose text is sent.",
     "Puts a scenario, or with --save a saved world, in place of the world.",
     {"scenario", "", NULL},
     {{"no-warmup", "warmup", "false", "Without the warm-up of the scenario."}, {NULL, NULL, NULL, NULL}},
     " scenario document warmup ",
     NULL,
     NULL},
    {"edit",
     REQUEST_EDIT,
     "FILE.json",
     "The path of a file here with a JSON merge patch (RFC 7396) of what export --scenario writes.",
     "Changes the scenario that the world goes by, while its agents live on.",
     {"patch", NULL},
     NO_SWITCHES,
     " patch ",
     NULL,
     NULL},
    {"save",
     REQUEST_SAVE,
     "NAME",
     "What to call it.",
     "Keeps the world as it is, in the server.",
     {"name", NULL},
     NO_SWITCHES,
     " name ",
     NULL,
     NULL},
    {"record",
     REQUEST_RECORD,
     "[NAME]",
     "Of the file, without .drover; one that says when, if left out.",
     "Writes a recording, in the server's folder, from now on until --stop, or of what --last says.",
     {"name", "", NULL},
     {{"stop", "on", "false", "End the recording that is being written."}, {NULL, NULL, NULL, NULL}},
     " on name ",
     "on",
     "last"},
    {.name = NULL},
};

const struct request_command *request_command_find(const char *name) {
    for (const struct request_command *command = request_commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
    }
    return NULL;
}

void live_show(struct live *live, const struct drover_message *reply) {
    if (live->is_json) {
        size_t length = 0;
        const char *text = drover_message_text(reply, &length);
        shown_json_append(&live->output.buffer, text, length);
        buffer_append_text(&live->output.buffer, "\n");
        return;
    }
    const struct text_style style = live_style(live);
    message_view(reply, &style, &live->output.buffer);
}

/* Connects, sends one request, shows its reply. */
static enum exit_code ask_once(const struct command_context *context, const struct live_options *options,
                               const char *request) {
    struct live live;
    enum exit_code code = EXIT_WELL;
    if (live_begin(&live, context, options, &code) == 0 &&
        live_connect(&live, DROVER_RECONNECT_NEVER, &code) == 0) {
        struct drover_message *reply = live_ask(&live, request, &code);
        if (reply != NULL) {
            live_show(&live, reply);
            (void)live_write(&live);
        }
        drover_message_free(reply);
    }
    return live_end(&live, code);
}

/* Whether the argument of load is a file here, as for drover-server, and not a name that the server knows. That of edit is one. */
static bool is_scenario_file(const struct request_command *command, int count, char *const *arguments) {
    const size_t length = count == 1 ? strlen(arguments[0]) : 0;
    if (command->op == REQUEST_EDIT) {
        return count == 1;
    }
    return command->op == REQUEST_LOAD && count == 1 &&
           (strchr(arguments[0], '/') != NULL ||
            (length > 5 && strcmp(arguments[0] + length - 5, ".json") == 0));
}

/* The text of a scenario's file as a line has it; malloc'd, NULL with *failure. Whether it is a scenario is for the server to say:
 * a later one may know more. */
static char *read_document(const char *command, const char *path, char name[LIMIT_NAME_CHARS + 1],
                           struct failure *failure) {
    char *text = NULL;
    size_t length = 0;
    char reason[REGULAR_FILE_REASON];
    struct json_fault fault;
    const struct json_limits limits = json_limits_file();
    const enum regular_file_result result =
        regular_file_read(path, LIMIT_SCENARIO_BYTES, &text, &length, reason);
    if (result != REGULAR_FILE_OK) {
        (void)failure_set(failure, FAILURE_IO, NULL, "%s: %.200s: %s%s", command, path, reason,
                          result == REGULAR_FILE_MISSING && strcmp(command, "load") == 0
                              ? "; a scenario of the server is loaded by its name, without .json"
                              : "");
        return NULL;
    }
    if (json_check(text, length, &limits, &fault) != JSON_FINE) {
        (void)failure_set(failure, FAILURE_PARSE, NULL, "%s: %.200s:%d:%d: %s", command, path, fault.line,
                          fault.column, fault.message);
        free(text);
        return NULL;
    }
    text[json_compact(text, length, text)] = '\0';
    name_from_path(path, name);
    return text;
}

static int write_request(const struct request_command *command, struct request_words *words, int count,
                         char *const *arguments, struct buffer *request, struct failure *failure) {
    char *document = NULL;
    if (is_scenario_file(command, count, arguments)) {
        document = read_document(command->name, arguments[0], words->document_name, failure);
        if (document == NULL) {
            return -1;
        }
    }
    words->document = document;
    int result = request_words_write(command, words, count, arguments, request, failure);
    if (result == 0 && document != NULL && request->length > LIMIT_ADMIN_LINE_BYTES) {
        result =
            failure_set(failure, FAILURE_TOO_LONG, NULL,
                        "%s: %.200s: %zu bytes without the white space between values; allowed: about %d%s",
                        command->name, arguments[0], strlen(document), LIMIT_ADMIN_LINE_BYTES,
                        command->op == REQUEST_LOAD ? ", or its name, of a file in the server's folder" : "");
    }
    words->document = NULL;
    free(document);
    return result;
}

static enum exit_code send(const struct command_context *context, const struct request_command *command,
                           struct request_words *words, int count, char *const *arguments) {
    struct buffer request;
    struct failure failure = {0};
    buffer_init(&request, LIMIT_SCENARIO_BYTES + (1 << 20));
    enum exit_code code = EXIT_USAGE;
    if (write_request(command, words, count, arguments, &request, &failure) != 0) {
        code = command_complain(context, &failure, EXIT_USAGE);
    } else {
        code = ask_once(context, &words->live, request.data);
    }
    buffer_fini(&request);
    return code;
}

enum exit_code command_request(const struct command_context *context, int argc, char **argv) {
    const struct request_command *command = request_command_find(argv[0]);
    struct request_words *words = calloc(1, sizeof *words);
    struct request_options *options = calloc(1, sizeof *options);
    enum exit_code code = EXIT_DIFFERS;
    int count = 0;
    if (command == NULL || words == NULL || options == NULL) {
        live_say("out of memory");
    } else {
        words->live.timeout = LIVE_TIMEOUT_S;
        request_options_make(command, options);
        if (command_options(&options->def, argc, argv, words, 0, argc, &count, &code)) {
            code = send(context, command, words, count, argv + 1);
        }
    }
    free(options);
    free(words);
    return code;
}

/* ---- ask: any request ---- */

struct ask_options {
    struct live_options live;
};

static const struct field ask_table[] = {
    LIVE_OPTION_ROWS(struct ask_options, live),
    OPTIONS_END,
};
const struct options_def command_ask_options = {
    .program = "drover ask",
    .summary = "Sends any request and shows its reply.",
    .positional = "OP [MEMBER=VALUE...]",
    .positional_help =
        "The request (drover help lists those of the server) and its members: JSON, or a text.",
    .takes_several = true,
    .table = ask_table,
};

enum exit_code command_ask(const struct command_context *context, int argc, char **argv) {
    struct ask_options options = {.live.timeout = LIVE_TIMEOUT_S};
    struct failure failure = {0};
    struct buffer request;
    enum exit_code code = EXIT_USAGE;
    int count = 0;
    if (!command_options(&command_ask_options, argc, argv, &options, 1, argc, &count, &code)) {
        return code;
    }
    buffer_init(&request, 1 << 20);
    if (request_words_ask(argv[1], count - 1, argv + 2, &request, &failure) != 0) {
        code = command_complain(context, &failure, EXIT_USAGE);
    } else {
        code = ask_once(context, &options.live, request.data);
    }
    buffer_fini(&request);
    return code;
}
