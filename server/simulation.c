/* See simulation.h. */
#include "server/simulation.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/log.h"
#include "server/command_apply.h"
#include "server/target_watch.h"
#include "server/tick_clock.h"
#include "server/world_snapshot.h"

enum { ANSWER_BYTES = 16 * 1024 * 1024, LINE_BYTES = 1024 * 1024, REALTIME_PRIORITY = 10 };

struct simulation {
    struct stage stage; /* the thread's, once it runs */
    struct tick_clock clock;
    struct command_queue commands;
    struct outbox outbox;
    struct snapshot_exchange snapshots;
    void (*notify)(void *context);
    void *notify_context;
    pthread_t thread;
    bool is_started, is_realtime;
    atomic_bool stop, wants_snapshot;
    _Atomic uint64_t tick;
    _Atomic uint32_t revision; /* counts loads, and targets and obstacles that came, moved or went */
    atomic_bool wants_cursors;
    struct target_watch targets;
    pthread_mutex_t mutex; /* of the four below, which other threads read or write */
    struct simulation_statistics statistics;
    struct demand demand;
    struct message_scenario description;
    bool is_paused;
    uint64_t reported_dropped_ticks;
};

/* ---- what others read ---- */

static void update_description(struct simulation *simulation) {
    pthread_mutex_lock(&simulation->mutex);
    stage_describe(&simulation->stage, &simulation->description);
    simulation->is_paused = simulation->stage.is_paused;
    pthread_mutex_unlock(&simulation->mutex);
    atomic_store(&simulation->tick, world_tick(simulation->stage.world));
    atomic_store(&simulation->wants_cursors, world_wants_targets(simulation->stage.world, STAGE_CURSOR));
}

static struct demand read_demand(struct simulation *simulation) {
    pthread_mutex_lock(&simulation->mutex);
    const struct demand demand = simulation->demand;
    pthread_mutex_unlock(&simulation->mutex);
    return demand;
}

static void notify(struct simulation *simulation) {
    simulation->notify(simulation->notify_context);
}

static void push_line(struct simulation *simulation, enum outcome_kind kind, struct buffer *line) {
    struct outcome *outcome = outcome_create(kind, line);
    if (outcome == NULL) {
        log_write(LOG_ERROR, "simulation", "short of memory: an event is lost");
        return;
    }
    outcome->revision = atomic_load(&simulation->revision);
    outcome->epoch = simulation->stage.epoch;
    outcome->tick_hz = world_tick_hz(simulation->stage.world);
    outbox_push(&simulation->outbox, outcome);
}

static void push_event_as_it_is(struct simulation *simulation, const struct message_event *event) {
    struct outcome *outcome = outcome_create_event(event);
    if (outcome == NULL) {
        log_write(LOG_ERROR, "simulation", "short of memory: an event is lost");
        return;
    }
    outcome->revision = atomic_load(&simulation->revision);
    outbox_push(&simulation->outbox, outcome);
}

static void push_event(struct simulation *simulation, struct message_event *event, uint32_t by) {
    event->tick = world_tick(simulation->stage.world);
    event->by = by;
    push_event_as_it_is(simulation, event);
}

/* What ticks brought about. */
static void push_log(struct simulation *simulation) {
    struct event_log *log = &simulation->stage.log;
    for (int i = 0; i < log->count; i++) {
        push_event_as_it_is(simulation, &log->events[i]);
    }
    if (log->count > 0) {
        log->count = 0;
        notify(simulation);
    }
}

static void push_pause(struct simulation *simulation, bool is_paused, uint32_t by) {
    struct message_event event = {0};
    (void)snprintf(event.event, sizeof event.event, "%s", is_paused ? "paused" : "resumed");
    push_event(simulation, &event, by);
}

static void push_scenario(struct simulation *simulation) {
    struct buffer line;
    buffer_init(&line, LINE_BYTES);
    message_write_scenario(&simulation->description,
                           &line); /* written by this thread only: no lock to read */
    push_line(simulation, OUTCOME_SCENARIO, &line);
    buffer_fini(&line);
}

static void measure(struct simulation *simulation, struct tick_meter *meter, uint64_t since_ns) {
    const uint64_t now_ns = clock_now_ns();
    pthread_mutex_lock(&simulation->mutex);
    tick_meter_add(meter, now_ns - since_ns);
    pthread_mutex_unlock(&simulation->mutex);
}

/* Copies the world out for the loop. */
static void publish(struct simulation *simulation, const struct demand *demand, enum audience audience) {
    if (demand->count == 0) {
        return;
    }
    const uint64_t start_ns = clock_now_ns();
    struct snapshot *snapshot = snapshot_exchange_writing(&simulation->snapshots);
    if (world_snapshot_copy_wanted(simulation->stage.world, demand->forces, demand->headings, snapshot) !=
        0) {
        log_write(LOG_ERROR, "simulation", "short of memory: a snapshot is lost");
        return;
    }
    snapshot->epoch = simulation->stage.epoch;
    snapshot->clock_ms = (double)clock_now_ns() * 1e-6;
    snapshot_exchange_publish(&simulation->snapshots, audience);
    notify(simulation);
    measure(simulation, &simulation->statistics.copy_times, start_ns);
}

/* ---- commands ---- */

static void answer(struct simulation *simulation, struct command *command, struct buffer *text) {
    command->outcome.text = buffer_take(text, &command->outcome.length);
    outbox_push(&simulation->outbox, &command->outcome);
}

/* Tells what a request did, but a target that is moved all the time only now and then. */
static void push_effect(struct simulation *simulation, const struct message_event *effect, uint32_t by,
                        uint64_t now_ns) {
    if (effect->event[0] == '\0') {
        return;
    }
    if (strcmp(effect->event, "target") == 0) {
        const int target = world_find_target(simulation->stage.world, effect->target);
        if (target < 0 || !target_watch_tell(&simulation->targets, target, by, now_ns)) {
            return;
        }
    }
    struct message_event event = *effect;
    push_event(simulation, &event, by);
}

static void follow_up(struct simulation *simulation, const struct command_effects *effects, uint32_t by) {
    const uint64_t now_ns = clock_now_ns();
    if (effects->loaded) {
        tick_clock_set_rate(&simulation->clock, world_tick_hz(simulation->stage.world), now_ns);
    }
    if (effects->paused) {
        tick_clock_pause(&simulation->clock);
    }
    if (effects->resumed) {
        tick_clock_resume(&simulation->clock, now_ns);
    }
    if (effects->loaded || effects->furnished) {
        atomic_fetch_add(&simulation->revision, 1);
        target_watch_reset(&simulation->targets); /* it knows targets by index */
    }
    if (effects->described || effects->paused || effects->resumed || effects->stepped) {
        update_description(simulation);
    }
    if (effects->loaded) {
        log_write(LOG_INFO, "simulation", "scenario %s, asked for by session %u", simulation->stage.name, by);
        push_scenario(simulation);
    }
    if (effects->paused || effects->resumed) {
        push_pause(simulation, effects->paused, by);
    }
    push_effect(simulation, &effects->event, by, now_ns);
    push_log(simulation);
}

/* Applies what waits now; later arrivals wait for the next boundary. Returns what happened, all together. */
static struct command_effects apply_commands(struct simulation *simulation) {
    struct command_effects total = {0};
    const uint64_t start_ns = clock_now_ns();
    const size_t count = command_queue_count(&simulation->commands);
    for (size_t i = 0; i < count && !atomic_load(&simulation->stop); i++) {
        struct command *command = command_queue_pop(&simulation->commands);
        const uint32_t session = command->session;
        simulation->stage.session = session;
        struct buffer text;
        buffer_init(&text, ANSWER_BYTES);
        const struct command_effects effects =
            command_apply(&simulation->stage, &command->request, command->sequence, &text);
        command->outcome.is_notice = effects.unheeded && command->request.id[0] == '\0';
        answer(simulation, command, &text);
        follow_up(simulation, &effects, session);
        total.changed = total.changed || effects.changed;
        total.paused = total.paused || effects.paused;
        total.loaded = total.loaded || effects.loaded;
        if (effects.stepped) {
            /* Somebody steps and watches: let every step be seen if the loop is quick enough. */
            const struct demand demand = read_demand(simulation);
            publish(simulation, &demand, AUDIENCE_ALL);
            total.changed = false;
        }
    }
    if (count > 0) {
        notify(simulation);
        measure(simulation, &simulation->statistics.command_times, start_ns);
        pthread_mutex_lock(&simulation->mutex);
        simulation->statistics.commands += count;
        pthread_mutex_unlock(&simulation->mutex);
    }
    return total;
}

static void refuse_commands(struct simulation *simulation) {
    struct failure failure = {0};
    (void)failure_set(&failure, FAILURE_BUSY, NULL, "the server stops");
    struct command *command = NULL;
    while ((command = command_queue_pop(&simulation->commands)) != NULL) {
        struct buffer text;
        buffer_init(&text, ANSWER_BYTES);
        message_write_refusal(&command->request, command->sequence, &failure, &text);
        answer(simulation, command, &text);
    }
    notify(simulation);
}

/* ---- time ---- */

static void publish_after_commands(struct simulation *simulation, const struct command_effects *effects) {
    const struct demand demand = read_demand(simulation);
    if (effects->loaded || (simulation->stage.is_paused && effects->changed)) {
        publish(simulation, &demand, AUDIENCE_ALL);
    } else if (effects->paused) {
        publish(simulation, &demand, AUDIENCE_NEWER);
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

/* What `stats` says of a tick that was due at due_ns and began at start_ns. */
static void note_tick(struct simulation *simulation, uint64_t due_ns, uint64_t start_ns) {
    struct simulation_statistics *statistics = &simulation->statistics;
    const struct world *world = simulation->stage.world;
    const uint64_t now_ns = clock_now_ns(), second = (uint64_t)world_tick_hz(world);
    const bool is_new_second = world_tick(world) % (second > 0 ? second : 1) == 0;
    const double candidates = is_new_second ? world_candidates(world) : statistics->candidates;
    pthread_mutex_lock(&simulation->mutex);
    statistics->ticks++;
    statistics->candidates = candidates;
    tick_meter_add(&statistics->lateness, start_ns > due_ns ? start_ns - due_ns : 0);
    tick_meter_add(&statistics->step_times, now_ns - start_ns);
    pthread_mutex_unlock(&simulation->mutex);
}

static void do_tick(struct simulation *simulation, uint64_t due_ns) {
    const uint64_t start_ns = clock_now_ns();
    stage_step(&simulation->stage);
    note_tick(simulation, due_ns, start_ns);
    const uint64_t tick = world_tick(simulation->stage.world);
    atomic_store(&simulation->tick, tick);
    push_log(simulation);
    const struct demand demand = read_demand(simulation);
    if (demand_wants(&demand, tick)) {
        publish(simulation, &demand, AUDIENCE_RATE);
    }
}

static void run_due_ticks(struct simulation *simulation) {
    const int due = tick_clock_take(&simulation->clock, clock_now_ns());
    report_overrun(simulation);
    for (int i = 0; i < due && !atomic_load(&simulation->stop); i++) {
        const struct command_effects effects = apply_commands(simulation);
        publish_after_commands(simulation, &effects);
        if (simulation->stage.is_paused || effects.loaded) {
            return; /* the rest belonged to a world that was running */
        }
        const uint64_t behind = (uint64_t)(due - 1 - i);
        do_tick(simulation, simulation->clock.start_ns +
                                tick_clock_span_ns(&simulation->clock, simulation->clock.done - behind));
    }
}

static void wait_for_work(struct simulation *simulation) {
    const uint64_t deadline_ns = tick_clock_deadline_ns(&simulation->clock);
    const bool is_paused = simulation->stage.is_paused;
    command_queue_wait(&simulation->commands, is_paused ? NULL : &deadline_ns, is_paused);
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
        wait_for_work(simulation);
        if (simulation->stage.is_paused) {
            const struct command_effects effects = apply_commands(simulation);
            publish_after_commands(simulation, &effects);
        } else {
            run_due_ticks(simulation);
        }
        if (atomic_exchange(&simulation->wants_snapshot, false)) {
            const struct demand demand = read_demand(simulation);
            publish(simulation, &demand, AUDIENCE_RATE);
        }
    }
    refuse_commands(simulation);
    return NULL;
}

/* ---- life ---- */

static int init_parts(struct simulation *simulation) {
    if (command_queue_init(&simulation->commands, COMMAND_QUEUE_CAPACITY) != 0) {
        return -1;
    }
    if (outbox_init(&simulation->outbox) != 0) {
        goto no_outbox;
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
    outbox_fini(&simulation->outbox);
no_outbox:
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
    stage_init(&simulation->stage, &def->overrides, def->source);
    simulation->stage.stop = &simulation->stop;
    simulation->stage.is_paused = def->is_paused;
    simulation->is_realtime = def->is_realtime;
    simulation->stage.pool = worker_pool_create(def->threads);
    if (simulation->stage.pool == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "cannot start %d threads", def->threads);
        simulation_destroy(simulation);
        return NULL;
    }
    if (stage_put(&simulation->stage, def->scenario, NULL, failure) != 0) {
        simulation_destroy(simulation);
        return NULL;
    }
    update_description(simulation);
    return simulation;
}

int simulation_start(struct simulation *simulation, void (*notify_function)(void *context), void *context) {
    simulation->notify = notify_function;
    simulation->notify_context = context;
    tick_clock_init(&simulation->clock, world_tick_hz(simulation->stage.world), clock_now_ns());
    if (simulation->stage.is_paused) {
        tick_clock_pause(&simulation->clock);
    }
    simulation->is_started = pthread_create(&simulation->thread, NULL, run, simulation) == 0;
    return simulation->is_started ? 0 : -1;
}

void simulation_stop(struct simulation *simulation) {
    if (simulation->is_started) {
        atomic_store(&simulation->stop, true);
        command_queue_wake(&simulation->commands);
        pthread_join(simulation->thread, NULL);
        simulation->is_started = false;
    }
}

void simulation_destroy(struct simulation *simulation) {
    if (simulation == NULL) {
        return;
    }
    simulation_stop(simulation);
    stage_fini(&simulation->stage);
    worker_pool_destroy(simulation->stage.pool);
    pthread_mutex_destroy(&simulation->mutex);
    snapshot_exchange_fini(&simulation->snapshots);
    outbox_fini(&simulation->outbox);
    command_queue_fini(&simulation->commands);
    free(simulation);
}

/* ---- for the loop ---- */

enum command_push simulation_submit(struct simulation *simulation, uint32_t session, uint64_t line,
                                    const struct request *request) {
    return command_queue_push(&simulation->commands, session, line, request);
}

void simulation_set_demand(struct simulation *simulation, const struct demand *demand) {
    pthread_mutex_lock(&simulation->mutex);
    simulation->demand = *demand;
    pthread_mutex_unlock(&simulation->mutex);
}

void simulation_request_snapshot(struct simulation *simulation) {
    atomic_store(&simulation->wants_snapshot, true);
    command_queue_wake(&simulation->commands);
}

struct outcome *simulation_take_outcomes(struct simulation *simulation) {
    return outbox_take(&simulation->outbox);
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

double simulation_tick_hz(struct simulation *simulation) {
    pthread_mutex_lock(&simulation->mutex);
    const double tick_hz = simulation->description.tick_hz;
    pthread_mutex_unlock(&simulation->mutex);
    return tick_hz;
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
