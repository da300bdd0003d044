/* libdrover-sim by its public header alone: the same hashes as a server, refusals that change nothing, columns, saves, copies. */
#include "tests/unit/server/cmocka_all.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
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

/* Of the scenario `driven`, whose first agents are drones: a drive without a text does what the request does. */
static void test_drive(void **unused) {
    struct drover_sim *sim = open_scenario("driven"), *other = open_scenario("driven");
    struct drover_sim_error error;
    const uint32_t ids[] = {1, 2, 999};
    const float vx[] = {50.0f, -0.0f, 1.0f}, vy[] = {0.0f, -20.5f, 1.0f};
    assert_int_equal(drover_sim_drive(sim, ids, vx, vy, 3), 0);
    expect(other, "{\"op\":\"drive\",\"id\":1,\"agents\":[1,2,999],\"vx\":[50,-0.0,1],\"vy\":[0,-20.5,1]}",
           "{\"op\":\"reply\",\"to\":\"drive\"");
    assert_true(drover_sim_hash(sim) == drover_sim_hash(other));
    drover_sim_step(sim, 5);
    drover_sim_step(other, 5);
    assert_true(drover_sim_hash(sim) == drover_sim_hash(other));
    const float bad[] = {0.0f, NAN, 0.0f};
    assert_int_equal(drover_sim_drive(sim, ids, vx, bad, 3), -1);
    assert_int_equal(drover_sim_last_error(sim, &error), -1);
    assert_string_equal(error.code, "out_of_range");
    assert_string_equal(error.field, "vy[1]");
    assert_int_equal(drover_sim_drive(sim, ids, vx, vy, -1), -1);
    assert_true(drover_sim_hash(sim) == drover_sim_hash(other));
    assert_int_equal(drover_sim_drive(sim, ids, vx, vy, 0), 0);
    drover_sim_destroy(sim);
    sim = open_scenario("seek");
    assert_int_equal(drover_sim_drive(sim, ids, vx, vy, 1), -1);
    assert_int_equal(drover_sim_last_error(sim, &error), -1);
    assert_string_equal(error.code, "bad_param");
    drover_sim_destroy(sim);
    drover_sim_destroy(other);
}

static void test_columns_of_the_caller(void **unused) {
    struct drover_sim *sim = open_scenario("driven");
    drover_sim_step(sim, 30);
    const struct drover_sim_agents *agents = drover_sim_agents(sim);
    const int32_t count = agents->count, room = count + 3;
    uint32_t *out = calloc((size_t)room * 4, sizeof *out);
    assert_non_null(out);
    const unsigned wanted = DROVER_SIM_STATE | DROVER_SIM_HEADING | DROVER_SIM_ID | DROVER_SIM_Y;
    assert_int_equal(drover_sim_columns(sim, wanted, out, count - 1), count);
    assert_int_equal(out[0], 0);
    assert_int_equal(drover_sim_columns(sim, wanted, NULL, 0), count);
    assert_int_equal(drover_sim_columns(sim, wanted, out, room), count);
    assert_memory_equal(out, agents->id, (size_t)count * 4);
    assert_memory_equal(out + room, agents->y, (size_t)count * 4);
    assert_memory_equal(out + 2 * room, agents->heading, (size_t)count * 4);
    assert_memory_equal(out + 3 * room, agents->state, (size_t)count * 2);
    assert_int_equal(out[room - 1], 0);
    free(out);
    drover_sim_destroy(sim);
}

static double short_way(double offset, double size, bool wraps) {
    return !wraps ? offset : offset > size / 2 ? offset - size : offset < -size / 2 ? offset + size : offset;
}

/* The row that comes next after (square, row) in order of distance and row; -1: none. */
static int32_t next_nearest(const struct drover_sim *sim, const struct drover_sim_agents *agents, int32_t own,
                            uint64_t kinds, bool wraps, double *square, int32_t row) {
    float width = 0.0f, height = 0.0f;
    double best = (double)INFINITY;
    int32_t found = -1;
    drover_sim_size(sim, &width, &height);
    for (int32_t i = 0; i < agents->count; i++) {
        const double x = short_way((double)agents->x[i] - (double)agents->x[own], (double)width, wraps);
        const double y = short_way((double)agents->y[i] - (double)agents->y[own], (double)height, wraps);
        const double away = x * x + y * y;
        const bool is_later = away > *square || (!(away < *square) && i > row);
        if (i != own && is_later && away < best && (kinds >> agents->kind[i] & 1u) != 0) {
            best = away;
            found = i;
        }
    }
    *square = best;
    return found;
}

static void compare_nearest(struct drover_sim *sim, uint64_t kinds, bool wraps, int32_t most) {
    const struct drover_sim_agents *agents = drover_sim_agents(sim);
    int32_t *rows = calloc((size_t)agents->count * (size_t)most, sizeof *rows);
    assert_non_null(rows);
    const struct drover_sim_near near = {agents->id, agents->count, most, kinds, rows, NULL};
    assert_int_equal(drover_sim_nearest(sim, &near), 0);
    for (int32_t own = 0; own < agents->count; own++) {
        double square = -1.0;
        int32_t row = -1;
        for (int32_t place = 0; place < most; place++) {
            const bool has_more = place == 0 || row >= 0;
            row = has_more ? next_nearest(sim, agents, own, kinds, wraps, &square, row) : -1;
            assert_int_equal(rows[own * most + place], row);
        }
    }
    free(rows);
}

/* Beside the plainest search, where agents are scattered, and where many are as near as others. */
static void test_nearest(void **unused) {
    static const struct {
        const char *scenario, *kind;
        bool wraps;
    } cases[] = {{"driven", "glider", false}, {"hunters_and_prey", "prey", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct drover_sim *sim = open_scenario(cases[i].scenario);
        for (int round = 0; round < 4; round++) {
            drover_sim_step(sim, 7);
            compare_nearest(sim, UINT64_MAX, cases[i].wraps, 4);
            compare_nearest(sim, 2, cases[i].wraps, 3);
        }
        for (int at = 0; at < 12;
             at++) { /* a lattice with several in each place, borders of the world included */
            (void)drover_sim_requestf(sim, "{\"op\":\"spawn\",\"kind\":\"%s\",\"count\":3,\"x\":%d,\"y\":%d}",
                                      cases[i].kind, at % 4 * 100, at / 4 * 100);
            assert_int_equal(drover_sim_last_error(sim, NULL), 0);
        }
        compare_nearest(sim, UINT64_MAX, cases[i].wraps, 32);
        compare_nearest(sim, 1, cases[i].wraps, 1);
        (void)drover_sim_request(sim, "{\"op\":\"remove\",\"agents\":[1,2,3]}");
        compare_nearest(sim, UINT64_MAX, cases[i].wraps, 5);
        (void)drover_sim_requestf(sim, "{\"op\":\"remove\",\"kind\":\"%s\"}", cases[i].kind);
        compare_nearest(sim, 2, cases[i].wraps, 2);
        drover_sim_destroy(sim);
    }
    struct drover_sim *sim = open_scenario("seek");
    int32_t rows[] = {7, 7, 7, 7};
    float values[24];
    const uint32_t ids[] = {1, 99};
    struct drover_sim_near near = {ids, 2, 2, UINT64_MAX, rows, values};
    assert_int_equal(drover_sim_nearest(sim, &near), 0);
    assert_true(rows[0] == -1 && rows[1] == -1 && rows[2] == -1 && rows[3] == -1);
    const struct drover_sim_agents *seeker = drover_sim_agents(sim);
    assert_true(values[0] == seeker->x[0] && values[1] == seeker->y[0] && values[4] == 0.0f &&
                values[23] == 0.0f);
    assert_string_equal(
        drover_sim_request(sim, "{\"op\":\"spawn\",\"kind\":\"seeker\",\"x\":3,\"y\":5,\"vx\":2,\"vy\":1}"),
        "");
    assert_int_equal(drover_sim_nearest(sim, &near), 0);
    seeker = drover_sim_agents(sim);
    assert_true(rows[0] == 1 && values[4] == 3.0f - seeker->x[0] && values[5] == 5.0f - seeker->y[0]);
    assert_true(values[6] == seeker->vx[1] - seeker->vx[0] && values[7] == seeker->vy[1] - seeker->vy[0]);
    assert_true(values[8] == 0.0f && values[12] == 0.0f);
    near.most = 33;
    assert_int_equal(drover_sim_nearest(sim, &near), -1);
    near.most = 0;
    assert_int_equal(drover_sim_nearest(sim, &near), -1);
    drover_sim_destroy(sim);
}

/* How far a wall is, and what is refused; property.rays has the rest. */
static void test_rays(void **unused) {
    struct drover_sim *sim = open_scenario("seek"); /* the seeker at 400, 240 looks to the right */
    const uint32_t ids[] = {1, 99};
    float distances[6];
    struct drover_sim_ray_fan fan = {ids, 2, 3, 500.0f, 180.0f, distances};
    assert_int_equal(drover_sim_rays(sim, &fan), 0);
    assert_true(distances[0] == 500.0f && distances[1] == 500.0f && distances[3] == 0.0f);
    (void)drover_sim_request(sim, "{\"op\":\"add_obstacle\",\"id\":1,\"box\":[450,200,20,80]}");
    assert_int_equal(drover_sim_last_error(sim, NULL), 0);
    assert_int_equal(drover_sim_rays(sim, &fan), 0);
    assert_true(fabsf(distances[1] - 50.0f) < 0.02f && distances[0] == 500.0f && distances[2] == 500.0f);
    fan.range = 49.0f;
    assert_int_equal(drover_sim_rays(sim, &fan), 0);
    assert_true(distances[1] == 49.0f);
    const struct drover_sim_ray_fan wrong[] = {{ids, 2, 0, 50.0f, 0.0f, distances},
                                               {ids, 2, 65, 50.0f, 0.0f, distances},
                                               {ids, 2, 3, 10001.0f, 0.0f, distances},
                                               {ids, 2, 3, 50.0f, 361.0f, distances},
                                               {ids, -1, 3, 50.0f, 0.0f, distances}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(drover_sim_rays(sim, &wrong[i]), -1);
    }
    drover_sim_destroy(sim);
}

/* A turn is its five calls. */
static void test_turns(void **unused) {
    struct drover_sim *sims[] = {open_scenario("driven"), open_scenario("driven"), open_scenario("seek")};
    const uint32_t ids[] = {1, 2};
    const float vx[] = {50.0f, 0.0f}, vy[] = {0.0f, 60.0f};
    float out[2][200];
    int32_t rows[2][4];
    const struct drover_sim_near near[] = {{ids, 2, 2, UINT64_MAX, rows[0], NULL},
                                           {ids, 2, 2, UINT64_MAX, rows[1], NULL}};
    struct drover_sim_turn turns[2] = {{0}};
    turns[0] =
        (struct drover_sim_turn){sims[0], ids, vx, vy, 2, 6, DROVER_SIM_X, 200, out[0], &near[0], 0, 0};
    turns[1] = (struct drover_sim_turn){sims[2], ids, vx, vy, 2, 6, DROVER_SIM_X, 200, out[1], NULL, 0, 0};
    assert_int_equal(drover_sim_turns(turns, 2), -1);
    assert_int_equal(turns[1].count, -1);
    assert_int_equal(drover_sim_tick(sims[2]), 0);
    assert_int_equal(drover_sim_drive(sims[1], ids, vx, vy, 2), 0);
    drover_sim_step(sims[1], 6);
    assert_int_equal(turns[0].count, drover_sim_columns(sims[1], DROVER_SIM_X, out[1], 200));
    assert_memory_equal(out[0], out[1], (size_t)turns[0].count * sizeof(float));
    assert_int_equal(drover_sim_nearest(sims[1], &near[1]), 0);
    assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
    assert_true(turns[0].hash == drover_sim_hash(sims[1]));
    turns[1].driven = 0;
    assert_int_equal(drover_sim_turns(turns, 2), 0);
    assert_int_equal(drover_sim_tick(sims[2]), 6);
    assert_int_equal(drover_sim_tick(sims[0]), 12);
    for (size_t i = 0; i < 3; i++) {
        drover_sim_destroy(sims[i]);
    }
}

static void test_the_description(void **unused) {
    struct drover_sim *sim = open_scenario("seek");
    const char *line = drover_sim_scenario(sim);
    assert_non_null(strstr(line, "\"op\":\"scenario\""));
    assert_non_null(strstr(line, "\"kinds\":[{\"name\":\"seeker\""));
    assert_null(strchr(line, '\n'));
    drover_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_save_of_any_seed),
        cmocka_unit_test(test_the_hashes_of_a_server),
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_refusals_change_nothing),
        cmocka_unit_test(test_bad_scenarios_and_options),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_columns_of_the_caller),
        cmocka_unit_test(test_drive),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_rays),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_the_description),
        cmocka_unit_test(test_obstacles),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_a_save_goes_on_the_same_way),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_seed_and_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
