/* The handshake of WebSocket: the example of RFC 6455, and what is not a handshake. */
#include "tests/unit/server/cmocka_all.h"

#include "server/web/web_exchange.h"

static const struct web_handshake good = {.upgrade = "websocket",
                                          .connection = "keep-alive, Upgrade",
                                          .version = "13",
                                          .key = "dGhlIHNhbXBsZSBub25jZQ==",
                                          .protocols = "chat, drover.v1"};

static unsigned status_of(struct web_handshake handshake) {
    unsigned status = 0;
    const char *reason = NULL;
    const bool is_good = web_handshake_check(&handshake, &status, &reason);
    assert_true(is_good == (reason == NULL));
    return status;
}

static void the_rfc_s_example(void **state) {
    char accept[WEB_ACCEPT_CHARS + 1];
    web_handshake_accept(good.key, accept);
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    assert_int_equal(status_of(good), 0);
}

static void what_is_none(void **state) {
    struct web_handshake other = good;
    other.upgrade = "h2c";
    assert_int_equal(status_of(other), 426);
    other = good;
    other.connection = NULL;
    assert_int_equal(status_of(other), 426);
    other = good;
    other.version = "8";
    assert_int_equal(status_of(other), 426);
    other = good;
    other.key = "dGhlIHNhbXBsZSBub25jZQ=";
    assert_int_equal(status_of(other), 400);
    other = good;
    other.protocols = "drover.v10, Drover.V1";
    assert_int_equal(status_of(other), 400);
}

static void words_of_a_list(void **state) {
    assert_true(web_handshake_lists("a,\tUPGRADE ,b", "upgrade"));
    assert_true(web_handshake_lists("upgrade", "upgrade"));
    assert_false(web_handshake_lists("upgrades, xupgrade, up grade", "upgrade"));
    assert_false(web_handshake_lists("", "upgrade"));
    assert_false(web_handshake_lists(NULL, "upgrade"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rfc_s_example),
        cmocka_unit_test(what_is_none),
        cmocka_unit_test(words_of_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
