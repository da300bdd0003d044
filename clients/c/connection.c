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

#include "common/protocol/line_reader.h"
#include "common/snapshot/frame_layout.h"
#include "common/snapshot/snapshot_density.h"
#include "common/snapshot/snapshot_packed_decode.h"
#include "common/system/clock.h"
#include "common/system/log.h"

enum {
    LINE_CAP_BYTES = 64 * 1024 * 1024,
    READ_WISH_BYTES = 256 * 1024,
    PING_EVERY_MS = 1000,
    SILENCE_LIMIT_MS = 5000, /* we ping every second: a server that lives is never silent for this long */
    PINGS_KEPT = 8,
    MAX_UNSENT_BYTES = 1024 * 1024,
};

struct link {
    struct connection *connection;
    uv_tcp_t tcp;
    uv_connect_t connect;
    struct line_reader reader;
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
    uint32_t epoch;
    double pings_ms[PINGS_KEPT];
    unsigned ping_count;
    struct snapshot *reading; /* being decoded into */
    struct density *reading_density;
    struct packed_decoder *frames; /* knows the key */
    uint64_t resynced_ns;          /* when a lost key was last asked for */
    char farewell[MESSAGE_TEXT];   /* what the server said as it went */
    bool is_resolving, is_closing, said_bye;
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
    struct link *link = handle->data;
    line_reader_fini(&link->reader);
    free(link);
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
    drop_link(connection);
    free_addresses(connection);
    if (connection->is_closing) {
        return;
    }
    snprintf(connection->status.reason, sizeof connection->status.reason, "%s",
             connection->said_bye && connection->farewell[0] != '\0' ? connection->farewell : reason);
    connection->status.is_bye = connection->said_bye;
    connection->status.has_no_server = has_no_server;
    connection->status.ping_ms = -1.0;
    connection->ping_count = 0;
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

/* The server lets nobody in without a token, or not with ours. */
static void refuse(struct connection *connection) {
    drop_link(connection);
    connection->status.has_token = connection->def.token[0] != '\0';
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

/* Takes the bytes; *bytes is empty afterwards. */
static void write_bytes(struct connection *connection, struct buffer *bytes) {
    struct pending_write *pending = bytes->length > 0 ? calloc(1, sizeof *pending) : NULL;
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

static void write_request(struct connection *connection, const struct request *request) {
    struct buffer bytes;
    buffer_init(&bytes, MAILBOX_OUTPUT_BYTES);
    request_encode(request, &bytes);
    write_bytes(connection, &bytes);
}

static void flush_output(struct connection *connection) {
    if (connection->status.state != LINK_READY || connection->link == NULL ||
        uv_stream_get_write_queue_size((uv_stream_t *)&connection->link->tcp) > MAX_UNSENT_BYTES) {
        return;
    }
    struct buffer bytes;
    buffer_init(&bytes, MAILBOX_OUTPUT_BYTES);
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
        struct request request = request_default(REQUEST_PING);
        request.body.ping.has_t0 = true;
        request.body.ping.t0 = connection_now_ms();
        write_request(connection, &request);
        flush_output(connection); /* what waited for a full queue */
    }
}

/* ---- reading ---- */

static void take_ping(struct connection *connection, double t0_ms) {
    connection->pings_ms[connection->ping_count++ % PINGS_KEPT] = connection_now_ms() - t0_ms;
    const unsigned kept = connection->ping_count < PINGS_KEPT ? connection->ping_count : PINGS_KEPT;
    double least = connection->pings_ms[0];
    for (unsigned i = 1; i < kept; i++) {
        least = connection->pings_ms[i] < least ? connection->pings_ms[i] : least;
    }
    connection->status.ping_ms = least;
    publish_status(connection, LINK_READY);
}

/* Of a world nothing is known but its scenario. */
static void begin_stream(struct connection *connection, const struct message_scenario *scenario) {
    const struct stream stream = stream_first(scenario, connection->def.agents);
    const struct request request = stream_request(&stream, NULL);
    connection->epoch++;
    packed_decoder_reset(connection->frames);
    mailbox_set_stream(&connection->mailbox, &stream);
    write_request(connection, &request);
}

static void introduce(struct connection *connection) {
    struct request request = request_default(REQUEST_HELLO);
    struct request_hello *hello = &request.body.hello;
    if (connection->def.name[0] != '\0' || connection->def.token[0] != '\0') {
        hello->has_protocol = true;
        hello->protocol = PROTOCOL_VERSION;
        snprintf(hello->name, sizeof hello->name, "%s", connection->def.name);
        snprintf(hello->token, sizeof hello->token, "%s", connection->def.token);
        write_request(connection, &request);
    }
}

/* Before the hello is handed over: the status must say LINK_READY when it is read. */
static void greet(struct connection *connection, const struct message_hello *hello) {
    connection->attempt = 0;
    connection->said_bye = false;
    connection->status.was_ready = true;
    connection->status.is_bye = false;
    connection->status.reason[0] = '\0';
    publish_status(connection, LINK_READY);
    introduce(connection);
    if (hello->has_world) {
        begin_stream(connection, &hello->scenario);
    } /* otherwise a scenario line comes once the token is accepted */
    log_write(LOG_INFO, "connection", "connected to %s:%s", connection->def.address.host,
              connection->def.address.port);
}

/* Whether this says that a token is needed and we have none, or not the right one. */
static bool is_refusal(const struct connection *connection, const struct message *message) {
    switch (message->op) {
    case MESSAGE_HELLO:
        return connection->def.token[0] == '\0' &&
               strcmp(message->body.hello.role, role_name(ROLE_NONE)) == 0;
    case MESSAGE_ERROR:
        return message->body.error.failure.code == FAILURE_DENIED &&
               strcmp(message->body.error.failure.field, "token") == 0;
    case MESSAGE_BYE:
        return strcmp(message->body.bye.reason, "auth") == 0;
    default:
        return false;
    }
}

/* Returns -1 when the connection was lost over it. */
static int take_message(struct connection *connection, struct message *message) {
    const bool is_ready = connection->status.state == LINK_READY;
    if (is_refusal(connection, message)) {
        refuse(connection);
        return -1;
    }
    if (message->op == MESSAGE_HELLO) {
        if (message->body.hello.protocol != PROTOCOL_VERSION) {
            char reason[96];
            snprintf(reason, sizeof reason, "the server speaks protocol %d, this viewer %d",
                     message->body.hello.protocol, PROTOCOL_VERSION);
            lose(connection, reason);
            return -1;
        }
        greet(connection, &message->body.hello);
    } else if (message->op == MESSAGE_BYE) {
        connection->said_bye = true;
        snprintf(connection->farewell, sizeof connection->farewell, "%s", message->body.bye.message);
    } else if (!is_ready) {
        lose(connection, "this is not a drover server: it did not say hello");
        return -1;
    } else if (message->op == MESSAGE_SCENARIO) {
        begin_stream(connection, &message->body.scenario);
    } else if (message->op == MESSAGE_REPLY && strcmp(message->body.reply.to, "ping") == 0) {
        take_ping(connection, message->body.reply.t0);
    }
    return 0;
}

static int read_message(struct connection *connection, const char *line, size_t length) {
    struct message *message = calloc(1, sizeof *message);
    struct failure failure;
    if (message == NULL) {
        return 0;
    }
    int result = message_decode(line, length, message, &failure);
    if (result != 0) {
        log_write(LOG_WARN, "connection", "a message that cannot be read: %s", failure.message);
        if (connection->status.state != LINK_READY) {
            lose(connection, "this is not a drover server: its first line is no hello");
        } else {
            result = 0;
        }
        message_fini(message);
        free(message);
        return result;
    }
    result = take_message(connection, message);
    if (result != 0) {
        message_fini(message);
        free(message);
    } else if (mailbox_put_message(&connection->mailbox, message, connection->epoch) != 0) {
        log_write(LOG_WARN, "connection", "out of memory: a message is lost");
    }
    return result;
}

/* Asks for the key again, not more than once a second. */
static void refuse_frame(struct connection *connection, const struct failure *failure) {
    const uint64_t now_ns = clock_now_ns();
    log_write(LOG_WARN, "connection", "a frame that cannot be read: %s%s%s", failure->field,
              failure->field[0] != '\0' ? ": " : "", failure->message);
    if (now_ns - connection->resynced_ns > 1000000000u) {
        const struct request request = request_default(REQUEST_RESYNC);
        connection->resynced_ns = now_ns;
        write_request(connection, &request);
    }
}

/* The memory that frames are read into. False when there is none. */
static bool prepare(struct connection *connection) {
    if (connection->reading == NULL) {
        connection->reading = snapshot_create();
    }
    if (connection->reading_density == NULL) {
        connection->reading_density = malloc(sizeof *connection->reading_density);
        if (connection->reading_density != NULL) {
            density_init(connection->reading_density);
        }
    }
    return connection->reading != NULL && connection->reading_density != NULL;
}

/* Frames of a layout that is no longer wanted are still on their way for a while; they are not worth reading.
 */
static void read_frame(struct connection *connection, const struct frame_layout *layout, const char *line,
                       size_t length) {
    struct failure failure;
    const struct frame_layout *wanted = frame_layout_row((int)mailbox_stream(&connection->mailbox).layout);
    if (!prepare(connection) || connection->status.state != LINK_READY ||
        layout->takes_grid != wanted->takes_grid) {
        return;
    }
    const struct frame_reader reader = {connection->frames, connection->reading, connection->reading_density};
    const enum frame_result result = layout->decode(&reader, line, length, &failure);
    if (result == FRAME_REFUSED) {
        refuse_frame(connection, &failure);
    }
    if (result == FRAME_READY && layout->takes_grid) {
        connection->reading_density =
            mailbox_put_density(&connection->mailbox, connection->reading_density, connection->epoch);
    }
    if (result == FRAME_READY) {
        connection->reading->epoch = connection->epoch;
        connection->reading =
            mailbox_put_snapshot(&connection->mailbox, connection->reading, connection_now_ms());
    }
}

static void read_lines(struct connection *connection) {
    char *line;
    size_t length;
    enum line_event event;
    struct link *link = connection->link;
    while ((event = line_reader_next(&link->reader, &line, &length)) != LINE_NEED_MORE) {
        const struct frame_layout *layout = event == LINE_READY ? frame_layout_of_line(line, length) : NULL;
        if (event == LINE_TOO_LONG) {
            log_write(LOG_WARN, "connection", "a line longer than %d bytes was skipped", LINE_CAP_BYTES);
        } else if (length == 0) {
            continue;
        } else if (layout != NULL) {
            read_frame(connection, layout, line, length);
        } else if (read_message(connection, line, length) != 0) {
            return; /* the link is gone */
        }
    }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *piece) {
    struct link *link = handle->data;
    size_t size = 0;
    (void)suggested;
    char *space = line_reader_reserve(&link->reader, READ_WISH_BYTES, &size);
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
    line_reader_commit(&link->reader, (size_t)count);
    connection->status.byte_count += (uint64_t)count;
    mailbox_count_bytes(&connection->mailbox, connection->status.byte_count);
    read_lines(connection);
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
    line_reader_init(&link->reader, LINE_CAP_BYTES);
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
    pthread_mutex_lock(&connection->mailbox.lock);
    const bool is_stopping = connection->mailbox.is_stopping;
    pthread_mutex_unlock(&connection->mailbox.lock);
    if (connection->is_closing) {
        return;
    }
    if (is_stopping) {
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
    snapshot_destroy(connection->reading);
    mailbox_free_density(connection->reading_density);
    packed_decoder_destroy(connection->frames);
    mailbox_fini(&connection->mailbox);
    free(connection);
}

struct connection *connection_create(const struct connection_def *def) {
    struct connection *connection = calloc(1, sizeof *connection);
    struct packed_decoder *frames = connection != NULL ? packed_decoder_create() : NULL;
    if (frames == NULL || mailbox_init(&connection->mailbox) != 0) {
        packed_decoder_destroy(frames);
        free(connection);
        return NULL;
    }
    connection->def = *def;
    connection->frames = frames;
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
    pthread_mutex_lock(&connection->mailbox.lock);
    connection->mailbox.is_stopping = true;
    pthread_mutex_unlock(&connection->mailbox.lock);
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

void connection_set_stream(struct connection *connection, const struct stream *stream) {
    const struct stream before = mailbox_stream(&connection->mailbox);
    const struct request request = stream_request(stream, &before);
    if (stream_equals(stream, &before)) {
        return;
    }
    mailbox_set_stream(&connection->mailbox, stream);
    if (connection_send(connection, &request) != 0) {
        mailbox_set_stream(&connection->mailbox, &before);
    }
}
