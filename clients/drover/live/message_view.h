/* Replies for people: a line for a few numbers, a table for a list. Any reply can be shown, also one of a later server.
 * Pure. */
#ifndef DROVER_CLIENTS_DROVER_LIVE_MESSAGE_VIEW_H
#define DROVER_CLIENTS_DROVER_LIVE_MESSAGE_VIEW_H

#include "clients/c/include/drover/drover.h"
#include "clients/drover/live/text_table.h"

/** Appends what a reply says: its numbers and texts, in one line ("step: tick 60, hash 0123456789abcdef") or, when they are
 * many, one below the other; then a table for each array of objects. */
void message_view(const struct drover_message *message, const struct text_style *style, struct buffer *out);
/** Appends a value as compact JSON; a string as its bare text, which may hold anything a server sends. */
void message_view_value(const struct drover_message *message, const char *path, struct buffer *out);

#endif
