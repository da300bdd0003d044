/* drover-swarm: many clients of one server at once, a share of them slow, stuck or hostile.
 *
 * One thread, epoll. Joins, waits for the server to settle, measures, asks the server for its `stats`,
 * prints. Exit codes: 0 measured, 1 a failure, 2 a mistake on the command line.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "common/system/clock.h"
#include "common/system/options.h"
#include "swarm_client.h"
#include "swarm_report.h"

enum { EVENTS = 512, WITNESSES = 8, STATS_BYTES = 1 << 16, COME_BACK_MS = 500 };

struct swarm_options {
    uint32_t port, clients, slow, stuck, hostile, seconds, settle, pid, seed, web;
    double hz;
    bool as_json, packed;
};

struct swarm {
    struct swarm_options options;
    struct sockaddr_in address;
    struct swarm_client *clients;
    uint64_t *bytes_before;
    struct swarm_ages ages;
    int epoll;
};

#define NUMBER(member, low, high, text)                                                                      \
    {                                                                                                        \
        .name = #member, .type = FIELD_UINT32, FIELD_MEMBER(struct swarm_options, member), .min = low,       \
        .max = high, .unit = "N", .help = text                                                               \
    }

static const struct field option_fields[] = {
    NUMBER(port, 1, 65535, "The server's port on 127.0.0.1."),
    NUMBER(clients, 1, 100000, "How many clients."),
    NUMBER(slow, 0, 100, "Percent of them that read 200 KB/s."),
    NUMBER(stuck, 0, 100, "Percent of them that never read."),
    NUMBER(hostile, 0, 100, "Percent of them that send rubbish, flood and vanish."),
    NUMBER(seconds, 1, 3600, "How long to measure."),
    NUMBER(settle, 0, 3600, "Seconds from joining to measuring."),
    NUMBER(pid, 0, 4294967295.0, "The server's process, for its CPU and memory; 0: not measured."),
    NUMBER(web, 0, 65535, "The port of its WebSocket, for clients that use that; 0: they use TCP."),
    NUMBER(seed, 0, 4294967295.0, "Of what the hostile ones do."),
    {.name = "hz",
     .type = FIELD_DOUBLE,
     FIELD_MEMBER(struct swarm_options, hz),
     .min = 1,
     .max = 480,
     .unit = "N",
     .help = "Snapshots a second that each asks for."},
    {.name = "json",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct swarm_options, as_json),
     .help = "Print one line of JSON."},
    {.name = "packed",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct swarm_options, packed),
     .help = "Ask for the layout packed."},
    {.type = FIELD_END},
};

static const struct options_def options_def = {.program = "drover-swarm",
                                               .summary = "Many clients of one server, good and bad.",
                                               .table = option_fields};

/* ---- the server, from outside ---- */

static double cpu_seconds(uint32_t pid) {
    char path[64];
    char text[1024];
    (void)snprintf(path, sizeof path, "/proc/%u/stat", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return -1.0;
    }
    const size_t length = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[length] = '\0';
    const char *after = strrchr(text, ')');
    unsigned long user = 0;
    unsigned long kernel = 0;
    if (after == NULL ||
        sscanf(after + 1, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", &user, &kernel) != 2) {
        return -1.0;
    }
    return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

static double rss_mb(uint32_t pid) {
    char path[64];
    unsigned long size = 0;
    unsigned long resident = 0;
    (void)snprintf(path, sizeof path, "/proc/%u/statm", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return -1.0;
    }
    const int found = fscanf(file, "%lu %lu", &size, &resident);
    (void)fclose(file);
    return found == 2 ? (double)resident * (double)sysconf(_SC_PAGESIZE) / 1048576.0 : -1.0;
}

static void read_lateness(const char *text, double out[3]) {
    cJSON *json = cJSON_Parse(text);
    const cJSON *lateness = cJSON_GetObjectItemCaseSensitive(json, "lateness_ms");
    static const char *const names[3] = {"p50", "p99", "max"};
    for (int i = 0; i < 3; i++) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(lateness, names[i]);
        out[i] = cJSON_IsNumber(value) ? value->valuedouble : -1.0;
    }
    cJSON_Delete(json);
}

/* Sends `stats` on a connection of its own; the rival, which has no stats, never replies. */
static void ask_stats(const struct sockaddr_in *address, double out[3]) {
    static const char request[] = "{\"op\":\"stats\"}\n";
    static char text[STATS_BYTES];
    out[0] = out[1] = out[2] = -1.0;
    const struct timeval patience = {.tv_sec = 10};
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connection < 0) {
        return;
    }
    (void)setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    size_t used = 0;
    if (connect(connection, (const struct sockaddr *)address, sizeof *address) == 0 &&
        send(connection, request, sizeof request - 1, MSG_NOSIGNAL) > 0) {
        char *reply = NULL;
        char *end = NULL;
        ssize_t count = 0;
        while (end == NULL && (count = recv(connection, text + used, sizeof text - 1 - used, 0)) > 0) {
            used += (size_t)count;
            text[used] = '\0';
            reply = strstr(text, "{\"op\":\"reply\",\"to\":\"stats\"");
            end = reply == NULL ? NULL : strchr(reply, '\n');
        }
        if (end != NULL) {
            *end = '\0';
            read_lateness(reply, out);
        }
    }
    close(connection);
}

/* ---- the clients ---- */

static enum swarm_role role_of(const struct swarm_options *options, uint32_t index) {
    const uint32_t place = index * 7919u % options->clients; /* mixed, so that no role joins first */
    const uint32_t slow = options->clients * options->slow / 100u;
    const uint32_t stuck = slow + options->clients * options->stuck / 100u;
    const uint32_t hostile = stuck + options->clients * options->hostile / 100u;
    if (place < slow) {
        return SWARM_SLOW;
    }
    if (place < stuck) {
        return SWARM_STUCK;
    }
    if (place < hostile) {
        return SWARM_HOSTILE;
    }
    return place - hostile < WITNESSES ? SWARM_WITNESS : SWARM_READER;
}

static int join(struct swarm *swarm, struct swarm_client *client) {
    struct sockaddr_in address = swarm->address;
    client->is_web = swarm->options.web != 0;
    address.sin_port = client->is_web ? htons((uint16_t)swarm->options.web) : address.sin_port;
    if (swarm_client_open(client, &address, swarm->options.hz, swarm->options.packed) != 0) {
        return -1;
    }
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = client}};
    if (client->role == SWARM_STUCK || client->role == SWARM_SLOW) {
        event.events = EPOLLHUP;
    }
    client->act_ns = clock_now_ns() + SWARM_SLOW_MS * 1000000u;
    return epoll_ctl(swarm->epoll, EPOLL_CTL_ADD, client->socket, &event);
}

static int join_all(struct swarm *swarm) {
    for (uint32_t i = 0; i < swarm->options.clients; i++) {
        struct swarm_client *client = &swarm->clients[i];
        client->socket = -1;
        client->role = role_of(&swarm->options, i);
        client->random = swarm->options.seed * UINT64_C(1000003) + i;
        if (join(swarm, client) != 0) {
            (void)fprintf(stderr, "drover-swarm: client %u: %s\n", i, strerror(errno));
            return -1;
        }
    }
    return 0;
}

static void leave(struct swarm_client *client, uint64_t now_ns) {
    swarm_client_close(client);
    client->act_ns = now_ns + COME_BACK_MS * 1000000u;
}

/* Clients with a timer: slow ones read, hostile ones misbehave, closed ones reconnect. */
static void act(struct swarm *swarm, uint64_t now_ns) {
    for (uint32_t i = 0; i < swarm->options.clients; i++) {
        struct swarm_client *client = &swarm->clients[i];
        if (now_ns < client->act_ns) {
            continue;
        }
        if (client->socket < 0) {
            client->act_ns = now_ns + COME_BACK_MS * 1000000u;
            (void)join(swarm, client);
            continue;
        }
        client->act_ns = now_ns + SWARM_SLOW_MS * 1000000u;
        const bool goes_on = client->role == SWARM_SLOW      ? swarm_client_read(client, &swarm->ages)
                             : client->role == SWARM_HOSTILE ? swarm_client_misbehave(client)
                                                             : true;
        if (!goes_on) {
            leave(client, now_ns);
        }
    }
}

static void run_until(struct swarm *swarm, uint64_t end_ns) {
    struct epoll_event events[EVENTS];
    uint64_t act_ns = 0;
    for (uint64_t now_ns = clock_now_ns(); now_ns < end_ns; now_ns = clock_now_ns()) {
        const int count = epoll_wait(swarm->epoll, events, EVENTS, 20);
        for (int i = 0; i < count; i++) {
            struct swarm_client *client = events[i].data.ptr;
            const bool is_over =
                (events[i].events & (EPOLLHUP | EPOLLERR)) != 0 && client->role >= SWARM_SLOW;
            if (client->socket >= 0 && (is_over || !swarm_client_read(client, &swarm->ages))) {
                leave(client, now_ns);
            }
        }
        if (now_ns >= act_ns) {
            act(swarm, now_ns);
            act_ns = now_ns + 10000000u;
        }
    }
}

/* ---- measuring ---- */

static uint64_t witness_sum(const struct swarm *swarm, uint64_t *line_bytes) {
    uint64_t frames = 0;
    *line_bytes = 0;
    for (uint32_t i = 0; i < swarm->options.clients; i++) {
        if (swarm->clients[i].role == SWARM_WITNESS) {
            frames += swarm->clients[i].frames;
            *line_bytes += swarm->clients[i].line_bytes;
        }
    }
    return frames;
}

static void measure(struct swarm *swarm) {
    const struct swarm_options *options = &swarm->options;
    uint64_t bytes_before = 0;
    uint64_t bytes_after = 0;
    const uint64_t frames_before = witness_sum(swarm, &bytes_before);
    for (uint32_t i = 0; i < options->clients; i++) {
        swarm->bytes_before[i] = swarm->clients[i].bytes;
    }
    swarm->ages.count = 0;
    const double cpu_before = cpu_seconds(options->pid);
    const uint64_t start_ns = clock_now_ns();
    run_until(swarm, start_ns + (uint64_t)options->seconds * 1000000000u);
    struct swarm_report report = {.seconds = (double)(clock_now_ns() - start_ns) * 1e-9,
                                  .clients = swarm->clients,
                                  .client_count = (int)options->clients,
                                  .bytes_before = swarm->bytes_before,
                                  .ages = &swarm->ages,
                                  .rss_mb = rss_mb(options->pid)};
    report.cpu_percent = (cpu_seconds(options->pid) - cpu_before) * 100.0 / report.seconds;
    report.cpu_percent = cpu_before < 0.0 ? -1.0 : report.cpu_percent;
    report.witness_frames = witness_sum(swarm, &bytes_after) - frames_before;
    report.frame_bytes = report.witness_frames == 0
                             ? 0.0
                             : (double)(bytes_after - bytes_before) / (double)report.witness_frames;
    ask_stats(&swarm->address, report.stats);
    swarm_report_print(&report, options->as_json);
}

/* As many descriptors as the system allows. */
static void raise_descriptors(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int run(struct swarm *swarm) {
    const uint64_t settle_ns = (uint64_t)swarm->options.settle * 1000000000u;
    raise_descriptors();
    swarm->epoll = epoll_create1(0);
    if (swarm->epoll < 0 || join_all(swarm) != 0) {
        return EXIT_FAILURE;
    }
    run_until(swarm, clock_now_ns() + settle_ns);
    measure(swarm);
    for (uint32_t i = 0; i < swarm->options.clients; i++) {
        swarm_client_close(&swarm->clients[i]);
    }
    close(swarm->epoll);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    struct swarm *swarm = calloc(1, sizeof *swarm);
    struct failure failure = {0};
    const char *positional = NULL;
    if (swarm == NULL) {
        return EXIT_FAILURE;
    }
    swarm->options =
        (struct swarm_options){.port = 7717, .clients = 100, .seconds = 10, .settle = 2, .seed = 1, .hz = 30};
    const enum options_result result =
        options_parse(&options_def, argc, argv, &swarm->options, &positional, &failure);
    int code = result == OPTIONS_EXIT ? EXIT_SUCCESS : 2;
    if (result == OPTIONS_BAD) {
        (void)fprintf(stderr, "drover-swarm: %s\n", failure.message);
    } else if (result == OPTIONS_RUN) {
        swarm->address = (struct sockaddr_in){.sin_family = AF_INET,
                                              .sin_port = htons((uint16_t)swarm->options.port),
                                              .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
        swarm->clients = calloc(swarm->options.clients, sizeof *swarm->clients);
        swarm->bytes_before = calloc(swarm->options.clients, sizeof *swarm->bytes_before);
        code = swarm->clients == NULL || swarm->bytes_before == NULL ? EXIT_FAILURE : run(swarm);
    }
    free(swarm->clients);
    free(swarm->bytes_before);
    free(swarm);
    return code;
}
