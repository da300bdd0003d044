/* Makes a recording without a server, for test_tool.py.
 *
 * usage: make_recording SCENARIO.json TICKS HASH_EVERY CHECKPOINT_EVERY [FAULT_TICK FAULT_AGENT] < INPUTS > OUT
 *
 * INPUTS: lines of TICK SESSION REQUEST, in order of ticks; a REQUEST {"op":"load"} puts in the scenario once more. *_EVERY
 * 0: none. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request.h"
#include "server/commands/command_apply.h"
#include "server/library/scenario_library.h"
#include "server/recording/checkpoint.h"
#include "server/recording/recording_line.h"
#include "server/sim/core.h"
#include "tests/e2e/tool/planted_fault.h"
#include "tests/support/request_decode.h"

enum { LINE = 8192, OUT_LIMIT = 1 << 28 };

struct making {
    struct simulation_state state;
    struct scenario scenario;
    struct buffer out;
    uint32_t world;
    uint64_t ticks, hash_every, checkpoint_every, fault_tick;
    uint32_t fault_agent;
    /* The next input. */
    bool has_input;
    uint64_t input_tick;
    unsigned by;
    char request[LINE];
};

static void stop(const char *what) {
    (void)fprintf(stderr, "make_recording: %s\n", what);
    exit(2);
}

static void read_input(struct making *making) {
    char line[LINE];
    int at = 0;
    making->has_input = fgets(line, sizeof line, stdin) != NULL;
    if (making->has_input) {
        if (sscanf(line, "%" SCNu64 " %u %n", &making->input_tick, &making->by, &at) != 2) {
            stop("an input is TICK SESSION REQUEST");
        }
        (void)snprintf(making->request, sizeof making->request, "%.*s", (int)strcspn(line + at, "\n"),
                       line + at);
    }
}

static void put_world(struct making *making) {
    const struct world_overrides overrides = {0};
    struct built_world built;
    struct failure failure = {0};
    if (built_world_make(&making->scenario, &overrides, NULL, NULL, &built, &failure) != 0) {
        stop(failure.message);
    }
    struct recording_line line = {.op = RECORDING_WORLD,
                                  .seq = making->state.seq,
                                  .by = making->by,
                                  .world = ++making->world,
                                  .seed = world_seed(built.world),
                                  .tick_hz = world_tick_hz(built.world),
                                  .text = making->scenario.text,
                                  .text_length = making->scenario.text_length,
                                  .hash = world_hash(built.world)};
    (void)snprintf(line.scenario, sizeof line.scenario, "%s", making->scenario.name);
    recording_line_write(&line, &making->out);
    simulation_state_change(&making->state, &built);
    built_world_fini(&built);
}

static void put_at(struct making *making) {
    const struct recording_line line = {
        .op = RECORDING_AT, .tick = world_tick(making->state.world), .seq = making->state.seq};
    recording_line_write(&line, &making->out);
}

static void apply(struct making *making) {
    struct request request;
    struct failure failure = {0};
    struct buffer reply;
    if (strcmp(making->request, "{\"op\":\"load\"}") == 0) {
        put_at(making);
        making->state.seq++;
        put_world(making);
        return;
    }
    if (request_decode(making->request, strlen(making->request), &request, &failure) != 0) {
        stop(failure.message);
    }
    const uint64_t seq = making->state.seq;
    buffer_init(&reply, LIMIT_CONTROL_BYTES);
    making->state.session = making->by;
    (void)command_apply(&making->state, &request, 1, &reply);
    request_fini(&request);
    if (making->state.seq == seq) {
        stop(reply.data == NULL ? "a request was refused" : reply.data);
    }
    buffer_fini(&reply);
    struct recording_line line = {.op = RECORDING_DO,
                                  .tick = world_tick(making->state.world),
                                  .seq = making->state.seq,
                                  .by = making->by,
                                  .request = making->request,
                                  .request_length = strlen(making->request)};
    (void)snprintf(line.name, sizeof line.name, making->by == 3 ? "Ann" : "");
    recording_line_write(&line, &making->out);
}

static void put_hash(struct making *making) {
    const struct recording_line line = {.op = RECORDING_HASH,
                                        .tick = world_tick(making->state.world),
                                        .seq = making->state.seq,
                                        .hash = world_hash(making->state.world)};
    recording_line_write(&line, &making->out);
}

static void put_checkpoint(struct making *making) {
    const struct checkpoint_rest rest = checkpoint_rest_of(&making->state);
    checkpoint_write(making->state.world, &rest, &making->out, NULL);
}

static void run(struct making *making) {
    for (uint64_t done = 0; done <= making->ticks; done++) {
        const uint64_t tick = world_tick(making->state.world);
        if (making->hash_every > 0 && tick % making->hash_every == 0) {
            put_hash(making);
        }
        if (making->checkpoint_every > 0 && tick > 0 && tick % making->checkpoint_every == 0) {
            put_checkpoint(making);
        }
        while (making->has_input && making->input_tick == done) {
            apply(making);
            read_input(making);
        }
        if (done < making->ticks) {
            simulation_state_step(&making->state);
            if (world_tick(making->state.world) == making->fault_tick) {
                plant_fault(making->state.world, making->fault_agent, 20);
            }
        }
    }
}

static uint64_t number_of(const char *text) {
    return strtoull(text, NULL, 10);
}

int main(int argc, char **argv) {
    static struct making making;
    struct failure failure = {0};
    if (argc != 5 && argc != 7) {
        stop("expected SCENARIO TICKS HASH_EVERY CHECKPOINT_EVERY [FAULT_TICK FAULT_AGENT]");
    }
    making.ticks = number_of(argv[2]);
    making.hash_every = number_of(argv[3]);
    making.checkpoint_every = number_of(argv[4]);
    making.fault_tick = argc == 7 ? number_of(argv[5]) : UINT64_MAX;
    making.fault_agent = argc == 7 ? (uint32_t)number_of(argv[6]) : 0;
    buffer_init(&making.out, OUT_LIMIT);
    simulation_state_init(&making.state);
    if (scenario_file_read(argv[1], &making.scenario, &failure) != 0) {
        stop(failure.message);
    }
    struct recording_line header = {.op = RECORDING_DROVER,
                                    .format = RECORDING_FORMAT,
                                    .core = CORE_NUMBER,
                                    .server = "make_recording 1",
                                    .started = "2026-11-21T19:00:00Z",
                                    .build = "test"};
    recording_line_write(&header, &making.out);
    put_world(&making);
    read_input(&making);
    run(&making);
    put_at(&making);
    const struct recording_line end = {
        .op = RECORDING_END, .tick = world_tick(making.state.world), .seq = making.state.seq};
    recording_line_write(&end, &making.out);
    (void)fwrite(making.out.data, 1, making.out.length, stdout);
    scenario_fini(&making.scenario);
    simulation_state_fini(&making.state);
    buffer_fini(&making.out);
    return 0;
}
