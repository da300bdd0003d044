/* See input.h. */
#include "clients/drover/input.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/storage/state_directory.h"

enum { PIECE = 1 << 16, FILE_NAME_ROOM = 64 /* of a file of a state folder */ };

static int fail(const char *what, struct failure *failure) {
    return failure_set(failure, FAILURE_IO, NULL, "%s: %s", what, strerror(errno));
}

static int write_whole(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno != EINTR) {
            return -1;
        }
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

static int copy_input(int descriptor, struct interrupt *interrupt, struct failure *failure) {
    char piece[PIECE];
    for (;;) {
        if (!interrupt_wait(interrupt, STDIN_FILENO, POLLIN)) {
            return failure_set(failure, FAILURE_IO, NULL, "interrupted");
        }
        const ssize_t length = read(STDIN_FILENO, piece, sizeof piece);
        if (length == 0) {
            return 0;
        }
        if (length < 0 && errno != EINTR && errno != EAGAIN) {
            return fail("standard input", failure);
        }
        if (length > 0 && write_whole(descriptor, piece, (size_t)length) != 0) {
            return fail("a temporary file", failure);
        }
    }
}

int input_find(const char *argument, struct interrupt *interrupt, char path[INPUT_PATH],
               struct failure *failure) {
    if (strcmp(argument, "-") != 0) {
        const int length = snprintf(path, INPUT_PATH, "%s", argument);
        return length >= 0 && length < INPUT_PATH
                   ? 0
                   : failure_set(failure, FAILURE_NO_SAVE, NULL, "the name of a file is too long");
    }
    const char *folder = getenv("TMPDIR");
    const int length =
        snprintf(path, INPUT_PATH, "%s/drover-XXXXXX", folder == NULL || folder[0] == '\0' ? "/tmp" : folder);
    const int descriptor = length >= 0 && length < INPUT_PATH ? mkstemp(path) : -1;
    if (descriptor < 0) {
        return fail("a temporary file", failure);
    }
    (void)unlink(path);
    (void)snprintf(path, INPUT_PATH, "/dev/fd/%d", descriptor);
    return copy_input(descriptor, interrupt, failure);
}

/* The files of a recording, in order. */
struct paths {
    char **rows; /* malloc'd, as each of them */
    int count;
};

static void free_paths(struct paths *paths) {
    for (int i = 0; i < paths->count; i++) {
        free(paths->rows[i]);
    }
    free(paths->rows);
}

static int add_path(struct paths *paths, const char *path, struct failure *failure) {
    char **rows = realloc(paths->rows, ((size_t)paths->count + 1) * sizeof *rows);
    paths->rows = rows != NULL ? rows : paths->rows;
    char *copy = rows != NULL ? strdup(path) : NULL;
    if (copy == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    paths->rows[paths->count++] = copy;
    return 0;
}

static int add_folder(struct paths *paths, const char *folder, struct failure *failure) {
    struct state_files files;
    char path[INPUT_PATH];
    if (state_files_scan(&files, folder, failure) != 0) {
        return -1;
    }
    int result = state_files_check_whole(&files, failure);
    for (int i = 0; i < files.count && result == 0; i++) {
        state_file_path(folder, files.rows[i].kind, files.rows[i].number, path);
        result = add_path(paths, path, failure);
    }
    state_files_fini(&files);
    return result;
}

static int add_argument(struct paths *paths, const char *argument, struct failure *failure) {
    struct stat status;
    char folder[INPUT_PATH];
    size_t length = strlen(argument);
    if (stat(argument, &status) != 0 || !S_ISDIR(status.st_mode)) {
        return add_path(paths, argument, failure);
    }
    while (length > 1 && argument[length - 1] == '/') {
        length--;
    }
    if (length + FILE_NAME_ROOM > sizeof folder) {
        return failure_set(failure, FAILURE_NO_SAVE, NULL, "the name of a folder is too long");
    }
    memcpy(folder, argument, length);
    folder[length] = '\0';
    return add_folder(paths, folder, failure);
}

static int list_paths(const char *path, char *const *more, struct paths *paths, struct failure *failure) {
    int result = add_argument(paths, path, failure);
    for (int i = 0; more != NULL && more[i] != NULL && result == 0; i++) {
        result = add_argument(paths, more[i], failure);
    }
    return result;
}

/* The failure with the argument before it, in place of the path that stands for it. */
static void name_argument(const char *argument, const char *path, const struct failure *inner,
                          struct failure *failure) {
    const size_t length = strlen(path);
    const char *message = inner->message; /* that of a file names it already */
    if (strncmp(message, path, length) == 0 && strncmp(message + length, ": ", 2) == 0) {
        message += length + 2;
    }
    (void)failure_set(failure, inner->code, inner->field, "%.250s: %s",
                      strcmp(argument, "-") == 0 ? "standard input" : argument, message);
}

struct recording *input_open(const char *argument, const char *path, char *const *more,
                             struct failure *failure) {
    struct paths paths = {.rows = NULL};
    struct failure inner = {0};
    struct recording *recording = NULL;
    if (list_paths(path, more, &paths, &inner) == 0) {
        recording = recording_open((const char *const *)paths.rows, paths.count, &inner);
    }
    if (recording == NULL) {
        name_argument(argument, path, &inner, failure);
    }
    free_paths(&paths);
    return recording;
}

bool input_print_damage(const char *argument, const struct recording_facts *facts, FILE *out) {
    const struct recording_damage *damage = &facts->damage;
    if (damage->is_there) {
        (void)fprintf(out,
                      "%s%s: line %" PRIu64 " (byte %" PRIu64 ") is damaged: %s; request %" PRIu64
                      " and what followed is left out, after tick %" PRIu64 "\n",
                      out == stderr ? "drover: " : "",
                      strcmp(argument, "-") == 0 ? "standard input" : damage->path, damage->line,
                      damage->byte, damage->what, damage->before.seq + 1, damage->before.tick);
    }
    return damage->is_there;
}

void input_print_gaps(const char *argument, const struct recording_facts *facts, FILE *out) {
    for (int i = 0; i < facts->gap_count; i++) {
        const struct recording_gap *gap = &facts->gaps[i];
        (void)fprintf(out, "%s%s: gap %" PRIu64 "..%" PRIu64, out == stderr ? "drover: " : "", argument,
                      gap->before.tick, gap->after.tick);
        if (facts->world_count > 1) {
            (void)fprintf(out, " of world %" PRIu32, gap->before.world);
        }
        (void)fprintf(out,
                      ": what happened between these ticks, request %" PRIu64 " to %" PRIu64
                      ", is in no file; the world goes on from the checkpoint behind it\n",
                      gap->before.seq + 1, gap->after.seq);
    }
}

void input_write_damage(const struct recording_facts *facts, struct json_writer *json) {
    const struct recording_damage *damage = &facts->damage;
    if (damage->is_there) {
        json_key(json, "damage");
        json_object(json);
        json_key_string(json, "file", damage->path);
        json_key_unsigned(json, "line", damage->line);
        json_key_unsigned(json, "byte", damage->byte);
        json_key_string(json, "reason", damage->what);
        json_key_unsigned(json, "request", damage->before.seq + 1);
        json_key_unsigned(json, "after_tick", damage->before.tick);
        json_end(json);
    }
}

void input_write_gaps(const struct recording_facts *facts, struct json_writer *json) {
    json_key(json, "gaps");
    json_array(json);
    for (int i = 0; i < facts->gap_count; i++) {
        json_object(json);
        json_key_unsigned(json, "world", facts->gaps[i].before.world);
        json_key_unsigned(json, "after_tick", facts->gaps[i].before.tick);
        json_key_unsigned(json, "tick", facts->gaps[i].after.tick);
        json_key_unsigned(json, "requests", facts->gaps[i].after.seq - facts->gaps[i].before.seq);
        json_end(json);
    }
    json_end(json);
}

void input_write_checkpoint(const char *argument, const struct recording_facts *facts, int index,
                            const char *reason, struct json_writer *json) {
    json_object(json);
    json_key_string(json, "file", argument);
    json_key_unsigned(json, "world", facts->checkpoints[index].world);
    json_key_unsigned(json, "tick", facts->checkpoints[index].tick);
    json_key_string(json, "reason", reason);
    json_end(json);
}
