/* Recognises what does not belong on this port by its first bytes: HTTP (a browser, a WebSocket upgrade, a
 * health check) and TLS. Such a peer is answered once in its own way and closed, before any of its lines
 * could be taken for a request: a web page must not be able to drive a server on the reader's own machine.
 * Pure.
 */
#ifndef DROVER_SERVER_NET_PROTOCOL_SNIFF_H
#define DROVER_SERVER_NET_PROTOCOL_SNIFF_H

#include <stddef.h>

enum protocol_sniff {
    PROTOCOL_SNIFF_OURS,   /* ours, or at least neither of the others */
    PROTOCOL_SNIFF_UNSURE, /* too few bytes to tell: look again when there are more */
    PROTOCOL_SNIFF_HTTP,
    PROTOCOL_SNIFF_TLS,
};

/** bytes: the first ones of a connection, as many as have come. */
enum protocol_sniff protocol_sniff_look(const char *bytes, size_t length);
/** What such a peer is answered: a whole HTTP/1.1 400 response, NUL-terminated. */
const char *protocol_sniff_answer(void);

#endif
