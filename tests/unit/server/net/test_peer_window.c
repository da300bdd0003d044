/* The rule for slow readers: which peer is slow, when its next frame may begin, and that every wait ends. */
#include "tests/unit/server/cmocka_all.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/net/peer_socket.h"

static void slow_after_a_skip(void **state) {
    struct peer_window window = {0};
    assert_false(peer_window_is_watched(&window, 0));
    assert_false(peer_window_is_watched(&window, 1000));
    peer_window_note_skip(&window, 1000);
    assert_true(peer_window_is_watched(&window, 1000));
    peer_window_note_skip(&window, 2000);
    assert_true(peer_window_is_watched(&window, 2000 + PEER_WINDOW_WATCH_MS - 1));
    assert_false(peer_window_is_watched(&window, 2000 + PEER_WINDOW_WATCH_MS));
}

static void half_must_be_free(void **state) {
    struct peer_window window = {0};
    assert_true(peer_window_allows(&window, 100000, 0)); /* the widest so far */
    assert_false(peer_window_allows(&window, 49999, 10));
    assert_false(peer_window_allows(&window, 0, 20));
    assert_true(peer_window_allows(&window, 50000, 30));
    assert_true(peer_window_allows(&window, 200000, 40)); /* it grew */
    assert_false(peer_window_allows(&window, 99999, 50));
    assert_true(peer_window_allows(&window, 100000, 60));
}

/* Held for a second, counted from when the holding began, then released and learned again. */
static void every_wait_ends(void **state) {
    struct peer_window window = {0};
    assert_true(peer_window_allows(&window, 100000, 0));
    assert_false(peer_window_allows(&window, 1000, 500));
    assert_false(peer_window_allows(&window, 1000, 500 + PEER_WINDOW_HOLD_MS - 1));
    assert_true(peer_window_allows(&window, 1000, 500 + PEER_WINDOW_HOLD_MS));
    assert_true(peer_window_allows(&window, 1000, 1600)); /* 1000 is now the widest */
    assert_true(peer_window_allows(&window, 500, 1700));
    assert_false(peer_window_allows(&window, 499, 1800));
    assert_true(peer_window_allows(&window, 0, 1800 + PEER_WINDOW_HOLD_MS));
    assert_true(peer_window_allows(&window, 0, 5000)); /* a shut window holds no frame either */
}

/* For any windows, a frame may begin at least once in every second. */
static void never_starves(void **state) {
    struct peer_window window = {0};
    uint64_t random = 1, last = 0;
    for (uint64_t now = 0; now < 200000; now += 7) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint64_t most = now / 20000 * 30000 + 1;
        if (peer_window_allows(&window, (uint32_t)((random >> 33) % most), now)) {
            last = now;
        }
        assert_true(now - last <= PEER_WINDOW_HOLD_MS + 7);
    }
}

/* A real connection: the window shuts when the client does not read. */
static void the_window_is_read(void **state) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int listening = socket(AF_INET, SOCK_STREAM, 0), peer = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listening, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listening, 1), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(connect(peer, (struct sockaddr *)&address, size), 0);
    const int own = accept(listening, NULL, NULL);
    static char bytes[20000];
    uint32_t before = 0, after = 0;
    uint32_t untouched = 7;
    assert_int_equal(peer_window_read(-1, &untouched), -1);
    assert_int_equal(untouched, 7);
    const int can_tell = peer_window_read(own, &before);
    while (send(own, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {}
    const int result = peer_window_read(own, &after);
    close(peer);
    close(own);
    close(listening);
    if (can_tell != 0) {
        skip(); /* this system does not report it */
    }
    assert_int_equal(result, 0);
    assert_true(before > 1000);
    assert_true(after < before / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_after_a_skip),  cmocka_unit_test(half_must_be_free),
        cmocka_unit_test(every_wait_ends),    cmocka_unit_test(never_starves),
        cmocka_unit_test(the_window_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
