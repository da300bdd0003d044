/* The cursors of the clients: shown to the subscribers that asked for them, and targets in the world.
 *
 * 1. A `cursors` line lists all cursors. It is sent LIMIT_CURSOR_HZ times a second at most, and only when
 * something changed. A session that is still being written to is left out and gets a later line instead, so no
 * send queue grows by it.
 * 2. A cursor is a target of the world once its session has sent a position while some behavior aims at
 * cursors. It leaves the world with its session; while the queue of commands is full, the departure is kept
 * and tried again.
 *
 * Lives on the loop; owns the list of departures.
 */
#ifndef DROVER_SERVER_SESSIONS_CURSORS_H
#define DROVER_SERVER_SESSIONS_CURSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/vec2.h"
#include "server/sessions/session_set.h"
#include "server/simulation/simulation.h"

/** Zeroed it is empty. */
struct cursors {
    bool has_changed;   /* since the last line was written */
    bool is_line_due;   /* to some session */
    uint32_t *departed; /* closed sessions whose cursors are still in the world; owned */
    int departed_count;
};

/** Frees the list of departures. */
void cursors_fini(struct cursors *cursors);
/** The client points at a place of the world, px. */
void cursors_point(struct cursors *cursors, struct session *session, vec2 at);
/** The client points nowhere any more. */
void cursors_withdraw(struct cursors *cursors, struct session *session);
/** A session was closed, or its client has another name. */
void cursors_changed(struct cursors *cursors);
/** The session's subscription changed; one with cursors gets a line with the next cursors_send. */
void cursors_subscribe(struct cursors *cursors, struct session *session);
/** Sends the lines that are due. Call LIMIT_CURSOR_HZ times a second. */
void cursors_send(struct cursors *cursors, struct session_set *sessions);

/** Whether the world answers a `cursor` of this session: a behavior there aims at cursors, and the client may
 * move targets. */
bool cursors_reach_world(const struct simulation *simulation, const struct session *session);
/** The session is closed: its cursor leaves the world as soon as the queue of commands has room. */
void cursors_depart(struct cursors *cursors, struct simulation *simulation, const struct session *session);
/** A world was put in: the cursors in it whose sessions are gone leave it, as above. */
void cursors_settle(struct cursors *cursors, struct simulation *simulation,
                    const struct session_set *sessions);
/** Tries the kept departures again. Call a few times a second. */
void cursors_retry(struct cursors *cursors, struct simulation *simulation);

#endif
