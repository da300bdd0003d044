/* A line read as the server reads one from a session that is no admin's. */
#ifndef DROVER_TESTS_SUPPORT_REQUEST_DECODE_H
#define DROVER_TESTS_SUPPORT_REQUEST_DECODE_H

#include "common/json/json_check.h"
#include "common/protocol/request.h"

/** request_decode_within the limits of such a session. */
NODISCARD static inline int request_decode(const char *line, size_t length, struct request *request,
                                           struct failure *failure) {
    const struct json_limits limits = json_limits_line();
    return request_decode_within(line, length, &limits, request, failure);
}

#endif
