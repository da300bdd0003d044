/* Between the two threads: the newest snapshot, messages in order, requests only while there is a connection
 * to read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/link/mailbox.h"

static void the_newest_snapshot_wins(void **state) {
    struct mailbox mailbox;
    double arrival_ms = 0.0;
    assert_int_equal(mailbox_init(&mailbox), 0);
    assert_null(mailbox_take_snapshot(&mailbox, &arrival_ms));
    struct snapshot *first = make_snapshot(1, NULL, 0), *second = make_snapshot(2, NULL, 0);
    struct snapshot *fresh = mailbox_put_snapshot(&mailbox, first, 11.0);
    assert_non_null(fresh);
    assert_ptr_equal(mailbox_put_snapshot(&mailbox, second, 12.0), first); /* skipped: read over it */
    assert_ptr_equal(mailbox_take_snapshot(&mailbox, &arrival_ms), second);
    assert_true(arrival_ms == 12.0);
    assert_null(mailbox_take_snapshot(&mailbox, &arrival_ms));
    mailbox_return_snapshot(&mailbox, second);
    mailbox_return_snapshot(&mailbox, fresh); /* one spare is enough: freed */
    mailbox_return_snapshot(&mailbox, NULL);
    assert_ptr_equal(mailbox_put_snapshot(&mailbox, first, 13.0), second); /* the one that came back */
    assert_int_equal(mailbox_status(&mailbox).snapshot_count, 3);
    snapshot_destroy(second);
    mailbox_fini(&mailbox); /* frees first, which was never taken */
}

static void messages_stay_in_order(void **state) {
    struct mailbox mailbox;
    assert_int_equal(mailbox_init(&mailbox), 0);
    for (uint32_t i = 1; i <= 5; i++) {
        struct message *message = calloc(1, sizeof *message);
        assert_non_null(message);
        message->op = MESSAGE_EVENT;
        assert_int_equal(mailbox_put_message(&mailbox, message, i), 0);
    }
    for (uint32_t i = 1; i <= 3; i++) {
        struct mail *mail = mailbox_take_message(&mailbox);
        assert_non_null(mail);
        assert_int_equal(mail->epoch, i);
        mail_destroy(mail);
    }
    mailbox_fini(&mailbox); /* and frees the two that are left */
}

static void requests_need_a_connection(void **state) {
    struct mailbox mailbox;
    struct buffer out;
    const struct request pause = request_default(REQUEST_PAUSE);
    struct link_status status = {.state = LINK_READY};
    assert_int_equal(mailbox_init(&mailbox), 0);
    buffer_init(&out, MAILBOX_OUTPUT_BYTES);
    assert_int_equal(mailbox_put_request(&mailbox, &pause), -1);
    mailbox_set_status(&mailbox, &status);
    assert_int_equal(mailbox_put_request(&mailbox, &pause), 0);
    assert_int_equal(mailbox_put_request(&mailbox, &pause), 0);
    mailbox_take_output(&mailbox, &out);
    assert_string_equal(out.data, "{\"op\":\"pause\"}\n{\"op\":\"pause\"}\n");
    assert_int_equal(mailbox.output.length, 0);
    assert_int_equal(mailbox_put_request(&mailbox, &pause), 0);
    status.state = LINK_WAITING; /* requests of that connection must not go to the next */
    mailbox_set_status(&mailbox, &status);
    assert_int_equal(mailbox.output.length, 0);
    buffer_fini(&out);
    mailbox_fini(&mailbox);
}

static void a_full_outbox_keeps_whole_lines(void **state) {
    struct mailbox mailbox;
    struct request mouse = request_default(REQUEST_MOUSE);
    const struct link_status status = {.state = LINK_READY};
    int accepted = 0;
    mouse.body.mouse.x = 123.456f;
    assert_int_equal(mailbox_init(&mailbox), 0);
    mailbox_set_status(&mailbox, &status);
    while (accepted < 100000 && mailbox_put_request(&mailbox, &mouse) == 0) {
        accepted++;
    }
    assert_in_range(accepted, 1000, 4000);
    assert_true(mailbox.output.length <= MAILBOX_OUTPUT_BYTES);
    assert_int_equal(mailbox.output.data[mailbox.output.length - 1], '\n');
    mailbox_fini(&mailbox);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_snapshot_wins),
        cmocka_unit_test(messages_stay_in_order),
        cmocka_unit_test(requests_need_a_connection),
        cmocka_unit_test(a_full_outbox_keeps_whole_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
