/* help names every op, every field, and its allowed values. */
#include "tests/unit/common/test_support.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "common/protocol/request.h"

static void all_ops_with_all_fields(void **state) {
    const struct request_help all = {.about = ""};
    struct failure failure;
    struct buffer out;
    buffer_init(&out, 1 << 20);
    struct json_writer json = json_writer_begin(&out);
    json_object(&json);
    assert_int_equal(request_help_write(&all, &json, &failure), 0);
    json_end(&json);
    cJSON *tree = cJSON_Parse(out.data);
    assert_non_null(tree);
    const cJSON *ops = cJSON_GetObjectItemCaseSensitive(tree, "ops");
    assert_int_equal(cJSON_GetArraySize(ops), REQUEST_OP_COUNT);
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        const cJSON *row = cJSON_GetArrayItem(ops, op);
        assert_string_equal(cJSON_GetObjectItemCaseSensitive(row, "op")->valuestring,
                            request_op_name((enum request_op)op));
        const char *role = cJSON_GetObjectItemCaseSensitive(row, "role")->valuestring;
        assert_string_equal(role, role_name(request_role((enum request_op)op)));
        const cJSON *fields = cJSON_GetObjectItemCaseSensitive(row, "fields");
        int at = 0;
        for (const struct field *field = request_fields((enum request_op)op); field->type != FIELD_END;
             field++) {
            const cJSON *said = cJSON_GetArrayItem(fields, at++);
            assert_string_equal(cJSON_GetObjectItemCaseSensitive(said, "name")->valuestring, field->name);
            assert_true(strlen(cJSON_GetObjectItemCaseSensitive(said, "help")->valuestring) > 0);
            assert_int_equal(cJSON_HasObjectItem(said, "choices"), field->choices != NULL);
        }
        assert_int_equal(cJSON_GetArraySize(fields), at);
    }
    cJSON_Delete(tree);
    buffer_fini(&out);
}

static void one_op_or_a_suggestion(void **state) {
    struct failure failure = {0};
    struct buffer out;
    buffer_init(&out, 1 << 20);
    struct json_writer json = json_writer_begin(&out);
    json_object(&json);
    const struct request_help mouse = {.about = "mouse"};
    assert_int_equal(request_help_write(&mouse, &json, &failure), 0);
    json_end(&json);
    assert_string_equal(
        out.data, "{\"ops\":[{\"op\":\"mouse\",\"role\":\"operator\",\"always_answers\":false,\"fields\":["
                  "{\"name\":\"x\",\"type\":\"number\",\"required\":true,\"min\":-1000000,\"max\":1000000,"
                  "\"unit\":\"px\","
                  "\"help\":\"The place.\"},"
                  "{\"name\":\"y\",\"type\":\"number\",\"required\":true,\"min\":-1000000,\"max\":1000000,"
                  "\"unit\":\"px\","
                  "\"help\":\"The place.\"}]}]}");
    const struct request_help typo = {.about = "mosue"};
    assert_int_equal(request_help_write(&typo, &json, &failure), -1);
    assert_int_equal(failure.code, FAILURE_UNKNOWN_OP);
    assert_string_equal(failure.message, "no op \"mosue\" (did you mean \"mouse\"?)");
    buffer_fini(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ops_with_all_fields),
        cmocka_unit_test(one_op_or_a_suggestion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
