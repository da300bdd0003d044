/* The command line of the server. */
#include "tests/unit/server/cmocka_all.h"

#include <string.h>

#include "server/options.h"

static enum options_result parse(const char *const *arguments, int count, struct server_options *options,
                                 const char **positional, struct failure *failure) {
    char copies[8][64];
    char *argv[9];
    assert_true(count <= 8);
    for (int i = 0; i < count; i++) {
        assert_true(strlen(arguments[i]) < 64);
        memcpy(copies[i], arguments[i], strlen(arguments[i]) + 1);
        argv[i] = copies[i];
    }
    argv[count] = NULL;
    *options = server_options_default();
    const enum options_result result =
        options_parse(server_options_def(), count, argv, options, positional, failure);
    *positional = *positional == NULL ? NULL : "given"; /* the copies end here */
    return result;
}

static void test_defaults(void **state) {
    static const char *const arguments[] = {"drover-server"};
    struct server_options options;
    struct failure failure = {0};
    const char *positional = NULL;
    assert_int_equal(parse(arguments, 1, &options, &positional, &failure), OPTIONS_RUN);
    assert_null(positional);
    assert_string_equal(options.listen, "127.0.0.1");
    assert_int_equal(options.port, 7717);
    struct world_overrides overrides;
    assert_int_equal(server_options_overrides(&options, &overrides, &failure), 0);
    assert_false(overrides.has_seed);
    assert_true(overrides.tick_hz == 0.0);
}

static void test_everything(void **state) {
    static const char *const arguments[] = {"drover-server", "--port=0",     "--seed", "9007199254740991",
                                            "--paused",      "--tick-hz=90", "arrive"};
    struct server_options options;
    struct failure failure = {0};
    const char *positional = NULL;
    assert_int_equal(parse(arguments, 7, &options, &positional, &failure), OPTIONS_RUN);
    assert_non_null(positional);
    assert_int_equal(options.port, 0);
    assert_true(options.is_paused);
    struct world_overrides overrides;
    assert_int_equal(server_options_overrides(&options, &overrides, &failure), 0);
    assert_true(overrides.has_seed);
    assert_true(overrides.seed == UINT64_C(9007199254740991));
    assert_true(overrides.tick_hz == 90.0);
}

static void test_mistakes(void **state) {
    static const char *const bad_seeds[] = {"x", "-1", "9007199254740992", "1.5", "99999999999999999999"};
    struct failure failure = {0};
    struct world_overrides overrides;
    for (size_t i = 0; i < sizeof bad_seeds / sizeof *bad_seeds; i++) {
        struct server_options options = server_options_default();
        memcpy(options.seed, bad_seeds[i], strlen(bad_seeds[i]) + 1);
        assert_int_equal(server_options_overrides(&options, &overrides, &failure), -1);
        assert_int_equal(failure.code, FAILURE_OUT_OF_RANGE);
    }
    struct server_options options = server_options_default();
    options.tick_hz = 0.5;
    assert_int_equal(server_options_overrides(&options, &overrides, &failure), -1);
    static const char *const arguments[] = {"drover-server", "--port", "65536"};
    const char *positional = NULL;
    assert_int_equal(parse(arguments, 3, &options, &positional, &failure), OPTIONS_BAD);
    assert_non_null(strstr(failure.message, "--port"));
}

static void test_frame_memory(void **state) {
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"64K", 65536},
                {"65536", 65536},
                {"100M", UINT64_C(104857600)},
                {"1G", UINT64_C(1) << 30},
                {"1024G", UINT64_C(1) << 40},
                {"1099511627776", UINT64_C(1) << 40}};
    static const char *const bad[] = {"",    "0",   "63K",  "65535", "1025G", "1T",
                                      "1GB", "-1G", "1.5G", "K",     "1 G",   "99999999999999999999"};
    struct server_options options = server_options_default();
    struct failure failure = {0};
    uint64_t bytes = 0;
    assert_int_equal(server_options_frame_memory(&options, &bytes, &failure), 0);
    assert_true(bytes == UINT64_C(1) << 30);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        memcpy(options.frame_memory, good[i].text, strlen(good[i].text) + 1);
        assert_int_equal(server_options_frame_memory(&options, &bytes, &failure), 0);
        assert_true(bytes == good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memcpy(options.frame_memory, bad[i], strlen(bad[i]) + 1);
        assert_int_equal(server_options_frame_memory(&options, &bytes, &failure), -1);
        assert_non_null(strstr(failure.message, "64K to 1024G"));
    }
}

static void test_simd(void **state) {
    struct world_overrides overrides = {0};
    struct failure failure = {0};
    assert_int_equal(server_options_simd(NULL, &overrides, &failure), 0);
    assert_int_equal(server_options_simd("", &overrides, &failure), 0);
    assert_false(overrides.has_simd);
    assert_int_equal(server_options_simd("sse", &overrides, &failure), -1);
    assert_non_null(strstr(failure.message, "avx512"));
    assert_false(overrides.has_simd);
    assert_int_equal(server_options_simd("plain", &overrides, &failure), 0);
    assert_true(overrides.has_simd && overrides.simd == SIMD_PLAIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simd),     cmocka_unit_test(test_frame_memory),
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_everything),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
