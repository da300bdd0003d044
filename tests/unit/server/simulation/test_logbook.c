/* What is written of a world costs its thread no allocation: the allocator is wrapped by the linker and counts. */
#include "tests/unit/server/cmocka_all.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/clock.h"
#include "server/library/scenario_builder.h"
#include "server/simulation/logbook.h"
#include "server/storage/file_writer.h"
#include "tests/unit/server/storage/storage_support.h"

static const char *const pond =
    "{\"name\":\"Pond\",\"seed\":3,\"world\":{\"size\":[800,600],\"edge\":\"wrap\"},"
    "\"targets\":{\"mouse\":[10,20]},"
    "\"kinds\":{\"prey\":{\"behaviors\":[{\"wander\":{}},{\"flock\":{}}]}},"
    "\"agents\":[{\"kind\":\"prey\",\"in\":{\"rect\":[0,0,800,600]},\"count\":50}]}";

/* ---- counted allocations of one thread ---- */

static _Thread_local bool is_counting;
static _Thread_local int calls;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t size) {
    calls += is_counting ? 1 : 0;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    calls += is_counting ? 1 : 0;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
    calls += is_counting ? 1 : 0;
    return __real_realloc(memory, size);
}

void __wrap_free(void *memory) {
    calls += is_counting ? 1 : 0;
    __real_free(memory);
}

/* ---- a world that is kept ---- */

struct stage {
    struct test_folder folder;
    struct state_directory *directory;
    struct logbook *logbook;
    struct simulation_state state;
    uint64_t began_ns;
};

static void put_world(struct stage *stage) {
    struct scenario scenario;
    struct built_world built;
    struct failure failure = {0};
    const struct world_overrides overrides = {0};
    scenario_init(&scenario);
    if (scenario_read(pond, strlen(pond), &scenario, &failure) != 0) {
        fail_msg("%s", failure.message);
    }
    memcpy(scenario.name, "pond", sizeof "pond");
    assert_int_equal(built_world_make(&scenario, &overrides, NULL, NULL, &built, &failure), 0);
    scenario_fini(&scenario);
    simulation_state_init(&stage->state);
    simulation_state_change(&stage->state, &built);
    built_world_fini(&built);
}

static struct stage begin(void) {
    struct stage stage = {.folder = test_folder_make()};
    struct failure failure = {0};
    char state[512], record[512];
    put_world(&stage);
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
        calls = 0;
        is_counting = true;
        run(stage, seconds);
        is_counting = false;
        assert_int_equal(calls, 0);
        rest();
        logbook_read_statistics(stage->logbook, &after);
        assert_true(after.journal.is_on && after.recording.is_on);
    } while (strcmp(after.journal.name, before.journal.name) == 0 ||
             after.recording.bytes == before.recording.bytes);
}

static void test_no_allocation_with_journal_and_recording(void **unused) {
    (void)unused;
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
    (void)unused;
    struct stage stage = begin();
    struct request request = request_default(REQUEST_MOUSE);
    const struct recorder_session session = {.by = 3, .name = "Ann"};
    run(&stage, 3);
    for (int i = 0; i < 1000; i++) {
        is_counting = i > 900;
        calls = is_counting ? calls : 0;
        stage.state.seq++;
        request.body.mouse.x = (float)i;
        logbook_note_request(stage.logbook, &stage.state, &request, session);
        is_counting = false;
    }
    assert_int_equal(calls, 0);
    end(&stage);
}

static void test_no_allocation_in_the_clone_of_a_save(void **unused) {
    const struct world_overrides none = {0};
    (void)unused;
    struct stage stage = begin();
    struct command *command = calloc(1, sizeof *command);
    assert_non_null(command);
    command->request = request_default(REQUEST_SAVE);
    struct scenario_order *order = scenario_order_create(command);
    assert_non_null(order);
    calls = 0;
    is_counting = true;
    scenario_order_clone(order, &stage.state);
    is_counting = false;
    assert_true(scenario_order_take_room(order, &none)); /* by another thread in a server */
    is_counting = true;
    scenario_order_clone(order, &stage.state);
    is_counting = false;
    assert_int_equal(calls, 0);
    assert_true(world_hash(order->clone.world) == world_hash(stage.state.world));
    scenario_order_destroy(order);
    free(command);
    end(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_allocation_with_journal_and_recording),
        cmocka_unit_test(test_no_allocation_when_a_request_is_written),
        cmocka_unit_test(test_no_allocation_in_the_clone_of_a_save),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
