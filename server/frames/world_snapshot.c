/* See world_snapshot.h. */
#include "server/frames/world_snapshot.h"

#include <math.h>
#include <string.h>

#include "server/sim/math/trig.h"

/* lrint is one instruction where rint may be a call. */
int32_t world_snapshot_hundredths(float value) {
    const double most = (double)INT32_MAX;
    const double hundredths = (double)value * 100.0;
    const double held = hundredths > most ? most : hundredths < -most ? -most : hundredths;
    return (int32_t)lrint(held);
}

int32_t world_snapshot_heading(vec2 heading) {
    const double degrees = (double)trig_atan2(heading.y, heading.x) * (180.0 / TRIG_PI);
    const int32_t hundredths = (int32_t)lrint(degrees * 100.0); /* -18000 to 18000 */
    return hundredths < 0 ? hundredths + 36000 : hundredths;
}

static struct snapshot_vector vector_of(vec2 value) {
    return (struct snapshot_vector){world_snapshot_hundredths(value.x), world_snapshot_hundredths(value.y)};
}

/* state_index[kind][state] = index in state_names. Kinds and their indices are the same in world and
 * snapshot. */
static int copy_names(const struct world *world, struct snapshot *out,
                      uint16_t state_index[LIMIT_KINDS][LIMIT_STATES]) {
    out->kind_names.count = 0;
    out->state_names.count = 0;
    out->behavior_names.count = 0;
    for (int k = 0; k < world_kind_count(world); k++) {
        const struct kind_def *kind = world_kind(world, k);
        if (name_table_intern(&out->kind_names, kind->name, strlen(kind->name)) != k) {
            return -1;
        }
        for (int s = 0; s < kind->state_count; s++) {
            const char *name = kind->states[s].name;
            const int index = name_table_intern(&out->state_names, name, strlen(name));
            if (index < 0) {
                return -1;
            }
            state_index[k][s] = (uint16_t)index;
        }
    }
    return 0;
}

static int copy_targets(const struct world *world, struct snapshot *out) {
    out->target_names.count = 0;
    out->target_count = world_target_count(world);
    for (int t = 0; t < out->target_count; t++) {
        const char *name = world_target_name(world, t);
        const int index = name_table_intern(&out->target_names, name, strlen(name));
        if (index < 0) {
            return -1;
        }
        const vec2 at = world_target_position(world, t);
        out->target_name[t] = (uint16_t)index;
        out->target_x[t] = world_snapshot_hundredths(at.x);
        out->target_y[t] = world_snapshot_hundredths(at.y);
    }
    return 0;
}

/* One agent's steering; room for LIMIT_BEHAVIORS + 1 more shares is made here. */
static int copy_forces(const struct world *world, int32_t row, struct snapshot *out) {
    struct steering_view view;
    world_explain(world, row, &view);
    out->desired[row] = vector_of(view.desired);
    out->steering[row] = vector_of(view.steering);
    out->share_begin[row] = out->share_count;
    for (int i = 0; i < view.count; i++) {
        const int name = name_table_intern(&out->behavior_names, view.labels[i], strlen(view.labels[i]));
        if (name < 0) {
            return -1;
        }
        out->shares[out->share_count++] =
            (struct snapshot_share){.behavior = (uint16_t)name, .force = vector_of(view.forces[i])};
    }
    out->share_begin[row + 1] = out->share_count;
    return 0;
}

/* The most shares the agents can have: for each its kind's largest state, and containment. */
static int32_t count_shares(const struct world *world) {
    int64_t total = 0;
    for (int k = 0; k < world_kind_count(world); k++) {
        const struct kind_def *kind = world_kind(world, k);
        int most = 0;
        for (int s = 0; s < kind->state_count; s++) {
            most = kind->states[s].behavior_count > most ? kind->states[s].behavior_count : most;
        }
        total += (int64_t)world_kind_population(world, k) * (most + 1);
    }
    return (int32_t)total; /* at most LIMIT_AGENTS * 17 */
}

int world_snapshot_copy(const struct world *world, bool with_forces, struct snapshot *out) {
    return world_snapshot_copy_wanted(world, with_forces, true, out);
}

int world_snapshot_copy_wanted(const struct world *world, bool with_forces, bool with_headings,
                               struct snapshot *out) {
    uint16_t state_index[LIMIT_KINDS][LIMIT_STATES];
    const int32_t count = world_agent_count(world);
    if (snapshot_reserve(out, count, with_forces ? count_shares(world) : 0, with_forces) != 0 ||
        copy_names(world, out, state_index) != 0 || copy_targets(world, out) != 0) {
        return -1;
    }
    out->tick = world_tick(world);
    out->time_s = (double)out->tick / world_tick_hz(world);
    out->has_forces = with_forces;
    out->fields = SNAPSHOT_USUAL | SNAPSHOT_STAMINA | (with_forces ? (unsigned)SNAPSHOT_FORCES : 0u);
    out->fields &= with_headings ? ~0u : ~(unsigned)SNAPSHOT_HEADING;
    out->width = world_size(world).x;
    out->height = world_size(world).y;
    out->wraps = world_edge(world) == EDGE_WRAP;
    out->count = count;
    out->share_count = 0;
    for (int32_t row = 0; row < count && !world_is_given_up(world); row++) {
        const struct agent_view agent = world_agent(world, row);
        out->id[row] = agent.id;
        out->kind[row] = (uint16_t)agent.kind;
        out->state[row] = state_index[agent.kind][agent.state];
        out->x[row] = world_snapshot_hundredths(agent.position.x);
        out->y[row] = world_snapshot_hundredths(agent.position.y);
        out->vx[row] = world_snapshot_hundredths(agent.velocity.x);
        out->vy[row] = world_snapshot_hundredths(agent.velocity.y);
        out->heading[row] = with_headings ? world_snapshot_heading(agent.heading) : 0;
        out->stamina[row] = world_snapshot_hundredths(agent.stamina);
        if (with_forces && copy_forces(world, row, out) != 0) {
            return -1;
        }
    }
    return 0;
}
