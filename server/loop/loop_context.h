/* Everything that the loop needs to serve its sessions. The server has one; no other thread uses it.
 */
#ifndef DROVER_SERVER_LOOP_LOOP_CONTEXT_H
#define DROVER_SERVER_LOOP_LOOP_CONTEXT_H

#include "server/broadcast/broadcast.h"
#include "server/options.h"
#include "server/sessions/access.h"
#include "server/sessions/cursors.h"
#include "server/sessions/session_set.h"
#include "server/sessions/statistics.h"
#include "server/sessions/token_guard.h"
#include "server/simulation/simulation.h"

/** A reply or an event on the loop fits into it: a hello with every kind and target has some 30 KB. */
enum { LOOP_REPLY_BYTES = 1024 * 1024 };

struct loop_context {
    struct uv_loop_s *uv;                 /* not owned */
    const struct server_options *options; /* not owned */
    struct simulation *simulation;        /* not owned */
    struct session_set sessions;
    struct broadcast broadcast;
    struct cursors cursors;
    struct loop_statistics statistics;
    struct access access;
    struct token_guard tokens;
};

#endif
