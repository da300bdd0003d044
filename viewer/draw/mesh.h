/* A mesh, which a graphics card draws in a frame: vertices in plain arrays, cut into batches. Pure.
 *
 * Owns the arrays; they keep their size from frame to frame. Invariants: 1. A batch's indices count from its
 * own first vertex. 2. A batch of quads has four vertices a quad and no indices: mesh_quad_indices gives
 * them.
 * 3. Growing that fails loses what was to be added and is counted, nothing else.
 */
#ifndef DROVER_VIEWER_DRAW_MESH_H
#define DROVER_VIEWER_DRAW_MESH_H

#include <stdint.h>

#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "viewer/draw/raster.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mesh_texture { MESH_SPRITES, MESH_FONT, MESH_PREVIEW, MESH_TEXTURE_COUNT };

/** As SDL_Vertex: tint is red, green, blue, alpha in the order of memory (mesh_tint). */
struct mesh_vertex {
    float x, y;
    uint32_t tint;
    float u, v;
};

struct agent_instances;

struct mesh_batch {
    enum mesh_texture texture;
    struct raster_rect clip;
    int32_t first_vertex, vertex_count;
    int32_t first_index, index_count; /* index_count 0: quads */
};

struct mesh {
    struct mesh_vertex *vertices;
    int32_t vertex_count, vertex_capacity;
    int32_t *indices;
    int32_t index_count, index_capacity;
    struct mesh_batch *batches;
    int32_t batch_count, batch_capacity;
    int32_t *quad_indices; /* 0 1 2 0 2 3, 4 5 6 4 6 7 ... */
    int32_t quad_capacity;
    uint32_t lost; /* pieces that there was no memory for */
    /* of what draws large crowds by itself, the caller's; NULL: as quads */
    struct agent_instances *instances;
    int32_t instances_batch; /* before this batch they are drawn; -1: not in this frame */
};

/** Empty, without memory yet. */
void mesh_init(struct mesh *mesh);
/** Frees the arrays. */
void mesh_fini(struct mesh *mesh);
/** Forgets the frame; keeps the memory. */
void mesh_clear(struct mesh *mesh);

/** Room for one more piece in a batch of this texture and clip. Writes where the piece's vertices and indices
 * go; indices must be given as *base plus the piece's own. -1 when out of memory. */
NODISCARD int mesh_add(struct mesh *mesh, enum mesh_texture texture, struct raster_rect clip,
                       int32_t vertices, int32_t indices, struct mesh_vertex **vertex, int32_t **index,
                       int32_t *base);
/** Room for up to this many quads in a batch of their own; NULL when out of memory. mesh_end_quads says how
 * many it were. */
NODISCARD struct mesh_vertex *mesh_begin_quads(struct mesh *mesh, enum mesh_texture texture,
                                               struct raster_rect clip, int32_t quads);
/** Ends the batch of mesh_begin_quads with so many quads, at most those asked for. */
void mesh_end_quads(struct mesh *mesh, int32_t quads);
/** The indices of so many quads; NULL when out of memory. */
NODISCARD const int32_t *mesh_quad_indices(struct mesh *mesh, int32_t quads);

static inline uint32_t mesh_tint(color c) {
    return (c & 0xff00ff00u) | ((c & 0xffu) << 16) | ((c >> 16) & 0xffu);
}

#ifdef __cplusplus
}
#endif

#endif
