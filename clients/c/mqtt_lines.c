/* See mqtt_lines.h. The packets are those of MQTT 5 (OASIS, 2019), chapter 3. */
#include "clients/c/mqtt_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/c/handle.h"
#include "common/json/json_writer.h"

enum {
    CONNECT = 0x10,
    CONNACK = 0x20,
    PUBLISH = 0x30,
    PUBLISH_ONCE = 0x32, /* with an identifier: the broker says whether it took it */
    PUBACK = 0x40,
    SUBSCRIBE = 0x82,
    UNSUBSCRIBE = 0xA2,
    PINGREQ = 0xC0,
    PINGRESP = 0xD0,
    DISCONNECT = 0xE0
};
enum { NO_SUBSCRIBERS = 0x10, FAILED = 0x80, BAD_PASSWORD = 0x86, NOT_AUTHORIZED = 0x87 }; /* reason codes */
enum { KEEP_ALIVE_S = 30, HEAD_BYTES = 1024, OUT_BYTES = 4 * 1024 * 1024, AHEAD_BYTES = 256 * 1024 };

#define PREFIX "mqtt://"

/* ---- the address ---- */

/* One level of a topic, and no wildcard. */
static bool is_level(const char *text) {
    return text[0] != '\0' && strpbrk(text, "+#/") == NULL;
}

static bool copy(char *out, size_t size, const char *from, size_t length) {
    if (length >= size) {
        return false;
    }
    memcpy(out, from, length);
    out[length] = '\0';
    return true;
}

static int read_address(struct mqtt_lines *lines, const char *text, struct failure *failure) {
    const char *begin = text + strlen(PREFIX), *slash = strrchr(begin, '/'), *host = begin;
    char authority[sizeof lines->address.host + 8];
    for (const char *at = begin; slash != NULL && at < slash; at++) {
        host = *at == '@' ? at + 1 : host; /* a password may have one */
    }
    const size_t user_length = host == begin ? 0 : strcspn(begin, ":@");
    const char *password = begin + user_length + 1;
    const bool has_password = host != begin && password < host;
    if (slash == NULL || !copy(authority, sizeof authority, host, (size_t)(slash - host)) ||
        !copy(lines->world, sizeof lines->world, slash + 1, strlen(slash + 1)) || !is_level(lines->world) ||
        (has_password &&
         !copy(lines->password, sizeof lines->password, password, (size_t)(host - password) - 1)) ||
        (host != begin &&
         (!copy(lines->user, sizeof lines->user, begin, user_length) || !is_level(lines->user)))) {
        return failure_set(
            failure, FAILURE_BAD_PARAM, NULL,
            "invalid address of a broker; expected mqtt://HOST/NAME or mqtt://USER:PASSWORD@HOST:PORT/NAME");
    }
    (void)snprintf(lines->address.port, sizeof lines->address.port, "1883");
    return address_parse(authority, &lines->address, failure);
}

struct mqtt_lines *mqtt_lines_create(const char *address, const char *password, uint64_t seed,
                                     struct failure *failure) {
    struct mqtt_lines *lines = calloc(1, sizeof *lines);
    if (lines == NULL) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    buffer_init(&lines->in, CLIENT_LINE_BYTES + (size_t)AHEAD_BYTES * 2);
    buffer_init(&lines->out, OUT_BYTES);
    buffer_init(&lines->answers, OUT_BYTES);
    (void)snprintf(lines->client, sizeof lines->client, "drover%016" PRIx64,
                   seed * UINT64_C(0x9E3779B97F4A7C15));
    if (read_address(lines, address, failure) != 0) {
        mqtt_lines_destroy(lines);
        return NULL;
    }
    if (lines->password[0] == '\0' && password != NULL) {
        (void)snprintf(lines->password, sizeof lines->password, "%s", password);
    }
    return lines;
}

void mqtt_lines_destroy(struct mqtt_lines *lines) {
    if (lines != NULL) {
        buffer_fini(&lines->in);
        buffer_fini(&lines->out);
        buffer_fini(&lines->answers);
        free(lines);
    }
}

/* ---- packets for the broker ---- */

static void put_short(struct buffer *out, size_t value) {
    const unsigned char bytes[] = {(unsigned char)(value >> 8), (unsigned char)value};
    buffer_append(out, bytes, sizeof bytes);
}

static void put_text(struct buffer *out, const char *text) {
    put_short(out, strlen(text));
    buffer_append_text(out, text);
}

static void put_byte(struct buffer *out, unsigned value) {
    const unsigned char byte = (unsigned char)value;
    buffer_append(out, &byte, 1);
}

static uint16_t next_packet(struct mqtt_lines *lines) {
    lines->packets = lines->packets == UINT16_MAX ? 1 : (uint16_t)(lines->packets + 1);
    return lines->packets;
}

/* Its type, the length of what follows, which is the head and the payload. The head is emptied. */
static void put_packet(struct mqtt_lines *lines, unsigned type, struct buffer *head, const char *payload,
                       size_t length) {
    size_t left = head->length + length;
    put_byte(&lines->out, type);
    do {
        put_byte(&lines->out, (unsigned)(left & 127) | (left > 127 ? 128 : 0));
        left >>= 7;
    } while (left > 0);
    buffer_append(&lines->out, head->data, head->length);
    buffer_append(&lines->out, payload, length);
    buffer_fini(head);
}

static struct buffer begin_head(void) {
    struct buffer head;
    buffer_init(&head, 2 * (size_t)HEAD_BYTES);
    return head;
}

static void put_topic(const struct mqtt_lines *lines, struct buffer *head, const char *kind,
                      const char *rest) {
    char topic[2 * MQTT_TOPIC_BYTES];
    (void)snprintf(topic, sizeof topic, "drover/%s/%s%s", lines->world, kind, rest);
    put_text(head, topic);
}

static void ping(struct mqtt_lines *lines) {
    static const unsigned char packet[] = {PINGREQ, 0};
    buffer_append(&lines->out, packet, sizeof packet);
}

/* The key first: a delta needs it. */
static void put_form(struct mqtt_lines *lines, unsigned type, const char *form) {
    struct buffer head = begin_head();
    if (form[0] == '\0') {
        return;
    }
    put_short(&head, next_packet(lines));
    put_byte(&head, 0);
    put_topic(lines, &head, "key/", form);
    if (type == SUBSCRIBE) {
        put_byte(&head, 0);
    }
    put_topic(lines, &head, "delta/", form);
    if (type == SUBSCRIBE) {
        put_byte(&head, 0);
    }
    put_packet(lines, type, &head, NULL, 0);
}

static const char *user_of(const struct mqtt_lines *lines) {
    return lines->user[0] != '\0' ? lines->user : "anonymous";
}

/* Begins with what is retained of the world: whether it is there, and then how it is. */
static void subscribe_world(struct mqtt_lines *lines) {
    static const char *const topics[] = {"status", "event", "scenario", "hello"};
    struct buffer head = begin_head();
    char reply[MQTT_TOPIC_BYTES / 2];
    (void)snprintf(reply, sizeof reply, "%s/%s", user_of(lines), lines->client);
    put_short(&head, next_packet(lines));
    put_byte(&head, 0);
    put_topic(lines, &head, "reply/", reply);
    put_byte(&head, 0);
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        put_topic(lines, &head, topics[i], "");
        put_byte(&head, 0);
    }
    put_packet(lines, SUBSCRIBE, &head, NULL, 0);
}

void mqtt_lines_begin(struct mqtt_lines *lines) {
    const bool has_user = lines->user[0] != '\0', has_password = has_user && lines->password[0] != '\0';
    struct buffer head = begin_head();
    buffer_clear(&lines->in);
    buffer_clear(&lines->out);
    buffer_clear(&lines->answers);
    memset(lines->waiting, 0, sizeof lines->waiting);
    lines->role[0] = lines->form[0] = '\0';
    lines->is_subscribed = false;
    put_text(&head, "MQTT");
    put_byte(&head, 5);
    put_byte(&head, 2u | (has_user ? 128u : 0u) |
                        (has_password ? 64u : 0u)); /* 2: nothing is left of an earlier session */
    put_short(&head, KEEP_ALIVE_S);
    put_byte(&head, 0);
    put_text(&head, lines->client);
    if (has_user) {
        put_text(&head, lines->user);
    }
    if (has_password) {
        put_text(&head, lines->password);
    }
    put_packet(lines, CONNECT, &head, NULL, 0);
}

/* ---- requests ---- */

static const char *text_of(const cJSON *json, const char *key) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsString(value) ? value->valuestring : "";
}

static double number_at(const cJSON *array, int index) {
    const cJSON *value = cJSON_GetArrayItem(array, index);
    return cJSON_IsNumber(value) ? value->valuedouble : 0.0;
}

/* The tile that has a region: it begins at the cell in which the region begins, and is two cells wide and high. "" when none has all of it. */
static void find_tile(const struct mqtt_lines *lines, const cJSON *region, char *out, size_t size) {
    const double across = lines->width / lines->tiles, down = lines->height / lines->tiles;
    const double x = number_at(region, 0), y = number_at(region, 1);
    const double column = floor(x / across), row = floor(y / down);
    const bool is_inside = x >= 0.0 && y >= 0.0 && x + number_at(region, 2) <= lines->width &&
                           y + number_at(region, 3) <= lines->height;
    out[0] = '\0';
    if (lines->tiles > 0 && cJSON_GetArraySize(region) == 4 && (lines->wraps || is_inside) &&
        x + number_at(region, 2) <= (column + 2.0) * across &&
        y + number_at(region, 3) <= (row + 2.0) * down) {
        (void)snprintf(out, size, "/%.0f/%.0f", column - floor(column / lines->tiles) * lines->tiles,
                       row - floor(row / lines->tiles) * lines->tiles);
    }
}

static void choose_form(struct mqtt_lines *lines, const char *whole, const cJSON *region) {
    char form[sizeof lines->form], tile[16];
    find_tile(lines, region, tile, sizeof tile);
    (void)snprintf(form, sizeof form, "%s%s", whole, whole[0] != '\0' ? tile : "");
    if (strcmp(form, lines->form) != 0) {
        put_form(lines, UNSUBSCRIBE, lines->form);
        (void)snprintf(lines->form, sizeof lines->form, "%s", form);
        put_form(lines, SUBSCRIBE, form);
    }
}

static struct json_writer begin_answer(struct mqtt_lines *lines, const cJSON *request) {
    struct json_writer json = json_writer_begin(&lines->answers);
    char id[ID_TEXT_BYTES];
    json_object(&json);
    json_key_string(&json, "op", "reply");
    json_key_string(&json, "to", text_of(request, "op"));
    if (id_text_read(cJSON_GetObjectItemCaseSensitive(request, "id"), id)) {
        json_key(&json, "id");
        json_raw(&json, id);
    }
    return json;
}

static void end_answer(struct mqtt_lines *lines, struct json_writer *json) {
    json_end(json);
    buffer_append_text(&lines->answers, "\n");
    ping(lines);
}

static void answer_subscribe(struct mqtt_lines *lines, const cJSON *request) {
    const char *layout = text_of(request, "layout");
    const bool is_density = strcmp(layout, "density") == 0, is_events = strcmp(layout, "events") == 0;
    struct json_writer json = begin_answer(lines, request);
    json_key_string(&json, "layout", is_density ? "density" : is_events ? "events" : "packed");
    if (!is_events) {
        json_key_number(&json, "hz", lines->hz);
    }
    if (!is_events && !is_density) {
        json_key(&json, "fields");
        json_raw(&json, "[\"pos\",\"vel\",\"heading\",\"state\",\"kind\"]");
    }
    end_answer(lines, &json);
    lines->is_subscribed = true;
    choose_form(lines,
                is_density  ? "density"
                : is_events ? ""
                            : "all",
                cJSON_GetObjectItemCaseSensitive(request, "region"));
}

static void answer_region(struct mqtt_lines *lines, const cJSON *request) {
    struct json_writer json = begin_answer(lines, request);
    char whole[sizeof lines->form];
    (void)snprintf(whole, sizeof whole, "%.*s", (int)strcspn(lines->form, "/"), lines->form);
    end_answer(lines, &json);
    choose_form(lines, whole, cJSON_GetObjectItemCaseSensitive(request, "region"));
}

static void answer_other(struct mqtt_lines *lines, const cJSON *request, const char *op) {
    struct json_writer json = begin_answer(lines, request);
    const cJSON *t0 = cJSON_GetObjectItemCaseSensitive(request, "t0");
    if (strcmp(op, "hello") == 0) {
        json_key_unsigned(&json, "protocol", DROVER_PROTOCOL);
        json_key_string(&json, "role", lines->role);
        json_key_string(&json, "name", text_of(request, "name"));
    } else if (cJSON_IsNumber(t0)) {
        json_key_number(&json, "t0", t0->valuedouble);
    }
    end_answer(lines, &json);
    if (strcmp(op, "resync") == 0) {
        put_form(lines, SUBSCRIBE, lines->form); /* what is retained comes once more */
    } else if (strcmp(op, "unsubscribe") == 0) {
        choose_form(lines, "", NULL);
        lines->is_subscribed = false;
    }
}

/* The request as a message. One with an id asks the broker whether it took it. */
static void publish(struct mqtt_lines *lines, const cJSON *request, const char *line, size_t length) {
    struct buffer head = begin_head();
    char suffix[MQTT_TOPIC_BYTES / 2], id[ID_TEXT_BYTES];
    const bool has_id = id_text_read(cJSON_GetObjectItemCaseSensitive(request, "id"), id);
    (void)snprintf(suffix, sizeof suffix, "%s/%s", user_of(lines), lines->client);
    put_topic(lines, &head, "cmd/", suffix);
    if (has_id) {
        const uint16_t packet = next_packet(lines);
        (void)snprintf(lines->waiting[packet % MQTT_WAITING], sizeof *lines->waiting, "%s", id);
        put_short(&head, packet);
    }
    put_byte(&head, 0);
    put_packet(lines, has_id ? PUBLISH_ONCE : PUBLISH, &head, line, length);
}

static void take_line(struct mqtt_lines *lines, const char *line, size_t length) {
    cJSON *request = cJSON_ParseWithLength(line, length);
    const char *op = text_of(request, "op");
    if (strcmp(op, "subscribe") == 0) {
        answer_subscribe(lines, request);
    } else if (strcmp(op, "set_region") == 0) {
        answer_region(lines, request);
    } else if (strcmp(op, "hello") == 0 || strcmp(op, "unsubscribe") == 0 || strcmp(op, "resync") == 0 ||
               strcmp(text_of(request, "id"), "~ping") == 0) {
        answer_other(lines, request, op);
    } else {
        publish(lines, request, line, length);
    }
    cJSON_Delete(request);
}

void mqtt_lines_take(struct mqtt_lines *lines, struct drover *world) {
    size_t length = 0;
    const char *bytes = NULL, *end = NULL;
    while (lines->out.length < AHEAD_BYTES && (bytes = drover_output(world, &length)) != NULL &&
           (end = memchr(bytes, '\n', length)) != NULL) {
        const size_t size = (size_t)(end - bytes);
        take_line(lines, bytes, size);
        drover_sent(world, size + 1);
    }
}

/* ---- what the broker sends ---- */

static int give_up(struct drover *world, const char *reason) {
    drover_lost(world, reason);
    return -1;
}

static int feed_line(struct drover *world, const char *bytes, size_t length) {
    return drover_feed(world, bytes, length) != 0 || drover_feed(world, "\n", 1) != 0 ? -1 : 0;
}

static void read_world(struct mqtt_lines *lines, const cJSON *scenario) {
    const cJSON *size = cJSON_GetObjectItemCaseSensitive(scenario, "size");
    lines->width = number_at(size, 0);
    lines->height = number_at(size, 1);
    lines->wraps = strcmp(text_of(scenario, "edge"), "wrap") == 0;
}

static int give_hello(struct mqtt_lines *lines, struct drover *world, const char *bytes, size_t length) {
    cJSON *hello = cJSON_ParseWithLength(bytes, length);
    const cJSON *about = cJSON_GetObjectItemCaseSensitive(hello, "mqtt");
    const cJSON *hz = cJSON_GetObjectItemCaseSensitive(about, "hz");
    const cJSON *tiles = cJSON_GetObjectItemCaseSensitive(about, "tiles");
    (void)snprintf(lines->role, sizeof lines->role, "%s", text_of(hello, "role"));
    lines->hz = cJSON_IsNumber(hz) ? hz->valuedouble : 0.0;
    lines->tiles = cJSON_IsNumber(tiles) && tiles->valuedouble >= 1.0 && tiles->valuedouble <= 99.0
                       ? (uint32_t)tiles->valuedouble
                       : 0;
    read_world(lines, cJSON_GetObjectItemCaseSensitive(hello, "scenario"));
    cJSON_Delete(hello);
    return feed_line(world, bytes, length);
}

static int give_scenario(struct mqtt_lines *lines, struct drover *world, const char *bytes, size_t length) {
    cJSON *scenario = cJSON_ParseWithLength(bytes, length);
    read_world(lines, scenario);
    cJSON_Delete(scenario);
    return feed_line(world, bytes, length);
}

static bool is_frame_of(const char *form, const char *topic) {
    const size_t skip = strncmp(topic, "key/", 4) == 0 ? 4 : strncmp(topic, "delta/", 6) == 0 ? 6 : 0;
    return skip > 0 && form[0] != '\0' && strcmp(topic + skip, form) == 0;
}

/* topic: below drover/NAME/. */
static int give_message(struct mqtt_lines *lines, struct drover *world, const char *topic, bool is_retained,
                        const char *bytes, size_t length) {
    const bool has_hello = lines->role[0] != '\0';
    if (strcmp(topic, "status") == 0) {
        return length == 6 && memcmp(bytes, "online", length) == 0
                   ? 0
                   : give_up(world, "the world is offline: drover-mqtt or its server has gone");
    }
    if (strcmp(topic, "hello") == 0) {
        return has_hello ? 0 : give_hello(lines, world, bytes, length);
    }
    if (!has_hello) {
        return 0;
    }
    if (strcmp(topic, "scenario") == 0) {
        return is_retained ? 0 : give_scenario(lines, world, bytes, length); /* hello has what is retained */
    }
    const bool is_wanted = strncmp(topic, "reply/", 6) == 0 ||
                           (lines->is_subscribed && strcmp(topic, "event") == 0) ||
                           is_frame_of(lines->form, topic);
    return is_wanted ? feed_line(world, bytes, length) : 0;
}

/* A number of 7 bits a byte; *at moves behind it. -1 when it does not end within `length` or 4 bytes. */
static int64_t read_length(const unsigned char *bytes, size_t length, size_t *at) {
    int64_t value = 0;
    for (int i = 0; i < 4 && *at < length; i++) {
        const unsigned char byte = bytes[(*at)++];
        value |= (int64_t)(byte & 127) << (7 * i);
        if (byte < 128) {
            return value;
        }
    }
    return -1;
}

static int give_publish(struct mqtt_lines *lines, struct drover *world, bool is_retained,
                        const unsigned char *body, size_t length) {
    char topic[MQTT_TOPIC_BYTES], own[MQTT_TOPIC_BYTES];
    const size_t topic_length = length >= 2 ? (size_t)body[0] << 8 | body[1] : length;
    size_t at = topic_length + 2;
    const int64_t properties = at <= length ? read_length(body, length, &at) : -1;
    if (properties < 0 || (size_t)properties > length - at) {
        return give_up(world, "the broker sent a packet that cannot be read");
    }
    const int own_length = snprintf(own, sizeof own, "drover/%s/", lines->world);
    if (!copy(topic, sizeof topic, (const char *)body + 2, topic_length) ||
        strncmp(topic, own, (size_t)own_length) != 0) {
        return 0;
    }
    at += (size_t)properties;
    return give_message(lines, world, topic + own_length, is_retained, (const char *)body + at, length - at);
}

/* The broker has taken a request, or has not. */
static int give_puback(struct mqtt_lines *lines, struct drover *world, const unsigned char *body,
                       size_t length) {
    const unsigned reason = length > 2 ? body[2] : 0;
    char *waiting = length >= 2 ? lines->waiting[((unsigned)body[0] << 8 | body[1]) % MQTT_WAITING] : NULL;
    struct buffer line;
    int result = 0;
    if (waiting == NULL || waiting[0] == '\0') {
        return 0;
    }
    if (reason >= FAILED || reason == NO_SUBSCRIBERS) {
        buffer_init(&line, HEAD_BYTES);
        buffer_printf(&line, "{\"op\":\"error\",\"id\":%s,\"code\":\"%s\",\"message\":\"%s\"}\n", waiting,
                      reason == NO_SUBSCRIBERS ? "busy" : "denied",
                      reason == NO_SUBSCRIBERS
                          ? "nobody takes requests at the broker now: drover-mqtt is away"
                          : "the broker's access list does not allow you to send requests to this world");
        result = line.failed ? 0 : drover_feed(world, line.data, line.length);
        buffer_fini(&line);
    }
    waiting[0] = '\0';
    return result;
}

static int give_connack(struct mqtt_lines *lines, struct drover *world, const unsigned char *body,
                        size_t length) {
    const unsigned reason = length >= 2 ? body[1] : FAILED;
    if (reason == 0) {
        subscribe_world(lines);
        return 0;
    }
    if (reason == BAD_PASSWORD || reason == NOT_AUTHORIZED) {
        handle_say(world, "the broker refuses %s%s",
                   lines->user[0] != '\0' ? "the password of user " : "clients without a user and password",
                   lines->user);
        handle_end(world, DROVER_REFUSED);
        return -1;
    }
    char text[64];
    (void)snprintf(text, sizeof text, "the broker refuses MQTT 5 (reason code %u)", reason);
    return give_up(world, text);
}

static int give_packet(struct mqtt_lines *lines, struct drover *world, unsigned head,
                       const unsigned char *body, size_t length) {
    int result = 0;
    switch (head & 0xF0) {
    case CONNACK:
        return give_connack(lines, world, body, length);
    case PUBLISH:
        return give_publish(lines, world, (head & 1) != 0, body, length);
    case PUBACK:
        return give_puback(lines, world, body, length);
    case PINGRESP:
        result =
            lines->answers.length > 0 ? drover_feed(world, lines->answers.data, lines->answers.length) : 0;
        buffer_clear(&lines->answers);
        return result;
    case DISCONNECT:
        return give_up(world, "the broker closed the connection");
    default:
        return 0; /* of a subscription: what it brings says more */
    }
}

int mqtt_lines_give(struct mqtt_lines *lines, struct drover *world) {
    const unsigned char *bytes = (const unsigned char *)lines->in.data;
    size_t begin = 0;
    while (lines->in.length > begin + 1) {
        size_t at = begin + 1;
        const int64_t length = read_length(bytes, lines->in.length, &at);
        if (length > CLIENT_LINE_BYTES || (length < 0 && at == begin + 5)) {
            return give_up(world, "the broker sent a packet without end");
        }
        if (length < 0 || (size_t)length > lines->in.length - at) {
            break;
        }
        if (give_packet(lines, world, bytes[begin], bytes + at, (size_t)length) != 0) {
            return -1;
        }
        begin = at + (size_t)length;
    }
    if (begin > 0) {
        memmove(lines->in.data, lines->in.data + begin, lines->in.length - begin);
        lines->in.length -= begin;
    }
    return 0;
}

void mqtt_lines_explain(const struct mqtt_lines *lines, struct drover *world) {
    if (lines->role[0] == '\0') {
        handle_say(world,
                   "the broker has no world \"%s\" for user %s: no drover-mqtt publishes it, or an access "
                   "list hides it",
                   lines->world, user_of(lines));
    }
}
