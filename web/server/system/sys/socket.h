/* A page has no sockets. */
#ifndef DROVER_WEB_SERVER_SYSTEM_SOCKET_H
#define DROVER_WEB_SERVER_SYSTEM_SOCKET_H

#include <stddef.h>

typedef unsigned socklen_t;
struct sockaddr {
    unsigned short sa_family;
};

enum {
    AF_UNIX = 1,
    AF_INET = 2,
    AF_INET6 = 10,
    SOCK_STREAM = 1,
    SOCK_DGRAM = 2,
    SOCK_CLOEXEC = 4,
    MSG_DONTWAIT = 1,
    MSG_NOSIGNAL = 2
};

static inline int socket(int domain, int type, int protocol) {
    (void)domain;
    (void)type;
    (void)protocol;
    return -1;
}
static inline int socketpair(int domain, int type, int protocol, int ends[2]) {
    (void)domain;
    (void)type;
    (void)protocol;
    (void)ends;
    return -1;
}
static inline ptrdiff_t recv(int file, void *bytes, size_t length, int flags) {
    (void)file;
    (void)bytes;
    (void)length;
    (void)flags;
    return -1;
}
static inline ptrdiff_t send(int file, const void *bytes, size_t length, int flags) {
    (void)file;
    (void)bytes;
    (void)length;
    (void)flags;
    return -1;
}
static inline ptrdiff_t sendto(int file, const void *bytes, size_t length, int flags,
                               const struct sockaddr *address, socklen_t address_length) {
    (void)file;
    (void)bytes;
    (void)length;
    (void)flags;
    (void)address;
    (void)address_length;
    return -1;
}

#endif
