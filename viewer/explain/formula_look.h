/* How the equations of a selected agent look, in the window and in a page: the colors of words and arrows, what lights up
 * together, what stands beside a behavior. Pure; no state. */
#ifndef DROVER_VIEWER_EXPLAIN_FORMULA_LOOK_H
#define DROVER_VIEWER_EXPLAIN_FORMULA_LOOK_H

#include "viewer/explain/color.h"
#include "viewer/explain/formula_figure.h"
#include "viewer/explain/theme.h"
#include "viewer/model/input.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FORMULA_TERM_WORDS = 96 };

/** The color of a token's words: its role's, readable on a panel. */
color formula_token_color(enum palette palette, const struct formula_token *token);
/** The color of an arrow of the figure. */
color formula_arrow_color(enum palette palette, const struct formula_arrow *arrow);
/** The arrow of the picture that a token or an arrow belongs to. */
struct lit formula_lit(struct formula_link link);
/** Whether both are the same arrow, so that one lights up with the other. LIT_NOTHING is the same as nothing. */
bool formula_is_lit(struct lit a, struct lit b);
/** What stands beside a behavior: "muted", "308", or "wants 14 400, gets 360". */
void formula_term_words(const struct message_agent_term *term, bool is_muted, char out[FORMULA_TERM_WORDS]);
/** The most that a behavior or a part of one wants; > 0: the length of a whole bar. mass*px/s^2 */
float formula_most_wanted(const struct message_agent *agent);
/** Whether the term asks for no force now. */
bool formula_is_quiet(const struct message_agent_term *term);
/** The order in which terms are shown: those that act, as they are evaluated, then the quiet ones. Fills
 * agent->term_count indices. */
void formula_term_order(const struct message_agent *agent, int order[MESSAGE_AGENT_TERMS]);
/** The term whose triangle is to be shown when this is pointed at; -1: the strongest one's. */
int formula_pointed_term(const struct message_agent *agent, struct lit lit);
/** What the figure shows, in a sentence. Static storage. */
const char *formula_figure_tip(enum formula_figure_kind kind);

#ifdef __cplusplus
}
#endif

#endif
