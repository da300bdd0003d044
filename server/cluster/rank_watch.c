/* See rank_watch.h. */
#include "server/cluster/rank_watch.h"

void rank_pulse_take(struct rank_pulse *pulse, const struct rank_beat *beat, uint64_t now_ns) {
    const bool has_stepped = !pulse->is_heard || beat->steps != pulse->beat.steps;
    pulse->heard_ns = now_ns;
    if (has_stepped) {
        pulse->stepped_ns = now_ns;
    }
    if (has_stepped || beat->processor_ns != pulse->beat.processor_ns) {
        pulse->moved_ns = now_ns;
    }
    pulse->is_heard = true;
    pulse->beat = *beat;
}

/* The rank that has been doing this for longest, without a step since before the moment; -1: none. */
static int find(const struct rank_pulse *pulses, int count, enum rank_doing doing, uint64_t before_ns) {
    int found = -1;
    for (int r = 0; r < count; r++) {
        const struct rank_pulse *pulse = &pulses[r];
        if (pulse->is_heard && pulse->beat.doing == (uint32_t)doing && pulse->stepped_ns <= before_ns &&
            (found < 0 || pulse->stepped_ns < pulses[found].stepped_ns)) {
            found = r;
        }
    }
    return found;
}

/* A rank that has not used its processor since before the moment, though it waits, which takes some, or others wait. */
static int find_still(const struct rank_pulse *pulses, int count, bool others_wait, uint64_t before_ns) {
    for (int r = 0; r < count; r++) {
        if (pulses[r].is_heard && pulses[r].moved_ns <= before_ns &&
            (others_wait || pulses[r].beat.doing != RANK_WORKS)) {
            return r;
        }
    }
    return -1;
}

static int find_silent(const struct rank_pulse *pulses, int count, uint64_t before_ns) {
    for (int r = 0; r < count; r++) {
        if (pulses[r].is_heard && pulses[r].heard_ns <= before_ns) {
            return r;
        }
    }
    return -1;
}

static bool has_step_since(const struct rank_pulse *pulses, int count, uint64_t before_ns) {
    for (int r = 0; r < count; r++) {
        if (pulses[r].is_heard && pulses[r].stepped_ns > before_ns) {
            return true;
        }
    }
    return false;
}

enum rank_verdict rank_watch_judge(const struct rank_pulse *pulses, int count, uint64_t now_ns,
                                   uint64_t span_ns, int *rank) {
    const uint64_t before_ns = now_ns > span_ns ? now_ns - span_ns : 0;
    *rank = find_silent(pulses, count, before_ns);
    if (*rank >= 0) {
        return RANK_IS_SILENT;
    }
    const int waiting = find(pulses, count, RANK_WAITS, before_ns);
    *rank = find_still(pulses, count, waiting >= 0, before_ns);
    if (*rank >= 0) {
        return RANK_HANGS;
    }
    if (waiting < 0) {
        return RANK_IS_FINE;
    }
    *rank = find(pulses, count, RANK_WORKS, before_ns);
    if (*rank >= 0) {
        return RANK_IS_SLOW;
    }
    *rank = waiting;
    return has_step_since(pulses, count, before_ns) ? RANK_IS_FINE : RANK_IS_STUCK;
}
