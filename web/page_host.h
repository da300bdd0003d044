/* What the page asks of the Worker: the imports of page.wasm, of the module "drover". Addresses and lengths are of texts in
 * UTF-8 without a NUL. */
#ifndef DROVER_WEB_PAGE_HOST_H
#define DROVER_WEB_PAGE_HOST_H

#include <stddef.h>
#include <stdint.h>

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
/** Draws page_mesh on the canvas now and writes its pixels as 0xFFrrggbb words, the upper row first. Returns whether it
 * worked. */
PAGE_IMPORT(page_host_read) int32_t page_host_read(uint32_t *pixels, int32_t width, int32_t height);

#endif
