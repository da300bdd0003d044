/* See run_measures.h. Sums are formed in doubles in ascending order of ids, so they depend on the world alone. */
#include "clients/drover/run/run_measures.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/math/trig.h"

static const double AT_REST = 1.0; /* px/s */

/* The agents of a world, and a part of them: columns. */
struct run_agents {
    int32_t count, room;
    double *x, *y, *vx, *vy, *speed, *radius; /* owned */
    double *part_x, *part_y, *part_radius;    /* owned */
    uint8_t *kind, *state;                    /* owned */
};

static void free_agents(struct run_agents *agents) {
    free(agents->x);
    free(agents->kind);
    free(agents);
}

void run_meter_fini(struct run_meter *meter) {
    if (meter->agents != NULL) {
        free_agents(meter->agents);
    }
    run_cells_fini(&meter->cells);
    *meter = (struct run_meter){0};
}

void run_meter_follow(struct run_meter *meter, const struct world *world) {
    for (int kind = 0; kind < world_kind_count(world); kind++) {
        const struct world_tally tally = world_tally_of(world, kind);
        meter->caught[kind] += tally.caught;
        meter->reached[kind] += tally.reached;
    }
}

/* ---- the agents ---- */

enum { NUMBER_COLUMNS = 9, BYTE_COLUMNS = 2 };

static bool make_room(struct run_meter *meter, int32_t count) {
    if (meter->agents != NULL && count <= meter->agents->room) {
        return true;
    }
    struct run_agents *agents = calloc(1, sizeof *agents);
    const size_t room = (size_t)count + (size_t)count / 2 + 64;
    double *numbers = malloc(NUMBER_COLUMNS * room * sizeof *numbers);
    uint8_t *bytes = malloc(BYTE_COLUMNS * room);
    if (agents == NULL || numbers == NULL || bytes == NULL) {
        free(agents);
        free(numbers);
        free(bytes);
        return false;
    }
    double **columns[NUMBER_COLUMNS] = {&agents->x,      &agents->y,      &agents->vx,
                                        &agents->vy,     &agents->speed,  &agents->radius,
                                        &agents->part_x, &agents->part_y, &agents->part_radius};
    for (size_t i = 0; i < NUMBER_COLUMNS; i++) {
        *columns[i] = numbers + i * room;
    }
    agents->kind = bytes;
    agents->state = bytes + room;
    agents->room = (int32_t)room;
    if (meter->agents != NULL) {
        free_agents(meter->agents);
    }
    meter->agents = agents;
    return true;
}

static bool copy_agents(struct run_meter *meter, const struct world *world) {
    const int32_t count = world_agent_count(world);
    if (!make_room(meter, count)) {
        return false;
    }
    struct run_agents *agents = meter->agents;
    agents->count = count;
    for (int32_t row = 0; row < count; row++) {
        const struct agent_view agent = world_agent(world, row);
        const double vx = (double)agent.velocity.x, vy = (double)agent.velocity.y;
        agents->x[row] = (double)agent.position.x;
        agents->y[row] = (double)agent.position.y;
        agents->vx[row] = vx;
        agents->vy[row] = vy;
        agents->speed[row] = sqrt(vx * vx + vy * vy);
        agents->radius[row] = (double)agent.radius;
        agents->kind[row] = (uint8_t)agent.kind;
        agents->state[row] = (uint8_t)agent.state;
    }
    return true;
}

static bool is_of(const struct run_agents *agents, int32_t row, const struct run_column *column) {
    return (column->kind < 0 || agents->kind[row] == column->kind) &&
           (column->state < 0 || agents->state[row] == column->state);
}

/* ---- measures ---- */

static double count_agents(const struct run_agents *agents, const struct run_column *column) {
    int32_t count = 0;
    for (int32_t row = 0; row < agents->count; row++) {
        count +=
            is_of(agents, row, column) && (column->measure != RUN_AT_REST || agents->speed[row] < AT_REST);
    }
    return (double)count;
}

static double mean_speed(const struct run_agents *agents, const struct run_column *column) {
    double sum = 0.0, count = 0.0;
    for (int32_t row = 0; row < agents->count; row++) {
        if (is_of(agents, row, column)) {
            sum += agents->speed[row];
            count += 1.0;
        }
    }
    return count > 0.0 ? sum / count : (double)NAN;
}

static double polarization(const struct run_agents *agents, const struct run_column *column) {
    double x = 0.0, y = 0.0, count = 0.0;
    for (int32_t row = 0; row < agents->count; row++) {
        if (is_of(agents, row, column) && agents->speed[row] > 0.0) {
            x += agents->vx[row] / agents->speed[row];
            y += agents->vy[row] / agents->speed[row];
            count += 1.0;
        }
    }
    return count > 0.0 ? sqrt(x * x + y * y) / count : (double)NAN;
}

static double mean(const struct run_agents *agents, const struct run_column *column, const double *places) {
    double sum = 0.0, count = 0.0;
    for (int32_t row = 0; row < agents->count; row++) {
        if (is_of(agents, row, column)) {
            sum += places[row];
            count += 1.0;
        }
    }
    return sum / count;
}

/* The middle of places on an axis that closes in itself: the direction of their mean on a circle. */
static double round_mean(const struct run_agents *agents, const struct run_column *column,
                         const double *places, double size) {
    double across = 0.0, up = 0.0;
    for (int32_t row = 0; row < agents->count; row++) {
        if (is_of(agents, row, column)) {
            const vec2 unit = trig_unit((float)(places[row] / size * (2.0 * TRIG_PI)));
            across += (double)unit.x;
            up += (double)unit.y;
        }
    }
    return (double)trig_atan2((float)up, (float)across) / (2.0 * TRIG_PI) * size;
}

/* The short way round from a center to a place, where the axis closes in itself. */
static double offset(double place, double middle, double size, bool wraps) {
    const double difference = place - middle;
    return wraps ? difference - size * rint(difference / size) : difference;
}

static double milling(const struct run_agents *agents, const struct world *world,
                      const struct run_column *column) {
    const vec2 size = world_size(world);
    const bool wraps = world_edge(world) == EDGE_WRAP;
    const double width = (double)size.x, height = (double)size.y;
    const double x = wraps ? round_mean(agents, column, agents->x, width) : mean(agents, column, agents->x);
    const double y = wraps ? round_mean(agents, column, agents->y, height) : mean(agents, column, agents->y);
    double sum = 0.0, count = 0.0;
    for (int32_t row = 0; row < agents->count; row++) {
        const double dx = offset(agents->x[row], x, width, wraps),
                     dy = offset(agents->y[row], y, height, wraps);
        const double length = sqrt(dx * dx + dy * dy) * agents->speed[row];
        if (is_of(agents, row, column) && length > 0.0) {
            sum += (dx * agents->vy[row] - dy * agents->vx[row]) / length;
            count += 1.0;
        }
    }
    return count > 0.0 ? fabs(sum) / count : (double)NAN;
}

/* The discs of the column's agents; their arrays are the meter's. */
static struct run_discs discs_of(const struct run_meter *meter, const struct world *world,
                                 const struct run_column *column) {
    const struct run_agents *agents = meter->agents;
    const vec2 size = world_size(world);
    int32_t count = 0;
    for (int32_t row = 0; row < agents->count; row++) {
        if (is_of(agents, row, column)) {
            agents->part_x[count] = agents->x[row];
            agents->part_y[count] = agents->y[row];
            agents->part_radius[count] = agents->radius[row];
            count++;
        }
    }
    return (struct run_discs){.x = agents->part_x,
                              .y = agents->part_y,
                              .radius = agents->part_radius,
                              .count = count,
                              .wraps = world_edge(world) == EDGE_WRAP,
                              .width = (double)size.x,
                              .height = (double)size.y};
}

/* Once for both measures, and once for all agents when they are of one kind. */
static bool measure_neighbors(struct run_meter *meter, const struct world *world,
                              const struct run_column *column, double *value) {
    const bool is_all = column->kind < 0 || world_kind_count(world) == 1;
    const int place = is_all ? LIMIT_KINDS : column->kind;
    struct run_neighbors *found = &meter->neighbors[place];
    if (!meter->has_neighbors[place]) {
        const struct run_discs discs = discs_of(meter, world, column);
        if (!run_neighbors_measure(&discs, &meter->cells, found)) {
            return false;
        }
        meter->has_neighbors[place] = true;
    }
    *value = column->measure == RUN_NEAREST ? found->nearest : (double)found->overlaps;
    return true;
}

static double sum_of(const uint64_t counts[LIMIT_KINDS], int kind) {
    double sum = 0.0;
    for (int k = 0; k < LIMIT_KINDS; k++) {
        sum += kind < 0 || kind == k ? (double)counts[k] : 0.0;
    }
    return sum;
}

static bool measure(struct run_meter *meter, const struct world *world, const struct run_column *column,
                    double *value) {
    const struct run_agents *agents = meter->agents;
    switch (column->measure) {
    case RUN_SPEED:
        *value = mean_speed(agents, column);
        break;
    case RUN_POLARIZATION:
        *value = polarization(agents, column);
        break;
    case RUN_MILLING:
        *value = milling(agents, world, column);
        break;
    case RUN_NEAREST:
    case RUN_OVERLAPS:
        return measure_neighbors(meter, world, column, value);
    case RUN_CAUGHT:
        *value = sum_of(meter->caught, column->kind);
        break;
    case RUN_REACHED:
        *value = sum_of(meter->reached, column->kind);
        break;
    default:
        *value = count_agents(agents, column);
        break;
    }
    return true;
}

static bool needs_agents(const struct run_column *column) {
    return column->measure != RUN_CAUGHT && column->measure != RUN_REACHED;
}

bool run_meter_take(struct run_meter *meter, const struct world *world, const struct run_column *columns,
                    int count, double *values) {
    bool has_agents = false;
    memset(meter->has_neighbors, 0, sizeof meter->has_neighbors);
    for (int i = 0; i < count; i++) {
        if (!has_agents && needs_agents(&columns[i]) && !copy_agents(meter, world)) {
            return false;
        }
        has_agents = has_agents || needs_agents(&columns[i]);
        if (!measure(meter, world, &columns[i], &values[i])) {
            return false;
        }
    }
    return true;
}

bool run_meter_ends(struct run_meter *meter, const struct world *world, const struct run_until *until,
                    bool *is_over) {
    double value = (double)NAN;
    *is_over = false;
    if (!until->is_set) {
        return true;
    }
    if (!run_meter_take(meter, world, &until->column, 1, &value)) {
        return false;
    }
    switch (until->comparison) {
    case RUN_LESS:
        *is_over = value < until->value;
        break;
    case RUN_AT_MOST:
        *is_over = value <= until->value;
        break;
    case RUN_MORE:
        *is_over = value > until->value;
        break;
    case RUN_AT_LEAST:
        *is_over = value >= until->value;
        break;
    case RUN_EQUAL:
        *is_over = value <= until->value && value >= until->value;
        break;
    case RUN_DIFFERENT:
        *is_over = value < until->value || value > until->value;
        break;
    }
    return true;
}
