/* Plays a recording into a simulation state: requests and worlds at their ticks, hashes compared. Pure: lines come
 * from a recording_source, the caller does the ticks.
 *
 *     while ((step = replay_next(replay, state, &change, &failure)) != REPLAY_END) {
 *         if (step == REPLAY_TICK) { simulation_state_step(state); replay_check(replay, state, &divergence); }
 *     }
 */
#ifndef DROVER_SERVER_RECORDING_REPLAY_H
#define DROVER_SERVER_RECORDING_REPLAY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "server/commands/command_apply.h"
#include "server/commands/simulation_state.h"
#include "server/recording/checkpoint.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world.h"
#include "server/sim/world/world_image.h"

/* Which agents differ between two worlds: paired by id, compared column by column as checkpoints name them
 * (world_image.h), to the bit. */

/** Agents that differ, or that only one of the worlds has: how many, and the smallest ids, ascending. */
struct agent_difference {
    int32_t count;
    int id_count;
    uint32_t ids[LIMIT_DIVERGED_AGENTS];
};

/** Compares the agents of two worlds between ticks. False: without memory; then *out is empty. */
NODISCARD bool agent_difference_find(const struct world *a, const struct world *b,
                                     struct agent_difference *out);

/** Rows of two worlds that are the same agent. */
struct agent_pairs {
    const struct world *world[2]; /* not owned */
    uint32_t *ids[2];             /* by row */
    int32_t count[2];             /* rows */
    int32_t pair_count;           /* agents that are in both */
    int32_t (*pairs)[2];          /* their rows */
    bool *differs;                /* by pair */
    int32_t single_count;         /* agents that only one world has, ascending with their id */
    struct agent_single {
        uint32_t id;
        int side; /* of the world that has it */
    } * singles;
};

/** Pairs and compares. False: without memory. agent_pairs_fini is due in any case. */
NODISCARD bool agent_pairs_compare(struct agent_pairs *pairs, const struct world *a, const struct world *b);
void agent_pairs_fini(struct agent_pairs *pairs);

/** What the columns hold of an agent that are partial (world_image_column). The body is 0 where it is that of the kind. */
struct agent_sparse {
    vec2 heading;
    float body[4]; /* mass, radius, max_speed, max_force */
};
struct agent_sparse agent_sparse_of(const struct world *world, int32_t row);

/** A moment of a recording: a tick of its world number `world` (from 1), after the request seq where that matters. */
struct recording_moment {
    uint32_t world;
    uint64_t tick, seq;
};

/** What happened between two moments of a world is in no file; the checkpoint of the second one is. */
struct recording_gap {
    struct recording_moment before, after;
};

/** Where lines come from (storage/recording.h), or a test's own. One thread. */
struct recording_source {
    void *context;
    /** The next line without its newline, valid until the next call. 1; 0: the end; -1 with *failure. Lines that are
     * no whole JSON objects (torn) are skipped and counted by the source. */
    int (*next)(void *context, const char **line, size_t *length, struct failure *failure);
    /** The recorded hash at this tick after one of the requests moment->seq to last_seq, when there is one. */
    bool (*find_hash)(void *context, const struct recording_moment *moment, uint64_t last_seq,
                      uint64_t *hash);
    /** Goes to the last checkpoint or world line that is not after the moment's tick (seq is not looked at): the world
     * that stands there is built into *state (a further epoch, with its seq). The pause of the state stays. The next line is one that is not after it:
     * lines that took effect before are skipped by the replay. -1 with *failure: the state is as it was. */
    int (*seek)(void *context, const struct recording_moment *moment, struct simulation_state *state,
                struct failure *failure);
    /** Reads the recorded world of a checkpoint at this tick after one of the requests moment->seq to last_seq, when
     * there is one: *out is the caller's then (built_world_fini). Where the lines are read stays. NULL: never. */
    bool (*read_checkpoint)(void *context, const struct recording_moment *moment, uint64_t last_seq,
                            struct built_world *out);
    /** NULL: a request that took effect then and is refused now is where the replay diverges. Otherwise it is left out: its number. */
    void (*refused)(void *context, uint64_t seq);
    /** The number of the world that the state has after seek. */
    uint32_t (*world)(void *context);
    /** In order; the context's. */
    const struct recording_gap *gaps;
    int gap_count;
    /** The last moment, and whether the world was paused then. */
    struct recording_moment last;
    bool is_paused_at_end;
};

struct replay;

/** What a line changed. */
struct replay_change {
    struct command_effects effects;
    uint32_t by;                       /* the session in the recording; 0: the server */
    char name[LIMIT_PERSON_BYTES + 1]; /* of that session; "" for none */
    enum request_op op;                /* REQUEST_LOAD for a world line */
};

enum { REPLAY_REASON_BYTES = 448 };

/** The first place where the replay was not what was recorded, since replay_begin. */
struct replay_divergence {
    bool has_diverged;
    struct recording_moment moment;
    uint64_t recorded, computed;      /* hashes; both 0 when a request was refused that took effect then */
    bool is_unsupported;              /* a request was refused that the ranks sharing this world cannot do */
    char reason[REPLAY_REASON_BYTES]; /* a sentence for people */
    /* The first checkpoint of this world from there on that the replay reached: what differs then. */
    bool has_agents;
    struct recording_moment agents_moment;
    struct agent_difference agents;
};

enum replay_step {
    REPLAY_TICK,    /* nothing more comes before the next tick: do it */
    REPLAY_CHANGED, /* a request or a world took effect: *change */
    REPLAY_GAP,     /* what followed is in no file: no tick; the next call puts in the world behind it */
    REPLAY_END,     /* the recording is over */
    REPLAY_FAILED,  /* *failure; the replay is over */
};

/** source: copied; its context must live as long as the replay. overrides: seed and tick_hz are not used. given_up: as
 * built_world_make. NULL without memory. */
NODISCARD struct replay *replay_create(const struct recording_source *source,
                                       const struct world_overrides *overrides, const atomic_bool *given_up);
void replay_destroy(struct replay *replay);
/** Begins at the last checkpoint or world at or before the moment (source->seek); nothing has diverged then. 0, or -1
 * with *failure: the state is as it was. */
NODISCARD int replay_begin(struct replay *replay, struct simulation_state *state,
                           const struct recording_moment *moment, struct failure *failure);
/** Applies the next line that is due before the world's next tick; compares hashes as replay_check does. The pause of the
 * state is left as it is. Behind a gap the world of its checkpoint is a change as by a load, in the same world of
 * the recording. After REPLAY_END the state is at the last moment; *failure after REPLAY_FAILED alone. */
enum replay_step replay_next(struct replay *replay, struct simulation_state *state,
                             struct replay_change *change, struct failure *failure);
/** Compares the state with the recorded hash, if this moment has one. False once after the first difference, whether it
 * was found here or by replay_next (the rest of the replay has diverged: replay_divergence). Costs a hash where there is
 * one to compare with. After a change replay_next compares: it has the other lines of this moment. */
bool replay_check(struct replay *replay, const struct simulation_state *state);
const struct replay_divergence *replay_divergence(const struct replay *replay);
/** The last moment whose world is known to be the recorded one: the hash agreed, or the replay began there. */
struct recording_moment replay_agreed(const struct replay *replay);
/** The replay ends at this moment of the world in which it begins, in place of the recording's last one. */
void replay_end_at(struct replay *replay, const struct recording_moment *moment);
/** The moment that the state is at. */
struct recording_moment replay_moment(const struct replay *replay, const struct simulation_state *state);

#endif
