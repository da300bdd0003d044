/* One behavior of a state as a scenario defines it: which one, what it is about, and its parameters. */
#ifndef DROVER_SERVER_SIM_STEERING_BEHAVIOR_DEF_H
#define DROVER_SERVER_SIM_STEERING_BEHAVIOR_DEF_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/field.h"
#include "common/base/limits.h"
#include "common/base/vec2.h"
#include "server/sim/space/neighbors.h"
#include "server/sim/steering/behavior_list.h"

/** BEHAVIOR_SEEK ... in the order of the list. */
enum behavior_type {
#define ENUMERATOR(enumerator, name, targets, neighbors, zones, traits) BEHAVIOR_##enumerator,
    BEHAVIOR_LIST(ENUMERATOR)
#undef ENUMERATOR
        BEHAVIOR_TYPE_COUNT
};

/** For arrays with an entry for each row of the list. */
enum { BEHAVIOR_ROWS = BEHAVIOR_TYPE_COUNT };

/** How arrive slows down. */
enum arrive_law {
    ARRIVE_STOP,   /* as fast as max_force allows to stop exactly on the target; slowing_distance may make it
                      gentler */
    ARRIVE_LINEAR, /* the tutorials' ramp: max_speed * distance / slowing_distance, whatever max_force can do
                    */
};

/** What a behavior or a condition is about: exactly one of target, kind and agent is set. */
struct target_ref {
    char target[LIMIT_NAME_CHARS + 2]; /* a named target; "food*": the nearest whose name begins with food */
    char kind[LIMIT_NAME_CHARS + 1];   /* the nearest agent of this kind, never oneself */
    uint32_t agent;                    /* the agent of this id; 0: none */
    float within;                      /* px; what is further away is not noticed; 0: any distance */
};

/** Which neighbors count for a rule, and how much the rule counts. */
struct zone_def {
    float radius;        /* px; nearer than this */
    float field_of_view; /* rad, all of it, the heading in its middle; nearer than 3 body radii: whatever the
                            angle */
    float weight;        /* flock: factor on this rule's force */
};

enum falloff {
    FALLOFF_SMOOTH, /* neighbors count less the further away they are, nothing at the radius */
    FALLOFF_NONE,   /* all the same up to the radius (separation: Reynolds' 1/r) */
};

/** Where contain keeps its agents. */
enum region_shape { REGION_WORLD, REGION_RECT, REGION_CIRCLE };
struct region_def {
    int shape;    /* enum region_shape */
    vec2 at;      /* px: the rectangle's upper left corner, the circle's center */
    vec2 size;    /* px, of the rectangle */
    float radius; /* px, of the circle */
};

/** How the places of a formation lie around the one it is about. */
enum formation_shape {
    FORMATION_LINE,   /* abreast, to its right and left in turn */
    FORMATION_COLUMN, /* behind it, one after the other */
    FORMATION_WEDGE,  /* behind it on both sides, like geese */
    FORMATION_CIRCLE, /* around it, evenly */
};

/** What the vector of a driven agent is. */
enum external_mode {
    EXTERNAL_VELOCITY, /* px/s: the velocity that the agent is to have */
    EXTERNAL_FORCE,    /* mass*px/s^2: the force that acts on it */
};

/** One behavior of a state. Only the members that behavior_fields(type) lists matter for a type. */
struct behavior_def {
    int type; /* enum behavior_type */
    struct target_ref target;
    struct target_ref second; /* interpose: the other one */
    float weight;             /* factor on the force */
    uint32_t tier;            /* behaviors of a lower tier take what they need of max_force first */
    float probability;        /* combine dithered: how often it is evaluated, 0..1 */
    float slowing_distance;   /* arrive, offset_pursuit, interpose: px */
    int law;                  /* arrive: enum arrive_law */
    float panic_distance;     /* flee, evade: px; beyond it nothing is done; 0: no limit */
    float max_prediction; /* pursue, evade, offset_pursuit, interpose: s, the furthest ahead they predict */
    bool keep;            /* pursue: stay with the first quarry until it is gone or the state ends */
    vec2 offset;          /* offset_pursuit: px in the target's frame, x ahead, y to its right */
    int shape;            /* formation: enum formation_shape */
    float spacing;        /* formation: px between neighbors */
    char formation[LIMIT_NAME_CHARS + 1]; /* formation: which one's places; empty: those of its shape */
    float wander_radius;                  /* wander: px, the circle the goal moves on */
    float wander_distance;                /* wander: px, the circle's center ahead of the agent */
    float wander_rate; /* wander: rad after one second, the root mean square turn of the goal */
    char
        kinds[LIMIT_NAME_CHARS * 8]; /* those with neighbors: kinds that count, a space between; empty: own */
    struct zone_def zones[ZONE_COUNT];
    int falloff;     /* separation, alignment, cohesion, flock: enum falloff */
    float horizon;   /* avoid_agents, avoid_obstacles: s, how far ahead they predict */
    float clearance; /* avoid_agents, queue, avoid_obstacles, hide: px kept free between bodies and things */
    float distance;  /* follow_leader: px behind the leader; follow_wall: px from the wall */
    float clear_ahead;                     /* follow_leader: px ahead of the leader that is kept free */
    char path[LIMIT_NAME_CHARS + 1];       /* follow_path, stay_on_path: which */
    char flow_field[LIMIT_NAME_CHARS + 1]; /* follow_flow: which */
    float prediction; /* follow_wall, follow_path, stay_on_path, follow_flow: s, how far ahead they predict */
    float window;     /* follow_path: px along the path around where it was, in which its place is searched */
    float direction;  /* follow_path: >= 0 along the path, < 0 against it */
    uint32_t max_neighbors;   /* separation, alignment, cohesion, flock: only the nearest so many count, for
                                 each   rule; 0: all. orca: likewise, at least 1 */
    float obstacle_horizon;   /* orca: s, how far ahead it keeps clear of what is solid; 0: it does not */
    struct region_def region; /* contain */
    float margin;             /* contain: px kept between the body and the region's border */
    int mode;                 /* external: enum external_mode */
    uint32_t hold;            /* external: ticks for which a vector counts */
    float limit;      /* external: px/s or mass*px/s^2, the longest vector; 0: as far as the body goes */
    float time_gap;   /* walk, queue: s, of the speed to the body ahead; queue: 0: as fast as it can stop */
    float push;       /* walk: how much neighbors turn it, of its wish; 1 */
    float range;      /* walk: px, over which that fades; 0: half a body radius */
    float wall_push;  /* walk: how much solids turn it; 1 */
    float wall_range; /* walk: px, likewise; 0: a tenth of a body radius */
    float side_step;  /* walk: how much it steps aside for those that come towards it; 0: it does not */
    float side_range; /* walk: px, likewise; 0: 15 body radii */
    float gather;     /* herd: px that the herded keep from each other */
};

/* What is known about each behavior: the rows of behavior_list.h as data.
 *
 * Every module that treats behaviors differently reads their rows; none compares a type with an enumerator.
 */

/** Body radii that a walker sees, when its radius is 0 (TRAIT_BODY_SIGHT). */
#define BODY_SIGHT 22.0f

/** What a behavior needs of other modules, or lets them do. Bits. */
enum behavior_trait {
    TRAIT_AIMABLE = 1,          /* set_aim and set_target of an agent or a kind replace what it is about */
    TRAIT_CATCHES = 2,          /* an agent that touches its first target has caught it */
    TRAIT_VELOCITY_FILTER = 4,  /* called after the other behaviors, to correct the velocity they ask for */
    TRAIT_ALL_ROUND = 8,        /* its zones have no field of view */
    TRAIT_FLOCK_KERNEL = 16,    /* agents with this behavior alone may be moved by kernels.h */
    TRAIT_SCENERY = 32,         /* steers by what stands or flows in the world */
    TRAIT_PATH = 64,            /* has the parameter "path" */
    TRAIT_FLOW = 128,           /* has the parameter "flow_field" */
    TRAIT_REGION = 256,         /* a scenario may give it a region: "rect" or "circle" */
    TRAIT_DRIVEN = 512,         /* follows the vector that a client drives the agent with (struct drive) */
    TRAIT_HERD = 1024,          /* sees all agents of the kind of its first target (struct herd_seen) */
    TRAIT_FILTER_KERNEL = 2048, /* a velocity filter that kernels.h has in lanes */
    TRAIT_BODY_SIGHT = 4096,    /* a radius of 0 stands for BODY_SIGHT body radii */
};

/** Zones as bits, for behavior_row.zones. */
enum {
    ZONES_SEPARATION = 1 << ZONE_SEPARATION,
    ZONES_ALIGNMENT = 1 << ZONE_ALIGNMENT,
    ZONES_COHESION = 1 << ZONE_COHESION,
    ZONES_ALL = ZONES_SEPARATION | ZONES_ALIGNMENT | ZONES_COHESION,
};

struct steering_context;
struct steering_output;

struct behavior_row {
    const char *name;
    int targets; /* target references: 0, 1 or 2 */
    enum neighbor_use neighbors;
    unsigned zones;             /* ZONES_* of the query about neighbors */
    unsigned traits;            /* enum behavior_trait */
    const struct field *fields; /* rows of struct behavior_def, FIELD_END-ended */
    struct steering_output (*function)(const struct behavior_def *behavior,
                                       const struct steering_context *context);
};

/** The row of a type, which must be one of the enum. */
const struct behavior_row *behavior_row(int type);

/** Whether the type's row has the trait. */
static inline bool behavior_has_trait(int type, enum behavior_trait trait) {
    return (behavior_row(type)->traits & (unsigned)trait) != 0;
}

/** Number of target references of the type: 0, 1 or 2. */
static inline int behavior_target_count(enum behavior_type type) {
    return behavior_row((int)type)->targets;
}

/** What is queried about the neighbors before the type's function is called. */
static inline enum neighbor_use behavior_neighbor_use(enum behavior_type type) {
    return behavior_row((int)type)->neighbors;
}

/** Whether the type is called after the others of its state, to correct the velocity they ask for. */
static inline bool behavior_is_velocity_filter(enum behavior_type type) {
    return behavior_has_trait((int)type, TRAIT_VELOCITY_FILTER);
}

/** Whether the type has the parameter "path", or "flow_field". */
static inline bool behavior_has_path(enum behavior_type type) {
    return behavior_has_trait((int)type, TRAIT_PATH);
}
static inline bool behavior_has_flow_field(enum behavior_type type) {
    return behavior_has_trait((int)type, TRAIT_FLOW);
}

/** The rows of struct behavior_def that a scenario may set for this type. set_param may change FIELD_PARAM
 * rows while the world runs. */
const struct field *behavior_fields(enum behavior_type type);

/** "seek"; NULL outside the enum, so that a loop from 0 on visits every type. */
const char *behavior_type_name(enum behavior_type type);

/** The type of this name, or -1. */
int behavior_type_from_name(const char *name);

/** A behavior of the type with the initial values of its rows. */
struct behavior_def behavior_def_default(enum behavior_type type);

/** A behavior that refers to nothing, for the place of one that could not be read. */
struct behavior_def behavior_def_placeholder(void);

#endif
