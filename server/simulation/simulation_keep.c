/* See simulation_internal.h. What happens to the world goes to the logbook, if there is one. */
#include "server/simulation/simulation_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/simulation/logbook.h"

/* The log says that often that the selfcheck agrees. */
#define CHECKED_NS UINT64_C(60000000000)

/* Called by the thread of the selfcheck. */
static void on_difference(void *context, const struct selfcheck_difference *difference) {
    struct simulation *simulation = context;
    struct message_event event = {.tick = difference->tick};
    if (difference->has_agents) {
        simulation_event_agents(&event, &difference->agents);
    }
    pthread_mutex_lock(&simulation->mutex);
    if (!simulation->statistics.has_diverged) {
        simulation->statistics.has_diverged = true;
        simulation->statistics.diverged = *difference;
    }
    pthread_mutex_unlock(&simulation->mutex);
    log_write(LOG_ERROR, "selfcheck",
              "ticks %" PRIu64 " to %" PRIu64
              " come out differently with other instructions: hash %016" PRIx64 ", again %016" PRIx64
              "; agents that differ: %" PRId32 ", the first is %" PRIu32,
              difference->from, difference->tick, difference->hash, difference->again,
              difference->agents.count, difference->agents.ids[0]);
    (void)snprintf(event.event, sizeof event.event, "diverged");
    struct sim_event *message = sim_event_create_message(&event);
    if (message != NULL) {
        event_queue_push(&simulation->events, message);
        simulation->notify(simulation->notify_context);
    }
}

/* The same. The log has the first one, and one a minute. */
static void on_agreement(void *context, uint64_t spans, uint64_t tick) {
    struct simulation *simulation = context;
    const uint64_t now_ns = clock_now_ns();
    pthread_mutex_lock(&simulation->mutex);
    simulation->statistics.checked = spans;
    simulation->statistics.checked_tick = tick;
    pthread_mutex_unlock(&simulation->mutex);
    if (simulation->checked_ns == 0 || now_ns - simulation->checked_ns >= CHECKED_NS) {
        simulation->checked_ns = now_ns;
        log_write(LOG_INFO, "selfcheck",
                  "agrees up to tick %" PRIu64 ": %" PRIu64 " spans came out alike with other instructions",
                  tick, spans);
    }
}

static int begin_selfcheck(struct simulation *simulation, struct failure *failure) {
    const struct selfcheck_def def = {simulation, on_difference, simulation->selfcheck_s, on_agreement};
    if (simulation->selfcheck_s > 0.0 && simulation->selfcheck == NULL) {
        simulation->selfcheck = selfcheck_create(&def, &simulation->state);
        return simulation->selfcheck != NULL
                   ? 0
                   : failure_set(failure, FAILURE_BUSY, NULL, "out of memory, or of threads");
    }
    return 0;
}

int simulation_begin_keeping(struct simulation *simulation, struct failure *failure) {
    const struct recording_facts *facts = simulation->playback.facts;
    const int facts_count = facts == NULL ? 0 : facts->world_count;
    struct logbook_origin origin = {.has_gap = simulation->described_playback.has_left_out};
    assert(!simulation->is_keeping);
    if (begin_selfcheck(simulation, failure) != 0) {
        return -1;
    }
    simulation_past_begin(simulation);
    if (simulation->logbook == NULL) {
        return 0;
    }
    for (int i = 0; i < facts_count; i++) {
        origin.world =
            facts->worlds[i].number == simulation->playback.origin_world ? &facts->worlds[i] : origin.world;
    }
    if (origin.has_gap) {
        simulation->state
            .seq++; /* of the world that begins here, in place of the one that cannot be followed */
    }
    simulation->is_keeping = logbook_begin(simulation->logbook, &simulation->state, &origin, failure) == 0;
    atomic_store(&simulation->has_begun_keeping, simulation->is_keeping);
    if (simulation->is_keeping && !origin.has_gap && logbook_has_lost_past(simulation->logbook)) {
        simulation_playback_send_loss(simulation, 0, 0);
    }
    return simulation->is_keeping ? 0 : -1;
}

/* For the loop, which may not look at a logbook that is just beginning. */
static bool has_logbook(const struct simulation *simulation) {
    return simulation->logbook != NULL && atomic_load(&simulation->has_begun_keeping);
}

void simulation_end_keeping(struct simulation *simulation) {
    selfcheck_destroy(simulation->selfcheck);
    simulation->selfcheck = NULL;
    if (simulation->is_keeping) {
        simulation->is_keeping = false;
        logbook_end(simulation->logbook, &simulation->state);
    }
}

bool simulation_keep_refuses(struct simulation *simulation, const struct request *request,
                             struct failure *failure) {
    return simulation->is_keeping && request_has_trait(request->op, REQUEST_TRAIT_CHANGES) &&
           logbook_refuses(simulation->logbook, failure);
}

void simulation_keep_leave(struct simulation *simulation) {
    if (simulation->is_keeping) {
        logbook_note_leave(simulation->logbook, &simulation->state);
    }
}

void simulation_keep_command(struct simulation *simulation, struct command *command, uint64_t hash) {
    const struct request *request = &command->request;
    const struct recorder_session session = {.by = command->origin.session, .name = command->origin.name};
    const bool is_put = request->op == REQUEST_LOAD || request->op == REQUEST_REWIND;
    if (request->op == REQUEST_LOAD) {
        simulation_past_begin(simulation);
    }
    if (is_put) {
        selfcheck_clear(simulation->selfcheck);
    } else if (recorder_is_do(request->op)) {
        simulation_past_note_request(simulation, request, session);
        selfcheck_note_request(simulation->selfcheck, &simulation->state, request, session.by);
    }
    if (!simulation->is_keeping) {
        return;
    }
    if (is_put) {
        const bool is_saved = request->op == REQUEST_REWIND || request->body.load.save[0] != '\0';
        logbook_note_load(simulation->logbook, &simulation->state, hash, is_saved, session);
    } else {
        logbook_note_request(simulation->logbook, &simulation->state, request, session);
    }
    command->event.position = logbook_position(simulation->logbook);
}

void simulation_keep_step(struct simulation *simulation, struct command *command) {
    if (simulation->is_keeping) {
        logbook_note_at(simulation->logbook, &simulation->state);
        command->event.position = logbook_position(simulation->logbook);
    }
}

void simulation_keep_tick(struct simulation *simulation, uint64_t now_ns) {
    selfcheck_note_tick(simulation->selfcheck, &simulation->state);
    simulation_past_note_tick(simulation, now_ns);
    if (simulation->is_keeping) {
        logbook_note_tick(simulation->logbook, &simulation->state, now_ns);
    }
}

bool simulation_keep_is_waiting(struct simulation *simulation) {
    return simulation->is_keeping && logbook_is_waiting(simulation->logbook);
}

void simulation_keep_look(struct simulation *simulation) {
    if (simulation->is_keeping) {
        logbook_look(simulation->logbook, &simulation->state, clock_now_ns());
    }
}

/* ---- recordings that are asked for ---- */

bool simulation_keep_is_ready(struct simulation *simulation, const struct command *command) {
    return command->request.op != REQUEST_RECORD || !has_logbook(simulation) ||
           logbook_is_ready(simulation->logbook, command->origin.session, &command->request.body.record);
}

static int record(void *context, const struct request_record *record, struct json_writer *json,
                  struct failure *failure) {
    struct simulation *simulation = context;
    if (simulation->playback.mode == PLAYBACK_PLAYING) {
        return failure_set(failure, FAILURE_REPLAYING, "op",
                           "a recording is played, which is on disk already; after resume with live, record "
                           "writes what comes then");
    }
    if (!simulation->is_keeping) {
        return failure_set(failure, FAILURE_BUSY, NULL, "the world is not ready to be recorded; try again");
    }
    return logbook_record(simulation->logbook, &simulation->state, record, json, &simulation->recording,
                          failure);
}

void simulation_keep_serve(struct simulation *simulation) {
    if (simulation->logbook != NULL) {
        simulation->state.services.context = simulation;
        simulation->state.services.record = record;
    }
}

void simulation_push_recording(struct simulation *simulation, uint32_t by) {
    struct message_event event = {.has = EVENT_HAS_FILE};
    const struct logbook_change *change = &simulation->recording;
    if (change->has_begun || change->has_ended) {
        (void)snprintf(event.event, sizeof event.event, "%s",
                       change->has_begun ? "recording_started" : "recording_ended");
        (void)snprintf(event.file, sizeof event.file, "%s", change->name);
        simulation_push_event(simulation, &event, by, false);
        simulation->recording = (struct logbook_change){0};
    }
}

/* ---- for the loop ---- */

bool simulation_take_file_event(struct simulation *simulation, struct message_event *event) {
    struct logbook_file_statistics file;
    if (!has_logbook(simulation) || !logbook_take_file_event(simulation->logbook, &file)) {
        return false;
    }
    *event = (struct message_event){.has = EVENT_HAS_FILE | (file.is_on ? 0u : EVENT_HAS_REASON),
                                    .tick = atomic_load(&simulation->tick)};
    (void)snprintf(event->event, sizeof event->event, "%s",
                   file.is_on ? "recording_started" : "recording_ended");
    (void)snprintf(event->file, sizeof event->file, "%s", file.name);
    (void)snprintf(event->reason, sizeof event->reason, "%s", file.reason);
    return true;
}

bool simulation_is_safe(struct simulation *simulation, uint64_t position) {
    return position == 0 || !has_logbook(simulation) || logbook_is_safe(simulation->logbook, position);
}

bool simulation_has_lost(struct simulation *simulation, uint64_t position, struct failure *failure) {
    return has_logbook(simulation) && logbook_is_lost(simulation->logbook, position, failure);
}

void simulation_read_logbook(struct simulation *simulation, struct logbook_statistics *out) {
    *out = (struct logbook_statistics){0};
    if (has_logbook(simulation)) {
        logbook_read_statistics(simulation->logbook, out);
    }
}
