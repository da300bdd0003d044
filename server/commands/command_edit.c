/* The handler of edit: a JSON merge patch of the document that the world goes by.
 *
 * 1. The document is patched and read as a load reads it; then a further world is made, which takes the agents of this one over
 * (world_edit). So a patch that is refused has changed nothing.
 * 2. What cannot change while a world lives is refused by name.
 * 3. What is the same before and after is decided by the documents, so that the world that comes of it depends on them and on the
 * world alone.
 */
#include "server/commands/command_internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_text.h"
#include "server/scenario/scenario.h"
#include "server/sim/math/exchange.h"
#include "server/sim/world/world_stripes.h"

/* Two documents: as trees, and as they were read. */
struct documents {
    bool is_same; /* there is nothing to change */
    cJSON *before_tree, *after_tree;
    struct scenario before, after;
    struct world_edit edit;
};

static int refuse(struct apply *apply, const char *place, const char *what) {
    return failure_set(&apply->failure, FAILURE_BAD_SCENARIO, "patch", "%s: %s", place, what);
}

/* ---- the document ---- */

/* Reads a document. 0, or -1 with the place of the first mistake. */
static int read_document(const char *text, size_t length, struct scenario *scenario, cJSON **tree,
                         struct failure *failure) {
    struct failure inner = {0};
    if (scenario_read_tree(text, length, scenario, tree, &inner) == 0) {
        return 0;
    }
    return failure_set(failure, inner.code == FAILURE_BUSY ? FAILURE_BUSY : FAILURE_BAD_SCENARIO, "patch",
                       "%s%s%s", inner.field, inner.field[0] == '\0' ? "" : ": ", inner.message);
}

/* The text of the patched document goes into `text`. */
static int patch_document(struct apply *apply, struct buffer *text, bool *is_same) {
    const struct simulation_state *state = apply->state;
    char *before = malloc(state->text_length + 1);
    if (before == NULL) {
        return apply_fail_memory(apply);
    }
    before[json_compact(state->text, state->text_length, before)] = '\0';
    const bool is_merged = json_merge(before, apply->request->extra->document, text);
    *is_same = is_merged && strcmp(before, text->data) == 0;
    free(before);
    if (is_merged) {
        return 0;
    }
    return text->failed
               ? failure_set(&apply->failure, FAILURE_BAD_SCENARIO, "patch",
                             "the document would have more than %d bytes", LIMIT_SCENARIO_BYTES)
               : failure_set(&apply->failure, FAILURE_BAD_SCENARIO, "patch",
                             "an object has more than %d members; no object of a scenario has as many",
                             JSON_MERGE_MEMBERS);
}

/* ---- what cannot change ---- */

static int fail_fixed(struct apply *apply, const char *place) {
    return refuse(apply, place,
                  "edit cannot change it while the world lives; load the document with the change instead");
}

static const cJSON *member(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static int check_fixed(struct apply *apply, const struct documents *documents) {
    const struct world_def *before = &documents->before.def, *after = &documents->after.def;
    static const char *const parts[] = {"sources", "sinks"};
    const struct {
        bool is_same;
        const char *place;
    } fixed[] = {
        {memcmp((const char *)&before->size, (const char *)&after->size, sizeof before->size) == 0,
         "world.size"},
        {before->edge == after->edge, "world.edge"},
        {memcmp((const char *)&before->tick_hz, (const char *)&after->tick_hz, sizeof before->tick_hz) == 0,
         "tick_hz"},
        {before->seed == after->seed, "seed"},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        if (!fixed[i].is_same) {
            return fail_fixed(apply, fixed[i].place);
        }
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!json_is_same(member(documents->before_tree, parts[i]),
                          member(documents->after_tree, parts[i]))) {
            return fail_fixed(apply, parts[i]);
        }
    }
    return 0;
}

static bool has_kind(const struct world_def *def, const char *name) {
    bool has = false;
    for (int k = 0; !has && k < def->kind_count; k++) {
        has = strcmp(def->kinds[k].name, name) == 0;
    }
    return has;
}

/* Kinds that go take no agents with them unless the request says so. */
static int check_kinds(struct apply *apply, const struct documents *documents, uint32_t *removed) {
    const struct world *world = apply->state->world;
    for (int k = 0; k < world_kind_count(world); k++) {
        const char *name = world_kind(world, k)->name;
        const int32_t agents = world_kind_population(world, k);
        if (has_kind(&documents->after.def, name)) {
            continue;
        }
        if (agents > 0 && !apply->request->body.edit.remove_agents) {
            return failure_set(&apply->failure, FAILURE_BAD_SCENARIO, "patch",
                               "kinds.%s: %d of its agents live; allowed: \"remove_agents\":true, which "
                               "removes them with the "
                               "kind",
                               name, (int)agents);
        }
        *removed += (uint32_t)agents;
    }
    return 0;
}

/* ---- what is the same ---- */

static bool has_same_member(const cJSON *a, const cJSON *b, const char *key) {
    return a != NULL && b != NULL && json_is_same(member(a, key), member(b, key));
}

/* The element of an array whose "name" is this. */
static const cJSON *find_named(const cJSON *array, const char *name) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        const char *other = cJSON_GetStringValue(member(item, "name"));
        if (other != NULL && strcmp(other, name) == 0) {
            return item;
        }
    }
    return NULL;
}

/* A part of the documents that has its rows by name, or as a list of rows with names. */
static const cJSON *find_row(const cJSON *part, const char *name) {
    return cJSON_IsObject(part) ? member(part, name) : find_named(part, name);
}

static bool is_same_row(const cJSON *before, const cJSON *after, const char *name) {
    const cJSON *row = find_row(before, name);
    return row != NULL && json_is_same(row, find_row(after, name));
}

/* Which states of a kind have the conditions that they had: a bit each. */
static uint16_t same_conditions(const cJSON *before, const cJSON *after, const struct kind_def *kind) {
    unsigned same = 0;
    if (json_is_same(member(before, "states"), member(after, "states"))) {
        return UINT16_MAX;
    }
    for (int s = 0; s < kind->state_count; s++) {
        const cJSON *old = find_row(member(before, "states"), kind->states[s].name);
        const cJSON *own = find_row(member(after, "states"), kind->states[s].name);
        same |= has_same_member(old, own, "when") ? 1u << s : 0u;
    }
    return (uint16_t)same;
}

static void compare_kinds(struct documents *documents) {
    const cJSON *before = member(documents->before_tree, "kinds"),
                *after = member(documents->after_tree, "kinds");
    for (int k = 0; k < documents->after.def.kind_count; k++) {
        const struct kind_def *kind = &documents->after.def.kinds[k];
        documents->edit.same_conditions[k] =
            same_conditions(member(before, kind->name), member(after, kind->name), kind);
    }
}

static void compare_things(struct documents *documents) {
    struct world_edit *edit = &documents->edit;
    const cJSON *before = documents->before_tree, *after = documents->after_tree;
    const cJSON *world = member(before, "world"), *own = member(after, "world");
    const struct world_def *def = &documents->after.def;
    for (int i = 0; i < def->target_count; i++) {
        const char *name = def->targets[i].name;
        const cJSON *old = find_row(member(before, "targets"), name),
                    *target = find_row(member(after, "targets"), name);
        edit->is_same_target[i] = old != NULL && json_is_same(old, target);
        edit->is_same_place[i] =
            old != NULL && (cJSON_IsObject(old) && cJSON_IsObject(target) ? has_same_member(old, target, "at")
                                                                          : json_is_same(old, target));
    }
    for (int i = 0; i < def->geometry.path_count; i++) {
        edit->is_same_path[i] =
            is_same_row(member(world, "paths"), member(own, "paths"), def->geometry.paths[i].name);
    }
    for (int i = 0; i < def->formation_count; i++) {
        edit->is_same_formation[i] =
            is_same_row(member(before, "formations"), member(after, "formations"), def->formations[i].name);
    }
    edit->has_other_solids = !has_same_member(world, own, "obstacles") ||
                             !has_same_member(world, own, "walls") ||
                             !has_same_member(world, own, "paths"); /* which obstacles may follow */
}

/* Placements that were there already have placed their agents. */
static int compare_agents(struct apply *apply, struct documents *documents) {
    const cJSON *before = member(documents->before_tree, "agents"),
                *after = member(documents->after_tree, "agents");
    const cJSON *row = NULL;
    int index = 0, old = cJSON_GetArraySize(before);
    bool *is_taken = calloc((size_t)old + 1, sizeof *is_taken);
    if (is_taken == NULL) {
        return apply_fail_memory(apply);
    }
    cJSON_ArrayForEach(row, after) {
        const cJSON *other = NULL;
        int place = 0, found = -1;
        cJSON_ArrayForEach(other, before) {
            if (!is_taken[place] && json_is_same(row, other)) {
                found = place;
                break;
            }
            place++;
        }
        if (found >= 0) {
            is_taken[found] = true;
        }
        documents->edit.is_further[index++] = found < 0;
    }
    for (int i = 0; i < old; i++) {
        const char *kind = documents->before.def.placements[i].kind;
        if (!is_taken[i] && has_kind(&documents->after.def, kind)) {
            free(is_taken);
            return failure_set(&apply->failure, FAILURE_BAD_SCENARIO, "patch",
                               "agents[%d] of the world's document: the agents of \"%s\" that it placed "
                               "live; allowed: to keep it in "
                               "the list, and further entries, whose agents are spawned; spawn and remove "
                               "change how many there are",
                               i, kind);
        }
    }
    free(is_taken);
    return 0;
}

/* ---- applying ---- */

static void take_over(struct simulation_state *state, struct world *world, struct scenario *scenario) {
    const struct event_log log = state->log;
    world_allow_giving_up(world, state->is_urgent);
    world_destroy(state->world);
    state->world = world;
    simulation_state_join(state);
    event_log_init(&state->log, world);
    memcpy(state->log.events, log.events, sizeof log.events);
    state->log.second = log.second;
    state->log.taken = log.taken;
    state->log.count = log.count;
    state->log.left_out = log.left_out;
    state->log.crossings_taken = log.crossings_taken;
    state->log.crossings_left_out = log.crossings_left_out;
    memcpy(state->title, scenario->title, sizeof state->title);
    memcpy(state->description, scenario->description, sizeof state->description);
    state->view = scenario->view;
    state->about = scenario->about;
    state->warmup_s = scenario->warmup_s;
    if (state->first_text == NULL) {
        state->first_text = state->text;
    } else if (state->batch == NULL || state->batch->text != state->text) {
        free(state->text); /* that of the state before a batch is needed until its end */
    }
    state->text = scenario->text;
    state->text_length = scenario->text_length;
    scenario->text = NULL;
    state->epoch++; /* kinds may have other indices */
}

static int fail_edit(struct apply *apply, enum world_result result, const char *what) {
    switch (result) {
    case WORLD_FULL:
        return failure_set(&apply->failure, FAILURE_FULL, "patch",
                           "with what requests have added there would be too many agents, targets or "
                           "obstacles; at most %d, %d and %d",
                           (int)world_max_agents(apply->state->world), LIMIT_TARGETS, LIMIT_OBSTACLES);
    case WORLD_BAD_DEF:
        return failure_set(&apply->failure, FAILURE_BAD_SCENARIO, "patch", "%s", what);
    default:
        return apply_fail_memory(apply);
    }
}

static int answer(struct apply *apply, uint32_t removed) {
    apply_write_tick(apply);
    json_key_unsigned(apply->json, "agents", (uint64_t)world_agent_count(apply->state->world));
    json_key_unsigned(apply->json, "removed", removed);
    return 0;
}

static int edit_world(struct apply *apply, struct documents *documents) {
    struct simulation_state *state = apply->state;
    struct world *world = NULL;
    const char *what = "";
    uint32_t removed = 0;
    if (check_fixed(apply, documents) != 0 || check_kinds(apply, documents, &removed) != 0 ||
        compare_agents(apply, documents) != 0) {
        return -1;
    }
    compare_kinds(documents);
    compare_things(documents);
    documents->edit.before = &documents->before.def;
    documents->edit.after = &documents->after.def;
    enum world_result result = command_has_memory(state)
                                   ? world_edit(state->world, &documents->edit, &world, &what)
                                   : WORLD_NO_MEMORY;
    if (!exchange_is_so_on_all(state->exchange, result == WORLD_OK)) {
        if (result == WORLD_OK) { /* another rank has no memory */
            world_destroy(world);
            result = WORLD_NO_MEMORY;
        }
        return fail_edit(apply, result, what);
    }
    take_over(state, world, &documents->after);
    apply->effects.changed = true;
    apply->effects.described = true;
    apply->effects.scenery_changed = true;
    apply->effects.edited = true;
    (void)snprintf(apply_send(apply, "edited", EVENT_HAS_SCENARIO)->scenario, LIMIT_NAME_CHARS + 1, "%s",
                   state->name);
    return answer(apply, removed);
}

static int read_documents(struct apply *apply, struct documents *documents) {
    const struct simulation_state *state = apply->state;
    struct buffer text;
    buffer_init(&text, LIMIT_SCENARIO_BYTES);
    int result = patch_document(apply, &text, &documents->is_same);
    if (result == 0 && documents->is_same) {
        buffer_fini(&text);
        return 0;
    }
    if (result == 0) {
        result =
            read_document(text.data, text.length, &documents->after, &documents->after_tree, &apply->failure);
    }
    if (result == 0) {
        result = read_document(state->text, state->text_length, &documents->before, &documents->before_tree,
                               &apply->failure);
    }
    buffer_fini(&text);
    return result;
}

int apply_edit(struct apply *apply) {
    const struct simulation_state *state = apply->state;
    if (world_is_partial(state->world)) {
        bool is_limited = false;
        return failure_set(&apply->failure, FAILURE_UNSUPPORTED, NULL, "%s",
                           request_stripes_refusal(REQUEST_EDIT, &is_limited));
    }
    if (state->text_length == 0) {
        return failure_set(&apply->failure, FAILURE_NO_SCENARIO, NULL,
                           "this world was made without a scenario's text");
    }
    struct documents *documents = calloc(1, sizeof *documents);
    if (documents == NULL) {
        return apply_fail_memory(apply);
    }
    scenario_init(&documents->before);
    scenario_init(&documents->after);
    int result = read_documents(apply, documents);
    if (result == 0) {
        result = documents->is_same ? answer(apply, 0) : edit_world(apply, documents);
    }
    cJSON_Delete(documents->before_tree);
    cJSON_Delete(documents->after_tree);
    scenario_fini(&documents->before);
    scenario_fini(&documents->after);
    free(documents);
    return result;
}
