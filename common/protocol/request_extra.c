/* See request_extra.h. */
#include "common/protocol/request_extra.h"

#include <assert.h>
#include <stdlib.h>

struct request_extra *request_extra_create(size_t tail_bytes) {
    assert(tail_bytes < SIZE_MAX - sizeof(struct request_extra));
    const size_t bytes = sizeof(struct request_extra) + tail_bytes;
    struct request_extra *extra = calloc(1, bytes);
    if (extra != NULL) {
        atomic_init(&extra->holders, 1);
        extra->bytes = bytes;
    }
    return extra;
}

void *request_extra_tail(struct request_extra *extra) {
    return extra + 1;
}

struct request_extra *request_extra_hold(struct request_extra *extra) {
    if (extra != NULL) {
        const unsigned holders = atomic_fetch_add(&extra->holders, 1);
        assert(holders > 0);
        (void)holders;
    }
    return extra;
}

void request_extra_release(struct request_extra *extra) {
    if (extra == NULL) {
        return;
    }
    const unsigned holders = atomic_fetch_sub(&extra->holders, 1);
    assert(holders > 0);
    if (holders == 1) {
        for (uint32_t i = 0; i < extra->member_count; i++) {
            request_fini(&extra->members[i]);
        }
        free(extra);
    }
}

void request_copy(struct request *to, const struct request *from) {
    *to = *from;
    (void)request_extra_hold(to->extra);
}

void request_fini(struct request *request) {
    request_extra_release(request->extra);
    request->extra = NULL;
}

size_t request_extra_bytes(const struct request *request) {
    return request->extra == NULL ? 0 : request->extra->bytes;
}

const struct request_columns *request_columns_of(const struct request *request) {
    return request->extra != NULL && request->extra->columns.is_given ? &request->extra->columns : NULL;
}
