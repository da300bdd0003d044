/* Which rank holds up the others. */
#include "server/cluster/rank_rules.h"

#include "tests/unit/server/cmocka_all.h"

enum { RANKS = 3, SPAN = 10, LATER = 100 };

static struct rank_pulse pulses[RANKS];

/* A rank's beat at this moment. */
static void beat(int rank, uint64_t now, enum rank_doing doing, uint64_t steps, uint64_t processor) {
    const struct rank_beat its = {.steps = steps, .processor_ns = processor, .doing = (uint32_t)doing};
    rank_pulse_take(&pulses[rank], &its, now);
}

static void expect(uint64_t now, enum rank_verdict verdict, int rank) {
    int found = -1;
    assert_int_equal(rank_watch_judge(pulses, RANKS, now, SPAN, &found), verdict);
    if (verdict != RANK_IS_FINE) {
        assert_int_equal(found, rank);
    }
}

static int set_up(void **state) {
    for (int r = 0; r < RANKS; r++) {
        pulses[r] = (struct rank_pulse){0};
        beat(r, LATER, RANK_WORKS, 1, 1);
    }
    return 0;
}

static void test_a_rank_without_beats_is_silent(void **state) {
    for (uint64_t now = LATER; now < LATER + SPAN; now++) {
        beat(0, now, RANK_WORKS, now, now);
        beat(1, now, RANK_IS_IDLE, 1, now);
        expect(now, RANK_IS_FINE, -1);
    }
    beat(0, LATER + SPAN, RANK_WORKS, 1, 1);
    beat(1, LATER + SPAN, RANK_WORKS, 1, 1);
    expect(LATER + SPAN, RANK_IS_SILENT, 2);
}

static void test_a_rank_that_was_never_heard_is_not_watched(void **state) {
    pulses[1] = (struct rank_pulse){0};
    beat(0, LATER + SPAN, RANK_WORKS, 1, 1);
    beat(2, LATER + SPAN, RANK_WORKS, 1, 1);
    expect(LATER + SPAN, RANK_IS_FINE, -1);
}

/* Beats of all until the moment; rank 1 uses its processor, or does not. */
static void wait_for_rank_1(uint64_t until, enum rank_doing other, bool computes) {
    for (uint64_t now = LATER + 1; now <= until; now++) {
        beat(0, now, other, 2, now);
        beat(1, now, RANK_WORKS, 7, computes ? now : 7);
        beat(2, now, RANK_IS_IDLE, 2, now);
    }
}

static void test_a_rank_that_does_not_compute_hangs(void **state) {
    wait_for_rank_1(LATER + SPAN, RANK_WAITS, false);
    expect(LATER + SPAN, RANK_IS_FINE, -1);
    wait_for_rank_1(LATER + 2 * SPAN, RANK_WAITS, false);
    expect(LATER + 2 * SPAN, RANK_HANGS, 1);
}

static void test_a_thread_that_is_stopped_while_it_waits_hangs(void **state) {
    for (uint64_t now = LATER + 1; now <= LATER + SPAN + 1; now++) {
        beat(0, now, RANK_WORKS, 2, 2);
        beat(1, now, RANK_IS_IDLE, 2, now);
        beat(2, now, RANK_IS_IDLE, 2, 2);
    }
    expect(LATER + SPAN, RANK_IS_FINE, -1);
    expect(LATER + SPAN + 1, RANK_HANGS, 2);
}

static void test_a_rank_that_computes_is_slow(void **state) {
    wait_for_rank_1(LATER + 2 * SPAN, RANK_WAITS, true);
    expect(LATER + 2 * SPAN, RANK_IS_SLOW, 1);
}

static void test_a_rank_that_nobody_waits_for_may_sleep(void **state) {
    wait_for_rank_1(LATER + 2 * SPAN, RANK_IS_IDLE, false);
    expect(LATER + 2 * SPAN, RANK_IS_FINE, -1);
}

static void test_one_that_hangs_comes_before_one_that_computes(void **state) {
    for (uint64_t now = LATER + 1; now <= LATER + 2 * SPAN; now++) {
        beat(0, now, RANK_WAITS, 2, now);
        beat(1, now, RANK_WORKS, 1, now);
        beat(2, now, RANK_WORKS, 7, 7);
    }
    expect(LATER + 2 * SPAN, RANK_HANGS, 2);
}

/* All wait; a message comes to rank 2 now and then, or none. */
static void all_wait(bool has_messages) {
    for (uint64_t now = LATER + 1; now <= LATER + 2 * SPAN; now++) {
        beat(0, now, RANK_WAITS, 2, now);
        beat(1, now, RANK_WAITS, 2, now);
        beat(2, now, RANK_WAITS, has_messages ? now / 4 : 2, now);
    }
}

static void test_ranks_that_all_wait_are_stuck(void **state) {
    all_wait(false);
    expect(LATER + 2 * SPAN, RANK_IS_STUCK, 0);
}

static void test_a_long_message_is_no_end(void **state) {
    all_wait(true);
    expect(LATER + 2 * SPAN, RANK_IS_FINE, -1);
}

static void test_a_rank_that_waits_and_works_in_turns_is_fine(void **state) {
    for (uint64_t now = LATER + 1; now <= LATER + 2 * SPAN; now++) {
        beat(0, now, RANK_WAITS, now, now);
        beat(1, now, RANK_WORKS, 7, 7);
        beat(2, now, RANK_WAITS, now, now);
    }
    expect(LATER + 2 * SPAN, RANK_IS_FINE, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_rank_without_beats_is_silent, set_up),
        cmocka_unit_test_setup(test_a_rank_that_was_never_heard_is_not_watched, set_up),
        cmocka_unit_test_setup(test_a_rank_that_does_not_compute_hangs, set_up),
        cmocka_unit_test_setup(test_a_thread_that_is_stopped_while_it_waits_hangs, set_up),
        cmocka_unit_test_setup(test_a_rank_that_computes_is_slow, set_up),
        cmocka_unit_test_setup(test_a_rank_that_nobody_waits_for_may_sleep, set_up),
        cmocka_unit_test_setup(test_one_that_hangs_comes_before_one_that_computes, set_up),
        cmocka_unit_test_setup(test_ranks_that_all_wait_are_stuck, set_up),
        cmocka_unit_test_setup(test_a_long_message_is_no_end, set_up),
        cmocka_unit_test_setup(test_a_rank_that_waits_and_works_in_turns_is_fine, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
