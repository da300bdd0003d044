/* The datagrams for a service manager: what is sent when, to a path or an abstract name; and the text of STATUS=. */
#include "tests/unit/server/cmocka_all.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/server.h"

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
        cmocka_unit_test(ready_waits_for_the_first_tick),
        cmocka_unit_test(a_watchdog_hears_of_threads_that_move),
        cmocka_unit_test(a_watchdog_of_another_process_is_not_fed),
        cmocka_unit_test(wrong_values_are_as_none),
        cmocka_unit_test(the_status_is_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
