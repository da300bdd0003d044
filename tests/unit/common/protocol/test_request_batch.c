/* common/request_batch: members are decoded as requests that come alone, and refused with their place. */
#include "common/protocol/request_batch.h"

#include <stdio.h>

#include "common/base/buffer.h"
#include "tests/unit/common/test_support.h"

static void members_are_requests(void **state) {
    static const char text[] = "{\"op\":\"batch\",\"id\":\"all\",\"requests\":["
                               "{\"op\":\"spawn\",\"id\":7,\"kind\":\"prey\",\"count\":3},"
                               "{\"op\":\"set_target\",\"agents\":[1,2],\"x\":[1,2.5],\"y\":[3,4]},"
                               "{\"op\":\"remove\",\"agent\":5,\"agnet\":6}]}";
    struct request request;
    struct request copy;
    struct failure failure;
    assert_int_equal(request_decode(text, sizeof text - 1, &request, &failure), 0);
    assert_int_equal(request.op, REQUEST_BATCH);
    assert_int_equal(request_member_count(&request), 3);
    assert_int_equal(request_member(&request, 0)->body.spawn.count, 3);
    assert_string_equal(request_member(&request, 0)->id, "7");
    assert_non_null(request_member(&request, 1)->extra);
    assert_string_equal(request_member(&request, 2)->unknown, "agnet\n");
    assert_true(request_extra_bytes(&request) >=
                3 * sizeof request + request_extra_bytes(request_member(&request, 1)));
    request_copy(&copy, &request);
    request_fini(&request);
    assert_int_equal(request_member_count(&copy), 3);
    request_fini(&copy);
}

static void members_round_trip(void **state) {
    static const char text[] = "{\"op\":\"batch\",\"id\":\"all\",\"requests\":["
                               "{\"op\":\"set_target\",\"agents\":[1,2],\"x\":[1,2.5],\"y\":[3,4]},"
                               "{\"op\":\"remove\",\"id\":1,\"agent\":5},"
                               "{\"op\":\"add_obstacle\",\"circle\":[1,2,3]}]}\n";
    struct request request;
    struct failure failure;
    struct buffer out;
    buffer_init(&out, 4096);
    assert_int_equal(request_decode(text, sizeof text - 2, &request, &failure), 0);
    request_encode(&request, &out);
    assert_string_equal(out.data, text);
    request_fini(&request);
    buffer_fini(&out);
}

static void refused(const char *requests, enum failure_code code, const char *field, const char *message) {
    struct request request;
    struct failure failure;
    char text[512];
    (void)snprintf(text, sizeof text, "{\"op\":\"batch\",\"id\":1%s}", requests);
    assert_int_equal(request_decode(text, strlen(text), &request, &failure), -1);
    assert_string_equal(failure.field, field);
    assert_int_equal(failure.code, code);
    assert_int_equal(failure.has_index, strchr(field, '[') != NULL);
    assert_non_null(strstr(failure.message, message));
    assert_string_equal(request.id, "1");
    assert_null(request.extra);
}

static void a_wrong_member_is_named(void **state) {
    refused("", FAILURE_BAD_PARAM, "requests", "missing; expected");
    refused(",\"requests\":[]", FAILURE_BAD_PARAM, "requests", "an empty array");
    refused(",\"requests\":{}", FAILURE_BAD_PARAM, "requests", "not an array");
    refused(",\"requests\":[{\"op\":\"remove\",\"agent\":1},5]", FAILURE_INVALID, "requests[1]",
            "a request is");
    refused(",\"requests\":[[]]", FAILURE_INVALID, "requests[0]", "a request is");
    refused(",\"requests\":[{}]", FAILURE_INVALID, "requests[0].op", "missing");
    refused(",\"requests\":[{\"op\":5}]", FAILURE_INVALID, "requests[0].op", "expected a string");
    refused(",\"requests\":[{\"op\":\"fly\"}]", FAILURE_UNKNOWN_OP, "requests[0].op", "unknown op");
    refused(",\"requests\":[{\"op\":\"remove\",\"id\":-1}]", FAILURE_INVALID, "requests[0].id", "expected");
    refused(",\"requests\":[{\"op\":\"set_target\",\"agents\":[1,2],\"x\":[1],\"y\":[3,4]}]",
            FAILURE_BAD_PARAM, "requests[0].x", "");
    refused(",\"requests\":[{\"op\":\"remove\",\"agent\":1},{\"op\":\"spawn\",\"kind\":\"a\",\"count\":0}]",
            FAILURE_OUT_OF_RANGE, "requests[1].count", "");
}

static void only_what_can_be_undone_is_a_member(void **state) {
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        char text[128];
        (void)snprintf(text, sizeof text, ",\"requests\":[{\"op\":\"%s\",\"requests\":[]}]",
                       request_op_name((enum request_op)op));
        if (!request_has_trait((enum request_op)op, REQUEST_TRAIT_BATCH)) {
            refused(text, FAILURE_BAD_PARAM, "requests[0].op",
                    "cannot stand in a batch; these can: set_target");
        } else {
            assert_true(request_has_trait((enum request_op)op, REQUEST_TRAIT_CHANGES));
            assert_true(request_has_trait((enum request_op)op, REQUEST_TRAIT_WORLD));
            assert_false(request_has_trait((enum request_op)op, REQUEST_TRAIT_LOOP));
        }
    }
}

static void most_members(void **state) {
    struct request request;
    struct failure failure;
    struct buffer text;
    for (int count = LIMIT_BATCH; count <= LIMIT_BATCH + 1; count++) {
        buffer_init(&text, (size_t)1 << 16);
        buffer_append_text(&text, "{\"op\":\"batch\",\"requests\":[{\"op\":\"remove\",\"agent\":1}");
        for (int i = 1; i < count; i++) {
            buffer_append_text(&text, ",{\"op\":\"remove\",\"agent\":1}");
        }
        buffer_append_text(&text, "]}");
        const int result = request_decode(text.data, text.length, &request, &failure);
        assert_int_equal(result, count > LIMIT_BATCH ? -1 : 0);
        assert_int_equal(request_member_count(&request), result == 0 ? LIMIT_BATCH : 0);
        request_fini(&request);
        buffer_fini(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_requests),
        cmocka_unit_test(members_round_trip),
        cmocka_unit_test(a_wrong_member_is_named),
        cmocka_unit_test(only_what_can_be_undone_is_a_member),
        cmocka_unit_test(most_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
