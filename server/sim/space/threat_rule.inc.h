/* The formula of threats, over LANES_WIDTH pairs of an agent and another one: whether the other will come too
 * near, and the push away from where it will be. neighbors.c includes it with one lane, the threat kernels
 * with the lanes of their instruction set; the formula stands nowhere else.
 */
#include "server/sim/math/pair.h"

#define PAIR_STILL     1e-12f /* (px/s)^2: slower than that two agents do not approach each other */
#define SIDE_SHARE     0.2f   /* of the room two need: how far each agent leans to the same hand */
#define CROSSING_SHARE 0.3f   /* of the speed: less of it across is no crossing */
#define FASTER         1.1f   /* times as fast goes first */

/* Two agents, as one of them sees the other. */
struct approach {
    struct pair offset;      /* px, to the other */
    struct pair own, theirs; /* px/s */
    lanes room;              /* px: of both bodies and the clearance */
};

/* What is predicted of an approach. */
struct threat {
    struct pair relative; /* px/s, of the other */
    lanes_mask moves;     /* the two do not keep their distance */
    lanes time;           /* s until they are nearest, >= 0; 0 when that is over */
    struct pair then;     /* px, the offset then */
    lanes then_squared;   /* px^2 */
    lanes_mask is_one;    /* too near within the horizon, and not on its way apart */
};

/* Where `is_one` of the result is false the rest of it is of no use. */
LANES_INLINE struct threat threat_predict(const struct approach *approach, float horizon) {
    struct threat threat;
    threat.relative = pair_sub(approach->theirs, approach->own);
    const lanes speed_squared = pair_dot(threat.relative, threat.relative);
    const lanes apart = pair_dot(approach->offset, threat.relative);
    threat.moves = lanes_less(lanes_all(PAIR_STILL), speed_squared);
    const lanes time = lanes_div_where(threat.moves, lanes_mul(apart, lanes_all(-1.0f)), speed_squared);
    threat.time = lanes_max(time, lanes_all(0.0f));
    threat.then = pair_add(approach->offset, pair_scale(threat.relative, threat.time));
    threat.then_squared = pair_dot(threat.then, threat.then);
    const lanes_mask is_soon = lanes_less(threat.time, lanes_all(horizon));
    const lanes_mask is_near = lanes_less(threat.then_squared, lanes_mul(approach->room, approach->room));
    /* An agent that moves away is no threat, however near. */
    threat.is_one = lanes_at_most_where(lanes_both(is_soon, is_near), apart, lanes_all(0.0f));
    return threat;
}

/* The side to step to when the other comes near the middle, as a unit vector across the relative velocity:
 * the one that lets the faster of two on crossing courses pass first; otherwise the same hand for every
 * agent. What the other computes is the opposite. */
LANES_INLINE struct pair threat_sidestep(const struct approach *approach, struct pair relative) {
    const struct pair own = approach->own, theirs = approach->theirs;
    const lanes minus = lanes_all(-1.0f), faster = lanes_all(FASTER);
    const struct pair along = pair_with_length(relative, lanes_all(1.0f));
    const struct pair across = {lanes_mul(along.y, minus), along.x};
    const lanes own_speed = lanes_sqrt(pair_dot(own, own));
    const lanes their_speed = lanes_sqrt(pair_dot(theirs, theirs));
    const lanes_mask own_first = lanes_less(lanes_mul(faster, their_speed), own_speed);
    const lanes_mask their_first = lanes_less(lanes_mul(faster, own_speed), their_speed);
    const lanes their_gain = lanes_keep(their_first, lanes_mul(pair_dot(across, theirs), minus));
    const lanes gain = lanes_select(own_first, pair_dot(across, own), their_gain);
    const lanes fastest = lanes_select(their_first, their_speed, own_speed);
    const lanes_mask is_backward = lanes_less(gain, lanes_mul(lanes_all(-CROSSING_SHARE), fastest));
    return pair_select(is_backward, pair_scale(across, minus), across);
}

/* A vector away from where the other will be; nearly nothing when that is the agent's own place. */
LANES_INLINE struct pair threat_away(const struct approach *approach, const struct threat *threat) {
    const struct pair away = pair_scale(threat->then, lanes_all(-1.0f));
    const struct pair side = pair_scale(threat_sidestep(approach, threat->relative),
                                        lanes_mul(lanes_all(SIDE_SHARE), approach->room));
    return pair_select(threat->moves, pair_add(away, side), away);
}

/* away: threat_away, or the direction chosen instead where that is nothing. */
LANES_INLINE struct pair threat_push(const struct approach *approach, const struct threat *threat,
                                     struct pair away, float clearance, float horizon) {
    const lanes one = lanes_all(1.0f), room = approach->room;
    /* Both fade out where the danger begins, so that noticing it is no jolt. */
    const lanes left = lanes_sub(one, lanes_div(threat->time, lanes_all(horizon)));
    const lanes soon = lanes_min(lanes_mul(lanes_all(2.0f), left), one);
    const lanes miss = lanes_sqrt(threat->then_squared);
    const lanes band = lanes_add(lanes_all(clearance), lanes_mul(lanes_all(SIDE_SHARE), room));
    const lanes near = lanes_min(lanes_div(lanes_sub(room, lanes_min(miss, room)), band), one);
    return pair_scale(pair_with_length(away, one), lanes_mul(soon, near));
}
