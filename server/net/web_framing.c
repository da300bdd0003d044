/* See web_framing.h. */
#include "server/net/web_framing.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <wslay/wslay.h>

enum {
    LENGTH_BYTES = 4, /* before each message in the store, and a NUL after it */
    FRESH_BYTES = 512,
    REPLY_BYTES = 16384, /* the answers to the control frames of one read, at most */
    HEAD_BYTES = 14      /* of a frame with a mask, at most */
};

/* The frame at hand: libwslay tells of it with the first byte of its payload, which may never come. */
struct frame_head {
    unsigned char bytes[HEAD_BYTES];
    size_t length; /* so far; 0 once its payload has begun */
    uint64_t left; /* of its payload */
};

struct web_framing {
    wslay_event_context_ptr wslay;
    size_t max_bytes;
    char *store; /* whole messages from begin to whole, then the one that is open */
    size_t begin, whole, end, capacity;
    bool is_open;    /* a message has begun and is not whole yet */
    bool is_control; /* the frame at hand is a control frame */
    bool is_refused, is_closed_by_peer;
    int code;              /* 0 while the connection goes on */
    struct buffer replies; /* what libwslay sends: pongs and closes */
    size_t pong_at, pong_length;
    size_t in_length, in_taken;
    struct frame_head head;
    char in[WEB_FRAMING_READ_BYTES];
};

bool web_framing_is_built(void) {
    return true;
}

/* ---- the store of messages ---- */

static void refuse(struct web_framing *framing, enum web_close code) {
    if (!framing->is_refused && !framing->is_closed_by_peer) {
        framing->is_refused = true;
        framing->code = (int)code;
        framing->is_open = false;
        framing->end = framing->whole;
    }
    wslay_event_shutdown_read(framing->wslay);
}

/* Room for so many bytes more. Returns whether there is. */
static bool make_room(struct web_framing *framing, size_t bytes) {
    if (framing->capacity - framing->end >= bytes) {
        return true;
    }
    if (framing->begin > 0) {
        memmove(framing->store, framing->store + framing->begin, framing->end - framing->begin);
        framing->whole -= framing->begin;
        framing->end -= framing->begin;
        framing->begin = 0;
    }
    size_t capacity = framing->capacity < FRESH_BYTES ? FRESH_BYTES : framing->capacity;
    while (capacity - framing->end < bytes) {
        const size_t doubled = capacity * 2, needed = framing->end + bytes + WEB_FRAMING_READ_BYTES;
        capacity = doubled > framing->max_bytes && needed < doubled ? needed : doubled;
    }
    char *store = capacity == framing->capacity ? framing->store : realloc(framing->store, capacity);
    if (store == NULL) {
        return false;
    }
    framing->store = store;
    framing->capacity = capacity;
    return true;
}

static void append(struct web_framing *framing, const void *bytes, size_t length) {
    if (!make_room(framing, length)) {
        refuse(framing, WEB_CLOSE_NO_MEMORY);
    } else if (length > 0) {
        memcpy(framing->store + framing->end, bytes, length);
        framing->end += length;
    }
}

static size_t open_length(const struct web_framing *framing) {
    return framing->end - framing->whole - LENGTH_BYTES;
}

static void end_message(struct web_framing *framing) {
    const uint32_t length = (uint32_t)open_length(framing);
    append(framing, "", 1);
    if (framing->is_open) {
        memcpy(framing->store + framing->whole, &length, sizeof length);
        framing->whole = framing->end;
        framing->is_open = false;
    }
}

/* ---- what libwslay calls ---- */

static ssize_t on_recv(wslay_event_context_ptr wslay, uint8_t *out, size_t room, int flags, void *context) {
    struct web_framing *framing = context;
    (void)flags;
    const size_t left = framing->in_length - framing->in_taken;
    const size_t taken = left < room ? left : room;
    if (taken == 0) {
        wslay_event_set_error(wslay, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    memcpy(out, framing->in + framing->in_taken, taken);
    framing->in_taken += taken;
    return (ssize_t)taken;
}

static ssize_t on_send(wslay_event_context_ptr wslay, const uint8_t *bytes, size_t length, int flags,
                       void *context) {
    struct web_framing *framing = context;
    (void)wslay;
    (void)flags;
    buffer_append(&framing->replies, bytes, length);
    return (ssize_t)length;
}

static void on_frame(wslay_event_context_ptr wslay, const struct wslay_event_on_frame_recv_start_arg *frame,
                     void *context) {
    struct web_framing *framing = context;
    (void)wslay;
    framing->is_control = wslay_is_ctrl_frame(frame->opcode);
    if (frame->opcode == WSLAY_BINARY_FRAME) {
        refuse(framing, WEB_CLOSE_NOT_TEXT);
    } else if (!framing->is_control) {
        if (frame->opcode == WSLAY_TEXT_FRAME) {
            static const char no_length[LENGTH_BYTES];
            assert(!framing->is_open && framing->end == framing->whole);
            framing->is_open = true;
            append(framing, no_length, sizeof no_length);
        }
        if (framing->is_open && frame->payload_length > framing->max_bytes - open_length(framing)) {
            refuse(framing, WEB_CLOSE_TOO_LONG);
        }
    }
}

static void on_bytes(wslay_event_context_ptr wslay, const struct wslay_event_on_frame_recv_chunk_arg *chunk,
                     void *context) {
    struct web_framing *framing = context;
    (void)wslay;
    if (framing->is_open && !framing->is_control) {
        append(framing, chunk->data, chunk->data_length);
    }
}

static void on_message(wslay_event_context_ptr wslay, const struct wslay_event_on_msg_recv_arg *message,
                       void *context) {
    struct web_framing *framing = context;
    (void)wslay;
    if (message->opcode == WSLAY_CONNECTION_CLOSE) {
        if (message->msg_length == 1) {
            refuse(framing, WEB_CLOSE_PROTOCOL);
        } else if (!framing->is_refused) {
            framing->is_closed_by_peer = true;
            framing->code = message->status_code == 0 ? WEB_CLOSE_NORMAL : message->status_code;
        }
    } else if (message->opcode == WSLAY_TEXT_FRAME && framing->is_open) {
        end_message(framing);
    }
}

/* ---- heads of frames ---- */

static bool is_whole(const struct frame_head *head) {
    const unsigned form = head->length < 2 ? 0 : head->bytes[1] & 0x7fu;
    const size_t longer = form == 126 ? 2 : form == 127 ? 8 : 0;
    return head->length >= 2 && head->length == 2 + longer + ((head->bytes[1] & 0x80u) != 0 ? 4 : 0);
}

static uint64_t payload_of(const struct frame_head *head) {
    const unsigned form = head->bytes[1] & 0x7fu;
    const int longer = form == 126 ? 2 : form == 127 ? 8 : 0;
    uint64_t length = longer > 0 ? 0 : form;
    for (int i = 0; i < longer; i++) {
        length = length << 8 | head->bytes[2 + i];
    }
    return length;
}

/* Follows the frames through the bytes of a read. */
static void follow(struct frame_head *head, const char *bytes, size_t count) {
    for (size_t at = 0; at < count;) {
        if (head->left > 0) {
            const size_t taken = head->left < count - at ? (size_t)head->left : count - at;
            head->left -= taken;
            head->length = 0;
            at += taken;
            continue;
        }
        head->bytes[head->length++] = (unsigned char)bytes[at++];
        if (is_whole(head)) {
            head->left = payload_of(head);
            head->length = head->left == 0 ? 0 : head->length;
        }
    }
}

/* Whether a head has come, and nothing behind it yet, that announces more than a message may have. */
static bool announces_too_much(const struct web_framing *framing) {
    const struct frame_head *head = &framing->head;
    const unsigned opcode = head->bytes[0] & 0x0fu;
    const size_t before = opcode == WSLAY_CONTINUATION_FRAME && framing->is_open ? open_length(framing) : 0;
    return is_whole(head) && opcode <= WSLAY_TEXT_FRAME && head->left > framing->max_bytes - before;
}

/* ---- reading ---- */

/* Finds in what libwslay sends the last pong, and the code of its close frame. */
static void look_at_replies(struct web_framing *framing) {
    const struct buffer *replies = &framing->replies;
    int code = WEB_CLOSE_PROTOCOL;
    for (size_t at = 0; at + 2 <= replies->length;) {
        const unsigned char *frame = (const unsigned char *)replies->data + at;
        const size_t length = 2 + (size_t)frame[1];
        if ((frame[0] & 0x0f) == WEB_PONG) {
            framing->pong_at = at;
            framing->pong_length = length;
        } else if (frame[1] >= 2) {
            code = frame[2] << 8 | frame[3];
        }
        at += length;
    }
    if (framing->code == 0 && !wslay_event_get_read_enabled(framing->wslay)) {
        refuse(framing, (enum web_close)code);
    }
}

void web_framing_commit(struct web_framing *framing, size_t count) {
    assert(count <= sizeof framing->in);
    framing->in_length = count;
    framing->in_taken = 0;
    buffer_clear(&framing->replies);
    framing->pong_length = 0;
    if (framing->code != 0) {
        return; /* what comes after the end is nothing */
    }
    const int result = wslay_event_recv(framing->wslay);
    (void)wslay_event_send(framing->wslay);
    if (framing->replies.failed || result == WSLAY_ERR_NOMEM) {
        refuse(framing, WEB_CLOSE_NO_MEMORY);
        return;
    }
    look_at_replies(framing);
    follow(&framing->head, framing->in, count);
    if (framing->code == 0 && result != 0) {
        refuse(framing, WEB_CLOSE_PROTOCOL);
    } else if (framing->code == 0 && announces_too_much(framing)) {
        refuse(framing, WEB_CLOSE_TOO_LONG);
    }
}

char *web_framing_reserve(struct web_framing *framing, size_t *size) {
    *size = sizeof framing->in;
    return framing->in;
}

/* The memory of long messages, once none is left. */
static void give_back(struct web_framing *framing) {
    if (framing->begin == framing->end && framing->capacity > WEB_FRAMING_KEPT_BYTES) {
        free(framing->store);
        framing->store = NULL;
        framing->begin = framing->whole = framing->end = framing->capacity = 0;
    }
}

bool web_framing_next(struct web_framing *framing, char **message, size_t *length) {
    if (framing->begin == framing->whole) {
        give_back(framing);
        return false;
    }
    uint32_t size = 0;
    memcpy(&size, framing->store + framing->begin, sizeof size);
    *message = framing->store + framing->begin + LENGTH_BYTES;
    *length = size;
    framing->begin += LENGTH_BYTES + size + 1;
    assert(framing->begin <= framing->whole);
    return true;
}

bool web_framing_is_empty(const struct web_framing *framing) {
    return framing->begin == framing->end;
}

void web_framing_take_replies(struct web_framing *framing, struct buffer *out) {
    if (framing->pong_length > 0) {
        buffer_append(out, framing->replies.data + framing->pong_at, framing->pong_length);
        framing->pong_length = 0;
    }
}

int web_framing_end_code(const struct web_framing *framing, bool *by_peer) {
    *by_peer = framing->is_closed_by_peer;
    return framing->code;
}

/* ---- life ---- */

void web_framing_set_limit(struct web_framing *framing, size_t max_bytes) {
    wslay_event_config_set_max_recv_msg_length(framing->wslay, max_bytes);
    framing->max_bytes = max_bytes;
}

struct web_framing *web_framing_create(size_t max_bytes) {
    static const struct wslay_event_callbacks callbacks = {.recv_callback = on_recv,
                                                           .send_callback = on_send,
                                                           .on_frame_recv_start_callback = on_frame,
                                                           .on_frame_recv_chunk_callback = on_bytes,
                                                           .on_msg_recv_callback = on_message};
    struct web_framing *framing = calloc(1, sizeof *framing);
    if (framing == NULL || wslay_event_context_server_init(&framing->wslay, &callbacks, framing) != 0) {
        free(framing);
        return NULL;
    }
    wslay_event_config_set_no_buffering(framing->wslay, 1);
    web_framing_set_limit(framing, max_bytes);
    buffer_init(&framing->replies, REPLY_BYTES);
    return framing;
}

void web_framing_destroy(struct web_framing *framing) {
    if (framing != NULL) {
        wslay_event_context_free(framing->wslay);
        buffer_fini(&framing->replies);
        free(framing->store);
        free(framing);
    }
}
