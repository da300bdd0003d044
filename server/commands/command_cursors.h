/* Cursors in the world: a cursor is a target "cursor-N" (state_cursors). It exists only in a world in which a
 * behavior aims at such a set of targets, so that pointing changes no other world.
 */
#ifndef DROVER_SERVER_COMMANDS_COMMAND_CURSORS_H
#define DROVER_SERVER_COMMANDS_COMMAND_CURSORS_H

#include "server/commands/apply_context.h"

enum apply_cursor {
    APPLY_CURSOR_UNWANTED, /* nothing in this world aims at cursors */
    APPLY_CURSOR_MOVED,
    APPLY_CURSOR_FULL, /* there is no room for another target */
};

/** Moves the cursor of state->session to a place that came with another request. */
enum apply_cursor apply_point_cursor(struct apply *apply, vec2 point);
/** Writes the reply's "cursor": the name of the session's target, when it has one. */
void apply_write_cursor(struct apply *apply);
/** Adds the session's target to the event of the request; makes one, "cursor", of a request that has none. Nothing
 * when the session has no target. */
void apply_tell_cursor(struct apply *apply, vec2 point);
/** Fails for APPLY_CURSOR_FULL. Returns -1. */
int apply_fail_cursor(struct apply *apply);

#endif
