/* Live parameters: what get_params lists and set_param changes, found through the field tables of
 * world_def.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/math/trig.h"
#include "server/sim/steering/locomotion.h"
#include "server/sim/world/world_image.h"
#include "server/sim/world/world_internal.h"

#define RADIANS_PER_DEGREE (TRIG_PI / 180.0)

static float heaviest_tier(const struct state_def *state) {
    float heaviest = 0.0f;
    for (int i = 0; i < state->behavior_count; i++) {
        float sum = 0.0f;
        for (int b = 0; b < state->behavior_count; b++) {
            const struct behavior_def *behavior = &state->behaviors[b];
            const bool counts = behavior->tier == state->behaviors[i].tier &&
                                !behavior_is_velocity_filter((enum behavior_type)behavior->type);
            sum += counts ? behavior->weight : 0.0f;
        }
        heaviest = sum > heaviest ? sum : heaviest;
    }
    return heaviest;
}

void world_refresh_kind(struct world *world, int index) {
    assert(index >= 0 && index < world->kind_count);
    struct kind *kind = &world->kinds[index];
    const struct body_def *def = &kind->def.body;
    kind->body = (struct body){def->mass.low, def->radius.low, def->max_speed.low, def->max_force.low};
    kind->draws_body = def->mass.low < def->mass.high || def->radius.low < def->radius.high ||
                       def->max_speed.low < def->max_speed.high || def->max_force.low < def->max_force.high;
    const float turn = def->max_turn_rate * world->dt;
    /* From half a turn a tick on every direction is within reach: no cosine is less than this. */
    kind->turn = turn >= (float)TRIG_PI ? vec2_make(NO_TURN_LIMIT, 0.0f) : trig_unit(turn);
    kind->is_tireless = kind->is_tireless && def->max_stamina == 0.0f;
    kind->hold = world_longest_hold(&kind->def);
    for (int s = 0; s < kind->def.state_count; s++) {
        kind->states[s].weight_sum = heaviest_tier(&kind->def.states[s]);
        kind->states[s].is_led = kind_def_is_led(&kind->def, s);
        kind->states[s].has_velocity_filter = false;
        for (int b = 0; b < kind->def.states[s].behavior_count; b++) {
            world_refresh_zones(&kind->def.states[s].behaviors[b], def, &kind->states[s].behaviors[b]);
            const enum behavior_type type = (enum behavior_type)kind->def.states[s].behaviors[b].type;
            kind->states[s].has_velocity_filter |= behavior_is_velocity_filter(type);
        }
    }
    world_refresh_looks(kind);
    world_match_programs(world, index);
}

/* Joins "STATE/", "seek2" and "weight" as far as they are there. */
static void join_name(char name[64], const char *state, const char *label, const char *field) {
    const char *parts[] = {state, state[0] ? "/" : "", label, label[0] ? "." : "", field};
    size_t length = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        for (const char *c = parts[i]; *c && length < 63; c++) {
            name[length++] = *c;
        }
    }
    name[length] = '\0';
}

/* The index-th FIELD_PARAM row of a table; when there are fewer, NULL and *index less those there are. */
static const struct field *param_row(const struct field *table, int *index) {
    for (; table->type != FIELD_END; table++) {
        if ((table->flags & FIELD_PARAM) && (*index)-- == 0) {
            return table;
        }
    }
    return NULL;
}

/* Of the rows of a body, which for agents without wheels end before turn_radius. */
static const struct field *body_param_row(const struct kind_def *kind, int *index) {
    const struct field *field = param_row(body_fields(), index);
    const bool is_radius = field != NULL && field->offset == offsetof(struct body_def, turn_radius);
    if (kind->body.locomotion == LOCOMOTION_WHEELED || (field != NULL && !is_radius)) {
        return field;
    }
    *index = is_radius ? 0 : *index + 1;
    return NULL;
}

bool world_param_at(const struct world *world, int kind_index, int index, struct param_ref *ref,
                    char name[64]) {
    assert(kind_index >= 0 && kind_index < world->kind_count && index >= 0);
    const struct kind *kind = &world->kinds[kind_index];
    const struct field *field = body_param_row(&kind->def, &index);
    if (field != NULL) {
        *ref = (struct param_ref){kind_index, -1, -1, field};
        join_name(name, "", "", field->name);
        return true;
    }
    for (int s = 0; s < kind->def.state_count; s++) {
        const struct state_def *state = &kind->def.states[s];
        for (int b = 0; b < state->behavior_count; b++) {
            field = param_row(behavior_fields((enum behavior_type)state->behaviors[b].type), &index);
            if (field != NULL) {
                *ref = (struct param_ref){kind_index, s, b, field};
                join_name(name, kind->def.state_count > 1 ? state->name : "",
                          kind->states[s].behaviors[b].label, field->name);
                return true;
            }
        }
    }
    return false;
}

bool world_find_param(const struct world *world, int kind, const char *name, struct param_ref *ref) {
    char candidate[64];
    for (int i = 0; world_param_at(world, kind, i, ref, candidate); i++) {
        if (strcmp(candidate, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The struct a parameter's row is about. */
static char *param_object(struct kind *kind, const struct param_ref *ref) {
    return ref->behavior < 0 ? (char *)&kind->def.body
                             : (char *)&kind->def.states[ref->state].behaviors[ref->behavior];
}

double world_get_param(const struct world *world, const struct param_ref *ref) {
    assert(ref->kind >= 0 && ref->kind < world->kind_count && (ref->field->flags & FIELD_PARAM));
    const char *member = param_object(&world->kinds[ref->kind], ref) + ref->field->offset;
    if (ref->field->type == FIELD_UINT32) {
        uint32_t whole;
        memcpy(&whole, member, sizeof whole);
        return (double)whole;
    }
    float value;
    memcpy(&value, member, sizeof value); /* a range begins with its low end */
    return ref->field->type == FIELD_ANGLE ? (double)value / RADIANS_PER_DEGREE : (double)value;
}

struct image_param world_image_param(const struct world *world, const struct param_ref *ref) {
    assert(ref->kind >= 0 && ref->kind < world->kind_count && (ref->field->flags & FIELD_PARAM));
    const char *member = param_object(&world->kinds[ref->kind], ref) + ref->field->offset;
    if (ref->field->type == FIELD_UINT32) {
        uint32_t whole;
        memcpy(&whole, member, sizeof whole);
        return (struct image_param){whole, whole};
    }
    float ends[2];
    memcpy(ends, member, ref->field->size);
    return (struct image_param){(double)ends[0], (double)ends[ref->field->type == FIELD_RANGE ? 1 : 0]};
}

static bool is_param(const struct field *field, double value) {
    if (field->type == FIELD_UINT32) {
        return value >= field->min && value <= field->max && value == (double)(uint32_t)value;
    }
    const double unit = field->type == FIELD_ANGLE ? RADIANS_PER_DEGREE : 1.0;
    return value >= (double)(float)(field->min * unit) && value <= (double)(float)(field->max * unit) &&
           value == (double)(float)value;
}

bool world_restore_param(struct world *world, const struct param_ref *ref, struct image_param value) {
    const struct field *field = ref->field;
    const struct image_param present = world_image_param(world, ref);
    char *member = param_object(&world->kinds[ref->kind], ref) + field->offset;
    if (memcmp((const char *)&present, (const char *)&value, sizeof value) == 0) {
        return true; /* a definition may say what set_param may not */
    }
    if (!is_param(field, value.low) || !is_param(field, value.high) || value.low > value.high ||
        (field->type != FIELD_RANGE && value.low != value.high)) {
        return false;
    }
    const float ends[2] = {(float)value.low, (float)value.high};
    const uint32_t whole = field->type == FIELD_UINT32 ? (uint32_t)value.low : 0;
    memcpy(member, field->type == FIELD_UINT32 ? (const void *)&whole : (const void *)ends, field->size);
    return true;
}

/* The member of a body that a FIELD_RANGE row of body_fields() stands for. */
static float *body_member(struct body *body, const struct field *field) {
    switch (field->offset) {
    case offsetof(struct body_def, mass):
        return &body->mass;
    case offsetof(struct body_def, radius):
        return &body->radius;
    case offsetof(struct body_def, max_speed):
        return &body->max_speed;
    default:
        assert(field->offset == offsetof(struct body_def, max_force));
        return &body->max_force;
    }
}

static bool is_own(const struct world *world, int32_t row, int kind) {
    return world->kind[row] == kind && (world->flags[row] & AGENT_OWN_BODY);
}

static void set_own_bodies(struct world *world, int kind, const struct field *field, float value) {
    for (int32_t row = 0; row < world->agent_count; row++) {
        if (is_own(world, row, kind)) {
            *body_member(&world->own_body[row], field) = value;
        }
    }
}

/* Whether every own body of the kind has this value already, to the bit. */
static bool have_own_bodies(const struct world *world, int kind, const struct field *field, float value) {
    bool have = true;
    for (int32_t row = 0; row < world->agent_count && have; row++) {
        if (is_own(world, row, kind)) {
            struct body body = world->own_body[row];
            have = bits_of(*body_member(&body, field)) == bits_of(value);
        }
    }
    return have;
}

void world_set_param(struct world *world, const struct param_ref *ref, double value) {
    assert(world_is_consistent(world) && ref->kind >= 0 && ref->kind < world->kind_count);
    const struct field *field = ref->field;
    assert(value >= field->min && value <= field->max && (field->flags & FIELD_PARAM));
    char *member = param_object(&world->kinds[ref->kind], ref) + field->offset;
    const struct param_bytes wanted = world_param_bytes(field, value);
    const bool is_body = field->type == FIELD_RANGE;
    if (memcmp(member, wanted.bytes, wanted.size) == 0 &&
        (!is_body || have_own_bodies(world, ref->kind, field, field_float(value)))) {
        return;
    }
    world_keep_headings(world);
    memcpy(member, wanted.bytes, wanted.size);
    if (is_body) {
        set_own_bodies(world, ref->kind, field, field_float(value));
    }
    world_refresh_kind(world, ref->kind);
    world_sort(world);
}

enum world_result world_set_agent_param(struct world *world, uint32_t id, const struct field *field,
                                        double value) {
    assert(field->type == FIELD_RANGE && value >= field->min && value <= field->max);
    const int32_t row = world_find_agent(world, id);
    if (row < 0) {
        return WORLD_NO_AGENT;
    }
    struct body body = *world_body(world, row);
    const float number = field_float(value);
    float *member = body_member(&body, field);
    if (bits_of(*member) != bits_of(number)) {
        world_keep_headings(world);
        *member = number;
        world->own_body[row] = body;
        world->flags[row] |= AGENT_OWN_BODY;
        world_sort(world);
    }
    return WORLD_OK;
}

/* ---- kinds ---- */

/* The kinds of a new world, prepared from its definition: what the names of behaviors and conditions stand
 * for, the order of tiers, labels. */

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

/* The index; -1: none is named, or none is called so. */
static int find_formation(const struct world_def *def, const char *name) {
    int found = def->formation_count - 1;
    while (found >= 0 && (name[0] == '\0' || strcmp(def->formations[found].name, name) != 0)) {
        found--;
    }
    return found;
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
        one->formation = find_formation(def, behavior->formation);
        make_label(state, b, one->label, sizeof one->label);
    }
    sort_tiers(state, runtime->order);
    return true;
}

/* Whether the formations that behaviors name are there, and one at most; notes that the kind is a member. */
static bool join_formations(struct world *world, int own, const struct state_def *state,
                            const struct state_runtime *runtime) {
    struct kind *kind = &world->kinds[own];
    for (int b = 0; b < state->behavior_count; b++) {
        const int formation = runtime->behaviors[b].formation;
        if (state->behaviors[b].formation[0] == '\0') {
            continue;
        }
        if (formation < 0 || (kind->formation >= 0 && kind->formation != formation)) {
            return false;
        }
        kind->formation = formation;
        world->formations[formation].kinds |= UINT64_C(1) << own;
    }
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

static int find_state_def(const struct kind_def *kind, const char *name) {
    int s = kind->state_count - 1;
    while (s >= 0 && strcmp(kind->states[s].name, name) != 0) {
        s--;
    }
    return s;
}

/* 1 + the number of the first state that gives this signal; 0: none does. */
static int find_signal(const struct world_def *def, const char *name) {
    for (int k = 0; name[0] != '\0' && k < def->kind_count; k++) {
        for (int s = 0; s < def->kinds[k].state_count; s++) {
            if (strcmp(def->kinds[k].states[s].signal, name) == 0) {
                return 1 + k * LIMIT_STATES + s;
            }
        }
    }
    return 0;
}

/* What a condition is about. False when there is no such thing. */
static bool resolve_condition(const struct world_def *def, const struct kind_def *kind,
                              const struct condition_def *node, struct ref_runtime *runtime) {
    *runtime = (struct ref_runtime){.mode = REF_NONE};
    switch ((enum condition_type)node->type) {
    case CONDITION_NEAR:
        return resolve(def, &node->target, runtime);
    case CONDITION_COOLDOWN:
        runtime->index = 1 + find_state_def(kind, node->name);
        return runtime->index > 0;
    case CONDITION_HEARD:
        runtime->index = find_signal(def, node->name);
        return runtime->index > 0;
    case CONDITION_IN:
        runtime->index = 1 + geometry_def_find_area(&def->geometry, node->name);
        return runtime->index > 0;
    default:
        return true;
    }
}

bool condition_has_timer(const struct condition_def *condition) {
    return condition->type == CONDITION_COOLDOWN ||
           (condition->type == CONDITION_NEAR && condition->remember > 0.0f);
}

/* Gives a condition the next timer of its kind if it needs one; that of the last state is never asked. False when there are
 * too many. */
static bool take_timer(struct kind *kind, int state, int node) {
    const bool needs =
        state + 1 < kind->def.state_count && condition_has_timer(&kind->def.states[state].conditions[node]);
    kind->states[state].timer[node] = needs ? kind->timer_count : -1;
    if (needs && kind->timer_count == LIMIT_TIMERS) {
        return false;
    }
    if (needs) {
        kind->timers[kind->timer_count++] = (struct timer_ref){(uint8_t)state, (uint8_t)node};
    }
    return true;
}

static bool build_conditions(const struct world_def *def, struct kind *kind, int index) {
    const struct state_def *state = &kind->def.states[index];
    struct state_runtime *runtime = &kind->states[index];
    if (state->condition_count < 0 || state->condition_count > LIMIT_CONDITIONS ||
        (state->condition_count > 0 && condition_end(state, 0) != state->condition_count)) {
        return false;
    }
    for (int c = 0; c < state->condition_count; c++) {
        const float half = 0.5f * state->conditions[c].field_of_view;
        runtime->cosine[c] = half > 3.1415f || !(half > 0.0f) ? WORLD_ALL_ROUND : trig_unit(half).x;
        if (!resolve_condition(def, &kind->def, &state->conditions[c], &runtime->conditions[c]) ||
            !take_timer(kind, index, c)) {
            return false;
        }
    }
    runtime->signal = (uint16_t)find_signal(def, state->signal);
    return true;
}

static enum world_result build_kind(struct world *world, const struct world_def *def, int own,
                                    const char **what) {
    struct kind *kind = &world->kinds[own];
    kind->formation = -1;
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
        if (!join_formations(world, own, state, &kind->states[s])) {
            *what =
                "a behavior names an unknown formation, or the second one of its kind; allowed: one of the "
                "definition";
            return WORLD_BAD_DEF;
        }
        if (!build_conditions(def, kind, s)) {
            *what =
                "a condition is incomplete, names an unknown target, kind, state, signal or area, or is one "
                "too many that "
                "remembers or cools down; allowed: those of the definition, LIMIT_TIMERS of a kind";
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
            world->has_signals |= state->conditions[c].type == CONDITION_HEARD;
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
        const enum world_result result = build_kind(world, def, k, what);
        if (result != WORLD_OK) {
            return result;
        }
        world->kinds[k].pursues = may_catch(&def->kinds[k]);
        note_neighbors(world, &def->kinds[k]);
        world->has_timers |= world->kinds[k].timer_count > 0;
        world_refresh_kind(world, k);
    }
    if (world->has_kind_targets && world->max_agents > SIGHT_ROWS) {
        world->max_agents = SIGHT_ROWS;
    }
    return WORLD_OK;
}
