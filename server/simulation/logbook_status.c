/* How far the files are, for the loop and for `stats`. See logbook_internal.h. */
#include "server/simulation/logbook_internal.h"

#include <stdio.h>
#include <string.h>

uint64_t logbook_position(struct logbook *logbook) {
    if (!logbook->def.is_always) {
        return 0;
    }
    pthread_mutex_lock(&logbook->mutex);
    const uint64_t position = logbook->journal.position;
    pthread_mutex_unlock(&logbook->mutex);
    return position;
}

bool logbook_is_safe(const struct logbook *logbook, uint64_t position) {
    if (position == 0) {
        return true;
    }
    if (logbook->has_ended) {
        return logbook->is_all_safe;
    }
    const bool is_lost =
        position > atomic_load(&logbook->lost_after) && position <= atomic_load(&logbook->lost_until);
    return position != UINT64_MAX && !is_lost && file_writer_synced(logbook->journal.writer) >= position;
}

bool logbook_is_lost(struct logbook *logbook, uint64_t position, struct failure *failure) {
    if (logbook_refuses(logbook, failure)) {
        return true;
    }
    const bool is_lost = position == UINT64_MAX || (position > atomic_load(&logbook->lost_after) &&
                                                    position <= atomic_load(&logbook->lost_until));
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
    out->bytes = output->position != UINT64_MAX ? output->position
                 : output->writer != NULL       ? file_writer_written(output->writer)
                                                : 0;
    if (output->writer != NULL) {
        const struct file_writer_disk disk = file_writer_read_disk(output->writer);
        const uint64_t end = output->position != UINT64_MAX ? output->position : output->last_position,
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

static bool tell_ended(struct output *output, struct logbook_file_statistics *file) {
    (void)logbook_output_is_open(output);
    if (!output->has_failed || output->is_told) {
        return false;
    }
    output->is_told = true;
    read_file(output, file);
    return true;
}

bool logbook_tell_file(struct logbook *logbook, struct logbook_file_statistics *file) {
    *file = (struct logbook_file_statistics){0};
    pthread_mutex_lock(&logbook->mutex);
    bool is_news = logbook->comeback.is_untold && logbook_output_is_open(&logbook->journal);
    if (is_news) {
        logbook->comeback.is_untold = false;
        read_file(&logbook->journal, file);
    } else {
        is_news = tell_ended(&logbook->journal, file) || tell_ended(&logbook->recording, file);
    }
    pthread_mutex_unlock(&logbook->mutex);
    return is_news;
}
