/* The server as a whole: the loop with its listener, sessions and signals, and the simulation behind it.
 *
 * What a session asks is answered here when it concerns the session (ping, subscribe, unsubscribe, bye) and
 * becomes a command for the simulation otherwise. Answers come back through the event queue.
 */
#ifndef DROVER_SERVER_SERVER_H
#define DROVER_SERVER_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

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
/** Before server_run: loads the scenario of this name, whose file is at the path, whenever the file changes. The texts stay the
 * caller's and must outlive the server. */
void server_watch(struct server *server, const char *path, const char *name);
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

/* What a service manager (systemd, Type=notify) learns of the server: one datagram a message, to the socket that NOTIFY_SOCKET
 * names. Without the variable nothing is sent.
 *
 * 1. READY=1 when the server listens and the world has moved; STATUS=, one line for people, when it changes; STOPPING=1.
 * 2. WATCHDOG=1, twice in WATCHDOG_USEC, but only when the simulation thread moved since the last one. The loop calls
 * service_notify_beat, so it moved as well. A server of which either is stuck falls silent and is started again.
 * 3. A datagram that finds no room is sent at a later beat. None of the functions waits.
 */

enum { SERVICE_STATUS_BYTES = 256 };
/* STATUS is sent no more often. */
#define SERVICE_STATUS_NS UINT64_C(2000000000)

struct service_notify {
    int socket; /* -1: no service manager */
    struct sockaddr_un address;
    socklen_t length;
    uint64_t watchdog_ns;              /* from one WATCHDOG=1 to the next; 0: none */
    uint64_t watched_ns, described_ns; /* when WATCHDOG=1 and STATUS= were sent last; 0: never */
    uint64_t turns;                    /* of the simulation thread, at the last WATCHDOG=1 */
    bool is_ready, is_stopping;        /* READY=1, STOPPING=1 were sent */
    char status[SERVICE_STATUS_BYTES]; /* sent last */
};

/** What the server is doing, for STATUS=. */
struct service_status {
    const char *scenario;
    bool is_paused, is_resuming;
    double resumed; /* share of the way to where the world stopped, 0 to 1 */
    uint64_t agents, sessions;
    double tick_p99_ms;
};

/** Reads NOTIFY_SOCKET (a path, or @NAME in the abstract name space), WATCHDOG_USEC and WATCHDOG_PID, and removes them from the
 * environment; before other threads read it. A wrong value is logged and counts as absent. */
void service_notify_open(struct service_notify *notify);
void service_notify_close(struct service_notify *notify);
/** The text of STATUS=: "boids, 200 agents, 3 sessions, p99 0.4 ms". Control characters of the name are question marks. */
void service_status_write(const struct service_status *status, char text[SERVICE_STATUS_BYTES]);
/** Whether service_notify_beat wants a text. */
bool service_notify_wants_status(const struct service_notify *notify, uint64_t now_ns);
/** From the loop, ten times a second: sends what is due.
 *
 * motion  simulation_read_motion
 * status  the text of STATUS=, or NULL
 * returns whether the simulation thread is to show that it moves, also when its world is paused (simulation_nudge) */
bool service_notify_beat(struct service_notify *notify, const struct simulation_motion *motion,
                         const char *status, uint64_t now_ns);
/** The server says goodbye. */
void service_notify_stop(struct service_notify *notify);

#endif
