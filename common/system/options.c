/* Command-line options from a table. Owns nothing.
 *
 * Invariants: a value passes the same checks as a JSON value (field_json), so a range is written once;
 * nothing is printed unless --help or --version was asked for.
 */
#include "common/system/options.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buffer.h"
#include "common/json/field_json.h"
#include "common/json/json_check.h"

enum { HELP_COLUMN = 26, HELP_BYTES = 1024 };

static bool takes_number(const struct field *field) {
    return field->type <= FIELD_UINT64;
}

/* A cJSON number of a text that is one, else NULL: cJSON reads numbers in any locale, strtod does not. */
static cJSON *parse_number(const char *text) {
    const struct json_limits limits = json_limits_line();
    struct json_fault fault;
    const bool is_plain = text[0] == '-' || (text[0] >= '0' && text[0] <= '9');
    if (!is_plain || json_check(text, strlen(text), &limits, &fault) != JSON_FINE) {
        return NULL;
    }
    return cJSON_ParseWithLength(text, strlen(text));
}

/* A choice, a name and a text come as they are; what is not a number becomes a string too, and is refused as
 * one. */
static cJSON *value_of(const struct field *field, const char *text) {
    cJSON *number = takes_number(field) ? parse_number(text) : NULL;
    return number != NULL ? number : cJSON_CreateStringReference(text);
}

static enum options_result bad_option(struct failure *failure, enum failure_code code, const char *flag,
                                      const char *reason) {
    (void)failure_set(failure, code, flag, "%s: %s", flag, reason);
    return OPTIONS_BAD;
}

/* A further value of an option that may be repeated, after the earlier ones. False when there is no room. */
static bool append_text(const struct field *field, const char *text, void *object) {
    char *list = (char *)object + field->offset;
    const size_t used = strlen(list), length = strlen(text);
    if (used + 1 + length >= field->size) {
        return false;
    }
    list[used] = ' ';
    memcpy(list + used + 1, text, length + 1);
    return true;
}

static enum options_result set_value(const struct field *field, const char *text, void *object,
                                     struct failure *failure) {
    char flag[80];
    (void)snprintf(flag, sizeof flag, "--%s", field->name);
    cJSON *value = value_of(field, text);
    if (value == NULL) {
        return bad_option(failure, FAILURE_BUSY, flag, "out of memory");
    }
    struct failure inner;
    enum options_result result = OPTIONS_RUN;
    if (takes_number(field) && !cJSON_IsNumber(value)) {
        char reason[128];
        (void)snprintf(reason, sizeof reason, "expected a number, found \"%.60s\"", text);
        result = bad_option(failure, FAILURE_BAD_PARAM, flag, reason);
    } else if ((field->flags & FIELD_LIST) != 0 && ((const char *)object)[field->offset] != '\0') {
        result = append_text(field, text, object)
                     ? OPTIONS_RUN
                     : bad_option(failure, FAILURE_OUT_OF_RANGE, flag, "too many values");
    } else if (field_read_value(field, value, flag, object, &inner) != 0) {
        result = bad_option(failure, inner.code, flag, inner.message);
    }
    cJSON_Delete(value);
    return result;
}

/* The row whose name is text[0..length), or NULL. */
static const struct field *find_flag(const struct field *table, const char *text, size_t length) {
    for (; table->type != FIELD_END; table++) {
        if (strlen(table->name) == length && memcmp(table->name, text, length) == 0) {
            return table;
        }
    }
    return NULL;
}

/* argument: what follows "--"; next: the argument after it, or NULL. *used_next says that it was the value.
 */
static enum options_result read_flag(const struct options_def *def, const char *argument, const char *next,
                                     void *object, bool *used_next, struct failure *failure) {
    const char *equals = strchr(argument, '=');
    const size_t length = equals == NULL ? strlen(argument) : (size_t)(equals - argument);
    const struct field *field = find_flag(def->table, argument, length);
    char flag[80];
    (void)snprintf(flag, sizeof flag, "--%.*s", length > 60 ? 60 : (int)length, argument);
    *used_next = false;
    if (field == NULL) {
        return bad_option(failure, FAILURE_BAD_PARAM, flag, "unknown option; --help lists them");
    }
    if (field->type == FIELD_BOOL) {
        if (equals != NULL) {
            return bad_option(failure, FAILURE_BAD_PARAM, flag, "takes no value");
        }
        *(bool *)((char *)object + field->offset) = true;
        return OPTIONS_RUN;
    }
    if (equals == NULL && next == NULL) {
        char reason[64];
        (void)snprintf(reason, sizeof reason, "needs a value: %s",
                       field->unit == NULL ? "VALUE" : field->unit);
        return bad_option(failure, FAILURE_BAD_PARAM, flag, reason);
    }
    *used_next = equals == NULL;
    return set_value(field, equals == NULL ? next : equals + 1, object, failure);
}

static enum options_result read_positional(const struct options_def *def, const char *argument,
                                           const char **positional, struct failure *failure) {
    if (def->positional == NULL || (*positional != NULL && !def->takes_several)) {
        (void)failure_set(failure, FAILURE_BAD_PARAM, NULL,
                          "unexpected argument \"%.60s\"; --help shows the usage", argument);
        return OPTIONS_BAD;
    }
    *positional = *positional == NULL ? argument : *positional;
    return OPTIONS_RUN;
}

/* ---- help ---- */

/* "--port N" in a column, then the text behind it, broken before it gets too wide. */
static void print_row(const char *head, const char *text, FILE *out) {
    enum { WIDTH = 100 };
    int column = fprintf(out, "  %s", head);
    if (column >= HELP_COLUMN - 1) {
        (void)fputc('\n', out);
        column = 0;
    }
    (void)fprintf(out, "%*s", HELP_COLUMN - column, "");
    column = HELP_COLUMN;
    while (*text != '\0') {
        const int word = (int)strcspn(text, " ");
        if (column > HELP_COLUMN && column + 1 + word > WIDTH) {
            (void)fprintf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        }
        column += fprintf(out, "%s%.*s", column > HELP_COLUMN ? " " : "", word, text);
        text += word;
        text += strspn(text, " ");
    }
    (void)fputc('\n', out);
}

static const char *choice_name(const struct field *field, const void *object) {
    const void *member = object == NULL ? NULL : (const char *)object + field->offset;
    return field->choices[member == NULL ? (int)field->initial : *(const int *)member];
}

/* The default, from the object that holds it or else from the table; nothing for an empty text. */
static void append_default(const struct field *field, const void *object, struct buffer *text) {
    if (field->type == FIELD_CHOICE) {
        buffer_append_text(text, choice_name(field, object));
    } else if (takes_number(field)) {
        struct json_writer json = json_writer_begin(text);
        json_number(&json, object == NULL ? field->initial : field_get_number(field, object));
    } else if (object != NULL && field->type != FIELD_BOOL) {
        buffer_append_text(text, (const char *)object + field->offset);
    }
}

/* "0 to 65535" or "error, warn, info" */
static void append_allowed(const struct field *field, struct buffer *text) {
    if (takes_number(field)) {
        char low[JSON_NUMBER_TEXT];
        char high[JSON_NUMBER_TEXT];
        (void)json_number_text(low, field->min);
        (void)json_number_text(high, field->max);
        buffer_printf(text, "%s to %s", low, high);
    }
    for (int i = 0; field->type == FIELD_CHOICE && field->choices[i] != NULL; i++) {
        buffer_printf(text, "%s%s", i == 0 ? "" : ", ", field->choices[i]);
    }
}

static void print_option(const struct field *field, const void *object, FILE *out) {
    char head[80];
    const bool is_switch = field->type == FIELD_BOOL;
    (void)snprintf(head, sizeof head, "--%s%s%s", field->name, is_switch ? "" : " ",
                   is_switch             ? ""
                   : field->unit == NULL ? "VALUE"
                                         : field->unit);
    struct buffer allowed;
    struct buffer initial;
    struct buffer text;
    buffer_init(&allowed, HELP_BYTES);
    buffer_init(&initial, HELP_BYTES);
    buffer_init(&text, 4 * HELP_BYTES);
    append_allowed(field, &allowed);
    append_default(field, object, &initial);
    buffer_append_text(&text, field->help);
    if (allowed.length > 0 || initial.length > 0) {
        buffer_printf(&text, " (%s%s%s%s)", allowed.length > 0 ? allowed.data : "",
                      allowed.length > 0 && initial.length > 0 ? "; " : "",
                      initial.length > 0 ? "default " : "", initial.length > 0 ? initial.data : "");
    }
    print_row(head, text.data == NULL ? field->help : text.data, out);
    buffer_fini(&allowed);
    buffer_fini(&initial);
    buffer_fini(&text);
}

static void print_help(const struct options_def *def, const void *object, FILE *out) {
    (void)fprintf(out, "Usage: %s [OPTIONS]%s%s\n%s\n\n", def->program, def->positional == NULL ? "" : " ",
                  def->positional == NULL ? "" : def->positional, def->summary);
    if (def->positional != NULL) {
        print_row(def->positional, def->positional_help, out);
    }
    for (const struct field *field = def->table; field->type != FIELD_END; field++) {
        print_option(field, object, out);
    }
    print_row("--help", "Shows this and exits.", out);
    print_row("--version", "Shows the version and exits.", out);
    if (def->epilog != NULL) {
        (void)fprintf(out, "\n%s\n", def->epilog);
    }
    if (def->print_more != NULL) {
        def->print_more(out);
    }
}

void options_print_help(const struct options_def *def, FILE *out) {
    print_help(def, NULL, out);
}

/* ---- parsing ---- */

/* --help and --version win over everything else on the line, so that --help shows the defaults untouched. */
static bool print_what_was_asked(const struct options_def *def, int argc, char **argv, const void *object) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(def, object, stdout);
            return true;
        }
        if (strcmp(argv[i], "--version") == 0) {
            (void)printf("%s %s\n", def->program, DROVER_VERSION);
            return true;
        }
    }
    return false;
}

/* Whether this argument is no flag and no flag's value. Of several arguments one may be a negative number. */
static bool is_positional(const struct options_def *def, const char *argument, bool flags_are_over) {
    const bool is_number =
        def->takes_several && argument[0] == '-' && argument[1] >= '0' && argument[1] <= '9';
    return flags_are_over || argument[0] != '-' || argument[1] == '\0' || is_number;
}

/* Reads argv[*index] and, when it takes a value, steps over that too. */
static enum options_result read_argument(const struct options_def *def, int argc, char **argv, int *index,
                                         void *object, const char **positional, struct failure *failure) {
    const char *argument = argv[*index];
    if (is_positional(def, argument, false)) {
        return read_positional(def, argument, positional, failure);
    }
    if (argument[1] != '-') {
        char flag[80];
        (void)snprintf(flag, sizeof flag, "%.60s", argument);
        return bad_option(failure, FAILURE_BAD_PARAM, flag, "unknown option; --help lists them");
    }
    bool used_next = false;
    const char *next = *index + 1 < argc ? argv[*index + 1] : NULL;
    const enum options_result result = read_flag(def, argument + 2, next, object, &used_next, failure);
    *index += used_next;
    return result;
}

enum options_result options_parse(const struct options_def *def, int argc, char **argv, void *object,
                                  const char **positional, struct failure *failure) {
    bool flags_are_over = false;
    const char *found = NULL;
    int count = 0; /* of positional arguments, moved to the front */
    if (print_what_was_asked(def, argc, argv, object)) {
        return OPTIONS_EXIT;
    }
    for (int i = 1; i < argc; i++) {
        if (!flags_are_over && strcmp(argv[i], "--") == 0) {
            flags_are_over = true;
            continue;
        }
        char *const argument = argv[i];
        const bool moves = is_positional(def, argument, flags_are_over);
        const enum options_result result = flags_are_over
                                               ? read_positional(def, argument, &found, failure)
                                               : read_argument(def, argc, argv, &i, object, &found, failure);
        if (result != OPTIONS_RUN) {
            return result;
        }
        if (moves && def->takes_several) {
            argv[1 + count++] = argument;
        }
    }
    if (def->takes_several && 1 + count < argc) {
        argv[1 + count] = NULL;
    }
    if (positional != NULL) {
        *positional = found;
    }
    return OPTIONS_RUN;
}
