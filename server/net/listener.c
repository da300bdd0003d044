/* See listener.h. */
#include "server/net/listener.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/system/log.h"

enum { ACCEPTS_PER_TURN = 64 };

static void on_readable(uv_poll_t *poll, int status, int events);

static void on_rested(uv_timer_t *timer) {
    struct listener *listener = timer->data;
    uv_poll_start(&listener->poll, UV_READABLE, on_readable);
}

/* Returns whether accepting may go on now. */
static bool rest_after(struct listener *listener, int error) {
    if (error == EINTR || error == ECONNABORTED || error == EPROTO) {
        return true;
    }
    if (error == EAGAIN || error == EWOULDBLOCK) {
        return false;
    }
    const uint64_t now_ms = uv_now(listener->poll.loop);
    if (!listener->was_logged || now_ms - listener->logged_ms >= LISTENER_LOG_MS) {
        listener->was_logged = true;
        listener->logged_ms = now_ms;
        log_write(LOG_ERROR, "net", "cannot accept connections: %s; trying again every second",
                  strerror(error));
    }
    uv_poll_stop(&listener->poll);
    uv_timer_start(&listener->rest, on_rested, LISTENER_REST_MS, 0);
    return false;
}

static void on_readable(uv_poll_t *poll, int status, int events) {
    struct listener *listener = poll->data;
    (void)events;
    if (status < 0) {
        (void)rest_after(listener, -status);
        return;
    }
    for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
        const int accepted = accept(listener->socket, NULL, NULL);
        if (accepted < 0) {
            if (rest_after(listener, errno)) {
                continue;
            }
            return;
        }
        (void)fcntl(accepted, F_SETFD, FD_CLOEXEC);
        listener->on_accept(listener->context, accepted);
    }
}

static bool is_loopback(const struct sockaddr_storage *address) {
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *ipv4 = (const struct sockaddr_in *)address;
        return ntohl(ipv4->sin_addr.s_addr) >> 24 == 127;
    }
    const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *)address;
    return address->ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&ipv6->sin6_addr);
}

bool listener_peer(int socket, char *host, size_t size, bool *loopback) {
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    if (getpeername(socket, (struct sockaddr *)&peer, &length) != 0) {
        return false;
    }
    if (peer.ss_family == AF_UNIX) {
        *loopback = true;
        (void)snprintf(host, size, "unix");
        return true;
    }
    if (getnameinfo((struct sockaddr *)&peer, length, host, (socklen_t)size, NULL, 0, NI_NUMERICHOST) != 0) {
        return false;
    }
    *loopback = is_loopback(&peer);
    return true;
}

/* The bound address as text, IPv6 in brackets. */
static int describe(struct listener *listener, struct failure *failure) {
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    char host[64];
    char port[16];
    if (getsockname(listener->socket, (struct sockaddr *)&bound, &size) != 0 ||
        getnameinfo((struct sockaddr *)&bound, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot read back the listening address");
    }
    listener->is_loopback = is_loopback(&bound);
    const bool is_ipv6 = bound.ss_family == AF_INET6;
    const int length = snprintf(listener->address, sizeof listener->address, "%s%s%s:%s", is_ipv6 ? "[" : "",
                                host, is_ipv6 ? "]" : "", port);
    if (length < 0 || (size_t)length >= sizeof listener->address) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "the listening address is too long");
    }
    return 0;
}

/* A bound, listening, non-blocking socket, or -1 with errno. */
static int listen_on(const struct addrinfo *info) {
    const int listening = socket(info->ai_family, info->ai_socktype, info->ai_protocol);
    if (listening < 0) {
        return -1;
    }
    const int on = 1;
    if (fcntl(listening, F_SETFD, FD_CLOEXEC) != 0 || fcntl(listening, F_SETFL, O_NONBLOCK) != 0 ||
        setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        (info->ai_family == AF_INET6 &&
         setsockopt(listening, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) != 0) ||
        bind(listening, info->ai_addr, info->ai_addrlen) != 0 || listen(listening, LISTENER_BACKLOG) != 0) {
        const int error = errno;
        close(listening);
        errno = error;
        return -1;
    }
    return listening;
}

static int refuse(const char *address, uint16_t port, int error, struct failure *failure) {
    if (error == EADDRINUSE) {
        return failure_set(failure, FAILURE_BUSY, "port", "port %u on %s is in use", (unsigned)port, address);
    }
    /* An address that this machine does not have may come with its network. */
    const bool is_passing =
        error == EADDRNOTAVAIL || error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
    return failure_set(failure, is_passing ? FAILURE_BUSY : FAILURE_BAD_PARAM, "listen",
                       "cannot listen on %s port %u: %s", address, (unsigned)port, strerror(error));
}

static int bind_address(struct listener *listener, const char *address, uint16_t port,
                        struct failure *failure) {
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    char service[8], host[256];
    (void)snprintf(service, sizeof service, "%u", (unsigned)port);
    /* [::1], as the address of IPv6 stands before a port, is ::1. */
    const size_t length = strlen(address),
                 brackets = length > 2 && *address == '[' && address[length - 1] == ']';
    (void)snprintf(host, sizeof host, "%.*s", (int)(length - 2 * brackets), address + brackets);
    struct addrinfo *found = NULL;
    const int result = getaddrinfo(host, service, &hints, &found);
    if (result != 0) {
        const bool is_passing = result == EAI_AGAIN || result == EAI_MEMORY || result == EAI_SYSTEM;
        return failure_set(failure, is_passing ? FAILURE_BUSY : FAILURE_BAD_PARAM, "listen",
                           "cannot listen on \"%s\": %s", address, gai_strerror(result));
    }
    listener->socket = listen_on(found);
    const int error = errno;
    freeaddrinfo(found);
    return listener->socket < 0 ? refuse(address, port, error, failure) : 0;
}

/* The handles of a listening socket; without them it is closed. */
static int watch(struct listener *listener, uv_loop_t *loop, struct failure *failure) {
    int result = 0;
    if (uv_timer_init(loop, &listener->rest) != 0) {
        result = failure_set(failure, FAILURE_INTERNAL, NULL, "cannot make a timer");
    }
    if (result == 0 && uv_poll_init(loop, &listener->poll, listener->socket) != 0) {
        uv_close((uv_handle_t *)&listener->rest, NULL);
        result = failure_set(failure, FAILURE_INTERNAL, NULL, "cannot watch the listening socket");
    }
    if (result != 0) {
        close(listener->socket);
        listener->socket = -1;
        return -1;
    }
    listener->poll.data = listener;
    listener->rest.data = listener;
    listener->is_open = true;
    return 0;
}

int listener_open(struct listener *listener, uv_loop_t *loop, const char *address, uint16_t port,
                  struct failure *failure) {
    *listener = (struct listener){.socket = -1};
    if (bind_address(listener, address, port, failure) != 0) {
        return -1;
    }
    if (describe(listener, failure) != 0) {
        close(listener->socket);
        listener->socket = -1;
        return -1;
    }
    return watch(listener, loop, failure);
}

/* ---- Unix sockets ---- */

/* Whether no server listens there. One that is stuck, or that this user may not reach, does. */
static bool is_dead(const struct sockaddr_un *address) {
    const int peer = socket(AF_UNIX, SOCK_STREAM, 0);
    if (peer < 0) {
        return false;
    }
    const bool is_refused = fcntl(peer, F_SETFL, O_NONBLOCK) == 0 &&
                            connect(peer, (const struct sockaddr *)address, sizeof *address) != 0 &&
                            errno == ECONNREFUSED;
    close(peer);
    return is_refused;
}

/* Removes the socket that a dead server left. False when there is something else, or a server. */
static bool remove_dead(const struct sockaddr_un *address) {
    struct stat found;
    if (lstat(address->sun_path, &found) != 0) {
        return errno == ENOENT;
    }
    return S_ISSOCK(found.st_mode) && is_dead(address) && unlink(address->sun_path) == 0;
}

static int bind_path(const struct sockaddr_un *address) {
    const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    if (listening < 0) {
        return -1;
    }
    const mode_t mask = umask(0117); /* so that the socket is never open to more than owner and group */
    const bool is_bound = fcntl(listening, F_SETFD, FD_CLOEXEC) == 0 &&
                          fcntl(listening, F_SETFL, O_NONBLOCK) == 0 &&
                          bind(listening, (const struct sockaddr *)address, sizeof *address) == 0;
    int error = errno;
    (void)umask(mask);
    if (is_bound && listen(listening, LISTENER_BACKLOG) == 0) {
        return listening;
    }
    error = is_bound ? errno : error;
    close(listening);
    errno = error;
    return -1;
}

int listener_open_unix(struct listener *listener, uv_loop_t *loop, const char *path,
                       struct failure *failure) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *listener = (struct listener){.socket = -1, .is_loopback = true};
    if (path[0] == '\0' || strlen(path) >= sizeof address.sun_path) {
        return failure_set(failure, FAILURE_BAD_PARAM, "listen",
                           "a Unix socket needs a path of 1 to %zu bytes", sizeof address.sun_path - 1);
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (!remove_dead(&address)) {
        return failure_set(failure, FAILURE_BUSY, "listen",
                           "%s is in use, or is no socket; nothing was removed", path);
    }
    listener->socket = bind_path(&address);
    if (listener->socket < 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, "listen", "cannot listen on %s: %s", path,
                           strerror(errno));
    }
    if (lstat(path, &listener->file) == 0) {
        (void)snprintf(listener->path, sizeof listener->path, "%s", path);
    }
    (void)snprintf(listener->address, sizeof listener->address, "unix:%s", path);
    return watch(listener, loop, failure);
}

int listener_start(struct listener *listener, void *context, void (*on_accept)(void *context, int socket)) {
    assert(listener->is_open);
    listener->context = context;
    listener->on_accept = on_accept;
    return uv_poll_start(&listener->poll, UV_READABLE, on_readable);
}

/* Removes the socket's file, unless another server has put its own in the same place. */
static void remove_own(const struct listener *listener) {
    struct stat found;
    if (listener->path[0] != '\0' && lstat(listener->path, &found) == 0 &&
        found.st_dev == listener->file.st_dev && found.st_ino == listener->file.st_ino) {
        (void)unlink(listener->path);
    }
}

static void on_poll_closed(uv_handle_t *handle) {
    struct listener *listener = handle->data;
    close(listener->socket);
    listener->socket = -1;
}

void listener_close(struct listener *listener) {
    if (listener->is_open) {
        listener->is_open = false;
        uv_poll_stop(&listener->poll);
        uv_close((uv_handle_t *)&listener->poll, on_poll_closed);
        uv_close((uv_handle_t *)&listener->rest, NULL);
        remove_own(listener);
    }
}
