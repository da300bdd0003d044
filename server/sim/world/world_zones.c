/* The zones of behaviors, prepared for the neighbor search. */
#include <assert.h>

#include "server/sim/math/trig.h"
#include "server/sim/world/world_internal.h"

void world_refresh_zones(const struct behavior_def *behavior, struct behavior_runtime *runtime) {
    const struct behavior_row *row = behavior_row(behavior->type);
    for (int z = 0; z < ZONE_COUNT; z++) {
        const struct zone_def *def = &behavior->zones[z];
        assert(def->radius >= 0.0f);
        const float half = 0.5f * def->field_of_view;
        const bool is_round = half > 3.1415f || (row->traits & TRAIT_ALL_ROUND) != 0;
        runtime->zones[z] = (struct neighbor_zone){
            .radius = (row->zones >> z) & 1 ? def->radius : 0.0f,
            .cosine = is_round ? WORLD_ALL_ROUND : trig_unit(half).x,
            .is_sharp = behavior->falloff == FALLOFF_NONE,
        };
    }
}

float world_widest_zone(const struct behavior_runtime *runtime) {
    float widest = 0.0f;
    for (int z = 0; z < ZONE_COUNT; z++) {
        widest = runtime->zones[z].radius > widest ? runtime->zones[z].radius : widest;
    }
    return widest;
}
