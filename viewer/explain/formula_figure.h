/* The arrows below the formulas of a selected agent: one behavior's velocity triangle, or the sum of the forces.
 * Pure; no state.
 */
#ifndef DROVER_VIEWER_EXPLAIN_FORMULA_FIGURE_H
#define DROVER_VIEWER_EXPLAIN_FORMULA_FIGURE_H

#include "viewer/explain/formula.h"

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

#endif
