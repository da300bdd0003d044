/* server/storage/state_directory, state_files: who may use the folder; which of its files are read, deleted, put aside. */
#include "server/storage/state_directory.h"

#include <signal.h>
#include <sys/wait.h>

#include "common/base/buffer.h"
#include "common/system/log.h"
#include "server/recording/recording_line.h"
#include "server/storage/disk_file.h"
#include "tests/unit/server/storage/storage_support.h"

static struct test_folder folder; /* its state folder is "state" */

static int begin(void **state) {
    log_set_level(LOG_ERROR);
    folder = test_folder_make();
    return 0;
}

static int finish(void **state) {
    test_folder_remove(folder.path);
    return 0;
}

static struct state_directory *open_directory(bool is_new) {
    char path[512];
    struct failure failure = {0};
    struct state_directory *directory =
        state_directory_open(test_path(&folder, "state", path), is_new, &failure);
    if (directory == NULL) {
        fail_msg("%s", failure.message);
    }
    return directory;
}

/* Opening is refused for this reason. */
static void expect_refused(const char *path, enum failure_code code, const char *words) {
    struct failure failure = {0};
    assert_null(state_directory_open(path, false, &failure));
    assert_int_equal(failure.code, code);
    if (strstr(failure.message, words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", failure.message, words);
    }
}

static uint64_t bytes_of(const struct state_directory *directory) {
    struct state_files files;
    struct failure failure = {0};
    assert_int_equal(state_files_scan(&files, state_directory_path(directory), &failure), 0);
    const uint64_t bytes = state_files_bytes(&files);
    state_files_fini(&files);
    return bytes;
}

/* ---- the folder and its lock ---- */

static void makes_a_private_folder(void **state) {
    char path[512], expected[512];
    struct failure failure = {0};
    struct state_directory *directory =
        state_directory_open(test_path(&folder, "state///", path), false, &failure);
    assert_non_null(directory);
    assert_string_equal(state_directory_path(directory), test_path(&folder, "state", expected));
    assert_string_equal(state_directory_saves(directory), test_path(&folder, "state/saves", expected));
    assert_int_equal(test_mode(test_path(&folder, "state", path)), 0700);
    assert_int_equal(test_mode(test_path(&folder, "state/lock", path)), 0600);
    assert_false(state_directory_has_world(directory));
    assert_int_equal(bytes_of(directory), 0);
    state_directory_close(directory);
    state_directory_close(NULL);
}

/* A process that has opened the folder; ends with SIGKILL alone. */
static pid_t start_other_server(const char *path) {
    int ends[2];
    char ready = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct failure failure;
        const bool is_open = state_directory_open(path, false, &failure) != NULL;
        (void)alarm(600);
        if (write(ends[1], is_open ? "y" : "n", 1) == 1) {
            (void)pause();
        }
        _exit(1);
    }
    assert_int_equal(read(ends[0], &ready, 1), 1);
    assert_int_equal(ready, 'y');
    close(ends[0]);
    close(ends[1]);
    return child;
}

static void one_server_at_a_time(void **state) {
    char path[512], words[64];
    int status = 0;
    const pid_t child = start_other_server(test_path(&folder, "state", path));
    (void)snprintf(words, sizeof words, "/state is used by the server with process id %ld;", (long)child);
    expect_refused(path, FAILURE_IN_USE, words);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    struct state_directory *directory = open_directory(false); /* though the lock file is still there */
    (void)snprintf(words, sizeof words, "with process id %ld;", (long)getpid());
    expect_refused(path, FAILURE_IN_USE, words);
    state_directory_close(directory);
}

/* What a lock file says decides nothing. */
static void a_lock_file_is_no_lock(void **state) {
    char path[512], lock[512];
    assert_int_equal(mkdir(test_path(&folder, "state", path), 0700), 0);
    test_write_file(test_path(&folder, "state/lock", lock), "1\n and much else, of another program\n", 37);
    struct state_directory *directory = open_directory(false);
    test_write_file(lock, "words", 5);
    expect_refused(path, FAILURE_IN_USE, "/state is used by another server;");
    state_directory_close(directory);
}

static void refuses_folders(void **state) {
    char path[512], longest[5000];
    test_write_file(test_path(&folder, "file", path), "mine\n", 5);
    expect_refused(path, FAILURE_IO, "/file: Not a directory");
    test_file_is(path, "mine\n", 5);
    expect_refused(test_path(&folder, "no/such", path), FAILURE_IO, "/no/such: No such file or directory");
    expect_refused("", FAILURE_IO, "No such file");
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    expect_refused(longest, FAILURE_IO, "File name too long");
    assert_int_equal(mkdir(test_path(&folder, "state", path), 0700), 0);
    assert_int_equal(symlink("elsewhere", test_path(&folder, "state/lock", longest)), 0);
    expect_refused(path, FAILURE_IO, "/state/lock: ");
    assert_false(test_is_there(test_path(&folder, "state/elsewhere", longest)));
}

/* As another user than root, to whom nothing is forbidden. */
static void refuses_folders_of_others(void **state) {
    enum { USER = 65534 };
    char path[512];
    int status = 0;
    if (geteuid() != 0) {
        skip();
    }
    assert_int_equal(mkdir(test_path(&folder, "state", path), 0755), 0);
    assert_int_equal(chown(path, USER, USER), 0);
    expect_refused(path, FAILURE_IO, "/state belongs to the user with id 65534; expected");
    assert_int_equal(chmod(folder.path, 0755), 0);
    assert_int_equal(chmod(path, 0500), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct failure failure = {0};
        const bool is_refused = setuid(USER) == 0 && state_directory_open(path, false, &failure) == NULL &&
                                failure.code == FAILURE_IO &&
                                strstr(failure.message, "/state: Permission denied") != NULL;
        _exit(is_refused ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- files of a state folder ---- */

enum { TICKS = 100 /* of a journal */ };

static void write_header(struct buffer *out, uint64_t tick, uint64_t seq) {
    struct recording_line line = {.op = RECORDING_DROVER, .format = 1, .core = 1};
    recording_line_write(&line, out);
    line = (struct recording_line){.op = RECORDING_WORLD,
                                   .tick = tick,
                                   .seq = seq,
                                   .world = 1,
                                   .seed = 7,
                                   .tick_hz = 60.0,
                                   .scenario = "flock"};
    line.text = "{}";
    line.text_length = 2;
    recording_line_write(&line, out);
}

static void write_out(struct buffer *out, const char *path) {
    assert_false(out->failed);
    test_write_file(path, out->data, out->length);
    buffer_fini(out);
}

/* Journal N has ticks 100 (N - 1) to 100 N and one request, whose seq is N. */
static void make_journal(const char *path, uint32_t number, bool is_damaged) {
    struct buffer out;
    buffer_init(&out, 1 << 20);
    const uint64_t tick = TICKS * (uint64_t)(number - 1);
    write_header(&out, tick, number - 1);
    if (is_damaged) {
        out.length -= 10; /* in the world line */
        write_out(&out, path);
        return;
    }
    static const char request[] = "{\"op\":\"remove\",\"agents\":[1]}";
    const struct recording_line begin_line = {.op = RECORDING_AT, .tick = tick, .seq = number - 1};
    const struct recording_line do_line = {.op = RECORDING_DO,
                                           .tick = tick + 50,
                                           .seq = number,
                                           .by = 1,
                                           .request = request,
                                           .request_length = sizeof request - 1};
    const struct recording_line end_line = {.op = RECORDING_AT, .tick = tick + TICKS, .seq = number};
    recording_line_write(&begin_line, &out);
    recording_line_write(&do_line, &out);
    recording_line_write(&end_line, &out);
    write_out(&out, path);
}

/* The sums say that it is as it was written: its world, which is none, is not asked for. */
static void make_checkpoint(const char *path, uint32_t number, bool is_damaged) {
    struct buffer out, sealed;
    uint32_t sum = 0;
    buffer_init(&out, 1 << 20);
    buffer_init(&sealed, 1 << 20);
    const uint64_t tick = TICKS * (uint64_t)(number - 1);
    write_header(&out, tick, number - 1);
    buffer_printf(
        &out, "{\"op\":\"%s\",\"tick\":%d,\"seq\":%d,\"hash\":\"00000000000000ff\",\"format\":1,\"n\":250,",
        is_damaged ? "checkpiont" : "checkpoint", (int)tick, (int)number - 1);
    buffer_append_text(&out, "\"id\":[[1,250]]}\n");
    line_sum_append(&sealed, out.data, out.length, &sum);
    buffer_fini(&out);
    write_out(&sealed, path);
}

/* "j1 c2! j2": journals and checkpoints; ! are damaged. */
static void make_files(const char *names) {
    char path[512];
    (void)mkdir(test_path(&folder, "state", path), 0700);
    for (const char *at = names; *at != '\0'; at += strcspn(at, " "), at += strspn(at, " ")) {
        char *end = NULL;
        const uint32_t number = (uint32_t)strtoul(at + 1, &end, 10);
        char file[DISK_FILE_PATH];
        const enum state_file_kind kind = *at == 'j' ? STATE_FILE_JOURNAL : STATE_FILE_CHECKPOINT;
        state_file_path(path, kind, number, file);
        (kind == STATE_FILE_JOURNAL ? make_journal : make_checkpoint)(file, number, *end == '!');
    }
}

static void write_names(const struct state_files *files, char *out, size_t size) {
    out[0] = '\0';
    for (int i = 0; i < files->count; i++) {
        const size_t length = strlen(out);
        (void)snprintf(out + length, size - length, "%s%c%u", i == 0 ? "" : " ",
                       files->rows[i].kind == STATE_FILE_JOURNAL ? 'j' : 'c', files->rows[i].number);
    }
}

/* What lies in the folder, as make_files writes it. */
static void expect_files(const char *names) {
    char path[512], found[256];
    struct state_files files;
    struct failure failure = {0};
    assert_int_equal(state_files_scan(&files, test_path(&folder, "state", path), &failure), 0);
    write_names(&files, found, sizeof found);
    assert_string_equal(found, names);
    state_files_fini(&files);
}

static void clear_files(void) {
    char path[512];
    test_folder_remove(test_path(&folder, "state", path));
}

static void names_are_exact(void **state) {
    static const char *const names[] = {"journal-1.drover",
                                        "journal-000000.drover",
                                        "journal-0000012.drover",
                                        "journal-00001.drover",
                                        "journal-000001.drover.zst",
                                        "Journal-000001.drover",
                                        "journal-+00001.drover",
                                        "journal-4294967295.drover",
                                        "journal-99999999999999999999.drover",
                                        "checkpoint-.drover",
                                        "checkpoint-000001.drover.part",
                                        "lock",
                                        "saves"};
    enum state_file_kind kind = STATE_FILE_JOURNAL;
    uint32_t number = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (state_file_read_name(names[i], &kind, &number)) {
            fail_msg("%s is no name of a file", names[i]);
        }
    }
    assert_true(state_file_read_name("journal-000012.drover", &kind, &number));
    assert_int_equal(number, 12);
    assert_int_equal(kind, STATE_FILE_JOURNAL);
    assert_true(state_file_read_name("checkpoint-1000000.drover", &kind, &number));
    assert_int_equal(number, 1000000);
    assert_int_equal(kind, STATE_FILE_CHECKPOINT);
}

static void numbers_count_on(void **state) {
    char path[DISK_FILE_PATH], expected[512];
    struct state_directory *directory = open_directory(false);
    assert_int_equal(state_directory_next(directory), 1);
    assert_int_equal(state_directory_next(directory), 2);
    state_directory_close(directory);
    make_files("j1 j2 c7");
    directory = open_directory(false);
    assert_int_equal(state_directory_next(directory), 8);
    state_directory_journal_path(directory, 8, path);
    assert_string_equal(path, test_path(&folder, "state/journal-000008.drover", expected));
    state_directory_checkpoint_path(directory, 8, path);
    assert_string_equal(path, test_path(&folder, "state/checkpoint-000008.drover", expected));
    assert_true(bytes_of(directory) > 600);
    state_directory_close(directory);
}

static const struct {
    const char *files, *plan, *words; /* plan NULL: refused with these words */
} plans[] = {
    {"j1", "j1", NULL},
    {"j1 j2 j3", "j1 j2 j3", NULL},
    {"j1 c2 j2", "j1 c2 j2", NULL},
    {"j1 c2", "j1 c2", NULL},
    {"j1 c2 j2 c3 j3", "c2 j2 c3 j3", NULL},
    {"j1 c2 j2 c3 j3 c4 j4 j5", "c3 j3 c4 j4 j5", NULL},
    {"c4 j4", "c4 j4", NULL},
    {"c4", "c4", NULL},
    /* damaged */
    {"j1 c2! j2 c3 j3", "j1 j2 c3 j3", NULL},
    {"c5 j5 j6 c7! j7", "c5 j5 j6 j7", NULL},
    {"j1! j2", "j2", NULL},
    {"j1 j2! j3", "j1 j2 j3", NULL},
    {"j1!", NULL, "no checkpoint and no journal can be read; --state-new"},
    {"c1!", NULL, "no checkpoint and no journal can be read; --state-new"},
    /* missing */
    {"c2 j2 j4", NULL, "/journal-000003.drover is missing: the world cannot be continued"},
    {"j1 j3", NULL, "/journal-000002.drover is missing"},
    {"c2 j2 c4 j4", "c4 j4", NULL},
    {"c2 j2 c4 j4 j6", NULL, "/journal-000005.drover is missing"},
    {"c2 c3 j3", "c2 c3 j3", NULL},
    {"c5 j6", "c5 j6", NULL},
};

static void plans_what_is_read(void **state) {
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        char path[512], found[256];
        struct state_files files;
        struct failure failure = {0};
        make_files(plans[i].files);
        assert_int_equal(state_files_scan(&files, test_path(&folder, "state", path), &failure), 0);
        const int result = state_files_plan(&files, &failure);
        if (plans[i].plan != NULL) {
            assert_true(result >= 0);
            const struct state_files left = {.rows = files.rows + result, .count = files.count - result};
            write_names(&left, found, sizeof found);
            assert_string_equal(found, plans[i].plan);
        } else if (result >= 0 || strstr(failure.message, plans[i].words) == NULL) {
            fail_msg("%s: \"%s\" does not say \"%s\"", plans[i].files, failure.message, plans[i].words);
        }
        state_files_fini(&files);
        clear_files();
    }
}

static void deletes_what_is_outdated(void **state) {
    static const char all[] = "j1 c2 j2 c3 j3 c4 j4";
    make_files(all);
    struct state_directory *directory = open_directory(false);
    const uint64_t bytes = bytes_of(directory);
    state_directory_prune(directory, 2, 0); /* there is no checkpoint before it */
    expect_files(all);
    state_directory_prune(directory, 9, 0); /* there is no such checkpoint */
    expect_files(all);
    state_directory_prune(directory, 4, UINT64_MAX);
    expect_files(all);
    state_directory_prune(directory, 4, bytes);
    expect_files(all);
    state_directory_prune(directory, 4, bytes - 1);
    expect_files("c2 j2 c3 j3 c4 j4");
    state_directory_prune(directory, 4, bytes_of(directory) - 1); /* c2 alone would do */
    expect_files("c3 j3 c4 j4");
    state_directory_prune(directory, 4, 0);
    expect_files("c3 j3 c4 j4");
    state_directory_prune(directory, 4, 0);
    expect_files("c3 j3 c4 j4");
    state_directory_close(directory);
}

/* Those of people stay; what a crash left of a checkpoint goes. */
static void other_files_are_left_alone(void **state) {
    char path[512], part[512];
    make_files("j1 c2 j2 c3 j3 c4 j4");
    test_write_file(test_path(&folder, "state/notes.txt", path), "mine\n", 5);
    test_write_file(test_path(&folder, "state/notes" WHOLE_FILE_PART, path), "mine\n", 5);
    test_write_file(test_path(&folder, "state/checkpoint-000009.drover" WHOLE_FILE_PART, part), "half", 4);
    assert_int_equal(mkdir(test_path(&folder, "state/journal-000007.drover", path), 0700), 0);
    struct state_directory *directory = open_directory(false);
    assert_int_equal(state_directory_next(directory), 5);
    state_directory_prune(directory, 4, 0);
    state_directory_close(directory);
    assert_false(test_is_there(part));
    assert_true(test_is_there(path));
    test_file_is(test_path(&folder, "state/notes.txt", path), "mine\n", 5);
    test_file_is(test_path(&folder, "state/notes" WHOLE_FILE_PART, path), "mine\n", 5);
}

/* The name of the only folder old-...; the returned text lies in *name. */
static const char *find_old(char name[512]) {
    char path[512];
    int count = 0;
    DIR *directory = opendir(test_path(&folder, "state", path));
    assert_non_null(directory);
    const struct dirent *entry = NULL;
    while ((entry = readdir(directory)) != NULL) {
        if (strncmp(entry->d_name, "old-", 4) == 0) {
            (void)snprintf(name, 512, "state/%.200s", entry->d_name);
            count++;
        }
    }
    closedir(directory);
    assert_int_equal(count, 1);
    return name;
}

static void begin_world(struct state_directory *directory, const char *scenario) {
    struct failure failure = {0};
    if (state_directory_begin(directory, scenario, &failure) != 0) {
        fail_msg("%s", failure.message);
    }
}

/* NUMBER.PART ...: parts of checkpoints. */
static void make_parts(const char *names) {
    for (const char *at = names; *at != '\0'; at += strcspn(at, " "), at += strspn(at, " ")) {
        char name[512], path[512], *end = NULL;
        const unsigned long number = strtoul(at, &end, 10), part = strtoul(end + 1, NULL, 10);
        (void)snprintf(name, sizeof name, "state/checkpoint-%06lu.part-%04lu", number, part);
        test_write_file(test_path(&folder, name, path), "agents", 6);
    }
}

static bool has_part(const char *folder_of, int number, int part) {
    char name[512], path[512];
    (void)snprintf(name, sizeof name, "%.200s/checkpoint-%06d.part-%04d", folder_of, number, part);
    return test_is_there(test_path(&folder, name, path));
}

/* The parts of a checkpoint go with it; those without one are what a crash has left. */
static void parts_belong_to_their_checkpoint(void **state) {
    char name[512];
    make_files("j1 c2 j2 c3 j3 c4 j4");
    struct state_directory *directory = open_directory(false);
    const uint64_t bytes = bytes_of(directory);
    state_directory_close(directory);
    make_parts("2.0 2.1 3.0 4.0 4.1 4.2 5.0 5.1");
    assert_true(has_part("state", 5, 1));
    directory = open_directory(false);
    assert_false(has_part("state", 5, 0));
    assert_false(has_part("state", 5, 1));
    assert_int_equal(bytes_of(directory), bytes + 6 * 6);
    expect_files("j1 c2 j2 c3 j3 c4 j4");
    state_directory_prune(directory, 4, 0);
    expect_files("c3 j3 c4 j4");
    assert_false(has_part("state", 2, 0));
    assert_false(has_part("state", 2, 1));
    assert_true(has_part("state", 3, 0));
    state_directory_keep_left_out(directory);
    assert_true(has_part(find_old(name), 4, 2));
    test_folder_remove(test_path(&folder, name, (char[512]){0}));
    state_directory_close(directory);
    directory = open_directory(true);
    begin_world(directory, "pond");
    assert_false(has_part("state", 4, 0));
    assert_true(has_part(find_old(name), 3, 0));
    assert_true(has_part(name, 4, 2));
    state_directory_close(directory);
}

static void puts_the_old_world_aside(void **state) {
    char path[512], name[512], inner[1024];
    struct state_files files;
    struct failure failure = {0};
    make_files("c3 j3 c4 j4");
    assert_int_equal(mkdir(test_path(&folder, "state/saves", path), 0700), 0);
    test_write_file(test_path(&folder, "state/saves/before.drover", path), "mine\n", 5);
    struct state_directory *directory = open_directory(true);
    assert_false(state_directory_has_world(directory));
    expect_files("c3 j3 c4 j4"); /* until a world begins: the start may fail */
    begin_world(directory, "pond");
    assert_int_equal(state_directory_next(directory), 1);
    state_directory_close(directory);
    expect_files("");
    test_file_is(path, "mine\n", 5);
    (void)snprintf(inner, sizeof inner, "%s/%s", folder.path, find_old(name));
    assert_int_equal(strlen(name), strlen("state/old-20261121-190000"));
    assert_int_equal(test_mode(inner), 0700);
    assert_int_equal(state_files_scan(&files, inner, &failure), 0);
    assert_int_equal(files.count, 4);
    state_files_fini(&files);
    directory = open_directory(true); /* nothing is left to put aside */
    begin_world(directory, "pond");
    state_directory_close(directory);
    (void)find_old(name);
}

/* Pruning deletes nothing of it. */
static void keeps_what_is_left_out(void **state) {
    char name[512], inner[1024];
    struct state_files files;
    struct failure failure = {0};
    make_files("c3 j3 c4 j4 c5 j5");
    struct state_directory *directory = open_directory(false);
    state_directory_keep_left_out(directory);
    expect_files("c3 j3 c4 j4 c5 j5");
    state_directory_prune(directory, 5, 0);
    expect_files("c4 j4 c5 j5");
    state_directory_close(directory);
    (void)snprintf(inner, sizeof inner, "%s/%s", folder.path, find_old(name));
    assert_int_equal(state_files_scan(&files, inner, &failure), 0);
    assert_int_equal(files.count, 6);
    state_files_fini(&files);
}

/* A journal without its first two lines: the folder says which scenario it was begun with, and keeps what there is. */
static void a_world_that_was_barely_begun(void **state) {
    char path[512], name[512], scenario[LIMIT_NAME_CHARS + 1];
    struct state_directory *directory = open_directory(false);
    assert_false(state_directory_was_begun(directory));
    begin_world(directory, "pond");
    assert_true(state_directory_was_begun(directory));
    state_directory_close(directory);
    test_write_file(test_path(&folder, "state/journal-000001.drover", path), "{\"op\":\"dro", 10);
    directory = open_directory(false);
    assert_true(state_directory_was_begun(directory) && !state_directory_has_world(directory));
    state_directory_read_scenario(directory, scenario);
    assert_string_equal(scenario, "pond");
    begin_world(directory, "pond");
    state_directory_close(directory);
    expect_files("");
    (void)snprintf(path, sizeof path, "%.200s/journal-000001.drover", find_old(name));
    test_file_is(test_path(&folder, path, name), "{\"op\":\"dro", 10);
    directory = open_directory(true);
    assert_false(state_directory_was_begun(directory));
    state_directory_close(directory);
}

/* ---- reading ---- */

static struct recording *read_recording(void) {
    struct failure failure = {0};
    struct state_directory *directory = open_directory(false);
    assert_true(state_directory_has_world(directory));
    struct recording *recording = state_directory_read(directory, &failure);
    if (recording == NULL) {
        fail_msg("%s", failure.message);
    }
    state_directory_close(directory);
    return recording;
}

static void reads_all_as_one_recording(void **state) {
    make_files("j1 c2 j2 c3 j3 j4");
    struct recording *recording = read_recording();
    const struct recording_facts *facts = recording_facts(recording);
    assert_int_equal(facts->world_count, 1);
    assert_int_equal(facts->checkpoint_count, 2);
    assert_int_equal(facts->requests, 3); /* of journals 2, 3, 4 */
    assert_int_equal(facts->last.tick, 4 * TICKS);
    assert_int_equal(facts->last.seq, 4);
    recording_close(recording);
}

/* Whatever a crash leaves of the newest journal, the world goes on from there, and never from earlier than before. */
static void journals_may_be_cut_anywhere(void **state) {
    static const char *const before[] = {"", "j1 "};
    for (int i = 0; i < 2; i++) {
        char names[16], path[512];
        size_t length = 0;
        uint64_t last_tick = 0, last_seq = 0;
        bool has_held = i > 0;
        (void)snprintf(names, sizeof names, "%sj%d", before[i], i + 1);
        make_files(names);
        (void)test_path(&folder, i == 0 ? "state/journal-000001.drover" : "state/journal-000002.drover",
                        path);
        char *text = test_read_file(path, &length);
        for (size_t cut = 0; cut <= length; cut++) {
            test_write_file(path, text, cut);
            struct state_directory *directory = open_directory(false);
            const bool holds_world = state_directory_has_world(directory);
            state_directory_close(directory);
            assert_true(holds_world || !has_held);
            has_held = holds_world;
            if (holds_world) {
                struct recording *recording = read_recording();
                const struct recording_facts *facts = recording_facts(recording);
                assert_true(facts->last.tick >= last_tick && facts->last.seq >= last_seq);
                last_tick = facts->last.tick;
                last_seq = facts->last.seq;
                recording_close(recording);
            }
        }
        assert_int_equal(last_tick, (i + 1) * TICKS);
        assert_int_equal(last_seq, i + 1);
        free(text);
        clear_files();
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(makes_a_private_folder),
        TEST(one_server_at_a_time),
        TEST(a_lock_file_is_no_lock),
        TEST(refuses_folders),
        TEST(refuses_folders_of_others),
        TEST(names_are_exact),
        TEST(numbers_count_on),
        TEST(plans_what_is_read),
        TEST(deletes_what_is_outdated),
        TEST(other_files_are_left_alone),
        TEST(parts_belong_to_their_checkpoint),
        TEST(puts_the_old_world_aside),
        TEST(a_world_that_was_barely_begun),
        TEST(keeps_what_is_left_out),
        TEST(reads_all_as_one_recording),
        TEST(journals_may_be_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
