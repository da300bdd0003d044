/* What the formulas of the behaviors are made of: a row a behavior, a row a word. */
#ifndef DROVER_VIEWER_EXPLAIN_FORMULA_ROWS_H
#define DROVER_VIEWER_EXPLAIN_FORMULA_ROWS_H

#include <stddef.h>

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

#endif
