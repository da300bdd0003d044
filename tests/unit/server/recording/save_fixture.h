/* A world that has some of everything, changed by requests, as a state. */
#ifndef DROVER_TESTS_UNIT_SERVER_RECORDING_SAVE_FIXTURE_H
#define DROVER_TESTS_UNIT_SERVER_RECORDING_SAVE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request.h"
#include "server/commands/command_apply.h"
#include "server/recording/checkpoint.h"
#include "tests/support/request_decode.h"
#include "tests/unit/server/test_world.h"

#define SAVE_BYTES ((size_t)1 << 24)

static const char *const zoo =
    "{\"name\":\"Zoo\",\"description\":\"A \\\"cage\\\"\",\"seed\":3,\"tick_hz\":50,"
    "\"world\":{\"size\":[800,600],\"edge\":\"wrap\","
    "\"obstacles\":[{\"circle\":[300,300,40]},{\"box\":[100,100,30,20]}],"
    "\"walls\":[[500,100,500,300]],"
    "\"paths\":{\"round\":{\"points\":[[50,50],[250,60],[240,300]],\"radius\":20,\"loop\":true}}},"
    "\"targets\":{\"mouse\":[10,20],\"home\":{\"at\":[400,300],\"jump_within\":20},"
    "\"lamp\":{\"at\":[90,80],\"strolls\":{\"after\":0.25,\"speed\":50}}},"
    "\"kinds\":{\"prey\":{\"max_speed\":[80,120],\"max_stamina\":2,\"states\":["
    "{\"name\":\"flee\",\"stamina_rate\":-1,\"when\":{\"near\":{\"kind\":\"hunter\",\"within\":90}},"
    "\"behaviors\":[{\"evade\":{\"kind\":\"hunter\",\"panic_distance\":90}},{\"avoid_obstacles\":{\"tier\":0}"
    "}]},"
    "{\"name\":\"graze\",\"stamina_rate\":0.5,\"behaviors\":[{\"wander\":{}},{\"separation\":{}},"
    "{\"avoid_obstacles\":{}}]}]},"
    "\"hunter\":{\"radius\":9,\"max_speed\":130,\"behaviors\":[{\"pursue\":{\"kind\":\"prey\",\"keep\":true}}"
    ","
    "{\"avoid_obstacles\":{}}]},"
    "\"guard\":{\"behaviors\":[{\"follow_path\":{\"path\":\"round\"}},{\"seek\":{\"target\":\"home\"}},"
    "{\"flee\":{\"target\":\"cursor*\",\"panic_distance\":80}}]}},"
    "\"agents\":[{\"kind\":\"prey\",\"count\":30,\"in\":{\"rect\":[0,0,800,600]}},"
    "{\"kind\":\"hunter\",\"count\":4,\"in\":{\"rect\":[0,0,800,600]}},"
    "{\"kind\":\"guard\",\"count\":5,\"in\":{\"circle\":[150,150,60]}}]}";

static const char *const school =
    "{\"name\":\"School\",\"seed\":5,\"world\":{\"size\":[600,400],\"edge\":\"wrap\"},"
    "\"kinds\":{\"fish\":{\"max_speed\":40,\"max_turn_rate\":120,\"behaviors\":[{\"flock\":{}}]}},"
    "\"agents\":[{\"kind\":\"fish\",\"count\":12,\"in\":{\"rect\":[0,0,600,400]}}]}";

/* Applies a request, which must succeed. */
static inline void apply_text(struct simulation_state *state, uint32_t session, const char *text) {
    struct request request;
    struct failure failure;
    struct buffer reply;
    buffer_init(&reply, SAVE_BYTES);
    if (request_decode(text, strlen(text), &request, &failure) != 0) {
        fail_msg("%s: %s", text, failure.message);
    }
    state->session = session;
    (void)command_apply(state, &request, 1, &reply);
    request_fini(&request);
    if (reply.length > 0 && strstr(reply.data, "\"error\"") != NULL) {
        fail_msg("%s: %s", text, reply.data);
    }
    buffer_fini(&reply);
}

static inline void step_state(struct simulation_state *state, int ticks) {
    for (int i = 0; i < ticks; i++) {
        simulation_state_step(state);
        state->log.count = 0; /* its events have been sent */
    }
}

/* The state that is read from a save of another one; the caller's (simulation_state_fini). */
static inline void state_through_save(const struct simulation_state *state,
                                      const struct world_overrides *overrides,
                                      struct simulation_state *loaded) {
    const struct checkpoint_rest saved = checkpoint_rest_of(state);
    struct checkpoint_rest rest;
    struct built_world built;
    struct failure failure;
    struct buffer text;
    uint64_t hash;
    buffer_init(&text, SAVE_BYTES);
    saved_world_write(state->world, &saved, state->name, state->text, state->text_length, &text, &hash);
    assert_false(text.failed);
    simulation_state_init(loaded);
    assert_int_equal(saved_world_read(text.data, text.length, overrides, NULL, &built, &rest, &failure), 0);
    checkpoint_restore(loaded, &built, &rest);
    built_world_fini(&built);
    buffer_fini(&text);
}

/* The zoo after changes of all sorts. */
static inline void make_zoo(struct simulation_state *state) {
    simulation_state_init(state);
    put_world(state, zoo, "pen");
    step_state(state, 40);
    apply_text(state, 3, "{\"op\":\"cursor\",\"x\":30,\"y\":40}");
    apply_text(state, 9, "{\"op\":\"cursor\",\"x\":300,\"y\":500.5}");
    apply_text(state, 3, "{\"op\":\"cursor\",\"gone\":true}");
    apply_text(state, 3,
               "{\"op\":\"set_param\",\"kind\":\"hunter\",\"param\":\"max_speed\",\"value\":101.3}");
    apply_text(state, 3, "{\"op\":\"set_param\",\"kind\":\"guard\",\"param\":\"max_stamina\",\"value\":3}");
    apply_text(state, 3, "{\"op\":\"set_param\",\"kind\":\"guard\",\"param\":\"max_stamina\",\"value\":0}");
    apply_text(state, 3,
               "{\"op\":\"set_param\",\"kind\":\"hunter\",\"param\":\"max_turn_rate\",\"value\":77.7}");
    apply_text(state, 3, "{\"op\":\"spawn\",\"kind\":\"prey\",\"count\":9,\"x\":10,\"y\":10}");
    apply_text(state, 3, "{\"op\":\"remove\",\"agents\":[2,3,7,31]}");
    apply_text(state, 3, "{\"op\":\"add_obstacle\",\"circle\":[600,500,30.1]}");
    apply_text(state, 3, "{\"op\":\"add_obstacle\",\"polygon\":[[700,100],[750,100],[700,151]]}");
    apply_text(state, 3, "{\"op\":\"remove_obstacle\",\"obstacle\":1}");
    apply_text(state, 3, "{\"op\":\"set_target\",\"kind\":\"guard\",\"follow\":\"mouse\"}");
    apply_text(state, 3, "{\"op\":\"set_target\",\"agent\":37,\"x\":111.1,\"y\":99}");
    apply_text(state, 3, "{\"op\":\"set_target\",\"name\":\"mouse\",\"x\":0.1,\"y\":0.2}");
    step_state(state, 70);
}

#endif
