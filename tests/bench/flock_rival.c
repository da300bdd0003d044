/* See flock_rival.h. */
#include "tests/bench/flock_rival.h"

#include <math.h>
#include <stdlib.h>

struct boid {
    vec2 position, velocity, next_velocity;
    struct boid *next; /* in its cell */
};

/* A neighbor in the list of one agent. */
struct link {
    const struct boid *boid;
    vec2 offset;
    float distance;
    struct link *next;
};

struct rival {
    int32_t count;
    int columns, rows;
    vec2 size;
    float dt, max_speed, max_force, radius, core;
    bool is_sharp;
    struct zone_def zones[ZONE_COUNT];
    struct boid **boids;
    struct boid **cells;
    struct link *links; /* as many as there may be neighbors */
};

struct rival *rival_create(const struct world *world) {
    const struct kind_def *kind = world_kind(world, 0);
    struct rival *rival = calloc(1, sizeof *rival);
    if (!rival) {
        abort();
    }
    rival->count = world_agent_count(world);
    rival->size = world_size(world);
    rival->dt = (float)(1.0 / world_tick_hz(world));
    rival->max_speed = kind->body.max_speed.low;
    rival->max_force = kind->body.max_force.low;
    rival->core = 3.0f * kind->body.radius.low;
    rival->is_sharp = kind->states[0].behaviors[0].falloff == FALLOFF_NONE;
    for (int z = 0; z < ZONE_COUNT; z++) {
        rival->zones[z] = kind->states[0].behaviors[0].zones[z];
        rival->radius = fmaxf(rival->radius, rival->zones[z].radius);
    }
    rival->columns = (int)(rival->size.x / rival->radius);
    rival->rows = (int)(rival->size.y / rival->radius);
    rival->cells = calloc((size_t)rival->columns * (size_t)rival->rows, sizeof(struct boid *));
    rival->boids = calloc((size_t)rival->count, sizeof(struct boid *));
    rival->links = calloc((size_t)rival->count, sizeof *rival->links);
    if (!rival->cells || !rival->boids || !rival->links) {
        abort();
    }
    for (int32_t i = 0; i < rival->count; i++) {
        const struct agent_view agent = world_agent(world, i);
        rival->boids[i] = calloc(1, sizeof(struct boid));
        if (!rival->boids[i]) {
            abort();
        }
        rival->boids[i]->position = agent.position;
        rival->boids[i]->velocity = agent.velocity;
    }
    return rival;
}

void rival_destroy(struct rival *rival) {
    for (int32_t i = 0; i < rival->count; i++) {
        free(rival->boids[i]);
    }
    free(rival->boids);
    free(rival->cells);
    free(rival->links);
    free(rival);
}

static float short_way(float difference, float size) {
    if (difference > 0.5f * size) {
        return difference - size;
    }
    return difference < -0.5f * size ? difference + size : difference;
}

static int cell_of(float position, float size, int cells) {
    const int cell = (int)(position / size * (float)cells);
    return cell < cells ? cell : cells - 1;
}

static void sort_into_cells(struct rival *rival) {
    for (int i = 0; i < rival->columns * rival->rows; i++) {
        rival->cells[i] = NULL;
    }
    for (int32_t i = 0; i < rival->count; i++) {
        struct boid *boid = rival->boids[i];
        const int column = cell_of(boid->position.x, rival->size.x, rival->columns);
        const int row = cell_of(boid->position.y, rival->size.y, rival->rows);
        boid->next = rival->cells[row * rival->columns + column];
        rival->cells[row * rival->columns + column] = boid;
    }
}

static struct link *gather_cell(const struct rival *rival, const struct boid *self, int cell,
                                struct link *list, int32_t *used) {
    for (const struct boid *other = rival->cells[cell]; other; other = other->next) {
        const vec2 offset = {short_way(other->position.x - self->position.x, rival->size.x),
                             short_way(other->position.y - self->position.y, rival->size.y)};
        const float distance = vec2_length(offset);
        if (other != self && distance < rival->radius) {
            struct link *link = &rival->links[(*used)++];
            *link = (struct link){other, offset, distance, list};
            list = link;
        }
    }
    return list;
}

static struct link *gather(const struct rival *rival, const struct boid *self) {
    const int column = cell_of(self->position.x, rival->size.x, rival->columns);
    const int row = cell_of(self->position.y, rival->size.y, rival->rows);
    struct link *list = NULL;
    int32_t used = 0;
    for (int y = row - 1; y <= row + 1; y++) {
        for (int x = column - 1; x <= column + 1; x++) {
            const int wrapped_x = (x + rival->columns) % rival->columns,
                      wrapped_y = (y + rival->rows) % rival->rows;
            list = gather_cell(rival, self, wrapped_y * rival->columns + wrapped_x, list, &used);
        }
    }
    return list;
}

/* Whether a link counts for a rule. */
static bool counts(const struct rival *rival, const struct boid *self, int zone, const struct link *link) {
    const struct zone_def *def = &rival->zones[zone];
    if (!(link->distance < def->radius)) {
        return false;
    }
    const vec2 heading = vec2_with_length(self->velocity, 1.0f);
    return def->field_of_view >= 6.283f || link->distance < rival->core ||
           vec2_dot(heading, link->offset) >= cosf(0.5f * def->field_of_view) * link->distance;
}

static float weigh(const struct rival *rival, int zone, const struct link *link) {
    const float share = link->distance / rival->zones[zone].radius;
    return rival->is_sharp ? 1.0f : 1.0f - share * share;
}

static vec2 separation(const struct rival *rival, const struct boid *self, const struct link *list) {
    const float radius = rival->zones[ZONE_SEPARATION].radius;
    vec2 sum = {0.0f, 0.0f};
    for (; list; list = list->next) {
        if (list->distance > 0.0f && counts(rival, self, ZONE_SEPARATION, list)) {
            const float share = list->distance / radius;
            const float push = rival->is_sharp ? 1.0f / share : (1.0f / share - share) * 2.0f / 3.0f;
            sum = vec2_sub(sum, vec2_with_length(list->offset, push));
        }
    }
    return vec2_truncate(sum, 1.0f);
}

static vec2 alignment(const struct rival *rival, const struct boid *self, const struct link *list) {
    vec2 sum = {0.0f, 0.0f};
    float weights = 0.0f;
    for (; list; list = list->next) {
        if (counts(rival, self, ZONE_ALIGNMENT, list)) {
            const float weight = weigh(rival, ZONE_ALIGNMENT, list);
            sum = vec2_add(sum, vec2_scale(list->boid->velocity, weight));
            weights += weight;
        }
    }
    if (!(weights > 0.0f)) {
        return sum;
    }
    const vec2 mean = vec2_truncate(vec2_scale(sum, 1.0f / weights), rival->max_speed);
    const vec2 difference = vec2_sub(mean, self->velocity);
    const vec2 towards = vec2_scale(vec2_truncate(vec2_scale(difference, 4.0f / rival->max_speed), 1.0f),
                                    fminf(weights, 1.0f));
    return vec2_truncate(towards, vec2_length(difference) / rival->dt / rival->max_force);
}

static vec2 cohesion(const struct rival *rival, const struct boid *self, const struct link *list) {
    vec2 sum = {0.0f, 0.0f};
    float weights = 0.0f;
    for (; list; list = list->next) {
        if (counts(rival, self, ZONE_COHESION, list)) {
            const float weight = weigh(rival, ZONE_COHESION, list);
            sum = vec2_add(sum, vec2_scale(list->offset, weight));
            weights += weight;
        }
    }
    if (!(weights > 0.0f)) {
        return sum;
    }
    const vec2 mean = vec2_scale(sum, 4.0f / weights / rival->zones[ZONE_COHESION].radius);
    return vec2_scale(vec2_truncate(mean, 1.0f), fminf(weights, 1.0f));
}

static void steer(const struct rival *rival, struct boid *boid) {
    const struct link *list = gather(rival, boid);
    const struct zone_def *zones = rival->zones;
    vec2 force = vec2_scale(separation(rival, boid, list), zones[ZONE_SEPARATION].weight);
    force = vec2_add(force, vec2_scale(alignment(rival, boid, list), zones[ZONE_ALIGNMENT].weight));
    force = vec2_add(force, vec2_scale(cohesion(rival, boid, list), zones[ZONE_COHESION].weight));
    force = vec2_truncate(vec2_scale(force, rival->max_force), rival->max_force);
    boid->next_velocity =
        vec2_truncate(vec2_add(boid->velocity, vec2_scale(force, rival->dt)), rival->max_speed);
}

static float wrap(float position, float size) {
    if (position < 0.0f) {
        position += size;
    }
    return position < size ? position : position - size;
}

void rival_step(struct rival *rival) {
    sort_into_cells(rival);
    for (int32_t i = 0; i < rival->count; i++) {
        steer(rival, rival->boids[i]);
    }
    for (int32_t i = 0; i < rival->count; i++) {
        struct boid *boid = rival->boids[i];
        boid->velocity = boid->next_velocity;
        boid->position.x = wrap(boid->position.x + boid->velocity.x * rival->dt, rival->size.x);
        boid->position.y = wrap(boid->position.y + boid->velocity.y * rival->dt, rival->size.y);
    }
}

double rival_distance(const struct rival *rival, const struct world *world) {
    double sum = 0.0;
    for (int32_t i = 0; i < rival->count; i++) {
        const vec2 at = world_agent(world, i).position;
        const vec2 difference = {short_way(at.x - rival->boids[i]->position.x, rival->size.x),
                                 short_way(at.y - rival->boids[i]->position.y, rival->size.y)};
        sum += (double)vec2_length(difference);
    }
    return sum / rival->count;
}
