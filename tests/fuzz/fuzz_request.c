/* Any line as a request: it is refused with a reason that fits a reply, or it survives encoding and
 * decoding. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_check.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "tests/support/request_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_BYTES = 1 << 20 };

static void check_refusal(const struct request *request, const struct failure *failure) {
    struct buffer out;
    buffer_init(&out, LINE_BYTES);
    message_write_refusal(request, 1, failure, &out);
    const struct json_limits limits = json_limits_file();
    struct json_fault fault;
    if (failure->code == FAILURE_NONE || failure->message[0] == '\0' || out.failed ||
        json_check(out.data, out.length, &limits, &fault) != JSON_FINE) {
        abort();
    }
    buffer_fini(&out);
}

static void check_round_trip(const struct request *request) {
    struct buffer first;
    struct buffer second;
    buffer_init(&first, LINE_BYTES);
    buffer_init(&second, LINE_BYTES);
    request_encode(request, &first);
    struct request *again = malloc(sizeof *again);
    struct failure failure;
    if (again == NULL || first.failed || first.length == 0 ||
        request_decode(first.data, first.length - 1, again, &failure) != 0) {
        abort();
    }
    request_encode(again, &second);
    if (first.length != second.length || memcmp(first.data, second.data, first.length) != 0) {
        abort();
    }
    request_fini(again);
    free(again);
    buffer_fini(&first);
    buffer_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct request *request = malloc(sizeof *request);
    struct failure failure = {0};
    if (request == NULL) {
        abort();
    }
    if (request_decode((const char *)data, size, request, &failure) == 0) {
        check_round_trip(request);
        request_fini(request);
    } else {
        check_refusal(request, &failure);
    }
    free(request);
    return 0;
}
