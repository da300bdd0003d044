/* Immutable bytes shared by reference. Owns its data; freed by the last release. */
#include "common/shared_bytes.h"

#include <assert.h>
#include <stdlib.h>

struct shared_bytes *shared_bytes_create(char *data, size_t length) {
    struct shared_bytes *bytes = malloc(sizeof *bytes);
    if (bytes == NULL) {
        free(data);
        return NULL;
    }
    *bytes = (struct shared_bytes){.data = data, .length = length, .references = 1};
    return bytes;
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
        free(bytes->data);
        free(bytes);
    }
}
