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

/** Listens; takes no connection before server_run. Before anything is read or written: a start whose port is in use is to
 * leave everything as it was. The options stay the caller's and must outlive the server. NULL with *failure (busy: the
 * port is in use). */
NODISCARD struct server *server_create(const struct server_options *options, struct failure *failure);
/** Gets ready to serve this simulation, which stays the caller's and must outlive the server. From here on SIGINT and
 * SIGTERM mean goodbye, even one that comes before server_run. 0, or -1 with *failure. */
NODISCARD int server_take_simulation(struct server *server, struct simulation *simulation,
                                     struct failure *failure);
/** Where it listens: "127.0.0.1:7717", "[::1]:7717". */
const char *server_address(const struct server *server);
/** Where the page for browsers is: "http://127.0.0.1:7718/", "unix:/run/drover/web.sock". NULL without --web. */
const char *server_web_address(const struct server *server);
/** After server_take_simulation: starts the simulation and serves until SIGINT or SIGTERM, then says bye to every session. 0, or -1 with
 * *failure. */
NODISCARD int server_run(struct server *server, struct failure *failure);
/** Makes the server look whether a rank is lost (simulation_has_lost_rank): it says bye to every session then, and
 * server_run returns. Any thread. context: a struct server. */
void server_wake(void *context);
/** NULL is fine. */
void server_destroy(struct server *server);

#endif
