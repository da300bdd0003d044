/* Operations on a connected socket below libuv. Keeps no state. */
#ifndef DROVER_SERVER_NET_PEER_SOCKET_H
#define DROVER_SERVER_NET_PEER_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
