/* See scenario.h: the file as a whole. Its parts are read in scenario_world.c. */
#include "server/scenario/scenario.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "common/json/field_json.h"
#include "common/json/json_check.h"
#include "server/scenario/scenario_kind.h"
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
