/* How a term is computed: the rows of each behavior, the lines with this tick's numbers, the figure, and how tokens look. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_FORMULA_H
#define DROVER_VIEWER_EXPLAIN_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

#include "common/protocol/message_event.h"
#include "viewer/explain/theme.h"
#include "viewer/model/input.h"

/* What the formulas of the behaviors are made of: a row a behavior, a row a word. */

/** Which color a token has. */
enum formula_role {
    FORMULA_PLAIN,    /* the color of text */
    FORMULA_VELOCITY, /* that of the velocity's arrow */
    FORMULA_DESIRED,  /* that of the desired velocity's arrow */
    FORMULA_STEERING, /* that of the net force's arrow */
    FORMULA_TARGET,   /* that of the places a behavior looks at */
    FORMULA_BEHAVIOR, /* that of the behavior token.behavior, which may be a part: "separation" */
};

/** The arrows of the picture. */
enum formula_link_kind {
    FORMULA_NO_LINK,
    FORMULA_LINK_VELOCITY, /* the agent's velocity */
    FORMULA_LINK_DESIRED,  /* the desired velocity of the term `term`; -1: the agent's */
    FORMULA_LINK_STEERING, /* the net force */
    FORMULA_LINK_TERM,     /* the force of the term `term` */
    FORMULA_LINK_PART,     /* the force of its part `part` */
    FORMULA_LINK_POINT,    /* the place agent->points[point] */
};

/** What a tooltip says of a token's word. */
struct formula_word {
    const char *name;
    const char *unit; /* "px", "px/s", "mass*px/s²", "" without one */
    const char *help; /* one sentence */
};

/** A line of a formula. It stands when all its {words} have values.
 *
 * An equation, "{desired} = norm({offset}) · {max_speed}", makes two lines: words, then numbers; a sentence
 * (without " = ") makes one note. */
struct formula_template {
    const char *when; /* NULL; "word": only with that value, "!word": only without it */
    const char *text;
};

enum { FORMULA_TEMPLATES = 24 };
struct formula_row {
    const char *type;                                 /* as in message_agent_term */
    struct formula_template lines[FORMULA_TEMPLATES]; /* ended by a NULL text */
};

/** The row of a type; one without lines for a type of a newer server. */
const struct formula_row *formula_row_of(const char *type);

struct formula_word_row {
    struct formula_word word;
    enum formula_role role;
    enum formula_link_kind link;
    const char *point; /* FORMULA_LINK_POINT: which of the behavior's places, as on the wire */
};
/** The row of a word, or NULL. */
const struct formula_word_row *formula_word_row_of(const char *name, size_t length);

/** All rows, for tests; ended by a NULL type. */
extern const struct formula_row formula_rows[];

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

/** The line as text. Cut off to size; always terminated. */
void formula_line_text(const struct formula_line *line, char *out, size_t size);

enum { FORMULA_NUMBER_TEXT = 32 };
/** A number with four digits, thousands apart: "12 600", "308.7", "0.35", "-2"; a whole number has no point.
 * Returns its length. */
size_t formula_number_text(char out[FORMULA_NUMBER_TEXT], double value);

/* The arrows below the formulas of a selected agent: one behavior's velocity triangle, or the sum of the forces.
 * Pure; no state.
 */

enum formula_figure_kind {
    FORMULA_NO_FIGURE, /* no force acts */
    FORMULA_TRIANGLE,  /* steering = desired - velocity of one behavior, px/s */
    FORMULA_SUM,       /* what the behaviors get, head to tail, and the net force, mass*px/s² */
};

enum { FORMULA_ARROWS = MESSAGE_AGENT_TERMS + 1 };

/** An arrow; y points down as in the world. */
struct formula_arrow {
    const char *label; /* static, or the agent's */
    enum formula_role role;
    const char *behavior; /* FORMULA_BEHAVIOR: whose color it has; the agent's */
    struct formula_link link;
    vec2 from, to;
};

struct formula_figure {
    enum formula_figure_kind kind;
    int term; /* FORMULA_TRIANGLE: whose it is; else -1 */
    int arrow_count;
    struct formula_arrow arrows[FORMULA_ARROWS];
    vec2 low, high; /* the box around all arrows */
    float longest;  /* arrow */
    float bar;      /* a round length below that, for the scale: 1, 2, 5, 10, 20 ... */
    const char *unit;
};

/** The triangle of agent->terms[term] when its formula matches a velocity; else (and for term -1) that of the
 * strongest such behavior; the sum of the forces when there is none. */
struct formula_figure formula_figure_of(const struct message_agent *agent, int term);

/* How the equations of a selected agent look, in the window and in a page: the colors of words and arrows, what lights up
 * together, what stands beside a behavior. Pure; no state. */

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
