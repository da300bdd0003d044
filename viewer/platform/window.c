/* See window.h. Screens, events, meshes, then the window. */
#include "viewer/platform/window.h"

#include <SDL.h>
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/system/log.h"
#include "viewer/draw/mesh.h"
#include "viewer/model/input.h"
#include "viewer/platform/window_fit.h"

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

/* ---- screen ---- */

/* The screens as SDL and X report them: their free room and their size of text. Calls SDL. */

/** The area of this display that the desktop leaves free, its px; empty without a screen. */
static struct window_area window_screen_area(int display);
/** The size of text and lines that suits this display. */
static float window_screen_text_scale(int display, bool is_full_screen);
/** The place of a new window: the requested size, as far as the screen has room; its frame is not known yet.
 */
static struct window_area window_screen_first_area(const struct window_def *def);

/* ---- screens ---- */

enum { USUAL_WIDTH = 1280, USUAL_HEIGHT = 800 };

static struct window_area window_screen_area(int display) {
    SDL_Rect rect = {0, 0, 0, 0};
    if (SDL_GetDisplayUsableBounds(display, &rect) != 0) {
        (void)SDL_GetDisplayBounds(display, &rect);
    }
    return (struct window_area){rect.x, rect.y, rect.w, rect.h};
}

/* What X's own library says, which SDL has loaded already: SDL asks it for the screen's size in mm alone. The
 * functions come as objects' addresses, which C does not convert. */
static double x_resources_dpi(void) {
    void *(*open_display)(const char *) = NULL;
    char *(*resources)(void *) = NULL;
    int (*close_display)(void *) = NULL;
    void *library = SDL_LoadObject("libX11.so.6");
    if (library == NULL) {
        return 0.0;
    }
    void *const found[] = {SDL_LoadFunction(library, "XOpenDisplay"),
                           SDL_LoadFunction(library, "XResourceManagerString"),
                           SDL_LoadFunction(library, "XCloseDisplay")};
    memcpy(&open_display, &found[0], sizeof open_display);
    memcpy(&resources, &found[1], sizeof resources);
    memcpy(&close_display, &found[2], sizeof close_display);
    const bool has_all = open_display != NULL && resources != NULL && close_display != NULL;
    void *display = has_all ? open_display(NULL) : NULL;
    const double dpi = display != NULL ? window_resources_dpi(resources(display)) : 0.0;
    if (display != NULL) {
        (void)close_display(display);
    }
    SDL_UnloadObject(library);
    return dpi;
}

/* Of the desktop's settings, else of the screen. Where the desktop scales pictures itself there is nothing to
 * do: window_pixel_scale. */
static double text_dpi(int display) {
    const char *driver = SDL_GetCurrentVideoDriver();
    const bool is_x = driver != NULL && strcmp(driver, "x11") == 0;
    const bool is_plain = is_x || (driver != NULL && strcmp(driver, "windows") == 0);
    const double set = is_x ? x_resources_dpi() : 0.0;
    float dpi = 0.0f;
    if (set > 0.0 || !is_plain || SDL_GetDisplayDPI(display, &dpi, NULL, NULL) != 0) {
        return set;
    }
    /* X servers say 96 of a screen that they do not know */
    return is_x && fabs((double)dpi - 96.0) < 1.0 ? 0.0 : (double)dpi;
}

static float window_screen_text_scale(int display, bool is_full_screen) {
    SDL_Rect bounds;
    if (SDL_GetDisplayBounds(display, &bounds) != 0) {
        return 1.0f;
    }
    return (float)window_text_scale_for(text_dpi(display), bounds.h, is_full_screen);
}

/* Without a window manager, as on a screen that shows nothing else, a window stays as large as it was made. */
static struct window_area whole_screen(void) {
    SDL_Rect bounds = {0, 0, USUAL_WIDTH, USUAL_HEIGHT};
    (void)SDL_GetDisplayBounds(0, &bounds);
    return (struct window_area){bounds.x, bounds.y, bounds.w, bounds.h};
}

static struct window_area window_screen_first_area(const struct window_def *def) {
    if (def->is_kiosk && !def->is_headless) {
        return whole_screen();
    }
    const float scale =
        def->is_headless || def->width > 0 ? 1.0f : window_screen_text_scale(0, def->is_full_screen);
    const int32_t width = def->width > 0 ? def->width : (int32_t)(USUAL_WIDTH * scale);
    const int32_t height = def->height > 0 ? def->height : (int32_t)(USUAL_HEIGHT * scale);
    const struct window_area wanted = {0, 0, width, height}, usable = window_screen_area(0);
    const struct window_border none = {0, 0, 0, 0};
    if (def->is_headless) {
        return wanted;
    }
    struct window_area area = window_fit(wanted, none, usable);
    if (def->width > 0 && (area.width < width || area.height < height)) {
        log_write(LOG_WARN, "window", "%dx%d does not fit: the screen has room for %dx%d", width, height,
                  usable.width, usable.height);
    }
    area.x = usable.x + (usable.width - area.width) / 2;
    area.y = usable.y + (usable.height - area.height) / 2;
    return area;
}

/* ---- events ---- */

/* The middle of the pixel. */
static vec2 window_point(int x, int y) {
    return vec2_make((float)x + 0.5f, (float)y + 0.5f);
}

static void set_modifiers(struct input_event *event, unsigned held) {
    event->has_shift = (held & (unsigned)KMOD_SHIFT) != 0;
    event->has_control = (held & (unsigned)KMOD_CTRL) != 0;
    event->has_alt = (held & (unsigned)KMOD_ALT) != 0;
}

static void take_key(struct input_event *event, const SDL_KeyboardEvent *from) {
    event->type = INPUT_KEY;
    event->key = from->keysym.sym;
    event->is_down = from->state == SDL_PRESSED;
    event->is_repeat = from->repeat != 0;
    set_modifiers(event, from->keysym.mod);
}

static void take_button(struct input_event *event, const SDL_MouseButtonEvent *from) {
    event->type = INPUT_BUTTON;
    event->at = window_point(from->x, from->y);
    event->button = from->button == SDL_BUTTON_LEFT ? INPUT_BUTTON_LEFT : INPUT_BUTTON_OTHER;
    event->is_down = from->state == SDL_PRESSED;
    event->clicks = from->clicks;
    event->is_finger = from->which == SDL_TOUCH_MOUSEID;
}

/* what: enum SDL_WindowEventID */
static enum input_type window_type(uint8_t what) {
    switch (what) {
    case SDL_WINDOWEVENT_EXPOSED:
    case SDL_WINDOWEVENT_SIZE_CHANGED:
        return INPUT_EXPOSED;
    case SDL_WINDOWEVENT_RESIZED:
        return INPUT_RESIZED;
    case SDL_WINDOWEVENT_LEAVE:
        return INPUT_LEFT;
    default:
        return INPUT_OTHER;
    }
}

bool window_next_event(struct input_event *event) {
    SDL_Event from;
    if (SDL_PollEvent(&from) == 0) {
        return false;
    }
    *event = (struct input_event){.type = INPUT_OTHER};
    set_modifiers(event, (unsigned)SDL_GetModState());
    switch (from.type) {
    case SDL_QUIT:
        event->type = INPUT_QUIT;
        break;
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        take_key(event, &from.key);
        break;
    case SDL_TEXTINPUT:
        event->type = INPUT_TEXT;
        (void)snprintf(event->text, sizeof event->text, "%s", from.text.text);
        break;
    case SDL_MOUSEMOTION:
        event->type = INPUT_MOTION;
        event->at = window_point(from.motion.x, from.motion.y);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        take_button(event, &from.button);
        break;
    case SDL_MOUSEWHEEL:
        event->type = INPUT_WHEEL;
        event->wheel = (float)from.wheel.y;
        break;
    case SDL_WINDOWEVENT:
        event->type = window_type(from.window.event);
        break;
    default:
        break;
    }
    return true;
}

/* ---- meshes ---- */

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

/* ---- the window ---- */

_Static_assert(KEY_BACKSPACE == (int)SDLK_BACKSPACE && KEY_TAB == (int)SDLK_TAB &&
                   KEY_RETURN == (int)SDLK_RETURN && KEY_ESCAPE == (int)SDLK_ESCAPE &&
                   KEY_SPACE == (int)SDLK_SPACE && KEY_COMMA == (int)SDLK_COMMA &&
                   KEY_MINUS == (int)SDLK_MINUS && KEY_PERIOD == (int)SDLK_PERIOD &&
                   KEY_EQUALS == (int)SDLK_EQUALS && KEY_LEFT_BRACKET == (int)SDLK_LEFTBRACKET &&
                   KEY_RIGHT_BRACKET == (int)SDLK_RIGHTBRACKET,
               "input.h repeats SDL's codes of characters");
_Static_assert(KEY_A == (int)SDLK_a && KEY_B == (int)SDLK_b && KEY_C == (int)SDLK_c && KEY_D == (int)SDLK_d &&
                   KEY_E == (int)SDLK_e && KEY_F == (int)SDLK_f && KEY_G == (int)SDLK_g &&
                   KEY_H == (int)SDLK_h && KEY_I == (int)SDLK_i && KEY_J == (int)SDLK_j &&
                   KEY_K == (int)SDLK_k && KEY_L == (int)SDLK_l && KEY_M == (int)SDLK_m &&
                   KEY_N == (int)SDLK_n && KEY_O == (int)SDLK_o && KEY_P == (int)SDLK_p &&
                   KEY_Q == (int)SDLK_q && KEY_R == (int)SDLK_r && KEY_S == (int)SDLK_s &&
                   KEY_T == (int)SDLK_t && KEY_U == (int)SDLK_u && KEY_V == (int)SDLK_v &&
                   KEY_W == (int)SDLK_w && KEY_X == (int)SDLK_x && KEY_Y == (int)SDLK_y &&
                   KEY_Z == (int)SDLK_z,
               "input.h repeats SDL's codes of letters");
_Static_assert(KEY_0 == (int)SDLK_0 && KEY_1 == (int)SDLK_1 && KEY_2 == (int)SDLK_2 && KEY_3 == (int)SDLK_3 &&
                   KEY_4 == (int)SDLK_4 && KEY_5 == (int)SDLK_5 && KEY_6 == (int)SDLK_6 &&
                   KEY_7 == (int)SDLK_7 && KEY_8 == (int)SDLK_8 && KEY_9 == (int)SDLK_9,
               "input.h repeats SDL's codes of digits");
_Static_assert(KEY_F1 == (int)SDLK_F1 && KEY_F2 == (int)SDLK_F2 && KEY_F3 == (int)SDLK_F3 &&
                   KEY_F4 == (int)SDLK_F4 && KEY_F5 == (int)SDLK_F5 && KEY_F6 == (int)SDLK_F6 &&
                   KEY_F7 == (int)SDLK_F7 && KEY_F8 == (int)SDLK_F8 && KEY_F9 == (int)SDLK_F9 &&
                   KEY_F10 == (int)SDLK_F10 && KEY_F11 == (int)SDLK_F11 && KEY_F12 == (int)SDLK_F12 &&
                   KEY_HOME == (int)SDLK_HOME && KEY_END == (int)SDLK_END && KEY_RIGHT == (int)SDLK_RIGHT &&
                   KEY_LEFT == (int)SDLK_LEFT && KEY_DOWN == (int)SDLK_DOWN && KEY_UP == (int)SDLK_UP &&
                   KEY_PAD_MINUS == (int)SDLK_KP_MINUS && KEY_PAD_PLUS == (int)SDLK_KP_PLUS &&
                   KEY_PAD_ENTER == (int)SDLK_KP_ENTER && KEY_PAGE_UP == (int)SDLK_PAGEUP &&
                   KEY_PAGE_DOWN == (int)SDLK_PAGEDOWN && KEY_DELETE == (int)SDLK_DELETE,
               "input.h repeats SDL's codes of other keys");

enum { LEAST_WIDTH = 320, LEAST_HEIGHT = 240 };

/* Before SDL starts. */
static void set_hints(bool is_kiosk) {
    SDL_SetHint(SDL_HINT_RENDER_BATCHING, "1");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, is_kiosk ? "0" : "1");
    SDL_SetHint(SDL_HINT_QUIT_ON_LAST_WINDOW_CLOSE, is_kiosk ? "0" : "1");
    SDL_SetHint(SDL_HINT_WINDOWS_NO_CLOSE_ON_ALT_F4, is_kiosk ? "1" : "0");
    SDL_SetHint(SDL_HINT_ALLOW_ALT_TAB_WHILE_GRABBED, is_kiosk ? "0" : "1");
    SDL_SetHint(SDL_HINT_GRAB_KEYBOARD, is_kiosk ? "1" : "0");
    SDL_SetHint(SDL_HINT_VIDEO_MINIMIZE_ON_FOCUS_LOSS, is_kiosk ? "0" : "1");
}

static int start_video(bool is_headless, struct failure *failure) {
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

static bool is_driver(const char *name) {
    const char *driver = SDL_GetCurrentVideoDriver();
    return driver != NULL && strcmp(driver, name) == 0;
}

typedef const unsigned char *(*get_string)(unsigned);

/* Whether the renderer draws with a card, not with the processor. */
static bool is_card(const SDL_RendererInfo *info) {
    const unsigned gl_renderer = 0x1f01;
    if ((info->flags & SDL_RENDERER_ACCELERATED) == 0) {
        return false;
    }
    if (strncmp(info->name, "opengl", 6) != 0) {
        return true;
    }
    void *found = SDL_GL_GetProcAddress("glGetString");
    get_string ask = NULL;
    memcpy(&ask, &found, sizeof ask); /* C has no conversion from an object's to a function's address */
    const unsigned char *bytes = ask != NULL ? ask(gl_renderer) : NULL;
    char name[128] = "";
    for (size_t i = 0; bytes != NULL && bytes[i] != '\0' && i + 1 < sizeof name; i++) {
        name[i] = (char)bytes[i];
        name[i + 1] = '\0';
    }
    log_write(LOG_DEBUG, "window", "OpenGL renderer %s", name);
    return name[0] != '\0' && strstr(name, "llvmpipe") == NULL && strstr(name, "softpipe") == NULL &&
           strstr(name, "Software Rasterizer") == NULL;
}

/* Whether there may be one: without a device there is none, and loading OpenGL to learn that takes 0.1 s. */
static bool may_have_card(void) {
    static const char *const devices[] = {"/dev/dri", "/dev/nvidiactl", "/dev/dxg"};
    bool is_found = !is_driver("x11");
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        is_found = is_found || access(devices[i], F_OK) == 0;
    }
    return is_found;
}

static void choose_drawing(struct window *window, const struct window_def *def,
                           const SDL_RendererInfo *info) {
    const bool is_accelerated = (info->flags & SDL_RENDERER_ACCELERATED) != 0;
    if (def->renderer == WINDOW_CARD && !is_accelerated) {
        log_write(LOG_WARN, "window", "no OpenGL here: the picture is drawn by the processor");
    }
    window->wants_mesh = def->renderer == WINDOW_CARD   ? is_accelerated
                         : def->renderer == WINDOW_AUTO ? is_card(info)
                                                        : false;
    log_write(LOG_INFO, "window", "SDL renderer %s, drawn by %s", info->name,
              window->wants_mesh ? "the graphics card" : "the processor");
}

/* The window's surface, if its pixels are ours. Not where SDL would make it out of a texture again. */
static bool take_surface(struct window *window) {
    if (!is_driver("x11")) {
        return false;
    }
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    const SDL_Surface *surface = SDL_GetWindowSurface(window->window);
    window->has_surface = surface != NULL && !SDL_MUSTLOCK(surface) &&
                          (surface->format->format == SDL_PIXELFORMAT_RGB888 ||
                           surface->format->format == SDL_PIXELFORMAT_ARGB8888);
    if (window->has_surface) {
        log_write(LOG_INFO, "window", "drawn by the processor, on the window's surface");
    }
    return window->has_surface;
}

/* ---- the screen ---- */

float window_text_scale(const struct window *window) {
    const int display = SDL_GetWindowDisplayIndex(window->window);
    return window->is_headless || display < 0 ? 1.0f
                                              : window_screen_text_scale(display, window->is_full_screen);
}

bool window_settle(struct window *window) {
    const uint32_t elsewhere = (uint32_t)SDL_WINDOW_FULLSCREEN | (uint32_t)SDL_WINDOW_MAXIMIZED |
                               (uint32_t)SDL_WINDOW_MINIMIZED | (uint32_t)SDL_WINDOW_HIDDEN;
    const int display = SDL_GetWindowDisplayIndex(window->window);
    struct window_border border = {0, 0, 0, 0};
    struct window_area is;
    if (window->is_headless || display < 0 || (SDL_GetWindowFlags(window->window) & elsewhere) != 0) {
        return false;
    }
    if (SDL_GetWindowBordersSize(window->window, &border.top, &border.left, &border.bottom, &border.right) !=
        0) {
        border = (struct window_border){0, 0, 0, 0};
    }
    SDL_GetWindowPosition(window->window, &is.x, &is.y);
    SDL_GetWindowSize(window->window, &is.width, &is.height);
    const struct window_area fit = window_fit(is, border, window_screen_area(display));
    if (memcmp(&fit, &is, sizeof fit) == 0 || memcmp(&fit, &window->asked, sizeof fit) == 0) {
        return false;
    }
    window->asked = fit;
    const bool is_smaller = fit.width != is.width || fit.height != is.height;
    if (is_smaller) {
        SDL_SetWindowSize(window->window, fit.width, fit.height);
    }
    if (fit.x != is.x || fit.y != is.y) {
        SDL_SetWindowPosition(window->window, fit.x, fit.y);
    }
    return is_smaller;
}

/* ---- making it ---- */

static int create_window(struct window *window, const struct window_def *def, struct failure *failure) {
    const struct window_area area = window_screen_first_area(def);
    const uint32_t full = def->is_full_screen && !def->is_headless ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0;
    const uint32_t flags = (uint32_t)SDL_WINDOW_RESIZABLE | (uint32_t)SDL_WINDOW_ALLOW_HIGHDPI | full;
    window->is_full_screen = full != 0;
    window->is_headless = def->is_headless;
    window->window = SDL_CreateWindow(def->title, area.x, area.y, area.width, area.height, flags);
    if (window->window == NULL) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot open a window: %s", SDL_GetError());
    }
    SDL_SetWindowMinimumSize(window->window, LEAST_WIDTH, LEAST_HEIGHT);
    if (def->is_kiosk && !def->is_headless) {
        SDL_SetWindowKeyboardGrab(window->window, SDL_TRUE);
        (void)SDL_ShowCursor(SDL_DISABLE);
    }
    return 0;
}

/* Under Wayland SDL waits for a picture to be shown, without an end where the compositor has gone. The compositor never
 * shows half a picture, so there is nothing to wait for. */
static unsigned wanted_vsync(void) {
    return is_driver("wayland") ? 0u : (unsigned)SDL_RENDERER_PRESENTVSYNC;
}

static int create_renderer(struct window *window, const struct window_def *def, struct failure *failure) {
    window->renderer = SDL_CreateRenderer(window->window, -1, wanted_vsync());
    if (window->renderer == NULL) {
        window->renderer = SDL_CreateRenderer(window->window, -1, SDL_RENDERER_SOFTWARE);
    }
    SDL_RendererInfo info;
    if (window->renderer == NULL || SDL_GetRendererInfo(window->renderer, &info) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot draw: %s", SDL_GetError());
    }
    window->has_vsync = (info.flags & SDL_RENDERER_PRESENTVSYNC) != 0;
    choose_drawing(window, def, &info);
    return 0;
}

/* A window that OpenGL has drawn on cannot have a surface: another one is made. */
static int open_window(struct window *window, const struct window_def *def, struct failure *failure) {
    if (create_window(window, def, failure) != 0) {
        return -1;
    }
    const bool asks_card = def->renderer == WINDOW_CARD || (def->renderer == WINDOW_AUTO && may_have_card());
    if (def->is_headless || (!asks_card && take_surface(window))) {
        return 0;
    }
    if (create_renderer(window, def, failure) != 0) {
        return -1;
    }
    const char *driver = SDL_GetCurrentVideoDriver();
    if (!window->wants_mesh && asks_card && driver != NULL && strcmp(driver, "x11") == 0) {
        SDL_DestroyRenderer(window->renderer);
        SDL_DestroyWindow(window->window);
        window->renderer = NULL;
        window->has_vsync = false;
        if (create_window(window, def, failure) != 0) {
            return -1;
        }
        return take_surface(window) ? 0 : create_renderer(window, def, failure);
    }
    return 0;
}

struct window *window_create(const struct window_def *def, struct failure *failure) {
    struct window *window = calloc(1, sizeof *window);
    if (window == NULL) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    set_hints(def->is_kiosk);
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
    for (int i = 0; i < MESH_TEXTURE_COUNT; i++) {
        if (window->slots[i] != NULL) {
            SDL_DestroyTexture(window->slots[i]);
        }
    }
    for (int i = 0; i < WINDOW_POINTER_COUNT; i++) {
        if (window->pointers[i] != NULL) {
            SDL_FreeCursor(window->pointers[i]);
        }
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
    if (window->has_surface) {
        SDL_GetWindowSizeInPixels(window->window, &w, &h);
    } else if (window->renderer == NULL || SDL_GetRendererOutputSize(window->renderer, &w, &h) != 0) {
        SDL_GetWindowSize(window->window, &w, &h);
    }
    *width = w < 1 ? 1 : w > RASTER_MAX_SIZE ? RASTER_MAX_SIZE : w;
    *height = h < 1 ? 1 : h > RASTER_MAX_SIZE ? RASTER_MAX_SIZE : h;
}

bool window_size(const struct window *window, int32_t *width, int32_t *height) {
    int w = 0, h = 0;
    SDL_GetWindowSize(window->window, &w, &h);
    *width = w;
    *height = h;
    return !window->is_full_screen && (SDL_GetWindowFlags(window->window) & SDL_WINDOW_MAXIMIZED) == 0;
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

/* One frame after a resize the surface may have another size than the picture: then it is left for the next.
 */
static void present_on_surface(struct window *window, const struct raster *raster) {
    SDL_Rect rects[WINDOW_TILES_MOST];
    SDL_Surface *surface = SDL_GetWindowSurface(window->window);
    if (surface == NULL) {
        log_write(LOG_WARN, "window", "cannot show the picture: %s", SDL_GetError());
        return;
    }
    if (surface->w != raster->width || surface->h != raster->height) {
        return;
    }
    struct raster_rect changed[WINDOW_TILES_MOST];
    const int count = window_tiles_copy(&window->tiles, raster, surface->pixels, surface->pitch, changed);
    for (int i = 0; i < count; i++) {
        const struct raster_rect c = changed[i];
        rects[i] = (SDL_Rect){c.x0, c.y0, c.x1 - c.x0, c.y1 - c.y0};
    }
    if (count > 0 && SDL_UpdateWindowSurfaceRects(window->window, rects, count) != 0) {
        log_write(LOG_WARN, "window", "cannot show the picture: %s", SDL_GetError());
    }
}

void window_expose(struct window *window) {
    window->tiles.width = window->tiles.height = 0;
}

void window_present(struct window *window, const struct raster *raster) {
    assert(raster != NULL);
    if (window->has_surface) {
        present_on_surface(window, raster);
        return;
    }
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

void window_set_pointer(struct window *window, enum window_pointer pointer) {
    assert(pointer < WINDOW_POINTER_COUNT);
    static const SDL_SystemCursor shapes[WINDOW_POINTER_COUNT] = {
        [WINDOW_ARROW] = SDL_SYSTEM_CURSOR_ARROW,
        [WINDOW_HAND] = SDL_SYSTEM_CURSOR_HAND,
        [WINDOW_MOVE] = SDL_SYSTEM_CURSOR_SIZEALL,
    };
    if (pointer == window->pointer) {
        return;
    }
    window->pointer = pointer;
    if (window->pointers[pointer] == NULL) {
        window->pointers[pointer] = SDL_CreateSystemCursor(shapes[pointer]);
    }
    if (window->pointers[pointer] != NULL) {
        SDL_SetCursor(window->pointers[pointer]);
    }
}

bool window_copy(const struct window *window, const char *words) {
    return window->window != NULL && SDL_SetClipboardText(words) == 0;
}

void window_set_title(struct window *window, const char *title) {
    SDL_SetWindowTitle(window->window, title);
}

bool window_wants_mesh(const struct window *window) {
    return window->wants_mesh;
}

bool window_takes_crowd(const struct window *window) {
    (void)window;
    return false; /* SDL draws triangles, nothing else */
}

void window_toggle_full_screen(struct window *window) {
    const uint32_t wanted = window->is_full_screen ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP;
    if (SDL_SetWindowFullscreen(window->window, wanted) == 0) {
        window->is_full_screen = !window->is_full_screen;
    } else {
        log_write(LOG_WARN, "window", "no full screen: %s", SDL_GetError());
    }
}
