/* See system_sockets.h: POSIX. */
#include "clients/c/system_sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

int system_sockets_begin(void) {
    return 0;
}

void system_sockets_end(void) {}

const char *system_sockets_find(const struct address *address, struct addrinfo **addresses) {
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    const int result = getaddrinfo(address->host, address->port, &hints, addresses);
    return result != 0 ? gai_strerror(result) : NULL;
}

socklen_t system_sockets_path(const char *path, struct sockaddr_storage *address) {
    struct sockaddr_un named = {.sun_family = AF_UNIX};
    memcpy(named.sun_path, path, strlen(path) + 1);
    memcpy(address, &named, sizeof named);
    return sizeof named;
}

int system_socket_open(int family, int *problem) {
    const int fd = socket(family, SOCK_STREAM, 0), on = 1;
    if (fd < 0) {
        *problem = errno;
        return -1;
    }
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
        *problem = errno;
        (void)close(fd);
        return -1;
    }
    if (family != AF_UNIX) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    return fd;
}

void system_socket_close(int socket) {
    (void)close(socket);
}

int system_socket_connect(int socket, const struct sockaddr *address, socklen_t length) {
    if (connect(socket, address, length) == 0) {
        return 0;
    }
    return errno == EINTR ? EINPROGRESS : errno;
}

int system_socket_outcome(int socket) {
    int problem = 0;
    socklen_t size = sizeof problem;
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &problem, &size) != 0 ? errno : problem;
}

bool system_socket_wait(int socket, int events, int timeout_ms) {
    struct pollfd poller = {.fd = socket, .events = (short)events};
    return poll(&poller, socket >= 0 ? 1 : 0, timeout_ms) > 0;
}

ptrdiff_t system_socket_send(int socket, const char *bytes, size_t length, int *problem) {
    ptrdiff_t count = -1;
    do {
        count = send(socket, bytes, length, MSG_NOSIGNAL);
    } while (count < 0 && errno == EINTR);
    *problem = errno;
    return count;
}

ptrdiff_t system_socket_receive(int socket, char *bytes, size_t size, int *problem) {
    ptrdiff_t count = -1;
    do {
        count = recv(socket, bytes, size, 0);
    } while (count < 0 && errno == EINTR);
    *problem = errno == EWOULDBLOCK ? EAGAIN : errno;
    return count;
}

const char *system_socket_problem(int problem) {
    return strerror(problem);
}
