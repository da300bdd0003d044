/* The inside of a world, for the world_*.c files alone.
 *
 * Agents have a row, ascending with their id, and a slot, where their motion lies (grid.h). Columns hold one
 * entry a row or one a slot, all of them `capacity` long (world_columns.h).
 *   by row   id, kind, flags, aim, own_body, post, rank; by_kind
 *   by slot  state, memory, timers, voice, heading, and all of grid: what a tick reads of every agent moves with the sort, so
 *            a tick goes through memory from one end to the other
 * In a pure flock (is_pure_flock) no tick reads the columns by slot but of agents at rest: they are by row for
 * that time, and no sort moves them. world_place is right in either case. As long as only pure flocks have lived
 * (has_memories false), state and memory have never been written: they are zero bytes, which stand for the initial
 * values, and take no memory.
 *
 * What other agents see of an agent is double buffered: grid.motion and heading are tick t, grid.next and
 * next_heading receive t+1. Only the agent itself reads state and memory, which change in place; next_state and
 * next_memory have room for a sort alone.
 */
#ifndef DROVER_SERVER_SIM_WORLD_WORLD_INTERNAL_H
#define DROVER_SERVER_SIM_WORLD_WORLD_INTERNAL_H

#include <assert.h>
#include <float.h>
#include <stdatomic.h>
#include <string.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/math/rng.h"
#include "server/sim/scenery/scenery.h"
#include "server/sim/space/edge.h"
#include "server/sim/space/grid.h"
#include "server/sim/space/neighbors.h"
#include "server/sim/space/sight_index.h"
#include "server/sim/steering/behavior.h"
#include "server/sim/world/world.h"
#include "server/sim/world/world_columns.h"
#include "server/sim/world/world_stripes.h"

/* Same bits everywhere: no sum of floats is kept wider than a float. */
static_assert(FLT_EVAL_METHOD == 0,
              "floats would be computed as wider ones, and hashes would differ from those of other machines: "
              "compile with -fexcess-precision=fast, on 32-bit x86 with -msse2 -mfpmath=sse");

#define WORLD_ALL_ROUND -2.0f /* of a zone without a field of view; no cosine is less */

/* What a target_ref's names stand for. Of a condition without one index is 1 + the state or the area that it names, or the
 * number of the signal (state_runtime.signal). */
enum ref_mode { REF_NONE, REF_TARGET, REF_PREFIX, REF_KIND, REF_AGENT };
struct ref_runtime {
    enum ref_mode mode;
    int index; /* REF_TARGET: target, REF_KIND: kind, REF_PREFIX: characters before the star */
};

struct behavior_runtime {
    struct ref_runtime target, second;
    int path, flow;                   /* indices in the scenery; -1: none */
    int formation;                    /* index; -1: none */
    char label[LIMIT_NAME_CHARS + 8]; /* "seek", "seek2" */
    enum steering_way way;            /* in a crowd, of an agent away from solids */
    uint64_t kinds;                   /* bit k: kind k counts as a neighbor */
    struct neighbor_zone zones[ZONE_COUNT];
};

/* A state of a kind. */
struct state_ref {
    uint8_t kind, state;
};

/* The clocks of the conditions of an agent's kind that have one (kind.timers), in ticks: how long a sight is still
 * remembered, how long a state is not taken again. All zero where no kind has any (has_timers). */
struct timers {
    uint32_t left[LIMIT_TIMERS];
};

/* Which condition of a kind a timer is of. */
struct timer_ref {
    uint8_t state, node;
};

struct state_runtime {
    uint64_t program_hash;      /* of all that steering in lanes needs to be equal (world_ways.c) */
    struct state_ref program;   /* the first state of any kind that steers alike */
    int first_counter;          /* of its behaviors in `alone`, the same for all that steer alike; -1: none */
    float weight_sum;           /* the largest of any tier */
    bool has_velocity_filter;   /* some behavior has */
    bool is_led;                /* kind_def_is_led */
    int order[LIMIT_BEHAVIORS]; /* behaviors by tier, then as listed */
    struct ref_runtime conditions[LIMIT_CONDITIONS];
    float
        cosine[LIMIT_CONDITIONS]; /* of half the field of view of a condition; WORLD_ALL_ROUND: it has none */
    int timer[LIMIT_CONDITIONS];  /* of a condition, in struct timers; -1: none */
    uint16_t signal; /* that it gives: 1 + a number of the first state that gives the same one; 0: none */
    struct behavior_runtime behaviors[LIMIT_BEHAVIORS];
};

enum { LOOKS_MAX = 8 };

/* That the agents of a kind look for the nearest of another one. */
struct look {
    int kind;
    float within; /* px, the widest of all references; 0: some have no distance, none has one */
};

struct kind {
    struct kind_def def; /* as it is now: set_param writes here */
    struct body body;    /* the low ends of the ranges: what agents without an own body have */
    bool draws_body;     /* some range is not a single value: new agents get an own body */
    bool is_tireless;    /* stamina is 0 and always was */
    bool pursues;        /* some behavior may catch other agents */
    uint32_t hold; /* ticks for which some behavior follows a driven vector; 0: the kind cannot be driven */
    vec2 turn;     /* {cos, sin} of the largest turn of one tick */
    struct aim aim;
    struct state_runtime states[LIMIT_STATES];
    int formation; /* whose places its agents keep; -1: none */
    int timer_count;
    struct timer_ref timers[LIMIT_TIMERS];
    int look_count;
    struct look looks[LOOKS_MAX]; /* those beyond are found agent by agent */
};

/* Behaviors of all states that steer differently; those beyond are not counted. */
enum { WAY_COUNTERS = 512 };

/* Who comes and goes (world_sources.c). */
struct turnover {
    int source_count, sink_count;
    struct source_def sources[LIMIT_SOURCES];
    struct sink_def sinks[LIMIT_SINKS];
    uint32_t due[LIMIT_SOURCES], spawned[LIMIT_SOURCES]; /* agents whose time has come; that have come */
    uint32_t removed[LIMIT_SINKS];
    int32_t limit; /* agents up to which sources fill the world */
    bool is_full;  /* after the last tick agents wait because of it */
};

/* A formation, and when its places were given out last (world_formations.c). */
struct formation {
    struct formation_def def;
    uint64_t kinds; /* bit k: agents of kind k are members */
    struct formation_state state;
};

enum agent_flag { AGENT_OWN_BODY = 1, AGENT_REMOVED = 2 };

/* The arrays of all columns. */
#define ARRAY_MEMBER(type, name) type *name;
#define COLUMN_MEMBERS(number, type, name, initial, saved, hashed, by, copied)                               \
    WORLD_ARRAYS_##by(ARRAY_MEMBER, type, name)

struct world {
    struct bounds bounds;
    double tick_hz;
    float dt;    /* s */
    float meter; /* px; 0: none */
    uint64_t seed, tick;

    int kind_count;
    struct kind *kinds; /* owned */
    int kind_room;      /* kinds that there is memory for */

    struct scenery scenery;
    uint32_t next_obstacle; /* id */

    struct turnover turnover;
    int formation_count;
    struct formation formations[LIMIT_FORMATIONS];

    int note_count; /* events of the last tick */
    struct world_note notes[WORLD_NOTES_MAX];
    uint32_t notes_left_out;
    struct world_tally tallies[LIMIT_KINDS]; /* the same events, counted */

    uint64_t counted_since; /* tick from which gate_counts are */
    struct gate_count gate_counts[LIMIT_GATES];
    int crossing_count; /* of the last tick */
    struct world_crossing crossings[WORLD_CROSSINGS_MAX];
    uint64_t crossings_left_out;
    uint32_t ways_made; /* world_ways_made */

    int target_count;
    struct target_def targets[LIMIT_TARGETS]; /* `at` is the position of tick t */

    int32_t agent_count, capacity;
    int32_t max_agents;            /* no command passes it */
    int pending_count;             /* of a world that is deferred */
    struct placement_def *pending; /* owned: of its agents */
    uint32_t next_id;
    /* Owned. heading, next_heading: unit vectors; is_pure_flock: only of those at rest. own_body: meaningful
     * where AGENT_OWN_BODY is set. post: 1 + its place in the formation of its kind; 0: none. rank: an agent's place in its kind's part of by_kind. by_kind: rows,
     * grouped by kind, ascending within one. Columns by slot have GRID_SPARE readable entries behind the last. */
    WORLD_COLUMNS(COLUMN_MEMBERS)
    int32_t kind_begin[LIMIT_KINDS + 1]; /* kind k's rows are by_kind[kind_begin[k] .. kind_begin[k + 1]) */
    int32_t kind_row[LIMIT_KINDS];       /* the first row of a kind that has agents */
    bool
        has_blocks; /* the rows of each kind follow on each other: rank and by_kind are not filled, and take no memory */

    bool has_neighbors;    /* some behavior has neighbors */
    bool has_kind_targets; /* some behavior or condition is about the nearest of a kind */
    bool has_timers;       /* some kind has */
    bool has_signals;      /* some state is heard of */
    bool has_voices;       /* `voice` is of the tick in hand; otherwise states say who gives a signal */
    int32_t voice_count;   /* agents that give one in the tick in hand */
    bool has_sent;         /* some agent has or had an aim of its own */
    bool has_driven;       /* some agent may have a driven vector */
    bool is_spoiled;       /* a tick was given up: what is left is world_destroy, and to be cloned into */
    bool is_creating;      /* world_create has not placed all agents yet */
    bool lacks_headings;   /* no agent has one yet: world_create gives them when all lie where they belong */
    bool is_shared_out;    /* restored: what is here is a share of the agents, until world_join */
    bool is_sorted;        /* the grid holds tick t, in order of it or of a tick shortly before */
    bool keeps_order;      /* the tick in hand leaves agents in the order they are in */
    bool has_own_bodies, has_one_radius; /* some agent has an own body; all have the same radius */
    bool has_slow_areas;                 /* some area has a speed below 1 */
    bool is_pure_flock; /* all agents merely flock, so all but those at rest face where they go */
    bool has_memories;  /* state and memory have been written; false: world_is_pure_flock, or no agents */
    enum simd simd;     /* what neighbors are summed with */
    struct grid grid;   /* the motion of all agents, sorted or not */
    bool has_sights;    /* in the tick in hand the sights of batches are asked for: `sights` is of it */
    struct sight_index sights;       /* has room where has_kind_targets */
    const struct exchange *exchange; /* NULL: one process */
    struct world_stripes *stripes;   /* owned; NULL: all agents are here */
    int32_t own_begin, own_end;      /* slots of the agents that this rank steps; of stripes alone */
    float halo;     /* px: this rank has all agents that are so near to its own; of stripes alone */
    uint64_t known; /* kinds, a bit each, of which this rank has all agents; of stripes alone */
    /* Agents that went alone in the last tick (world_ways.c), a counter for each behavior of a program. No tick reads
     * them; apart: no thread waits for a counter in order to read what stands before. */
    bool has_counted;
    int counter_count;
    char apart[64];
    atomic_uint alone[WAY_COUNTERS];
};

struct world_sights;  /* world_sights.h */
struct world_stripes; /* world_stripes_inside.h */

/** Counts who goes through gates from tick t to tick t+1, which stand by slot. world_measure.c. */
void world_count_crossings(struct world *world, const struct parallel *parallel);

/** The invariants of a world between ticks, for assertions. */
static inline bool world_is_consistent(const struct world *world) {
    return !world->is_spoiled && world->grid.count + world->grid.absent == world->agent_count &&
           world->agent_count <= world->capacity && world->kind_begin[LIMIT_KINDS] == world->agent_count &&
           world->target_count <= LIMIT_TARGETS;
}

/** Slots [begin, end). */
struct world_slots {
    int32_t begin, end;
};

/** The slots of the agents that this rank answers for: all of them in one process and in copies. */
static inline struct world_slots world_own_slots(const struct world *world) {
    return world->stripes == NULL ? (struct world_slots){0, world->grid.count}
                                  : (struct world_slots){world->own_begin, world->own_end};
}

/** Agents of a kind, by index, that are still to come. */
int32_t world_pending(const struct world *world, int kind);

/** Whether it is so on all ranks: memory for a command is there everywhere or nowhere. Collective. */
bool world_all_ranks(const struct world *world, bool is_so);
/** The sum of what each rank counted of its own agents. Collective. */
int32_t world_sum_ranks(const struct world *world, int32_t count);

/** A place for a new agent, drawn at random and then settled and out of solids. radius: of its body, px. */
vec2 world_draw_place(const struct world *world, const struct spawn_def *spawn, float radius,
                      struct rng *rng);
/** Where a new agent faces. */
vec2 world_new_heading(const struct world *world, const struct spawn_def *spawn, uint32_t id);
/** The agents of a placement, of a kind that is still to be found. */
struct spawn_def world_spawn_of(const struct placement_def *placement);
/** The body of a new agent of a kind. */
struct body world_draw_body(const struct world *world, int kind, uint32_t id);
/** The radius that the body of a new agent has, px. */
float world_new_radius(const struct world *world, int kind, uint32_t id);

/** The row at index i of by_kind, which is in the part of `kind`. */
static inline int32_t world_row_of_kind(const struct world *world, int kind, int32_t i) {
    return world->has_blocks ? world->kind_row[kind] + i - world->kind_begin[kind] : world->by_kind[i];
}

/** An agent's place in its kind's part of by_kind. */
static inline int32_t world_rank(const struct world *world, int32_t row) {
    return world->has_blocks ? row - world->kind_row[world->kind[row]] : world->rank[row];
}

/** Whether an aim stands over what a behavior of this type is about. */
static inline bool world_is_aimed(int type) {
    return behavior_has_trait(type, TRAIT_AIMABLE);
}

/** Whether no id is missing between those of the first row and of the last: ids follow rows. There are agents. */
static inline bool world_ids_are_dense(const struct world *world) {
    return world->id[world->agent_count - 1] - world->id[0] == (uint32_t)world->agent_count - 1;
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

/** The body with the max_speed that it has at a place, by the slowest area there. *own receives it where it differs. */
const struct body *world_body_at(const struct world *world, const struct body *body, vec2 place,
                                 struct body *own);

/** Where the agent's entries are in the columns by slot. */
static inline int32_t world_place(const struct world *world, int32_t row) {
    return world->is_pure_flock ? row : grid_slot(&world->grid, row);
}

/** What the agent remembers. */
static inline struct memory *world_memory(const struct world *world, int32_t row) {
    return &world->memory[world_place(world, row)];
}

/** The agent's state, of its kind's. */
static inline int world_state(const struct world *world, int32_t row) {
    return world->state[world_place(world, row)];
}

/** Begins has_memories: gives all agents what they remember at first. Before anything else is written to state or
 * memory. */
void world_remember(struct world *world);

/** Ticks since the agent's state began. */
static inline uint32_t world_state_ticks(const struct world *world, int32_t row) {
    return (uint32_t)world->tick - world_memory(world, row)->state_since;
}

/** Whether an agent of a pure flock that moves so faces where it goes; otherwise its heading is stored. */
bool world_faces_course(const struct world *world, int32_t row, struct motion motion);

/** Where the agent faces in tick t: a unit vector. */
vec2 world_heading(const struct world *world, int32_t row);
/** The same of the agent in a slot, which needs no lookup. */
vec2 world_heading_at(const struct world *world, int32_t slot);

/** Ends is_pure_flock: every heading is stored, and all columns by slot are. Before any command that may change
 * what an agent is or does. */
void world_keep_headings(struct world *world);

/** Columns by slot follow agents that were sorted since grid_look_up. Not in a pure flock. */
void world_follow_slots(struct world *world, const struct parallel *parallel);

/** Columns by slot become columns by row, as a pure flock has them, and the other way round. */
void world_slots_to_rows(struct world *world);
void world_rows_to_slots(struct world *world);

/** Whether the agents of the kind only flock, in a way that kernels.h can compute. */
bool world_can_use_flock_kernel(const struct world *world, const struct kind *kind);

/** Whether the agents of the kind do nothing else, as it is; unless they have own bodies. */
bool world_kind_flocks(const struct world *world, const struct kind *kind);

/** Whether all agents merely flock, as their kinds are. */
bool world_flocks(const struct world *world);

/** Whether from tick t on headings need not be stored. */
bool world_is_pure_flock(const struct world *world);

/** What is known of an agent before it is stepped: its place in the sights of its batch. */
struct sight_place {
    const struct world_sights *sights; /* NULL: nothing is known */
    int place;
};

/** What agent `row` notices of what a reference is about, in tick t. known: sights that need no search. */
struct target_info world_resolve_target(const struct world *world, int32_t row, const struct target_ref *ref,
                                        const struct ref_runtime *runtime, struct sight_place known);

/** Whether agent `row` notices anything: the is_there of world_resolve_target. */
bool world_notices(const struct world *world, int32_t row, const struct target_ref *ref,
                   const struct ref_runtime *runtime, struct sight_place known);

/** Whether agent `row` notices something of what a condition of its kind is about, as that asks for: near enough, in its
 * field of view, in sight. cosine: as in state_runtime. */
bool world_sees(const struct world *world, int32_t row, const struct condition_def *condition,
                const struct ref_runtime *runtime, float cosine, struct sight_place known);
/** Whether agent `row` hears a signal (state_runtime.signal) from within so many px, of another agent. */
bool world_hears(const struct world *world, int32_t row, int signal, float within);
/** Notes who gives signals in tick t, before any thread changes a state; nothing without signals. */
void world_listen(struct world *world);

/** The state for the coming tick: the first whose condition holds, the last one if none does. */
struct decision {
    int state;
    uint32_t
        held; /* bit i: the condition of the kind's timer i holds by itself, not since it is remembered */
};
/** known: as above. */
struct decision world_decide(const struct world *world, int32_t row, struct sight_place known);
/** The timers of an agent after a tick for which it decided so; before: its state of tick t. */
void world_run_timers(const struct world *world, const struct kind *kind, struct decision decision,
                      int before, struct timers *timers);

/** What an agent is about to do: decided from the state of tick t alone. */
struct intent {
    struct decision decision;
    vec2 desired;         /* px/s, truncated to max_speed */
    vec2 force;           /* mass*px/s^2, not yet truncated */
    struct memory memory; /* of tick t+1 */
};

/** Sums of neighbors, and sights, that were found for many agents at once, before one of them is stepped. */
struct precomputed_sums {
    const struct behavior_def *behavior; /* that has the sums; NULL: there are none */
    const struct neighbor_sums *sums;
    struct sight_place sight;
};

/* The parts of world_intend, for steering in lanes (world_crowd.c). */

/** Notes in the memory that the coming tick begins, in this state; before: the state of tick t. */
void world_begin_state(const struct world *world, int before, int state, struct memory *memory);
/** The point that an aim puts in place of what a behavior is about; false when there is none. */
bool world_aimed_point(const struct world *world, int32_t row, const struct behavior_def *behavior,
                       vec2 *point);
/** Finds what a behavior is about: fills first and second. False when a target of it is not there. */
bool world_resolve_targets(const struct world *world, int32_t row, const struct behavior_def *behavior,
                           const struct behavior_runtime *runtime, struct steering_context *context);
/** The weighted output of one behavior; zero when it is inactive or a velocity filter. detail: NULL, or as
 * below. */
struct steering_output world_evaluate(const struct world *world, int32_t row,
                                      const struct behavior_def *behavior,
                                      const struct behavior_runtime *runtime,
                                      struct steering_context *context, struct steering_view *detail);
/** Containment of a world that contains. */
void world_contain(const struct world *world, struct steering_context *context, struct intent *intent,
                   struct steering_view *detail);
/** The velocity filters of a state. */
void world_filter_velocity(const struct world *world, int32_t row, const struct state_def *state,
                           const struct state_runtime *runtime, const struct steering_context *before,
                           struct intent *intent, struct steering_view *detail);
/** A tick has used the vectors that agents are driven with: old ones are forgotten. */
void world_fade_drives(struct world *world);
/** Stamina after a tick. */
void world_tire(struct memory *memory, float rate, float max_stamina, float dt);
/** Solids, then the edge: where a body of t that would be at `moved` is in t+1. */
struct motion world_move(const struct world *world, struct motion old, struct motion moved, float radius);

/** Finds out which states of all kinds steer alike; after the parameters of the kind `changed` changed. */
void world_match_programs(struct world *world, int changed);

/** Whether the behaviors of a state can be combined in lanes, and what they want be done there. */
static inline bool world_combines_in_lanes(const struct kind_def *kind, int state) {
    return kind->states[state].combine == COMBINE_SUM && kind->body.locomotion != LOCOMOTION_WHEELED;
}

/** Whether a velocity filter minds a solid that is no nearer than `room` px; an agent for which this is so goes
 * alone. radius: of its body; max_speed: of its body and of the fastest mover together. */
static inline bool world_filter_meets_solids(const struct behavior_def *behavior, float radius,
                                             float max_speed, float room) {
    const float reach = radius + max_speed * behavior->obstacle_horizon;
    return behavior->obstacle_horizon > 0.0f && !(room > GRID_SLACK * reach);
}

/** Begins to count the agents of a tick that go alone; before any thread does. */
void world_begin_counting(struct world *world);
/** Notes that the agents at `places`, whose state steers as this one, had a behavior of it alone. Any thread. */
void world_count_alone(struct world *world, const struct state_runtime *runtime, int behavior,
                       place_set places);
/** The way that the agent would take with a behavior of its state, as things are. */
enum steering_way world_way_of_agent(const struct world *world, int32_t row,
                                     const struct behavior_def *behavior,
                                     const struct behavior_runtime *runtime);

/** Whether a behavior uses sums about all its neighbors and needs no target. */
bool world_behavior_has_sums(const struct behavior_def *behavior);

/** What world_intend does to the memory of an agent when no behavior reads it. memory: of tick t, becomes
 * that of t+1. */
void world_age(const struct world *world, int32_t row, int state, struct memory *memory);

/** One agent's tick: reads tick t, writes its t+1. precomputed: NULL, or sums that need no query. */
void world_step_agent(struct world *world, int32_t slot, const struct precomputed_sums *precomputed);

/** The tick of the agents in slots [begin, end) of the grid. */
void world_step_slots(struct world *world, int32_t begin, int32_t end);

/** The neighbor query of the agents of a kind for this behavior. */
struct neighbor_batch world_neighbor_batch(const struct world *world, const struct kind *kind,
                                           const struct behavior_runtime *runtime);

/** Fills the zones of a behavior from its parameters. */
void world_refresh_zones(const struct behavior_def *behavior, const struct body_def *body,
                         struct behavior_runtime *runtime);

/** px: the radius of a behavior's largest zone. */
float world_widest_zone(const struct behavior_runtime *runtime);

/** Recomputes what the agents of a kind look for. */
void world_refresh_looks(struct kind *kind);

/** Whether a reference is about the nearest agent of a kind. */
static inline bool world_is_about_kind(const struct target_ref *ref) {
    return ref->target[0] == '\0' && ref->kind[0] != '\0';
}

/** Whether a definition is within the limits of worlds; otherwise *what is a static sentence. */
bool world_def_is_sane(const struct world_def *def, const char **what);

/** Everything of a new world but its agents; obstacles have the ids of the definition. Results as world_create. */
enum world_result world_build(struct world *world, const struct world_def *def, const char **what);

/** Prepares the kinds of a new world, and notes whether its agents need the grid.
 * returns  WORLD_OK, WORLD_NO_MEMORY or WORLD_BAD_DEF with *what a static sentence */
enum world_result world_build_kinds(struct world *world, const struct world_def *def, const char **what);

/** Sorts the agents of tick t, when some behavior or condition queries the grid; after each command that adds
 * or removes agents or changes a radius. Allocates nothing. */
void world_sort(struct world *world);

/** Without sorting: slots are as they were sorted so many px of drift ago; 0: they are still to be sorted. False where agents
 * cannot have drifted so far. */
bool world_keep_slots(struct world *world, float drift);

/** How many cells the agents would be sorted into, if they are in the box: a function of populations and kinds. */
int32_t world_cells(const struct world *world);

/** Whether agents stay in their slots from tick t to t+1, since few would change cells. */
bool world_keeps_order(const struct world *world);

/** Whether the tick in hand, whose keeps_order is known, will sort. */
bool world_will_sort(const struct world *world);

/** Whether agents of a world that has just been sorted may have been in their slots for so long, px. */
bool world_may_have_drifted(const struct world *world, float drift);

/** The slots that this rank steps in a copy; sending them to the others once they are stepped. Collective. */
struct world_slots world_copy_share(const struct world *world);
void world_copy_exchange(struct world *world);

/** What a tick in stripes does that keeps the order of agents: the border rows are stepped, then it begins to send them
 * to other ranks; the inner rows are stepped; it ends when the ghosts have moved, too. Collective. */
struct world_slots world_stripes_inner(const struct world *world);
void world_stripes_begin(struct world *world);
void world_stripes_end(struct world *world);
/** grid_sort in stripes, with the columns by slot. radius: as there; drift: px, how far agents may have drifted before
 * they are sorted again. Collective. */
void world_stripes_sort(struct world *world, float radius, float drift, const struct parallel *parallel);
/** Ghosts of a world in stripes that is not sorted. Collective. */
void world_stripes_stay(struct world *world);
/** Gives back the memory of the columns that receive what lies by slot when it is moved, in stripes: until then they say nothing. */
void world_give_back_next(const struct world *world);
/** Gives back that memory, and what a tick and a sort write before they read it, in stripes. */
void world_give_back_scratch(const struct world *world);
/** Frees what a rank has besides a world of one process. */
void world_stripes_fini(struct world *world);
/** Finds out what ranks need of each other; nothing in one process. */
void world_find_needs(struct world *world);

/** world_clone, of a rank's part of a world as well: what lies by slot is then that of the agents which are here. */
bool world_clone_here(struct world *to, const struct world *from);
/** What a clone of a world in stripes has besides: its beginning (false without memory), more room for it, whether there is
 * enough, and the cloning. */
bool world_stripes_begin_clone(struct world *to, const struct world *from);
void world_stripes_reserve(struct world *to, const struct world *from);
bool world_stripes_fit(const struct world *to, const struct world *from);
void world_stripes_clone(struct world *to, const struct world *from);

/** The tick of all agents: reads tick t, writes t+1. */
void world_act(struct world *world, const struct parallel *parallel);

/** Tick t+1 becomes tick t, sorted when the grid is queried and the order has not just been kept. */
void world_advance(struct world *world, const struct parallel *parallel);

/** Rebuilds the ways whose goals are in other cells than when they were made. is_due: their targets count where they
 * are now; otherwise at way_at. */
void world_lead_ways(struct world *world, bool is_due);
/** Sources and sinks, between the tick that is done and the next one. Collective. */
void world_turn_over(struct world *world);
/** Gives out the places of formations whose members or leader have changed or turned, before tick t is steered. */
void world_form_up(struct world *world);
/** Removes the agents that are marked with AGENT_REMOVED, of which there are so many. Returns how many. Collective. */
int32_t world_remove_marked(struct world *world, int32_t removed);

/** Regroups by_kind; after agents came or went. */
void world_group_kinds(struct world *world);

/** Where a target that strolls is at tick t + 1, and the ticks for which it has not been set then. */
vec2 world_stroll(const struct world *world, int index);
uint32_t world_stroll_idle(const struct world *world, int index);

/** The ticks for which some behavior of a kind follows a driven vector; 0: none does. */
uint32_t world_longest_hold(const struct kind_def *kind);

/** The bytes of a parameter's member. */
struct param_bytes {
    unsigned char bytes[sizeof(struct field_range)];
    size_t size;
};
struct param_bytes world_param_bytes(const struct field *field, double value);
/** Writes a parameter, in outside units, into the body_def or behavior_def that its row is about; nothing else. */
void world_put_param(void *object, const struct field *field, double value);

/** Recomputes what follows from a kind's parameters (body, turn, weight sums). */
void world_refresh_kind(struct world *world, int index);

/** Gives a row and a slot (-1: the agent is not here) what a new agent has. What has that already is not touched. */
void world_set_initial(struct world *world, int32_t row, int32_t slot);

/** How many agents a world has room for once it has been reserved for `count`. */
int32_t world_room_for(const struct world *world, int32_t count);

/** Room for `count` agents in every column; 0 or -1 (nothing changes). */
NODISCARD int world_reserve(struct world *world, int32_t count);

/** The bits of a number: -0 and 0 differ, as they do in the hash. */
static inline uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
