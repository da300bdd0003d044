/* See logbook.h. */
#include "server/simulation/logbook.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/commands/state_gather.h"
#include "server/recording/checkpoint.h"
#include "server/sim/world/world_stripes.h"
#include "server/simulation/file_opener.h"
#include "server/simulation/flight_memory.h"
#include "server/simulation/keeper.h"
#include "server/storage/checkpoint_round.h"
#include "server/storage/file_writer.h"

#define LOOK_NS              UINT64_C(20000000) /* from one look at a checkpoint that ranks write to the next */
#define AT_NS                ((uint64_t)LOGBOOK_AT_MS * 1000000u)
#define END_WAIT_S           10.0
#define ENDING_BYTES         ((size_t)4096)
#define HELD_MOST            ((size_t)64 << 20)
#define CHECKPOINT_BYTES_A_S 1e6
/* The part of the keeper's time that checkpoints take at most where ticks, not seconds, make them due: one in so many. */
#define CHECKPOINT_SHARE 25
#define HASH_SHARE       200                  /* the same of the ticks of ranks, for hashes */
#define JOURNAL_LEAST_NS UINT64_C(1000000000) /* from one file of a journal to the next then */
/* A journal that has ended is begun again after so long, twice as long after each checkpoint in vain. */
#define AGAIN_LEAST_NS UINT64_C(1000000000)
#define AGAIN_MOST_NS  UINT64_C(64000000000)
/* Parts of the memory: how long they are, and what an agent needs of it. */
#define PART_NS     UINT64_C(60000000000)
#define AGENT_BYTES ((uint64_t)FLIGHT_PARTS * 160)

/* One of the two files. */
struct output {
    struct file_writer *writer;  /* NULL: there is none */
    const char *what;            /* for the log */
    uint64_t last_position;      /* the position when it failed */
    uint64_t position;           /* of the writer, behind the last line; UINT64_MAX: a line is missing */
    _Atomic uint64_t file_bytes; /* put into the file in hand; each tick looks at it without the mutex */
    uint64_t from;               /* the tick at which it began */
    uint64_t began_ns;           /* when the recording's file in hand began */
    uint32_t file;               /* of a recording in several files: its number, from 1 */
    /* A file that begins in the middle of a world has the world's checkpoint at once: other lines are held until the
     * keeper has it. */
    bool is_holding;
    bool has_header;           /* the first line is there already */
    struct buffer world, held; /* the world line; lines after it */
    bool has_failed, is_told;
    struct failure failure;
    char path[LOGBOOK_PATH];
};

/* A journal that ended begins again in two steps: first its header, to see whether the disk takes anything; once that is
 * written, the world with its checkpoint. */
enum comeback_step { COMEBACK_NONE, COMEBACK_HEADER, COMEBACK_WORLD };

struct comeback {
    enum comeback_step step;
    uint64_t due_ns, wait_ns;      /* of the next attempt */
    uint64_t position;             /* of the writer, behind what the step has put */
    uint32_t number;               /* of the journal that is tried; 0: none */
    uint64_t tick, lost_from_tick; /* from which the journal goes on; the last one before */
    bool is_untold;                /* it is back, and clients are not notified yet */
};

/* The checkpoints that ranks write together, where the world is in stripes. */
struct rounds {
    struct checkpoint_round *round; /* owned; NULL: none was written yet */
    uint32_t number;                /* of the checkpoint that is being written */
    uint64_t looked_ns;
    uint64_t hashed_ns, hash_ns; /* when the ranks made a hash together, and how long they took */
};

/* Of the journal: once `position` is on disk, the world is safe up to `tick`. */
struct safe_mark {
    uint64_t position, tick;
};

/* The moment of the last line `at`, hash or checkpoint. */
struct logbook_moment {
    uint64_t tick, seq;
    bool is_paused;
};

struct logbook {
    struct logbook_def def;
    char build[RECORDING_VALUE_BYTES], started[RECORDING_VALUE_BYTES];
    void (*_Atomic notify)(void *context);
    void *notify_context;
    void (*_Atomic on_opened)(void *context);
    void *opened_context;
    struct file_opener *opener;
    /* The keeper's lines go between those of the simulation thread. */
    pthread_mutex_t mutex;
    struct output journal, recording;
    struct comeback comeback;
    uint32_t journal_number;                 /* of the journal in hand */
    _Atomic uint64_t lost_after, lost_until; /* positions that will never be on disk: the first is not one */
    struct safe_mark mark, last_mark;        /* one that is waited for; that of the last line `at` */
    uint64_t synced_tick;
    struct flight_memory memory;
    uint32_t epoch;               /* of the world that the last world line is about */
    struct buffer hash_line;      /* the keeper's */
    struct buffer header;         /* the first line of each file; stays as it is */
    struct logbook_moment handed; /* of the state as of the last lines */
    _Atomic uint64_t tick;        /* the state's; not less than handed.tick */
    /* The simulation thread's. */
    struct recorder recorder;
    struct rounds rounds;
    struct keeper *keeper;                           /* NULL before anything is written */
    bool has_begun, was_begun;                       /* is between begin and end; ever */
    struct logbook_moment at, hash, checkpoint, now; /* now: of the state that the next lines are about */
    bool was_paused;                                 /* in the last line `at` */
    uint64_t at_ns, checkpoint_ns, part_ns;
    bool has_part;                        /* the memory has one, begun at part_ns */
    _Atomic uint64_t checkpoint_bytes;    /* of the last one */
    _Atomic uint64_t checkpoint_spent_ns; /* by the keeper on the last one */
    uint64_t line_tick;                   /* of the last checkpoint of the recording */
    bool needs_line; /* the recording began in the middle of a world, and has no checkpoint yet */
    bool has_ended, is_all_safe;
};

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* ---- putting ---- */

static void fail(struct output *output, const struct failure *failure) {
    if (!output->has_failed) {
        output->has_failed = true;
        output->last_position = output->position;
        output->failure = *failure;
        failure_hide_folder(&output->failure); /* that is for the log alone */
        output->position = UINT64_MAX;
        log_write(LOG_ERROR, "logbook", "the %s ends here: %s", output->what, failure->message);
    }
}

/* Whether the output takes lines. */
static bool is_open(struct output *output) {
    struct failure failure = {0};
    if (output->writer != NULL && !output->has_failed && file_writer_has_failed(output->writer, &failure)) {
        fail(output, &failure);
    }
    return output->writer != NULL && !output->has_failed;
}

static void note_position(struct output *output, uint64_t position, size_t length) {
    if (position == 0) {
        (void)is_open(output);
        return;
    }
    output->position = position;
    output->file_bytes += length;
}

static void hold(struct output *output, struct buffer *lines, const char *bytes, size_t length) {
    buffer_append(lines, bytes, length);
    if (lines->failed) {
        struct failure failure = {0};
        (void)failure_set(&failure, FAILURE_BUSY, NULL,
                          "too much was to be written before the first checkpoint");
        fail(output, &failure);
    }
}

static void put(struct output *output, const char *bytes, size_t length) {
    if (length > 0 && is_open(output) && output->is_holding) {
        hold(output, &output->held, bytes, length);
    } else if (length > 0 && is_open(output)) {
        note_position(output, file_writer_put(output->writer, bytes, length), length);
    }
}

/* bytes: malloc'd; they are the writer's afterwards, or freed. */
static void put_owned(struct output *output, char *bytes, size_t length) {
    if (length > 0 && is_open(output)) {
        note_position(output, file_writer_put_owned(output->writer, bytes, length), length);
    } else {
        free(bytes);
    }
}

static void init_held(struct output *output) {
    buffer_init(&output->world, HELD_MOST);
    buffer_init(&output->held, HELD_MOST);
}

static void begin_holding(struct output *output) {
    buffer_clear(&output->world);
    buffer_clear(&output->held);
    output->is_holding = true;
}

static void forget_held(struct output *output) {
    output->is_holding = false;
    buffer_fini(&output->world);
    buffer_fini(&output->held);
}

/* A checkpoint of the recording, malloc'd. */
static void put_line(struct output *output, char *line, size_t length) {
    if (!output->is_holding) {
        put_owned(output, line, length);
        return;
    }
    output->is_holding = false;
    put(output, output->world.data, output->world.length);
    put_owned(output, line, length);
    put(output, output->held.data, output->held.length);
    forget_held(output);
}

/* Hands the recorder's lines to one output or (NULL) both. */
static void hand_over(struct logbook *logbook, struct output *only) {
    struct buffer *out = &logbook->recorder.out;
    pthread_mutex_lock(&logbook->mutex);
    if (out->failed) {
        struct failure failure = {0};
        (void)failure_set(&failure, FAILURE_BUSY, NULL, "out of memory");
        fail(&logbook->journal, &failure);
        fail(&logbook->recording, &failure);
    } else if (only != NULL) {
        put(only, out->data, out->length);
    } else {
        put(&logbook->journal, out->data, out->length);
        put(&logbook->recording, out->data, out->length);
        flight_memory_add(&logbook->memory, out->data, out->length);
    }
    logbook->handed = logbook->now;
    atomic_store(&logbook->tick, logbook->now.tick);
    pthread_mutex_unlock(&logbook->mutex);
    buffer_clear(out);
}

static struct logbook_moment moment_of(const struct simulation_state *state) {
    return (struct logbook_moment){world_tick(state->world), state->seq, state->is_paused};
}

static bool is_same(struct logbook_moment a, struct logbook_moment b) {
    return a.tick == b.tick && a.seq == b.seq;
}

/* A mark is kept until it is on disk; then the last one is waited for. The mutex is held. */
static void look_at_marks(struct logbook *logbook) {
    const uint64_t synced = file_writer_synced(logbook->journal.writer);
    if (logbook->mark.position <= synced) {
        logbook->synced_tick = logbook->mark.tick;
        logbook->mark = logbook->last_mark;
    }
    if (logbook->last_mark.position <= synced) {
        logbook->synced_tick = logbook->last_mark.tick;
    }
}

static void write_at(struct logbook *logbook, const struct simulation_state *state,
                     struct recorder_session session, struct output *only) {
    logbook->now = moment_of(state);
    if (logbook->keeper == NULL) {
        return; /* nothing is written */
    }
    recorder_write_at(&logbook->recorder, state, session);
    hand_over(logbook, only);
    logbook->at = moment_of(state);
    logbook->at_ns = clock_now_ns();
    logbook->was_paused = state->is_paused;
    pthread_mutex_lock(&logbook->mutex);
    const uint64_t position = logbook->journal.position;
    if (logbook->journal.writer != NULL && !logbook->journal.has_failed) {
        logbook->last_mark = (struct safe_mark){position, logbook->at.tick};
        look_at_marks(logbook);
    }
    pthread_mutex_unlock(&logbook->mutex);
}

static bool is_recording(struct logbook *logbook) {
    pthread_mutex_lock(&logbook->mutex);
    const bool is_recording = is_open(&logbook->recording);
    pthread_mutex_unlock(&logbook->mutex);
    return is_recording;
}

/* The first lines of a recording. In the middle of a world they are held until its checkpoint is there. */
static void begin_recording(struct logbook *logbook, const struct simulation_state *state) {
    struct output *recording = &logbook->recording;
    const struct recording_line *world = &logbook->recorder.world;
    const bool is_new =
        is_same(moment_of(state), (struct logbook_moment){.tick = world->tick, .seq = world->seq});
    struct buffer *out = &logbook->recorder.out;
    logbook->now = moment_of(state);
    if (!is_recording(logbook)) {
        return;
    }
    if (!recording->has_header) {
        recorder_write_header(&logbook->recorder, logbook->started, logbook->build);
        hand_over(logbook, recording);
    }
    recorder_write_world(&logbook->recorder, state);
    if (!is_new && !out->failed) {
        pthread_mutex_lock(&logbook->mutex);
        begin_holding(recording);
        hold(recording, &recording->world, out->data, out->length);
        pthread_mutex_unlock(&logbook->mutex);
        buffer_clear(out);
        logbook->needs_line = true;
    }
    hand_over(logbook, recording);
}

/* ---- what the keeper has ---- */

static void tell_opened(void *context) {
    struct logbook *logbook = context;
    void (*on_opened)(void *context) = atomic_load(&logbook->on_opened);
    if (on_opened != NULL) {
        on_opened(logbook->opened_context);
    }
}

static void put_hash(struct logbook *logbook, const struct keeper_result *result) {
    struct buffer *line = &logbook->hash_line;
    const struct recording_line hash = {
        .op = RECORDING_HASH, .tick = result->tick, .seq = result->seq, .hash = result->hash};
    buffer_clear(line);
    recording_line_write(&hash, line);
    if (!line->failed) {
        put(&logbook->journal, line->data, line->length);
        put(&logbook->recording, line->data, line->length);
        flight_memory_add(&logbook->memory, line->data, line->length);
    }
}

/* The checkpoint of a journal, in its own file; then older ones may go. */
static void write_checkpoint(struct logbook *logbook, const struct keeper_result *result) {
    struct failure failure = {0};
    char path[STATE_DIRECTORY_PATH];
    state_directory_checkpoint_path(logbook->def.directory, result->order.number, path);
    if (file_write_whole(path, result->save, result->save_length, false, &failure) != 0) {
        log_write(LOG_ERROR, "logbook", "a checkpoint is missing: %s", failure.message);
        return;
    }
    state_directory_prune(logbook->def.directory, result->order.number, logbook->def.keep_bytes);
}

/* Called by the keeper's thread. */
static void on_done(void *context, struct keeper_result *result) {
    struct logbook *logbook = context;
    const size_t bytes =
        result->line_length > result->save_length ? result->line_length : result->save_length;
    if (bytes > 0 && (result->order.tasks & KEEPER_MEMORY) == 0) {
        atomic_store(&logbook->checkpoint_bytes, bytes);
        atomic_store(&logbook->checkpoint_spent_ns, result->spent_ns);
    }
    bool has_part = false;
    pthread_mutex_lock(&logbook->mutex);
    if (result->line != NULL && (result->order.tasks & KEEPER_MEMORY) != 0) {
        /* The keeper frees what comes back, without the lock. */
        result->line = flight_memory_put_checkpoint(&logbook->memory, result->line, result->line_length);
        has_part = true;
    } else if (result->epoch == logbook->epoch) {
        if (result->line != NULL) {
            put_line(&logbook->recording, result->line, result->line_length);
            result->line = NULL;
        }
        put_hash(logbook, result);
    }
    pthread_mutex_unlock(&logbook->mutex);
    if (has_part) {
        tell_opened(logbook); /* a request for the last seconds may wait for it */
    }
    if (result->save != NULL) {
        write_checkpoint(logbook, result);
    }
}

/* ---- checkpoints and hashes ---- */

/* So long is it from one checkpoint to the next: what they cost the disk is bounded. */
static uint64_t checkpoint_interval_ns(const struct logbook *logbook) {
    const double grown_s = (double)atomic_load(&logbook->checkpoint_bytes) / CHECKPOINT_BYTES_A_S;
    const double every_s = logbook->def.checkpoint_every_s;
    return (uint64_t)((grown_s > every_s ? grown_s : every_s) * 1e9);
}

/* Whether a recording has so many ticks since its last checkpoint as the interval has at the world's rate: steps go
 * faster than the clock, and a seek simulates from the nearest checkpoint. */
static bool is_line_due(const struct logbook *logbook, const struct simulation_state *state,
                        uint64_t now_ns) {
    const uint64_t tick = world_tick(state->world);
    const uint64_t since_ns = now_ns - logbook->checkpoint_ns;
    const double ticks = logbook->def.checkpoint_every_s * world_tick_hz(state->world);
    return logbook->recording.writer != NULL && (double)(tick - logbook->line_tick) >= ticks &&
           (double)since_ns >= 1e9 * (double)atomic_load(&logbook->checkpoint_bytes) / CHECKPOINT_BYTES_A_S &&
           since_ns >= CHECKPOINT_SHARE * atomic_load(&logbook->checkpoint_spent_ns) &&
           (logbook->journal.writer == NULL || since_ns >= JOURNAL_LEAST_NS);
}

static bool is_recording_full(const struct logbook *logbook) {
    return logbook->def.record_max > 0 &&
           atomic_load(&logbook->recording.file_bytes) >= logbook->def.record_max;
}

/* A file has the lines of one interval at least, however little its size allows: the checkpoint that it begins with may
 * alone be more. */
static bool is_file_old(const struct logbook *logbook, uint64_t now_ns) {
    return now_ns - logbook->recording.began_ns >= checkpoint_interval_ns(logbook);
}

/* NAME.drover, NAME-2.drover, NAME-3.drover. */
static void next_path(const struct output *output, const char *first, char path[LOGBOOK_PATH]) {
    const char *suffix = strstr(first, ".drover");
    const int stem = (int)(suffix == NULL ? strlen(first) : (size_t)(suffix - first));
    (void)snprintf(path, LOGBOOK_PATH, "%.*s-%u%s", stem, first, (unsigned)output->file,
                   suffix == NULL ? "" : suffix);
}

static void begin_next_recording(struct logbook *logbook, const struct simulation_state *state) {
    struct output *recording = &logbook->recording;
    char path[LOGBOOK_PATH];
    recording->file++;
    next_path(recording, recording->path, path);
    pthread_mutex_lock(&logbook->mutex);
    file_writer_next_file(recording->writer, path);
    recording->file_bytes = 0;
    recording->has_header = false;
    pthread_mutex_unlock(&logbook->mutex);
    recording->began_ns = clock_now_ns();
    begin_recording(logbook, state);
    write_at(logbook, state, (struct recorder_session){.name = ""}, recording);
}

static void begin_next_journal(struct logbook *logbook, const struct simulation_state *state,
                               uint32_t number) {
    struct output *journal = &logbook->journal;
    logbook->journal_number = number;
    pthread_mutex_lock(&logbook->mutex);
    state_directory_journal_path(logbook->def.directory, number, journal->path);
    file_writer_next_file(journal->writer, journal->path);
    journal->file_bytes = 0;
    pthread_mutex_unlock(&logbook->mutex);
    recorder_write_header(&logbook->recorder, logbook->started, logbook->build);
    recorder_write_world(&logbook->recorder, state);
    hand_over(logbook, journal);
    write_at(logbook, state, (struct recorder_session){.name = ""}, journal);
}

/* ---- checkpoints that ranks write together ---- */

static void order_ranks(const struct simulation_state *state, enum rank_order order, const char *path) {
    state->ranks->order(state->ranks->context, order, path, path == NULL ? 0 : strlen(path) + 1);
}

/* Whether all ranks can write checkpoints of this journal. */
static int check_ranks(struct logbook *logbook, const struct simulation_state *state,
                       struct failure *failure) {
    if (logbook->def.directory == NULL || !world_is_partial(state->world)) {
        return 0;
    }
    const char *folder = state_directory_path(logbook->def.directory);
    order_ranks(state, RANK_ORDER_FOLDER, folder);
    return checkpoint_round_check(state->exchange, folder, failure);
}

static bool need_round(struct logbook *logbook, const struct simulation_state *state) {
    struct rounds *rounds = &logbook->rounds;
    rounds->round = rounds->round == NULL ? checkpoint_round_new(state->exchange) : rounds->round;
    if (rounds->round == NULL) {
        log_write(LOG_ERROR, "logbook", "out of memory, or of threads: a checkpoint is left out");
    }
    return rounds->round != NULL;
}

static bool is_writing_parts(const struct logbook *logbook) {
    return logbook->rounds.round != NULL && checkpoint_round_is_busy(logbook->rounds.round);
}

static void begin_parts(struct logbook *logbook, const struct simulation_state *state, uint32_t number) {
    struct keeper_result result = {.tick = world_tick(state->world), .seq = state->seq};
    char path[STATE_DIRECTORY_PATH];
    if (!need_round(logbook, state)) {
        return;
    }
    state_directory_checkpoint_path(logbook->def.directory, number, path);
    order_ranks(state, RANK_ORDER_PARTS, path);
    result.hash = checkpoint_round_begin(logbook->rounds.round, state, path);
    logbook->rounds.number = number;
    pthread_mutex_lock(&logbook->mutex);
    put_hash(logbook, &result);
    pthread_mutex_unlock(&logbook->mutex);
}

static void look_at_parts(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns) {
    struct rounds *rounds = &logbook->rounds;
    struct failure failure = {0};
    uint64_t bytes = 0;
    if (!is_writing_parts(logbook) || now_ns - rounds->looked_ns < LOOK_NS) {
        return;
    }
    rounds->looked_ns = now_ns;
    order_ranks(state, RANK_ORDER_LOOK, NULL);
    switch (checkpoint_round_look(rounds->round, &bytes, &failure)) {
    case CHECKPOINT_WRITING:
        break;
    case CHECKPOINT_WRITTEN:
        atomic_store(&logbook->checkpoint_bytes, bytes);
        state_directory_prune(logbook->def.directory, rounds->number, logbook->def.keep_bytes);
        break;
    case CHECKPOINT_FAILED:
        log_write(LOG_ERROR, "logbook", "a checkpoint is missing: %s", failure.message);
        break;
    }
}

/* Until the checkpoint is on disk, but not for ever. */
static void finish_parts(struct logbook *logbook, const struct simulation_state *state) {
    const struct timespec moment = {.tv_nsec = (long)LOOK_NS};
    const uint64_t until_ns = clock_now_ns() + (uint64_t)(END_WAIT_S * 1e9);
    while (is_writing_parts(logbook) && clock_now_ns() < until_ns) {
        (void)nanosleep(&moment, NULL);
        look_at_parts(logbook, state, clock_now_ns());
    }
}

/* Orders a checkpoint for both files. The journal goes on in a further file unless its number is given. */
static void order_checkpoint(struct logbook *logbook, const struct simulation_state *state,
                             uint32_t journal_number, uint64_t now_ns) {
    struct keeper_order order = {0};
    struct failure moved = {0};
    if (logbook->journal.writer != NULL && state_directory_check(logbook->def.directory, &moved) != 0) {
        pthread_mutex_lock(&logbook->mutex);
        fail(&logbook->journal, &moved);
        pthread_mutex_unlock(&logbook->mutex);
    }
    pthread_mutex_lock(&logbook->mutex);
    order.tasks |= is_open(&logbook->journal) ? (unsigned)KEEPER_SAVE : 0u;
    order.tasks |= is_open(&logbook->recording) ? (unsigned)KEEPER_LINE : 0u;
    pthread_mutex_unlock(&logbook->mutex);
    const bool has_journal = (order.tasks & KEEPER_SAVE) != 0;
    const bool in_parts = has_journal && world_is_partial(state->world);
    order.tasks &= in_parts ? ~(unsigned)KEEPER_SAVE : ~0u;
    if ((!has_journal && order.tasks == 0) || (in_parts && is_writing_parts(logbook)) ||
        (order.tasks != 0 && !keeper_is_ready(logbook->keeper, state))) {
        return;
    }
    const bool is_next = has_journal && journal_number == 0;
    order.number = is_next ? state_directory_next(logbook->def.directory) : journal_number;
    if (is_next) {
        begin_next_journal(logbook, state, order.number);
    }
    if ((order.tasks & KEEPER_LINE) != 0 && is_recording_full(logbook) && is_file_old(logbook, now_ns)) {
        begin_next_recording(logbook, state);
    }
    if (in_parts) {
        begin_parts(logbook, state, order.number);
    }
    if (order.tasks == 0 || keeper_take(logbook->keeper, state, order)) {
        logbook->needs_line = logbook->needs_line && (order.tasks & KEEPER_LINE) == 0;
    } else {
        log_write(LOG_ERROR, "logbook", "out of memory: a checkpoint is left out");
    }
    logbook->hash = logbook->checkpoint = moment_of(state);
    logbook->line_tick = logbook->checkpoint.tick;
    logbook->checkpoint_ns = now_ns;
}

static void look_for_checkpoint(struct logbook *logbook, const struct simulation_state *state,
                                uint64_t now_ns) {
    if (logbook->keeper == NULL) {
        return;
    }
    /* A paused world waits for no memory, as nothing may happen in it for long. */
    if (logbook->needs_line && (state->is_paused || keeper_is_ready(logbook->keeper, state)) &&
        keeper_take(logbook->keeper, state, (struct keeper_order){.tasks = KEEPER_LINE})) {
        logbook->needs_line = false;
        return;
    }
    const bool is_due = now_ns - logbook->checkpoint_ns >= checkpoint_interval_ns(logbook) ||
                        is_line_due(logbook, state, now_ns) ||
                        (is_recording_full(logbook) && is_file_old(logbook, now_ns));
    if (is_due && !keeper_is_busy(logbook->keeper) && !is_same(moment_of(state), logbook->checkpoint)) {
        order_checkpoint(logbook, state, 0, now_ns);
    }
}

static int need_keeper(struct logbook *logbook, const struct simulation_state *state,
                       struct failure *failure) {
    const struct keeper_def def = {logbook, on_done};
    logbook->keeper = logbook->keeper == NULL ? keeper_create(&def, state) : logbook->keeper;
    return logbook->keeper != NULL ? 0
                                   : failure_set(failure, FAILURE_BUSY, NULL, "out of memory, or of threads");
}

/* Ranks that have a part of the world each keep none of its last minutes: `record` is not for them. */
static bool has_room(const struct logbook *logbook, const struct simulation_state *state) {
    return !world_is_partial(state->world) &&
           (uint64_t)world_agent_count(state->world) * AGENT_BYTES <= logbook->def.memory_bytes;
}

/* The state's checkpoint, malloc'd; NULL without memory. For moments when the keeper cannot make it. */
static char *make_checkpoint(const struct simulation_state *state, size_t *length) {
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    const struct world_room none = {0};
    const bool is_partial = world_is_partial(state->world);
    struct world *whole = is_partial ? world_new_room(&none) : NULL;
    struct buffer line;
    buffer_init(&line, (size_t)1 << 30);
    if (is_partial && (whole == NULL || state_gather_world(state, whole) != 0)) {
        world_destroy(whole);
        return NULL;
    }
    checkpoint_write(is_partial ? whole : state->world, &rest, &line, NULL);
    world_destroy(whole);
    if (line.failed) {
        buffer_fini(&line);
        return NULL;
    }
    return buffer_take(&line, length);
}

/* Begins the part of the memory with the state as it is. */
static void begin_part(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns) {
    struct buffer *out = &logbook->recorder.out;
    logbook->has_part = has_room(logbook, state);
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

/* The memory begins at once, where no keeper is free and no tick may follow: a paused world is kept too. */
static void begin_memory(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns) {
    size_t length = 0;
    if (logbook->def.memory_bytes == 0 || state->is_spoiled || !has_room(logbook, state)) {
        return;
    }
    char *line = make_checkpoint(state, &length);
    if (line == NULL) {
        return; /* a later tick begins it */
    }
    begin_part(logbook, state, now_ns);
    pthread_mutex_lock(&logbook->mutex);
    char *left = flight_memory_put_checkpoint(&logbook->memory, line, length);
    pthread_mutex_unlock(&logbook->mutex);
    free(left);
}

/* So that the parts that ticks begin and fill take no memory then. */
static void reserve_memory(struct logbook *logbook) {
    if (logbook->has_part) {
        pthread_mutex_lock(&logbook->mutex);
        flight_memory_reserve(&logbook->memory);
        pthread_mutex_unlock(&logbook->mutex);
    }
}

/* Each minute the memory begins a further part. */
static void look_for_part(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns) {
    const bool is_due = !logbook->has_part || now_ns - logbook->part_ns >= PART_NS;
    struct failure failure = {0};
    if (!is_due || logbook->def.memory_bytes == 0 || state->is_spoiled ||
        (!has_room(logbook, state) && logbook->memory.count == 0) ||
        need_keeper(logbook, state, &failure) != 0 || !keeper_is_ready(logbook->keeper, state)) {
        return;
    }
    begin_part(logbook, state, now_ns);
    logbook->has_part = logbook->has_part &&
                        keeper_take(logbook->keeper, state, (struct keeper_order){.tasks = KEEPER_MEMORY});
}

/* Ranks that have a part of the world each make its hash together, which no thread does beside the ticks: as often as it
 * takes little of their time. */
static void put_hash_of_ranks(struct logbook *logbook, const struct simulation_state *state) {
    struct rounds *rounds = &logbook->rounds;
    const uint64_t start_ns = clock_now_ns();
    if (start_ns - rounds->hashed_ns < HASH_SHARE * rounds->hash_ns) {
        return;
    }
    const struct keeper_result result = {
        .tick = world_tick(state->world), .seq = state->seq, .hash = simulation_state_hash(state)};
    pthread_mutex_lock(&logbook->mutex);
    put_hash(logbook, &result);
    pthread_mutex_unlock(&logbook->mutex);
    logbook->hash = moment_of(state);
    rounds->hashed_ns = clock_now_ns();
    rounds->hash_ns = rounds->hashed_ns - start_ns;
}

/* Once a second of ticks. */
static void look_for_hash(struct logbook *logbook, const struct simulation_state *state) {
    const uint64_t tick = world_tick(state->world);
    const double second = world_tick_hz(state->world);
    if (logbook->keeper == NULL ||
        (logbook->journal.writer == NULL && logbook->recording.writer == NULL && !logbook->has_part)) {
        return;
    }
    if ((double)(tick - logbook->hash.tick) >= second && world_is_partial(state->world)) {
        put_hash_of_ranks(logbook, state);
        return;
    }
    if ((double)(tick - logbook->hash.tick) >= second && keeper_is_ready(logbook->keeper, state) &&
        keeper_take(logbook->keeper, state, (struct keeper_order){.tasks = KEEPER_HASH})) {
        logbook->hash = moment_of(state);
    }
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

static int fill(void *context, const struct request_record *record, struct file_writer *writer,
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

/* ---- life ---- */

static void on_written(void *context) {
    struct logbook *logbook = context;
    void (*notify)(void *context) = atomic_load(&logbook->notify);
    if (notify != NULL) {
        notify(logbook->notify_context);
    }
}

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
                                        .notify = on_written,
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
    init_held(&logbook->recording);
    flight_memory_init(&logbook->memory);
    (void)snprintf(logbook->build, sizeof logbook->build, "%s", def->build);
    write_time(logbook->started);
    buffer_init(&logbook->hash_line, 4096);
    write_header(logbook);
    (void)snprintf(logbook->recording.path, sizeof logbook->recording.path, "%s", def->record);
    const struct file_opener_def opener = {def->recordings, def->sync_s, logbook,
                                           tell_opened,     on_written,  fill};
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
    forget_held(&logbook->recording);
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

/* Puts the checkpoint of the state as it is: none can make it later. */
static void put_checkpoint(struct logbook *logbook, const struct simulation_state *state,
                           struct output *output) {
    struct failure failure = {0};
    size_t length = 0;
    if (output->writer == NULL) {
        return;
    }
    char *text = make_checkpoint(state, &length);
    pthread_mutex_lock(&logbook->mutex);
    if (text == NULL) {
        (void)failure_set(&failure, FAILURE_BUSY, NULL, "out of memory");
        fail(output, &failure);
    } else {
        put_line(output, text, length);
    }
    pthread_mutex_unlock(&logbook->mutex);
}

/* is_patient: the server has begun to serve already. */
static int begin_journal(struct logbook *logbook, const struct simulation_state *state, uint32_t *number,
                         bool is_patient, struct failure *failure) {
    *number = logbook->journal_number = state_directory_next(logbook->def.directory);
    state_directory_journal_path(logbook->def.directory, *number, logbook->journal.path);
    if (open_output(logbook, &logbook->journal, logbook->def.is_always, is_patient, failure) != 0) {
        fail(&logbook->journal, failure);
        return -1;
    }
    recorder_write_header(&logbook->recorder, logbook->started, logbook->build);
    recorder_write_world(&logbook->recorder, state);
    hand_over(logbook, &logbook->journal);
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
    logbook->handed = logbook->now = moment_of(state);
    atomic_store(&logbook->tick, logbook->now.tick);
    set_first_world(logbook, state, origin);
    logbook->hash = logbook->checkpoint = moment_of(state);
    logbook->line_tick = logbook->checkpoint.tick;
    logbook->checkpoint_ns = clock_now_ns();
    logbook->synced_tick =
        is_known_world(origin) ? world_tick(state->world) : 0; /* in the journals that are there */
    logbook->mark = logbook->last_mark = (struct safe_mark){.tick = logbook->synced_tick};
}

int logbook_begin(struct logbook *logbook, const struct simulation_state *state,
                  const struct logbook_origin *origin, struct failure *failure) {
    assert(!logbook->has_begun);
    uint32_t number = 0;
    const bool is_written = logbook->def.directory != NULL || logbook->recording.writer != NULL ||
                            (logbook->def.memory_bytes > 0 && has_room(logbook, state));
    const bool is_new = world_tick(state->world) == 0 && state->seq == 0;
    const bool is_known = is_known_world(origin);
    if ((is_written && need_keeper(logbook, state, failure) != 0) ||
        check_ranks(logbook, state, failure) != 0) {
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
        put_checkpoint(logbook, state, &logbook->journal);
    }
    logbook->recording.began_ns = logbook->checkpoint_ns;
    begin_recording(logbook, state);
    if (!is_new && !is_known) {
        put_checkpoint(logbook, state, &logbook->recording);
    }
    write_at(logbook, state, (struct recorder_session){.name = ""}, NULL);
    if (!is_new) {
        order_checkpoint(logbook, state, number, logbook->checkpoint_ns);
        begin_memory(logbook, state, logbook->checkpoint_ns);
    }
    look_for_part(logbook, state, logbook->checkpoint_ns);
    reserve_memory(logbook);
    return origin->world != NULL ? 0 : sync_beginning(logbook, failure);
}

/* ---- a journal that begins again ---- */

bool logbook_has_lost_journal(struct logbook *logbook) {
    pthread_mutex_lock(&logbook->mutex);
    const bool is_lost = logbook->journal.writer != NULL &&
                         (logbook->comeback.step != COMEBACK_NONE || !is_open(&logbook->journal));
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
    look_at_marks(logbook);
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
    hand_over(logbook, journal);
    put_checkpoint(logbook, state, journal);
    write_at(logbook, state, (struct recorder_session){.name = ""}, journal);
    pthread_mutex_lock(&logbook->mutex);
    comeback->position = journal->position;
    pthread_mutex_unlock(&logbook->mutex);
    comeback->tick = world_tick(state->world);
    comeback->step = COMEBACK_WORLD;
}

static void log_comeback(const struct logbook *logbook) {
    log_write(LOG_WARN, "logbook",
              "the journal goes on in %s from tick %" PRIu64 "; what happened after tick %" PRIu64
              " and before is in none",
              name_of(logbook->journal.path), logbook->comeback.tick, logbook->comeback.lost_from_tick);
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
    log_comeback(logbook);
    pthread_mutex_lock(&logbook->mutex);
    *comeback = (struct comeback){.is_untold = true};
    logbook->journal.is_told = false;
    pthread_mutex_unlock(&logbook->mutex);
    logbook->checkpoint_ns = 0; /* the next one is due */
    on_written(logbook);
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

/* ---- what happens ---- */

void logbook_note_request(struct logbook *logbook, const struct simulation_state *state,
                          const struct request *request, struct recorder_session session) {
    if (logbook->keeper == NULL) {
        return;
    }
    logbook->now = moment_of(state);
    if (recorder_is_do(request->op)) {
        recorder_write_do(&logbook->recorder, state, request, session);
        hand_over(logbook, NULL);
    } else {
        write_at(logbook, state, session, NULL);
    }
    look_at_parts(logbook, state, clock_now_ns());
    if (state->is_paused && !state->is_spoiled) {
        look_for_checkpoint(logbook, state, clock_now_ns());
    }
}

void logbook_note_at(struct logbook *logbook, const struct simulation_state *state) {
    if (!is_same(logbook->at, moment_of(state)) || logbook->was_paused != state->is_paused) {
        write_at(logbook, state, (struct recorder_session){.name = ""}, NULL);
    }
}

void logbook_note_leave(struct logbook *logbook, const struct simulation_state *state) {
    write_at(logbook, state, (struct recorder_session){.name = ""}, NULL);
}

void logbook_note_load(struct logbook *logbook, const struct simulation_state *state, uint64_t hash,
                       bool is_saved, struct recorder_session session) {
    pthread_mutex_lock(&logbook->mutex);
    logbook->epoch = state->epoch;
    forget_held(&logbook->recording); /* the recording begins with the new world */
    pthread_mutex_unlock(&logbook->mutex);
    logbook->needs_line = false;
    recorder_set_world(&logbook->recorder, state, hash, session);
    logbook->now = moment_of(state);
    if (logbook->keeper == NULL) {
        return;
    }
    recorder_write_world(&logbook->recorder, state);
    hand_over(logbook, NULL);
    if (is_saved) {
        put_checkpoint(logbook, state, &logbook->recording);
        put_checkpoint(logbook, state, &logbook->journal);
        pthread_mutex_lock(&logbook->mutex);
        flight_memory_clear(&logbook->memory); /* its scenario alone does not say what the world is */
        pthread_mutex_unlock(&logbook->mutex);
        logbook->has_part = false;
    }
    if (!logbook->has_part) {
        begin_memory(logbook, state, clock_now_ns());
    }
    reserve_memory(logbook);
    write_at(logbook, state, (struct recorder_session){.name = ""}, NULL);
    logbook->hash = moment_of(state);
    logbook->line_tick = logbook->hash.tick;
}

void logbook_note_tick(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns) {
    const uint64_t tick_ns = (uint64_t)(1e9 / world_tick_hz(state->world));
    atomic_store(&logbook->tick, world_tick(state->world));
    const bool has_at = logbook->journal.writer != NULL &&
                        now_ns + tick_ns >= logbook->at_ns + AT_NS; /* the next tick would be too late */
    if (has_at) {
        write_at(logbook, state, (struct recorder_session){.name = ""}, &logbook->journal);
        logbook->at_ns = now_ns;
    }
    logbook_look_again(logbook, state, now_ns);
    look_at_parts(logbook, state, now_ns);
    look_for_checkpoint(logbook, state, now_ns);
    look_for_part(logbook, state, now_ns);
    look_for_hash(logbook, state);
}

/* What can still be done for a world whose journal ended. */
static void begin_again_at_end(struct logbook *logbook, const struct simulation_state *state) {
    struct comeback *comeback = &logbook->comeback;
    const bool has_failed = file_writer_has_failed(logbook->journal.writer, NULL);
    if ((comeback->step == COMEBACK_NONE || has_failed) && !try_header(logbook)) {
        return;
    }
    put_comeback(logbook, state);
    file_writer_settle(logbook->journal.writer); /* whatever is there is more than nothing */
}

static void end_journal(struct logbook *logbook, struct file_writer *journal,
                        const struct simulation_state *state) {
    struct failure failure = {0};
    if (journal == NULL) {
        return;
    }
    logbook->is_all_safe = file_writer_end(journal, END_WAIT_S, &failure) && !logbook->journal.has_failed;
    if (logbook->is_all_safe && logbook->comeback.step != COMEBACK_NONE) {
        log_comeback(logbook);
    } else if (!logbook->is_all_safe) {
        log_write(LOG_ERROR, "logbook", "the world is lost from tick %" PRIu64 " on, to tick %" PRIu64 ": %s",
                  logbook->synced_tick, world_tick(state->world),
                  failure.message[0] != '\0' ? failure.message : logbook->journal.failure.message);
    }
}

/* The last line of the journal, or a further journal with the checkpoint of all ranks. */
static void put_last_checkpoint(struct logbook *logbook, const struct simulation_state *state) {
    if (!world_is_partial(state->world)) {
        put_checkpoint(logbook, state, &logbook->journal);
        return;
    }
    finish_parts(logbook, state);
    if (!is_same(moment_of(state), logbook->checkpoint) && !is_writing_parts(logbook)) {
        const uint32_t number = state_directory_next(logbook->def.directory);
        begin_next_journal(logbook, state, number);
        begin_parts(logbook, state, number);
        finish_parts(logbook, state);
    }
}

void logbook_end(struct logbook *logbook, const struct simulation_state *state) {
    if (!logbook->has_begun || logbook->keeper == NULL) {
        return;
    }
    logbook->has_begun = false;
    keeper_wait(logbook->keeper);
    write_at(logbook, state, (struct recorder_session){.name = ""}, NULL);
    keeper_destroy(logbook->keeper);
    logbook->keeper = NULL;
    if (logbook->recording.is_holding && !state->is_spoiled) {
        put_checkpoint(logbook, state, &logbook->recording);
    }
    recorder_write_end(&logbook->recorder, state, "");
    hand_over(logbook, &logbook->recording);
    if (!state->is_spoiled && logbook->journal.writer != NULL && !is_open(&logbook->journal)) {
        begin_again_at_end(logbook, state);
    } else if (!state->is_spoiled && is_open(&logbook->journal)) {
        put_last_checkpoint(logbook, state);
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

/* ---- recordings that are asked for ---- */

/* Whether the memory has no checkpoint yet, but will have one soon. */
static bool waits_for_memory(struct logbook *logbook) {
    pthread_mutex_lock(&logbook->mutex);
    const bool waits = logbook->memory.count == 1 && flight_memory_waits(&logbook->memory);
    pthread_mutex_unlock(&logbook->mutex);
    return waits;
}

bool logbook_is_ready(struct logbook *logbook, uint32_t session, const struct request_record *record) {
    if ((!record->on && !record->has_last) || (record->on && is_recording(logbook))) {
        return true;
    }
    return !(record->has_last && waits_for_memory(logbook)) &&
           file_opener_has_opened(logbook->opener, session, record);
}

static void put_recording(struct logbook *logbook, const struct simulation_state *state,
                          struct file_writer *writer, const char *path) {
    struct output *recording = &logbook->recording;
    pthread_mutex_lock(&logbook->mutex);
    forget_held(recording);
    *recording = (struct output){.writer = writer,
                                 .what = "recording",
                                 .file = 1,
                                 .from = world_tick(state->world),
                                 .began_ns = clock_now_ns(),
                                 .has_header = true,
                                 .position = logbook->header.length,
                                 .file_bytes = logbook->header.length};
    init_held(recording);
    logbook->line_tick = recording->from;
    (void)snprintf(recording->path, sizeof recording->path, "%s", path);
    pthread_mutex_unlock(&logbook->mutex);
    begin_recording(logbook, state);
    write_at(logbook, state, (struct recorder_session){.name = ""}, recording);
    look_for_checkpoint(logbook, state, clock_now_ns());
}

static int start_recording(struct logbook *logbook, const struct simulation_state *state,
                           struct logbook_change *change, struct failure *failure) {
    char path[FILE_OPENER_PATH];
    struct failure fault = {0};
    struct file_writer *writer = file_opener_take(logbook->opener, state->session, path, &fault);
    struct file_writer *former = logbook->recording.writer; /* one that failed */
    if (is_recording(logbook)) {
        if (writer != NULL) {
            file_opener_discard(logbook->opener, writer, path);
        }
        return failure_set(failure, FAILURE_EXISTS, "on",
                           "this server records to %.100s already; `record` with \"on\":false ends that",
                           name_of(logbook->recording.path));
    }
    if (writer == NULL) {
        *failure = fault;
        return -1;
    }
    if (need_keeper(logbook, state, failure) != 0) {
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
    if (!is_recording(logbook)) {
        return failure_set(failure, FAILURE_NOT_RECORDING, "on",
                           "no recording is being written; `record` with \"on\":true begins one");
    }
    if (recording->is_holding) {
        put_checkpoint(logbook, state, recording);
    }
    write_at(logbook, state, (struct recorder_session){.name = ""}, recording);
    recorder_write_end(&logbook->recorder, state, "");
    hand_over(logbook, recording);
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
    (void)snprintf(name, sizeof name, "%.*s", LOGBOOK_NAME - 1, name_of(path));
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
                   name_of(logbook->recording.path));
    write_name(change->name, json);
    json_key_unsigned(json, "from", logbook->recording.from);
    return 0;
}

/* ---- for other threads ---- */

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
    const bool refuses =
        logbook->def.is_always && logbook->journal.path[0] != '\0' && !is_open(&logbook->journal);
    if (refuses) {
        *failure = logbook->journal.failure;
        failure->code = FAILURE_IO;
        failure->field[0] = '\0';
    }
    pthread_mutex_unlock(&logbook->mutex);
    return refuses;
}

static void read_file(struct output *output, struct logbook_file_statistics *out) {
    out->is_on = is_open(output);
    out->has_failed = output->has_failed;
    out->bytes = output->position == UINT64_MAX ? 0 : output->position;
    (void)snprintf(out->name, sizeof out->name, "%.*s", LOGBOOK_NAME - 1, name_of(output->path));
    /* The name is there already. */
    const size_t length = strlen(name_of(output->path));
    const bool has_path = length > 0 &&
                          strncmp(output->failure.message, name_of(output->path), length) == 0 &&
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
        look_at_marks(logbook);
    }
    out->journal.synced_tick = logbook->synced_tick;
    pthread_mutex_unlock(&logbook->mutex);
}

static bool tell_ended(struct output *output, struct logbook_file_statistics *file) {
    (void)is_open(output);
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
    bool is_news = logbook->comeback.is_untold && is_open(&logbook->journal);
    if (is_news) {
        logbook->comeback.is_untold = false;
        read_file(&logbook->journal, file);
    } else {
        is_news = tell_ended(&logbook->journal, file) || tell_ended(&logbook->recording, file);
    }
    pthread_mutex_unlock(&logbook->mutex);
    return is_news;
}
