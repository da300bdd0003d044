/* The simulation thread: owns the simulation state, does its ticks on time, applies commands at tick
 * boundaries and copies out the snapshots that the schedule wants.
 *
 * 1. No other thread touches the world after simulation_start. Others push commands and take events and
 * snapshots; none of their calls waits for a tick.
 * 2. While the world runs at its own rate, commands are applied when the next tick is due; at another speed, or while it
 * is paused, at once; while a step is under way, between its ticks, as soon as these took STEP_SLICE_NS together. Queries are answered
 * whenever there is time: they cost a tick at most half a millisecond.
 * 3. The reply to a command is pushed before a snapshot that shows its effect is published. So a thread that
 * takes the snapshot first and the events second has, with every snapshot, all replies that led to it.
 * 4. A `load` is read and built by the builder's thread (scenario_builder.h) as soon as all earlier requests
 * of its session have taken effect. A world that is ready is put in at once: the tick under way is given up.
 * 5. Every command that was queued gets exactly one SIM_EVENT_ANSWER, also when the simulation stops.
 */
#ifndef DROVER_SERVER_SIMULATION_SIMULATION_H
#define DROVER_SERVER_SIMULATION_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"
#include "server/commands/simulation_state.h"
#include "server/exchange/command_queue.h"
#include "server/exchange/snapshot_exchange.h"
#include "server/frames/frame_form.h"
#include "server/frames/snapshot_gather.h"
#include "server/library/scenario_builder.h"
#include "server/recording/replay.h"
#include "server/simulation/rank_report.h"
#include "server/simulation/selfcheck.h"
#include "server/simulation/tick_clock.h"
#include "server/storage/recording.h"

/* A recording as a simulation begins with it. */

/** Used by the simulation until simulation_stop, from simulation_start on by its thread. */
struct simulation_recording {
    struct recording_source source;
    const struct recording_facts *facts; /* of its worlds and checkpoints */
    struct recording *recording;         /* not owned; NULL for the source of a test */
    bool has_at;                         /* begin with this tick, of the first world that has it; */
    uint64_t at;                         /* otherwise: playing with the start, going on with the end */
    bool is_journal;                     /* to go on: the next journal continues its worlds */
    bool is_of_other_core; /* to go on: ticks after the checkpoint would be other ones than they were */
};

/** The recording as it is, from its start or end. overrides: seed and tick_hz are not used. */
struct simulation_recording simulation_recording_of(struct recording *recording,
                                                    const struct world_overrides *overrides);

struct logbook;
struct logbook_statistics;
struct simulation;

struct simulation_def {
    struct world_overrides overrides;
    struct scenario_source source;   /* used by a thread of the simulation's from simulation_create on */
    struct save_store *saves;        /* where saved worlds lie, for the same thread; NULL: in memory */
    const struct scenario *scenario; /* the first; not used with a recording */
    /* At most one of them; NULL: none. */
    const struct simulation_recording *resume; /* the world goes on, live, from where it was at the end */
    const struct simulation_recording *replay; /* it is played */
    const char *
        lost; /* with resume: the rank or launcher whose end ended the run before; NULL: none. Less than MESSAGE_LOST bytes */
    bool is_paused;
    bool is_realtime;        /* ask for SCHED_FIFO */
    int threads;             /* that work on a tick, 1 or more */
    uint64_t past_bytes;     /* for going back in the world's past; 0: none */
    double selfcheck_s;      /* the span that is simulated again, all the time; 0: none */
    struct logbook *logbook; /* what is written of the simulation; not owned, NULL: nothing */
    /* The ranks that share the world, and the way to them from this one, which is rank 0; not owned, NULL: one process.
     * Both are used by one thread at a time: the caller's, then the simulation's until simulation_stop. */
    const struct exchange *exchange;
    const struct state_ranks *ranks;
};

/** How many agents of a kind have a behavior in lanes (struct way_share). */
struct simulation_way {
    char kind[LIMIT_NAME_CHARS + 1];
    const char *behavior; /* static */
    double lanes;         /* 0 to 1 */
};

/** How many agents a kind has. */
struct simulation_kind {
    char name[LIMIT_NAME_CHARS + 1];
    uint32_t agents;
};

/** Whether the world moves. */
struct simulation_motion {
    bool is_paused;
    bool is_loading,
        is_resuming;   /* another world is on its way; this one is brought to where a server before stopped */
    double due_hz;     /* ticks that are due in a second; 0: as many as can be done */
    uint64_t moved_ns; /* clock_now_ns: when a tick last began, or the world was seen to be paused */
    uint64_t began_ns; /* the tick under way; 0: there is none */
    bool has_begun;    /* a tick was done since the start, or the world was seen to be paused */
    uint64_t turns;    /* grows with each tick, and each time that the thread looks for work */
};

enum { TWIN_STATES = 64 /* of all kinds, that are counted */ };

/** A world and its twin, the world first in pairs, as of the last tick boundary. */
struct twin_statistics {
    bool is_on, follows;
    uint64_t from;      /* the tick with which the comparison began */
    uint64_t agents[2]; /* there are */
    uint64_t refused;   /* requests that changed the world, and that the twin refused */
    bool differs;       /* the hashes, after this tick for the first time: */
    uint64_t since;
    uint32_t agent;             /* the smallest id of the agents that differed first; 0: none yet */
    uint64_t agent_since;       /* the tick of that */
    uint64_t differing;         /* agents that differ now, and those that one of both lacks */
    double mean_px, largest_px; /* the distances of agents and their twins */
    double polarisation[2];     /* the length of the mean unit velocity of agents that move; 0 to 1 */
    struct tick_meter times;    /* what the twin adds to a tick */
    int state_count;
    struct {
        char kind[LIMIT_NAME_CHARS + 1], state[LIMIT_NAME_CHARS + 1];
        uint32_t agents[2];
    } states[TWIN_STATES];
};

/** The seats, and for whom the world waits. */
struct simulation_seats {
    uint32_t count, of; /* taken; to be taken before the world steps */
    struct {
        char name[LIMIT_NAME_CHARS + 1];
        bool is_awaited;
    } rows[LIMIT_SEATS];
};

/** How the thread keeps up, as of the last tick boundary. */
struct simulation_statistics {
    uint64_t tick, ticks; /* of the world; done in real time since the start */
    double tick_hz;
    bool is_paused;
    uint64_t agents, commands, commands_waiting;
    double candidates; /* looked at for the average agent's neighbors, as of the last second */
    int way_count;     /* of a tick of the last second, like candidates */
    struct simulation_way ways[LIMIT_WAYS];
    uint64_t overruns, dropped_ticks; /* times that debt was dropped, and how much in all */
    struct tick_meter lateness;       /* from when a tick was due until it began */
    struct tick_meter command_times, step_times, copy_times;
    struct message_pace pace;
    struct message_playback playback; /* of a world out of a recording */
    uint64_t checked, checked_tick;   /* spans that the selfcheck compared, and up to where; 0: none */
    bool has_diverged;                /* the first difference that the selfcheck found */
    struct selfcheck_difference diverged;
    struct rank_table ranks; /* of a cluster */
    struct simulation_seats seats;
    struct twin_statistics twin;
};

/** Builds the first world, or reads it out of the recording; no thread yet. NULL with *failure. */
NODISCARD struct simulation *simulation_create(const struct simulation_def *def, struct failure *failure);
/** Starts the thread. notify(context) is called from it when there is something to take; it must not block.
 * 0, or -1 when no thread could be made. */
NODISCARD int simulation_start(struct simulation *simulation, void (*notify)(void *context), void *context);
struct looks;
/** The worlds that sessions look at, `most` at once, with so many bytes for the frames of each; they end before the simulation.
 * notify: as for simulation_start. NULL: none are kept (no past, most 0), or memory is short. */
NODISCARD struct looks *simulation_create_looks(struct simulation *simulation, uint32_t most,
                                                size_t frame_bytes, void (*notify)(void *context),
                                                void *context);
/** Ends the thread and waits for it, unless a rank is lost (simulation_has_lost_rank); a tick under way is given up. A step under way is answered with the tick
 * it reached, commands that still wait with `busy`. */
void simulation_stop(struct simulation *simulation);
/** Frees it; stops it first when need be. NULL is fine. Not after simulation_has_lost_rank: its thread may wait
 * without end. */
void simulation_destroy(struct simulation *simulation);
/** Whether one of the ranks that share the world is lost (simulation_state.h). Any thread. */
bool simulation_has_lost_rank(const struct simulation *simulation);

/** Queues a request. */
NODISCARD enum command_push simulation_submit(struct simulation *simulation,
                                              const struct command_origin *origin,
                                              const struct request *request);
/** The session is gone, or said bye: its steps end soon (command_queue.h), its requests that wait for a tick are
 * withdrawn. */
void simulation_end_steps(struct simulation *simulation, uint32_t session);
/** The session loses its seat, if it has one; when it can send nothing more (is_silent), once its last go is done. */
void simulation_leave_seat(struct simulation *simulation, uint32_t session, bool is_silent);
/** What snapshots are wanted from now on; after simulation_set_views. */
void simulation_set_schedule(struct simulation *simulation, const struct snapshot_schedule *schedule);
/** Whether ranks share the world in stripes: snapshots have what the views of the last simulation_set_views show. */
bool simulation_has_stripes(const struct simulation *simulation);
/** What is shown: what snapshots of a world in stripes are to have, and whose forces those of other worlds; `fields` is not
 * read. */
void simulation_set_views(struct simulation *simulation, const struct snapshot_demand *views);
/** Asks for a snapshot of the current state, soon and also while paused. */
void simulation_request_snapshot(struct simulation *simulation);
/** See event_queue_take and snapshot_exchange_take. One thread. */
struct sim_event *simulation_take_events(struct simulation *simulation);
const struct snapshot_slot *simulation_take_snapshot(struct simulation *simulation);

/** tick, time_s, is_paused, playback and scenario of a hello, as of the last tick boundary. */
void simulation_describe(struct simulation *simulation, struct message_hello *hello);
/** A number that grows when simulation_describe says something else of what stands in the world: a load, a
 * target or an obstacle that came, moved or went. Read it before the description: it is never too new then.
 */
uint32_t simulation_revision(const struct simulation *simulation);
/** The sessions that had a cursor in the world when a world was put in last (struct state_cursors): those of a saved
 * world may be gone. */
void simulation_read_cursors(struct simulation *simulation, uint32_t owners[LIMIT_TARGETS]);
/** Whether a behavior of the world aims at cursors. */
bool simulation_wants_cursors(const struct simulation *simulation);
/** Whether the event `overload` is due, also while a tick is under way
 * (tick_clock.h); fills *event and writes a line to the log. */
bool simulation_take_overload(struct simulation *simulation, struct message_event *event);
/** Copies what `stats` says of the simulation. */
void simulation_read_statistics(struct simulation *simulation, struct simulation_statistics *out);
/** The kinds of the world; returns how many there are. */
int simulation_read_kinds(struct simulation *simulation, struct simulation_kind out[LIMIT_KINDS]);
/** Whether the world moves; also while a tick is under way. */
struct simulation_motion simulation_read_motion(struct simulation *simulation);
/** Makes the thread look for work, so that `turns` grows soon, also while the world is paused. */
void simulation_nudge(struct simulation *simulation);
/** The instructions that neighbors are summed with: "plain", "sse2" and so on. */
const char *simulation_instructions(const struct simulation *simulation);
/** Whether a request is refused with `replaying`: it would change a world that is recorded, or wait for a tick of it. */
bool simulation_refuses(const struct simulation *simulation, const struct request *request);
/** Whether the journal is on disk up to this position (struct sim_event). */
bool simulation_is_safe(struct simulation *simulation, uint64_t position);
/** Whether the journal will never be on disk up to this position. */
bool simulation_has_lost(struct simulation *simulation, uint64_t position, struct failure *failure);
/** Whether the journal or the recording has ended early since the last call, or the journal begun again; fills *event. */
bool simulation_take_file_event(struct simulation *simulation, struct message_event *event);
/** How the journal and the recording are. */
void simulation_read_logbook(struct simulation *simulation, struct logbook_statistics *out);
/** The number of the last change (struct simulation_state) before the description was brought up to date. */
uint64_t simulation_seq(const struct simulation *simulation);
/** Ticks the world has done. */
uint64_t simulation_tick(const struct simulation *simulation);

#endif
