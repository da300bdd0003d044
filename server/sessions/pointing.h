/* Cursors on their way into the world, where a behaviour may aim at them, and out of it when their sessions
 * go. Lives on the loop; owns the list of those that could not go yet.
 */
#ifndef DROVER_SERVER_SESSIONS_POINTING_H
#define DROVER_SERVER_SESSIONS_POINTING_H

#include "server/sessions/session.h"
#include "server/simulation/simulation.h"

/** Zeroed it is empty. */
struct pointing {
    uint32_t *departed; /* sessions that are gone while the queue of commands was full; owned */
    int count;
};

/** Whether a `cursor` of this session is the world's to answer: something there aims at cursors, and the
 * session may move targets. */
bool pointing_reaches_world(const struct simulation *simulation, const struct session *session);
/** The session is gone: so is its cursor, as soon as there is room in the queue. */
void pointing_depart(struct pointing *pointing, struct simulation *simulation, const struct session *session);
/** Tries those again that could not go. Call now and then. */
void pointing_retry(struct pointing *pointing, struct simulation *simulation);
void pointing_fini(struct pointing *pointing);

#endif
