/* See simulation.h. */
#include "server/simulation/simulation_internal.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/system/clock.h"
#include "common/system/log.h"

enum { REALTIME_PRIORITY = 10, STOP_GRACE_MS = 20 };

/* No query begins so shortly before a tick is due. */
#define SLACK_MARGIN_NS UINT64_C(200000)

/* ---- time ---- */

/* Shows what a pass did. What changes during a step is seen in the step's frames. */
static void publish_after_commands(struct simulation *simulation) {
    const struct unseen unseen = simulation->unseen;
    const struct snapshot_schedule schedule = simulation_read_schedule(simulation);
    simulation->unseen = (struct unseen){0};
    if (unseen.loaded ||
        (unseen.changed && simulation->state.is_paused && simulation->step.command == NULL)) {
        simulation_publish(simulation, &schedule, FRAME_REASON_ALL);
    } else if (unseen.paused) {
        simulation_publish(simulation, &schedule, FRAME_REASON_NEWER);
    }
}

static void report_overrun(struct simulation *simulation) {
    const uint64_t dropped = simulation->clock.dropped_ticks;
    pthread_mutex_lock(&simulation->mutex);
    simulation->statistics.overruns += dropped > simulation->statistics.dropped_ticks ? 1 : 0;
    simulation->statistics.dropped_ticks = dropped;
    pthread_mutex_unlock(&simulation->mutex);
    /* At most a line each doubling: an overloaded server must not drown in its own log. */
    if (dropped > simulation->reported_dropped_ticks * 2) {
        simulation->reported_dropped_ticks = dropped;
        log_write(LOG_WARN, "simulation", "the world cannot keep up: %llu ticks dropped so far",
                  (unsigned long long)dropped);
    }
}

static void do_tick(struct simulation *simulation, uint64_t due_ns) {
    const uint64_t start_ns = clock_now_ns();
    const uint64_t now_ns = simulation_do_tick(simulation, start_ns);
    if (simulation->state.is_spoiled) {
        return;
    }
    simulation_note_tick(simulation, start_ns, now_ns);
    pthread_mutex_lock(&simulation->mutex);
    simulation->statistics.ticks++;
    tick_meter_add(&simulation->statistics.lateness, start_ns > due_ns ? start_ns - due_ns : 0);
    pthread_mutex_unlock(&simulation->mutex);
    simulation_push_log(simulation);
    const struct snapshot_schedule schedule = simulation_read_schedule(simulation);
    if (snapshot_schedule_wants(&schedule, world_tick(simulation->state.world))) {
        simulation_publish(simulation, &schedule, FRAME_REASON_RATE);
    }
}

/* Queries have a part of each tick's time; the slack before the tick counts towards it. */
static uint64_t questions_left_ns(const struct simulation *simulation) {
    return simulation->questions_ns < TICK_QUERIES_NS ? TICK_QUERIES_NS - simulation->questions_ns : 0;
}

static void run_due_ticks(struct simulation *simulation) {
    const int due = tick_clock_take(&simulation->clock, clock_now_ns());
    report_overrun(simulation);
    for (int i = 0; i < due && !simulation_is_called(simulation); i++) {
        simulation_serve(simulation, COMMAND_ANY, questions_left_ns(simulation));
        simulation->questions_ns = 0;
        const bool is_loaded = simulation->unseen.loaded;
        publish_after_commands(simulation);
        if (simulation->state.is_paused || is_loaded || simulation_is_called(simulation)) {
            return; /* the rest belonged to a world that was running */
        }
        const uint64_t behind = (uint64_t)(due - 1 - i);
        do_tick(simulation, simulation->clock.start_ns +
                                tick_clock_span_ns(&simulation->clock, simulation->clock.done - behind));
    }
}

/* The time until which queries are answered before the next tick. */
static uint64_t slack_end_ns(const struct simulation *simulation) {
    const uint64_t deadline_ns = tick_clock_deadline_ns(&simulation->clock);
    const uint64_t reserve_ns = SLACK_MARGIN_NS + simulation->question_ns;
    return deadline_ns > reserve_ns ? deadline_ns - reserve_ns : 0;
}

static void use_slack(struct simulation *simulation) {
    const uint64_t now_ns = clock_now_ns(), end_ns = slack_end_ns(simulation);
    if (now_ns < end_ns) {
        simulation_serve(simulation, COMMAND_QUERY, end_ns - now_ns);
    }
}

static void wait_for_work(struct simulation *simulation) {
    if (simulation->state.is_paused) {
        command_queue_wait(&simulation->commands, NULL, COMMAND_ANY);
        return;
    }
    const uint64_t deadline_ns = tick_clock_deadline_ns(&simulation->clock);
    const bool has_slack = clock_now_ns() < slack_end_ns(simulation);
    command_queue_wait(&simulation->commands, &deadline_ns, has_slack ? COMMAND_QUERY : 0);
}

/* Serves commands at once: the world is paused, but for steps. */
static void run_paused(struct simulation *simulation) {
    const bool is_stepping = simulation->step.command != NULL;
    simulation_serve(simulation, COMMAND_ANY, is_stepping ? STEP_QUERIES_NS : PAUSED_QUERIES_NS);
    publish_after_commands(simulation);
}

/* Ticks go before other programs, if the system lets us. A tick that never ends would hold a core, but no
 * tick waits for anything. */
static void run_first(void) {
    const struct sched_param priority = {.sched_priority = REALTIME_PRIORITY};
    const int result = pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
    if (result != 0) {
        log_write(LOG_WARN, "simulation", "--realtime: refused by the system (%s); going on without",
                  strerror(result));
    }
}

static void *run(void *argument) {
    struct simulation *simulation = argument;
    if (simulation->is_realtime) {
        run_first();
    }
    while (!atomic_load(&simulation->stop)) {
        if (simulation->step.command != NULL) {
            simulation_go_on_stepping(simulation, clock_now_ns() + STEP_SLICE_NS);
        } else {
            wait_for_work(simulation);
        }
        if (simulation_put_world(simulation)) {
            publish_after_commands(simulation);
        } else if (simulation->state.is_paused) {
            run_paused(simulation);
        } else {
            use_slack(simulation);
            run_due_ticks(simulation);
        }
        if (atomic_exchange(&simulation->wants_snapshot, false)) {
            const struct snapshot_schedule schedule = simulation_read_schedule(simulation);
            simulation_publish(simulation, &schedule,
                               simulation->step.command != NULL ? FRAME_REASON_PACE : FRAME_REASON_RATE);
        }
    }
    if (simulation->step.command != NULL) {
        simulation_end_step(simulation);
    }
    scenario_builder_stop(simulation->builder);
    simulation_refuse_commands(simulation);
    atomic_store(&simulation->has_ended, true);
    return NULL;
}

/* ---- life ---- */

/* Whether what a command needs is there (command_lanes.h). */
static bool is_ready(void *context, struct command *command) {
    struct simulation *simulation = context;
    if (!scenario_order_is_needed(&command->request)) {
        return true;
    }
    if (command->order == NULL) {
        command->order = scenario_order_create(command);
    }
    return command->order != NULL && scenario_builder_has_built(simulation->builder, command->order);
}

/* The next two are called by the builder's thread. */
static void on_world(void *context) {
    struct simulation *simulation = context;
    command_queue_wake(&simulation->commands);
}

static void on_done(void *context, struct scenario_order *order) {
    simulation_answer_order(context, order->command);
}

static int init_parts(struct simulation *simulation) {
    if (command_queue_init(&simulation->commands, COMMAND_QUEUE_CAPACITY, is_ready, simulation) != 0) {
        return -1;
    }
    if (event_queue_init(&simulation->events) != 0) {
        goto no_events;
    }
    if (snapshot_exchange_init(&simulation->snapshots) != 0) {
        goto no_snapshots;
    }
    if (pthread_mutex_init(&simulation->mutex, NULL) != 0) {
        goto no_mutex;
    }
    return 0;
no_mutex:
    snapshot_exchange_fini(&simulation->snapshots);
no_snapshots:
    event_queue_fini(&simulation->events);
no_events:
    command_queue_fini(&simulation->commands);
    return -1;
}

struct simulation *simulation_create(const struct simulation_def *def, struct failure *failure) {
    struct simulation *simulation = calloc(1, sizeof *simulation);
    if (simulation == NULL || init_parts(simulation) != 0) {
        free(simulation);
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        return NULL;
    }
    simulation_state_init(&simulation->state);
    simulation->state.is_paused = def->is_paused;
    simulation->is_realtime = def->is_realtime;
    simulation->pool = worker_pool_create(def->threads);
    if (simulation->pool == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "cannot start %d threads", def->threads);
        simulation_destroy(simulation);
        return NULL;
    }
    simulation->state.parallel = worker_pool_parallel(simulation->pool);
    struct built_world built;
    if (built_world_make(def->scenario, &def->overrides, NULL, NULL, &built, failure) != 0) {
        simulation_destroy(simulation);
        return NULL;
    }
    simulation_state_change(&simulation->state, &built);
    const struct scenario_builder_handler handler = {simulation, on_world, on_done};
    simulation->builder = scenario_builder_create(&def->source, &def->overrides, &handler);
    if (simulation->builder == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "cannot start a thread");
        simulation_destroy(simulation);
        return NULL;
    }
    simulation->state.is_urgent = scenario_builder_urgency(simulation->builder);
    world_let_give_up(simulation->state.world, simulation->state.is_urgent);
    simulation_update_description(simulation);
    simulation->is_crowd_new = true;
    return simulation;
}

int simulation_start(struct simulation *simulation, void (*notify_function)(void *context), void *context) {
    assert(!simulation->is_started && simulation->state.world != NULL);
    simulation->notify = notify_function;
    simulation->notify_context = context;
    tick_clock_init(&simulation->clock, world_tick_hz(simulation->state.world), clock_now_ns());
    if (simulation->state.is_paused) {
        tick_clock_pause(&simulation->clock);
    }
    simulation->is_started = pthread_create(&simulation->thread, NULL, run, simulation) == 0;
    return simulation->is_started ? 0 : -1;
}

/* A tick of the usual length is done before it is given up. */
static void wait_for_end(struct simulation *simulation) {
    const struct timespec moment = {.tv_nsec = 1000000};
    for (int i = 0; i < STOP_GRACE_MS && !atomic_load(&simulation->has_ended); i++) {
        (void)nanosleep(&moment, NULL);
    }
}

void simulation_stop(struct simulation *simulation) {
    if (simulation->is_started) {
        atomic_store(&simulation->stop, true);
        command_queue_wake(&simulation->commands);
        wait_for_end(simulation);
        scenario_builder_abandon(simulation->builder);
        pthread_join(simulation->thread, NULL);
        simulation->is_started = false;
    }
}

void simulation_destroy(struct simulation *simulation) {
    if (simulation == NULL) {
        return;
    }
    simulation_stop(simulation);
    simulation_state_fini(&simulation->state);
    scenario_builder_destroy(simulation->builder);
    worker_pool_destroy(simulation->pool);
    pthread_mutex_destroy(&simulation->mutex);
    snapshot_exchange_fini(&simulation->snapshots);
    event_queue_fini(&simulation->events);
    command_queue_fini(&simulation->commands);
    free(simulation);
}

/* ---- for the loop ---- */

enum command_push simulation_submit(struct simulation *simulation, uint32_t session, uint64_t line,
                                    const struct request *request) {
    return command_queue_push(&simulation->commands, session, line, request);
}

void simulation_end_steps(struct simulation *simulation, uint32_t session) {
    command_queue_end_steps(&simulation->commands, session);
}

void simulation_set_schedule(struct simulation *simulation, const struct snapshot_schedule *schedule) {
    pthread_mutex_lock(&simulation->mutex);
    simulation->schedule = *schedule;
    pthread_mutex_unlock(&simulation->mutex);
}

void simulation_request_snapshot(struct simulation *simulation) {
    atomic_store(&simulation->wants_snapshot, true);
    command_queue_wake(&simulation->commands);
}

struct sim_event *simulation_take_events(struct simulation *simulation) {
    return event_queue_take(&simulation->events);
}

const struct snapshot_slot *simulation_take_snapshot(struct simulation *simulation) {
    return snapshot_exchange_take(&simulation->snapshots);
}

void simulation_describe(struct simulation *simulation, struct message_hello *hello) {
    pthread_mutex_lock(&simulation->mutex);
    hello->scenario = simulation->description;
    hello->is_paused = simulation->is_paused;
    pthread_mutex_unlock(&simulation->mutex);
    hello->tick = atomic_load(&simulation->tick);
    hello->time_s = (double)hello->tick / hello->scenario.tick_hz;
}

uint32_t simulation_revision(const struct simulation *simulation) {
    return atomic_load(&simulation->revision);
}

bool simulation_wants_cursors(const struct simulation *simulation) {
    return atomic_load(&simulation->wants_cursors);
}

uint64_t simulation_tick(const struct simulation *simulation) {
    return atomic_load(&simulation->tick);
}

bool simulation_tell_overload(struct simulation *simulation, struct message_event *event) {
    const uint64_t now_ns = clock_now_ns(), began_ns = atomic_load(&simulation->tick_began_ns);
    const uint64_t running_ns = began_ns != 0 && now_ns > began_ns ? now_ns - began_ns : 0;
    uint64_t tick_ns = 0;
    pthread_mutex_lock(&simulation->mutex);
    const bool is_told = overload_tell(&simulation->overload, running_ns, now_ns, event, &tick_ns);
    pthread_mutex_unlock(&simulation->mutex);
    if (is_told) {
        event->tick = atomic_load(&simulation->tick);
        log_write(LOG_WARN, "simulation",
                  "a tick %s %.1f s: around (%.0f, %.0f) each agent, mostly of kind %s, looks at %u others",
                  running_ns == tick_ns ? "has taken" : "took", (double)tick_ns * 1e-9,
                  (double)event->x * 1e-2, (double)event->y * 1e-2, event->kind, event->candidates);
    }
    return is_told;
}

void simulation_read_statistics(struct simulation *simulation, struct simulation_statistics *out) {
    pthread_mutex_lock(&simulation->mutex);
    *out = simulation->statistics;
    out->tick_hz = simulation->description.tick_hz;
    out->is_paused = simulation->is_paused;
    out->agents = 0;
    for (int k = 0; k < simulation->description.kind_count; k++) {
        out->agents += simulation->description.kinds[k].count;
    }
    pthread_mutex_unlock(&simulation->mutex);
    out->tick = atomic_load(&simulation->tick);
    out->commands_waiting = command_queue_count(&simulation->commands);
}
