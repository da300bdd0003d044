/* Three slots, the newest wins, no thread waits; also with a real second thread. */
#include "tests/unit/server/cmocka_all.h"

#include "server/exchange/snapshot_exchange.h"

static void publish(struct snapshot_exchange *exchange, uint64_t tick, enum frame_reason reason) {
    snapshot_exchange_writing(exchange)->snapshot->tick = tick;
    snapshot_exchange_publish(exchange, reason);
}

static void test_newest_wins(void **state) {
    struct snapshot_exchange exchange;
    assert_int_equal(snapshot_exchange_init(&exchange), 0);
    assert_null(snapshot_exchange_take(&exchange));
    publish(&exchange, 1, FRAME_REASON_RATE);
    publish(&exchange, 2, FRAME_REASON_RATE);
    publish(&exchange, 3, FRAME_REASON_RATE);
    const struct snapshot_slot *slot = snapshot_exchange_take(&exchange);
    assert_non_null(slot);
    assert_int_equal(slot->snapshot->tick, 3);
    assert_null(snapshot_exchange_take(&exchange));
    for (uint64_t tick = 4; tick < 9; tick++) {
        publish(&exchange, tick, FRAME_REASON_RATE);
        assert_int_equal(slot->snapshot->tick, 3); /* the reader's own until it takes again */
    }
    slot = snapshot_exchange_take(&exchange);
    assert_int_equal(slot->snapshot->tick, 8);
    snapshot_exchange_fini(&exchange);
}

static void test_reason_is_not_lost(void **state) {
    struct snapshot_exchange exchange;
    assert_int_equal(snapshot_exchange_init(&exchange), 0);
    publish(&exchange, 1, FRAME_REASON_ALL);
    publish(&exchange, 2, FRAME_REASON_RATE);
    assert_int_equal(snapshot_exchange_take(&exchange)->reason, FRAME_REASON_ALL);
    publish(&exchange, 3, FRAME_REASON_RATE);
    assert_int_equal(snapshot_exchange_take(&exchange)->reason, FRAME_REASON_RATE);
    publish(&exchange, 4, FRAME_REASON_CLOCK);
    assert_int_equal(snapshot_exchange_take(&exchange)->reason, FRAME_REASON_CLOCK);
    publish(&exchange, 4, FRAME_REASON_NEWER);
    publish(&exchange, 5, FRAME_REASON_ALL);
    assert_int_equal(snapshot_exchange_take(&exchange)->reason, FRAME_REASON_ALL);
    snapshot_exchange_fini(&exchange);
}

enum { LAST_TICK = 20000 };

static void *write_ticks(void *argument) {
    struct snapshot_exchange *exchange = argument;
    for (uint64_t tick = 1; tick <= LAST_TICK; tick++) {
        struct snapshot *snapshot = snapshot_exchange_writing(exchange)->snapshot;
        snapshot->tick = tick;
        snapshot->time_s = (double)tick;
        snapshot_exchange_publish(exchange, FRAME_REASON_RATE);
    }
    return NULL;
}

static void test_two_threads(void **state) {
    struct snapshot_exchange exchange;
    assert_int_equal(snapshot_exchange_init(&exchange), 0);
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_ticks, &exchange), 0);
    uint64_t last = 0;
    while (last < LAST_TICK) {
        const struct snapshot_slot *slot = snapshot_exchange_take(&exchange);
        if (slot != NULL) {
            assert_true(slot->snapshot->tick > last);
            assert_true(slot->snapshot->time_s == (double)slot->snapshot->tick); /* never half-written */
            last = slot->snapshot->tick;
        }
    }
    pthread_join(writer, NULL);
    snapshot_exchange_fini(&exchange);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newest_wins),
        cmocka_unit_test(test_reason_is_not_lost),
        cmocka_unit_test(test_two_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
