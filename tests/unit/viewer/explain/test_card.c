/* The card of a world: its texts, and the keys that follow from what it has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/explain/texts.h"

/* The words of this key that hold `part`; NULL for none. */
static const char *words_of(const struct explain_card *card, const char *key, const char *part) {
    for (int i = 0; i < card->key_count; i++) {
        if (strcmp(card->keys[i].key, key) == 0 && strstr(card->keys[i].words, part) != NULL) {
            return card->keys[i].words;
        }
    }
    return NULL;
}

static void keys_follow_from_the_world(void **state) {
    struct message_scenario *scenario = calloc(1, sizeof *scenario);
    struct explain_card card;
    assert_non_null(scenario);
    (void)snprintf(scenario->name, sizeof scenario->name, "flock");
    explain_fill_card(scenario, false, &card);
    assert_string_equal(card.title, "flock");
    assert_null(words_of(&card, "Mouse", ""));
    assert_non_null(words_of(&card, "K", "sliders"));
    scenario->target_count = 3;
    (void)snprintf(scenario->targets[0], sizeof scenario->targets[0], "mouse");
    (void)snprintf(scenario->targets[1], sizeof scenario->targets[1], "door");
    (void)snprintf(scenario->targets[2], sizeof scenario->targets[2], "exit");
    scenario->view = (struct message_view){
        .has = MESSAGE_VIEW_OVERLAYS | MESSAGE_VIEW_TRAILS, .trails = true, .overlay_count = 2};
    (void)snprintf(scenario->view.overlays[0], sizeof scenario->view.overlays[0], "radii");
    (void)snprintf(scenario->view.overlays[1], sizeof scenario->view.overlays[1], "halos");
    scenario->kind_count = 1;
    scenario->kinds[0].count = 100000;
    explain_fill_card(scenario, false, &card);
    assert_non_null(words_of(&card, "Mouse", "move the target"));
    assert_string_equal(words_of(&card, "Drag", ""), "move the targets door, exit");
    assert_non_null(words_of(&card, "R", "radii"));
    assert_non_null(words_of(&card, "T", "trails"));
    assert_null(words_of(&card, "V", ""));
    assert_non_null(words_of(&card, "Wheel", "single agents"));
    explain_fill_card(scenario, true, &card); /* a recording takes no requests */
    assert_null(words_of(&card, "Mouse", ""));
    assert_null(words_of(&card, "Drag", ""));
    free(scenario);
}

static void a_caption_is_a_sentence(void **state) {
    struct message_scenario *scenario = calloc(1, sizeof *scenario);
    char text[200];
    assert_non_null(scenario);
    explain_fill_caption(scenario, text, sizeof text);
    assert_string_equal(text, "");
    (void)snprintf(scenario->description, sizeof scenario->description, "No full stop");
    explain_fill_caption(scenario, text, sizeof text);
    assert_string_equal(text, "No full stop");
    (void)snprintf(scenario->description, sizeof scenario->description, "One. Two.");
    explain_fill_caption(scenario, text, sizeof text);
    assert_string_equal(text, "One.");
    (void)snprintf(scenario->about.caption, sizeof scenario->about.caption, "Its own.");
    explain_fill_caption(scenario, text, sizeof text);
    assert_string_equal(text, "Its own.");
    free(scenario);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_follow_from_the_world),
        cmocka_unit_test(a_caption_is_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
