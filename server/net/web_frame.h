/* Frames of WebSocket (RFC 6455, section 5.2) as a server sends them: their heads, and whole control frames. Pure.
 *
 * A server does not mask, so the payload of a frame is the shared line itself; only its head, 2 to 10 bytes, is made
 * for each peer.
 */
#ifndef DROVER_SERVER_NET_WEB_FRAME_H
#define DROVER_SERVER_NET_WEB_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"

enum {
    WEB_FRAME_HEAD_BYTES = 10,    /* the longest head */
    WEB_FRAME_CONTROL_BYTES = 125 /* the longest payload of a control frame */
};

enum web_opcode { WEB_TEXT = 0x1, WEB_CLOSE = 0x8, WEB_PING = 0x9, WEB_PONG = 0xa };

/** Close codes that Drover sends. */
enum web_close {
    WEB_CLOSE_NORMAL = 1000,
    WEB_CLOSE_GOING_AWAY = 1001,
    WEB_CLOSE_PROTOCOL = 1002,
    WEB_CLOSE_NOT_TEXT = 1003,
    WEB_CLOSE_NOT_UTF8 = 1007,
    WEB_CLOSE_POLICY = 1008,
    WEB_CLOSE_TOO_LONG = 1009,
    WEB_CLOSE_NO_MEMORY = 1011,
    WEB_CLOSE_TRY_LATER = 1013
};

/** Writes the head of a whole, unmasked frame; returns its length. */
size_t web_frame_head(enum web_opcode opcode, size_t payload_bytes, char head[WEB_FRAME_HEAD_BYTES]);
/** Appends a whole frame. Of the payload of a control frame only the first WEB_FRAME_CONTROL_BYTES count. */
void web_frame_append(struct buffer *out, enum web_opcode opcode, const char *payload, size_t length);
/** Appends a close frame with a reason, which is cut between characters where it is too long. */
void web_frame_append_close(struct buffer *out, enum web_close code, const char *reason);
/** A sentence about a frame that was refused with this code. */
const char *web_close_text(enum web_close code);

#endif
