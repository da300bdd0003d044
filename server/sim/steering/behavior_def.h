/* One behavior of a state as a scenario defines it: which one, what it is about, and its parameters. */
#ifndef DROVER_SERVER_SIM_STEERING_BEHAVIOR_DEF_H
#define DROVER_SERVER_SIM_STEERING_BEHAVIOR_DEF_H

#include <stdbool.h>
#include <stdint.h>

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
    float max_prediction;  /* pursue, evade, offset_pursuit, interpose: s, the furthest ahead they predict */
    bool keep;             /* pursue: stay with the first quarry until it is gone or the state ends */
    vec2 offset;           /* offset_pursuit: px in the target's frame, x ahead, y to its right */
    int shape;             /* formation: enum formation_shape */
    float spacing;         /* formation: px between neighbors */
    float wander_radius;   /* wander: px, the circle the goal moves on */
    float wander_distance; /* wander: px, the circle's center ahead of the agent */
    float wander_rate;     /* wander: rad after one second, the root mean square turn of the goal */
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
    float limit; /* external: px/s or mass*px/s^2, the longest vector; 0: as far as the body goes */
};

#endif
