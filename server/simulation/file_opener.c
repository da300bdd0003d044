/* See logbook_internal.h. */
#include "server/simulation/logbook_internal.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/system/duty.h"
#include "common/system/log.h"

#include "common/base/limits.h"
#include "server/storage/disk_file.h"

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

/* ---- the thread ---- */

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
static void tell_client(struct failure *failure, const char *path) {
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
        tell_client(&failure, opener->path);
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

/* ---- life ---- */

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

/* ---- orders ---- */

bool file_opener_has_opened(struct file_opener *opener, uint32_t owner, const struct request_record *record) {
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

struct file_writer *file_opener_take(struct file_opener *opener, uint32_t owner, char path[FILE_OPENER_PATH],
                                     struct failure *failure) {
    bool is_whole = false;
    uint64_t from = 0;
    return take(opener, owner, path, &is_whole, &from, failure);
}

int file_opener_take_whole(struct file_opener *opener, uint32_t owner, char path[FILE_OPENER_PATH],
                           uint64_t *from, struct failure *failure) {
    bool is_whole = false;
    struct file_writer *writer = take(opener, owner, path, &is_whole, from, failure);
    assert(writer == NULL);
    (void)writer;
    return is_whole ? 0 : -1;
}

void file_opener_close(struct file_opener *opener, struct file_writer *writer) {
    file_opener_discard(opener, writer, "");
}

void file_opener_discard(struct file_opener *opener, struct file_writer *writer, const char *path) {
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
