/* See simulation_internal.h. */
#include "server/simulation/simulation_internal.h"

#include <stdio.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/frames/world_snapshot.h"

enum { LINE_BYTES = 1024 * 1024 };

void simulation_update_description(struct simulation *simulation) {
    pthread_mutex_lock(&simulation->mutex);
    simulation_state_describe(&simulation->state, &simulation->description);
    simulation->is_paused = simulation->state.is_paused;
    pthread_mutex_unlock(&simulation->mutex);
    atomic_store(&simulation->tick, world_tick(simulation->state.world));
    atomic_store(&simulation->wants_cursors,
                 world_wants_targets(simulation->state.world, CURSOR_TARGET_PREFIX));
}

struct snapshot_schedule simulation_read_schedule(struct simulation *simulation) {
    pthread_mutex_lock(&simulation->mutex);
    const struct snapshot_schedule schedule = simulation->schedule;
    pthread_mutex_unlock(&simulation->mutex);
    return schedule;
}

void simulation_notify(struct simulation *simulation) {
    simulation->has_answers = false;
    simulation->notify(simulation->notify_context);
}

static void push_line(struct simulation *simulation, enum sim_event_kind kind, struct buffer *line) {
    struct sim_event *event = sim_event_create(kind, line);
    if (event == NULL) {
        log_write(LOG_ERROR, "simulation", "out of memory: an event is lost");
        return;
    }
    event->revision = atomic_load(&simulation->revision);
    event->epoch = simulation->state.epoch;
    event->tick_hz = world_tick_hz(simulation->state.world);
    event_queue_push(&simulation->events, event);
}

static void push_message(struct simulation *simulation, const struct message_event *message) {
    struct sim_event *event = sim_event_create_message(message);
    if (event == NULL) {
        log_write(LOG_ERROR, "simulation", "out of memory: an event is lost");
        return;
    }
    event->revision = atomic_load(&simulation->revision);
    event_queue_push(&simulation->events, event);
}

void simulation_push_event(struct simulation *simulation, struct message_event *event, uint32_t by) {
    event->tick = world_tick(simulation->state.world);
    event->by = by;
    push_message(simulation, event);
}

void simulation_push_log(struct simulation *simulation) {
    struct event_log *log = &simulation->state.log;
    for (int i = 0; i < log->count; i++) {
        push_message(simulation, &log->events[i]);
    }
    if (log->count > 0) {
        log->count = 0;
        simulation_notify(simulation);
    }
}

void simulation_push_pause(struct simulation *simulation, bool is_paused, uint32_t by) {
    struct message_event event = {0};
    (void)snprintf(event.event, sizeof event.event, "%s", is_paused ? "paused" : "resumed");
    simulation_push_event(simulation, &event, by);
}

void simulation_push_scenario(struct simulation *simulation) {
    struct buffer line;
    buffer_init(&line, LINE_BYTES);
    message_write_scenario(&simulation->description,
                           &line); /* written by this thread only: no lock to read */
    push_line(simulation, SIM_EVENT_SCENARIO, &line);
    buffer_fini(&line);
}

void simulation_measure(struct simulation *simulation, struct tick_meter *meter, uint64_t since_ns) {
    const uint64_t now_ns = clock_now_ns();
    pthread_mutex_lock(&simulation->mutex);
    tick_meter_add(meter, now_ns - since_ns);
    pthread_mutex_unlock(&simulation->mutex);
}

uint64_t simulation_pace_at(const struct simulation *simulation, uint64_t now_ns) {
    return (uint64_t)((double)now_ns * 1e-9 * world_tick_hz(simulation->state.world));
}

void simulation_publish(struct simulation *simulation, const struct snapshot_schedule *schedule,
                        enum frame_reason reason) {
    if (schedule->count == 0 || simulation->state.is_spoiled) {
        return;
    }
    const uint64_t start_ns = clock_now_ns();
    struct snapshot *snapshot = snapshot_exchange_writing(&simulation->snapshots);
    if (world_snapshot_copy_wanted(simulation->state.world, schedule->forces, schedule->headings, snapshot) !=
        0) {
        log_write(LOG_ERROR, "simulation", "out of memory: a snapshot is lost");
        return;
    }
    if (world_is_given_up(simulation->state.world)) {
        return; /* forces may be missing; the world that comes is shown soon */
    }
    snapshot->epoch = simulation->state.epoch;
    const uint64_t now_ns = clock_now_ns();
    snapshot->clock_ms = (double)now_ns * 1e-6;
    snapshot->pace = simulation_pace_at(simulation, now_ns);
    snapshot_exchange_publish(&simulation->snapshots, reason);
    simulation_notify(simulation);
    simulation_measure(simulation, &simulation->statistics.copy_times, start_ns);
}

static void look_for_clump(struct simulation *simulation) {
    simulation->is_crowd_new = false;
    const struct clump clump = overload_look(simulation->state.world);
    pthread_mutex_lock(&simulation->mutex);
    simulation->overload.clump = clump;
    pthread_mutex_unlock(&simulation->mutex);
}

uint64_t simulation_do_tick(struct simulation *simulation, uint64_t start_ns) {
    if (simulation->is_crowd_new) { /* this tick may be the one that does not end */
        look_for_clump(simulation);
    }
    atomic_store(&simulation->tick_began_ns, start_ns);
    simulation_state_step(&simulation->state);
    atomic_store(&simulation->tick_began_ns, 0);
    atomic_store(&simulation->tick, world_tick(simulation->state.world));
    const uint64_t now_ns = clock_now_ns();
    if (!simulation->state.is_spoiled &&
        overload_is_slow(now_ns - start_ns, world_tick_hz(simulation->state.world))) {
        look_for_clump(simulation);
        pthread_mutex_lock(&simulation->mutex);
        overload_note(&simulation->overload, now_ns - start_ns);
        pthread_mutex_unlock(&simulation->mutex);
    }
    return now_ns;
}

void simulation_note_tick(struct simulation *simulation, uint64_t start_ns, uint64_t now_ns) {
    struct simulation_statistics *statistics = &simulation->statistics;
    const struct world *world = simulation->state.world;
    const uint64_t second = (uint64_t)world_tick_hz(world);
    const bool is_new_second = world_tick(world) % (second > 0 ? second : 1) == 0;
    const double candidates = is_new_second ? world_candidates(world) : statistics->candidates;
    pthread_mutex_lock(&simulation->mutex);
    statistics->candidates = candidates;
    tick_meter_add(&statistics->step_times, now_ns - start_ns);
    pthread_mutex_unlock(&simulation->mutex);
}
