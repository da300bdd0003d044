/* The viewer's connection: clocks, frames between threads, what is asked for. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/link/clock_sync.h"
#include "viewer/link/link.h"
#include "viewer/link/mailbox.h"

/* ==== link ====
 * What a link makes of a handle: what it says of the connection, when it subscribes, how it pauses, what of a frame arrives. */

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

/* A subscription brings the line of a moment again, without end. */
static void the_line_of_a_look_is_not_subscribed_to(void **state) {
    static const char line[] =
        "{\"op\":\"scenario\",\"name\":\"a\",\"title\":\"A\",\"description\":\"\",\"size\":[800,"
        "600],\"edge\":\"wrap\",\"seed\":1,\"tick_hz\":60,\"kinds\":[],\"targets\":[]}\n";
    struct viewer_link link;
    begin(&link, false);
    drover_opened(link.world);
    assert_int_equal(feed(&link, HELLO), 0);
    viewer_link_take(&link, false);
    (void)sent(&link);
    assert_int_equal(
        feed(&link, "{\"op\":\"reply\",\"to\":\"look\",\"id\":\"look\",\"tick\":3,\"branch\":\"b1\"}\n"), 0);
    assert_int_equal(feed(&link, line), 0);
    viewer_link_take(&link, false);
    assert_null(strstr(sent(&link), "subscribe"));
    assert_int_equal(feed(&link, "{\"op\":\"reply\",\"to\":\"look\",\"id\":\"now\",\"tick\":9}\n"), 0);
    assert_int_equal(
        feed(&link, "{\"op\":\"event\",\"event\":\"look_ended\",\"tick\":9,\"by\":0,\"reason\":\"live\"}\n"),
        0);
    assert_int_equal(feed(&link, line), 0);
    viewer_link_take(&link, false);
    assert_non_null(strstr(sent(&link), "\"op\":\"subscribe\""));
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

/* ==== clock sync ====
 * The clock of the picture on simulated networks: behind the newest snapshot, smooth, never backwards. */

enum { MAX_FLIGHTS = 4096 };

/* Numbers that look random and are the same everywhere. */
static double next_unit(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 40) / 16777216.0;
}

struct network {
    double delay_ms, jitter_ms;    /* least, and uniformly more */
    double stall_chance, stall_ms; /* of a snapshot: what queues behind it waits too (TCP) */
    double clock_drift;            /* server ms per client ms */
    double seconds;
};

struct outcome {
    double late_share;    /* frames drawn beyond the newest snapshot */
    double mean_delay_ms; /* behind the server's present */
    double worst_rate; /* largest |passed server time / passed client time - 1| of a frame without a resync */
    int backward_count;
    uint32_t resyncs;
};

struct run {
    double arrival[MAX_FLIGHTS], server[MAX_FLIGHTS];
    int count;
};

static void fly(const struct network *network, uint64_t seed, struct run *run) {
    double last = 0.0;
    run->count = 0;
    for (double t = 0.0; t < network->seconds * 1000.0 && run->count < MAX_FLIGHTS; t += 1000.0 / 30.0) {
        double arrival = t + network->delay_ms + network->jitter_ms * next_unit(&seed);
        if (next_unit(&seed) < network->stall_chance) {
            arrival += network->stall_ms;
        }
        last = fmax(last, arrival); /* in order */
        run->arrival[run->count] = last;
        run->server[run->count++] = 50000.0 + t * network->clock_drift;
    }
}

static struct outcome simulate(const struct network *network, uint64_t seed) {
    static struct run run;
    static struct clock_sync sync;
    struct outcome outcome = {0};
    double before = 0.0, newest = 0.0, delays = 0.0;
    int next = 0, frames = 0, late = 0;
    uint32_t resyncs = 0;
    fly(network, seed, &run);
    clock_sync_init(&sync, 1000.0 / 30.0);
    for (double now = 0.0; now < network->seconds * 1000.0; now += 1000.0 / 60.0) {
        while (next < run.count && run.arrival[next] <= now) {
            newest = run.server[next];
            clock_sync_add(&sync, run.server[next], run.arrival[next], true);
            next++;
        }
        const double render = clock_sync_advance(&sync, now);
        if (now > 3000.0) {
            const bool jumped = sync.resyncs != resyncs;
            frames++;
            late += render > newest ? 1 : 0;
            delays += 50000.0 + now * network->clock_drift - render;
            outcome.backward_count += render < before && !jumped ? 1 : 0;
            if (!jumped) {
                outcome.worst_rate =
                    fmax(outcome.worst_rate, fabs((render - before) / (1000.0 / 60.0) - 1.0));
            }
        }
        before = render;
        resyncs = sync.resyncs;
    }
    outcome.late_share = (double)late / frames;
    outcome.mean_delay_ms = delays / frames;
    outcome.resyncs = sync.resyncs;
    return outcome;
}

static void lan_is_smooth_and_close(void **state) {
    const struct network lan = {.delay_ms = 0.3, .jitter_ms = 1.0, .clock_drift = 1.0, .seconds = 60};
    const struct outcome outcome = simulate(&lan, 1);
    assert_true(outcome.late_share == 0.0);
    assert_true(outcome.mean_delay_ms > 33.0 && outcome.mean_delay_ms < 60.0);
    assert_true(outcome.worst_rate < 0.02);
    assert_int_equal(outcome.backward_count, 0);
    assert_int_equal(outcome.resyncs, 0);
}

static void wifi_rarely_runs_dry(void **state) {
    const struct network wifi = {.delay_ms = 3,
                                 .jitter_ms = 8,
                                 .stall_chance = 0.01,
                                 .stall_ms = 80,
                                 .clock_drift = 1.0,
                                 .seconds = 60};
    const struct outcome outcome = simulate(&wifi, 2);
    assert_true(outcome.late_share < 0.04);
    assert_true(outcome.mean_delay_ms < 110.0);
    assert_int_equal(outcome.backward_count, 0);
}

static void bad_network_trades_delay_for_smoothness(void **state) {
    const struct network bad = {.delay_ms = 40,
                                .jitter_ms = 30,
                                .stall_chance = 0.02,
                                .stall_ms = 300,
                                .clock_drift = 1.0,
                                .seconds = 60};
    const struct outcome outcome = simulate(&bad, 3);
    assert_true(outcome.late_share < 0.10);
    assert_true(outcome.mean_delay_ms < 450.0); /* 350 at most, and the latency */
    assert_true(outcome.worst_rate <= 0.0801);
    assert_int_equal(outcome.backward_count, 0);
}

static void follows_a_drifting_clock(void **state) {
    const struct network fast = {.delay_ms = 1, .jitter_ms = 1, .clock_drift = 1.0005, .seconds = 60};
    const struct network slow = {.delay_ms = 1, .jitter_ms = 1, .clock_drift = 0.9995, .seconds = 60};
    const struct outcome a = simulate(&fast, 4), b = simulate(&slow, 5);
    assert_true(a.late_share == 0.0 && b.late_share < 0.01);
    assert_true(a.mean_delay_ms < 70.0 && b.mean_delay_ms < 70.0);
    assert_int_equal(a.resyncs + b.resyncs, 0);
}

static void jumps_once_when_far_off(void **state) {
    static struct clock_sync sync;
    clock_sync_init(&sync, 33.0);
    assert_true(clock_sync_advance(&sync, 10.0) == 0.0);
    clock_sync_add(&sync, 1000.0, 20.0, true);
    const double first = clock_sync_advance(&sync, 20.0);
    assert_true(first < 1000.0 && first > 900.0);
    clock_sync_add(&sync, 9000.0, 53.0, true); /* the server's clock is 8 s ahead of the estimate */
    const double second = clock_sync_advance(&sync, 54.0);
    assert_true(second > 8500.0 && second < 9001.0);
    assert_int_equal(sync.resyncs, 1);
    clock_sync_init(&sync, 33.0);
    clock_sync_add(&sync, 1000.0, 0.0, true);
    const double start = clock_sync_advance(&sync, 0.0);
    clock_sync_add(&sync, 1800.0, 1.0, true); /* 800 ms are still too far to walk */
    assert_true(clock_sync_advance(&sync, 2.0) > start + 500.0);
    assert_int_equal(sync.resyncs, 1);
}

static void delay_grows_fast_and_shrinks_slowly(void **state) {
    static struct clock_sync sync;
    clock_sync_init(&sync, 33.0);
    double t = 0.0;
    for (int i = 0; i < 40; i++, t += 33.0) {
        clock_sync_add(&sync, t, t + (i % 4 == 3 ? 150.0 : 0.0), true);
    }
    const double grown = sync.delay_ms;
    assert_true(grown > 150.0);
    for (int i = 0; i < CLOCK_SYNC_SAMPLES; i++, t += 33.0) { /* good samples again, and the bad ones age */
        const double before = sync.delay_ms;
        clock_sync_add(&sync, t, t, true);
        assert_true(sync.delay_ms > before - 0.011 * before);
    }
    assert_true(sync.delay_ms < grown);
}

static void the_same_tick_twice_is_no_period(void **state) {
    static struct clock_sync sync;
    clock_sync_init(&sync, 33.0);
    for (int i = 0; i < 20; i++) { /* each tick three times */
        const int tick = i / 3;
        clock_sync_add(&sync, 1000.0 + 33.0 * tick, 1000.0 + 11.0 * i, true);
    }
    assert_true(fabs(sync.period_ms - 33.0) < 1e-9);
}

static void error_within_limit_is_walked(void **state) {
    static struct clock_sync sync;
    clock_sync_init(&sync, 33.0);
    clock_sync_add(&sync, 1000.0, 0.0, true);
    double before = clock_sync_advance(&sync, 0.0);
    clock_sync_add(&sync, 1200.0, 1.0, true); /* 200 ms ahead */
    for (double now = 16.0; now < 160.0; now += 16.0) {
        const double render = clock_sync_advance(&sync, now);
        assert_true(render - before <= 16.0 * 1.0801 && render - before >= 16.0);
        before = render;
    }
    assert_int_equal(sync.resyncs, 0);
}

static void old_samples_are_forgotten(void **state) {
    static struct clock_sync sync;
    clock_sync_init(&sync, 33.0);
    clock_sync_add(&sync, 1000.0, 1000.0, true); /* offset 0: a path that does not exist any more */
    for (double t = 1100.0; t < 9000.0; t += 33.0) {
        clock_sync_add(&sync, t - 50.0, t, true);
    }
    assert_true(fabs(sync.min_offset_ms - 50.0) < 1e-9);
    assert_true(sync.count <= CLOCK_SYNC_SAMPLES);
    assert_true(fabs(sync.period_ms - 33.0) < 1e-6);
}

static void stale_snapshots_say_nothing(void **state) {
    static struct clock_sync sync;
    clock_sync_init(&sync, 33.0);
    clock_sync_add(&sync, 1000.0, 1010.0, true);
    clock_sync_add(&sync, 1000.0, 9000.0, false); /* a paused world sends its last tick again */
    assert_int_equal(sync.count, 1);
    assert_true(sync.min_offset_ms == 10.0);
    clock_sync_add(&sync, 9000.0, 9005.0, false); /* faster than any other sample: a better estimate */
    assert_true(sync.min_offset_ms == 5.0);
}

/* ==== mailbox ====
 * Between the two threads: the newest snapshot, messages in order, requests only while there is a connection
 * to read them. */

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

/* ==== The subscription: all agents, those around the visible part, or counts ==== */

static struct stream_wish wish_for(double total, float x, float y, float width, float height) {
    return (struct stream_wish){.world = {40000.0f, 30000.0f},
                                .visible = {{x, y}, {x + width, y + height}},
                                .cell = width / 150.0f,
                                .total = total,
                                .agents = LAYOUT_PACKED};
}

static const struct stream_choice packed = {.layout = LAYOUT_PACKED};

static void small_worlds_come_whole(void **state) {
    const struct stream_wish wish = wish_for(1000, 100, 100, 500, 400);
    const struct stream_choice next = stream_plan(&packed, &wish, 1000);
    assert_true(stream_equals(&next, &packed));
}

static void large_worlds_come_around_what_is_visible(void **state) {
    struct stream_wish wish = wish_for(1e6, 20000, 15000, 2000, 1000);
    const struct stream_choice next = stream_plan(&packed, &wish, 3000);
    assert_int_equal(next.layout, LAYOUT_PACKED);
    assert_true(next.has_region && next.region.low.x == 19500.0f && next.region.high.x == 22500.0f);
    assert_true(next.region.low.y == 14750.0f && next.region.high.y == 16250.0f);
    wish.visible.low.x += 300.0f; /* still inside the margin: no request */
    wish.visible.high.x += 300.0f;
    const struct stream_choice kept = stream_plan(&next, &wish, 3000);
    assert_true(stream_equals(&kept, &next));
    wish.visible.low.x += 300.0f;
    wish.visible.high.x += 300.0f;
    const struct stream_choice moved = stream_plan(&next, &wish, 3000);
    assert_true(moved.region.low.x == 20100.0f);
    const struct request request = stream_request(&moved, &next);
    assert_int_equal(request.op, REQUEST_SET_REGION);
    assert_true(request.body.set_region.region[0] == 20100.0f &&
                request.body.set_region.region[2] == 3000.0f);
    wish = wish_for(1e6, 20000, 15000, 200, 100); /* far closer: a smaller region */
    const struct stream_choice closer = stream_plan(&next, &wish, 30);
    assert_true(closer.region.high.x - closer.region.low.x == 300.0f);
}

static void crowds_come_as_densities(void **state) {
    const struct stream_wish wish = wish_for(1e6, -100, -100, 41000, 31000);
    const struct stream_choice next = stream_plan(&packed, &wish, 1e6);
    assert_int_equal(next.layout, LAYOUT_DENSITY);
    assert_false(next.has_region);
    assert_true(next.cell == wish.cell);
    assert_int_equal(stream_request(&next, &packed).op, REQUEST_SUBSCRIBE);
    const struct stream_wish part = wish_for(1e6, 10000, 10000, 4000, 3000);
    const double bound = STREAM_MOST_AGENTS * STREAM_SAMPLE_TIMES;
    /* between the bounds the plan does not change */
    assert_int_equal(stream_plan(&next, &part, bound - 1000).layout, LAYOUT_DENSITY);
    assert_int_equal(stream_plan(&packed, &part, bound - 1000).layout, LAYOUT_PACKED);
    const struct stream_wish half = wish_for(1e6, 10000, 10000, 20000, 15000); /* from afar no sample */
    assert_int_equal(stream_plan(&packed, &half, STREAM_MOST_AGENTS + 1000).layout, LAYOUT_DENSITY);
    const struct stream_choice sample = stream_plan(&next, &part, STREAM_MOST_AGENTS + 1000);
    assert_true(sample.layout == LAYOUT_PACKED && sample.most == STREAM_MOST_AGENTS);
    const struct request wants = stream_request(&sample, &next);
    assert_true(wants.op == REQUEST_SUBSCRIBE && wants.body.subscribe.most == STREAM_MOST_AGENTS);
    const struct stream_wish few = wish_for(9000, 10000, 10000, 4000, 3000);
    assert_int_equal(stream_plan(&packed, &few, 4000).most, 0); /* a small world is sent whole */
    struct stream_wish tinted = wish;
    tinted.by_kind = true;
    const struct stream_choice by_kind = stream_plan(&next, &tinted, 1e6);
    assert_true(by_kind.by_kind && !by_kind.mean_speed && !stream_equals(&by_kind, &next));
    const struct request ask = stream_request(&by_kind, &next);
    assert_true(ask.op == REQUEST_SUBSCRIBE && ask.body.subscribe.by_kind && !ask.body.subscribe.mean_speed);
    assert_false(stream_plan(&by_kind, &tinted, 1000).by_kind); /* agents one by one have their kind */
    struct stream_wish never = part;
    never.never_heat = true;
    const struct stream_choice single = stream_plan(&next, &never, 1e6);
    assert_true(single.layout == LAYOUT_PACKED && single.most == STREAM_MOST_SINGLE);
}

static void behaviors_come_with_their_parts(void **state) {
    struct stream_wish wish = wish_for(1000, 100, 100, 500, 400);
    wish.forces = true;
    const struct stream_choice forces = stream_plan(&packed, &wish, 1000);
    assert_true(forces.forces && !forces.parts && forces.layout == LAYOUT_PACKED);
    wish.shares = true;
    const struct stream_choice shares = stream_plan(&forces, &wish, 1000);
    assert_true(shares.forces && shares.parts && shares.layout == LAYOUT_OBJECTS);
    assert_false(stream_equals(&forces, &shares));
    const struct request request = stream_request(&shares, &forces);
    assert_int_equal(request.op, REQUEST_SUBSCRIBE);
    assert_true(request.body.subscribe.forces && request.body.subscribe.parts);
}

static void the_first_is_by_the_scenario(void **state) {
    static struct message_scenario scenario;
    scenario.size = vec2_make(4000.0f, 3000.0f);
    scenario.kind_count = 2;
    scenario.kinds[0].count = scenario.kinds[1].count = 100;
    assert_int_equal(stream_first(&scenario, LAYOUT_PACKED).layout, LAYOUT_PACKED);
    assert_int_equal(stream_first(&scenario, LAYOUT_OBJECTS).layout, LAYOUT_OBJECTS);
    scenario.kinds[0].count = STREAM_MOST_AGENTS;
    const struct stream_choice first = stream_first(&scenario, LAYOUT_PACKED);
    assert_int_equal(first.layout, LAYOUT_DENSITY);
    assert_true(first.cell > 30.0f && first.cell < 33.0f);
}

static void counts_by_a_density(void **state) {
    uint32_t counts[4] = {10, 20, 30, 40};
    const struct density density = {
        .columns = 2, .rows = 2, .region = {0, 0, 4000000, 3000000}, .count = counts};
    const struct stream_wish wish = wish_for(100, 0, 0, 1, 1);
    const struct stream_box left = {{0.0f, 0.0f}, {15000.0f, 30000.0f}},
                            all = {{0.0f, 0.0f}, {40000.0f, 30000.0f}};
    assert_true(stream_count(&density, &left, &wish) == 40.0);
    assert_true(stream_count(&density, &all, &wish) == 100.0);
    struct density corner = density;
    corner.region.width = corner.region.height = 100;
    assert_true(stream_count(&corner, &all, &wish) == 100.0); /* agents outside it are estimated */
}

static void what_is_known_covers_a_part_of_what_is_visible(void **state) {
    struct stream_wish wish = wish_for(1e6, -1000, -1000, 42000, 32000); /* all of it, and the margins */
    struct stream_box box = {{0.0f, 0.0f}, {40000.0f, 30000.0f}};
    assert_true(stream_covered(&box, &wish) == 1.0);
    box = (struct stream_box){{10000.0f, 10000.0f}, {12000.0f, 11000.0f}}; /* as it was zoomed in */
    assert_true(fabs(stream_covered(&box, &wish) - 2e6 / 12e8) < 1e-9);
    wish = wish_for(1e6, 10000, 10000, 1000, 1000);
    assert_true(stream_covered(&box, &wish) == 1.0);
    wish = wish_for(1e6, 11500, 10000, 1000, 1000); /* panned out of it by half */
    assert_true(fabs(stream_covered(&box, &wish) - 0.5) < 1e-6);
    wish = wish_for(1e6, 30000, 20000, 1000, 1000); /* elsewhere */
    assert_true(stream_covered(&box, &wish) == 0.0);
    wish = wish_for(1e6, 50000, 50000, 1000, 1000); /* outside the world */
    assert_true(stream_covered(&box, &wish) == 1.0);
    uint32_t counts[1] = {0};
    const struct density density = {
        .columns = 1, .rows = 1, .region = {100, 200, 30000, 40000}, .count = counts};
    const struct stream_box of = stream_density_box(&density);
    assert_true(of.low.x == 1.0f && of.low.y == 2.0f && of.high.x == 301.0f && of.high.y == 402.0f);
}

static void over_the_border_of_a_wrapping_world_the_region_goes_on(void **state) {
    struct stream_wish wish = wish_for(1e6, -1000, 15000, 2000, 1000);
    const struct stream_choice bounded = stream_plan(&packed, &wish, 3000);
    assert_true(bounded.region.low.x == 0.0f && bounded.region.high.x == 1500.0f);
    wish.wraps = true;
    const struct stream_choice next = stream_plan(&packed, &wish, 3000);
    assert_true(next.region.low.x == -1500.0f && next.region.high.x == 1500.0f);
    wish = wish_for(1e6, -1000, 15000, 45000, 1000); /* all of it from left to right, once */
    wish.wraps = true;
    const struct stream_choice wide = stream_plan(&packed, &wish, 3000);
    assert_true(wide.region.low.x == 0.0f && wide.region.high.x == 40000.0f);
    assert_true(wide.region.low.y == 14750.0f && wide.region.high.y == 16250.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tries_again),
        cmocka_unit_test(a_single_try_ends),
        cmocka_unit_test(another_server_is_refused),
        cmocka_unit_test(each_world_is_subscribed_to),
        cmocka_unit_test(the_line_of_a_look_is_not_subscribed_to),
        cmocka_unit_test(an_answer_that_cannot_be_read_is_an_error),
        cmocka_unit_test(a_frame_arrives_whole),
        cmocka_unit_test(lan_is_smooth_and_close),
        cmocka_unit_test(wifi_rarely_runs_dry),
        cmocka_unit_test(bad_network_trades_delay_for_smoothness),
        cmocka_unit_test(follows_a_drifting_clock),
        cmocka_unit_test(jumps_once_when_far_off),
        cmocka_unit_test(delay_grows_fast_and_shrinks_slowly),
        cmocka_unit_test(the_same_tick_twice_is_no_period),
        cmocka_unit_test(error_within_limit_is_walked),
        cmocka_unit_test(old_samples_are_forgotten),
        cmocka_unit_test(stale_snapshots_say_nothing),
        cmocka_unit_test(the_newest_snapshot_wins),
        cmocka_unit_test(messages_stay_in_order),
        cmocka_unit_test(requests_need_a_connection),
        cmocka_unit_test(a_full_outbox_keeps_whole_lines),
        cmocka_unit_test(small_worlds_come_whole),
        cmocka_unit_test(large_worlds_come_around_what_is_visible),
        cmocka_unit_test(over_the_border_of_a_wrapping_world_the_region_goes_on),
        cmocka_unit_test(crowds_come_as_densities),
        cmocka_unit_test(behaviors_come_with_their_parts),
        cmocka_unit_test(the_first_is_by_the_scenario),
        cmocka_unit_test(counts_by_a_density),
        cmocka_unit_test(what_is_known_covers_a_part_of_what_is_visible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
