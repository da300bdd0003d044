/* See simulation_state.h. */
#include "server/commands/simulation_state.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void simulation_state_init(struct simulation_state *state) {
    *state = (struct simulation_state){.parallel = parallel_alone()};
}

void simulation_state_fini(struct simulation_state *state) {
    world_destroy(state->world);
    state->world = NULL;
}

void simulation_state_step(struct simulation_state *state) {
    assert(state->world != NULL);
    world_step_parallel(state->world, &state->parallel);
    if (world_is_given_up(state->world)) {
        state->is_spoiled = true;
        return;
    }
    event_log_take(&state->log, state->world);
}

void simulation_state_change(struct simulation_state *state, struct built_world *built) {
    assert(built->world != NULL);
    struct world *former = state->world;
    state->world = built->world;
    built->world = former;
    world_let_give_up(state->world, state->is_urgent);
    memcpy(state->name, built->name, sizeof state->name);
    memcpy(state->title, built->title, sizeof state->title);
    memcpy(state->description, built->description, sizeof state->description);
    state->cursors = (struct state_cursors){0};
    state->epoch++;
    state->is_spoiled = false;
    event_log_init(&state->log, world_tick_hz(state->world));
}

/* The flow at the centers of about square cells, few enough to draw. */
static void sample_flow(const struct world *world, const struct flow_def *flow, struct message_flow *out) {
    const struct bounds bounds = world_bounds(world);
    const float ratio = bounds.size.x / bounds.size.y;
    const float most = (float)LIMIT_FLOW_ARROWS;
    const float columns = fminf(fmaxf(floorf(sqrtf(most * ratio)), 1.0f), most);
    out->columns = (int32_t)columns;
    out->rows = (int32_t)fmaxf(floorf(fminf(most / columns, columns / ratio + 0.5f)), 1.0f);
    memcpy(out->name, flow->name, sizeof out->name);
    for (int32_t i = 0; i < out->columns * out->rows; i++) {
        const int32_t column = i % out->columns, row = i / out->columns;
        const vec2 place = {((float)column + 0.5f) * bounds.size.x / columns,
                            ((float)row + 0.5f) * bounds.size.y / (float)out->rows};
        const vec2 vector = flow_at(flow, &bounds, place);
        /* Whole px/s are enough to draw. */
        out->vectors[i] = vec2_make(rintf(vector.x), rintf(vector.y));
    }
}

static void describe_geometry(const struct world *world, struct message_geometry *out) {
    const struct geometry_def *def = &world_scenery(world)->def;
    out->obstacle_count = def->obstacle_count;
    out->wall_count = def->wall_count;
    out->path_count = def->path_count;
    out->flow_count = def->flow_count;
    for (int i = 0; i < def->obstacle_count; i++) {
        out->obstacles[i] = def->obstacles[i];
    }
    for (int i = 0; i < def->wall_count; i++) {
        out->walls[i] = def->walls[i];
    }
    for (int i = 0; i < def->path_count; i++) {
        out->paths[i] = def->paths[i];
    }
    for (int i = 0; i < def->flow_count; i++) {
        sample_flow(world, &def->flows[i], &out->flows[i]);
    }
}

void simulation_state_describe(const struct simulation_state *state, struct message_scenario *out) {
    const struct world *world = state->world;
    *out = (struct message_scenario){.size = world_size(world),
                                     .seed = world_seed(world),
                                     .tick_hz = world_tick_hz(world),
                                     .kind_count = world_kind_count(world)};
    memcpy(out->name, state->name, sizeof out->name);
    memcpy(out->title, state->title, sizeof out->title);
    memcpy(out->description, state->description, sizeof out->description);
    (void)snprintf(out->edge, sizeof out->edge, "%s", edge_names[world_edge(world)]);
    for (int k = 0; k < out->kind_count; k++) {
        const struct kind_def *kind = world_kind(world, k);
        out->kinds[k] = (struct message_kind){.radius = kind->body.radius.high,
                                              .max_speed = kind->body.max_speed.high,
                                              .max_force = kind->body.max_force.high,
                                              .count = (uint32_t)world_kind_population(world, k)};
        memcpy(out->kinds[k].name, kind->name, sizeof out->kinds[k].name);
    }
    for (int t = 0; t < world_target_count(world); t++) {
        const char *name = world_target_name(world, t);
        if (strncmp(name, CURSOR_TARGET_PREFIX, sizeof CURSOR_TARGET_PREFIX - 1) !=
            0) { /* those come and go unannounced */
            (void)snprintf(out->targets[out->target_count++], sizeof out->targets[0], "%s", name);
        }
    }
    describe_geometry(world, &out->geometry);
}
