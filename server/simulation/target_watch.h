/* Whether moving a named target is worth an event to sessions without `seq`: that another session moves it is, each
 * of sixty moves a second is not. Pure: the time is an argument.
 */
#ifndef DROVER_SERVER_SIMULATION_TARGET_WATCH_H
#define DROVER_SERVER_SIMULATION_TARGET_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/limits.h"

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
