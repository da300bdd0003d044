/* drover-mqtt: the command line, the broker, and the loop. See publisher.h. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/mqtt/publisher.h"
#include "common/system/clock.h"
#include "common/system/log.h"
#include "common/system/options.h"
#include "common/system/process.h"
#include "common/text/server_address.h"

enum {
    EXIT_USAGE = 2,
    KEEP_ALIVE_S = 15,
    GLANCE_MS = 500,
    RETRY_FIRST_MS = 250,
    RETRY_MOST_MS = 5000,
    SESSIONS_MOST = 600
};

static volatile sig_atomic_t is_stopping;

static void stop(int number) {
    (void)number;
    is_stopping = 1;
}

/* ---- the command line ---- */

static const struct field rows[] = {
    OPTION_TEXT(struct mqtt_options, server, "server", "HOST:PORT",
                "The server whose world is published. Its token: $DROVER_TOKEN."),
    OPTION_TEXT(struct mqtt_options, broker, "broker", "HOST:PORT", "The broker of MQTT."),
    OPTION_TEXT(struct mqtt_options, name, "name", "NAME",
                "The name of the world: topics begin with drover/NAME/."),
    OPTION_TEXT(struct mqtt_options, user, "user", "USER",
                "The user at the broker. The password: $DROVER_MQTT_PASSWORD."),
    OPTION_TEXT(struct mqtt_options, ca_file, "ca-file", "FILE",
                "Speak TLS; the certificates that the broker's is to be signed by."),
    OPTION_NUMBER(struct mqtt_options, hz, "hz", 0.01, 480, 30, "N", "Frames a second."),
    OPTION_NUMBER(struct mqtt_options, density_hz, "density-hz", 0.01, 480, 10, "N",
                  "Frames of density a second."),
    OPTION_NUMBER(struct mqtt_options, tiles, "tiles", 0, 16, 0, "N",
                  "Tiles of the world, N times N: 3 to 16, or 0 for none."),
    OPTIONS_END,
};

static bool is_name(const char *text) {
    return text[0] != '\0' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == strlen(text);
}

static int check(const struct mqtt_options *options, struct address *broker, struct failure *failure) {
    if (!is_name(options->name)) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--name",
                           "--name \"%s\": expected letters, digits, _ and -, at least one", options->name);
    }
    if (options->tiles == 1 || options->tiles == 2) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--tiles",
                           "--tiles %u: a tile would be the whole world; allowed: 0, and 3 to 16",
                           (unsigned)options->tiles);
    }
    (void)snprintf(broker->port, sizeof broker->port, "%s", options->ca_file[0] != '\0' ? "8883" : "1883");
    return address_parse(options->broker, broker, failure);
}

/* ---- the broker ---- */

struct link {
    struct publisher publisher;
    struct mosquitto *broker;
    struct address address;
    double retry_at_ms, wait_ms;
};

static double now_ms(void) {
    return (double)clock_now_ns() * 1e-6;
}

static void on_connect(struct mosquitto *broker, void *object, int reason) {
    struct link *link = object;
    char topic[MQTT_TOPIC_ROOM];
    if (reason != 0) {
        log_write(LOG_ERROR, "broker", "%s refuses: %s", link->publisher.options->broker,
                  mosquitto_connack_string(reason));
        return;
    }
    log_write(LOG_INFO, "broker", "connected to %s", link->publisher.options->broker);
    link->wait_ms = RETRY_FIRST_MS;
    (void)snprintf(topic, sizeof topic, "drover/%s/cmd/#", link->publisher.options->name);
    (void)mosquitto_subscribe(broker, NULL, topic, 0);
    publisher_begin(&link->publisher);
}

static void on_message(struct mosquitto *broker, void *object, const struct mosquitto_message *message) {
    struct link *link = object;
    char prefix[MQTT_TOPIC_ROOM];
    const int length = snprintf(prefix, sizeof prefix, "drover/%s/cmd/", link->publisher.options->name);
    (void)broker;
    if (!message->retain && strncmp(message->topic, prefix, (size_t)length) ==
                                0) { /* what is retained was meant for another time */
        topics_take_request(&link->publisher.topics, message->topic + length,
                            message->payload != NULL ? message->payload : "", (size_t)message->payloadlen);
    }
}

static struct mosquitto *make_broker(struct link *link, const struct mqtt_options *options,
                                     struct failure *failure) {
    char name[MQTT_NAME_BYTES + 16], status[MQTT_TOPIC_ROOM];
    const char *password = getenv("DROVER_MQTT_PASSWORD");
    (void)snprintf(name, sizeof name, "drover-mqtt-%s", options->name);
    (void)snprintf(status, sizeof status, "drover/%s/status", options->name);
    struct mosquitto *broker = mosquitto_new(name, true, link);
    if (broker == NULL || mosquitto_will_set(broker, status, 7, "offline", 0, true) != MOSQ_ERR_SUCCESS ||
        (options->user[0] != '\0' &&
         mosquitto_username_pw_set(broker, options->user, password) != MOSQ_ERR_SUCCESS)) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    } else if (options->ca_file[0] != '\0' &&
               mosquitto_tls_set(broker, options->ca_file, NULL, NULL, NULL, NULL) != MOSQ_ERR_SUCCESS) {
        (void)failure_set(failure, FAILURE_IO, "--ca-file", "--ca-file %s: cannot be read", options->ca_file);
    } else {
        mosquitto_connect_callback_set(broker, on_connect);
        mosquitto_message_callback_set(broker, on_message);
        (void)mosquitto_int_option(broker, MOSQ_OPT_TCP_NODELAY, 1);
        return broker;
    }
    mosquitto_destroy(broker);
    return NULL;
}

static void note_lost(struct link *link, int problem) {
    link->publisher.topics.is_connected = false;
    link->retry_at_ms = now_ms() + link->wait_ms;
    log_write(LOG_WARN, "broker", "%s: %s; next try in %.2g s", link->publisher.options->broker,
              mosquitto_strerror(problem), link->wait_ms / 1000.0);
    link->wait_ms = link->wait_ms * 2.0 < RETRY_MOST_MS ? link->wait_ms * 2.0 : RETRY_MOST_MS;
}

/* Connects when it is time, reads, writes. */
static void serve_broker(struct link *link) {
    int problem = MOSQ_ERR_SUCCESS;
    if (mosquitto_socket(link->broker) < 0) {
        if (now_ms() < link->retry_at_ms) {
            return;
        }
        problem = mosquitto_connect(link->broker, link->address.host,
                                    (int)strtol(link->address.port, NULL, 10), KEEP_ALIVE_S);
    } else {
        problem = mosquitto_loop_read(link->broker, 1);
        if (problem == MOSQ_ERR_SUCCESS && mosquitto_want_write(link->broker)) {
            problem = mosquitto_loop_write(link->broker, 1);
        }
        problem = problem == MOSQ_ERR_SUCCESS ? mosquitto_loop_misc(link->broker) : problem;
    }
    if (problem != MOSQ_ERR_SUCCESS) {
        note_lost(link, problem);
    }
}

/* ---- the loop ---- */

/* While the broker takes no bytes nothing is read from the server. */
static void wait_for_something(const struct link *link) {
    struct pollfd entries[SESSIONS_MOST];
    const bool is_stuck = mosquitto_want_write(link->broker);
    const struct drover *world = NULL;
    int patience = GLANCE_MS;
    nfds_t count = 1;
    entries[0] = (struct pollfd){.fd = mosquitto_socket(link->broker),
                                 .events = (short)(POLLIN | (is_stuck ? POLLOUT : 0))};
    for (size_t i = 0;
         !is_stuck && count < SESSIONS_MOST && (world = publisher_session(&link->publisher, i)) != NULL;
         i++) {
        const int due = drover_timeout(world);
        patience = due >= 0 && due < patience ? due : patience;
        entries[count++] =
            (struct pollfd){.fd = drover_fd(world), .events = (short)drover_poll_events(world)};
    }
    (void)poll(entries, count, patience);
}

/* Until a signal, or the server's refusal. */
static int run(struct link *link, struct failure *failure) {
    const struct drover *control = link->publisher.topics.control;
    while (!is_stopping && drover_state(control) != DROVER_REFUSED && drover_state(control) != DROVER_ENDED) {
        serve_broker(link);
        if (!mosquitto_want_write(link->broker)) {
            publisher_turn(&link->publisher);
        }
        wait_for_something(link);
    }
    topics_put(&link->publisher.topics, "status", "offline", 7, true);
    (void)mosquitto_loop_write(link->broker, 1);
    (void)mosquitto_disconnect(link->broker);
    return is_stopping ? 0
                       : failure_set(failure, FAILURE_DENIED, NULL, "%s: %s", link->publisher.options->server,
                                     drover_reason(control));
}

static int serve(const struct mqtt_options *options, const struct address *address, struct failure *failure) {
    struct link *link = calloc(1, sizeof *link);
    int result = -1;
    if (link == NULL || mosquitto_lib_init() != MOSQ_ERR_SUCCESS) {
        free(link);
        return failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    }
    link->address = *address;
    link->wait_ms = RETRY_FIRST_MS;
    link->broker = make_broker(link, options, failure);
    if (link->broker != NULL &&
        publisher_init(&link->publisher, options, link->broker, getenv("DROVER_TOKEN")) == 0) {
        result = run(link, failure);
    } else if (link->broker != NULL) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    }
    publisher_fini(&link->publisher);
    mosquitto_destroy(link->broker);
    (void)mosquitto_lib_cleanup();
    free(link);
    return result;
}

int main(int argc, char **argv) {
    const struct options_def def = {
        .program = "drover-mqtt",
        .summary = "Publishes the world of a drover-server at a broker of MQTT, and takes requests there.",
        .table = rows};
    const struct sigaction action = {.sa_handler = stop}, ignore = {.sa_handler = SIG_IGN};
    struct mqtt_options options = {
        .server = "127.0.0.1:7717", .broker = "127.0.0.1:1883", .name = "world", .hz = 30, .density_hz = 10};
    struct failure failure = {0};
    struct address broker;
    const char *argument = NULL;
    if (descriptors_fill_standard() != 0) {
        return EXIT_FAILURE;
    }
    const enum options_result read = options_parse(&def, argc, argv, &options, &argument, &failure);
    if (read == OPTIONS_EXIT) {
        return EXIT_SUCCESS;
    }
    if (read == OPTIONS_BAD || check(&options, &broker, &failure) != 0) {
        log_plain("drover-mqtt: %s", failure.message);
        return EXIT_USAGE;
    }
    log_detect_journal(getenv("JOURNAL_STREAM"));
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGPIPE, &ignore, NULL);
    if (serve(&options, &broker, &failure) != 0) {
        log_plain("drover-mqtt: %s", failure.message);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
