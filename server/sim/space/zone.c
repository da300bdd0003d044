/* See zone.h. */
#include "server/sim/space/zone.h"

#include <assert.h>
#include <math.h>

bool zone_is_same(const struct neighbor_zone *a, const struct neighbor_zone *b) {
    return a->radius == b->radius && a->cosine == b->cosine && a->is_sharp == b->is_sharp;
}

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
