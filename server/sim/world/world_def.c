/* See world_def.h: the tables of what a definition may say, and its memory. */
#include "server/sim/world/world_def.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/steering/behavior_fields.h"

const char *const edge_names[] = {"open", "wrap", "bounce", "contain", NULL};
const char *const locomotion_names[] = {"steered", "direct", "constant_speed", "wheeled", NULL};
const char *const source_spread_names[] = {"even", "random", NULL};
const char *const combine_names[] = {"sum", "dithered", NULL};

static const struct field body_table[] = {
    {.name = "mass",
     .type = FIELD_RANGE,
     FIELD_MEMBER(struct body_def, mass),
     .flags = FIELD_PARAM,
     .min = 0.01,
     .max = 1e6,
     .initial = 1.0,
     .unit = "mass",
     .help = "What a force must push: acceleration is force / mass."},
    {.name = "radius",
     .type = FIELD_RANGE,
     FIELD_MEMBER(struct body_def, radius),
     .flags = FIELD_PARAM,
     .min = 0.0,
     .max = 10000.0,
     .initial = 8.0,
     .unit = "px",
     .help = "Size of the body, for drawing and keeping inside edges."},
    {.name = "max_speed",
     .type = FIELD_RANGE,
     FIELD_MEMBER(struct body_def, max_speed),
     .flags = FIELD_PARAM,
     .min = 0.0,
     .max = LIMIT_SPEED,
     .initial = 100.0,
     .unit = "px/s",
     .help = "The velocity is truncated to this."},
    {.name = "max_force",
     .type = FIELD_RANGE,
     FIELD_MEMBER(struct body_def, max_force),
     .flags = FIELD_PARAM,
     .min = 0.0,
     .max = 1e9,
     .initial = 200.0,
     .unit = "mass*px/s^2",
     .help = "The sum of the steering forces is truncated to this."},
    {.name = "max_turn_rate",
     .type = FIELD_ANGLE,
     FIELD_MEMBER(struct body_def, max_turn_rate),
     .flags = FIELD_PARAM,
     .min = 0.0,
     .max = 86400.0,
     .initial = 86400.0,
     .unit = "deg/s",
     .help = "How fast the heading may turn."},
    {.name = "locomotion",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct body_def, locomotion),
     .choices = locomotion_names,
     .unit = "",
     .help = "How the steering force becomes motion."},
    {.name = "max_stamina",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct body_def, max_stamina),
     .flags = FIELD_PARAM,
     .min = 0.0,
     .max = 1e6,
     .unit = "1",
     .help = "Stamina at the start; once empty the agent is exhausted until it is full again."},
    /* The last row: world_param_at leaves it out where it says nothing. */
    {.name = "turn_radius",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct body_def, turn_radius),
     .flags = FIELD_PARAM,
     .min = 0.1,
     .max = 100000.0,
     .initial = 40.0,
     .unit = "px",
     .help = "The smallest circle that a wheeled agent can go."},
    {.type = FIELD_END},
};

const struct field *body_fields(void) {
    return body_table;
}

#define CONDITION_ROW(kind_of, name_, member_, flags_, min_, max_, unit_, help_)                             \
    ROW(kind_of, name_, struct condition_def, member_, flags_, min_, max_, 0, unit_, help_)

static const struct field near_table[] = {
    REF_ROWS(struct condition_def, "", target.),
    CONDITION_ROW(FIELD_ANGLE, "field_of_view", field_of_view, 0, 0, 360, "deg",
                  "What is outside this angle, the heading in its middle, is not seen; 0: all round."),
    CONDITION_ROW(FIELD_BOOL, "visible", is_visible, 0, 0, 0, "",
                  "What is behind an obstacle or a wall is not seen."),
    CONDITION_ROW(FIELD_FLOAT, "remember", remember, 0, 0, 1e6, "s",
                  "It still holds for so long after it last did."),
    END_ROW};
static const struct field cooldown_table[] = {
    CONDITION_ROW(FIELD_NAME, "state", name, FIELD_REQUIRED, 0, 0, "", "A state of the kind."),
    CONDITION_ROW(FIELD_FLOAT, "seconds", value, FIELD_REQUIRED, 0, 1e6, "s",
                  "It holds unless the state was left less than this ago."),
    END_ROW};
static const struct field heard_table[] = {
    CONDITION_ROW(FIELD_NAME, "signal", name, FIELD_REQUIRED, 0, 0, "", "A signal that some state gives."),
    CONDITION_ROW(FIELD_FLOAT, "within", value, FIELD_REQUIRED, 1, LIMIT_COORDINATE, "px",
                  "Whoever gives it further away is not heard."),
    END_ROW};
static const struct field in_table[] = {
    CONDITION_ROW(FIELD_NAME, "area", name, FIELD_REQUIRED, 0, 0, "", "An area of the world."), END_ROW};

const struct field *condition_fields(int type) {
    return type == CONDITION_NEAR       ? near_table
           : type == CONDITION_COOLDOWN ? cooldown_table
           : type == CONDITION_HEARD    ? heard_table
           : type == CONDITION_IN       ? in_table
                                        : NULL;
}

struct kind_def kind_def_default(void) {
    const float unlimited = 1507.9645f; /* 86400 deg/s: half a turn a tick at LIMIT_TICK_HZ */
    return (struct kind_def){
        .body = {.mass = {1.0f, 1.0f},
                 .radius = {8.0f, 8.0f},
                 .max_speed = {100.0f, 100.0f},
                 .max_force = {200.0f, 200.0f},
                 .max_turn_rate = unlimited,
                 .turn_radius = 40.0f},
        .state_count = 1,
        .states = {{.name = "idle"}},
    };
}

bool kind_def_is_led(const struct kind_def *kind, int state) {
    const struct state_def *def = &kind->states[state];
    uint32_t tiers = 0; /* with forces, a bit each */
    bool is_filtered = false;
    for (int b = 0; b < def->behavior_count; b++) {
        const bool is_filter = behavior_is_velocity_filter((enum behavior_type)def->behaviors[b].type);
        is_filtered |= is_filter;
        tiers |= is_filter ? 0 : UINT32_C(1) << def->behaviors[b].tier;
    }
    const bool is_wheeled = kind->body.locomotion == LOCOMOTION_WHEELED;
    return ((is_filtered && (tiers & (tiers - 1)) != 0) || is_wheeled) && def->combine == COMBINE_SUM &&
           kind->body.locomotion != LOCOMOTION_DIRECT;
}

struct world_def world_def_default(void) {
    return (struct world_def){
        .seed = 1, .tick_hz = 60.0, .size = {800.0f, 600.0f}, .max_agents = LIMIT_AGENTS_USUAL};
}

void world_def_fini(struct world_def *def) {
    free(def->kinds);
    free(def->placements);
    geometry_def_fini(&def->geometry);
    *def = world_def_default();
}

/* Copies a name that the caller has checked; a longer one is cut. */
static void copy_name(char target[LIMIT_NAME_CHARS + 1], const char *name) {
    size_t length = strlen(name);
    length = length < LIMIT_NAME_CHARS ? length : LIMIT_NAME_CHARS;
    memcpy(target, name, length);
    target[length] = '\0';
}

struct kind_def *world_def_add_kind(struct world_def *def, const char *name) {
    assert(def->kind_count >= 0 && name != NULL);
    if (def->kind_count >= LIMIT_KINDS) {
        return NULL;
    }
    struct kind_def *kinds = realloc(def->kinds, (size_t)(def->kind_count + 1) * sizeof *kinds);
    if (kinds == NULL) {
        return NULL;
    }
    def->kinds = kinds;
    struct kind_def *kind = &kinds[def->kind_count++];
    *kind = kind_def_default();
    copy_name(kind->name, name);
    return kind;
}

struct placement_def *world_def_add_placement(struct world_def *def, const char *kind) {
    assert(def->placement_count >= 0 && kind != NULL);
    if (def->placement_count >= LIMIT_PLACEMENTS) {
        return NULL;
    }
    struct placement_def *placements =
        realloc(def->placements, (size_t)(def->placement_count + 1) * sizeof *placements);
    if (placements == NULL) {
        return NULL;
    }
    def->placements = placements;
    struct placement_def *placement = &placements[def->placement_count++];
    *placement = (struct placement_def){.count = 1};
    copy_name(placement->kind, kind);
    return placement;
}
