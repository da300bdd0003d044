/* See window_fit.h. */
#include "viewer/platform/window_fit.h"

#include <math.h>
#include <string.h>

#include "common/text/decimal.h"

static const double usual_dpi = 96.0, least_lines = 600.0, full_screen_lines = 1080.0,
                    desk_lines = 1440.0; /* of a screen on a desk whose dots are not known */

/* One side: the length that fits and where it begins. */
static void fit_side(int32_t *begin, int32_t *length, int32_t before, int32_t after, int32_t free_begin,
                     int32_t free_length) {
    const int32_t most = free_length - before - after;
    *length = *length > most && most > 0 ? most : *length;
    const int32_t last = free_begin + free_length - after - *length, first = free_begin + before;
    *begin = *begin > last ? last : *begin;
    *begin = *begin < first ? first : *begin;
}

struct window_area window_fit(struct window_area window, struct window_border border,
                              struct window_area usable) {
    fit_side(&window.x, &window.width, border.left, border.right, usable.x, usable.width);
    fit_side(&window.y, &window.height, border.top, border.bottom, usable.y, usable.height);
    return window;
}

/* Rounded down to quarters; what is nearly one counts as one. */
static double quarters(double value) {
    return floor(value * 4.0 + 0.06) * 0.25;
}

double window_text_scale_for(double dpi, int32_t screen_height, bool is_full_screen) {
    const double most = fmax(quarters((double)screen_height / least_lines), 1.0);
    const double near = dpi > 0.0 ? dpi / usual_dpi : (double)screen_height / desk_lines;
    const double wanted = fmin(fmax(quarters(near), 1.0), most);
    const double far = is_full_screen ? quarters((double)screen_height / full_screen_lines) : 1.0;
    return fmin(fmax(wanted, far), 4.0);
}

double window_resources_dpi(const char *resources) {
    static const char name[] = "Xft.dpi:";
    for (const char *line = resources; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n' ? 1 : 0;
        if (strncmp(line, name, sizeof name - 1) == 0) {
            const char *value = line + sizeof name - 1;
            return decimal_read(value + strspn(value, " \t"), NULL);
        }
    }
    return 0.0;
}
