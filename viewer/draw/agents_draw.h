/* Draws all agents of a frame at once, out of its columns. Pure. */
#ifndef DROVER_VIEWER_DRAW_AGENTS_DRAW_H
#define DROVER_VIEWER_DRAW_AGENTS_DRAW_H

#include "common/text/names.h"
#include "viewer/draw/canvas.h"
#include "viewer/model/camera.h"
#include "viewer/model/frame.h"
#include "viewer/model/interpolate.h"

/** More agents than this are drawn on the raster as sprites: headings in steps of 3.75
 * degrees, places in quarters of a pixel. */
enum { AGENTS_DRAW_EXACT = 400 };

/** No agent is drawn with a smaller radius, window px, unless there are thousands. */
#define AGENTS_DRAW_MIN_ARROW_PX 6.0f

/** Looked up once a frame, not for each agent; indices are those of the frame's name tables. */
struct agents_style {
    float radius[NAME_TABLE_CAPACITY]; /* by kind, picture px */
    enum shape shape[NAME_TABLE_CAPACITY];
    vec2 wrap_size; /* px of the world; 0: it does not wrap */
    bool is_held;   /* too old to be believed: pale */
};

/** One batch, in the colors of the column `fill`. Agents outside the canvas's clip rectangle are left out; of a wrapping world the copies around it
 * (canvas.h) are drawn as well, as far as the clip rectangle goes. */
void agents_draw(struct canvas *canvas, const struct frame *frame, const struct camera *camera,
                 const struct agents_style *style);

/** The radius an agent of world_radius (px of the world) is drawn with, picture px; world_size: px of the world.
 * smallest: the least radius of the world's kinds, px of the world. In a crowd from afar, where all are drawn larger than
 * they are, larger kinds stay larger. */
float agents_draw_radius(const struct frame *frame, const struct camera *camera, vec2 world_size,
                         float smallest, float pixel_scale, float world_radius);
/** The radius of the smallest agents, picture px: smaller where there are many. */
float agents_draw_least_radius(const struct frame *frame, const struct camera *camera, vec2 world_size,
                               float pixel_scale);

/* A crowd as rows that a graphics card moves between two snapshots and draws by itself: the processor makes the rows when a
 * snapshot comes, and a frame costs it a few numbers. web/src/crowd.ts has the card's part. Pure.
 *
 * Owns the rows. Invariant: the rows are in the order of the frame that they were filled from.
 */

/** Crowds of more agents than this are drawn so; and of up to so many kinds. */
enum { AGENT_INSTANCES_FROM = 10000, AGENT_INSTANCES_KINDS = 64 };

enum agent_phase { AGENT_STAYS, AGENT_COMES, AGENT_LEAVES };

/** An agent, 44 bytes. Both places are the same where there is one snapshot. */
struct agent_instance {
    int32_t from_x, from_y, to_x, to_y;     /* hundredths of px */
    int32_t from_vx, from_vy, to_vx, to_vy; /* hundredths of px/s */
    uint16_t heading;                       /* hundredths of a degree, 0 .. 35999 */
    int16_t turn;                           /* to the other heading, the short way */
    uint16_t kind, phase;                   /* enum agent_phase */
    uint32_t tint;                          /* as in struct mesh_vertex */
};

/** Everything that a frame needs beside the rows. 4 bytes a member, in the order of memory. */
struct agent_instances_frame {
    int32_t clip_x0, clip_y0, clip_x1, clip_y1;            /* picture px */
    float scale, offset_x, offset_y;                       /* picture px = px of the world * scale + offset */
    float along, leave, reach, part;                       /* struct interpolate_motion */
    float reach_s, has_jumped, since_s, fade_in, fade_out; /* the same */
    float width, height;                                   /* the same */
    float pale;                                            /* 0..1, every agent's alpha times this */
    float low_x, low_y, high_x, high_y;                    /* centers outside are not seen, picture px */
    int32_t tile_count;                                    /* copies of the world that may be seen */
    float tiles[TILES_COUNT][2];                           /* where, px of the world */
    int32_t kind_count;                                    /* rows used of the two tables */
    float half[AGENT_INSTANCES_KINDS];                     /* half the width of a kind's sprite, picture px */
    struct {
        float u0, v0, u1, v1;
    } sprite[AGENT_INSTANCES_KINDS]; /* where it is in MESH_SPRITES */
};

struct agent_instances {
    struct agent_instance *rows;
    int32_t count, capacity;
    uint32_t version; /* counts up when the rows change */
    struct interpolate_motion motion;
    struct agent_instances_frame frame;
};

/** Without rows. */
void agent_instances_init(struct agent_instances *instances);
/** Frees the rows. */
void agent_instances_fini(struct agent_instances *instances);
/** No rows: the next frame is drawn as quads. */
void agent_instances_clear(struct agent_instances *instances);

/** Makes the rows of a frame that was filled from the snapshots of *motion and has its colors. -1 when out of memory or
 * when there are too many kinds: then there are no rows. */
NODISCARD int agent_instances_fill(struct agent_instances *instances, const struct frame *frame,
                                   const struct interpolate_motion *motion);

/** Notes in the canvas's mesh that the rows are drawn here. false when the canvas takes none or there are none of this frame:
 * then agents_draw has to. */
bool agent_instances_draw(struct canvas *canvas, const struct frame *frame, const struct camera *camera,
                          const struct agents_style *style);

#endif
