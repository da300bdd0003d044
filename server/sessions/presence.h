/* The cursors of the people who watch: who points where, told to those who asked, LIMIT_CURSOR_HZ times a
 * second at most.
 *
 * Lives on the loop. A `cursors` line lists all cursors there are, so a session that is still being written
 * to is left out and gets a later line instead: nobody's queue grows by it. It goes out only when something
 * changed.
 */
#ifndef DROVER_SERVER_SESSIONS_PRESENCE_H
#define DROVER_SERVER_SESSIONS_PRESENCE_H

#include <stdbool.h>

#include "common/base/vec2.h"
#include "server/sessions/session_set.h"

struct presence {
    bool has_changed; /* since the last line was made */
    bool is_owed;     /* to some session */
};

/** The session points at a place of the world. */
void presence_point(struct presence *presence, struct session *session, vec2 at);
/** Somebody came, left, or goes by another name. */
void presence_changed(struct presence *presence);
/** Sends what is due. Call LIMIT_CURSOR_HZ times a second. */
void presence_send(struct presence *presence, struct session_set *sessions);

#endif
