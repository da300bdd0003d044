/* See handle.h. */
#include "clients/c/handle.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/c/include/drover/drover.h"
#include "common/base/utf8.h"
#include "common/json/json_writer.h"
#include "common/text/base64.h"

static const double share = 0.7, growth = 1.25, nearly = 0.9, most_frame_ms = 500.0;

void pace_init(struct pace *pace) {
    *pace = (struct pace){.limit_hz = HUGE_VAL, .least_ms = HUGE_VAL, .late_hz = HUGE_VAL};
}

void pace_frame(struct pace *pace) {
    pace->frames++;
}

double pace_hz(const struct pace *pace, double wish_hz) {
    return fmin(wish_hz, pace->is_late ? PACE_LATE_HZ : pace->limit_hz);
}

static void set_limit(struct pace *pace, double wish_hz, double hz, double now_ms) {
    pace->limit_hz = hz >= wish_hz ? HUGE_VAL : fmax(round(hz * 100.0) / 100.0, PACE_LEAST_HZ);
    pace->since_ms = now_ms;
    pace->frames = 0;
}

static void fall(struct pace *pace, double wish_hz, double now_ms) {
    pace->late_hz = pace_hz(pace, wish_hz);
    pace->is_late = true;
    set_limit(pace, wish_hz, PACE_LEAST_HZ, now_ms);
}

static void settle(struct pace *pace, double wish_hz, double now_ms) {
    const double came_hz = pace->frames * 1000.0 / fmax(now_ms - pace->since_ms, 1.0);
    pace->is_late = false;
    if (pace->frames == 0) {
        set_limit(pace, wish_hz, pace->late_hz, now_ms);
        return;
    }
    pace->frame_ms = fmin(1000.0 / came_hz, most_frame_ms);
    pace->late_hz = fmin(pace->late_hz, came_hz);
    set_limit(pace, wish_hz, share * came_hz, now_ms);
}

static void rise(struct pace *pace, double wish_hz, double now_ms) {
    const double next_hz = growth * pace->limit_hz;
    const bool is_daring = next_hz >= nearly * pace->late_hz;
    if (now_ms - pace->since_ms >= (is_daring ? PACE_DARE_MS : PACE_RISE_MS)) {
        pace->late_hz = is_daring ? HUGE_VAL : pace->late_hz;
        set_limit(pace, wish_hz, next_hz, now_ms);
    }
}

void pace_ping(struct pace *pace, double wish_hz, double now_ms, double trip_ms, bool is_back) {
    pace->least_ms = is_back ? fmin(pace->least_ms, trip_ms) : pace->least_ms;
    const double lag_ms = pace->least_ms < HUGE_VAL ? trip_ms - pace->least_ms : trip_ms;
    const double calm_ms = PACE_CALM_MS + pace->frame_ms;
    if (!pace->is_late && lag_ms > PACE_LATE_MS + pace->frame_ms / 2.0) {
        fall(pace, wish_hz, now_ms);
    } else if (pace->is_late && is_back && lag_ms < calm_ms) {
        settle(pace, wish_hz, now_ms);
    } else if (!pace->is_late && lag_ms >= calm_ms) {
        pace->since_ms = now_ms;
    } else if (!pace->is_late && is_back && pace->limit_hz < HUGE_VAL) {
        rise(pace, wish_hz, now_ms);
    }
}

/* ---- handle ---- */

#define PING_ID   "\"~ping\""
#define RESYNC_ID "\"~resync\""

enum {
    TIMEOUT_MS = 10000,
    SILENCE_MS = 5000,
    PING_EVERY_MS = 1000,
    PING_BRISK_MS = 250, /* the same while frames may come late */
    BRISK_MS = 5000,
    LOOK_EVERY_MS = 100, /* at a ping that waits */
    AWAY_MS = 200,
    RESYNC_EVERY_MS = 1000
};

const char *drover_version(void) {
    return DROVER_VERSION;
}

/* ---- words and states ---- */

void handle_say(struct drover *world, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(world->reason, sizeof world->reason, format, arguments);
    va_end(arguments);
}

static void set_state(struct drover *world, enum drover_state state) {
    if (world->state != state) {
        world->state = state;
        if (event_list_add_link(&world->events) != 0) {
            return; /* without memory drover_state alone says it */
        }
    }
}

static void refresh(struct drover *world) {
    if (world->carrier != NULL) {
        world->now_ms = fmax(world->now_ms, world->carrier->now_ms());
    }
}

enum drover_state drover_state(const struct drover *world) {
    return world->state;
}

const char *drover_reason(const struct drover *world) {
    return world->reason;
}

int drover_errno(const struct drover *world) {
    return world->problem;
}

double drover_ping_ms(const struct drover *world) {
    const unsigned kept = world->ping_count < HANDLE_PINGS ? world->ping_count : HANDLE_PINGS;
    double least = kept > 0 ? world->pings_ms[0] : -1.0;
    for (unsigned i = 1; i < kept; i++) {
        least = fmin(least, world->pings_ms[i]);
    }
    return least;
}

double drover_paced_hz(const struct drover *world) {
    return world->asked_hz < world->standing.hz ? world->asked_hz : -1.0;
}

unsigned drover_connections(const struct drover *world) {
    return world->connections;
}

uint64_t drover_bytes(const struct drover *world) {
    return world->bytes;
}

/* ---- answers ---- */

/* The message becomes the queue's, or the answer that drover_ask waits for. */
static void deliver(struct drover *world, struct drover_message *message, const struct request_entry *entry) {
    if (message == NULL) {
        return;
    }
    message->ticket = entry != NULL && entry->has_ticket ? entry->ticket : 0;
    if (entry != NULL && entry->is_asked) {
        drover_message_free(world->answer);
        world->answer = message;
    } else if (event_list_add(&world->events, message) != 0) {
        handle_say(world, "out of memory: a message is lost");
    }
}

/* An answer of the library's own. The entry is freed. */
static void answer(struct drover *world, struct request_entry *entry, const char *code, const char *text) {
    deliver(world, line_message_error(entry->id, code, text), entry);
    request_entry_free(entry);
}

static void keep_standing(struct drover *world, const struct request_entry *entry) {
    if (standing_take(&world->standing, entry) != 0) {
        handle_say(world, "out of memory: a subscription will not be renewed");
    }
}

static void answer_lost(struct drover *world, struct request_entry *entry) {
    char text[HANDLE_REASON_BYTES + 128];
    (void)snprintf(text, sizeof text, "the connection is gone (%s); the request may have taken effect",
                   world->reason);
    keep_standing(world, entry); /* the next connection asks for it */
    if (entry->id[0] != '\0') {
        answer(world, entry, "lost", text);
    } else {
        request_entry_free(entry);
    }
}

static void answer_unsent(struct drover *world, struct request_entry *entry) {
    char text[HANDLE_REASON_BYTES + 64];
    (void)snprintf(text, sizeof text, "the request was not sent: %s",
                   world->reason[0] != '\0' ? world->reason : "there is no connection");
    answer(world, entry, "unsent", text);
}

static void expire(struct drover *world) {
    struct request_entry *entry;
    while ((entry = request_book_expire(&world->book, world->now_ms)) != NULL) {
        if (!entry->is_out) {
            answer_unsent(world, entry);
        } else if (entry->id[0] == '\0') {
            request_entry_free(entry);
        } else {
            answer(world, entry, "timeout", "no answer came in time; the request may still take effect");
        }
    }
}

/* ---- the end of a connection ---- */

static void lose_requests(struct drover *world) {
    struct request_entry *entry;
    while ((entry = request_book_lose(&world->book)) != NULL) {
        answer_lost(world, entry);
    }
}

static void close_session(struct drover *world) {
    world->is_open = false;
    world->quiet_ms = HUGE_VAL;
    world->ping_count = 0;
    world->ping_out_ms = HUGE_VAL;
    pace_init(&world->pace);
    lose_requests(world);
    client_decoder_reset(world->decoder);
}

void handle_end(struct drover *world, enum drover_state state) {
    struct request_entry *entry;
    close_session(world);
    while ((entry = request_book_take(&world->book)) != NULL) {
        answer_unsent(world, entry);
    }
    set_state(world, state);
}

static double backoff_ms(unsigned attempt) {
    static const double waits[] = {250.0, 500.0, 1000.0, 2000.0, 4000.0, 5000.0};
    const unsigned last = sizeof waits / sizeof waits[0] - 1;
    return waits[attempt < last ? attempt : last];
}

void drover_lost(struct drover *world, const char *reason) {
    const bool tries_again = world->options.reconnect == DROVER_RECONNECT_ALWAYS ||
                             (world->options.reconnect == DROVER_RECONNECT_LATER && world->connections > 0);
    if (world->state != DROVER_READY && world->state != DROVER_CONNECTING) {
        return; /* that is known */
    }
    handle_say(world, "%s", world->farewell[0] != '\0' ? world->farewell : reason);
    if (!tries_again) {
        handle_end(world, DROVER_ENDED);
        return;
    }
    close_session(world);
    world->retry_ms = world->now_ms + fmax(backoff_ms(world->attempt++), world->retry_s * 1000.0);
    set_state(world, DROVER_WAITING);
}

/* For `return`: the connection is to be closed. */
static int lose(struct drover *world, const char *reason) {
    drover_lost(world, reason);
    return -1;
}

static int refuse(struct drover *world, const char *reason) {
    handle_say(world, "%s", reason);
    handle_end(world, DROVER_REFUSED);
    return -1;
}

/* ---- messages ---- */

static bool field_is(const struct drover_message *message, const char *path, const char *text) {
    const char *value = drover_message_string(message, path);
    return value != NULL && strcmp(value, text) == 0;
}

static int take_hello(struct drover *world, const struct drover_message *message) {
    char reason[128];
    const double protocol = drover_message_number(message, "protocol", 0.0);
    if (protocol != DROVER_PROTOCOL) {
        (void)snprintf(reason, sizeof reason, "the server speaks protocol %.0f, this library %d", protocol,
                       DROVER_PROTOCOL);
        return refuse(world, reason);
    }
    if (field_is(message, "role", "none") && !standing_has_token(&world->standing)) {
        return refuse(world, "the server wants a token");
    }
    world->connections++;
    world->attempt = 0;
    world->retry_s = 0.0;
    world->reason[0] = '\0';
    world->ping_due_ms = world->now_ms;
    set_state(world, DROVER_READY);
    standing_write(&world->standing, world->options.renew >= 0, &world->book.output);
    world->asked_hz = world->standing.hz = world->options.renew >= 0 ? world->standing.hz : 0.0;
    return 0;
}

static int take_bye(struct drover *world, const struct drover_message *message) {
    const char *text = drover_message_string(message, "message");
    (void)snprintf(world->farewell, sizeof world->farewell, "%s",
                   text != NULL ? text : "the server said bye");
    world->retry_s = fmin(fmax(drover_message_number(message, "retry_s", 0.0), 0.0), 3600.0);
    return field_is(message, "reason", "auth") ? refuse(world, world->farewell) : 0;
}

/* ---- the pace of frames ---- */

static double ping_every_ms(const struct drover *world) {
    const bool is_brisk = world->standing.hz > 0.0 && world->options.fixed_hz == 0 &&
                          (world->now_ms < world->brisk_ms || world->pace.limit_hz < HUGE_VAL);
    return is_brisk ? PING_BRISK_MS : PING_EVERY_MS;
}

/* What the ping that was sent then tells: its answer, or that there is none yet. */
static void note_trip(struct drover *world, double sent_ms, bool is_back) {
    if (sent_ms >= world->away_ms && world->standing.hz > 0.0) {
        pace_ping(&world->pace, world->standing.hz, world->now_ms, world->now_ms - sent_ms, is_back);
        world->ping_due_ms = fmin(world->ping_due_ms, world->now_ms + ping_every_ms(world));
    }
}

static void keep_pace(struct drover *world) {
    const double hz = pace_hz(&world->pace, world->standing.hz);
    if (world->options.fixed_hz == 0 && world->standing.hz > 0.0 && hz != world->asked_hz &&
        !request_book_changes_stream(&world->book)) {
        standing_write_paced(&world->standing, hz, &world->book.output);
        world->asked_hz = hz;
    }
}

/* Answers to lines that the library sent itself. Whether the message is not for the caller. */
static bool is_own_answer(struct drover *world, const struct drover_message *message, const char *id) {
    const bool is_reply = line_message_is(message, "reply");
    if (strcmp(id, PING_ID) == 0) {
        const double sent_ms = drover_message_number(message, "t0", world->now_ms);
        world->pings_ms[world->ping_count++ % HANDLE_PINGS] = fmax(world->now_ms - sent_ms, 0.0);
        world->ping_out_ms = HUGE_VAL;
        note_trip(world, sent_ms, true);
        return true;
    }
    return strcmp(id, RESYNC_ID) == 0 || (is_reply && strcmp(id, STANDING_RENEW_ID) == 0);
}

static void read_id(const struct drover_message *message, char id[ID_TEXT_BYTES]) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(message->json, "id");
    if (!id_text_read(value, id) || line_message_is(message, "event")) {
        id[0] = '\0';
    }
}

/* The message becomes the queue's, or is freed. */
static int hand_over(struct drover *world, struct drover_message *message) {
    char id[ID_TEXT_BYTES];
    read_id(message, id);
    if (is_own_answer(world, message, id)) {
        drover_message_free(message);
        return 0;
    }
    struct request_entry *entry = request_book_answer(&world->book, id);
    const bool is_denied = strcmp(id, STANDING_HELLO_ID) == 0 && field_is(message, "code", "denied");
    if (entry != NULL && drover_message_code(message) == NULL &&
        standing_take(&world->standing, entry) != 0) {
        handle_say(world, "out of memory: a subscription will not be renewed");
    }
    if (entry != NULL && entry->concern == CONCERN_SUBSCRIBE && drover_message_code(message) == NULL) {
        world->asked_hz = world->standing.hz;
        world->brisk_ms = world->now_ms + BRISK_MS;
        world->ping_due_ms = world->now_ms;
    }
    deliver(world, message, entry);
    request_entry_free(entry);
    return is_denied ? refuse(world, "the server refuses the token") : 0;
}

static void free_frame(struct client_frame *frame) {
    drover_frame_free(frame != NULL ? &frame->shown : NULL);
}

static void drop_ready(struct drover *world) {
    if (world->ready != NULL) {
        free_frame(world->spare);
        world->spare = world->ready;
        world->ready = NULL;
    }
}

static int take_message(struct drover *world, struct drover_message *message) {
    int result = 0;
    if (line_message_begins_world(message)) {
        drop_ready(world); /* it is of the world before */
    }
    if (line_message_is(message, "bye")) {
        result = take_bye(world, message);
    } else if (world->state != DROVER_READY) {
        if (!line_message_is(message, "hello")) {
            drover_message_free(message);
            return lose(world, "this is not a drover server: its first line is no hello");
        }
        result = take_hello(world, message);
    }
    const int handed = hand_over(world, message);
    return result != 0 ? result : handed;
}

/* ---- frames ---- */

static void take_frame(struct drover *world, const struct client_event *event) {
    struct client_frame *frame = world->ready != NULL ? world->ready : world->spare;
    pace_frame(&world->pace);
    if (world->ready != NULL) {
        world->missed++;
    } else {
        world->spare = NULL;
    }
    if (frame == NULL) {
        frame = calloc(1, sizeof *frame);
    }
    if (frame == NULL) {
        handle_say(world, "out of memory: a frame is lost");
        return;
    }
    client_frame_fill(frame, world->decoder, event, world->now_ms, world->missed);
    world->ready = frame;
}

/* The key is missing, or a line is damaged: asks for a whole frame. */
static void resync(struct drover *world) {
    if (world->state == DROVER_READY && world->now_ms - world->resynced_ms >= RESYNC_EVERY_MS) {
        world->resynced_ms = world->now_ms;
        buffer_append_text(&world->book.output, "{\"op\":\"resync\",\"id\":" RESYNC_ID "}\n");
    }
}

static int take_event(struct drover *world, const struct client_event *event) {
    char reason[HANDLE_REASON_BYTES];
    switch (event->type) {
    case CLIENT_MESSAGE:
        return take_message(world, event->message);
    case CLIENT_FRAME:
        take_frame(world, event);
        return 0;
    case CLIENT_FRAME_REFUSED:
        handle_say(world, "a frame cannot be read: %s", event->failure.message);
        resync(world);
        return 0;
    case CLIENT_MESSAGE_REFUSED:
        if (world->state != DROVER_READY) {
            return lose(world, "this is not a drover server: its first line is no hello");
        }
        (void)snprintf(reason, sizeof reason, "a message cannot be read: %s", event->failure.message);
        return lose(world, reason); /* it may have been an answer */
    case CLIENT_LINE_TOO_LONG:
        return lose(world, "the server sent a line without end");
    default:
        return lose(world, "out of memory: a line is lost");
    }
}

char *handle_reserve(struct drover *world, size_t wish, size_t *size) {
    return client_decoder_reserve(world->decoder, wish, size);
}

int handle_read(struct drover *world, size_t count) {
    struct client_event event;
    client_decoder_commit(world->decoder, count);
    world->bytes += count;
    if (count > 0 && world->state == DROVER_READY) {
        world->quiet_ms = HUGE_VAL;
    }
    while (client_decoder_next(world->decoder, &event) != CLIENT_NEED_MORE) {
        if (take_event(world, &event) != 0) {
            return -1;
        }
    }
    if (world->events.bytes > (size_t)HANDLE_MOST_BYTES) {
        return lose(world, "more than 64 MiB of messages wait to be read");
    }
    if (world->state == DROVER_READY) {
        request_book_pump(&world->book);
    }
    return 0;
}

int drover_feed(struct drover *world, const void *bytes, size_t length) {
    const char *from = bytes;
    if (!world->is_open) {
        handle_say(world, "there is no open connection");
        return -1;
    }
    while (length > 0) {
        size_t size = 0;
        char *space = handle_reserve(world, length, &size);
        if (space == NULL) {
            return lose(world, "out of memory");
        }
        const size_t count = size < length ? size : length;
        memcpy(space, from, count);
        if (handle_read(world, count) != 0) {
            return -1;
        }
        from += count;
        length -= count;
    }
    return 0;
}

/* ---- connections ---- */

void drover_opening(struct drover *world) {
    if (world->state == DROVER_WAITING) {
        world->farewell[0] = '\0';
        set_state(world, DROVER_CONNECTING);
    }
}

void drover_opened(struct drover *world) {
    if (world->state == DROVER_ENDED || world->state == DROVER_REFUSED) {
        return;
    }
    close_session(world);
    set_state(world, DROVER_CONNECTING);
    world->is_open = true;
    world->problem = 0;
    world->farewell[0] = '\0';
    world->quiet_ms = world->now_ms;
}

static void send_ping(struct drover *world) {
    if (world->options.silence_ms <= 0 || world->now_ms < world->ping_due_ms) {
        return;
    }
    if (world->ping_out_ms == HUGE_VAL) {
        struct json_writer json = json_writer_begin(&world->book.output);
        json_object(&json);
        json_key_string(&json, "op", "ping");
        json_key(&json, "id");
        json_raw(&json, PING_ID);
        json_key_number(&json, "t0", world->now_ms);
        json_end(&json);
        buffer_append_text(&world->book.output, "\n");
        world->ping_out_ms = world->now_ms;
    }
    world->ping_due_ms = world->now_ms + ping_every_ms(world);
    world->quiet_ms = fmin(world->quiet_ms, world->now_ms);
}

/* A caller that was away may not have fed yet what came meanwhile: the silence counts from now. */
static void note_absence(struct drover *world) {
    if (world->now_ms - world->advanced_ms > world->options.silence_ms / 2.0 &&
        world->quiet_ms < world->now_ms) {
        world->quiet_ms = world->now_ms;
    }
    if (world->now_ms - world->advanced_ms > AWAY_MS) {
        world->away_ms = world->now_ms;
    }
    world->advanced_ms = world->now_ms;
}

int drover_advance(struct drover *world, double now_ms) {
    world->now_ms = fmax(world->now_ms, now_ms);
    note_absence(world);
    expire(world);
    if (!world->is_open) {
        return 0;
    }
    if (world->options.silence_ms > 0 && world->now_ms - world->quiet_ms > world->options.silence_ms &&
        !handle_is_full(world)) {
        return lose(world, world->state == DROVER_READY ? "the server gives no sign of life"
                                                        : "the server does not answer");
    }
    if (world->state == DROVER_READY) {
        if (world->ping_out_ms < HUGE_VAL) {
            note_trip(world, world->ping_out_ms, false);
        }
        keep_pace(world);
        send_ping(world);
        request_book_pump(&world->book);
    }
    return 0;
}

int drover_timeout(const struct drover *world) {
    double due = request_book_deadline(&world->book);
    if (world->state == DROVER_WAITING) {
        due = fmin(due, world->retry_ms);
    } else if (world->state == DROVER_CONNECTING && !world->is_open) {
        due = fmin(due, world->try_until_ms);
    }
    if (world->is_open && world->options.silence_ms > 0) {
        due = fmin(due, world->quiet_ms + world->options.silence_ms + 1.0);
        due = world->state == DROVER_READY ? fmin(due, world->ping_due_ms) : due;
        due = world->ping_out_ms < HUGE_VAL && world->standing.hz > 0.0
                  ? fmin(due, world->advanced_ms + LOOK_EVERY_MS)
                  : due;
    }
    return due == HUGE_VAL ? -1 : (int)fmin(fmax(ceil(due - world->now_ms), 0.0), 1e6);
}

/* ---- requests ---- */

struct request_entry *handle_add(struct drover *world, const char *text, bool with_id,
                                 struct failure *failure) {
    refresh(world);
    if (world->state == DROVER_ENDED || world->state == DROVER_REFUSED) {
        (void)failure_set(failure, FAILURE_NONE, NULL, "%s", world->reason);
        return NULL;
    }
    struct request_entry *entry = request_book_add(&world->book, text, with_id, failure);
    if (entry == NULL) {
        handle_say(world, "%s%s%s", failure->field, failure->field[0] != '\0' ? ": " : "", failure->message);
        return NULL;
    }
    if (world->options.timeout_ms > 0) {
        entry->deadline_ms = world->now_ms + world->options.timeout_ms;
    }
    if (world->state == DROVER_READY) {
        request_book_pump(&world->book);
    }
    return entry;
}

static uint64_t send_request(struct drover *world, const char *request, bool with_id) {
    struct failure failure;
    const struct request_entry *entry = handle_add(world, request, with_id, &failure);
    const uint64_t ticket = entry != NULL ? entry->ticket : 0;
    if (ticket != 0 && world->carrier != NULL) {
        world->carrier->flush(world); /* the entry may be gone then */
    }
    return ticket;
}

int drover_send(struct drover *world, const char *request) {
    return send_request(world, request, false) != 0 ? 0 : -1;
}

uint64_t drover_request(struct drover *world, const char *request) {
    return send_request(world, request, true);
}

void drover_set_timeout(struct drover *world, int timeout_ms) {
    world->options.timeout_ms = timeout_ms == 0 ? TIMEOUT_MS : timeout_ms;
}

const char *drover_output(struct drover *world, size_t *length) {
    *length = world->is_open ? world->book.output.length : 0;
    return *length > 0 ? world->book.output.data : NULL;
}

void drover_sent(struct drover *world, size_t length) {
    request_book_sent(&world->book, length);
    if (world->state == DROVER_READY) {
        request_book_pump(&world->book);
    }
}

/* ---- what comes back ---- */

bool handle_has_event(const struct drover *world) {
    return world->events.first != NULL || world->ready != NULL;
}

bool handle_is_full(const struct drover *world) {
    return world->events.bytes > (size_t)HANDLE_HELD_BYTES;
}

static void put_back(struct drover *world, struct client_frame *frame) {
    if (frame != NULL && world->spare == NULL) {
        world->spare = frame;
    } else if (frame != NULL) {
        drover_frame_free(&frame->shown);
    }
}

enum drover_event drover_next(struct drover *world) {
    drover_message_free(world->message);
    put_back(world, world->current);
    world->message = NULL;
    world->current = NULL;
    const enum drover_event event = event_list_take(&world->events, &world->message);
    if (event != DROVER_NOTHING) {
        return event;
    }
    world->current = world->ready;
    world->ready = NULL;
    world->missed = world->current != NULL ? 0 : world->missed;
    return world->current != NULL ? DROVER_FRAME : DROVER_NOTHING;
}

const struct drover_frame *drover_this_frame(const struct drover *world) {
    return world->current != NULL ? &world->current->shown : NULL;
}

const struct drover_message *drover_this_message(const struct drover *world) {
    return world->message;
}

struct drover_message *drover_take_message(struct drover *world) {
    struct drover_message *message = world->message;
    world->message = NULL;
    return message;
}

struct drover_frame *drover_take_frame(struct drover *world, struct drover_frame *old) {
    struct client_frame *frame = world->current;
    if (frame == NULL) {
        return NULL;
    }
    world->current = NULL;
    put_back(world, (struct client_frame *)old);
    return &frame->shown;
}

/* ---- life ---- */

void drover_close(struct drover *world) {
    if (world != NULL) {
        if (world->carrier != NULL) {
            world->carrier->destroy(world->carrier);
        }
        client_decoder_destroy(world->decoder);
        standing_fini(&world->standing);
        request_book_fini(&world->book);
        event_list_fini(&world->events);
        drover_message_free(world->message);
        drover_message_free(world->answer);
        free_frame(world->ready);
        free_frame(world->current);
        free_frame(world->spare);
        free(world);
    }
}

static void read_options(struct drover *world, const struct drover_options *options) {
    const struct drover_options defaults = DROVER_OPTIONS;
    const size_t size = options != NULL && options->size < sizeof defaults ? options->size : sizeof defaults;
    world->options = defaults;
    if (options != NULL) {
        memcpy(&world->options, options, size);
    }
    world->options.timeout_ms = world->options.timeout_ms == 0 ? TIMEOUT_MS : world->options.timeout_ms;
    world->options.silence_ms = world->options.silence_ms == 0 ? SILENCE_MS : world->options.silence_ms;
}

struct drover *drover_create(const struct drover_options *options) {
    struct drover *world = calloc(1, sizeof *world);
    struct failure failure = {0};
    if (world == NULL) {
        return NULL;
    }
    read_options(world, options);
    request_book_init(&world->book);
    world->quiet_ms = world->try_until_ms = world->ping_out_ms = HUGE_VAL;
    pace_init(&world->pace);
    world->resynced_ms = -(double)RESYNC_EVERY_MS;
    world->decoder = client_decoder_create(CLIENT_LINE_BYTES);
    if (world->decoder == NULL) {
        drover_close(world);
        return NULL;
    }
    if (world->options.raw_frames != 0) {
        client_decoder_keep_lines(world->decoder);
    }
    if (standing_init(&world->standing, world->options.name, world->options.token, world->options.hello,
                      &failure) != 0) {
        handle_say(world, "%s: %s", failure.field, failure.message);
        handle_end(world, DROVER_ENDED);
    }
    world->options.name = world->options.token = world->options.hello = NULL;
    return world;
}

/* ---- text ---- */

/* Texts for requests: strings and columns. */

/* Appends as much as fits; *length counts all of it. */
static void put(char *out, size_t size, size_t *length, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++, (*length)++) {
        if (size > 0 && *length < size - 1) {
            out[*length] = bytes[i];
        }
    }
}

/* One character of the text as it stands in a JSON string. Returns its bytes in the text. */
static size_t put_character(const char *text, size_t left, char *out, size_t size, size_t *length) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char byte = (unsigned char)text[0];
    const size_t bytes = utf8_character(text, left);
    if (bytes == 0) {
        put(out, size, length, "\xEF\xBF\xBD", 3);
        return 1;
    }
    if (byte == '"' || byte == '\\') {
        put(out, size, length, "\\", 1);
    } else if (byte < 0x20) {
        const char escape[] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
        put(out, size, length, escape, sizeof escape);
        return 1;
    }
    put(out, size, length, text, bytes);
    return bytes;
}

size_t drover_quote(const char *text, char *out, size_t size) {
    const size_t end = strlen(text);
    size_t length = 0;
    put(out, size, &length, "\"", 1);
    for (size_t at = 0; at < end;) {
        at += put_character(text + at, end - at, out, size, &length);
    }
    put(out, size, &length, "\"", 1);
    if (size > 0) {
        out[length < size ? length : size - 1] = '\0';
    }
    return length;
}

size_t drover_base64(const void *bytes, size_t length, char *out, size_t size) {
    const size_t needed = base64_length(length);
    if (needed < size) {
        *base64_encode(bytes, length, out) = '\0';
    }
    return needed;
}
