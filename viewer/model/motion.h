/* From when on the agents of the newest snapshot move on, so that they neither jump nor step back when the speed changes
 * or a pause ends. Pure.
 *
 * A snapshot that is new is moved on from its own moment. While the world is paused it stays; then it moves on from the end
 * of the pause. At a change of speed the way that was gone stays as it is.
 */
#ifndef DROVER_VIEWER_MODEL_MOTION_H
#define DROVER_VIEWER_MODEL_MOTION_H

#include <stdbool.h>

struct motion {
    double since_ms, newest_ms, speed; /* as of the last call */
};

/** Before the first snapshot. */
void motion_init(struct motion *motion);
/** At each picture: the moment of the newest snapshot, the time of the picture (both on the server's clock), the speed (0: as
 * fast as it goes). Returns the server time for struct interpolate_rules, since_ms. */
double motion_since(struct motion *motion, double newest_ms, double server_ms, double speed, bool is_paused);

#endif
