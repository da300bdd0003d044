/* The viewer's side of libdrover, whatever carries the bytes: it fills the mailbox with what comes, sends what lies in it, and
 * subscribes for each world. Above it connection.c has a thread, the page of a browser a WebSocket.
 *
 * A link lasts from one connection to the next. It owns its mailbox and the library's handle. All functions but viewer_link_send and
 * viewer_link_set_stream are called from one thread; those two from the drawing thread.
 */
#ifndef DROVER_VIEWER_LINK_LINK_H
#define DROVER_VIEWER_LINK_LINK_H

#include <stdbool.h>

#include "clients/c/include/drover/drover.h"
#include "common/base/nodiscard.h"
#include "common/snapshot/snapshot.h"
#include "common/snapshot/snapshot_density.h"
#include "common/text/server_address.h"
#include "viewer/link/mailbox.h"
#include "viewer/link/seconds.h"

struct connection_def {
    struct address address;
    char seconds[SECONDS_URL_BYTES]; /* the address of an index of static seconds, in place of a server; "" */
    char ca
        [SECONDS_URL_BYTES]; /* a file of certificates that their web server's may be signed with; "": the system's */
    enum layout agents;                /* the layout to have agents one by one in */
    char name[LIMIT_PERSON_BYTES + 1]; /* to say hello with; "" for none */
    char token[LIMIT_TOKEN_CHARS + 1]; /* a secret; "" for none */
    bool is_single_try;                /* ends when the connection cannot be made or is lost */
};

/** Now, in the milliseconds that arrival times and clock_sync use. */
double connection_now_ms(void);

struct viewer_link {
    struct connection_def def;
    struct mailbox mailbox;
    struct link_status status;
    struct drover *world;
    struct snapshot *snapshot;      /* to be filled; NULL until it is needed */
    struct density *density;        /* the same */
    struct buffer requests;         /* the memory that goes back to the mailbox */
    bool is_paused;                 /* no frames are wanted: the page is hidden */
    bool is_looking;                /* the server shows another moment to this session (protocol.md, look) */
    struct seconds_player *seconds; /* NULL: a server sends the bytes */
};

/** The options of a handle for it; they point into *def. */
struct drover_options viewer_link_options(const struct connection_def *def);
/** -1 when out of memory. */
NODISCARD int viewer_link_init(struct viewer_link *link, const struct connection_def *def);
void viewer_link_fini(struct viewer_link *link);
/** The handle that carries the bytes from now on; the link's. NULL, when memory ran out: the link has ended. */
void viewer_link_use(struct viewer_link *link, struct drover *world);

/** What static seconds have for the handle, when there are any. Returns after how many ms at most to call it again. */
int viewer_link_turn(struct viewer_link *link);
/** Puts what the handle has into the mailbox, and says there how the connection stands. has_no_server: it could not be made because
 * nothing listens there. */
void viewer_link_take(struct viewer_link *link, bool has_no_server);
/** Hands the requests of the mailbox to the handle. */
void viewer_link_give(struct viewer_link *link);

/** No frames are wanted any more, or they are again, beginning with a whole one: queues the request for that. A world that
 * begins meanwhile sends none either. */
void viewer_link_pause(struct viewer_link *link, bool is_paused);

/** Queues a request. -1 when there is no connection: it is lost. */
NODISCARD int viewer_link_send(struct viewer_link *link, const struct request *request);
/** As connection_set_stream. Whether a request was queued. */
bool viewer_link_set_stream(struct viewer_link *link, const struct stream_choice *stream);

/* What libdrover decoded, as the viewer's own snapshot and density: the columns are copied. Pure. */

#endif
