/* See plain_flock.h. */
#include "plain_flock.h"

#include <math.h>
#include <stdlib.h>

#include "server/sim/edge.h"

struct agent {
    struct agent *next; /* in its cell */
    vec2 position, velocity, heading;
    vec2 new_position, new_velocity;
    float radius, mass, max_speed, max_force;
};

struct plain_flock {
    struct bounds bounds;
    float dt;
    struct behavior_def rules;
    int32_t count, columns, rows;
    struct agent **agents, **cells, **near;
    int64_t neighbors;
};

static void *need(void *memory) {
    if (!memory) {
        abort();
    }
    return memory;
}

struct plain_flock *plain_flock_create(const struct world *world) {
    struct plain_flock *flock = need(malloc(sizeof *flock));
    *flock = (struct plain_flock){.bounds = {world_size(world), world_edge(world)},
                                  .dt = (float)(1.0 / world_tick_hz(world)),
                                  .rules = world_kind(world, 0)->states[0].behaviors[0],
                                  .count = world_agent_count(world)};
    const float reach = flock->rules.zones[ZONE_COHESION].radius;
    flock->columns = (int32_t)(flock->bounds.size.x / reach);
    flock->rows = (int32_t)(flock->bounds.size.y / reach);
    flock->agents = need(malloc((size_t)flock->count * sizeof *flock->agents));
    flock->near = need(malloc((size_t)flock->count * sizeof *flock->near));
    flock->cells = need(malloc((size_t)flock->columns * (size_t)flock->rows * sizeof *flock->cells));
    for (int32_t i = 0; i < flock->count; i++) {
        const struct agent_view view = world_agent(world, i);
        flock->agents[i] = need(malloc(sizeof **flock->agents));
        *flock->agents[i] = (struct agent){.position = view.position,
                                           .velocity = view.velocity,
                                           .heading = view.heading,
                                           .radius = view.radius,
                                           .mass = view.mass,
                                           .max_speed = view.max_speed,
                                           .max_force = view.max_force};
    }
    return flock;
}

void plain_flock_destroy(struct plain_flock *flock) {
    for (int32_t i = 0; i < flock->count; i++) {
        free(flock->agents[i]);
    }
    free(flock->agents);
    free(flock->near);
    free(flock->cells);
    free(flock);
}

static int32_t cell_of(float coordinate, float size, int32_t cells) {
    const int32_t cell = (int32_t)(coordinate / size * (float)cells);
    return cell < cells ? cell : cells - 1;
}

static void fill_cells(struct plain_flock *flock) {
    for (int32_t i = 0; i < flock->columns * flock->rows; i++) {
        flock->cells[i] = NULL;
    }
    for (int32_t i = 0; i < flock->count; i++) {
        struct agent *agent = flock->agents[i];
        const int32_t column = cell_of(agent->position.x, flock->bounds.size.x, flock->columns),
                      row = cell_of(agent->position.y, flock->bounds.size.y, flock->rows);
        struct agent **cell = &flock->cells[row * flock->columns + column];
        agent->next = *cell;
        *cell = agent;
    }
}

/* Everybody within the largest radius; returns how many. */
static int32_t find_near(struct plain_flock *flock, const struct agent *agent) {
    const float reach = flock->rules.zones[ZONE_COHESION].radius;
    const int32_t column = cell_of(agent->position.x, flock->bounds.size.x, flock->columns),
                  row = cell_of(agent->position.y, flock->bounds.size.y, flock->rows);
    int32_t found = 0;
    for (int32_t dy = -1; dy <= 1; dy++) {
        for (int32_t dx = -1; dx <= 1; dx++) {
            const int32_t x = (column + dx + flock->columns) % flock->columns,
                          y = (row + dy + flock->rows) % flock->rows;
            for (struct agent *other = flock->cells[y * flock->columns + x]; other; other = other->next) {
                const vec2 offset = bounds_difference(&flock->bounds, agent->position, other->position);
                if (other != agent && vec2_length(offset) < reach) {
                    flock->near[found++] = other;
                }
            }
        }
    }
    return found;
}

static bool sees(const struct agent *agent, vec2 offset, const struct zone_def *zone) {
    const float distance = vec2_length(offset);
    return distance < zone->radius &&
           (distance < 3.0f * agent->radius ||
            vec2_dot(agent->heading, offset) >= cosf(0.5f * zone->field_of_view) * distance);
}

static vec2 separation(const struct plain_flock *flock, const struct agent *agent, int32_t found) {
    const struct zone_def *zone = &flock->rules.zones[ZONE_SEPARATION];
    vec2 sum = {0.0f, 0.0f};
    for (int32_t i = 0; i < found; i++) {
        const vec2 offset = bounds_difference(&flock->bounds, agent->position, flock->near[i]->position);
        const float distance = vec2_length(offset);
        if (distance > 1e-6f && sees(agent, offset, zone)) {
            sum = vec2_sub(sum, vec2_scale(offset, (zone->radius / distance - 1.0f) / distance));
        }
    }
    return vec2_scale(vec2_truncate(sum, 1.0f), zone->weight);
}

static vec2 alignment(const struct plain_flock *flock, const struct agent *agent, int32_t found) {
    const struct zone_def *zone = &flock->rules.zones[ZONE_ALIGNMENT];
    vec2 sum = {0.0f, 0.0f};
    float weights = 0.0f;
    for (int32_t i = 0; i < found; i++) {
        const vec2 offset = bounds_difference(&flock->bounds, agent->position, flock->near[i]->position);
        if (sees(agent, offset, zone)) {
            const float weight = 1.0f - vec2_length(offset) / zone->radius;
            sum = vec2_add(sum, vec2_scale(flock->near[i]->velocity, weight));
            weights += weight;
        }
    }
    if (!(weights > 0.0f)) {
        return sum;
    }
    const vec2 difference = vec2_sub(vec2_scale(sum, 1.0f / weights), agent->velocity);
    const vec2 towards = vec2_truncate(vec2_scale(difference, 4.0f / agent->max_speed), 1.0f);
    return vec2_scale(towards, zone->weight * fminf(weights, 1.0f));
}

static vec2 cohesion(const struct plain_flock *flock, const struct agent *agent, int32_t found) {
    const struct zone_def *zone = &flock->rules.zones[ZONE_COHESION];
    vec2 sum = {0.0f, 0.0f};
    float weights = 0.0f;
    for (int32_t i = 0; i < found; i++) {
        const vec2 offset = bounds_difference(&flock->bounds, agent->position, flock->near[i]->position);
        if (sees(agent, offset, zone)) {
            const float weight = 1.0f - vec2_length(offset) / zone->radius;
            sum = vec2_add(sum, vec2_scale(offset, weight));
            weights += weight;
        }
    }
    if (!(weights > 0.0f)) {
        return sum;
    }
    const vec2 towards = vec2_truncate(vec2_scale(sum, 4.0f / (weights * zone->radius)), 1.0f);
    return vec2_scale(towards, zone->weight * fminf(weights, 1.0f));
}

void plain_flock_step(struct plain_flock *flock) {
    fill_cells(flock);
    flock->neighbors = 0;
    for (int32_t i = 0; i < flock->count; i++) {
        struct agent *agent = flock->agents[i];
        const int32_t found = find_near(flock, agent);
        flock->neighbors += found;
        vec2 force = separation(flock, agent, found);
        force = vec2_add(force, alignment(flock, agent, found));
        force = vec2_add(force, cohesion(flock, agent, found));
        force = vec2_truncate(vec2_scale(force, agent->max_force), agent->max_force);
        const vec2 pushed = vec2_add(agent->velocity, vec2_scale(force, flock->dt / agent->mass));
        agent->new_velocity = vec2_truncate(pushed, agent->max_speed);
        agent->new_position = bounds_settle(
            &flock->bounds, vec2_add(agent->position, vec2_scale(agent->new_velocity, flock->dt)));
    }
    for (int32_t i = 0; i < flock->count; i++) {
        struct agent *agent = flock->agents[i];
        agent->position = agent->new_position;
        agent->velocity = agent->new_velocity;
        if (vec2_length_squared(agent->velocity) > 1e-6f) {
            agent->heading = vec2_with_length(agent->velocity, 1.0f);
        }
    }
}

int64_t plain_flock_neighbors(const struct plain_flock *flock) {
    return flock->neighbors;
}
