/* Recognizes a protocol that does not belong on this port: TLS and HTTP (a browser, a WebSocket upgrade, a health
 * check) by their first bytes, and HTTP with a method that is not known here by its lines. Such a peer gets one answer
 * in HTTP and is closed before any of its lines could be taken for a request: a web page must not be able to control a
 * server on the same machine. Pure.
 */
#ifndef DROVER_SERVER_NET_PROTOCOL_SNIFF_H
#define DROVER_SERVER_NET_PROTOCOL_SNIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buffer.h"

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

#endif
