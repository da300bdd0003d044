/* See snapshot_exchange.h. */
#include "server/exchange/snapshot_exchange.h"

int snapshot_exchange_init(struct snapshot_exchange *exchange) {
    *exchange = (struct snapshot_exchange){.writing = 0, .ready = 1, .reading = 2};
    if (pthread_mutex_init(&exchange->mutex, NULL) != 0) {
        return -1;
    }
    for (int i = 0; i < 3; i++) {
        exchange->slots[i].snapshot = snapshot_create();
        if (exchange->slots[i].snapshot == NULL) {
            snapshot_exchange_fini(exchange);
            return -1;
        }
    }
    return 0;
}

void snapshot_exchange_fini(struct snapshot_exchange *exchange) {
    for (int i = 0; i < 3; i++) {
        snapshot_destroy(exchange->slots[i].snapshot);
        exchange->slots[i].snapshot = NULL;
        snapshot_extract_destroy(exchange->slots[i].extract);
        exchange->slots[i].extract = NULL;
    }
    pthread_mutex_destroy(&exchange->mutex);
}

struct snapshot_slot *snapshot_exchange_writing(struct snapshot_exchange *exchange) {
    return &exchange->slots[exchange->writing]; /* `writing` is the writer's own */
}

void snapshot_exchange_publish(struct snapshot_exchange *exchange, enum frame_reason reason) {
    pthread_mutex_lock(&exchange->mutex);
    const int published = exchange->writing;
    const enum frame_reason pending = exchange->is_fresh ? exchange->slots[exchange->ready].reason : reason;
    exchange->slots[published].reason = pending > reason ? pending : reason;
    exchange->writing = exchange->ready;
    exchange->ready = published;
    exchange->is_fresh = true;
    pthread_mutex_unlock(&exchange->mutex);
}

const struct snapshot_slot *snapshot_exchange_take(struct snapshot_exchange *exchange) {
    const struct snapshot_slot *slot = NULL;
    pthread_mutex_lock(&exchange->mutex);
    if (exchange->is_fresh) {
        const int taken = exchange->ready;
        exchange->ready = exchange->reading;
        exchange->reading = taken;
        exchange->is_fresh = false;
        slot = &exchange->slots[taken];
    }
    pthread_mutex_unlock(&exchange->mutex);
    return slot;
}
