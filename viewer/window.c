/* See window.h. */
#include "viewer/window.h"

#include <SDL.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "viewer/key_codes.h"

_Static_assert(KEY_ESCAPE == (int)SDLK_ESCAPE && KEY_SPACE == (int)SDLK_SPACE &&
                   KEY_PERIOD == (int)SDLK_PERIOD && KEY_LEFT_BRACKET == (int)SDLK_LEFTBRACKET &&
                   KEY_RIGHT_BRACKET == (int)SDLK_RIGHTBRACKET && KEY_F == (int)SDLK_f &&
                   KEY_F1 == (int)SDLK_F1 && KEY_F12 == (int)SDLK_F12,
               "key_codes.h repeats SDL's key codes");

struct window {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    int32_t texture_width, texture_height;
    bool has_vsync;
};

static int start_video(bool is_headless, struct failure *failure) {
    SDL_SetHint(SDL_HINT_RENDER_BATCHING, "1");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    if (is_headless && SDL_setenv("SDL_VIDEODRIVER", "dummy", 1) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot set SDL_VIDEODRIVER");
    }
    if (SDL_Init(SDL_INIT_VIDEO) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "no display (%s); use --headless",
                           SDL_GetError());
    }
    /* without a display SDL takes a driver that draws to nowhere and says nothing */
    const char *driver = SDL_GetCurrentVideoDriver();
    if (!is_headless && (driver == NULL || strcmp(driver, "offscreen") == 0 || strcmp(driver, "dummy") == 0 ||
                         strcmp(driver, "evdev") == 0)) {
        SDL_Quit();
        return failure_set(failure, FAILURE_INTERNAL, NULL, "no display; use --headless");
    }
    log_write(LOG_DEBUG, "window", "SDL video driver %s", driver);
    return 0;
}

static int open_window(struct window *window, const struct window_def *def, struct failure *failure) {
    const uint32_t flags = SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;
    window->window = SDL_CreateWindow(def->title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, def->width,
                                      def->height, flags);
    if (window->window == NULL) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot open a window: %s", SDL_GetError());
    }
    SDL_SetWindowMinimumSize(window->window, 320, 240);
    if (def->is_headless) {
        return 0;
    }
    window->renderer = SDL_CreateRenderer(window->window, -1, SDL_RENDERER_PRESENTVSYNC);
    if (window->renderer == NULL) {
        window->renderer = SDL_CreateRenderer(window->window, -1, SDL_RENDERER_SOFTWARE);
    }
    SDL_RendererInfo info;
    if (window->renderer == NULL || SDL_GetRendererInfo(window->renderer, &info) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot draw: %s", SDL_GetError());
    }
    window->has_vsync = (info.flags & SDL_RENDERER_PRESENTVSYNC) != 0;
    log_write(LOG_DEBUG, "window", "SDL renderer %s, vsync %d", info.name, window->has_vsync);
    return 0;
}

struct window *window_create(const struct window_def *def, struct failure *failure) {
    struct window *window = calloc(1, sizeof *window);
    if (window == NULL) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    if (start_video(def->is_headless, failure) != 0) {
        free(window);
        return NULL;
    }
    if (open_window(window, def, failure) != 0) {
        window_destroy(window);
        return NULL;
    }
    return window;
}

void window_destroy(struct window *window) {
    if (window == NULL) {
        return;
    }
    if (window->texture != NULL) {
        SDL_DestroyTexture(window->texture);
    }
    if (window->renderer != NULL) {
        SDL_DestroyRenderer(window->renderer);
    }
    if (window->window != NULL) {
        SDL_DestroyWindow(window->window);
    }
    SDL_Quit();
    free(window);
}

void window_picture_size(const struct window *window, int32_t *width, int32_t *height) {
    int w = 0, h = 0;
    if (window->renderer == NULL || SDL_GetRendererOutputSize(window->renderer, &w, &h) != 0) {
        SDL_GetWindowSize(window->window, &w, &h);
    }
    *width = w < 1 ? 1 : w > RASTER_MAX_SIZE ? RASTER_MAX_SIZE : w;
    *height = h < 1 ? 1 : h > RASTER_MAX_SIZE ? RASTER_MAX_SIZE : h;
}

float window_pixel_scale(const struct window *window) {
    int width = 0, height = 0;
    int32_t picture_width, picture_height;
    SDL_GetWindowSize(window->window, &width, &height);
    window_picture_size(window, &picture_width, &picture_height);
    return width > 0 && picture_width > width ? (float)picture_width / (float)width : 1.0f;
}

static int fit_texture(struct window *window, const struct raster *raster) {
    if (window->texture != NULL && window->texture_width == raster->width &&
        window->texture_height == raster->height) {
        return 0;
    }
    if (window->texture != NULL) {
        SDL_DestroyTexture(window->texture);
    }
    window->texture = SDL_CreateTexture(window->renderer, SDL_PIXELFORMAT_ARGB8888,
                                        SDL_TEXTUREACCESS_STREAMING, raster->width, raster->height);
    window->texture_width = raster->width;
    window->texture_height = raster->height;
    return window->texture != NULL ? 0 : -1;
}

void window_present(struct window *window, const struct raster *raster) {
    if (window->renderer == NULL) {
        return;
    }
    if (fit_texture(window, raster) != 0 ||
        SDL_UpdateTexture(window->texture, NULL, raster->pixels,
                          raster->width * (int)sizeof *raster->pixels) != 0) {
        log_write(LOG_WARN, "window", "cannot show the picture: %s", SDL_GetError());
        return;
    }
    SDL_RenderClear(window->renderer);
    SDL_RenderCopy(window->renderer, window->texture, NULL, NULL);
    SDL_RenderPresent(window->renderer);
}

bool window_has_vsync(const struct window *window) {
    return window->has_vsync;
}

void window_set_title(struct window *window, const char *title) {
    SDL_SetWindowTitle(window->window, title);
}
