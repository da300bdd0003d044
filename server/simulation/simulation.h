/* The simulation thread: owns the simulation state, does its ticks on time, applies commands at tick
 * boundaries and copies out the snapshots that the schedule wants.
 *
 * 1. No other thread touches the world after simulation_start. Others push commands and take events and
 * snapshots; none of their calls waits for a tick.
 * 2. While the world runs, commands are applied at the next tick boundary; while it is paused, at once; while
 * a step is under way, between its ticks, as soon as these took STEP_SLICE_NS together. Queries are answered
 * whenever there is time: they cost a tick at most half a millisecond.
 * 3. The reply to a command is pushed before a snapshot that shows its effect is published. So a thread that
 * takes the snapshot first and the events second has, with every snapshot, all replies that led to it.
 * 4. A `load` is read and built by the builder's thread (scenario_builder.h) as soon as all earlier requests
 * of its session have taken effect. A world that is ready is put in at once: the tick under way is given up.
 * 5. Every command that was queued gets exactly one SIM_EVENT_ANSWER, also when the simulation stops.
 */
#ifndef DROVER_SERVER_SIMULATION_SIMULATION_H
#define DROVER_SERVER_SIMULATION_SIMULATION_H

#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"
#include "server/commands/simulation_state.h"
#include "server/exchange/command_queue.h"
#include "server/exchange/event_queue.h"
#include "server/exchange/snapshot_exchange.h"
#include "server/frames/snapshot_schedule.h"
#include "server/library/scenario_order.h"
#include "server/simulation/tick_meter.h"

struct simulation;

struct simulation_def {
    struct world_overrides overrides;
    struct scenario_source source;   /* used by a thread of the simulation's from simulation_create on */
    const struct scenario *scenario; /* the first */
    bool is_paused;
    bool is_realtime; /* ask for SCHED_FIFO */
    int threads;      /* that work on a tick, 1 or more */
};

/** How the thread keeps up, as of the last tick boundary. */
struct simulation_statistics {
    uint64_t tick, ticks; /* of the world; done in real time since the start */
    double tick_hz;
    bool is_paused;
    uint64_t agents, commands, commands_waiting;
    double candidates; /* looked at for the average agent's neighbours, as of the last second */
    uint64_t overruns, dropped_ticks; /* times that debt was dropped, and how much in all */
    struct tick_meter lateness;       /* from when a tick was due until it began */
    struct tick_meter command_times, step_times, copy_times;
};

/** Builds the first world; no thread yet. NULL with *failure. */
NODISCARD struct simulation *simulation_create(const struct simulation_def *def, struct failure *failure);
/** Starts the thread. notify(context) is called from it when there is something to take; it must not block.
 * 0, or -1 when no thread could be made. */
NODISCARD int simulation_start(struct simulation *simulation, void (*notify)(void *context), void *context);
/** Ends the thread and waits for it; a tick under way is given up. A step under way is answered with the tick
 * it reached, commands that still wait with `busy`. */
void simulation_stop(struct simulation *simulation);
/** Frees it; stops it first when need be. NULL is fine. */
void simulation_destroy(struct simulation *simulation);

/** Queues a request. */
NODISCARD enum command_push simulation_submit(struct simulation *simulation, uint32_t session, uint64_t line,
                                              const struct request *request);
/** The session is gone, or said bye: its steps end soon (command_lanes.h). */
void simulation_end_steps(struct simulation *simulation, uint32_t session);
/** What snapshots are wanted from now on. */
void simulation_set_schedule(struct simulation *simulation, const struct snapshot_schedule *schedule);
/** Asks for a snapshot of the current state, soon and also while paused. */
void simulation_request_snapshot(struct simulation *simulation);
/** See event_queue_take and snapshot_exchange_take. One thread. */
struct sim_event *simulation_take_events(struct simulation *simulation);
const struct snapshot_slot *simulation_take_snapshot(struct simulation *simulation);

/** tick, time_s, is_paused and scenario of a hello, as of the last tick boundary. */
void simulation_describe(struct simulation *simulation, struct message_hello *hello);
/** A number that grows when simulation_describe says something else of what stands in the world: a load, a
 * target or an obstacle that came, moved or went. Read it before the description: it is never too new then.
 */
uint32_t simulation_revision(const struct simulation *simulation);
/** Whether a behavior of the world aims at cursors. */
bool simulation_wants_cursors(const struct simulation *simulation);
/** Whether the event `overload` is due, also while a tick is under way
 * (overload.h); fills *event and writes a line to the log. */
bool simulation_tell_overload(struct simulation *simulation, struct message_event *event);
/** Copies what `stats` says of the simulation. */
void simulation_read_statistics(struct simulation *simulation, struct simulation_statistics *out);
/** Ticks the world has done. */
uint64_t simulation_tick(const struct simulation *simulation);

#endif
