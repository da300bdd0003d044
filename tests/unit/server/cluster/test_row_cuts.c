/* Where the borders between ranks go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/cluster/rank_rules.h"

enum { ROWS = 100, RANKS = 4 };

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
    int32_t cut[RANKS + 1];
    const int32_t wanted[] = {0, 25, 50, 75, 100};
    fill(agents, 7);
    row_cuts_choose(NULL, ROWS, agents, RANKS, cut);
    assert_cuts(cut, RANKS, wanted);
}

static void test_a_clump_has_few_rows(void **state) {
    uint64_t agents[ROWS];
    int32_t cut[RANKS + 1];
    fill(agents, 1);
    agents[10] = agents[11] = agents[12] = agents[13] = 1000;
    row_cuts_choose(NULL, ROWS, agents, RANKS, cut);
    const int32_t wanted[] = {0, 11, 12, 13, 100};
    assert_cuts(cut, RANKS, wanted);
}

static void test_a_row_may_be_more_than_a_rank_s_share(void **state) {
    uint64_t agents[ROWS];
    int32_t cut[RANKS + 1];
    fill(agents, 0);
    agents[50] = 1000000;
    row_cuts_choose(NULL, ROWS, agents, RANKS, cut);
    for (int r = 0; r < RANKS; r++) {
        assert_true(cut[r] <= cut[r + 1]);
    }
    assert_int_equal(cut[0], 0);
    assert_int_equal(cut[RANKS], ROWS);
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
    uint64_t agents[ROWS], works_ns[RANKS];
    int32_t cut[] = {0, 1, 2, 3, 100};
    fill(agents, 1);
    for (int r = 0; r < 10; r++) {
        agents[r] = 100;
    }
    for (int round = 0; round < 40; round++) {
        for (int r = 0; r < RANKS; r++) {
            works_ns[r] = 0;
            for (int32_t row = cut[r]; row < cut[r + 1]; row++) {
                works_ns[r] += agents[row] * 1000;
            }
        }
        row_cuts_choose(works_ns, ROWS, agents, RANKS, cut);
    }
    uint64_t most = 0, all = 0;
    for (int r = 0; r < RANKS; r++) {
        most = works_ns[r] > most ? works_ns[r] : most;
        all += works_ns[r];
    }
    assert_true(most < all / RANKS * 3 / 2);
}

static void test_more_ranks_than_rows(void **state) {
    const uint64_t agents[] = {5, 5};
    int32_t cut[RANKS + 1];
    row_cuts_choose(NULL, 2, agents, RANKS, cut);
    for (int r = 0; r < RANKS; r++) {
        assert_true(cut[r] <= cut[r + 1]);
    }
    assert_int_equal(cut[RANKS], 2);
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
