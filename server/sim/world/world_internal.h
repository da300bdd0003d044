/* The inside of a world, for the world_*.c files alone.
 *
 * Agents have a row, ascending with their id, and a slot, where their motion lies (grid.h). Columns hold one
 * entry a row, all of them `capacity` long (world_columns.h). What other agents see of an agent is double
 * buffered: grid.motion and heading are tick t, grid.next and next_heading receive t+1.
 */
#ifndef DROVER_SERVER_SIM_WORLD_WORLD_INTERNAL_H
#define DROVER_SERVER_SIM_WORLD_WORLD_INTERNAL_H

#include <assert.h>
#include <float.h>
#include <string.h>

#include "server/sim/scenery/scenery.h"
#include "server/sim/space/edge.h"
#include "server/sim/space/grid.h"
#include "server/sim/space/neighbor_kernel.h"
#include "server/sim/space/neighbors.h"
#include "server/sim/steering/behavior.h"
#include "server/sim/world/world.h"
#include "server/sim/world/world_columns.h"

/* Same bits everywhere: no sum of floats is kept wider than a float. */
static_assert(FLT_EVAL_METHOD == 0,
              "floats would be computed as wider ones, and hashes would differ from those of other machines: "
              "compile with -fexcess-precision=fast, on 32-bit x86 with -msse2 -mfpmath=sse");

#define WORLD_ALL_ROUND -2.0f /* of a zone without a field of view; no cosine is less */

/* What a target_ref's names stand for. */
enum ref_mode { REF_NONE, REF_TARGET, REF_PREFIX, REF_KIND, REF_AGENT };
struct ref_runtime {
    enum ref_mode mode;
    int index; /* REF_TARGET: target, REF_KIND: kind, REF_PREFIX: characters before the star */
};

struct behavior_runtime {
    struct ref_runtime target, second;
    int path, flow;                   /* indices in the scenery; -1: none */
    char label[LIMIT_NAME_CHARS + 8]; /* "seek", "seek2" */
    uint64_t kinds;                   /* bit k: kind k counts as a neighbor */
    struct neighbor_zone zones[ZONE_COUNT];
};

struct state_runtime {
    float weight_sum;           /* the largest of any tier */
    bool has_velocity_filter;   /* some behavior has */
    int order[LIMIT_BEHAVIORS]; /* behaviors by tier, then as listed */
    struct ref_runtime conditions[LIMIT_CONDITIONS];
    struct behavior_runtime behaviors[LIMIT_BEHAVIORS];
};

struct kind {
    struct kind_def def; /* as it is now: set_param writes here */
    struct body body;    /* the low ends of the ranges: what agents without an own body have */
    bool draws_body;     /* some range is not a single value: new agents get an own body */
    bool is_tireless;    /* stamina is 0 and always was */
    bool pursues;        /* some behavior may catch other agents */
    vec2 turn;           /* {cos, sin} of the largest turn of one tick */
    struct aim aim;
    struct state_runtime states[LIMIT_STATES];
};

enum agent_flag { AGENT_OWN_BODY = 1, AGENT_REMOVED = 2 };

struct world {
    struct bounds bounds;
    double tick_hz;
    float dt; /* s */
    uint64_t seed, tick;

    int kind_count;
    struct kind *kinds; /* owned */
    int kind_room;      /* kinds that there is memory for */

    struct scenery scenery;
    uint32_t next_obstacle; /* id */

    int note_count; /* events of the last tick */
    struct world_note notes[WORLD_NOTES_MAX];
    uint32_t notes_left_out;

    int target_count;
    struct target_def targets[LIMIT_TARGETS]; /* `at` is the position of tick t */

    int32_t agent_count, capacity;
    uint32_t next_id;
    /* Owned, by row. heading, next_heading: unit vectors; is_pure_flock: only of those at rest. own_body:
     * meaningful where AGENT_OWN_BODY is set. rank: an agent's place in its kind's part of by_kind. by_kind:
     * rows, grouped by kind, ascending within one. */
#define COLUMN_MEMBER(number, type, name, initial, saved, hashed, copied) type *name;
    WORLD_COLUMNS(COLUMN_MEMBER)
#undef COLUMN_MEMBER
    int32_t kind_begin[LIMIT_KINDS + 1]; /* kind k's rows are by_kind[kind_begin[k] .. kind_begin[k + 1]) */

    bool has_neighbors;    /* some behavior has neighbors */
    bool has_kind_targets; /* some behavior or condition is about the nearest of a kind */
    bool has_sent;         /* some agent was sent to a target of its own, now or once */
    bool is_spoiled;       /* a tick was given up: what is left is world_destroy, and to be cloned into */
    bool is_creating;      /* world_create has not placed all agents yet */
    bool is_sorted;        /* the grid holds tick t, in order of it or of a tick shortly before */
    bool keeps_order;      /* the tick in hand leaves agents in the order they are in */
    bool has_own_bodies, has_one_radius; /* some agent has an own body; all have the same radius */
    bool is_pure_flock; /* all agents merely flock, so all but those at rest face where they go */
    enum simd simd;     /* what neighbors are summed with */
    struct grid grid;   /* the motion of all agents, sorted or not */
};

/** The invariants of a world between ticks, for assertions. */
static inline bool world_is_consistent(const struct world *world) {
    return !world->is_spoiled && world->grid.count == world->agent_count &&
           world->agent_count <= world->capacity && world->kind_begin[LIMIT_KINDS] == world->agent_count &&
           world->target_count <= LIMIT_TARGETS;
}

/** Whether an aim stands over what a behavior of this type is about. */
static inline bool world_is_aimed(int type) {
    return behavior_has_trait(type, TRAIT_AIMABLE);
}

/** Where the agent is, and how it moves, in tick t. */
static inline struct motion world_motion(const struct world *world, int32_t row) {
    return world->grid.motion[grid_slot(&world->grid, row)];
}

/** The agent's body: its own, or its kind's. */
static inline const struct body *world_body(const struct world *world, int32_t row) {
    return (world->flags[row] & AGENT_OWN_BODY) ? &world->own_body[row]
                                                : &world->kinds[world->kind[row]].body;
}

/** Ticks since the agent's state began. */
static inline uint32_t world_state_ticks(const struct world *world, int32_t row) {
    return (uint32_t)world->tick - world->memory[row].state_since;
}

/** Where the agent faces in tick t: a unit vector. */
vec2 world_heading(const struct world *world, int32_t row);

/** Ends is_pure_flock: every heading is stored. Before any command that may change what
 * an agent is or does. */
void world_keep_headings(struct world *world);

/** Whether every agent of the kind uses this behavior's sums, over all its neighbors, in every tick. */
bool world_sums_are_certain(const struct kind *kind, const struct behavior_def *behavior);

/** Whether the agents of the kind only flock, in a way that flock_kernel.h can compute. */
bool world_can_use_flock_kernel(const struct world *world, const struct kind *kind);

/** Whether from tick t on headings need not be stored. */
bool world_is_pure_flock(const struct world *world);

/** What agent `row` notices of what a reference is about, in tick t. */
struct target_info world_resolve_target(const struct world *world, int32_t row, const struct target_ref *ref,
                                        const struct ref_runtime *runtime);

/** The state for the coming tick: the first whose condition holds, the last one if none does. */
int world_decide(const struct world *world, int32_t row);

/** What an agent is about to do: decided from the state of tick t alone. */
struct intent {
    int state;
    vec2 desired;         /* px/s, truncated to max_speed */
    vec2 force;           /* mass*px/s^2, not yet truncated */
    struct memory memory; /* of tick t+1 */
};

enum { PRECOMPUTED_MAX = 4 };

/** Sums of neighbors that were found for many agents at once, before one of them is stepped. */
struct precomputed_sums {
    int count;
    const struct behavior_def *behavior[PRECOMPUTED_MAX]; /* that has these sums */
    const struct neighbor_sums *sums[PRECOMPUTED_MAX];
};

/** precomputed: NULL, or sums that need no query. detail: NULL, or receives every behavior's force. */
struct intent world_intend(const struct world *world, int32_t row, const struct precomputed_sums *precomputed,
                           struct steering_view *detail);

/** What world_intend does to the memory of an agent when no behavior reads it. memory: of tick t, becomes
 * that of t+1. */
void world_age(const struct world *world, int32_t row, int state, struct memory *memory);

/** One agent's tick: reads tick t, writes its t+1. precomputed: as above. */
void world_step_agent(struct world *world, int32_t slot, const struct precomputed_sums *precomputed);

/** The tick of the agents in slots [begin, end) of the grid; the world must be sorted. */
void world_step_slots(struct world *world, int32_t begin, int32_t end);

/** The neighbor query of the agents of a kind for this behavior. */
struct neighbor_batch world_neighbor_batch(const struct world *world, const struct kind *kind,
                                           const struct behavior_runtime *runtime);

/** Fills the part of the context that the behavior needs to know about neighbors. */
void world_query_neighbors(const struct world *world, int32_t row, const struct behavior_def *behavior,
                           const struct behavior_runtime *runtime, struct steering_context *context);

/** Fills the zones of a behavior from its parameters. */
void world_refresh_zones(const struct behavior_def *behavior, struct behavior_runtime *runtime);

/** px: the radius of a behavior's largest zone. */
float world_widest_zone(const struct behavior_runtime *runtime);

/** Whether a reference is about the nearest agent of a kind. */
static inline bool world_is_about_kind(const struct target_ref *ref) {
    return ref->target[0] == '\0' && ref->kind[0] != '\0';
}

/** Prepares the kinds of a new world, and notes whether its agents need the grid.
 * returns  WORLD_OK, WORLD_NO_MEMORY or WORLD_BAD_DEF with *what a static sentence */
enum world_result world_build_kinds(struct world *world, const struct world_def *def, const char **what);

/** Sorts the agents of tick t, when some behavior or condition queries the grid; after each command that adds
 * or removes agents or changes a radius. Allocates nothing. */
void world_sort(struct world *world);

/** Whether agents stay in their slots from tick t to t+1, since few would change cells. */
bool world_keeps_order(const struct world *world);

/** The tick of all agents: reads tick t, writes t+1. */
void world_act(struct world *world, const struct parallel *parallel);

/** Tick t+1 becomes tick t, sorted when the grid is queried and the order has not just been kept. */
void world_advance(struct world *world, const struct parallel *parallel);

/** Regroups by_kind; after agents came or went. */
void world_group_kinds(struct world *world);

/** Notes that an agent of tick t is within jump_within of a target. */
void world_note_reached(struct world *world, int32_t row, int target);

/** Notes the agents that caught their quarry in the tick that has just been done. */
void world_note_catches(struct world *world);

/** Recomputes what follows from a kind's parameters (body, turn, weight sums). */
void world_refresh_kind(struct world *world, int index);

/** Room for `count` agents in every column; 0 or -1 (nothing changes). */
NODISCARD int world_reserve(struct world *world, int32_t count);

/** The bits of a number: -0 and 0 differ, as they do in the hash. */
static inline uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
