/* What memory is left, as the files of the system say it. */
#include "tests/unit/common/test_support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/system/process.h"

static char root[] = "/tmp/drover-test-memory-XXXXXX";

static int set_up(void **state) {
    memcpy(root + sizeof root - 7, "XXXXXX", 6);
    return mkdtemp(root) == NULL ? -1 : 0;
}

static int tear_down(void **state) {
    char command[256];
    (void)snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

/* A file below the root, and the folders on the way to it. */
static void write_file(const char *path, const char *text) {
    char whole[512];
    (void)snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *at = strchr(whole + sizeof root, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        assert_true(mkdir(whole, 0700) == 0 || errno == EEXIST);
        *at = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void write_machine(void) {
    write_file("/proc/meminfo",
               "MemTotal:       8000 kB\nMemFree:         100 kB\nMemAvailable:   5000 kB\n");
}

static void nothing_to_read(void **state) {
    assert_true(memory_free_of_files(root) == UINT64_MAX);
}

static void the_machine(void **state) {
    write_machine();
    write_file("/proc/self/cgroup", "0::/\n");
    assert_true(memory_free_of_files(root) == UINT64_C(5000) * 1024);
}

/* The limit of a group that this one is in counts as well; what files hold is given back. */
static void groups_of_version_2(void **state) {
    write_machine();
    write_file("/proc/self/cgroup", "0::/system.slice/drover.service\n");
    write_file("/sys/fs/cgroup/system.slice/drover.service/memory.max", "max\n");
    assert_true(memory_free_of_files(root) == UINT64_C(5000) * 1024);
    write_file("/sys/fs/cgroup/system.slice/memory.max", "1000000\n");
    write_file("/sys/fs/cgroup/system.slice/memory.current", "700000\n");
    assert_true(memory_free_of_files(root) == 300000);
    write_file("/sys/fs/cgroup/system.slice/memory.stat", "anon 5\ninactive_file 50000\n");
    assert_true(memory_free_of_files(root) == 350000);
    write_file("/sys/fs/cgroup/system.slice/drover.service/memory.max", "1000\n");
    write_file("/sys/fs/cgroup/system.slice/drover.service/memory.current", "2000\n");
    assert_true(memory_free_of_files(root) == 0);
}

static void groups_of_version_1(void **state) {
    write_machine();
    write_file("/proc/self/cgroup", "12:cpu:/elsewhere\n4:memory:/docker/abc\n0::/\n");
    write_file("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "900000\n");
    write_file("/sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "100000\n");
    assert_true(memory_free_of_files(root) == 800000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_to_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_machine, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_of_version_2, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_of_version_1, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
