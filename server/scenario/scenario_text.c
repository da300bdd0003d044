/* See scenario_text.h. */
#include "server/scenario/scenario_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/text/name_table.h"
#include "common/text/text_list.h"

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

/* Appends one more quoted name to a list for people, while there is room. */
void scenario_list_name(char list[SCENARIO_LIST_BYTES], const char *name) {
    text_list_add(list, SCENARIO_LIST_BYTES, name, true);
}
