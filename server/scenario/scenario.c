/* See scenario.h: the file as a whole. Its parts are read in scenario_world.c. */
#include "server/scenario/scenario.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/json/field_json.h"
#include "common/json/json_check.h"
#include "common/system/regular_file.h"
#include "common/text/name_table.h"
#include "server/scenario/scenario_world.h"

static const struct field scenario_fields[] = {
    {.name = "name",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct scenario, title),
     .flags = FIELD_REQUIRED,
     .help = "The title people read."},
    {.name = "description",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct scenario, description),
     .help = "What there is to see."},
    {.name = "seed",
     .type = FIELD_UINT64,
     FIELD_MEMBER(struct scenario, def.seed),
     .min = 0.0,
     .max = LIMIT_ID_INTEGER,
     .initial = 1.0,
     .help = "Of everything random."},
    {.name = "tick_hz",
     .type = FIELD_DOUBLE,
     FIELD_MEMBER(struct scenario, def.tick_hz),
     .min = 1.0,
     .max = LIMIT_TICK_HZ,
     .initial = 60.0,
     .unit = "Hz",
     .help = "Ticks a second."},
    {.type = FIELD_END},
};

static const char *const parts[] = {"world", "targets", "kinds", "agents", NULL};

void scenario_init(struct scenario *scenario) {
    *scenario = (struct scenario){.def = world_def_default()};
}

void scenario_fini(struct scenario *scenario) {
    world_def_fini(&scenario->def);
}

/* Parts after one with mistakes are read as well: they name what it has. */
static int read_root(const cJSON *root, struct scenario *scenario, struct scenario_mistakes *mistakes) {
    struct world_def *def = &scenario->def;
    bool is_whole = false;
    if (scenario_read_fields(scenario_fields, root, "", parts, scenario, NULL, &is_whole, mistakes) != 0 ||
        scenario_read_world(root, def, mistakes) != 0 || scenario_read_targets(root, def, mistakes) != 0 ||
        scenario_read_kinds(root, def, mistakes) != 0 || scenario_read_agents(root, def, mistakes) != 0) {
        return -1;
    }
    return 0;
}

/* What is no object at all may be anything, so nothing of it is shown: its first byte is as much as a person
 * who wrote a scenario needs to know about. */
static int fail_json(const char *text, size_t length, const struct json_fault *fault,
                     struct failure *failure) {
    size_t first = 0;
    while (first < length && text[first] != '\0' && strchr(" \t\r\n", text[first]) != NULL) {
        first++;
    }
    if (first < length && text[first] != '{') {
        return failure_set(failure, FAILURE_PARSE, NULL,
                           "byte %zu: not a scenario; expected an object, which begins with {", first + 1);
    }
    return failure_set(failure, FAILURE_PARSE, NULL, "line %d, column %d: %s", fault->line, fault->column,
                       fault->message);
}

int scenario_read_all(const char *text, size_t length, struct scenario *scenario,
                      struct scenario_mistakes *mistakes) {
    scenario_init(scenario);
    const int before = mistakes->count;
    const struct json_limits limits = json_limits_file();
    struct json_fault fault;
    struct failure failure = {0};
    cJSON *root = NULL;
    if (json_check(text, length, &limits, &fault) != JSON_FINE) {
        (void)fail_json(text, length, &fault, &failure);
    } else if ((root = cJSON_ParseWithLength(text, length)) == NULL) {
        (void)failure_set(&failure, FAILURE_BUSY, NULL, "out of memory");
    }
    if (root == NULL) {
        scenario_mistake(mistakes, &failure);
        return -1;
    }
    (void)read_root(root, scenario, mistakes);
    cJSON_Delete(root);
    if (mistakes->count > before) {
        scenario_fini(scenario);
        scenario_init(scenario);
        return -1;
    }
    return 0;
}

int scenario_read(const char *text, size_t length, struct scenario *scenario, struct failure *failure) {
    struct scenario_mistakes first = {.rows = failure, .capacity = 1};
    return scenario_read_all(text, length, scenario, &first);
}

/* The code of a file that cannot be read: one that is not there is another matter than one that may not be.
 */
static enum failure_code code_of(enum regular_file_result result) {
    return result == REGULAR_FILE_MISSING ? FAILURE_NO_SCENARIO
           : result == REGULAR_FILE_SHORT ? FAILURE_BUSY
                                          : FAILURE_BAD_SCENARIO;
}

/* "some/dir/hunters.json" -> "hunters". Characters a name cannot have become '_'. */
static void name_from_path(const char *path, char name[LIMIT_NAME_CHARS + 1]) {
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(base, '.');
    size_t length = dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base);
    length = length > LIMIT_NAME_CHARS ? LIMIT_NAME_CHARS : length;
    for (size_t i = 0; i < length; i++) {
        name[i] = name_is_valid(base + i, 1) ? base[i] : '_';
    }
    name[length] = '\0';
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

int scenario_read_file(const char *path, struct scenario *scenario, struct failure *failure) {
    scenario_init(scenario);
    size_t length = 0;
    char *text = read_text(path, &length, failure);
    if (text == NULL) {
        return -1;
    }
    struct failure inner = {0};
    const int read = scenario_read(text, length, scenario, &inner);
    free(text);
    if (read != 0) {
        const enum failure_code code = inner.code == FAILURE_BUSY ? FAILURE_BUSY : FAILURE_BAD_SCENARIO;
        return failure_set(failure, code, inner.field, "%s%s%s", inner.field,
                           inner.field[0] == '\0' ? "" : ": ", inner.message);
    }
    name_from_path(path, scenario->name);
    return 0;
}

bool scenario_check_file(const char *path, struct scenario_mistakes *mistakes) {
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

int scenario_load_file(const char *path, struct scenario *scenario, struct failure *failure) {
    struct failure inner = {0};
    return scenario_read_file(path, scenario, &inner) == 0
               ? 0
               : failure_set(failure, inner.code, inner.field, "%s: %s", path, inner.message);
}
