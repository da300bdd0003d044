/* Places on a path, over LANES_WIDTH agents that follow the same one. scenery.c includes it with one lane, the
 * kernels with the lanes of their instruction set; the formulas stand nowhere else.
 */
#ifndef DROVER_SERVER_SIM_SCENERY_PATH_RULES_INC_H
#define DROVER_SERVER_SIM_SCENERY_PATH_RULES_INC_H

#include "server/sim/scenery/scenery.h"
#include "server/sim/space/edge_rules.inc.h"

/* bounds_difference */
LANES_INLINE struct pair short_difference(const struct bounds *bounds, struct pair from, struct pair to) {
    const struct pair difference = pair_sub(to, from);
    if (bounds->edge != EDGE_WRAP) {
        return difference;
    }
    const vec2 size = bounds->size;
    return (struct pair){wrap_difference(difference.x, lanes_all(size.x), lanes_all(0.5f * size.x)),
                         wrap_difference(difference.y, lanes_all(size.y), lanes_all(0.5f * size.y))};
}

/* value < low ? low : value > high ? high : value */
LANES_INLINE lanes clamp_between(lanes value, lanes low, lanes high) {
    return lanes_select(lanes_less(value, low), low, lanes_select(lanes_less(high, value), high, value));
}

/* struct path_spot. What a caller does not read costs nothing. */
struct path_spots {
    lanes s, distance;
    struct pair offset, direction;
};

/* The best spots so far, and how far from the places they are, squared. */
struct best_spots {
    lanes squared, s;
    struct pair offset, direction;
};

LANES_INLINE struct best_spots no_spots(void) {
    return (struct best_spots){lanes_all(3.0e38f), lanes_all(0.0f), pair_all(0.0f, 0.0f),
                               pair_all(1.0f, 0.0f)};
}

LANES_INLINE struct path_spots spots_of(const struct best_spots *best) {
    return (struct path_spots){best->s, lanes_sqrt(best->squared), best->offset, best->direction};
}

/* The share low..high of a side that is nearest to places at `to_from` px before its first point. */
LANES_INLINE lanes nearest_share(const struct path_side *side, struct pair to_from, lanes low, lanes high) {
    if (!(side->length > 0.0f)) {
        return lanes_all(0.0f);
    }
    const lanes along = pair_dot(to_from, pair_all(side->delta.x, side->delta.y));
    const lanes share = lanes_div(lanes_mul(lanes_all(-1.0f), along), lanes_all(side->length * side->length));
    return clamp_between(share, low, high);
}

/* Takes the nearest spots of a side, between two shares of it, where these are the best so far. */
LANES_INLINE void compare_side(const struct path_side *side, const struct bounds *bounds, struct pair place,
                               lanes low, lanes high, lanes_mask wanted, struct best_spots *best) {
    /* The image of the side whose middle is nearest: sides are at most half the world long. */
    const vec2 half = vec2_scale(side->delta, 0.5f), middle = vec2_add(side->from, half);
    const struct pair to_middle = short_difference(bounds, place, pair_all(middle.x, middle.y));
    const struct pair to_from = pair_sub(to_middle, pair_all(half.x, half.y));
    const lanes share = nearest_share(side, to_from, low, high);
    const struct pair offset = pair_add(to_from, pair_scale(pair_all(side->delta.x, side->delta.y), share));
    const lanes squared = pair_dot(offset, offset);
    const vec2 direction =
        side->length > 0.0f ? vec2_scale(side->delta, 1.0f / side->length) : vec2_make(1.0f, 0.0f);
    const lanes_mask is_better = lanes_both(wanted, lanes_less(squared, best->squared));
    const lanes s = lanes_add(lanes_all(side->start), lanes_mul(share, lanes_all(side->length)));
    best->squared = lanes_select(is_better, squared, best->squared);
    best->s = lanes_select(is_better, s, best->s);
    best->offset = pair_select(is_better, offset, best->offset);
    best->direction = pair_select(is_better, pair_all(direction.x, direction.y), best->direction);
}

/* path_nearest */
LANES_INLINE struct path_spots path_spots_nearest(const struct path *path, const struct bounds *bounds,
                                                  struct pair place) {
    const lanes_mask all = lanes_less(lanes_all(0.0f), lanes_all(1.0f));
    struct best_spots best = no_spots();
    for (int i = 0; i < path->count; i++) {
        compare_side(&path->sides[i], bounds, place, lanes_all(0.0f), lanes_all(1.0f), all, &best);
    }
    return spots_of(&best);
}

/* Whether some of the windows may reach a side, from `at` px behind its first point on. Never wrongly false:
 * what rounding may amount to is allowed for. */
LANES_INLINE bool may_reach(const struct path_side *side, lanes at, lanes window, lanes_mask limited) {
    const lanes from = lanes_sub(at, window), to = lanes_add(at, window);
    const lanes_mask before = lanes_at_most_where(limited, from, lanes_all(1.001f * side->length));
    return lanes_any(lanes_at_most_where(before, lanes_all(-0.001f * side->length), to));
}

/* Where the windows are limited: the part of a side that they reach. On a loop the window reaches across the
 * joint: it is there a round earlier and a round later. */
LANES_INLINE void compare_within(const struct path *path, const struct path_side *side,
                                 const struct bounds *bounds, struct pair place, lanes s, lanes window,
                                 lanes_mask limited, struct best_spots *best) {
    const lanes length = lanes_all(side->length);
    for (int round = path->is_loop ? -1 : 0; round <= (path->is_loop ? 1 : 0); round++) {
        const lanes at =
            lanes_sub(lanes_add(s, lanes_all((float)round * path->length)), lanes_all(side->start));
        if (!may_reach(side, at, window, limited)) {
            continue;
        }
        const lanes low = lanes_div(lanes_sub(at, window), length);
        const lanes high = lanes_div(lanes_add(at, window), length);
        const lanes_mask reached =
            lanes_at_most_where(lanes_at_most_where(limited, lanes_all(0.0f), high), low, lanes_all(1.0f));
        compare_side(side, bounds, place, lanes_max(low, lanes_all(0.0f)), lanes_min(high, lanes_all(1.0f)),
                     reached, best);
    }
}

/* path_nearest, where `limited` of the part of the path that is at most `window` px before or after the arc length s (on a
 * loop across its joint as well); for the lanes that are wanted. */
LANES_INLINE struct path_spots path_spots_within(const struct path *path, const struct bounds *bounds,
                                                 struct pair place, lanes s, lanes window, lanes_mask limited,
                                                 lanes_mask wanted) {
    const lanes twice = lanes_mul(lanes_all(2.0f), window);
    limited = lanes_both(lanes_both(wanted, limited), lanes_less(twice, lanes_all(path->length)));
    const lanes_mask whole = lanes_from_bits(lanes_bits(wanted) & ~lanes_bits(limited));
    const bool has_limited = lanes_any(limited), has_whole = lanes_any(whole);
    struct best_spots best = no_spots();
    for (int i = 0; i < path->count; i++) {
        if (has_limited) {
            compare_within(path, &path->sides[i], bounds, place, s, window, limited, &best);
        }
        if (has_whole) {
            compare_side(&path->sides[i], bounds, place, lanes_all(0.0f), lanes_all(1.0f), whole, &best);
        }
    }
    return spots_of(&best);
}

/* Round a loop of a length; 0 where that takes too many rounds. */
LANES_INLINE lanes path_around(lanes s, float length) {
    if (!(length > 0.0f)) {
        return lanes_all(0.0f);
    }
    const lanes rounds = lanes_div(s, lanes_all(length));
    const lanes_mask few =
        lanes_both(lanes_less(lanes_all(-1e6f), rounds), lanes_less(rounds, lanes_all(1e6f)));
    const lanes least = lanes_truncated(lanes_keep(few, rounds));
    const lanes whole = lanes_sub(least, lanes_keep(lanes_less(rounds, lanes_all(0.0f)), lanes_all(1.0f)));
    const lanes rest = lanes_sub(s, lanes_mul(whole, lanes_all(length)));
    const lanes_mask inside =
        lanes_both(lanes_at_most_where(few, lanes_all(0.0f), rest), lanes_less(rest, lanes_all(length)));
    return lanes_keep(inside, rest);
}

/* An arc length taken round a loop, or held at the ends. */
LANES_INLINE lanes path_held(const struct path *path, lanes next) {
    return path->is_loop ? path_around(next, path->length)
                         : clamp_between(next, lanes_all(0.0f), lanes_all(path->length));
}

/* From one arc length to another, px: on a loop the short way round, -length/2 .. length/2. */
LANES_INLINE lanes path_difference(const struct path *path, lanes from, lanes to) {
    const lanes difference = lanes_sub(to, from);
    if (!path->is_loop) {
        return difference;
    }
    const lanes ahead = path_around(difference, path->length);
    return lanes_select(lanes_less(lanes_all(0.5f * path->length), ahead),
                        lanes_sub(ahead, lanes_all(path->length)), ahead);
}

/* path_point */
LANES_INLINE struct pair path_points(const struct path *path, lanes s) {
    const lanes_mask all = lanes_less(lanes_all(0.0f), lanes_all(1.0f));
    const lanes at = path_held(path, lanes_add(s, lanes_all(0.0f)));
    const struct path_side *first = &path->sides[0];
    struct pair from = pair_all(first->from.x, first->from.y);
    struct pair delta = pair_all(first->delta.x, first->delta.y);
    lanes start = lanes_all(first->start), length = lanes_all(first->length);
    for (int i = 1; i < path->count; i++) {
        const struct path_side *side = &path->sides[i];
        const lanes_mask is_behind = lanes_at_most_where(all, lanes_all(side->start), at);
        if (!lanes_any(is_behind)) {
            break;
        }
        from = pair_select(is_behind, pair_all(side->from.x, side->from.y), from);
        delta = pair_select(is_behind, pair_all(side->delta.x, side->delta.y), delta);
        start = lanes_select(is_behind, lanes_all(side->start), start);
        length = lanes_select(is_behind, lanes_all(side->length), length);
    }
    const lanes share = lanes_div_where(lanes_less(lanes_all(0.0f), length), lanes_sub(at, start), length);
    return pair_add(from, pair_scale(delta, lanes_min(share, lanes_all(1.0f))));
}

/* path_radius */
LANES_INLINE lanes path_radii(const struct path *path, lanes s) {
    if (path->is_even) {
        return lanes_all(path->radius);
    }
    const lanes_mask all = lanes_less(lanes_all(0.0f), lanes_all(1.0f));
    lanes radius = lanes_all(0.0f);
    for (int i = 0; i < path->count; i++) {
        const struct path_side *side = &path->sides[i];
        const lanes_mask is_behind = lanes_at_most_where(all, lanes_all(side->start), s);
        if (!lanes_any(is_behind)) {
            break;
        }
        const lanes length = lanes_all(side->length);
        const lanes share = lanes_div_where(lanes_less(lanes_all(0.0f), length),
                                            lanes_sub(s, lanes_all(side->start)), length);
        const lanes more = lanes_mul(lanes_all(side->widening), lanes_min(share, lanes_all(1.0f)));
        radius = lanes_select(is_behind, lanes_add(lanes_all(side->radius), more), radius);
    }
    return radius;
}

#endif
