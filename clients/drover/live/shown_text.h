/* Text of a server as a terminal may show it: nothing that a server sends moves the cursor, changes a color or turns the
 * direction of a line. Pure. */
#ifndef DROVER_CLIENTS_DROVER_LIVE_SHOWN_TEXT_H
#define DROVER_CLIENTS_DROVER_LIVE_SHOWN_TEXT_H

#include <stddef.h>

#include "common/base/buffer.h"

/** Appends text for people. Controls (C0, DEL, C1), what turns the direction of a text and what cannot be seen become
 * \u001b and the like, bytes that are not UTF-8 \x9b. */
void shown_text_append(struct buffer *out, const char *text, size_t length);
/** Appends JSON. Inside strings the same characters become escapes of JSON, so that the values stay what they are; white
 * space between the values becomes a blank. json: checked already (json_check). */
void shown_json_append(struct buffer *out, const char *json, size_t length);
/** How many columns of a terminal the text takes: 2 for the wide characters of East Asia and for emoji, 0 for marks that
 * combine. text: valid UTF-8 without controls. */
int shown_text_width(const char *text, size_t length);
/** How many bytes of the text fit into so many columns. */
size_t shown_text_fit(const char *text, size_t length, int columns);

#endif
