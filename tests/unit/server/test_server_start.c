/* The options of drover-server, and what it tells the service manager. */

#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/options.h"
#include "server/server.h"

/* ==== The command line of the server ==== */

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

/* ==== service notify ====
 * The datagrams for a service manager: what is sent when, to a path or an abstract name; and the text of STATUS=. */

#define SECOND UINT64_C(1000000000)
#define NOW    (UINT64_C(1000) * SECOND)

enum { TEXT_BYTES = 512 };

/* A manager that listens. */
struct manager {
    int socket;
    char name[64];
};

static void listen_at(struct manager *manager, bool is_abstract) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(manager->name, sizeof manager->name, "%s/tmp/drover-notify-%d", is_abstract ? "@" : "",
                   (int)getpid());
    const size_t length = strlen(manager->name);
    memcpy(address.sun_path, manager->name, length);
    if (is_abstract) {
        address.sun_path[0] = '\0';
    } else {
        (void)unlink(manager->name);
    }
    manager->socket = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_true(manager->socket >= 0);
    assert_int_equal(
        bind(manager->socket, (const struct sockaddr *)&address,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (is_abstract ? 0 : 1))),
        0);
    assert_int_equal(setenv("NOTIFY_SOCKET", manager->name, 1), 0);
}

static void leave(struct manager *manager) {
    close(manager->socket);
    if (manager->name[0] == '/') {
        (void)unlink(manager->name);
    }
}

/* The next datagram, or "". */
static const char *next(const struct manager *manager) {
    static char text[TEXT_BYTES];
    const ssize_t length = recv(manager->socket, text, sizeof text - 1, MSG_DONTWAIT);
    text[length > 0 ? length : 0] = '\0';
    return text;
}

static struct simulation_motion at_turn(uint64_t turns) {
    return (struct simulation_motion){.turns = turns, .has_begun = true};
}

static void ready_waits_for_the_first_tick(void **state) {
    struct manager manager;
    struct service_notify notify;
    struct simulation_motion motion = at_turn(5);
    for (int i = 0; i < 2; i++) {
        listen_at(&manager, i == 1);
        service_notify_open(&notify);
        assert_null(getenv("NOTIFY_SOCKET"));
        motion.has_begun = false;
        assert_true(service_notify_wants_status(&notify, NOW));
        assert_false(service_notify_beat(&notify, &motion, "boids", NOW));
        assert_string_equal(next(&manager), "");
        motion.has_begun = true;
        assert_false(service_notify_beat(&notify, &motion, "boids", NOW)); /* no watchdog */
        assert_string_equal(next(&manager), "READY=1\nSTATUS=boids");
        assert_false(service_notify_wants_status(&notify, NOW + SECOND));
        assert_true(service_notify_wants_status(&notify, NOW + 2 * SECOND));
        (void)service_notify_beat(&notify, &motion, "boids", NOW + 2 * SECOND);
        assert_string_equal(next(&manager), ""); /* nothing new */
        (void)service_notify_beat(&notify, &motion, "seek", NOW + 2 * SECOND);
        assert_string_equal(next(&manager), "STATUS=seek");
        service_notify_stop(&notify);
        service_notify_stop(&notify);
        assert_string_equal(next(&manager), "STOPPING=1");
        assert_string_equal(next(&manager), "");
        service_notify_close(&notify);
        leave(&manager);
    }
}

static void a_watchdog_hears_of_threads_that_move(void **state) {
    struct manager manager;
    struct service_notify notify;
    struct simulation_motion motion = at_turn(1);
    listen_at(&manager, false);
    assert_int_equal(setenv("WATCHDOG_USEC", "10000000", 1), 0);
    service_notify_open(&notify);
    assert_null(getenv("WATCHDOG_USEC"));
    assert_true(service_notify_beat(&notify, &motion, NULL, NOW));
    assert_string_equal(next(&manager), "WATCHDOG=1");
    motion.turns++;
    assert_false(service_notify_beat(&notify, &motion, NULL, NOW + 4 * SECOND)); /* not due */
    assert_string_equal(next(&manager), "");
    assert_true(service_notify_beat(&notify, &motion, NULL, NOW + 5 * SECOND));
    assert_string_equal(next(&manager), "WATCHDOG=1");
    for (uint64_t s = 10; s < 100; s++) { /* the same turn */
        assert_true(service_notify_beat(&notify, &motion, NULL, NOW + s * SECOND));
        assert_string_equal(next(&manager), "");
    }
    motion.turns++;
    assert_true(service_notify_beat(&notify, &motion, NULL, NOW + 100 * SECOND));
    assert_string_equal(next(&manager), "WATCHDOG=1");
    service_notify_close(&notify);
    leave(&manager);
}

static void a_watchdog_of_another_process_is_not_fed(void **state) {
    struct manager manager;
    struct service_notify notify;
    const struct simulation_motion motion = at_turn(1);
    listen_at(&manager, false);
    assert_int_equal(setenv("WATCHDOG_USEC", "10000000", 1), 0);
    assert_int_equal(setenv("WATCHDOG_PID", "1", 1), 0);
    service_notify_open(&notify);
    assert_null(getenv("WATCHDOG_PID"));
    assert_false(service_notify_beat(&notify, &motion, NULL, NOW));
    assert_string_equal(next(&manager), "");
    service_notify_close(&notify);
    leave(&manager);
}

static void wrong_values_are_as_none(void **state) {
    static const char *const names[] = {"", "relative", "/", "@", "vsock:2:1"};
    struct service_notify notify;
    const struct simulation_motion motion = at_turn(1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(setenv("NOTIFY_SOCKET", names[i], 1), 0);
        service_notify_open(&notify);
        assert_int_equal(notify.socket, -1);
        assert_false(service_notify_wants_status(&notify, NOW));
        assert_false(service_notify_beat(&notify, &motion, "boids", NOW));
        service_notify_stop(&notify);
        service_notify_close(&notify);
    }
    assert_int_equal(setenv("NOTIFY_SOCKET", "/nowhere/at/all", 1), 0);
    assert_int_equal(setenv("WATCHDOG_USEC", "soon", 1), 0);
    service_notify_open(&notify);
    assert_false(service_notify_beat(&notify, &motion, "boids", NOW));
    assert_false(notify.is_ready); /* it is sent again at the next beat */
    service_notify_close(&notify);
}

static void the_status_is_a_line(void **state) {
    struct service_status status = {.scenario = "boids", .agents = 200, .sessions = 3, .tick_p99_ms = 0.42};
    char text[SERVICE_STATUS_BYTES];
    service_status_write(&status, text);
    assert_string_equal(text, "boids, 200 agents, 3 sessions, p99 0.4 ms");
    status.agents = status.sessions = 1;
    status.is_paused = true;
    service_status_write(&status, text);
    assert_string_equal(text, "boids, paused, 1 agent, 1 session, p99 0.4 ms");
    status.is_resuming = true;
    status.resumed = 0.4;
    status.scenario = "a\nWATCHDOG=1";
    service_status_write(&status, text);
    assert_string_equal(text, "a?WATCHDOG=1, resuming 40 %, 1 agent, 1 session, p99 0.4 ms");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simd),
        cmocka_unit_test(test_frame_memory),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(ready_waits_for_the_first_tick),
        cmocka_unit_test(a_watchdog_hears_of_threads_that_move),
        cmocka_unit_test(a_watchdog_of_another_process_is_not_fed),
        cmocka_unit_test(wrong_values_are_as_none),
        cmocka_unit_test(the_status_is_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
