/* See request_words.h. */
#include "clients/drover/live/request_words.h"

#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/json/json_check.h"

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
    case FIELD_UINT64:
        return "N";
    case FIELD_POINT:
        return "X,Y";
    case FIELD_NAMES:
        return "LIST";
    case FIELD_SHAPED:
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

void request_options_make(const struct request_command *command, struct request_options *options) {
    static const struct field live_rows[] = {LIVE_OPTION_ROWS(struct request_words, live), OPTIONS_END};
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
        return write_shaped(where, text, json, failure);
    case FIELD_RANGE:
    case FIELD_FLOAT:
    case FIELD_DOUBLE:
    case FIELD_ANGLE:
    case FIELD_UINT32:
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
    if (write_arguments(&writing, count, arguments) != 0 || write_options(&writing) != 0) {
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
