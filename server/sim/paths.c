/* See paths.h. */
#include "server/sim/paths.h"

#include <assert.h>

struct path path_prepare(const struct path_def *def, const struct bounds *bounds) {
    struct path path = {.is_loop = def->is_loop, .radius = def->radius};
    const int sides = def->is_loop ? def->point_count : def->point_count - 1;
    assert(sides >= 1 && sides <= LIMIT_PATH_POINTS);
    for (int i = 0; i < sides; i++) {
        const vec2 from = def->points[i];
        const vec2 delta = bounds_difference(bounds, from, def->points[(i + 1) % def->point_count]);
        const float length = vec2_length(delta);
        if (length > 1e-6f) {
            path.sides[path.count++] = (struct path_side){from, delta, path.length, length};
            path.length += length;
        }
    }
    if (path.count == 0) {
        path.sides[0] = (struct path_side){.from = def->points[0]};
        path.count = 1;
    }
    return path;
}

/* The share 0..1 of a side that is nearest to a place at `to_from` px before its first point. */
static float nearest_share(const struct path_side *side, vec2 to_from) {
    if (!(side->length > 0.0f)) {
        return 0.0f;
    }
    const float share = -vec2_dot(to_from, side->delta) / (side->length * side->length);
    return share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share;
}

struct path_spot path_nearest(const struct path *path, const struct bounds *bounds, vec2 place) {
    struct path_spot spot = {.direction = {1.0f, 0.0f}};
    float best = 3.0e38f;
    for (int i = 0; i < path->count; i++) {
        const struct path_side *side = &path->sides[i];
        /* The image of the side whose middle is nearest: sides are at most half the world long. */
        const vec2 half = vec2_scale(side->delta, 0.5f);
        const vec2 to_middle = bounds_difference(bounds, place, vec2_add(side->from, half));
        const vec2 to_from = vec2_sub(to_middle, half);
        const float share = nearest_share(side, to_from);
        const vec2 offset = vec2_add(to_from, vec2_scale(side->delta, share));
        const float squared = vec2_length_squared(offset);
        if (squared < best) {
            best = squared;
            spot.s = side->start + share * side->length;
            spot.offset = offset;
            spot.direction =
                side->length > 0.0f ? vec2_scale(side->delta, 1.0f / side->length) : (vec2){1.0f, 0.0f};
        }
    }
    spot.distance = sqrtf(best);
    return spot;
}

static float around(float s, float length) {
    if (!(length > 0.0f)) {
        return 0.0f;
    }
    const float rounds = s / length;
    if (!(rounds > -1e6f && rounds < 1e6f)) {
        return 0.0f;
    }
    const int whole = (int)rounds - (rounds < 0.0f);
    const float rest = s - (float)whole * length;
    return rest >= 0.0f && rest < length ? rest : 0.0f;
}

float path_advance(const struct path *path, float s, float step) {
    const float next = s + step;
    if (path->is_loop) {
        return around(next, path->length);
    }
    return next < 0.0f ? 0.0f : next > path->length ? path->length : next;
}

float path_between(const struct path *path, float from, float to) {
    const float difference = to - from;
    if (!path->is_loop) {
        return difference;
    }
    const float ahead = around(difference, path->length);
    return ahead > 0.5f * path->length ? ahead - path->length : ahead;
}

vec2 path_point(const struct path *path, float s) {
    const float at = path_advance(path, s, 0.0f);
    int index = 0;
    while (index + 1 < path->count && path->sides[index + 1].start <= at) {
        index++;
    }
    const struct path_side *side = &path->sides[index];
    const float share = side->length > 0.0f ? (at - side->start) / side->length : 0.0f;
    return vec2_add(side->from, vec2_scale(side->delta, share > 1.0f ? 1.0f : share));
}
