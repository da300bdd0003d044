/* Peers become sessions: the limits of their number, the number of each, its first hello. The same for every door.
 */
#ifndef DROVER_SERVER_LOOP_SESSION_ENTRY_H
#define DROVER_SERVER_LOOP_SESSION_ENTRY_H

#include "server/loop/loop_context.h"

/** The peer of a connected socket, which becomes the function's. */
struct session_peer {
    int socket;
    const char *address; /* without its port */
    bool is_loopback;    /* it is a program on this machine */
    enum framing_kind kind;
};

/** Whether a peer may come in, or at least stay until it has read why not: false when so many wait for that already that
 * further ones are refused at once, and while the server stops. */
bool session_entry_has_room(const struct loop_context *loop, const char *address, bool is_loopback);
/** Makes a session of the peer and sends its hello; without room for one the peer gets bye. Returns the session, or NULL
 * when there is none to talk to. */
struct session *session_entry_admit(struct loop_context *loop, const struct session_peer *peer);

#endif
