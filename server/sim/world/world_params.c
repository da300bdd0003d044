/* Live parameters: what get_params lists and set_param changes, found through the field tables of
 * world_def.h. */
#include <assert.h>
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
            world_refresh_zones(&kind->def.states[s].behaviors[b], &kind->states[s].behaviors[b]);
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

bool world_param_at(const struct world *world, int kind_index, int index, struct param_ref *ref,
                    char name[64]) {
    assert(kind_index >= 0 && kind_index < world->kind_count && index >= 0);
    const struct kind *kind = &world->kinds[kind_index];
    const struct field *field = param_row(body_fields(), &index);
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
