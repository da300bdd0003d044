/* The page for the files of web/ alone: its state, and its sides of config.h, connection.h and window.h. */
#ifndef DROVER_WEB_PAGE_STATE_H
#define DROVER_WEB_PAGE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "viewer/draw/mesh.h"
#include "viewer/link/connection.h"
#include "viewer/platform/window.h"
#include "web/page_host.h"

/* The page's state, for the files of web/ alone. */

struct app;

/** The canvas that the window's picture is shown on. */
struct page_canvas {
    int32_t width, height; /* px */
    float ratio;           /* px per CSS px */
    bool has_card, takes_crowd;
};

struct page_state {
    struct app *app; /* NULL before page_create */
    struct page_canvas canvas;
    bool reduces_motion; /* the visitor prefers that */
    bool has_own_server; /* the server is in the page too */
    char *text;          /* of page_text, owned */
    uint32_t text_size;
};

/** The state of the module's one page. */
struct page_state *page_state(void);
/** Its app; NULL before page_create. */
struct app *page_app(void);
/** Its canvas as it is now. */
const struct page_canvas *page_canvas(void);
/** The text that came last through page_text, `length` bytes of it with a NUL behind; "" when it is longer than its room. */
const char *page_words(uint32_t length);
/** The panels have something new for page_panels: page_frame is to say so. */
void page_note_panels(void);
/** An address as WebAssembly has it. */
static inline uint32_t page_address(const void *at) {
    return (uint32_t)(uintptr_t)at;
}

/* The page's side of config.h: the browser keeps the settings, as the text that the window has in its file. */

/** The text that the browser kept. Whether there was memory for it. */
bool page_config_begin(const char *text, size_t length);

/* The page's side of connection.h: the Worker's WebSocket carries the bytes, and this decides when there is one. One thread. */

/** Room for a message of this size and its end; NULL when there is none, and the connection is given up. */
char *page_connection_reserve(struct connection *connection, size_t size);
/** The message was written there. Nothing when the connection was given up meanwhile. */
void page_connection_commit(struct connection *connection, size_t size);
/** A file of static seconds was written there, or could not be fetched; problem: why, or NULL. */
void page_connection_fetched(struct connection *connection, size_t size, const char *problem);
/** What happened to the socket. words: of the browser or the server; "" for none. */
void page_connection_event(struct connection *connection, enum page_link_event event, uint32_t code,
                           const char *words);
/** Pings, silence, tries that are due. Returns bits of enum page_wish: socket and output. */
uint32_t page_connection_tick(struct connection *connection);
/** Appends the lines to send to *out, and forgets them. */
void page_connection_take(struct connection *connection, struct buffer *out);
/** The page is hidden: no frames are wanted. Or it is shown, and a try that waits begins at once. */
void page_connection_hide(struct connection *connection, bool is_hidden);

/* The page's side of window.h and window.h: what was drawn waits for the Worker, which puts it on the canvas. */

/** What was shown since the last call: bits of enum page_wish, PAGE_HAS_MESH or PAGE_HAS_PIXELS. */
uint32_t page_window_take(struct window *window);
/** The newest mesh, NULL before the first. */
const struct page_mesh *page_window_mesh(const struct window *window);
/** The crowd in it, NULL for none. */
const struct page_crowd *page_window_crowd(const struct window *window);
/** The newest picture of the raster, NULL before the first. */
const struct page_picture *page_window_picture(const struct window *window);
/** A slot's texture, NULL before the first. */
const struct page_texture *page_window_texture(const struct window *window, uint32_t slot);

#endif
