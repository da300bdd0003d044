/* The lines that a simulation gives its recordings: what a line has, and that further lines allocate nothing. */
#include "tests/unit/server/cmocka_all.h"

#include <string.h>

#include "server/commands/command_apply.h"
#include "server/recording/recording_line.h"

static const char *const pond =
    "{\"name\":\"Pond\",\"seed\":3,\"world\":{\"size\":[800,600],\"edge\":\"wrap\"},"
    "\"targets\":{\"mouse\":[10,20]},"
    "\"kinds\":{\"prey\":{\"behaviors\":[{\"seek\":{\"target\":\"mouse\"}}]}},"
    "\"agents\":[{\"kind\":\"prey\",\"at\":[1,2],\"count\":3}]}";

static struct simulation_state simulation;
static struct recorder recorder;
static const struct recorder_session server = {.name = ""}, ann = {.by = 3, .name = "Ann"};

static int set_up(void **unused) {
    struct scenario scenario;
    struct built_world built;
    struct failure failure = {0};
    const struct world_overrides overrides = {0};
    scenario_init(&scenario);
    if (scenario_read(pond, strlen(pond), &scenario, &failure) != 0) {
        fail_msg("%s", failure.message);
    }
    memcpy(scenario.name, "pond", 5);
    assert_int_equal(built_world_make(&scenario, &overrides, NULL, NULL, &built, &failure), 0);
    scenario_fini(&scenario);
    simulation_state_init(&simulation);
    simulation_state_change(&simulation, &built);
    assert_int_equal(recorder_init(&recorder), 0);
    return 0;
}

static int tear_down(void **unused) {
    recorder_fini(&recorder);
    simulation_state_fini(&simulation);
    return 0;
}

/* The only line of the recorder, which is empty afterwards. */
static struct recording_line take(void) {
    static char kept[65536]; /* spans point into it */
    struct recording_line line;
    struct failure failure = {0};
    assert_false(recorder.out.failed);
    assert_true(recorder.out.length > 1 && recorder.out.length < sizeof kept);
    assert_int_equal(recorder.out.data[recorder.out.length - 1], '\n');
    assert_ptr_equal(memchr(recorder.out.data, '\n', recorder.out.length),
                     recorder.out.data + recorder.out.length - 1);
    memcpy(kept, recorder.out.data, recorder.out.length);
    assert_int_equal(recording_line_read(kept, recorder.out.length - 1, &line, &failure), 0);
    buffer_clear(&recorder.out);
    return line;
}

static void test_a_file_begins_with_header_and_world(void **unused) {
    const uint64_t hash = world_hash(simulation.world);
    simulation.seq = 5;
    recorder_write_header(&recorder, "2026-11-21T19:00:00Z", "gcc 12");
    const struct recording_line header = take();
    assert_int_equal(header.op, RECORDING_DROVER);
    assert_int_equal(header.format, RECORDING_FORMAT);
    assert_string_equal(header.started, "2026-11-21T19:00:00Z");
    recorder_set_world(&recorder, &simulation, hash, ann);
    simulation_state_step(&simulation);
    for (int file = 0; file < 2; file++) { /* a further file begins with the same line */
        recorder_write_world(&recorder, &simulation);
        const struct recording_line world = take();
        assert_int_equal(world.op, RECORDING_WORLD);
        assert_int_equal(world.world, 1);
        assert_int_equal(world.tick, 0);
        assert_int_equal(world.seq, 5);
        assert_int_equal(world.by, 3);
        assert_string_equal(world.name, "Ann");
        assert_string_equal(world.scenario, "pond");
        assert_int_equal(world.seed, 3);
        assert_int_equal(world.hash, hash);
    }
    recorder_set_world(&recorder, &simulation, 1, server);
    recorder_write_world(&recorder, &simulation);
    assert_int_equal(take().world, 2);
}

static void test_a_request_is_a_line(void **unused) {
    struct request request = request_default(REQUEST_SET_TARGET);
    memcpy(request.id, "17", 3);
    request.body.set_target.has_name = request.body.set_target.has_point = true;
    memcpy(request.body.set_target.name, "mouse", 6);
    request.body.set_target.x = 12.5f;
    simulation_state_step(&simulation);
    simulation.seq = 9;
    recorder_write_do(&recorder, &simulation, &request, ann);
    const struct recording_line line = take();
    assert_int_equal(line.op, RECORDING_DO);
    assert_int_equal(line.tick, 1);
    assert_int_equal(line.seq, 9);
    assert_int_equal(line.by, 3);
    assert_string_equal(line.name, "Ann");
    struct request read;
    struct failure failure = {0};
    assert_int_equal(request_decode(line.request, line.request_length, &read, &failure), 0);
    assert_int_equal(read.op, REQUEST_SET_TARGET);
    assert_string_equal(read.id, "");
    assert_true(read.body.set_target.x == 12.5f);
}

static void test_time_hashes_and_the_end_are_lines(void **unused) {
    simulation.is_paused = true;
    recorder_write_at(&recorder, &simulation, ann);
    struct recording_line line = take();
    assert_int_equal(line.op, RECORDING_AT);
    assert_true(line.is_paused);
    assert_string_equal(line.name, "Ann");
    recorder_write_hash(&recorder, 60, 2, UINT64_C(0x0123456789abcdef));
    line = take();
    assert_int_equal(line.op, RECORDING_HASH);
    assert_int_equal(line.tick, 60);
    assert_true(line.hash == UINT64_C(0x0123456789abcdef));
    recorder_write_end(&recorder, &simulation, "disk full");
    line = take();
    assert_int_equal(line.op, RECORDING_END);
    assert_string_equal(line.reason, "disk full");
}

static void test_time_and_worlds_are_no_do_lines(void **unused) {
    assert_true(recorder_is_do(REQUEST_SPAWN));
    assert_true(recorder_is_do(REQUEST_CURSOR));
    assert_false(recorder_is_do(REQUEST_PAUSE));
    assert_false(recorder_is_do(REQUEST_RESUME));
    assert_false(recorder_is_do(REQUEST_STEP));
    assert_false(recorder_is_do(REQUEST_LOAD));
    assert_false(recorder_is_do(REQUEST_INSPECT));
}

/* Lines between ticks use the memory that the recorder has from its start. */
static void test_lines_use_the_same_memory(void **unused) {
    struct request request = request_default(REQUEST_REMOVE);
    request.body.remove.agent_count = LIMIT_REMOVE_IDS;
    for (int i = 0; i < LIMIT_REMOVE_IDS; i++) {
        request.body.remove.agents[i] = UINT32_MAX - (uint32_t)i;
    }
    const char *out = recorder.out.data, *scratch = recorder.request.data;
    for (int i = 0; i < 10; i++) {
        recorder_write_do(&recorder, &simulation, &request, ann);
        recorder_write_at(&recorder, &simulation, server);
        recorder_write_hash(&recorder, 1, 1, 1);
        assert_false(recorder.out.failed);
        buffer_clear(&recorder.out);
    }
    assert_ptr_equal(recorder.out.data, out);
    assert_ptr_equal(recorder.request.data, scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_file_begins_with_header_and_world, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_request_is_a_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_time_hashes_and_the_end_are_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_time_and_worlds_are_no_do_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lines_use_the_same_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
