/* See file_writer.h.
 *
 * What waits is a row of bytes in a ring, interrupted by marks: a block that was given, or a further file. The thread
 * takes everything that waits as one group, writes it without the lock, flushes, and says how far it got.
 */
#include "server/storage/file_writer.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "common/system/clock.h"
#include "common/system/duty.h"
#include "common/system/timed_wait.h"

enum { WRITE_BYTES = 1024 * 1024 /* of one call; progress shows in these steps */ };

static const uint64_t NS_PER_MS = 1000000, NS_PER_S = 1000000000, NEVER = UINT64_MAX;

/* Something that stands between two bytes of the ring, or instead of them. */
struct mark {
    uint64_t at;   /* position */
    char *bytes;   /* a block; NULL: a further file */
    size_t length; /* 0 for a further file */
    char path[DISK_FILE_PATH];
};

struct file_writer {
    bool is_always;
    uint64_t sync_ns; /* 0: only when a file is closed */
    void (*notify)(void *context);
    void *context;
    pthread_t thread;

    struct output_file file; /* the thread's alone */
    uint64_t unsynced_ns;    /* the thread's: when the oldest byte that is not synced was written */
    atomic_uint_fast64_t synced_ns, free_bytes;     /* struct file_writer_disk */
    atomic_uint_fast64_t written, synced, progress; /* progress: grows as long as the disk takes anything */

    pthread_mutex_t mutex;        /* of all that follows */
    pthread_cond_t work, changed; /* for the thread; for those that wait for the thread */
    char *ring;
    size_t head, used;
    struct mark marks[FILE_WRITER_MARKS];
    int first_mark, mark_count;
    size_t owned;        /* bytes of blocks that wait */
    uint64_t put, taken; /* positions: accepted; given to the file */
    uint64_t group_end;  /* position up to which the thread takes now */
    uint64_t oldest_ns;  /* when the first byte after group_end was put */
    uint64_t urgent;     /* position up to which another thread waits for the disk */
    bool is_ending, is_done, is_abandoned, is_notifying;
    bool has_failed, is_failure_told;
    bool is_on_trial; /* the file is removed on a failure */
    struct failure failure;
};

/* ---- failure, under the mutex ---- */

static void fail(struct file_writer *writer, const struct failure *failure) {
    if (!writer->has_failed) {
        writer->has_failed = true;
        writer->failure = *failure;
    }
    pthread_cond_signal(&writer->work);
}

static void fail_too_slow(struct file_writer *writer, size_t bytes) {
    struct failure failure;
    (void)failure_set(&failure, FAILURE_FULL, NULL, "the disk is too slow: %zu bytes wait to be written",
                      bytes);
    fail(writer, &failure);
}

/* Lets go of what waits. By the thread, which reads from the ring and the blocks without the mutex. */
static void discard(struct file_writer *writer) {
    for (int i = 0; i < writer->mark_count; i++) {
        free(writer->marks[(writer->first_mark + i) % FILE_WRITER_MARKS].bytes);
    }
    writer->mark_count = 0;
    writer->used = writer->owned = 0;
    writer->taken = writer->group_end = writer->put;
}

/* ---- what is put, under the mutex ---- */

static void begin_put(struct file_writer *writer) {
    if (writer->put == writer->group_end) { /* the thread may wait without an end */
        writer->oldest_ns = clock_now_ns();
        pthread_cond_signal(&writer->work);
    }
}

static void append(struct file_writer *writer, const char *bytes, size_t length) {
    const size_t tail = (writer->head + writer->used) % FILE_WRITER_ROOM;
    const size_t until_end = FILE_WRITER_ROOM - tail;
    const size_t first = length < until_end ? length : until_end;
    memcpy(writer->ring + tail, bytes, first);
    memcpy(writer->ring, bytes + first, length - first);
    writer->used += length;
    writer->put += length;
}

static bool is_half_full(const struct file_writer *writer) {
    return writer->used >= FILE_WRITER_ROOM / 2;
}

uint64_t file_writer_put(struct file_writer *writer, const char *bytes, size_t length) {
    assert(length > 0);
    uint64_t position = 0;
    pthread_mutex_lock(&writer->mutex);
    assert(!writer->is_ending);
    if (!writer->has_failed && length > FILE_WRITER_ROOM - writer->used) {
        fail_too_slow(writer, writer->used + length);
    }
    if (!writer->has_failed) {
        begin_put(writer);
        append(writer, bytes, length);
        position = writer->put;
        if (is_half_full(writer)) {
            pthread_cond_signal(&writer->work);
        }
    }
    pthread_mutex_unlock(&writer->mutex);
    return position;
}

/* The next free mark; NULL when the writer has failed, now or before. */
static struct mark *add_mark(struct file_writer *writer, size_t length) {
    if (!writer->has_failed &&
        (writer->mark_count == FILE_WRITER_MARKS || length > FILE_WRITER_OWNED_ROOM - writer->owned)) {
        fail_too_slow(writer, writer->owned + length);
    }
    if (writer->has_failed) {
        return NULL;
    }
    begin_put(writer);
    struct mark *mark = &writer->marks[(writer->first_mark + writer->mark_count) % FILE_WRITER_MARKS];
    mark->at = writer->put;
    mark->length = length;
    writer->mark_count++;
    writer->owned += length;
    writer->put += length;
    pthread_cond_signal(&writer->work);
    return mark;
}

uint64_t file_writer_put_owned(struct file_writer *writer, char *bytes, size_t length) {
    assert(length > 0);
    pthread_mutex_lock(&writer->mutex);
    assert(!writer->is_ending);
    struct mark *mark = add_mark(writer, length);
    if (mark != NULL) {
        mark->bytes = bytes;
    }
    const uint64_t position = mark == NULL ? 0 : writer->put;
    pthread_mutex_unlock(&writer->mutex);
    if (mark == NULL) {
        free(bytes);
    }
    return position;
}

void file_writer_next_file(struct file_writer *writer, const char *path) {
    const size_t length = strlen(path);
    pthread_mutex_lock(&writer->mutex);
    assert(!writer->is_ending);
    if (length >= DISK_FILE_PATH) {
        struct failure failure;
        (void)failure_set(&failure, FAILURE_IO, NULL, "%.200s...: the path is too long", path);
        fail(writer, &failure);
    }
    struct mark *mark = add_mark(writer, 0);
    if (mark != NULL) {
        mark->bytes = NULL;
        memcpy(mark->path, path, length + 1);
    }
    pthread_mutex_unlock(&writer->mutex);
}

bool file_writer_begin_again(struct file_writer *writer, const char *path) {
    pthread_mutex_lock(&writer->mutex);
    const bool is_ready = !writer->has_failed || writer->is_failure_told;
    if (is_ready && writer->has_failed) {
        writer->has_failed = writer->is_failure_told = false;
        atomic_store(&writer->written, atomic_load(&writer->synced)); /* nothing of it is left to be synced */
        writer->is_on_trial = true;
    }
    pthread_mutex_unlock(&writer->mutex);
    if (is_ready) {
        file_writer_next_file(writer, path);
    }
    return is_ready;
}

void file_writer_settle(struct file_writer *writer) {
    pthread_mutex_lock(&writer->mutex);
    writer->is_on_trial = false;
    pthread_mutex_unlock(&writer->mutex);
}

/* ---- the thread: what the disk says ---- */

static void look_at_disk(struct file_writer *writer) {
    struct statvfs disk;
    if (writer->file.descriptor >= 0 && fstatvfs(writer->file.descriptor, &disk) == 0) {
        atomic_store(&writer->free_bytes, (uint64_t)disk.f_bavail * disk.f_frsize);
    }
}

static void note_synced(struct file_writer *writer, uint64_t position) {
    atomic_store(&writer->synced, position);
    atomic_store(&writer->synced_ns, clock_now_ns());
    look_at_disk(writer);
}

/* ---- the thread: one group; the mutex is held, but not while the disk works ---- */

/* Writes bytes in steps. 0, or -1 with *failure. Without the mutex. */
static int write_steps(struct file_writer *writer, const char *bytes, size_t length,
                       struct failure *failure) {
    while (length > 0) {
        const size_t count = length < WRITE_BYTES ? length : WRITE_BYTES;
        if (output_file_write(&writer->file, bytes, count, failure) != 0) {
            return -1;
        }
        bytes += count;
        length -= count;
        atomic_fetch_add(&writer->progress, 1);
    }
    return 0;
}

/* What lies in the ring in one piece, up to the next mark and the end of the group. */
static int take_ring(struct file_writer *writer, uint64_t until, struct failure *failure) {
    const uint64_t waits = until - writer->taken;
    const size_t until_end = FILE_WRITER_ROOM - writer->head;
    const size_t count = waits < until_end ? (size_t)waits : until_end;
    pthread_mutex_unlock(&writer->mutex);
    const int result = write_steps(writer, writer->ring + writer->head, count, failure);
    pthread_mutex_lock(&writer->mutex);
    writer->used -= count;
    writer->taken += count;
    /* Begins again at the start: only as much of the ring as is ever used takes memory. */
    writer->head = writer->used == 0 ? 0 : (writer->head + count) % FILE_WRITER_ROOM;
    return result;
}

/* The file is changed; everything taken so far is on disk then. */
static int take_next_file(struct file_writer *writer, const struct mark *mark, struct failure *failure) {
    const uint64_t max_bytes = writer->file.max_bytes;
    const bool is_open = writer->file.descriptor >= 0; /* not after a failure */
    pthread_mutex_unlock(&writer->mutex);
    int result = is_open ? output_file_close(&writer->file, failure) : 0;
    if (result == 0) {
        atomic_store(&writer->written, writer->taken);
        note_synced(writer, writer->taken);
        result = output_file_create(&writer->file, mark->path, max_bytes, failure);
    }
    if (result != 0 && failure->code != FAILURE_FULL) {
        failure->code = FAILURE_IO; /* no caller waits that could choose another name */
    }
    pthread_mutex_lock(&writer->mutex);
    return result;
}

static int take_block(struct file_writer *writer, const struct mark *mark, struct failure *failure) {
    pthread_mutex_unlock(&writer->mutex);
    const int result = write_steps(writer, mark->bytes, mark->length, failure);
    pthread_mutex_lock(&writer->mutex);
    free(mark->bytes);
    writer->taken += mark->length;
    writer->owned -= mark->length;
    return result;
}

/* A mark stays where it is while it is taken: a mark that is added meanwhile gets another place. */
static int take_mark(struct file_writer *writer, struct failure *failure) {
    const struct mark *mark = &writer->marks[writer->first_mark];
    const int result =
        mark->bytes == NULL ? take_next_file(writer, mark, failure) : take_block(writer, mark, failure);
    writer->first_mark = (writer->first_mark + 1) % FILE_WRITER_MARKS;
    writer->mark_count--;
    return result;
}

/* Everything that waits now; what is added meanwhile belongs to the next group. */
static int take_group(struct file_writer *writer, struct failure *failure) {
    const uint64_t end = writer->group_end = writer->put;
    int marks = writer->mark_count;
    while (!writer->has_failed && (writer->taken < end || marks > 0)) {
        const uint64_t until = marks > 0 ? writer->marks[writer->first_mark].at : end;
        const bool is_mark = writer->taken == until;
        const int result = is_mark ? take_mark(writer, failure) : take_ring(writer, until, failure);
        if (result != 0) {
            return -1;
        }
        marks -= is_mark ? 1 : 0;
    }
    return 0;
}

static int flush(struct file_writer *writer, struct failure *failure) {
    const uint64_t taken = writer->taken;
    pthread_mutex_unlock(&writer->mutex);
    const int result = output_file_flush(&writer->file, failure);
    if (result == 0) {
        if (atomic_load(&writer->written) == atomic_load(&writer->synced)) {
            writer->unsynced_ns = clock_now_ns();
        }
        atomic_store(&writer->written, taken);
        atomic_fetch_add(&writer->progress, 1);
    }
    pthread_mutex_lock(&writer->mutex);
    return result;
}

static int write_group(struct file_writer *writer, struct failure *failure) {
    const int result = take_group(writer, failure);
    return result != 0 || writer->has_failed ? result : flush(writer, failure);
}

static int sync_file(struct file_writer *writer, struct failure *failure) {
    pthread_mutex_unlock(&writer->mutex);
    const uint64_t written = atomic_load(&writer->written);
    const int result = output_file_sync(&writer->file, failure);
    if (result == 0) {
        note_synced(writer, written);
        atomic_fetch_add(&writer->progress, 1);
    }
    pthread_mutex_lock(&writer->mutex);
    return result;
}

static int end(struct file_writer *writer, struct failure *failure) {
    pthread_mutex_unlock(&writer->mutex);
    const int result = output_file_close(&writer->file, failure);
    if (result == 0) {
        atomic_store(&writer->synced, atomic_load(&writer->written));
    }
    pthread_mutex_lock(&writer->mutex);
    writer->is_done = true;
    return result;
}

/* ---- the thread: what to do when ---- */

enum writer_duty { DUTY_WAIT, DUTY_REPORT, DUTY_SYNC, DUTY_FLUSH, DUTY_WRITE, DUTY_END };

static uint64_t sooner(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* When what was written is to be synced. */
static uint64_t sync_time(const struct file_writer *writer) {
    if (atomic_load(&writer->written) == atomic_load(&writer->synced)) {
        return NEVER;
    }
    const bool is_at_once = writer->is_always || atomic_load(&writer->synced) < writer->urgent;
    return is_at_once ? 0 : writer->sync_ns == 0 ? NEVER : writer->unsynced_ns + writer->sync_ns;
}

static uint64_t write_time(const struct file_writer *writer) {
    if (writer->taken == writer->put && writer->mark_count == 0) {
        return NEVER;
    }
    const bool is_at_once = writer->is_always || writer->is_ending || writer->mark_count > 0 ||
                            writer->taken < writer->urgent || is_half_full(writer);
    return is_at_once ? 0 : writer->oldest_ns + FILE_WRITER_FLUSH_MS * NS_PER_MS;
}

/* The sync comes before a write, which would put it off. A failure that another thread found is reported.
 * *until_ns: for how long there is nothing to do. */
static enum writer_duty next_duty(const struct file_writer *writer, uint64_t *until_ns) {
    const uint64_t now_ns = clock_now_ns(), sync_ns = sync_time(writer), write_ns = write_time(writer);
    uint64_t frame_ns = NEVER, frame_until_ns = 0;
    if (writer->has_failed) {
        *until_ns = NEVER;
        return writer->is_ending ? DUTY_END : writer->is_failure_told ? DUTY_WAIT : DUTY_REPORT;
    }
    if (output_file_has_frame(&writer->file, &frame_until_ns)) {
        frame_ns = frame_until_ns;
    }
    *until_ns = sooner(sync_ns, sooner(write_ns, frame_ns));
    return sync_ns <= now_ns    ? DUTY_SYNC
           : write_ns <= now_ns ? DUTY_WRITE
           : writer->is_ending  ? DUTY_END
           : frame_ns <= now_ns ? DUTY_FLUSH
                                : DUTY_WAIT;
}

static void notify(struct file_writer *writer) {
    if (writer->notify == NULL || writer->is_abandoned) {
        return;
    }
    writer->is_notifying = true;
    pthread_mutex_unlock(&writer->mutex);
    writer->notify(writer->context);
    pthread_mutex_lock(&writer->mutex);
    writer->is_notifying = false;
}

/* After a duty: what others are to learn. */
static void report(struct file_writer *writer, uint64_t synced) {
    const bool is_news = writer->has_failed && !writer->is_failure_told;
    if (writer->has_failed) {
        discard(writer);
        look_at_disk(writer);
        if (writer->is_on_trial) {
            output_file_remove(&writer->file);
        }
        output_file_abandon(&writer->file);
        writer->is_failure_told = true;
    }
    if (is_news || (writer->is_always && atomic_load(&writer->synced) != synced)) {
        notify(writer);
    }
    pthread_cond_broadcast(&writer->changed);
}

static int do_duty(struct file_writer *writer, enum writer_duty duty, struct failure *failure) {
    switch (duty) {
    case DUTY_SYNC:
        return sync_file(writer, failure);
    case DUTY_FLUSH:
        return flush(writer, failure);
    case DUTY_WRITE:
        return write_group(writer, failure);
    case DUTY_END:
        if (!writer->has_failed) {
            return end(writer, failure);
        }
        writer->is_done = true;
        return 0;
    case DUTY_WAIT:
    case DUTY_REPORT:
        break;
    }
    return 0;
}

static void free_writer(struct file_writer *writer) {
    pthread_cond_destroy(&writer->changed);
    pthread_cond_destroy(&writer->work);
    pthread_mutex_destroy(&writer->mutex);
    free(writer->ring);
    free(writer);
}

static void *run(void *context) {
    struct file_writer *writer = context;
    pthread_mutex_lock(&writer->mutex);
    while (!writer->is_done && !thread_rests()) {
        uint64_t until_ns = 0;
        const uint64_t synced = atomic_load(&writer->synced);
        const enum writer_duty duty = next_duty(writer, &until_ns);
        struct failure failure;
        if (duty == DUTY_WAIT) {
            (void)thread_sleep(&writer->work, &writer->mutex, until_ns);
        } else if (do_duty(writer, duty, &failure) != 0) {
            fail(writer, &failure);
        }
        report(writer, synced);
    }
    const bool is_abandoned = writer->is_abandoned;
    pthread_mutex_unlock(&writer->mutex);
    if (is_abandoned) {
        free_writer(writer);
    }
    return NULL;
}

/* ---- all others ---- */

static int init_locks(struct file_writer *writer) {
    if (pthread_mutex_init(&writer->mutex, NULL) != 0) {
        return -1;
    }
    if (timed_wait_init(&writer->work) == 0) {
        if (timed_wait_init(&writer->changed) == 0) {
            return 0;
        }
        pthread_cond_destroy(&writer->work);
    }
    pthread_mutex_destroy(&writer->mutex);
    return -1;
}

static struct file_writer *allocate(const struct file_writer_def *def) {
    struct file_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return NULL;
    }
    writer->is_always = def->is_always;
    writer->sync_ns = (uint64_t)(def->sync_s * (double)NS_PER_S);
    writer->notify = def->notify;
    writer->context = def->context;
    atomic_init(&writer->written, 0);
    atomic_init(&writer->synced, 0);
    atomic_init(&writer->synced_ns, clock_now_ns());
    atomic_init(&writer->free_bytes, 0);
    atomic_init(&writer->progress, 0);
    writer->ring = malloc(FILE_WRITER_ROOM);
    if (writer->ring == NULL || init_locks(writer) != 0) {
        free(writer->ring);
        free(writer);
        return NULL;
    }
    return writer;
}

struct file_writer *file_writer_create(const struct file_writer_def *def, struct failure *failure) {
    assert(def->sync_s >= 0.0);
    struct file_writer *writer = allocate(def);
    if (writer == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        return NULL;
    }
    if (output_file_create(&writer->file, def->path, def->max_bytes, failure) != 0) {
        if (!def->is_patient) {
            free_writer(writer);
            return NULL;
        }
        writer->has_failed = true;
        writer->failure = *failure;
    }
    if (thread_start(&writer->thread, run, writer) != 0) {
        output_file_abandon(&writer->file);
        free_writer(writer);
        (void)failure_set(failure, FAILURE_BUSY, NULL, "no thread for %.200s", def->path);
        return NULL;
    }
    return writer;
}

uint64_t file_writer_written(const struct file_writer *writer) {
    return atomic_load(&writer->written);
}

uint64_t file_writer_synced(const struct file_writer *writer) {
    return atomic_load(&writer->synced);
}

struct file_writer_disk file_writer_read_disk(const struct file_writer *writer) {
    return (struct file_writer_disk){.synced_ns = atomic_load(&writer->synced_ns),
                                     .free_bytes = atomic_load(&writer->free_bytes)};
}

bool file_writer_sync_now(struct file_writer *writer, double wait_s) {
    pthread_mutex_lock(&writer->mutex);
    const uint64_t end = writer->put, until_ns = clock_now_ns() + (uint64_t)(wait_s * (double)NS_PER_S);
    writer->urgent = end;
    pthread_cond_signal(&writer->work);
    while (!writer->has_failed && atomic_load(&writer->synced) < end && clock_now_ns() < until_ns) {
        (void)timed_wait_until(&writer->changed, &writer->mutex, until_ns);
    }
    const bool is_synced = !writer->has_failed && atomic_load(&writer->synced) >= end;
    pthread_mutex_unlock(&writer->mutex);
    return is_synced;
}

bool file_writer_has_failed(struct file_writer *writer, struct failure *failure) {
    pthread_mutex_lock(&writer->mutex);
    const bool has_failed = writer->has_failed;
    if (has_failed && failure != NULL) {
        *failure = writer->failure;
    }
    pthread_mutex_unlock(&writer->mutex);
    return has_failed;
}

/* Waits for the thread to be done, as long as it gets on. Then no notification is under way. */
static void wait_for_end(struct file_writer *writer, double wait_s) {
    const uint64_t patience_ns = (uint64_t)(wait_s * (double)NS_PER_S);
    uint64_t progress = atomic_load(&writer->progress), progress_ns = clock_now_ns();
    while (!writer->is_done) {
        (void)timed_wait_until(&writer->changed, &writer->mutex, progress_ns + patience_ns);
        const uint64_t now_ns = clock_now_ns();
        if (atomic_load(&writer->progress) != progress) {
            progress = atomic_load(&writer->progress);
            progress_ns = now_ns;
        } else if (now_ns >= progress_ns + patience_ns) {
            break;
        }
    }
    while (writer->is_notifying) {
        pthread_cond_wait(&writer->changed, &writer->mutex);
    }
}

static int fail_silent(struct failure *failure) {
    return failure_set(failure, FAILURE_IO, NULL, "the disk does not answer");
}

bool file_writer_wait(struct file_writer *writer, double wait_s, struct failure *failure) {
    const uint64_t until_ns = clock_now_ns() + (uint64_t)(wait_s * (double)NS_PER_S);
    pthread_mutex_lock(&writer->mutex);
    const uint64_t position = writer->put;
    while (!writer->has_failed && atomic_load(&writer->written) < position && clock_now_ns() < until_ns) {
        (void)timed_wait_until(&writer->changed, &writer->mutex, until_ns);
    }
    const bool is_written = !writer->has_failed && atomic_load(&writer->written) >= position;
    if (writer->has_failed) {
        *failure = writer->failure;
    } else if (!is_written) {
        (void)fail_silent(failure);
    }
    pthread_mutex_unlock(&writer->mutex);
    return is_written;
}

bool file_writer_destroy(struct file_writer *writer, double wait_s) {
    struct failure failure;
    return writer == NULL || file_writer_end(writer, wait_s, &failure);
}

bool file_writer_end(struct file_writer *writer, double wait_s, struct failure *failure) {
    pthread_mutex_lock(&writer->mutex);
    writer->is_ending = true;
    pthread_cond_signal(&writer->work);
    wait_for_end(writer, wait_s);
    const bool is_done = writer->is_done, is_whole = is_done && !writer->has_failed;
    writer->is_abandoned = !is_done;
    if (writer->has_failed) {
        *failure = writer->failure;
    } else if (!is_done) {
        (void)fail_silent(failure);
    }
    const pthread_t thread = writer->thread;
    pthread_mutex_unlock(&writer->mutex);
    if (is_done) {
        (void)pthread_join(thread, NULL);
        free_writer(writer);
    } else {
        (void)pthread_detach(thread); /* it waits for the disk, and frees the writer afterwards */
    }
    return is_whole;
}
