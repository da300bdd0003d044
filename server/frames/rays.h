/* Rays from agents to what is solid, as a lidar measures them: obstacles, walls, what moves, doors. Pure. */
#ifndef DROVER_SERVER_FRAMES_RAYS_H
#define DROVER_SERVER_FRAMES_RAYS_H

#include <stdint.h>

#include "server/sim/world/world.h"

/** The rays of an agent. Plain value. */
struct rays {
    uint32_t number; /* 1 to LIMIT_RAYS */
    float range;     /* px, > 0: no ray is longer */
    float
        spread; /* degrees, 0 to 360: the angle between the first ray and the last; 360: once round, the first one ahead */
};

/** How far each ray of an agent goes until it meets a solid where that is in this tick; `range` when it meets none. Neither
 * agents nor the borders of the world stop it; on a torus it goes on behind the border, sixteen
 * times the shorter side of the world at most. It is as wide as what `visible` looks
 * along (SCENERY_SKIN to either side), so it passes no seam. Rays begin at the place of the agent as frames have it, so every
 * process of a world and every client gets the same bits.
 *
 * x, y     hundredths of px
 * heading  hundredths of a degree, from +x towards +y; rays come in this sense too: from left to right where y points down
 * out      px; rays->number */
void rays_cast(const struct world *world, const struct rays *rays, int32_t x, int32_t y, int32_t heading,
               float *out);

#endif
