/* The request `record`: recordings that clients begin and end. See logbook_internal.h. */
#include "server/simulation/logbook_internal.h"

#include <stdio.h>
#include <string.h>

#include "common/system/clock.h"
#include "server/recording/line_sum.h"

bool logbook_is_ready(struct logbook *logbook, uint32_t session, const struct request_record *record) {
    if ((!record->on && !record->has_last) || (record->on && logbook_is_recording(logbook))) {
        return true;
    }
    return !(record->has_last && logbook_waits_for_memory(logbook)) &&
           file_opener_has_opened(logbook->opener, session, record);
}

static void put_recording(struct logbook *logbook, const struct simulation_state *state,
                          struct file_writer *writer, const char *path) {
    struct output *recording = &logbook->recording;
    pthread_mutex_lock(&logbook->mutex);
    logbook_forget_held(recording);
    *recording = (struct output){.writer = writer,
                                 .what = "recording",
                                 .file = 1,
                                 .from = world_tick(state->world),
                                 .began_ns = clock_now_ns(),
                                 .has_header = true,
                                 .position = logbook->header.length,
                                 .file_bytes = logbook->header.length + LINE_SUM_BYTES};
    logbook_init_held(recording);
    logbook->line_tick = recording->from;
    (void)snprintf(recording->path, sizeof recording->path, "%s", path);
    pthread_mutex_unlock(&logbook->mutex);
    logbook_begin_recording(logbook, state);
    logbook_write_at(logbook, state, (struct recorder_session){.name = ""}, recording);
    logbook_look_for_checkpoint(logbook, state, clock_now_ns());
}

static int start_recording(struct logbook *logbook, const struct simulation_state *state,
                           struct logbook_change *change, struct failure *failure) {
    char path[FILE_OPENER_PATH];
    struct failure fault = {0};
    struct file_writer *writer = file_opener_take(logbook->opener, state->session, path, &fault);
    struct file_writer *former = logbook->recording.writer; /* one that failed */
    if (logbook_is_recording(logbook)) {
        if (writer != NULL) {
            file_opener_discard(logbook->opener, writer, path);
        }
        return failure_set(failure, FAILURE_EXISTS, "on",
                           "this server records to %.100s already; `record` with \"on\":false ends that",
                           logbook_file_name(logbook->recording.path));
    }
    if (writer == NULL) {
        *failure = fault;
        return -1;
    }
    if (logbook_need_keeper(logbook, state, failure) != 0) {
        file_opener_discard(logbook->opener, writer, path);
        return -1;
    }
    put_recording(logbook, state, writer, path);
    if (former != NULL) {
        file_opener_close(logbook->opener, former);
    }
    change->has_begun = true;
    return 0;
}

static int stop_recording(struct logbook *logbook, const struct simulation_state *state,
                          struct logbook_change *change, struct failure *failure) {
    struct output *recording = &logbook->recording;
    if (!logbook_is_recording(logbook)) {
        return failure_set(failure, FAILURE_NOT_RECORDING, "on",
                           "no recording is being written; `record` with \"on\":true begins one");
    }
    if (recording->is_holding) {
        logbook_put_checkpoint(logbook, state, recording);
    }
    logbook_write_at(logbook, state, (struct recorder_session){.name = ""}, recording);
    recorder_write_end(&logbook->recorder, state, "");
    logbook_hand_over(logbook, recording);
    pthread_mutex_lock(&logbook->mutex);
    struct file_writer *writer = recording->writer;
    recording->writer = NULL;
    pthread_mutex_unlock(&logbook->mutex);
    file_opener_close(logbook->opener, writer);
    logbook->needs_line = false;
    change->has_ended = true;
    return 0;
}

/* Without .drover, as the request has it. */
static void write_name(const char *file, struct json_writer *json) {
    char name[LOGBOOK_NAME];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
    json_key_string(json, "name", name);
}

/* Names what the opener has written of the last seconds. */
static int record_last(struct logbook *logbook, const struct simulation_state *state,
                       struct json_writer *json, struct failure *failure) {
    char path[FILE_OPENER_PATH], name[LOGBOOK_NAME];
    uint64_t from = 0;
    if (file_opener_take_whole(logbook->opener, state->session, path, &from, failure) != 0) {
        return -1;
    }
    (void)snprintf(name, sizeof name, "%.*s", LOGBOOK_NAME - 1, logbook_file_name(path));
    write_name(name, json);
    json_key_unsigned(json, "from", from);
    return 0;
}

int logbook_record(struct logbook *logbook, const struct simulation_state *state,
                   const struct request_record *record, struct json_writer *json,
                   struct logbook_change *change, struct failure *failure) {
    if (record->has_last) {
        return record_last(logbook, state, json, failure);
    }
    const int result = record->on ? start_recording(logbook, state, change, failure)
                                  : stop_recording(logbook, state, change, failure);
    if (result != 0) {
        return -1;
    }
    (void)snprintf(change->name, sizeof change->name, "%.*s", LOGBOOK_NAME - 1,
                   logbook_file_name(logbook->recording.path));
    write_name(change->name, json);
    json_key_unsigned(json, "from", logbook->recording.from);
    return 0;
}
