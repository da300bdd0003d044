/* What a stranger sends to the door for browsers. The first byte of the input chooses:
 * even: frames of a WebSocket, in pieces, against a plain reader that sees all bytes at once: the same messages, and an end
 * where there is a rule that is broken.
 * odd: the headers of a handshake, a line each: Host, Origin, the proxy's scheme, the lists of WebSocket. An origin that is
 * allowed names the Host. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/utf8.h"
#include "server/net/web_framing.h"
#include "server/web/web_exchange.h"
#include "server/web/web_route.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MOST = 300,
    HEADERS = 6,
    HEADER_BYTES = 256,
    HEAD_MOST = 14 /* bytes of the head of a client's frame */,
    TEXT = 1,
    BINARY = 2
};

/* ---- frames ---- */

struct plain {
    const uint8_t *data;
    size_t size, at;
    uint8_t open[MOST + 1]; /* the message that is not whole yet */
    size_t open_length;
    bool is_open, has_ended;
};

struct plain_frame {
    bool is_final;
    int opcode;
    uint64_t length;
    const uint8_t *mask, *payload;
};

/* Reads the head of the next frame. False when it is not whole; *is_broken when a rule is. */
static bool read_head(const struct plain *plain, struct plain_frame *frame, bool *is_broken) {
    const uint8_t *at = plain->data + plain->at;
    const size_t left = plain->size - plain->at;
    if (left < 2) {
        return false;
    }
    const unsigned form = at[1] & 0x7f;
    const size_t more = form < 126 ? 0 : form == 126 ? 2 : 8;
    const bool is_control = (at[0] & 8) != 0;
    frame->is_final = (at[0] & 0x80) != 0;
    frame->opcode = at[0] & 0x0f;
    *is_broken = is_control && (!frame->is_final || form >= 126);
    if (left < 2 + more + 4) {
        return *is_broken;
    }
    frame->length = form;
    for (size_t i = 0; i < more; i++) {
        frame->length = (i == 0 ? 0 : frame->length << 8) | at[2 + i];
    }
    frame->mask = at + 2 + more;
    frame->payload = frame->mask + 4;
    const bool is_long_form =
        (more == 2 && frame->length < 126) || (more == 8 && frame->length <= UINT16_MAX);
    const bool is_known = frame->opcode == 0 || frame->opcode == TEXT ||
                          (frame->opcode >= WEB_CLOSE && frame->opcode <= WEB_PONG);
    *is_broken = *is_broken || (at[0] & 0x70) != 0 || (at[1] & 0x80) == 0 || is_long_form || !is_known;
    return true;
}

static bool is_utf8(const uint8_t *text, size_t length) {
    size_t at = 0;
    size_t size = 1;
    while (at < length && size > 0) {
        size = utf8_character((const char *)text + at, length - at);
        at += size;
    }
    return at == length;
}

/* The next message of the plain reader; false when there is none. */
static bool plain_next(struct plain *plain) {
    struct plain_frame frame;
    bool is_broken = false;
    while (!plain->has_ended && read_head(plain, &frame, &is_broken)) {
        const bool is_data = !is_broken && frame.opcode <= TEXT;
        if (is_broken || (is_data && (frame.opcode == TEXT) == plain->is_open) ||
            (is_data && frame.length > MOST - (plain->is_open ? plain->open_length : 0))) {
            plain->has_ended = true;
            return false;
        }
        const size_t head = (size_t)(frame.payload - plain->data) - plain->at;
        if (frame.length > plain->size - plain->at - head) {
            return false;
        }
        plain->at += head + (size_t)frame.length;
        if (frame.opcode == WEB_CLOSE) {
            plain->has_ended = true;
            return false;
        }
        if (!is_data) {
            continue;
        }
        plain->open_length = plain->is_open ? plain->open_length : 0;
        for (size_t i = 0; i < frame.length; i++) {
            plain->open[plain->open_length++] = frame.payload[i] ^ frame.mask[i % 4];
        }
        plain->is_open = !frame.is_final;
        if (frame.is_final) {
            plain->has_ended = !is_utf8(plain->open, plain->open_length);
            return !plain->has_ended;
        }
    }
    return false;
}

static void compare(struct web_framing *framing, struct plain *plain) {
    char *message = NULL;
    size_t length = 0;
    while (web_framing_next(framing, &message, &length)) {
        if (!plain_next(plain) || length != plain->open_length || message[length] != '\0' ||
            memcmp(message, plain->open, length) != 0) {
            abort();
        }
    }
}

static void read_frames(const uint8_t *data, size_t size, size_t piece) {
    struct plain plain = {.data = data, .size = size};
    struct buffer replies;
    bool by_peer = false;
    struct web_framing *framing = web_framing_create(MOST);
    if (framing == NULL) {
        return;
    }
    buffer_init(&replies, 4096);
    for (size_t at = 0; at < size; at += piece) {
        size_t room = 0;
        char *space = web_framing_reserve(framing, &room);
        const size_t count = size - at < piece ? size - at : piece;
        memcpy(space, data + at, count);
        web_framing_commit(framing, count);
        buffer_clear(&replies);
        web_framing_take_replies(framing, &replies);
        if (replies.failed || replies.length > 2 + WEB_FRAME_CONTROL_BYTES) {
            abort();
        }
        compare(framing, &plain);
    }
    /* All whole messages came, and the end of both is the same one. */
    if (plain_next(&plain)) {
        abort();
    }
    /* (libwslay reports a broken rule when it has the whole head and a byte of what follows, and a text that is none before its
     * end.) */
    const int code = web_framing_end_code(framing, &by_peer);
    if (plain.has_ended && code == 0 && plain.size - plain.at > HEAD_MOST) {
        abort();
    }
    if (!plain.has_ended && code != 0 && code != WEB_CLOSE_NOT_UTF8 && code != WEB_CLOSE_NOT_TEXT &&
        code != WEB_CLOSE_PROTOCOL) {
        abort();
    }
    buffer_fini(&replies);
    web_framing_destroy(framing);
}

/* ---- headers ---- */

static void read_headers(const uint8_t *data, size_t size) {
    static char header[HEADERS][HEADER_BYTES];
    for (int i = 0; i < HEADERS; i++) {
        const uint8_t *end = size == 0 ? NULL : memchr(data, '\n', size);
        const size_t length = end == NULL ? size : (size_t)(end - data);
        (void)snprintf(header[i], HEADER_BYTES, "%.*s", (int)(length < 255 ? length : 255),
                       (const char *)data);
        data += end == NULL ? size : length + 1;
        size -= end == NULL ? size : length + 1;
    }
    const struct host_rules rules = {
        .hosts = "sim.example.org", .origins = "", .is_unix = header[2][0] != '\0'};
    const struct host_headers headers = {
        .host = header[0], .origin = header[1], .proto = header[2], .local = "127.0.0.1"};
    const bool is_ours = host_rules_allow_host(&rules, &headers);
    if (is_ours && strncasecmp(header[0], "localhost", 9) != 0 && strncmp(header[0], "127.0.0.1", 9) != 0 &&
        strncasecmp(header[0], "sim.example.org", 15) != 0) {
        abort();
    }
    const size_t name = strcspn(header[0], ":");
    const char *after = strstr(header[1], "://");
    if (is_ours && host_rules_allow_origin(&rules, &headers) &&
        (after == NULL || strncasecmp(after + 3, header[0], name) != 0 ||
         strchr(":", after[3 + name]) == NULL)) {
        abort();
    }
    unsigned status = 0;
    const char *reason = NULL;
    char accept[WEB_ACCEPT_CHARS + 1];
    const struct web_handshake handshake = {.upgrade = "websocket",
                                            .connection = header[3],
                                            .version = "13",
                                            .key = header[4],
                                            .protocols = header[5]};
    if (web_handshake_check(&handshake, &status, &reason)) {
        web_handshake_accept(header[4], accept);
        if (strlen(accept) != WEB_ACCEPT_CHARS || strstr(header[5], WEB_SUBPROTOCOL) == NULL) {
            abort();
        }
    } else if (reason == NULL || (status != 400 && status != 426)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0 && data[0] % 2 == 0) {
        read_frames(data + 1, size - 1, 1 + data[0] / 2u);
    } else if (size > 0) {
        read_headers(data + 1, size - 1);
    }
    return 0;
}
