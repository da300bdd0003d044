/* See connection.h.
 *
 * A try to connect has a struct link of its own; what libuv reports about a link that is no longer the
 * current one is ignored, and its memory is freed in the close callback alone. All functions but the public
 * ones run on the thread.
 */
#include "clients/c/connection.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "clients/c/client_decoder.h"
#include "clients/c/client_session.h"
#include "common/system/clock.h"
#include "common/system/log.h"

enum {
    READ_WISH_BYTES = 256 * 1024,
    PING_EVERY_MS = 1000,
    SILENCE_LIMIT_MS = 5000, /* we ping every second: a server that lives is never silent for this long */
    MAX_UNSENT_BYTES = 1024 * 1024,
};

struct link {
    struct connection *connection;
    uv_tcp_t tcp;
    uv_connect_t connect;
    uint64_t last_heard_ns;
};

struct connection {
    struct connection_def def;
    struct mailbox mailbox;
    uv_thread_t thread;
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t retry, ping;
    uv_getaddrinfo_t resolve;
    struct addrinfo *addresses, *next_address; /* of this try */
    struct link *link;                         /* NULL: not trying or waiting for the resolver */
    struct link_status status;
    unsigned attempt;
    struct client_session session;
    struct client_decoder *decoder;
    bool is_resolving, is_closing;
};

struct pending_write {
    uv_write_t write;
    struct buffer bytes;
};

static void start_try(struct connection *connection);
static void try_next_address(struct connection *connection);

double connection_now_ms(void) {
    return (double)clock_now_ns() * 1e-6;
}

uint64_t connection_backoff_ms(unsigned attempt) {
    return 1000u << (attempt < 3 ? attempt : 3);
}

static void publish_status(struct connection *connection, enum link_state state) {
    connection->status.state = state;
    mailbox_set_status(&connection->mailbox, &connection->status);
}

/* ---- closing ---- */

static void free_link(uv_handle_t *handle) {
    free(handle->data);
}

static void drop_link(struct connection *connection) {
    if (connection->link != NULL) {
        uv_close((uv_handle_t *)&connection->link->tcp, free_link);
        connection->link = NULL;
    }
}

static void free_addresses(struct connection *connection) {
    if (connection->addresses != NULL) {
        uv_freeaddrinfo(connection->addresses);
    }
    connection->addresses = connection->next_address = NULL;
}

static void on_retry(uv_timer_t *timer) {
    start_try(timer->data);
}

/* The connection is gone or could not be made: wait and try again, or end. */
static void lose_with(struct connection *connection, const char *reason, bool has_no_server) {
    const struct client_session *session = &connection->session;
    drop_link(connection);
    free_addresses(connection);
    if (connection->is_closing) {
        return;
    }
    (void)snprintf(connection->status.reason, sizeof connection->status.reason, "%s",
                   session->said_bye && session->farewell[0] != '\0' ? session->farewell : reason);
    connection->status.is_bye = session->said_bye;
    connection->status.has_no_server = has_no_server;
    connection->status.ping_ms = -1.0;
    log_write(LOG_INFO, "connection", "%s:%s: %s", connection->def.address.host, connection->def.address.port,
              reason);
    if (connection->def.is_single_try) {
        publish_status(connection, LINK_ENDED);
        return;
    }
    const uint64_t wait_ms = connection_backoff_ms(connection->attempt++);
    connection->status.retry_at_ns = clock_now_ns() + wait_ms * 1000000u;
    publish_status(connection, LINK_WAITING);
    uv_timer_start(&connection->retry, on_retry, wait_ms, 0);
}

/* The server wants a token, or refused ours. */
static void refuse(struct connection *connection) {
    drop_link(connection);
    connection->status.has_token = connection->session.def.token[0] != '\0';
    connection->status.ping_ms = -1.0;
    log_write(LOG_INFO, "connection", "%s:%s: %s", connection->def.address.host, connection->def.address.port,
              connection->status.has_token ? "the token was refused" : "the server wants a token");
    publish_status(connection, LINK_REFUSED);
}

static void lose(struct connection *connection, const char *reason) {
    lose_with(connection, reason, false);
}

static void lose_by(struct connection *connection, int status) {
    lose_with(connection, uv_strerror(status), status == UV_ECONNREFUSED);
}

static void cancel_resolving(struct connection *connection) {
    if (connection->is_resolving) {
        uv_cancel((uv_req_t *)&connection->resolve); /* when it fails, the callback comes all the same */
    }
}

static void close_everything(struct connection *connection) {
    connection->is_closing = true;
    cancel_resolving(connection);
    drop_link(connection);
    free_addresses(connection);
    uv_close((uv_handle_t *)&connection->wake, NULL);
    uv_close((uv_handle_t *)&connection->retry, NULL);
    uv_close((uv_handle_t *)&connection->ping, NULL);
}

/* ---- writing ---- */

static void on_written(uv_write_t *write, int status) {
    struct pending_write *pending = write->data;
    (void)status; /* a broken connection is noticed by the reader */
    buffer_fini(&pending->bytes);
    free(pending);
}

/* Takes the bytes; *bytes is empty afterwards. After a lack of memory they may end in half a line: then they
 * are not sent. */
static void write_bytes(struct connection *connection, struct buffer *bytes) {
    struct pending_write *pending = bytes->length > 0 && !bytes->failed ? calloc(1, sizeof *pending) : NULL;
    if (pending == NULL) {
        buffer_fini(bytes);
        return;
    }
    pending->bytes = *bytes;
    pending->write.data = pending;
    buffer_init(bytes, MAILBOX_OUTPUT_BYTES);
    uv_buf_t piece = uv_buf_init(pending->bytes.data, (unsigned)pending->bytes.length);
    if (uv_write(&pending->write, (uv_stream_t *)&connection->link->tcp, &piece, 1, on_written) != 0) {
        on_written(&pending->write, 0);
    }
}

static struct buffer no_bytes(void) {
    struct buffer bytes;
    buffer_init(&bytes, MAILBOX_OUTPUT_BYTES);
    return bytes;
}

static void flush_output(struct connection *connection) {
    if (connection->status.state != LINK_READY || connection->link == NULL ||
        uv_stream_get_write_queue_size((uv_stream_t *)&connection->link->tcp) > MAX_UNSENT_BYTES) {
        return;
    }
    struct buffer bytes = no_bytes();
    mailbox_take_output(&connection->mailbox, &bytes);
    write_bytes(connection, &bytes);
}

static void on_ping(uv_timer_t *timer) {
    struct connection *connection = timer->data;
    struct link *link = connection->link;
    if (link == NULL) {
        return;
    }
    if (clock_now_ns() - link->last_heard_ns > (uint64_t)SILENCE_LIMIT_MS * 1000000u) {
        const bool was_ready = connection->status.state == LINK_READY;
        lose(connection, was_ready ? "no sign of life for 5 s" : "no answer for 5 s");
        return;
    }
    if (connection->status.state == LINK_READY) {
        struct buffer bytes = no_bytes();
        client_session_ping(&connection->session, connection_now_ms(), &bytes);
        write_bytes(connection, &bytes);
        flush_output(connection); /* what waited for a full queue */
    }
}

/* ---- reading ---- */

/* Before the hello is handed over: the status must say LINK_READY when it is read. */
static void greet(struct connection *connection) {
    connection->attempt = 0;
    connection->status.was_ready = true;
    connection->status.is_bye = false;
    connection->status.reason[0] = '\0';
    publish_status(connection, LINK_READY);
    log_write(LOG_INFO, "connection", "connected to %s:%s", connection->def.address.host,
              connection->def.address.port);
}

/* Returns -1 when the connection was lost over it. */
static int take_message(struct connection *connection, const struct message *message) {
    struct buffer answer = no_bytes();
    const struct client_step step =
        client_session_take(&connection->session, message, connection_now_ms(), &answer);
    if (step.verdict != CLIENT_STAYS) {
        buffer_fini(&answer);
        if (step.verdict == CLIENT_IS_REFUSED) {
            refuse(connection);
        } else {
            lose(connection, step.reason);
        }
        return -1;
    }
    if (step.has_stream) {
        mailbox_set_stream(&connection->mailbox, &step.stream);
    }
    if (step.is_hello) {
        greet(connection);
    }
    if (step.has_ping) {
        connection->status.ping_ms = client_session_ping_ms(&connection->session);
        publish_status(connection, LINK_READY);
    }
    write_bytes(connection, &answer);
    return 0;
}

/* The message becomes the mailbox's, or is freed. Returns -1 when the connection was lost over it. */
static int deliver_message(struct connection *connection, const struct client_event *event) {
    if (take_message(connection, event->message) != 0) {
        client_message_destroy(event->message);
        return -1;
    }
    if (mailbox_put_message(&connection->mailbox, event->message, event->epoch) != 0) {
        log_write(LOG_WARN, "connection", "out of memory: a message is lost");
    }
    return 0;
}

static void deliver_frame(struct connection *connection, const struct client_event *event) {
    struct mailbox *mailbox = &connection->mailbox;
    struct client_decoder *decoder = connection->decoder;
    if (event->density != NULL) {
        client_decoder_replace_density(decoder, mailbox_put_density(mailbox, event->density, event->epoch));
    }
    client_decoder_replace_snapshot(decoder,
                                    mailbox_put_snapshot(mailbox, event->snapshot, connection_now_ms()));
}

static void refuse_frame(struct connection *connection, const struct failure *failure) {
    struct buffer bytes = no_bytes();
    log_write(LOG_WARN, "connection", "cannot decode frame: %s%s%s", failure->field,
              failure->field[0] != '\0' ? ": " : "", failure->message);
    client_session_resync(&connection->session, connection_now_ms(), &bytes);
    write_bytes(connection, &bytes);
}

/* Returns -1 when the connection was lost over it. */
static int refuse_message(struct connection *connection, const struct failure *failure) {
    log_write(LOG_WARN, "connection", "cannot decode message: %s", failure->message);
    if (!connection->session.is_ready) {
        lose(connection, "this is not a drover server: its first line is no hello");
        return -1;
    }
    return 0;
}

/* Returns -1 when the connection was lost over it. */
static int handle_event(struct connection *connection, const struct client_event *event) {
    switch (event->type) {
    case CLIENT_MESSAGE:
        return deliver_message(connection, event);
    case CLIENT_FRAME:
        deliver_frame(connection, event);
        return 0;
    case CLIENT_MESSAGE_REFUSED:
        return refuse_message(connection, &event->failure);
    case CLIENT_FRAME_REFUSED:
        refuse_frame(connection, &event->failure);
        return 0;
    case CLIENT_LINE_TOO_LONG:
        log_write(LOG_WARN, "connection", "skipped a line longer than %d bytes", CLIENT_LINE_BYTES);
        return 0;
    default:
        log_write(LOG_WARN, "connection", "out of memory: skipped a line");
        return 0;
    }
}

static void read_events(struct connection *connection) {
    struct client_event event;
    do {
        client_decoder_expect(connection->decoder, (int)mailbox_stream(&connection->mailbox).layout);
    } while (client_decoder_next(connection->decoder, &event) != CLIENT_NEED_MORE &&
             handle_event(connection, &event) == 0);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *piece) {
    struct link *link = handle->data;
    size_t size = 0;
    (void)suggested;
    char *space = client_decoder_reserve(link->connection->decoder, READ_WISH_BYTES, &size);
    *piece = uv_buf_init(space, space != NULL ? (unsigned)size : 0);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *piece) {
    struct link *link = stream->data;
    struct connection *connection = link->connection;
    (void)piece;
    if (connection->link != link || count == 0) {
        return;
    }
    if (count < 0) {
        lose(connection, count == UV_EOF ? "the server closed the connection" : uv_strerror((int)count));
        return;
    }
    link->last_heard_ns = clock_now_ns();
    client_decoder_commit(connection->decoder, (size_t)count);
    connection->status.byte_count += (uint64_t)count;
    mailbox_count_bytes(&connection->mailbox, connection->status.byte_count);
    read_events(connection);
}

/* ---- connecting ---- */

static void on_connected(uv_connect_t *request, int status) {
    struct link *link = request->data;
    struct connection *connection = link->connection;
    if (connection->link != link) {
        return; /* given up already; its memory goes in the close callback */
    }
    if (status == 0) {
        uv_tcp_nodelay(&link->tcp, 1);
        status = uv_read_start((uv_stream_t *)&link->tcp, on_alloc, on_read);
    }
    if (status == 0) {
        free_addresses(connection);
    } else if (connection->next_address != NULL) {
        drop_link(connection);
        try_next_address(connection);
    } else {
        lose_by(connection, status);
    }
}

static void try_next_address(struct connection *connection) {
    struct addrinfo *address = connection->next_address;
    connection->next_address = address->ai_next;
    struct link *link = calloc(1, sizeof *link);
    if (link == NULL) {
        lose(connection, "out of memory");
        return;
    }
    link->connection = connection;
    link->last_heard_ns = clock_now_ns();
    client_session_begin(&connection->session);
    client_decoder_reset(connection->decoder);
    uv_tcp_init(&connection->loop, &link->tcp);
    link->tcp.data = link;
    link->connect.data = link;
    connection->link = link;
    const int status = uv_tcp_connect(&link->connect, &link->tcp, address->ai_addr, on_connected);
    if (status != 0) {
        lose_by(connection, status);
    }
}

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses) {
    struct connection *connection = request->data;
    connection->is_resolving = false;
    if (connection->is_closing) {
        uv_freeaddrinfo(addresses);
    } else if (status != 0) {
        lose_by(connection, status);
    } else {
        connection->addresses = connection->next_address = addresses;
        try_next_address(connection);
    }
}

static void start_try(struct connection *connection) {
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    const struct address *address = &connection->def.address;
    publish_status(connection, LINK_CONNECTING);
    connection->resolve.data = connection;
    const int status = uv_getaddrinfo(&connection->loop, &connection->resolve, on_resolved, address->host,
                                      address->port, &hints);
    if (status != 0) {
        lose_by(connection, status);
    } else {
        connection->is_resolving = true;
    }
}

/* ---- the thread ---- */

static void on_wake(uv_async_t *wake) {
    struct connection *connection = wake->data;
    if (connection->is_closing) {
        return;
    }
    if (mailbox_is_stopping(&connection->mailbox)) {
        close_everything(connection);
    } else {
        flush_output(connection);
    }
}

static void run_thread(void *argument) {
    struct connection *connection = argument;
    start_try(connection);
    uv_run(&connection->loop, UV_RUN_DEFAULT);
}

static int init_loop(struct connection *connection) {
    if (uv_loop_init(&connection->loop) != 0) {
        return -1;
    }
    if (uv_async_init(&connection->loop, &connection->wake, on_wake) != 0) {
        uv_loop_close(&connection->loop);
        return -1;
    }
    uv_timer_init(&connection->loop, &connection->retry);
    uv_timer_init(&connection->loop, &connection->ping);
    connection->wake.data = connection->retry.data = connection->ping.data = connection;
    uv_timer_start(&connection->ping, on_ping, PING_EVERY_MS, PING_EVERY_MS);
    return 0;
}

static void free_connection(struct connection *connection) {
    client_decoder_destroy(connection->decoder);
    mailbox_fini(&connection->mailbox);
    free(connection);
}

struct connection *connection_create(const struct connection_def *def) {
    struct connection *connection = calloc(1, sizeof *connection);
    struct client_decoder *decoder = connection != NULL ? client_decoder_create(CLIENT_LINE_BYTES) : NULL;
    if (decoder == NULL || mailbox_init(&connection->mailbox) != 0) {
        client_decoder_destroy(decoder);
        free(connection);
        return NULL;
    }
    connection->def = *def;
    connection->decoder = decoder;
    client_session_init(&connection->session, &def->session);
    connection->status.ping_ms = -1.0;
    if (init_loop(connection) != 0) {
        free_connection(connection);
        return NULL;
    }
    if (uv_thread_create(&connection->thread, run_thread, connection) != 0) {
        close_everything(connection);
        uv_run(&connection->loop, UV_RUN_DEFAULT);
        uv_loop_close(&connection->loop);
        free_connection(connection);
        return NULL;
    }
    return connection;
}

void connection_destroy(struct connection *connection) {
    if (connection == NULL) {
        return;
    }
    mailbox_stop(&connection->mailbox);
    uv_async_send(&connection->wake);
    uv_thread_join(&connection->thread);
    const int left_open = uv_loop_close(&connection->loop);
    assert(left_open == 0);
    (void)left_open;
    free_connection(connection);
}

struct mailbox *connection_mailbox(struct connection *connection) {
    return &connection->mailbox;
}

int connection_send(struct connection *connection, const struct request *request) {
    const int result = mailbox_put_request(&connection->mailbox, request);
    uv_async_send(&connection->wake);
    return result;
}

void connection_set_stream(struct connection *connection, const struct stream_choice *stream) {
    const struct stream_choice before = mailbox_stream(&connection->mailbox);
    const struct request request = stream_request(stream, &before);
    if (stream_equals(stream, &before)) {
        return;
    }
    mailbox_set_stream(&connection->mailbox, stream);
    if (connection_send(connection, &request) != 0) {
        mailbox_set_stream(&connection->mailbox, &before);
    }
}
