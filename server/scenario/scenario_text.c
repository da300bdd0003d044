/* See scenario_read.h; the list of mistakes, which scenario.h has, comes first. Owns nothing. */
#include "server/scenario/scenario.h"

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/json/field_json.h"
#include "common/text/names.h"
#include "server/scenario/scenario_read.h"

bool scenario_mistake(struct scenario_mistakes *mistakes, const struct failure *failure) {
    assert(mistakes->count < mistakes->capacity);
    mistakes->rows[mistakes->count++] = *failure;
    return mistakes->count < mistakes->capacity && failure->code != FAILURE_BUSY;
}

int scenario_read_fields(const struct field *table, const cJSON *json, const char *path,
                         const char *const *known, void *object, uint64_t *present, bool *is_whole,
                         struct scenario_mistakes *mistakes) {
    const int before = mistakes->count;
    struct failure failure = {0};
    uint64_t seen = 0;
    *is_whole = false;
    if (!cJSON_IsObject(json)) {
        (void)scenario_expect(false, "an object", json, path, &failure);
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        if (fields_read_member(table, item, path, known, object, &seen, &failure) != 0 &&
            !scenario_mistake(mistakes, &failure)) {
            return -1;
        }
    }
    if (fields_check_required(table, path, seen, &failure) != 0 && !scenario_mistake(mistakes, &failure)) {
        return -1;
    }
    if (present != NULL) {
        *present = seen;
    }
    *is_whole = mistakes->count == before;
    return 0;
}

/* ---- text ---- */

/* A path that is too long is cut: it is for people. */
void scenario_path(char out[SCENARIO_PATH_BYTES], const char *text, ...) {
    va_list arguments;
    va_start(arguments, text);
    (void)vsnprintf(out, SCENARIO_PATH_BYTES, text, arguments);
    va_end(arguments);
}

int scenario_expect(bool is_right, const char *wanted, const cJSON *found, const char *path,
                    struct failure *failure) {
    return is_right ? 0
                    : failure_set(failure, FAILURE_BAD_PARAM, path, "expected %s, found %s", wanted,
                                  json_type_name(found));
}

int scenario_check_name(const char *name, const char *path, struct failure *failure) {
    if (name_is_valid(name, strlen(name))) {
        return 0;
    }
    return failure_set(failure, FAILURE_BAD_PARAM, path,
                       "\"%.40s\" is not a name: 1 to %d characters of A-Z a-z 0-9 _ -", name,
                       LIMIT_NAME_CHARS);
}

/* Controls; separators of lines and paragraphs; what turns the direction of a text. */
static bool is_hidden(uint32_t code_point) {
    static const struct {
        uint32_t first, last;
    } spans[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C},
                 {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        if (code_point >= spans[i].first && code_point <= spans[i].last) {
            return true;
        }
    }
    return false;
}

int scenario_check_text(const char *text, bool with_lines, const char *path, struct failure *failure) {
    const size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        const size_t size = utf8_character(text + i, length - i);
        assert(size > 0); /* JSON that was checked is UTF-8 */
        const uint32_t code_point = utf8_code_point(text + i, size);
        if (is_hidden(code_point) && !(with_lines && code_point == '\n')) {
            return failure_set(failure, FAILURE_BAD_PARAM, path,
                               "U+%04X at byte %zu; a text has no control characters, line separators%s or "
                               "characters that turn its direction",
                               (unsigned)code_point, i + 1, with_lines ? " (but line feeds)" : "");
        }
        i += size;
    }
    return 0;
}

struct scenario_names scenario_names_begin(const char *typed) {
    return (struct scenario_names){.nearest = nearest_name_begin(typed)};
}

void scenario_names_add(struct scenario_names *names, const char *name, bool is_quoted) {
    nearest_name_offer(&names->nearest, name);
    text_list_add(names->list, sizeof names->list, name, is_quoted);
}

int scenario_names_fail(const struct scenario_names *names, enum failure_code code, const char *what,
                        const char *whose, const char *path, struct failure *failure) {
    char found[FIELD_QUOTE_BYTES + 6], hint[NEAREST_HINT_BYTES];
    field_quote(names->nearest.typed, found);
    nearest_name_hint(&names->nearest, hint);
    return failure_set(failure, code, path, "no %s %s%s; %s %s", what, found, hint, whose,
                       names->list[0] == '\0' ? "none" : names->list);
}

int scenario_fail_listed(const char *typed, const char *const *listed, const char *what, const char *path,
                         struct failure *failure) {
    struct scenario_names names = scenario_names_begin(typed);
    for (; *listed != NULL; listed++) {
        scenario_names_add(&names, *listed, false);
    }
    return scenario_names_fail(&names, FAILURE_BAD_PARAM, what, "there are", path, failure);
}

int scenario_check_kind(const struct world_def *def, const char *name, const char *path,
                        struct failure *failure) {
    struct scenario_names names = scenario_names_begin(name);
    for (int i = 0; i < def->kind_count; i++) {
        if (strcmp(def->kinds[i].name, name) == 0) {
            return 0;
        }
        scenario_names_add(&names, def->kinds[i].name, true);
    }
    return scenario_names_fail(&names, FAILURE_NO_KIND, "kind", "this scenario has", path, failure);
}
