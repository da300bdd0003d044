/* A simulation whose lines are written by hand: requests, ticks, hashes and checkpoints into a recording in memory. */
#ifndef DROVER_TESTS_UNIT_SERVER_RECORDING_RECORDED_RUN_H
#define DROVER_TESTS_UNIT_SERVER_RECORDING_RECORDED_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request.h"
#include "server/commands/command_apply.h"
#include "server/recording/checkpoint.h"
#include "server/recording/recording_line.h"
#include "server/recording/replay.h"
#include "server/sim/core.h"
#include "tests/support/request_decode.h"
#include "tests/unit/server/test_world.h"

enum { RUN_BYTES = 64 * 1024 * 1024 };

static const char *const run_pond =
    "{\"name\":\"Pond "
    "\\u00e4\",\"seed\":3,\"world\":{\"size\":[800,600],\"edge\":\"wrap\",\"obstacles\":[{\"circle\":[200,"
    "200,40]}]},"
    "\"targets\":{\"mouse\":{\"at\":[10,20],\"jump_within\":15},\"home\":[400,300]},"
    "\"kinds\":{\"prey\":{\"max_speed\":[80,120],\"behaviors\":[{\"seek\":{\"target\":\"mouse\"}},{"
    "\"wander\":{}},"
    "{\"flee\":{\"target\":\"cursor*\",\"panic_distance\":200}},{\"avoid_obstacles\":{}}]},"
    "\"bird\":{\"behaviors\":[{\"separation\":{}},{\"alignment\":{}},{\"cohesion\":{}}]},"
    "\"hunter\":{\"radius\":20,\"behaviors\":[{\"arrive\":{\"target\":\"home\"}},{\"orca\":{}}]}},"
    "\"agents\":[{\"kind\":\"prey\",\"in\":{\"rect\":[0,0,800,600]},\"count\":40},{\"kind\":\"bird\",\"in\":{"
    "\"rect\":[0,0,800,600]},"
    "\"count\":60},"
    "{\"kind\":\"hunter\",\"in\":{\"rect\":[0,0,300,300]},\"count\":8}]}";

static const char *const run_lake =
    "{\"name\":\"Lake\",\"seed\":9,\"tick_hz\":30,\"world\":{\"size\":[500,500]},"
    "\"kinds\":{\"duck\":{\"behaviors\":[{\"wander\":{}}]}},"
    "\"agents\":[{\"kind\":\"duck\",\"at\":[250,250],\"count\":5}]}";

struct run {
    struct simulation_state state;
    struct buffer text; /* the recording */
    uint32_t world;
};

static inline void run_write(struct run *run, struct recording_line line) {
    line.tick = world_tick(run->state.world);
    line.seq = run->state.seq;
    recording_line_write(&line, &run->text);
    assert_false(run->text.failed);
}

static inline struct built_world run_build(const char *name, const char *text, uint64_t seed) {
    struct scenario scenario = scenario_of(text, name);
    struct failure failure = {0};
    struct built_world built = {0};
    const struct world_overrides overrides = {0};
    assert_int_equal(built_world_make(&scenario, &overrides, &seed, NULL, &built, &failure), 0);
    scenario_fini(&scenario);
    return built;
}

/* tick, seq: of the world when it was put in. */
static inline void run_write_begun_world(struct run *run, uint64_t tick, uint64_t seq) {
    struct recording_line line = {.op = RECORDING_WORLD,
                                  .world = ++run->world,
                                  .tick = tick,
                                  .seq = seq,
                                  .seed = world_seed(run->state.world),
                                  .tick_hz = world_tick_hz(run->state.world),
                                  .hash = 1, /* not known any more */
                                  .from_tick = world_tick(run->state.world),
                                  .from_seq = run->state.seq,
                                  .text = run->state.text,
                                  .text_length = run->state.text_length};
    memcpy(line.scenario, run->state.name, sizeof line.scenario);
    recording_line_write(&line, &run->text);
}

static inline void run_write_world(struct run *run, uint32_t by) {
    struct recording_line line = {.op = RECORDING_WORLD,
                                  .world = ++run->world,
                                  .by = by,
                                  .seed = world_seed(run->state.world),
                                  .tick_hz = world_tick_hz(run->state.world),
                                  .hash = world_hash(run->state.world),
                                  .text = run->state.text,
                                  .text_length = run->state.text_length};
    memcpy(line.scenario, run->state.name, sizeof line.scenario);
    run_write(run, line);
}

static inline void run_write_drover(struct buffer *text, uint32_t core) {
    const struct recording_line line = {.op = RECORDING_DROVER,
                                        .format = RECORDING_FORMAT,
                                        .core = core,
                                        .server = "drover-server test",
                                        .started = "2026-11-21T19:00:00Z"};
    recording_line_write(&line, text);
}

static inline void run_at(struct run *run) {
    run_write(run, (struct recording_line){.op = RECORDING_AT, .is_paused = run->state.is_paused});
}

static inline void run_begin(struct run *run, const char *name, const char *text, uint64_t seed) {
    *run = (struct run){0};
    simulation_state_init(&run->state);
    buffer_init(&run->text, RUN_BYTES);
    struct built_world built = run_build(name, text, seed);
    simulation_state_change(&run->state, &built);
    built_world_fini(&built);
    run_write_drover(&run->text, CORE_NUMBER);
    run_write_world(run, 0);
    run_at(run);
}

static inline void run_end(struct run *run) {
    simulation_state_fini(&run->state);
    buffer_fini(&run->text);
}

/* Applies a request as the simulation thread does, and writes its line when it takes effect. */
static inline bool run_do(struct run *run, uint32_t by, const char *text) {
    struct request request;
    struct failure failure = {0};
    struct buffer out, line;
    buffer_init(&out, RUN_BYTES);
    buffer_init(&line, RUN_BYTES);
    if (request_decode(text, strlen(text), &request, &failure) != 0) {
        fail_msg("%s: %s", text, failure.message);
    }
    const uint64_t before = run->state.seq;
    run->state.session = by;
    (void)command_apply(&run->state, &request, 1, &out);
    const bool is_done = run->state.seq != before;
    if (is_done && (request.op == REQUEST_PAUSE || request.op == REQUEST_RESUME)) {
        run_write(run,
                  (struct recording_line){.op = RECORDING_AT, .by = by, .is_paused = run->state.is_paused});
    } else if (is_done && request.op != REQUEST_STEP) {
        request_encode(&request, &line);
        struct recording_line record = {.op = RECORDING_DO, .by = by, .name = "Ann"};
        record.request = line.data;
        record.request_length = line.length;
        run_write(run, record);
    }
    request_fini(&request);
    buffer_fini(&out);
    buffer_fini(&line);
    return is_done;
}

static inline void run_ticks(struct run *run, int count) {
    for (int i = 0; i < count; i++) {
        simulation_state_step(&run->state);
    }
}

static inline void run_hash(struct run *run) {
    run_write(run, (struct recording_line){.op = RECORDING_HASH, .hash = world_hash(run->state.world)});
}

static inline void run_checkpoint(struct run *run) {
    const struct checkpoint_rest rest = checkpoint_rest_of(&run->state);
    checkpoint_write(run->state.world, &rest, &run->text, NULL);
    assert_false(run->text.failed);
}

/* `load`: as the simulation thread does it, an `at` line first. */
static inline void run_load(struct run *run, uint32_t by, const char *name, const char *text, uint64_t seed) {
    struct buffer out;
    struct request request = request_default(REQUEST_LOAD);
    struct built_world built = run_build(name, text, seed);
    run_at(run);
    (void)snprintf(request.body.load.scenario, sizeof request.body.load.scenario, "%s", name);
    buffer_init(&out, RUN_BYTES);
    run->state.arrival = &built;
    run->state.session = by;
    (void)command_apply(&run->state, &request, 1, &out);
    run->state.arrival = NULL;
    built_world_fini(&built);
    buffer_fini(&out);
    run_write_world(run, by);
}

/* Ten seconds of everything: two worlds, requests of many kinds, pauses, steps; a hash each tick, and late ones. */
static inline void run_everything(struct run *run) {
    run_begin(run, "pond", run_pond, 77);
    run_ticks(run, 30);
    run_hash(run);
    assert_true(run_do(run, 3, "{\"op\":\"cursor\",\"x\":100.1,\"y\":50}"));
    assert_true(run_do(run, 4, "{\"op\":\"cursor\",\"x\":300,\"y\":70.7,\"id\":9}"));
    run_hash(run);
    for (int i = 0; i < 120; i++) {
        char mouse[96];
        run_ticks(run, 1);
        (void)snprintf(mouse, sizeof mouse, "{\"op\":\"mouse\",\"x\":%d.1,\"y\":%d.3}", 100 + i, 50 + 3 * i);
        assert_true(run_do(run, 3, mouse));
        if (i % 7 == 0) {
            run_hash(run);
        }
        if (i == 60) {
            run_checkpoint(run);
        }
    }
    assert_true(run_do(run, 5,
                       "{\"op\":\"spawn\",\"kind\":\"prey\",\"count\":7,\"x\":400,\"y\":300,\"radius\":60,"
                       "\"heading\":33.3}"));
    assert_true(
        run_do(run, 5, "{\"op\":\"set_param\",\"kind\":\"bird\",\"param\":\"max_speed\",\"value\":77.7}"));
    assert_true(run_do(run, 5, "{\"op\":\"set_target\",\"agent\":3,\"x\":10,\"y\":500}"));
    assert_true(run_do(run, 5, "{\"op\":\"set_target\",\"kind\":\"hunter\",\"follow\":\"mouse\"}"));
    assert_true(run_do(run, 5, "{\"op\":\"add_target\",\"name\":\"nest\",\"x\":33,\"y\":44}"));
    assert_true(run_do(run, 5, "{\"op\":\"add_obstacle\",\"box\":[500,100,60,50]}"));
    assert_false(run_do(run, 5, "{\"op\":\"remove\",\"kind\":\"nobody\"}"));
    run_checkpoint(run);
    run_ticks(run, 25);
    assert_true(run_do(run, 5, "{\"op\":\"pause\"}"));
    assert_true(run_do(run, 5, "{\"op\":\"step\",\"count\":10}"));
    run_ticks(run, 10);
    run_hash(run); /* before the line that says the seq of the step */
    run_at(run);
    assert_true(run_do(run, 5, "{\"op\":\"resume\"}"));
    assert_true(run_do(run, 5, "{\"op\":\"remove\",\"agents\":[1,2,3,60]}"));
    assert_true(run_do(run, 4, "{\"op\":\"cursor\",\"gone\":true}"));
    run_ticks(run, 40);
    run_hash(run);
    run_checkpoint(run);
    run_ticks(run, 5);
    run_load(run, 3, "lake", run_lake, 5);
    run_hash(run);
    run_ticks(run, 50);
    assert_true(run_do(run, 3, "{\"op\":\"spawn\",\"kind\":\"duck\",\"count\":3}"));
    run_ticks(run, 9);
    run_hash(run);
    run_checkpoint(run);
    run_ticks(run, 20);
    run_at(run);
    run_hash(run);
}

#endif
