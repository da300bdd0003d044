/* Any line as a snapshot: refused with a reason, or equal after it was read, written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/snapshot/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_BYTES = 16 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct snapshot *snapshot = snapshot_create();
    struct snapshot *again = snapshot_create();
    struct failure failure = {0};
    struct buffer first;
    struct buffer second;
    if (snapshot == NULL || again == NULL) {
        abort();
    }
    buffer_init(&first, LINE_BYTES);
    buffer_init(&second, LINE_BYTES);
    if (snapshot_decode((const char *)data, size, snapshot, &failure) == 0) {
        snapshot_encode_fields(snapshot, snapshot->fields, &first);
        if (first.failed || snapshot_decode(first.data, first.length - 1, again, &failure) != 0) {
            abort();
        }
        snapshot_encode_fields(again, again->fields, &second);
        if (first.length != second.length || memcmp(first.data, second.data, first.length) != 0) {
            abort();
        }
    } else if (failure.code == FAILURE_NONE || failure.message[0] == '\0') {
        abort();
    }
    buffer_fini(&first);
    buffer_fini(&second);
    snapshot_destroy(snapshot);
    snapshot_destroy(again);
    return 0;
}
