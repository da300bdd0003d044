/* The rows of the legend: everything that is drawn, with what it means. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_LEGEND_H
#define DROVER_VIEWER_EXPLAIN_LEGEND_H

#include <stdbool.h>

#include "common/snapshot/snapshot_density.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"
#include "viewer/link/server_model.h"
#include "viewer/model/frame.h"
#include "viewer/model/view_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LEGEND_MOST_ROWS = 40, LEGEND_MOST_AGENTS = 16, LEGEND_MOST_KINDS = 8 };

/** What stands beside the words. */
enum legend_mark {
    LEGEND_AGENT,  /* the shape of a kind */
    LEGEND_COLOR,  /* a disc: agents of several shapes */
    LEGEND_VECTOR, /* an arrow from an agent */
    LEGEND_CIRCLE, /* a ring around an agent */
    LEGEND_CROSS,  /* a place */
    LEGEND_TIE,    /* a line to another agent */
    LEGEND_DASHES, /* a way that is not gone yet */
    LEGEND_TRAIL,  /* a way that fades with time */
    LEGEND_ONION,  /* shapes that fade with time */
    LEGEND_WALL,
    LEGEND_TARGET,
    LEGEND_FLAG, /* a target */
    LEGEND_PATH,
    LEGEND_FLOW,
    LEGEND_REGION,
    LEGEND_MARK_COUNT
};

struct legend_row {
    char words[48];
    enum legend_mark mark;
    int kind;                  /* LEGEND_AGENT: number of the scenario's kind, whose shape it is */
    int32_t count;             /* of agents; -1: the row is of something else */
    struct agent_group lights; /* the agents that it lights */
    color fill;
};

struct legend {
    int count, agent_count; /* rows; the first agent_count are of agents */
    struct legend_row rows[LEGEND_MOST_ROWS];
    struct color_scale scale;
    int lit; /* the row whose agents are lit; -1: none */
};

/** A crowd that is drawn as heat. */
struct legend_heat {
    const struct density *density; /* the server's counts; NULL: of the agents in the frame */
    bool is_tinted; /* by what agents' colors say: its color is the stronger the more agents there are, */
    float full, cell_px; /* up to so many in a square so wide, px of the world */
};

/** What it is about; the caller's. */
struct legend_input {
    const struct server_model *server;
    const struct frame *frame;
    const struct view_settings *settings;
    const struct state_colors *colors;
    const struct color_scale
        *scale;                     /* of the color mode or of the counts; NULL or without a title for none */
    const struct legend_heat *heat; /* NULL: agents are drawn one by one */
    const struct message_agent *inspected; /* the selected agent's; NULL when it is not known */
    bool has_agent;                        /* one is selected, and in the frame: */
    int32_t agent;                         /* its index */
    bool is_part;                          /* the frame has the agents around what is visible alone */
};

/** Fills the rows. */
void legend_collect(const struct legend_input *input, struct legend *legend);

#ifdef __cplusplus
}
#endif

#endif
