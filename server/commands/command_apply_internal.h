/* What the command_*.c files that change the world share, and nobody else. */
#ifndef DROVER_SERVER_COMMANDS_COMMAND_APPLY_INTERNAL_H
#define DROVER_SERVER_COMMANDS_COMMAND_APPLY_INTERNAL_H

#include "server/commands/command_apply.h"

/** What every op works with. */
struct apply {
    struct stage *stage;
    const struct request *request;
    struct json_writer *json; /* the open reply */
    struct command_effects effects;
    struct failure failure;
    bool is_told; /* the failure was told before: the error is left out of a request without an id */
};

enum apply_cursor {
    APPLY_CURSOR_UNWANTED, /* nothing in this world aims at cursors */
    APPLY_CURSOR_MOVED,
    APPLY_CURSOR_FULL, /* there is no room for one more target */
};

/** The number of ticks done, as the reply's "tick"; written when the request has taken effect. */
void apply_write_tick(struct apply *apply);
/** The reply's "x" and "y". */
void apply_write_point(struct apply *apply, vec2 point);
/** What those who watch are told of this request. has: enum message_event_has. */
struct message_event *apply_tell(struct apply *apply, const char *name, unsigned has);
/** The same with a target's name and place. */
void apply_tell_target(struct apply *apply, const char *name, int target);

/* One function an op (command_live.c): 0, or -1 with apply->failure. */
int apply_add_target(struct apply *apply);
int apply_remove_target(struct apply *apply);
int apply_add_obstacle(struct apply *apply);
int apply_move_obstacle(struct apply *apply);
int apply_remove_obstacle(struct apply *apply);
/** Moves the cursor of stage->session in a world that wants cursors, or takes it away. */
int apply_cursor(struct apply *apply);
/** The same for a place that came with another request. */
enum apply_cursor apply_point_cursor(struct apply *apply, vec2 point);
/** The reply's "cursor": the name of the session's target, when it has one. */
void apply_write_cursor(struct apply *apply);
/** Fails for APPLY_CURSOR_FULL. Returns -1. */
int apply_fail_cursor(struct apply *apply);

#endif
