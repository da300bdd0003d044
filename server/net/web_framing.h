/* The messages of a WebSocket: what the peer's frames (RFC 6455) make up, behind struct framing (stream.h).
 *
 * 1. Frames are read by libwslay: masks, fragments, control frames, UTF-8. Of each text message the bytes are kept
 * here, whole, until they are handed out. What a frame breaks (no mask, a reserved bit, binary, not UTF-8, too long)
 * ends the reading, with its close code; messages before it are handed out nevertheless.
 * 2. A ping becomes a pong in the replies: of several in one read the last one is answered, as the RFC allows.
 * 3. Memory: WEB_FRAMING_READ_BYTES twice, one message of the limit, and the messages of one read. Of more
 * than WEB_FRAMING_KEPT_BYTES the memory is given back once no message is left.
 *
 * Pure: knows no socket. A build without libwslay has web_framing_absent.c, which opens none.
 */
#ifndef DROVER_SERVER_NET_WEB_FRAMING_H
#define DROVER_SERVER_NET_WEB_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/nodiscard.h"

enum { WEB_FRAMING_READ_BYTES = 4096, WEB_FRAMING_KEPT_BYTES = 128 * 1024 };

struct web_framing;

/** Whether this build can read WebSocket frames. */
bool web_framing_is_built(void);
/** max_bytes: the longest message. NULL when memory is short or the build lacks libwslay. */
NODISCARD struct web_framing *web_framing_create(size_t max_bytes);
/** Another longest message. */
void web_framing_set_limit(struct web_framing *framing, size_t max_bytes);
/** NULL is fine. */
void web_framing_destroy(struct web_framing *framing);
/** Where the next bytes are written, WEB_FRAMING_READ_BYTES of them. Messages handed out before are invalid. */
char *web_framing_reserve(struct web_framing *framing, size_t *size);
/** So many bytes were written there; all of them are looked at. */
void web_framing_commit(struct web_framing *framing, size_t count);
/** The next message, NUL-terminated, valid until the next call of this or web_framing_reserve. False when there is none. */
bool web_framing_next(struct web_framing *framing, char **message, size_t *length);
/** Whether no message and no part of one is left. */
bool web_framing_is_empty(const struct web_framing *framing);
/** Appends the frames that answer the peer's pings since the last call. */
void web_framing_take_replies(struct web_framing *framing, struct buffer *out);
/** The close code when the peer has closed or was refused, else 0. *by_peer: it was the peer that closed, and the code
 * is its own. */
int web_framing_end_code(const struct web_framing *framing, bool *by_peer);

/* Frames of WebSocket (RFC 6455, section 5.2) as a server sends them: their heads, and whole control frames. Pure.
 *
 * A server does not mask, so the payload of a frame is the shared line itself; only its head, 2 to 10 bytes, is made
 * for each peer.
 */

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
