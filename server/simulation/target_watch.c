/* See target_watch.h. */
#include "server/simulation/target_watch.h"

#include <assert.h>

void target_watch_reset(struct target_watch *watch) {
    *watch = (struct target_watch){0};
}

bool target_watch_tell(struct target_watch *watch, int target, uint32_t by, uint64_t now_ns) {
    assert(target >= 0 && target < LIMIT_TARGETS);
    const bool is_same = watch->targets[target].by == by;
    const uint64_t wait_ms = is_same ? TARGET_WATCH_SAME_MS : TARGET_WATCH_OTHER_MS;
    if (watch->targets[target].was_told && now_ns - watch->targets[target].told_ns < wait_ms * 1000000u) {
        return false;
    }
    watch->targets[target].was_told = true;
    watch->targets[target].by = by;
    watch->targets[target].told_ns = now_ns;
    return true;
}
