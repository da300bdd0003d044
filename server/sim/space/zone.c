/* See zone.h. */
#include "server/sim/space/zone.h"

#include <assert.h>
#include <math.h>

struct zone_plan zone_make_plan(const struct neighbor_zone *zone) {
    const float radius = zone->radius, cosine = zone->cosine;
    assert(radius >= 0.0f);
    struct zone_plan plan = {.squared = radius * radius, .cone = cosine * fabsf(cosine)};
    if (zone->is_sharp) {
        plan.strength = radius;
    } else if (plan.squared > 0.0f) {
        plan.fade = 1.0f / plan.squared;
        plan.strength = radius * (2.0f / 3.0f);
        plan.less = (2.0f / 3.0f) / radius;
    }
    return plan;
}
