/* Texts: of tooltips, of the reason for a behavior, of the card about a world, of an agent for the clipboard. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_TEXTS_H
#define DROVER_VIEWER_EXPLAIN_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/protocol/message_event.h"
#include "common/protocol/message_scenario.h"

/* What a row of a panel means, in a sentence with its unit: the words of the tooltips. Pure. */

/** The sentence for the row of this name ("speed", "order", "trails"), or "" when there is none. Static storage. */
const char *tips_find(const char *name);

/* Why an agent does what it does, in a sentence: for the card beside the selected agent. Pure. */

#ifdef __cplusplus
extern "C" {
#endif

/** The term with the strongest part of the net force; where no force acts, the first that has its desired velocity. NULL
 * for none. */
const struct message_agent_term *explain_strongest(const struct message_agent *agent);
/** "keeps its distance from 3 neighbors": what a term makes the agent do. "" for a behavior that is not known. */
void explain_why(const struct message_agent *agent, const struct message_agent_term *term, char *out,
                 size_t size);

/* What a world says of itself: its caption, and the card with everything about it. Pure.
 *
 * The texts are the scenario's; the keys follow from its targets, obstacles, kinds and the overlays of its view.
 */

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

/* All that the equations of an agent say, as plain text to paste. Pure. */

/** Its title, then for each behavior its formula in words and in numbers, then the sum. Returns the text, which the
 * caller frees; NULL without memory. */
char *agent_text(const struct message_agent *agent);

#endif
