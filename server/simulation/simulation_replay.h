/* What the simulation thread does with a recording (server/recording/replay.h); for server/simulation alone.
 *
 * 1. Resuming: the world of a server before is brought to its last moment, without pace; commands wait. A hash that
 * is not the recorded one ends it: the world goes on from the last hash that agreed, and hello says what that leaves out,
 * as it does where lines are damaged (recording_facts.h).
 * Then the cursors of the sessions of that server are removed by ordinary requests, and the world is live.
 * 2. Playing: what was recorded is applied before each tick, and hashes are compared after it. Requests that would
 * change the world are refused (simulation_refuses). The first difference is one event, and playing goes on.
 * 3. A seek begins at the nearest checkpoint, in a further epoch, and does the ticks up to the one asked for; or goes
 * on from where the world is, when that is nearer. Its world is that of the tick's end: nothing that was recorded
 * after the tick has been applied. Commands wait meanwhile; a further seek, or the stop, gives it up.
 */
#ifndef DROVER_SERVER_SIMULATION_SIMULATION_REPLAY_H
#define DROVER_SERVER_SIMULATION_SIMULATION_REPLAY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/recording/replay.h"

struct simulation;
struct simulation_def;
struct command;

enum playback_mode { PLAYBACK_NONE, PLAYBACK_RESUMING, PLAYBACK_PLAYING };

/** Where the ticks without pace lead to. */
struct playback_goal {
    bool is_set, is_end; /* is_end: the end of the recording */
    struct recording_moment moment;
    uint64_t first_tick;     /* where they began; for the share that is done */
    struct command *command; /* the seek that waits for it, owned; NULL: none */
    uint64_t began_ns;       /* when they began */
    uint64_t told_ns;        /* when the share was last sent */
};

struct playback {
    enum playback_mode mode;
    struct replay *replay; /* owned; NULL with PLAYBACK_NONE */
    struct recording_source source;
    const struct recording_facts *facts; /* not owned */
    const struct recording *recording;   /* not owned; NULL for the source of a test */
    struct playback_goal goal;
    struct recording_moment end;       /* where resuming was to lead */
    bool goes_back;                    /* resuming leads to the last hash that agreed */
    struct recording_moment wanted;    /* of the seek that is being applied; world 0: none */
    struct replay_divergence diverged; /* the first since the start */
    bool is_journal, is_of_other_core; /* struct simulation_recording */
    uint32_t origin_world;             /* after the end: its number in the journal; 0: it is not from one */
    bool is_over;                      /* nothing more comes */
    bool has_changed;                  /* something was applied since the last tick */
    bool has_ended;                    /* the world is live now; simulation_playback_take_end */
    bool goes_live;                    /* a request `resume` with live is being applied */
    _Atomic uint32_t seeks_waiting;    /* in the queue of commands */
    atomic_bool refuses_changes;
};

/** Builds the first world out of the recording of the definition. 0, or -1 with *failure. */
NODISCARD int simulation_playback_begin(struct simulation *simulation, const struct simulation_def *def,
                                        struct failure *failure);
void simulation_playback_fini(struct simulation *simulation);

/** Whether ticks without pace lead to a goal: nothing else is to be done meanwhile. */
bool simulation_playback_is_busy(const struct simulation *simulation);
/** Does such ticks until until_ns, or until the goal is reached. */
void simulation_playback_go_on(struct simulation *simulation, uint64_t until_ns);
/** Brings what hello and `stats` say of the recording up to date: the tick and the world that it belongs to change
 * together. */
void simulation_playback_update(struct simulation *simulation);
/** Tells clients what the world goes on without; 0 and 0: how much is not known. */
void simulation_playback_tell_loss(struct simulation *simulation, uint64_t ticks, uint64_t requests);
/** Whether the playback has ended since the last call: the caller makes the world live (simulation_begin_live). */
bool simulation_playback_take_end(struct simulation *simulation);
/** Clients get what the world is like now: the scenario line, and a frame. */
void simulation_playback_show_all(struct simulation *simulation);
/** Applies what was recorded before the next tick. False: no tick is to be done now; the recording is over (the world
 * is paused then), or another world was put in. Nothing to do in a live world. */
bool simulation_playback_before_tick(struct simulation *simulation);
/** Compares the world with the recorded hash after a tick. */
void simulation_playback_after_tick(struct simulation *simulation);
/** Whether the recording is over. */
bool simulation_playback_is_over(const struct simulation *simulation);
/** After a request was applied: takes the command when it is a seek that was accepted, and begins to seek. */
bool simulation_playback_take_seek(struct simulation *simulation, struct command *command);
/** After a request was applied: makes the world live when the request was a `resume` with live. */
void simulation_playback_follow(struct simulation *simulation, const struct request *request);
/** Answers the seek under way when the server stops. */
void simulation_playback_stop(struct simulation *simulation);

#endif
