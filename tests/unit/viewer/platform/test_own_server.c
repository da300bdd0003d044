/* The viewer's own server: shell scripts stand in for drover-server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "viewer/platform/own_server.h"

static char folder[] = "/tmp/drover-own-server-XXXXXX";
static char program[128], recording[128];

static void write_file(const char *path, const char *text, mode_t mode) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

static int setup(void **state) {
    assert_non_null(mkdtemp(folder));
    (void)snprintf(program, sizeof program, "%s/drover-server", folder);
    (void)snprintf(recording, sizeof recording, "%s/a run", folder);
    write_file(recording, "{\"op\":\"drover\",\"format\":1}\n", 0600);
    return 0;
}

static int teardown(void **state) {
    unlink(program);
    unlink(recording);
    return rmdir(folder);
}

static void recordings_are_known_by_name_or_content(void **state) {
    assert_true(recording_is_named("run.drover")); /* there or not: no host is named so */
    assert_true(recording_is_named("/tmp/run.drover.zst"));
    assert_true(recording_is_named(recording));
    assert_false(recording_is_named("localhost:7717"));
    assert_false(recording_is_named(".drover"));
    assert_false(recording_is_named(folder));
    write_file(program, "#!/bin/sh\n", 0700);
    assert_false(recording_is_named(program));
}

static void the_address_is_read(void **state) {
    struct address address = {"", ""};
    struct failure failure;
    write_file(program,
               "#!/bin/sh\necho \"drover-server listening on 127.0.0.1:4711\"\n"
               "[ \"$1 $3 $4 $5 $6\" = \"--replay --port 0 --listen 127.0.0.1\" ] || exit 3\n"
               "[ -s \"$2\" ] || exit 4\nexec sleep 60\n",
               0700);
    struct own_server *server = own_server_start(program, recording, 20000, &address, &failure);
    assert_non_null(server);
    assert_string_equal(address.host, "127.0.0.1");
    assert_string_equal(address.port, "4711");
    own_server_stop(server);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    assert_int_equal(errno, ECHILD);
}

static void a_refusal_is_in_the_server_s_words(void **state) {
    struct address address = {"", ""};
    struct failure failure;
    write_file(program, "#!/bin/sh\necho 'reading' >&2\necho 'drover-server: line 7: no world' >&2\nexit 1\n",
               0700);
    assert_null(own_server_start(program, recording, 20000, &address, &failure));
    assert_non_null(strstr(failure.message, "a run: line 7: no world"));
    write_file(program, "#!/bin/sh\necho hello\nexec sleep 60\n", 0700);
    assert_null(own_server_start(program, recording, 20000, &address, &failure));
    assert_non_null(strstr(failure.message, "hello"));
    assert_null(own_server_start(program, "/tmp/no-such.drover", 20000, &address, &failure));
    assert_non_null(strstr(failure.message, "/tmp/no-such.drover"));
}

static void a_path_is_named_once(void **state) {
    struct address address = {"", ""};
    struct failure failure;
    char script[256];
    (void)snprintf(script, sizeof script, "#!/bin/sh\necho 'drover-server: %s: no world' >&2\nexit 1\n",
                   recording);
    write_file(program, script, 0700);
    assert_null(own_server_start(program, recording, 20000, &address, &failure));
    (void)snprintf(script, sizeof script, "%s: no world", recording);
    assert_string_equal(failure.message, script);
}

static void a_server_that_ends_is_noticed(void **state) {
    struct address address = {"", ""};
    struct failure failure;
    char reason[64] = "";
    write_file(program,
               "#!/bin/sh\necho \"drover-server listening on 127.0.0.1:4711\"\n"
               "echo 'drover-server: no memory' >&2\nread line <\"$0.stop\"\n",
               0700);
    char stop[160];
    (void)snprintf(stop, sizeof stop, "%s.stop", program);
    (void)unlink(stop);
    assert_int_equal(mkfifo(stop, 0600), 0);
    struct own_server *server = own_server_start(program, recording, 20000, &address, &failure);
    assert_non_null(server);
    assert_false(own_server_has_ended(server, reason, sizeof reason));
    close(open(stop, O_WRONLY)); /* the script reads the end of the file, and ends */
    while (!own_server_has_ended(server, reason, sizeof reason)) {
        (void)nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    assert_string_equal(reason, "no memory");
    assert_true(own_server_has_ended(server, reason, sizeof reason));
    own_server_stop(server);
    (void)unlink(stop);
}

static void a_server_that_says_nothing_is_ended(void **state) {
    struct address address = {"", ""};
    struct failure failure;
    write_file(program, "#!/bin/sh\nexec sleep 60\n", 0700);
    assert_null(own_server_start(program, recording, 100, &address, &failure));
    assert_non_null(strstr(failure.message, "did not begin"));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* Whether the process ended; its new parent need not have fetched it. */
static bool is_gone(pid_t process) {
    char path[64], text[256] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    const int file = open(path, O_RDONLY);
    const ssize_t count = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0) {
        close(file);
    }
    return count <= 0 || strstr(text, ") Z ") != NULL;
}

/* A viewer that is killed has no chance to end its server. */
static void the_server_ends_with_a_killed_viewer(void **state) {
    char number[160];
    int status = 0;
    (void)snprintf(number, sizeof number, "%s/number", folder);
    write_file(program,
               "#!/bin/sh\necho $$ >\"${0%/*}/number\"\necho \"drover-server listening on 127.0.0.1:4711\"\n"
               "exec sleep 60\n",
               0700);
    const pid_t viewer = fork();
    if (viewer == 0) {
        struct address address = {"", ""};
        struct failure failure;
        if (own_server_start(program, recording, 20000, &address, &failure) != NULL) {
            (void)raise(SIGKILL);
        }
        _exit(1);
    }
    assert_int_equal(waitpid(viewer, &status, 0), viewer);
    assert_true(WIFSIGNALED(status));
    FILE *file = fopen(number, "r");
    int process = 0;
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &process), 1);
    (void)fclose(file);
    unlink(number);
    const struct timespec pause = {0, 20 * 1000000};
    for (int i = 0; !is_gone((pid_t)process); i++) {
        assert_true(i < 1000);
        (void)nanosleep(&pause, NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_are_known_by_name_or_content),
        cmocka_unit_test(the_address_is_read),
        cmocka_unit_test(a_refusal_is_in_the_server_s_words),
        cmocka_unit_test(a_path_is_named_once),
        cmocka_unit_test(a_server_that_ends_is_noticed),
        cmocka_unit_test(a_server_that_says_nothing_is_ended),
        cmocka_unit_test(the_server_ends_with_a_killed_viewer),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
