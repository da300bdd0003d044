/* Decodes what a server sends: bytes in, messages and frames out. Pure: no socket, no thread, no clock, no
 * log. One decoder serves one connection after the other; calls on it come from one thread at a time.
 *
 *     char *space = client_decoder_reserve(decoder, wish, &size);   read into it, or client_decoder_feed
 *     client_decoder_commit(decoder, count);
 *     while (client_decoder_next(decoder, &event) != CLIENT_NEED_MORE) ...
 *
 * 1. The events do not depend on the pieces in which the bytes come.
 * 2. A frame belongs to the world that the newest hello or scenario message described. `epoch` counts those
 * worlds over all connections; every event carries it. Frames that come before the first world of a
 * connection are skipped.
 * 3. Whatever bytes come, a message or frame is whole or refused, and memory stays bounded by the longest
 * line, one piece and the arrays of one frame.
 */
#ifndef DROVER_CLIENTS_C_CLIENT_DECODER_H
#define DROVER_CLIENTS_C_CLIENT_DECODER_H

#include <stddef.h>
#include <stdint.h>

#include "clients/c/line_message.h"
#include "common/base/failure.h"
#include "common/snapshot/frame_layout.h"
#include "common/snapshot/snapshot.h"
#include "common/snapshot/snapshot_density.h"

enum { CLIENT_LINE_BYTES = 64 * 1024 * 1024 }; /* enough for a key of LIMIT_AGENTS_USUAL agents */

enum client_event_type {
    CLIENT_NEED_MORE, /* no complete line is left */
    CLIENT_MESSAGE,   /* event.message */
    CLIENT_FRAME,     /* event.snapshot, and event.density for a layout that takes a grid */
    CLIENT_MESSAGE_REFUSED, /* event.failure; the line is skipped. An answer that says whose it is: CLIENT_MESSAGE */
    CLIENT_FRAME_REFUSED, /* event.failure; the request `resync` brings a new key */
    CLIENT_LINE_TOO_LONG, /* a line of more than max_line_bytes; it is skipped */
    CLIENT_NO_MEMORY,     /* a line was skipped because memory ran out */
};

struct client_event {
    enum client_event_type type;
    uint32_t epoch; /* of the world that the message or frame belongs to; 0 before the first */
    struct drover_message *message; /* the caller's: drover_message_free */
    struct snapshot *snapshot; /* the decoder's, until the next call; see client_decoder_replace_snapshot */
    struct density *density;   /* the same; NULL for a layout without a grid */
    struct failure failure;
};

struct client_decoder;

/** max_line_bytes: the longest line that is read; CLIENT_LINE_BYTES for every frame there can be. NULL when
 * out of memory. */
NODISCARD struct client_decoder *client_decoder_create(size_t max_line_bytes);
/** NULL is fine. */
void client_decoder_destroy(struct client_decoder *decoder);
/** Another connection begins: forgets a half line, the key and that a world was described. The layout that is
 * expected, and the epoch, stay. */
void client_decoder_reset(struct client_decoder *decoder);
/** From now on frames are expected in this layout (enum layout). Those of the other sort, agents one by one
 * or counts, that are still on their way after a change of subscription are skipped. Before the first call
 * every frame is read. */
void client_decoder_expect(struct client_decoder *decoder, int layout);

/** Where the next bytes may be written: at least 1 byte, about `wish`. Valid until the next call on the
 * decoder. NULL when out of memory. */
NODISCARD char *client_decoder_reserve(struct client_decoder *decoder, size_t wish, size_t *size);
/** So many bytes were written there. */
void client_decoder_commit(struct client_decoder *decoder, size_t count);
/** The same for bytes that lie elsewhere: copies them. -1 when out of memory: the connection is then to be
 * given up, since a line is torn. */
NODISCARD int client_decoder_feed(struct client_decoder *decoder, const char *bytes, size_t length);

/** The next event; its type is also *event's. Call until it is CLIENT_NEED_MORE. */
enum client_event_type client_decoder_next(struct client_decoder *decoder, struct client_event *event);

/** After CLIENT_FRAME: the snapshot is the caller's from now on, and the decoder, which now owns `next`,
 * reads the next frame into that. NULL: it makes one. */
void client_decoder_replace_snapshot(struct client_decoder *decoder, struct snapshot *next);
/** The same for the density of an event that has one. */
void client_decoder_replace_density(struct client_decoder *decoder, struct density *next);

#endif
