/* The colors of a frame's agents, and what they need: numbers of neighbors, times in a state. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_AGENT_COLORS_H
#define DROVER_VIEWER_EXPLAIN_AGENT_COLORS_H

#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/text/names.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"
#include "viewer/link/server_model.h"
#include "viewer/model/frame.h"
#include "viewer/model/view_settings.h"

/* How many neighbors each agent of a frame has, counted with a grid. Pure. */

enum { NEIGHBOR_COUNT_MOST = 200 };

/** Owns its columns, which keep their size from frame to frame. */
struct neighbor_count {
    int32_t capacity, cell_capacity;
    int32_t *order, *begin; /* agents by cell; where each cell begins */
    uint16_t *counts;       /* by index in the frame */
};

struct neighbor_rules {
    vec2 size;                         /* of the world, px */
    bool wraps;                        /* neighbors across the border count */
    float radius[NAME_TABLE_CAPACITY]; /* how far an agent of each kind of the frame sees, px */
};

/** Without memory yet. */
void neighbor_count_init(struct neighbor_count *count);
/** Frees the columns. */
void neighbor_count_fini(struct neighbor_count *count);
/** Counts, up to NEIGHBOR_COUNT_MOST each. -1 when out of memory: then there are no counts. */
NODISCARD int neighbor_count_update(struct neighbor_count *count, const struct frame *frame,
                                    const struct neighbor_rules *rules);

/* How long each agent has been in its state, as far as the window has seen it. Pure. */

/** Owns its columns. Rows are those of the frame's settled agents: ids ascend. */
struct state_times {
    int32_t count, capacity;
    uint32_t *id, *other_id;       /* the rows, and room for the next ones */
    uint32_t *state, *other_state; /* a number made from the state's name */
    float *since, *other_since;    /* s, simulated */
    uint32_t epoch;                /* of the scenario */
};

/** Without memory yet. */
void state_times_init(struct state_times *times);
/** Frees the columns. */
void state_times_fini(struct state_times *times);
/** Takes in a frame. An agent that was not there before begins now; so do all after another scenario (epoch). A time
 * that falls begins nothing. -1 when out of memory: nothing is known then. */
NODISCARD int state_times_update(struct state_times *times, const struct frame *frame, uint32_t epoch);
/** How long agent number `index` of that frame has been in its state, s. */
float state_times_at(const struct state_times *times, const struct frame *frame, int32_t index);

/* The color of every agent of a frame: what the setting `color` says. Pure. */

/** Owns what is remembered from frame to frame. */
struct agent_colors {
    struct state_colors states;
    struct state_times times;
    struct neighbor_count neighbors;
    struct color_scale scale; /* of the frame; without a title when colors are no numbers */
    float neighbors_top;      /* of the scale: it does not flicker */
};

/** Without memory yet. */
void agent_colors_init(struct agent_colors *colors);
/** Frees it. */
void agent_colors_fini(struct agent_colors *colors);
/** Fills the frame's column `fill` as the settings have it, dimmed where agents are not of the lit group, and the scale; a
 * frame without names stays as it is. What
 * there is no data or memory for is gray. */
void agent_colors_fill(struct agent_colors *colors, struct frame *frame, const struct server_model *server,
                       const struct view_settings *settings);

#endif
