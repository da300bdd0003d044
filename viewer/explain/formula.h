/* The equations of a selected agent: what inspect says of it, as lines of words and numbers.
 *
 * A line is a list of tokens, so that a panel or a page only has to lay them out: each token has a color role,
 * the arrow that it belongs to, and the word whose unit and sentence a tooltip shows. A behavior's formula is a
 * row of formula_rows.c. Pure; no state.
 *
 *     struct formula formula;
 *     formula_of_term(agent, 0, &formula);      desired = norm(offset) · max_speed
 *                                               (205.8, -123.5) = norm((200, -120)) · 240
 *     formula_of_sum(agent, &formula);          seek wants 14 400, gets (308.7, -185.2)
 */
#ifndef DROVER_VIEWER_EXPLAIN_FORMULA_H
#define DROVER_VIEWER_EXPLAIN_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

#include "common/protocol/message_agent.h"
#include "viewer/explain/formula_rows.h"

enum { FORMULA_TEXT = 80, FORMULA_TOKENS = 28, FORMULA_LINES = 48 };

/** What in the picture a token belongs to: pointing at one lights the other. */
struct formula_link {
    enum formula_link_kind kind;
    int term, part, point; /* indices in the agent; -1 where they do not matter */
};

struct formula_token {
    char text[FORMULA_TEXT]; /* UTF-8; spaces around it are part of it */
    const char *word;        /* what it stands for, static: "max_speed"; NULL: an operator, or plain text */
    enum formula_role role;
    const char *behavior; /* FORMULA_BEHAVIOR: the type or part that has the color; owned by the agent */
    struct formula_link link;
    int number_count; /* 0; 1; 2: a vector */
    float numbers[2]; /* as computed; the text has them rounded */
};

enum formula_line_kind {
    FORMULA_SYMBOLS, /* the formula in words: "desired = norm(offset) · max_speed" */
    FORMULA_NUMBERS, /* the same with this tick's numbers, token by token; follows its FORMULA_SYMBOLS */
    FORMULA_NOTE,    /* a sentence with numbers: "512.0 px away: it does nothing" */
    FORMULA_SUMMAND, /* of formula_of_sum: what a term wants and gets */
    FORMULA_TOTAL,   /* of formula_of_sum: the net force, and the acceleration */
};
struct formula_line {
    enum formula_line_kind kind;
    int token_count;
    struct formula_token tokens[FORMULA_TOKENS];
};

/** Some 200 KB: not for small stacks. */
struct formula {
    int line_count;
    struct formula_line lines[FORMULA_LINES];
};

/** The formula of agent->terms[term] (asserted to exist): how it comes to its desired velocity and force. */
void formula_of_term(const struct message_agent *agent, int term, struct formula *out);
/** How the terms become the net force: what each wants and gets, tiers, truncation, acceleration. The vectors
 * that the FORMULA_SUMMAND lines say the terms get add up to the one of the first FORMULA_TOTAL line, digit by
 * digit. */
void formula_of_sum(const struct message_agent *agent, struct formula *out);

/** Whether the term gets the whole force that it wants, to what inspect rounds. */
bool formula_gets_all(const struct message_agent_term *term);

/** What a tooltip says of a token's word; NULL for a word that has no row. */
const struct formula_word *formula_word_of(const char *name);

/** Whether two tokens, or a token and an arrow, belong together. */
bool formula_same_link(struct formula_link a, struct formula_link b);

/** The line as text. Cut off to size; always terminated. */
void formula_line_text(const struct formula_line *line, char *out, size_t size);

enum { FORMULA_NUMBER_TEXT = 32 };
/** A number with four digits, thousands apart: "12 600", "308.7", "0.35", "-2"; a whole number has no point.
 * Returns its length. */
size_t formula_number_text(char out[FORMULA_NUMBER_TEXT], double value);
/** A number with so many decimals (0 to 4), thousands apart. Returns its length. */
size_t formula_decimal_text(char out[FORMULA_NUMBER_TEXT], double value, int decimals);

#endif
