/* What the files of the simulation thread share with no other: its state, what it tells the loop
 * (simulation_report.c), what it does with commands (simulation_commands.c). All of it is called by the
 * thread alone, or before there is one.
 */
#ifndef DROVER_SERVER_SIMULATION_SIMULATION_INTERNAL_H
#define DROVER_SERVER_SIMULATION_SIMULATION_INTERNAL_H

#include "server/simulation/simulation.h"

#include <pthread.h>
#include <stdatomic.h>

#include "server/library/scenario_builder.h"
#include "server/simulation/overload.h"
#include "server/simulation/target_watch.h"
#include "server/simulation/tick_clock.h"
#include "server/simulation/worker_pool.h"

/* The time for queries: within a tick that has no slack before it, in a pass between the ticks of a step, in
 * a pass of a paused world (changes go first in the next pass). */
#define TICK_QUERIES_NS   UINT64_C(500000)
#define STEP_QUERIES_NS   UINT64_C(2000000)
#define PAUSED_QUERIES_NS UINT64_C(5000000)
/* The time that ticks of a step take between two passes; a longer tick is done first. */
#define STEP_SLICE_NS UINT64_C(20000000)

/* The step that is under way. */
struct step {
    struct command *command;        /* owned; NULL: there is none */
    uint32_t left;                  /* ticks to do */
    uint64_t started_ns, logged_ns; /* logged: when events of its ticks last went out */
    uint64_t pace;                  /* up to which frames were made, see struct snapshot */
};

/* What commands did since the last frame for all. */
struct unseen {
    bool changed, paused, loaded;
};

struct simulation {
    struct simulation_state state; /* the thread's, once it runs */
    struct worker_pool *pool;      /* owned; behind state.parallel */
    struct tick_clock clock;
    struct command_queue commands;
    struct scenario_builder *builder;
    struct event_queue events;
    struct snapshot_exchange snapshots;
    void (*notify)(void *context);
    void *notify_context;
    pthread_t thread;
    bool is_started, is_realtime;
    atomic_bool stop, has_ended, wants_snapshot;
    _Atomic uint64_t tick;
    _Atomic uint64_t tick_began_ns; /* of the tick under way; 0: there is none */
    _Atomic uint32_t revision;      /* counts loads, and targets and obstacles that came, moved or went */
    atomic_bool wants_cursors;
    struct target_watch targets;
    pthread_mutex_t mutex; /* of the five below, which other threads read or write */
    struct overload overload;
    struct simulation_statistics statistics;
    struct snapshot_schedule schedule;
    struct message_scenario description;
    bool is_paused;
    uint64_t reported_dropped_ticks;
    struct step step;
    struct unseen unseen;
    bool is_crowd_new;     /* agents were added or removed since the last search for a cluster */
    bool has_answers;      /* the loop was not notified of answers yet */
    uint64_t questions_ns; /* spent on queries since the last tick */
    uint64_t question_ns;  /* the cost of a query: the highest of late */
};

/* ---- simulation_report.c ---- */

/** Brings the description that other threads read (simulation_describe) up to date. */
void simulation_update_description(struct simulation *simulation);
struct snapshot_schedule simulation_read_schedule(struct simulation *simulation);
/** Notifies the loop that events or a snapshot are ready. */
void simulation_notify(struct simulation *simulation);
/** Sends the event to every subscriber; sets its tick and the session that caused it. */
void simulation_push_event(struct simulation *simulation, struct message_event *event, uint32_t by);
void simulation_push_pause(struct simulation *simulation, bool is_paused, uint32_t by);
/** Sends the events of the ticks since the last call. */
void simulation_push_log(struct simulation *simulation);
/** Sends the scenario line of a new world. */
void simulation_push_scenario(struct simulation *simulation);
/** Adds the time since since_ns to a meter of `stats`. */
void simulation_measure(struct simulation *simulation, struct tick_meter *meter, uint64_t since_ns);
/** Does a tick of the world, which begins at start_ns. Returns when it ended. */
uint64_t simulation_do_tick(struct simulation *simulation, uint64_t start_ns);
/** Counts a tick that was done from start_ns to now_ns in `stats`. */
void simulation_note_tick(struct simulation *simulation, uint64_t start_ns, uint64_t now_ns);
/** The time in ticks: those of a world that ran all the time. */
uint64_t simulation_pace_at(const struct simulation *simulation, uint64_t now_ns);
/** Copies the world out for the loop, if frames are wanted. */
void simulation_publish(struct simulation *simulation, const struct snapshot_schedule *schedule,
                        enum frame_reason reason);

/* ---- simulation_commands.c ---- */

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
