/* See page_state.h. What is done with bytes and messages is libdrover's and link.c's. */
#include "web/page_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/link/link.h"

enum { MESSAGE_BYTES = 64 * 1024 * 1024 };

/* Of the Worker's socket. */
enum socket_state { SOCKET_NONE, SOCKET_OPENS, SOCKET_IS_OPEN };

struct connection {
    struct viewer_link state;
    struct buffer message; /* that the Worker writes into */
    enum socket_state socket;
    bool wants_socket, closes_socket; /* the Worker does not know yet */
    double retry_ms;                  /* < 0: no try is due */
};

static void advance(struct connection *connection) {
    if (drover_advance(connection->state.world, connection_now_ms()) != 0) {
        connection->closes_socket = true;
    }
}

static void try_now(struct connection *connection) {
    connection->retry_ms = -1.0;
    if (connection->state.seconds != NULL) {
        drover_opening(connection->state.world);
        return; /* files come without a socket */
    }
    connection->socket = SOCKET_OPENS;
    connection->wants_socket = true;
    drover_opening(connection->state.world);
}

static void drop_socket(struct connection *connection, bool is_gone) {
    connection->closes_socket = !is_gone;
    connection->wants_socket = false;
    connection->socket = SOCKET_NONE;
}

/* Static seconds: what is due goes to the handle, and the Worker fetches the next file. */
static void play(struct connection *connection) {
    char url[SECONDS_WISH_BYTES];
    struct viewer_link *link = &connection->state;
    (void)viewer_link_turn(link);
    if (seconds_player_wish(link->seconds, link->world, connection_now_ms(), url)) {
        page_host_fetch(url, strlen(url), link->seconds->fetched == SECONDS_INDEX ? 1 : 0);
    }
    viewer_link_take(link, false);
    viewer_link_give(link);
}

/* What the handle has goes to the mailbox; a connection that it gave up is closed. */
static void take(struct connection *connection, bool has_no_server) {
    struct drover *world = connection->state.world;
    const enum drover_state state = drover_state(world);
    if (connection->socket != SOCKET_NONE && state != DROVER_READY && state != DROVER_CONNECTING) {
        drop_socket(connection, false);
    }
    if (state == DROVER_WAITING && connection->retry_ms < 0.0) {
        connection->retry_ms = connection_now_ms() + drover_timeout(world);
    }
    viewer_link_take(&connection->state, has_no_server);
}

/* ---- connection.h ---- */

static int begin(struct connection *connection, const struct connection_def *def) {
    if (viewer_link_init(&connection->state, def) != 0) {
        return -1;
    }
    const struct drover_options options = viewer_link_options(&connection->state.def);
    struct drover *world = drover_create(&options);
    if (world == NULL) {
        viewer_link_fini(&connection->state);
        return -1;
    }
    viewer_link_use(&connection->state, world);
    return 0;
}

struct connection *connection_create(const struct connection_def *def) {
    struct connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL || begin(connection, def) != 0) {
        free(connection);
        return NULL;
    }
    buffer_init(&connection->message, MESSAGE_BYTES);
    advance(connection);
    try_now(connection);
    return connection;
}

void connection_destroy(struct connection *connection) {
    if (connection != NULL) {
        viewer_link_fini(&connection->state);
        buffer_fini(&connection->message);
        free(connection);
    }
}

struct mailbox *connection_mailbox(struct connection *connection) {
    return &connection->state.mailbox;
}

int connection_send(struct connection *connection, const struct request *request) {
    return viewer_link_send(&connection->state, request);
}

void connection_set_stream(struct connection *connection, const struct stream_choice *stream) {
    (void)viewer_link_set_stream(&connection->state, stream);
}

/* ---- the Worker ---- */

char *page_connection_reserve(struct connection *connection, size_t size) {
    buffer_clear(&connection->message);
    char *room = buffer_reserve(&connection->message, size + 1);
    if (room == NULL && connection->socket == SOCKET_IS_OPEN) {
        advance(connection); /* a request whose reply is lost must not wait without end */
        drop_socket(connection, false);
        drover_lost(connection->state.world, "the server sent more than 64 MiB at once, or memory is short");
        take(connection, false);
    }
    return room;
}

void page_connection_commit(struct connection *connection, size_t size) {
    if (connection->socket != SOCKET_IS_OPEN || connection->message.capacity <= size) {
        return;
    }
    buffer_commit(&connection->message, size);
    buffer_append(&connection->message, "\n", 1);
    advance(connection);
    if (drover_state(connection->state.world) != DROVER_WAITING) {
        (void)drover_feed(connection->state.world, connection->message.data, connection->message.length);
    }
    take(connection, false);
}

void page_connection_fetched(struct connection *connection, size_t size, const char *problem) {
    const bool has_room = connection->message.capacity > size;
    if (connection->state.seconds == NULL) {
        return;
    }
    if (has_room) {
        buffer_commit(&connection->message, size);
    }
    advance(connection);
    seconds_player_fetched(connection->state.seconds, connection->state.world, connection_now_ms(),
                           connection->message.data, connection->message.length,
                           problem != NULL        ? problem
                           : has_room && size > 0 ? NULL
                                                  : "the file is empty or too large");
    play(connection);
}

void page_connection_event(struct connection *connection, enum page_link_event event, uint32_t code,
                           const char *words) {
    char reason[384];
    if (connection->socket == SOCKET_NONE) {
        return; /* given up already */
    }
    advance(connection);
    if (event == PAGE_LINK_OPENED) {
        connection->socket = SOCKET_IS_OPEN;
        drover_opened(connection->state.world);
        return;
    }
    const bool has_no_server = event == PAGE_LINK_FAILED || connection->socket == SOCKET_OPENS;
    if (words[0] != '\0') {
        (void)snprintf(reason, sizeof reason, "%s", words);
    } else if (has_no_server) {
        (void)snprintf(reason, sizeof reason,
                       "the server cannot be reached; the page connects as soon as it is there");
    } else if (code == 1000 || code == 1001 || code == 1006 || code == 0) {
        (void)snprintf(reason, sizeof reason, "the server closed the connection");
    } else {
        (void)snprintf(reason, sizeof reason, "the server closed the connection (code %u)", (unsigned)code);
    }
    drop_socket(connection, true);
    drover_lost(connection->state.world, reason);
    take(connection, has_no_server);
}

uint32_t page_connection_tick(struct connection *connection) {
    size_t length = 0;
    advance(connection);
    if (connection->state.seconds != NULL) {
        play(connection);
        return 0;
    }
    if (connection->retry_ms >= 0.0 && connection_now_ms() >= connection->retry_ms) {
        try_now(connection);
    }
    take(connection, false);
    viewer_link_give(&connection->state);
    const bool has_output =
        connection->socket == SOCKET_IS_OPEN && drover_output(connection->state.world, &length) != NULL;
    const uint32_t wishes = (connection->wants_socket ? (uint32_t)PAGE_WANTS_SOCKET : 0u) |
                            (connection->closes_socket ? (uint32_t)PAGE_CLOSES_SOCKET : 0u) |
                            (has_output ? (uint32_t)PAGE_HAS_OUTPUT : 0u);
    connection->wants_socket = connection->closes_socket = false;
    return wishes;
}

void page_connection_take(struct connection *connection, struct buffer *out) {
    size_t length = 0;
    const char *bytes;
    if (connection->socket != SOCKET_IS_OPEN) {
        return;
    }
    viewer_link_give(&connection->state);
    while ((bytes = drover_output(connection->state.world, &length)) != NULL) {
        buffer_append(out, bytes, length);
        drover_sent(connection->state.world, length);
    }
}

void page_connection_hide(struct connection *connection, bool is_hidden) {
    viewer_link_pause(&connection->state, is_hidden);
    if (!is_hidden && connection->retry_ms >= 0.0) {
        connection->retry_ms = connection_now_ms();
    }
}
