/* Who may talk to the door for browsers: the rules of Host and Origin. Pure.
 *
 * A browser connects to any address that a page tells it, this machine's loopback as well, so an address protects
 * nothing. Host says by what name the page's browser came here: a name of another site that points here (DNS
 * rebinding) is none of ours. Origin says which site the page is from: only the door's own page, and the sites that
 * --web-origin names, may open a WebSocket. Programs that are no browsers send no Origin, and may, as on TCP.
 *
 * Names are compared whole and without regard to case; a port that is not written is that of the scheme.
 */
#ifndef DROVER_SERVER_WEB_HOST_RULES_H
#define DROVER_SERVER_WEB_HOST_RULES_H

#include <stdbool.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"

struct host_rules {
    const char *hosts;   /* --web-host: names, or name:port, with spaces between them; "" for none */
    const char *origins; /* --web-origin: scheme://name[:port], the same */
    bool is_unix;        /* a proxy is in front, on a Unix socket */
};

/** The headers of a request that the rules look at; NULL for one that is not there. */
struct host_headers {
    const char *host, *origin;
    const char *proto; /* X-Forwarded-Proto: "http" or "https"; looked at on a Unix socket alone */
    const char *local; /* the numeric address that the connection came in on; "" on a Unix socket */
};

/** Whether Host names this door: the address that the connection came in on, localhost, or one of --web-host. */
bool host_rules_allow_host(const struct host_rules *rules, const struct host_headers *headers);
/** Whether a page of this Origin may open a WebSocket. Host is allowed already. */
bool host_rules_allow_origin(const struct host_rules *rules, const struct host_headers *headers);
/** Whether every word of the rules is one: a name or name:port, and http:// or https:// with a name and, if need be, a
 * port. 0, or -1 with *failure. */
NODISCARD int host_rules_check(const struct host_rules *rules, struct failure *failure);

#endif
