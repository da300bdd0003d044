/* A world that is saved and loaded goes on as if nothing had happened.
 *
 * Every scenario runs with random requests; at random ticks it is saved. The save is loaded here and in a process of
 * its own; both do the next ticks with other SIMD instructions and other shares of the work, and have the hashes of the
 * run that was not interrupted, tick by tick. A save of the loaded world is the same text.
 *
 * DROVER_TRAVEL=NAME runs one scenario, DROVER_PROPERTY_SEED repeats or varies the requests. Where DROVER_SLOW is set
 * there are more saves and ticks, and larger scenarios; where DROVER_FULL is set as well, the largest ones.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/protocol/request.h"
#include "server/commands/command_apply.h"
#include "server/recording/checkpoint.h"
#include "tests/property/each_scenario.h"
#include "tests/property/environment.h"
#include "tests/property/named_scenario.h"
#include "tests/property/other_ways.h"
#include "tests/property/random_request.h"
#include "tests/support/request_decode.h"

enum {
    SAVES = 3, /* of a scenario, in the slow run */
    CUT_SAVES = 3,
    TICKS = 100, /* after a save, in the slow run */
    CUT_TICKS = 30,
    CUT_UPDATES = 9000, /* agents times ticks after a save in the fast run */
    MANY = 2000,        /* agents: fewer ticks in the slow run */
    MANY_TICKS = 20,
    LARGE = 50000, /* agents: in the slow run alone */
    LARGE_TICKS = 3,
    VAST = 500000, /* agents: in the full run alone */
    SESSIONS = 3,
    TEXT_BYTES = 256,
};

static char *own_path; /* of this program */

/* ---- random requests ---- */

static void write_request(const struct world *world, char *text) {
    const struct place at = some_place(world);
    switch (below(8)) {
    case 0:
        (void)snprintf(text, TEXT_BYTES, "{\"op\":\"cursor\",\"x\":%.3f,\"y\":%.3f}", at.x, at.y);
        break;
    case 1:
        (void)snprintf(text, TEXT_BYTES, "{\"op\":\"cursor\",\"gone\":true}");
        break;
    default:
        write_change(world, text, TEXT_BYTES);
    }
}

/* It may be refused: that changes nothing. */
static void apply_something(struct simulation_state *state) {
    char text[TEXT_BYTES];
    struct request request;
    struct failure failure;
    struct buffer reply;
    write_request(state->world, text);
    if (request_decode(text, strlen(text), &request, &failure) == 0) {
        buffer_init(&reply, (size_t)1 << 20);
        state->session = 1 + (uint32_t)below(SESSIONS);
        (void)command_apply(state, &request, 1, &reply);
        request_fini(&request);
        buffer_fini(&reply);
    }
}

/* ---- the run that is not interrupted ---- */

struct journey {
    const char *name;
    struct simulation_state state;
    struct buffer save;
    uint64_t hash[TICKS + 1]; /* from the save on */
    int ticks;
};

static void step_state(struct simulation_state *state) {
    simulation_state_step(state);
    state->log.count = 0; /* its events have been sent */
}

static void save(const struct simulation_state *state, struct buffer *out) {
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    uint64_t hash;
    buffer_clear(out);
    saved_world_write(state->world, &rest, state->name, state->text, state->text_length, out, &hash);
    assert_false(out->failed);
    assert_true(hash == world_hash(state->world));
}

/* Some ticks with requests, a save, and the hashes of the ticks after it. */
static void go_on(struct journey *journey) {
    struct simulation_state *state = &journey->state;
    for (int tick = below(journey->ticks + 3); tick > 0; tick--) {
        if (below(3) == 0) {
            apply_something(state);
        }
        step_state(state);
    }
    for (int request = below(4); request > 0; request--) { /* and between the last tick and the save */
        apply_something(state);
    }
    save(state, &journey->save);
    for (int tick = 0; tick <= journey->ticks; tick++) {
        journey->hash[tick] = world_hash(state->world);
        step_state(state);
    }
}

/* ---- the loaded worlds ---- */

/* The state of a save that must be right. 0, or -1 with a message. */
static int load(const char *text, size_t length, enum simd simd, struct simulation_state *state) {
    const struct world_overrides overrides = {.has_simd = true, .simd = simd};
    struct built_world built;
    struct checkpoint_rest rest;
    struct failure failure;
    simulation_state_init(state);
    if (saved_world_read(text, length, &overrides, NULL, &built, &rest, &failure) != 0) {
        (void)fprintf(stderr, "%s: %s\n", failure.field, failure.message);
        return -1;
    }
    checkpoint_restore(state, &built, &rest);
    built_world_fini(&built);
    state->parallel = backwards();
    return 0;
}

static int report(const struct journey *journey, const char *where, int tick) {
    print_message("%s: loaded %s, tick %d after the save has another hash\n", journey->name, where, tick);
    return 1;
}

static int travel_here(const struct journey *journey) {
    struct simulation_state state;
    struct buffer again;
    assert_int_equal(load(journey->save.data, journey->save.length, some_width(), &state), 0);
    buffer_init(&again, (size_t)1 << 29);
    save(&state, &again);
    assert_true(again.length == journey->save.length &&
                memcmp(again.data, journey->save.data, again.length) == 0);
    buffer_fini(&again);
    int failures = 0;
    for (int tick = 0; tick <= journey->ticks && failures == 0; tick++) {
        failures += world_hash(state.world) != journey->hash[tick] ? report(journey, "here", tick) : 0;
        world_set_simd(state.world, some_width());
        step_state(&state);
    }
    simulation_state_fini(&state);
    return failures;
}

/* What the other process does: --resume FILE SIMD TICKS; it prints the hashes. */
static int resume(char **arguments) {
    struct simulation_state state;
    struct buffer text;
    FILE *file = fopen(arguments[0], "rb");
    buffer_init(&text, (size_t)1 << 29);
    char *room = NULL;
    size_t count = 1;
    while (file != NULL && count > 0 && (room = buffer_reserve(&text, (size_t)1 << 16)) != NULL) {
        count = fread(room, 1, (size_t)1 << 16, file);
        buffer_commit(&text, count);
    }
    if (file == NULL || room == NULL ||
        load(text.data, text.length, (enum simd)strtol(arguments[1], NULL, 10), &state) != 0) {
        return EXIT_FAILURE;
    }
    (void)fclose(file);
    for (long tick = strtol(arguments[2], NULL, 10); tick >= 0; tick--) {
        (void)printf("%016" PRIx64 "\n", world_hash(state.world));
        step_state(&state);
    }
    simulation_state_fini(&state);
    buffer_fini(&text);
    return EXIT_SUCCESS;
}

static int start_process(const char *path, int ticks, int *output) {
    char simd[16], count[16];
    int ends[2];
    (void)snprintf(simd, sizeof simd, "%d", (int)some_width());
    (void)snprintf(count, sizeof count, "%d", ticks);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        (void)execl(own_path, own_path, "--resume", path, simd, count, (char *)NULL);
        _exit(EXIT_FAILURE);
    }
    (void)close(ends[1]);
    *output = ends[0];
    return (int)child;
}

static int travel_elsewhere(const struct journey *journey) {
    char path[] = "/tmp/drover-time-travel-XXXXXX", line[32];
    int output, status = -1, failures = 0, tick = 0;
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    for (size_t at = 0; at < journey->save.length;) {
        const ssize_t written = write(descriptor, journey->save.data + at, journey->save.length - at);
        assert_true(written > 0);
        at += (size_t)written;
    }
    (void)close(descriptor);
    const int child = start_process(path, journey->ticks, &output);
    FILE *hashes = fdopen(output, "r");
    assert_non_null(hashes);
    for (; fgets(line, sizeof line, hashes) != NULL && tick <= journey->ticks; tick++) {
        const bool is_equal = strtoull(line, NULL, 16) == journey->hash[tick];
        failures += !is_equal && failures == 0 ? report(journey, "in another process", tick) : 0;
    }
    (void)fclose(hashes);
    assert_int_equal(waitpid(child, &status, 0), child);
    (void)unlink(path);
    assert_int_equal(status, 0);
    assert_int_equal(tick, journey->ticks + 1);
    return failures;
}

/* ---- which worlds ---- */

/* After a save; 0: the scenario is not in this run. */
static int ticks_of(const struct world_def *def) {
    const int32_t agents = agents_of(def);
    if (agents >= VAST && !is_full()) {
        return 0;
    }
    if (is_slow()) {
        return agents < MANY ? TICKS : agents < LARGE ? MANY_TICKS : LARGE_TICKS;
    }
    const int affordable = CUT_UPDATES / (agents + 1);
    return agents >= LARGE ? 0 : affordable > CUT_TICKS ? CUT_TICKS : affordable < 4 ? 4 : affordable;
}

static int travel(struct journey *journey) {
    const int saves = is_slow() && journey->ticks > LARGE_TICKS ? SAVES : CUT_SAVES;
    int failures = 0;
    buffer_init(&journey->save, (size_t)1 << 29);
    for (int i = 0; i < saves && failures == 0; i++) {
        go_on(journey);
        failures += travel_here(journey);
        if (i == 0 || is_slow()) {
            failures += travel_elsewhere(journey);
        }
    }
    buffer_fini(&journey->save);
    return failures;
}

static int try_scenario(const char *name) {
    const struct world_overrides overrides = {.has_simd = true, .simd = some_width()};
    struct journey journey = {.name = name};
    struct scenario scenario;
    struct built_world built;
    struct failure failure;
    scenario_named(name, &scenario);
    journey.ticks = ticks_of(&scenario.def);
    int failures = 0;
    if (journey.ticks > 0) {
        assert_int_equal(built_world_make(&scenario, &overrides, NULL, NULL, &built, &failure), 0);
        simulation_state_init(&journey.state);
        simulation_state_change(&journey.state, &built);
        built_world_fini(&built);
        failures = travel(&journey);
        simulation_state_fini(&journey.state);
    }
    scenario_fini(&scenario);
    return failures;
}

static void test_scenarios(void **state) {
    dice = rng_begin(environment("DROVER_PROPERTY_SEED", 1), 0, 0, RNG_SPAWN_PLACE);
    assert_int_equal(each_scenario(getenv("DROVER_TRAVEL"), try_scenario), 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenarios)};
    own_path = argv[0];
    if (argc == 5 && strcmp(argv[1], "--resume") == 0) {
        return resume(argv + 2);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
