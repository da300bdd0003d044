/* See motion.h. */
#include "viewer/model/motion.h"

#include <math.h>

void motion_init(struct motion *motion) {
    *motion = (struct motion){.newest_ms = -1.0, .speed = 1.0};
}

double motion_since(struct motion *motion, double newest_ms, double server_ms, double speed, bool is_paused) {
    if (newest_ms < motion->newest_ms || newest_ms > motion->newest_ms) {
        motion->newest_ms = motion->since_ms = newest_ms;
    } else if (is_paused) {
        motion->since_ms = fmax(newest_ms, server_ms);
    } else if (speed < motion->speed || speed > motion->speed) {
        const double gone_ms = fmax(server_ms - motion->since_ms, 0.0) * motion->speed;
        motion->since_ms =
            server_ms > newest_ms && speed > 0.0 ? server_ms - gone_ms / speed : fmax(newest_ms, server_ms);
    }
    motion->speed = speed;
    return motion->since_ms;
}
