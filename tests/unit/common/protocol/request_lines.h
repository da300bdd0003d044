/* Lines of requests in tests: decoded from memory of exactly their length, and refused. */
#ifndef DROVER_TESTS_UNIT_COMMON_PROTOCOL_REQUEST_LINES_H
#define DROVER_TESTS_UNIT_COMMON_PROTOCOL_REQUEST_LINES_H

#include "common/protocol/request.h"
#include "tests/support/request_decode.h"
#include "tests/unit/common/test_support.h"

static inline int decode(const char *text, struct request *request, struct failure *failure) {
    const size_t length = strlen(text);
    char *copy = test_exact_copy(text, length);
    const int result = request_decode(copy, length, request, failure);
    free(copy);
    return result;
}

/* The request of a line that must be right. */
static inline struct request decoded(const char *text) {
    struct request request;
    struct failure failure;
    if (decode(text, &request, &failure) != 0) {
        fail_msg("%s: %s: %s", text, failure.field, failure.message);
    }
    return request;
}

/* Fails unless the line is refused so. Returns what was read of it; it owns nothing. */
static inline struct request refused_line(const char *text, enum failure_code code, const char *field,
                                          const char *message) {
    struct request request;
    struct failure failure;
    if (decode(text, &request, &failure) == 0) {
        fail_msg("%s: accepted", text);
    }
    assert_string_equal(failure.message, message);
    assert_string_equal(failure.field, field);
    assert_int_equal(failure.code, code);
    assert_null(request.extra);
    return request;
}

#endif
