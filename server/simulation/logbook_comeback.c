/* A journal that ended and begins again. See logbook_internal.h. */
#include "server/simulation/logbook_internal.h"

#include <inttypes.h>
#include <unistd.h>

#include "common/system/log.h"

/* A journal that has ended is begun again after so long, twice as long after each checkpoint in vain. */
#define AGAIN_LEAST_NS UINT64_C(1000000000)
#define AGAIN_MOST_NS  UINT64_C(64000000000)

bool logbook_has_lost_journal(struct logbook *logbook) {
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
        atomic_store(&logbook->lost_after, synced);
        atomic_store(&logbook->lost_until, journal->last_position);
        journal->last_position = 0;
    }
    comeback->lost_from_tick = logbook->synced_tick;
    logbook->mark = logbook->last_mark = (struct safe_mark){.tick = logbook->synced_tick};
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

void logbook_log_comeback(const struct logbook *logbook) {
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

void logbook_look_again(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns) {
    struct comeback *comeback = &logbook->comeback;
    struct file_writer *writer = logbook->journal.writer;
    if (logbook->keeper == NULL || state->is_spoiled || !logbook_has_lost_journal(logbook)) {
        return;
    }
    if (comeback->step != COMEBACK_NONE &&
        (file_writer_has_failed(writer, NULL) || comeback->position == UINT64_MAX)) {
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

void logbook_begin_again_at_end(struct logbook *logbook, const struct simulation_state *state) {
    struct comeback *comeback = &logbook->comeback;
    const bool has_failed = file_writer_has_failed(logbook->journal.writer, NULL);
    if ((comeback->step == COMEBACK_NONE || has_failed) && !try_header(logbook)) {
        return;
    }
    put_comeback(logbook, state);
    file_writer_settle(logbook->journal.writer); /* whatever is there is more than nothing */
}
