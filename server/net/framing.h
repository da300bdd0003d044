/* Cuts the bytes of a stream into messages, whatever the protocol below them. A message is a line
 * (common/protocol/line_reader.h), or a text message of a WebSocket (web_framing.h); the owner sees messages.
 *
 * 1. Messages come in order and whole, however the bytes arrive. A message longer than the limit is reported
 * once and skipped; the next one is read as if nothing had happened.
 * On a WebSocket a message that is too long ends the connection instead (framing_end_code).
 * 2. No message is handed out before the first bytes show that the peer speaks our protocol, or the peer's end
 * that there are no more.
 * 3. Memory: one message of the limit and one read. More than FRAMING_KEPT_BYTES is given back once no message is left.
 *
 * Pure: knows no socket.
 */
#ifndef DROVER_SERVER_NET_FRAMING_H
#define DROVER_SERVER_NET_FRAMING_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buffer.h"
#include "common/base/nodiscard.h"
#include "common/protocol/line_reader.h"
#include "server/net/web_framing.h"

/* Recognizes a protocol that does not belong on this port: TLS and HTTP (a browser, a WebSocket upgrade, a health
 * check) by their first bytes, and HTTP with a method that is not known here by its lines. Such a peer gets one answer
 * in HTTP and is closed before any of its lines could be taken for a request: a web page must not be able to control a
 * server on the same machine. Pure.
 */

enum protocol_sniff {
    PROTOCOL_SNIFF_OURS,   /* ours, or at least neither of the others */
    PROTOCOL_SNIFF_UNSURE, /* too few bytes so far */
    PROTOCOL_SNIFF_HTTP,
    PROTOCOL_SNIFF_TLS,
};

/** bytes: the first ones of a connection, as many as have come. */
enum protocol_sniff protocol_sniff_look(const char *bytes, size_t length);
/** Whether a line, without its end, is one of a request in HTTP, whatever its method: it ends in " HTTP/1.1" (or another
 * version), or it is a field such as "Host: ...". No line of ours is: that ends in '}', and begins with '{'. */
bool protocol_sniff_is_http(const char *line, size_t length);
/** Appends the answer to such a peer: a whole HTTP/1.1 400 response. web_address: where the page for browsers is, NULL
 * when there is none. */
void protocol_sniff_answer(const char *web_address, struct buffer *out);

enum { FRAMING_KEPT_BYTES = 128 * 1024 };

enum framing_event {
    FRAMING_NEED_MORE, /* no whole message is left */
    FRAMING_MESSAGE,   /* *message and *length are set */
    FRAMING_TOO_LONG,  /* a message passed the limit; it is being skipped */
};

enum framing_kind { FRAMING_LINES, FRAMING_WEB };

struct framing {
    enum protocol_sniff protocol; /* as far as the bytes so far show */
    struct line_reader lines;
    struct web_framing *web; /* owned; NULL: messages are lines */
};

/** Allocates nothing yet. max_bytes: the longest message, without what delimits it. */
void framing_init(struct framing *framing, size_t max_bytes);
/** The same for a WebSocket, after its handshake. 0, or -1 when memory is short or the build has no WebSocket; the framing
 * is to be freed in any case. */
NODISCARD int framing_init_web(struct framing *framing, size_t max_bytes);
/** Another longest message, for those that begin from now on. */
void framing_set_limit(struct framing *framing, size_t max_bytes);
/** The longest message. */
size_t framing_limit(const struct framing *framing);
/** Frees the received bytes. */
void framing_fini(struct framing *framing);
/** Where the next bytes may be written: at least one byte, aiming at `wish`. Messages handed out before are
 * invalid afterwards. NULL when out of memory. */
NODISCARD char *framing_reserve(struct framing *framing, size_t wish, size_t *size);
/** So many bytes were written there. Returns what the peer speaks: HTTP or TLS is to be refused. */
enum protocol_sniff framing_commit(struct framing *framing, size_t count);
/** The peer sends no more: bytes after the last delimiter, if any, are a message as well. 0, or -1 when out of
 * memory (they are lost then). */
NODISCARD int framing_end(struct framing *framing);
/** The next message without its delimiter, NUL-terminated in place; owned by the framing and valid until the
 * next call of this or framing_reserve. Call until it returns FRAMING_NEED_MORE. */
enum framing_event framing_next(struct framing *framing, char **message, size_t *length);
/** Appends the bytes that answer the peer's pings, as they go to the wire. Nothing where messages are lines. */
void framing_take_replies(struct framing *framing, struct buffer *out);
/** The close code when the peer has closed its WebSocket (*by_peer) or broken a rule of it; no message comes after those
 * that are left then. 0 else, and where messages are lines. */
int framing_end_code(const struct framing *framing, bool *by_peer);
/** Whether every received byte was handed out or skipped. */
bool framing_is_empty(const struct framing *framing);
/** Discards what was received and gives its memory up: the owner is not interested any more. */
void framing_clear(struct framing *framing);

#endif
