/* What a world says of itself: its caption, and the card with everything about it. Pure.
 *
 * The texts are the scenario's; the keys follow from its targets, obstacles, kinds and the overlays of its view.
 */
#ifndef DROVER_VIEWER_EXPLAIN_CARD_H
#define DROVER_VIEWER_EXPLAIN_CARD_H

#include <stdbool.h>
#include <stddef.h>

#include "common/protocol/message_scenario.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { EXPLAIN_CARD_KEYS = 24 };

/** A key or a motion of the mouse that matters in this world. */
struct explain_card_key {
    char key[24], words[120];
};

/** Pointers are the scenario's; "" for a text that it does not have. */
struct explain_card {
    const char *title, *caption, *description, *to_try, *look_for, *source;
    int key_count;
    struct explain_card_key keys[EXPLAIN_CARD_KEYS];
};

/** is_replay: the world is out of a recording, which takes no requests. */
void explain_fill_card(const struct message_scenario *scenario, bool is_replay, struct explain_card *card);
/** What the world is: its caption, or the first sentence of its description. "" without both. */
void explain_fill_caption(const struct message_scenario *scenario, char *out, size_t size);
/** What to try with the mouse alone: the text "try" up to its first clause with a key. "" when it begins with one. */
void explain_fill_mouse_try(const struct message_scenario *scenario, char *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
