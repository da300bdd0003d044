/* The server as a whole: the loop with its listener, sessions and signals, and the simulation behind it.
 *
 * What a session asks is answered here when it concerns the session (ping, subscribe, unsubscribe, bye) and
 * becomes a command for the simulation otherwise. Answers come back through the event queue.
 */
#ifndef DROVER_SERVER_SERVER_H
#define DROVER_SERVER_SERVER_H

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/options.h"
#include "server/simulation/simulation.h"

struct server;

/** Listens and gets ready; takes no connection before server_run. The options and the simulation stay the
 * caller's and must outlive the server. NULL with *failure (busy: the port is in use). */
NODISCARD struct server *server_create(const struct server_options *options, struct simulation *simulation,
                                       struct failure *failure);
/** Where it listens: "127.0.0.1:7717", "[::1]:7717". */
const char *server_address(const struct server *server);
/** Starts the simulation and serves until SIGINT or SIGTERM, then says bye to every session. 0, or -1 with
 * *failure. */
NODISCARD int server_run(struct server *server, struct failure *failure);
/** NULL is fine. */
void server_destroy(struct server *server);

#endif
