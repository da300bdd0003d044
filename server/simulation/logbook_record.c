/* The last minutes of a world in memory, and the files that clients ask for. See logbook_internal.h. */
#include "server/simulation/logbook_internal.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/limits.h"
#include "common/system/clock.h"
#include "common/system/duty.h"
#include "common/system/log.h"
#include "server/recording/recording_line.h"
#include "server/sim/world/world_stripes.h"
#include "server/storage/disk_file.h"

/* ---- the opener of files ---- */

enum { CLOSING_MOST = 8, MOST_A_SECOND = 100 };

static const double close_wait_s = 10.0;

enum opener_state { OPENER_FREE, OPENER_ORDERED, OPENER_OPEN };

/* A writer to be ended. */
struct closing {
    struct file_writer *writer;
    char discarded[FILE_OPENER_PATH]; /* its file, which is removed; "": none */
};

struct file_opener {
    struct file_opener_def def;
    char folder[FILE_OPENER_PATH];
    struct duty duty;
    pthread_mutex_t mutex; /* of all below */
    bool is_stopping;
    enum opener_state state;
    uint32_t owner;
    struct request_record record;
    char path[FILE_OPENER_PATH];
    struct file_writer *writer; /* OPENER_OPEN: NULL with the failure, or for a file that is whole */
    bool is_whole;
    uint64_t from; /* its first tick */
    struct failure failure;
    struct closing closing[CLOSING_MOST];
    int closing_count;
};

/* ---- the opener: its thread ---- */

/* number: of the second and further files of one second, which the server names itself; 0: the first. */
static void write_path(struct file_opener *opener, const char *stamp, int number) {
    char more[16] = "";
    if (number > 0) {
        (void)snprintf(more, sizeof more, "-%d", number + 1);
    }
    const int length =
        snprintf(opener->path, sizeof opener->path, "%s/%s%s.drover", opener->folder, stamp, more);
    if (length < 0 || (size_t)length >= sizeof opener->path) {
        opener->path[0] = '\0';
    }
}

static void name_file(struct file_opener *opener) {
    const bool is_named = opener->record.name[0] != '\0';
    const time_t now = time(NULL);
    struct tm parts;
    char stamp[64] = "drover";
    if (is_named) {
        (void)snprintf(stamp, sizeof stamp, "%s", opener->record.name);
    } else if (localtime_r(&now, &parts) != NULL) {
        (void)strftime(stamp, sizeof stamp, "drover-%Y%m%d-%H%M%S", &parts);
    }
    write_path(opener, stamp, 0);
    for (int i = 1; !is_named && i < MOST_A_SECOND && access(opener->path, F_OK) == 0; i++) {
        write_path(opener, stamp, i);
    }
}

static struct file_writer *open_file(struct file_opener *opener, struct failure *failure) {
    const struct file_writer_def def = {.path = opener->path,
                                        .sync_s = opener->def.sync_s,
                                        .notify = opener->def.on_written,
                                        .context = opener->def.context};
    const int error = disk_file_make_folder(opener->folder);
    if (error != 0 && error != EEXIST) {
        (void)failure_set(failure, FAILURE_IO, NULL, "%.200s: %s", opener->folder, strerror(error));
        return NULL;
    }
    if (opener->path[0] == '\0') {
        (void)failure_set(failure, FAILURE_IO, NULL, "%.200s: the path is too long", opener->folder);
        return NULL;
    }
    return file_writer_create(&def, failure);
}

/* Writes what the file begins with, or all of it; a file that cannot take it goes again. Returns the writer; NULL with
 * *failure, or when the file is whole. */
static struct file_writer *fill_file(struct file_opener *opener, struct file_writer *writer,
                                     struct failure *failure) {
    const bool is_last = opener->record.has_last;
    const bool is_filled =
        opener->def.fill(opener->def.context, &opener->record, writer, &opener->from, failure) == 0;
    if (is_filled && !is_last && file_writer_wait(writer, close_wait_s, failure)) {
        return writer;
    }
    struct failure fault = {0};
    const bool is_written = file_writer_end(writer, close_wait_s, &fault);
    opener->is_whole = is_filled && is_last && is_written;
    if (is_filled && is_last && !is_written) {
        *failure = fault;
    }
    if (!opener->is_whole) {
        (void)unlink(opener->path);
    }
    return NULL;
}

static void end_writer(const struct closing *closing) {
    (void)file_writer_destroy(closing->writer, close_wait_s);
    if (closing->discarded[0] != '\0') {
        (void)unlink(closing->discarded);
    }
}

/* Clients get names, the log has the folder as well. */
static void failure_for_client(struct failure *failure, const char *path) {
    const char *slash = strrchr(path, '/');
    log_write(LOG_WARN, "logbook", "no recording is begun: %s", failure->message);
    if (failure->code == FAILURE_EXISTS) {
        (void)failure_set(failure, FAILURE_EXISTS, "name",
                          "a recording %.100s is there already; allowed is a name that is free, or none",
                          slash == NULL ? path : slash + 1);
    }
    failure_hide_folder(failure);
}

static void open_ordered(struct file_opener *opener) {
    struct failure failure = {0};
    name_file(opener);
    struct file_writer *writer =
        open_file(opener, &failure); /* no other thread reads the order before the file is open */
    opener->is_whole = false;
    if (writer != NULL) {
        writer = fill_file(opener, writer, &failure);
    }
    if (writer == NULL && !opener->is_whole) {
        failure_for_client(&failure, opener->path);
    }
    pthread_mutex_lock(&opener->mutex);
    opener->writer = writer;
    opener->failure = failure;
    opener->state = OPENER_OPEN;
    pthread_mutex_unlock(&opener->mutex);
    opener->def.on_ready(opener->def.context);
}

/* All that there is to do, one thing after the other: files are closed first, and also when the opener ends. */
static void work(void *argument) {
    struct file_opener *opener = argument;
    struct closing closing;
    bool is_closing = true, is_ordered = true;
    while (is_closing || is_ordered) {
        pthread_mutex_lock(&opener->mutex);
        is_closing = opener->closing_count > 0;
        is_ordered = opener->state == OPENER_ORDERED && !opener->is_stopping;
        if (is_closing) {
            closing = opener->closing[--opener->closing_count];
        }
        pthread_mutex_unlock(&opener->mutex);
        if (is_closing) {
            end_writer(&closing);
        } else if (is_ordered) {
            open_ordered(opener);
        }
    }
}

/* ---- the opener: life ---- */

struct file_opener *file_opener_create(const struct file_opener_def *def) {
    struct file_opener *opener = calloc(1, sizeof *opener);
    if (opener == NULL) {
        return NULL;
    }
    opener->def = *def;
    (void)snprintf(opener->folder, sizeof opener->folder, "%s", def->folder);
    opener->def.folder = NULL;
    (void)pthread_mutex_init(&opener->mutex, NULL);
    if (duty_start(&opener->duty, work, opener) != 0) {
        pthread_mutex_destroy(&opener->mutex);
        free(opener);
        return NULL;
    }
    return opener;
}

void file_opener_destroy(struct file_opener *opener) {
    if (opener == NULL) {
        return;
    }
    pthread_mutex_lock(&opener->mutex);
    opener->is_stopping = true;
    pthread_mutex_unlock(&opener->mutex);
    duty_end(&opener->duty);
    (void)file_writer_destroy(opener->writer, close_wait_s);
    pthread_mutex_destroy(&opener->mutex);
    free(opener);
}

/* ---- the opener: orders ---- */

/* Whether the owner's file is open, or could not be opened: opener_take says. Begins to open it when no other is in
 * the way. record: on, or last; its name is that of the file, without .drover; "": after the time. owner: not 0. Any
 * thread; waits for nothing. */
static bool opener_has_opened(struct file_opener *opener, uint32_t owner,
                              const struct request_record *record) {
    pthread_mutex_lock(&opener->mutex);
    const bool is_free = opener->state == OPENER_FREE;
    if (is_free) {
        opener->state = OPENER_ORDERED;
        opener->owner = owner;
        opener->record = *record;
    }
    const bool has_opened = opener->state == OPENER_OPEN && opener->owner == owner;
    pthread_mutex_unlock(&opener->mutex);
    if (is_free) {
        duty_order(&opener->duty);
    }
    return has_opened;
}

/* What the owner ordered; an order can be made again then. */
static struct file_writer *take(struct file_opener *opener, uint32_t owner, char path[FILE_OPENER_PATH],
                                bool *is_whole, uint64_t *from, struct failure *failure) {
    struct file_writer *writer = NULL;
    *is_whole = false;
    pthread_mutex_lock(&opener->mutex);
    if (opener->state == OPENER_OPEN && opener->owner == owner) {
        writer = opener->writer;
        *failure = opener->failure;
        *is_whole = opener->is_whole;
        *from = opener->from;
        memcpy(path, opener->path, FILE_OPENER_PATH);
        opener->writer = NULL;
        opener->state = OPENER_FREE;
    } else {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "the world was not recordable yet; try again");
    }
    pthread_mutex_unlock(&opener->mutex);
    opener->def.on_ready(opener->def.context);
    return writer;
}

/* The owner's file: a writer, the caller's, and its path. NULL with *failure (exists, io). */
static struct file_writer *opener_take(struct file_opener *opener, uint32_t owner,
                                       char path[FILE_OPENER_PATH], struct failure *failure) {
    bool is_whole = false;
    uint64_t from = 0;
    return take(opener, owner, path, &is_whole, &from, failure);
}

/* The same for a file of the last seconds, which is on disk: its path, and the tick that it begins with. 0, or -1 with
 * *failure (exists, io, full), and there is no file. */
static int opener_take_whole(struct file_opener *opener, uint32_t owner, char path[FILE_OPENER_PATH],
                             uint64_t *from, struct failure *failure) {
    bool is_whole = false;
    struct file_writer *writer = take(opener, owner, path, &is_whole, from, failure);
    assert(writer == NULL);
    (void)writer;
    return is_whole ? 0 : -1;
}

/* Ends a writer, later. path: of a file that was begun for nothing and is removed; "" for none. */
static void opener_end(struct file_opener *opener, struct file_writer *writer, const char *path) {
    struct closing closing = {.writer = writer};
    (void)snprintf(closing.discarded, sizeof closing.discarded, "%s", path);
    pthread_mutex_lock(&opener->mutex);
    const bool has_room = opener->closing_count < CLOSING_MOST;
    if (has_room) {
        opener->closing[opener->closing_count++] = closing;
    }
    pthread_mutex_unlock(&opener->mutex);
    if (has_room) {
        duty_order(&opener->duty);
    } else { /* the disk has not moved for as many files: the caller waits for once */
        end_writer(&closing);
    }
}

/* Parts of the memory: how long they are, and what an agent needs of it. */
#define PART_NS     UINT64_C(60000000000)
#define AGENT_BYTES ((uint64_t)FLIGHT_PARTS * 160)

/* ---- the last minutes in memory ---- */

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
        logbook_need_keeper(logbook, state, &failure) != 0 || !keeper_prepare(logbook->keeper, state)) {
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
                                      .seq = logbook->handed_over.seq,
                                      .is_paused = logbook->handed_over.is_paused};
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
           opener_has_opened(logbook->opener, session, record);
}

static void put_recording(struct logbook *logbook, const struct simulation_state *state,
                          struct file_writer *writer, const char *path) {
    struct output *recording = &logbook->recording;
    pthread_mutex_lock(&logbook->mutex);
    logbook_clear_deferred(recording);
    *recording = (struct output){.writer = writer,
                                 .what = "recording",
                                 .file = 1,
                                 .began_ns = clock_now_ns(),
                                 .has_header = true,
                                 .position = logbook->header.length,
                                 .file_bytes = logbook->header.length + LINE_SUM_BYTES};
    logbook_init_deferred(recording);
    logbook->line_tick = world_tick(state->world);
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
    struct file_writer *writer = opener_take(logbook->opener, state->session, path, &fault);
    struct file_writer *former = logbook->recording.writer; /* one that failed */
    if (logbook_is_recording(logbook)) {
        if (writer != NULL) {
            opener_end(logbook->opener, writer, path);
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
        opener_end(logbook->opener, writer, path);
        return -1;
    }
    put_recording(logbook, state, writer, path);
    if (former != NULL) {
        opener_end(logbook->opener, former, "");
    }
    change->has_begun = true;
    return 0;
}

/* Whether the recording's first checkpoint is not there yet. */
static bool waits_for_checkpoint(struct logbook *logbook) {
    pthread_mutex_lock(&logbook->mutex);
    const bool waits = logbook->recording.is_deferring;
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
    opener_end(logbook->opener, writer, "");
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
    if (opener_take_whole(logbook->opener, state->session, path, &from, failure) != 0) {
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
