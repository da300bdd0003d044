/* What is written is what is kept: a recording of requests with odd numbers plays to the same world.
 *
 * Random requests of all ops that change the world come to small scenarios, with numbers such as -0, denormals, halves
 * between two floats and the ends of ranges. A recorder writes them and the hash after each; a replay reads the lines
 * and compares every hash. Now and then the world is saved and read again, and goes on as the one that was read. Scenarios come
 * in at the same door: with some of their numbers replaced by odd ones, what is read is what a save of it gives, and what is nearly 0 is 0.
 *
 * DROVER_ODD=NAME tries one scenario, DROVER_PROPERTY_SEED repeats or varies the requests; where DROVER_SLOW is set
 * there are a hundred thousand.
 */
#include "server/recording/recording_line.h"
#include "tests/property/each_scenario.h"
#include "tests/property/environment.h"
#include "tests/property/named_scenario.h"
#include "tests/property/odd_request.h"
#include "tests/support/request_decode.h"
#include "tests/unit/server/recording/recorded_run.h"

enum {
    CUT_REQUESTS = 2000, /* that take effect, in all scenarios */
    REQUESTS = 100000,
    RUN_REQUESTS = 60, /* of one recording */
    AGENTS_MAX = 260,  /* of a scenario that is tried */
    SCENARIOS_MAX = 64,
    CUT_SCENARIOS = 150, /* with odd numbers, that can be read */
    SLOW_SCENARIOS = 3000,
    SESSIONS = 3,
};

/* A recording in memory. */
struct tape {
    const char *scenario;
    struct simulation_state state;
    struct recorder recorder;
    size_t next; /* the line that is read next */
    int count;
    struct {
        uint64_t tick, hash;
        size_t text;             /* the request as it came, in texts */
    } moments[RUN_REQUESTS + 1]; /* by seq */
    struct buffer texts;
};

static int done[REQUEST_OP_COUNT]; /* requests that took effect */

/* ---- reading ---- */

static int tape_next(void *context, const char **line, size_t *length, struct failure *failure) {
    struct tape *tape = context;
    const struct buffer *lines = &tape->recorder.out;
    (void)failure;
    if (tape->next == lines->length) {
        return 0;
    }
    *line = lines->data + tape->next;
    *length = (size_t)((const char *)memchr(*line, '\n', lines->length - tape->next) - *line);
    tape->next += *length + 1;
    return 1;
}

static bool tape_find_hash(void *context, const struct recording_moment *moment, uint64_t last_seq,
                           uint64_t *hash) {
    const struct tape *tape = context;
    for (uint64_t seq = moment->seq; seq <= last_seq && seq <= (uint64_t)tape->count; seq++) {
        if (tape->moments[seq].tick == moment->tick) {
            *hash = tape->moments[seq].hash;
            return true;
        }
    }
    return false;
}

/* The world line is the first. */
static int tape_seek(void *context, const struct recording_moment *moment, struct simulation_state *state,
                     struct failure *failure) {
    struct tape *tape = context;
    struct recording_line line;
    const char *text = NULL;
    size_t length = 0;
    (void)moment;
    tape->next = 0;
    assert_int_equal(tape_next(tape, &text, &length, failure), 1);
    assert_int_equal(recording_line_read(text, length, &line, failure), 0);
    char *plain = recording_line_text(&line, &length);
    struct built_world built = run_build(line.scenario, plain, line.seed);
    free(plain);
    simulation_state_change(state, &built);
    built_world_fini(&built);
    return 0;
}

static uint32_t tape_world(void *context) {
    (void)context;
    return 1;
}

static int report(const struct tape *tape, const struct replay_divergence *divergence) {
    const uint64_t seq = divergence->moment.seq;
    print_message("%s: %s at tick %d after request %d\n  %s\n", tape->scenario, divergence->reason,
                  (int)divergence->moment.tick, (int)seq,
                  seq == 0 ? "" : tape->texts.data + tape->moments[seq].text);
    return 1;
}

static int play(struct tape *tape) {
    const struct recording_source source = {
        .context = tape,
        .next = tape_next,
        .find_hash = tape_find_hash,
        .seek = tape_seek,
        .world = tape_world,
        .last = {.world = 1, .tick = tape->moments[tape->count].tick, .seq = (uint64_t)tape->count},
    };
    const struct recording_moment start = {.world = 1};
    const struct world_overrides overrides = {0};
    struct replay *replay = replay_create(&source, &overrides, NULL);
    struct simulation_state state;
    struct replay_change change;
    struct failure failure = {0};
    enum replay_step step = REPLAY_TICK;
    simulation_state_init(&state);
    assert_int_equal(replay_begin(replay, &state, &start, &failure), 0);
    while ((step = replay_next(replay, &state, &change, &failure)) < REPLAY_END) {
        if (step == REPLAY_TICK) {
            simulation_state_step(&state);
            (void)replay_check(replay, &state);
        }
    }
    const struct replay_divergence *divergence = replay_divergence(replay);
    const int failures = divergence->has_diverged ? report(tape, divergence) : 0;
    if (step == REPLAY_FAILED) {
        fail_msg("%s: %s", tape->scenario, failure.message);
    }
    assert_true(divergence->has_diverged || state.seq == (uint64_t)tape->count);
    replay_destroy(replay);
    simulation_state_fini(&state);
    return failures;
}

/* ---- recording ---- */

static void note_moment(struct tape *tape) {
    tape->moments[tape->state.seq].tick = world_tick(tape->state.world);
    tape->moments[tape->state.seq].hash = world_hash(tape->state.world);
}

static void apply_something(struct tape *tape) {
    struct simulation_state *state = &tape->state;
    struct request request;
    struct failure failure;
    struct buffer text, reply;
    buffer_init(&text, ODD_BYTES);
    buffer_init(&reply, RUN_BYTES);
    const enum request_op op = put_some_odd_request(state->world, &text);
    assert_int_equal(request_decode(text.data, text.length, &request, &failure), 0);
    state->session = 1 + (uint32_t)below(SESSIONS);
    if (command_apply(state, &request, 1, &reply).seq > 0) {
        const struct recorder_session session = {.by = state->session, .name = "Ann"};
        done[op]++;
        recorder_write_do(&tape->recorder, state, &request, session);
        assert_false(tape->recorder.out.failed);
        tape->moments[state->seq].text = tape->texts.length;
        buffer_append(&tape->texts, text.data, text.length);
        buffer_append(&tape->texts, "", 1);
        tape->count = (int)state->seq;
        note_moment(tape);
    }
    request_fini(&request);
    buffer_fini(&text);
    buffer_fini(&reply);
}

static void save(const struct simulation_state *state, struct buffer *out) {
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    uint64_t hash;
    buffer_init(out, RUN_BYTES);
    saved_world_write(state->world, &rest, state->name, state->text, state->text_length, out, &hash);
    assert_false(out->failed);
    assert_true(hash == world_hash(state->world));
}

/* The world goes on as the one that was read from its save. */
static void travel(struct tape *tape) {
    const struct world_overrides overrides = {0};
    struct built_world built;
    struct checkpoint_rest rest;
    struct failure failure = {0};
    struct simulation_state loaded;
    struct buffer text, again;
    save(&tape->state, &text);
    simulation_state_init(&loaded);
    if (saved_world_read(text.data, text.length, &overrides, NULL, &built, &rest, &failure) != 0) {
        fail_msg("%s: %s: %s", tape->scenario, failure.field, failure.message);
    }
    checkpoint_restore(&loaded, &built, &rest);
    built_world_fini(&built);
    save(&loaded, &again);
    assert_int_equal(text.length, again.length);
    assert_memory_equal(text.data, again.data, again.length);
    buffer_fini(&text);
    buffer_fini(&again);
    simulation_state_fini(&tape->state);
    tape->state = loaded;
}

static void record(struct tape *tape) {
    const struct recorder_session server = {.by = 0, .name = ""};
    recorder_set_world(&tape->recorder, &tape->state, world_hash(tape->state.world), server);
    recorder_write_world(&tape->recorder, &tape->state);
    note_moment(tape);
    for (int attempt = 0; attempt < 2 * RUN_REQUESTS && tape->count < RUN_REQUESTS; attempt++) {
        apply_something(tape);
        if (one_in(20)) {
            travel(tape);
        }
        for (int tick = one_in(2) ? below(4) : 0; tick > 0; tick--) {
            simulation_state_step(&tape->state);
            tape->state.log.count = 0;
        }
    }
}

/* ---- runs ---- */

static const char *only;
static char names[SCENARIOS_MAX][LIMIT_NAME_CHARS + 1];
static int name_count;

static int note_scenario(const char *name) {
    struct scenario scenario;
    scenario_named(name, &scenario);
    if (agents_of(&scenario.def) <= AGENTS_MAX) {
        assert_true(name_count < SCENARIOS_MAX);
        (void)snprintf(names[name_count++], sizeof names[0], "%s", name);
    }
    scenario_fini(&scenario);
    return 0;
}

static int run(const char *name, int *requests) {
    const struct world_overrides overrides = {0};
    struct tape *tape = calloc(1, sizeof *tape);
    struct scenario scenario;
    struct built_world built;
    struct failure failure;
    assert_non_null(tape);
    tape->scenario = name;
    scenario_named(name, &scenario);
    assert_int_equal(built_world_make(&scenario, &overrides, NULL, NULL, &built, &failure), 0);
    simulation_state_init(&tape->state);
    simulation_state_change(&tape->state, &built);
    built_world_fini(&built);
    scenario_fini(&scenario);
    buffer_init(&tape->texts, RUN_BYTES);
    assert_int_equal(recorder_init(&tape->recorder), 0);
    record(tape);
    const int failures = play(tape);
    *requests += tape->count;
    simulation_state_fini(&tape->state);
    recorder_fini(&tape->recorder);
    buffer_fini(&tape->texts);
    free(tape);
    return failures;
}

/* A request that has not taken effect, or REQUEST_OP_COUNT. */
static int missing_request(void) {
    int op = 0;
    while (op < REQUEST_OP_COUNT && (!state_ranks_share((enum request_op)op) || done[op] > 0)) {
        op++;
    }
    return op;
}

static void what_is_written_is_what_is_kept(void **state) {
    const int wanted = is_slow() ? REQUESTS : CUT_REQUESTS;
    int requests = 0, failures = 0, runs = (int)environment("DROVER_PROPERTY_FIRST", 0);
    (void)each_scenario(only, note_scenario);
    assert_true(name_count > 0);
    /* Some take effect in few scenarios: a door is in two. */
    for (;
         requests < wanted || (only == NULL && missing_request() < REQUEST_OP_COUNT && requests < 3 * wanted);
         runs++) {
        dice = rng_begin(environment("DROVER_PROPERTY_SEED", 1), (uint64_t)runs, 0, RNG_SPAWN_PLACE);
        failures += run(names[runs % name_count], &requests);
    }
    print_message("%d of %d recordings differ; %d requests took effect\n", failures, runs, requests);
    assert_int_equal(failures, 0);
    if (only == NULL && missing_request() < REQUEST_OP_COUNT) {
        fail_msg("no request %s took effect", request_op_name((enum request_op)missing_request()));
    }
}

/* ---- scenarios ---- */

/* Where the next number of a text is that is no part of a string, from *at on. Its length; 0: there is none. */
static size_t find_number(const char *text, size_t *at) {
    bool is_string = false;
    for (size_t i = *at; text[i] != '\0'; i++) {
        if (text[i] == '\\' && is_string) {
            i++;
        } else if (text[i] == '"') {
            is_string = !is_string;
        } else if (!is_string && (text[i] == '-' || (text[i] >= '0' && text[i] <= '9'))) {
            *at = i;
            return strspn(text + i, "+-.eE0123456789");
        }
    }
    return 0;
}

/* The scenario's text with odd numbers in place of some: as they are, and with 0 where one is nearly 0. */
static bool put_odd_scenario(const char *text, int one_of, struct buffer *odd, struct buffer *plain) {
    bool is_odd = false;
    for (size_t at = 0, before = 0, length = 0;; before = at += length) {
        length = find_number(text, &at);
        buffer_append(odd, text + before, at - before);
        buffer_append(plain, text + before, at - before);
        if (length == 0) {
            buffer_append_text(odd, text + at);
            buffer_append_text(plain, text + at);
            return is_odd;
        }
        const double found = strtod(text + at, NULL);
        char number[ODD_TEXT];
        if (one_in(one_of)) {
            write_odd_number(fmin(0.0, 2.0 * found) - 1e-30, fmax(0.0, 2.0 * found) + 1e-30, number);
            is_odd = true;
        } else {
            (void)snprintf(number, sizeof number, "%.*s", (int)length, text + at);
        }
        buffer_append_text(odd, number);
        buffer_append_text(plain, fabs(strtod(number, NULL)) < LIMIT_SMALLEST ? "0" : number);
    }
}

/* False: the scenario is refused. */
static bool build_odd(const struct buffer *text, struct simulation_state *state) {
    const struct world_overrides overrides = {0};
    struct scenario scenario;
    struct built_world built;
    struct failure failure;
    if (scenario_read(text->data, text->length, &scenario, &failure) != 0) {
        return false;
    }
    const bool is_built = built_world_make(&scenario, &overrides, NULL, NULL, &built, &failure) == 0;
    scenario_fini(&scenario);
    if (is_built) {
        simulation_state_init(state);
        simulation_state_change(state, &built);
        built_world_fini(&built);
    }
    return is_built;
}

/* The bits of the world, of its save, of what is read of that, and of both some ticks later. */
static int compare_scenario(const char *name, const struct buffer *odd, const struct buffer *plain) {
    struct tape tape = {.scenario = name};
    struct simulation_state other;
    if (!build_odd(odd, &tape.state)) {
        return 0;
    }
    assert_true(build_odd(plain, &other));
    travel(&tape);
    for (int tick = 0; tick < 3; tick++) {
        simulation_state_step(&tape.state);
        simulation_state_step(&other);
        tape.state.log.count = other.log.count = 0;
    }
    if (world_hash(tape.state.world) != world_hash(other.world)) {
        fail_msg("%s: what is nearly 0 is not 0, or a save is another world: %.*s", name, (int)odd->length,
                 odd->data);
    }
    simulation_state_fini(&tape.state);
    simulation_state_fini(&other);
    return 1;
}

static void a_scenario_that_is_read_is_what_is_kept(void **state) {
    const int wanted = is_slow() ? SLOW_SCENARIOS : CUT_SCENARIOS;
    int read = 0, tried = 0;
    for (; read < wanted; tried++) {
        const char *name = names[tried % name_count];
        struct scenario scenario;
        struct buffer odd, plain;
        assert_true(tried < 200 * wanted);
        dice = rng_begin(environment("DROVER_PROPERTY_SEED", 1), (uint64_t)tried, 1, RNG_SPAWN_PLACE);
        buffer_init(&odd, ODD_BYTES);
        buffer_init(&plain, ODD_BYTES);
        scenario_named(name, &scenario);
        if (put_odd_scenario(scenario.text, 4 + below(60), &odd, &plain)) {
            read += compare_scenario(name, &odd, &plain);
        }
        scenario_fini(&scenario);
        buffer_fini(&odd);
        buffer_fini(&plain);
    }
    print_message("%d of %d scenarios with odd numbers can be read\n", read, tried);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_is_what_is_kept),
                                       cmocka_unit_test(a_scenario_that_is_read_is_what_is_kept)};
    only = getenv("DROVER_ODD");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
