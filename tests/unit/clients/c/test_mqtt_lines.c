/* The protocol over a broker: packets of the broker in, packets and the handle's events out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/c/mqtt_lines.h"
#include "tests/unit/common/test_support.h"

#define HELLO                                                                                                \
    "{\"op\":\"hello\",\"protocol\":1,\"server\":\"drover-server "                                           \
    "0.1.0\",\"session\":0,\"role\":\"operator\","                                                           \
    "\"tick\":0,\"time\":0,\"paused\":true,\"scenario\":{\"name\":\"a\",\"size\":[800,400],\"edge\":"        \
    "\"wrap\","                                                                                              \
    "\"tick_hz\":60,\"kinds\":[],\"targets\":[]},\"mqtt\":{\"hz\":30,\"density_hz\":10,\"tiles\":4}}"

static struct mqtt_lines *make(const char *address) {
    struct failure failure = {0};
    struct mqtt_lines *lines = mqtt_lines_create(address, NULL, 1, &failure);
    if (lines == NULL) {
        assert_true(failure.message[0] != '\0');
        assert_null(strstr(failure.message, "secret"));
    }
    return lines;
}

static void addresses_are_read(void **state) {
    static const struct {
        const char *text, *host, *port, *world, *user, *password;
    } rows[] = {
        {"mqtt://host/w", "host", "1883", "w", "", ""},
        {"mqtt://host:18/w", "host", "18", "w", "", ""},
        {"mqtt://ann@[::1]:18/w", "::1", "18", "w", "ann", ""},
        {"mqtt://ann:secret@host/w", "host", "1883", "w", "ann", "secret"},
        {"mqtt://ann:s:/@t@host/w", "host", "1883", "w", "ann", "s:/@t"},
    };
    static const char *const bad[] = {"mqtt://",
                                      "mqtt://host",
                                      "mqtt://host/",
                                      "mqtt:///w",
                                      "mqtt://host/a+",
                                      "mqtt://host:x/w",
                                      "mqtt://a#b:secret@host/w",
                                      "mqtt://host/#",
                                      "mqtt://:secret@h/w"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mqtt_lines *lines = make(rows[i].text);
        assert_non_null(lines);
        assert_string_equal(lines->address.host, rows[i].host);
        assert_string_equal(lines->address.port, rows[i].port);
        assert_string_equal(lines->world, rows[i].world);
        assert_string_equal(lines->user, rows[i].user);
        assert_string_equal(lines->password, rows[i].password);
        mqtt_lines_destroy(lines);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(make(bad[i]));
    }
}

/* ---- a conversation ---- */

static void put_packet(struct buffer *out, unsigned char type, const void *body, size_t length) {
    size_t left = length;
    buffer_append(out, &type, 1);
    do {
        const unsigned char byte = (unsigned char)((left & 127) | (left > 127 ? 128 : 0));
        buffer_append(out, &byte, 1);
        left >>= 7;
    } while (left > 0);
    buffer_append(out, body, length);
}

/* What the broker publishes; one property, which is to be skipped. */
static void put_message(struct buffer *out, bool is_retained, const char *topic, const char *payload) {
    struct buffer body;
    const size_t length = strlen(topic);
    const unsigned char head[] = {(unsigned char)(length >> 8), (unsigned char)length},
                        properties[] = {2, 0x01, 0x01};
    buffer_init(&body, 1 << 16);
    buffer_append(&body, head, sizeof head);
    buffer_append_text(&body, topic);
    buffer_append(&body, properties, sizeof properties);
    buffer_append_text(&body, payload);
    put_packet(out, is_retained ? 0x31 : 0x30, body.data, body.length);
    buffer_fini(&body);
}

static struct drover *begin(struct mqtt_lines *lines) {
    struct drover_options options = DROVER_OPTIONS;
    options.silence_ms = -1;
    struct drover *world = drover_create(&options);
    assert_non_null(world);
    assert_int_equal(drover_advance(world, 1000.0), 0);
    drover_opened(world);
    mqtt_lines_begin(lines);
    return world;
}

static int give(struct mqtt_lines *lines, struct drover *world, const char *bytes, size_t length,
                size_t piece) {
    for (size_t at = 0; at < length; at += piece) {
        buffer_append(&lines->in, bytes + at, length - at < piece ? length - at : piece);
        if (mqtt_lines_give(lines, world) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Whether what goes to the broker has this text; it is gone then. */
static bool has_sent(struct mqtt_lines *lines, const char *text) {
    bool found = false;
    for (size_t i = 0; i + strlen(text) <= lines->out.length; i++) {
        found = found || memcmp(lines->out.data + i, text, strlen(text)) == 0;
    }
    buffer_clear(&lines->out);
    return found;
}

static void put_greeting(struct buffer *out, const char *status) {
    const unsigned char connack[] = {0, 0, 0};
    put_packet(out, 0x20, connack, sizeof connack);
    put_message(out, true, "drover/w/status", status);
    put_message(out, true, "drover/w/hello", HELLO);
}

static void a_world_is_the_same_in_any_pieces(void **state) {
    static const size_t pieces[] = {1, 2, 7, 1 << 16};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct mqtt_lines *lines = make("mqtt://ann:pw@host/w");
        struct drover *world = begin(lines);
        struct buffer bytes;
        buffer_init(&bytes, 1 << 16);
        assert_true(has_sent(lines, "MQTT\x05"));
        put_greeting(&bytes, "online");
        put_message(&bytes, true, "drover/w/scenario", "{\"op\":\"scenario\",\"name\":\"of the hello\"}");
        put_message(&bytes, false, "drover/w/event",
                    "{\"op\":\"event\",\"event\":\"paused\"}"); /* without a subscription */
        assert_int_equal(give(lines, world, bytes.data, bytes.length, pieces[i]), 0);
        assert_int_equal(drover_state(world), DROVER_READY);
        assert_true(has_sent(lines, "drover/w/reply/ann/drover"));

        assert_int_equal(
            drover_send(world, "{\"op\":\"subscribe\",\"layout\":\"packed\",\"region\":[700,0,200,100]}"), 0);
        mqtt_lines_take(lines, world);
        assert_true(has_sent(lines, "drover/w/key/all/3/0")); /* over the edge of the world */
        assert_int_equal(drover_send(world, "{\"op\":\"set_region\",\"id\":1,\"region\":[0,0,700,100]}"), 0);
        mqtt_lines_take(lines, world);
        assert_true(has_sent(lines, "drover/w/delta/all")); /* no tile has it */
        assert_string_equal(lines->form, "all");
        mqtt_lines_destroy(lines);
        drover_close(world);
        buffer_fini(&bytes);
    }
}

static const char *next_code(struct drover *world) {
    enum drover_event event;
    while ((event = drover_next(world)) != DROVER_NOTHING) {
        if (event == DROVER_MESSAGE && drover_message_code(drover_this_message(world)) != NULL) {
            return drover_message_code(drover_this_message(world));
        }
    }
    return "";
}

static void what_the_broker_refuses_has_an_error(void **state) {
    struct mqtt_lines *lines = make("mqtt://host/w");
    struct drover *world = begin(lines);
    struct buffer bytes;
    buffer_init(&bytes, 1 << 16);
    put_greeting(&bytes, "online");
    assert_int_equal(give(lines, world, bytes.data, bytes.length, 64), 0);
    for (unsigned reason = 0; reason < 3; reason++) {
        static const unsigned char reasons[] = {0x00, 0x10, 0x87};
        static const char *const codes[] = {"", "busy", "denied"};
        assert_int_not_equal(drover_request(world, "{\"op\":\"pause\"}"), 0);
        mqtt_lines_take(lines, world);
        assert_true(has_sent(lines, "drover/w/cmd/anonymous/drover"));
        const unsigned char puback[] = {(unsigned char)(lines->packets >> 8), (unsigned char)lines->packets,
                                        reasons[reason]};
        buffer_clear(&bytes);
        put_packet(&bytes, 0x40, puback, sizeof puback);
        assert_int_equal(give(lines, world, bytes.data, bytes.length, 1), 0);
        assert_string_equal(next_code(world), codes[reason]);
    }
    mqtt_lines_destroy(lines);
    drover_close(world);
    buffer_fini(&bytes);
}

static void offline_worlds_and_odd_packets_end_the_connection(void **state) {
    static const struct {
        const char *bytes;
        size_t length;
    } rows[] = {{"\x30\xFF\xFF\xFF\xFF\x7F", 6}, {"\x30\x02\x00\x09", 4}, {"\x30\x05\x00\x01w\x09x", 7},
                {"\x20\x03\x00\x84\x00", 5},     {"\xE0\x00", 2},         {"\x30\xFF\xFF\xFF\x7F", 5}};
    struct buffer bytes;
    buffer_init(&bytes, 1 << 16);
    put_greeting(&bytes, "offline");
    for (size_t i = 0; i <= sizeof rows / sizeof *rows; i++) {
        struct mqtt_lines *lines = make("mqtt://host/w");
        struct drover *world = begin(lines);
        const bool is_offline = i == sizeof rows / sizeof *rows;
        assert_int_equal(is_offline ? give(lines, world, bytes.data, bytes.length, 9)
                                    : give(lines, world, rows[i].bytes, rows[i].length, 9),
                         -1);
        assert_int_equal(drover_state(world), DROVER_WAITING);
        assert_true(drover_reason(world)[0] != '\0');
        mqtt_lines_destroy(lines);
        drover_close(world);
    }
    buffer_fini(&bytes);
}

/* Whatever a broker sends, nothing is read outside the bytes that came (AddressSanitizer says so). */
static void random_bytes_do_no_harm(void **state) {
    uint64_t seed = 1;
    for (int round = 0; round < 2000; round++) {
        struct mqtt_lines *lines = make("mqtt://host/w");
        struct drover *world = begin(lines);
        char bytes[64];
        for (size_t i = 0; i < sizeof bytes; i++) {
            static const unsigned char types[] = {0x20, 0x30, 0x31, 0x32, 0x40, 0x90, 0xD0};
            seed = seed * UINT64_C(6364136223846793005) + 1;
            bytes[i] = (char)(i % 9 == 0   ? types[(seed >> 40) % sizeof types]
                              : i % 9 == 1 ? (int)((seed >> 40) % 20)
                                           : (int)(seed >> 56));
        }
        (void)give(lines, world, bytes, sizeof bytes, 1 + (size_t)(seed >> 60));
        mqtt_lines_destroy(lines);
        drover_close(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read),
        cmocka_unit_test(a_world_is_the_same_in_any_pieces),
        cmocka_unit_test(what_the_broker_refuses_has_an_error),
        cmocka_unit_test(offline_worlds_and_odd_packets_end_the_connection),
        cmocka_unit_test(random_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
