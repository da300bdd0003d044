/* drover-mqtt: a client of a server that publishes its world at a broker, and passes requests on (docs/deploy.md has the topics).
 *
 * A session of its own has events and requests, and one more each form of the frames: all agents, their density, and both of every tile. Their lines
 * are published as they come. While the broker takes no bytes nothing is read from the server, which then leaves frames out.
 */
#ifndef DROVER_CLIENTS_MQTT_PUBLISHER_H
#define DROVER_CLIENTS_MQTT_PUBLISHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/mqtt/topics.h"
#include "common/base/nodiscard.h"

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
