/* See one_thread.h, system/uv.h and server_page.h: the loop's handles, and the ports in place of sockets. */
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "common/base/buffer.h"
#include "common/base/limits.h"
#include "common/system/clock.h"
#include "server/net/listener.h"
#include "server/net/peer_socket.h"
#include "web/server/one_thread.h"
#include "web/server/server_page.h"

enum {
    FIRST_PORT = 1000, /* no descriptor of a file has such a number */
    PORTS = 64,
    LOW_WATER_BYTES = 32 * 1024 /* of output: with more of it a stream counts as behind */
};
static const size_t port_limit_bytes = (size_t)1 << 30;
#define NS_PER_MS UINT64_C(1000000)

struct port {
    bool is_open; /* for the peer: the server has not closed it */
    bool is_left; /* by the peer */
    bool is_eof_told;
    struct buffer in, out, taken;
    uv_stream_t *stream; /* NULL: none yet, or none any more */
    uv_write_t *write;   /* whose bytes are in `out` and not all taken */
};

static struct port ports[PORTS];
static struct listener *listening;
static uv_loop_t *running;

static struct port *port_of(int number) {
    return number >= FIRST_PORT && number < FIRST_PORT + PORTS ? &ports[number - FIRST_PORT] : NULL;
}

static bool has_room(const struct port *port) {
    return port->is_left || port->out.length < LOW_WATER_BYTES;
}

/* What a peer that has left would have got is lost. Returns how much it was. */
static size_t put(struct port *port, const uv_buf_t *buffers, unsigned count) {
    size_t bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!port->is_left) {
            buffer_append(&port->out, buffers[i].base, buffers[i].len);
        }
        bytes += buffers[i].len;
    }
    return bytes;
}

static void free_port(struct port *port) {
    buffer_fini(&port->in);
    buffer_fini(&port->out);
    buffer_fini(&port->taken);
    *port = (struct port){0};
}

/* The server has no more to do with it; what it has said is still there for the peer. */
static void drop_port(struct port *port) {
    port->is_open = false;
    port->stream = NULL;
    port->write = NULL;
    if (port->is_left) {
        free_port(port);
    }
}

/* ---- the loop ---- */

int uv_loop_init(uv_loop_t *loop) {
    *loop = (uv_loop_t){0};
    running = loop;
    return 0;
}

int uv_loop_close(uv_loop_t *loop) {
    (void)loop;
    running = NULL;
    return 0;
}

uint64_t uv_now(const uv_loop_t *loop) {
    (void)loop;
    return clock_now_ns() / NS_PER_MS;
}

const char *uv_strerror(int error) {
    return error == UV_ENOMEM ? "out of memory" : error == UV_EOF ? "the end" : "the peer is gone";
}

static int add_handle(uv_loop_t *loop, uv_handle_t *handle, enum uv_kind kind, uv_call call) {
    *handle = (uv_handle_t){
        .data = handle->data, .loop = loop, .kind = kind, .call = call, .next = loop->first, .port = -1};
    loop->first = handle;
    return 0;
}

void uv_close(uv_handle_t *handle, uv_call on_closed) {
    struct port *port = port_of(handle->port);
    handle->is_active = false;
    handle->is_closing = true;
    handle->on_closed = on_closed;
    if (port != NULL) {
        drop_port(port);
        handle->port = -1;
    }
}

/* on_closed may free the handle. */
static bool close_one(uv_loop_t *loop) {
    for (uv_handle_t **link = &loop->first; *link != NULL; link = &(*link)->next) {
        uv_handle_t *handle = *link;
        if (handle->is_closing) {
            *link = handle->next;
            if (handle->on_closed != NULL) {
                handle->on_closed(handle);
            }
            return true;
        }
    }
    return false;
}

int uv_async_init(uv_loop_t *loop, uv_async_t *async, uv_call call) {
    return add_handle(loop, async, UV_ASYNC, call);
}

int uv_async_send(uv_async_t *async) {
    async->is_active = true;
    return 0;
}

int uv_signal_init(uv_loop_t *loop, uv_signal_t *handle) {
    return add_handle(loop, handle, UV_OTHER, NULL);
}

int uv_signal_start(uv_signal_t *handle, void (*call)(uv_signal_t *handle, int number), int number) {
    (void)handle;
    (void)call;
    (void)number;
    return 0;
}

int uv_timer_init(uv_loop_t *loop, uv_timer_t *timer) {
    return add_handle(loop, timer, UV_TIMER, NULL);
}

int uv_timer_start(uv_timer_t *timer, uv_call call, uint64_t delay_ms, uint64_t repeat_ms) {
    timer->call = call;
    timer->due_ms = uv_now(timer->loop) + delay_ms;
    timer->repeat_ms = repeat_ms;
    timer->is_active = true;
    return 0;
}

int uv_idle_init(uv_loop_t *loop, uv_idle_t *idle) {
    return add_handle(loop, idle, UV_IDLE, NULL);
}

int uv_idle_start(uv_idle_t *idle, uv_call call) {
    idle->call = call;
    idle->is_active = true;
    return 0;
}

int uv_idle_stop(uv_idle_t *idle) {
    idle->is_active = false;
    return 0;
}

/* ---- streams ---- */

int uv_tcp_init(uv_loop_t *loop, uv_tcp_t *tcp) {
    return add_handle(loop, tcp, UV_OTHER, NULL);
}

int uv_tcp_open(uv_tcp_t *tcp, int port) {
    tcp->port = port;
    port_of(port)->stream = tcp;
    return 0;
}

int uv_tcp_close_reset(uv_tcp_t *tcp, uv_call on_closed) {
    uv_close(tcp, on_closed);
    return 0;
}

int uv_read_start(uv_stream_t *stream, uv_alloc_cb on_alloc, uv_read_cb on_read) {
    stream->on_alloc = on_alloc;
    stream->on_read = on_read;
    stream->is_active = true;
    return 0;
}

int uv_read_stop(uv_stream_t *stream) {
    stream->is_active = false;
    return 0;
}

int uv_try_write(uv_stream_t *stream, const uv_buf_t *buffers, unsigned count) {
    struct port *port = port_of(stream->port);
    return port == NULL ? UV_EPIPE : has_room(port) ? (int)put(port, buffers, count) : UV_EAGAIN;
}

int uv_write(uv_write_t *request, uv_stream_t *stream, const uv_buf_t *buffers, unsigned count,
             uv_write_cb call) {
    struct port *port = port_of(stream->port);
    if (port == NULL) {
        return UV_EPIPE;
    }
    (void)put(port, buffers, count);
    request->handle = stream;
    request->call = call;
    port->write = request;
    return 0;
}

int uv_shutdown(uv_shutdown_t *request, uv_stream_t *stream, uv_shutdown_cb call) {
    request->handle = stream;
    (void)call; /* which closes the stream when this fails, or the peer has left before */
    return 0;
}

size_t uv_stream_get_write_queue_size(const uv_stream_t *stream) {
    const struct port *port = port_of(stream->port);
    return port == NULL || port->write == NULL ? 0 : port->out.length;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the declaration is that of libuv */
int uv_fileno(const uv_handle_t *handle, uv_os_fd_t *file) {
    (void)handle;
    (void)file;
    return UV_EPIPE;
}

/* ---- below libuv ---- */

bool peer_socket_prepare(int socket) {
    (void)socket;
    return true;
}

bool peer_socket_is_gone(int socket) {
    (void)socket;
    return false;
}

void peer_socket_refuse(int socket, const char *bytes, size_t length) {
    struct port *port = port_of(socket);
    buffer_append(&port->out, bytes, length);
    drop_port(port);
}

/* ---- the door ---- */

int listener_open(struct listener *listener, uv_loop_t *loop, const char *address, uint16_t port,
                  struct failure *failure) {
    (void)loop;
    (void)address;
    (void)port;
    (void)failure;
    *listener = (struct listener){.is_loopback = true, .is_open = true, .address = "this page"};
    return 0;
}

int listener_start(struct listener *listener, void *context, void (*on_accept)(void *context, int socket)) {
    listener->context = context;
    listener->on_accept = on_accept;
    listening = listener;
    return 0;
}

bool listener_peer(int socket, char *host, size_t size, bool *loopback) {
    (void)socket;
    (void)snprintf(host, size, "page");
    *loopback = true;
    return true;
}

void listener_close(struct listener *listener) {
    listener->is_open = false;
    listening = NULL;
}

int server_connect(void) {
    for (int i = 0; i < PORTS && listening != NULL; i++) {
        struct port *port = &ports[i];
        if (port->in.limit == 0) {
            buffer_init(&port->in, port_limit_bytes);
            buffer_init(&port->out, port_limit_bytes);
            buffer_init(&port->taken, port_limit_bytes);
            port->is_open = true;
            listening->on_accept(listening->context, FIRST_PORT + i);
            return FIRST_PORT + i;
        }
    }
    return 0;
}

char *server_reserve(int number, size_t length) {
    struct port *port = port_of(number);
    return port == NULL || !port->is_open ? NULL : buffer_reserve(&port->in, length);
}

void server_commit(int number, size_t length) {
    buffer_commit(&port_of(number)->in, length);
}

const char *server_output(int number, size_t *length) {
    struct port *port = port_of(number);
    *length = 0;
    if (port == NULL) {
        return NULL;
    }
    const struct buffer taken = port->out;
    port->out = port->taken;
    port->taken = taken;
    buffer_clear(&port->out);
    *length = port->taken.length;
    return port->taken.data;
}

int server_is_connected(int number) {
    const struct port *port = port_of(number);
    return port != NULL && port->is_open;
}

void server_disconnect(int number) {
    struct port *port = port_of(number);
    if (port != NULL && port->in.limit > 0) {
        port->is_left = true;
        buffer_clear(&port->out);
        if (!port->is_open) {
            free_port(port);
        }
    }
}

/* ---- a turn ---- */

/* Gives a stream what has come for it; it may stop reading, or end, after each piece. */
static void read_port(struct port *port) {
    uv_stream_t *stream = port->stream;
    size_t done = 0;
    while (port->stream == stream && stream->is_active && done < port->in.length) {
        uv_buf_t room = {0};
        stream->on_alloc(stream, port->in.length - done, &room);
        const size_t left = port->in.length - done, size = room.len < left ? room.len : left;
        if (size == 0) {
            break;
        }
        memcpy(room.base, port->in.data + done, size);
        done += size;
        stream->on_read(stream, (ssize_t)size, &room);
    }
    if (port->stream == stream) {
        memmove(port->in.data, port->in.data + done, port->in.length - done);
        port->in.length -= done;
    }
}

static void serve_port(struct port *port) {
    if (port->stream != NULL && port->in.length > 0) {
        read_port(port);
    }
    if (port->stream != NULL && port->in.length == 0 && port->is_left && !port->is_eof_told &&
        port->stream->is_active) {
        port->is_eof_told = true;
        port->stream->on_read(port->stream, UV_EOF, NULL);
    }
    uv_write_t *write = port->write;
    if (write != NULL && has_room(port)) {
        port->write = NULL;
        write->call(write, 0);
    }
}

static void run_handle(uv_handle_t *handle, uint64_t now_ms) {
    if (handle->kind == UV_TIMER) {
        handle->is_active = handle->repeat_ms > 0;
        handle->due_ms = now_ms + handle->repeat_ms;
    } else if (handle->kind == UV_ASYNC) {
        handle->is_active = false;
    }
    handle->call(handle);
}

/* A handle that is closed meanwhile stays in the list until close_one. */
static void run_handles(uv_loop_t *loop) {
    const uint64_t now_ms = uv_now(loop);
    for (uv_handle_t *handle = loop->first; handle != NULL; handle = handle->next) {
        if (handle->is_active && handle->call != NULL &&
            (handle->kind != UV_TIMER || handle->due_ms <= now_ms)) {
            run_handle(handle, now_ms);
        }
    }
}

/* When a handle has something to do again. */
static uint64_t next_ns(const uv_loop_t *loop) {
    uint64_t next_ns = UINT64_MAX;
    for (const uv_handle_t *handle = loop->first; handle != NULL; handle = handle->next) {
        const struct port *port = port_of(handle->port);
        if (handle->is_closing || (handle->is_active && handle->call != NULL && handle->kind != UV_TIMER) ||
            (handle->is_active && port != NULL && port->in.length > 0)) {
            return 0;
        }
        if (handle->is_active && handle->kind == UV_TIMER && handle->due_ms * NS_PER_MS < next_ns) {
            next_ns = handle->due_ms * NS_PER_MS;
        }
    }
    return next_ns;
}

uint64_t one_loop_turn(void) {
    uv_loop_t *loop = running;
    if (loop == NULL) {
        return UINT64_MAX;
    }
    for (int i = 0; i < PORTS; i++) {
        serve_port(&ports[i]);
    }
    run_handles(loop);
    while (close_one(loop)) {}
    return next_ns(loop);
}

int uv_run(uv_loop_t *loop, uv_run_mode mode) {
    if (mode == UV_RUN_DEFAULT && listening != NULL) {
        server_host_serves();
    }
    while (next_ns(loop) == 0) { /* what was closed */
        (void)one_loop_turn();
    }
    return 0;
}
