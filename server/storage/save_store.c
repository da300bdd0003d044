/* See save_store.h. Owns nothing. */
#include "server/storage/save_store.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/system/log.h"
#include "common/system/regular_file.h"
#include "common/text/names.h"
#include "server/recording/recording_line.h"
#include "server/storage/disk_file.h"

/* The two lines before the checkpoint, and what is there of its line. */
struct lines {
    const char *begin[3];
    size_t length[3];
};

static bool split(const char *text, size_t length, struct lines *lines) {
    for (int i = 0; i < 2; i++) {
        const char *end = memchr(text, '\n', length);
        if (end == NULL) {
            return false;
        }
        lines->begin[i] = text;
        lines->length[i] = (size_t)(end - text);
        length -= lines->length[i] + 1;
        text = end + 1;
    }
    lines->begin[2] = text;
    lines->length[2] = length;
    return true;
}

/* Whether text[0..length), a beginning of a saved world, has all that save_head_read needs. */
static bool save_head_is_whole(const char *text, size_t length) {
    struct lines lines;
    return split(text, length, &lines) &&
           (lines.length[2] >= SAVE_HEAD_CHECKPOINT || memchr(lines.begin[2], '\n', lines.length[2]) != NULL);
}

/* The line of this op at this place. */
static int read_line(const struct lines *lines, int index, enum recording_op op, struct recording_line *line,
                     struct failure *failure) {
    if (recording_line_read(lines->begin[index], lines->length[index], line, failure) != 0) {
        return -1;
    }
    return line->op == op
               ? 0
               : failure_set(
                     failure, FAILURE_BAD_SAVE, "op",
                     "line %d is not what a saved world has there; the lines are drover, world, checkpoint",
                     index + 1);
}

/* The members of a checkpoint line before the first that is an array or an object, as a line of their own:
 * {"op":"checkpoint","tick":600,...,"n":250}. Returns its length, 0 when there are none. */
static size_t cut_head(const char *line, size_t length, char head[SAVE_HEAD_CHECKPOINT + 2]) {
    length = length < SAVE_HEAD_CHECKPOINT ? length : SAVE_HEAD_CHECKPOINT;
    size_t end = 0;
    for (size_t i = 1; i < length && memchr("[{}\n", line[i], 4) == NULL; i++) {
        end = line[i] == ',' ? i : end;
    }
    memcpy(head, line, end);
    head[end] = '}';
    head[end + 1] = '\0';
    return end == 0 ? 0 : end + 1;
}

static int read_checkpoint(const struct lines *lines, struct save_head *head, struct failure *failure) {
    char text[SAVE_HEAD_CHECKPOINT + 2];
    struct recording_line line;
    const size_t length = cut_head(lines->begin[2], lines->length[2], text);
    const struct lines cut = {.begin = {NULL, NULL, text}, .length = {0, 0, length}};
    if (read_line(&cut, 2, RECORDING_CHECKPOINT, &line, failure) != 0) {
        return -1;
    }
    const char *agents = strstr(text, "\"n\":");
    if (agents == NULL) {
        return failure_set(failure, FAILURE_BAD_SAVE, "n", "\"n\": missing; expected the count of agents");
    }
    head->tick = line.tick;
    head->hash = line.hash;
    head->agents = strtoull(agents + 4, NULL, 10);
    return 0;
}

/* 0, or -1 with *failure (bad_save, busy): these are not the lines drover, world, checkpoint. */
static int save_head_read(const char *text, size_t length, struct save_head *head, struct failure *failure) {
    struct lines lines;
    struct recording_line line;
    *head = (struct save_head){0};
    if (!split(text, length, &lines)) {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL,
                           "it ends early; a saved world has the lines drover, world, checkpoint");
    }
    if (read_line(&lines, 0, RECORDING_DROVER, &line, failure) != 0 ||
        read_line(&lines, 1, RECORDING_WORLD, &line, failure) != 0) {
        return -1;
    }
    memcpy(head->scenario, line.scenario, sizeof head->scenario);
    return read_checkpoint(&lines, head, failure);
}

/* ---- files ---- */

static int fail_long(struct failure *failure) {
    return failure_set(failure, FAILURE_BAD_SAVE, NULL,
                       "its first lines have more than %d bytes; at most that", SAVE_HEAD_LINES);
}

static int read_on(int descriptor, bool (*is_enough)(const char *text, size_t length), struct buffer *text,
                   struct failure *failure) {
    enum { PIECE = 65536 };
    while (text->length == 0 || !is_enough(text->data, text->length)) {
        char *room = buffer_reserve(text, PIECE);
        if (room == NULL) {
            return fail_long(failure);
        }
        const ssize_t count = read(descriptor, room, PIECE);
        if (count == 0) {
            return 0;
        }
        if (count > 0) {
            buffer_commit(text, (size_t)count);
        } else if (errno != EINTR) {
            return failure_set(failure, FAILURE_BAD_SAVE, NULL, "%s", strerror(errno));
        }
    }
    return 0;
}

int save_head_read_beginning(const char *path, bool (*is_enough)(const char *text, size_t length),
                             struct buffer *text, struct failure *failure) {
    char reason[REGULAR_FILE_REASON];
    int descriptor = -1;
    const enum regular_file_result opened = regular_file_open(path, &descriptor, reason);
    if (opened != REGULAR_FILE_OK) {
        return failure_set(failure, opened == REGULAR_FILE_SHORT ? FAILURE_BUSY : FAILURE_BAD_SAVE, NULL,
                           "%s", reason);
    }
    const int result = read_on(descriptor, is_enough, text, failure);
    (void)close(descriptor);
    return result;
}

int save_head_read_file(const char *path, struct save_head *head, struct failure *failure) {
    struct buffer text;
    buffer_init(&text, SAVE_HEAD_LINES);
    int result = save_head_read_beginning(path, save_head_is_whole, &text, failure);
    if (result == 0) {
        result = save_head_read(text.data == NULL ? "" : text.data, text.length, head, failure);
    }
    buffer_fini(&text);
    return result;
}

/* ---- store ---- */

/* An entry is a saved world of either place; those of a folder are looked up each time, since users may put files
 * there and take them away. */

#define SUFFIX ".drover"

enum { SUFFIX_CHARS = sizeof SUFFIX - 1, FOLDER_BYTES = DISK_FILE_PATH - 64 };

struct entry {
    char name[LIMIT_NAME_CHARS + 1];
    uint64_t bytes;
    struct timespec time; /* of the day, when it was saved */
    uint64_t order;       /* in memory: larger is newer */
    char *text;           /* in memory; owned by the store */
};

struct entries {
    struct entry *rows; /* malloc'd */
    int count, capacity;
};

struct save_store {
    char folder[FOLDER_BYTES]; /* "": in memory */
    struct entries kept;       /* in memory */
    uint64_t next_order;
};

/* ---- entries ---- */

static int fail_memory(struct failure *failure) {
    return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
}

static struct entry *add_entry(struct entries *entries) {
    if (entries->count == entries->capacity) {
        const int capacity = entries->capacity * 2 + 16;
        struct entry *rows = realloc(entries->rows, (size_t)capacity * sizeof *rows);
        if (rows == NULL) {
            return NULL;
        }
        entries->rows = rows;
        entries->capacity = capacity;
    }
    struct entry *entry = &entries->rows[entries->count++];
    *entry = (struct entry){0};
    return entry;
}

static struct entry *find_entry(const struct entries *entries, const char *name) {
    for (int i = 0; i < entries->count; i++) {
        if (strcmp(entries->rows[i].name, name) == 0) {
            return &entries->rows[i];
        }
    }
    return NULL;
}

static uint64_t bytes_of_all(const struct entries *entries) {
    uint64_t bytes = 0;
    for (int i = 0; i < entries->count; i++) {
        bytes += entries->rows[i].bytes;
    }
    return bytes;
}

static int compare_times(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec != b->tv_sec     ? (a->tv_sec > b->tv_sec ? 1 : -1)
           : a->tv_nsec != b->tv_nsec ? (a->tv_nsec > b->tv_nsec ? 1 : -1)
                                      : 0;
}

/* The newest first. */
static int compare_entries(const void *a, const void *b) {
    const struct entry *left = a, *right = b;
    if (left->order != right->order) {
        return left->order > right->order ? -1 : 1;
    }
    const int newer = compare_times(&left->time, &right->time);
    return newer != 0 ? -newer : strcmp(left->name, right->name);
}

/* ---- the folder ---- */

static void path_of(const struct save_store *store, const char *name, char path[DISK_FILE_PATH]) {
    const int length = snprintf(path, DISK_FILE_PATH, "%s/%s" SUFFIX, store->folder, name);
    assert(length > 0 && length < DISK_FILE_PATH);
    (void)length;
}

/* "before.drover" -> "before" when that is a name; ending: what follows the name. */
static bool name_of_file(const char *file, const char *ending, char name[LIMIT_NAME_CHARS + 1]) {
    const size_t length = strlen(file), end = strlen(ending);
    if (length <= end || strcmp(file + length - end, ending) != 0 || !name_is_valid(file, length - end)) {
        return false;
    }
    memcpy(name, file, length - end);
    name[length - end] = '\0';
    return true;
}

static int fail_folder(const struct save_store *store, int error, struct failure *failure) {
    return failure_set(failure,
                       error == ENOMEM || error == EMFILE || error == ENFILE ? FAILURE_BUSY : FAILURE_IO,
                       NULL, "%.200s: %s", store->folder, strerror(error));
}

/* What a crash has left of saves that were being written. */
static void remove_parts(const struct save_store *store) {
    DIR *directory = opendir(store->folder);
    const struct dirent *file = NULL;
    while (directory != NULL && (file = readdir(directory)) != NULL) {
        char name[LIMIT_NAME_CHARS + 1], path[DISK_FILE_PATH];
        if (name_of_file(file->d_name, SUFFIX WHOLE_FILE_PART, name)) {
            path_of(store, name, path);
            memcpy(path + strlen(path), WHOLE_FILE_PART, sizeof WHOLE_FILE_PART);
            (void)unlink(path);
        }
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
}

/* Whether the path is a regular file, or leads to one. */
static bool look_at_file(const char *path, struct entry *entry) {
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    entry->bytes = (uint64_t)status.st_size;
    entry->time = status.st_mtim;
    return true;
}

static int scan_file(const struct save_store *store, const char *file, struct entries *entries) {
    struct entry found = {0};
    char path[DISK_FILE_PATH];
    if (!name_of_file(file, SUFFIX, found.name)) {
        return 0;
    }
    path_of(store, found.name, path);
    if (look_at_file(path, &found)) {
        struct entry *entry = add_entry(entries);
        if (entry == NULL) {
            return -1;
        }
        *entry = found;
    }
    return 0;
}

/* All saves of the folder; free entries->rows afterwards. */
static int scan_folder(const struct save_store *store, struct entries *entries, struct failure *failure) {
    DIR *directory = opendir(store->folder);
    const struct dirent *file = NULL;
    if (directory == NULL) {
        return errno == ENOENT ? 0 : fail_folder(store, errno, failure);
    }
    int result = 0;
    while (result == 0 && (file = readdir(directory)) != NULL) {
        result = scan_file(store, file->d_name, entries);
    }
    (void)closedir(directory);
    if (result != 0) {
        free(entries->rows);
        *entries = (struct entries){0};
        return fail_memory(failure);
    }
    return 0;
}

/* ---- both places ---- */

bool save_store_is_in_memory(const struct save_store *store) {
    return store->folder[0] == '\0';
}

/* What is kept now. Ends with look_end. */
static int look(const struct save_store *store, struct entries *entries, struct failure *failure) {
    *entries = (struct entries){0};
    if (save_store_is_in_memory(store)) {
        *entries = store->kept;
        return 0;
    }
    return scan_folder(store, entries, failure);
}

static void look_end(const struct save_store *store, const struct entries *entries) {
    if (!save_store_is_in_memory(store)) {
        free(entries->rows);
    }
}

static int make_folder(const struct save_store *store, struct failure *failure) {
    struct stat status;
    const int error = disk_file_make_folder(store->folder);
    if (error != EEXIST) {
        return error == 0 ? 0 : fail_folder(store, error, failure);
    }
    if (stat(store->folder, &status) != 0) {
        return fail_folder(store, errno, failure);
    }
    return S_ISDIR(status.st_mode) ? 0 : fail_folder(store, ENOTDIR, failure);
}

struct save_store *save_store_create(const char *folder, struct failure *failure) {
    struct save_store *store = calloc(1, sizeof *store);
    if (store == NULL) {
        (void)fail_memory(failure);
        return NULL;
    }
    if (folder == NULL) {
        return store;
    }
    const size_t length = strlen(folder);
    assert(length > 0);
    if (length >= FOLDER_BYTES) {
        (void)failure_set(failure, FAILURE_IO, NULL, "%.200s...: the path is too long", folder);
        free(store);
        return NULL;
    }
    memcpy(store->folder, folder, length + 1);
    if (make_folder(store, failure) != 0) {
        free(store);
        return NULL;
    }
    remove_parts(store);
    return store;
}

void save_store_destroy(struct save_store *store) {
    if (store == NULL) {
        return;
    }
    for (int i = 0; i < store->kept.count; i++) {
        free(store->kept.rows[i].text);
    }
    free(store->kept.rows);
    free(store);
}

/* ---- put ---- */

static int check_room(const struct entries *entries, const char *name, size_t length, bool replace,
                      struct failure *failure) {
    const struct entry *former = find_entry(entries, name);
    const uint64_t others = bytes_of_all(entries) - (former == NULL ? 0 : former->bytes);
    if (former != NULL && !replace) {
        return failure_set(
            failure, FAILURE_EXISTS, "name",
            "a saved world \"%s\" is there already; \"replace\":true puts this one in its place", name);
    }
    if (former == NULL && entries->count >= LIMIT_SAVES) {
        return failure_set(failure, FAILURE_FULL, NULL,
                           "%d saved worlds are kept; at most %d, remove_save makes room", entries->count,
                           LIMIT_SAVES);
    }
    if (length > LIMIT_SAVE_BYTES || others > LIMIT_SAVE_BYTES - length) {
        return failure_set(failure, FAILURE_FULL, NULL,
                           "the saved worlds would have %" PRIu64
                           " bytes; at most %d together, remove_save makes room",
                           others + length, LIMIT_SAVE_BYTES);
    }
    return 0;
}

static int put_in_memory(struct save_store *store, const char *name, const char *text, size_t length,
                         struct failure *failure) {
    char *copy = malloc(length + 1);
    struct entry *entry = find_entry(&store->kept, name);
    if (copy != NULL && entry == NULL) {
        entry = add_entry(&store->kept);
    }
    if (copy == NULL || entry == NULL) {
        free(copy);
        return fail_memory(failure);
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    free(entry->text);
    memcpy(entry->name, name, strlen(name) + 1);
    entry->text = copy;
    entry->bytes = length;
    entry->order = ++store->next_order;
    (void)clock_gettime(CLOCK_REALTIME, &entry->time);
    return 0;
}

int save_store_put(struct save_store *store, const char *name, const char *text, size_t length, bool replace,
                   struct failure *failure) {
    struct entries entries;
    char path[DISK_FILE_PATH];
    if (!name_is_valid(name, strlen(name))) {
        return failure_set(failure, FAILURE_BAD_PARAM, "name",
                           "\"%.80s\" is no name; 1 to %d characters of A-Z a-z 0-9 _ -", name,
                           LIMIT_NAME_CHARS);
    }
    if (look(store, &entries, failure) != 0) {
        return -1;
    }
    const int room = check_room(&entries, name, length, replace, failure);
    look_end(store, &entries);
    if (room != 0) {
        return -1;
    }
    if (save_store_is_in_memory(store)) {
        return put_in_memory(store, name, text, length, failure);
    }
    path_of(store, name, path);
    return make_folder(store, failure) != 0 ? -1 : file_write_whole(path, text, length, replace, failure);
}

/* ---- get, remove ---- */

static int fail_no_save(const struct entries *entries, const char *field, const char *name,
                        struct failure *failure) {
    char hint[NEAREST_HINT_BYTES];
    struct nearest_name nearest = nearest_name_begin(name);
    for (int i = 0; i < entries->count; i++) {
        nearest_name_offer(&nearest, entries->rows[i].name);
    }
    nearest_name_hint(&nearest, hint);
    return failure_set(failure, FAILURE_NO_SAVE, field,
                       "no saved world \"%.80s\"%s; `list` with \"what\":\"saves\" names them", name, hint);
}

static char *read_file(const struct save_store *store, const struct entry *entry, size_t *length,
                       struct failure *failure) {
    char path[DISK_FILE_PATH], reason[REGULAR_FILE_REASON], *text = NULL;
    if (entry->bytes > LIMIT_SAVE_BYTES) {
        (void)failure_set(failure, FAILURE_BAD_SAVE, "save",
                          "%s" SUFFIX ": the file has %" PRIu64 " bytes; at most %d", entry->name,
                          entry->bytes, LIMIT_SAVE_BYTES);
        return NULL;
    }
    path_of(store, entry->name, path);
    const enum regular_file_result result =
        regular_file_read(path, (size_t)entry->bytes, &text, length, reason);
    if (result != REGULAR_FILE_OK) {
        log_write(LOG_WARN, "save", "%s: %s", path, reason);
        (void)failure_set(failure, result == REGULAR_FILE_SHORT ? FAILURE_BUSY : FAILURE_IO, "save",
                          "%s" SUFFIX ": %s", entry->name, reason);
    }
    return text;
}

static char *copy_text(const struct entry *entry, size_t *length, struct failure *failure) {
    char *copy = malloc((size_t)entry->bytes + 1);
    if (copy == NULL) {
        (void)fail_memory(failure);
        return NULL;
    }
    memcpy(copy, entry->text, (size_t)entry->bytes + 1);
    *length = (size_t)entry->bytes;
    return copy;
}

char *save_store_get(struct save_store *store, const char *name, size_t *length, struct failure *failure) {
    struct entries entries;
    char *text = NULL;
    *length = 0;
    if (look(store, &entries, failure) != 0) {
        return NULL;
    }
    const struct entry *entry = find_entry(&entries, name);
    if (entry == NULL) {
        (void)fail_no_save(&entries, "save", name, failure);
    } else if (save_store_is_in_memory(store)) {
        text = copy_text(entry, length, failure);
    } else {
        text = read_file(store, entry, length, failure);
    }
    look_end(store, &entries);
    return text;
}

static int remove_file(const struct save_store *store, const char *name, struct failure *failure) {
    char path[DISK_FILE_PATH];
    path_of(store, name, path);
    int error = unlink(path) == 0 ? 0 : errno;
    if (error == 0) {
        error = disk_file_sync_folder(path);
    }
    return error == 0 ? 0 : failure_set(failure, FAILURE_IO, NULL, "%s" SUFFIX ": %s", name, strerror(error));
}

static void remove_kept(struct save_store *store, struct entry *entry) {
    free(entry->text);
    *entry = store->kept.rows[--store->kept.count];
}

int save_store_remove(struct save_store *store, const char *name, struct failure *failure) {
    struct entries entries;
    int result = 0;
    if (look(store, &entries, failure) != 0) {
        return -1;
    }
    struct entry *entry = find_entry(&entries, name);
    if (entry == NULL) {
        result = fail_no_save(&entries, "name", name, failure);
    } else if (save_store_is_in_memory(store)) {
        remove_kept(store, entry);
    } else {
        result = remove_file(store, name, failure);
    }
    look_end(store, &entries);
    return result;
}

/* ---- list ---- */

static int read_head(const struct save_store *store, const struct entry *entry, struct save_head *head) {
    struct failure failure;
    char path[DISK_FILE_PATH];
    if (save_store_is_in_memory(store)) {
        return save_head_read(entry->text, (size_t)entry->bytes, head, &failure);
    }
    path_of(store, entry->name, path);
    if (save_head_read_file(path, head, &failure) != 0) {
        log_write(LOG_WARN, "save", "%s: damaged: %s", path, failure.message);
        return -1;
    }
    return 0;
}

static void fill_row(const struct entry *entry, const struct save_head *head, struct save_row *row) {
    struct tm day;
    *row = (struct save_row){
        .tick = head->tick, .agents = head->agents, .bytes = entry->bytes, .hash = head->hash};
    memcpy(row->name, entry->name, sizeof row->name);
    memcpy(row->scenario, head->scenario, sizeof row->scenario);
    if (gmtime_r(&entry->time.tv_sec, &day) != NULL) {
        (void)strftime(row->saved, sizeof row->saved, "%Y-%m-%dT%H:%M:%SZ", &day);
    }
}

static int list_entries(const struct save_store *store, const struct entries *entries,
                        struct save_row *rows) {
    int count = 0;
    for (int i = 0; i < entries->count && count < LIMIT_SAVES; i++) {
        struct save_head head;
        const bool is_damaged = read_head(store, &entries->rows[i], &head) != 0;
        if (is_damaged) {
            head = (struct save_head){0};
        }
        fill_row(&entries->rows[i], &head, &rows[count]);
        rows[count++].is_damaged = is_damaged;
    }
    return count;
}

int save_store_list(struct save_store *store, struct save_row **rows, struct failure *failure) {
    struct entries entries;
    *rows = NULL;
    if (look(store, &entries, failure) != 0) {
        return -1;
    }
    if (entries.count > 0) {
        qsort(entries.rows, (size_t)entries.count, sizeof *entries.rows, compare_entries);
    }
    *rows = calloc(LIMIT_SAVES, sizeof **rows);
    const int count = *rows == NULL ? fail_memory(failure) : list_entries(store, &entries, *rows);
    look_end(store, &entries);
    return count;
}
