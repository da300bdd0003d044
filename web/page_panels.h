/* The page's side of viewer/panels/panels.h: what the panels show, as JSON for the page's script, and what is done in them,
 * out of the script's messages. web/src/panels/view.ts has the sections and the messages.
 *
 * A section is written when its text differs from the one that was handed over before, so a page that shows them in order
 * shows the newest view. Messages wait for the next panels_draw, which makes a result of them; of a kind that a result holds
 * once, one message is taken by each. */
#ifndef DROVER_WEB_PAGE_PANELS_H
#define DROVER_WEB_PAGE_PANELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "viewer/panels/panels.h"

/** The sections that changed since the last call, as a JSON object with a member each; {} when none did, or while there is no
 * memory for them. *length: its bytes. Valid until the next call for these panels. */
const char *page_panels_sections(struct panels *panels, size_t *length);
/** Whether page_panels_sections has something new. */
bool page_panels_have_news(const struct panels *panels);
/** Takes a message of the page: a JSON object, see view.ts. Returns whether it was one; one that names something that is not
 * there is one, and does nothing. */
bool page_panels_message(struct panels *panels, const char *text, size_t length);
/** Whether messages wait for another panels_draw: the app is to draw again. */
bool page_panels_wait(const struct panels *panels);

#endif
