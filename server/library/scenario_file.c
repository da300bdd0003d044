/* See scenario_library.h: one scenario from a file, without a folder of them. Owns nothing. */
#include "server/library/scenario_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/regular_file.h"
#include "common/text/names.h"

/* The code of a file that cannot be read: one that is not there is another matter than one that may not be.
 */
static enum failure_code code_of(enum regular_file_result result) {
    return result == REGULAR_FILE_MISSING ? FAILURE_NO_SCENARIO
           : result == REGULAR_FILE_SHORT ? FAILURE_BUSY
                                          : FAILURE_BAD_SCENARIO;
}

/* The whole file, malloc'd; NULL with *failure. */
static char *read_text(const char *path, size_t *length, struct failure *failure) {
    char *text = NULL;
    char reason[REGULAR_FILE_REASON];
    const enum regular_file_result result =
        regular_file_read(path, LIMIT_SCENARIO_BYTES, &text, length, reason);
    if (result != REGULAR_FILE_OK) {
        (void)failure_set(failure, code_of(result), NULL, "%s", reason);
    }
    return text;
}

int scenario_text_read(const char *text, size_t length, struct scenario *scenario, struct failure *failure) {
    struct failure inner = {0};
    if (scenario_read(text, length, scenario, &inner) == 0) {
        return 0;
    }
    const enum failure_code code = inner.code == FAILURE_BUSY ? FAILURE_BUSY : FAILURE_BAD_SCENARIO;
    (void)failure_set(failure, code, inner.field, "%s%s%s", inner.field, inner.field[0] == '\0' ? "" : ": ",
                      inner.message);
    failure->line = inner.line;
    failure->column = inner.column;
    return -1;
}

int scenario_file_read(const char *path, struct scenario *scenario, struct failure *failure) {
    scenario_init(scenario);
    size_t length = 0;
    char *text = read_text(path, &length, failure);
    if (text == NULL) {
        return -1;
    }
    const int read = scenario_text_read(text, length, scenario, failure);
    free(text);
    if (read == 0) {
        name_from_path(path, scenario->name);
    }
    return read;
}

bool scenario_file_check(const char *path, struct scenario_mistakes *mistakes) {
    struct scenario scenario;
    struct failure failure = {0};
    size_t length = 0;
    char *text = read_text(path, &length, &failure);
    if (text == NULL) {
        scenario_mistake(mistakes, &failure);
        return false;
    }
    const int read = scenario_read_all(text, length, &scenario, mistakes);
    free(text);
    if (read == 0) {
        scenario_fini(&scenario);
    }
    return read == 0;
}

int scenario_file_fail(const char *name, const struct failure *reason, struct failure *failure) {
    char place[32] = "";
    if (reason->line > 0) {
        (void)snprintf(place, sizeof place, ":%d:%d", reason->line, reason->column);
    }
    return failure_set(failure, reason->code, reason->field, "%s%s: %s", name, place, reason->message);
}

int scenario_file_load(const char *path, struct scenario *scenario, struct failure *failure) {
    struct failure inner = {0};
    return scenario_file_read(path, scenario, &inner) == 0 ? 0 : scenario_file_fail(path, &inner, failure);
}
