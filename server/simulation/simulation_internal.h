/* What the files of the simulation thread share with no other: its state, what it sends to the loop
 * (simulation_report.c), what it does with commands (simulation_commands.c). All of it is called by the
 * thread alone, or before there is one.
 */
#ifndef DROVER_SERVER_SIMULATION_SIMULATION_INTERNAL_H
#define DROVER_SERVER_SIMULATION_SIMULATION_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "server/commands/command_apply.h"
#include "server/exchange/command_queue.h"
#include "server/library/past.h"
#include "server/library/scenario_builder.h"
#include "server/recording/replay.h"
#include "server/simulation/logbook.h"
#include "server/simulation/selfcheck.h"
#include "server/simulation/simulation.h"
#include "server/simulation/tick_clock.h"
#include "server/simulation/worker_pool.h"

/* The lines of the log about changes of the world: which session did what.
 *
 * Every change has a line, but what a session does all the time (it drags a target or an obstacle, points, steps) has
 * one a second, and nothing has more than CHANGE_LOG_RATE a second for each op of a session. The next line says how
 * many were left out. Pure: the time is an argument.
 */

enum { CHANGE_LOG_RATE = 20, CHANGE_LOG_ROWS = 256, CHANGE_LOG_REQUEST_BYTES = 200 };

/** Zeroed it is empty. */
struct change_log {
    struct {
        uint32_t session;
        enum request_op op;
        uint64_t since_ns;   /* when its second began */
        uint32_t written;    /* lines in this second; 0: the row is free */
        uint32_t left_out;   /* since the last line */
    } rows[CHANGE_LOG_ROWS]; /* of the sessions and ops of late: by both, the last that came */
};

/** Whether a change has a line now; *left_out: how many before it had none. */
bool change_log_take(struct change_log *log, uint32_t session, const struct request *request, uint64_t now_ns,
                     uint32_t *left_out);
/** Appends the line's text: "change 12 at tick 600 by session 3 (Ann): {"op":"spawn",...}". seq: the number of the
 * change. */
void change_log_write(const struct command *command, uint64_t seq, uint64_t tick, uint32_t left_out,
                      struct buffer *out);

/* Whether moving a named target is worth an event to sessions without `seq`: that another session moves it is, each
 * of sixty moves a second is not. Pure: the time is an argument.
 */

enum { TARGET_WATCH_SAME_MS = 1000, TARGET_WATCH_OTHER_MS = 200 };

struct target_watch {
    struct {
        bool was_told;
        uint32_t by;
        uint64_t told_ns;
    } targets[LIMIT_TARGETS];
};

/** Forgets everything: another world. */
void target_watch_reset(struct target_watch *watch);
/** Target number `target` was moved by session `by`: true when an event is due. At most once a second for
 * the same session, five times a second when several pull at it. */
bool target_watch_note(struct target_watch *watch, int target, uint32_t by, uint64_t now_ns);

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
void simulation_playback_send_loss(struct simulation *simulation, uint64_t ticks, uint64_t requests);
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

/* The time for queries: within a tick that has no slack before it, in a pass between the ticks of a step, in
 * a pass of a paused world (changes go first in the next pass). */
#define TICK_QUERIES_NS   UINT64_C(500000)
#define STEP_QUERIES_NS   UINT64_C(2000000)
#define PAUSED_QUERIES_NS UINT64_C(5000000)
/* The time that ticks of a step take between two passes; a longer tick is done first. */
#define STEP_SLICE_NS UINT64_C(20000000)

/* The step that is under way. */
struct step {
    struct command *command; /* owned; NULL: there is none */
    uint32_t left;           /* ticks to do */
    struct command_until until;
    const char *met;                /* the condition that ends it; NULL: none yet */
    uint64_t started_ns, logged_ns; /* logged: when events of its ticks last went out */
    uint64_t shown_clock_tick;      /* up to which frames were made, see struct snapshot */
};

/* How fast the time of the world goes. */
struct simulation_speed {
    double factor;               /* times its own rate; 0: as fast as ticks can be done */
    bool is_warming;             /* a fresh world hurries: as fast as it can, whatever the factor is, */
    uint64_t warm_from, warm_to; /* from this tick to that; also under the mutex, for the loop */
    uint64_t shown_clock_tick;   /* up to which frames were made by the clock, see struct snapshot */
    uint32_t resets;             /* of the tick clock: what was due before one is not due any more */
};

/* A seat (simulation_seats.c). */
struct seat {
    uint32_t session;
    char name[LIMIT_NAME_CHARS + 1];
    uint32_t of, wait_ms, misses_most; /* struct request_seat */
    enum seat_timeout on_timeout;
    uint32_t misses;              /* in a row */
    uint64_t since_ns;            /* when it was taken */
    struct command *go;           /* under way, owned; NULL: none */
    uint32_t left;                /* ticks of it to do */
    uint64_t said_ns, waited_ns;  /* when it came; for how long its ticks have waited since */
    bool is_excused;              /* the next tick begins without it */
    bool is_told;                 /* the event `waiting` was sent */
    bool is_moved;                /* another world came in since its last go */
    struct command *first, *last; /* its requests that wait for the next go, owned */
    uint32_t kept;                /* how many */
};

/* Those of the world, by name. */
struct seats {
    uint32_t count;
    struct seat rows[LIMIT_SEATS];
    bool is_whole;     /* as many as were wanted have been there together */
    bool is_told;      /* that they are not */
    bool wants_pause;  /* a wait is over: the world is to be paused */
    bool is_shut;      /* the queue: the world waits for seats, if for anything */
    uint64_t began_ns; /* when the first one was taken */
    uint64_t since_ns; /* when the wait for the next tick began */
    uint64_t credit;   /* ticks of the world that are due, of the last one of the tick clock */
    uint32_t kept;     /* requests that wait for a go, */
    size_t kept_bytes; /* and their extras */
};

/* What makes checkpoints for the past (server/library/past.h). */
struct past_making {
    bool is_on;            /* the world is live */
    uint64_t bytes;        /* allowed */
    struct keeper *keeper; /* owned; NULL until there was memory for it */
    struct recorder recorder;
    uint64_t tick, began_ns;   /* of the last one */
    uint64_t copy_ns;          /* what it took the simulation's thread */
    _Atomic uint64_t spent_ns; /* and the keeper's */
};

/* The world beside the running one (compare). */
struct twin {
    struct simulation_state state;
    struct twin_statistics figures; /* the thread's; others read those of `statistics` */
};

/* What commands did since the last frame for all. */
struct unseen {
    bool changed, paused, loaded;
};

struct simulation {
    uint32_t full_epoch;           /* of the world that was logged as full */
    struct simulation_state state; /* the thread's, once it runs */
    struct worker_pool *pool;      /* owned; behind state.parallel */
    struct tick_clock clock;
    struct command_queue commands;
    struct scenario_builder *builder;
    struct save_store *saves; /* owned; NULL: they are the caller's */
    struct event_queue events;
    struct snapshot_exchange snapshots;
    void (*notify)(void *context);
    void *notify_context;
    pthread_t thread;
    bool is_started, is_realtime;
    atomic_bool stop, has_ended, wants_snapshot;
    _Atomic uint64_t tick;
    _Atomic uint64_t seq;           /* as of the last description */
    _Atomic uint64_t tick_began_ns; /* of the tick under way; 0: there is none */
    _Atomic uint64_t
        moved_ns;           /* when a tick last began, or the pause was last seen; struct simulation_motion */
    _Atomic uint64_t turns; /* struct simulation_motion */
    atomic_bool has_begun;  /* the same */
    uint32_t ways_shown;    /* world_ways_made when flow fields were sent last */
    uint64_t ways_shown_ns;
    _Atomic uint32_t revision; /* counts loads, and targets and obstacles that came, moved or went */
    atomic_bool wants_cursors;
    struct target_watch targets;
    struct change_log changes;
    struct snapshot_demand *gathering;     /* owned; the thread's copy of `views` */
    struct snapshot_gatherer *gatherer;    /* owned; of a large world in one process; NULL before */
    pthread_mutex_t mutex;                 /* of the eight below, which other threads read or write */
    uint32_t cursor_owners[LIMIT_TARGETS]; /* struct state_cursors, as of the last description */
    struct overload overload;
    struct simulation_statistics statistics;
    struct snapshot_schedule schedule;
    struct snapshot_demand *views; /* owned */
    bool has_stripes;
    struct message_scenario description;
    struct message_playback described_playback;
    bool is_paused;
    uint64_t dropped_ticks, reported_dropped_ticks;
    struct step step;
    struct playback playback;
    struct simulation_speed speed;
    struct seats seats;
    struct unseen unseen;
    struct world_overrides overrides; /* of worlds beside */
    struct past *past;                /* owned; NULL: none is kept */
    struct past_making past_making;   /* of its checkpoints */
    struct scenario_order *order;     /* of the request that is being applied; not owned */
    struct twin *twin;                /* owned; NULL: there is no comparison */
    struct selfcheck *selfcheck;      /* owned; NULL: none */
    double selfcheck_s;               /* 0: none */
    enum simd simd;                   /* of the worlds; for simulation_instructions */
    uint64_t checked_ns;              /* the selfcheck's thread: when the log last said that it agrees */
    struct logbook *logbook;          /* not owned; NULL: nothing is written of the simulation */
    bool is_keeping;                  /* the logbook has begun */
    atomic_bool has_begun_keeping;    /* the same for the loop; stays so after its end */
    struct logbook_change recording;  /* by the request that is being applied */
    bool is_crowd_new;                /* agents were added or removed since the last search for a cluster */
    bool has_answers;                 /* the loop was not notified of answers yet */
    uint64_t questions_ns;            /* spent on queries since the last tick */
    uint64_t question_ns;             /* the cost of a query: the highest of late */
    uint64_t asked_ranks_ns;          /* when the ranks of a cluster were last asked how they keep up */
    uint32_t asked_ranks_epoch;       /* the world that they were asked about */
};

/* ---- simulation_report.c ---- */

/** Brings the description that other threads read (simulation_describe) up to date. */
void simulation_update_description(struct simulation *simulation);
/** Sends the way fields when some were rebuilt; while ticks go on, not more often than people look at. */
void simulation_show_ways(struct simulation *simulation);
struct snapshot_schedule simulation_read_schedule(struct simulation *simulation);
/** Notifies the loop that events or a snapshot are ready. */
void simulation_notify(struct simulation *simulation);
/** Sends the event to every subscriber, or to those with `seq` alone (is_detail); sets its tick, the session that
 * caused it and, unless it has one, the number of the change. */
void simulation_push_event(struct simulation *simulation, struct message_event *event, uint32_t by,
                           bool is_detail);
/** Sends an event that is whole to every subscriber. Any thread. */
void simulation_push_message(struct simulation *simulation, const struct message_event *message);
void simulation_push_pause(struct simulation *simulation, bool is_paused, uint32_t by);
/** Sends the event `speed`, which no session caused. */
void simulation_push_speed(struct simulation *simulation);
/** Sends the events of the ticks since the last call. */
void simulation_push_log(struct simulation *simulation);
/** Sends the scenario line of a new world. */
void simulation_push_scenario(struct simulation *simulation);
/** Hands over the answer to a command, which is the event queue's afterwards. */
static inline void simulation_answer(struct simulation *simulation, struct command *command,
                                     struct buffer *text) {
    event_queue_answer(&simulation->events, command, text);
    simulation->has_answers = true;
}
/** What follows from the effects of a request that took effect. by: its session. */
void simulation_follow_up(struct simulation *simulation, const struct command_effects *effects, uint32_t by);
/** Adds the time since since_ns to a meter of `stats`. */
void simulation_measure(struct simulation *simulation, struct tick_meter *meter, uint64_t since_ns);
/** Asks the ranks of a cluster how they keep up, for `stats`; nothing without one. */
void simulation_ask_ranks(struct simulation *simulation);
/** Notes that the world moves, or need not. */
void simulation_beat(struct simulation *simulation);
/** Does a tick of the world, which begins at start_ns. Returns when it ended. */
uint64_t simulation_do_tick(struct simulation *simulation, uint64_t start_ns);
/** Counts a tick that was done from start_ns to now_ns in `stats`. */
void simulation_note_tick(struct simulation *simulation, uint64_t start_ns, uint64_t now_ns);
/** The time in ticks: those of a world that ran all the time. */
uint64_t simulation_clock_tick_at(const struct simulation *simulation, uint64_t now_ns);
/** Copies the world out for the loop, if frames are wanted. */
void simulation_publish(struct simulation *simulation, const struct snapshot_schedule *schedule,
                        enum frame_reason reason);
/** Shows the world when the clock says that frames are due, however many ticks lie between. */
void simulation_show(struct simulation *simulation, uint64_t now_ns);

/* ---- simulation_report.c ---- */

/** Whether it is another one than 1. */
bool simulation_has_speed(const struct simulation *simulation);
/** Whether ticks are done as fast as they can be. */
bool simulation_is_at_max(const struct simulation *simulation);
/** Whether ticks are so rare that a request which changes the world is to be shown before the next one. */
bool simulation_has_rare_ticks(const struct simulation *simulation);
/** Ticks of the world for each one of the tick clock. */
uint64_t simulation_ticks_each(const struct simulation *simulation);
/** Sets the rate of the tick clock: the world's, changed by the speed. No tick is due for the past. */
void simulation_reset_clock(struct simulation *simulation);
/** The same, but the part of a tick that has passed counts, and ticks that are due stay due: a speed that changes all
 * the time, under a slider, holds no tick back. */
void simulation_change_clock(struct simulation *simulation);

/* ---- simulation_commands.c: the speed and the warm-up ---- */

/** The speed is 1, and requests can change it. */
void simulation_speed_init(struct simulation *simulation);
/** A world came in. is_fresh: it is at the beginning of a scenario, and its warm-up is wanted; it has one when the
 * scenario says so and the world runs. The caller describes the world and resets the clock then. */
void simulation_begin_warmup(struct simulation *simulation, bool is_fresh);
/** The same when the last of its ticks is done. */
void simulation_follow_warmup(struct simulation *simulation);

/* ---- simulation_seats.c ---- */

void simulation_seats_init(struct simulation *simulation);
/** Answers what holders wait for: the server stops. */
void simulation_seats_end(struct simulation *simulation);
/** Another world came in, or its ticks changed: what holders wait for is answered. */
void simulation_seats_move(struct simulation *simulation);
/** Takes a command of a holder that is to be applied in the tick of its next go. False: it is the caller's still. */
bool simulation_seats_keep(struct simulation *simulation, struct command *command);
/** The go was accepted: it is answered when its ticks are done. */
void simulation_begin_go(struct simulation *simulation, struct command *command);
/** Frees the seats of those who left, and holds back what others do to the world while it waits. First in each turn. */
void simulation_seats_settle(struct simulation *simulation);
/** Waits for what a world with seats needs. */
void simulation_seats_wait(struct simulation *simulation);
/** Does what is due with waits that are too long, but for the pause. Returns whether the next tick is to be done now. */
bool simulation_seats_may_step(struct simulation *simulation);
/** Takes the next request of the seats that go, to be applied before their tick; NULL: there is none. */
struct command *simulation_seats_take(struct simulation *simulation);
/** That tick was done; it began at start_ns. */
void simulation_seats_end_tick(struct simulation *simulation, uint64_t start_ns);

/* ---- simulation_past.c: each of them does nothing without a past ---- */

/** Makes the past of this many bytes, 0 for none. 0, or -1 without memory. */
NODISCARD int simulation_past_init(struct simulation *simulation, uint64_t bytes);
void simulation_past_fini(struct simulation *simulation);
/** Another world was put in, or the first one: its past begins. */
void simulation_past_begin(struct simulation *simulation);
void simulation_past_note_request(struct simulation *simulation, const struct request *request,
                                  struct recorder_session session);
/** A tick was done: makes the checkpoint that is due. */
void simulation_past_note_tick(struct simulation *simulation, uint64_t now_ns);

/* ---- simulation_twin.c: each of them does nothing without a twin ---- */

/** Gives the state the service of `compare`. */
void simulation_twin_serve(struct simulation *simulation);
void simulation_twin_fini(struct simulation *simulation);
/** A request took effect: it changes the twin as well, if that follows. */
void simulation_twin_note_request(struct simulation *simulation, const struct command *command);
/** A tick of the world was done at now_ns: does the twin's, and compares them. Returns when that ended. */
uint64_t simulation_twin_note_tick(struct simulation *simulation, uint64_t now_ns);
/** Ends the comparison. reason: for people; by: the session, 0 the server. */
void simulation_twin_end(struct simulation *simulation, const char *reason, uint32_t by);

/* ---- simulation_keep.c: each of them does nothing before the logbook has begun ---- */

/** Puts the agents that differ into an event `diverged`. */
void simulation_event_agents(struct message_event *event, const struct agent_difference *agents);
/** Begins the journal and the recording with the state as it is; does nothing when there are none. 0; or -1 with
 * *failure: nothing is written then. */
NODISCARD int simulation_begin_keeping(struct simulation *simulation, struct failure *failure);
/** Ends both. When the thread has ended. */
void simulation_end_keeping(struct simulation *simulation);
/** Whether the request must not take effect, because it could not be written down. */
bool simulation_keep_refuses(struct simulation *simulation, const struct request *request,
                             struct failure *failure);
/** Another world is about to come in. */
void simulation_keep_leave(struct simulation *simulation);
/** A command with REQUEST_TRAIT_CHANGES took effect. hash: of the world that it put in. */
void simulation_keep_command(struct simulation *simulation, struct command *command, uint64_t hash);
/** The step of this command is over. */
void simulation_keep_step(struct simulation *simulation, struct command *command);
/** Tells what the request did to the recording. by: its session. */
void simulation_push_recording(struct simulation *simulation, uint32_t by);
/** Whether the file that a request needs is open, or cannot be opened. Any thread. */
bool simulation_keep_is_ready(struct simulation *simulation, const struct command *command);
/** Gives the state the service of `record`. */
void simulation_keep_serve(struct simulation *simulation);
/** A tick was done. */
void simulation_keep_tick(struct simulation *simulation, uint64_t now_ns);
/** Whether the journal ended early, and is to begin again: simulation_keep_look is to be called also without ticks. */
bool simulation_keep_is_waiting(struct simulation *simulation);
void simulation_keep_look(struct simulation *simulation);

/* ---- simulation_commands.c ---- */

/** Applies a command, or lets it wait for its tick, and answers it. */
void simulation_apply(struct simulation *simulation, struct command *command);
/** Applies a request of the server's own, as if this session had sent it; it has no answer. */
void simulation_apply_own(struct simulation *simulation, uint32_t session, const struct request *request);
/** Makes the world of a recording, which has come to its last moment, the clients' own. */
void simulation_begin_live(struct simulation *simulation);
/** Applies the requests that waited for the tick that the world has now, and answers those that were withdrawn. Call it
 * after each tick. */
void simulation_apply_due(struct simulation *simulation);
/** Serves the waiting commands of these sorts (enum command_sort); later arrivals wait for the next pass.
 * questions_ns: the time for queries. */
void simulation_serve(struct simulation *simulation, unsigned sorts, uint64_t questions_ns);
/** Does ticks of the step under way until until_ns, one at least, and ends it when it is time. */
void simulation_go_on_stepping(struct simulation *simulation, uint64_t until_ns);
/** Whether the tick or pass under way has to end soon: another world waits, or the server stops. */
bool simulation_is_called(const struct simulation *simulation);
/** Replaces the world by the one that waits, before all other commands. False when no world waits or the
 * server stops. */
bool simulation_put_world(struct simulation *simulation);
/** Answers the step under way, wherever it has got to. */
void simulation_end_step(struct simulation *simulation);
/** Answers a request that needs nothing of the world: at once, whatever the simulation thread does. Called by
 * the builder's thread. */
void simulation_answer_order(struct simulation *simulation, struct command *command);
/** Answers all that waits with `busy`. */
void simulation_refuse_commands(struct simulation *simulation);

#endif
