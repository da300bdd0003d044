/* A loop, a connected pair of TCP sockets on 127.0.0.1, and the client's side of it. Include after cmocka. */
#ifndef DROVER_TESTS_UNIT_SERVER_NET_TCP_PAIR_H
#define DROVER_TESTS_UNIT_SERVER_NET_TCP_PAIR_H

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <uv.h>

enum {
    TCP_PAIR_PATIENCE_MS = 10000,
    TCP_PAIR_KERNEL_BYTES = 65536 /* wish for each socket buffer: what is more waits in the code under test */
};

struct tcp_pair {
    int client, server; /* the test's; the server's side is given to the code under test */
};

static inline struct tcp_pair tcp_pair_open(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    const int listening = socket(AF_INET, SOCK_STREAM, 0);
    assert_return_code(bind(listening, (struct sockaddr *)&address, sizeof address), errno);
    assert_return_code(listen(listening, 1), errno);
    assert_return_code(getsockname(listening, (struct sockaddr *)&address, &length), errno);
    struct tcp_pair pair = {.client = socket(AF_INET, SOCK_STREAM, 0)};
    const int kernel_bytes = TCP_PAIR_KERNEL_BYTES;
    assert_return_code(setsockopt(pair.client, SOL_SOCKET, SO_RCVBUF, &kernel_bytes, sizeof kernel_bytes),
                       errno);
    assert_return_code(connect(pair.client, (struct sockaddr *)&address, length), errno);
    pair.server = accept(listening, NULL, NULL);
    assert_return_code(pair.server, errno);
    assert_return_code(setsockopt(pair.server, SOL_SOCKET, SO_SNDBUF, &kernel_bytes, sizeof kernel_bytes),
                       errno);
    close(listening);
    return pair;
}

/* One iteration of the loop, and a short rest so that the kernel gets on. */
static inline void loop_turn(uv_loop_t *loop) {
    (void)uv_run(loop, UV_RUN_NOWAIT);
    (void)poll(NULL, 0, 1);
    uv_update_time(loop);
}

/* Lets the loop run until *is_done, or fails. */
static inline void loop_until(uv_loop_t *loop, const bool *is_done) {
    const uint64_t start_ms = uv_hrtime() / 1000000u;
    while (!*is_done) {
        loop_turn(loop);
        if (uv_hrtime() / 1000000u - start_ms > TCP_PAIR_PATIENCE_MS) {
            fail_msg("the loop did not get there within %d ms", TCP_PAIR_PATIENCE_MS);
        }
    }
}

/* Some iterations in which something could happen that must not. */
static inline void loop_settle(uv_loop_t *loop) {
    for (int i = 0; i < 20; i++) {
        loop_turn(loop);
    }
}

static inline void client_send(int client, const char *text) {
    assert_int_equal(send(client, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* Reads until the end, or a reset, while the loop runs. Returns the bytes, NUL-terminated, for free(). */
static inline char *client_read_all(uv_loop_t *loop, int client, size_t *length) {
    size_t size = 0, capacity = 1 << 16;
    char *text = malloc(capacity + 1);
    const uint64_t start_ms = uv_hrtime() / 1000000u;
    for (;;) {
        loop_turn(loop);
        if (capacity - size < 1 << 16) {
            capacity *= 2;
            text = realloc(text, capacity + 1);
        }
        assert_non_null(text);
        const ssize_t got = recv(client, text + size, capacity - size, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno == ECONNRESET)) {
            break;
        }
        size += got > 0 ? (size_t)got : 0;
        if (uv_hrtime() / 1000000u - start_ms > TCP_PAIR_PATIENCE_MS) {
            fail_msg("no end of the stream within %d ms", TCP_PAIR_PATIENCE_MS);
        }
    }
    text[size] = '\0';
    *length = size;
    return text;
}

/* Reads so many bytes while the loop runs; for free(). */
static inline char *client_read(uv_loop_t *loop, int client, size_t wanted) {
    size_t size = 0;
    char *text = malloc(wanted + 1);
    assert_non_null(text);
    const uint64_t start_ms = uv_hrtime() / 1000000u;
    while (size < wanted) {
        loop_turn(loop);
        const ssize_t got = recv(client, text + size, wanted - size, MSG_DONTWAIT);
        assert_int_not_equal(got, 0);
        size += got > 0 ? (size_t)got : 0;
        if (uv_hrtime() / 1000000u - start_ms > TCP_PAIR_PATIENCE_MS) {
            fail_msg("%zu of %zu bytes within %d ms", size, wanted, TCP_PAIR_PATIENCE_MS);
        }
    }
    text[size] = '\0';
    return text;
}

/* Closes with a reset. */
static inline void client_reset(int client) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(client);
}

#endif
