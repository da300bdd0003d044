/* What a link makes of a handle: what it says of the connection, when it subscribes, how it pauses, what of a frame arrives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "viewer/link/link.h"

#define HELLO                                                                                                \
    "{\"op\":\"hello\",\"protocol\":1,\"server\":\"drover-server 0.1.0\",\"session\":1,\"role\":\"admin\","  \
    "\"tick\":0,\"time\":0,\"paused\":false,\"scenario\":{\"name\":\"a\",\"title\":\"A\","                   \
    "\"description\":\"\",\"size\":[800,600],\"edge\":\"wrap\",\"seed\":1,\"tick_hz\":60,\"kinds\":[],"      \
    "\"targets\":[]}}\n"
#define FRAME                                                                                                \
    "{\"op\":\"snapshot\",\"tick\":7,\"time\":1.5,\"agents\":[{\"id\":3,\"kind\":\"prey\",\"state\":"        \
    "\"seek\",\"x\":12.34,"                                                                                  \
    "\"y\":5.00,\"vx\":-3.20,\"vy\":0.10,\"heading\":180.00,\"desired\":[1.5,2],\"steering\":[3,-4.25],"     \
    "\"forces\":{\"flock\":"                                                                                 \
    "[5,6],\"flee\":[-0.25,8]},\"parts\":{\"flock\":{\"separation\":[4,4],\"cohesion\":[1,2]}}},{\"id\":9,"  \
    "\"kind\":\"cat\","                                                                                      \
    "\"state\":\"rest\",\"x\":1.00,\"y\":2.00,\"vx\":0.00,\"vy\":0.00,\"heading\":0.00,\"desired\":[0,0],"   \
    "\"steering\":[0,0],"                                                                                    \
    "\"forces\":{\"flee\":[1,1]}}],\"targets\":[{\"name\":\"mouse\",\"x\":400.00,\"y\":300.00}],\"clock\":"  \
    "88123.412,"                                                                                             \
    "\"speed\":0.5}\n"

static void begin(struct viewer_link *link, bool is_single_try) {
    const struct connection_def def = {
        .address = {"127.0.0.1", "7717"}, .agents = LAYOUT_PACKED, .is_single_try = is_single_try};
    const struct drover_options options = viewer_link_options(&def);
    assert_int_equal(viewer_link_init(link, &def), 0);
    viewer_link_use(link, drover_create(&options));
    assert_int_equal(drover_advance(link->world, 1000.0), 0);
}

static int feed(struct viewer_link *link, const char *line) {
    return drover_feed(link->world, line, strlen(line));
}

static const char *sent(struct viewer_link *link) {
    static char text[4096];
    size_t length = 0;
    const char *bytes = drover_output(link->world, &length);
    assert_true(length < sizeof text);
    memcpy(text, bytes != NULL ? bytes : "", length);
    text[length] = '\0';
    drover_sent(link->world, length);
    return text;
}

static void tries_again(void **state) {
    struct viewer_link link;
    begin(&link, false);
    assert_int_equal(mailbox_status(&link.mailbox).state, LINK_CONNECTING);
    drover_lost(link.world, "nothing there");
    viewer_link_take(&link, true);
    assert_int_equal(mailbox_status(&link.mailbox).state, LINK_WAITING);
    assert_true(mailbox_status(&link.mailbox).has_no_server);
    assert_string_equal(mailbox_status(&link.mailbox).reason, "nothing there");
    drover_opening(link.world);
    viewer_link_take(&link, false);
    assert_int_equal(mailbox_status(&link.mailbox).state, LINK_CONNECTING);
    viewer_link_fini(&link);
}

static void a_single_try_ends(void **state) {
    struct viewer_link link;
    begin(&link, true);
    drover_lost(link.world, "nothing there");
    viewer_link_take(&link, true);
    assert_int_equal(mailbox_status(&link.mailbox).state, LINK_ENDED);
    assert_string_equal(mailbox_status(&link.mailbox).reason, "nothing there");
    viewer_link_fini(&link);
}

static void another_server_is_refused(void **state) {
    struct viewer_link link;
    begin(&link, false);
    drover_opened(link.world);
    assert_int_equal(feed(&link, "HTTP/1.1 400 Bad Request\r\n"), -1);
    viewer_link_take(&link, false);
    assert_non_null(strstr(mailbox_status(&link.mailbox).reason, "not a drover server"));
    viewer_link_fini(&link);
    begin(&link, false);
    drover_opened(link.world);
    assert_int_equal(
        feed(&link, "{\"op\":\"hello\",\"protocol\":1,\"server\":\"x\",\"session\":1,\"role\":\"none\"}\n"),
        -1);
    viewer_link_take(&link, false);
    assert_int_equal(mailbox_status(&link.mailbox).state, LINK_REFUSED);
    assert_null(mailbox_take_message(&link.mailbox));
    viewer_link_fini(&link);
}

static void each_world_is_subscribed_to(void **state) {
    struct viewer_link link;
    begin(&link, false);
    drover_opened(link.world);
    assert_int_equal(feed(&link, HELLO), 0);
    viewer_link_take(&link, false);
    assert_int_equal(mailbox_status(&link.mailbox).state, LINK_READY);
    assert_non_null(strstr(sent(&link), "\"op\":\"subscribe\""));
    struct mail *mail = mailbox_take_message(&link.mailbox);
    assert_true(mail != NULL && mail->message->op == MESSAGE_HELLO && mail->epoch == 1);
    mail_destroy(mail);
    viewer_link_pause(&link, true);
    viewer_link_give(&link);
    assert_non_null(strstr(sent(&link), "\"op\":\"unsubscribe\""));
    drover_lost(link.world, "gone");
    drover_opened(link.world);
    assert_int_equal(feed(&link, HELLO), 0);
    viewer_link_take(&link, false);
    const char *again = sent(&link);
    assert_true(strstr(again, "\"op\":\"subscribe\"") < strstr(again, "\"op\":\"unsubscribe\""));
    assert_null(strstr(again, "renew"));
    mail_destroy(mailbox_take_message(&link.mailbox));
    viewer_link_fini(&link);
}

/* The request that waits for it would wait without end. */
static void an_answer_that_cannot_be_read_is_an_error(void **state) {
    static const char *const answers[][2] = {
        {"{\"op\":\"reply\",\"to\":\"pause\",\"id\":\"pause\",\"tick\":7,\"name\":\"\xff\"}\n", "not UTF-8"},
        {"{\"op\":\"reply\",\"to\":\"pause\",\"id\":\"pause\",\"tick\":\"seven\"}\n", "tick"},
        {"{\"op\":\"reply\",\"to\":7,\"id\":\"pause\"}\n", "to"},
        {"{\"op\":\"reply\",\"to\":\"list\",\"id\":\"pause\",\"scenarios\":7}\n", "scenarios"},
        {"{\"op\":\"error\",\"id\":\"pause\",\"code\":7,\"message\":\"no\"}\n", "code"},
    };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct viewer_link link;
        begin(&link, false);
        drover_opened(link.world);
        assert_int_equal(feed(&link, HELLO), 0);
        viewer_link_take(&link, false);
        mail_destroy(mailbox_take_message(&link.mailbox));
        struct request request = request_default(REQUEST_PAUSE);
        (void)snprintf(request.id, sizeof request.id, "\"pause\"");
        assert_int_equal(viewer_link_send(&link, &request), 0);
        viewer_link_give(&link);
        assert_non_null(strstr(sent(&link), "\"id\":\"pause\""));
        assert_int_equal(feed(&link, answers[i][0]), 0);
        viewer_link_take(&link, false);
        struct mail *mail = mailbox_take_message(&link.mailbox);
        assert_non_null(mail);
        assert_int_equal(mail->message->op, MESSAGE_ERROR);
        assert_string_equal(mail->message->body.error.id, "\"pause\"");
        if (strstr(mail->message->body.error.failure.message, answers[i][1]) == NULL) {
            fail_msg("%s: %s", answers[i][0], mail->message->body.error.failure.message);
        }
        assert_int_equal(mailbox_status(&link.mailbox).state, LINK_READY);
        mail_destroy(mail);
        viewer_link_fini(&link);
    }
}

static void a_frame_arrives_whole(void **state) {
    struct viewer_link link;
    struct failure failure;
    struct buffer expected, found;
    double arrival_ms = 0.0;
    begin(&link, false);
    drover_opened(link.world);
    assert_int_equal(feed(&link, HELLO), 0);
    viewer_link_take(&link, false);
    assert_int_equal(feed(&link, FRAME), 0);
    viewer_link_take(&link, false);
    struct snapshot *snapshot = mailbox_take_snapshot(&link.mailbox, &arrival_ms),
                    *direct = snapshot_create();
    assert_true(snapshot != NULL && direct != NULL);
    assert_int_equal(snapshot_decode(FRAME, strlen(FRAME) - 1, direct, &failure), 0);
    buffer_init(&expected, 65536);
    buffer_init(&found, 65536);
    snapshot_encode_fields(direct, direct->fields, &expected);
    snapshot_encode_fields(snapshot, snapshot->fields, &found);
    assert_string_equal(expected.data, found.data);
    assert_true(snapshot->epoch == 1 && snapshot->has_speed && snapshot->fields == direct->fields);
    assert_int_equal(snapshot->share_count, 3);
    assert_int_equal(snapshot->part_count, 2);
    buffer_fini(&expected);
    buffer_fini(&found);
    snapshot_destroy(direct);
    snapshot_destroy(snapshot);
    mail_destroy(mailbox_take_message(&link.mailbox));
    viewer_link_fini(&link);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tries_again),
        cmocka_unit_test(a_single_try_ends),
        cmocka_unit_test(another_server_is_refused),
        cmocka_unit_test(each_world_is_subscribed_to),
        cmocka_unit_test(an_answer_that_cannot_be_read_is_an_error),
        cmocka_unit_test(a_frame_arrives_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
