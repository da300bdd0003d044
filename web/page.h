/* The page: the viewer's app in a Worker of a browser, as functions that the Worker's script calls. WebAssembly exports
 * each under its own name; page.c exports more.
 *
 * One page a module, created once. Every function is called from one thread. Numbers are what WebAssembly has: a bool is
 * 0 or 1, an address is a byte offset in the module's memory, and a picture pixel is a pixel of the canvas. Views of the memory
 * are made again after each call: the memory may have grown, which makes older views empty.
 *
 * Texts go in through one buffer: write their UTF-8 at page_text(length), then call the function that takes the
 * length. No NUL is needed.
 *
 *     page_option, page_settings ...; page_create; page_resize
 *     socket:  page_link(PAGE_LINK_OPENED); bytes at page_reserve, then page_commit; page_link(PAGE_LINK_CLOSED)
 *     frame:   page_frame; when its flags say so: page_take_output, page_mesh or page_pixels, page_panels
 */
#ifndef DROVER_WEB_PAGE_H
#define DROVER_WEB_PAGE_H

#include <stdint.h>

#include "web/page_host.h"

/** Room for a text of this size; 0 when out of memory. Valid until the next call of a page function. */
uint32_t page_text(uint32_t size);
/** One option of the viewer's command line, such as "--name=Ann"; before page_create. Returns whether it was taken. */
int32_t page_option(uint32_t length);
/** The settings of an earlier visit, as page_host_keep got them; before page_create. Returns whether they could be used. */
int32_t page_settings(uint32_t length);
/** Starts the viewer.
 *
 * width, height  of the picture, px of the canvas
 * pixel_ratio    picture px per CSS px
 * flags          enum page_flag
 * returns        whether it worked; else page_failure says why */
int32_t page_create(int32_t width, int32_t height, double pixel_ratio, uint32_t flags);
/** The address of the words of what went wrong, UTF-8; *length is their length, 0 when nothing did. */
uint32_t page_failure(uint32_t *length);

/** Room for the next bytes from the socket: at least `size` bytes; 0 when there is none, and page_frame asks to close the
 * socket. One message of the socket is one line without its end: the page adds the end in page_commit. */
uint32_t page_reserve(uint32_t size);
/** So many bytes, one message, were written there. */
void page_commit(uint32_t size);
/** The file that page_host_fetch was asked for has come: `size` bytes at page_reserve; or it has not, and page_text has why, of this length. */
void page_fetched(uint32_t size, uint32_t length);
/** What happened to the socket; length: of its reason in page_text, may be 0. code: the close code of the WebSocket, 0
 * when there is none. */
void page_link(uint32_t event, uint32_t code, uint32_t length);
/** The lines to send, each ended by '\n', and forgets them. *length 0: none. The Worker sends one text message a line,
 * without its end. Valid until the next call. */
uint32_t page_take_output(uint32_t *length);

/** One frame of this moment (page_host_now_ms). Returns bits of enum page_wish. */
uint32_t page_frame(void);
/** The newest mesh; valid until the next page_frame. 0 without one. */
const struct page_mesh *page_mesh(void);
/** The crowd in the newest mesh; 0 for none. */
const struct page_crowd *page_crowd(void);
/** The texture of a slot of the mesh (enum mesh_texture); 0 for none yet. */
const struct page_texture *page_texture(uint32_t slot);
/** The newest picture of the raster; valid until the next page_frame. 0 when WebGL2 draws. */
const struct page_picture *page_pixels(void);

/** A pointer moved or was pressed.
 *
 * type     enum page_pointer_event
 * id       the pointer's number; 0 for the mouse
 * x, y     picture px / pixel_ratio, that is CSS px from the canvas's corner
 * buttons  bits of enum page_button: the one that went down or up
 * clicks   how many clicks in a row this is: 1, 2
 * ms       when it happened, performance.now() of the Worker */
void page_pointer(uint32_t type, int32_t id, double x, double y, uint32_t buttons, uint32_t clicks,
                  double ms);
/** The wheel turned over the picture by so many notches, > 0 away from the person (zooms in); x, y as in page_pointer. */
void page_wheel(double x, double y, double notches);
/** A pinch or another gesture moves the picture by dx, dy CSS px and zooms it by `factor` about x, y. */
void page_gesture(double x, double y, double dx, double dy, double factor);
/** A key. code: enum key_code of viewer/model/input.h: a printed character in lower case, or a number above 2^30.
 * modifiers: bits of enum page_modifier. Returns whether the viewer knows the key: then the browser is not to act on it. */
int32_t page_key(uint32_t code, uint32_t is_down, uint32_t is_repeat, uint32_t modifiers);
/** A text was typed where the page has no element of its own for it. */
void page_typed(uint32_t length);
/** The canvas has another size, px, and scale. */
void page_resize(int32_t width, int32_t height, double pixel_ratio);
/** The tab was hidden: the server is asked to send no frames, and page_frame does nothing. Or it is shown again: frames
 * come at once, beginning with a whole one. */
void page_hide(uint32_t is_hidden);
/** Does the action of a row of the table of shortcuts, as its key does. */
void page_act(uint32_t row);
/** The table of shortcuts as JSON: an array with an object for each row of viewer/model/shortcuts.c, {"row":10,"action":1,
 * "key":"Space","code":32,"control":false,"shift":false,"help":"pause or resume ...","replay":"pause or play","page_way":"tap",
 * "live_only":false,"no_page":"why the page has it not"}; "replay", "page_way" and "no_page" are left out where there is none. action:
 * enum shortcut_action, 0 for what the mouse does. *length: its bytes. */
uint32_t page_shortcuts(uint32_t *length);

#endif
