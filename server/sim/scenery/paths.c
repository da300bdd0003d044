/* See paths.h. One place at a time: the rules of path_rules.inc.h with a single lane. */
#define LANES_WIDTH 1
#include "server/sim/scenery/paths.h"

#include <assert.h>

#include "server/sim/scenery/path_rules.inc.h"

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

static struct pair pair_of(vec2 a) {
    return (struct pair){a.x, a.y};
}

static vec2 vec2_of(struct pair a) {
    return vec2_make(a.x, a.y);
}

static struct path_spot spot_of(const struct path_spots *spot) {
    return (struct path_spot){spot->s, spot->distance, vec2_of(spot->offset), vec2_of(spot->direction)};
}

struct path_spot path_nearest(const struct path *path, const struct bounds *bounds, vec2 place) {
    const struct path_spots spot = path_spots_nearest(path, bounds, pair_of(place));
    return spot_of(&spot);
}

struct path_spot path_nearest_within(const struct path *path, const struct bounds *bounds, vec2 place,
                                     float s, float window) {
    const struct path_spots spot = path_spots_within(path, bounds, pair_of(place), s, window, true, true);
    return spot_of(&spot);
}

float path_advance(const struct path *path, float s, float step) {
    return path_held(path, s + step);
}

float path_between(const struct path *path, float from, float to) {
    return path_difference(path, from, to);
}

vec2 path_point(const struct path *path, float s) {
    return vec2_of(path_points(path, s));
}
