/* A listening socket, TCP or Unix. Hands out connected sockets; knows nothing of sessions.
 *
 * libuv's own listen callback retries a failing accept without a pause, so the listener polls its socket
 * itself: when descriptors run out (EMFILE, ENFILE) it logs that once a minute, rests for a second and
 * tries again; the connections in the backlog are served then.
 */
#ifndef DROVER_SERVER_NET_LISTENER_H
#define DROVER_SERVER_NET_LISTENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <uv.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"

enum {
    LISTENER_REST_MS = 1000,
    LISTENER_LOG_MS = 60000,
    LISTENER_BACKLOG = 511,
    LISTENER_ADDRESS_CHARS = 128
};

struct listener {
    uv_poll_t poll;
    uv_timer_t rest;
    int socket;
    bool is_loopback; /* only this machine can reach it */
    bool is_open;
    bool was_logged;                      /* that descriptors ran out, */
    uint64_t logged_ms;                   /* and when: once a minute at most */
    char address[LISTENER_ADDRESS_CHARS]; /* "127.0.0.1:7717", "[::1]:7717", "unix:/run/drover/web.sock" */
    char path[LISTENER_ADDRESS_CHARS];    /* of a Unix socket; removed when it closes. "" for TCP */
    struct stat file;                     /* at that path, while it is the listener's own */
    void *context;
    void (*on_accept)(void *context, int socket); /* the socket is the receiver's, also to close */
};

/** Binds and listens; no connection is taken before listener_start. address: a numeric IPv4 or IPv6 address
 * or a name. port 0: any free one. 0, or -1 with *failure, one plain sentence. */
NODISCARD int listener_open(struct listener *listener, uv_loop_t *loop, const char *address, uint16_t port,
                            struct failure *failure);
/** The same for a Unix socket at this path, of mode 0660. One that a dead server left there is replaced; one that a server
 * listens on, or another file, is refused. */
NODISCARD int listener_open_unix(struct listener *listener, uv_loop_t *loop, const char *path,
                                 struct failure *failure);
/** Takes connections from now on; on_accept gets each socket. 0, or a libuv error. */
NODISCARD int listener_start(struct listener *listener, void *context,
                             void (*on_accept)(void *context, int socket));
/** The numeric address of the peer of a connected socket; "unix" of one on a Unix socket, which counts as loopback. False when the kernel does not know it any more. */
bool listener_peer(int socket, char *host, size_t size, bool *loopback);
/** Stops accepting and starts closing its handles. Does nothing when it is not open. */
void listener_close(struct listener *listener);

#endif
