/* The builder: orders are worked off beside the test, in order, one built world at a time; a world
 * that is not taken is urgent; the end does not wait. */
#include "tests/unit/server/cmocka_all.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/library/scenario_builder.h"

enum { CROWD = 1000000, PATIENCE_MS = 20000 };

/* ---- a source ---- */

struct shelf {
    _Atomic int loads, lists;
    atomic_bool is_slow; /* loads of "slow" wait until it is false */
};

static void sleep_ms(int ms) {
    const struct timespec moment = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    (void)nanosleep(&moment, NULL);
}

static int load(void *context, const char *name, struct scenario *out, struct failure *failure) {
    struct shelf *shelf = context;
    atomic_fetch_add(&shelf->loads, 1);
    if (strcmp(name, "nowhere") == 0) {
        return failure_set(failure, FAILURE_NO_SCENARIO, "a.b", "no scenario \"nowhere\"");
    }
    while (strcmp(name, "slow") == 0 && atomic_load(&shelf->is_slow)) {
        sleep_ms(1);
    }
    const bool is_crowd = strcmp(name, "crowd") == 0;
    char text[400];
    (void)snprintf(
        text, sizeof text,
        "{\"name\":\"%s\",\"seed\":3,\"world\":{\"size\":[800,600]},\"kinds\":{\"bird\":{\"behaviors\":["
        "{\"flock\":{}}]}},\"agents\":[{\"kind\":\"bird\",\"at\":[9,9],\"count\":%d}]}",
        name, is_crowd ? CROWD : 2);
    const int result = scenario_read(text, strlen(text), out, failure);
    assert_int_equal(result, 0);
    (void)snprintf(out->name, sizeof out->name, "%s", name);
    return 0;
}

static struct message_scenario_row rows[] = {{.name = "lake"}, {.name = "pond"}};
static const struct scenario_list all = {.count = 2, .rows = rows};

static const struct scenario_list *list(void *context, struct failure *failure) {
    struct shelf *shelf = context;
    (void)failure;
    atomic_fetch_add(&shelf->lists, 1);
    return &all;
}

/* ---- the ordering side ---- */

struct ear {
    _Atomic int worlds, done;
    char last[200]; /* what was done last; read after done has risen */
};

static void on_world(void *context) {
    struct ear *ear = context;
    atomic_fetch_add(&ear->worlds, 1);
}

static void on_done(void *context, struct scenario_order *order) {
    struct ear *ear = context;
    (void)snprintf(ear->last, sizeof ear->last, "%d %d %.20s: %.100s", order->result, order->list.count,
                   order->failure.field, order->failure.message);
    atomic_fetch_add(&ear->done, 1);
}

static void wait_for(_Atomic int *count, int wanted) {
    for (int i = 0; i < PATIENCE_MS && atomic_load(count) < wanted; i++) {
        sleep_ms(1);
    }
    assert_true(atomic_load(count) >= wanted);
}

static struct shelf shelf;
static struct ear ear;
static struct scenario_builder *builder;

static int set_up(void **state) {
    (void)state;
    shelf = (struct shelf){.is_slow = true};
    ear = (struct ear){.worlds = 0};
    const struct scenario_source source = {&shelf, load, list};
    const struct world_overrides none = {0};
    const struct scenario_builder_handler handler = {&ear, on_world, on_done};
    builder = scenario_builder_create(&source, &none, &handler);
    return builder == NULL ? -1 : 0;
}

static int tear_down(void **state) {
    (void)state;
    scenario_builder_destroy(builder);
    return 0;
}

static struct scenario_order *order_of(const char *line, uint32_t session) {
    struct command *command = calloc(1, sizeof *command);
    struct failure failure = {0};
    assert_non_null(command);
    assert_int_equal(request_decode(line, strlen(line), &command->request, &failure), 0);
    assert_true(scenario_order_is_needed(&command->request));
    command->session = session;
    struct scenario_order *order = scenario_order_create(command);
    assert_non_null(order);
    free(command);
    return order;
}

static struct scenario_order *begin(const char *line, uint32_t session) {
    struct scenario_order *order = order_of(line, session);
    (void)scenario_builder_has_built(builder, order);
    return order;
}

static bool is_urgent(void) {
    return atomic_load(scenario_builder_urgency(builder));
}

/* ---- tests ---- */

static void test_a_world_is_built_and_taken(void **state) {
    (void)state;
    struct scenario_order *order = begin("{\"op\":\"load\",\"scenario\":\"pond\",\"seed\":7}", 5);
    wait_for(&ear.worlds, 1);
    assert_true(scenario_builder_has_built(builder, order));
    assert_true(scenario_builder_has_world(builder));
    assert_int_equal(scenario_builder_waiting(builder), 5);
    assert_string_equal(order->built.name, "pond");
    assert_int_equal(world_seed(order->built.world), 7);
    assert_true(world_hash(order->built.world) == order->built.hash);
    scenario_builder_hand_back(builder, order); /* with the world: the builder destroys it */
    assert_false(scenario_builder_has_world(builder) || is_urgent());
    assert_int_equal(scenario_builder_waiting(builder), 0);
}

static void test_an_untaken_world_is_urgent(void **state) {
    (void)state;
    struct scenario_order *order = begin("{\"op\":\"load\",\"scenario\":\"pond\"}", 1);
    wait_for(&ear.worlds, 1);
    for (int i = 0; i < PATIENCE_MS && !is_urgent(); i++) {
        sleep_ms(1);
    }
    assert_true(is_urgent());
    scenario_builder_hand_back(builder, order);
    assert_false(is_urgent());
}

static void test_what_fails_is_answered_and_not_urgent(void **state) {
    (void)state;
    (void)begin("{\"op\":\"load\",\"scenario\":\"nowhere\"}", 1);
    wait_for(&ear.done, 1);
    assert_string_equal(ear.last, "-1 0 scenario: no scenario \"nowhere\"");
    sleep_ms(2 * SCENARIO_BUILDER_GRACE_MS);
    assert_false(scenario_builder_has_world(builder) || is_urgent());
}

static void test_one_world_at_a_time_in_order(void **state) {
    (void)state;
    struct scenario_order *first = begin("{\"op\":\"load\",\"scenario\":\"pond\"}", 1);
    struct scenario_order *second = begin("{\"op\":\"load\",\"scenario\":\"lake\"}", 2);
    wait_for(&ear.worlds, 1);
    (void)begin("{\"op\":\"list\"}", 3); /* does not wait for a world to be taken */
    wait_for(&ear.done, 1);
    assert_string_equal(ear.last, "0 2 : ");
    assert_int_equal(atomic_load(&shelf.loads), 1);
    assert_int_equal(scenario_builder_waiting(builder), 1);
    assert_false(scenario_builder_has_built(builder, second));
    scenario_builder_hand_back(builder, first);
    wait_for(&ear.worlds, 2);
    assert_int_equal(scenario_builder_waiting(builder), 2);
    scenario_builder_hand_back(builder, second);
}

/* The world being built is given up; waiting orders stay with their owner. */
static void test_the_end(void **state) {
    (void)state;
    struct scenario_order *waiting = begin("{\"op\":\"load\",\"scenario\":\"pond\"}", 1);
    struct scenario_order *in_line = begin("{\"op\":\"load\",\"scenario\":\"lake\"}", 2);
    wait_for(&ear.worlds, 1);
    scenario_builder_abandon(builder);
    assert_true(is_urgent());
    scenario_builder_stop(builder);
    assert_true(is_urgent());
    scenario_order_destroy(waiting);
    scenario_order_destroy(in_line);
}

static void test_the_end_while_building(void **state) {
    (void)state;
    (void)begin("{\"op\":\"load\",\"scenario\":\"crowd\"}", 1);
    wait_for(&shelf.loads, 1);
    scenario_builder_stop(builder);
    assert_int_equal(atomic_load(&ear.done), 1);
    assert_non_null(strstr(ear.last, "the server stops"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_world_is_built_and_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_untaken_world_is_urgent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_fails_is_answered_and_not_urgent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_world_at_a_time_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_end_while_building, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
