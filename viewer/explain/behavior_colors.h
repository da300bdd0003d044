/* The color of each behavior, and of each state. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_BEHAVIOR_COLORS_H
#define DROVER_VIEWER_EXPLAIN_BEHAVIOR_COLORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "viewer/explain/theme.h"
#include "viewer/link/server_model.h"
#include "viewer/model/view_settings.h"

/* One fixed color for each behavior, wherever the behavior is shown: a state of its name, its force, its bar, the
 * place it aims at, its radius, its row in the legend. Pure.
 *
 * Colors of behaviors that a scenario has together are far apart, for color-blind eyes too (test_colors.c).
 */

#ifdef __cplusplus
extern "C" {
#endif

/** The color of a behavior, opaque. name: its type ("seek"), its label ("seek2"), or either after a state or another
 * behavior ("flee/flock", "flock.separation": the last part counts). A name that no behavior has gets the color of
 * wander, gray. */
color explain_behavior_color(enum palette palette, const char *name);
/** Whether the name has a color of its own: a behavior's, or a state's that has one by convention (rest, idle). */
bool explain_is_behavior(const char *name);
/** The type of a label: "flee/seek2" -> "seek". out has size bytes; a longer name is cut. */
void explain_behavior_type(const char *label, char *out, size_t size);
/** The name of behavior number `index` of the table, in the order of the documentation; NULL after the last one. */
const char *explain_behavior_name(int index);

enum { EXPLAIN_SPARES = 16 };

/* The colors of a scenario's states and kinds. Pure.
 *
 * They are dealt for the scenario as a whole, so that no two are alike: a state that is named like a behavior has the
 * behavior's color, the others get colors that are far from those. What is dealt depends on the scenario alone (its
 * kinds and the parameters that the server lists), not on the order in which states were seen.
 *
 * A kind without states has on the wire the name of its first behavior as its only state, which says little about what
 * it does. Here such a kind goes by its own name.
 */

enum { STATE_COLORS_MOST = 64 };

/** Agents that a row of the legend is about. */
struct agent_group {
    bool is_on; /* else there are none */
    int row;    /* of state_colors: that state; -1: any */
    int kind;   /* number of the scenario's kind; -1: any */
};

/** Whether both are the same agents. */
static inline bool agent_group_same(struct agent_group a, struct agent_group b) {
    return a.is_on == b.is_on && (!a.is_on || (a.row == b.row && a.kind == b.kind));
}

/** A state, or a kind without states. */
struct state_color {
    char name[LIMIT_NAME_CHARS + 1];
    bool is_kind;
    uint64_t kinds; /* that can have it: a bit for each of the scenario's kinds */
    color fill[PALETTE_COUNT];
};

struct state_colors {
    int count; /* states in the order of the scenario's kinds */
    struct state_color rows[STATE_COLORS_MOST];
    int kind_count;
    bool has_states[LIMIT_KINDS]; /* by number of the scenario's kind */
    color kind_fill[LIMIT_KINDS][PALETTE_COUNT];
    struct agent_group pointed,
        kept; /* lit until the pointer leaves its row; until another click. Of this world */
    /* what they were dealt for: */
    uint32_t epoch, names_count;
    int param_count;
};

/** Without colors yet. */
void state_colors_init(struct state_colors *colors);
/** Deals the colors again when the model has another scenario, other parameters, or has seen another state; else changes
 * nothing. */
void state_colors_update(struct state_colors *colors, const struct server_model *model);

/** The row of an agent of this kind (number of the scenario's kind, -1 for an unknown one) in this state; NULL when
 * there are too many. */
const struct state_color *state_colors_row(const struct state_colors *colors,
                                           const struct server_model *model, int kind, const char *state);
/** The color of such an agent: that of its row, or of the behavior with the state's name. */
color state_colors_fill(const struct state_colors *colors, const struct server_model *model,
                        enum palette palette, int kind, const char *state);
/** The color of a kind among kinds. */
color state_colors_kind(const struct state_colors *colors, enum palette palette, int kind);
/** What colors say: as the settings have it, but kinds where all agents have the same state. */
enum color_mode state_colors_mode(const struct state_colors *colors, const struct view_settings *settings);
/** The agents that are lit: others are dimmed. */
struct agent_group state_colors_lit(const struct state_colors *colors);
/** The words for the state of an agent of this kind: the state's name; "" when the kind has no states. */
const char *state_colors_words(const struct state_colors *colors, int kind, const char *state);

#ifdef __cplusplus
}
#endif

#endif
