/* See mesh.h. */
#include "viewer/draw/mesh.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MESH_MOST = 64 * 1024 * 1024 };

void mesh_init(struct mesh *mesh) {
    memset(mesh, 0, sizeof *mesh);
    mesh->instances_batch = -1;
}

void mesh_fini(struct mesh *mesh) {
    free(mesh->vertices);
    free(mesh->indices);
    free(mesh->batches);
    free(mesh->quad_indices);
    mesh_init(mesh);
}

void mesh_clear(struct mesh *mesh) {
    mesh->vertex_count = mesh->index_count = mesh->batch_count = 0;
    mesh->lost = 0;
    mesh->instances_batch = -1;
}

/* The array with room for `needed` entries, or NULL (and the old array is still valid). */
static void *grow(void *array, int32_t needed, int32_t *capacity, size_t entry_bytes) {
    if (needed <= *capacity) {
        return array;
    }
    if (needed > MESH_MOST) {
        return NULL;
    }
    const int32_t wanted = needed < 1024 ? 1024 : needed + needed / 2;
    void *grown = realloc(array, (size_t)wanted * entry_bytes);
    if (grown != NULL) {
        *capacity = wanted;
    }
    return grown;
}

static int reserve(struct mesh *mesh, int32_t vertices, int32_t indices) {
    struct mesh_vertex *v =
        grow(mesh->vertices, mesh->vertex_count + vertices, &mesh->vertex_capacity, sizeof *v);
    mesh->vertices = v != NULL ? v : mesh->vertices;
    int32_t *i = grow(mesh->indices, mesh->index_count + indices, &mesh->index_capacity, sizeof *i);
    mesh->indices = i != NULL ? i : mesh->indices;
    struct mesh_batch *b = grow(mesh->batches, mesh->batch_count + 1, &mesh->batch_capacity, sizeof *b);
    mesh->batches = b != NULL ? b : mesh->batches;
    const bool has_room = mesh->vertex_capacity >= mesh->vertex_count + vertices &&
                          mesh->index_capacity >= mesh->index_count + indices && b != NULL;
    mesh->lost += has_room ? 0 : 1;
    return has_room ? 0 : -1;
}

static bool is_same_rect(struct raster_rect a, struct raster_rect b) {
    return a.x0 == b.x0 && a.y0 == b.y0 && a.x1 == b.x1 && a.y1 == b.y1;
}

static struct mesh_batch *new_batch(struct mesh *mesh, enum mesh_texture texture, struct raster_rect clip) {
    struct mesh_batch *batch = &mesh->batches[mesh->batch_count++];
    *batch = (struct mesh_batch){.texture = texture,
                                 .clip = clip,
                                 .first_vertex = mesh->vertex_count,
                                 .first_index = mesh->index_count};
    return batch;
}

int mesh_add(struct mesh *mesh, enum mesh_texture texture, struct raster_rect clip, int32_t vertices,
             int32_t indices, struct mesh_vertex **vertex, int32_t **index, int32_t *base) {
    assert(vertices > 0 && indices > 0);
    if (reserve(mesh, vertices, indices) != 0) {
        return -1;
    }
    const bool may_go_on = mesh->batch_count > 0 && mesh->batch_count != mesh->instances_batch;
    struct mesh_batch *batch = may_go_on ? &mesh->batches[mesh->batch_count - 1] : NULL;
    if (batch == NULL || batch->index_count == 0 || batch->texture != texture ||
        !is_same_rect(batch->clip, clip)) {
        batch = new_batch(mesh, texture, clip);
    }
    *vertex = mesh->vertices + mesh->vertex_count;
    *index = mesh->indices + mesh->index_count;
    *base = batch->vertex_count;
    batch->vertex_count += vertices;
    batch->index_count += indices;
    mesh->vertex_count += vertices;
    mesh->index_count += indices;
    return 0;
}

struct mesh_vertex *mesh_begin_quads(struct mesh *mesh, enum mesh_texture texture, struct raster_rect clip,
                                     int32_t quads) {
    assert(quads > 0);
    if (quads > MESH_MOST / 8 || reserve(mesh, quads * 4, 0) != 0) {
        return NULL;
    }
    new_batch(mesh, texture, clip);
    return mesh->vertices + mesh->vertex_count;
}

void mesh_end_quads(struct mesh *mesh, int32_t quads) {
    struct mesh_batch *batch = &mesh->batches[mesh->batch_count - 1];
    assert(mesh->batch_count > 0 && mesh->vertex_count + quads * 4 <= mesh->vertex_capacity);
    if (quads == 0) {
        mesh->batch_count--;
        return;
    }
    batch->vertex_count = quads * 4;
    mesh->vertex_count += quads * 4;
}

const int32_t *mesh_quad_indices(struct mesh *mesh, int32_t quads) {
    assert(quads >= 0);
    static const int32_t corners[6] = {0, 1, 2, 0, 2, 3};
    const int32_t before = mesh->quad_capacity / 6;
    int32_t *indices = grow(mesh->quad_indices, quads * 6, &mesh->quad_capacity, sizeof *indices);
    if (indices == NULL) {
        return NULL;
    }
    mesh->quad_indices = indices;
    for (int32_t q = before; q < mesh->quad_capacity / 6; q++) {
        for (int32_t i = 0; i < 6; i++) {
            indices[q * 6 + i] = q * 4 + corners[i];
        }
    }
    return indices;
}
