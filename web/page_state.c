/* See page_state.h. */
#include "web/page_state.h"

#include <stdlib.h>
#include <string.h>

#include "common/system/log.h"
#include "viewer/app/config.h"
#include "web/page.h"
#include "web/page_host.h"

/* ---- the state of the module ---- */

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

/* ---- settings ---- */

/* What the browser has now, with a NUL; NULL for nothing. One page, one text. */
static char *kept_text;

bool page_config_begin(const char *text, size_t length) {
    char *copy = malloc(length + 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    free(kept_text);
    kept_text = copy;
    return true;
}

int config_load(struct view_settings *settings) {
    struct failure failure;
    if (kept_text == NULL || config_read(kept_text, strlen(kept_text), settings, &failure) == 0) {
        return 0;
    }
    log_write(LOG_WARN, "config", "the settings of an earlier visit are not used: %s", failure.message);
    free(kept_text);
    kept_text = NULL; /* the next change begins new ones */
    return 0;
}

int config_save(const struct view_settings *now, const struct view_settings *kept,
                const struct view_changes *changes, struct failure *failure) {
    if (!config_has_change(now, kept, changes)) {
        return 0;
    }
    const size_t length = kept_text != NULL ? strlen(kept_text) : 0;
    char *changed = config_change(kept_text, length, now, kept, changes, failure);
    if (changed == NULL) {
        return -1;
    }
    free(kept_text);
    kept_text = changed;
    page_host_keep(changed, strlen(changed));
    return 0;
}
