/* Operations on a connected socket below libuv. Keeps no state. */
#ifndef DROVER_SERVER_NET_PEER_SOCKET_H
#define DROVER_SERVER_NET_PEER_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/nodiscard.h"

/** No delay, a short queue in the kernel, and limits after which a peer that fell off the net counts as gone.
 * Returns whether all could be set; one that is not costs latency, not correctness. */
bool peer_socket_prepare(int socket);
/** Whether the peer has closed both ways, or reset: for a socket that is not being read. */
bool peer_socket_is_gone(int socket);
/** Whether the peer will send nothing more and all that it sent was read, or the connection is reset. */
bool peer_socket_has_ended(int socket);
/** Sends these last bytes, as far as the kernel takes them at once (which on a new connection is all), and closes
 * the socket so that they are not lost. */
void peer_socket_refuse(int socket, const char *bytes, size_t length);

/* Decides when a client that reads too slowly gets its next frame.
 *
 * Frames that are written to a client that does not keep up wait unread in its receive buffer, and are shown
 * when they are old. TCP tells how much room that buffer has (the window). For a client that has proved to be
 * slow the next frame begins only when at least half of the buffer is free; the frame that is waiting
 * meanwhile is replaced by newer ones.
 *
 * Half, because a receiver need not announce less: Linux announces free room when it has doubled, so a window
 * below half of the largest is always followed by a wider one once the peer has read. The largest is learned;
 * when it misleads, a frame is held for PEER_WINDOW_HOLD_MS at most and the largest is learned again.
 *
 * Pure, but for peer_window_read and peer_window_is_closed. For a client that keeps up the window is never
 * read: none of its frames is skipped.
 */

enum {
    PEER_WINDOW_HOLD_MS = 1000,  /* the longest that a frame is held back for the window's sake */
    PEER_WINDOW_WATCH_MS = 5000, /* so long after the last skipped frame a client counts as slow */
};

struct peer_window {
    uint32_t widest_bytes;   /* seen so far */
    uint64_t watch_until_ms; /* slow until then; 0: never was */
    uint64_t held_since_ms;  /* meaningful while is_holding */
    bool is_holding;
};

/** A frame was skipped because the one before it was not taken in time. */
void peer_window_note_skip(struct peer_window *window, uint64_t now_ms);

/** Whether the window matters: the client is slow. */
bool peer_window_is_watched(const struct peer_window *window, uint64_t now_ms);

/** Whether the next frame may begin, of a client that is watched. open_bytes: the window now. */
bool peer_window_allows(struct peer_window *window, uint32_t open_bytes, uint64_t now_ms);

/** The window that the peer of a TCP socket announced last, less what was written already and will fill it.
 * -1 where the system does not report it: then every frame may begin at once. */
NODISCARD int peer_window_read(int socket, uint32_t *open_bytes);

/** Whether the peer closed its side, also when what it sent before was not read yet. False where the
 * system does not report it. */
bool peer_window_is_closed(int socket);

#endif
