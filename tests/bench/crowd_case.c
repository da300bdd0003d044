/* See crowd_case.h. */
#include "tests/bench/crowd_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/sim/math/rng.h"
#include "server/sim/math/trig.h"
#include "server/sim/world/world_internal.h" /* where agents are sent */
#include "tests/bench/bench_scenario.h"

#define PI             3.14159265f
#define CIRCLE_SPACING 80.0f /* px between neighbors on a circle */
#define JITTER         1.0f  /* px; agents that face each other exactly would never pass */

enum { SEED = 15, SAMPLES = 500 };

struct crowd_rules crowd_rules(void) {
    return (struct crowd_rules){
        .dt = 1.0f / 60.0f,
        .radius = 15.0f,
        .max_speed = 20.0f,
        .horizon = 10.0f,
        .sight = 150.0f,
        .most = 10,
    };
}

static struct field_range always(float value) {
    return (struct field_range){value, value};
}

/* Agents turn around within a tick, as those of the rival do. */
static void set_body(struct kind_def *kind, const struct crowd_rules *rules) {
    kind->body.radius = always(rules->radius);
    kind->body.max_speed = always(rules->max_speed);
    kind->body.max_force = always(3.0f * rules->max_speed / rules->dt);
}

static struct behavior_def goal_behavior(const struct crowd_rules *rules) {
    struct behavior_def behavior =
        behavior_def_default(rules->slowing_distance > 0.0f ? BEHAVIOR_ARRIVE : BEHAVIOR_SEEK);
    (void)snprintf(behavior.target.target, sizeof behavior.target.target, "middle");
    behavior.law = ARRIVE_LINEAR;
    behavior.slowing_distance = rules->slowing_distance;
    return behavior;
}

static struct behavior_def orca_behavior(const struct crowd_rules *rules) {
    struct behavior_def behavior = behavior_def_default(BEHAVIOR_ORCA);
    behavior.horizon = rules->horizon;
    behavior.clearance = 0.0f;
    behavior.zones[ZONE_SEPARATION].radius = rules->sight;
    behavior.max_neighbors = (uint32_t)rules->most;
    return behavior;
}

/* A world without agents; they come by crowd_spawn. */
static struct world *make_world(const struct crowd_rules *rules, float side) {
    struct world_def def = world_def_default();
    def.seed = SEED;
    def.tick_hz = round(1.0 / (double)rules->dt);
    def.size = vec2_make(side, side);
    def.edge = EDGE_OPEN;
    def.target_count = 1;
    (void)snprintf(def.targets[0].name, sizeof def.targets[0].name, "middle");
    def.targets[0].at = vec2_make(0.5f * side, 0.5f * side);
    struct kind_def *kind = world_def_add_kind(&def, "walker");
    if (kind == NULL) {
        abort();
    }
    set_body(kind, rules);
    kind->states[0].behavior_count = 2;
    kind->states[0].behaviors[0] = goal_behavior(rules);
    kind->states[0].behaviors[1] = orca_behavior(rules);
    struct world *world = NULL;
    if (world_create(&def, &world, NULL) != WORLD_OK) {
        abort();
    }
    world_def_fini(&def);
    return world;
}

static void spawn(struct world *world, struct spawn_def spawn) {
    uint32_t first;
    if (world_spawn(world, &spawn, &first) != WORLD_OK) {
        abort();
    }
}

static void send(struct world *world, int32_t row, vec2 goal) {
    const struct aim aim = {.mode = AIM_POINT, .point = goal};
    if (world_aim_agent(world, world_agent(world, row).id, aim) != WORLD_OK) {
        abort();
    }
}

static struct world *square_world(const struct crowd_case *row) {
    const struct crowd_rules rules = crowd_rules();
    const float sight_area = PI * rules.sight * rules.sight;
    const float side = sqrtf((float)row->count / (float)row->in_sight * sight_area);
    struct world *world = make_world(&rules, side);
    spawn(world, (struct spawn_def){.count = row->count, .shape = PLACE_RECT, .size = vec2_make(side, side)});
    for (int32_t i = 0; i < world_agent_count(world); i++) {
        struct rng rng = rng_begin(SEED + 1, 0, (uint32_t)i, RNG_SPAWN_PLACE);
        const float x = rng_between(&rng, 0.0f, side), y = rng_between(&rng, 0.0f, side);
        send(world, i, vec2_make(x, y));
    }
    return world;
}

static struct world *scenario_world(const struct crowd_case *row) {
    struct scenario scenario;
    struct world *world = NULL;
    if (bench_scenario_load(row->scenario, row->count, &scenario) != 0) {
        return NULL;
    }
    if (world_create(&scenario.def, &world, NULL) != WORLD_OK) {
        abort();
    }
    scenario_fini(&scenario);
    return world;
}

struct world *crowd_case_world(const struct crowd_case *row, struct worker_pool *pool) {
    const struct parallel parallel = worker_pool_parallel(pool);
    struct world *world = row->scenario != NULL ? scenario_world(row) : square_world(row);
    for (int tick = 0; world != NULL && tick < row->settle; tick++) {
        world_step_parallel(world, &parallel);
    }
    return world;
}

struct world *crowd_circle_world(uint32_t count) {
    struct crowd_rules rules = crowd_rules();
    rules.slowing_distance = rules.max_speed; /* px; 1 s away */
    const float radius = CIRCLE_SPACING * (float)count / (2.0f * PI), side = 2.0f * radius + 200.0f;
    const vec2 middle = {0.5f * side, 0.5f * side};
    struct world *world = make_world(&rules, side);
    for (uint32_t i = 0; i < count; i++) {
        const vec2 way = vec2_scale(trig_unit(2.0f * PI * (float)i / (float)count), radius);
        spawn(world, (struct spawn_def){
                         .count = 1, .shape = PLACE_CIRCLE, .at = vec2_add(middle, way), .radius = JITTER});
        send(world, (int32_t)i, vec2_sub(middle, way));
    }
    return world;
}

/* ---- the rival ---- */

void crowd_rival_follow(struct crowd_rival *rival, const struct world *world) {
    for (int32_t i = 0; i < world_agent_count(world); i++) {
        const struct agent_view view = world_agent(world, i);
        const struct crowd_agent agent = {view.position, view.velocity, world->aim[i].point};
        crowd_rival_set(rival, i, &agent);
    }
}

struct crowd_rival *crowd_rival_of(const struct world *world, float slowing_distance) {
    struct crowd_rules rules = crowd_rules();
    rules.slowing_distance = slowing_distance;
    struct crowd_rival *rival = crowd_rival_create(&rules, world_agent_count(world));
    crowd_rival_follow(rival, world);
    return rival;
}

double crowd_in_sight(const struct world *world) {
    const int32_t count = world_agent_count(world);
    const int32_t stride = count / SAMPLES + 1;
    const float sight = crowd_rules().sight;
    int64_t seen = 0, samples = 0;
    for (int32_t i = 0; i < count; i += stride, samples++) {
        const vec2 here = world_agent(world, i).position;
        for (int32_t j = 0; j < count; j++) {
            const struct motion other = world->grid.motion[j];
            const vec2 offset = vec2_sub(vec2_make(other.x, other.y), here);
            seen += vec2_length_squared(offset) < sight * sight ? 1 : 0;
        }
        seen--; /* oneself */
    }
    return (double)seen / (double)samples;
}
