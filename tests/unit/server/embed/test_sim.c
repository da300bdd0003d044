/* libdrover-sim by its public header alone: the same hashes as a server, refusals that change nothing, columns, saves, copies. */
#include "tests/unit/server/cmocka_all.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <drover/sim.h>

static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("%s is missing", path);
    }
    char *text = calloc(1, (size_t)1 << 22);
    assert_non_null(text);
    *length = fread(text, 1, ((size_t)1 << 22) - 1, file);
    assert_int_equal(fclose(file), 0);
    return text;
}

static struct drover_sim *open_scenario(const char *name) {
    char path[128];
    size_t length = 0;
    struct drover_sim_error error;
    (void)snprintf(path, sizeof path, "scenarios/%s.json", name);
    char *text = read_file(path, &length);
    struct drover_sim *sim = drover_sim_create(text, length, NULL, &error);
    free(text);
    if (sim == NULL) {
        fail_msg("%s: %s: %s", name, error.field, error.message);
    }
    return sim;
}

static uint64_t golden_hash(const char *scenario, uint64_t tick) {
    char wanted[64];
    size_t length = 0;
    char *text = read_file("tests/golden/hashes.txt", &length);
    (void)snprintf(wanted, sizeof wanted, "\n%s %" PRIu64 " ", scenario, tick);
    const char *line = strstr(text, wanted);
    assert_non_null(line);
    const uint64_t hash = strtoull(line + strlen(wanted), NULL, 16);
    free(text);
    return hash;
}

static void expect(struct drover_sim *sim, const char *request, const char *begins) {
    const char *answer = drover_sim_request(sim, request);
    if (strncmp(answer, begins, strlen(begins)) != 0 || strchr(answer, '\n') != NULL) {
        fail_msg("%s: %s", request, answer);
    }
}

static void expect_error(struct drover_sim *sim, const char *request, const char *code, const char *field) {
    struct drover_sim_error error;
    const uint64_t hash = drover_sim_hash(sim), tick = drover_sim_tick(sim);
    expect(sim, request, "{\"op\":\"error\",");
    assert_int_equal(drover_sim_last_error(sim, &error), -1);
    assert_string_equal(error.code, code);
    assert_string_equal(error.field, field);
    assert_true(error.message[0] != '\0');
    assert_true(drover_sim_hash(sim) == hash && drover_sim_tick(sim) == tick);
}

static void test_the_hashes_of_a_server(void **unused) {
    (void)unused;
    struct drover_sim *sim = open_scenario("boids");
    drover_sim_step(sim, 1);
    assert_true(drover_sim_hash(sim) == golden_hash("boids", 1));
    drover_sim_destroy(sim);
    sim = open_scenario("hunters_and_prey");
    drover_sim_step(sim, 1);
    assert_true(drover_sim_hash(sim) == golden_hash("hunters_and_prey", 1));
    drover_sim_destroy(sim);
}

static void test_requests(void **unused) {
    (void)unused;
    struct drover_sim *sim = open_scenario("seek");
    const int32_t before = drover_sim_agent_count(sim);
    assert_string_equal(drover_sim_request(sim, "{\"op\":\"spawn\",\"kind\":\"seeker\",\"count\":3}"), "");
    assert_int_equal(drover_sim_agent_count(sim), before + 3);
    assert_int_equal(drover_sim_last_error(sim, NULL), 0);
    assert_string_equal(
        drover_sim_requestf(sim, "{\"op\":\"set_target\",\"name\":\"mouse\",\"x\":%d,\"y\":%g}", 12, 7.5),
        "");
    float x = 0.0f, y = 0.0f;
    assert_string_equal(drover_sim_target(sim, 0, &x, &y), "mouse");
    assert_true(x == 12.0f && y == 7.5f);
    expect(sim, "{\"op\":\"step\",\"count\":7,\"id\":4}",
           "{\"op\":\"reply\",\"to\":\"step\",\"id\":4,\"tick\":7,\"hash\":");
    assert_int_equal(drover_sim_tick(sim), 7);
    expect(sim, "{\"op\":\"step\",\"count\":99,\"until\":{\"tick\":9}}",
           "{\"op\":\"reply\",\"to\":\"step\",\"tick\":9,\"hash\":");
    expect(sim,
           "{\"op\":\"batch\",\"requests\":[{\"op\":\"spawn\",\"kind\":\"seeker\"},{\"op\":\"remove\","
           "\"agent\":1}]}",
           "{\"op\":\"reply\",\"to\":\"batch\",");
    expect(sim, "{\"op\":\"get\",\"fields\":[\"pos\"]}", "{\"op\":\"reply\",\"to\":\"get\",");
    expect(sim, "{\"op\":\"list\",\"what\":\"kinds\",\"id\":5}",
           "{\"op\":\"reply\",\"to\":\"list\",\"id\":5,");
    drover_sim_destroy(sim);
}

static void test_refusals_change_nothing(void **unused) {
    (void)unused;
    struct drover_sim *sim = open_scenario("seek");
    expect_error(sim, "{", "parse", "");
    expect_error(sim, "", "parse", "");
    expect_error(sim, "{\"op\":\"spawn\",\"kind\":\"unknown\"}", "no_kind", "kind");
    expect_error(sim, "{\"op\":\"remove\",\"kind\":\"unknown\"}", "no_kind", "kind");
    static const char *const of_servers[] = {"subscribe", "hello",  "ping",  "bye",
                                             "pause",     "resume", "stats", "help"};
    for (size_t i = 0; i < sizeof of_servers / sizeof of_servers[0]; i++) {
        char request[64];
        (void)snprintf(request, sizeof request, "{\"op\":\"%s\"}", of_servers[i]);
        expect_error(sim, request, "unknown_op", "op");
    }
    expect_error(sim, "{\"op\":\"load\",\"scenario\":\"boids\"}", "unknown_op", "op");
    expect_error(sim, "{\"op\":\"list\",\"what\":\"scenarios\"}", "unknown_op", "op");
    expect_error(sim, "{\"op\":\"remove\",\"agent\":1,\"at\":60}", "bad_param", "at");
    expect_error(sim,
                 "{\"op\":\"batch\",\"requests\":[{\"op\":\"remove\",\"agent\":1},{\"op\":\"spawn\",\"kind\":"
                 "\"unknown\"}]}",
                 "no_kind", "requests[1].kind");
    drover_sim_destroy(sim);
}

static void refuse(const char *text, const struct drover_sim_options *options, const char *code,
                   const char *field) {
    struct drover_sim_error error;
    assert_null(drover_sim_create(text, strlen(text), options, &error));
    assert_string_equal(error.code, code);
    assert_string_equal(error.field, field);
    assert_null(drover_sim_create(text, strlen(text), options, NULL));
}

static void test_bad_scenarios_and_options(void **unused) {
    (void)unused;
    struct drover_sim_options options = DROVER_SIM_OPTIONS;
    refuse("", NULL, "bad_scenario", "");
    refuse("{\"name\":\"x\",\"world\":{\"size\":[100,100]},\"kinds\":{\"a\":{\"behaviors\":[{\"seek\":{"
           "\"weigth\":1}}]}}}",
           NULL, "bad_scenario", "kinds.a.behaviors[0].seek.weigth");
    options.tick_hz = 0.5;
    refuse("{}", &options, "out_of_range", "tick_hz");
    options = (struct drover_sim_options)DROVER_SIM_OPTIONS;
    options.name = "";
    refuse("{}", &options, "out_of_range", "name");
    options = (struct drover_sim_options){0};
    refuse("{}", &options, "out_of_range", "size");
    struct drover_sim_error error;
    assert_null(drover_sim_create_from_save("nothing\n", 8, NULL, &error));
    assert_string_equal(error.code, "bad_save");
}

static void test_columns(void **unused) {
    (void)unused;
    struct drover_sim *sim = open_scenario("hunters_and_prey");
    drover_sim_step(sim, 30);
    const struct drover_sim_agents *agents = drover_sim_agents(sim);
    assert_non_null(agents);
    assert_int_equal(agents->count, drover_sim_agent_count(sim));
    for (int32_t i = 0; i < agents->count; i++) {
        assert_true(i == 0 || agents->id[i - 1] < agents->id[i]);
        assert_int_equal(drover_sim_row(sim, agents->id[i]), i);
        assert_true(drover_sim_kind(sim, agents->kind[i])[0] != '\0');
        assert_true(drover_sim_state(sim, agents->kind[i], agents->state[i])[0] != '\0');
        assert_true(isfinite(agents->x[i]) && isfinite(agents->y[i]) && agents->radius[i] > 0.0f);
        assert_true(fabsf(agents->heading[i]) <= 3.1415928f);
    }
    assert_string_equal(drover_sim_kind(sim, -1), "");
    assert_string_equal(drover_sim_state(sim, 0, 99), "");
    assert_string_equal(drover_sim_target(sim, 99, NULL, NULL), "");
    assert_int_equal(drover_sim_row(sim, 0), -1);
    drover_sim_destroy(sim);
}

static void test_obstacles(void **unused) {
    (void)unused;
    struct drover_sim *sim = open_scenario("seek");
    assert_int_equal(drover_sim_obstacle_count(sim), 0);
    assert_int_equal(drover_sim_obstacle(sim, 0, NULL, 0), 0);
    (void)drover_sim_request(sim, "{\"op\":\"add_obstacle\",\"box\":[10,20,30,40]}");
    (void)drover_sim_request(sim, "{\"op\":\"add_obstacle\",\"circle\":[100,100,50]}");
    (void)drover_sim_request(sim, "{\"op\":\"add_obstacle\",\"polygon\":[[0,0],[9,0],[0,9]]}");
    assert_int_equal(drover_sim_obstacle_count(sim), 3);
    float corners[64] = {0};
    static const float box[] = {10, 20, 40, 20, 40, 60, 10, 60};
    assert_int_equal(drover_sim_obstacle(sim, 0, corners, 32), 4);
    assert_memory_equal(corners, box, sizeof box);
    assert_int_equal(drover_sim_obstacle(sim, 1, corners, 32), 32);
    for (int i = 0; i < 32; i++) {
        const float x = corners[2 * i] - 100, y = corners[2 * i + 1] - 100;
        assert_true(fabsf(sqrtf(x * x + y * y) - 50) < 0.01f);
    }
    corners[2] = 77;
    assert_int_equal(drover_sim_obstacle(sim, 2, corners, 1), 3);
    assert_true(corners[0] == 0 && corners[2] == 77); /* there was room for one */
    drover_sim_destroy(sim);
}

static void test_events(void **unused) {
    (void)unused;
    struct drover_sim *sim = open_scenario("hunters_and_prey");
    const struct drover_sim_event *events = NULL;
    uint32_t left_out = 1;
    int32_t caught = 0;
    for (int i = 0; i < 60 && caught == 0; i++) {
        drover_sim_step(sim, 60);
        const int32_t count = drover_sim_events(sim, &events, &left_out);
        for (int32_t k = 0; k < count; k++) {
            caught += events[k].type == DROVER_SIM_CAUGHT ? 1 : 0;
            assert_in_range(events[k].tick, drover_sim_tick(sim) - 59, drover_sim_tick(sim));
        }
    }
    assert_true(caught > 0);
    assert_int_equal(left_out, 0);
    drover_sim_destroy(sim);
}

static void test_a_save_goes_on_the_same_way(void **unused) {
    (void)unused;
    struct drover_sim *sim = open_scenario("hunters_and_prey");
    struct drover_sim_error error;
    size_t length = 0;
    drover_sim_step(sim, 100);
    char *save = drover_sim_save(sim, &length);
    assert_non_null(save);
    struct drover_sim *other = drover_sim_create_from_save(save, length, NULL, &error);
    assert_non_null(other);
    assert_true(drover_sim_hash(sim) == drover_sim_hash(other));
    drover_sim_step(sim, 100);
    drover_sim_step(other, 100);
    assert_true(drover_sim_hash(sim) == drover_sim_hash(other));
    assert_null(drover_sim_create_from_save(save, length / 2, NULL, &error));
    assert_string_equal(error.code, "bad_save");
    drover_sim_free(save);
    drover_sim_destroy(other);
    drover_sim_destroy(sim);
}

static void test_copies(void **unused) {
    (void)unused;
    struct drover_sim *sim = open_scenario("hunters_and_prey");
    drover_sim_step(sim, 50);
    struct drover_sim *clone = drover_sim_clone(sim);
    assert_non_null(clone);
    const uint64_t there = drover_sim_hash(sim);
    assert_true(drover_sim_hash(clone) == there);
    expect(sim, "{\"op\":\"spawn\",\"kind\":\"prey\",\"count\":500,\"id\":1}", "{\"op\":\"reply\",");
    drover_sim_step(sim, 20);
    const uint64_t later = drover_sim_hash(sim);
    assert_true(drover_sim_hash(clone) == there);
    assert_int_equal(drover_sim_copy(sim, clone), 0);
    assert_true(drover_sim_hash(sim) == there);
    expect(sim, "{\"op\":\"spawn\",\"kind\":\"prey\",\"count\":500,\"id\":1}", "{\"op\":\"reply\",");
    drover_sim_step(sim, 20);
    assert_true(drover_sim_hash(sim) == later);
    assert_int_equal(drover_sim_copy(clone, sim), 0); /* it grows */
    assert_true(drover_sim_hash(clone) == later);
    struct drover_sim *other = open_scenario("seek");
    assert_int_equal(drover_sim_copy(other, sim), -1);
    assert_int_equal(drover_sim_tick(other), 0);
    drover_sim_destroy(other);
    drover_sim_destroy(clone);
    drover_sim_destroy(sim);
}

/* A pool that hands out its ranges the other way about. */
static int ranges;

static void run_backwards(void *pool, int32_t count, int32_t grain, drover_sim_body body, void *context) {
    (void)pool;
    for (int32_t end = count; end > 0; end -= grain) {
        body(context, end > grain ? end - grain : 0, end);
        ranges++;
    }
}

static void test_threads_do_not_matter(void **unused) {
    (void)unused;
    size_t length = 0;
    char *text = read_file("scenarios/boids.json", &length);
    const struct drover_sim_threads threads = {NULL, 3, run_backwards};
    struct drover_sim_options options = DROVER_SIM_OPTIONS;
    options.threads = &threads;
    struct drover_sim *sim = drover_sim_create(text, length, &options, NULL);
    assert_non_null(sim);
    drover_sim_step(sim, 1);
    assert_true(drover_sim_hash(sim) == golden_hash("boids", 1));
    assert_true(ranges > 0);
    drover_sim_destroy(sim);
    free(text);
}

static void test_seed_and_rate(void **unused) {
    (void)unused;
    size_t length = 0;
    char *text = read_file("scenarios/boids.json", &length);
    const uint64_t seed = 99;
    struct drover_sim_options options = DROVER_SIM_OPTIONS;
    options.seed = &seed;
    options.tick_hz = 30.0;
    struct drover_sim *sim = drover_sim_create(text, length, &options, NULL);
    struct drover_sim *usual = drover_sim_create(text, length, NULL, NULL);
    assert_true(sim != NULL && usual != NULL);
    drover_sim_step(sim, 15);
    assert_true(drover_sim_tick_hz(sim) == 30.0 && drover_sim_time(sim) == 0.5);
    drover_sim_step(usual, 15);
    assert_true(drover_sim_hash(sim) != drover_sim_hash(usual));
    drover_sim_destroy(sim);
    drover_sim_destroy(usual);
    free(text);
}

/* Scenarios and requests have seeds to 2^53 - 1, callers have more. */
static void test_a_save_of_any_seed(void **unused) {
    (void)unused;
    static const uint64_t seeds[] = {9007199254740991u, 9007199254740993u, UINT64_MAX};
    size_t length = 0;
    char *text = read_file("scenarios/boids.json", &length);
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        struct drover_sim_options options = DROVER_SIM_OPTIONS;
        size_t saved_length = 0;
        options.seed = &seeds[i];
        struct drover_sim *sim = drover_sim_create(text, length, &options, NULL);
        assert_non_null(sim);
        drover_sim_step(sim, 3);
        char *saved = drover_sim_save(sim, &saved_length);
        assert_non_null(saved);
        struct drover_sim_error error;
        struct drover_sim *again = drover_sim_create_from_save(saved, saved_length, NULL, &error);
        if (again == NULL) {
            fail_msg("%s: %s", error.field, error.message);
        }
        drover_sim_step(sim, 20);
        drover_sim_step(again, 20);
        assert_true(drover_sim_hash(sim) == drover_sim_hash(again));
        drover_sim_free(saved);
        drover_sim_destroy(sim);
        drover_sim_destroy(again);
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_save_of_any_seed),
        cmocka_unit_test(test_the_hashes_of_a_server),
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_refusals_change_nothing),
        cmocka_unit_test(test_bad_scenarios_and_options),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_obstacles),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_a_save_goes_on_the_same_way),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_seed_and_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
