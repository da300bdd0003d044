/* What is written of a world costs its thread no allocation, and a recording has the checkpoint that it ordered: the
 * allocator is wrapped by the linker; it counts, and holds other threads back. */
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/clock.h"
#include "server/library/scenario_builder.h"
#include "server/simulation/logbook.h"
#include "server/storage/file_writer.h"
#include "tests/support/allocations.h"
#include "tests/unit/server/storage/storage_support.h"
#include "tests/unit/server/test_world.h"

/* ---- a world that is kept ---- */

struct stage {
    struct test_folder folder;
    struct state_directory *directory;
    struct logbook *logbook;
    struct simulation_state state;
    uint64_t began_ns;
};

static struct stage begin(void) {
    struct stage stage = {.folder = test_folder_make()};
    struct failure failure = {0};
    char state[512], record[512];
    simulation_state_init(&stage.state);
    put_world(&stage.state, POND("50"), "pond");
    stage.directory = state_directory_open(test_path(&stage.folder, "state", state), false, &failure);
    assert_non_null(stage.directory);
    const struct logbook_def def = {.directory = stage.directory,
                                    .sync_s = 1.0,
                                    .checkpoint_every_s = 1.0,
                                    .record = test_path(&stage.folder, "pond.drover", record),
                                    .memory_bytes = 1 << 20,
                                    .recordings = stage.folder.path,
                                    .build = "test"};
    stage.logbook = logbook_create(&def, &failure);
    assert_non_null(stage.logbook);
    assert_int_equal(
        logbook_begin(stage.logbook, &stage.state, &(struct logbook_origin){.world = NULL}, &failure), 0);
    stage.began_ns = clock_now_ns();
    return stage;
}

static void end(struct stage *stage) {
    logbook_end(stage->logbook, &stage->state);
    logbook_destroy(stage->logbook);
    state_directory_close(stage->directory);
    simulation_state_fini(&stage->state);
    test_folder_remove(stage->folder.path);
}

/* Seconds of ticks, and as long by the logbook's clock. */
static void run(struct stage *stage, int seconds) {
    const double hz = world_tick_hz(stage->state.world);
    for (int tick = 0; tick < seconds * (int)hz; tick++) {
        simulation_state_step(&stage->state);
        const double time_s = (double)world_tick(stage->state.world) / hz;
        logbook_note_tick(stage->logbook, &stage->state, stage->began_ns + (uint64_t)(time_s * 1e9));
    }
}

/* The keeper has done what it was given, and the writers have written. */
static void rest(void) {
    (void)poll(NULL, 0, 2 * FILE_WRITER_FLUSH_MS);
}

/* Runs until a further journal has begun, which is with a checkpoint, and the recording has grown. How much the keeper has
 * written by then depends on the machine: a journal that has just begun is shorter than the one before it. */
static void run_to_checkpoint(struct stage *stage, int seconds) {
    struct logbook_statistics before, after;
    logbook_read_statistics(stage->logbook, &before);
    do {
        const int calls = allocator_calls_of_thread();
        run(stage, seconds);
        assert_int_equal(allocator_calls_of_thread(), calls);
        rest();
        logbook_read_statistics(stage->logbook, &after);
        assert_true(after.journal.is_on && after.recording.is_on);
    } while (strcmp(after.journal.name, before.journal.name) == 0 ||
             after.recording.bytes == before.recording.bytes);
}

static void test_no_allocation_with_journal_and_recording(void **unused) {
    struct stage stage = begin();
    for (int i = 0; i < 10; i++) { /* two parts of the memory, some checkpoints and journals */
        run(&stage, 13);
        rest();
    }
    for (int i = 0; i < 4; i++) {
        run_to_checkpoint(&stage, 17);
    }
    end(&stage);
}

static void test_no_allocation_when_a_request_is_written(void **unused) {
    struct stage stage = begin();
    struct request request = request_default(REQUEST_MOUSE);
    const struct recorder_session session = {.by = 3, .name = "Ann"};
    run(&stage, 3);
    int calls = 0;
    for (int i = 0; i < 1000; i++) {
        calls = i <= 900 ? allocator_calls_of_thread() : calls;
        stage.state.seq++;
        request.body.mouse.x = (float)i;
        logbook_note_request(stage.logbook, &stage.state, &request, session);
    }
    assert_int_equal(allocator_calls_of_thread(), calls);
    end(&stage);
}

static void test_no_allocation_in_the_clone_of_a_save(void **unused) {
    const struct world_overrides none = {0};
    struct stage stage = begin();
    struct command *command = calloc(1, sizeof *command);
    assert_non_null(command);
    command->request = request_default(REQUEST_SAVE);
    struct scenario_order *order = scenario_order_create(command);
    assert_non_null(order);
    int calls = allocator_calls_of_thread();
    scenario_order_clone(order, &stage.state);
    assert_int_equal(allocator_calls_of_thread(), calls);
    assert_true(scenario_order_take_room(order, &none)); /* by another thread in a server */
    calls = allocator_calls_of_thread();
    scenario_order_clone(order, &stage.state);
    assert_int_equal(allocator_calls_of_thread(), calls);
    assert_true(world_hash(order->clone.world) == world_hash(stage.state.world));
    scenario_order_destroy(order);
    free(command);
    end(&stage);
}

/* ---- recordings that follow each other ---- */

static void request_record(struct stage *stage, bool on, const char *name) {
    struct request request = request_default(REQUEST_RECORD);
    struct request_record *record = &request.body.record;
    struct logbook_change change = {0};
    struct failure failure = {0};
    struct buffer reply;
    buffer_init(&reply, 4096);
    struct json_writer json = json_writer_begin(&reply);
    record->on = on;
    (void)snprintf(record->name, sizeof record->name, "%s", name);
    stage->state.session = 1;
    json_object(&json);
    while (!logbook_is_ready(stage->logbook, 1, record)) {
        (void)poll(NULL, 0, 1);
    }
    if (logbook_record(stage->logbook, &stage->state, record, &json, &change, &failure) != 0) {
        fail_msg("%s", failure.message);
    }
    buffer_fini(&reply);
}

/* The tick of the first checkpoint in a file; UINT64_MAX: it has none. */
static uint64_t first_checkpoint(struct stage *stage, const char *name) {
    char path[512];
    size_t length = 0;
    uint64_t tick = UINT64_MAX;
    char *text = test_read_file(test_path(&stage->folder, name, path), &length);
    const char *line = strstr(text, "\"op\":\"checkpoint\"");
    if (line != NULL) {
        assert_int_equal(sscanf(strstr(line, "\"tick\":"), "\"tick\":%" SCNu64, &tick), 1);
    }
    free(text);
    return tick;
}

static void test_a_recording_has_no_checkpoint_of_the_one_before(void **unused) {
    struct stage stage = begin();
    request_record(&stage, false, "");
    rest();
    allocations_hold_others(true); /* the keeper, when its text grows */
    request_record(&stage, true, "first");
    const uint64_t first = world_tick(stage.state.world);
    run(&stage, 1);
    request_record(&stage, false, "");
    run(&stage, 1);
    request_record(&stage, true, "second");
    const uint64_t second = world_tick(stage.state.world);
    allocations_hold_others(false);
    for (int i = 0; i < 5; i++) {
        rest();
        run(&stage, 1);
    }
    request_record(&stage, false, "");
    rest();
    assert_true(first_checkpoint(&stage, "first.drover") >= first);
    assert_true(first_checkpoint(&stage, "second.drover") >= second);
    assert_true(first_checkpoint(&stage, "second.drover") != UINT64_MAX);
    end(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_recording_has_no_checkpoint_of_the_one_before),
        cmocka_unit_test(test_no_allocation_with_journal_and_recording),
        cmocka_unit_test(test_no_allocation_when_a_request_is_written),
        cmocka_unit_test(test_no_allocation_in_the_clone_of_a_save),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
