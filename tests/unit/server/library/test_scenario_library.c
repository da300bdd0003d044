/* The library of scenarios, and scenarios built in code. */

#include "tests/unit/server/cmocka_all.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/system/log.h"
#include "server/library/scenario_builder.h"
#include "server/library/scenario_library.h"
#include "tests/support/request_decode.h"

/* ==== scenario builder ====
 * The builder: orders are worked off beside the test, in order, one built world at a time; a world
 * that is not taken is urgent; the end does not wait. */

enum { CROWD = 1000000, PATIENCE_MS = 20000 };

/* ---- a source ---- */

struct shelf {
    _Atomic int loads, lists;
    atomic_bool is_slow; /* loads of "slow" and "crowd" wait until it is false */
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
    const bool is_crowd = strcmp(name, "crowd") == 0;
    while ((is_crowd || strcmp(name, "slow") == 0) && atomic_load(&shelf->is_slow)) {
        sleep_ms(1);
    }
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
    _Atomic int worlds, rooms, done;
    char last[200]; /* what was done last; read after done has risen */
};

static void on_world(void *context) {
    struct ear *ear = context;
    atomic_fetch_add(&ear->worlds, 1);
}

static void on_room(void *context) {
    struct ear *ear = context;
    atomic_fetch_add(&ear->rooms, 1);
}

static void on_done(void *context, struct scenario_order *order) {
    struct ear *ear = context;
    (void)snprintf(ear->last, sizeof ear->last, "%d %d %.20s: %.100s", order->result, order->list.count,
                   order->failure.field, order->failure.message);
    atomic_fetch_add(&ear->done, 1);
}

static struct ear ear;

static void wait_for(_Atomic int *count, int wanted) {
    for (int i = 0; i < PATIENCE_MS && atomic_load(count) < wanted; i++) {
        sleep_ms(1);
    }
    if (atomic_load(count) < wanted) {
        fail_msg("%d of %d; last: %s", atomic_load(count), wanted, ear.last);
    }
}

static struct shelf shelf;
static struct scenario_builder *builder;
static struct save_store *saves;

static int set_up_builder(void **state) {
    shelf = (struct shelf){.is_slow = true};
    ear = (struct ear){.worlds = 0};
    struct failure failure = {0};
    saves = save_store_create(NULL, &failure);
    const struct scenario_source source = {.context = &shelf, .load = load, .list = list, .saves = saves};
    const struct world_overrides none = {0};
    const struct scenario_builder_handler handler = {&ear, on_world, on_room, on_done};
    builder = scenario_builder_create(&source, &none, &handler);
    return builder == NULL ? -1 : 0;
}

static int tear_down_builder(void **state) {
    scenario_builder_destroy(builder);
    save_store_destroy(saves);
    return 0;
}

static struct scenario_order *order_of(const char *line, uint32_t session) {
    struct command *command = calloc(1, sizeof *command);
    struct failure failure = {0};
    assert_non_null(command);
    assert_int_equal(request_decode(line, strlen(line), &command->request, &failure), 0);
    assert_true(scenario_order_is_needed(&command->request));
    command->origin.session = session;
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
    uint32_t waiting;
    struct scenario_order *order = begin("{\"op\":\"load\",\"scenario\":\"pond\",\"seed\":7}", 5);
    wait_for(&ear.worlds, 1);
    assert_true(scenario_builder_has_built(builder, order));
    assert_true(scenario_builder_has_world(builder));
    assert_true(scenario_builder_waiting(builder, &waiting) && waiting == 5);
    assert_string_equal(order->built.name, "pond");
    assert_int_equal(world_seed(order->built.world), 7);
    assert_true(world_hash(order->built.world) == order->built.hash);
    scenario_builder_hand_back(builder, order); /* with the world: the builder destroys it */
    assert_false(scenario_builder_has_world(builder) || is_urgent());
    assert_false(scenario_builder_waiting(builder, &waiting));
}

static void test_an_untaken_world_is_urgent(void **state) {
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
    (void)begin("{\"op\":\"load\",\"scenario\":\"nowhere\"}", 1);
    wait_for(&ear.done, 1);
    assert_string_equal(ear.last, "-1 0 scenario: no scenario \"nowhere\"");
    sleep_ms(2 * SCENARIO_BUILDER_GRACE_MS);
    assert_false(scenario_builder_has_world(builder) || is_urgent());
}

static void test_one_world_at_a_time_in_order(void **state) {
    uint32_t waiting;
    struct scenario_order *first = begin("{\"op\":\"load\",\"scenario\":\"pond\"}", 1);
    struct scenario_order *second = begin("{\"op\":\"load\",\"scenario\":\"lake\"}", 2);
    wait_for(&ear.worlds, 1);
    (void)begin("{\"op\":\"list\"}", 3); /* does not wait for a world to be taken */
    wait_for(&ear.done, 1);
    assert_string_equal(ear.last, "0 2 : ");
    assert_int_equal(atomic_load(&shelf.loads), 1);
    assert_true(scenario_builder_waiting(builder, &waiting) && waiting == 1);
    assert_false(scenario_builder_has_built(builder, second));
    scenario_builder_hand_back(builder, first);
    wait_for(&ear.worlds, 2);
    assert_true(scenario_builder_waiting(builder, &waiting) && waiting == 2);
    scenario_builder_hand_back(builder, second);
}

static void init_state(struct simulation_state *state) {
    struct scenario *scenario = malloc(sizeof *scenario);
    struct failure failure = {0};
    const struct world_overrides none = {0};
    struct built_world built;
    assert_non_null(scenario);
    assert_int_equal(load(&shelf, "pond", scenario, &failure), 0);
    assert_int_equal(built_world_make(scenario, &none, NULL, NULL, &built, &failure), 0);
    scenario_fini(scenario);
    free(scenario);
    simulation_state_init(state);
    simulation_state_change(state, &built);
    simulation_state_step(state);
    state->seq = 17;
}

/* The first time a save learns how much memory it takes. */
static void give_clones(const struct simulation_state *state, int saves_before) {
    scenario_builder_give_clones(builder, state);
    wait_for(&ear.rooms, saves_before + 1);
    assert_true(scenario_builder_wants_clones(builder));
    scenario_builder_give_clones(builder, state);
}

/* A save waits for its clone, and holds up neither lists nor loads; what it wrote can be loaded. */
static void test_a_save_is_written_from_a_clone(void **state) {
    struct simulation_state *world = malloc(sizeof *world);
    assert_non_null(world);
    init_state(world);
    const uint64_t hash = world_hash(world->world);
    assert_false(scenario_builder_wants_clones(builder));
    (void)begin("{\"op\":\"save\",\"name\":\"a\"}", 1);
    assert_true(scenario_builder_wants_clones(builder));
    (void)begin("{\"op\":\"list\",\"what\":\"saves\"}", 3);
    wait_for(&ear.done, 1);
    give_clones(world, 0);
    assert_false(scenario_builder_wants_clones(builder));
    simulation_state_step(world); /* the world goes on meanwhile */
    wait_for(&ear.done, 2);
    assert_string_equal(ear.last, "0 0 : ");
    (void)begin("{\"op\":\"save\",\"name\":\"a\"}", 1);
    give_clones(world, 1);
    wait_for(&ear.done, 3);
    assert_memory_equal(ear.last, "-1 0 name: a saved world", 24);
    struct scenario_order *order = begin("{\"op\":\"load\",\"save\":\"a\"}", 5);
    wait_for(&ear.worlds, 1);
    assert_true(world_tick(order->built.world) == 1 && world_hash(order->built.world) == hash);
    assert_int_equal(order->rest.seq, 17);
    scenario_builder_hand_back(builder, order);
    (void)begin("{\"op\":\"load\",\"save\":\"b\"}", 5);
    wait_for(&ear.done, 4);
    assert_memory_equal(ear.last, "-1 0 save: no saved world", 25);
    (void)begin("{\"op\":\"remove_save\",\"name\":\"a\"}", 5);
    wait_for(&ear.done, 5);
    simulation_state_fini(world);
    free(world);
}

/* A world that takes more than it did when it was measured is saved all the same. */
static void test_a_save_of_a_world_that_grew(void **state) {
    struct simulation_state *small = malloc(sizeof *small), *large = malloc(sizeof *large);
    assert_non_null(small);
    assert_non_null(large);
    init_state(small);
    init_state(large);
    const struct spawn_def spawn = {.kind = 0, .count = 5000};
    uint32_t first_id = 0;
    assert_int_equal(world_spawn(large->world, &spawn, &first_id), WORLD_OK);
    (void)begin("{\"op\":\"save\",\"name\":\"a\"}", 1);
    scenario_builder_give_clones(builder, small);
    wait_for(&ear.rooms, 1);
    scenario_builder_give_clones(builder, large);
    wait_for(&ear.done, 1);
    assert_string_equal(ear.last, "0 0 : ");
    simulation_state_fini(small);
    simulation_state_fini(large);
    free(small);
    free(large);
}

/* A save that never gets its clone stays with its owner. */
static void test_the_end_before_a_clone(void **state) {
    struct scenario_order *waiting = begin("{\"op\":\"save\",\"name\":\"a\"}", 1);
    scenario_builder_stop(builder);
    scenario_order_destroy(waiting);
}

/* The world being built is given up; waiting orders stay with their owner. */
static void test_the_end(void **state) {
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
    (void)begin("{\"op\":\"load\",\"scenario\":\"crowd\"}", 1);
    wait_for(&shelf.loads, 1);
    scenario_builder_abandon(builder);
    atomic_store(&shelf.is_slow, false);
    scenario_builder_stop(builder);
    assert_int_equal(atomic_load(&ear.done), 1);
    assert_non_null(strstr(ear.last, "the server stops"));
}

/* ==== Scenarios by name: found, listed, refused ==== */

static char directory[64];

static void write_file(const char *name, const char *text) {
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char *const files[] = {"zebra.json", "ant.json",       "broken.json",
                                    "notes.txt",  "two words.json", NULL};

static int set_up_library(void **state) {
    log_set_level(LOG_ERROR);
    memcpy(directory, "/tmp/drover-test-library-XXXXXX", sizeof "/tmp/drover-test-library-XXXXXX");
    assert_non_null(mkdtemp(directory));
    for (int i = 0; files[i] != NULL; i++) {
        write_file(files[i], "{\"name\":\"Some title\",\"world\":{\"size\":[800,600]}}");
    }
    write_file("broken.json", "{\"name\":\"Broken\"}");
    return 0;
}

static int tear_down_library(void **state) {
    for (int i = 0; files[i] != NULL; i++) {
        char path[256];
        (void)snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        (void)unlink(path);
    }
    return rmdir(directory);
}

static struct scenario library_scenario;

static void test_load(void **state) {
    struct scenario_library library;
    struct failure failure = {0};
    assert_int_equal(scenario_library_init(&library, directory, &failure), 0);
    assert_int_equal(scenario_library_load(&library, "ant", &library_scenario, &failure), 0);
    assert_string_equal(library_scenario.name, "ant");
    assert_string_equal(library_scenario.title, "Some title");
    scenario_fini(&library_scenario);
    assert_int_equal(scenario_library_load(&library, "broken", &library_scenario, &failure), -1);
    assert_int_equal(failure.code, FAILURE_BAD_SCENARIO);
    assert_non_null(strstr(failure.message, "broken.json:1:1: world: missing"));
    static const char *const refused[] = {"bee",       "",
                                          "../ant",    "./ant",
                                          "ant.json",  "/etc/passwd",
                                          "two words", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(scenario_library_load(&library, refused[i], &library_scenario, &failure), -1);
        assert_int_equal(failure.code, FAILURE_NO_SCENARIO);
        assert_string_equal(failure.field, "scenario");
    }
    assert_string_equal(failure.message,
                        "no scenario \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"; `list` names them");
    scenario_library_fini(&library);
}

static void test_list(void **state) {
    struct scenario_library library;
    struct failure failure = {0};
    assert_int_equal(scenario_library_init(&library, directory, &failure), 0);
    const struct scenario_list *list = scenario_library_list(&library, &failure);
    assert_non_null(list);
    assert_int_equal(list->count, 2); /* neither the broken one nor the one that is not a scenario */
    assert_string_equal(list->rows[0].name, "ant");
    assert_string_equal(list->rows[1].name, "zebra");
    assert_string_equal(list->rows[0].title, "Some title");
    write_file("broken.json", "{\"name\":\"Mended\",\"world\":{\"size\":[1,1]}}");
    assert_int_equal(scenario_library_list(&library, &failure)->count, 2); /* fresh enough */
    library.listed_ns -= (SCENARIO_LIBRARY_FRESH_MS + 1) * UINT64_C(1000000);
    list = scenario_library_list(&library, &failure);
    assert_int_equal(list->count, 3);
    assert_string_equal(list->rows[1].title, "Mended");
    scenario_library_fini(&library);
}

static void test_argument(void **state) {
    struct scenario_library library;
    struct failure failure = {0};
    char path[256];
    assert_int_equal(scenario_library_init(&library, directory, &failure), 0);
    (void)snprintf(path, sizeof path, "%s/two words.json", directory);
    assert_int_equal(scenario_library_load_argument(&library, path, &library_scenario, &failure), 0);
    assert_string_equal(library_scenario.name, "two_words");
    scenario_fini(&library_scenario);
    assert_int_equal(scenario_library_load_argument(&library, "zebra", &library_scenario, &failure), 0);
    scenario_fini(&library_scenario);
    assert_int_equal(scenario_library_load_argument(&library, "zebra.json", &library_scenario, &failure),
                     -1); /* a path */
    assert_int_equal(scenario_library_load_argument(&library, "yak", &library_scenario, &failure), -1);
    assert_non_null(strstr(failure.message, directory));
    scenario_library_fini(&library);
    assert_int_equal(scenario_library_init(&library, "/nowhere/at/all", &failure), -1);
    assert_non_null(strstr(failure.message, "/nowhere/at/all"));
}

/* The scenarios of the source tree are all right: none is left out. */
static void test_source_tree(void **state) {
    struct scenario_library library;
    struct failure failure = {0};
    assert_int_equal(scenario_library_init(&library, NULL, &failure), 0);
    static const char *const names[] = {"seek", "seek_mass", "boids_target", "seek_and_flee", "arrive"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (scenario_library_load(&library, names[i], &library_scenario, &failure) != 0) {
            fail_msg("%s", failure.message);
        }
        scenario_fini(&library_scenario);
    }
    scenario_library_fini(&library);
}

/* The folder in the home directory wins over the one beside the program, XDG_DATA_HOME over both, if it is a
 * place. */
static void test_where_scenarios_are(void **state) {
    struct scenario_library library;
    struct failure failure = {0};
    char home[64] = "/tmp/drover-test-home-XXXXXX", own[128], path[128];
    assert_non_null(mkdtemp(home));
    const char *const folders[] = {".local", ".local/share", ".local/share/drover",
                                   ".local/share/drover/scenarios"};
    assert_int_equal(setenv("HOME", home, 1), 0);
    assert_int_equal(unsetenv("XDG_DATA_HOME"), 0);
    assert_int_equal(scenario_library_init(&library, NULL, &failure), 0);
    assert_non_null(strstr(library.directory, "/../share/drover/scenarios"));
    for (int i = 0; i < 4; i++) {
        (void)snprintf(own, sizeof own, "%s/%s", home, folders[i]);
        assert_int_equal(mkdir(own, 0700), 0);
    }
    assert_int_equal(scenario_library_init(&library, NULL, &failure), 0);
    assert_string_equal(library.directory, own);
    assert_int_equal(setenv("XDG_DATA_HOME", "relative", 1), 0);
    assert_int_equal(scenario_library_init(&library, NULL, &failure), 0);
    assert_string_equal(library.directory, own);
    (void)snprintf(path, sizeof path, "%s/none", home);
    assert_int_equal(setenv("XDG_DATA_HOME", path, 1), 0);
    assert_int_equal(scenario_library_init(&library, NULL, &failure), 0);
    assert_non_null(strstr(library.directory, "/../share/drover/scenarios"));
    for (int i = 3; i >= 0; i--) {
        (void)snprintf(own, sizeof own, "%s/%s", home, folders[i]);
        assert_int_equal(rmdir(own), 0);
    }
    assert_int_equal(rmdir(home), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_world_is_built_and_taken, set_up_builder, tear_down_builder),
        cmocka_unit_test_setup_teardown(test_an_untaken_world_is_urgent, set_up_builder, tear_down_builder),
        cmocka_unit_test_setup_teardown(test_what_fails_is_answered_and_not_urgent, set_up_builder,
                                        tear_down_builder),
        cmocka_unit_test_setup_teardown(test_one_world_at_a_time_in_order, set_up_builder, tear_down_builder),
        cmocka_unit_test_setup_teardown(test_a_save_is_written_from_a_clone, set_up_builder,
                                        tear_down_builder),
        cmocka_unit_test_setup_teardown(test_a_save_of_a_world_that_grew, set_up_builder, tear_down_builder),
        cmocka_unit_test_setup_teardown(test_the_end_before_a_clone, set_up_builder, tear_down_builder),
        cmocka_unit_test_setup_teardown(test_the_end, set_up_builder, tear_down_builder),
        cmocka_unit_test_setup_teardown(test_the_end_while_building, set_up_builder, tear_down_builder),
        cmocka_unit_test_setup_teardown(test_load, set_up_library, tear_down_library),
        cmocka_unit_test_setup_teardown(test_list, set_up_library, tear_down_library),
        cmocka_unit_test_setup_teardown(test_argument, set_up_library, tear_down_library),
        cmocka_unit_test(test_source_tree),
        cmocka_unit_test(test_where_scenarios_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
