/* The lines of the log about changes of the world: which session did what.
 *
 * Every change has a line, but what a session does all the time (it drags a target or an obstacle, points, steps) has
 * one a second, and nothing has more than CHANGE_LOG_RATE a second for each op of a session. The next line says how
 * many were left out. Pure: the time is an argument.
 */
#ifndef DROVER_SERVER_SIMULATION_CHANGE_LOG_H
#define DROVER_SERVER_SIMULATION_CHANGE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/limits.h"
#include "server/exchange/command.h"

enum { CHANGE_LOG_RATE = 20, CHANGE_LOG_ROWS = 256, CHANGE_LOG_REQUEST_BYTES = 200 };

/** Zeroed it is empty. */
struct change_log {
    struct {
        uint32_t session;
        enum request_op op;
        uint64_t since_ns;   /* when its second began */
        uint32_t written;    /* lines in this second; 0: the row is free */
        uint32_t left_out;   /* since the last line */
    } rows[CHANGE_LOG_ROWS]; /* of the sessions and ops of late: by both, the last that came */
};

/** Whether a change has a line now; *left_out: how many before it had none. */
bool change_log_take(struct change_log *log, uint32_t session, const struct request *request, uint64_t now_ns,
                     uint32_t *left_out);
/** Appends the line's text: "change 12 at tick 600 by session 3 (Ann): {"op":"spawn",...}". seq: the number of the
 * change. */
void change_log_write(const struct command *command, uint64_t seq, uint64_t tick, uint32_t left_out,
                      struct buffer *out);

/* Whether moving a named target is worth an event to sessions without `seq`: that another session moves it is, each
 * of sixty moves a second is not. Pure: the time is an argument.
 */

enum { TARGET_WATCH_SAME_MS = 1000, TARGET_WATCH_OTHER_MS = 200 };

struct target_watch {
    struct {
        bool was_told;
        uint32_t by;
        uint64_t told_ns;
    } targets[LIMIT_TARGETS];
};

/** Forgets everything: another world. */
void target_watch_reset(struct target_watch *watch);
/** Target number `target` was moved by session `by`: true when an event is due. At most once a second for
 * the same session, five times a second when several pull at it. */
bool target_watch_tell(struct target_watch *watch, int target, uint32_t by, uint64_t now_ns);

#endif
