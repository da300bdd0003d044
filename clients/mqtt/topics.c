/* See publisher.h: the topics, and the requests that come by them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/mqtt/publisher.h"
#include "common/json/json_check.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"

enum { REPLY_ROOM = 64 };

void topics_put(const struct topics *topics, const char *topic, const char *text, size_t length,
                bool is_retained) {
    char whole[MQTT_TOPIC_ROOM + MQTT_NAME_BYTES];
    (void)snprintf(whole, sizeof whole, "drover/%s/%s", topics->world, topic);
    if (topics->is_connected) {
        (void)mosquitto_publish(topics->broker, NULL, whole, (int)length, text, 0, is_retained);
    }
}

/* ---- requests ---- */

static void reply_to(struct topics *topics, const char *sender, const char *text, size_t length) {
    char topic[REQUEST_SENDER_BYTES + 8];
    (void)snprintf(topic, sizeof topic, "reply/%s", sender);
    topics_put(topics, topic, text, length, false);
}

static void refuse(struct topics *topics, const char *sender, const char *id, const struct failure *failure) {
    struct buffer line;
    buffer_init(&line, LIMIT_LINE_BYTES);
    message_write_error(id, 0, failure, &line);
    if (!line.failed) {
        reply_to(topics, sender, line.data, line.length - 1); /* without its newline */
    }
    buffer_fini(&line);
}

/* Where a value that begins there ends: of a string or a number, which is all that an id can be. */
static const char *end_of_id(const char *value) {
    if (*value != '"') {
        return value + strcspn(value, ",} \t\r\n");
    }
    for (value++; *value != '"'; value++) {
        value += *value == '\\';
    }
    return value + 1;
}

/* A place for a request of this sender; NULL when there are too many. */
static struct topic_request *find_place(struct topics *topics, const char *sender) {
    struct topic_request *free_place = NULL;
    int of_sender = 0;
    for (int i = 0; i < REQUESTS_MOST; i++) {
        struct topic_request *request = &topics->requests[i];
        if (request->ticket == 0) {
            free_place = request;
        } else if (strcmp(request->sender, sender) == 0) {
            of_sender++;
        }
    }
    return of_sender < REQUESTS_OF_SENDER ? free_place : NULL;
}

/* What is about a session, which all users share here. */
static bool is_of_session(enum request_op op) {
    return op == REQUEST_SUBSCRIBE || op == REQUEST_UNSUBSCRIBE || op == REQUEST_SET_REGION ||
           op == REQUEST_RESYNC || op == REQUEST_HELLO || op == REQUEST_BYE;
}

/* The request, with an id of ours in place of the sender's: two may have the same. */
static uint64_t send_as_ours(struct topics *topics, const char *text, bool has_id) {
    const char *id_at = has_id ? json_value_find(text, "id") : NULL;
    struct buffer line;
    buffer_init(&line, 2 * (size_t)LIMIT_LINE_BYTES);
    if (id_at != NULL) {
        buffer_append(&line, text, (size_t)(id_at - text));
        buffer_printf(&line, "\"mqtt%" PRIu64 "\"%s", ++topics->request_count, end_of_id(id_at));
    } else {
        buffer_append_text(&line, text);
    }
    const uint64_t ticket = line.failed ? 0 : drover_request(topics->control, line.data);
    buffer_fini(&line);
    return ticket;
}

static void pass_on(struct topics *topics, const char *sender, const char *text,
                    const struct request *request) {
    struct topic_request *place = find_place(topics, sender);
    struct failure failure = {0};
    if (request->id[0] == '\0' && (request->op == REQUEST_MOUSE || request->op == REQUEST_CURSOR)) {
        (void)drover_send(topics->control,
                          text); /* they come all the time: without an answer they count less */
    } else if (place == NULL) {
        (void)failure_set(&failure, FAILURE_FULL, NULL,
                          "too many requests wait for the server; at most %d of a client may",
                          REQUESTS_OF_SENDER);
        refuse(topics, sender, request->id, &failure);
    } else if ((place->ticket = send_as_ours(topics, text, request->id[0] != '\0')) == 0) {
        (void)failure_set(&failure, FAILURE_BUSY, NULL, "%s", drover_reason(topics->control));
        refuse(topics, sender, request->id, &failure);
    } else {
        place->wants_reply = request->id[0] != '\0' || request_always_answers(request->op);
        (void)snprintf(place->id, sizeof place->id, "%s", request->id);
        (void)snprintf(place->sender, sizeof place->sender, "%s", sender);
    }
}

/* Reads as much of a request as is to be known here; the server reads the rest. */
static void take_text(struct topics *topics, const char *sender, const char *text, size_t length) {
    const struct json_limits limits = json_limits_line();
    struct failure failure = {0};
    struct request request = {0};
    if (request_decode_within(text, length, &limits, &request, &failure) != 0) {
        refuse(topics, sender, request.id, &failure);
    } else if (is_of_session(request.op)) {
        (void)failure_set(
            &failure, FAILURE_UNSUPPORTED, "op",
            "%s is of a session, and all users of a broker share one; subscribe to topics instead",
            request_op_name(request.op));
        refuse(topics, sender, request.id, &failure);
    } else {
        pass_on(topics, sender, text, &request);
    }
    request_fini(&request);
}

void topics_take_request(struct topics *topics, const char *sender, const char *payload, size_t length) {
    struct failure failure = {0};
    char *text = NULL;
    if (strlen(sender) >= REQUEST_SENDER_BYTES || sender[0] == '\0') {
        return; /* nobody to answer to */
    }
    if (length > LIMIT_LINE_BYTES) {
        (void)failure_set(&failure, FAILURE_TOO_LONG, NULL, "%zu bytes; a request has at most %d", length,
                          LIMIT_LINE_BYTES);
        refuse(topics, sender, "", &failure);
    } else if (drover_state(topics->control) != DROVER_READY) {
        (void)failure_set(&failure, FAILURE_BUSY, NULL,
                          "there is no connection to the server now; try again");
        refuse(topics, sender, "", &failure);
    } else if ((text = malloc(length + 1)) != NULL) {
        memcpy(text, payload, length);
        text[length] = '\0';
        take_text(topics, sender, text, length);
        free(text);
    }
}

/* The answer with the sender's own id, or without one. */
static void answer(struct topics *topics, const struct topic_request *request,
                   const struct drover_message *message) {
    size_t length = 0;
    const char *text = drover_message_text(message, &length), *at = json_value_find(text, "id");
    struct buffer line;
    buffer_init(&line, length + ID_TEXT_BYTES + REPLY_ROOM);
    if (at == NULL) {
        buffer_append(&line, text, length);
    } else if (request->id[0] != '\0') {
        buffer_append(&line, text, (size_t)(at - text));
        buffer_append_text(&line, request->id);
        buffer_append_text(&line, end_of_id(at));
    } else {
        buffer_append(&line, text, (size_t)(at - text) - strlen("\"id\":"));
        buffer_append_text(&line, end_of_id(at) + (*end_of_id(at) == ','));
    }
    if (!line.failed) {
        reply_to(topics, request->sender, line.data, line.length);
    }
    buffer_fini(&line);
}

bool topics_answer(struct topics *topics, const struct drover_message *message) {
    const uint64_t ticket = drover_message_ticket(message);
    for (int i = 0; i < REQUESTS_MOST && ticket != 0; i++) {
        struct topic_request *request = &topics->requests[i];
        if (request->ticket == ticket) {
            if (request->wants_reply || drover_message_code(message) != NULL) {
                answer(topics, request, message);
            }
            request->ticket = 0;
            return true;
        }
    }
    return false;
}
