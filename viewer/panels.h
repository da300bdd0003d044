/* Everything with words on it: the bar at the top, the legend, the help, the toast, the banner, names of
 * targets.
 *
 * Behind this C header stands the only C++ file of the viewer: it lays the panels out with Dear ImGui and has
 * the raster draw the triangles that come out. Owns the ImGui context and the font. One at a time.
 */
#ifndef DROVER_VIEWER_PANELS_H
#define DROVER_VIEWER_PANELS_H

#include <stdbool.h>
#include <stdint.h>

#include "viewer/raster.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PANELS_LEGEND_ROWS = 14, PANELS_LABELS = 32, PANELS_BAR_PX = 32 };

struct panels_legend_row {
    char state[32];
    int32_t count;
};

struct panels_label {
    float x, y; /* picture px */
    char text[32];
};

/** What the panels say. All text is UTF-8. */
struct panels_view {
    char scenario[128]; /* "" before the first hello */
    char address[288];  /* "127.0.0.1:7717" */
    const char *state;  /* "running" ... */
    color state_color;
    char tick[48], time[48], ping[32], rate[32]; /* formatted; "" leaves it out */
    bool shows_forces;
    bool has_force_data; /* desired and steering are there, not the velocity alone */
    bool shows_help;
    struct panels_legend_row legend[PANELS_LEGEND_ROWS];
    int legend_count;
    struct panels_label labels[PANELS_LABELS];
    int label_count;
    char toast[640]; /* "" for none */
    bool is_toast_error;
    float toast_alpha;   /* 0..1 */
    char banner[2][576]; /* a large line and a small one; "" for none */
};

struct panels;

/** scale: picture px per window px. NULL when out of memory. */
NODISCARD struct panels *panels_create(float scale);
void panels_destroy(struct panels *panels);
/** Draws over the picture. */
void panels_draw(struct panels *panels, const struct panels_view *view, struct raster *raster);

#ifdef __cplusplus
}
#endif

#endif
