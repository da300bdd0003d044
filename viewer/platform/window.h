/* The definition of a window. Plain values. */
#ifndef DROVER_VIEWER_PLATFORM_WINDOW_H
#define DROVER_VIEWER_PLATFORM_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "viewer/draw/mesh.h"
#include "viewer/draw/raster.h"
#include "viewer/model/input.h"

struct window;

/** auto: the graphics card when there is a real one. On one that is only imitated by the processor (llvmpipe)
 * our own raster is faster. */
enum window_renderer { WINDOW_AUTO, WINDOW_CARD, WINDOW_RASTER };

/** The shapes of the pointer: an arrow; over a target or obstacle; while dragging. */
enum window_pointer { WINDOW_ARROW, WINDOW_HAND, WINDOW_MOVE, WINDOW_POINTER_COUNT };

struct window_def {
    const char *title;
    int32_t width, height; /* window px; 0: the usual size, larger where text is */
    bool is_headless;      /* SDL's dummy driver: nothing is shown, no display is needed */
    bool is_full_screen;
    bool is_kiosk; /* no pointer, no screen saver, not closed by the desktop; the keyboard is its own */
    enum window_renderer renderer;
};

/* The SDL window the picture is shown in, or none at all (headless). The only file that calls SDL for output.
 *
 * Pictures come either as a mesh, which the graphics card draws, or as a raster, which is shown as it is: in
 * tiles that changed on the window's own surface (X11), else through a texture. Without a card OpenGL is not
 * loaded: the processor would imitate it, three times as slowly as the raster draws. Owns the window,
 * its pointers, its renderer, the mesh's textures and one streaming texture the size of the picture.
 */

/** Starts SDL's video. NULL with *failure: "no display; use --headless", or what SDL says. */
NODISCARD struct window *window_create(const struct window_def *def, struct failure *failure);
/** Ends SDL. NULL is fine. */
void window_destroy(struct window *window);

/** For the first seconds, while the frame comes and the desktop makes room: keeps the window on the screen.
 * Whether its size was changed for that. */
bool window_settle(struct window *window);
/** The size of text and lines that suits the screen, and full screen, if the window has it. */
float window_text_scale(const struct window *window);
/** The size of the picture in real pixels; window px times window_pixel_scale. */
void window_picture_size(const struct window *window, int32_t *width, int32_t *height);
/** The window's size in window px. false: it is full screen or maximized, no size of its own. */
bool window_size(const struct window *window, int32_t *width, int32_t *height);
/** Picture px per window px: 1, or more on a HiDPI screen. */
float window_pixel_scale(const struct window *window);
/** The screen has lost the window's content: the next picture is sent whole. */
void window_expose(struct window *window);
/** Puts the picture on the screen. Waits for the screen's refresh when there is one. */
void window_present(struct window *window, const struct raster *raster);
/** Whether pictures are to be meshes. */
bool window_wants_mesh(const struct window *window);
/** Whether what draws its meshes also draws crowds by itself (agents_draw.h). */
bool window_takes_crowd(const struct window *window);
/** Full screen, or the window it was before. */
void window_toggle_full_screen(struct window *window);
/** Whether window_present waits by itself. */
bool window_has_vsync(const struct window *window);
/** Sets the pointer's shape; it stays as it is on a screen without such a pointer. */
void window_set_pointer(struct window *window, enum window_pointer pointer);
/** Puts words on the clipboard. Whether it worked; false without a window. */
bool window_copy(const struct window *window, const char *words);
/** Sets the title, which is copied. */
void window_set_title(struct window *window, const char *title);

/* Meshes in a window: the graphics card draws them. Only for a window with window_wants_mesh. */

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

/* The events of the window, from SDL, as the app takes them. */

/** The next event that waits. false: there is none, and *event is as it was. */
bool window_next_event(struct input_event *event);

#endif
