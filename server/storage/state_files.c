/* See state_directory.h. */
#include "server/storage/state_directory.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buffer.h"
#include "common/system/log.h"
#include "server/storage/save_store.h"

static const char *const prefixes[] = {
    [STATE_FILE_CHECKPOINT] = "checkpoint-", [STATE_FILE_JOURNAL] = "journal-"};

/* ---- names ---- */

void state_file_path(const char *folder, enum state_file_kind kind, uint32_t number,
                     char path[DISK_FILE_PATH]) {
    const int length =
        snprintf(path, DISK_FILE_PATH, "%s/%s%06" PRIu32 ".drover", folder, prefixes[kind], number);
    assert(length > 0 && length < DISK_FILE_PATH);
    if (length < 0 || length >= DISK_FILE_PATH) {
        path[0] = '\0'; /* opened, it is a file that does not exist */
    }
}

void state_file_path_of(const char *folder, const struct state_file *row, int part,
                        char path[DISK_FILE_PATH]) {
    char head[DISK_FILE_PATH];
    state_file_path(folder, row->kind, row->number, head);
    if (part < 0) {
        memcpy(path, head, sizeof head);
    } else {
        part_file_path(head, (uint32_t)part, path);
    }
}

bool state_file_read_name(const char *name, enum state_file_kind *kind, uint32_t *number) {
    *kind = strncmp(name, "journal-", 8) == 0 ? STATE_FILE_JOURNAL : STATE_FILE_CHECKPOINT;
    const size_t prefix = strlen(prefixes[*kind]);
    if (strncmp(name, prefixes[*kind], prefix) != 0 || name[prefix] < '0' || name[prefix] > '9') {
        return false;
    }
    char *end = NULL, expected[64];
    errno = 0;
    const unsigned long long value = strtoull(name + prefix, &end, 10);
    if (errno != 0 || value < 1 || value >= UINT32_MAX) {
        return false;
    }
    *number = (uint32_t)value;
    (void)snprintf(expected, sizeof expected, "%s%06" PRIu32 ".drover", prefixes[*kind], *number);
    return strcmp(name, expected) == 0;
}

/* ---- the list ---- */

static int compare_rows(const void *a, const void *b) {
    const struct state_file *left = a, *right = b;
    return left->number != right->number ? (left->number < right->number ? -1 : 1)
                                         : (int)left->kind - (int)right->kind;
}

/* Only regular files count; so does a link to one. */
static int add_file(struct state_files *files, const char *name) {
    struct state_file row = {.parts = 0};
    struct stat status;
    char path[DISK_FILE_PATH];
    if (!state_file_read_name(name, &row.kind, &row.number)) {
        return 0;
    }
    state_file_path(files->folder, row.kind, row.number, path);
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return 0;
    }
    struct state_file *rows = realloc(files->rows, ((size_t)files->count + 1) * sizeof *rows);
    if (rows == NULL) {
        return -1;
    }
    row.bytes = (uint64_t)status.st_size;
    rows[files->count++] = row;
    files->rows = rows;
    return 0;
}

/* Counts a part to its checkpoint; parts without one do not count. */
static void add_part(struct state_files *files, const char *name) {
    enum state_file_kind kind;
    uint32_t part, number;
    char head[64], path[DISK_FILE_PATH];
    struct stat status;
    if (!part_file_read_name(name, &part, head) || !state_file_read_name(head, &kind, &number) ||
        kind != STATE_FILE_CHECKPOINT) {
        return;
    }
    for (int i = 0; i < files->count; i++) {
        struct state_file *row = &files->rows[i];
        if (row->kind == kind && row->number == number) {
            row->parts = row->parts > part + 1 ? row->parts : part + 1;
            state_file_path_of(files->folder, row, (int)part, path);
            row->bytes += stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
        }
    }
}

int state_files_scan(struct state_files *files, const char *folder, struct failure *failure) {
    *files = (struct state_files){.rows = NULL};
    const size_t length = strlen(folder);
    assert(length < DISK_FILE_PATH);
    memcpy(files->folder, folder, length + 1);
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return failure_set(failure, FAILURE_IO, NULL, "%.200s: %s", folder, strerror(errno));
    }
    const struct dirent *entry = NULL;
    int result = 0;
    while (result == 0 && (entry = readdir(directory)) != NULL) {
        result = add_file(files, entry->d_name);
    }
    rewinddir(directory);
    while (result == 0 && (entry = readdir(directory)) != NULL) {
        add_part(files, entry->d_name);
    }
    (void)closedir(directory);
    if (result != 0) {
        state_files_fini(files);
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    if (files->count > 0) {
        qsort(files->rows, (size_t)files->count, sizeof *files->rows, compare_rows);
    }
    return 0;
}

void state_files_fini(struct state_files *files) {
    free(files->rows);
    files->rows = NULL;
    files->count = 0;
}

uint64_t state_files_bytes(const struct state_files *files) {
    uint64_t bytes = 0;
    for (int i = 0; i < files->count; i++) {
        bytes += files->rows[i].bytes;
    }
    return bytes;
}

uint32_t state_files_last_number(const struct state_files *files) {
    return files->count == 0 ? 0 : files->rows[files->count - 1].number;
}

/* ---- what is in them ---- */

static bool has_two_lines(const char *text, size_t length) {
    const char *first = memchr(text, '\n', length);
    return first != NULL && memchr(first + 1, '\n', length - (size_t)(first + 1 - text)) != NULL;
}

/* Whether a crash came before the first two lines of a journal, its header and its world, were written. */
static bool is_barely_begun(const struct state_files *files, const struct state_file *row) {
    char path[DISK_FILE_PATH];
    struct failure failure;
    struct buffer text;
    state_file_path(files->folder, row->kind, row->number, path);
    buffer_init(&text, SAVE_HEAD_LINES);
    const bool is_read = save_head_read_beginning(path, has_two_lines, &text, &failure) == 0;
    const bool is_begun = text.length > 0 && has_two_lines(text.data, text.length);
    buffer_fini(&text);
    return is_read && !is_begun;
}

bool state_files_have_world(const struct state_files *files) {
    for (int i = 0; i < files->count; i++) {
        const struct state_file *row = &files->rows[i];
        if (row->kind == STATE_FILE_CHECKPOINT || !is_barely_begun(files, row)) {
            return true;
        }
    }
    return false;
}

/* ---- the plan ---- */

static void drop_row(struct state_files *files, int index) {
    files->count--;
    memmove(&files->rows[index], &files->rows[index + 1],
            (size_t)(files->count - index) * sizeof *files->rows);
}

/* 0, or -1 with *failure (busy). */
static int drop_damaged_checkpoints(struct state_files *files, struct failure *failure) {
    for (int i = files->count - 1; i >= 0; i--) {
        struct save_head head;
        struct failure reason;
        char path[DISK_FILE_PATH];
        state_file_path(files->folder, files->rows[i].kind, files->rows[i].number, path);
        if (files->rows[i].kind == STATE_FILE_JOURNAL || save_head_read_file(path, &head, &reason) == 0) {
            continue;
        }
        if (reason.code == FAILURE_BUSY) {
            return failure_set(failure, FAILURE_BUSY, NULL, "%.200s: %s", path, reason.message);
        }
        log_write(LOG_WARN, "state", "%s is left out: %s", path, reason.message);
        drop_row(files, i);
    }
    return 0;
}

/* The first journal that is missing when the world is continued from this row on; 0: none. A checkpoint may lack its
 * journal: that is made later than the checkpoint is ordered, and a full disk may prevent it. */
static uint32_t find_gap(const struct state_files *files, int start) {
    uint32_t last = files->rows[start].number;
    for (int i = start + 1; i < files->count; i++) {
        if (files->rows[i].kind == STATE_FILE_JOURNAL && files->rows[i].number > last + 1) {
            return last + 1;
        }
        last = files->rows[i].kind == STATE_FILE_JOURNAL ? files->rows[i].number : last;
    }
    return 0;
}

/* The checkpoint before this row; -1: none. */
static int find_checkpoint_before(const struct state_files *files, int row) {
    do {
        row--;
    } while (row >= 0 && files->rows[row].kind != STATE_FILE_CHECKPOINT);
    return row;
}

/* The first row of a plan, or -1. */
static int find_start(const struct state_files *files) {
    const int newest = find_checkpoint_before(files, files->count);
    const int other = newest < 0 ? -1 : find_checkpoint_before(files, newest);
    if (other >= 0 && find_gap(files, other) == 0) {
        return other;
    }
    if (newest < 0 || find_gap(files, 0) == 0) {
        return find_gap(files, 0) == 0 ? 0 : -1;
    }
    return find_gap(files, newest) == 0 ? newest : -1;
}

/* Bytes behind the last line of a file; -1: it cannot be read. */
static long torn_bytes(const char *path) {
    FILE *file = fopen(path, "re");
    char block[4096];
    long torn = 0;
    size_t length = 0;
    if (file == NULL) {
        return -1;
    }
    while ((length = fread(block, 1, sizeof block, file)) > 0) {
        for (size_t i = 0; i < length; i++) {
            torn = block[i] == '\n' ? 0 : torn + 1;
        }
    }
    (void)fclose(file);
    return torn;
}

static void report_journal(const struct state_files *files, const struct state_file *row) {
    char path[DISK_FILE_PATH];
    state_file_path(files->folder, row->kind, row->number, path);
    const long torn = torn_bytes(path);
    if (row->bytes == 0) {
        log_write(LOG_WARN, "state", "%s is empty: nothing of it reached the disk", path);
    } else if (torn > 0) {
        log_write(LOG_WARN, "state", "%s: its last %ld bytes are no whole line, and are left out", path,
                  torn);
    }
}

bool state_files_report(const struct state_files *files, int row) {
    for (int i = row; i < files->count; i++) {
        if (files->rows[i].kind == STATE_FILE_JOURNAL) {
            report_journal(files, &files->rows[i]);
        }
    }
    const struct state_file *last = files->count == 0 ? NULL : &files->rows[files->count - 1];
    const bool has_journal = last == NULL || last->kind == STATE_FILE_JOURNAL;
    const bool is_begun = has_journal && (last == NULL || !is_barely_begun(files, last));
    if (!has_journal) {
        char path[DISK_FILE_PATH];
        state_file_path(files->folder, STATE_FILE_JOURNAL, last->number, path);
        log_write(
            LOG_WARN, "state",
            "%s is missing, or no file: the world goes on from its checkpoint, and what came after is lost",
            path);
    }
    return is_begun;
}

int state_files_plan(struct state_files *files, struct failure *failure) {
    char path[DISK_FILE_PATH];
    if (drop_damaged_checkpoints(files, failure) != 0) {
        return -1;
    }
    while (files->count > 0 && files->rows[0].kind == STATE_FILE_JOURNAL &&
           is_barely_begun(files, &files->rows[0])) {
        drop_row(files, 0);
    }
    if (files->count == 0) {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL,
                           "%.200s: no checkpoint and no journal can be read; --state-new puts them aside",
                           files->folder);
    }
    int start = find_start(files);
    if (start < 0) {
        start = find_checkpoint_before(files, files->count);
        state_file_path(files->folder, STATE_FILE_JOURNAL, find_gap(files, start < 0 ? 0 : start), path);
        return failure_set(
            failure, FAILURE_BAD_SAVE, NULL,
            "%.200s is missing: the world cannot be continued; --state-new puts the rest aside", path);
    }
    return start;
}

bool state_files_go_on(const struct state_files *files, int row) {
    return find_gap(files, row) == 0;
}

int state_files_check_whole(const struct state_files *files, struct failure *failure) {
    char path[DISK_FILE_PATH];
    if (files->count == 0) {
        return failure_set(failure, FAILURE_NO_SAVE, NULL,
                           "%.200s: the folder has no journal and no checkpoint; allowed: a state folder",
                           files->folder);
    }
    const uint32_t gap = find_gap(files, 0);
    if (gap == 0) {
        return 0;
    }
    state_file_path(files->folder, STATE_FILE_JOURNAL, gap, path);
    return failure_set(
        failure, FAILURE_BAD_SAVE, NULL,
        "%.200s is missing: the files before and after it are two recordings; allowed: the files of "
        "one of them",
        path);
}

/* ---- what may go ---- */

int state_files_outdated(const struct state_files *files, uint32_t number, uint64_t keep_bytes) {
    int newest = 0;
    while (newest < files->count &&
           (files->rows[newest].number != number || files->rows[newest].kind != STATE_FILE_CHECKPOINT)) {
        newest++;
    }
    const int before = newest == files->count ? -1 : find_checkpoint_before(files, newest);
    uint64_t bytes = state_files_bytes(files);
    int count = 0;
    while (count < before && bytes > keep_bytes) {
        const uint32_t pair = files->rows[count].number; /* a journal goes with its checkpoint */
        while (count < before && files->rows[count].number == pair) {
            bytes -= files->rows[count++].bytes;
        }
    }
    return count;
}
