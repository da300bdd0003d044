/* See connection.h. The thread waits in poll for the socket of libdrover and for a pipe that wakes it. */
#include "viewer/link/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "viewer/link/seconds_fetch.h"

enum { WAKE_READ, WAKE_WRITE };

struct connection {
    struct viewer_link state;
    pthread_t thread;
    int wake[2];
};

/* ---- the thread ---- */

static void empty_pipe(int end) {
    char bytes[64];
    while (read(end, bytes, sizeof bytes) > 0) {}
}

static struct drover *connect_to(const struct connection_def *def) {
    const struct drover_options options = viewer_link_options(def);
    char address[sizeof def->address.host + sizeof def->address.port + 4];
    if (address_is_mqtt(def->address.host)) {
        return drover_connect(def->address.host, &options);
    }
    (void)snprintf(address, sizeof address, "[%s]:%s", def->address.host, def->address.port);
    return drover_connect(address, &options);
}

static void wait_for_something(const struct connection *connection) {
    const struct drover *world = connection->state.world;
    const int socket = drover_fd(world);
    struct pollfd sources[] = {{.fd = connection->wake[WAKE_READ], .events = POLLIN},
                               {.fd = socket, .events = (short)drover_poll_events(world)}};
    (void)poll(sources, socket >= 0 ? 2 : 1, drover_timeout(world));
    empty_pipe(connection->wake[WAKE_READ]);
}

/* What the player of static seconds wants is fetched, and comes to the handle as a server's bytes do. */
static void take_file(struct viewer_link *link, struct seconds_fetch *fetch, bool *is_fetching) {
    char url[SECONDS_WISH_BYTES];
    const char *problem = NULL;
    if (*is_fetching && seconds_fetch_has_ended(fetch, &problem)) {
        const struct buffer *bytes = seconds_fetch_bytes(fetch);
        *is_fetching = false;
        problem = problem == NULL && bytes->length == 0 ? "the file is empty" : problem;
        seconds_player_fetched(link->seconds, link->world, connection_now_ms(), bytes->data, bytes->length,
                               problem);
    }
    if (!*is_fetching && seconds_player_wish(link->seconds, link->world, connection_now_ms(), url)) {
        *is_fetching = true;
        seconds_fetch_begin(fetch, url);
    }
}

static void *run_seconds(struct connection *connection) {
    struct viewer_link *link = &connection->state;
    struct seconds_fetch *fetch = seconds_fetch_create(link->def.ca);
    const struct drover_options options = viewer_link_options(&link->def);
    bool is_fetching = false;
    viewer_link_use(link, fetch != NULL ? drover_create(&options) : NULL);
    if (link->world != NULL) {
        (void)drover_advance(link->world, connection_now_ms());
        drover_opening(link->world);
    }
    while (link->world != NULL && !mailbox_is_stopping(&link->mailbox)) {
        (void)drover_advance(link->world, connection_now_ms());
        take_file(link, fetch, &is_fetching);
        const int wait_ms = viewer_link_turn(link);
        viewer_link_take(link, false);
        viewer_link_give(link);
        seconds_fetch_wait(fetch, connection->wake[WAKE_READ], wait_ms);
        empty_pipe(connection->wake[WAKE_READ]);
    }
    seconds_fetch_destroy(fetch);
    return NULL;
}

static void *run_thread(void *argument) {
    struct connection *connection = argument;
    struct viewer_link *link = &connection->state;
    if (link->seconds != NULL) {
        return run_seconds(connection);
    }
    viewer_link_use(link, connect_to(&link->def));
    while (link->world != NULL && !mailbox_is_stopping(&link->mailbox)) {
        viewer_link_take(link, drover_errno(link->world) == ECONNREFUSED);
        viewer_link_give(link);
        if (!mailbox_is_stopping(&link->mailbox)) {
            wait_for_something(connection);
            (void)drover_turn(link->world); /* what it says lies in the handle */
        }
    }
    return NULL;
}

/* ---- the drawing thread ---- */

static void wake(const struct connection *connection) {
    while (write(connection->wake[WAKE_WRITE], "", 1) < 0 && errno == EINTR) {
    } /* a full pipe wakes as well */
}

static int open_pipe(int ends[2]) {
    if (pipe(ends) != 0) {
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0 || fcntl(ends[i], F_SETFL, O_NONBLOCK) != 0) {
            (void)close(ends[0]);
            (void)close(ends[1]);
            return -1;
        }
    }
    return 0;
}

static void free_connection(struct connection *connection) {
    (void)close(connection->wake[WAKE_READ]);
    (void)close(connection->wake[WAKE_WRITE]);
    viewer_link_fini(&connection->state);
    free(connection);
}

struct connection *connection_create(const struct connection_def *def) {
    struct connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL || viewer_link_init(&connection->state, def) != 0) {
        free(connection);
        return NULL;
    }
    if (open_pipe(connection->wake) != 0) {
        viewer_link_fini(&connection->state);
        free(connection);
        return NULL;
    }
    if (pthread_create(&connection->thread, NULL, run_thread, connection) != 0) {
        free_connection(connection);
        return NULL;
    }
    return connection;
}

void connection_destroy(struct connection *connection) {
    if (connection == NULL) {
        return;
    }
    mailbox_stop(&connection->state.mailbox);
    wake(connection);
    (void)pthread_join(connection->thread, NULL);
    free_connection(connection);
}

struct mailbox *connection_mailbox(struct connection *connection) {
    return &connection->state.mailbox;
}

int connection_send(struct connection *connection, const struct request *request) {
    const int result = viewer_link_send(&connection->state, request);
    wake(connection);
    return result;
}

void connection_set_stream(struct connection *connection, const struct stream_choice *stream) {
    if (viewer_link_set_stream(&connection->state, stream)) {
        wake(connection);
    }
}
