/* The last minutes of a world in memory, and the files that clients ask for. See logbook_internal.h. */
#include "server/simulation/logbook_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/clock.h"
#include "server/recording/recording_line.h"
#include "server/sim/world/world_stripes.h"

/* Parts of the memory: how long they are, and what an agent needs of it. */
#define PART_NS     UINT64_C(60000000000)
#define AGENT_BYTES ((uint64_t)FLIGHT_PARTS * 160)

bool logbook_has_room(const struct logbook *logbook, const struct simulation_state *state) {
    return !world_is_partial(state->world) &&
           (uint64_t)world_agent_count(state->world) * AGENT_BYTES <= logbook->def.memory_bytes;
}

/* Begins the part of the memory with the state as it is. */
static void begin_part(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns) {
    struct buffer *out = &logbook->recorder.out;
    logbook->has_part = logbook_has_room(logbook, state);
    logbook->part_ns = now_ns;
    recorder_write_world(&logbook->recorder, state);
    pthread_mutex_lock(&logbook->mutex);
    if (!logbook->has_part) {
        flight_memory_clear(&logbook->memory);
    } else if (!out->failed) {
        flight_memory_begin(&logbook->memory, now_ns, world_tick(state->world), out->data, out->length);
    }
    pthread_mutex_unlock(&logbook->mutex);
    buffer_clear(out);
}

void logbook_begin_memory(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns) {
    size_t length = 0;
    if (logbook->def.memory_bytes == 0 || state->is_spoiled || !logbook_has_room(logbook, state)) {
        return;
    }
    char *line = logbook_make_checkpoint(state, &length);
    if (line == NULL) {
        return; /* a later tick begins it */
    }
    begin_part(logbook, state, now_ns);
    pthread_mutex_lock(&logbook->mutex);
    char *left = flight_memory_put_checkpoint(&logbook->memory, line, length);
    pthread_mutex_unlock(&logbook->mutex);
    free(left);
}

void logbook_reserve_memory(struct logbook *logbook) {
    if (logbook->has_part) {
        pthread_mutex_lock(&logbook->mutex);
        flight_memory_reserve(&logbook->memory);
        pthread_mutex_unlock(&logbook->mutex);
    }
}

void logbook_look_for_part(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns) {
    const bool is_due = !logbook->has_part || now_ns - logbook->part_ns >= PART_NS;
    struct failure failure = {0};
    if (!is_due || logbook->def.memory_bytes == 0 || state->is_spoiled ||
        (!logbook_has_room(logbook, state) && logbook->memory.count == 0) ||
        logbook_need_keeper(logbook, state, &failure) != 0 || !keeper_is_ready(logbook->keeper, state)) {
        return;
    }
    begin_part(logbook, state, now_ns);
    logbook->has_part = logbook->has_part &&
                        keeper_take(logbook->keeper, state, (struct keeper_order){.tasks = KEEPER_MEMORY});
}

/* Whether the memory has no checkpoint yet, but will have one soon. Any thread. */
static bool logbook_waits_for_memory(struct logbook *logbook) {
    pthread_mutex_lock(&logbook->mutex);
    const bool waits = logbook->memory.count == 1 && flight_memory_waits(&logbook->memory);
    pthread_mutex_unlock(&logbook->mutex);
    return waits;
}

/* ---- files that clients ask for: by the opener's thread ---- */

/* malloc'd bytes do not count for the room of the writer. False without memory. */
static bool put_copy(struct file_writer *writer, const char *bytes, size_t length) {
    char *copy = length == 0 ? NULL : malloc(length);
    if (copy != NULL) {
        memcpy(copy, bytes, length);
        (void)file_writer_put_owned(writer, copy, length);
    }
    return copy != NULL || length == 0;
}

/* How far the state had got. The mutex is held. */
static bool put_ending(const struct logbook *logbook, struct file_writer *writer) {
    const struct recording_line at = {.op = RECORDING_AT,
                                      .tick = atomic_load(&logbook->tick),
                                      .seq = logbook->handed.seq,
                                      .is_paused = logbook->handed.is_paused};
    struct recording_line end = at;
    struct buffer lines;
    end.op = RECORDING_END;
    buffer_init(&lines, ENDING_BYTES);
    recording_line_write(&at, &lines);
    recording_line_write(&end, &lines);
    const bool is_put = !lines.failed && put_copy(writer, lines.data, lines.length);
    buffer_fini(&lines);
    return is_put;
}

static int fail_without_memory(const struct logbook *logbook, struct failure *failure) {
    if (logbook->memory.count > 0) {
        return failure_set(failure, FAILURE_FULL, "last",
                           "too much has happened in the last minute to be kept in memory");
    }
    return failure_set(failure, FAILURE_FULL, "last",
                       "this world is not kept in memory; --memory allows %" PRIu64
                       " bytes, and %d an agent are needed",
                       logbook->def.memory_bytes, (int)AGENT_BYTES);
}

/* Puts what is in memory of the last seconds. */
static int put_last(struct logbook *logbook, double last_s, struct file_writer *writer, uint64_t *from,
                    struct failure *failure) {
    const struct flight_memory *memory = &logbook->memory;
    const uint64_t now_ns = clock_now_ns(), span_ns = (uint64_t)(last_s * 1e9);
    const int first = flight_memory_find(memory, now_ns > span_ns ? now_ns - span_ns : 0);
    if (first < 0) {
        return fail_without_memory(logbook, failure);
    }
    *from = memory->parts[first].tick;
    bool is_put = put_copy(writer, memory->parts[first].world.data, memory->parts[first].world.length) &&
                  put_copy(writer, memory->parts[first].checkpoint, memory->parts[first].checkpoint_length);
    for (int i = first; i < memory->count && is_put; i++) {
        is_put = put_copy(writer, memory->parts[i].lines.data, memory->parts[i].lines.length);
    }
    is_put = is_put && put_ending(logbook, writer);
    return is_put ? 0 : failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
}

int logbook_fill_file(void *context, const struct request_record *record, struct file_writer *writer,
                      uint64_t *from, struct failure *failure) {
    struct logbook *logbook = context;
    int result = put_copy(writer, logbook->header.data, logbook->header.length)
                     ? 0
                     : failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    if (result == 0 && record->has_last) {
        pthread_mutex_lock(&logbook->mutex);
        result = put_last(logbook, record->last, writer, from, failure);
        pthread_mutex_unlock(&logbook->mutex);
    }
    return result;
}

/* ---- record ---- */

/* The request `record`: recordings that clients begin and end. See logbook_internal.h. */

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
    logbook->recordings++;
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

/* Whether the recording's first checkpoint is not there yet. */
static bool waits_for_checkpoint(struct logbook *logbook) {
    pthread_mutex_lock(&logbook->mutex);
    const bool waits = logbook->recording.is_holding;
    pthread_mutex_unlock(&logbook->mutex);
    return waits;
}

static int stop_recording(struct logbook *logbook, const struct simulation_state *state,
                          struct logbook_change *change, struct failure *failure) {
    struct output *recording = &logbook->recording;
    if (!logbook_is_recording(logbook)) {
        return failure_set(failure, FAILURE_NOT_RECORDING, "on",
                           "no recording is being written; `record` with \"on\":true begins one");
    }
    if (waits_for_checkpoint(logbook)) {
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
