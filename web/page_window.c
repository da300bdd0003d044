/* See page_state.h. */
#include "web/page_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/draw/agents_draw.h"
#include "viewer/platform/window.h"
#include "web/page_host.h"

struct window {
    bool has_card, takes_crowd, has_new_mesh, has_new_picture;
    enum window_pointer pointer;
    struct page_mesh mesh;
    struct page_crowd crowd; /* rows 0: none */
    struct page_picture picture;
    struct page_texture textures[MESH_TEXTURE_COUNT];
    uint32_t *texels[MESH_TEXTURE_COUNT]; /* owned */
};

struct window *window_create(const struct window_def *def, struct failure *failure) {
    struct window *window = calloc(1, sizeof *window);
    (void)def; /* the canvas is as it is */
    if (window == NULL) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    window->has_card = page_canvas()->has_card;
    window->takes_crowd = window->has_card && page_canvas()->takes_crowd;
    return window;
}

void window_destroy(struct window *window) {
    if (window != NULL) {
        for (int i = 0; i < MESH_TEXTURE_COUNT; i++) {
            free(window->texels[i]);
        }
        free(window);
    }
}

/* ---- the canvas ---- */

bool window_settle(struct window *window) {
    (void)window;
    return false;
}

float window_text_scale(const struct window *window) {
    (void)window;
    return 1.0f; /* the browser's own is in the ratio */
}

static int32_t bounded(int32_t size) {
    return size < 1 ? 1 : size > RASTER_MAX_SIZE ? RASTER_MAX_SIZE : size;
}

void window_picture_size(const struct window *window, int32_t *width, int32_t *height) {
    (void)window;
    *width = bounded(page_canvas()->width);
    *height = bounded(page_canvas()->height);
}

bool window_size(const struct window *window, int32_t *width, int32_t *height) {
    (void)window;
    *width = (int32_t)((float)page_canvas()->width / page_canvas()->ratio);
    *height = (int32_t)((float)page_canvas()->height / page_canvas()->ratio);
    return false; /* the browser chose it: it is not kept */
}

float window_pixel_scale(const struct window *window) {
    (void)window;
    return page_canvas()->ratio;
}

bool window_has_vsync(const struct window *window) {
    (void)window;
    return true;
}

void window_toggle_full_screen(struct window *window) {
    (void)window;
    page_host_full_screen();
}

void window_set_pointer(struct window *window, enum window_pointer pointer) {
    assert(pointer < WINDOW_POINTER_COUNT);
    if (pointer != window->pointer) {
        window->pointer = pointer;
        page_host_cursor((uint32_t)pointer);
    }
}

bool window_copy(const struct window *window, const char *words) {
    (void)window;
    return page_host_copy(words, strlen(words)) != 0;
}

void window_set_title(struct window *window, const char *title) {
    (void)window;
    page_host_title(title, strlen(title));
}

/* ---- pictures ---- */

bool window_wants_mesh(const struct window *window) {
    return window->has_card;
}

bool window_takes_crowd(const struct window *window) {
    return window->takes_crowd;
}

void window_expose(struct window *window) {
    (void)window; /* every picture is sent whole */
}

void window_present(struct window *window, const struct raster *raster) {
    window->picture = (struct page_picture){page_address(raster->pixels), (uint32_t)raster->width,
                                            (uint32_t)raster->height};
    window->has_new_picture = true;
}

int window_set_texture(struct window *window, enum mesh_texture slot, const uint32_t *texels, int32_t width,
                       int32_t height, bool is_smooth) {
    assert(slot < MESH_TEXTURE_COUNT && width > 0 && height > 0);
    const size_t size = (size_t)width * (size_t)height * sizeof *texels;
    uint32_t *copy = malloc(size);
    if (copy == NULL) {
        return -1;
    }
    memcpy(copy, texels, size);
    free(window->texels[slot]);
    window->texels[slot] = copy;
    window->textures[slot] = (struct page_texture){page_address(copy), (uint32_t)width, (uint32_t)height,
                                                   is_smooth ? 1 : 0, window->textures[slot].version + 1};
    return 0;
}

static struct page_crowd crowd_of(const struct mesh *mesh) {
    const struct agent_instances *crowd = mesh->instances;
    if (crowd == NULL || mesh->instances_batch < 0) {
        return (struct page_crowd){0};
    }
    return (struct page_crowd){.rows = page_address(crowd->rows),
                               .count = (uint32_t)crowd->count,
                               .version = crowd->version,
                               .frame = page_address(&crowd->frame),
                               .batch = (uint32_t)mesh->instances_batch};
}

void window_draw_mesh(struct window *window, struct mesh *mesh) {
    window->crowd = crowd_of(mesh);
    window->mesh = (struct page_mesh){.vertices = page_address(mesh->vertices),
                                      .vertex_count = (uint32_t)mesh->vertex_count,
                                      .indices = page_address(mesh->indices),
                                      .index_count = (uint32_t)mesh->index_count,
                                      .batches = page_address(mesh->batches),
                                      .batch_count = (uint32_t)mesh->batch_count,
                                      .width = (uint32_t)bounded(page_canvas()->width),
                                      .height = (uint32_t)bounded(page_canvas()->height)};
}

void window_show(struct window *window) {
    window->has_new_mesh = true;
}

int window_read(struct window *window, struct raster *raster) {
    (void)window;
    return page_host_read(raster->pixels, raster->width, raster->height) != 0 ? 0 : -1;
}

/* ---- the Worker ---- */

uint32_t page_window_take(struct window *window) {
    const uint32_t wishes = (window->has_new_mesh ? (uint32_t)PAGE_HAS_MESH : 0u) |
                            (window->has_new_picture ? (uint32_t)PAGE_HAS_PIXELS : 0u);
    window->has_new_mesh = window->has_new_picture = false;
    return wishes;
}

const struct page_mesh *page_window_mesh(const struct window *window) {
    return window->mesh.width > 0 ? &window->mesh : NULL;
}

const struct page_crowd *page_window_crowd(const struct window *window) {
    return window->crowd.rows != 0 ? &window->crowd : NULL;
}

const struct page_picture *page_window_picture(const struct window *window) {
    return window->picture.width > 0 ? &window->picture : NULL;
}

const struct page_texture *page_window_texture(const struct window *window, uint32_t slot) {
    return slot < MESH_TEXTURE_COUNT && window->textures[slot].version > 0 ? &window->textures[slot] : NULL;
}
