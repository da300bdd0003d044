/* What the module and the Worker have with each other: the numbers and records they exchange, and the imports of page.wasm. */
#ifndef DROVER_WEB_PAGE_HOST_H
#define DROVER_WEB_PAGE_HOST_H

#include <stddef.h>
#include <stdint.h>

/* The numbers and records that the page and the Worker's script exchange; web/src/core.ts has the same. */

/** Exports a function under its own name. Elsewhere, in tests, it is an ordinary function. */
#ifdef __wasm__
#define PAGE_EXPORT(name) __attribute__((export_name(#name)))
#else
#define PAGE_EXPORT(name)
#endif

/** Of page_create. */
enum page_flag {
    PAGE_HAS_CARD = 1,       /* WebGL2 draws meshes; without it the pictures are pixels: page_pixels */
    PAGE_REDUCES_MOTION = 2, /* the visitor prefers that: see viewer_options */
    PAGE_TAKES_CROWD = 4,    /* with PAGE_HAS_CARD: page_crowd is drawn */
    PAGE_OWN_SERVER = 8      /* the server is in the page too: there is no network */
};

/** Of page_frame's result. */
enum page_wish {
    PAGE_HAS_MESH = 1,       /* a new picture is at page_mesh */
    PAGE_HAS_PIXELS = 2,     /* a new picture is at page_pixels */
    PAGE_HAS_PANELS = 4,     /* page_panels has something new */
    PAGE_HAS_OUTPUT = 8,     /* page_take_output has lines to send */
    PAGE_WANTS_SOCKET = 16,  /* open a socket now, and call page_link */
    PAGE_CLOSES_SOCKET = 32, /* close the socket: the app gave the connection up */
    PAGE_IS_STILL = 64,      /* nothing moves: the next frame may come after 50 ms, or with the next event */
    PAGE_HAS_ENDED = 128     /* no further frame: page_failure says why, or nothing */
};

/** What happened to the socket. */
enum page_link_event { PAGE_LINK_OPENED, PAGE_LINK_CLOSED, PAGE_LINK_FAILED /* it was never open */ };

/** What a pointer did. */
enum page_pointer_event {
    PAGE_POINTER_MOVE,
    PAGE_POINTER_DOWN,
    PAGE_POINTER_UP,
    PAGE_POINTER_LEAVE, /* it is over the picture no more */
    PAGE_POINTER_CANCEL /* the browser took it over: as up, but nothing is clicked */
};

/** Bits of page_pointer's buttons: the button that went down or up; 0 for moves. As PointerEvent.buttons. */
enum page_button { PAGE_BUTTON_LEFT = 1, PAGE_BUTTON_RIGHT = 2, PAGE_BUTTON_MIDDLE = 4 };

/** Bits of the modifier keys. */
enum page_modifier { PAGE_SHIFT = 1, PAGE_CONTROL = 2, PAGE_ALT = 4 };

/* The place of a batch of triangles, as struct mesh_batch lies in memory: int32 texture (enum mesh_texture: 0 sprites,
 * 1 font, 2 preview), x0, y0, x1, y1 of the clip in picture px, first_vertex, vertex_count, first_index, index_count.
 * index_count 0: quads, whose indices are 0 1 2 0 2 3, 4 5 6 4 6 7 ...; indices count from first_vertex. */

/** A mesh. The vertices are rows of 20 bytes: float x, y (picture px), 4 bytes red green blue alpha, float u, v (0..1). */
struct page_mesh {
    uint32_t vertices, vertex_count;
    uint32_t indices, index_count; /* int32 */
    uint32_t batches, batch_count;
    uint32_t width, height; /* of the picture, px */
};

/** A large crowd that the card moves by itself, a layer of a mesh; viewer/draw/agents_draw.h has rows and frame. */
struct page_crowd {
    uint32_t rows, count; /* struct agent_instance */
    uint32_t version;     /* counts up when the rows change: load them again */
    uint32_t frame;       /* struct agent_instances_frame, another in each picture */
    uint32_t batch;       /* of the mesh: the crowd is drawn before it; batch_count: last */
};

/** A texture of 0xAArrggbb words, which lie in memory as blue, green, red, alpha. */
struct page_texture {
    uint32_t texels; /* 0: none yet */
    uint32_t width, height;
    uint32_t is_smooth; /* drawn with linear interpolation, else the nearest texel */
    uint32_t version;   /* counts up with each change: load it again */
};

/** A picture of 0xFFrrggbb words, which lie in memory as blue, green, red, 255. */
struct page_picture {
    uint32_t pixels;
    uint32_t width, height;
};

/* What the page asks of the Worker: the imports of page.wasm, of the module "drover". Addresses and lengths are of texts in
 * UTF-8 without a NUL. */

#ifdef __wasm__
#define PAGE_IMPORT(name) __attribute__((import_module("drover"), import_name(#name)))
#else
#define PAGE_IMPORT(name)
#endif

/** performance.now(): milliseconds of a clock that never goes back. */
PAGE_IMPORT(page_host_now_ms) double page_host_now_ms(void);
/** Date.now(): milliseconds since 1970. */
PAGE_IMPORT(page_host_wall_ms) double page_host_wall_ms(void);
/** A line of the log, without its end. level: enum log_level (0 error, 1 warn, 2 info, 3 debug). */
PAGE_IMPORT(page_host_log) void page_host_log(const char *line, size_t length, uint32_t level);
/** Puts words on the clipboard. Returns whether it was tried. */
PAGE_IMPORT(page_host_copy) int32_t page_host_copy(const char *words, size_t length);
/** The title of the document. */
PAGE_IMPORT(page_host_title) void page_host_title(const char *title, size_t length);
/** The shape of the pointer over the canvas: enum window_pointer (0 arrow, 1 hand, 2 move). */
PAGE_IMPORT(page_host_cursor) void page_host_cursor(uint32_t shape);
/** Full screen, or back. The browser may refuse. */
PAGE_IMPORT(page_host_full_screen) void page_host_full_screen(void);
/** The settings that the visitor changed, a JSON text: to be kept, for page_settings. */
PAGE_IMPORT(page_host_keep) void page_host_keep(const char *text, size_t length);
/** Saves a text as a file (a download). */
PAGE_IMPORT(page_host_save)
void page_host_save(const char *name, size_t name_length, const char *text, size_t length);
/** Saves a picture of 0xFFrrggbb words as a PNG file (a download); copies the pixels before it returns. */
PAGE_IMPORT(page_host_save_picture)
void page_host_save_picture(const char *name, size_t length, const uint32_t *pixels, int32_t width,
                            int32_t height);
/** Fetches a file of static seconds; page_fetched follows. is_fresh: a copy that the browser kept is asked about first. */
PAGE_IMPORT(page_host_fetch) void page_host_fetch(const char *url, size_t length, uint32_t is_fresh);
/** Draws page_mesh on the canvas now and writes its pixels as 0xFFrrggbb words, the upper row first. Returns whether it
 * worked. */
PAGE_IMPORT(page_host_read) int32_t page_host_read(uint32_t *pixels, int32_t width, int32_t height);

#endif
