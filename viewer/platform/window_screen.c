/* See window_screen.h. */
#include "viewer/platform/window_screen.h"

#include <SDL.h>
#include <math.h>
#include <string.h>

#include "common/system/log.h"

enum { USUAL_WIDTH = 1280, USUAL_HEIGHT = 800 };

struct window_area window_screen_area(int display) {
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

float window_screen_text_scale(int display, bool is_full_screen) {
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

struct window_area window_screen_first_area(const struct window_def *def) {
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
