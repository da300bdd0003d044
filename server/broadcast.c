/* See broadcast.h. */
#include "server/broadcast.h"

#include <math.h>
#include <stdlib.h>

#include "common/log.h"

/* A million agents with a handful of behaviours each. */
static const size_t frame_limit_bytes = (size_t)1 << 30;

enum variant { VARIANT_PLAIN, VARIANT_FORCES, VARIANT_COUNT };

uint64_t broadcast_every(double tick_hz, double wished_hz) {
    /* A hair of tolerance: 60 Hz at a wished 19.999999999 is every third tick, not every fourth. */
    const double every = ceil(tick_hz / wished_hz - 1e-9);
    return every < 1.0 ? 1 : (uint64_t)every;
}

bool broadcast_is_due(const struct subscription *subscription, uint64_t tick, enum audience audience,
                      bool has_forces) {
    if (!subscription->is_active || (subscription->forces && !has_forces)) {
        return false;
    }
    if (!subscription->has_sent || audience == AUDIENCE_ALL) {
        return true;
    }
    if (audience == AUDIENCE_NEWER) {
        return tick > subscription->last_tick;
    }
    return tick / subscription->every > subscription->last_tick / subscription->every;
}

struct demand broadcast_demand(const struct session_set *sessions) {
    struct demand demand = {0};
    for (const struct session *session = sessions->first; session != NULL; session = session->next) {
        if (session->subscription.is_active) {
            demand_add(&demand, session->subscription.every, session->subscription.forces);
        }
    }
    return demand;
}

static struct shared_bytes *encode(const struct snapshot *snapshot, bool with_forces) {
    struct buffer out;
    buffer_init(&out, frame_limit_bytes);
    snapshot_encode_objects(snapshot, with_forces, &out);
    const bool failed = out.failed;
    size_t length = 0;
    char *data = buffer_take(&out, &length);
    if (failed || data == NULL) {
        free(data);
        log_write(LOG_ERROR, "broadcast", "short of memory: a frame is lost");
        return NULL;
    }
    return shared_bytes_create(data, length);
}

void broadcast_frame(struct broadcast *broadcast, const struct snapshot_slot *slot,
                     struct session_set *sessions) {
    const struct snapshot *snapshot = slot->snapshot;
    if (snapshot->epoch < broadcast->epoch) {
        return;
    }
    struct shared_bytes *frames[VARIANT_COUNT] = {NULL, NULL};
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        struct subscription *subscription = &session->subscription;
        if (!broadcast_is_due(subscription, snapshot->tick, slot->audience, snapshot->has_forces)) {
            continue;
        }
        const enum variant variant = subscription->forces ? VARIANT_FORCES : VARIANT_PLAIN;
        if (frames[variant] == NULL) {
            frames[variant] = encode(snapshot, subscription->forces);
        }
        if (frames[variant] != NULL) {
            subscription->has_sent = true;
            subscription->last_tick = snapshot->tick;
            session_offer_frame(session, frames[variant]);
        }
    }
    for (int variant = 0; variant < VARIANT_COUNT; variant++) {
        shared_bytes_release(frames[variant]);
    }
}

void broadcast_line(char *text, size_t length, struct session_set *sessions) {
    struct shared_bytes *line = shared_bytes_create(text, length);
    if (line == NULL) {
        log_write(LOG_ERROR, "broadcast", "short of memory: an event is lost");
        return;
    }
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        if (session->subscription.is_active) {
            session_send_shared(session, line);
        }
    }
    shared_bytes_release(line);
}

void broadcast_scenario(struct broadcast *broadcast, uint32_t epoch, double tick_hz, char *text,
                        size_t length, struct session_set *sessions) {
    broadcast->epoch = epoch;
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        struct subscription *subscription = &session->subscription;
        if (subscription->is_active) {
            session_drop_frame(session);
            subscription->has_sent = false;
            subscription->every = broadcast_every(tick_hz, subscription->hz);
        }
    }
    broadcast_line(text, length, sessions);
}
