/* Following a path, over LANES_WIDTH agents on the same one. behavior_follow_path includes it with one lane, the
 * kernels with the lanes of their instruction set; the formulas stand nowhere else.
 */
#include "server/sim/scenery/path_rules.inc.h"
#include "server/sim/steering/steering_rules.inc.h"

/* Agents on a path. */
struct path_followers {
    struct rule_lanes agents;
    struct pair place; /* px */
    lanes mass, exact_rate;
    lanes sign;          /* 1: along the path, -1: against it */
    lanes s;             /* px, where on it they were in the tick before, if that */
    lanes_mask is_known; /* is known */
    lanes_mask wanted;   /* the others' numbers are of no consequence */
};

/* What they do, and the numbers on the way to it. */
struct path_course {
    struct path_spots here, there; /* now; after the prediction. Of these s and distance */
    lanes radius;                  /* px, of the path there */
    lanes left;                    /* px, to the end of a path that is no loop */
    lanes remaining;               /* px, the same from the agent; 3e38 on a loop */
    lanes stopping, speed;         /* px/s, with which it can still stop there; the one it takes */
    struct pair way;               /* px, to the point of the path that it seeks */
    lanes_mask ends, keeps;        /* the end is what it goes for; it keeps its course */
    struct steering_pairs output;
};

/* Where on the path the agents are. Once on the path, an agent's place is searched only within `window` of the
 * last, so that a path that crosses itself is followed straight on; lost when it is further away than that. */
LANES_INLINE struct path_spots places_on_path(const struct path *path, const struct bounds *bounds,
                                              const struct path_followers *followers, lanes window) {
    struct path_spots here = path_spots_within(path, bounds, followers->place, followers->s, window,
                                               followers->is_known, followers->wanted);
    const lanes_mask is_lost =
        lanes_both(lanes_both(followers->is_known, followers->wanted),
                   lanes_less(lanes_add(lanes_all(path->radius), window), here.distance));
    if (lanes_any(is_lost)) {
        const struct path_spots found = path_spots_nearest(path, bounds, followers->place);
        here.s = lanes_select(is_lost, found.s, here.s);
        here.distance = lanes_select(is_lost, found.distance, here.distance);
    }
    return here;
}

/* Towards the end of the path, where it arrives. */
LANES_INLINE struct steering_pairs go_to_end(const struct path *path, const struct bounds *bounds,
                                             const struct path_followers *followers, float dt) {
    const struct rule_lanes *agents = &followers->agents;
    const lanes end = lanes_keep(lanes_less(lanes_all(0.0f), followers->sign), lanes_all(path->length));
    const struct pair way = short_difference(bounds, followers->place, path_points(path, end));
    const struct stopping at = stop_at(followers->place, way, pair_all(0.0f, 0.0f), 0.0f, agents->max_speed,
                                       planned_braking(agents->max_force, followers->mass), dt);
    return match_velocity(pair_truncate_often(at.velocity, agents->max_speed), agents->velocity,
                          followers->exact_rate);
}

/* prediction: s; window: px, as the behavior has them. */
LANES_INLINE struct path_course follow_path(const struct path *path, const struct bounds *bounds,
                                            const struct path_followers *followers, float prediction,
                                            float window, float dt) {
    const struct rule_lanes *agents = &followers->agents;
    const struct pair place = followers->place;
    const lanes_mask wanted = followers->wanted;
    const lanes reach = lanes_mul(agents->max_speed, lanes_all(prediction > dt ? prediction : dt));
    const lanes lead = lanes_mul(followers->sign, reach);
    const lanes search = lanes_max(lanes_all(window), lanes_mul(lanes_all(2.0f), reach));
    const struct pair future = pair_add(place, pair_scale(agents->velocity, lanes_all(prediction)));
    struct path_course course = {.here = places_on_path(path, bounds, followers, search)};
    const lanes s = course.here.s;
    course.there = path_spots_within(path, bounds, future, s, search, wanted, wanted);
    course.left = course.remaining = lanes_all(3e38f);
    if (!path->is_loop) {
        course.left = lanes_select(lanes_less(lanes_all(0.0f), followers->sign),
                                   lanes_sub(lanes_all(path->length), s), s);
        course.remaining = lanes_add(course.left, course.here.distance);
    }
    course.ends = lanes_at_most_where(wanted, course.left, reach);
    course.stopping =
        stopping_speed(course.remaining, planned_braking(agents->max_force, followers->mass), dt);
    const lanes onwards = lanes_mul(path_difference(path, s, course.there.s), followers->sign);
    course.radius = path_radii(path, course.there.s);
    const lanes_mask is_on =
        lanes_at_most_where(lanes_less(lanes_all(0.0f), onwards), course.there.distance, course.radius);
    course.keeps = lanes_at_most_where(is_on, agents->max_speed, course.stopping);
    course.speed = lanes_min(course.stopping, agents->max_speed);
    course.way = pair_all(0.0f, 0.0f);
    if ((lanes_bits(wanted) & ~lanes_bits(course.keeps)) != 0) {
        const lanes ahead = path_held(path, lanes_add(s, lead));
        course.way = short_difference(bounds, place, path_points(path, ahead));
    }
    const struct pair desired = pair_with_length(pair_select(course.keeps, agents->velocity, course.way),
                                                 lanes_select(course.keeps, agents->max_speed, course.speed));
    course.output = match_velocity(desired, agents->velocity, agents->rate);
    if (lanes_any(course.ends)) {
        const struct steering_pairs to_end = go_to_end(path, bounds, followers, dt);
        course.output.desired = pair_select(course.ends, to_end.desired, course.output.desired);
        course.output.force = pair_select(course.ends, to_end.force, course.output.force);
    }
    return course;
}
