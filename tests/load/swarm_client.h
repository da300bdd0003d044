/* One client of the swarm: a socket and its use.
 *
 * A reader takes bytes as fast as they arrive, without looking at them (the kernel discards them, so
 * that a thousand readers fit on a core); a witness checks every line, so it knows frames, ages and skips
 * exactly. A slow one reads SWARM_SLOW_BYTES every SWARM_SLOW_MS, a stuck one nothing at all, a hostile one
 * sends garbage, floods, half lines, and leaves with a reset. Clients that the server closes reconnect.
 */
#ifndef DROVER_TESTS_LOAD_SWARM_CLIENT_H
#define DROVER_TESTS_LOAD_SWARM_CLIENT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/protocol/line_reader.h"

enum { SWARM_SLOW_MS = 200, SWARM_SLOW_BYTES = 40000, SWARM_AGES = 1 << 16 };

enum swarm_role { SWARM_READER, SWARM_WITNESS, SWARM_SLOW, SWARM_STUCK, SWARM_HOSTILE, SWARM_ROLE_COUNT };

extern const char *const swarm_role_names[SWARM_ROLE_COUNT];

struct swarm_client {
    int socket; /* -1 while it has none */
    enum swarm_role role;
    bool is_web; /* over WebSocket */
    uint64_t bytes, closes;
    struct line_reader reader;                          /* of those that look at lines */
    uint64_t frames, lags, skipped, errors, line_bytes; /* line_bytes: of the frames */
    uint64_t act_ns;                                    /* slow, hostile: time of its next action */
    uint64_t random;                                    /* hostile: its own generator */
};

/** Ages of frames as they were read, ms; the newest SWARM_AGES. */
struct swarm_ages {
    uint64_t count;
    float ms[SWARM_AGES];
};

/** Connects, and subscribes at hz unless it is hostile. packed: that layout instead of objects. 0, or -1 with
 * errno. */
int swarm_client_open(struct swarm_client *client, const struct sockaddr_in *address, double hz, bool packed);
void swarm_client_close(struct swarm_client *client);
/** Reads the received bytes (slow: its share). Returns false when the connection is over. */
bool swarm_client_read(struct swarm_client *client, struct swarm_ages *ages);
/** A hostile action. Returns false when the connection is over. */
bool swarm_client_misbehave(struct swarm_client *client);

#endif
