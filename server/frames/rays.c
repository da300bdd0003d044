/* See rays.h. */
#include "server/frames/rays.h"

#include "server/sim/math/trig.h"
#include "server/sim/scenery/scenery.h"

enum { PIECES_MOST = 64 };

/* On a torus a sweep finds the nearest image of a solid only, so it goes in pieces that are shorter than the way to another
 * one: a solid is at most half as wide as the world. Pieces overlap: no wall is lost between two. */
static float piece_of(const struct bounds *bounds, float range) {
    const float shorter = bounds->size.x < bounds->size.y ? bounds->size.x : bounds->size.y;
    return bounds->edge == EDGE_WRAP ? 0.25f * shorter + SCENERY_SKIN : range;
}

static float cast(const struct scenery *scenery, const struct bounds *bounds, vec2 from, vec2 way,
                  float range) {
    const float piece = piece_of(bounds, range);
    for (int i = 0; i < PIECES_MOST; i++) {
        const float gone = (float)i * (piece - SCENERY_SKIN), left = range - gone;
        const struct scenery_contact first =
            scenery_sweep(scenery, bounds, bounds_settle(bounds, vec2_add(from, vec2_scale(way, gone))), way,
                          left < piece ? left : piece, SCENERY_SKIN);
        if (first.index >= 0) {
            return gone + first.contact.distance;
        }
        if (left <= piece) {
            break;
        }
    }
    return range;
}

/* Degrees from the heading. */
static double angle_of(const struct rays *rays, uint32_t ray) {
    const double spread = (double)rays->spread, number = (double)rays->number;
    if (spread >= 360.0) {
        return spread * (double)ray / number;
    }
    return rays->number > 1 ? spread * ((double)ray / (number - 1.0) - 0.5) : 0.0;
}

void rays_cast(const struct world *world, const struct rays *rays, int32_t x, int32_t y, int32_t heading,
               float *out) {
    const struct bounds bounds = world_bounds(world);
    const vec2 from = {(float)((double)x / 100.0), (float)((double)y / 100.0)};
    for (uint32_t ray = 0; ray < rays->number; ray++) {
        const double angle = (double)heading / 100.0 + angle_of(rays, ray);
        out[ray] = cast(world_scenery(world), &bounds, from, trig_unit((float)(angle * (TRIG_PI / 180.0))),
                        rays->range);
    }
}
