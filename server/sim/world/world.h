/* The world: agents, kinds and targets, moved one fixed tick at a time.
 *
 * 1. Sense, then act: a tick reads the state of tick t only and writes t+1 (double buffer), so the order of
 * agents does not matter.
 * 2. The same definition and the same commands at the same ticks give the same bits, whatever the compiler,
 * the optimization level or the machine: only + - * / and sqrt, no contraction, a random number is a function
 * of (seed, tick, agent id, stream).
 * 3. world_step reads no clock, does no I/O, and allocates nothing but room for the agents that sources bring, after the tick
 * itself. Commands (spawn, remove ...) may allocate; they are called between ticks.
 * 4. State is always finite: |position| <= LIMIT_COORDINATE, speed <= max_speed (steered), whatever the
 * parameters.
 *
 * Rows 0 .. world_agent_count - 1 are the agents in ascending order of id.
 */
#ifndef DROVER_SERVER_SIM_WORLD_WORLD_H
#define DROVER_SERVER_SIM_WORLD_WORLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "server/sim/math/motion.h"
#include "server/sim/math/parallel.h"
#include "server/sim/math/simd.h"
#include "server/sim/scenery/scenery.h"
#include "server/sim/steering/trace.h"
#include "server/sim/world/world_def.h"

struct world;

enum world_result {
    WORLD_OK = 0,
    WORLD_NO_MEMORY = -1,
    WORLD_FULL = -2, /* world_max_agents would be passed, or ids are used up */
    WORLD_NO_AGENT = -3,
    WORLD_NO_KIND = -4,
    WORLD_NO_TARGET = -5,
    WORLD_BAD_DEF = -6, /* a name in the definition refers to nothing, or a limit is passed */
    WORLD_NO_OBSTACLE = -7,
    WORLD_EXISTS = -8,      /* a target of this name */
    WORLD_IN_USE = -9,      /* a behavior or condition names the target */
    WORLD_GIVEN_UP = -10,   /* the definition's given_up became true */
    WORLD_NOT_DRIVEN = -11, /* a kind without an external behavior */
};

/** Builds a world at tick 0. The definition is copied. On WORLD_BAD_DEF *what (if not NULL) points to a
 * static sentence. returns WORLD_OK, WORLD_NO_MEMORY, WORLD_FULL, WORLD_BAD_DEF or WORLD_GIVEN_UP;
 * *out only on WORLD_OK, owned by the caller. */
NODISCARD enum world_result world_create(const struct world_def *def, struct world **out, const char **what);
/** The agents of a world and those that are still to come (is_deferred). */
int64_t world_agents_planned(const struct world *world);
/** Whether some are, or each rank has a share of them that was restored (world_restore_arrange). */
bool world_is_deferred(const struct world *world);
void world_destroy(struct world *world);

/** Copies a whole world into another one, in place of what that held, without allocating: the hash, and with
 * the same commands every later one, are equal from then on. Between ticks only. How `to` is computed stays
 * as it was (world_set_simd, world_allow_giving_up). Of a rank's part of a world in stripes only what
 * world_clone_new has made of it can become a clone; the same ranks share that, too (world_gather makes whole ones).
 *
 * to       another world, from world_clone_new, or after world_clone_reserve
 * returns  false when it does not fit (nothing changes): `from` has more agents, kinds or geometry than `to`
 *          has memory for. A command that adds, moves or removes an obstacle in `to` takes the memory for
 *          geometry; world_clone_reserve gives it again */
NODISCARD bool world_clone(struct world *to, const struct world *from);
/** Gives a world the memory for clones of another as it is now, and leaves what it holds as it is. False
 * without memory (nothing changes but some room). */
NODISCARD bool world_clone_reserve(struct world *to, const struct world *from);
/** How much memory a clone of a world takes. */
struct world_room {
    int32_t agents;
    int kinds;
    size_t scenery; /* bytes */
    int32_t sights; /* agents, where some are looked for */
};
struct world_room world_room_of(const struct world *world);
/** Bytes that world_new_room gives to it. */
uint64_t world_room_bytes(const struct world_room *room);
/** A world that holds nothing but memory for clones, which the system has given already: a later world_clone is as
 * quick as the copying. For world_clone, world_clone_reserve and world_destroy alone. NULL without
 * memory. */
NODISCARD struct world *world_new_room(const struct world_room *room);
/** Whether there is memory for a clone of that world. */
bool world_has_room(const struct world *to, const struct world *from);
/** A further world, a clone of another, owned by the caller; NULL without memory. Never given up, at first.
 */
NODISCARD struct world *world_clone_new(const struct world *from);

/** One tick of 1 / tick_hz seconds, unless it is given up on the way (world_allow_giving_up). */
void world_step(struct world *world);

/** world_step with help: the same bits, whatever the number of threads. */
void world_step_parallel(struct world *world, const struct parallel *parallel);

/** Lets another thread end what takes long: once *given_up is true, a tick, world_explain and world_trace
 * return within some 50 ms, however many agents stand in one place (their tick would take hours). Their
 * result is incomplete; after a tick that was given up only world_destroy may be called. Commands are always
 * completed.
 *
 * given_up  NULL: never; otherwise owned by the caller, valid as long as the world, and left true until the
 *           call under way has returned. At first that of the definition */
void world_allow_giving_up(struct world *world, const atomic_bool *given_up);
/** Whether *given_up is true. True after a tick means that the tick must not be used. */
bool world_is_given_up(const struct world *world);

/** Sets the instructions of the inner loops; must be supported. At first the widest there is. The bits
 * do not depend on it. */
void world_set_simd(struct world *world, enum simd simd);

/** The 64-bit hash of everything that decides the future: tick, seed, agents (motion, heading, kind, state,
 * aim), targets and parameters. Independent of storage order. */
uint64_t world_hash(const struct world *world);

/* ---- reading ---- */

/** One agent, copied out. */
struct agent_view {
    uint32_t id;
    int kind, state; /* indices */
    vec2 position;   /* px */
    vec2 velocity;   /* px/s */
    vec2 heading;    /* unit vector; kept when the agent stops */
    float stamina;
    float mass, radius, max_speed, max_force; /* the agent's own, drawn or set */
};

/** What an agent is about to do in the next tick, and why. */
struct steering_view {
    vec2 desired; /* px/s; weighted sum of the desired velocities, or what a velocity filter makes of them, or
                      where tiers lead to that it stands over; truncated to max_speed */
    vec2 steering;   /* mass*px/s^2; the total force, truncated to max_force */
    float max_speed; /* px/s: that of the body, slowed by the area that it is in */
    int count;       /* behaviors of the state (plus containment when it acts) */
    vec2 forces[LIMIT_BEHAVIORS +
                1]; /* mass*px/s^2; each behavior's weighted force, before the total is truncated */
    const char *labels[LIMIT_BEHAVIORS + 1]; /* "seek", "flee", "seek2", "containment"; owned by the world */
    struct trace *trace;                     /* of world_trace; NULL otherwise */
};

/** How many candidates the queries of the average agent visit, all its behaviors together; 0 when no behavior
 * has neighbors. Estimated from about a thousand agents, own ones of a rank. */
double world_candidates(const struct world *world);

/** Where agents stand closest: the cell of the grid that holds most of them. */
struct world_clump {
    int kind;           /* the most frequent there; of several the first */
    vec2 at;            /* px; the middle of those of that kind */
    int32_t candidates; /* candidates that the queries of one of them visit, all its behaviors together; no
                           fewer than agents in the cell */
};
/** False when there is no such place: no agents, or none that queries neighbors. Of ranks in stripes, each
 * looks at its own window. O(cells). */
bool world_find_clump(const struct world *world, struct world_clump *out);

uint64_t world_tick(const struct world *world);
double world_tick_hz(const struct world *world);
/** px a meter, by which people read the world; 0: it has no scale. */
float world_meter(const struct world *world);
uint64_t world_seed(const struct world *world);
vec2 world_size(const struct world *world);
enum edge world_edge(const struct world *world);
struct bounds world_bounds(const struct world *world);
/** What stands and flows in it; owned by the world; obstacles may come, move and go between ticks. */
const struct scenery *world_scenery(const struct world *world);
/** How often way fields were rebuilt, because their targets or obstacles moved. */
uint32_t world_ways_made(const struct world *world);
int32_t world_agent_count(const struct world *world);
/** How many agents there may be: world_def.max_agents, and no more than SIGHT_ROWS where some look for the nearest of a
 * kind. */
int32_t world_max_agents(const struct world *world);
enum { WORLD_SMALL = 100000 /* agents that every machine has memory for */ };
/** Bytes of memory that a world of these kinds comes to use with so many agents of each: its columns and its grid,
 * without room to grow, and without columns that such agents never write to.
 *
 * threads  that will work on a tick
 * ranks    that share the world in stripes: bytes of each, with an eighth more agents than its share; 1: none do */
uint64_t world_bytes(const struct world *world, const int64_t population[LIMIT_KINDS], int threads,
                     int ranks);
/** The ranks of a world that they share in stripes; otherwise 1. */
int world_stripes_ranks(const struct world *world);
/** The same for what world_spawn would take for `count` agents of a kind more; 0 while there is room for them. */
uint64_t world_spawn_bytes(const struct world *world, int kind, uint32_t count, int threads);
struct agent_view world_agent(const struct world *world, int32_t row);
/** The kind of an agent, and its id: on every rank, wherever the agent is. */
int world_agent_kind(const struct world *world, int32_t row);
uint32_t world_agent_id(const struct world *world, int32_t row);
/** The row of an id, or -1. */
int32_t world_find_agent(const struct world *world, uint32_t id);
void world_explain(const struct world *world, int32_t row, struct steering_view *out);
/** The same, with the places that the agent's behaviors use and the neighbors that count for them (those of
 * behaviors that are evaluated, not those of conditions). out->trace is then this one. */
void world_trace(const struct world *world, int32_t row, struct steering_view *out, struct trace *trace);

/** An event of the last tick. */
enum world_note_type {
    NOTE_REACHED, /* an agent came within a target's jump_within, and the target jumps */
    NOTE_CAUGHT,  /* an agent that pursues touches its quarry, and did not in the tick before */
};
struct world_note {
    enum world_note_type type;
    uint32_t agent;  /* id: of two that reach a target in the same tick the lower one */
    uint32_t quarry; /* id; NOTE_CAUGHT */
    int target;      /* index; NOTE_REACHED */
    vec2 at;         /* px; NOTE_REACHED: where the target was */
};
enum { WORLD_NOTES_MAX = 64 };
/** The events of the last tick: targets by index, then agents by kind and id; owned by the world, valid until
 * the next tick. Events are about the world, not part of it: the hash leaves them out. *left_out: how many
 * there was no room for. */
int world_notes(const struct world *world, const struct world_note **notes, uint32_t *left_out);

/** How many events of the last tick agents of a kind had; those that world_notes had no room for count as well. */
struct world_tally {
    uint32_t reached, caught;
};
struct world_tally world_tally_of(const struct world *world, int kind);

/** An agent that went through a gate in the last tick. */
struct world_crossing {
    uint32_t agent;    /* id */
    int16_t gate;      /* index in world_scenery()->def.gates */
    int16_t direction; /* 1, -1: as gate_crossing has it */
};
enum { WORLD_CROSSINGS_MAX = 1024 };
/** Those of the last tick by gate, then by id; owned by the world, valid until the next tick. Not part of the world, as
 * world_notes; counters have them all. *left_out: how many there were in a tick of more than WORLD_CROSSINGS_MAX; none
 * is in the list then. */
int world_crossings(const struct world *world, const struct world_crossing **crossings, uint64_t *left_out);

/** How many ways of agents went through a gate from its left to its right, and back, since world_counted_since. Clones
 * take it along; images do not, and count from their tick on. */
struct gate_count {
    uint64_t forward, backward;
};
struct gate_count world_gate_count(const struct world *world, int gate);
uint64_t world_counted_since(const struct world *world);

/** What an area has in tick t. */
struct area_count {
    uint64_t agents;   /* whose centers are in it */
    double mean_speed; /* px/s, from speeds in whole 1/1000 px/s; 0 without agents */
};
/** Of every area, by index. In stripes collective (the counts of all ranks). Looks at every agent. */
void world_count_areas(const struct world *world, struct area_count counts[LIMIT_AREAS]);
/** What a source has done so far, or a sink; owned by the world. */
struct source_view {
    const struct source_def *def;
    uint32_t spawned; /* agents that it has brought */
    uint32_t waiting; /* whose time has come, and for whom there was no place, or the world is full */
};
struct sink_view {
    const struct sink_def *def;
    uint32_t removed; /* agents that it has taken out */
};
/** What decides when the places of a formation are given out again: as it was when they were last. All zeros: never. */
struct formation_state {
    vec2 heading;          /* of the leader; unit vector */
    uint32_t leader;       /* id; 0: a target */
    uint32_t members, ids; /* how many were looked at; the sum of their ids */
};
int world_formation_count(const struct world *world);

int world_source_count(const struct world *world);
struct source_view world_source(const struct world *world, int index);
int world_sink_count(const struct world *world);
struct sink_view world_sink(const struct world *world, int index);
/** Whether some wait because the world has as many agents as sources may fill it up to. */
bool world_sources_are_full(const struct world *world);

int world_kind_count(const struct world *world);
/** The kind as it is now (live parameters included); owned by the world. */
const struct kind_def *world_kind(const struct world *world, int kind);
/** The index of a kind of this name, or -1. */
int world_find_kind(const struct world *world, const char *name);
/** How many agents of the kind there are. */
int32_t world_kind_population(const struct world *world, int kind);
int world_target_count(const struct world *world);
const char *world_target_name(const struct world *world, int target);
vec2 world_target_position(const struct world *world, int target);
int world_find_target(const struct world *world, const char *name);

/** The point a position stands for in this world: wrapped, moved inside, or as it is (open). Within
 * +-LIMIT_COORDINATE. */
vec2 world_settle_point(const struct world *world, vec2 point);

/* ---- commands: between ticks only ---- */

struct spawn_def {
    int kind;
    uint32_t count;
    int shape;     /* enum placement_shape */
    vec2 at;       /* px; point, center of the circle, or upper left corner of the rectangle */
    vec2 size;     /* px; rectangle (at {0,0} of world_size: anywhere in the box) */
    float radius;  /* px; circle, spread evenly over the disc; 0: all at its center */
    vec2 velocity; /* px/s */
    bool has_heading;
    float heading;        /* rad */
    const vec2 *places;   /* px; NULL: drawn at random. Otherwise where each starts */
    uint32_t first_place; /* the id that places begin with */
};

/* Ranks that share a world all call a command at the same time, with the same arguments, and all get the same answer
 * (world_stripes.h): where it says "collective" they talk to each other on the way. */

/** All or none. Collective. *first_id receives the first of `count` consecutive ids. */
NODISCARD enum world_result world_spawn(struct world *world, const struct spawn_def *spawn,
                                        uint32_t *first_id);
/** The same, each at a place where no body is nearer than `gap` px, if 64 tries find one; *unspaced: how many found none and are where
 * they were drawn first. The world is no part of one. */
NODISCARD enum world_result world_spawn_spaced(struct world *world, const struct spawn_def *spawn, float gap,
                                               uint32_t *first_id, int32_t *unspaced);
/** Removes agents by id; the others keep ids, state and random streams. One pass whatever the count. Collective.
 * found    count entries, or NULL: whether ids[i] was there (a repeated id counts once)
 * returns  how many were removed */
int32_t world_remove(struct world *world, const uint32_t *ids, int32_t count, bool *found);
/** Removes every agent of a kind; returns how many. Collective. */
int32_t world_remove_kind(struct world *world, int kind);

/** Agents that are put somewhere else, in columns of `count` entries; NULL: that stays as it is. Of an id that repeats
 * the last entry counts. Not owned. */
struct world_placing {
    int32_t count;
    const uint32_t *ids;
    const float *x, *y; /* px; both or neither. Settled, and out of solids, as of a spawned agent */
    const float *vx,
        *vy; /* px/s; both or neither. At most the agent's max_speed; the heading follows, if it moves */
    const float *heading; /* rad, clockwise from right as everywhere */
    const float *stamina; /* within 0 and the kind's max_stamina */
};
/** WORLD_OK; WORLD_NO_AGENT, and nothing has changed, when an id is not there. Collective. What an agent remembers of solids and
 * paths goes with its place; its aim, state, quarry and random streams stay. */
NODISCARD enum world_result world_place_agents(struct world *world, const struct world_placing *placing);

/** Whether a target walks about because no world_set_target has moved it for long enough (target_def.stroll_after). */
bool world_target_is_strolling(const struct world *world, int target);
/** Moves a named target; the point is settled first (world_settle_point). One that strolls stops and waits again. */
void world_set_target(struct world *world, int target, vec2 point);

/** Another seed from the next tick on, so that many futures begin with one world. */
void world_set_seed(struct world *world, uint64_t seed);

/** Where an agent, or the agents of a kind, seek and arrive instead of what their behaviors say. */
enum aim_mode { AIM_BEHAVIOR, AIM_POINT, AIM_TARGET };
struct aim {
    enum aim_mode mode;
    int target; /* AIM_TARGET */
    vec2 point; /* AIM_POINT, settled */
};
NODISCARD enum world_result world_aim_agent(struct world *world, uint32_t id, struct aim aim);
void world_aim_kind(struct world *world, int kind, struct aim aim);

/** Agents that a client drives, and their vectors. */
struct drive_def {
    const uint32_t *agents; /* ids; NULL: agents of the kind, by id in ascending order */
    int kind;               /* without ids */
    int32_t first; /* without ids: how many agents of the kind come before; first + count are no more than
                               world_kind_population */
    int32_t count;
    const float *x, *y; /* px/s or mass*px/s^2, |x| <= LIMIT_DRIVE: as the kind's external behavior says */
};
/** Gives agents the vectors that their external behaviors follow from the next tick on, for as many ticks as
 * these hold them. An id that stands there twice keeps its last vector; one that is gone is left out and counted.
 *
 * returns  WORLD_OK with how many are *gone, or WORLD_NOT_DRIVEN with *gone the index of the first agent whose kind
 *          cannot be driven (nothing changes) */
NODISCARD enum world_result world_drive(struct world *world, const struct drive_def *drive, int32_t *gone);
/** Whether agents of this kind may be driven: some behavior of theirs is external. */
bool world_heeds_drive(const struct world *world, int kind);

/** Whether agents of this kind obey an aim: some behavior of theirs is seek, arrive or queue. */
bool world_heeds_aim(const struct world *world, int kind);
/** Whether a target makes a difference to an agent there is: a behavior or condition of its kind is about it
 * (or about a set it belongs to) and no aim stands over that, or it, or its kind, was sent to it. */
bool world_heeds_target(const struct world *world, int target);

/** A further target, settled. WORLD_OK, WORLD_EXISTS, or WORLD_FULL at LIMIT_TARGETS.
 * name  1 to LIMIT_NAME_CHARS characters */
NODISCARD enum world_result world_add_target(struct world *world, const char *name, vec2 at);
/** Removes a target; the later ones move up. Agents that were sent to it (world_aim_agent, world_aim_kind)
 * follow their behaviors again. On WORLD_IN_USE nothing changes and *kind is a kind that names it, or -1: a way leads to it. */
NODISCARD enum world_result world_remove_target(struct world *world, int target, int *kind);
/** Whether some behavior or condition is about a set of targets, "cursor*", whose star stands for
 * anything after such a beginning. */
bool world_wants_targets(const struct world *world, const char *beginning);

/** A further obstacle, without faults (obstacle_def_fault). Bodies that it catches are pushed out at once. Collective.
 * WORLD_OK with its *id and how many bodies were *pushed, WORLD_FULL at LIMIT_OBSTACLES, or WORLD_NO_MEMORY.
 */
NODISCARD enum world_result world_add_obstacle(struct world *world, const struct obstacle_def *obstacle,
                                               uint32_t *id, int32_t *pushed);
/** The obstacle of this id, or NULL; owned by the world, valid until the next command. */
const struct obstacle_def *world_find_obstacle(const struct world *world, uint32_t id);
/** Puts an obstacle's first point (a circle's center, a box's upper left corner, a polygon's first corner)
 * somewhere else. WORLD_OK with how many bodies were *pushed, WORLD_NO_OBSTACLE, WORLD_BAD_DEF (so far out
 * that rounding spoils a polygon) or WORLD_NO_MEMORY. Collective. */
NODISCARD enum world_result world_move_obstacle(struct world *world, uint32_t id, vec2 to, int32_t *pushed);
/** WORLD_OK, WORLD_NO_OBSTACLE or WORLD_NO_MEMORY. Collective. */
NODISCARD enum world_result world_remove_obstacle(struct world *world, uint32_t id);
/** Closes or opens a door, from where it is on; WORLD_BAD_DEF: the obstacle of this id is none. */
NODISCARD enum world_result world_set_door(struct world *world, uint32_t id, bool closed);
/** While ways are held, changes of obstacles do not rebuild the way fields: that is done once, when they are released. Until then nothing but
 * such changes may be asked of the world. A world that is not held is as it would be without all this. */
void world_hold_ways(struct world *world, bool is_held);

/** A change of the definition that a world goes by. The same: both definitions say the same about it, whatever requests have made of
 * it since. By index in `after`. */
struct world_edit {
    const struct world_def *before, *after; /* size, edge, sources and sinks are the same in both */
    uint16_t same_conditions[LIMIT_KINDS];  /* bit s: of state s */
    bool is_same_target[LIMIT_TARGETS], is_same_place[LIMIT_TARGETS];
    bool is_same_path[LIMIT_PATHS], is_same_formation[LIMIT_FORMATIONS];
    bool has_other_solids;             /* obstacles or walls */
    bool is_further[LIMIT_PLACEMENTS]; /* its agents are still to come */
};
/** A further world that goes by another definition, at the same tick, with the agents of this one: kinds, states, targets, paths,
 * sources, sinks and gates are found by their names, and what an agent has stays but for what it is about that is gone. An agent whose
 * state is gone is in the last one of its kind, until the next tick decides. What both definitions say in the same way stays as requests have made it: parameters, targets, obstacles; what
 * requests added stays. Agents of kinds that are gone are gone.
 *
 * returns  WORLD_OK, with *out the caller's; WORLD_FULL (agents, targets, obstacles), WORLD_NO_MEMORY, WORLD_BAD_DEF with *what,
 *          WORLD_GIVEN_UP: the world was spoiled. Not of a world that ranks share in stripes; the further one belongs to no ranks yet */
NODISCARD enum world_result world_edit(const struct world *from, const struct world_edit *edit,
                                       struct world **out, const char **what);

/** A number that can be tuned: a row of body_fields() or behavior_fields() with FIELD_PARAM, of one kind. */
struct param_ref {
    int kind;
    int state, behavior; /* -1, -1: of the body */
    const struct field *field;
};
/** The parameters of a kind, in the order get_params lists them: index 0, 1, ... until it returns false.
 * `name` (64 bytes) receives "max_speed" or "seek.weight" ("seek2.weight" for a second seek;
 * "STATE/seek.weight" when the kind has several states). */
bool world_param_at(const struct world *world, int kind, int index, struct param_ref *ref, char name[64]);
/** The parameter of this name of a kind; false when there is none. */
bool world_find_param(const struct world *world, int kind, const char *name, struct param_ref *ref);
/** In outside units (degrees). A drawn range reports its low end. */
double world_get_param(const struct world *world, const struct param_ref *ref);
/** value in outside units, within the field's min and max (assert). For mass, radius, max_speed and
 * max_force: for all agents of the kind. Collective. */
void world_set_param(struct world *world, const struct param_ref *ref, double value);
/** One agent's own mass, radius, max_speed or max_force (a FIELD_RANGE row of body_fields()). Collective. */
NODISCARD enum world_result world_set_agent_param(struct world *world, uint32_t id, const struct field *field,
                                                  double value);

/* Agents as they lie in memory: for readers that look at all of them, or at those in a strip of the world; and answers about
 * agents wherever they are. Between ticks only.
 */

/** Agents side by side; arrays are the world's, valid until its next tick or command. */
struct world_run {
    int32_t count;
    const struct motion *motion;
    const uint8_t *kind;
    const int32_t *row;
};

/** The agents that this process steps; all of them in one process. */
struct world_run world_run_own(const struct world *world);

/** Those of them whose y may be within low to high, px, the short way round in a world that wraps; others as well. The
 * runs are in the order in which they lie, and apart. Returns how many there are. */
int world_runs_between(const struct world *world, double low, double high, struct world_run runs[2]);

/** An agent as world_agent gives it on its rank: everywhere. Collective, unless one process has the world. */
struct agent_view world_agent_anywhere(const struct world *world, int32_t row);

/** How many agents of a kind are in this state: exactly when there are fewer than `most`, otherwise at least as many. The
 * same. O(agents). */
uint64_t world_count_in_state(const struct world *world, int kind, int state, uint64_t most);

/* Which way a behavior's agents take through a tick: many at once in SIMD lanes, or alone, one after the other.
 * Both give the same bits; lanes are several times as fast. */

/** WAY_LANES, or why the agents go alone. */
enum steering_way {
    WAY_LANES,
    WAY_NO_RULE,         /* the behavior has no rule for lanes */
    WAY_MIXED_FLOCK,     /* a flock that is not its kind's only behavior, or in a world with solids */
    WAY_MAX_NEIGHBORS,   /* the behavior limits how many neighbors count */
    WAY_DITHERED,        /* the state combines dithered */
    WAY_WHEELED,         /* the agent has wheels */
    WAY_SEVERAL_FILTERS, /* the state has several velocity filters */
    WAY_NEAR_SOLIDS,     /* the agent has a solid in reach */
    WAY_COUNT
};

/** The reasons, as the wire has them; NULL for WAY_LANES. */
extern const char *const way_reasons[WAY_COUNT];

/** How many of the agents of a kind that had a behavior in the last tick were in lanes. Of ranks that share a world each
 * knows those that it stepped itself. */
struct way_share {
    int kind;
    enum behavior_type behavior;
    double lanes; /* 0 to 1; kinds that steer alike are counted together */
};

/** The ways of the last tick: by kind, then in the order in which the kind's states name their behaviors.
 *
 * out      `room` entries; what is behind them is left out
 * returns  how many; 0 before the first tick of a world, or of a copy
 */
int world_ways(const struct world *world, struct way_share *out, int room);

#endif
