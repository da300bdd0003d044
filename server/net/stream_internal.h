/* Functions that the files of a stream share. Calls go one way: stream.c, stream_write.c, stream_phase.c. */
#ifndef DROVER_SERVER_NET_STREAM_INTERNAL_H
#define DROVER_SERVER_NET_STREAM_INTERNAL_H

#include "server/net/stream.h"

/* ---- stream_phase.c ---- */

/** The next phase, which is a later one. */
void stream_enter(struct stream *stream, enum stream_phase phase);
/** Closes the socket now. reset: the kernel does not keep what the peer has not taken. Does nothing when it is
 * closed. */
void stream_close_socket(struct stream *stream, bool reset);
/** Everything is written: shuts our side and waits briefly for the peer. */
void stream_start_linger(struct stream *stream);
/** The connection broke. The log says so when the peer fell off the net, not when it hung up. */
void stream_lose(struct stream *stream, const char *doing, int error);

/* ---- stream_write.c ---- */

/** Writes what is queued as far as the socket takes it; a flushing stream lingers when all is written. */
void stream_flush(struct stream *stream);

#endif
