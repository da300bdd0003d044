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
#include "server/sim/math/exchange.h"
#include "server/sim/scenery/geometry_def.h"
#include "server/sim/space/edge.h"
#include "server/sim/steering/behavior_def.h"
#include "server/sim/steering/locomotion.h"

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
    CONDITION_DRIVEN,   /* some external behavior of the kind follows a driven vector */
    CONDITION_COOLDOWN, /* the state `name` was not left less than `value` s ago */
    CONDITION_CHANCE,   /* drawn each tick; value: 1/s, how often it holds */
    CONDITION_HEARD,    /* another agent gives the signal `name` within `value` px */
    CONDITION_IN,       /* its center is in the area `name` */
};

/** A node of a condition, written down before what belongs to it. */
struct condition_def {
    int type;  /* enum condition_type */
    int count; /* CONDITION_ALL, CONDITION_ANY */
    float value;
    char name[LIMIT_NAME_CHARS + 1]; /* COOLDOWN: a state of the kind; HEARD: a signal; IN: an area */
    /* CONDITION_NEAR: something of `target` is within its distance, in view and visible */
    struct target_ref target;
    float field_of_view; /* rad, all of it, the heading in its middle; 0: all round */
    bool is_visible;     /* no solid stands between */
    float remember;      /* s for which it still holds after it last did */
};

/** The rows of struct condition_def of a type that has several; NULL: it has a number or none. */
const struct field *condition_fields(int type);
/** Whether each agent has a timer for it, of which a kind has LIMIT_TIMERS at most: it remembers or is a cooldown. */
bool condition_has_timer(const struct condition_def *condition);

/** How the forces of a state's behaviors become one. */
enum combine {
    COMBINE_SUM, /* weighted sum within a tier; tiers in order, each truncated to what is left of max_force */
    COMBINE_DITHERED, /* in order: each is evaluated with its probability, and the first force is taken alone */
};

struct state_def {
    char name[LIMIT_NAME_CHARS + 1];
    int condition_count; /* 0: always; otherwise nodes[0] with all that belongs to it */
    struct condition_def conditions[LIMIT_CONDITIONS];
    char signal[LIMIT_NAME_CHARS + 1]; /* that agents in this state give; "": none */
    float stamina_rate;                /* 1/s, change of stamina while in this state; negative drains */
    int combine;                       /* enum combine */
    int behavior_count;
    struct behavior_def behaviors[LIMIT_BEHAVIORS];
};

/** The physical parameters. A range is drawn from once for each agent at spawning. */
struct body_def {
    struct field_range mass, radius, max_speed, max_force; /* 1, px, px/s, mass*px/s^2 */
    float max_turn_rate;                                   /* rad/s, of the heading */
    int locomotion;                                        /* enum locomotion */
    float max_stamina; /* agents start with it; once empty they are exhausted until full */
    float turn_radius; /* px, LOCOMOTION_WHEELED */
};

struct kind_def {
    char name[LIMIT_NAME_CHARS + 1];
    struct body_def body;
    int state_count; /* >= 1; each tick the first state whose condition holds is taken, the last one if none
                        does */
    struct state_def states[LIMIT_STATES];
    bool has_states; /* whether its file names states, for messages */
};

enum { WAY_TICKS = 6 /* ways follow their targets no more often */ };

struct target_def {
    char name[LIMIT_NAME_CHARS + 1];
    vec2 at; /* px */
    float
        jump_within; /* px; when an agent is nearer than this the target jumps to a random place; 0: never */
    float jump_margin; /* px kept from the borders when jumping */
    bool is_live;      /* added while the world runs */
    /* It strolls once it has not been set for stroll_after. */
    float stroll_speed; /* px/s, the most; 0: it never strolls */
    float stroll_after; /* s */
    bool is_goal;       /* of a running world: some way field leads to it */
    vec2 way_at;   /* px, of a goal: where ways lead to; its place at the last tick that WAY_TICKS divides */
    uint32_t idle; /* ticks since it was set, if it strolls; counted until it strolls at full speed */
};

enum placement_shape { PLACE_POINT, PLACE_RECT, PLACE_CIRCLE };

/** Where `count` agents of a kind start. */
struct placement_def {
    char kind[LIMIT_NAME_CHARS + 1];
    uint32_t count;
    int shape;    /* enum placement_shape */
    vec2 at;      /* point, center of the circle, or upper left corner of the rectangle; px */
    vec2 size;    /* rectangle: width and height; px */
    float radius; /* circle; px */
    bool has_velocity, has_heading, has_spacing;
    float spacing; /* between bodies when the world begins, at least, where there is room; px */
    vec2 velocity; /* px/s; {0,0} when left out */
    float heading; /* rad; along the velocity when left out, random when that is zero */
};

/** When the agents of a source come. */
enum source_spread {
    SPREAD_EVEN,  /* in equal intervals, to the tick */
    SPREAD_RANDOM /* each tick with the same chance */
};

/** Brings agents into an area while the world runs. */
struct source_def {
    char name[LIMIT_NAME_CHARS + 1];
    int kind, area;    /* indices */
    float rate;        /* agents a second, on average */
    float from, until; /* s; until 0: without end */
    uint32_t at_most;  /* agents in all; 0: any number */
    uint32_t burst;    /* so many come at a time; from 1 */
    int spread;        /* enum source_spread */
};

/** Takes agents out of an area while the world runs. */
struct sink_def {
    char name[LIMIT_NAME_CHARS + 1];
    int area;       /* index */
    uint64_t kinds; /* bit k: those of kind k */
};

/** A place of a formation. */
struct formation_place {
    vec2 at;  /* px in the frame of the one it is about: x ahead, y to its right */
    int kind; /* index of the kind that may stand there; -1: any member */
};

/** Places that agents of one or several kinds keep, given out by how far each has to go. */
struct formation_def {
    char name[LIMIT_NAME_CHARS + 1];
    int place_count; /* 1 .. LIMIT_FORMATION_PLACES; of too few members the first places are taken */
    struct formation_place places[LIMIT_FORMATION_PLACES];
};

struct world_def {
    uint64_t seed;
    double tick_hz; /* ticks a second */
    vec2 size;      /* px */
    float meter;    /* px a meter; 0: the world has no scale. Decides nothing: for people and measures */
    int edge;       /* enum edge */
    int target_count;
    struct target_def targets[LIMIT_TARGETS];
    int kind_count;
    struct kind_def *kinds; /* owned */
    int placement_count;
    struct placement_def *placements; /* owned */
    struct geometry_def geometry;     /* owned; obstacles, walls, paths, flow fields, areas, gates */
    int formation_count;
    struct formation_def formations[LIMIT_FORMATIONS];
    int source_count, sink_count;
    struct source_def sources[LIMIT_SOURCES];
    struct sink_def sinks[LIMIT_SINKS];
    int32_t
        source_limit; /* agents up to which sources fill the world; 0: max_agents, or LIMIT_AGENTS_USUAL if that is less */
    int32_t max_agents; /* 1 to LIMIT_AGENTS */
    int32_t *
        unspaced; /* NULL, or receives how many agents world_create found no place for that keeps their spacing */
    const atomic_bool
        *given_up; /* NULL, or ends world_create early (world_allow_giving_up); not with an exchange */
    const struct exchange
        *exchange;    /* NULL, or the ranks that share the world from its first agent on (world_join) */
    bool is_deferred; /* its agents come with world_populate; not where a placement has a spacing */
};

/** 800 x 600, open, 60 Hz, seed 1, nothing in it; LIMIT_AGENTS_USUAL. */
struct world_def world_def_default(void);
void world_def_fini(struct world_def *def);
/** Whether a world of it is deferred. */
bool world_def_may_wait(const struct world_def *def);
/** A further kind, as kind_def_default; the caller fills it in. NULL at LIMIT_KINDS or without memory. The
 * pointer is valid until the next call. */
NODISCARD struct kind_def *world_def_add_kind(struct world_def *def, const char *name);
/** A further placement (zero: one agent at 0,0). NULL at LIMIT_PLACEMENTS or without memory. */
NODISCARD struct placement_def *world_def_add_placement(struct world_def *def, const char *kind);
/** mass 1, radius 8, max_speed 100, max_force 200, unlimited turning, steered; one state without behaviors.
 */
struct kind_def kind_def_default(void);

/** Whether what counts is the velocity that the tiers of the state lead to (behavior_lead): a velocity filter that
 * stands over forces in several tiers is asked for it, and a wheeled agent steers for it. Not where a force alone acts (dithered) or none does (direct). */
bool kind_def_is_led(const struct kind_def *kind, int state);

/* Tables (FIELD_END-ended) of what can be written in a scenario and tuned live (FIELD_PARAM rows). */
extern const char
    *const edge_names[]; /* NULL-ended; index = enum edge: "open", "wrap", "bounce", "contain" */
extern const char *const locomotion_names[];    /* "steered", "direct", "constant_speed", "wheeled" */
extern const char *const combine_names[];       /* "sum", "dithered" */
extern const char *const source_spread_names[]; /* "even", "random" */
/** Rows of struct body_def. */
const struct field *body_fields(void);
#endif
