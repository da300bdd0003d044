/* Snapshots for the viewer's tests: one line an agent. */
#ifndef DROVER_TESTS_UNIT_VIEWER_MAKE_SNAPSHOT_H
#define DROVER_TESTS_UNIT_VIEWER_MAKE_SNAPSHOT_H

#include <string.h>

#include "common/snapshot/snapshot.h"

struct test_agent {
    uint32_t id;
    float x, y, vx, vy, heading_degrees;
    const char *state; /* NULL: "seek" */
};

/** Simulated time = clock. */
static inline struct snapshot *make_snapshot(double clock_ms, const struct test_agent *agents,
                                             int32_t count) {
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    assert_int_equal(snapshot_reserve(snapshot, count > 0 ? count : 1, 0, false), 0);
    snapshot->tick = (uint64_t)(clock_ms * 0.06 + 0.5);
    snapshot->clock_ms = clock_ms;
    snapshot->time_s = clock_ms * 0.001;
    snapshot->count = count;
    for (int32_t i = 0; i < count; i++) {
        const char *state = agents[i].state != NULL ? agents[i].state : "seek";
        snapshot->id[i] = agents[i].id;
        snapshot->kind[i] = (uint16_t)name_table_intern(&snapshot->kind_names, "ship", 4);
        snapshot->state[i] = (uint16_t)name_table_intern(&snapshot->state_names, state, strlen(state));
        snapshot->x[i] = (int32_t)(agents[i].x * 100.0f);
        snapshot->y[i] = (int32_t)(agents[i].y * 100.0f);
        snapshot->vx[i] = (int32_t)(agents[i].vx * 100.0f);
        snapshot->vy[i] = (int32_t)(agents[i].vy * 100.0f);
        snapshot->heading[i] = (int32_t)(agents[i].heading_degrees * 100.0f);
    }
    return snapshot;
}

static inline void add_target(struct snapshot *snapshot, const char *name, float x, float y) {
    const int32_t i = snapshot->target_count++;
    snapshot->target_name[i] = (uint16_t)name_table_intern(&snapshot->target_names, name, strlen(name));
    snapshot->target_x[i] = (int32_t)(x * 100.0f);
    snapshot->target_y[i] = (int32_t)(y * 100.0f);
}

#endif
