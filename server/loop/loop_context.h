/* Everything that the loop needs to serve its sessions. The server has one; no other thread uses it.
 */
#ifndef DROVER_SERVER_LOOP_LOOP_CONTEXT_H
#define DROVER_SERVER_LOOP_LOOP_CONTEXT_H

#include "server/broadcast/broadcast.h"
#include "server/options.h"
#include "server/sessions/access.h"
#include "server/sessions/cursors.h"
#include "server/sessions/descriptor_limit.h"
#include "server/sessions/session_set.h"
#include "server/sessions/statistics.h"
#include "server/sessions/token_guard.h"
#include "server/simulation/simulation.h"

/** A reply or an event on the loop fits into it: a hello with every kind and target has some 30 KB. */
enum { LOOP_REPLY_BYTES = 1024 * 1024 };

/** What the simulation handed over and must not leave yet: an answer whose change is not on disk (--sync always), what
 * comes after it, and the frame that shows it. */
struct held_events {
    struct sim_event *first, *last;   /* owned; in order */
    uint64_t taken, delivered;        /* events so far */
    const struct snapshot_slot *slot; /* the frame, or NULL */
    uint64_t slot_after;              /* it comes after so many events */
};

/** Frames that another thread encodes; no snapshot is taken meanwhile. */
struct loop_encoding {
    bool is_under_way;
    uint64_t begun_ns;
};

struct loop_context {
    struct uv_loop_s *uv;                 /* not owned */
    const struct server_options *options; /* not owned */
    struct descriptor_room room;          /* of sessions and other connections */
    struct simulation *simulation;        /* not owned */
    struct session_set sessions;
    struct broadcast broadcast;
    struct snapshot_demand views; /* what all subscriptions show */
    struct held_events held;
    struct loop_encoding encoding;
    struct cursors cursors;
    struct loop_statistics statistics;
    struct access access;
    struct token_guard tokens;
    bool is_stopping; /* the server says goodbye */
    uint64_t seq;     /* of the last change whose answer or event was taken from the simulation */
};

#endif
