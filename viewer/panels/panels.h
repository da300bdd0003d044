/* Everything with words on it: the bar at the top, the legend, the side panel, the timeline, the scenario
 * picker, the help, the toast, the banner, names of targets.
 *
 * Behind this C header stands the viewer's only C++: it lays the panels out with Dear ImGui; the triangles
 * that come out go to the canvas like everything else. Owns the ImGui context and the fonts. One at a time.
 */
#ifndef DROVER_VIEWER_PANELS_PANELS_H
#define DROVER_VIEWER_PANELS_PANELS_H

#include "viewer/draw/canvas.h"
#include "viewer/panels/panels_view.h"

#ifdef __cplusplus
extern "C" {
#endif

struct panels;

/** scale: picture px per window px. is_kiosk: captions are large. NULL when out of memory. */
NODISCARD struct panels *panels_create(float scale, bool is_kiosk);
/** NULL is fine. */
void panels_destroy(struct panels *panels);
/** Draws over the picture and answers the input; the result is valid until the next call. */
const struct panels_result *panels_draw(struct panels *panels, const struct panels_view *view,
                                        const struct pointer *pointer, const struct panels_input *input,
                                        struct canvas *canvas);
/** The width of words as names in the picture are drawn, px. panels: a struct panels */
float panels_words_px(const void *panels, const char *words);
/** The height of a line of such words, px. */
float panels_line_px(const struct panels *panels);
/** The font's texels, 0xAArrggbb, for a card's texture MESH_FONT. NULL when out of memory; freed by the
 * caller. */
NODISCARD uint32_t *panels_font_texels(const struct panels *panels, int32_t *width, int32_t *height);

#ifdef __cplusplus
}
#endif

#endif
