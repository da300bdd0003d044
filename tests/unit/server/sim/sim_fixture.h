/* Small worlds for tests. */
#ifndef DROVER_TESTS_UNIT_SERVER_SIM_SIM_FIXTURE_H
#define DROVER_TESTS_UNIT_SERVER_SIM_SIM_FIXTURE_H

#include <string.h>

#include "server/sim/world/world.h"
#include "tests/unit/server/cmocka_all.h"

static inline void copy_text(char *target, const char *text) {
    memcpy(target, text, strlen(text) + 1);
}

/* A world of 800 x 600 with a target "mouse" and a kind "agent" that has one behavior towards it. */
static inline struct world_def one_kind_def(enum behavior_type type, vec2 target) {
    struct world_def def = world_def_default();
    def.target_count = 1;
    def.targets[0].at = target;
    copy_text(def.targets[0].name, "mouse");
    struct kind_def *kind = world_def_add_kind(&def, "agent");
    assert_non_null(kind);
    kind->states[0].behavior_count = 1;
    kind->states[0].behaviors[0] = behavior_def_default(type);
    copy_text(kind->states[0].behaviors[0].target.target, "mouse");
    return def;
}

/* That one behavior. */
static inline struct behavior_def *behavior_of(struct world_def *def) {
    return &def->kinds[0].states[0].behaviors[0];
}

static inline void place(struct world_def *def, vec2 at, vec2 velocity) {
    struct placement_def *placement = world_def_add_placement(def, "agent");
    assert_non_null(placement);
    placement->at = at;
    placement->velocity = velocity;
}

static inline void add_circle(struct world_def *def, vec2 at, float radius) {
    struct obstacle_def *circle = geometry_def_add_obstacle(&def->geometry);
    assert_non_null(circle);
    *circle = (struct obstacle_def){.shape = OBSTACLE_CIRCLE, .at = at, .radius = radius};
}

/* A flow field, which the behavior follows. */
static inline void add_flow(struct world_def *def, const char *name, struct flow_def field) {
    struct flow_def *flow = geometry_def_add_flow(&def->geometry);
    assert_non_null(flow);
    *flow = field;
    copy_text(flow->name, name);
    copy_text(behavior_of(def)->flow_field, name);
}

/* Builds the world and frees the definition. */
static inline struct world *build(struct world_def *def) {
    struct world *world = NULL;
    const char *what = "";
    if (world_create(def, &world, &what) != WORLD_OK) {
        fail_msg("no world: %s", what);
    }
    world_def_fini(def);
    return world;
}

static inline void steps(struct world *world, int count) {
    for (int i = 0; i < count; i++) {
        world_step(world);
    }
}

#endif
