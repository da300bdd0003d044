/* drover-mqtt: a client of a server that publishes its world at a broker, and passes requests on (docs/deploy.md has the topics).
 *
 * A session of its own has events and requests, and one more each form of the frames: all agents, their density, and both of every tile. Their lines
 * are published as they come. While the broker takes no bytes nothing is read from the server, which then leaves frames out.
 */
#ifndef DROVER_CLIENTS_MQTT_PUBLISHER_H
#define DROVER_CLIENTS_MQTT_PUBLISHER_H

#include <mosquitto.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/c/include/drover/drover.h"
#include "common/base/nodiscard.h"
#include "common/json/json_text.h"

/* The broker's side (topics.c): what is published below drover/NAME/, and requests of users, which share one session with the server.
 *
 * A request comes from drover/NAME/cmd/SENDER, and its answer goes to drover/NAME/reply/SENDER; SENDER is USER or USER/CLIENT.
 */
enum {
    MQTT_NAME_BYTES = 64,
    MQTT_TOPIC_ROOM = 256,
    REQUESTS_MOST = 256,
    REQUESTS_OF_SENDER = 32,
    REQUEST_SENDER_BYTES = 160
};

/* A request that the server has not answered. */
struct topic_request {
    uint64_t ticket; /* 0: a free place */
    bool wants_reply;
    char id[ID_TEXT_BYTES]; /* the sender's; "" when it had none */
    char sender[REQUEST_SENDER_BYTES];
};

struct topics {
    struct mosquitto *broker; /* the program's */
    const char *world;        /* NAME */
    bool is_connected;        /* the broker has accepted us */
    struct drover *control;   /* the session that requests go to */
    struct topic_request requests[REQUESTS_MOST];
    uint64_t request_count; /* so far: the ids that the server gets */
};

/** Publishes below drover/NAME/, when the broker is there. */
void topics_put(const struct topics *topics, const char *topic, const char *text, size_t length,
                bool is_retained);
/** Passes a request on to the server, or says to its sender why not. */
void topics_take_request(struct topics *topics, const char *sender, const char *payload, size_t length);
/** Sends the answer to whoever it is for. False when it answers no user's request. */
bool topics_answer(struct topics *topics, const struct drover_message *message);

/* All of it (publisher.c). */

enum { MQTT_PATH_BYTES = 512 };

struct mqtt_options {
    char server[MQTT_PATH_BYTES], broker[MQTT_PATH_BYTES], name[MQTT_NAME_BYTES], user[MQTT_NAME_BYTES];
    char ca_file[MQTT_PATH_BYTES];
    double hz, density_hz;
    uint32_t tiles; /* the world is cut into so many times so many; 0: it is not */
};

struct publisher_form;

struct publisher {
    const struct mqtt_options *options;
    struct topics topics;         /* its control is the session for events and requests */
    struct publisher_form *forms; /* owned */
    size_t form_count;

    char *scenario; /* the world's description, a JSON object; owned, NULL: none yet */
    char role[16], program[64];
    double tick, width, height, tick_hz, speed;
    bool is_paused;
    bool is_stale; /* obstacles or targets changed since it was described */
    struct drover
        *describer; /* a session of a moment: its first lines describe the world as it is now; NULL: none */
    struct drover_options session; /* of each */
    double described_ms;
};

/** token: NULL for none. -1 when out of memory. */
NODISCARD int publisher_init(struct publisher *publisher, const struct mqtt_options *options,
                             struct mosquitto *broker, const char *token);
void publisher_fini(struct publisher *publisher);
/** A connection to the broker is there: it may know nothing of the world any more. */
void publisher_begin(struct publisher *publisher);
/** Takes what the server sent, and says it to the broker. */
void publisher_turn(struct publisher *publisher);
/** The handles of all sessions, by number from 0; NULL behind the last one. */
struct drover *publisher_session(const struct publisher *publisher, size_t number);

#endif
