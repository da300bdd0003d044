/* What the server uses of libuv, for a page. The loop is web/server/one_loop.c; a stream's peer is a port, to which the page's
 * script gives lines and from which it takes them (web/server/server_page.h). */
#ifndef DROVER_WEB_SERVER_SYSTEM_UV_H
#define DROVER_WEB_SERVER_SYSTEM_UV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { UV_EOF = -1, UV_EAGAIN = -2, UV_ECONNRESET = -3, UV_EPIPE = -4, UV_ENOMEM = -5 };
enum uv_kind { UV_OTHER, UV_ASYNC, UV_IDLE, UV_TIMER };
typedef enum { UV_RUN_DEFAULT, UV_RUN_NOWAIT } uv_run_mode;
typedef int uv_os_fd_t;

typedef struct uv_loop_s uv_loop_t;
typedef struct uv_handle_s uv_handle_t, uv_stream_t, uv_tcp_t, uv_timer_t, uv_idle_t, uv_async_t, uv_signal_t,
    uv_poll_t;
typedef struct uv_write_s uv_write_t;
typedef struct uv_shutdown_s uv_shutdown_t;
typedef struct {
    char *base;
    size_t len;
} uv_buf_t;

typedef void (*uv_call)(uv_handle_t *handle);
typedef void (*uv_alloc_cb)(uv_handle_t *handle, size_t suggested, uv_buf_t *out);
typedef void (*uv_read_cb)(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer);
typedef void (*uv_write_cb)(uv_write_t *request, int status);
typedef void (*uv_shutdown_cb)(uv_shutdown_t *request, int status);

/** Any handle: the members that its kind does not use stay zero. */
struct uv_handle_s {
    void *data;
    uv_loop_t *loop;
    uv_handle_t *next; /* of the loop's */
    enum uv_kind kind;
    uv_call call; /* of an async handle, an idle one or a timer */
    uv_call on_closed;
    bool is_active, is_closing;
    uint64_t due_ms, repeat_ms; /* of a timer */
    int port;                   /* of a stream; -1: none */
    uv_alloc_cb on_alloc;
    uv_read_cb on_read;
};
struct uv_write_s {
    void *data;
    uv_stream_t *handle;
    uv_write_cb call;
};
struct uv_shutdown_s {
    void *data;
    uv_stream_t *handle;
};
struct uv_loop_s {
    uv_handle_t *first;
};

int uv_loop_init(uv_loop_t *loop);
int uv_loop_close(uv_loop_t *loop);
/** UV_RUN_DEFAULT does not return: the page's script goes on (server_page.h). */
int uv_run(uv_loop_t *loop, uv_run_mode mode);
uint64_t uv_now(const uv_loop_t *loop);
const char *uv_strerror(int error);
void uv_close(uv_handle_t *handle, uv_call on_closed);

int uv_async_init(uv_loop_t *loop, uv_async_t *async, uv_call call);
int uv_async_send(uv_async_t *async);
int uv_signal_init(uv_loop_t *loop, uv_signal_t *handle);
int uv_signal_start(uv_signal_t *handle, void (*call)(uv_signal_t *handle, int number), int number);
int uv_timer_init(uv_loop_t *loop, uv_timer_t *timer);
int uv_timer_start(uv_timer_t *timer, uv_call call, uint64_t delay_ms, uint64_t repeat_ms);
int uv_idle_init(uv_loop_t *loop, uv_idle_t *idle);
int uv_idle_start(uv_idle_t *idle, uv_call call);
int uv_idle_stop(uv_idle_t *idle);

int uv_tcp_init(uv_loop_t *loop, uv_tcp_t *tcp);
int uv_tcp_open(uv_tcp_t *tcp, int port);
int uv_tcp_close_reset(uv_tcp_t *tcp, uv_call on_closed);
int uv_read_start(uv_stream_t *stream, uv_alloc_cb on_alloc, uv_read_cb on_read);
int uv_read_stop(uv_stream_t *stream);
int uv_try_write(uv_stream_t *stream, const uv_buf_t *buffers, unsigned count);
int uv_write(uv_write_t *request, uv_stream_t *stream, const uv_buf_t *buffers, unsigned count,
             uv_write_cb call);
int uv_shutdown(uv_shutdown_t *request, uv_stream_t *stream, uv_shutdown_cb call);
size_t uv_stream_get_write_queue_size(const uv_stream_t *stream);
/** There is no descriptor: always an error. */
int uv_fileno(const uv_handle_t *handle, uv_os_fd_t *file);

static inline uv_buf_t uv_buf_init(char *base, unsigned length) {
    return (uv_buf_t){base, length};
}

#endif
