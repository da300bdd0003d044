/* The agents and targets of one picture, as columns. Pure. */
#ifndef DROVER_VIEWER_MODEL_FRAME_H
#define DROVER_VIEWER_MODEL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/snapshot/snapshot.h"
#include "viewer/link/server_model.h"

/** Columns of a snapshot that are matched in `scratch`. */
enum { FRAME_SCRATCH_COLUMNS = 5 };

/** An agent as it is to be drawn, taken out of the columns. kind and state are indices in frame.names. */
struct pose {
    uint32_t id;
    uint16_t kind, state;
    vec2 position;          /* px */
    vec2 velocity;          /* px/s */
    vec2 desired, steering; /* px/s, mass*px/s^2; zero unless frame.has_forces */
    float heading;          /* rad, from +x towards +y */
    float alpha;            /* 0..1 */
};

struct frame_target {
    uint16_t name; /* index in frame.names->target_names */
    vec2 position;
};

/** Plain columns, one entry an agent: what draws them goes over whole arrays. Owns the columns. names points
 * into the snapshot buffer: valid until the next push. Agents that are in both snapshots come first, in
 * ascending order of id, then those that come, then those that leave. */
struct frame {
    int32_t count, capacity;
    int32_t settled_count; /* the first ones, which neither come nor leave: ids ascend */
    uint32_t *id;
    uint16_t *kind, *state;   /* indices in names */
    float *x, *y;             /* px */
    float *vx, *vy;           /* px/s */
    float *dir_x, *dir_y;     /* the heading as a vector of length 1 */
    float *alpha;             /* 0..1 */
    vec2 *desired, *steering; /* has_forces */
    int32_t *row;             /* where the agent is in names; -1 when it left */
    uint32_t *fill;           /* 0xAArrggbb: what it is drawn with (agent_colors.h) */
    int32_t *scratch;         /* columns of the two snapshots, matched: 10 * capacity + 2 * capacity */
    struct frame_target targets[LIMIT_TARGETS];
    int32_t target_count;
    const struct snapshot *names; /* NULL: nothing to draw yet */
    bool has_forces;
    bool is_stalled; /* the world runs and its snapshots stay away */
    double time_s;   /* simulated, of the picture */
    double late_ms;  /* how far the moment lies beyond the newest snapshot; 0 when it does not */
};

/** Empty, without memory yet. */
void frame_init(struct frame *frame);
/** Frees the columns. */
void frame_fini(struct frame *frame);
/** Room for so many agents; the columns are new, nothing of them is kept. -1 when out of memory: nothing
 * changes. */
NODISCARD int frame_reserve(struct frame *frame, int32_t count);

/** The agent at this place of the frame. */
struct pose frame_pose(const struct frame *frame, int32_t index);
/** Where the agent with this id is in the frame, or -1. */
int32_t frame_find(const struct frame *frame, uint32_t id);

/** The target of the frame that the view calls a flag; NULL without one. */
const struct frame_target *frame_flag(const struct message_view *view, const struct frame *frame);
/** The agent that has captured the flag, its index in the frame: it stands on it, slower than a quarter of its greatest
 * speed. Of several the nearest; -1 without one. */
int32_t frame_flag_captor(const struct server_model *server, const struct frame *frame);

#endif
