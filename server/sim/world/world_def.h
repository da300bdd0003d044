/* What a world is made of, before it runs: plain definitions that a scenario file, a test or a benchmark
 * fills in.
 *
 * Start from world_def_default, kind_def_default and behavior_def_default, change what differs, and hand the
 * result to world_create, which copies what it needs. A world_def owns its kinds and placements
 * (world_def_fini).
 *
 * Units: px, px/s, mass*px/s^2, rad, s. Names are those of the field (Reynolds 1999).
 */
#ifndef DROVER_SERVER_SIM_WORLD_WORLD_DEF_H
#define DROVER_SERVER_SIM_WORLD_WORLD_DEF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/field.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "server/sim/scenery/geometry_def.h"

/** What happens at the borders of the box [0, width) x [0, height). */
enum edge {
    EDGE_OPEN,    /* nothing: agents may leave (kept within +-LIMIT_COORDINATE) */
    EDGE_WRAP,    /* a torus: positions wrap, and every difference goes the short way round */
    EDGE_BOUNCE,  /* the velocity is mirrored at the border, the body stays inside */
    EDGE_CONTAIN, /* agents steer back in before and after they leave (Reynolds' containment) */
};

/** How the steering force becomes motion. */
enum locomotion {
    LOCOMOTION_STEERED, /* truncate(force, max_force) / mass is the acceleration; speed <= max_speed */
    LOCOMOTION_DIRECT,  /* no steering: the velocity is set to the desired velocity (Tuts+, first demo) */
    LOCOMOTION_CONSTANT_SPEED, /* the force is scaled to exactly max_force and the speed to exactly max_speed
                                  (the boids tutorial) */
};

enum behavior_type {
    BEHAVIOR_SEEK,
    BEHAVIOR_FLEE,
    BEHAVIOR_ARRIVE,
    BEHAVIOR_PURSUE,
    BEHAVIOR_EVADE,
    BEHAVIOR_OFFSET_PURSUIT,
    BEHAVIOR_INTERPOSE,
    BEHAVIOR_WANDER,
    BEHAVIOR_FORMATION,
    BEHAVIOR_SEPARATION,
    BEHAVIOR_ALIGNMENT,
    BEHAVIOR_COHESION,
    BEHAVIOR_FLOCK,
    BEHAVIOR_AVOID_AGENTS,
    BEHAVIOR_FOLLOW_LEADER,
    BEHAVIOR_QUEUE,
    BEHAVIOR_AVOID_OBSTACLES,
    BEHAVIOR_FOLLOW_WALL,
    BEHAVIOR_FOLLOW_PATH,
    BEHAVIOR_STAY_ON_PATH,
    BEHAVIOR_FOLLOW_FLOW,
    BEHAVIOR_HIDE,
    BEHAVIOR_ORCA,
    BEHAVIOR_CONTAIN,
    BEHAVIOR_TYPE_COUNT
};

/** How arrive slows down. */
enum arrive_law {
    ARRIVE_STOP,   /* as fast as max_force allows to stop exactly on the target; slowing_distance may make it
                      gentler */
    ARRIVE_LINEAR, /* the tutorials' ramp: max_speed * distance / slowing_distance, whatever max_force can do
                    */
};

/** Who or what a behaviour or a condition is about: exactly one of target, kind and agent is set. */
struct target_ref {
    char target[LIMIT_NAME_CHARS + 2]; /* a named target; "food*": the nearest whose name begins with food */
    char kind[LIMIT_NAME_CHARS + 1];   /* the nearest agent of this kind, never oneself */
    uint32_t agent;                    /* the agent of this id; 0: none */
    float within;                      /* px; what is further away is not noticed; 0: any distance */
};

/** The three rules of flocking; behaviours about one sort of neighbour use the first. */
enum zone { ZONE_SEPARATION, ZONE_ALIGNMENT, ZONE_COHESION, ZONE_COUNT };

/** Which neighbours count for a rule, and how much the rule counts. */
struct zone_def {
    float radius;        /* px; nearer than this */
    float field_of_view; /* rad, all of it, the heading in its middle; nearer than 3 body radii: whatever the
                            angle */
    float weight;        /* flock: factor on this rule's force */
};

enum falloff {
    FALLOFF_SMOOTH, /* neighbours count less the further away they are, nothing at the radius */
    FALLOFF_NONE,   /* all the same up to the radius (separation: Reynolds' 1/r) */
};

/** What a behaviour senses of its neighbours. */
enum neighbor_use {
    NEIGHBORS_UNUSED,
    NEIGHBORS_SUMS,    /* for the three rules */
    NEIGHBORS_THREATS, /* predicted close approaches */
    NEIGHBORS_AHEAD,   /* the nearest in the way to the target, and the separation sum */
    NEIGHBORS_NEAREST, /* the nearest so many, one by one */
};

/** How many neighbours can be told apart: the most that max_neighbors may ask for. */
enum { NEIGHBORS_NEAREST_MAX = 32 };

/** Where contain keeps its agents. */
enum region_shape { REGION_WORLD, REGION_RECT, REGION_CIRCLE };
struct region_def {
    int shape;    /* enum region_shape */
    vec2 at;      /* px: the rectangle's upper left corner, the circle's centre */
    vec2 size;    /* px, of the rectangle */
    float radius; /* px, of the circle */
};

/** One behaviour of a state. Only the members that behavior_fields(type) lists matter for a type. */
struct behavior_def {
    int type; /* enum behavior_type */
    struct target_ref target;
    struct target_ref second; /* interpose: the other one */
    float weight;             /* factor on the force */
    uint32_t tier;            /* behaviours of a lower tier take what they need of max_force first */
    float probability;        /* combine dithered: how often it is asked, 0..1 */
    float slowing_distance;   /* arrive, offset_pursuit, interpose: px */
    int law;                  /* arrive: enum arrive_law */
    float panic_distance;     /* flee, evade: px; beyond it nothing is done; 0: no limit */
    float max_prediction;     /* pursue, evade, offset_pursuit, interpose: s, the furthest ahead they look */
    bool keep;                /* pursue: stay with the first quarry until it is gone or the state ends */
    vec2 offset;              /* offset_pursuit: px in the target's frame, x ahead, y to its right */
    int shape;                /* formation: enum formation_shape */
    float spacing;            /* formation: px between neighbours */
    float wander_radius;      /* wander: px, the circle the goal moves on */
    float wander_distance;    /* wander: px, the circle's centre ahead of the agent */
    float wander_rate;        /* wander: rad after one second, the root mean square turn of the goal */
    char kinds[LIMIT_NAME_CHARS *
               8]; /* those with neighbours: kinds that count, a space between; empty: own */
    struct zone_def zones[ZONE_COUNT];
    int falloff;     /* separation, alignment, cohesion, flock: enum falloff */
    float horizon;   /* avoid_agents, avoid_obstacles: s, how far ahead they look */
    float clearance; /* avoid_agents, queue, avoid_obstacles, hide: px kept free between bodies and things */
    float distance;  /* follow_leader: px behind the leader; follow_wall: px from the wall */
    float clear_ahead;                     /* follow_leader: px ahead of the leader that is kept free */
    char path[LIMIT_NAME_CHARS + 1];       /* follow_path, stay_on_path: which */
    char flow_field[LIMIT_NAME_CHARS + 1]; /* follow_flow: which */
    float prediction; /* follow_wall, follow_path, stay_on_path, follow_flow: s, look at the place then */
    float window; /* follow_path: px along the path around where it was, in which its place is looked for */
    float direction;          /* follow_path: >= 0 along the path, < 0 against it */
    uint32_t max_neighbors;   /* separation, alignment, cohesion, flock: only the nearest so many count, for
                                 each   rule; 0: all. orca: likewise, at least 1 */
    float obstacle_horizon;   /* orca: s, how far ahead it keeps clear of what is solid; 0: it does not */
    struct region_def region; /* contain */
    float margin;             /* contain: px kept between the body and the region's border */
};

/** How the places of a formation lie around the one it is about. */
enum formation_shape {
    FORMATION_LINE,   /* abreast, to its right and left in turn */
    FORMATION_COLUMN, /* behind it, one after the other */
    FORMATION_WEDGE,  /* behind it on both sides, like geese */
    FORMATION_CIRCLE, /* around it, evenly */
};

enum condition_type {
    CONDITION_NEAR,          /* something of `target` is noticed (within its distance) */
    CONDITION_EXHAUSTED,     /* stamina ran out and is not full again yet */
    CONDITION_STAMINA_BELOW, /* value: share of the maximum, 0..1 */
    CONDITION_STAMINA_ABOVE,
    CONDITION_TIME_OVER,  /* value: s in the present state */
    CONDITION_HAS_QUARRY, /* a pursue with keep remembers one that is still there */
    CONDITION_NOT,        /* of the node that follows */
    CONDITION_ALL,        /* of the next `count` nodes (with what belongs to them) */
    CONDITION_ANY,
};

/** A node of a condition, written down before what belongs to it. */
struct condition_def {
    int type;  /* enum condition_type */
    int count; /* CONDITION_ALL, CONDITION_ANY */
    float value;
    struct target_ref target; /* CONDITION_NEAR */
};

/** How the forces of a state's behaviours become one. */
enum combine {
    COMBINE_SUM, /* weighted sum within a tier; tiers in order, each truncated to what is left of max_force */
    COMBINE_DITHERED, /* in order: each is asked with its probability, and the first force is taken alone */
};

struct state_def {
    char name[LIMIT_NAME_CHARS + 1];
    int condition_count; /* 0: always; otherwise nodes[0] with all that belongs to it */
    struct condition_def conditions[LIMIT_CONDITIONS];
    float stamina_rate; /* 1/s, change of stamina while in this state; negative drains */
    int combine;        /* enum combine */
    int behavior_count;
    struct behavior_def behaviors[LIMIT_BEHAVIORS];
};

/** The physical parameters. A range is drawn from once for each agent at spawning. */
struct body_def {
    struct field_range mass, radius, max_speed, max_force; /* 1, px, px/s, mass*px/s^2 */
    float max_turn_rate;                                   /* rad/s, of the heading */
    int locomotion;                                        /* enum locomotion */
    float max_stamina; /* agents start with it; once empty they are exhausted until full */
};

struct kind_def {
    char name[LIMIT_NAME_CHARS + 1];
    struct body_def body;
    int state_count; /* >= 1; each tick the first state whose condition holds is taken, the last one if none
                        does */
    struct state_def states[LIMIT_STATES];
    bool has_states; /* whether its file names states, for messages */
};

struct target_def {
    char name[LIMIT_NAME_CHARS + 1];
    vec2 at; /* px */
    float
        jump_within; /* px; when an agent is nearer than this the target jumps to a random place; 0: never */
    float jump_margin; /* px kept from the borders when jumping */
    bool is_live;      /* added while the world runs */
};

enum placement_shape { PLACE_POINT, PLACE_RECT, PLACE_CIRCLE };

/** Where `count` agents of a kind start. */
struct placement_def {
    char kind[LIMIT_NAME_CHARS + 1];
    uint32_t count;
    int shape;    /* enum placement_shape */
    vec2 at;      /* point, centre of the circle, or upper left corner of the rectangle; px */
    vec2 size;    /* rectangle: width and height; px */
    float radius; /* circle; px */
    bool has_velocity, has_heading;
    vec2 velocity; /* px/s; {0,0} when left out */
    float heading; /* rad; along the velocity when left out, random when that is zero */
};

struct world_def {
    uint64_t seed;
    double tick_hz; /* ticks a second */
    vec2 size;      /* px */
    int edge;       /* enum edge */
    int target_count;
    struct target_def targets[LIMIT_TARGETS];
    int kind_count;
    struct kind_def *kinds; /* owned */
    int placement_count;
    struct placement_def *placements; /* owned */
    struct geometry_def geometry;     /* owned; obstacles, walls, paths, flow fields */
    const atomic_bool *given_up;      /* NULL, or ends world_create early (world_let_give_up) */
};

/** 800 x 600, open, 60 Hz, seed 1, nothing in it. */
struct world_def world_def_default(void);
void world_def_fini(struct world_def *def);
/** A further kind, as kind_def_default; the caller fills it in. NULL at LIMIT_KINDS or without memory. The
 * pointer is good until the next call. */
NODISCARD struct kind_def *world_def_add_kind(struct world_def *def, const char *name);
/** A further placement (zero: one agent at 0,0). NULL at LIMIT_PLACEMENTS or without memory. */
NODISCARD struct placement_def *world_def_add_placement(struct world_def *def, const char *kind);
/** mass 1, radius 8, max_speed 100, max_force 200, unlimited turning, steered; one state without behaviours.
 */
struct kind_def kind_def_default(void);
struct behavior_def behavior_def_default(enum behavior_type type);

/* Tables (FIELD_END-ended) of what can be written in a scenario and tuned live (FIELD_PARAM rows). */
extern const char
    *const edge_names[]; /* NULL-ended; index = enum edge: "open", "wrap", "bounce", "contain" */
extern const char *const locomotion_names[]; /* "steered", "direct", "constant_speed" */
extern const char *const arrive_law_names[]; /* "stop", "linear" */
extern const char *const formation_names[];  /* "line", "column", "wedge", "circle" */
extern const char *const combine_names[];    /* "sum", "dithered" */
extern const char *const falloff_names[];    /* "smooth", "none" */
/** Rows of struct body_def. */
const struct field *body_fields(void);
/** Rows of struct target_ref, for conditions; behaviours have the same rows among their own. */
const struct field *target_ref_fields(void);
/** Rows of struct behavior_def for this type: whom it is about, weight, tier, and its own. */
const struct field *behavior_fields(enum behavior_type type);
/** Whether the type names a path, or a flow field (rows "path", "flow_field"). */
bool behavior_has_path(enum behavior_type type);
bool behavior_has_flow_field(enum behavior_type type);
/** Whether the type speaks after the others of its state: it is asked once, for the velocity to have instead
 * of the one they want. */
bool behavior_has_last_word(enum behavior_type type);
/** How many target_refs a type has: 0 (wander), 1, or 2 (interpose). */
int behavior_target_count(enum behavior_type type);
/** What a type senses of its neighbours. */
enum neighbor_use behavior_neighbor_use(enum behavior_type type);
/** "seek"; NULL outside the enum. */
const char *behavior_type_name(enum behavior_type type);
/** The type of this name, or -1. */
int behavior_type_from_name(const char *name);

#endif
