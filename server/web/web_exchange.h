/* One HTTP request and its answer: what is looked at in the head, the rules, the table of routes, the handshake of /ws.
 * Over libmicrohttpd; knows no loop. */
#ifndef DROVER_SERVER_WEB_WEB_EXCHANGE_H
#define DROVER_SERVER_WEB_WEB_EXCHANGE_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

#include "server/web/web_route.h"

/** The peer of a connection, as it counts for limits. */
struct web_peer {
    char address[64]; /* of X-Forwarded-For on a Unix socket */
    bool is_loopback;
};

/** What requests are answered with. */
struct web_service {
    struct web_site site;
    struct host_rules rules;
    void *context;
    /** Whether the peer has no more connections than it may have; the one at hand counts. */
    bool (*has_place)(void *context, const struct web_peer *peer);
    /** Whether a WebSocket of this peer may come in. */
    bool (*has_room)(void *context, const struct web_peer *peer);
    /** A WebSocket after its handshake: the socket is the receiver's; early: bytes that came behind the request. */
    void (*on_socket)(void *context, int socket, const struct web_peer *peer, const char *early,
                      size_t length);
};

/** What a connection keeps of its request after web_exchange_answer. */
struct web_pending {
    struct web_answer late;            /* an answer that waits; not_before_ms 0: there is none */
    const struct web_service *service; /* of a handshake: what gets its socket */
    struct web_peer peer;              /* as the proxy names it, where there is one */
    bool has_socket;                   /* the handshake is not over */
    int socket;                        /* the session's own descriptor of the connection; owned */
};

/** The peer of a connected socket; a proxy's word for it comes from web_exchange_answer. False: it is gone. */
bool web_peer_of(int socket, struct web_peer *peer);
/** Looks at the head of a request as soon as it is read. Answers what is refused whatever the path is, at once, so that no
 * body is read: other methods, bodies, too many headers. Returns whether the request is to go on to
 * web_exchange_answer; *result is libmicrohttpd's otherwise. */
bool web_exchange_begin(struct MHD_Connection *connection, const char *method, enum MHD_Result *result);
/** Answers a whole request. Returns whether libmicrohttpd goes on with the connection. pending: zeroed, and
 * there until the connection ends; an answer that is to wait until late.not_before_ms is put there instead of being sent,
 * and has no memory of its own. */
enum MHD_Result web_exchange_answer(const struct web_service *service, struct MHD_Connection *connection,
                                    const char *method, const char *path, struct web_pending *pending);
/** The connection ends: closes the socket of a handshake that did not come to its end. */
void web_exchange_end(struct web_pending *pending);
/** Sends such an answer. */
enum MHD_Result web_exchange_send(struct MHD_Connection *connection, struct web_answer *answer);

/* The handshake of WebSocket (RFC 6455, section 4) on the server's side, as far as it is text. Pure. */

#define WEB_SUBPROTOCOL "drover.v1"

enum { WEB_ACCEPT_CHARS = 28 };

/** The headers of the request that the handshake looks at; NULL for one that is not there. */
struct web_handshake {
    const char *upgrade, *connection, *version, *key, *protocols;
};

/** What is wrong with the handshake, as a status and a sentence: 400, or 426 for a version that is not 13. Returns
 * whether nothing is. */
bool web_handshake_check(const struct web_handshake *handshake, unsigned *status, const char **reason);
/** The value of Sec-WebSocket-Accept for a key, NUL-terminated. */
void web_handshake_accept(const char *key, char accept[WEB_ACCEPT_CHARS + 1]);
/** Whether a header's list, such as "keep-alive, Upgrade", has the word, without regard to case. NULL has none. */
bool web_handshake_lists(const char *list, const char *word);

#endif
