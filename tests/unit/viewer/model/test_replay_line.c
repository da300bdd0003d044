/* Ticks as places and times; which seeks are sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "viewer/model/replay.h"

/* A recording of one world. */
static struct replay_line line_of(uint64_t first, uint64_t last) {
    const struct message_replay replay = {
        .world = 1, .worlds = 1, .first = first, .last = last, .span_count = 1, .spans = {{first, last}}};
    return replay_line_of(&replay, 60.0);
}

static double share(const struct replay_line *line, uint32_t world, uint64_t tick) {
    const struct replay_moment moment = {world, tick};
    return replay_line_share(line, &moment);
}

static void ticks_are_places(void **state) {
    const struct replay_line line = line_of(600, 22200), point = line_of(5, 5);
    assert_true(share(&line, 1, 600) == 0.0 && share(&line, 1, 0) == 0.0);
    assert_true(share(&line, 1, 22200) == 1.0 && share(&line, 1, UINT64_MAX) == 1.0);
    assert_true(share(&line, 1, 11400) == 0.5);
    for (uint64_t tick = 600; tick <= 22200; tick++) {
        assert_int_equal(replay_line_moment(&line, share(&line, 1, tick)).tick, tick);
    }
    assert_int_equal(replay_line_moment(&line, -3.0).tick, 600);
    assert_int_equal(replay_line_moment(&line, 7.0).tick, 22200);
    assert_true(share(&point, 1, 5) == 0.0);
    assert_int_equal(replay_line_moment(&point, 0.7).tick, 5);
}

static void worlds_follow_each_other(void **state) {
    struct message_replay replay = {.world = 2,
                                    .worlds = 3,
                                    .first = 0,
                                    .last = 99,
                                    .span_count = 3,
                                    .spans = {{0, 49}, {0, 99}, {500, 549}}};
    const struct replay_line line = replay_line_of(&replay, 60.0);
    assert_int_equal(replay_line_ticks(&line), 199);
    for (uint64_t offset = 0; offset < 200; offset++) {
        const struct replay_moment moment = replay_line_at(&line, offset);
        assert_int_equal(replay_line_offset(&line, &moment), offset);
        assert_int_equal(moment.world, offset < 50 ? 1 : offset < 150 ? 2 : 3);
    }
    const struct replay_moment end = {1, 49}, last = {3, 549}, beyond = {4, 0};
    assert_int_equal(replay_line_world_end(&line, &(struct replay_moment){2, 7}).tick, 99);
    assert_int_equal(replay_line_world_end(&line, &(struct replay_moment){3, 500}).tick, 549);
    assert_int_equal(replay_line_world_end(&line, &beyond).world, 4);
    assert_int_equal(replay_line_move(&line, &end, 1).world, 2);
    assert_int_equal(replay_line_move(&line, &end, 1).tick, 0);
    assert_int_equal(replay_line_move(&line, &last, 60).tick, 549);
    assert_int_equal(replay_line_offset(&line, &beyond), 199);
    replay.worlds = 70; /* more than are named: the one that plays alone */
    const struct replay_line alone = replay_line_of(&replay, 60.0);
    assert_int_equal(replay_line_ticks(&alone), 99);
    assert_int_equal(replay_line_moment(&alone, 0.0).world, 2);
}

static void moves_stay_on_the_line(void **state) {
    const struct replay_line line = line_of(100, 200);
    static const struct {
        uint64_t from;
        int64_t by;
        uint64_t to;
    } rows[] = {{150, -1, 149}, {150, 1, 151}, {100, -1, 100}, {130, -60, 100}, {190, 60, 200}, {5, 1, 101}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct replay_moment from = {1, rows[i].from};
        assert_int_equal(replay_line_move(&line, &from, rows[i].by).tick, rows[i].to);
    }
}

static void ticks_are_times(void **state) {
    char text[32];
    const struct replay_line long_line = line_of(0, 400000), short_line = line_of(0, 900);
    replay_line_time(&long_line, 83 * 60, text, sizeof text);
    assert_string_equal(text, "1:23");
    replay_line_time(&long_line, 3723 * 60, text, sizeof text);
    assert_string_equal(text, "1:02:03");
    replay_line_time(&short_line, 450, text, sizeof text);
    assert_string_equal(text, "0:07.5");
    replay_line_time(&short_line, 0, text, sizeof text);
    assert_string_equal(text, "0:00.0");
}

static void want(struct seeker *seeker, uint64_t tick) {
    const struct replay_moment wish = {1, tick};
    seeker_want(seeker, &wish);
}

static void the_newest_wish_is_sent_one_at_a_time(void **state) {
    struct seeker seeker = {0};
    assert_false(seeker_sends(&seeker, 1000.0) || seeker_is_busy(&seeker));
    want(&seeker, 10);
    assert_true(seeker_sends(&seeker, 1000.0));
    assert_false(seeker_sends(&seeker, 1001.0));
    want(&seeker, 20);
    want(&seeker, 30);
    assert_false(seeker_sends(&seeker, 1500.0)); /* the first is not answered */
    seeker_answer(&seeker);
    assert_true(seeker_is_busy(&seeker));
    assert_true(seeker_sends(&seeker, 1500.0));
    assert_int_equal(seeker.wish.tick, 30);
    seeker_answer(&seeker);
    assert_false(seeker_is_busy(&seeker));
    want(&seeker, 40);
    assert_false(seeker_sends(&seeker, 1600.0)); /* too soon */
    assert_true(seeker_sends(&seeker, 1701.0));
    want(&seeker, 50);
    assert_false(seeker_sends(&seeker, 5000.0));
    assert_true(seeker_sends(&seeker, 6702.0)); /* the answer is lost */
}

static bool is_in_list(const void *context, const char *name) {
    for (const char *const *at = context; *at != NULL; at++) {
        if (strcmp(*at, name) == 0) {
            return true;
        }
    }
    return false;
}

static void proposed_names_are_free(void **state) {
    char name[LIMIT_NAME_CHARS + 1];
    const char *const none[] = {NULL}, *const two[] = {"flock-3600", "flock-3600-2", NULL};
    save_name_propose("flock", 3600, is_in_list, none, name);
    assert_string_equal(name, "flock-3600");
    save_name_propose("flock", 3600, is_in_list, two, name);
    assert_string_equal(name, "flock-3600-3");
    save_name_propose("a_scenario_of_thirty_one_letter", 123456, is_in_list, none, name);
    assert_string_equal(name, "a_scenario_of_thirty_one-123456");
    assert_int_equal(strlen(name), LIMIT_NAME_CHARS);
}

static void ages_are_words(void **state) {
    static const struct {
        int64_t now_s;
        const char *words;
    } rows[] = {{1763751600, "just now"},       {1763751600 - 3600, "just now"},
                {1763751600 + 59, "just now"},  {1763751600 + 300, "5 min ago"},
                {1763751600 + 7200, "2 h ago"}, {1763751600 + 864000, "10 days ago"}};
    char words[32];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        save_age_format("2025-11-21T19:00:00Z", rows[i].now_s, words, sizeof words);
        assert_string_equal(words, rows[i].words);
    }
    save_age_format("2024-02-29T00:00:00Z", 1709164800 + 120, words, sizeof words);
    assert_string_equal(words, "2 min ago");
    save_age_format("yesterday", 0, words, sizeof words);
    assert_string_equal(words, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_places),
        cmocka_unit_test(worlds_follow_each_other),
        cmocka_unit_test(moves_stay_on_the_line),
        cmocka_unit_test(ticks_are_times),
        cmocka_unit_test(the_newest_wish_is_sent_one_at_a_time),
        cmocka_unit_test(proposed_names_are_free),
        cmocka_unit_test(ages_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
