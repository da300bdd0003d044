/* What an embedded simulation has: agents in columns, kinds, states, targets. See sim.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/message_scenario.h"
#include "server/embed/sim_handle.h"
#include "server/sim/math/trig.h"

enum { CIRCLE_CORNERS = 32 };

/* The columns of sim->agents, one behind the other: the widest first, so that each is aligned. */
#define COLUMNS(X)                                                                                           \
    X(uint32_t, id)                                                                                          \
    X(float, x)                                                                                              \
    X(float, y)                                                                                              \
    X(float, vx)                                                                                             \
    X(float, vy)                                                                                             \
    X(float, heading)                                                                                        \
    X(float, radius)                                                                                         \
    X(float, stamina)                                                                                        \
    X(uint16_t, kind)                                                                                        \
    X(uint16_t, state)

#define COLUMN_BYTES(type, name) +sizeof(type)
enum { ROW_BYTES = 0 COLUMNS(COLUMN_BYTES) };
#undef COLUMN_BYTES

struct writable {
#define COLUMN_POINTER(type, name) type *name;
    COLUMNS(COLUMN_POINTER)
#undef COLUMN_POINTER
};

/* Where the columns of so many agents lie. */
static struct writable lay_out(char *memory, int32_t room) {
    struct writable out;
    size_t offset = 0;
#define COLUMN_PLACE(type, name)                                                                             \
    out.name = (type *)(void *)(memory + offset);                                                            \
    offset += (size_t)room * sizeof(type);
    COLUMNS(COLUMN_PLACE)
#undef COLUMN_PLACE
    assert(offset == (size_t)room * ROW_BYTES);
    return out;
}

static bool need_room(struct drover_sim *sim, int32_t count) {
    if (count > sim->column_room || sim->columns == NULL) {
        const int32_t room = count < 16 ? 16 : count + count / 4;
        char *memory = realloc(sim->columns, (size_t)room * ROW_BYTES);
        if (memory == NULL) {
            return false;
        }
        sim->columns = memory;
        sim->column_room = room;
    }
    return true;
}

const struct drover_sim_agents *drover_sim_agents(struct drover_sim *sim) {
    const struct world *world = sim->state.world;
    const int32_t count = world_agent_count(world);
    if (!need_room(sim, count)) {
        return NULL;
    }
    const struct writable out = lay_out(sim->columns, sim->column_room);
    for (int32_t row = 0; row < count; row++) {
        const struct agent_view agent = world_agent(world, row);
        out.id[row] = agent.id;
        out.kind[row] = (uint16_t)agent.kind;
        out.state[row] = (uint16_t)agent.state;
        out.x[row] = agent.position.x;
        out.y[row] = agent.position.y;
        out.vx[row] = agent.velocity.x;
        out.vy[row] = agent.velocity.y;
        out.heading[row] = trig_atan2(agent.heading.y, agent.heading.x);
        out.radius[row] = agent.radius;
        out.stamina[row] = agent.stamina;
    }
    sim->agents = (struct drover_sim_agents){count,  out.id, out.kind,    out.state,  out.x,      out.y,
                                             out.vx, out.vy, out.heading, out.radius, out.stamina};
    return &sim->agents;
}

const char *drover_sim_scenario(struct drover_sim *sim) {
    struct message_scenario scenario;
    simulation_state_describe(&sim->state, &scenario);
    buffer_clear(&sim->answer);
    message_write_scenario(&scenario, &sim->answer);
    return sim_end_answer(sim);
}

int32_t drover_sim_agent_count(const struct drover_sim *sim) {
    return world_agent_count(sim->state.world);
}

int32_t drover_sim_row(const struct drover_sim *sim, uint32_t id) {
    return world_find_agent(sim->state.world, id);
}

void drover_sim_size(const struct drover_sim *sim, float *width, float *height) {
    const vec2 size = world_size(sim->state.world);
    *width = size.x;
    *height = size.y;
}

int drover_sim_kind_count(const struct drover_sim *sim) {
    return world_kind_count(sim->state.world);
}

static const struct kind_def *find_kind(const struct drover_sim *sim, int kind) {
    const bool is_there = kind >= 0 && kind < world_kind_count(sim->state.world);
    return is_there ? world_kind(sim->state.world, kind) : NULL;
}

const char *drover_sim_kind(const struct drover_sim *sim, int kind) {
    const struct kind_def *def = find_kind(sim, kind);
    return def == NULL ? "" : def->name;
}

const char *drover_sim_state(const struct drover_sim *sim, int kind, int state) {
    const struct kind_def *def = find_kind(sim, kind);
    return def == NULL || state < 0 || state >= def->state_count ? "" : def->states[state].name;
}

int drover_sim_target_count(const struct drover_sim *sim) {
    return world_target_count(sim->state.world);
}

const char *drover_sim_target(const struct drover_sim *sim, int target, float *x, float *y) {
    const struct world *world = sim->state.world;
    const bool is_there = target >= 0 && target < world_target_count(world);
    const vec2 at = is_there ? world_target_position(world, target) : vec2_make(0.0f, 0.0f);
    if (x != NULL) {
        *x = at.x;
    }
    if (y != NULL) {
        *y = at.y;
    }
    return is_there ? world_target_name(world, target) : "";
}

int drover_sim_obstacle_count(const struct drover_sim *sim) {
    return world_scenery(sim->state.world)->def.obstacle_count;
}

static vec2 corner_of(const struct obstacle_def *obstacle, int32_t corner) {
    static const vec2 box[] = {{0.0f, 0.0f}, {1.0f, 0.0f}, {1.0f, 1.0f}, {0.0f, 1.0f}};
    switch (obstacle->shape) {
    case OBSTACLE_CIRCLE:
        return vec2_add(
            obstacle->at,
            vec2_scale(trig_unit((float)corner * (float)(2.0 * TRIG_PI / CIRCLE_CORNERS)), obstacle->radius));
    case OBSTACLE_BOX:
        return vec2_make(obstacle->at.x + box[corner].x * obstacle->size.x,
                         obstacle->at.y + box[corner].y * obstacle->size.y);
    default:
        return obstacle->points[corner];
    }
}

int32_t drover_sim_obstacle(const struct drover_sim *sim, int obstacle, float *corners, int32_t room) {
    const struct geometry_def *def = &world_scenery(sim->state.world)->def;
    if (obstacle < 0 || obstacle >= def->obstacle_count) {
        return 0;
    }
    const struct obstacle_def *shape = &def->obstacles[obstacle];
    const int32_t count = shape->shape == OBSTACLE_CIRCLE ? CIRCLE_CORNERS
                          : shape->shape == OBSTACLE_BOX  ? 4
                                                          : shape->point_count;
    for (int32_t i = 0; corners != NULL && i < count && i < room; i++) {
        const vec2 corner = corner_of(shape, i);
        corners[2 * i] = corner.x;
        corners[2 * i + 1] = corner.y;
    }
    return count;
}
