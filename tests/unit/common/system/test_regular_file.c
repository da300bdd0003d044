/* Files that are opened and files that are refused, without a wait. */
#include "tests/unit/common/test_support.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/system/regular_file.h"

static char folder[] = "/tmp/drover-test-files-XXXXXX";

static int set_up(void **state) {
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int tear_down(void **state) {
    return rmdir(folder);
}

static const char *in_folder(const char *name) {
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void refused(const char *path, enum regular_file_result expected, const char *words) {
    char *text = NULL;
    size_t length = 0;
    char reason[REGULAR_FILE_REASON] = "";
    assert_int_equal(regular_file_read(path, 100, &text, &length, reason), expected);
    assert_null(text);
    if (strstr(reason, words) == NULL) {
        fail_msg("\"%s\" says nothing of \"%s\"", reason, words);
    }
}

static void reads_a_file_up_to_its_limit(void **state) {
    const char *path = in_folder("file");
    char *text = NULL;
    size_t length = 0;
    char reason[REGULAR_FILE_REASON];
    write_file(path, "seek");
    assert_int_equal(regular_file_read(path, 4, &text, &length, reason), REGULAR_FILE_OK);
    assert_int_equal(length, 4);
    assert_string_equal(text, "seek");
    free(text);
    assert_int_equal(regular_file_read(path, 3, &text, &length, reason), REGULAR_FILE_REFUSED);
    assert_string_equal(reason, "the file is longer than 3 bytes");
    assert_null(text);
    write_file(path, "");
    assert_int_equal(regular_file_read(path, 3, &text, &length, reason), REGULAR_FILE_OK);
    assert_int_equal(length, 0);
    assert_string_equal(text, "");
    free(text);
    (void)unlink(path);
}

static void refuses_what_is_no_file(void **state) {
    alarm(20); /* a wait for a FIFO ends the test */
    refused(in_folder("nothing"), REGULAR_FILE_MISSING, "No such file");
    refused(folder, REGULAR_FILE_REFUSED, "a directory, not a regular file");
    refused("/dev/zero", REGULAR_FILE_REFUSED, "a device, not a regular file");
    assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
    refused(in_folder("fifo"), REGULAR_FILE_REFUSED, "a FIFO, not a regular file");
    (void)unlink(in_folder("fifo"));
    assert_int_equal(symlink("loop", in_folder("loop")), 0);
    refused(in_folder("loop"), REGULAR_FILE_REFUSED, "Too many levels of symbolic links");
    (void)unlink(in_folder("loop"));
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", in_folder("socket"));
    const int socket_there = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(socket_there, (const struct sockaddr *)&address, sizeof address), 0);
    refused(in_folder("socket"), REGULAR_FILE_REFUSED, "not a regular file");
    close(socket_there);
    (void)unlink(in_folder("socket"));
    if (geteuid() != 0) {
        write_file(in_folder("secret"), "x");
        assert_int_equal(chmod(in_folder("secret"), 0), 0);
        refused(in_folder("secret"), REGULAR_FILE_REFUSED, "Permission denied");
        (void)unlink(in_folder("secret"));
    }
    alarm(0);
}

static void tells_a_shortage_from_a_refusal(void **state) {
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    write_file(in_folder("file"), "x");
    const int next = dup(0);
    assert_true(next >= 0);
    close(next);
    const struct rlimit none = {.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    char *text = NULL;
    size_t length = 0;
    char reason[REGULAR_FILE_REASON] = "";
    const enum regular_file_result result = regular_file_read(in_folder("file"), 100, &text, &length, reason);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(result, REGULAR_FILE_SHORT);
    assert_string_equal(reason, "Too many open files");
    (void)unlink(in_folder("file"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_a_file_up_to_its_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_what_is_no_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tells_a_shortage_from_a_refusal, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
