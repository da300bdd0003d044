/* Playlists, and when an exhibition goes on to the next world or puts one back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "viewer/model/kiosk.h"

static int read_list(const char *text, struct kiosk_list *list, struct failure *failure) {
    return kiosk_list_read(text, strlen(text), list, failure);
}

static void a_playlist_is_read(void **state) {
    struct kiosk_list list = {.count = 0};
    struct failure failure;
    assert_int_equal(read_list("# evening\nflock 90\r\n\n  seek\t# short\nboids 2.5", &list, &failure), 0);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.rows[0].scenario, "flock");
    assert_true(list.rows[0].seconds == 90.0);
    assert_string_equal(list.rows[1].scenario, "seek");
    assert_true(list.rows[1].seconds == 60.0);
    assert_true(list.rows[2].seconds == 2.5);
}

static void a_wrong_line_is_named(void **state) {
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"flock\n../seek 3\n", "line 2: '../seek' is no name"},
        {"flock soon", "line 1: 'soon' is no time"},
        {"flock 0", "line 1: '0' is no time"},
        {"flock 86401", "1 to 86400"},
        {"flock 3 4", "line 1: '3 4' is no time"},
        {"flock 1.2.3", "is no time"},
        {"an_endless_name_of_a_scenario_without_an_end", "is no name"},
        {"# nothing\n\n", "no scenario in it"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct kiosk_list list = {.count = 7};
        struct failure failure;
        assert_int_equal(read_list(wrong[i].text, &list, &failure), -1);
        assert_non_null(strstr(failure.message, wrong[i].words));
        assert_int_equal(list.count, 7);
    }
}

static void too_many_lines_are_refused(void **state) {
    char text[2 * (KIOSK_ROWS + 1) + 1] = "";
    struct kiosk_list list = {.count = 0};
    struct failure failure;
    for (int i = 0; i < KIOSK_ROWS; i++) {
        memcpy(text + 2 * i, "a\n", 3);
    }
    assert_int_equal(read_list(text, &list, &failure), 0);
    assert_int_equal(list.count, KIOSK_ROWS);
    memcpy(text + 2 * KIOSK_ROWS, "a\n", 3);
    assert_int_equal(read_list(text, &list, &failure), -1);
    assert_non_null(strstr(failure.message, "too many scenarios"));
}

static void the_usual_list_goes_by_groups(void **state) {
    const struct message_scenario_row rows[] = {{.name = "boids", .group = "crowds"},
                                                {.name = "million", .group = "large"},
                                                {.name = "mine"},
                                                {.name = "seek", .group = "tutorials"},
                                                {.name = "wander", .group = "behaviors"}};
    struct kiosk_list list;
    kiosk_list_fill(&list, rows, 5);
    assert_int_equal(list.count, 4);
    assert_string_equal(list.rows[0].scenario, "seek");
    assert_string_equal(list.rows[1].scenario, "wander");
    assert_string_equal(list.rows[2].scenario, "boids");
    assert_string_equal(list.rows[3].scenario, "mine");
}

/* Two worlds of 60 s and 20 s; it resets after 30 s. */
static struct kiosk two_worlds(void) {
    struct kiosk kiosk = {.at = -1, .reset_after = 30.0};
    struct failure failure;
    assert_int_equal(read_list("flock 60\nseek 20\n", &kiosk.list, &failure), 0);
    return kiosk;
}

static void worlds_follow_one_another(void **state) {
    struct kiosk kiosk = two_worlds();
    assert_int_equal(kiosk_update(&kiosk, true, 1e6), KIOSK_GOES_ON); /* no world yet */
    kiosk_begin(&kiosk, "flock", 0.0);
    assert_int_equal(kiosk_update(&kiosk, true, 59999.0), KIOSK_GOES_ON);
    assert_int_equal(kiosk_update(&kiosk, true, 60000.0), KIOSK_NEXT);
    assert_string_equal(kiosk_next(&kiosk, 60000.0), "seek");
    assert_int_equal(kiosk_update(&kiosk, true, 60001.0), KIOSK_GOES_ON); /* it is under way */
    kiosk_begin(&kiosk, "seek", 60500.0);
    assert_int_equal(kiosk_update(&kiosk, true, 80499.0), KIOSK_GOES_ON);
    assert_int_equal(kiosk_update(&kiosk, true, 80500.0), KIOSK_NEXT);
    assert_string_equal(kiosk_next(&kiosk, 80500.0), "flock");
}

static void a_world_that_does_not_come_is_left_out(void **state) {
    struct kiosk kiosk = two_worlds();
    kiosk_begin(&kiosk, "flock", 0.0);
    assert_string_equal(kiosk_next(&kiosk, 60000.0), "seek");
    assert_int_equal(kiosk_update(&kiosk, true, 69999.0), KIOSK_GOES_ON);
    assert_int_equal(kiosk_update(&kiosk, true, 70000.0), KIOSK_NEXT);
    assert_string_equal(kiosk_next(&kiosk, 70000.0), "flock");
}

static void a_world_beside_the_list_has_the_usual_time(void **state) {
    struct kiosk kiosk = two_worlds();
    kiosk_begin(&kiosk, "shepherds", 0.0);
    assert_int_equal(kiosk_update(&kiosk, true, 59999.0), KIOSK_GOES_ON);
    assert_int_equal(kiosk_update(&kiosk, true, 60000.0), KIOSK_NEXT);
    assert_string_equal(kiosk_next(&kiosk, 60000.0), "flock");
    kiosk.list.count = 0;
    assert_null(kiosk_next(&kiosk, 60000.0));
}

static void a_hand_keeps_its_world_for_a_while(void **state) {
    struct kiosk kiosk = two_worlds();
    kiosk_begin(&kiosk, "flock", 0.0);
    kiosk_touch(&kiosk, 55000.0);
    assert_int_equal(kiosk_update(&kiosk, true, 64999.0), KIOSK_GOES_ON);
    assert_int_equal(kiosk_update(&kiosk, true, 65000.0), KIOSK_NEXT);
    kiosk_touch(&kiosk, 179000.0); /* it would never rest: others wait */
    assert_int_equal(kiosk_update(&kiosk, true, 179999.0), KIOSK_GOES_ON);
    assert_int_equal(kiosk_update(&kiosk, true, 180000.0), KIOSK_NEXT);
}

static void hands_that_rest_put_it_back_once(void **state) {
    struct kiosk kiosk = two_worlds();
    kiosk_begin(&kiosk, "flock", 0.0);
    assert_int_equal(kiosk_update(&kiosk, false, 1e7), KIOSK_GOES_ON); /* no role for another world */
    kiosk_touch(&kiosk, 1e7);
    assert_int_equal(kiosk_update(&kiosk, false, 1e7 + 29999.0), KIOSK_GOES_ON);
    assert_int_equal(kiosk_update(&kiosk, false, 1e7 + 30000.0), KIOSK_RESETS);
    assert_int_equal(kiosk_update(&kiosk, false, 1e7 + 70000.0), KIOSK_GOES_ON);
}

static void a_hand_is_not_forgotten_when_its_world_is_told_again(void **state) {
    struct kiosk kiosk = two_worlds();
    kiosk_begin(&kiosk, "flock", 0.0);
    kiosk_touch(&kiosk, 1000.0);
    kiosk_begin(&kiosk, "flock", 2000.0);
    assert_int_equal(kiosk_update(&kiosk, true, 31000.0), KIOSK_RESETS);
    kiosk_touch(&kiosk, 32000.0);
    kiosk_begin(&kiosk, "seek", 33000.0); /* another world has not been touched */
    assert_int_equal(kiosk_update(&kiosk, false, 70000.0), KIOSK_GOES_ON);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_playlist_is_read),
        cmocka_unit_test(a_wrong_line_is_named),
        cmocka_unit_test(too_many_lines_are_refused),
        cmocka_unit_test(the_usual_list_goes_by_groups),
        cmocka_unit_test(worlds_follow_one_another),
        cmocka_unit_test(a_world_that_does_not_come_is_left_out),
        cmocka_unit_test(a_world_beside_the_list_has_the_usual_time),
        cmocka_unit_test(a_hand_keeps_its_world_for_a_while),
        cmocka_unit_test(hands_that_rest_put_it_back_once),
        cmocka_unit_test(a_hand_is_not_forgotten_when_its_world_is_told_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
