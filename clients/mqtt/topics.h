/* The broker's side of drover-mqtt: what is published below drover/NAME/, and requests of users, which share one session with the server.
 *
 * A request comes from drover/NAME/cmd/SENDER, and its answer goes to drover/NAME/reply/SENDER; SENDER is USER or USER/CLIENT.
 */
#ifndef DROVER_CLIENTS_MQTT_TOPICS_H
#define DROVER_CLIENTS_MQTT_TOPICS_H

#include <mosquitto.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/c/include/drover/drover.h"
#include "common/json/json_text.h"

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

#endif
