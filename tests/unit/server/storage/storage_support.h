/* A folder of its own for a test of files, and looks into it. */
#ifndef DROVER_TESTS_UNIT_SERVER_STORAGE_SUPPORT_H
#define DROVER_TESTS_UNIT_SERVER_STORAGE_SUPPORT_H

#include <dirent.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/regular_file.h"
#include "tests/unit/common/test_support.h"

struct test_folder {
    char path[256];
};

static inline struct test_folder test_folder_make(void) {
    struct test_folder folder = {"/tmp/drover-test-storage-XXXXXX"};
    assert_non_null(mkdtemp(folder.path));
    return folder;
}

/** Removes a folder with everything in it; a link is removed, not followed. */
static inline void test_folder_remove(const char *path) {
    DIR *directory = opendir(path);
    assert_non_null(directory);
    const struct dirent *entry = NULL;
    while ((entry = readdir(directory)) != NULL) {
        char inner[1024];
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        const int length = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        assert_true(length > 0 && (size_t)length < sizeof inner);
        assert_int_equal(lstat(inner, &status), 0);
        if (S_ISDIR(status.st_mode)) {
            test_folder_remove(inner);
        } else {
            assert_int_equal(unlink(inner), 0);
        }
    }
    closedir(directory);
    assert_int_equal(rmdir(path), 0);
}

/** FOLDER/NAME; the returned text lies in *out. */
static inline const char *test_path(const struct test_folder *folder, const char *name, char out[512]) {
    const int length = snprintf(out, 512, "%s/%s", folder->path, name);
    assert_true(length > 0 && length < 512);
    return out;
}

/** The whole file, malloc'd and NUL-terminated. */
static inline char *test_read_file(const char *path, size_t *length) {
    char *text = NULL;
    char reason[REGULAR_FILE_REASON] = "";
    if (regular_file_read(path, (size_t)1 << 27, &text, length, reason) != REGULAR_FILE_OK) {
        fail_msg("%s: %s", path, reason);
    }
    return text;
}

static inline void test_write_file(const char *path, const char *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static inline void test_file_is(const char *path, const char *bytes, size_t length) {
    size_t found = 0;
    char *text = test_read_file(path, &found);
    assert_int_equal(found, length);
    assert_memory_equal(text, bytes, length);
    free(text);
}

static inline bool test_is_there(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0;
}

static inline unsigned test_mode(const char *path) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 07777u;
}

static inline size_t test_size(const char *path) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return (size_t)status.st_size;
}

/** Waits a little; tests that wait for a thread call it in a loop with an end that no machine is too slow for. */
static inline void test_nap(void) {
    (void)poll(NULL, 0, 2);
}

enum { TEST_NAPS = 30000 };

#endif
