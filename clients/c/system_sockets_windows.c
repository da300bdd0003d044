/* See system_sockets.h: Winsock. Handles of the system fit into an int. */
#include "clients/c/system_sockets.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* What Winsock says, as POSIX says it. Windows' own texts depend on the language and the code page of the user. */
static const struct problem {
    int winsock, error;
    const char *text;
} problems[] = {
    {WSAEWOULDBLOCK, EAGAIN, "Resource temporarily unavailable"},
    {WSAECONNREFUSED, ECONNREFUSED, "Connection refused"},
    {WSAECONNRESET, ECONNRESET, "Connection reset by peer"},
    {WSAECONNABORTED, ECONNABORTED, "Software caused connection abort"},
    {WSAETIMEDOUT, ETIMEDOUT, "Connection timed out"},
    {WSAEHOSTUNREACH, EHOSTUNREACH, "No route to host"},
    {WSAENETUNREACH, ENETUNREACH, "Network is unreachable"},
    {WSAENETDOWN, ENETDOWN, "Network is down"},
    {WSAEADDRNOTAVAIL, EADDRNOTAVAIL, "Cannot assign requested address"},
    {WSAEAFNOSUPPORT, EAFNOSUPPORT, "Address family not supported by protocol"},
    {WSAEACCES, EACCES, "Permission denied"},
    {WSAEMFILE, EMFILE, "Too many open files"},
    {WSAENOBUFS, ENOBUFS, "No buffer space available"},
};
enum { PROBLEM_COUNT = sizeof problems / sizeof *problems };

static int error_of(int winsock) {
    for (int i = 0; i < PROBLEM_COUNT; i++) {
        if (problems[i].winsock == winsock) {
            return problems[i].error;
        }
    }
    return winsock == 0 ? 0 : EIO;
}

static int last_error(void) {
    return error_of(WSAGetLastError());
}

const char *system_socket_problem(int problem) {
    for (int i = 0; i < PROBLEM_COUNT; i++) {
        if (problems[i].error == problem) {
            return problems[i].text;
        }
    }
    return "Input/output error";
}

static SOCKET handle_of(int socket) {
    return (SOCKET)(unsigned)socket;
}

static int length_of(size_t bytes) {
    return bytes < INT_MAX ? (int)bytes : INT_MAX;
}

int system_sockets_begin(void) {
    WSADATA about;
    return WSAStartup(MAKEWORD(2, 2), &about) == 0 ? 0 : -1;
}

void system_sockets_end(void) {
    (void)WSACleanup();
}

const char *system_sockets_find(const struct address *address, struct addrinfo **addresses) {
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    const int result = getaddrinfo(address->host, address->port, &hints, addresses);
    return result == 0                       ? NULL
           : result == WSAHOST_NOT_FOUND     ? "Name or service not known"
           : result == WSANO_DATA            ? "No address associated with hostname"
           : result == WSATRY_AGAIN          ? "Temporary failure in name resolution"
           : result == WSA_NOT_ENOUGH_MEMORY ? "out of memory"
                                             : "the name of the host cannot be looked up";
}

socklen_t system_sockets_path(const char *path, struct sockaddr_storage *address) {
    (void)path;
    memset(address, 0, sizeof *address);
    return 0;
}

int system_socket_open(int family, int *problem) {
    const SOCKET socket =
        WSASocketW(family, SOCK_STREAM, 0, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    const BOOL on = TRUE;
    u_long never_waits = 1;
    if (socket == INVALID_SOCKET) {
        *problem = last_error();
        return -1;
    }
    if (ioctlsocket(socket, (long)FIONBIO, &never_waits) != 0) {
        *problem = last_error();
        (void)closesocket(socket);
        return -1;
    }
    (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, (const char *)&on, sizeof on);
    return (int)socket;
}

void system_socket_close(int socket) {
    (void)closesocket(handle_of(socket));
}

int system_socket_connect(int socket, const struct sockaddr *address, socklen_t length) {
    if (connect(handle_of(socket), address, length) == 0) {
        return 0;
    }
    const int problem = last_error();
    return problem == EAGAIN ? EINPROGRESS : problem;
}

int system_socket_outcome(int socket) {
    int problem = 0, size = sizeof problem;
    return getsockopt(handle_of(socket), SOL_SOCKET, SO_ERROR, (char *)&problem, &size) != 0
               ? last_error()
               : error_of(problem);
}

/* WSAPoll does not notice a refused connection before Windows 10 2004; select says it in its third set. */
bool system_socket_wait(int socket, int events, int timeout_ms) {
    struct timeval time = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
    fd_set reads, writes, fails;
    if (socket < 0) {
        Sleep(timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms);
        return false;
    }
    FD_ZERO(&reads);
    FD_ZERO(&writes);
    FD_ZERO(&fails);
    fails.fd_array[fails.fd_count++] = handle_of(socket);
    if ((events & POLLIN) != 0) {
        reads.fd_array[reads.fd_count++] = handle_of(socket);
    }
    if ((events & POLLOUT) != 0) {
        writes.fd_array[writes.fd_count++] = handle_of(socket);
    }
    return select(0, &reads, &writes, &fails, timeout_ms < 0 ? NULL : &time) > 0;
}

ptrdiff_t system_socket_send(int socket, const char *bytes, size_t length, int *problem) {
    const int count = send(handle_of(socket), bytes, length_of(length), 0);
    *problem = count < 0 ? last_error() : 0;
    return count;
}

ptrdiff_t system_socket_receive(int socket, char *bytes, size_t size, int *problem) {
    const int count = recv(handle_of(socket), bytes, length_of(size), 0);
    *problem = count < 0 ? last_error() : 0;
    return count;
}
