/* See scenario.h: the file as a whole. Its parts are read in scenario_world.c. */
#include "server/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/field_json.h"
#include "common/json_check.h"
#include "common/name_table.h"
#include "server/scenario_world.h"

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

static int read_root(const cJSON *root, struct scenario *scenario, struct failure *failure) {
    if (fields_read(scenario_fields, root, "", parts, scenario, NULL, failure) != 0 ||
        scenario_read_world(root, &scenario->def, failure) != 0 ||
        scenario_read_targets(root, &scenario->def, failure) != 0 ||
        scenario_read_kinds(root, &scenario->def, failure) != 0 ||
        scenario_read_agents(root, &scenario->def, failure) != 0) {
        return -1;
    }
    return 0;
}

int scenario_read(const char *text, size_t length, struct scenario *scenario, struct failure *failure) {
    scenario_init(scenario);
    const struct json_limits limits = json_limits_file();
    struct json_fault fault;
    if (json_check(text, length, &limits, &fault) != JSON_FINE) {
        return failure_set(failure, FAILURE_PARSE, NULL, "line %d, column %d: %s", fault.line, fault.column,
                           fault.message);
    }
    cJSON *root = cJSON_ParseWithLength(text, length);
    if (root == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    const int result = read_root(root, scenario, failure);
    cJSON_Delete(root);
    if (result != 0) {
        scenario_fini(scenario);
        scenario_init(scenario);
    }
    return result;
}

/* The whole file; malloc'd, the caller frees. */
static char *read_file(const char *path, size_t *length, struct failure *failure) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        (void)failure_set(failure, FAILURE_NO_SCENARIO, NULL, "%s: %s", path, strerror(errno));
        return NULL;
    }
    char *text = malloc(LIMIT_SCENARIO_BYTES + 1);
    *length = text == NULL ? 0 : fread(text, 1, LIMIT_SCENARIO_BYTES + 1, file);
    const bool failed = ferror(file) != 0;
    (void)fclose(file);
    if (text == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "%s: out of memory", path);
    } else if (failed) {
        (void)failure_set(failure, FAILURE_NO_SCENARIO, NULL, "%s: cannot be read", path);
    } else if (*length > LIMIT_SCENARIO_BYTES) {
        (void)failure_set(failure, FAILURE_BAD_SCENARIO, NULL, "%s: the file is longer than %d bytes", path,
                          LIMIT_SCENARIO_BYTES);
    } else {
        return text;
    }
    free(text);
    return NULL;
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

int scenario_load_file(const char *path, struct scenario *scenario, struct failure *failure) {
    scenario_init(scenario);
    size_t length = 0;
    char *text = read_file(path, &length, failure);
    if (text == NULL) {
        return -1;
    }
    struct failure inner = {0};
    const int result = scenario_read(text, length, scenario, &inner);
    free(text);
    if (result != 0) {
        const enum failure_code code = inner.code == FAILURE_BUSY ? FAILURE_BUSY : FAILURE_BAD_SCENARIO;
        return failure_set(failure, code, inner.field, "%s: %s%s%s", path, inner.field,
                           inner.field[0] == '\0' ? "" : ": ", inner.message);
    }
    name_from_path(path, scenario->name);
    return 0;
}
