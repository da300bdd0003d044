/* Names lie beside their markers and cover neither each other nor panels, and they keep their side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "viewer/explain/label_places.h"

static const struct label_room empty = {.picture = {400.0f, 300.0f}};

static struct label_wish wish(const char *words, float x, float y) {
    return (struct label_wish){
        .key = label_places_key('t', words), .at = {x, y}, .reach = 10.0f, .size = {40.0f, 14.0f}};
}

static void a_name_lies_to_the_right_of_its_marker(void **state) {
    struct label_places places = {0};
    struct label_wish wishes[] = {wish("door", 100, 100), wish("ring", 200, 100)};
    vec2 corner[2];
    bool shown[2];
    wishes[1].side = LABEL_ABOVE;
    label_places_find(&places, &empty, wishes, 2, corner, shown);
    assert_true(shown[0] && corner[0].x == 110.0f && corner[0].y == 93.0f);
    assert_true(shown[1] && corner[1].x == 180.0f && corner[1].y == 76.0f);
}

static void names_of_one_place_go_apart(void **state) {
    struct label_places places = {0};
    struct label_wish wishes[9];
    vec2 corner[9];
    bool shown[9];
    const char *const words[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    for (int i = 0; i < 9; i++) {
        wishes[i] = wish(words[i], 200, 150);
    }
    label_places_find(&places, &empty, wishes, 9, corner, shown);
    assert_true(shown[0] && shown[1] && shown[2] && shown[3]);
    assert_false(shown[8]); /* there are eight sides */
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < i && shown[i]; k++) {
            assert_true(!shown[k] || corner[i].x >= corner[k].x + 40.0f ||
                        corner[k].x >= corner[i].x + 40.0f || corner[i].y >= corner[k].y + 14.0f ||
                        corner[k].y >= corner[i].y + 14.0f);
        }
    }
}

static void nothing_lies_over_panels_or_outside(void **state) {
    const struct label_box panel = {{110.0f, 0.0f}, {400.0f, 300.0f}};
    const struct label_room room = {.picture = {400.0f, 300.0f}, .covers = &panel, .cover_count = 1};
    struct label_places places = {0};
    struct label_wish wishes[] = {wish("left", 100, 100), wish("none", 20, 5), wish("gone", -100, 5)};
    vec2 corner[3];
    bool shown[3];
    label_places_find(&places, &room, wishes, 3, corner, shown);
    assert_true(shown[0] && corner[0].x == 50.0f);
    assert_true(shown[1] && corner[1].y >= 0.0f && corner[1].x >= 0.0f);
    assert_false(shown[2]);
}

static void a_name_keeps_its_side_until_it_must_not(void **state) {
    struct label_box marker = {{112.0f, 90.0f}, {130.0f, 110.0f}};
    const struct label_room room = {.picture = {400.0f, 300.0f}, .markers = &marker, .marker_count = 1};
    struct label_places places = {0};
    struct label_wish one = wish("door", 100, 100);
    vec2 corner;
    bool shown;
    label_places_find(&places, &room, &one, 1, &corner, &shown);
    assert_true(shown && corner.x == 50.0f); /* left: a marker is at the right */
    marker.low.x = marker.high.x = 1000.0f;
    label_places_find(&places, &room, &one, 1, &corner, &shown);
    assert_true(shown && corner.x == 50.0f);
    one.at.x = 30.0f; /* no room at the left any more */
    label_places_find(&places, &room, &one, 1, &corner, &shown);
    assert_true(shown && corner.x == 40.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_lies_to_the_right_of_its_marker),
        cmocka_unit_test(names_of_one_place_go_apart),
        cmocka_unit_test(nothing_lies_over_panels_or_outside),
        cmocka_unit_test(a_name_keeps_its_side_until_it_must_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
