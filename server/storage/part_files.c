/* See part_files.h. */
#include "server/storage/part_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/regular_file.h"

#define PART_SUFFIX ".part-"
#define HEAD_SUFFIX ".drover"

/* ---- names ---- */

void part_file_path(const char *checkpoint, uint32_t number, char path[PART_FILES_PATH]) {
    const size_t length = strlen(checkpoint), suffix = strlen(HEAD_SUFFIX);
    const bool has_suffix = length > suffix && strcmp(checkpoint + length - suffix, HEAD_SUFFIX) == 0;
    (void)snprintf(path, PART_FILES_PATH, "%.*s" PART_SUFFIX "%04" PRIu32,
                   (int)(has_suffix ? length - suffix : length), checkpoint, number);
}

bool part_file_read_name(const char *name, uint32_t *number, char head[64]) {
    const char *suffix = strstr(name, PART_SUFFIX);
    char expected[PART_FILES_PATH];
    if (suffix == NULL || suffix - name > 40) {
        return false;
    }
    const unsigned long value = strtoul(suffix + strlen(PART_SUFFIX), NULL, 10);
    if (value >= CHECKPOINT_PARTS_MAX) {
        return false;
    }
    *number = (uint32_t)value;
    (void)snprintf(head, 64, "%.*s" HEAD_SUFFIX, (int)(suffix - name), name);
    part_file_path(head, *number, expected);
    return strcmp(name, expected) == 0;
}

/* ---- reading ---- */

/* The bytes that the file has now; *bytes is the caller's. 0, or an errno value. */
static int read_whole_part(int file, char **bytes, size_t *length) {
    struct stat status;
    size_t done = 0;
    ssize_t count = 1;
    if (fstat(file, &status) != 0) {
        return errno;
    }
    *length = (size_t)status.st_size;
    *bytes = malloc(*length + 1);
    while (*bytes != NULL && done < *length && count != 0) {
        count = read(file, *bytes + done, *length - done);
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    *length = done; /* it may have become shorter */
    return *bytes == NULL ? ENOMEM : 0;
}

static int fail(uint32_t number, const char *path, enum failure_code code, const char *reason,
                struct failure *failure) {
    return failure_set(failure, code, "parts", "part %" PRIu32 ": %.200s: %s", number, path, reason);
}

static int read_part(void *context, uint32_t number, const char **bytes, size_t *length,
                     struct failure *failure) {
    struct part_files *files = context;
    char path[PART_FILES_PATH], reason[REGULAR_FILE_REASON] = "";
    int file = -1;
    part_files_fini(files);
    part_file_path(files->checkpoint, number, path);
    const enum regular_file_result result = regular_file_open(path, &file, reason);
    if (result != REGULAR_FILE_OK) {
        return fail(number, path, result == REGULAR_FILE_SHORT ? FAILURE_BUSY : FAILURE_BAD_SAVE,
                    result == REGULAR_FILE_MISSING ? "there is no such file" : reason, failure);
    }
    const int error = read_whole_part(file, &files->bytes, length);
    (void)close(file);
    *bytes = files->bytes;
    files->was_read = true;
    return error == 0 ? 0
                      : fail(number, path, error == ENOMEM ? FAILURE_BUSY : FAILURE_BAD_SAVE, strerror(error),
                             failure);
}

struct checkpoint_parts part_files_of(struct part_files *files, const char *checkpoint) {
    *files = (struct part_files){.bytes = NULL};
    (void)snprintf(files->checkpoint, sizeof files->checkpoint, "%s", checkpoint);
    return (struct checkpoint_parts){files, read_part};
}

void part_files_fini(struct part_files *files) {
    free(files->bytes);
    files->bytes = NULL;
}
