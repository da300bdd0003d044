/* server/storage/save_store: saved worlds by name, in a folder and in memory; what else may lie in that folder. */
#include "server/storage/save_store.h"

#include <sys/time.h>

#include "common/base/buffer.h"
#include "common/system/log.h"
#include "server/recording/recording_line.h"
#include "server/storage/disk_file.h"
#include "tests/unit/server/storage/storage_support.h"

static struct test_folder folder;
static struct save_store *store;

static int begin(const char *path) {
    struct failure failure = {0};
    log_set_level(LOG_ERROR);
    store = save_store_create(path, &failure);
    return store != NULL ? 0 : -1;
}

static int begin_on_disk(void **state) {
    char path[512];
    folder = test_folder_make();
    return begin(test_path(&folder, "saves", path));
}

static int begin_in_memory(void **state) {
    folder = test_folder_make();
    return begin(NULL);
}

static int finish(void **state) {
    save_store_destroy(store);
    test_folder_remove(folder.path);
    return 0;
}

/* The text of a saved world, as long as its list needs it. */
static char *make_save(const char *scenario, uint64_t tick, size_t padding) {
    struct buffer out;
    buffer_init(&out, 1 << 26);
    struct recording_line line = {.op = RECORDING_DROVER, .format = 1, .core = 1};
    recording_line_write(&line, &out);
    line = (struct recording_line){.op = RECORDING_WORLD, .world = 1, .seed = 7, .tick_hz = 60.0};
    memcpy(line.scenario, scenario, strlen(scenario));
    line.text = "{\"name\":\"A \\\"scenario\\\"\"}";
    line.text_length = strlen(line.text);
    recording_line_write(&line, &out);
    buffer_printf(
        &out,
        "{\"op\":\"checkpoint\",\"tick\":%d,\"seq\":4,\"hash\":\"00000000000000ff\",\"format\":1,\"n\":250,",
        (int)tick);
    buffer_append_text(&out, "\"id\":[[1,250]],\"motion\":\"");
    for (size_t i = 0; i < padding; i++) {
        buffer_append_text(&out, "A");
    }
    buffer_append_text(&out, "\"}\n");
    assert_false(out.failed);
    char *text = buffer_take(&out, NULL);
    assert_non_null(text);
    return text;
}

static void put(const char *name, const char *scenario, uint64_t tick) {
    struct failure failure = {0};
    char *text = make_save(scenario, tick, 5000);
    if (save_store_put(store, name, text, strlen(text), false, &failure) != 0) {
        fail_msg("%s", failure.message);
    }
    free(text);
}

static void expect_refused(int result, const struct failure *failure, enum failure_code code,
                           const char *words) {
    assert_int_equal(result, -1);
    assert_int_equal(failure->code, code);
    if (strstr(failure->message, words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", failure->message, words);
    }
}

static void keeps_and_gives(void **state) {
    struct failure failure = {0};
    size_t length = 0;
    char *text = make_save("flock", 600, 100000);
    assert_int_equal(save_store_put(store, "before", text, strlen(text), false, &failure), 0);
    char *found = save_store_get(store, "before", &length, &failure);
    assert_non_null(found);
    assert_int_equal(length, strlen(text));
    assert_string_equal(found, text);
    free(found);
    expect_refused(save_store_put(store, "before", "other\n", 6, false, &failure), &failure, FAILURE_EXISTS,
                   "a saved world \"before\" is there already");
    assert_int_equal(save_store_put(store, "before", "other\n", 6, true, &failure), 0);
    found = save_store_get(store, "before", &length, &failure);
    assert_string_equal(found, "other\n");
    free(found);
    free(text);
}

static void removes(void **state) {
    struct failure failure = {0};
    size_t length = 1;
    put("one", "flock", 1);
    put("two", "flock", 2);
    expect_refused(save_store_remove(store, "tow", &failure), &failure, FAILURE_NO_SAVE,
                   "no saved world \"tow\" (did you mean \"two\"?)");
    assert_int_equal(save_store_remove(store, "one", &failure), 0);
    expect_refused(save_store_remove(store, "one", &failure), &failure, FAILURE_NO_SAVE, "\"one\"");
    assert_null(save_store_get(store, "one", &length, &failure));
    assert_int_equal(failure.code, FAILURE_NO_SAVE);
    assert_string_equal(failure.field, "save");
    assert_int_equal(length, 0);
    put("one", "flock", 3);
}

static void refuses_what_is_no_name(void **state) {
    static const char *const names[] = {"",         ".",
                                        "..",       "a/b",
                                        "../a",     "/etc/passwd",
                                        "a b",      "a.drover",
                                        "\xc3\xa4", "12345678901234567890123456789012"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct failure failure = {0};
        size_t length = 0;
        expect_refused(save_store_put(store, names[i], "x\n", 2, true, &failure), &failure, FAILURE_BAD_PARAM,
                       "is no name");
        assert_null(save_store_get(store, names[i], &length, &failure));
        assert_int_equal(failure.code, FAILURE_NO_SAVE);
        assert_int_equal(save_store_remove(store, names[i], &failure), -1);
        assert_int_equal(failure.code, FAILURE_NO_SAVE);
    }
}

static void lists_the_newest_first(void **state) {
    struct failure failure = {0};
    struct save_row *rows = NULL;
    assert_int_equal(save_store_list(store, &rows, &failure), 0);
    free(rows);
    put("zebra", "flock", 600);
    (void)poll(NULL, 0, 20); /* times of files are a clock tick apart */
    put("ant", "seek", 12);
    assert_int_equal(save_store_list(store, &rows, &failure), 2);
    assert_string_equal(rows[0].name, "ant");
    assert_string_equal(rows[0].scenario, "seek");
    assert_int_equal(rows[0].tick, 12);
    assert_int_equal(rows[0].agents, 250);
    assert_int_equal(rows[0].hash, 255);
    assert_true(rows[0].bytes > 5000);
    assert_int_equal(strlen(rows[0].saved), strlen("2026-11-21T19:00:00Z"));
    assert_int_equal(rows[0].saved[19], 'Z');
    assert_string_equal(rows[1].name, "zebra");
    free(rows);
}

static void keeps_no_more_than_the_limit(void **state) {
    struct failure failure = {0};
    struct save_row *rows = NULL;
    char *text = make_save("flock", 1, 10);
    for (int i = 0; i < LIMIT_SAVES; i++) {
        char name[24];
        (void)snprintf(name, sizeof name, "save-%d", i);
        assert_int_equal(save_store_put(store, name, text, strlen(text), false, &failure), 0);
    }
    expect_refused(save_store_put(store, "another", text, strlen(text), false, &failure), &failure,
                   FAILURE_FULL, "at most 256");
    assert_int_equal(save_store_put(store, "save-7", text, strlen(text), true, &failure), 0);
    assert_int_equal(save_store_list(store, &rows, &failure), LIMIT_SAVES);
    free(rows);
    assert_int_equal(save_store_remove(store, "save-8", &failure), 0);
    assert_int_equal(save_store_put(store, "another", text, strlen(text), false, &failure), 0);
    free(text);
}

/* ---- the folder ---- */

static void counts_the_bytes_of_all(void **state) {
    struct failure failure = {0};
    char path[512];
    size_t length = 0;
    put("small", "flock", 1);
    test_write_file(test_path(&folder, "saves/large.drover", path), "", 0);
    assert_int_equal(truncate(path, (off_t)LIMIT_SAVE_BYTES), 0); /* a hole: no disk is used */
    expect_refused(save_store_put(store, "third", "x\n", 2, false, &failure), &failure, FAILURE_FULL,
                   "at most 1073741824 together");
    assert_int_equal(truncate(path, (off_t)LIMIT_SAVE_BYTES + 1), 0);
    assert_null(save_store_get(store, "large", &length, &failure));
    assert_int_equal(failure.code, FAILURE_BAD_SAVE);
    assert_non_null(strstr(failure.message, "1073741825 bytes; at most 1073741824"));
    assert_int_equal(save_store_put(store, "large", "x\n", 2, true, &failure), 0);
}

static void files_and_folders_are_private(void **state) {
    char path[512];
    put("before", "flock", 1);
    assert_int_equal(test_mode(test_path(&folder, "saves", path)), 0700);
    assert_int_equal(test_mode(test_path(&folder, "saves/before.drover", path)), 0600);
}

/* Other files stay as they are, are in no list, and hold nothing up. */
static void other_files_are_left_alone(void **state) {
    struct failure failure = {0};
    struct save_row *rows = NULL;
    char path[512];
    size_t length = 0;
    put("good", "flock", 1);
    test_write_file(test_path(&folder, "saves/notes.txt", path), "mine\n", 5);
    test_write_file(test_path(&folder, "saves/two words.drover", path), "mine\n", 5);
    test_write_file(test_path(&folder, "saves/text.drover", path), "mine\n", 5);
    test_write_file(test_path(&folder, "saves/empty.drover", path), "", 0);
    assert_int_equal(mkdir(test_path(&folder, "saves/folder.drover", path), 0700), 0);
    assert_int_equal(mkfifo(test_path(&folder, "saves/fifo.drover", path), 0600), 0);
    assert_int_equal(symlink("/dev/zero", test_path(&folder, "saves/device.drover", path)), 0);
    assert_int_equal(save_store_list(store, &rows, &failure), 3);
    for (int i = 0; i < 3; i++) { /* those that take a name can be removed */
        assert_true(rows[i].is_damaged == (strcmp(rows[i].name, "good") != 0));
        assert_true(rows[i].bytes == 5 || strcmp(rows[i].name, "text") != 0);
    }
    free(rows);
    assert_null(save_store_get(store, "fifo", &length, &failure));
    assert_int_equal(failure.code, FAILURE_NO_SAVE);
    assert_null(save_store_get(store, "device", &length, &failure));
    assert_int_equal(save_store_remove(store, "folder", &failure), -1);
    expect_refused(save_store_put(store, "folder", "x\n", 2, true, &failure), &failure, FAILURE_IO,
                   "Is a directory");
    test_file_is(test_path(&folder, "saves/notes.txt", path), "mine\n", 5);
}

/* A beginning of a save, as a full disk may leave it in a folder that was copied. */
static void saves_cut_anywhere_are_listed_as_damaged(void **state) {
    struct failure failure = {0};
    char path[512];
    char *text = make_save("flock", 77, 2000);
    const size_t head = (size_t)(strstr(text, "\"id\"") - text);
    (void)test_path(&folder, "saves/cut.drover", path);
    for (size_t cut = 0; cut < head; cut++) {
        struct save_row *rows = NULL;
        test_write_file(path, text, cut);
        const int count = save_store_list(store, &rows, &failure);
        assert_int_equal(count, 1);
        assert_true(rows[0].is_damaged ? rows[0].agents == 0 : rows[0].agents == 250 && cut > head - 2);
        free(rows);
    }
    free(text);
}

static void what_a_crash_leaves_goes_with_the_next_start(void **state) {
    struct failure failure = {0};
    char path[512], part[512], other[512];
    put("before", "flock", 1);
    test_write_file(test_path(&folder, "saves/before.drover" WHOLE_FILE_PART, part), "half", 4);
    test_write_file(test_path(&folder, "saves/mine" WHOLE_FILE_PART, other), "mine", 4);
    save_store_destroy(store);
    store = save_store_create(test_path(&folder, "saves", path), &failure);
    assert_non_null(store);
    assert_false(test_is_there(part));
    test_file_is(other, "mine", 4);
}

static void refuses_folders(void **state) {
    struct failure failure = {0};
    char path[512];
    test_write_file(test_path(&folder, "file", path), "mine\n", 5);
    assert_null(save_store_create(path, &failure));
    assert_int_equal(failure.code, FAILURE_IO);
    assert_non_null(strstr(failure.message, "/file: Not a directory"));
    assert_null(save_store_create(test_path(&folder, "no/such", path), &failure));
    assert_non_null(strstr(failure.message, "/no/such: No such file or directory"));
}

#define BOTH(name)                                                                                           \
    cmocka_unit_test_setup_teardown(name, begin_on_disk, finish),                                            \
        cmocka_unit_test_setup_teardown(name, begin_in_memory, finish)
#define ON_DISK(name) cmocka_unit_test_setup_teardown(name, begin_on_disk, finish)

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(keeps_and_gives),
        BOTH(removes),
        BOTH(refuses_what_is_no_name),
        BOTH(lists_the_newest_first),
        BOTH(keeps_no_more_than_the_limit),
        ON_DISK(counts_the_bytes_of_all),
        ON_DISK(files_and_folders_are_private),
        ON_DISK(other_files_are_left_alone),
        ON_DISK(saves_cut_anywhere_are_listed_as_damaged),
        ON_DISK(what_a_crash_leaves_goes_with_the_next_start),
        ON_DISK(refuses_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
