/* Immutable bytes shared by reference. Owns its data; freed by the last release. */
#include "common/base/shared_bytes.h"

#include <assert.h>
#include <stdlib.h>

void byte_meter_add(struct byte_meter *meter, size_t bytes) {
    meter->now += bytes;
    meter->most = meter->now > meter->most ? meter->now : meter->most;
}

void byte_meter_remove(struct byte_meter *meter, size_t bytes) {
    assert(meter->now >= bytes);
    meter->now -= bytes;
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
                                       .whole = shared_bytes_hold(whole)};
    }
    return slice;
}

struct shared_bytes *shared_bytes_hold(struct shared_bytes *bytes) {
    assert(bytes->references > 0);
    bytes->references++;
    return bytes;
}

void shared_bytes_release(struct shared_bytes *bytes) {
    if (bytes == NULL) {
        return;
    }
    assert(bytes->references > 0);
    if (--bytes->references == 0) {
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
