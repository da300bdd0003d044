/* Scenarios by name: found, listed, refused. */
#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/log.h"
#include "server/library/scenario_library.h"

static char directory[64];

static void write_file(const char *name, const char *text) {
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char *const files[] = {"zebra.json", "ant.json",       "broken.json",
                                    "notes.txt",  "two words.json", NULL};

static int set_up(void **state) {
    log_set_level(LOG_ERROR);
    memcpy(directory, "/tmp/drover-test-library-XXXXXX", sizeof "/tmp/drover-test-library-XXXXXX");
    assert_non_null(mkdtemp(directory));
    for (int i = 0; files[i] != NULL; i++) {
        write_file(files[i], "{\"name\":\"Some title\",\"world\":{\"size\":[800,600]}}");
    }
    write_file("broken.json", "{\"name\":\"Broken\"}");
    return 0;
}

static int tear_down(void **state) {
    for (int i = 0; files[i] != NULL; i++) {
        char path[256];
        (void)snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        (void)unlink(path);
    }
    return rmdir(directory);
}

static struct scenario scenario;

static void test_load(void **state) {
    struct scenario_library library;
    struct failure failure = {0};
    assert_int_equal(scenario_library_init(&library, directory, &failure), 0);
    assert_int_equal(scenario_library_load(&library, "ant", &scenario, &failure), 0);
    assert_string_equal(scenario.name, "ant");
    assert_string_equal(scenario.title, "Some title");
    scenario_fini(&scenario);
    assert_int_equal(scenario_library_load(&library, "broken", &scenario, &failure), -1);
    assert_int_equal(failure.code, FAILURE_BAD_SCENARIO);
    assert_non_null(strstr(failure.message, "broken.json:1:1: world: missing"));
    static const char *const refused[] = {"bee",       "",
                                          "../ant",    "./ant",
                                          "ant.json",  "/etc/passwd",
                                          "two words", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(scenario_library_load(&library, refused[i], &scenario, &failure), -1);
        assert_int_equal(failure.code, FAILURE_NO_SCENARIO);
        assert_string_equal(failure.field, "scenario");
    }
    assert_string_equal(failure.message,
                        "no scenario \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"; `list` names them");
    scenario_library_fini(&library);
}

static void test_list(void **state) {
    struct scenario_library library;
    struct failure failure = {0};
    assert_int_equal(scenario_library_init(&library, directory, &failure), 0);
    const struct scenario_list *list = scenario_library_list(&library, &failure);
    assert_non_null(list);
    assert_int_equal(list->count, 2); /* neither the broken one nor the one that is not a scenario */
    assert_string_equal(list->rows[0].name, "ant");
    assert_string_equal(list->rows[1].name, "zebra");
    assert_string_equal(list->rows[0].title, "Some title");
    write_file("broken.json", "{\"name\":\"Mended\",\"world\":{\"size\":[1,1]}}");
    assert_int_equal(scenario_library_list(&library, &failure)->count, 2); /* fresh enough */
    library.listed_ns -= (SCENARIO_LIBRARY_FRESH_MS + 1) * UINT64_C(1000000);
    list = scenario_library_list(&library, &failure);
    assert_int_equal(list->count, 3);
    assert_string_equal(list->rows[1].title, "Mended");
    scenario_library_fini(&library);
}

static void test_argument(void **state) {
    struct scenario_library library;
    struct failure failure = {0};
    char path[256];
    assert_int_equal(scenario_library_init(&library, directory, &failure), 0);
    (void)snprintf(path, sizeof path, "%s/two words.json", directory);
    assert_int_equal(scenario_library_load_argument(&library, path, &scenario, &failure), 0);
    assert_string_equal(scenario.name, "two_words");
    scenario_fini(&scenario);
    assert_int_equal(scenario_library_load_argument(&library, "zebra", &scenario, &failure), 0);
    scenario_fini(&scenario);
    assert_int_equal(scenario_library_load_argument(&library, "zebra.json", &scenario, &failure),
                     -1); /* a path */
    assert_int_equal(scenario_library_load_argument(&library, "yak", &scenario, &failure), -1);
    assert_non_null(strstr(failure.message, directory));
    scenario_library_fini(&library);
    assert_int_equal(scenario_library_init(&library, "/nowhere/at/all", &failure), -1);
    assert_non_null(strstr(failure.message, "/nowhere/at/all"));
}

/* The scenarios of the source tree are all right: none is left out. */
static void test_source_tree(void **state) {
    struct scenario_library library;
    struct failure failure = {0};
    assert_int_equal(scenario_library_init(&library, NULL, &failure), 0);
    static const char *const names[] = {"seek", "seek_mass", "boids_target", "seek_and_flee", "arrive"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (scenario_library_load(&library, names[i], &scenario, &failure) != 0) {
            fail_msg("%s", failure.message);
        }
        scenario_fini(&scenario);
    }
    scenario_library_fini(&library);
}

/* The folder in the home directory wins over the one beside the program, XDG_DATA_HOME over both, if it is a
 * place. */
static void test_where_scenarios_are(void **state) {
    struct scenario_library library;
    struct failure failure = {0};
    char home[64] = "/tmp/drover-test-home-XXXXXX", own[128], path[128];
    assert_non_null(mkdtemp(home));
    const char *const folders[] = {".local", ".local/share", ".local/share/drover",
                                   ".local/share/drover/scenarios"};
    assert_int_equal(setenv("HOME", home, 1), 0);
    assert_int_equal(unsetenv("XDG_DATA_HOME"), 0);
    assert_int_equal(scenario_library_init(&library, NULL, &failure), 0);
    assert_non_null(strstr(library.directory, "/../share/drover/scenarios"));
    for (int i = 0; i < 4; i++) {
        (void)snprintf(own, sizeof own, "%s/%s", home, folders[i]);
        assert_int_equal(mkdir(own, 0700), 0);
    }
    assert_int_equal(scenario_library_init(&library, NULL, &failure), 0);
    assert_string_equal(library.directory, own);
    assert_int_equal(setenv("XDG_DATA_HOME", "relative", 1), 0);
    assert_int_equal(scenario_library_init(&library, NULL, &failure), 0);
    assert_string_equal(library.directory, own);
    (void)snprintf(path, sizeof path, "%s/none", home);
    assert_int_equal(setenv("XDG_DATA_HOME", path, 1), 0);
    assert_int_equal(scenario_library_init(&library, NULL, &failure), 0);
    assert_non_null(strstr(library.directory, "/../share/drover/scenarios"));
    for (int i = 3; i >= 0; i--) {
        (void)snprintf(own, sizeof own, "%s/%s", home, folders[i]);
        assert_int_equal(rmdir(own), 0);
    }
    assert_int_equal(rmdir(home), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_load, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_argument, set_up, tear_down),
        cmocka_unit_test(test_source_tree),
        cmocka_unit_test(test_where_scenarios_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
