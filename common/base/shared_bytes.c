/* Immutable bytes shared by reference. Owns its data; freed by the last release. */
#include "common/base/shared_bytes.h"

#include <assert.h>
#include <stdlib.h>

void byte_meter_add(struct byte_meter *meter, size_t bytes) {
    const size_t now = atomic_fetch_add(&meter->now, bytes) + bytes;
    size_t most = atomic_load(&meter->most);
    while (now > most && !atomic_compare_exchange_weak(&meter->most, &most, now)) {}
}

void byte_meter_remove(struct byte_meter *meter, size_t bytes) {
    const size_t before = atomic_fetch_sub(&meter->now, bytes);
    assert(before >= bytes);
    (void)before;
}

struct shared_bytes *shared_bytes_create(char *data, size_t length) {
    struct shared_bytes *bytes = malloc(sizeof *bytes);
    if (bytes == NULL) {
        free(data);
        return NULL;
    }
    *bytes = (struct shared_bytes){.data = data, .length = length, .references = 1};
    return bytes;
}

struct shared_bytes *shared_bytes_create_counted(char *data, size_t length, struct byte_meter *meter) {
    struct shared_bytes *bytes = shared_bytes_create(data, length);
    if (bytes != NULL) {
        bytes->meter = meter;
        byte_meter_add(meter, length);
    }
    return bytes;
}

struct shared_bytes *shared_bytes_slice(struct shared_bytes *whole, size_t offset, size_t length) {
    assert(offset <= whole->length && length <= whole->length - offset);
    struct shared_bytes *slice = malloc(sizeof *slice);
    if (slice != NULL) {
        *slice = (struct shared_bytes){.data = whole->data + offset,
                                       .length = length,
                                       .references = 1,
                                       .whole = shared_bytes_keep(whole)};
    }
    return slice;
}

struct shared_bytes *shared_bytes_keep(struct shared_bytes *bytes) {
    const int before = atomic_fetch_add(&bytes->references, 1);
    assert(before > 0);
    (void)before;
    return bytes;
}

void shared_bytes_release(struct shared_bytes *bytes) {
    if (bytes == NULL) {
        return;
    }
    const int before = atomic_fetch_sub(&bytes->references, 1);
    assert(before > 0);
    if (before == 1) {
        if (bytes->meter != NULL) {
            byte_meter_remove(bytes->meter, bytes->length);
        }
        if (bytes->whole != NULL) {
            shared_bytes_release(bytes->whole);
        } else {
            free(bytes->data);
        }
        free(bytes);
    }
}
