/* See window_mesh.h. */
#include "viewer/platform/window_mesh.h"

#include <SDL.h>
#include <assert.h>

#include "common/system/log.h"
#include "viewer/platform/window_impl.h"

int window_set_texture(struct window *window, enum mesh_texture slot, const uint32_t *texels, int32_t width,
                       int32_t height, bool is_smooth) {
    assert(slot < MESH_TEXTURE_COUNT && texels != NULL && width > 0 && height > 0);
    SDL_Texture *texture = SDL_CreateTexture(window->renderer, SDL_PIXELFORMAT_ARGB8888,
                                             SDL_TEXTUREACCESS_STATIC, width, height);
    if (texture == NULL || SDL_UpdateTexture(texture, NULL, texels, width * (int)sizeof *texels) != 0 ||
        SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_BLEND) != 0 ||
        SDL_SetTextureScaleMode(texture, is_smooth ? SDL_ScaleModeLinear : SDL_ScaleModeNearest) != 0) {
        if (texture != NULL) {
            SDL_DestroyTexture(texture);
        }
        return -1;
    }
    if (window->slots[slot] != NULL) {
        SDL_DestroyTexture(window->slots[slot]);
    }
    window->slots[slot] = texture;
    return 0;
}

static void draw_batch(struct window *window, struct mesh *mesh, const struct mesh_batch *batch) {
    const struct raster_rect c = batch->clip;
    const SDL_Rect clip = {c.x0, c.y0, c.x1 - c.x0, c.y1 - c.y0};
    const bool is_quads = batch->index_count == 0;
    const int32_t *indices =
        is_quads ? mesh_quad_indices(mesh, batch->vertex_count / 4) : mesh->indices + batch->first_index;
    const struct mesh_vertex *vertex = mesh->vertices + batch->first_vertex;
    const int stride = (int)sizeof *vertex;
    _Static_assert(sizeof(SDL_Color) == sizeof vertex->tint, "a tint is an SDL_Color");
    if (indices == NULL || clip.w <= 0 || clip.h <= 0) {
        return;
    }
    SDL_RenderSetClipRect(window->renderer, &clip);
    const void *tints = &vertex->tint;
    if (SDL_RenderGeometryRaw(window->renderer, window->slots[batch->texture], &vertex->x, stride, tints,
                              stride, &vertex->u, stride, batch->vertex_count, indices,
                              is_quads ? batch->vertex_count / 4 * 6 : batch->index_count,
                              (int)sizeof *indices) != 0) {
        log_write(LOG_WARN, "window", "cannot draw: %s", SDL_GetError());
    }
}

void window_draw_mesh(struct window *window, struct mesh *mesh) {
    assert(window->wants_mesh && window->renderer != NULL);
    SDL_RenderSetClipRect(window->renderer, NULL);
    SDL_SetRenderDrawColor(window->renderer, 0, 0, 0, 255);
    SDL_RenderClear(window->renderer);
    for (int32_t i = 0; i < mesh->batch_count; i++) {
        draw_batch(window, mesh, &mesh->batches[i]);
    }
    SDL_RenderSetClipRect(window->renderer, NULL);
}

void window_show(struct window *window) {
    SDL_RenderPresent(window->renderer);
}

int window_read(struct window *window, struct raster *raster) {
    assert(window->renderer != NULL);
    if (SDL_RenderReadPixels(window->renderer, NULL, SDL_PIXELFORMAT_ARGB8888, raster->pixels,
                             raster->width * (int)sizeof *raster->pixels) != 0) {
        log_write(LOG_WARN, "window", "cannot read the picture: %s", SDL_GetError());
        return -1;
    }
    return 0;
}
