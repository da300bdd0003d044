/* Meshes in a window: the graphics card draws them. Only for a window with window_wants_mesh. */
#ifndef DROVER_VIEWER_PLATFORM_WINDOW_MESH_H
#define DROVER_VIEWER_PLATFORM_WINDOW_MESH_H

#include "viewer/draw/mesh.h"
#include "viewer/platform/window_def.h"

/** Sets the texels (0xAArrggbb) of a texture of the mesh's batches. -1 when SDL refuses. */
NODISCARD int window_set_texture(struct window *window, enum mesh_texture slot, const uint32_t *texels,
                                 int32_t width, int32_t height, bool is_smooth);
/** Draws the mesh; not on the screen before window_show. */
void window_draw_mesh(struct window *window, struct mesh *mesh);
/** Puts what was drawn on the screen, as window_present. */
void window_show(struct window *window);
/** Copies what was drawn and not yet shown into the raster, which has the picture's size. -1 when it cannot.
 */
NODISCARD int window_read(struct window *window, struct raster *raster);

#endif
