/* See snapshot_buffer.h. */
#include "viewer/model/snapshot_buffer.h"

#include <assert.h>
#include <string.h>

static const double restart_ms = 1000.0;

void snapshot_buffer_init(struct snapshot_buffer *buffer) {
    memset(buffer, 0, sizeof *buffer);
}

void snapshot_buffer_fini(struct snapshot_buffer *buffer) {
    for (int i = 0; i < SNAPSHOT_BUFFER_CAPACITY; i++) {
        snapshot_destroy(buffer->ring[i]);
    }
    memset(buffer, 0, sizeof *buffer);
}

void snapshot_buffer_clear(struct snapshot_buffer *buffer) {
    assert(buffer->count >= 0 && buffer->count <= SNAPSHOT_BUFFER_CAPACITY);
    buffer->begin = 0;
    buffer->count = 0;
}

static struct snapshot *replace_newest(struct snapshot_buffer *buffer, struct snapshot *snapshot) {
    const int slot = (buffer->begin + buffer->count - 1) % SNAPSHOT_BUFFER_CAPACITY;
    struct snapshot *replaced = buffer->ring[slot];
    buffer->ring[slot] = snapshot;
    return replaced;
}

struct snapshot *snapshot_buffer_push(struct snapshot_buffer *buffer, struct snapshot *snapshot) {
    assert(snapshot != NULL);
    const struct snapshot *newest = snapshot_buffer_newest(buffer);
    if (newest != NULL) {
        if (newest->epoch != snapshot->epoch || newest->clock_ms - snapshot->clock_ms > restart_ms) {
            snapshot_buffer_clear(buffer);
        } else if (snapshot->clock_ms < newest->clock_ms) {
            return snapshot;
        } else if (snapshot->clock_ms == newest->clock_ms) {
            return replace_newest(buffer, snapshot);
        }
    }
    if (buffer->count == SNAPSHOT_BUFFER_CAPACITY) {
        buffer->begin = (buffer->begin + 1) % SNAPSHOT_BUFFER_CAPACITY;
        buffer->count--;
    }
    const int slot = (buffer->begin + buffer->count) % SNAPSHOT_BUFFER_CAPACITY;
    struct snapshot *recycled = buffer->ring[slot];
    buffer->ring[slot] = snapshot;
    buffer->count++;
    return recycled;
}

const struct snapshot *snapshot_buffer_at(const struct snapshot_buffer *buffer, int index) {
    if (index < 0 || index >= buffer->count) {
        return NULL;
    }
    return buffer->ring[(buffer->begin + index) % SNAPSHOT_BUFFER_CAPACITY];
}

const struct snapshot *snapshot_buffer_newest(const struct snapshot_buffer *buffer) {
    return snapshot_buffer_at(buffer, buffer->count - 1);
}

void snapshot_buffer_around(const struct snapshot_buffer *buffer, double server_ms,
                            const struct snapshot **before, const struct snapshot **after) {
    assert(before != NULL && after != NULL);
    *before = *after = NULL;
    for (int index = buffer->count - 1; index >= 0 && *before == NULL; index--) {
        const struct snapshot *snapshot = buffer->ring[(buffer->begin + index) % SNAPSHOT_BUFFER_CAPACITY];
        if (snapshot->clock_ms > server_ms) {
            *after = snapshot;
        } else {
            *before = snapshot;
        }
    }
}
