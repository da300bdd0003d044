/* See scenario.h: the file as a whole. Its parts are read in scenario_world.c. */
#include "server/scenario/scenario.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/json/field_json.h"
#include "common/json/json_check.h"
#include "common/json/json_place.h"
#include "server/scenario/scenario_kind.h"
#include "server/scenario/scenario_text.h"
#include "server/scenario/scenario_view.h"
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
    {.name = "warmup",
     .type = FIELD_DOUBLE,
     FIELD_MEMBER(struct scenario, warmup_s),
     .min = 0.0,
     .max = LIMIT_WARMUP,
     .unit = "s",
     .help = "The part of its life that a fresh world hurries through."},
    {.type = FIELD_END},
};

static const char *const parts[] = {"world", "targets", "kinds", "agents", "view", "about", NULL};

void scenario_init(struct scenario *scenario) {
    *scenario = (struct scenario){.def = world_def_default()};
}

void scenario_fini(struct scenario *scenario) {
    world_def_fini(&scenario->def);
    free(scenario->text);
    scenario->text = NULL;
}

/* -1 when reading ends here. */
static int check_texts(const struct scenario *scenario, struct scenario_mistakes *mistakes) {
    struct failure failure = {0};
    if (scenario_check_text(scenario->title, false, "name", &failure) != 0 &&
        !scenario_mistake(mistakes, &failure)) {
        return -1;
    }
    const bool is_fine = scenario_check_text(scenario->description, true, "description", &failure) == 0;
    return is_fine || scenario_mistake(mistakes, &failure) ? 0 : -1;
}

/* Parts after one with mistakes are read as well: they name what it has. */
static int read_root(const cJSON *root, struct scenario *scenario, struct scenario_mistakes *mistakes) {
    struct world_def *def = &scenario->def;
    bool is_whole = false;
    if (scenario_read_fields(scenario_fields, root, "", parts, scenario, NULL, &is_whole, mistakes) != 0 ||
        check_texts(scenario, mistakes) != 0 || scenario_read_world(root, def, mistakes) != 0 ||
        scenario_read_targets(root, def, mistakes) != 0 || scenario_read_kinds(root, def, mistakes) != 0 ||
        scenario_read_agents(root, def, mistakes) != 0 ||
        scenario_read_view(root, def, &scenario->view, mistakes) != 0 ||
        scenario_read_about(root, &scenario->about, mistakes) != 0) {
        return -1;
    }
    return 0;
}

/* What is no object at all may be anything, so nothing of it is shown: its first byte is as much as a person
 * who wrote a scenario needs to know about. */
static void fail_json(const char *text, size_t length, const struct json_fault *fault,
                      struct failure *failure) {
    struct json_place place = {fault->line, fault->column};
    const char *message = fault->message;
    size_t first = 0;
    while (first < length && text[first] != '\0' && strchr(" \t\r\n", text[first]) != NULL) {
        first++;
    }
    if (first < length && text[first] != '{') {
        place = json_place_of(text, first);
        message = "not a scenario; expected an object, which begins with {";
    }
    (void)failure_set(failure, FAILURE_PARSE, NULL, "%s", message);
    failure->line = place.line;
    failure->column = place.column;
}

/* Keeps the text: recordings and saves hold it. */
static int keep_text(const char *text, size_t length, struct scenario *scenario, struct failure *failure) {
    scenario->text = malloc(length + 1);
    if (scenario->text == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    memcpy(scenario->text, text, length);
    scenario->text[length] = '\0';
    scenario->text_length = length;
    return 0;
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
        fail_json(text, length, &fault, &failure);
    } else if (keep_text(text, length, scenario, &failure) == 0) {
        root = cJSON_ParseWithLength(text, length);
    }
    if (root == NULL) {
        if (failure.code == FAILURE_NONE) {
            (void)failure_set(&failure, FAILURE_BUSY, NULL, "out of memory");
        }
        scenario_mistake(mistakes, &failure);
        scenario_fini(scenario);
        scenario_init(scenario);
        return -1;
    }
    (void)read_root(root, scenario, mistakes);
    cJSON_Delete(root);
    for (int i = before; i < mistakes->count; i++) {
        struct failure *row = &mistakes->rows[i];
        const struct json_place place = json_place_find(scenario->text, row->field);
        row->line = row->code == FAILURE_BUSY ? 0 : place.line;
        row->column = row->code == FAILURE_BUSY ? 0 : place.column;
    }
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
