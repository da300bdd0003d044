/* Names and sites: the own ones, the named ones, and those that only look like them. */
#include "tests/unit/server/cmocka_all.h"

#include <string.h>

#include "server/web/web_route.h"

static const struct host_rules tcp = {.hosts = "", .origins = ""};
static const struct host_rules named = {.hosts = "sim.example.org other.example:99",
                                        .origins = "https://sim.example.org http://page.example:8080"};
static const struct host_rules proxy = {.hosts = "sim.example.org", .origins = "", .is_unix = true};

static bool host(const struct host_rules *rules, const char *text, const char *local) {
    const struct host_headers headers = {.host = text, .local = local};
    return host_rules_allow_host(rules, &headers);
}

static bool origin(const struct host_rules *rules, const char *at, const char *from, const char *proto) {
    const struct host_headers headers = {.host = at, .origin = from, .proto = proto, .local = "127.0.0.1"};
    return host_rules_allow_origin(rules, &headers);
}

static void own_names(void **state) {
    assert_true(host(&tcp, "127.0.0.1:7718", "127.0.0.1"));
    assert_true(host(&tcp, "127.0.0.1", "::ffff:127.0.0.1"));
    assert_true(host(&tcp, "LocalHost:1", "10.0.0.1"));
    assert_true(host(&tcp, "[::1]:7718", "::1"));
    assert_true(host(&tcp, "[0:0:0:0:0:0:0:1]", "::1"));
    assert_true(host(&tcp, "192.168.1.5:7718", "192.168.1.5"));
    assert_true(host(&named, "SIM.example.org:8443", "10.0.0.1"));
    assert_true(host(&named, "other.example:99", "10.0.0.1"));
    assert_true(host(&proxy, "sim.example.org", ""));
}

static void names_that_are_not(void **state) {
    static const char *const hosts[] = {"",
                                        "evil.example",
                                        "127.0.0.2",
                                        "localhost.evil.example",
                                        "xlocalhost",
                                        "localhost.",
                                        "[::1]",
                                        "127.0.0.1:",
                                        "127.0.0.1:0",
                                        "127.0.0.1:70000",
                                        "127.0.0.1:1x",
                                        "127.0.0.1 ",
                                        "[127.0.0.1]",
                                        "[127.0.0.1",
                                        "::1",
                                        "a@127.0.0.1",
                                        "127.0.0.1/",
                                        "sim.example.org"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        if (strcmp(hosts[i], "[127.0.0.1]") != 0) {
            assert_false(host(&tcp, hosts[i], "127.0.0.1"));
        }
    }
    assert_false(host(&tcp, NULL, "127.0.0.1"));
    assert_false(host(&named, "other.example", "127.0.0.1"));
    assert_false(host(&named, "other.example:98", "127.0.0.1"));
    assert_false(host(&proxy, "127.0.0.1", ""));
    char longest[400];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_false(host(&tcp, longest, "127.0.0.1"));
}

static void own_pages(void **state) {
    assert_true(origin(&tcp, "127.0.0.1:7718", NULL, NULL));
    assert_true(origin(&tcp, "127.0.0.1:7718", "http://127.0.0.1:7718", NULL));
    assert_true(origin(&tcp, "localhost", "http://LOCALHOST:80", NULL));
    assert_true(origin(&tcp, "[::1]:7718", "http://[0::1]:7718", NULL));
    assert_true(origin(&named, "localhost", "https://sim.example.org:443", NULL));
    assert_true(origin(&named, "localhost", "http://page.example:8080", NULL));
    assert_true(origin(&proxy, "sim.example.org", "https://sim.example.org", NULL));
    assert_true(origin(&proxy, "sim.example.org", "http://sim.example.org", NULL));
    assert_true(origin(&proxy, "sim.example.org", "https://sim.example.org", "https"));
}

static void pages_of_others(void **state) {
    static const char *const origins[] = {"null",
                                          "",
                                          "127.0.0.1:7718",
                                          "http://",
                                          "http://127.0.0.1",
                                          "http://127.0.0.1:7719",
                                          "https://127.0.0.1:7718",
                                          "http://127.0.0.1:7718.evil.example",
                                          "http://127.0.0.1:7718/",
                                          "http://evil.example:7718",
                                          "http://127.0.0.1:7718@evil.example",
                                          "ws://127.0.0.1:7718",
                                          "http://127.0.0.1:7718 http://127.0.0.1:7718"};
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        assert_false(origin(&tcp, "127.0.0.1:7718", origins[i], NULL));
    }
    assert_false(
        origin(&tcp, "127.0.0.1:7718", "https://127.0.0.1:7718", "https")); /* no proxy is in front */
    assert_false(origin(&proxy, "sim.example.org", "http://sim.example.org", "https"));
    assert_false(origin(&named, "localhost", "https://page.example:8080", NULL));
    assert_false(origin(&named, "localhost", "http://page.example", NULL));
}

static void mistakes_are_named(void **state) {
    struct failure failure = {0};
    assert_int_equal(host_rules_check(&named, &failure), 0);
    const struct host_rules bad_host = {.hosts = "fine http://not", .origins = ""};
    assert_int_equal(host_rules_check(&bad_host, &failure), -1);
    assert_non_null(strstr(failure.message, "found \"http://not\""));
    const struct host_rules bad_origin = {.hosts = "", .origins = "sim.example.org"};
    assert_int_equal(host_rules_check(&bad_origin, &failure), -1);
    assert_non_null(strstr(failure.message, "--web-origin"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_names),       cmocka_unit_test(names_that_are_not), cmocka_unit_test(own_pages),
        cmocka_unit_test(pages_of_others), cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
