/* The connection to the server: a thread that connects, reads, decodes, and reconnects when the server is
 * gone. It stops when the server refuses its token: the same token would be refused again.
 *
 * Owns the thread, its loop and the mailbox. Everything here is called from one other thread and never blocks
 * (except connection_destroy, which waits for the thread).
 */
#ifndef DROVER_VIEWER_LINK_CONNECTION_H
#define DROVER_VIEWER_LINK_CONNECTION_H

#include "viewer/link/link.h"

struct connection;

/** Starts trying at once. NULL when out of memory or threads. */
NODISCARD struct connection *connection_create(const struct connection_def *def);
/** Closes, joins the thread, frees. NULL is fine. */
void connection_destroy(struct connection *connection);

struct mailbox *connection_mailbox(struct connection *connection);
/** Sends a request soon. -1 when there is no connection: it is lost. */
NODISCARD int connection_send(struct connection *connection, const struct request *request);
/** Subscribes to something else. In a new world, and after a reconnect, the connection begins with
 * stream_first by itself. */
void connection_set_stream(struct connection *connection, const struct stream_choice *stream);

#endif
