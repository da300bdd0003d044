/* See scenario.h; view and about, which scenario_read.h has, come first. Owns nothing. */
#include "server/scenario/scenario.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/json/json_check.h"
#include "common/json/json_text.h"
#include "server/scenario/scenario_read.h"

/* Agents of a new world have the ids from 1 on. */
static int check_select(const struct world_def *def, const struct message_view *view,
                        struct failure *failure) {
    uint64_t agents = 0;
    for (int i = 0; i < def->placement_count; i++) {
        agents += def->placements[i].count;
    }
    if ((view->has & MESSAGE_VIEW_SELECT) == 0 || view->select <= agents) {
        return 0;
    }
    return failure_set(failure, FAILURE_BAD_PARAM, "view.select",
                       "no agent %lu; this scenario has %lu, whose ids count from 1",
                       (unsigned long)view->select, (unsigned long)agents);
}

static int scenario_read_view(const cJSON *root, const struct world_def *def, struct message_view *view,
                              struct scenario_mistakes *mistakes) {
    static const char *const parts[] = {"overlays", NULL};
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(root, "view");
    const bool is_whole_world = mistakes->count == 0;
    struct failure failure = {0};
    bool is_whole = false;
    if (json == NULL) {
        return 0;
    }
    if (scenario_read_fields(message_view_fields, json, "view", parts, view, &view->has, &is_whole,
                             mistakes) != 0) {
        return -1;
    }
    const cJSON *overlays = cJSON_GetObjectItemCaseSensitive(json, "overlays");
    if (overlays != NULL && message_overlays_read(overlays, "view.overlays", view, &failure) != 0 &&
        !scenario_mistake(mistakes, &failure)) {
        return -1;
    }
    if (is_whole && is_whole_world && check_select(def, view, &failure) != 0) {
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    return 0;
}

/* "group" as a choice: a name in struct message_about, where a later server may say another. */
struct about_part {
    int group;
};

static const struct field group_fields[] = {{.name = "group",
                                             .type = FIELD_CHOICE,
                                             FIELD_MEMBER(struct about_part, group),
                                             .choices = message_groups,
                                             .help = "Where a list of scenarios has it."},
                                            {.type = FIELD_END}};

static int check_group(const cJSON *json, struct failure *failure) {
    struct about_part part;
    return json == NULL ? 0 : field_read_value(group_fields, json, "about.group", &part, failure);
}

/* -1 when reading ends here. */
static int check_about_texts(const struct message_about *about, struct scenario_mistakes *mistakes) {
    for (const struct field *row = message_about_fields; row->type != FIELD_END; row++) {
        char path[SCENARIO_PATH_BYTES];
        struct failure failure = {0};
        scenario_path(path, "about.%s", row->name);
        if (scenario_check_text((const char *)about + row->offset, false, path, &failure) != 0 &&
            !scenario_mistake(mistakes, &failure)) {
            return -1;
        }
    }
    return 0;
}

/* Reads the part of the file when it is there; *view, *about must be zeroed. 0, or -1 when reading ends here.
 * def: the world, whose agents the view may select: read it first. */
static int scenario_read_about(const cJSON *root, struct message_about *about,
                               struct scenario_mistakes *mistakes) {
    static const char *const no_more[] = {NULL};
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(root, "about");
    struct failure failure = {0};
    bool is_whole = false;
    if (json == NULL) {
        return 0;
    }
    if (scenario_read_fields(message_about_fields, json, "about", no_more, about, NULL, &is_whole,
                             mistakes) != 0 ||
        check_about_texts(about, mistakes) != 0) {
        return -1;
    }
    if (is_whole && check_group(cJSON_GetObjectItemCaseSensitive(json, "group"), &failure) != 0) {
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    return 0;
}

/* ---- scenario: the file as a whole. Its parts are read in scenario_world.c ---- */

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

/* The schema by which an editor completes the file; nothing reads it. */
#define SCHEMA_KEY "$schema"

static const char *const parts[] = {"world", "targets", "kinds", "formations", "agents", "sources",
                                    "sinks", "view",    "about", SCHEMA_KEY,   NULL};

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

/* -1 when reading ends here. */
static int check_schema(const cJSON *root, struct scenario_mistakes *mistakes) {
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(root, SCHEMA_KEY);
    struct failure failure = {0};
    return json == NULL ||
                   scenario_expect(cJSON_IsString(json), "a string", json, SCHEMA_KEY, &failure) == 0 ||
                   scenario_mistake(mistakes, &failure)
               ? 0
               : -1;
}

/* Parts after one with mistakes are read as well: they name what it has. */
static int read_root(const cJSON *root, struct scenario *scenario, struct scenario_mistakes *mistakes) {
    struct world_def *def = &scenario->def;
    bool is_whole = false;
    if (scenario_read_fields(scenario_fields, root, "", parts, scenario, NULL, &is_whole, mistakes) != 0 ||
        check_schema(root, mistakes) != 0 || check_texts(scenario, mistakes) != 0 ||
        scenario_read_world(root, def, mistakes) != 0 || scenario_read_targets(root, def, mistakes) != 0 ||
        scenario_check_ways(def, mistakes) != 0 || scenario_read_kinds(root, def, mistakes) != 0 ||
        scenario_read_agents(root, def, mistakes) != 0 || scenario_read_turnover(root, def, mistakes) != 0 ||
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

/* tree: NULL, or receives the text's, the caller's. */
static int read_text(const char *text, size_t length, struct scenario *scenario, cJSON **tree,
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
    if (tree != NULL && mistakes->count == before) {
        *tree = root;
    } else {
        cJSON_Delete(root);
    }
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

int scenario_read_all(const char *text, size_t length, struct scenario *scenario,
                      struct scenario_mistakes *mistakes) {
    return read_text(text, length, scenario, NULL, mistakes);
}

int scenario_read(const char *text, size_t length, struct scenario *scenario, struct failure *failure) {
    return scenario_read_tree(text, length, scenario, NULL, failure);
}

int scenario_read_tree(const char *text, size_t length, struct scenario *scenario, cJSON **tree,
                       struct failure *failure) {
    struct scenario_mistakes first = {.rows = failure, .capacity = 1};
    return read_text(text, length, scenario, tree, &first);
}

/* ---- the schema ---- */

static void write_look(struct json_writer *json) {
    static const struct field overlay = {.type = FIELD_NAME, .size = LIMIT_NAME_CHARS + 1};
    json_key(json, "view");
    scenario_schema_open(json, message_view_fields, NULL, "How the world wants to be looked at.");
    scenario_schema_list(json, "overlays", 0, LIMIT_VIEW_OVERLAYS, "What is drawn beside the agents.");
    scenario_schema_value(json, &overlay);
    json_end(json);
    scenario_schema_close(json);
    json_key(json, "about");
    scenario_schema_open(json, group_fields, NULL, "What the scenario says to a person.");
    for (const struct field *row = message_about_fields; row->type != FIELD_END; row++) {
        if (strcmp(row->name, group_fields[0].name) != 0) {
            json_key(json, row->name);
            scenario_schema_value(json, row);
        }
    }
    scenario_schema_close(json);
}

void scenario_write_schema(struct buffer *out) {
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    json_key_string(&json, SCHEMA_KEY, "http://json-schema.org/draft-07/schema#");
    json_key_string(&json, "title", "Scenario of Drover");
    json_key(&json, "definitions");
    json_object(&json);
    scenario_schema_behaviors(&json);
    scenario_schema_conditions(&json);
    json_key(&json, "scenario");
    scenario_schema_open(&json, scenario_fields, "world", NULL);
    json_key(&json, SCHEMA_KEY);
    json_object(&json);
    json_key_string(&json, "type", "string");
    json_end(&json);
    scenario_schema_world(&json);
    scenario_schema_targets(&json);
    scenario_schema_kinds(&json);
    scenario_schema_formations(&json);
    scenario_schema_agents(&json);
    scenario_schema_turnover(&json);
    write_look(&json);
    scenario_schema_close(&json);
    json_end(&json);
    json_key_string(&json, "$ref", "#/definitions/scenario");
    json_end(&json);
}

/* ---- built worlds ---- */

static int fail_create(const char *name, enum world_result result, const char *what,
                       struct failure *failure) {
    switch (result) {
    case WORLD_NO_MEMORY:
        return failure_set(failure, FAILURE_BUSY, "scenario", "out of memory for the world of \"%s\"", name);
    case WORLD_GIVEN_UP:
        return failure_set(failure, FAILURE_BUSY, "scenario", "the server stops");
    default:
        return failure_set(failure, FAILURE_BAD_SCENARIO, "scenario", "%s: %s", name,
                           result == WORLD_FULL ? "too many agents" : what);
    }
}

/* ---- size ---- */

/* A world without agents, and how many it will have of each kind: as the placements say, or as many of each. */
static uint64_t bytes_of(const struct world *empty, const struct world_def *def, int64_t agents,
                         const struct world_overrides *overrides) {
    const bool is_share = def->is_deferred && def->placement_count == 0; /* restored by parts */
    const int ranks = is_share || world_def_may_wait(def) ? overrides->stripes : 1;
    int64_t population[LIMIT_KINDS] = {0}, placed = 0;
    for (int i = 0; i < def->placement_count; i++) {
        const int kind = world_find_kind(empty, def->placements[i].kind);
        population[kind < 0 ? 0 : kind] += def->placements[i].count;
        placed += def->placements[i].count;
    }
    for (int k = 0; placed != agents && k < def->kind_count; k++) {
        population[k] = agents * (k + 1) / def->kind_count - agents * k / def->kind_count;
    }
    return world_bytes(empty, population, overrides->threads, ranks);
}

static int count_bytes(const struct world_def *def, const char *name, int64_t agents,
                       const struct world_overrides *overrides, uint64_t *bytes, struct failure *failure) {
    struct world_def empty = *def;
    struct world *world = NULL;
    const char *what = "the world cannot be made";
    empty.placement_count = 0;
    const enum world_result result = world_create(&empty, &world, &what);
    if (result != WORLD_OK) {
        return fail_create(name, result, what, failure);
    }
    *bytes = bytes_of(world, def, agents, overrides);
    world_destroy(world);
    return 0;
}

const char *world_memory_text(uint64_t bytes, int ranks_beside, char text[WORLD_MEMORY_TEXT]) {
    char ranks[40] = "";
    if (ranks_beside > 0) {
        (void)snprintf(ranks, sizeof ranks, "%d ranks of this host x ", 1 + ranks_beside);
    }
    (void)snprintf(text, WORLD_MEMORY_TEXT, "%s%.2f GB", ranks, (double)bytes * 1e-9);
    return text;
}

static const char *option_of(const struct world_overrides *overrides) {
    return overrides->agents_option == NULL ? "" : overrides->agents_option;
}

/* Whether each host has the memory for what its ranks need together: bytes each. */
static int check_hosts(const struct world_overrides *overrides, const char *name, int64_t agents,
                       uint64_t bytes, struct failure *failure) {
    for (int i = 0; i < overrides->host_count; i++) {
        const struct host_room *host = &overrides->hosts[i];
        if (host->free / (uint64_t)host->ranks < bytes) {
            char most[80] = "";
            if (host->free >= bytes) {
                (void)snprintf(most, sizeof most, "at most %d there (slots=%d in the hostfile), or ",
                               (int)(host->free / bytes), (int)(host->free / bytes));
            }
            return failure_set(
                failure, FAILURE_UNSUPPORTED, "agents",
                "%s: %lld agents need %.2f GB of memory on %s, %d ranks x %.2f GB, %.0f bytes an agent; "
                "%.2f GB are free there; allowed: fewer ranks on that host, %sfewer agents",
                name, (long long)agents, (double)bytes * host->ranks * 1e-9, host->name, host->ranks,
                (double)bytes * 1e-9, (double)bytes / (double)agents, (double)host->free * 1e-9, most);
        }
    }
    return 0;
}

int built_world_check_size(const struct world_def *def, const char *name, int64_t agents,
                           const struct world_overrides *overrides, uint64_t *bytes,
                           struct failure *failure) {
    const int32_t most = world_overrides_max_agents(overrides);
    uint64_t needed = 0;
    if (agents > most) {
        return failure_set(failure, FAILURE_BAD_SCENARIO, "agents",
                           "%s: %lld agents; at most %d are allowed%s", name, (long long)agents, (int)most,
                           option_of(overrides));
    }
    if (agents > WORLD_SMALL && count_bytes(def, name, agents, overrides, &needed, failure) != 0) {
        return -1;
    }
    if (bytes != NULL) {
        *bytes = needed;
    }
    if (needed > 0 && check_hosts(overrides, name, agents, needed, failure) != 0) {
        return -1;
    }
    const int processes = 1 + overrides->ranks_beside;
    const uint64_t left =
        needed > 0 && overrides->memory_free != NULL ? overrides->memory_free(processes) : UINT64_MAX;
    char text[WORLD_MEMORY_TEXT];
    return needed <= left
               ? 0
               : failure_set(failure, FAILURE_BUSY, "agents",
                             "%s: %lld agents need %s of memory, %.0f bytes each; %.2f GB are free", name,
                             (long long)agents, world_memory_text(needed, overrides->ranks_beside, text),
                             (double)needed / (double)agents, (double)left * (double)processes * 1e-9);
}

/* ---- texts ---- */

/* The scenario's text; one that was made without a text has "". */
static char *copy_text(const struct scenario *scenario) {
    char *text = malloc(scenario->text_length + 1);
    if (text != NULL) {
        if (scenario->text != NULL) {
            memcpy(text, scenario->text, scenario->text_length);
        }
        text[scenario->text_length] = '\0';
    }
    return text;
}

int built_world_finish(const struct scenario *scenario, const struct world_overrides *overrides,
                       struct world *world, uint64_t hash, struct built_world *out, struct failure *failure) {
    *out = (struct built_world){
        .world = world, .hash = hash, .text = copy_text(scenario), .text_length = scenario->text_length};
    if (out->text == NULL) {
        built_world_fini(out);
        return fail_create(scenario->name, WORLD_NO_MEMORY, NULL, failure);
    }
    world_allow_giving_up(world, NULL);
    if (overrides->has_simd) {
        world_set_simd(world, overrides->simd);
    }
    memcpy(out->name, scenario->name, sizeof out->name);
    memcpy(out->title, scenario->title, sizeof out->title);
    memcpy(out->description, scenario->description, sizeof out->description);
    out->view = scenario->view;
    out->warmup_s = scenario->warmup_s;
    out->about = scenario->about;
    return 0;
}

int built_world_check_counts(const struct scenario *scenario, const struct world_overrides *overrides,
                             struct failure *failure) {
    const int32_t most = world_overrides_max_agents(overrides);
    int64_t agents = 0;
    for (int i = 0; i < scenario->def.placement_count; i++) {
        char path[32];
        agents += scenario->def.placements[i].count;
        (void)snprintf(path, sizeof path, "agents[%d].count", i);
        if (agents > most) {
            return failure_set(failure, FAILURE_BAD_SCENARIO, path,
                               "%s: %lld agents in all; at most %d are allowed%s", path, (long long)agents,
                               (int)most, option_of(overrides));
        }
    }
    return 0;
}

int built_world_make(const struct scenario *scenario, const struct world_overrides *overrides,
                     const uint64_t *seed, const atomic_bool *given_up, struct built_world *out,
                     struct failure *failure) {
    assert(scenario != NULL && overrides != NULL && out != NULL);
    struct world_def def = scenario->def; /* shares the scenario's arrays; not freed here */
    struct world *world;
    def.given_up = given_up;
    if (seed != NULL) {
        def.seed = *seed;
    } else if (overrides->has_seed) {
        def.seed = overrides->seed;
    }
    if (overrides->tick_hz > 0.0) {
        def.tick_hz = overrides->tick_hz;
    }
    *out = (struct built_world){.world = NULL};
    int64_t agents = 0;
    for (int i = 0; i < def.placement_count; i++) {
        agents += def.placements[i].count;
    }
    def.max_agents = world_overrides_max_agents(overrides);
    def.is_deferred = overrides->stripes > 0;
    uint64_t bytes = 0;
    if (built_world_check_size(&def, scenario->name, agents, overrides, &bytes, failure) != 0) {
        return -1;
    }
    int32_t unspaced = 0;
    def.unspaced = &unspaced;
    const char *what = "the world cannot be made";
    const enum world_result result = world_create(&def, &world, &what);
    if (result != WORLD_OK) {
        return fail_create(scenario->name, result, what, failure);
    }
    const uint64_t hash = world_is_deferred(world) ? 0 : world_hash(world);
    if (built_world_finish(scenario, overrides, world, hash, out, failure) != 0) {
        return -1;
    }
    out->bytes = bytes;
    out->unspaced = unspaced;
    out->is_fresh = true;
    return 0;
}

/* What may be wrong with way field i: false, or one sentence in text. part 0: cells without a way; 1: a goal. */
static bool warn_of_way(const struct built_world *built, int i, int part, char text[WORLD_WARNING_TEXT]) {
    const struct scenery *scenery = world_scenery(built->world);
    const struct flow_def *flow = &scenery->def.flows[i];
    const struct bounds bounds = world_bounds(built->world);
    if (flow->type != FLOW_WAY) {
        return false;
    }
    const struct way_gaps gaps = scenery_way_gaps(scenery, &bounds, i);
    if (part == 1 && gaps.goal >= 0) {
        const struct way_goal *goal = &flow->goals[gaps.goal];
        (void)snprintf(
            text, WORLD_WARNING_TEXT,
            "%s: %s at %.0f, %.0f is in a solid, or too near to one for a body of radius %g px: the way "
            "\"%s\" leads to the nearest place where one fits",
            built->name, goal->name, (double)goal->at.x, (double)goal->at.y, (double)flow->body, flow->name);
        return true;
    }
    if (part == 0 && gaps.cut_off > 0) {
        (void)snprintf(
            text, WORLD_WARNING_TEXT,
            "%s: from %.3g %% of the places, %.0f, %.0f for one, the way \"%s\" leads nowhere: they are "
            "walled in, or a door is narrower than the body, which is %g px wide",
            built->name, 100.0 * (double)gaps.cut_off / (double)gaps.free, (double)gaps.at.x,
            (double)gaps.at.y, flow->name, 2.0 * (double)flow->body);
        return true;
    }
    return false;
}

const char *built_world_warning(const struct built_world *built, int index, char text[WORLD_WARNING_TEXT]) {
    int count = 0;
    if (built->unspaced > 0 && count++ == index) {
        (void)snprintf(text, WORLD_WARNING_TEXT,
                       "%s: %d of %d agents start nearer to others than their spacing: there was no room",
                       built->name, (int)built->unspaced, (int)world_agent_count(built->world));
        return text;
    }
    for (int i = 0; i < 2 * world_scenery(built->world)->def.flow_count; i++) {
        if (warn_of_way(built, i / 2, i % 2, text) && count++ == index) {
            return text;
        }
    }
    return NULL;
}

void built_world_fini(struct built_world *built) {
    world_destroy(built->world);
    built->world = NULL;
    free(built->head);
    built->head = NULL;
    free(built->text);
    free(built->first_text);
    built->text = built->first_text = NULL;
    built->text_length = 0;
}
