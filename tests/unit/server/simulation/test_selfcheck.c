/* The last seconds of a world simulated again: the same hash, unless something is not as it was. */
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "server/commands/command_apply.h"
#include "server/simulation/selfcheck.h"
#include "tests/unit/server/test_world.h"

static struct simulation_state simulation;
static atomic_int differences, agreements;

static void on_difference(void *context, const struct selfcheck_difference *difference) {
    assert_ptr_equal(context, &simulation);
    assert_true(difference->hash != difference->again);
    assert_true(difference->has_agents &&
                difference->agents.count >= 5); /* at least those that were spawned */
    assert_int_equal(difference->agents.id_count, difference->agents.count < LIMIT_DIVERGED_AGENTS
                                                      ? difference->agents.count
                                                      : LIMIT_DIVERGED_AGENTS);
    atomic_fetch_add(&differences, 1);
}

static void on_agreement(void *context, uint64_t spans, uint64_t tick) {
    (void)context;
    assert_true(tick > 0);
    atomic_store(&agreements, (int)spans);
}

static int set_up(void **unused) {
    simulation_state_init(&simulation);
    put_world(&simulation, POND("200"), "pond");
    atomic_store(&differences, 0);
    atomic_store(&agreements, 0);
    return 0;
}

static int tear_down(void **unused) {
    simulation_state_fini(&simulation);
    return 0;
}

static void spawn(struct selfcheck *selfcheck, bool is_noted) {
    struct request request = request_default(REQUEST_SPAWN);
    struct buffer text;
    memcpy(request.body.spawn.kind, "prey", 5);
    request.body.spawn.count = 5;
    buffer_init(&text, 65536);
    simulation.session = 1;
    assert_true(command_apply(&simulation, &request, 1, &text).changed);
    if (is_noted) {
        selfcheck_note_request(selfcheck, &simulation, &request, 1);
    }
    buffer_fini(&text);
}

/* Ticks with requests until so many spans were compared as `counted` says. */
static void run(struct selfcheck *selfcheck, atomic_int *counted, int spans, bool is_noted) {
    const struct timespec moment = {.tv_nsec = 200000};
    for (int tick = 0; tick < 100000 && atomic_load(counted) < spans; tick++) {
        if (tick % 16 == 15 && tick < 400) {
            spawn(selfcheck, is_noted);
        }
        simulation_state_step(&simulation);
        selfcheck_note_tick(selfcheck, &simulation);
        (void)nanosleep(&moment, NULL);
    }
    assert_true(atomic_load(counted) >= spans);
}

static void test_a_world_comes_out_again(void **unused) {
    const struct selfcheck_def def = {&simulation, on_difference, 0.5, on_agreement};
    struct selfcheck *selfcheck = selfcheck_create(&def, &simulation);
    assert_non_null(selfcheck);
    run(selfcheck, &agreements, 3, true);
    selfcheck_destroy(selfcheck);
    assert_int_equal(atomic_load(&differences), 0);
}

static void test_a_change_that_was_not_noted_is_a_difference(void **unused) {
    const struct selfcheck_def def = {&simulation, on_difference, 0.5, on_agreement};
    struct selfcheck *selfcheck = selfcheck_create(&def, &simulation);
    assert_non_null(selfcheck);
    run(selfcheck, &differences, 1, false);
    selfcheck_destroy(selfcheck);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_world_comes_out_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_change_that_was_not_noted_is_a_difference, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
