/* The page's side of window.h and window.h: what was drawn waits for the Worker, which puts it on the canvas. */
#ifndef DROVER_WEB_PAGE_WINDOW_H
#define DROVER_WEB_PAGE_WINDOW_H

#include "viewer/draw/mesh.h"
#include "viewer/platform/window.h"
#include "web/page_types.h"

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
