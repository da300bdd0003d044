/* See logbook_internal.h. */
#include "server/simulation/logbook_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/recording/recording_line.h"

void flight_memory_init(struct flight_memory *memory) {
    *memory = (struct flight_memory){0};
    for (int i = 0; i < FLIGHT_PARTS; i++) {
        buffer_init(&memory->parts[i].world, FLIGHT_LINE_BYTES);
        buffer_init(&memory->parts[i].lines, FLIGHT_LINE_BYTES);
    }
}

static void clear_part(struct flight_part *part) {
    if (part->checkpoint != NULL) {
        assert(part->former == NULL);
        part->former = part->checkpoint;
    }
    part->checkpoint = NULL;
    part->checkpoint_length = 0;
    buffer_clear(&part->world);
    buffer_clear(&part->lines);
}

void flight_memory_clear(struct flight_memory *memory) {
    for (int i = 0; i < FLIGHT_PARTS; i++) {
        clear_part(&memory->parts[i]);
        free(memory->parts[i].former);
        memory->parts[i].former = NULL;
    }
    memory->count = 0;
}

void flight_memory_fini(struct flight_memory *memory) {
    flight_memory_clear(memory);
    for (int i = 0; i < FLIGHT_PARTS; i++) {
        buffer_fini(&memory->parts[i].world);
        buffer_fini(&memory->parts[i].lines);
    }
}

/* Pages that are not written take no memory. Without room the buffer grows when it is written. */
static void reserve_empty(struct buffer *buffer, size_t bytes) {
    if (buffer->length == 0 && !buffer->failed) {
        (void)buffer_reserve(buffer, bytes < buffer->limit ? bytes : buffer->limit);
        buffer_clear(buffer);
    }
}

void flight_memory_reserve(struct flight_memory *memory) {
    const size_t world_bytes = memory->count > 0 ? memory->parts[memory->count - 1].world.length : 0;
    for (int i = 0; i < FLIGHT_PARTS; i++) {
        reserve_empty(&memory->parts[i].world, 2 * world_bytes);
        reserve_empty(&memory->parts[i].lines, FLIGHT_LINE_BYTES);
    }
}

static bool is_usable(const struct flight_part *part) {
    return part->checkpoint != NULL && !part->lines.failed && !part->world.failed;
}

void flight_memory_begin(struct flight_memory *memory, uint64_t now_ns, uint64_t tick, const char *world,
                         size_t length) {
    if (memory->count == FLIGHT_PARTS) {
        const struct flight_part oldest = memory->parts[0];
        for (int i = 1; i < FLIGHT_PARTS; i++) {
            memory->parts[i - 1] = memory->parts[i];
        }
        memory->parts[FLIGHT_PARTS - 1] = oldest; /* its memory is used again */
        memory->count--;
    }
    struct flight_part *part = &memory->parts[memory->count++];
    clear_part(part);
    part->began_ns = now_ns;
    part->tick = tick;
    buffer_append(&part->world, world, length);
}

bool flight_memory_waits(const struct flight_memory *memory) {
    return memory->count > 0 && memory->parts[memory->count - 1].checkpoint == NULL;
}

char *flight_memory_put_checkpoint(struct flight_memory *memory, char *line, size_t length) {
    if (!flight_memory_waits(memory)) {
        return line;
    }
    struct flight_part *part = &memory->parts[memory->count - 1];
    char *former = part->former;
    part->former = NULL;
    part->checkpoint = line;
    part->checkpoint_length = length;
    return former;
}

void flight_memory_add(struct flight_memory *memory, const char *lines, size_t length) {
    if (memory->count > 0) {
        buffer_append(&memory->parts[memory->count - 1].lines, lines, length);
    }
}

int flight_memory_find(const struct flight_memory *memory, uint64_t since_ns) {
    int found = -1;
    for (int i = memory->count - 1; i >= 0 && memory->parts[i].began_ns > 0; i--) {
        if (memory->parts[i].lines.failed) {
            break; /* lines are missing between an older part and the newest */
        }
        found = is_usable(&memory->parts[i]) ? i : found;
        if (found == i && memory->parts[i].began_ns <= since_ns) {
            break;
        }
    }
    return found;
}

/* ---- lines ---- */

/* Lines on their way into the journal, the recording and the memory. See logbook_internal.h. */

#define DEFERRED_MOST ((size_t)64 << 20)

const char *logbook_file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* ---- one file ---- */

void logbook_fail_output(struct output *output, const struct failure *failure) {
    if (!output->has_failed) {
        output->has_failed = true;
        output->last_position = output->position;
        output->failure = *failure;
        failure_hide_folder(&output->failure); /* that is for the log alone */
        output->position = POSITION_MISSING;
        log_write(LOG_ERROR, "logbook", "the %s ends here: %s", output->what, failure->message);
    }
}

bool logbook_output_is_open(struct output *output) {
    struct failure failure = {0};
    if (output->writer != NULL && !output->has_failed && file_writer_has_failed(output->writer, &failure)) {
        logbook_fail_output(output, &failure);
    }
    return output->writer != NULL && !output->has_failed;
}

static void note_position(struct output *output, uint64_t position, size_t length, size_t lines) {
    if (position == 0) {
        (void)logbook_output_is_open(output);
        return;
    }
    output->position = position;
    output->file_bytes += length + lines * LINE_SUM_BYTES;
}

static size_t count_lines(const char *bytes, size_t length) {
    size_t lines = 0;
    for (const char *end = bytes + length; (bytes = memchr(bytes, '\n', (size_t)(end - bytes))) != NULL;
         bytes++) {
        lines++;
    }
    return lines;
}

static void defer(struct output *output, struct buffer *lines, const char *bytes, size_t length) {
    buffer_append(lines, bytes, length);
    if (lines->failed) {
        struct failure failure = {0};
        (void)failure_set(&failure, FAILURE_BUSY, NULL,
                          "too much was to be written before the first checkpoint");
        logbook_fail_output(output, &failure);
    }
}

/* Puts lines into the output's file, or defers them. Locked. */
static void logbook_put_lines(struct output *output, const char *bytes, size_t length) {
    if (length > 0 && logbook_output_is_open(output) && output->is_deferring) {
        defer(output, &output->deferred, bytes, length);
    } else if (length > 0 && logbook_output_is_open(output)) {
        note_position(output, file_writer_put(output->writer, bytes, length), length,
                      count_lines(bytes, length));
    }
}

/* bytes: malloc'd; they are the writer's afterwards, or freed. */
static void put_owned(struct output *output, char *bytes, size_t length) {
    if (length > 0 && logbook_output_is_open(output)) {
        note_position(output, file_writer_put_owned(output->writer, bytes, length), length, 1);
    } else {
        free(bytes);
    }
}

void logbook_init_deferred(struct output *output) {
    buffer_init(&output->world, DEFERRED_MOST);
    buffer_init(&output->deferred, DEFERRED_MOST);
}

static void begin_deferring(struct output *output) {
    buffer_clear(&output->world);
    buffer_clear(&output->deferred);
    output->is_deferring = true;
}

void logbook_clear_deferred(struct output *output) {
    output->is_deferring = false;
    buffer_fini(&output->world);
    buffer_fini(&output->deferred);
}

void logbook_put_checkpoint_line(struct output *output, char *line, size_t length) {
    if (!output->is_deferring) {
        put_owned(output, line, length);
        return;
    }
    output->is_deferring = false;
    logbook_put_lines(output, output->world.data, output->world.length);
    put_owned(output, line, length);
    logbook_put_lines(output, output->deferred.data, output->deferred.length);
    logbook_clear_deferred(output);
}

/* ---- both files ---- */

void logbook_hand_over(struct logbook *logbook, struct output *only) {
    struct buffer *out = &logbook->recorder.out;
    pthread_mutex_lock(&logbook->mutex);
    if (out->failed) {
        struct failure failure = {0};
        (void)failure_set(&failure, FAILURE_BUSY, NULL, "out of memory");
        logbook_fail_output(&logbook->journal, &failure);
        logbook_fail_output(&logbook->recording, &failure);
    } else if (only != NULL) {
        logbook_put_lines(only, out->data, out->length);
    } else {
        logbook_put_lines(&logbook->journal, out->data, out->length);
        logbook_put_lines(&logbook->recording, out->data, out->length);
        flight_memory_add(&logbook->memory, out->data, out->length);
    }
    logbook->handed_over = logbook->moments.recorded;
    atomic_store(&logbook->tick, logbook->moments.recorded.tick);
    pthread_mutex_unlock(&logbook->mutex);
    buffer_clear(out);
}

void logbook_put_hash(struct logbook *logbook, const struct keeper_result *result) {
    struct buffer *line = &logbook->hash_line;
    const struct recording_line hash = {
        .op = RECORDING_HASH, .tick = result->tick, .seq = result->seq, .hash = result->hash};
    buffer_clear(line);
    recording_line_write(&hash, line);
    if (!line->failed) {
        logbook_put_lines(&logbook->journal, line->data, line->length);
        logbook_put_lines(&logbook->recording, line->data, line->length);
        flight_memory_add(&logbook->memory, line->data, line->length);
    }
}

bool logbook_is_recording(struct logbook *logbook) {
    pthread_mutex_lock(&logbook->mutex);
    const bool is_recording = logbook_output_is_open(&logbook->recording);
    pthread_mutex_unlock(&logbook->mutex);
    return is_recording;
}

/* ---- moments ---- */

struct logbook_moment logbook_moment_of(const struct simulation_state *state) {
    return (struct logbook_moment){world_tick(state->world), state->seq, state->is_paused};
}

bool logbook_is_same_moment(struct logbook_moment a, struct logbook_moment b) {
    return a.tick == b.tick && a.seq == b.seq;
}

void logbook_look_at_marks(struct logbook *logbook) {
    const uint64_t synced = file_writer_synced(logbook->journal.writer);
    if (logbook->awaited_mark.position <= synced) {
        logbook->synced_tick = logbook->awaited_mark.tick;
        logbook->awaited_mark = logbook->newest_mark;
    }
    if (logbook->newest_mark.position <= synced) {
        logbook->synced_tick = logbook->newest_mark.tick;
    }
}

void logbook_note_checkpoint(struct logbook *logbook, uint64_t tick) {
    atomic_store(&logbook->kept_tick, tick);
    atomic_store(&logbook->kept_ns, clock_now_ns());
}

void logbook_write_at(struct logbook *logbook, const struct simulation_state *state,
                      struct recorder_session session, struct output *only) {
    logbook->moments.recorded = logbook_moment_of(state);
    if (logbook->keeper == NULL) {
        return; /* nothing is written */
    }
    recorder_write_at(&logbook->recorder, state, session);
    logbook_hand_over(logbook, only);
    logbook->moments.last_at = logbook_moment_of(state);
    logbook->at_ns = clock_now_ns();
    pthread_mutex_lock(&logbook->mutex);
    const uint64_t position = logbook->journal.position;
    if (logbook->journal.writer != NULL && !logbook->journal.has_failed) {
        logbook->newest_mark = (struct safe_mark){position, logbook->moments.last_at.tick};
        logbook_look_at_marks(logbook);
    }
    pthread_mutex_unlock(&logbook->mutex);
}

void logbook_begin_recording(struct logbook *logbook, const struct simulation_state *state) {
    struct output *recording = &logbook->recording;
    const struct recording_line *world = &logbook->recorder.world;
    const bool is_new =
        !logbook->is_saved &&
        logbook_is_same_moment(logbook_moment_of(state),
                               (struct logbook_moment){.tick = world->tick, .seq = world->seq});
    struct buffer *out = &logbook->recorder.out;
    logbook->moments.recorded = logbook_moment_of(state);
    if (!logbook_is_recording(logbook)) {
        return;
    }
    recording->from = logbook->moments.recorded.tick;
    if (!recording->has_header) {
        recorder_write_header(&logbook->recorder, logbook->started, logbook->build);
        logbook_hand_over(logbook, recording);
    }
    recorder_write_world(&logbook->recorder, state);
    if (!is_new && !out->failed) {
        pthread_mutex_lock(&logbook->mutex);
        begin_deferring(recording);
        defer(recording, &recording->world, out->data, out->length);
        pthread_mutex_unlock(&logbook->mutex);
        buffer_clear(out);
        logbook->needs_line = true;
    }
    logbook_hand_over(logbook, recording);
}

/* ---- notices ---- */

void logbook_notify_opened(void *context) {
    struct logbook *logbook = context;
    void (*on_opened)(void *context) = atomic_load(&logbook->on_opened);
    if (on_opened != NULL) {
        on_opened(logbook->opened_context);
    }
}

void logbook_notify_written(void *context) {
    struct logbook *logbook = context;
    void (*notify)(void *context) = atomic_load(&logbook->notify);
    if (notify != NULL) {
        notify(logbook->notify_context);
    }
}
