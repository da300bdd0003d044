/* What ranks decide without a network: who is gone, where rows are cut. */

#include "tests/unit/server/cmocka_all.h"

#include "server/cluster/rank_rules.h"

/* ==== Which rank holds up the others ==== */

enum { RANK_WATCH_RANKS = 3, SPAN = 10, LATER = 100 };

static struct rank_pulse pulses[RANK_WATCH_RANKS];

/* A rank's beat at this moment. */
static void beat(int rank, uint64_t now, enum rank_doing doing, uint64_t steps, uint64_t processor) {
    const struct rank_beat its = {.steps = steps, .processor_ns = processor, .doing = (uint32_t)doing};
    rank_pulse_take(&pulses[rank], &its, now);
}

static void expect(uint64_t now, enum rank_verdict verdict, int rank) {
    int found = -1;
    assert_int_equal(rank_watch_judge(pulses, RANK_WATCH_RANKS, now, SPAN, &found), verdict);
    if (verdict != RANK_IS_FINE) {
        assert_int_equal(found, rank);
    }
}

static int set_up(void **state) {
    for (int r = 0; r < RANK_WATCH_RANKS; r++) {
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

/* It has waited for a while when its thread is held: until that has lasted for the span it is not known which of them it is. */
static void test_one_that_is_held_while_all_wait_hangs(void **state) {
    const uint64_t held = LATER + SPAN / 2;
    for (uint64_t now = LATER + 1; now < held + SPAN; now++) {
        beat(0, now, RANK_WAITS, 2, now);
        beat(1, now, RANK_WAITS, 2, now);
        beat(2, now, RANK_WAITS, 2, now < held ? now : held);
        expect(now, RANK_IS_FINE, -1);
    }
    for (int r = 0; r < RANK_WATCH_RANKS; r++) {
        beat(r, held + SPAN, RANK_WAITS, 2, r < 2 ? held + SPAN : held);
    }
    expect(held + SPAN, RANK_HANGS, 2);
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

/* ==== Where the borders between ranks go ==== */

enum { ROWS = 100, ROW_CUTS_RANKS = 4 };

static void fill(uint64_t agents[ROWS], uint64_t each) {
    for (int r = 0; r < ROWS; r++) {
        agents[r] = each;
    }
}

static void assert_cuts(const int32_t *cut, int ranks, const int32_t *wanted) {
    for (int r = 0; r <= ranks; r++) {
        assert_int_equal(cut[r], wanted[r]);
    }
}

static void test_equal_rows_are_shared_out_equally(void **state) {
    uint64_t agents[ROWS];
    int32_t cut[ROW_CUTS_RANKS + 1];
    const int32_t wanted[] = {0, 25, 50, 75, 100};
    fill(agents, 7);
    row_cuts_choose(NULL, ROWS, agents, ROW_CUTS_RANKS, cut);
    assert_cuts(cut, ROW_CUTS_RANKS, wanted);
}

static void test_a_clump_has_few_rows(void **state) {
    uint64_t agents[ROWS];
    int32_t cut[ROW_CUTS_RANKS + 1];
    fill(agents, 1);
    agents[10] = agents[11] = agents[12] = agents[13] = 1000;
    row_cuts_choose(NULL, ROWS, agents, ROW_CUTS_RANKS, cut);
    const int32_t wanted[] = {0, 11, 12, 13, 100};
    assert_cuts(cut, ROW_CUTS_RANKS, wanted);
}

static void test_a_row_may_be_more_than_a_rank_s_share(void **state) {
    uint64_t agents[ROWS];
    int32_t cut[ROW_CUTS_RANKS + 1];
    fill(agents, 0);
    agents[50] = 1000000;
    row_cuts_choose(NULL, ROWS, agents, ROW_CUTS_RANKS, cut);
    for (int r = 0; r < ROW_CUTS_RANKS; r++) {
        assert_true(cut[r] <= cut[r + 1]);
    }
    assert_int_equal(cut[0], 0);
    assert_int_equal(cut[ROW_CUTS_RANKS], ROWS);
}

static void test_a_slow_rank_gives_rows_away_half_the_way(void **state) {
    uint64_t agents[ROWS];
    int32_t cut[] = {0, 50, 100};
    const uint64_t works_ns[] = {3000000, 1000000};
    const int32_t wanted[] = {
        0, 42, 100}; /* a third of its work is too much: row 33, or rather half the way there */
    fill(agents, 10);
    row_cuts_choose(works_ns, ROWS, agents, 2, cut);
    assert_cuts(cut, 2, wanted);
}

static void test_it_comes_to_rest(void **state) {
    uint64_t agents[ROWS], works_ns[ROW_CUTS_RANKS];
    int32_t cut[] = {0, 1, 2, 3, 100};
    fill(agents, 1);
    for (int r = 0; r < 10; r++) {
        agents[r] = 100;
    }
    for (int round = 0; round < 40; round++) {
        for (int r = 0; r < ROW_CUTS_RANKS; r++) {
            works_ns[r] = 0;
            for (int32_t row = cut[r]; row < cut[r + 1]; row++) {
                works_ns[r] += agents[row] * 1000;
            }
        }
        row_cuts_choose(works_ns, ROWS, agents, ROW_CUTS_RANKS, cut);
    }
    uint64_t most = 0, all = 0;
    for (int r = 0; r < ROW_CUTS_RANKS; r++) {
        most = works_ns[r] > most ? works_ns[r] : most;
        all += works_ns[r];
    }
    assert_true(most < all / ROW_CUTS_RANKS * 3 / 2);
}

static void test_more_ranks_than_rows(void **state) {
    const uint64_t agents[] = {5, 5};
    int32_t cut[ROW_CUTS_RANKS + 1];
    row_cuts_choose(NULL, 2, agents, ROW_CUTS_RANKS, cut);
    for (int r = 0; r < ROW_CUTS_RANKS; r++) {
        assert_true(cut[r] <= cut[r + 1]);
    }
    assert_int_equal(cut[ROW_CUTS_RANKS], 2);
}

static void test_an_empty_world(void **state) {
    const uint64_t agents[] = {0, 0, 0};
    int32_t cut[] = {0, 1, 3};
    const uint64_t works_ns[] = {0, 0};
    row_cuts_choose(works_ns, 3, agents, 2, cut);
    assert_true(cut[0] == 0 && cut[1] >= 0 && cut[1] <= 3 && cut[2] == 3);
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
        cmocka_unit_test_setup(test_one_that_is_held_while_all_wait_hangs, set_up),
        cmocka_unit_test_setup(test_a_long_message_is_no_end, set_up),
        cmocka_unit_test_setup(test_a_rank_that_waits_and_works_in_turns_is_fine, set_up),
        cmocka_unit_test(test_equal_rows_are_shared_out_equally),
        cmocka_unit_test(test_a_clump_has_few_rows),
        cmocka_unit_test(test_a_row_may_be_more_than_a_rank_s_share),
        cmocka_unit_test(test_a_slow_rank_gives_rows_away_half_the_way),
        cmocka_unit_test(test_it_comes_to_rest),
        cmocka_unit_test(test_more_ranks_than_rows),
        cmocka_unit_test(test_an_empty_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
