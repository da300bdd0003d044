/* The send queue: order, limits, newest frame wins. */
#include "tests/unit/server/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "server/net/stream.h"

static struct shared_bytes *make(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    assert_non_null(copy);
    memcpy(copy, text, strlen(text) + 1);
    struct shared_bytes *bytes = shared_bytes_create(copy, strlen(text));
    assert_non_null(bytes);
    return bytes;
}

static void push(struct send_queue *queue, const char *text) {
    struct shared_bytes *line = make(text);
    assert_int_equal(send_queue_push(queue, line), 0);
    shared_bytes_release(line);
}

static void offer(struct send_queue *queue, const char *text) {
    struct shared_bytes *frame = make(text);
    send_queue_offer_frame(queue, frame);
    shared_bytes_release(frame);
}

static void push_event(struct send_queue *queue, const char *text, bool is_accepted) {
    assert_true(send_queue_accepts(queue, strlen(text)) == is_accepted);
    if (is_accepted) {
        push(queue, text);
    }
}

/* Takes a batch and checks its texts, "a b c". */
static void expect_batch(struct send_queue *queue, const char *expected) {
    struct shared_bytes *batch[SEND_QUEUE_BATCH];
    char found[256] = "";
    const int count = send_queue_begin_write(queue, false, batch);
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        assert_true(used + batch[i]->length + 2 < sizeof found);
        if (used > 0) {
            found[used++] = ' ';
        }
        memcpy(found + used, batch[i]->data, batch[i]->length);
        used += batch[i]->length;
    }
    found[used] = '\0';
    assert_string_equal(found, expected);
}

static void test_control_before_frames(void **state) {
    struct send_queue queue;
    send_queue_init(&queue, 100);
    assert_true(send_queue_is_empty(&queue));
    offer(&queue, "F1");
    push(&queue, "a");
    push(&queue, "b");
    expect_batch(&queue, "a b F1");
    assert_true(send_queue_is_writing(&queue));
    assert_false(send_queue_is_empty(&queue));
    send_queue_end_write(&queue);
    assert_true(send_queue_is_empty(&queue));
    assert_int_equal(queue.frames_sent, 1);
    send_queue_fini(&queue);
}

static void test_one_write_at_a_time(void **state) {
    struct send_queue queue;
    send_queue_init(&queue, 100);
    push(&queue, "a");
    expect_batch(&queue, "a");
    push(&queue, "b");
    expect_batch(&queue, "");
    assert_int_equal(queue.control_bytes, 2);
    send_queue_end_write(&queue);
    assert_int_equal(queue.control_bytes, 1);
    expect_batch(&queue, "b");
    send_queue_end_write(&queue);
    assert_int_equal(queue.control_bytes, 0);
    send_queue_fini(&queue);
}

static void test_newest_frame_wins(void **state) {
    struct send_queue queue;
    send_queue_init(&queue, 100);
    offer(&queue, "F1");
    expect_batch(&queue, "F1");
    offer(&queue, "F2");
    offer(&queue, "F3");
    offer(&queue, "F4");
    assert_int_equal(queue.frames_skipped, 2);
    send_queue_end_write(&queue);
    expect_batch(&queue, "F4");
    send_queue_end_write(&queue);
    offer(&queue, "F5");
    send_queue_drop_frame(&queue);
    send_queue_drop_frame(&queue);
    assert_int_equal(queue.frames_skipped, 3);
    assert_int_equal(queue.frames_sent, 2);
    assert_true(send_queue_is_empty(&queue));
    send_queue_fini(&queue);
}

static void test_limit(void **state) {
    struct send_queue queue;
    send_queue_init(&queue, 8);
    push_event(&queue, "longer than the limit", true); /* one line always fits */
    push_event(&queue, "x", false);
    expect_batch(&queue, "longer than the limit");
    push_event(&queue, "x", false); /* bytes being written still count */
    push(&queue, "reply");          /* the request is answered all the same */
    send_queue_end_write(&queue);
    expect_batch(&queue, "reply");
    send_queue_end_write(&queue);
    push_event(&queue, "1234", true);
    push_event(&queue, "5678", true);
    push_event(&queue, "9", false);
    send_queue_fini(&queue);
}

/* Requests are handed out while less than half of the limit waits, written or not. */
static void test_room(void **state) {
    struct send_queue queue;
    send_queue_init(&queue, 8);
    assert_true(send_queue_has_room(&queue));
    push(&queue, "123");
    assert_true(send_queue_has_room(&queue));
    push(&queue, "4");
    assert_false(send_queue_has_room(&queue));
    expect_batch(&queue, "123 4");
    assert_false(send_queue_has_room(&queue));
    send_queue_end_write(&queue);
    assert_true(send_queue_has_room(&queue));
    send_queue_fini(&queue);
}

/* More lines than a batch or the first ring: order holds, the frame waits for all of them. */
static void test_many_lines(void **state) {
    struct send_queue queue;
    send_queue_init(&queue, 100000);
    char text[8] = "0000";
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 100; i++) {
            text[0] = (char)('0' + i / 10);
            text[1] = (char)('0' + i % 10);
            push(&queue, text);
        }
        offer(&queue, "F");
        int seen = 0;
        bool frame_seen = false;
        struct shared_bytes *batch[SEND_QUEUE_BATCH];
        int count = 0;
        while ((count = send_queue_begin_write(&queue, false, batch)) > 0) {
            for (int i = 0; i < count; i++) {
                assert_false(frame_seen);
                frame_seen = batch[i]->data[0] == 'F';
                if (!frame_seen) {
                    assert_int_equal(batch[i]->data[0], '0' + seen / 10);
                    assert_int_equal(batch[i]->data[1], '0' + seen % 10);
                    seen++;
                }
            }
            send_queue_end_write(&queue);
        }
        assert_int_equal(seen, 100);
        assert_true(frame_seen);
    }
    send_queue_fini(&queue);
}

/* Every reference is released, in whatever state the queue ends. */
static void test_references(void **state) {
    struct send_queue queue;
    struct shared_bytes *line = make("line");
    struct shared_bytes *frame = make("frame");
    send_queue_init(&queue, 100);
    assert_int_equal(send_queue_push(&queue, line), 0);
    send_queue_offer_frame(&queue, frame);
    expect_batch(&queue, "line frame");
    assert_int_equal(send_queue_push(&queue, line), 0);
    send_queue_offer_frame(&queue, frame);
    assert_int_equal(line->references, 3);
    assert_int_equal(frame->references, 3);
    send_queue_fini(&queue);
    assert_int_equal(line->references, 1);
    assert_int_equal(frame->references, 1);
    shared_bytes_release(line);
    shared_bytes_release(frame);
}

static void offer_keyed(struct send_queue *queue, struct shared_bytes *key, uint64_t number,
                        const char *text) {
    struct shared_bytes *frame = make(text);
    send_queue_offer_keyed(queue, key, number, frame);
    shared_bytes_release(frame);
}

/* Whatever a slow reader misses, every frame sent can be decoded. */
static void test_keys(void **state) {
    struct send_queue queue;
    struct shared_bytes *k1 = make("K1"), *k2 = make("K2"), *k3 = make("K3");
    send_queue_init(&queue, 100);
    offer_keyed(&queue, k1, 1, "a1");
    expect_batch(&queue, "K1 a1");
    offer_keyed(&queue, k1, 1, "b1");
    offer_keyed(&queue, k2, 2, "a2"); /* skipped, and its key with it */
    offer_keyed(&queue, k3, 3, "a3");
    offer_keyed(&queue, k3, 3, "b3");
    send_queue_end_write(&queue);
    push(&queue, "reply");
    expect_batch(&queue, "reply K3 b3");
    send_queue_end_write(&queue);
    offer_keyed(&queue, k3, 3, "c3");
    expect_batch(&queue, "c3");
    offer_keyed(&queue, k3, 3, "d3");
    send_queue_forget_key(&queue); /* resync: what waited goes, the next has its key */
    send_queue_end_write(&queue);
    expect_batch(&queue, "");
    offer_keyed(&queue, k3, 3, "e3");
    expect_batch(&queue, "K3 e3");
    send_queue_end_write(&queue);
    for (int i = 0; i < SEND_QUEUE_BATCH - 1; i++) {
        push(&queue, "r");
    }
    offer_keyed(&queue, k2, 4, "a4"); /* one place is left: both wait */
    expect_batch(&queue, "r r r r r r r r r r r r r r r r r r r r r r r r r r r r r r r");
    send_queue_end_write(&queue);
    expect_batch(&queue, "K2 a4");
    offer_keyed(&queue, k1, 5, "never");
    send_queue_fini(&queue);
    assert_true(k1->references == 1 && k2->references == 1 && k3->references == 1);
    shared_bytes_release(k1);
    shared_bytes_release(k2);
    shared_bytes_release(k3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_control_before_frames),
        cmocka_unit_test(test_one_write_at_a_time),
        cmocka_unit_test(test_newest_frame_wins),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_many_lines),
        cmocka_unit_test(test_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
