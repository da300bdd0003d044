/* How far the files are, for the loop and for `stats`. See logbook_internal.h. */
#include "server/simulation/logbook_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/system/clock.h"
#include "common/system/log.h"

uint64_t logbook_position(struct logbook *logbook) {
    if (!logbook->def.is_always) {
        return POSITION_NONE;
    }
    pthread_mutex_lock(&logbook->mutex);
    const uint64_t position = logbook->journal.position;
    pthread_mutex_unlock(&logbook->mutex);
    return position;
}

static bool will_never_be_on_disk(const struct logbook *logbook, uint64_t position) {
    return position == POSITION_MISSING ||
           (position > atomic_load(&logbook->lost.after) && position <= atomic_load(&logbook->lost.until));
}

bool logbook_is_safe(const struct logbook *logbook, uint64_t position) {
    if (position == POSITION_NONE) {
        return true;
    }
    if (logbook->has_ended) {
        return logbook->is_all_safe;
    }
    return !will_never_be_on_disk(logbook, position) &&
           file_writer_synced(logbook->journal.writer) >= position;
}

bool logbook_is_lost(struct logbook *logbook, uint64_t position, struct failure *failure) {
    if (logbook_refuses(logbook, failure)) {
        return true;
    }
    const bool is_lost = will_never_be_on_disk(logbook, position);
    if (is_lost) {
        (void)failure_set(failure, FAILURE_IO, NULL, "the journal had ended");
    }
    return is_lost;
}

bool logbook_refuses(struct logbook *logbook, struct failure *failure) {
    pthread_mutex_lock(&logbook->mutex);
    const bool refuses = logbook->def.is_always && logbook->journal.path[0] != '\0' &&
                         !logbook_output_is_open(&logbook->journal);
    if (refuses) {
        *failure = logbook->journal.failure;
        failure->code = FAILURE_IO;
        failure->field[0] = '\0';
    }
    pthread_mutex_unlock(&logbook->mutex);
    return refuses;
}

static void read_file(struct output *output, struct logbook_file_statistics *out) {
    out->is_on = logbook_output_is_open(output);
    out->has_failed = output->has_failed;
    out->bytes = output->position != POSITION_MISSING ? output->position
                 : output->writer != NULL             ? file_writer_written(output->writer)
                                                      : 0;
    if (output->writer != NULL) {
        const struct file_writer_disk disk = file_writer_read_disk(output->writer);
        const uint64_t end = output->position != POSITION_MISSING ? output->position : output->last_position,
                       synced = file_writer_synced(output->writer);
        out->waiting = end != UINT64_MAX && end > synced ? end - synced : 0;
        out->synced_ns = disk.synced_ns;
        out->free_bytes = disk.free_bytes;
    }
    (void)snprintf(out->name, sizeof out->name, "%.*s", LOGBOOK_NAME - 1, logbook_file_name(output->path));
    /* The name is there already. */
    const size_t length = strlen(logbook_file_name(output->path));
    const bool has_path = length > 0 &&
                          strncmp(output->failure.message, logbook_file_name(output->path), length) == 0 &&
                          output->failure.message[length] == ':';
    const char *reason = output->failure.message + (has_path ? length + 2 : 0);
    (void)snprintf(out->reason, sizeof out->reason, "%.*s", (int)sizeof out->reason - 1, reason);
}

void logbook_read_statistics(struct logbook *logbook, struct logbook_statistics *out) {
    *out = (struct logbook_statistics){0};
    pthread_mutex_lock(&logbook->mutex);
    read_file(&logbook->journal, &out->journal);
    read_file(&logbook->recording, &out->recording);
    if (logbook->journal.writer != NULL) {
        logbook_look_at_marks(logbook);
    }
    out->journal.synced_tick = logbook->synced_tick;
    out->checkpoint_tick = atomic_load(&logbook->kept_tick);
    out->checkpoint_ns = atomic_load(&logbook->kept_ns);
    pthread_mutex_unlock(&logbook->mutex);
}

static bool take_ended(struct output *output, struct logbook_file_statistics *file) {
    (void)logbook_output_is_open(output);
    if (!output->has_failed || output->is_told) {
        return false;
    }
    output->is_told = true;
    read_file(output, file);
    return true;
}

bool logbook_take_file_event(struct logbook *logbook, struct logbook_file_statistics *file) {
    *file = (struct logbook_file_statistics){0};
    pthread_mutex_lock(&logbook->mutex);
    bool is_news = logbook->comeback.is_untold && logbook_output_is_open(&logbook->journal);
    if (is_news) {
        logbook->comeback.is_untold = false;
        read_file(&logbook->journal, file);
    } else {
        is_news = take_ended(&logbook->journal, file) || take_ended(&logbook->recording, file);
    }
    pthread_mutex_unlock(&logbook->mutex);
    return is_news;
}

/* ---- comeback ---- */

/* A journal that ended and begins again. See logbook_internal.h. */

/* A journal that has ended is begun again after so long, twice as long after each checkpoint in vain. */
#define AGAIN_LEAST_NS UINT64_C(1000000000)
#define AGAIN_MOST_NS  UINT64_C(64000000000)

/* Whether the journal has ended early. */
static bool logbook_has_lost_journal(struct logbook *logbook) {
    pthread_mutex_lock(&logbook->mutex);
    const bool is_lost = logbook->journal.writer != NULL && (logbook->comeback.step != COMEBACK_NONE ||
                                                             !logbook_output_is_open(&logbook->journal));
    pthread_mutex_unlock(&logbook->mutex);
    return is_lost;
}

/* Puts the lines of the recorder past the output, which takes none before the world is there. */
static void put_past(struct logbook *logbook) {
    struct buffer *out = &logbook->recorder.out;
    if (!out->failed && out->length > 0) {
        logbook->comeback.position = file_writer_put(logbook->journal.writer, out->data, out->length);
    }
    buffer_clear(out);
}

/* Begins a further file. False: the writer is not ready. */
static bool try_header(struct logbook *logbook) {
    struct comeback *comeback = &logbook->comeback;
    struct output *journal = &logbook->journal;
    char path[LOGBOOK_PATH];
    struct failure moved = {0};
    if (state_directory_check(logbook->def.directory, &moved) != 0) {
        return false;
    }
    if (comeback->number == 0) {
        /* A number without a journal would be a gap. */
        state_directory_journal_path(logbook->def.directory, logbook->journal_number, path);
        const bool is_there = access(path, F_OK) == 0;
        comeback->number = is_there ? state_directory_next(logbook->def.directory) : logbook->journal_number;
    }
    state_directory_journal_path(logbook->def.directory, comeback->number, path);
    pthread_mutex_lock(&logbook->mutex);
    logbook_look_at_marks(logbook);
    const uint64_t synced = file_writer_synced(journal->writer);
    const bool is_ready = file_writer_begin_again(journal->writer, path);
    if (is_ready && journal->last_position != 0) {
        atomic_store(&logbook->lost.after, synced);
        atomic_store(&logbook->lost.until, journal->last_position);
        journal->last_position = 0;
    }
    comeback->lost_from_tick = logbook->synced_tick;
    logbook->awaited_mark = logbook->newest_mark = (struct safe_mark){.tick = logbook->synced_tick};
    pthread_mutex_unlock(&logbook->mutex);
    if (!is_ready) {
        return false;
    }
    recorder_write_header(&logbook->recorder, logbook->started, logbook->build);
    put_past(logbook);
    comeback->step = COMEBACK_HEADER;
    return true;
}

/* The world as it is, with its checkpoint; from here on the journal takes lines. */
static void put_comeback(struct logbook *logbook, const struct simulation_state *state) {
    struct comeback *comeback = &logbook->comeback;
    struct output *journal = &logbook->journal;
    pthread_mutex_lock(&logbook->mutex);
    state_directory_journal_path(logbook->def.directory, comeback->number, journal->path);
    journal->has_failed = false;
    journal->failure = (struct failure){0};
    journal->file_bytes = 0;
    logbook->journal_number = comeback->number;
    pthread_mutex_unlock(&logbook->mutex);
    recorder_write_world(&logbook->recorder, state);
    logbook_hand_over(logbook, journal);
    logbook_put_checkpoint(logbook, state, journal);
    logbook_write_at(logbook, state, (struct recorder_session){.name = ""}, journal);
    pthread_mutex_lock(&logbook->mutex);
    comeback->position = journal->position;
    pthread_mutex_unlock(&logbook->mutex);
    comeback->tick = world_tick(state->world);
    comeback->step = COMEBACK_WORLD;
}

/* Says in the log where the journal goes on. */
static void logbook_log_comeback(const struct logbook *logbook) {
    log_write(LOG_WARN, "logbook",
              "the journal goes on in %s from tick %" PRIu64 "; what happened after tick %" PRIu64
              " and before is in none",
              logbook_file_name(logbook->journal.path), logbook->comeback.tick,
              logbook->comeback.lost_from_tick);
}

static void put_off_comeback(struct comeback *comeback, uint64_t now_ns) {
    const bool was_costly = comeback->step == COMEBACK_WORLD; /* a checkpoint in vain */
    const uint64_t wait_ns = comeback->wait_ns == 0 ? AGAIN_LEAST_NS : comeback->wait_ns;
    comeback->due_ns = now_ns + wait_ns;
    comeback->wait_ns = !was_costly ? wait_ns : wait_ns * 2 > AGAIN_MOST_NS ? AGAIN_MOST_NS : wait_ns * 2;
    comeback->step = COMEBACK_NONE;
}

static void end_comeback(struct logbook *logbook) {
    struct comeback *comeback = &logbook->comeback;
    file_writer_settle(logbook->journal.writer);
    logbook_log_comeback(logbook);
    logbook_note_checkpoint(logbook, comeback->tick);
    pthread_mutex_lock(&logbook->mutex);
    *comeback = (struct comeback){.is_untold = true};
    logbook->journal.is_told = false;
    pthread_mutex_unlock(&logbook->mutex);
    logbook->checkpoint_ns = 0; /* the next one is due */
    logbook_notify_written(logbook);
}

/* Between ticks, or while there are none: tries to begin a journal that has ended again, when it is time. */
static void logbook_look_again(struct logbook *logbook, const struct simulation_state *state,
                               uint64_t now_ns) {
    struct comeback *comeback = &logbook->comeback;
    struct file_writer *writer = logbook->journal.writer;
    if (logbook->keeper == NULL || state->is_spoiled || !logbook_has_lost_journal(logbook)) {
        return;
    }
    if (comeback->step != COMEBACK_NONE &&
        (file_writer_has_failed(writer, NULL) || comeback->position == POSITION_MISSING)) {
        put_off_comeback(comeback, now_ns);
        return;
    }
    if (comeback->step == COMEBACK_NONE) {
        comeback->due_ns = comeback->due_ns == 0 ? now_ns + AGAIN_LEAST_NS : comeback->due_ns;
        if (now_ns >= comeback->due_ns) {
            (void)try_header(logbook);
        }
    } else if (comeback->step == COMEBACK_HEADER && file_writer_written(writer) >= comeback->position) {
        put_comeback(logbook, state);
    } else if (comeback->step == COMEBACK_WORLD && file_writer_synced(writer) >= comeback->position) {
        end_comeback(logbook);
    }
}

/* What can still be done at the end for a world whose journal ended. */
static void logbook_begin_again_at_end(struct logbook *logbook, const struct simulation_state *state) {
    struct comeback *comeback = &logbook->comeback;
    const bool has_failed = file_writer_has_failed(logbook->journal.writer, NULL);
    if ((comeback->step == COMEBACK_NONE || has_failed) && !try_header(logbook)) {
        return;
    }
    put_comeback(logbook, state);
    file_writer_settle(logbook->journal.writer); /* whatever is there is more than nothing */
}

/* ---- logbook ---- */

/* Begins and ends the files, and notes what happens between. See logbook.h; its other files: logbook_internal.h. */

#define AT_NS ((uint64_t)LOGBOOK_AT_MS * 1000000u)

/* ---- life ---- */

static void write_time(char out[RECORDING_VALUE_BYTES]) {
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) == NULL ||
        strftime(out, RECORDING_VALUE_BYTES, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        out[0] = '\0';
    }
}

static int open_output(struct logbook *logbook, struct output *output, bool is_always, bool is_patient,
                       struct failure *failure) {
    const struct file_writer_def def = {.path = output->path,
                                        .sync_s = logbook->def.sync_s,
                                        .is_always = is_always,
                                        .is_patient = is_patient,
                                        .notify = logbook_notify_written,
                                        .context = logbook};
    output->writer = file_writer_create(&def, failure);
    output->file = 1;
    return output->writer == NULL ? -1 : 0;
}

/* The first line of each file, in the recorder's buffer until a file takes it. */
static void write_header(struct logbook *logbook) {
    struct buffer *out = &logbook->recorder.out;
    buffer_init(&logbook->header, ENDING_BYTES);
    recorder_write_header(&logbook->recorder, logbook->started, logbook->build);
    buffer_append(&logbook->header, out->data, out->length);
    buffer_clear(out);
}

struct logbook *logbook_create(const struct logbook_def *def, struct failure *failure) {
    struct logbook *logbook = calloc(1, sizeof *logbook);
    if (logbook == NULL || recorder_init(&logbook->recorder) != 0 ||
        pthread_mutex_init(&logbook->mutex, NULL) != 0) {
        free(logbook);
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        return NULL;
    }
    logbook->def = *def;
    logbook->journal.what = "journal";
    logbook->recording.what = "recording";
    logbook_init_deferred(&logbook->recording);
    flight_memory_init(&logbook->memory);
    (void)snprintf(logbook->build, sizeof logbook->build, "%s", def->build);
    write_time(logbook->started);
    buffer_init(&logbook->hash_line, 4096);
    write_header(logbook);
    (void)snprintf(logbook->recording.path, sizeof logbook->recording.path, "%s", def->record);
    const struct file_opener_def opener = {.folder = def->recordings,
                                           .sync_s = def->sync_s,
                                           .context = logbook,
                                           .on_ready = logbook_notify_opened,
                                           .on_written = logbook_notify_written,
                                           .fill = logbook_fill_file};
    logbook->opener = file_opener_create(&opener);
    logbook->def.record = logbook->def.recordings = logbook->def.build = NULL;
    if (logbook->opener == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory, or of threads");
        logbook_destroy(logbook);
        return NULL;
    }
    if (logbook->recording.path[0] != '\0' &&
        open_output(logbook, &logbook->recording, false, false, failure) != 0) {
        logbook_destroy(logbook);
        return NULL;
    }
    return logbook;
}

void logbook_destroy(struct logbook *logbook) {
    if (logbook == NULL) {
        return;
    }
    keeper_destroy(logbook->keeper);
    checkpoint_round_destroy(logbook->rounds.round);
    file_opener_destroy(logbook->opener);
    logbook_clear_deferred(&logbook->recording);
    flight_memory_fini(&logbook->memory);
    (void)file_writer_destroy(logbook->journal.writer, END_WAIT_S);
    (void)file_writer_destroy(logbook->recording.writer, END_WAIT_S);
    if (logbook->recording.writer != NULL && !logbook->was_begun) {
        (void)unlink(logbook->recording.path); /* an empty file */
    }
    pthread_mutex_destroy(&logbook->mutex);
    buffer_fini(&logbook->hash_line);
    buffer_fini(&logbook->header);
    recorder_fini(&logbook->recorder);
    free(logbook);
}

void logbook_set_notify(struct logbook *logbook, void (*notify)(void *context), void *context,
                        void (*on_opened)(void *context), void *opened_context) {
    /* The keeper and the writers run already: a context is there before the function that they call with it. */
    logbook->opened_context = opened_context;
    logbook->notify_context = context;
    atomic_store(&logbook->on_opened, on_opened);
    atomic_store(&logbook->notify, notify);
}

bool logbook_has_journal(const struct logbook *logbook) {
    return logbook->def.directory != NULL;
}

bool logbook_has_lost_past(const struct logbook *logbook) {
    return logbook->def.directory != NULL && state_directory_has_lost(logbook->def.directory);
}

/* is_patient: the server has begun to serve already. */
static int begin_journal(struct logbook *logbook, const struct simulation_state *state, uint32_t *number,
                         bool is_patient, struct failure *failure) {
    *number = logbook->journal_number = state_directory_next(logbook->def.directory);
    state_directory_journal_path(logbook->def.directory, *number, logbook->journal.path);
    if (open_output(logbook, &logbook->journal, logbook->def.is_always, is_patient, failure) != 0) {
        logbook_fail_output(&logbook->journal, failure);
        return -1;
    }
    recorder_write_header(&logbook->recorder, logbook->started, logbook->build);
    recorder_write_world(&logbook->recorder, state);
    logbook_hand_over(logbook, &logbook->journal);
    return 0;
}

/* What the world line says: a world that the journal has already, or one that begins here. */
static void set_first_world(struct logbook *logbook, const struct simulation_state *state,
                            const struct logbook_origin *origin) {
    const struct recording_world *known = origin->world;
    struct recording_line *line = &logbook->recorder.world;
    line->world = known != NULL ? known->number : 0; /* one more is the next one */
    recorder_set_world(&logbook->recorder, state, simulation_state_hash(state),
                       (struct recorder_session){.name = ""});
    if (known != NULL && !origin->has_gap) {
        line->world = known->number;
        line->tick = known->first_tick;
        line->seq = 0; /* not more than the journal has */
        line->by = known->by;
        line->hash = known->hash;
    }
}

/* A crash from here on leaves a journal that says what the world is. */
static int sync_beginning(struct logbook *logbook, struct failure *failure) {
    struct file_writer *writer = logbook->journal.writer;
    if (writer == NULL || file_writer_sync_now(writer, END_WAIT_S)) {
        return 0;
    }
    return file_writer_has_failed(writer, failure)
               ? -1
               : failure_set(failure, FAILURE_IO, NULL, "%.200s: the disk does not answer for %g s",
                             logbook->journal.path, END_WAIT_S);
}

static bool is_known_world(const struct logbook_origin *origin) {
    return origin->world != NULL && !origin->has_gap;
}

static void set_beginning(struct logbook *logbook, const struct simulation_state *state,
                          const struct logbook_origin *origin) {
    logbook->has_begun = logbook->was_begun = true;
    logbook->epoch = state->epoch;
    logbook->handed_over = logbook->moments.recorded = logbook_moment_of(state);
    atomic_store(&logbook->tick, logbook->moments.recorded.tick);
    set_first_world(logbook, state, origin);
    logbook->is_saved = origin->world != NULL || world_tick(state->world) > 0 || state->seq > 0;
    logbook->moments.last_hash = logbook->moments.last_checkpoint = logbook_moment_of(state);
    logbook->line_tick = logbook->moments.last_checkpoint.tick;
    logbook->checkpoint_ns = clock_now_ns();
    logbook_note_checkpoint(logbook, logbook->moments.last_checkpoint.tick);
    logbook->synced_tick =
        is_known_world(origin) ? world_tick(state->world) : 0; /* in the journals that are there */
    logbook->awaited_mark = logbook->newest_mark = (struct safe_mark){.tick = logbook->synced_tick};
}

int logbook_begin(struct logbook *logbook, const struct simulation_state *state,
                  const struct logbook_origin *origin, struct failure *failure) {
    assert(!logbook->has_begun);
    uint32_t number = 0;
    const bool is_written = logbook->def.directory != NULL || logbook->recording.writer != NULL ||
                            (logbook->def.memory_bytes > 0 && logbook_has_room(logbook, state));
    const bool is_new = world_tick(state->world) == 0 && state->seq == 0;
    const bool is_known = is_known_world(origin);
    if ((is_written && logbook_need_keeper(logbook, state, failure) != 0) ||
        logbook_check_ranks(logbook, state, failure) != 0) {
        return -1;
    }
    set_beginning(logbook, state, origin);
    if (logbook->def.directory != NULL && origin->world == NULL &&
        state_directory_begin(logbook->def.directory, state->name, failure) != 0) {
        return -1;
    }
    if (logbook->def.directory != NULL && origin->has_gap) {
        state_directory_keep_left_out(logbook->def.directory);
    }
    if (logbook->def.directory != NULL &&
        begin_journal(logbook, state, &number, origin->world != NULL, failure) != 0) {
        return -1;
    }
    if (!is_new && !is_known) { /* the scenario alone does not say what the world is */
        logbook_put_checkpoint(logbook, state, &logbook->journal);
    }
    logbook->recording.began_ns = logbook->checkpoint_ns;
    logbook_begin_recording(logbook, state);
    if (!is_new && !is_known) {
        logbook_put_checkpoint(logbook, state, &logbook->recording);
    }
    logbook_write_at(logbook, state, (struct recorder_session){.name = ""}, NULL);
    if (!is_new) {
        logbook_order_checkpoint(logbook, state, number, logbook->checkpoint_ns);
        logbook_begin_memory(logbook, state, logbook->checkpoint_ns);
    }
    logbook_look_for_part(logbook, state, logbook->checkpoint_ns);
    logbook_reserve_memory(logbook);
    return origin->world != NULL ? 0 : sync_beginning(logbook, failure);
}

/* ---- what happens ---- */

void logbook_note_request(struct logbook *logbook, const struct simulation_state *state,
                          const struct request *request, struct recorder_session session) {
    if (logbook->keeper == NULL) {
        return;
    }
    logbook->changed_ns = logbook_lacks_hash(logbook) ? logbook->changed_ns : clock_now_ns();
    logbook->moments.recorded = logbook_moment_of(state);
    if (logbook->epoch != state->epoch) { /* the same world, edited */
        pthread_mutex_lock(&logbook->mutex);
        logbook->epoch = state->epoch;
        pthread_mutex_unlock(&logbook->mutex);
    }
    if (recorder_is_do(request->op)) {
        recorder_write_do(&logbook->recorder, state, request, session);
        logbook_hand_over(logbook, NULL);
    } else {
        logbook_write_at(logbook, state, session, NULL);
    }
    logbook_look_at_parts(logbook, state, clock_now_ns());
    if (state->is_paused && !state->is_spoiled) {
        logbook_look_for_checkpoint(logbook, state, clock_now_ns());
    }
}

void logbook_note_at(struct logbook *logbook, const struct simulation_state *state) {
    if (!logbook_is_same_moment(logbook->moments.last_at, logbook_moment_of(state)) ||
        logbook->moments.last_at.is_paused != state->is_paused) {
        logbook_write_at(logbook, state, (struct recorder_session){.name = ""}, NULL);
    }
}

void logbook_note_leave(struct logbook *logbook, const struct simulation_state *state) {
    logbook_write_at(logbook, state, (struct recorder_session){.name = ""}, NULL);
}

void logbook_note_load(struct logbook *logbook, const struct simulation_state *state, uint64_t hash,
                       bool is_saved, struct recorder_session session) {
    pthread_mutex_lock(&logbook->mutex);
    logbook->epoch = state->epoch;
    logbook_clear_deferred(&logbook->recording); /* the recording begins with the new world */
    pthread_mutex_unlock(&logbook->mutex);
    logbook->needs_line = false;
    recorder_set_world(&logbook->recorder, state, hash, session);
    logbook->is_saved = is_saved;
    logbook->moments.recorded = logbook_moment_of(state);
    if (logbook->keeper == NULL) {
        return;
    }
    recorder_write_world(&logbook->recorder, state);
    logbook_hand_over(logbook, NULL);
    if (is_saved) {
        logbook_put_checkpoint(logbook, state, &logbook->recording);
        logbook_put_checkpoint(logbook, state, &logbook->journal);
        pthread_mutex_lock(&logbook->mutex);
        flight_memory_clear(&logbook->memory); /* its scenario alone does not say what the world is */
        pthread_mutex_unlock(&logbook->mutex);
        logbook->has_part = false;
    }
    if (!logbook->has_part) {
        logbook_begin_memory(logbook, state, clock_now_ns());
    }
    logbook_reserve_memory(logbook);
    logbook_write_at(logbook, state, (struct recorder_session){.name = ""}, NULL);
    logbook->moments.last_hash = logbook_moment_of(state);
    logbook->line_tick = logbook->moments.last_hash.tick;
}

void logbook_note_tick(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns) {
    const uint64_t tick_ns = (uint64_t)(1e9 / world_tick_hz(state->world));
    atomic_store(&logbook->tick, world_tick(state->world));
    const bool has_at = logbook->journal.writer != NULL &&
                        now_ns + tick_ns >= logbook->at_ns + AT_NS; /* the next tick would be too late */
    if (has_at) {
        logbook_write_at(logbook, state, (struct recorder_session){.name = ""}, &logbook->journal);
        logbook->at_ns = now_ns;
    }
    logbook_look_again(logbook, state, now_ns);
    logbook_look_at_parts(logbook, state, now_ns);
    logbook_look_for_checkpoint(logbook, state, now_ns);
    logbook_look_for_part(logbook, state, now_ns);
    logbook_look_for_hash(logbook, state, now_ns);
}

bool logbook_is_waiting(struct logbook *logbook) {
    return logbook_lacks_hash(logbook) || logbook_has_lost_journal(logbook);
}

void logbook_look(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns) {
    logbook_look_again(logbook, state, now_ns);
    logbook_look_for_hash(logbook, state, now_ns);
}

/* ---- the end ---- */

static void end_journal(struct logbook *logbook, struct file_writer *journal,
                        const struct simulation_state *state) {
    struct failure failure = {0};
    if (journal == NULL) {
        return;
    }
    logbook->is_all_safe = file_writer_end(journal, END_WAIT_S, &failure) && !logbook->journal.has_failed;
    if (logbook->is_all_safe && logbook->comeback.step != COMEBACK_NONE) {
        logbook_log_comeback(logbook);
    } else if (!logbook->is_all_safe) {
        log_write(LOG_ERROR, "logbook", "the world is lost from tick %" PRIu64 " on, to tick %" PRIu64 ": %s",
                  logbook->synced_tick, world_tick(state->world),
                  failure.message[0] != '\0' ? failure.message : logbook->journal.failure.message);
        logbook->has_lost_end = true;
    }
}

bool logbook_has_lost_end(const struct logbook *logbook) {
    return logbook->has_lost_end;
}

void logbook_end(struct logbook *logbook, const struct simulation_state *state) {
    if (!logbook->has_begun || logbook->keeper == NULL) {
        return;
    }
    logbook->has_begun = false;
    keeper_wait(logbook->keeper);
    logbook_write_at(logbook, state, (struct recorder_session){.name = ""}, NULL);
    keeper_destroy(logbook->keeper);
    logbook->keeper = NULL;
    if (logbook->recording.is_deferring && !state->is_spoiled) {
        logbook_put_checkpoint(logbook, state, &logbook->recording);
    }
    recorder_write_end(&logbook->recorder, state, "");
    logbook_hand_over(logbook, &logbook->recording);
    if (!state->is_spoiled && logbook->journal.writer != NULL && !logbook_output_is_open(&logbook->journal)) {
        logbook_begin_again_at_end(logbook, state);
    } else if (!state->is_spoiled && logbook_output_is_open(&logbook->journal)) {
        logbook_put_last_checkpoint(logbook, state);
    }
    pthread_mutex_lock(&logbook->mutex);
    struct file_writer *journal = logbook->journal.writer, *recording = logbook->recording.writer;
    logbook->journal.writer = logbook->recording.writer = NULL;
    logbook->has_ended = true;
    pthread_mutex_unlock(&logbook->mutex);
    end_journal(logbook, journal, state);
    if (!file_writer_destroy(recording, END_WAIT_S) && !logbook->recording.has_failed) {
        log_write(LOG_ERROR, "logbook", "the end of the recording is missing");
    }
}
