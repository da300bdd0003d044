/* See state_directory.h.
 *
 * Invariant: what lies in the folder is enough to continue at every moment: files are deleted from the oldest on, after
 * what replaces them was synced, and nothing is ever written into a file of an earlier start.
 */
#include "server/storage/state_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/system/log.h"
#include "server/storage/disk_file.h"

_Static_assert((int)STATE_DIRECTORY_PATH == (int)DISK_FILE_PATH, "paths of the same size");

enum { FOLDER_BYTES = DISK_FILE_PATH - 128 /* so that every path inside fits */ };

struct state_directory {
    char path[FOLDER_BYTES]; /* without a slash at its end, but for "/" */
    char saves[DISK_FILE_PATH];
    int lock;    /* descriptor */
    bool is_new; /* what it holds counts as not there */
    bool has_lost;
    atomic_uint_fast32_t last_number;
    atomic_bool keeps_all; /* nothing is deleted */
};

static int fail_io(const char *path, int error, struct failure *failure) {
    return failure_set(failure,
                       error == ENOMEM || error == EMFILE || error == ENFILE ? FAILURE_BUSY : FAILURE_IO,
                       "state", "%.200s: %s", path, strerror(error));
}

static void scenario_path(const char *folder, char path[DISK_FILE_PATH]) {
    (void)snprintf(path, DISK_FILE_PATH, "%.*s/scenario", FOLDER_BYTES, folder);
}

/* ---- the folder ---- */

static int set_path(struct state_directory *directory, const char *path, struct failure *failure) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    if (length == 0 || length >= FOLDER_BYTES) {
        return fail_io(path, length == 0 ? ENOENT : ENAMETOOLONG, failure);
    }
    memcpy(directory->path, path, length);
    directory->path[length] = '\0';
    (void)snprintf(directory->saves, sizeof directory->saves, "%s/saves", directory->path);
    return 0;
}

static int make_folder(const char *path, struct failure *failure) {
    struct stat status;
    const int error = disk_file_make_folder(path);
    if (error != EEXIST) {
        return error == 0 ? 0 : fail_io(path, error, failure);
    }
    if (stat(path, &status) != 0) {
        return fail_io(path, errno, failure);
    }
    if (!S_ISDIR(status.st_mode)) {
        return fail_io(path, ENOTDIR, failure);
    }
    if (status.st_uid != geteuid()) {
        return failure_set(
            failure, FAILURE_IO, "state",
            "%.200s belongs to the user with id %lu; expected a folder of the user with id %lu", path,
            (unsigned long)status.st_uid, (unsigned long)geteuid());
    }
    return access(path, R_OK | W_OK | X_OK) == 0 ? 0 : fail_io(path, errno, failure);
}

/* ---- the lock ---- */

static int fail_in_use(const struct state_directory *directory, struct failure *failure) {
    char text[32] = "";
    const ssize_t length = pread(directory->lock, text, sizeof text - 1, 0);
    const unsigned long process = length > 0 ? strtoul(text, NULL, 10) : 0;
    if (process == 0) {
        return failure_set(failure, FAILURE_IN_USE, "state",
                           "%.200s is used by another server; one server at a time may use a folder",
                           directory->path);
    }
    return failure_set(
        failure, FAILURE_IN_USE, "state",
        "%.200s is used by the server with process id %lu; one server at a time may use a folder",
        directory->path, process);
}

/* What the file says is for messages alone: the lock is the system's, and goes with the process that holds it. */
static int write_process(const struct state_directory *directory, const char *path, struct failure *failure) {
    char text[32];
    const int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    const int error = ftruncate(directory->lock, 0) != 0
                          ? errno
                          : disk_file_write(directory->lock, text, length > 0 ? (size_t)length : 0);
    return error == 0 ? 0 : fail_io(path, error, failure);
}

static int lock_folder(struct state_directory *directory, struct failure *failure) {
    char path[DISK_FILE_PATH];
    (void)snprintf(path, sizeof path, "%s/lock", directory->path);
    directory->lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, 0600);
    if (directory->lock < 0) {
        return fail_io(path, errno, failure);
    }
    if (flock(directory->lock, LOCK_EX | LOCK_NB) != 0) {
        return errno == EWOULDBLOCK ? fail_in_use(directory, failure) : fail_io(path, errno, failure);
    }
    return write_process(directory, path, failure);
}

/* ---- putting aside ---- */

/* DIR/old-20261121-190000, or with -2, -3 ... behind it. */
static int make_old_folder(const struct state_directory *directory, char old[DISK_FILE_PATH],
                           struct failure *failure) {
    const time_t now = time(NULL);
    struct tm day = {0};
    char date[32] = "";
    if (gmtime_r(&now, &day) != NULL) {
        (void)strftime(date, sizeof date, "%Y%m%d-%H%M%S", &day);
    }
    (void)snprintf(old, DISK_FILE_PATH, "%s/old-%s", directory->path, date);
    int error = disk_file_make_folder(old);
    for (int i = 2; error == EEXIST && i <= 1000; i++) {
        (void)snprintf(old, DISK_FILE_PATH, "%s/old-%s-%d", directory->path, date, i);
        error = disk_file_make_folder(old);
    }
    return error == 0 ? 0 : fail_io(old, error, failure);
}

/* Calls change(from, to) for a row's file and then for its parts. 0, or the errno value; then from is the path. */
static int change_row(const struct state_file *row, const char *folder, const char *other,
                      int (*change)(const char *from, const char *to), char from[DISK_FILE_PATH]) {
    char to[DISK_FILE_PATH];
    for (int part = -1; part < (int)row->parts; part++) {
        state_file_path_of(folder, row, part, from);
        state_file_path_of(other, row, part, to);
        if (change(from, to) != 0 && (part < 0 || errno != ENOENT)) {
            return errno;
        }
    }
    return 0;
}

/* The newest go first: what a crash leaves behind is the beginning of the old world, never a part without it. */
static int put_aside(const struct state_directory *directory, const struct state_files *files,
                     struct failure *failure) {
    char old[DISK_FILE_PATH], from[DISK_FILE_PATH], to[DISK_FILE_PATH];
    if (files->count == 0) {
        return 0;
    }
    if (make_old_folder(directory, old, failure) != 0) {
        return -1;
    }
    for (int i = files->count - 1; i >= 0; i--) {
        const int error = change_row(&files->rows[i], directory->path, old, rename, from);
        if (error != 0) {
            return fail_io(from, error, failure);
        }
    }
    scenario_path(directory->path, from);
    (void)snprintf(to, sizeof to, "%.*s/scenario", FOLDER_BYTES, old);
    (void)link(from, to); /* so that the folder has the name of a scenario at every moment */
    int error = disk_file_sync_folder(to);
    error = error != 0 ? error : disk_file_sync_folder(from);
    log_write(LOG_INFO, "state", "%d files were put aside into %s", files->count, old);
    return error == 0 ? 0 : fail_io(old, error, failure);
}

static int link_rows(const struct state_files *files, const char *old, struct failure *failure) {
    char from[DISK_FILE_PATH], to[DISK_FILE_PATH];
    for (int i = 0; i < files->count; i++) {
        const int error = change_row(&files->rows[i], files->folder, old, link, from);
        if (error != 0) {
            return fail_io(from, error, failure);
        }
    }
    (void)snprintf(to, sizeof to, "%.*s/scenario", FOLDER_BYTES, old);
    const int error = disk_file_sync_folder(to);
    return error == 0 ? 0 : fail_io(old, error, failure);
}

void state_directory_keep_left_out(struct state_directory *directory) {
    struct state_files files;
    struct failure failure = {0};
    char old[DISK_FILE_PATH];
    int result = state_files_scan(&files, directory->path, &failure);
    if (result == 0) {
        result = make_old_folder(directory, old, &failure) != 0 ? -1 : link_rows(&files, old, &failure);
        state_files_fini(&files);
    }
    atomic_store(&directory->keeps_all, result != 0);
    if (result == 0) {
        log_write(LOG_WARN, "state", "the journals of what is left out are kept in %s", old);
    } else {
        log_write(LOG_ERROR, "state",
                  "the journals of what is left out cannot be put aside, so that no file is deleted: %s",
                  failure.message);
    }
}

/* ---- opening and closing ---- */

/* Whether the file is a part of a checkpoint that there is not. */
static bool is_left_part(const struct state_directory *directory, const char *name) {
    char head[64], path[DISK_FILE_PATH];
    enum state_file_kind kind;
    uint32_t part = 0, number = 0;
    if (!part_file_read_name(name, &part, head) || !state_file_read_name(head, &kind, &number)) {
        return false;
    }
    (void)snprintf(path, sizeof path, "%s/%s", directory->path, head);
    return access(path, F_OK) != 0 && errno == ENOENT;
}

/* What a crash has left of checkpoints that were being written. */
static void remove_parts(const struct state_directory *directory) {
    DIR *folder = opendir(directory->path);
    const struct dirent *entry = NULL;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char name[64], path[DISK_FILE_PATH];
        enum state_file_kind kind;
        uint32_t number = 0;
        const size_t length = strlen(entry->d_name), end = strlen(WHOLE_FILE_PART);
        if (is_left_part(directory, entry->d_name)) {
            (void)snprintf(path, sizeof path, "%s/%.64s", directory->path, entry->d_name);
            (void)unlink(path);
        }
        if (length <= end || length >= sizeof name ||
            strcmp(entry->d_name + length - end, WHOLE_FILE_PART) != 0) {
            continue;
        }
        memcpy(name, entry->d_name, length - end);
        name[length - end] = '\0';
        if (state_file_read_name(name, &kind, &number) && kind == STATE_FILE_CHECKPOINT) {
            (void)snprintf(path, sizeof path, "%s/%s%s", directory->path, name, WHOLE_FILE_PART);
            (void)unlink(path);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
}

static int take_folder(struct state_directory *directory, bool is_new, struct failure *failure) {
    struct state_files files;
    if (make_folder(directory->path, failure) != 0 || lock_folder(directory, failure) != 0 ||
        state_files_scan(&files, directory->path, failure) != 0) {
        return -1;
    }
    remove_parts(directory);
    directory->is_new = is_new;
    atomic_init(&directory->last_number, state_files_last_number(&files));
    state_files_fini(&files);
    return 0;
}

struct state_directory *state_directory_open(const char *path, bool is_new, struct failure *failure) {
    struct state_directory *directory = calloc(1, sizeof *directory);
    if (directory == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        return NULL;
    }
    directory->lock = -1;
    if (set_path(directory, path, failure) != 0 || take_folder(directory, is_new, failure) != 0) {
        state_directory_close(directory);
        return NULL;
    }
    return directory;
}

void state_directory_close(struct state_directory *directory) {
    if (directory == NULL) {
        return;
    }
    if (directory->lock >= 0) {
        (void)close(directory->lock); /* which unlocks it */
    }
    free(directory);
}

const char *state_directory_path(const struct state_directory *directory) {
    return directory->path;
}

const char *state_directory_saves(const struct state_directory *directory) {
    return directory->saves;
}

/* ---- reading ---- */

bool state_directory_has_world(const struct state_directory *directory) {
    struct state_files files;
    struct failure failure;
    if (directory->is_new) {
        return false;
    }
    if (state_files_scan(&files, directory->path, &failure) != 0) {
        return true; /* state_directory_read says why it cannot be read */
    }
    const bool holds_world = state_files_have_world(&files);
    state_files_fini(&files);
    return holds_world;
}

bool state_directory_was_begun(const struct state_directory *directory) {
    char scenario[LIMIT_NAME_CHARS + 1];
    state_directory_read_scenario(directory, scenario);
    return !directory->is_new && !state_directory_has_world(directory) &&
           (scenario[0] != '\0' || atomic_load(&directory->last_number) > 0);
}

bool state_directory_has_lost(const struct state_directory *directory) {
    return directory->has_lost;
}

/* The paths of all rows from one on, in one block; NULL without memory. */
static const char **make_paths(const struct state_files *files, int first) {
    const size_t count = (size_t)(files->count - first);
    const char **paths = malloc(count * (sizeof *paths + DISK_FILE_PATH));
    if (paths == NULL) {
        return NULL;
    }
    char *text = (char *)(paths + count);
    for (int i = first; i < files->count; i++, text += DISK_FILE_PATH) {
        state_file_path(files->folder, files->rows[i].kind, files->rows[i].number, text);
        paths[i - first] = text;
    }
    return paths;
}

/* NULL with *failure also when its end cannot be reached from any of its checkpoints. */
static struct recording *open_rows(const struct state_files *files, int first, struct failure *failure) {
    const char **paths = make_paths(files, first);
    if (paths == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        return NULL;
    }
    struct recording *recording = recording_open(paths, files->count - first, failure);
    if (recording != NULL && !recording_can_begin(recording)) {
        (void)failure_set(failure, FAILURE_BAD_SAVE, NULL,
                          "%.200s: no checkpoint from which the journals can be followed can be read",
                          paths[0]);
        recording_close(recording);
        recording = NULL;
    }
    free(paths);
    return recording;
}

/* What the world goes on from is on disk: a server that was killed may have left lines that only the system has, and the next one
 * promises what builds on them. */
static int sync_journals(const struct state_files *files, struct failure *failure) {
    char path[DISK_FILE_PATH];
    int error = 0;
    for (int i = 0; error == 0 && i < files->count; i++) {
        state_file_path(files->folder, files->rows[i].kind, files->rows[i].number, path);
        const int descriptor = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        error = descriptor < 0 ? errno : disk_file_sync(descriptor);
        if (descriptor >= 0) {
            (void)close(descriptor);
        }
    }
    error = error != 0 || files->count == 0 ? error : disk_file_sync_folder(path);
    return error == 0 ? 0 : fail_io(path, error, failure);
}

/* The one that reaches further; the other one is closed. */
static struct recording *better(struct recording *one, struct recording *other) {
    const struct recording_moment *a = one == NULL ? NULL : &recording_facts(one)->last,
                                  *b = other == NULL ? NULL : &recording_facts(other)->last;
    const bool is_other =
        a == NULL || (b != NULL && (b->seq > a->seq || (b->seq == a->seq && b->tick > a->tick)));
    recording_close(is_other ? one : other);
    return is_other ? other : one;
}

/* From the row of the plan; where what follows is damaged, from a checkpoint behind the damage; where none of these can be
 * read, from an older row. */
static struct recording *open_best(const struct state_files *files, int plan, struct failure *failure) {
    struct failure other = {0};
    struct recording *best = open_rows(files, plan, failure);
    for (int i = plan + 1; i < files->count && (best == NULL || recording_facts(best)->damage.is_end); i++) {
        best = better(best, open_rows(files, i, &other));
    }
    for (int i = plan - 1; i >= 0 && best == NULL && state_files_go_on(files, i); i--) {
        best = open_rows(files, i, &other);
        if (best != NULL) {
            log_write(LOG_WARN, "state", "%s; older files are read", failure->message);
        }
    }
    return best;
}

/* is_short: NULL, or newer files may be left out. */
static struct recording *read_rows(struct state_directory *directory, bool *is_short,
                                   struct failure *failure) {
    struct state_files files;
    struct recording *recording = NULL;
    if (state_files_scan(&files, directory->path, failure) != 0) {
        return NULL;
    }
    for (;; files.count--) {
        const int plan = state_files_plan(&files, failure);
        if (plan >= 0 && sync_journals(&files, failure) == 0) {
            directory->has_lost = !state_files_report(&files, plan);
            recording = open_best(&files, plan, failure);
        }
        if (recording != NULL || is_short == NULL || files.count <= 1) {
            break;
        }
        *is_short = true;
    }
    state_files_fini(&files);
    return recording;
}

struct recording *state_directory_read(struct state_directory *directory, struct failure *failure) {
    return read_rows(directory, NULL, failure);
}

struct recording *state_directory_read_some(struct state_directory *directory, bool *is_short,
                                            struct failure *failure) {
    return read_rows(directory, is_short, failure);
}

void state_directory_read_scenario(const struct state_directory *directory,
                                   char scenario[LIMIT_NAME_CHARS + 1]) {
    char path[DISK_FILE_PATH];
    scenario[0] = '\0';
    if (directory->is_new) {
        return;
    }
    scenario_path(directory->path, path);
    const int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    const ssize_t length = descriptor < 0 ? 0 : read(descriptor, scenario, LIMIT_NAME_CHARS);
    scenario[length > 0 ? length : 0] = '\0';
    scenario[strcspn(scenario, "\n")] = '\0';
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
}

/* ---- writing ---- */

static void keep_scenario(const struct state_directory *directory, const char *scenario) {
    char path[DISK_FILE_PATH], line[LIMIT_NAME_CHARS + 2];
    struct failure failure = {0};
    scenario_path(directory->path, path);
    const int length = snprintf(line, sizeof line, "%.*s\n", LIMIT_NAME_CHARS, scenario);
    if (file_write_whole(path, line, (size_t)length, true, &failure) != 0) {
        log_write(LOG_WARN, "state", "the name of the first scenario is not kept: %s", failure.message);
        (void)unlink(path); /* of the scenario before */
    }
}

int state_directory_begin(struct state_directory *directory, const char *scenario, struct failure *failure) {
    struct state_files files;
    directory->has_lost = state_directory_was_begun(directory);
    if (directory->has_lost) {
        log_write(LOG_WARN, "state",
                  "%s was begun, but no journal of it can be read: %s begins from its start again",
                  directory->path, scenario);
    }
    if (state_files_scan(&files, directory->path, failure) != 0) {
        return -1;
    }
    const int result = put_aside(directory, &files, failure);
    state_files_fini(&files);
    if (result == 0) {
        atomic_store(&directory->last_number, 0);
        keep_scenario(directory, scenario);
        directory->is_new = false;
    }
    return result;
}

/* The new journal comes first, after all others: a crash leaves it as the newest one. */
int state_directory_replace(struct state_directory *directory, const char *text, size_t length,
                            struct failure *failure) {
    struct state_files files;
    char path[DISK_FILE_PATH];
    if (state_files_scan(&files, directory->path, failure) != 0) {
        return -1;
    }
    state_directory_journal_path(directory, state_directory_next(directory), path);
    int result = file_write_whole(path, text, length, false, failure);
    if (result == 0) {
        result = put_aside(directory, &files, failure);
    }
    state_files_fini(&files);
    return result;
}

int state_directory_check(const struct state_directory *directory, struct failure *failure) {
    char path[DISK_FILE_PATH];
    struct stat held, found;
    (void)snprintf(path, sizeof path, "%s/lock", directory->path);
    const bool is_same = fstat(directory->lock, &held) == 0 && stat(path, &found) == 0 &&
                         held.st_dev == found.st_dev && held.st_ino == found.st_ino;
    return is_same
               ? 0
               : failure_set(failure, FAILURE_IO, NULL,
                             "%.200s: the folder was moved, or its file lock deleted, while the server runs",
                             directory->path);
}

uint32_t state_directory_next(struct state_directory *directory) {
    return (uint32_t)atomic_fetch_add(&directory->last_number, 1) + 1;
}

void state_directory_journal_path(const struct state_directory *directory, uint32_t number,
                                  char path[STATE_DIRECTORY_PATH]) {
    state_file_path(directory->path, STATE_FILE_JOURNAL, number, path);
}

void state_directory_checkpoint_path(const struct state_directory *directory, uint32_t number,
                                     char path[STATE_DIRECTORY_PATH]) {
    state_file_path(directory->path, STATE_FILE_CHECKPOINT, number, path);
}

static void delete_rows(const struct state_files *files, int count) {
    for (int i = 0; i < count; i++) {
        char path[DISK_FILE_PATH];
        for (int part = -1; part < (int)files->rows[i].parts; part++) {
            state_file_path_of(files->folder, &files->rows[i], part, path);
            if (unlink(path) != 0 && errno != ENOENT) {
                log_write(LOG_WARN, "state", "%s is outdated, but cannot be deleted: %s", path,
                          strerror(errno));
                return; /* none is deleted while an older one stays */
            }
        }
    }
}

void state_directory_prune(struct state_directory *directory, uint32_t number, uint64_t keep_bytes) {
    struct state_files files;
    struct failure failure;
    if (atomic_load(&directory->keeps_all)) {
        return;
    }
    if (state_files_scan(&files, directory->path, &failure) != 0) {
        log_write(LOG_WARN, "state", "outdated files stay: %s", failure.message);
        return;
    }
    delete_rows(&files, state_files_outdated(&files, number, keep_bytes));
    state_files_fini(&files);
}
