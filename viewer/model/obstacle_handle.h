/* Finds the obstacle under the pointer. Pure. obstacle_moved (common/base/geometry.h) moves it. */
#ifndef DROVER_VIEWER_MODEL_OBSTACLE_HANDLE_H
#define DROVER_VIEWER_MODEL_OBSTACLE_HANDLE_H

#include "common/protocol/message_geometry.h"

/** The obstacle at a point: the one drawn last of those that hold it, else the nearest within reach.
 *
 * at, reach  px of the world
 * wrap_size  the size of a wrapping world, in which the point's copies count as well; {0,0} otherwise
 * returns    one of geometry's, or NULL */
const struct obstacle_def *obstacle_handle_find(const struct message_geometry *geometry, vec2 at, float reach,
                                                vec2 wrap_size);
/** The obstacle of this id, or NULL. 0 is no id. */
const struct obstacle_def *obstacle_handle_by_id(const struct message_geometry *geometry, uint32_t id);

/** How far a point is from it, px of the world; 0 inside. */
float obstacle_handle_distance(const struct obstacle_def *obstacle, vec2 at);

#endif
