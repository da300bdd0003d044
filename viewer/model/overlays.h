/* What can be drawn over the world, each to be switched on and off by itself: a set of bits. */
#ifndef DROVER_VIEWER_MODEL_OVERLAYS_H
#define DROVER_VIEWER_MODEL_OVERLAYS_H

#include <stdbool.h>
#include <stdint.h>

enum overlay {
    OVERLAY_VELOCITY,
    OVERLAY_DESIRED,
    OVERLAY_STEERING,
    OVERLAY_BEHAVIORS, /* each behaviour's force */
    OVERLAY_RADII,     /* perception, wander circle, slowing distance */
    OVERLAY_NEIGHBORS, /* of the selected agent: those that count for its behaviours */
    OVERLAY_PLACES,    /* and what they aim at: predicted places, the wander goal, the path point */
    OVERLAY_TRAILS,
    OVERLAY_GRID,
    OVERLAY_COUNT
};

typedef uint32_t overlay_set;

#define OVERLAY_BIT(overlay) (1u << (unsigned)(overlay))
/** Velocity, desired velocity and steering: what a click shows. */
#define OVERLAYS_FORCES                                                                                      \
    (OVERLAY_BIT(OVERLAY_VELOCITY) | OVERLAY_BIT(OVERLAY_DESIRED) | OVERLAY_BIT(OVERLAY_STEERING))
/** Those that need the snapshots' forces. */
#define OVERLAYS_NEED_FORCES                                                                                 \
    (OVERLAY_BIT(OVERLAY_DESIRED) | OVERLAY_BIT(OVERLAY_STEERING) | OVERLAY_BIT(OVERLAY_BEHAVIORS))
#define OVERLAYS_DEFAULT                                                                                     \
    (OVERLAY_BIT(OVERLAY_GRID) | OVERLAY_BIT(OVERLAY_RADII) | OVERLAY_BIT(OVERLAY_NEIGHBORS) |               \
     OVERLAY_BIT(OVERLAY_PLACES))

static inline bool overlays_has(overlay_set set, enum overlay overlay) {
    return (set & OVERLAY_BIT(overlay)) != 0;
}

#endif
