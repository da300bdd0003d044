/* The window's state, for window.c and window_mesh.c. Not for others. */
#ifndef DROVER_VIEWER_PLATFORM_WINDOW_IMPL_H
#define DROVER_VIEWER_PLATFORM_WINDOW_IMPL_H

#include <SDL.h>

#include "viewer/draw/mesh.h"
#include "viewer/platform/window_def.h"
#include "viewer/platform/window_fit.h"
#include "viewer/platform/window_tiles.h"

struct window {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture; /* the raster's picture */
    int32_t texture_width, texture_height;
    bool has_surface; /* the picture goes to the window's surface: there is no renderer */
    struct window_tiles tiles;
    SDL_Texture *slots[MESH_TEXTURE_COUNT];
    SDL_Cursor *pointers[WINDOW_POINTER_COUNT];
    enum window_pointer pointer;
    bool has_vsync, wants_mesh, is_full_screen, is_headless;
    struct window_area asked; /* of the desktop, which need not obey: once is enough */
};

#endif
