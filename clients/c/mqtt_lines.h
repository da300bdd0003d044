/* The lines of the protocol over a broker of MQTT 5, for addresses mqtt://[USER[:PASSWORD]@]HOST[:PORT]/NAME. Pure.
 *
 * To the handle it is a connection to a server: what drover-mqtt publishes below drover/NAME (docs/deploy.md has the topics) becomes the server's
 * lines, and requests become messages to drover/NAME/cmd/USER/CLIENT, whose answers come back from drover-mqtt. hello, ping and what concerns the
 * subscription is answered here; such an answer is given when the broker has answered a ping, so it comes through the socket like any other.
 *
 * No subscription of MQTT filters agents: the form of the frames is chosen, all agents or their density, of the world or of the one tile
 * that has the whole region.
 */
#ifndef DROVER_CLIENTS_C_MQTT_LINES_H
#define DROVER_CLIENTS_C_MQTT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/c/include/drover/drover.h"
#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_text.h"
#include "common/text/server_address.h"

enum { MQTT_TOPIC_BYTES = 256, MQTT_WAITING = 64 };

struct mqtt_lines {
    struct address address;
    char world[64], user[64], password[256], client[24];
    struct buffer in, out; /* packets of the broker, and for it: not read, not sent yet */
    struct buffer answers; /* lines that wait for the broker's answer to a ping */
    char role[16];         /* of drover-mqtt's own session; "" before its hello */
    char form[32];         /* of the frames: "all", "density/1/0"; "" for none */
    double hz;             /* of its frames */
    uint32_t tiles;        /* the world has so many times so many; 0: none */
    double width, height;  /* of the world, px */
    bool wraps, is_subscribed;
    uint16_t packets; /* identifiers given so far */
    /* ids of requests that the broker has not accepted yet, by identifier; "" for none */
    char waiting[MQTT_WAITING][ID_TEXT_BYTES];
};

/** password: where the address has none; may be NULL. seed: differs for each client. NULL with *failure. */
NODISCARD struct mqtt_lines *mqtt_lines_create(const char *address, const char *password, uint64_t seed,
                                               struct failure *failure);
/** NULL is fine. */
void mqtt_lines_destroy(struct mqtt_lines *lines);
/** A connection to the broker is there: writes what it begins with. */
void mqtt_lines_begin(struct mqtt_lines *lines);
/** Turns what the handle has to send into packets. */
void mqtt_lines_take(struct mqtt_lines *lines, struct drover *world);
/** Gives the handle what lies in `in`. 0, or -1 when the connection is to be closed: the handle knows why. */
NODISCARD int mqtt_lines_give(struct mqtt_lines *lines, struct drover *world);
/** A connection that was lost before its hello: says what that means here. */
void mqtt_lines_explain(const struct mqtt_lines *lines, struct drover *world);

#endif
