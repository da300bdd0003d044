/* The messages of a WebSocket: what the peer's frames (RFC 6455) make up, behind framing.h.
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

#endif
