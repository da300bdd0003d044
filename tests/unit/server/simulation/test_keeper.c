/* The threads beside the simulation: keeper, logbook, selfcheck. */

#include "tests/unit/server/cmocka_all.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/system/clock.h"
#include "server/commands/command_apply.h"
#include "server/library/scenario_builder.h"
#include "server/library/side_world.h"
#include "server/recording/checkpoint.h"
#include "server/simulation/logbook.h"
#include "server/simulation/logbook_internal.h"
#include "server/simulation/selfcheck.h"
#include "server/simulation/simulation_internal.h"
#include "server/storage/file_writer.h"
#include "tests/support/allocations.h"
#include "tests/unit/server/storage/storage_support.h"
#include "tests/unit/server/test_world.h"

/* ---- what they share ---- */

static struct simulation_state simulation;

/* ==== keeper ====
 * The thread that looks at copies of the world: what it makes of them, that it is never waited for, and that a copy
 * allocates nothing once there is room. */

static struct keeper *keeper;
static struct keeper_result last; /* its texts are the test's */
static int results;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* locked: the keeper cannot end its order */

static void on_done(void *context, struct keeper_result *result) {
    assert_ptr_equal(context, &simulation);
    pthread_mutex_lock(&gate);
    free(last.line);
    free(last.save);
    last = *result;
    result->line = result->save = NULL;
    results++;
    pthread_mutex_unlock(&gate);
}

static int set_up_keeper(void **unused) {
    simulation_state_init(&simulation);
    put_world(&simulation, POND("300"), "pond");
    const struct keeper_def def = {&simulation, on_done};
    keeper = keeper_create(&def, &simulation);
    assert_non_null(keeper);
    results = 0;
    return 0;
}

static int tear_down_keeper(void **unused) {
    keeper_destroy(keeper);
    simulation_state_fini(&simulation);
    free(last.line);
    free(last.save);
    last = (struct keeper_result){0};
    return 0;
}

static void take(unsigned tasks) {
    assert_true(keeper_take(keeper, &simulation, (struct keeper_order){.tasks = tasks, .number = 5}));
    keeper_wait(keeper);
    assert_false(keeper_is_busy(keeper));
}

static void test_a_hash_is_that_of_the_tick(void **unused) {
    for (int tick = 0; tick < 5; tick++) {
        const uint64_t hash = world_hash(simulation.world);
        assert_true(keeper_take(keeper, &simulation, (struct keeper_order){.tasks = KEEPER_HASH}));
        simulation_state_step(&simulation); /* the world goes on meanwhile */
        keeper_wait(keeper);
        assert_true(last.hash == hash);
        assert_int_equal(last.tick, (uint64_t)tick);
        assert_int_equal(results, tick + 1);
    }
}

static void test_checkpoints_are_those_of_the_state(void **unused) {
    struct buffer line;
    uint64_t hash = 0;
    simulation_state_step(&simulation);
    simulation.seq = 7;
    const struct checkpoint_rest rest = checkpoint_rest_of(&simulation);
    buffer_init(&line, 1 << 20);
    checkpoint_write(simulation.world, &rest, &line, &hash);
    take(KEEPER_LINE | KEEPER_SAVE);
    assert_int_equal(last.order.number, 5);
    assert_int_equal(last.seq, 7);
    assert_int_equal(last.epoch, simulation.epoch);
    assert_true(last.hash == hash);
    assert_int_equal(last.line_length, line.length);
    assert_memory_equal(last.line, line.data, line.length);
    buffer_fini(&line);
    struct built_world built;
    struct checkpoint_rest read;
    struct failure failure = {0};
    const struct world_overrides overrides = {0};
    if (saved_world_read(last.save, last.save_length, &overrides, NULL, &built, &read, &failure) != 0) {
        fail_msg("%s", failure.message);
    }
    assert_true(world_hash(built.world) == hash);
    assert_string_equal(built.name, "pond");
    assert_int_equal(read.seq, 7);
    built_world_fini(&built);
}

static void test_a_busy_keeper_refuses(void **unused) {
    const struct keeper_order order = {.tasks = KEEPER_HASH};
    pthread_mutex_lock(&gate);
    assert_true(keeper_take(keeper, &simulation, order));
    simulation_state_step(&simulation);
    assert_true(keeper_is_busy(keeper));
    assert_false(keeper_take(keeper, &simulation, order));
    pthread_mutex_unlock(&gate);
    keeper_wait(keeper);
    assert_int_equal(last.tick, 0);
    assert_int_equal(results, 1);
    take(KEEPER_HASH);
    assert_int_equal(last.tick, 1);
}

static void test_another_world_has_another_text(void **unused) {
    take(KEEPER_SAVE);
    put_world(&simulation,
              "{\"name\":\"Lake\",\"world\":{\"size\":[100,100]},\"kinds\":{\"a\":{},\"b\":{}},"
              "\"agents\":[{\"kind\":\"b\",\"at\":[5,5],\"count\":2000}]}",
              "lake");
    take(KEEPER_SAVE);
    assert_non_null(strstr(last.save, "\"scenario\":\"lake\""));
    assert_true(last.hash == world_hash(simulation.world));
    assert_int_equal(last.epoch, 2);
}

static void test_a_copy_allocates_nothing(void **unused) {
    take(KEEPER_SAVE);
    for (int tick = 0; tick < 20; tick++) {
        const int before = allocations_of_thread();
        simulation_state_step(&simulation);
        const bool is_taken = keeper_take(keeper, &simulation, (struct keeper_order){.tasks = KEEPER_LINE});
        assert_int_equal(allocations_of_thread(), before);
        assert_true(is_taken);
        keeper_wait(keeper);
    }
}

/* The memory for a world that has grown is taken by the keeper. */
static void test_a_copy_of_a_grown_world_allocates_nothing(void **unused) {
    take(KEEPER_SAVE);
    const struct spawn_def spawn = {.kind = 0, .count = 3000};
    uint32_t first_id = 0;
    assert_int_equal(world_spawn(simulation.world, &spawn, &first_id), WORLD_OK);
    const struct world_room room = world_room_of(simulation.world);
    assert_int_equal(room.agents, 3300);
    const int before = allocations_of_thread();
    assert_false(keeper_prepare(keeper, &simulation));
    keeper_wait(keeper);
    assert_true(keeper_prepare(keeper, &simulation));
    assert_true(keeper_take(keeper, &simulation, (struct keeper_order){.tasks = KEEPER_HASH}));
    assert_int_equal(allocations_of_thread(), before);
    keeper_wait(keeper);
    assert_true(last.hash == world_hash(simulation.world));
    assert_int_equal(results, 2); /* taking memory is none */
}

/* ==== logbook ====
 * What is written of a world costs its thread no allocation, and a recording has the checkpoint that it ordered: the
 * allocator is wrapped by the linker; it counts, and holds other threads back. */

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
static void run_logbook(struct stage *stage, int seconds) {
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
        run_logbook(stage, seconds);
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
        run_logbook(&stage, 13);
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
    run_logbook(&stage, 3);
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

/* ---- the past of a live world ---- */

enum { PAST_TICKS = 1800, PAST_BYTES = 400000 };

/* A tick, every now and then a request, and what the past has of them. */
static void live_on(struct simulation *live, uint64_t began_ns) {
    struct request request = request_default(REQUEST_MOUSE);
    struct buffer reply;
    simulation_state_step(&live->state);
    const uint64_t tick = world_tick(live->state.world);
    const double time_s = (double)tick / world_tick_hz(live->state.world);
    const int calls = allocator_calls_of_thread();
    simulation_past_note_tick(live, began_ns + (uint64_t)(time_s * 1e9));
    assert_int_equal(allocator_calls_of_thread(), calls);
    if (tick % 40 == 7) {
        buffer_init(&reply, 1 << 16);
        request.body.mouse.x = (float)(tick % 600);
        (void)command_apply(&live->state, &request, 1, &reply);
        simulation_past_note_request(live, &request, (struct recorder_session){.by = 1, .name = ""});
        buffer_fini(&reply);
    }
    if (tick % 60 == 0) {
        keeper_wait(live->past_making.keeper);
    }
}

static void test_a_tick_with_a_past_allocates_nothing_and_comes_out_again(void **unused) {
    const struct world_overrides none = {0};
    atomic_bool given_up = false;
    struct simulation *live = calloc(1, sizeof *live);
    uint64_t *hashes = calloc(PAST_TICKS + 1, sizeof *hashes);
    assert_true(live != NULL && hashes != NULL);
    simulation_state_init(&live->state);
    put_world(&live->state, POND("50"), "pond");
    assert_int_equal(simulation_past_init(live, PAST_BYTES), 0);
    simulation_past_begin(live);
    const uint64_t began_ns = clock_now_ns();
    for (int i = 1; i <= PAST_TICKS; i++) {
        const uint64_t tick = world_tick(live->state.world) + 1;
        live_on(live, began_ns);
        hashes[tick] = tick % 40 == 7 ? 0 : world_hash(live->state.world); /* 0: after its request */
    }
    int reached = 0;
    for (uint32_t i = 0; i < 60; i++) {
        const struct request_rewind to = {.has_tick = true, .tick = 1 + 29 * i};
        struct built_world built;
        struct checkpoint_rest remaining;
        struct past_way way;
        struct failure failure;
        if (past_go(live->past, &to, &none, &given_up, &built, &remaining, &way, &failure) == 0) {
            assert_int_equal(world_tick(built.world), to.tick);
            assert_true(hashes[to.tick] == 0 || hashes[to.tick] == built.hash);
            built_world_fini(&built);
            past_way_fini(&way);
            reached++;
        } else {
            assert_int_equal(failure.code, FAILURE_OUT_OF_RANGE);
        }
    }
    assert_in_range(reached, 10, 60);
    simulation_past_fini(live);
    simulation_state_fini(&live->state);
    free(hashes);
    free(live);
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
    run_logbook(&stage, 1);
    request_record(&stage, false, "");
    run_logbook(&stage, 1);
    request_record(&stage, true, "second");
    const uint64_t second = world_tick(stage.state.world);
    allocations_hold_others(false);
    for (int i = 0; i < 5; i++) {
        rest();
        run_logbook(&stage, 1);
    }
    request_record(&stage, false, "");
    rest();
    assert_true(first_checkpoint(&stage, "first.drover") >= first);
    assert_true(first_checkpoint(&stage, "second.drover") >= second);
    assert_true(first_checkpoint(&stage, "second.drover") != UINT64_MAX);
    end(&stage);
}

/* ==== The last seconds of a world simulated again: the same hash, unless something is not as it was ==== */

static atomic_int differences, agreements;

static void on_difference(void *context, const struct selfcheck_difference *difference) {
    assert_ptr_equal(context, &simulation);
    assert_true(difference->hash != difference->again);
    assert_true(difference->has_agents &&
                difference->agents.count >= 5); /* at least those that were spawned */
    assert_int_equal(difference->agents.id_count, difference->agents.count < LIMIT_DIVERGED_AGENTS
                                                      ? difference->agents.count
                                                      : LIMIT_DIVERGED_AGENTS);
    atomic_fetch_add(&differences, 1);
}

static void on_agreement(void *context, uint64_t spans, uint64_t tick) {
    (void)context;
    assert_true(tick > 0);
    atomic_store(&agreements, (int)spans);
}

static int set_up_selfcheck(void **unused) {
    simulation_state_init(&simulation);
    put_world(&simulation, POND("200"), "pond");
    atomic_store(&differences, 0);
    atomic_store(&agreements, 0);
    return 0;
}

static int tear_down_selfcheck(void **unused) {
    simulation_state_fini(&simulation);
    return 0;
}

static void spawn(struct selfcheck *selfcheck, bool is_noted) {
    struct request request = request_default(REQUEST_SPAWN);
    struct buffer text;
    memcpy(request.body.spawn.kind, "prey", 5);
    request.body.spawn.count = 5;
    buffer_init(&text, 65536);
    simulation.session = 1;
    assert_true(command_apply(&simulation, &request, 1, &text).changed);
    if (is_noted) {
        selfcheck_note_request(selfcheck, &simulation, &request, 1);
    }
    buffer_fini(&text);
}

/* Ticks with requests until so many spans were compared as `counted` says. */
static void run_selfcheck(struct selfcheck *selfcheck, atomic_int *counted, int spans, bool is_noted) {
    const struct timespec moment = {.tv_nsec = 200000};
    for (int tick = 0; tick < 100000 && atomic_load(counted) < spans; tick++) {
        if (tick % 16 == 15 && tick < 400) {
            spawn(selfcheck, is_noted);
        }
        simulation_state_step(&simulation);
        selfcheck_note_tick(selfcheck, &simulation);
        (void)nanosleep(&moment, NULL);
    }
    assert_true(atomic_load(counted) >= spans);
}

static void test_a_world_comes_out_again(void **unused) {
    const struct selfcheck_def def = {&simulation, on_difference, 0.5, on_agreement};
    struct selfcheck *selfcheck = selfcheck_create(&def, &simulation);
    assert_non_null(selfcheck);
    run_selfcheck(selfcheck, &agreements, 3, true);
    selfcheck_destroy(selfcheck);
    assert_int_equal(atomic_load(&differences), 0);
}

static void test_a_change_that_was_not_noted_is_a_difference(void **unused) {
    const struct selfcheck_def def = {&simulation, on_difference, 0.5, on_agreement};
    struct selfcheck *selfcheck = selfcheck_create(&def, &simulation);
    assert_non_null(selfcheck);
    run_selfcheck(selfcheck, &differences, 1, false);
    selfcheck_destroy(selfcheck);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_hash_is_that_of_the_tick, set_up_keeper, tear_down_keeper),
        cmocka_unit_test_setup_teardown(test_checkpoints_are_those_of_the_state, set_up_keeper,
                                        tear_down_keeper),
        cmocka_unit_test_setup_teardown(test_a_busy_keeper_refuses, set_up_keeper, tear_down_keeper),
        cmocka_unit_test_setup_teardown(test_another_world_has_another_text, set_up_keeper, tear_down_keeper),
        cmocka_unit_test_setup_teardown(test_a_copy_allocates_nothing, set_up_keeper, tear_down_keeper),
        cmocka_unit_test_setup_teardown(test_a_copy_of_a_grown_world_allocates_nothing, set_up_keeper,
                                        tear_down_keeper),
        cmocka_unit_test(test_a_recording_has_no_checkpoint_of_the_one_before),
        cmocka_unit_test(test_no_allocation_with_journal_and_recording),
        cmocka_unit_test(test_no_allocation_when_a_request_is_written),
        cmocka_unit_test(test_no_allocation_in_the_clone_of_a_save),
        cmocka_unit_test(test_a_tick_with_a_past_allocates_nothing_and_comes_out_again),
        cmocka_unit_test_setup_teardown(test_a_world_comes_out_again, set_up_selfcheck, tear_down_selfcheck),
        cmocka_unit_test_setup_teardown(test_a_change_that_was_not_noted_is_a_difference, set_up_selfcheck,
                                        tear_down_selfcheck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
