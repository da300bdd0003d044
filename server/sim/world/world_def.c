/* See world_def.h: the tables of what a definition may say, and its memory. */
#include "server/sim/world/world_def.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/math/trig.h"

const char *const edge_names[] = {"open", "wrap", "bounce", "contain", NULL};
const char *const locomotion_names[] = {"steered", "direct", "constant_speed", NULL};
const char *const arrive_law_names[] = {"stop", "linear", NULL};
const char *const formation_names[] = {"line", "column", "wedge", "circle", NULL};
const char *const combine_names[] = {"sum", "dithered", NULL};
const char *const falloff_names[] = {"smooth", "none", NULL};

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
    {.type = FIELD_END},
};

/* One row; the help is what get_params and the documentation say. */
#define ROW(kind_of, name_, struct_, member_, flags_, min_, max_, initial_, unit_, help_)                    \
    {                                                                                                        \
        .name = (name_), .type = (kind_of), FIELD_MEMBER(struct_, member_), .flags = (flags_),               \
        .min = (min_), .max = (max_), .initial = (initial_), .unit = (unit_), .help = (help_)                \
    }
#define NUMBER(name_, member_, max_, initial_, unit_, help_)                                                 \
    ROW(FIELD_FLOAT, name_, struct behavior_def, member_, FIELD_PARAM, 0.0, max_, initial_, unit_, help_)

#define REF_ROWS(struct_, prefix, what)                                                                      \
    ROW(FIELD_TEXT, prefix "target", struct_, what target, 0, 0, 0, 0, "",                                   \
        "A named target; food* is the nearest whose name begins with food."),                                \
        ROW(FIELD_NAME, prefix "kind", struct_, what kind, 0, 0, 0, 0, "",                                   \
            "The nearest agent of this kind."),                                                              \
        ROW(FIELD_UINT32, prefix "agent", struct_, what agent, 0, 1, 4294967295.0, 0, "",                    \
            "The agent of this id."),                                                                        \
        ROW(FIELD_FLOAT, prefix "within", struct_, what within, FIELD_PARAM, 0, LIMIT_COORDINATE, 0, "px",   \
            "What is further away is not noticed; 0: any distance.")
#define TARGET_ROWS REF_ROWS(struct behavior_def, "", target.)
#define SECOND_ROWS REF_ROWS(struct behavior_def, "second_", second.)

#define WEIGHT_ROW NUMBER("weight", weight, 1000.0, 1.0, "1", "Factor on this behaviour's force.")
#define TURN_ROWS                                                                                            \
    ROW(FIELD_UINT32, "tier", struct behavior_def, tier, 0, 0, 15, 0, "",                                    \
        "Behaviours of a lower tier take what they need of max_force first."),                               \
        ROW(FIELD_FLOAT, "probability", struct behavior_def, probability, 0, 0, 1, 1, "1",                   \
            "How often it is asked when the state combines dithered.")

#define PREDICTION_ROW                                                                                       \
    NUMBER("max_prediction", max_prediction, 3600.0, 2.0, "s",                                               \
           "The furthest ahead the other's place is predicted.")
#define SLOWING_ROW                                                                                          \
    NUMBER("slowing_distance", slowing_distance, LIMIT_COORDINATE, 0.0, "px",                                \
           "Inside this distance the speed falls linearly to zero at the target.")
#define PANIC_ROW                                                                                            \
    NUMBER("panic_distance", panic_distance, LIMIT_COORDINATE, 0.0, "px",                                    \
           "Acts only when nearer than this; 0: at any distance.")
#define END_ROW                                                                                              \
    { .type = FIELD_END }

static const struct field ref_table[] = {REF_ROWS(struct target_ref, "", ), END_ROW};
static const struct field seek_table[] = {WEIGHT_ROW, TARGET_ROWS, TURN_ROWS, END_ROW};
static const struct field flee_table[] = {WEIGHT_ROW, PANIC_ROW, TARGET_ROWS, TURN_ROWS, END_ROW};
static const struct field arrive_table[] = {
    WEIGHT_ROW,
    SLOWING_ROW,
    {.name = "law",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct behavior_def, law),
     .choices = arrive_law_names,
     .unit = "",
     .help = "stop: always able to stop exactly on the target; linear: the slowing_distance alone."},
    TARGET_ROWS,
    TURN_ROWS,
    END_ROW,
};
static const struct field pursue_table[] = {
    WEIGHT_ROW,
    PREDICTION_ROW,
    ROW(FIELD_BOOL, "keep", struct behavior_def, keep, 0, 0, 0, 0, "",
        "Stay with the first quarry until it is gone or the state ends."),
    TARGET_ROWS,
    TURN_ROWS,
    END_ROW,
};
static const struct field evade_table[] = {WEIGHT_ROW,  PREDICTION_ROW, PANIC_ROW,
                                           TARGET_ROWS, TURN_ROWS,      END_ROW};
static const struct field offset_pursuit_table[] = {
    WEIGHT_ROW,
    PREDICTION_ROW,
    SLOWING_ROW,
    ROW(FIELD_POINT, "offset", struct behavior_def, offset, 0, -LIMIT_WORLD_SIZE, LIMIT_WORLD_SIZE, 0, "px",
        "The place to keep, in the other's frame: x ahead, y to its right."),
    TARGET_ROWS,
    TURN_ROWS,
    END_ROW,
};
static const struct field interpose_table[] = {WEIGHT_ROW,  PREDICTION_ROW, SLOWING_ROW, TARGET_ROWS,
                                               SECOND_ROWS, TURN_ROWS,      END_ROW};
static const struct field wander_table[] = {
    WEIGHT_ROW,
    NUMBER("radius", wander_radius, 10000.0, 30.0, "px", "The circle that the goal wanders on."),
    NUMBER("distance", wander_distance, 10000.0, 60.0, "px",
           "How far ahead of the agent the circle's centre is."),
    NUMBER("rate", wander_rate, 100.0, 2.0, "rad/s^0.5",
           "How far the goal moves along the circle in a second, root mean square."),
    TURN_ROWS,
    END_ROW,
};

static const struct field formation_table[] = {
    WEIGHT_ROW,
    NUMBER("spacing", spacing, 10000.0, 30.0, "px", "The distance between neighbours."),
    PREDICTION_ROW,
    SLOWING_ROW,
    {.name = "shape",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct behavior_def, shape),
     .choices = formation_names,
     .unit = "",
     .help = "How the places lie around the one it is about."},
    TARGET_ROWS,
    TURN_ROWS,
    END_ROW,
};

/* ---- neighbours ---- */

#define ANGLE(name_, member_, initial_, help_)                                                               \
    ROW(FIELD_ANGLE, name_, struct behavior_def, member_, FIELD_PARAM, 0, 360, initial_, "deg", help_)
#define RADIUS_ROW(name_, zone_, initial_)                                                                   \
    NUMBER(name_, zones[zone_].radius, LIMIT_COORDINATE, initial_, "px", "Neighbours nearer than this count.")
#define VIEW_ROW(name_, zone_, initial_)                                                                     \
    ANGLE(name_, zones[zone_].field_of_view, initial_,                                                       \
          "The angle seen, the heading in its middle; the very near is noticed anyway.")
#define RULE_ROW(name_, zone_, initial_)                                                                     \
    NUMBER(name_, zones[zone_].weight, 1000.0, initial_, "1", "Factor on this rule's force.")
#define KINDS_ROW                                                                                            \
    ROW(FIELD_NAMES, "kinds", struct behavior_def, kinds, 0, 0, 0, 0, "",                                    \
        "Which kinds count as neighbours; its own when left out.")
#define FALLOFF_ROW                                                                                          \
    {                                                                                                        \
        .name = "falloff", .type = FIELD_CHOICE, FIELD_MEMBER(struct behavior_def, falloff),                 \
        .choices = falloff_names, .unit = "",                                                                \
        .help = "smooth: neighbours count less the further away they are; none: all the same."               \
    }
#define CLEARANCE_ROW(initial_)                                                                              \
    NUMBER("clearance", clearance, LIMIT_COORDINATE, initial_, "px", "Kept free between the bodies.")
#define NEAREST_ROW(help_, min_, initial_)                                                                   \
    ROW(FIELD_UINT32, "max_neighbors", struct behavior_def, max_neighbors, FIELD_PARAM, min_,                \
        NEIGHBORS_NEAREST_MAX, initial_, "agents", help_)
#define CAP_ROW NEAREST_ROW("Only the nearest so many count, for each rule; 0: all of them.", 0, 0)
#define RULE_TABLE(zone_, radius_)                                                                           \
    {                                                                                                        \
        WEIGHT_ROW, RADIUS_ROW("radius", zone_, radius_), VIEW_ROW("field_of_view", zone_, 360),             \
            FALLOFF_ROW, CAP_ROW, KINDS_ROW, TURN_ROWS, END_ROW                                              \
    }

static const struct field separation_table[] = RULE_TABLE(ZONE_SEPARATION, 40);
static const struct field alignment_table[] = RULE_TABLE(ZONE_ALIGNMENT, 80);
static const struct field cohesion_table[] = RULE_TABLE(ZONE_COHESION, 120);
static const struct field flock_table[] = {
    WEIGHT_ROW,
    RADIUS_ROW("separation_radius", ZONE_SEPARATION, 30),
    VIEW_ROW("separation_view", ZONE_SEPARATION, 360),
    RULE_ROW("separation_weight", ZONE_SEPARATION, 1.5),
    RADIUS_ROW("alignment_radius", ZONE_ALIGNMENT, 60),
    VIEW_ROW("alignment_view", ZONE_ALIGNMENT, 270),
    RULE_ROW("alignment_weight", ZONE_ALIGNMENT, 1),
    RADIUS_ROW("cohesion_radius", ZONE_COHESION, 60),
    VIEW_ROW("cohesion_view", ZONE_COHESION, 270),
    RULE_ROW("cohesion_weight", ZONE_COHESION, 1),
    FALLOFF_ROW,
    CAP_ROW,
    KINDS_ROW,
    TURN_ROWS,
    END_ROW,
};
static const struct field avoid_agents_table[] = {
    WEIGHT_ROW,
    RADIUS_ROW("radius", ZONE_SEPARATION, 150),
    VIEW_ROW("field_of_view", ZONE_SEPARATION, 360),
    NUMBER("horizon", horizon, 60.0, 2.0, "s", "How far ahead approaches are predicted."),
    CLEARANCE_ROW(4),
    KINDS_ROW,
    TURN_ROWS,
    END_ROW,
};
static const struct field follow_leader_table[] = {
    WEIGHT_ROW,
    NUMBER("distance", distance, LIMIT_COORDINATE, 40.0, "px", "The place to follow at, behind the leader."),
    NUMBER("clear_ahead", clear_ahead, LIMIT_COORDINATE, 80.0, "px",
           "Ahead of the leader and half as far to its sides followers step out of the way."),
    RADIUS_ROW("radius", ZONE_SEPARATION, 30),
    NUMBER("slowing_distance", slowing_distance, LIMIT_COORDINATE, 100.0, "px",
           "Inside this distance the speed falls linearly to the leader's."),
    KINDS_ROW,
    TARGET_ROWS,
    TURN_ROWS,
    END_ROW,
};
static const struct field queue_table[] = {
    WEIGHT_ROW,
    RADIUS_ROW("radius", ZONE_SEPARATION, 80),
    VIEW_ROW("field_of_view", ZONE_SEPARATION, 90),
    CLEARANCE_ROW(6),
    KINDS_ROW,
    TARGET_ROWS,
    TURN_ROWS,
    END_ROW,
};

/* ---- geometry ---- */

#define PATH_ROW                                                                                             \
    ROW(FIELD_NAME, "path", struct behavior_def, path, FIELD_REQUIRED, 0, 0, 0, "",                          \
        "One of the world's paths.")
#define LOOK_ROW(initial_)                                                                                   \
    NUMBER("prediction", prediction, 60.0, initial_, "s",                                                    \
           "It looks at the place where it will be after this time.")

static const struct field avoid_obstacles_table[] = {
    WEIGHT_ROW,
    NUMBER("horizon", horizon, 60.0, 1.5, "s", "How far ahead it looks for obstacles and walls."),
    NUMBER("clearance", clearance, 1000.0, 4.0, "px", "Kept between the body and what it passes."),
    TURN_ROWS,
    END_ROW,
};
static const struct field follow_wall_table[] = {
    WEIGHT_ROW,    NUMBER("distance", distance, 10000.0, 20.0, "px", "Kept between the body and the wall."),
    LOOK_ROW(0.3), TURN_ROWS,
    END_ROW,
};
static const struct field follow_path_table[] = {
    WEIGHT_ROW,
    LOOK_ROW(0.4),
    ROW(FIELD_FLOAT, "direction", struct behavior_def, direction, FIELD_PARAM, -1, 1, 1, "1",
        "1: along the path, -1: against it."),
    NUMBER("window", window, LIMIT_COORDINATE, 100.0, "px",
           "Its place on the path is looked for so far before and after the last; matters where a path "
           "crosses itself."),
    PATH_ROW,
    TURN_ROWS,
    END_ROW,
};
static const struct field stay_on_path_table[] = {WEIGHT_ROW, LOOK_ROW(0.4), PATH_ROW, TURN_ROWS, END_ROW};
static const struct field follow_flow_table[] = {
    WEIGHT_ROW,
    LOOK_ROW(0.2),
    ROW(FIELD_NAME, "flow_field", struct behavior_def, flow_field, FIELD_REQUIRED, 0, 0, 0, "",
        "One of the world's flow fields."),
    TURN_ROWS,
    END_ROW,
};
static const struct field hide_table[] = {
    WEIGHT_ROW,
    PREDICTION_ROW,
    SLOWING_ROW,
    NUMBER("clearance", clearance, 1000.0, 10.0, "px",
           "Kept between the body and the obstacle it hides behind."),
    TARGET_ROWS,
    TURN_ROWS,
    END_ROW,
};

/* ---- the last word, and regions ---- */

static const struct field orca_table[] = {
    ROW(FIELD_FLOAT, "weight", struct behavior_def, weight, FIELD_PARAM, 0, 1, 1, "1",
        "How much of its correction is made; 0: none."),
    NUMBER("horizon", horizon, 60.0, 2.0, "s", "No collision is allowed to come within this time."),
    CLEARANCE_ROW(2),
    RADIUS_ROW("radius", ZONE_SEPARATION, 150),
    NEAREST_ROW("Only the nearest so many count.", 1, 10),
    NUMBER("obstacle_horizon", obstacle_horizon, 60.0, 0.5, "s",
           "Nothing solid is allowed to be touched within this time; 0: whatever is solid is ignored."),
    KINDS_ROW,
    TURN_ROWS,
    END_ROW,
};
static const struct field contain_table[] = {
    WEIGHT_ROW,
    NUMBER("margin", margin, LIMIT_COORDINATE, 0.0, "px", "Kept between the body and the region's border."),
    NUMBER("prediction", prediction, 60.0, 0.0, "s",
           "It looks ahead at least so far, and as far as it takes to brake."),
    TURN_ROWS,
    END_ROW,
};

static const struct {
    const char *name;
    int targets;
    const struct field *fields;
    enum neighbor_use neighbors;
} behavior_rows[BEHAVIOR_TYPE_COUNT] = {
    [BEHAVIOR_SEEK] = {.name = "seek", .targets = 1, .fields = seek_table},
    [BEHAVIOR_FLEE] = {.name = "flee", .targets = 1, .fields = flee_table},
    [BEHAVIOR_ARRIVE] = {.name = "arrive", .targets = 1, .fields = arrive_table},
    [BEHAVIOR_PURSUE] = {.name = "pursue", .targets = 1, .fields = pursue_table},
    [BEHAVIOR_EVADE] = {.name = "evade", .targets = 1, .fields = evade_table},
    [BEHAVIOR_OFFSET_PURSUIT] = {.name = "offset_pursuit", .targets = 1, .fields = offset_pursuit_table},
    [BEHAVIOR_INTERPOSE] = {.name = "interpose", .targets = 2, .fields = interpose_table},
    [BEHAVIOR_WANDER] = {.name = "wander", .targets = 0, .fields = wander_table},
    [BEHAVIOR_FORMATION] = {.name = "formation", .targets = 1, .fields = formation_table},
    [BEHAVIOR_SEPARATION] = {"separation", 0, separation_table, NEIGHBORS_SUMS},
    [BEHAVIOR_ALIGNMENT] = {"alignment", 0, alignment_table, NEIGHBORS_SUMS},
    [BEHAVIOR_COHESION] = {"cohesion", 0, cohesion_table, NEIGHBORS_SUMS},
    [BEHAVIOR_FLOCK] = {"flock", 0, flock_table, NEIGHBORS_SUMS},
    [BEHAVIOR_AVOID_AGENTS] = {"avoid_agents", 0, avoid_agents_table, NEIGHBORS_THREATS},
    [BEHAVIOR_FOLLOW_LEADER] = {"follow_leader", 1, follow_leader_table, NEIGHBORS_SUMS},
    [BEHAVIOR_QUEUE] = {"queue", 1, queue_table, NEIGHBORS_AHEAD},
    [BEHAVIOR_AVOID_OBSTACLES] = {.name = "avoid_obstacles", .targets = 0, .fields = avoid_obstacles_table},
    [BEHAVIOR_FOLLOW_WALL] = {.name = "follow_wall", .targets = 0, .fields = follow_wall_table},
    [BEHAVIOR_FOLLOW_PATH] = {.name = "follow_path", .targets = 0, .fields = follow_path_table},
    [BEHAVIOR_STAY_ON_PATH] = {.name = "stay_on_path", .targets = 0, .fields = stay_on_path_table},
    [BEHAVIOR_FOLLOW_FLOW] = {.name = "follow_flow", .targets = 0, .fields = follow_flow_table},
    [BEHAVIOR_HIDE] = {.name = "hide", .targets = 1, .fields = hide_table},
    [BEHAVIOR_ORCA] = {"orca", 0, orca_table, NEIGHBORS_NEAREST},
    [BEHAVIOR_CONTAIN] = {.name = "contain", .targets = 0, .fields = contain_table},
};

const struct field *target_ref_fields(void) {
    return ref_table;
}

int behavior_target_count(enum behavior_type type) {
    assert(type >= 0 && type < BEHAVIOR_TYPE_COUNT);
    return behavior_rows[type].targets;
}

enum neighbor_use behavior_neighbor_use(enum behavior_type type) {
    assert(type >= 0 && type < BEHAVIOR_TYPE_COUNT);
    return behavior_rows[type].neighbors;
}

bool behavior_has_last_word(enum behavior_type type) {
    return type == BEHAVIOR_ORCA;
}

bool behavior_has_path(enum behavior_type type) {
    return type == BEHAVIOR_FOLLOW_PATH || type == BEHAVIOR_STAY_ON_PATH;
}

bool behavior_has_flow_field(enum behavior_type type) {
    return type == BEHAVIOR_FOLLOW_FLOW;
}

const struct field *body_fields(void) {
    return body_table;
}

const struct field *behavior_fields(enum behavior_type type) {
    assert(type >= 0 && type < BEHAVIOR_TYPE_COUNT);
    return behavior_rows[type].fields;
}

const char *behavior_type_name(enum behavior_type type) {
    return (int)type >= 0 && type < BEHAVIOR_TYPE_COUNT ? behavior_rows[type].name : NULL;
}

int behavior_type_from_name(const char *name) {
    for (int type = 0; type < BEHAVIOR_TYPE_COUNT; type++) {
        if (strcmp(behavior_rows[type].name, name) == 0) {
            return type;
        }
    }
    return -1;
}

/* Sets a numeric member from its row's initial value. */
static void set_initial(const struct field *field, struct behavior_def *def) {
    char *member = (char *)def + field->offset;
    const bool is_angle = field->type == FIELD_ANGLE;
    const float number = (float)(is_angle ? field->initial * (TRIG_PI / 180.0) : field->initial);
    const uint32_t whole = (uint32_t)field->initial;
    if (field->type == FIELD_FLOAT || is_angle) {
        memcpy(member, &number, sizeof number);
    } else if (field->type == FIELD_UINT32) {
        memcpy(member, &whole, sizeof whole);
    }
}

struct behavior_def behavior_def_default(enum behavior_type type) {
    struct behavior_def def = {.type = (int)type};
    for (const struct field *field = behavior_fields(type); field->type != FIELD_END; field++) {
        set_initial(field, &def);
    }
    return def;
}

struct kind_def kind_def_default(void) {
    const float unlimited = 1507.9645f; /* 86400 deg/s: half a turn a tick at LIMIT_TICK_HZ */
    return (struct kind_def){
        .body = {.mass = {1.0f, 1.0f},
                 .radius = {8.0f, 8.0f},
                 .max_speed = {100.0f, 100.0f},
                 .max_force = {200.0f, 200.0f},
                 .max_turn_rate = unlimited},
        .state_count = 1,
        .states = {{.name = "idle"}},
    };
}

struct world_def world_def_default(void) {
    return (struct world_def){.seed = 1, .tick_hz = 60.0, .size = {800.0f, 600.0f}};
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
    if (def->kind_count >= LIMIT_KINDS) {
        return NULL;
    }
    struct kind_def *kinds = realloc(def->kinds, (size_t)(def->kind_count + 1) * sizeof *kinds);
    if (!kinds) {
        return NULL;
    }
    def->kinds = kinds;
    struct kind_def *kind = &kinds[def->kind_count++];
    *kind = kind_def_default();
    copy_name(kind->name, name);
    return kind;
}

struct placement_def *world_def_add_placement(struct world_def *def, const char *kind) {
    if (def->placement_count >= LIMIT_PLACEMENTS) {
        return NULL;
    }
    struct placement_def *placements =
        realloc(def->placements, (size_t)(def->placement_count + 1) * sizeof *placements);
    if (!placements) {
        return NULL;
    }
    def->placements = placements;
    struct placement_def *placement = &placements[def->placement_count++];
    *placement = (struct placement_def){.count = 1};
    copy_name(placement->kind, kind);
    return placement;
}
