/* The page's state, for the files of web/ alone. */
#ifndef DROVER_WEB_PAGE_STATE_H
#define DROVER_WEB_PAGE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
