/* See server.h. */
#include "server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "common/base/nodiscard.h"
#include "common/base/utf8.h"
#include "common/protocol/message.h"
#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/library/scenario_library.h"
#include "server/loop/loop_context.h"
#include "server/net/listener.h"
#include "server/sessions/session.h"
#include "server/simulation/looks.h"
#include "server/storage/seconds_writer.h"
#include "server/web/web_door.h"

/* The frames of each look may take this part of --frame-memory, beside it. */
enum { LOOK_FRAMES = 8 };

/* ---- the service manager: environment ---- */

/* Digits alone, at most 18 of them. */
static bool read_whole(const char *text, uint64_t *out) {
    const size_t length = strlen(text);
    *out = 0;
    if (length == 0 || length > 18 || strspn(text, "0123456789") != length) {
        return false;
    }
    *out = strtoull(text, NULL, 10);
    return true;
}

/* Half of WATCHDOG_USEC; 0 when there is none, or it is meant for another process. */
static uint64_t read_watchdog(const char *usec, const char *pid) {
    uint64_t number = 0, process = 0;
    if (usec == NULL || (pid != NULL && (!read_whole(pid, &process) || process != (uint64_t)getpid()))) {
        return 0;
    }
    if (!read_whole(usec, &number) || number == 0) {
        log_write(LOG_WARN, "server", "WATCHDOG_USEC: expected microseconds, found \"%.40s\"", usec);
        return 0;
    }
    return number * 500;
}

/* A name that begins with @ is abstract: its first byte is zero. */
static bool read_address(const char *name, struct service_notify *notify) {
    const size_t length = strlen(name);
    if ((name[0] != '/' && name[0] != '@') || length < 2 || length >= sizeof notify->address.sun_path) {
        log_write(LOG_WARN, "server", "NOTIFY_SOCKET: expected a path or @NAME, found \"%.120s\"", name);
        return false;
    }
    notify->address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(notify->address.sun_path, name, length);
    notify->length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    if (name[0] == '@') {
        notify->address.sun_path[0] = '\0';
    } else {
        notify->length++;
    }
    return true;
}

void service_notify_open(struct service_notify *notify) {
    const char *name = getenv("NOTIFY_SOCKET");
    *notify = (struct service_notify){.socket = -1};
    if (name != NULL && read_address(name, notify)) {
        notify->watchdog_ns = read_watchdog(getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID"));
        notify->socket = socket(AF_UNIX, SOCK_DGRAM, 0);
        if (notify->socket < 0 || fcntl(notify->socket, F_SETFD, FD_CLOEXEC) != 0) {
            log_write(LOG_WARN, "server", "NOTIFY_SOCKET: %s", strerror(errno));
        }
    }
    (void)unsetenv("NOTIFY_SOCKET");
    (void)unsetenv("WATCHDOG_USEC");
    (void)unsetenv("WATCHDOG_PID");
}

void service_notify_close(struct service_notify *notify) {
    if (notify->socket >= 0) {
        close(notify->socket);
        notify->socket = -1;
    }
}

/* ---- the service manager: the text ---- */

static void copy_visible(char *to, size_t size, const char *from) {
    size_t i = 0;
    for (; from[i] != '\0' && i + 1 < size; i++) {
        to[i] = (unsigned char)from[i] < 0x20 || from[i] == 0x7f ? '?' : from[i];
    }
    to[i] = '\0';
}

void service_status_write(const struct service_status *status, char text[SERVICE_STATUS_BYTES]) {
    char name[LIMIT_NAME_CHARS + 1], state[40] = "";
    copy_visible(name, sizeof name, status->scenario);
    if (status->is_resuming) {
        (void)snprintf(state, sizeof state, ", resuming %.0f %%", 100.0 * status->resumed);
    } else if (status->is_paused) {
        (void)snprintf(state, sizeof state, ", paused");
    }
    (void)snprintf(text, SERVICE_STATUS_BYTES, "%s%s, %llu agent%s, %llu session%s, p99 %.1f ms", name, state,
                   (unsigned long long)status->agents, status->agents == 1 ? "" : "s",
                   (unsigned long long)status->sessions, status->sessions == 1 ? "" : "s",
                   status->tick_p99_ms);
}

/* ---- the service manager: datagrams ---- */

/* Whether it was sent. */
static bool send_text(const struct service_notify *notify, const char *text) {
    const struct sockaddr *address = (const struct sockaddr *)&notify->address;
    return sendto(notify->socket, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL, address, notify->length) >=
           0;
}

bool service_notify_wants_status(const struct service_notify *notify, uint64_t now_ns) {
    return notify->socket >= 0 && !notify->is_stopping &&
           (!notify->is_ready || now_ns - notify->described_ns >= SERVICE_STATUS_NS);
}

static void send_status(struct service_notify *notify, const char *status, uint64_t now_ns) {
    char text[SERVICE_STATUS_BYTES + 32];
    if (notify->is_ready && strcmp(status, notify->status) == 0) {
        return;
    }
    (void)snprintf(text, sizeof text, "%sSTATUS=%s", notify->is_ready ? "" : "READY=1\n", status);
    if (send_text(notify, text)) {
        notify->is_ready = true;
        notify->described_ns = now_ns;
        (void)snprintf(notify->status, sizeof notify->status, "%s", status);
    }
}

bool service_notify_beat(struct service_notify *notify, const struct simulation_motion *motion,
                         const char *status, uint64_t now_ns) {
    if (notify->socket < 0 || notify->is_stopping || !motion->has_begun) {
        return false;
    }
    if (status != NULL) {
        send_status(notify, status, now_ns);
    }
    if (notify->watchdog_ns == 0 || now_ns - notify->watched_ns < notify->watchdog_ns) {
        return false;
    }
    if (motion->turns != notify->turns && send_text(notify, "WATCHDOG=1")) {
        notify->turns = motion->turns;
        notify->watched_ns = now_ns;
    }
    return true;
}

void service_notify_stop(struct service_notify *notify) {
    if (notify->socket >= 0 && !notify->is_stopping) {
        notify->is_stopping = true;
        (void)send_text(notify, "STOPPING=1");
    }
}

/* ---- the server ---- */

struct server {
    uv_loop_t loop;
    uv_async_t wakeup; /* the simulation has something ready */
    uv_signal_t interrupt, terminate, hangup;
    const char *watched_path, *watched_name; /* --watch: the scenario's file; not owned; NULL without */
    struct stat watched;                     /* as it was last seen */
    struct listener listener;
    struct web_door *web;           /* NULL without --web */
    struct seconds_writer *seconds; /* NULL without --seconds */
    struct loop_context context;
    struct service_notify notify;
    bool has_handles, is_stopping, is_file_new;
};

/* ---- connections ---- */

static void stop(struct server *server);

static void on_wakeup(uv_async_t *async) {
    struct server *server = async->data;
    if (simulation_has_lost_rank(server->context.simulation)) {
        signal(SIGTERM, SIG_IGN); /* that of mpirun, which ends the ranks that are left */
        stop(server);
        return;
    }
    delivery_take(&server->context);
}

void server_wake(void *context) {
    struct server *server = context;
    uv_async_send(&server->wakeup);
}

static void on_accept(void *context, int socket) {
    struct loop_context *loop = &((struct server *)context)->context;
    char address[SESSION_ADDRESS_CHARS] = "";
    bool is_loopback = false;
    if (!listener_peer(socket, address, sizeof address, &is_loopback)) {
        close(socket); /* it is gone already */
        return;
    }
    const struct session_peer peer = {
        .socket = socket, .address = address, .is_loopback = is_loopback, .kind = FRAMING_LINES};
    (void)session_entry_admit(loop, &peer);
}

/* What the service manager is to know of the server. */
static void describe_service(struct loop_context *loop, char text[SERVICE_STATUS_BYTES]) {
    struct message_hello *hello = calloc(1, sizeof *hello);
    struct simulation_statistics statistics;
    if (hello == NULL) {
        (void)snprintf(text, SERVICE_STATUS_BYTES, "out of memory");
        return;
    }
    simulation_describe(loop->simulation, hello);
    simulation_read_statistics(loop->simulation, &statistics);
    const struct service_status status = {.scenario = hello->scenario.name,
                                          .is_paused = hello->is_paused,
                                          .is_resuming = hello->playback.is_resuming,
                                          .resumed = hello->playback.resumed,
                                          .agents = statistics.agents,
                                          .sessions = (uint64_t)loop->sessions.numbered,
                                          .tick_p99_ms = tick_meter_summarize(&statistics.step_times).p99_ms};
    service_status_write(&status, text);
    free(hello);
}

static void beat_service(struct server *server) {
    struct loop_context *loop = &server->context;
    const uint64_t now_ns = clock_now_ns();
    char text[SERVICE_STATUS_BYTES] = "";
    if (server->notify.socket < 0) {
        return;
    }
    const bool is_wanted = service_notify_wants_status(&server->notify, now_ns);
    if (is_wanted) {
        describe_service(loop, text);
    }
    const struct simulation_motion motion = simulation_read_motion(loop->simulation);
    if (service_notify_beat(&server->notify, &motion, is_wanted ? text : NULL, now_ns)) {
        simulation_nudge(loop->simulation);
    }
}

/* The thread that writes static seconds is a client like others, but for its socket. */
static void serve_seconds(struct server *server) {
    struct loop_context *loop = &server->context;
    if (server->seconds == NULL) {
        return;
    }
    const int socket = seconds_writer_take_socket(server->seconds);
    const struct session_peer peer = {
        .socket = socket, .address = "--seconds", .is_loopback = true, .kind = FRAMING_LINES, .is_own = true};
    if (socket >= 0) {
        (void)session_entry_admit(loop, &peer);
    }
    const struct seconds_status status = seconds_writer_status(server->seconds);
    loop->statistics.seconds.is_on = true;
    loop->statistics.seconds.has_failed = status.has_failed;
    loop->statistics.seconds.written = status.written;
    loop->statistics.seconds.left_out = status.left_out;
}

/* ---- the scenario's file ---- */

void server_watch(struct server *server, const char *path, const char *name) {
    server->watched_path = path;
    server->watched_name = name;
    (void)stat(path, &server->watched);
}

/* reason: NULL for a file that is taken. */
static void tell_of_file(struct server *server, const char *reason) {
    struct loop_context *loop = &server->context;
    struct message_event event = {.has = EVENT_HAS_SCENARIO | (reason != NULL ? EVENT_HAS_REASON : 0u)};
    struct simulation_statistics statistics;
    simulation_read_statistics(loop->simulation, &statistics);
    event.tick = statistics.tick;
    (void)snprintf(event.event, sizeof event.event, "%s", reason != NULL ? "not_reloaded" : "reloading");
    (void)snprintf(event.scenario, sizeof event.scenario, "%s", server->watched_name);
    if (reason != NULL) {
        (void)snprintf(event.reason, sizeof event.reason, "%.*s",
                       (int)utf8_cut(reason, strlen(reason), sizeof event.reason - 1), reason);
    }
    delivery_send_event(loop, &event, false);
    if (reason != NULL) {
        log_write(LOG_WARN, "scenario", "not loaded: %s", reason);
    }
}

/* It is read here as well, so that what is wrong with it has its place in the file. */
static void reload(struct server *server) {
    struct simulation *simulation = server->context.simulation;
    struct failure failure = {0};
    struct scenario scenario;
    if (scenario_file_load(server->watched_path, &scenario, &failure) != 0) {
        tell_of_file(server, failure.message);
        return;
    }
    scenario_fini(&scenario);
    const struct command_origin origin = {.session = 0};
    struct request request = request_default(REQUEST_LOAD);
    (void)snprintf(request.body.load.scenario, sizeof request.body.load.scenario, "%s", server->watched_name);
    const bool is_refused = simulation_refuses(simulation, &request) ||
                            simulation_submit(simulation, &origin, &request) == COMMAND_REFUSED;
    tell_of_file(server, is_refused ? "the server is busy; save the file again" : NULL);
}

/* A file that changes is being written; once it does not any more it is read. One that is not there will be. */
static void watch_file(struct server *server) {
    struct stat now;
    if (server->watched_path == NULL || server->is_stopping || stat(server->watched_path, &now) != 0) {
        return;
    }
    const struct stat *before = &server->watched;
    if (now.st_ino != before->st_ino || now.st_size != before->st_size ||
        now.st_mtim.tv_sec != before->st_mtim.tv_sec || now.st_mtim.tv_nsec != before->st_mtim.tv_nsec) {
        server->watched = now;
        server->is_file_new = true;
    } else if (server->is_file_new) {
        server->is_file_new = false;
        reload(server);
    }
}

static void on_beat(void *context) {
    struct server *server = context;
    struct loop_context *loop = &server->context;
    const uint32_t wrong_tokens = token_guard_report(&loop->tokens, uv_now(&server->loop));
    if (wrong_tokens > 0) {
        log_write(LOG_WARN, "net", "wrong tokens: %u more", (unsigned)wrong_tokens);
    }
    if (broadcast_wants_snapshot(&loop->broadcast, uv_now(&server->loop))) {
        simulation_request_snapshot(loop->simulation);
    }
    struct message_event overload;
    if (simulation_take_overload(loop->simulation, &overload)) {
        delivery_send_event(loop, &overload, false);
    }
    struct message_event ended;
    while (simulation_take_file_event(loop->simulation, &ended)) {
        delivery_send_event(loop, &ended, false);
    }
    cursors_retry(&loop->cursors, loop->simulation);
    cursors_send(&loop->cursors, &loop->sessions);
    serve_seconds(server);
    beat_service(server);
    watch_file(server);
}

/* ---- ending ---- */

static void close_handles(struct server *server) {
    web_door_close(server->web);
    session_set_fini(&server->context.sessions);
    delivery_close(&server->context);
    uv_close((uv_handle_t *)&server->wakeup, NULL);
    uv_close((uv_handle_t *)&server->interrupt, NULL);
    uv_close((uv_handle_t *)&server->terminate, NULL);
    uv_close((uv_handle_t *)&server->hangup, NULL);
}

static void on_session_closed(void *context, const struct session *session) {
    struct server *server = context;
    struct loop_context *loop = &server->context;
    if (!server->is_stopping) {
        simulation_end_steps(loop->simulation, session->id);
        looks_depart(loop, session);
        cursors_depart(&loop->cursors, loop->simulation, session);
        cursors_changed(&loop->cursors);
        delivery_update_schedule(loop);
    } else if (loop->sessions.count == 0) {
        close_handles(server);
    }
}

static void stop(struct server *server) {
    struct loop_context *loop = &server->context;
    if (server->is_stopping) {
        return;
    }
    server->is_stopping = true;
    loop->is_stopping = true;
    service_notify_stop(&server->notify);
    listener_close(&server->listener);
    web_door_shut(server->web);
    simulation_stop(loop->simulation);
    if (loop->looks != NULL) {
        looks_stop(loop->looks);
    }
    delivery_take(loop);
    session_set_close_all(&loop->sessions, "shutdown", "the server stops");
    if (loop->sessions.count == 0) {
        close_handles(server);
    }
}

/* A second signal ends the process without waiting for byes to be read. */
static void exit_at_once(int number) {
    _exit(128 + number);
}

static void on_signal(uv_signal_t *handle, int number) {
    const struct server *server = handle->data;
    if (server->is_stopping) {
        exit_at_once(number);
    }
    /* From here on the loop has other things to do, and may be held up by them. */
    signal(SIGINT, exit_at_once);
    signal(SIGTERM, exit_at_once);
    log_write(LOG_INFO, "server", "%s: stopping", number == SIGINT ? "SIGINT" : "SIGTERM");
    stop(handle->data);
}

/* Reads the token file again. Sessions keep their roles; a file with a mistake changes nothing. */
static void on_hangup(uv_signal_t *handle, int number) {
    struct loop_context *loop = &((struct server *)handle->data)->context;
    (void)number;
    if (!loop->access.needs_token) {
        return;
    }
    struct failure failure = {0};
    struct access access;
    if (access_load(loop->options->token_file, &access, &failure) != 0) {
        log_write(LOG_ERROR, "server", "SIGHUP: the tokens stay as they were: %s", failure.message);
        return;
    }
    access_fini(&loop->access);
    loop->access = access;
    log_write(LOG_INFO, "server", "SIGHUP: %d tokens", access.count);
}

/* ---- life ---- */

static int init_handles(struct server *server) {
    const struct session_set_handler handler = {.session = session_requests_handler(&server->context),
                                                .context = server,
                                                .web_address = server_web_address(server),
                                                .rate = server->context.options->rate,
                                                .seq = &server->context.seq,
                                                .on_beat = on_beat,
                                                .on_closed = on_session_closed};
    int result = uv_async_init(&server->loop, &server->wakeup, on_wakeup);
    server->wakeup.data = server;
    server->interrupt.data = server;
    server->terminate.data = server;
    server->hangup.data = server;
    result = result != 0 ? result : uv_signal_init(&server->loop, &server->interrupt);
    result = result != 0 ? result : uv_signal_init(&server->loop, &server->terminate);
    result = result != 0 ? result : uv_signal_init(&server->loop, &server->hangup);
    result = result != 0 ? result : uv_signal_start(&server->hangup, on_hangup, SIGHUP);
    result = result != 0 ? result : uv_signal_start(&server->interrupt, on_signal, SIGINT);
    result = result != 0 ? result : uv_signal_start(&server->terminate, on_signal, SIGTERM);
    return result != 0 ? result : session_set_init(&server->context.sessions, &server->loop, &handler);
}

/* Listens, unless the address is public and neither tokens nor --insecure are given. */
static int open_door(struct server *server, struct failure *failure) {
    struct loop_context *loop = &server->context;
    const struct server_options *options = loop->options;
    loop->access = access_open();
    if (options->token_file[0] != '\0' && access_load(options->token_file, &loop->access, failure) != 0) {
        return -1;
    }
    if (listener_open(&server->listener, &server->loop, options->listen, (uint16_t)options->port, failure) !=
        0) {
        return -1;
    }
    if (!server->listener.is_loopback && !loop->access.needs_token && !options->is_insecure) {
        listener_close(&server->listener);
        return failure_set(
            failure, FAILURE_DENIED, "--listen",
            "%s is reachable from other hosts, which would be admin; give --token-file FILE or "
            "--insecure",
            server->listener.address);
    }
    if (options->web[0] != '\0') {
        server->web = web_door_open(loop, failure);
        if (server->web == NULL) {
            listener_close(&server->listener);
            return -1;
        }
    }
    if (options->seconds[0] != '\0') {
        server->seconds = seconds_writer_create(options->seconds, options->seconds_keep,
                                                (enum seconds_layout)options->seconds_layout, failure);
        if (server->seconds == NULL) {
            listener_close(&server->listener);
            web_door_close(server->web);
            return -1;
        }
    }
    return 0;
}

struct server *server_create(const struct server_options *options, struct failure *failure) {
    uint64_t frame_memory = 0;
    struct descriptor_room room;
    if (session_requests_check(failure) != 0 ||
        server_options_frame_memory(options, &frame_memory, failure) != 0 ||
        descriptor_limit_divide(options->max_clients, options->web[0] != '\0', &room, failure) != 0) {
        return NULL;
    }
    struct server *server = calloc(1, sizeof *server);
    const int result = server == NULL ? UV_ENOMEM : uv_loop_init(&server->loop);
    if (result != 0) {
        free(server);
        (void)failure_set(failure, FAILURE_BUSY, NULL, "cannot start: %s", uv_strerror(result));
        return NULL;
    }
    server->context.uv = &server->loop;
    server->context.wake = server_wake;
    server->context.wake_context = server;
    service_notify_open(&server->notify);
    broadcast_init(&server->context.broadcast, (size_t)frame_memory);
    server->context.options = options;
    server->context.room = room;
    server->context.statistics.sessions_limit = room.sessions;
    if (open_door(server, failure) != 0) {
        (void)uv_run(&server->loop, UV_RUN_DEFAULT);
        (void)uv_loop_close(&server->loop);
        web_door_free(server->web);
        access_fini(&server->context.access);
        service_notify_close(&server->notify);
        free(server);
        return NULL;
    }
    return server;
}

int server_take_simulation(struct server *server, struct simulation *simulation, struct failure *failure) {
    server->context.simulation = simulation;
    server->context.statistics.started_ns = clock_now_ns();
    server->context.statistics.started_s = (double)time(NULL);
    signal(SIGPIPE, SIG_IGN);
    if (delivery_begin(&server->context, failure) != 0) {
        return -1;
    }
    const int result = init_handles(server);
    if (result != 0) {
        delivery_close(&server->context);
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot start: %s", uv_strerror(result));
    }
    server->has_handles = true;
    struct loop_context *loop = &server->context;
    loop->looks =
        simulation_create_looks(simulation, loop->options->looks,
                                loop->broadcast.scratch.memory.limit / LOOK_FRAMES, server_wake, server);
    return 0;
}

const char *server_address(const struct server *server) {
    return server->listener.address;
}

const char *server_web_address(const struct server *server) {
    return server->web == NULL ? NULL : web_door_address(server->web);
}

int server_run(struct server *server, struct failure *failure) {
    int result = listener_start(&server->listener, server, on_accept);
    if (result == 0 && server->web != NULL) {
        result = web_door_start(server->web);
    }
    if (result != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot start: %s", uv_strerror(result));
    }
    if (simulation_start(server->context.simulation, server_wake, server) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot start a thread");
    }
    (void)uv_run(&server->loop, UV_RUN_DEFAULT);
    return 0;
}

void server_destroy(struct server *server) {
    if (server == NULL) {
        return;
    }
    listener_close(&server->listener);
    if (server->has_handles) {
        stop(server);
    } else {
        web_door_close(server->web);
    }
    (void)uv_run(&server->loop, server->has_handles ? UV_RUN_DEFAULT : UV_RUN_NOWAIT);
    if (uv_loop_close(&server->loop) != 0) {
        log_write(LOG_WARN, "server", "handles were left open");
    }
    web_door_free(server->web);
    seconds_writer_destroy(server->seconds);
    looks_destroy(server->context.looks);
    broadcast_fini(&server->context.broadcast);
    access_fini(&server->context.access);
    cursors_fini(&server->context.cursors);
    delivery_end(&server->context);
    service_notify_close(&server->notify);
    free(server);
}
