/* The door for browsers: HTTP and WebSocket on the server's loop (--web).
 *
 * 1. HTTP is read and written by libmicrohttpd, which is run from the loop when its epoll descriptor is ready and when
 * its time has come. GET and HEAD alone, one request a connection; what an answer is comes from the table of routes
 * (web_exchange.c).
 * 2. Host and Origin are checked before anything else happens (web_route.h).
 * 3. /ws is handed over: after the handshake its socket becomes a session (loop/loop_context.h) and the door forgets
 * it.
 * 4. At most LIMIT_WEB_CONNECTIONS connections, LIMIT_WEB_ADDRESS of one address; each has LIMIT_WEB_HEAD_SECONDS for
 * its request and LIMIT_WEB_ANSWER_SECONDS in all.
 */
#ifndef DROVER_SERVER_WEB_WEB_DOOR_H
#define DROVER_SERVER_WEB_WEB_DOOR_H

#include <stdbool.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/loop/loop_context.h"

struct web_door;

/** Listens where --web says; takes no connection before web_door_start. The context outlives the door; its loop and its
 * options are set already, and its access. NULL with *failure: the place is in use, other hosts would reach it without
 * tokens, or the build has no door. */
NODISCARD struct web_door *web_door_open(struct loop_context *loop, struct failure *failure);
/** Takes connections from now on. 0, or a libuv error. */
NODISCARD int web_door_start(struct web_door *door);
/** "http://127.0.0.1:7718/", or "unix:/run/drover/web.sock". */
const char *web_door_address(const struct web_door *door);
/** Takes no further connection. The connections that there are go on. NULL is fine. */
void web_door_shut(struct web_door *door);
/** Ends the HTTP connections and starts closing the door's handles. NULL is fine. Once. */
void web_door_close(struct web_door *door);
/** After the loop has run out. NULL is fine. */
void web_door_free(struct web_door *door);

#endif
