/* Places and ways of a wrapping world, which is a torus. Pure.
 *
 * size: px of the world; {0,0} for a world that does not wrap, where every place is its only one.
 */
#ifndef DROVER_VIEWER_MODEL_TORUS_H
#define DROVER_VIEWER_MODEL_TORUS_H

#include <stdbool.h>

#include "common/base/vec2.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Whether a world of this size wraps. */
static inline bool torus_wraps(vec2 size) {
    return size.x > 0.0f && size.y > 0.0f;
}

/** A way, px, replaced by the shortest one that ends at the same place of the world. */
vec2 torus_short_way(vec2 way, vec2 size);
/** The copy of a place that is nearest to another point. */
vec2 torus_nearest(vec2 place, vec2 to, vec2 size);
/** The place inside the world, 0 <= x < size.x and 0 <= y < size.y, that a point is a copy of. */
vec2 torus_wrap(vec2 point, vec2 size);

#ifdef __cplusplus
}
#endif

#endif
