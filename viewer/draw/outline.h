/* The outline of a polygon, moved outwards or inwards. Pure. */
#ifndef DROVER_VIEWER_DRAW_OUTLINE_H
#define DROVER_VIEWER_DRAW_OUTLINE_H

#include "common/base/vec2.h"

/** Moves every edge by so much, outwards where the corners go clockwise on a screen (by < 0: inwards).
 *
 * least_cosine  of half the turn at a corner: a sharper corner goes no further than by / least_cosine
 * shifted       count entries, not those of `points` */
void outline_shift(const vec2 *points, int count, float by, float least_cosine, vec2 *shifted);

#endif
