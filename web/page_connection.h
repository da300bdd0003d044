/* The page's side of connection.h: the Worker's WebSocket carries the bytes, and this decides when there is one. One thread. */
#ifndef DROVER_WEB_PAGE_CONNECTION_H
#define DROVER_WEB_PAGE_CONNECTION_H

#include "common/base/buffer.h"
#include "viewer/link/connection.h"
#include "web/page_types.h"

/** Room for a message of this size and its end; NULL when there is none, and the connection is given up. */
char *page_connection_reserve(struct connection *connection, size_t size);
/** The message was written there. Nothing when the connection was given up meanwhile. */
void page_connection_commit(struct connection *connection, size_t size);
/** What happened to the socket. words: of the browser or the server; "" for none. */
void page_connection_event(struct connection *connection, enum page_link_event event, uint32_t code,
                           const char *words);
/** Pings, silence, tries that are due. Returns bits of enum page_wish: socket and output. */
uint32_t page_connection_tick(struct connection *connection);
/** Appends the lines to send to *out, and forgets them. */
void page_connection_take(struct connection *connection, struct buffer *out);
/** The page is hidden: no frames are wanted. Or it is shown, and a try that waits begins at once. */
void page_connection_hide(struct connection *connection, bool is_hidden);

#endif
