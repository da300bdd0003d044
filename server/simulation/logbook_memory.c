/* The last minutes of a world in memory, and the files that clients ask for. See logbook_internal.h. */
#include "server/simulation/logbook_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/clock.h"
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

bool logbook_waits_for_memory(struct logbook *logbook) {
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
