/* A fault for tests: one bit of one agent's velocity, counted from the lowest. */
#ifndef DROVER_TESTS_E2E_TOOL_PLANTED_FAULT_H
#define DROVER_TESTS_E2E_TOOL_PLANTED_FAULT_H

#include <string.h>

#include "server/sim/world/world_internal.h"

static inline void plant_fault(struct world *world, uint32_t agent, int bit) {
    const int32_t row = world_find_agent(world, agent);
    if (row >= 0) {
        float *vx = &world->grid.motion[grid_slot(&world->grid, row)].vx;
        uint32_t bits = bits_of(*vx);
        bits ^= 1u << bit;
        memcpy(vx, &bits, sizeof bits);
    }
}

#endif
