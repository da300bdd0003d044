/* The handshake of WebSocket (RFC 6455, section 4) on the server's side, as far as it is text. Pure. */
#ifndef DROVER_SERVER_WEB_WEB_HANDSHAKE_H
#define DROVER_SERVER_WEB_WEB_HANDSHAKE_H

#include <stdbool.h>

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
