/* See torus.h. */
#include "viewer/model/torus.h"

#include <math.h>

static float short_way(float way, float size) {
    return way - size * roundf(way / size);
}

static float wrap(float at, float size) {
    const float wrapped = at - size * floorf(at / size);
    return wrapped >= 0.0f && wrapped < size ? wrapped : 0.0f; /* rounding can give the size itself */
}

vec2 torus_short_way(vec2 way, vec2 size) {
    return torus_wraps(size) ? vec2_make(short_way(way.x, size.x), short_way(way.y, size.y)) : way;
}

vec2 torus_nearest(vec2 place, vec2 to, vec2 size) {
    return vec2_add(to, torus_short_way(vec2_sub(place, to), size));
}

vec2 torus_wrap(vec2 point, vec2 size) {
    return torus_wraps(size) ? vec2_make(wrap(point.x, size.x), wrap(point.y, size.y)) : point;
}
