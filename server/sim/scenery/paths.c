/* See paths.h. */
#include "server/sim/scenery/paths.h"

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

/* The share low..high of a side that is nearest to a place at `to_from` px before its first point. */
static float nearest_share(const struct path_side *side, vec2 to_from, float low, float high) {
    if (!(side->length > 0.0f)) {
        return 0.0f;
    }
    const float share = -vec2_dot(to_from, side->delta) / (side->length * side->length);
    return share < low ? low : share > high ? high : share;
}

/* The best spot so far, and how far from the place it is, squared. */
struct best_spot {
    struct path_spot spot;
    float squared;
};

/* Takes the nearest spot of a side, between two shares of it, when that is the best so far. */
static void compare_side(const struct path_side *side, const struct bounds *bounds, vec2 place, float low,
                         float high, struct best_spot *best) {
    /* The image of the side whose middle is nearest: sides are at most half the world long. */
    const vec2 half = vec2_scale(side->delta, 0.5f);
    const vec2 to_middle = bounds_difference(bounds, place, vec2_add(side->from, half));
    const vec2 to_from = vec2_sub(to_middle, half);
    const float share = nearest_share(side, to_from, low, high);
    const vec2 offset = vec2_add(to_from, vec2_scale(side->delta, share));
    const float squared = vec2_length_squared(offset);
    if (squared < best->squared) {
        best->squared = squared;
        best->spot = (struct path_spot){
            .s = side->start + share * side->length,
            .offset = offset,
            .direction =
                side->length > 0.0f ? vec2_scale(side->delta, 1.0f / side->length) : vec2_make(1.0f, 0.0f),
        };
    }
}

struct path_spot path_nearest(const struct path *path, const struct bounds *bounds, vec2 place) {
    struct best_spot best = {{.direction = {1.0f, 0.0f}}, 3.0e38f};
    for (int i = 0; i < path->count; i++) {
        compare_side(&path->sides[i], bounds, place, 0.0f, 1.0f, &best);
    }
    best.spot.distance = sqrtf(best.squared);
    return best.spot;
}

struct path_spot path_nearest_within(const struct path *path, const struct bounds *bounds, vec2 place,
                                     float s, float window) {
    if (!(path->length > 0.0f) || !(2.0f * window < path->length)) {
        return path_nearest(path, bounds, place);
    }
    struct best_spot best = {{.direction = {1.0f, 0.0f}}, 3.0e38f};
    for (int i = 0; i < path->count; i++) {
        const struct path_side *side = &path->sides[i];
        /* On a loop the window reaches across the joint: it is there a round earlier and a round later. */
        for (int round = path->is_loop ? -1 : 0; round <= (path->is_loop ? 1 : 0); round++) {
            const float at = s + (float)round * path->length - side->start;
            const float low = (at - window) / side->length, high = (at + window) / side->length;
            if (high >= 0.0f && low <= 1.0f) {
                compare_side(side, bounds, place, low > 0.0f ? low : 0.0f, high < 1.0f ? high : 1.0f, &best);
            }
        }
    }
    best.spot.distance = sqrtf(best.squared);
    return best.spot;
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
