/* See page_state.h. */
#include "web/page_state.h"

#include <stdlib.h>

#include "web/page.h"

struct page_state *page_state(void) {
    static struct page_state state; /* a module has one page */
    return &state;
}

struct app *page_app(void) {
    return page_state()->app;
}

const struct page_canvas *page_canvas(void) {
    return &page_state()->canvas;
}

PAGE_EXPORT(page_text) uint32_t page_text(uint32_t size) {
    struct page_state *state = page_state();
    if (size >= state->text_size) {
        const uint32_t room = size < 4095 ? 4096 : size + size / 2 + 1;
        char *text = room > size ? realloc(state->text, room) : NULL;
        if (text == NULL) {
            return 0;
        }
        state->text = text;
        state->text_size = room;
    }
    return page_address(state->text);
}

const char *page_words(uint32_t length) {
    const struct page_state *state = page_state();
    if (state->text == NULL || length >= state->text_size) {
        return "";
    }
    state->text[length] = '\0';
    return state->text;
}
