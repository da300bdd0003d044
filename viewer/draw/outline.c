/* See outline.h. */
#include "viewer/draw/outline.h"

#include <math.h>

void outline_shift(const vec2 *points, int count, float by, float least_cosine, vec2 *shifted) {
    for (int i = 0; i < count; i++) {
        const vec2 before = vec2_sub(points[i], points[(i + count - 1) % count]);
        const vec2 after = vec2_sub(points[(i + 1) % count], points[i]);
        const vec2 n0 = vec2_with_length(vec2_make(before.y, -before.x), 1.0f);
        const vec2 n1 = vec2_with_length(vec2_make(after.y, -after.x), 1.0f);
        const vec2 middle = vec2_with_length(vec2_add(n0, n1), 1.0f);
        shifted[i] = vec2_add(points[i], vec2_scale(middle, by / fmaxf(vec2_dot(middle, n0), least_cosine)));
    }
}
