/* What page_panels.h does, for the page's own panels, as exports of the module. */
#include "viewer/app/app_state.h"
#include "web/page.h"
#include "web/page_panels.h"
#include "web/page_state.h"

/** The address of the sections that changed; *length: their bytes. Valid until the next call. */
PAGE_EXPORT(page_panels) uint32_t page_panels(uint32_t *length);
/** Takes the message of this length in page_text. Returns whether it was one. */
PAGE_EXPORT(page_panels_take) int32_t page_panels_take(uint32_t length);

uint32_t page_panels(uint32_t *length) {
    struct app *app = page_app();
    size_t bytes = 2;
    const char *text = app != NULL && app->panels != NULL ? page_panels_sections(app->panels, &bytes) : "{}";
    *length = (uint32_t)bytes;
    return (uint32_t)(uintptr_t)text;
}

int32_t page_panels_take(uint32_t length) {
    struct app *app = page_app();
    if (app == NULL || app->panels == NULL) {
        return 0;
    }
    app->pacing.is_dirty = true;
    return page_panels_message(app->panels, page_words(length), length) ? 1 : 0;
}
