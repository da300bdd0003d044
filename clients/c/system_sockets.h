/* Sockets as the carrier needs them: those of POSIX (system_sockets.c), or Winsock's (system_sockets_windows.c).
 *
 * What goes wrong is an errno everywhere, with its text.
 */
#ifndef DROVER_CLIENTS_C_SYSTEM_SOCKETS_H
#define DROVER_CLIENTS_C_SYSTEM_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/text/server_address.h"

#if defined(_WIN32)
#include <winsock2.h>
#include <ws2tcpip.h>
enum { SOCKET_PATH_BYTES = 1 }; /* there are no sockets with a path */
#else
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
enum { SOCKET_PATH_BYTES = sizeof((struct sockaddr_un *)NULL)->sun_path };
#endif

/** Each carrier begins to use sockets, and ends that. 0, or -1 when the system has none. */
NODISCARD int system_sockets_begin(void);
void system_sockets_end(void);

/** The addresses of a host, for freeaddrinfo. NULL, or why there are none. */
NODISCARD const char *system_sockets_find(const struct address *address, struct addrinfo **addresses);
/** The address of a path of fewer than SOCKET_PATH_BYTES bytes. Returns its length. */
socklen_t system_sockets_path(const char *path, struct sockaddr_storage *address);

/** A socket for which nothing waits and that no child inherits. -1 with *problem. */
int system_socket_open(int family, int *problem);
void system_socket_close(int socket);
/** 0: connected. EINPROGRESS: begun; system_socket_wait for POLLOUT and system_socket_outcome follow. */
int system_socket_connect(int socket, const struct sockaddr *address, socklen_t length);
/** How the connecting ended: 0, or an errno. */
int system_socket_outcome(int socket);

/** Waits at most timeout_ms (-1: without end) for one of `events`, POLLIN and POLLOUT, or the end of the connection. -1 for no socket:
 * waits for the time alone. Returns whether something happened. */
bool system_socket_wait(int socket, int events, int timeout_ms);
/** Bytes that went; -1 with *problem, EAGAIN when there is no room now. */
ptrdiff_t system_socket_send(int socket, const char *bytes, size_t length, int *problem);
/** Bytes that came, 0 at the end of the connection; -1 with *problem, EAGAIN when there are none now. */
ptrdiff_t system_socket_receive(int socket, char *bytes, size_t size, int *problem);

/** The sentence for an errno, without a full stop. */
const char *system_socket_problem(int problem);

#endif
