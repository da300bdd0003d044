/* A batch is all or none.
 *
 * Random batches are applied to every scenario. The same requests, one by one, in a copy of the world say what must come
 * of each: when one of them is refused, the batch names it and leaves the state as it was, byte for byte of its save,
 * which is all that decides the future; otherwise the state is that of the copy, and so are the events.
 *
 * DROVER_PROPERTY_SEED repeats or varies the requests.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request.h"
#include "common/protocol/request_batch.h"
#include "server/commands/command_apply.h"
#include "server/recording/checkpoint.h"
#include "tests/property/each_scenario.h"
#include "tests/property/environment.h"
#include "tests/property/named_scenario.h"
#include "tests/property/random_request.h"
#include "tests/support/request_decode.h"

enum { BATCHES = 12, MOST_MEMBERS = 12, MEMBER_BYTES = 256, LARGE = 3000, TEXT_BYTES = 1 << 22 };

/* How many there were of each, over all scenarios: a test that sees one of them alone would show little. */
static int refused, whole;

static void save(const struct simulation_state *state, uint64_t seq, struct buffer *out) {
    struct checkpoint_rest rest = checkpoint_rest_of(state);
    rest.seq = seq;
    buffer_clear(out);
    saved_world_write(state->world, &rest, state->name, state->text, state->text_length, out, NULL);
    assert_false(out->failed);
}

static void assert_same(const struct buffer *a, const struct buffer *b) {
    assert_int_equal(a->length, b->length);
    assert_memory_equal(a->data, b->data, a->length);
}

static void copy_state(const struct buffer *text, struct simulation_state *copy) {
    const struct world_overrides overrides = {.has_simd = true, .simd = SIMD_PLAIN};
    struct built_world built;
    struct checkpoint_rest rest;
    struct failure failure;
    simulation_state_init(copy);
    assert_int_equal(saved_world_read(text->data, text->length, &overrides, NULL, &built, &rest, &failure),
                     0);
    checkpoint_restore(copy, &built, &rest);
    built_world_fini(&built);
}

/* Some are for agents that are not there. */
static void write_batch(const struct world *world, struct buffer *line) {
    char member[MEMBER_BYTES];
    const int count = 1 + below(MOST_MEMBERS), wrong = below(2) ? below(count) : -1;
    buffer_append_text(line, "{\"op\":\"batch\",\"id\":1,\"requests\":[");
    for (int i = 0; i < count; i++) {
        write_change(world, member, sizeof member);
        buffer_append_text(line, i > 0 ? "," : "");
        buffer_append_text(line, i == wrong ? "{\"op\":\"set_target\",\"agent\":4294967295,\"x\":1,\"y\":1}"
                                            : member);
    }
    buffer_append_text(line, "]}");
}

/* The members one by one. Returns how many were done until one was refused; events: of those. */
static uint32_t apply_singly(struct simulation_state *copy, const struct request *batch,
                             struct buffer *events) {
    struct buffer reply;
    buffer_init(&reply, TEXT_BYTES);
    for (uint32_t i = 0; i < request_member_count(batch); i++) {
        buffer_clear(&reply);
        const struct command_effects effects = command_apply(copy, request_member(batch, i), 0, &reply);
        if (effects.seq == 0) {
            buffer_fini(&reply);
            return i;
        }
        if (effects.event.event[0] != '\0') {
            message_write_event(&effects.event, events);
        }
    }
    buffer_fini(&reply);
    return request_member_count(batch);
}

struct trial {
    struct simulation_state *state;
    struct simulation_state copy;
    struct request request;
    struct buffer line, before, after, expected, events, copy_events, reply;
};

static void compare_refused(struct trial *trial, const struct command_effects *effects, uint64_t seq,
                            uint32_t index) {
    char place[32];
    (void)snprintf(place, sizeof place, "\"index\":%" PRIu32 ",", index);
    assert_true(effects->seq == 0 && effects->event_count == 0 && !effects->changed);
    assert_true(trial->state->seq == seq);
    assert_memory_equal(trial->reply.data, "{\"op\":\"error\",", 14);
    assert_non_null(strstr(trial->reply.data, place));
    save(trial->state, seq, &trial->after);
    assert_same(&trial->before, &trial->after);
    refused++;
}

static void compare_whole(struct trial *trial, const struct command_effects *effects, uint64_t seq) {
    assert_true(effects->seq == seq + 1 && trial->state->seq == seq + 1);
    assert_memory_equal(trial->reply.data, "{\"op\":\"reply\",", 14);
    for (uint32_t i = 0; i < effects->event_count; i++) {
        message_write_event(&effects->events[i], &trial->events);
    }
    assert_same(&trial->events, &trial->copy_events);
    save(trial->state, 0, &trial->after);
    save(&trial->copy, 0, &trial->expected);
    assert_same(&trial->expected, &trial->after);
    whole++;
}

static void try_batch(struct trial *trial) {
    struct failure failure;
    const uint64_t seq = trial->state->seq;
    struct buffer *buffers[] = {&trial->line,   &trial->before,      &trial->after, &trial->expected,
                                &trial->events, &trial->copy_events, &trial->reply};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        buffer_clear(buffers[i]);
    }
    write_batch(trial->state->world, &trial->line);
    save(trial->state, seq, &trial->before);
    copy_state(&trial->before, &trial->copy);
    assert_int_equal(request_decode(trial->line.data, trial->line.length, &trial->request, &failure), 0);
    const uint32_t done = apply_singly(&trial->copy, &trial->request, &trial->copy_events);
    const struct command_effects effects = command_apply(trial->state, &trial->request, 0, &trial->reply);
    if (done < request_member_count(&trial->request)) {
        compare_refused(trial, &effects, seq, done);
    } else {
        compare_whole(trial, &effects, seq);
    }
    request_fini(&trial->request);
    simulation_state_fini(&trial->copy);
}

static void try_batches(struct simulation_state *state) {
    static struct trial trial;
    trial.state = state;
    struct buffer *buffers[] = {&trial.line,   &trial.before,      &trial.after, &trial.expected,
                                &trial.events, &trial.copy_events, &trial.reply};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        buffer_init(buffers[i], (size_t)1 << 26);
        assert_non_null(buffer_reserve(buffers[i], 1024));
    }
    for (int i = 0; i < BATCHES; i++) {
        try_batch(&trial);
        simulation_state_step(state);
        state->log.count = 0; /* its events have been sent */
    }
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        buffer_fini(buffers[i]);
    }
}

static int try_scenario(const char *name) {
    const struct world_overrides overrides = {.has_simd = true, .simd = SIMD_PLAIN};
    struct scenario scenario;
    struct built_world built;
    struct failure failure;
    struct simulation_state state;
    scenario_named(name, &scenario);
    if (agents_of(&scenario.def) <= LARGE) {
        assert_int_equal(built_world_make(&scenario, &overrides, NULL, NULL, &built, &failure), 0);
        simulation_state_init(&state);
        simulation_state_change(&state, &built);
        built_world_fini(&built);
        try_batches(&state);
        simulation_state_fini(&state);
    }
    scenario_fini(&scenario);
    return 0;
}

static void a_batch_is_all_or_none(void **state) {
    dice = rng_begin(environment("DROVER_PROPERTY_SEED", 1), 0, 0, RNG_SPAWN_PLACE);
    assert_int_equal(each_scenario(NULL, try_scenario), 0);
    assert_true(refused > 50);
    assert_true(whole > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_batch_is_all_or_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
