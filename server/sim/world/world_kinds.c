/* The kinds of a new world, prepared from its definition: what the names of behaviors and conditions stand
 * for, the order of tiers, labels. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/world/world_internal.h"

static int find_target_def(const struct world_def *def, const char *name) {
    for (int i = 0; i < def->target_count; i++) {
        if (strcmp(def->targets[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* "seek" for the first seek of a state, "seek2" for the second. */
static void make_label(const struct state_def *state, int index, char *label, size_t size) {
    const int type = state->behaviors[index].type;
    int ordinal = 1;
    for (int i = 0; i < index; i++) {
        ordinal += state->behaviors[i].type == type;
    }
    const char *name = behavior_type_name((enum behavior_type)type);
    const size_t length = strlen(name);
    assert(length + 3 <= size && ordinal <= LIMIT_BEHAVIORS);
    (void)size;
    memcpy(label, name, length);
    char *end = label + length;
    if (ordinal >= 10) {
        *end++ = (char)('0' + ordinal / 10);
    }
    if (ordinal >= 2) {
        *end++ = (char)('0' + ordinal % 10);
    }
    *end = '\0';
}

static int find_kind_def(const struct world_def *def, const char *name) {
    for (int k = 0; k < def->kind_count; k++) {
        if (strcmp(def->kinds[k].name, name) == 0) {
            return k;
        }
    }
    return -1;
}

/* What the names of a reference stand for. False when they stand for nothing. */
static bool resolve(const struct world_def *def, const struct target_ref *ref, struct ref_runtime *runtime) {
    const size_t length = strlen(ref->target);
    if (length > 0 && ref->target[length - 1] == '*') {
        *runtime = (struct ref_runtime){REF_PREFIX, (int)length - 1};
    } else if (length > 0) {
        *runtime = (struct ref_runtime){REF_TARGET, find_target_def(def, ref->target)};
    } else if (ref->kind[0] != '\0') {
        *runtime = (struct ref_runtime){REF_KIND, find_kind_def(def, ref->kind)};
    } else {
        *runtime = (struct ref_runtime){ref->agent != 0 ? REF_AGENT : REF_NONE, 0};
    }
    return runtime->mode != REF_NONE && runtime->index >= 0;
}

/* Behaviors by tier, those of one tier as they are listed. */
static void sort_tiers(const struct state_def *state, int order[LIMIT_BEHAVIORS]) {
    for (int b = 0; b < state->behavior_count; b++) {
        int at = b;
        while (at > 0 && state->behaviors[order[at - 1]].tier > state->behaviors[b].tier) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = b;
    }
}

/* The next name of a list and its length; NULL at its end. */
static const char *next_name(const char *list, size_t *length) {
    while (*list == ' ') {
        list++;
    }
    *length = 0;
    while (list[*length] != '\0' && list[*length] != ' ') {
        (*length)++;
    }
    return *length > 0 ? list : NULL;
}

static bool resolve_kinds(const struct world_def *def, int own, const struct behavior_def *behavior,
                          uint64_t *kinds) {
    size_t length;
    const char *name = next_name(behavior->kinds, &length);
    *kinds = name == NULL ? UINT64_C(1) << own : 0;
    for (; name != NULL; name = next_name(name + length, &length)) {
        int kind = 0;
        while (kind < def->kind_count && !(strlen(def->kinds[kind].name) == length &&
                                           memcmp(def->kinds[kind].name, name, length) == 0)) {
            kind++;
        }
        if (kind == def->kind_count) {
            return false;
        }
        *kinds |= UINT64_C(1) << kind;
    }
    return true;
}

static bool build_behaviors(const struct world_def *def, int own, const struct state_def *state,
                            struct state_runtime *runtime) {
    for (int b = 0; b < state->behavior_count; b++) {
        const struct behavior_def *behavior = &state->behaviors[b];
        struct behavior_runtime *one = &runtime->behaviors[b];
        const int targets = behavior_target_count((enum behavior_type)behavior->type);
        if ((targets >= 1 && !resolve(def, &behavior->target, &one->target)) ||
            (targets >= 2 && !resolve(def, &behavior->second, &one->second))) {
            return false;
        }
        if (!resolve_kinds(def, own, behavior, &one->kinds)) {
            return false;
        }
        const enum behavior_type type = (enum behavior_type)behavior->type;
        one->path = behavior_has_path(type) ? geometry_def_find_path(&def->geometry, behavior->path) : -1;
        one->flow =
            behavior_has_flow_field(type) ? geometry_def_find_flow(&def->geometry, behavior->flow_field) : -1;
        make_label(state, b, one->label, sizeof one->label);
    }
    sort_tiers(state, runtime->order);
    return true;
}

/* Whether the paths and flow fields that behaviors name are there. */
static bool has_ways(const struct state_def *state, const struct state_runtime *runtime) {
    for (int b = 0; b < state->behavior_count; b++) {
        const enum behavior_type type = (enum behavior_type)state->behaviors[b].type;
        if ((behavior_has_path(type) && runtime->behaviors[b].path < 0) ||
            (behavior_has_flow_field(type) && runtime->behaviors[b].flow < 0)) {
            return false;
        }
    }
    return true;
}

/* The nodes of a subtree from `index`: the index behind it, or -1 when it is not well-formed. */
static int condition_end(const struct state_def *state, int index) {
    if (index >= state->condition_count) {
        return -1;
    }
    const struct condition_def *node = &state->conditions[index++];
    int children = node->type == CONDITION_NOT ? 1 : 0;
    if (node->type == CONDITION_ALL || node->type == CONDITION_ANY) {
        children = node->count;
    }
    for (int i = 0; i < children && index >= 0; i++) {
        index = condition_end(state, index);
    }
    return index;
}

static bool build_conditions(const struct world_def *def, const struct state_def *state,
                             struct state_runtime *runtime) {
    if (state->condition_count < 0 || state->condition_count > LIMIT_CONDITIONS ||
        (state->condition_count > 0 && condition_end(state, 0) != state->condition_count)) {
        return false;
    }
    for (int c = 0; c < state->condition_count; c++) {
        if (state->conditions[c].type == CONDITION_NEAR &&
            !resolve(def, &state->conditions[c].target, &runtime->conditions[c])) {
            return false;
        }
    }
    return true;
}

static enum world_result build_kind(const struct world_def *def, int own, struct kind *kind,
                                    const char **what) {
    if (kind->def.state_count < 1 || kind->def.state_count > LIMIT_STATES) {
        *what = "a kind has a wrong number of states; allowed: 1 to LIMIT_STATES";
        return WORLD_BAD_DEF;
    }
    for (int s = 0; s < kind->def.state_count; s++) {
        const struct state_def *state = &kind->def.states[s];
        if (state->behavior_count < 0 || state->behavior_count > LIMIT_BEHAVIORS) {
            *what = "a state has too many behaviors; allowed: 0 to LIMIT_BEHAVIORS";
            return WORLD_BAD_DEF;
        }
        if (!build_behaviors(def, own, state, &kind->states[s])) {
            *what = "a behavior names an unknown target or kind; allowed: those of the definition";
            return WORLD_BAD_DEF;
        }
        if (!has_ways(state, &kind->states[s])) {
            *what = "a behavior names an unknown path or flow field; allowed: those of the definition";
            return WORLD_BAD_DEF;
        }
        if (!build_conditions(def, state, &kind->states[s])) {
            *what = "a condition is incomplete or names an unknown target or kind; allowed: those of the "
                    "definition";
            return WORLD_BAD_DEF;
        }
    }
    return WORLD_OK;
}

static bool may_catch(const struct kind_def *kind) {
    for (int s = 0; s < kind->state_count; s++) {
        for (int b = 0; b < kind->states[s].behavior_count; b++) {
            if (behavior_has_trait(kind->states[s].behaviors[b].type, TRAIT_CATCHES)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether agents of this kind need the grid. */
static void note_neighbors(struct world *world, const struct kind_def *kind) {
    for (int s = 0; s < kind->state_count; s++) {
        const struct state_def *state = &kind->states[s];
        for (int b = 0; b < state->behavior_count; b++) {
            const struct behavior_def *behavior = &state->behaviors[b];
            world->has_neighbors |=
                behavior_neighbor_use((enum behavior_type)behavior->type) != NEIGHBORS_UNUSED;
            world->has_kind_targets |=
                world_is_about_kind(&behavior->target) || world_is_about_kind(&behavior->second);
        }
        for (int c = 0; c < state->condition_count; c++) {
            world->has_kind_targets |= world_is_about_kind(&state->conditions[c].target);
        }
    }
}

enum world_result world_build_kinds(struct world *world, const struct world_def *def, const char **what) {
    assert(world->kinds == NULL && def->kind_count >= 0 && def->kind_count <= LIMIT_KINDS);
    if (def->kind_count > 0) {
        world->kinds = calloc((size_t)def->kind_count, sizeof *world->kinds);
        if (world->kinds == NULL) {
            return WORLD_NO_MEMORY;
        }
    }
    world->kind_count = world->kind_room = def->kind_count;
    for (int k = 0; k < def->kind_count; k++) {
        world->kinds[k].def = def->kinds[k];
        world->kinds[k].is_tireless = true;
        const enum world_result result = build_kind(def, k, &world->kinds[k], what);
        if (result != WORLD_OK) {
            return result;
        }
        world->kinds[k].pursues = may_catch(&def->kinds[k]);
        note_neighbors(world, &def->kinds[k]);
        world_refresh_kind(world, k);
    }
    if (world->has_kind_targets && world->max_agents > SIGHT_ROWS) {
        world->max_agents = SIGHT_ROWS;
    }
    return WORLD_OK;
}
