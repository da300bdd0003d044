/* See peer_socket.h. */
#include "server/net/peer_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    /* A peer that fell off the net without a word is gone after 30 + 3 * 5 s. */
    KEEPALIVE_SECONDS = 30,
    KEEPALIVE_INTERVAL_SECONDS = 5,
    KEEPALIVE_PROBES = 3,
    NOT_SENT_LOW_WATER_BYTES = 16384,
    REFUSED_READS = 16 /* of 4096 bytes: a whole line */
};

static bool set(int socket, int level, int option, int value) {
    return setsockopt(socket, level, option, &value, sizeof value) == 0;
}

static bool is_unix(int socket) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    return getsockname(socket, (struct sockaddr *)&address, &length) == 0 && address.ss_family == AF_UNIX;
}

bool peer_socket_prepare(int socket) {
    if (is_unix(socket)) {
        return true; /* no net is between the two */
    }
    bool is_set = set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    is_set = set(socket, SOL_SOCKET, SO_KEEPALIVE, 1) && is_set;
    is_set = set(socket, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_SECONDS) && is_set;
    is_set = set(socket, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS) && is_set;
    is_set = set(socket, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES) && is_set;
    is_set = set(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, NOT_SENT_LOW_WATER_BYTES) && is_set;
#ifdef TCP_USER_TIMEOUT
    /* Keepalive does not look after a peer that fell off the net while some bytes were on their way to it,
     * and TCP would send those again for a quarter of an hour. */
    const int unacknowledged_ms = 1000 * (KEEPALIVE_SECONDS + KEEPALIVE_PROBES * KEEPALIVE_INTERVAL_SECONDS);
    (void)set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, unacknowledged_ms);
#endif
    return is_set;
}

bool peer_socket_is_gone(int socket) {
    struct pollfd watch = {.fd = socket, .events = 0};
    return poll(&watch, 1, 0) > 0 && (watch.revents & (POLLERR | POLLHUP)) != 0;
}

bool peer_socket_has_ended(int socket) {
    char next = 0;
    const ssize_t count = recv(socket, &next, 1, MSG_PEEK | MSG_DONTWAIT);
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void peer_socket_refuse(int socket, const char *bytes, size_t length) {
    (void)send(socket, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)shutdown(socket, SHUT_WR);
    /* Bytes from the peer are read first: a socket that is closed over unread bytes sends a reset. */
    char unread[4096];
    for (int i = 0; i < REFUSED_READS && recv(socket, unread, sizeof unread, MSG_DONTWAIT) > 0; i++) {}
    close(socket);
}
