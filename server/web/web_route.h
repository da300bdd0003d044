/* The routes of the door for HTTP: a table, a row a path. A row names the function that answers a GET; HEAD, the
 * methods that are refused, the rules of Host and Origin, and the headers of every answer are the door's.
 *
 * A handler runs on the loop, at once: it reads what the loop has and never waits.
 *
 *     static void answer_health(const struct web_site *site, const struct web_request *request,
 *                               struct web_answer *answer) {
 *         web_answer_buffer(answer, "text/plain; charset=utf-8", &text);
 *     }
 */
#ifndef DROVER_SERVER_WEB_WEB_ROUTE_H
#define DROVER_SERVER_WEB_WEB_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"

struct loop_context;

/** What handlers answer from. */
struct web_site {
    struct loop_context *loop; /* not owned */
    const char *scenarios;     /* the folder of the scenarios; "" when there is none */
};

struct web_request {
    const char *path;                   /* "/assets/page.js", without the query */
    const char *rest;                   /* of the path, after the route's own: "page.js" */
    bool accepts_gzip;                  /* Accept-Encoding allows it */
    const char *if_none_match;          /* NULL when the request has none */
    const char *accept, *authorization; /* the same */
    const char *address;                /* of the client, without its port */
};

/** The answer of a handler; all zero but `status` before the handler has it. */
struct web_answer {
    unsigned status;   /* 200 unless the handler sets another one */
    const char *type;  /* Content-Type; a text that stays */
    const void *bytes; /* the body; HEAD sends its length alone */
    size_t length;
    char *owned; /* malloc'd; freed when the body is sent. NULL: `bytes` stays as long as the program runs */
    const char *encoding;   /* Content-Encoding, such as "gzip"; NULL for none */
    const char *etag;       /* with its quotes; NULL for none */
    const char *cache;      /* Cache-Control; NULL: no-cache */
    const char *challenge;  /* WWW-Authenticate, of a 401; NULL for none */
    uint64_t not_before_ms; /* loop time: the answer waits until then */
};

struct web_route {
    const char *path; /* "/metrics"; one that ends with a slash stands for all below it, but not for itself */
    void (*answer)(const struct web_site *site, const struct web_request *request, struct web_answer *answer);
};

/** The row of the path, or NULL when there is none. *rest: what follows the row's own path. The table has `count` rows;
 * of those that match the first one counts. */
const struct web_route *web_route_find(const struct web_route *table, size_t count, const char *path,
                                       const char **rest);

/** Answers with bytes that stay as long as the program runs. */
void web_answer_static(struct web_answer *answer, const char *type, const void *bytes, size_t length);
/** Answers with what the buffer holds and takes its bytes; a buffer that failed makes the answer a 500. */
void web_answer_buffer(struct web_answer *answer, const char *type, struct buffer *body);
/** Answers with a status of 400 or more and a line of plain text, which stays. */
void web_answer_refusal(struct web_answer *answer, unsigned status, const char *text);

/* Who may talk to the door for browsers: the rules of Host and Origin. Pure.
 *
 * A browser connects to any address that a page tells it, this machine's loopback as well, so an address protects
 * nothing. Host says by what name the page's browser came here: a name of another site that points here (DNS
 * rebinding) is none of ours. Origin says which site the page is from: only the door's own page, and the sites that
 * --web-origin names, may open a WebSocket. Programs that are no browsers send no Origin, and may, as on TCP.
 *
 * Names are compared whole and without regard to case; a port that is not written is that of the scheme.
 */

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
