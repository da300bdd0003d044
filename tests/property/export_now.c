/* The world as it is, as a scenario.
 *
 * Every scenario, before its first tick, comes out as its own document. After random requests, at tick 0 and later, what
 * comes out can be loaded; the world of it has the same agents in the same places, and comes out as the same document, byte for byte. Where
 * nothing is said to be lost the hash is the same one.
 *
 * DROVER_EXPORT=NAME tries one scenario, DROVER_PROPERTY_SEED repeats or varies the requests. Where DROVER_SLOW is set there are more
 * trials, and larger scenarios.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_text.h"
#include "common/protocol/request.h"
#include "server/commands/command_apply.h"
#include "tests/property/each_scenario.h"
#include "tests/property/environment.h"
#include "tests/property/named_scenario.h"
#include "tests/property/random_request.h"
#include "tests/support/request_decode.h"

enum { LARGE = 1500, SLOW_LARGE = 20000, TICKS = 40, SLOW_TICKS = 200, SLOW_TRIALS = 20, TEXT_BYTES = 256 };

/* How many came out without a loss after a change; that were refused. */
static int lossless, refused, documents;

struct exported {
    struct buffer document, lost;
    int result;
};

static void export_begin(struct exported *exported) {
    buffer_init(&exported->document, LIMIT_SCENARIO_BYTES);
    buffer_init(&exported->lost, 1 << 16);
}

static void export_end(struct exported *exported) {
    buffer_fini(&exported->document);
    buffer_fini(&exported->lost);
}

static void export_state(const struct simulation_state *state, bool with_agents, struct exported *exported) {
    struct failure failure = {0};
    buffer_clear(&exported->document);
    buffer_clear(&exported->lost);
    exported->result = scenario_write_now(state->text, state->text_length, state->world, with_agents,
                                          &exported->document, &exported->lost, &failure);
    if (exported->result != 0 && failure.code != FAILURE_FULL) {
        fail_msg("%s: %s: %s", state->name, failure.field, failure.message);
    }
}

static void put_in(const struct scenario *scenario, struct simulation_state *state) {
    const struct world_overrides overrides = {.has_simd = true, .simd = SIMD_PLAIN};
    struct built_world built;
    struct failure failure;
    assert_int_equal(built_world_make(scenario, &overrides, NULL, NULL, &built, &failure), 0);
    simulation_state_init(state);
    simulation_state_change(state, &built);
    built_world_fini(&built);
}

static void load_text(const struct buffer *text, struct simulation_state *state) {
    struct scenario scenario;
    struct failure failure = {0};
    if (scenario_read(text->data, text->length, &scenario, &failure) != 0) {
        fail_msg("%s: %s\n%s", failure.field, failure.message, text->data);
    }
    put_in(&scenario, state);
    scenario_fini(&scenario);
}

/* ---- requests ---- */

static void write_more(const struct world *world, char *text) {
    const struct place at = some_place(world);
    switch (below(12)) {
    case 0:
        (void)snprintf(text, TEXT_BYTES, "{\"op\":\"add_target\",\"name\":\"new%d\",\"x\":%.3f,\"y\":%.3f}",
                       below(5), at.x, at.y);
        break;
    case 1:
        (void)snprintf(text, TEXT_BYTES, "{\"op\":\"remove_target\",\"name\":\"%s\"}", some_target(world));
        break;
    case 2:
        (void)snprintf(text, TEXT_BYTES,
                       "{\"op\":\"set_param\",\"agent\":%" PRIu32 ",\"param\":\"mass\",\"value\":2.5}",
                       some_agent(world));
        break;
    case 3:
        (void)snprintf(text, TEXT_BYTES, "{\"op\":\"set_obstacle\",\"obstacle\":1,\"closed\":%s}",
                       below(2) ? "true" : "false");
        break;
    default:
        write_change(world, text, TEXT_BYTES);
    }
}

static void apply_text(struct simulation_state *state, const char *text) {
    struct request request;
    struct failure failure;
    struct buffer reply;
    if (request_decode(text, strlen(text), &request, &failure) == 0) {
        buffer_init(&reply, (size_t)1 << 20);
        (void)command_apply(state, &request, 1, &reply);
        request_fini(&request);
        buffer_fini(&reply);
    }
}

/* only_tunes: what a scenario can say to the last bit. */
static void apply_something(struct simulation_state *state, bool only_tunes) {
    char text[TEXT_BYTES];
    const struct place at = some_place(state->world);
    if (!only_tunes) {
        write_more(state->world, text);
    } else if (below(2) == 0) {
        write_set_param(state->world, text, sizeof text);
    } else {
        (void)snprintf(text, sizeof text, "{\"op\":\"set_target\",\"name\":\"%s\",\"x\":%.3f,\"y\":%.3f}",
                       some_target(state->world), at.x, at.y);
    }
    apply_text(state, text);
}

/* ---- what must hold ---- */

static void assert_same_text(const char *name, const struct buffer *a, const char *b) {
    if (strcmp(a->data, b) != 0) {
        size_t at = 0;
        while (a->data[at] == b[at]) {
            at++;
        }
        at -= at < 60 ? at : 60;
        fail_msg("%s: %.200s\ninstead of %.200s", name, a->data + at, b + at);
    }
}

static void assert_same_places(const struct simulation_state *a, const struct simulation_state *b) {
    assert_int_equal(world_agent_count(a->world), world_agent_count(b->world));
    for (int32_t row = 0; row < world_agent_count(a->world); row++) {
        const struct agent_view one = world_agent(a->world, row), other = world_agent(b->world, row);
        assert_int_equal(one.kind, other.kind);
        assert_true(vec2_length(vec2_sub(one.position, other.position)) < 1e-3f);
        assert_true(vec2_length(vec2_sub(one.heading, other.heading)) < 1e-5f);
    }
}

/* The world comes out, goes in and comes out again. */
static void try_round(const struct simulation_state *state, bool with_agents) {
    struct exported first, second;
    struct simulation_state again;
    export_begin(&first);
    export_begin(&second);
    export_state(state, with_agents, &first);
    if (first.result != 0) {
        assert_true(with_agents);
        refused++;
    } else {
        load_text(&first.document, &again);
        export_state(&again, with_agents, &second);
        assert_same_text(state->name, &second.document, first.document.data);
        assert_string_equal(second.lost.data, "[]");
        if (with_agents && strcmp(first.lost.data, "[]") == 0) {
            lossless += strcmp(first.document.data, state->text) != 0;
            assert_true(world_hash(again.world) == world_hash(state->world));
        }
        if (with_agents && strstr(first.lost.data, "exact places") == NULL) {
            assert_same_places(state, &again);
        }
        documents++;
        simulation_state_fini(&again);
    }
    export_end(&first);
    export_end(&second);
}

static void try_untouched(const struct simulation_state *state) {
    struct exported exported;
    export_begin(&exported);
    for (int with_agents = 0; with_agents < 2; with_agents++) {
        export_state(state, with_agents != 0, &exported);
        assert_int_equal(exported.result, 0);
        assert_same_text(state->name, &exported.document, state->text);
        assert_string_equal(exported.lost.data, "[]");
    }
    export_end(&exported);
}

static void try_trial(const struct scenario *scenario) {
    struct simulation_state state;
    const bool only_tunes = below(2) == 0;
    put_in(scenario, &state);
    for (int request = 1 + below(8); request > 0; request--) {
        apply_something(&state, only_tunes);
    }
    try_round(&state, false);
    try_round(&state, true);
    for (int tick = 1 + below(is_slow() ? SLOW_TICKS : TICKS); tick > 0; tick--) {
        if (below(8) == 0) {
            apply_something(&state, false);
        }
        simulation_state_step(&state);
        state.log.count = 0;
    }
    try_round(&state, true);
    simulation_state_fini(&state);
}

static int try_scenario(const char *name) {
    struct scenario scenario;
    struct simulation_state state;
    scenario_named(name, &scenario);
    const int32_t agents = agents_of(&scenario.def);
    if (agents <= (is_slow() ? 10 * SLOW_LARGE : SLOW_LARGE)) {
        put_in(&scenario, &state);
        try_untouched(&state);
        simulation_state_fini(&state);
    }
    for (int i = 0; i < (is_slow() ? SLOW_TRIALS : 2) && agents <= (is_slow() ? SLOW_LARGE : LARGE); i++) {
        try_trial(&scenario);
    }
    scenario_fini(&scenario);
    return 0;
}

static void what_is_exported_is_the_world(void **state) {
    (void)state;
    dice = rng_begin(environment("DROVER_PROPERTY_SEED", 1), 0, 0, RNG_SPAWN_PLACE);
    assert_int_equal(each_scenario(getenv("DROVER_EXPORT"), try_scenario), 0);
    print_message("%d documents, %d of changed worlds without loss, %d refused\n", documents, lossless,
                  refused);
    assert_true(getenv("DROVER_EXPORT") != NULL || lossless > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_exported_is_the_world)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
