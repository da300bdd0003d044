/* What learners do in each step: drive, columns of the caller's, the nearest, rays, and all of it in one call. See sim.h. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request_extra.h"
#include "server/embed/sim_handle.h"
#include "server/frames/nearest_rows.h"
#include "server/frames/rays.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/math/trig.h"

/* ---- vectors ---- */

/* As request_columns_read leaves them: within the range, and no -0. */
static int copy_vectors(const char *name, const float *from, int32_t count, float *to,
                        struct failure *failure) {
    for (int32_t i = 0; i < count; i++) {
        if (!((double)from[i] >= -LIMIT_DRIVE && (double)from[i] <= LIMIT_DRIVE)) {
            char field[32];
            (void)snprintf(field, sizeof field, "%s[%d]", name, (int)i);
            return failure_set(failure, FAILURE_OUT_OF_RANGE, field, "%g; allowed: %g to %g", (double)from[i],
                               -LIMIT_DRIVE, LIMIT_DRIVE);
        }
        to[i] = from[i] + 0.0f;
    }
    return 0;
}

static int fill_columns(struct request_extra *extra, const uint32_t *ids, const float *vx, const float *vy,
                        int32_t count, struct failure *failure) {
    struct request_columns *columns = &extra->columns;
    const size_t entries = (size_t)count;
    columns->is_given = true;
    columns->count = (uint32_t)count;
    columns->agents = request_extra_tail(extra);
    columns->values[REQUEST_COLUMN_VX] = (float *)(void *)(columns->agents + entries);
    columns->values[REQUEST_COLUMN_VY] = columns->values[REQUEST_COLUMN_VX] + entries;
    memcpy(columns->agents, ids, entries * sizeof *ids);
    if (copy_vectors("vx", vx, count, columns->values[REQUEST_COLUMN_VX], failure) != 0) {
        return -1;
    }
    return copy_vectors("vy", vy, count, columns->values[REQUEST_COLUMN_VY], failure);
}

int drover_sim_drive(struct drover_sim *sim, const uint32_t *ids, const float *vx, const float *vy,
                     int32_t count) {
    sim_begin_answer(sim);
    if (count < 0 || count > LIMIT_AGENTS) {
        return failure_set(&sim->failure, FAILURE_OUT_OF_RANGE, "agents", "%d; allowed: 0 to %d", (int)count,
                           LIMIT_AGENTS);
    }
    struct request *request = &sim->request;
    *request = request_default(REQUEST_DRIVE);
    request->body.drive.has_agents = true;
    request->extra = request_extra_create((size_t)count * (sizeof *ids + sizeof *vx + sizeof *vy));
    if (request->extra == NULL) {
        return failure_set(&sim->failure, FAILURE_BUSY, NULL, "out of memory");
    }
    if (fill_columns(request->extra, ids, vx, vy, count, &sim->failure) != 0) {
        request_fini(request);
        return -1;
    }
    (void)sim_answer(sim);
    return sim->failure.code == FAILURE_NONE ? 0 : -1;
}

/* ---- columns ---- */

/* The wanted columns in their order, each with what it has of an agent. */
#define COLUMNS(X)                                                                                           \
    X(DROVER_SIM_ID, uint32_t, agent.id)                                                                     \
    X(DROVER_SIM_X, float, agent.position.x)                                                                 \
    X(DROVER_SIM_Y, float, agent.position.y)                                                                 \
    X(DROVER_SIM_VX, float, agent.velocity.x)                                                                \
    X(DROVER_SIM_VY, float, agent.velocity.y)                                                                \
    X(DROVER_SIM_HEADING, float, trig_atan2(agent.heading.y, agent.heading.x))                               \
    X(DROVER_SIM_RADIUS, float, agent.radius)                                                                \
    X(DROVER_SIM_STAMINA, float, agent.stamina)                                                              \
    X(DROVER_SIM_KIND, uint16_t, (uint16_t)agent.kind)                                                       \
    X(DROVER_SIM_STATE, uint16_t, (uint16_t)agent.state)

/* Where the columns begin, in the order of COLUMNS; NULL: not wanted. */
enum { COLUMN_COUNT = 10 };

static void lay_out(unsigned wanted, void *out, int32_t room, void *begins[COLUMN_COUNT]) {
    char *next = out;
    int column = 0;
#define PLACE(bit, type, value)                                                                              \
    begins[column++] = (wanted & (unsigned)(bit)) != 0 ? next : NULL;                                        \
    next += (wanted & (unsigned)(bit)) != 0 ? (size_t)room * sizeof(type) : 0;
    COLUMNS(PLACE)
#undef PLACE
    assert(column == COLUMN_COUNT);
}

int32_t drover_sim_columns(const struct drover_sim *sim, unsigned wanted, void *out, int32_t room) {
    const struct world *world = sim->state.world;
    const int32_t count = world_agent_count(world);
    if (out == NULL || count > room) {
        return count;
    }
    void *begins[COLUMN_COUNT];
    lay_out(wanted, out, room, begins);
    for (int32_t row = 0; row < count; row++) {
        const struct agent_view agent = world_agent(world, row);
        int column = 0;
#define WRITE(bit, type, value)                                                                              \
    if (begins[column] != NULL) {                                                                            \
        ((type *)begins[column])[row] = value;                                                               \
    }                                                                                                        \
    column++;
        COLUMNS(WRITE)
#undef WRITE
    }
    return count;
}

/* ---- the nearest ---- */

/* Places, and the rows that count, of all agents; owned. */
struct places {
    double *x, *y;
    int32_t *candidates, *askers;
    int32_t candidate_count;
};

static bool places_of(const struct drover_sim *sim, const struct drover_sim_near *near, struct places *out) {
    const struct world *world = sim->state.world;
    const int32_t count = world_agent_count(world);
    const size_t room = (size_t)count + 1;
    out->x = malloc(room * sizeof *out->x);
    out->y = malloc(room * sizeof *out->y);
    out->candidates = malloc(room * sizeof *out->candidates);
    out->askers = malloc(((size_t)near->count + 1) * sizeof *out->askers);
    if (out->x == NULL || out->y == NULL || out->candidates == NULL || out->askers == NULL) {
        return false;
    }
    for (int32_t row = 0; row < count; row++) {
        const struct agent_view agent = world_agent(world, row);
        out->x[row] = (double)agent.position.x;
        out->y[row] = (double)agent.position.y;
        if ((near->kinds >> agent.kind & 1u) != 0) {
            out->candidates[out->candidate_count++] = row;
        }
    }
    for (int32_t i = 0; i < near->count; i++) {
        out->askers[i] = world_find_agent(world, near->ids[i]);
    }
    return true;
}

static float difference(double from, double to, double wrap) {
    return (float)(wrap > 0.0 ? nearest_rows_short_way(to - from, wrap) : to - from);
}

/* The values of one asker: its own, then those of its rows. */
static void write_values(const struct drover_sim *sim, const struct nearest_rows *query, int32_t asker,
                         const int32_t *rows, float *out) {
    memset(out, 0, sizeof *out * (size_t)(4 + 4 * query->most));
    if (asker < 0) {
        return;
    }
    const struct agent_view own = world_agent(sim->state.world, asker);
    const float first[] = {own.position.x, own.position.y, own.velocity.x, own.velocity.y};
    memcpy(out, first, sizeof first);
    for (int32_t place = 0; place < query->most && rows[place] >= 0; place++) {
        const struct agent_view other = world_agent(sim->state.world, rows[place]);
        float *next = out + 4 + 4 * place;
        next[0] = difference(query->x[asker], query->x[rows[place]], query->wrap_x);
        next[1] = difference(query->y[asker], query->y[rows[place]], query->wrap_y);
        next[2] = other.velocity.x - own.velocity.x;
        next[3] = other.velocity.y - own.velocity.y;
    }
}

int drover_sim_nearest(const struct drover_sim *sim, const struct drover_sim_near *near) {
    if (near->most < 1 || near->most > NEAREST_ROWS_MOST || near->count < 0) {
        return -1;
    }
    struct places places = {0};
    int result = -1;
    if (places_of(sim, near, &places)) {
        const bool wraps = world_edge(sim->state.world) == EDGE_WRAP;
        const vec2 size = world_size(sim->state.world);
        const struct nearest_rows query = {
            .x = places.x,
            .y = places.y,
            .candidates = places.candidates,
            .candidate_count = places.candidate_count,
            .askers = places.askers,
            .asker_count = near->count,
            .most = near->most,
            .wrap_x = wraps ? (double)size.x : 0.0,
            .wrap_y = wraps ? (double)size.y : 0.0,
        };
        result = nearest_rows_find(&query, near->rows);
        for (int32_t i = 0; result == 0 && near->values != NULL && i < near->count; i++) {
            write_values(sim, &query, places.askers[i], near->rows + (size_t)i * (size_t)near->most,
                         near->values + (size_t)i * (size_t)(4 + 4 * near->most));
        }
    }
    free(places.x);
    free(places.y);
    free(places.candidates);
    free(places.askers);
    return result;
}

/* ---- rays ---- */

int drover_sim_rays(const struct drover_sim *sim, const struct drover_sim_ray_fan *fan) {
    const struct world *world = sim->state.world;
    const struct rays rays = {fan->number, fan->range, fan->spread};
    if (fan->count < 0 || rays.number < 1 || rays.number > LIMIT_RAYS ||
        !(rays.range >= 1.0f && rays.range <= (float)LIMIT_RAY_RANGE) ||
        !(rays.spread >= 0.0f && rays.spread <= 360.0f)) {
        return -1;
    }
    for (int32_t i = 0; i < fan->count; i++) {
        float *out = fan->distances + (size_t)i * rays.number;
        const int32_t row = world_find_agent(world, fan->ids[i]);
        memset(out, 0, sizeof *out * rays.number);
        if (row >= 0) {
            const struct agent_view agent = world_agent(world, row);
            rays_cast(world, &rays, world_snapshot_hundredths(agent.position.x),
                      world_snapshot_hundredths(agent.position.y), world_snapshot_heading(agent.heading),
                      out);
        }
    }
    return 0;
}

/* ---- turns ---- */

static int take_turn(struct drover_sim_turn *turn) {
    if (turn->driven > 0 && drover_sim_drive(turn->sim, turn->ids, turn->vx, turn->vy, turn->driven) != 0) {
        turn->count = -1;
        return -1;
    }
    drover_sim_step(turn->sim, turn->ticks);
    turn->count = drover_sim_columns(turn->sim, turn->wanted, turn->out, turn->room);
    turn->hash = drover_sim_hash(turn->sim);
    return turn->near != NULL ? drover_sim_nearest(turn->sim, turn->near) : 0;
}

int drover_sim_turns(struct drover_sim_turn *turns, int32_t count) {
    int result = 0;
    for (int32_t i = 0; i < count; i++) {
        result = take_turn(&turns[i]) != 0 ? -1 : result;
    }
    return result;
}
