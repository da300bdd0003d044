/* The token file: valid lines, refusals that show no token, permissions. */
#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/sessions/access.h"

static char path[] = "/tmp/drover_access_XXXXXX";

static int set_up(void **state) {
    memcpy(path + sizeof path - 7, "XXXXXX", 6);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    return 0;
}

static int tear_down(void **state) {
    return unlink(path);
}

static void write_file(const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void refused(const char *text, const char *words) {
    struct access access = access_open();
    struct failure failure = {0};
    write_file(text);
    assert_int_equal(access_load(path, &access, &failure), -1);
    if (strstr(failure.message, words) == NULL) {
        fail_msg("\"%s\" says nothing of \"%s\"", failure.message, words);
    }
    assert_null(strstr(failure.message, "hush"));
    assert_int_equal(access.count, 0);
}

static void reads_roles_and_names(void **state) {
    struct access access;
    struct failure failure;
    write_file("# who\n\nviewer hush-hush-1\n  operator\thush-hush-2 Ann\r\nadmin hush-hush-3 J\xc3\xb6rg");
    assert_int_equal(access_load(path, &access, &failure), 0);
    assert_true(access.needs_token);
    assert_int_equal(access.count, 3);
    assert_int_equal(access_find(&access, "hush-hush-1")->role, ROLE_VIEWER);
    assert_string_equal(access_find(&access, "hush-hush-1")->name, "");
    assert_int_equal(access_find(&access, "hush-hush-2")->role, ROLE_OPERATOR);
    assert_string_equal(access_find(&access, "hush-hush-2")->name, "Ann");
    assert_int_equal(access_find(&access, "hush-hush-3")->role, ROLE_ADMIN);
    assert_string_equal(access_find(&access, "hush-hush-3")->name, "J\xc3\xb6rg");
    static const char *const wrong[] = {"",           "hush-hush-", "hush-hush-11", "Hush-hush-1",
                                        "ush-hush-1", "hush-hush-4"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_null(access_find(&access, wrong[i]));
    }
    access_fini(&access);
    assert_false(access.needs_token);
}

static void refuses_what_is_no_line(void **state) {
    refused("", "it has no token");
    refused("# only\n", "it has no token");
    refused("viewer\n", ":1: expected ROLE TOKEN [NAME]");
    refused("viewer hush-hush-1 a b\n", ":1: expected ROLE TOKEN [NAME]");
    refused("\nroot hush-hush-1\n", ":2: unknown role");
    refused("none hush-hush-1\n", "unknown role");
    refused("viewer hush\n", "8 to 128");
    refused("viewer hush-hush-\xc3\xb6\n", "printable ASCII");
    refused("viewer hush-hush-1\nadmin hush-hush-1\n", ":2: duplicate token");
    refused("viewer hush-hush-1 \xff\n", "UTF-8");
    char line[700];
    memset(line, 'h', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    refused(line, "too long");
}

static void refuses_what_others_may_read(void **state) {
    struct access access;
    struct failure failure;
    write_file("viewer hush-hush-1\n");
    for (mode_t bit = 1; bit <= 040; bit <<= 1) {
        assert_int_equal(chmod(path, 0600 | bit), 0);
        assert_int_equal(access_load(path, &access, &failure), -1);
        assert_non_null(strstr(failure.message, "chmod 600"));
    }
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(access_load(path, &access, &failure), 0);
    access_fini(&access);
    assert_int_equal(access_load("/tmp", &access, &failure), -1);
    assert_int_equal(access_load("/nowhere/at/all", &access, &failure), -1);
}

static void refuses_a_fifo_without_waiting(void **state) {
    struct access access;
    struct failure failure;
    alarm(20);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(access_load(path, &access, &failure), -1);
    assert_non_null(strstr(failure.message, "a FIFO, not a regular file"));
    alarm(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_roles_and_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_what_is_no_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_what_others_may_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_a_fifo_without_waiting, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
