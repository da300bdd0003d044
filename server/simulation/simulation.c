/* See simulation.h. */
#include "server/simulation/simulation_internal.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "common/system/clock.h"
#include "common/system/log.h"
#include "common/system/timed_wait.h"

/* A world that is kept is not to be given up half done. */
enum { REALTIME_PRIORITY = 10, STOP_GRACE_MS = 20, KEEPING_GRACE_MS = 2000, RANKS_GRACE_MS = 600 };

/* No query begins so shortly before a tick is due. */
#define SLACK_MARGIN_NS UINT64_C(200000)
/* How often a paused world looks whether its journal can begin again. */
#define JOURNAL_LOOK_NS UINT64_C(250000000)
/* The time that ticks without pace take between two passes over the requests. */
#define MAX_SLICE_NS UINT64_C(5000000)

/* ---- time ---- */

/* Shows what a pass did. What changes during a step is seen in the step's frames. */
static void publish_after_commands(struct simulation *simulation) {
    const struct unseen unseen = simulation->unseen;
    const struct snapshot_schedule schedule = simulation_read_schedule(simulation);
    simulation->unseen = (struct unseen){0};
    const bool is_slow = simulation->state.is_paused || simulation_has_rare_ticks(simulation);
    if (unseen.loaded || (unseen.changed && is_slow && simulation->step.command == NULL)) {
        simulation_publish(simulation, &schedule, FRAME_REASON_ALL);
    } else if (unseen.paused) {
        simulation_publish(simulation, &schedule, FRAME_REASON_NEWER);
    }
}

/* Ticks that are due now. Debt that was dropped is counted. */
static uint64_t take_due_ticks(struct simulation *simulation, uint64_t now_ns) {
    const uint64_t each = simulation_ticks_each(simulation), before = simulation->clock.dropped_ticks;
    const uint64_t due = (uint64_t)tick_clock_take(&simulation->clock, now_ns) * each;
    simulation->dropped_ticks += (simulation->clock.dropped_ticks - before) * each;
    return due;
}

static void report_overrun(struct simulation *simulation) {
    const uint64_t dropped = simulation->dropped_ticks;
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

/* A tick of the world that begins at start_ns, with all that belongs to it but frames. Returns whether it was done. */
static bool do_tick(struct simulation *simulation, uint64_t start_ns, uint64_t *end_ns) {
    *end_ns = simulation_do_tick(simulation, start_ns);
    if (simulation->state.is_spoiled) {
        return false;
    }
    *end_ns = simulation_twin_note_tick(simulation, *end_ns);
    simulation_note_tick(simulation, start_ns, *end_ns);
    simulation_playback_after_tick(simulation);
    simulation_keep_tick(simulation, *end_ns);
    simulation_apply_due(simulation);
    return true;
}

static void note_due_tick(struct simulation *simulation, uint64_t late_ns) {
    pthread_mutex_lock(&simulation->mutex);
    simulation->statistics.ticks++;
    tick_meter_add(&simulation->statistics.lateness, late_ns);
    pthread_mutex_unlock(&simulation->mutex);
}

/* Frames come by the ticks of a world that goes at its own rate, otherwise by the clock. */
static void show_tick(struct simulation *simulation, uint64_t now_ns) {
    if (simulation_has_speed(simulation)) {
        simulation_show(simulation, now_ns);
        return;
    }
    const struct snapshot_schedule schedule = simulation_read_schedule(simulation);
    if (snapshot_schedule_wants(&schedule, world_tick(simulation->state.world))) {
        simulation_publish(simulation, &schedule, FRAME_REASON_RATE);
    }
}

/* The last tick before a pause that waited for it. */
static void show_end(struct simulation *simulation) {
    if (simulation->state.is_paused) {
        publish_after_commands(simulation);
    }
}

static void do_due_tick(struct simulation *simulation, uint64_t due_ns) {
    const uint64_t start_ns = clock_now_ns();
    uint64_t end_ns = 0;
    if (do_tick(simulation, start_ns, &end_ns)) {
        note_due_tick(simulation, start_ns > due_ns ? start_ns - due_ns : 0);
        simulation_push_log(simulation);
        show_tick(simulation, end_ns);
        show_end(simulation);
    }
}

/* Queries have a part of each tick's time; the slack before the tick counts towards it. */
static uint64_t questions_left_ns(const struct simulation *simulation) {
    return simulation->questions_ns < TICK_QUERIES_NS ? TICK_QUERIES_NS - simulation->questions_ns : 0;
}

/* Applies the requests that wait for a tick. Whether the tick is to be done still: not when they paused the world or
 * replaced it. Another speed is for the ticks after it. */
static bool serve_before_tick(struct simulation *simulation) {
    const uint32_t resets = simulation->speed.resets;
    simulation_serve(simulation, COMMAND_ANY, questions_left_ns(simulation));
    simulation->questions_ns = 0;
    publish_after_commands(simulation);
    return !simulation->state.is_paused && simulation->speed.resets == resets &&
           !simulation_is_called(simulation) && simulation_playback_before_tick(simulation);
}

/* Of so many ticks those that are not too many at the speed of now: a world that was slowed down does not make up for
 * the debt of a high speed. */
static uint64_t most_due(const struct simulation *simulation, uint64_t left) {
    const uint64_t most = TICK_CLOCK_CATCH_UP * simulation_ticks_each(simulation);
    return left < most ? left : most;
}

static void run_due_ticks(struct simulation *simulation) {
    const uint64_t each = simulation_ticks_each(simulation);
    uint64_t left = take_due_ticks(simulation, clock_now_ns());
    const struct tick_clock taken = simulation->clock; /* a request can change the rate */
    report_overrun(simulation);
    while (left > 0 && !simulation_is_called(simulation) && serve_before_tick(simulation)) {
        left = most_due(simulation, left);
        left--;
        do_due_tick(simulation, taken.start_ns + tick_clock_span_ns(&taken, taken.done - left / each));
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

/* No request waits for a tick of a world with a speed of its own, which may be minutes away. */
static void wait_at_speed(struct simulation *simulation) {
    const uint64_t deadline_ns = tick_clock_deadline_ns(&simulation->clock);
    if (!simulation_is_at_max(simulation)) {
        command_queue_wait(&simulation->commands, &deadline_ns, COMMAND_ANY);
    }
}

static void wait_for_work(struct simulation *simulation) {
    if (simulation->state.is_paused) {
        const uint64_t again_ns = clock_now_ns() + JOURNAL_LOOK_NS;
        const bool is_waiting = simulation_keep_is_waiting(simulation);
        command_queue_wait(&simulation->commands, is_waiting ? &again_ns : NULL, COMMAND_ANY);
        return;
    }
    if (simulation->seats.count > 0) {
        simulation_seats_wait(simulation);
        return;
    }
    if (simulation_has_speed(simulation)) {
        wait_at_speed(simulation);
        return;
    }
    const uint64_t deadline_ns = tick_clock_deadline_ns(&simulation->clock);
    const bool has_slack = clock_now_ns() < slack_end_ns(simulation);
    command_queue_wait(&simulation->commands, &deadline_ns, has_slack ? COMMAND_QUERY : 0);
}

/* The ticks of a slice, at most so many. Their frames come by the clock, their events at the end. */
static void run_slice(struct simulation *simulation, uint64_t most, uint64_t slice_ns) {
    uint64_t now_ns = clock_now_ns();
    const uint64_t until_ns = now_ns + slice_ns;
    const uint32_t resets = simulation->speed.resets;
    for (uint64_t i = 0; i < most && now_ns < until_ns && simulation->speed.resets == resets &&
                         !simulation->state.is_paused && !simulation_is_called(simulation) &&
                         simulation_playback_before_tick(simulation) && do_tick(simulation, now_ns, &now_ns);
         i++) {
        simulation_show(simulation, now_ns);
        simulation_follow_warmup(simulation);
    }
    simulation_push_log(simulation);
    show_end(simulation);
}

/* Requests are served at once, then come the ticks that are due. A recording does what fits into a slice: its speed is
 * no promise. */
static void run_at_speed(struct simulation *simulation) {
    const bool is_played = simulation->playback.mode == PLAYBACK_PLAYING;
    simulation_serve(simulation, COMMAND_ANY, TICK_QUERIES_NS);
    publish_after_commands(simulation);
    if (simulation->state.is_paused || simulation_is_called(simulation)) {
        return;
    }
    if (simulation_is_at_max(simulation)) {
        run_slice(simulation, UINT64_MAX, MAX_SLICE_NS);
    } else if (is_played) {
        const uint64_t ticks = simulation_ticks_each(simulation);
        run_slice(simulation, ticks * (uint64_t)tick_clock_take(&simulation->clock, clock_now_ns()),
                  STEP_SLICE_NS);
    } else {
        run_due_ticks(simulation);
    }
}

/* Whether the next tick is to be done now. Pauses the world when a wait for a seat is over. */
static bool may_step(struct simulation *simulation) {
    const struct request pause = request_default(REQUEST_PAUSE);
    const bool is_ready = simulation_seats_may_step(simulation);
    if (simulation->seats.wants_pause) {
        simulation->seats.wants_pause = false;
        simulation_apply_own(simulation, 0, &pause);
        publish_after_commands(simulation);
    }
    return is_ready;
}

/* Serves commands at once, and does a tick when all who have seats go for it. */
static void run_with_seats(struct simulation *simulation) {
    simulation_serve(simulation, COMMAND_ANY, TICK_QUERIES_NS);
    publish_after_commands(simulation);
    if (simulation->state.is_paused || simulation_is_called(simulation) || !may_step(simulation)) {
        return;
    }
    struct command *command = NULL;
    while ((command = simulation_seats_take(simulation)) != NULL) {
        simulation_apply(simulation, command);
    }
    command_queue_shut(&simulation->commands, false);
    if (serve_before_tick(simulation)) {
        const uint64_t start_ns = clock_now_ns();
        do_due_tick(simulation, start_ns);
        if (!simulation->state.is_spoiled) {
            simulation_seats_end_tick(simulation, start_ns);
            simulation_follow_warmup(simulation);
        }
    }
}

/* Serves commands at once: the world is paused, but for steps. */
static void run_paused(struct simulation *simulation) {
    const bool is_stepping = simulation->step.command != NULL;
    simulation_serve(simulation, COMMAND_ANY, is_stepping ? STEP_QUERIES_NS : PAUSED_QUERIES_NS);
    publish_after_commands(simulation);
    simulation_keep_look(simulation);
    atomic_store(&simulation->has_begun, true);
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

/* A slice of the ticks that lead to the goal of a seek, or to where the world goes on. */
static void reach_goal(struct simulation *simulation) {
    simulation_playback_go_on(simulation, clock_now_ns() + STEP_SLICE_NS);
    if (simulation_playback_take_end(simulation)) {
        simulation_begin_live(simulation);
        simulation_playback_show_all(simulation);
    }
}

/* For debuggers and top. */
static void name_thread(void) {
#ifdef __linux__
    (void)prctl(PR_SET_NAME, "simulation", 0, 0, 0);
#endif
}

/* One turn of the thread: what is due now, or a wait for it. */
static void turn(struct simulation *simulation) {
    (void)atomic_fetch_add(&simulation->turns, 1);
    if (simulation_playback_is_busy(simulation)) {
        simulation_seats_move(simulation);
        reach_goal(simulation);
        simulation_beat(simulation);
        return;
    }
    simulation_seats_settle(simulation);
    if (simulation->step.command != NULL) {
        simulation_go_on_stepping(simulation, clock_now_ns() + STEP_SLICE_NS);
    } else {
        wait_for_work(simulation);
    }
    if (simulation_put_world(simulation)) {
        publish_after_commands(simulation);
        simulation_beat(simulation);
    } else if (simulation->state.is_paused) {
        run_paused(simulation);
        simulation_beat(simulation);
    } else if (simulation->seats.count > 0) {
        run_with_seats(simulation);
    } else if (simulation_has_speed(simulation)) {
        run_at_speed(simulation);
    } else {
        use_slack(simulation);
        run_due_ticks(simulation);
    }
    if (atomic_exchange(&simulation->wants_snapshot, false)) {
        const struct snapshot_schedule schedule = simulation_read_schedule(simulation);
        simulation_publish(simulation, &schedule,
                           simulation->step.command != NULL ? FRAME_REASON_CLOCK : FRAME_REASON_RATE);
    }
}

static void *run(void *argument) {
    struct simulation *simulation = argument;
    if (simulation->is_realtime) {
        run_first();
    }
    name_thread();
    while (!atomic_load(&simulation->stop)) {
        turn(simulation);
        if (thread_rests()) {
            return NULL;
        }
    }
    if (simulation->step.command != NULL) {
        simulation_end_step(simulation);
    }
    simulation_playback_stop(simulation);
    scenario_builder_stop(simulation->builder);
    simulation_refuse_commands(simulation);
    atomic_store(&simulation->has_ended, true);
    return NULL;
}

/* ---- life ---- */

/* Whether what a command needs is there (command_queue.h). */
static bool is_ready(void *context, struct command *command) {
    struct simulation *simulation = context;
    if (!scenario_order_is_needed(&command->request)) {
        return simulation_keep_is_ready(simulation, command);
    }
    if (command->order == NULL) {
        command->order = scenario_order_create(command);
        if (command->order != NULL && command->order->load.again) {
            scenario_order_take_text(command->order, &simulation->state);
        }
    }
    return command->order != NULL && scenario_builder_has_built(simulation->builder, command->order);
}

/* The next two are called by the builder's thread, the first one also when a save can have its clone. */
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

static int put_first_world(struct simulation *simulation, const struct simulation_def *def,
                           struct failure *failure) {
    assert(def->resume == NULL || def->replay == NULL);
    if (def->resume != NULL || def->replay != NULL) {
        return simulation_playback_begin(simulation, def, failure);
    }
    struct built_world built;
    if (built_world_make(def->scenario, &def->overrides, NULL, NULL, &built, failure) != 0) {
        return -1;
    }
    if (simulation_state_check(&simulation->state, &built, "scenario", failure) != 0) {
        built_world_fini(&built);
        return -1;
    }
    char warning[WORLD_WARNING_TEXT];
    for (int i = 0; built_world_warning(&built, i, warning) != NULL; i++) {
        log_write(LOG_WARN, "world", "%s", warning);
    }
    if (built.bytes > 0) {
        const double agents = (double)world_agents_planned(built.world);
        char text[WORLD_MEMORY_TEXT];
        log_write(LOG_INFO, "world",
                  "%.0f agents come to use %s of memory, %.0f bytes each; copies for viewers and for what is "
                  "kept come on top",
                  agents, world_memory_text(built.bytes, def->overrides.ranks_beside, text),
                  (double)built.bytes / agents);
        for (int i = 0; i < def->overrides.host_count; i++) {
            const struct host_room *host = &def->overrides.hosts[i];
            log_write(LOG_INFO, "world",
                      "%s: ranks: %d x %.2f GB = %.2f GB of memory; %.2f GB are free there", host->name,
                      host->ranks, (double)built.bytes * 1e-9, (double)built.bytes * host->ranks * 1e-9,
                      (double)host->free * 1e-9);
        }
    }
    simulation_state_change(&simulation->state, &built);
    simulation_begin_warmup(simulation, true);
    return simulation_begin_keeping(simulation, failure);
}

static int start_builder(struct simulation *simulation, const struct simulation_def *def,
                         struct failure *failure) {
    const struct scenario_builder_handler handler = {simulation, on_world, on_world, on_done};
    struct scenario_source source = def->source;
    source.saves = def->saves;
    source.past = simulation->past;
    source.tick = &simulation->tick;
    if (source.saves == NULL) {
        source.saves = simulation->saves = save_store_create(NULL, failure);
    }
    if (source.saves == NULL) {
        return -1;
    }
    simulation->builder = scenario_builder_create(&source, &def->overrides, &handler);
    return simulation->builder != NULL ? 0
                                       : failure_set(failure, FAILURE_BUSY, NULL, "cannot start a thread");
}

/* Whether there is memory for them. */
static bool init_views(struct simulation *simulation, const struct exchange *exchange) {
    simulation->has_stripes = exchange != NULL && exchange->mode == EXCHANGE_STRIPES;
    simulation->views = calloc(1, sizeof *simulation->views);
    simulation->gathering = calloc(1, sizeof *simulation->gathering);
    return simulation->views != NULL && simulation->gathering != NULL;
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
    simulation->state.services.memory_free = def->overrides.memory_free;
    simulation->state.services.ranks_beside = def->overrides.ranks_beside;
    simulation->is_realtime = def->is_realtime;
    simulation->overrides = def->overrides;
    simulation->overrides.host_count = 0; /* they are asked at the start alone */
    simulation->logbook = def->logbook;
    simulation->selfcheck_s = def->selfcheck_s;
    simulation->simd = def->overrides.has_simd ? def->overrides.simd : simd_best();
    simulation_speed_init(simulation);
    simulation_keep_serve(simulation);
    simulation_seats_init(simulation);
    simulation_twin_serve(simulation);
    simulation->pool = worker_pool_create(def->threads);
    if (simulation->pool == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "cannot start %d threads", def->threads);
        simulation_destroy(simulation);
        return NULL;
    }
    simulation->state.parallel = worker_pool_parallel(simulation->pool);
    /* No rank has the whole of a world in stripes. */
    const bool has_stripes = def->exchange != NULL && def->exchange->mode == EXCHANGE_STRIPES;
    if (simulation_past_init(simulation, has_stripes ? 0 : def->past_bytes) != 0) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        simulation_destroy(simulation);
        return NULL;
    }
    if (start_builder(simulation, def, failure) != 0) {
        simulation_destroy(simulation);
        return NULL;
    }
    simulation->state.exchange = def->exchange;
    if (!init_views(simulation, def->exchange)) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        simulation_destroy(simulation);
        return NULL;
    }
    simulation->state.ranks = def->ranks;
    /* Ranks do a tick to its end: they could not agree on when to give it up. */
    simulation->state.is_urgent = def->ranks == NULL ? scenario_builder_urgency(simulation->builder) : NULL;
    if (put_first_world(simulation, def, failure) != 0) {
        simulation_destroy(simulation);
        return NULL;
    }
    simulation_update_description(simulation);
    simulation->is_crowd_new = true;
    return simulation;
}

int simulation_start(struct simulation *simulation, void (*notify_function)(void *context), void *context) {
    assert(!simulation->is_started && simulation->state.world != NULL);
    simulation->notify = notify_function;
    simulation->notify_context = context;
    if (simulation->logbook != NULL) {
        logbook_set_notify(simulation->logbook, notify_function, context, on_world, simulation);
    }
    tick_clock_init(&simulation->clock, world_tick_hz(simulation->state.world), clock_now_ns());
    simulation_reset_clock(simulation);
    simulation_beat(simulation);
    if (simulation->state.is_paused) {
        tick_clock_pause(&simulation->clock);
    }
    simulation->is_started = pthread_create(&simulation->thread, NULL, run, simulation) == 0;
    return simulation->is_started ? 0 : -1;
}

/* A tick of the usual length is done before it is given up. */
static void wait_for_end(struct simulation *simulation) {
    const struct timespec moment = {.tv_nsec = 1000000};
    const int grace_ms = simulation->logbook != NULL && logbook_has_journal(simulation->logbook)
                             ? KEEPING_GRACE_MS
                             : STOP_GRACE_MS;
    const struct state_ranks *ranks = simulation->state.ranks;
    const uint64_t began_ns = clock_now_ns(), ranks_ns = RANKS_GRACE_MS * UINT64_C(1000000);
    bool is_patient = ranks != NULL; /* a tick of ranks is not given up alone */
    if (is_patient) {
        ranks->hurry(ranks->context);
    }
    for (int i = 0; (i < grace_ms || ranks != NULL) && !atomic_load(&simulation->has_ended) &&
                    !simulation_has_lost_rank(simulation);
         i++) {
        if (is_patient && clock_now_ns() - began_ns > ranks_ns) {
            is_patient = false;
            ranks->give_up(ranks->context);
        }
        (void)nanosleep(&moment, NULL);
    }
}

bool simulation_has_lost_rank(const struct simulation *simulation) {
    const struct state_ranks *ranks = simulation->state.ranks;
    return ranks != NULL && atomic_load(ranks->is_lost);
}

void simulation_stop(struct simulation *simulation) {
    if (simulation->is_started) {
        atomic_store(&simulation->stop, true);
        command_queue_wake(&simulation->commands);
        wait_for_end(simulation);
        if (simulation_has_lost_rank(simulation)) {
            return; /* the process ends without it */
        }
        scenario_builder_abandon(simulation->builder);
        pthread_join(simulation->thread, NULL);
        simulation->is_started = false;
    }
    simulation_end_keeping(simulation);
}

void simulation_destroy(struct simulation *simulation) {
    if (simulation == NULL) {
        return;
    }
    simulation_stop(simulation);
    simulation_playback_fini(simulation);
    simulation_state_fini(&simulation->state);
    simulation_twin_fini(simulation);
    scenario_builder_destroy(simulation->builder);
    simulation_past_fini(simulation);
    save_store_destroy(simulation->saves);
    worker_pool_destroy(simulation->pool);
    pthread_mutex_destroy(&simulation->mutex);
    snapshot_exchange_fini(&simulation->snapshots);
    event_queue_fini(&simulation->events);
    command_queue_fini(&simulation->commands);
    free(simulation->views);
    free(simulation->gathering);
    snapshot_gatherer_destroy(simulation->gatherer);
    free(simulation);
}

/* ---- for the loop ---- */

void simulation_set_schedule(struct simulation *simulation, const struct snapshot_schedule *schedule) {
    pthread_mutex_lock(&simulation->mutex);
    simulation->schedule = *schedule;
    pthread_mutex_unlock(&simulation->mutex);
}

bool simulation_has_stripes(const struct simulation *simulation) {
    return simulation->has_stripes;
}

void simulation_set_views(struct simulation *simulation, const struct snapshot_demand *views) {
    pthread_mutex_lock(&simulation->mutex);
    memcpy(simulation->views, views, snapshot_demand_bytes(views));
    pthread_mutex_unlock(&simulation->mutex);
}

void simulation_request_snapshot(struct simulation *simulation) {
    atomic_store(&simulation->wants_snapshot, true);
    command_queue_wake(&simulation->commands);
}

const struct snapshot_slot *simulation_take_snapshot(struct simulation *simulation) {
    return snapshot_exchange_take(&simulation->snapshots);
}

/* The pace that was described, with the share of the warm-up at this tick; under the mutex. */
static struct message_pace pace_at(const struct simulation *simulation, uint64_t tick) {
    struct message_pace pace = simulation->description.pace;
    const uint64_t from = simulation->speed.warm_from, to = simulation->speed.warm_to;
    pace.is_warming = pace.is_warming && to > from;
    if (pace.is_warming) {
        pace.warmed = (double)(tick > from ? tick - from : 0) / (double)(to - from);
    }
    return pace;
}

void simulation_describe(struct simulation *simulation, struct message_hello *hello) {
    pthread_mutex_lock(&simulation->mutex);
    hello->scenario = simulation->description;
    hello->is_paused = simulation->is_paused;
    hello->playback = simulation->described_playback;
    hello->tick = atomic_load(&simulation->tick);
    hello->scenario.pace = pace_at(simulation, hello->tick);
    pthread_mutex_unlock(&simulation->mutex);
    hello->playback.replay.tick = hello->tick;
    hello->time_s = (double)hello->tick / hello->scenario.tick_hz;
}

uint32_t simulation_revision(const struct simulation *simulation) {
    return atomic_load(&simulation->revision);
}

void simulation_read_cursors(struct simulation *simulation, uint32_t owners[LIMIT_TARGETS]) {
    pthread_mutex_lock(&simulation->mutex);
    memcpy(owners, simulation->cursor_owners, sizeof simulation->cursor_owners);
    pthread_mutex_unlock(&simulation->mutex);
}

bool simulation_wants_cursors(const struct simulation *simulation) {
    return atomic_load(&simulation->wants_cursors);
}

uint64_t simulation_seq(const struct simulation *simulation) {
    return atomic_load(&simulation->seq);
}

uint64_t simulation_tick(const struct simulation *simulation) {
    return atomic_load(&simulation->tick);
}

bool simulation_take_overload(struct simulation *simulation, struct message_event *event) {
    const uint64_t now_ns = clock_now_ns(), began_ns = atomic_load(&simulation->tick_began_ns);
    const uint64_t running_ns = began_ns != 0 && now_ns > began_ns ? now_ns - began_ns : 0;
    uint64_t tick_ns = 0;
    pthread_mutex_lock(&simulation->mutex);
    const bool is_told = overload_take_event(&simulation->overload, running_ns, now_ns, event, &tick_ns);
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
    out->pace = pace_at(simulation, atomic_load(&simulation->tick));
    out->playback = simulation->described_playback;
    out->agents = 0;
    for (int k = 0; k < simulation->description.kind_count; k++) {
        out->agents += simulation->description.kinds[k].count;
    }
    out->tick = atomic_load(&simulation->tick);
    pthread_mutex_unlock(&simulation->mutex);
    out->playback.replay.tick = out->tick;
    out->commands_waiting = command_queue_count(&simulation->commands);
}

int simulation_read_kinds(struct simulation *simulation, struct simulation_kind out[LIMIT_KINDS]) {
    pthread_mutex_lock(&simulation->mutex);
    const int count = simulation->description.kind_count;
    for (int k = 0; k < count; k++) {
        const struct message_kind *kind = &simulation->description.kinds[k];
        memcpy(out[k].name, kind->name, sizeof out[k].name);
        out[k].agents = kind->count;
    }
    pthread_mutex_unlock(&simulation->mutex);
    return count;
}

struct simulation_motion simulation_read_motion(struct simulation *simulation) {
    struct simulation_motion motion = {.is_loading = scenario_builder_is_loading(simulation->builder),
                                       .moved_ns = atomic_load(&simulation->moved_ns),
                                       .began_ns = atomic_load(&simulation->tick_began_ns),
                                       .has_begun = atomic_load(&simulation->has_begun),
                                       .turns = atomic_load(&simulation->turns)};
    pthread_mutex_lock(&simulation->mutex);
    motion.is_paused = simulation->is_paused;
    motion.is_resuming = simulation->described_playback.is_resuming;
    motion.due_hz = simulation->description.tick_hz * message_pace_speed(&simulation->description.pace);
    pthread_mutex_unlock(&simulation->mutex);
    return motion;
}

void simulation_nudge(struct simulation *simulation) {
    command_queue_wake(&simulation->commands);
}

const char *simulation_instructions(const struct simulation *simulation) {
    return simd_names[simulation->simd];
}
