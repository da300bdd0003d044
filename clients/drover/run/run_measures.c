/* See run.h. Cells of about one disc each, over the box that holds all discs; the torus is divided whole. */
#include "clients/drover/run/run.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text/names.h"
#include "server/sim/math/trig.h"

enum { SIDE_MOST = 2048 };

struct axis {
    double origin, cell; /* px */
    int count;
};

struct column_layout {
    const struct run_discs *discs;
    const struct run_cells *cells;
    struct axis across, down;
};

static void run_cells_fini(struct run_cells *cells) {
    free(cells->begin);
    free(cells->item);
    *cells = (struct run_cells){0};
}

/* ---- cells ---- */

/* About `cell` px wide. Those of a torus divide it; otherwise the last one reaches over the end. */
static struct axis choose_axis(double low, double size, double cell, bool wraps) {
    const double whole = floor(size / cell), count = wraps ? fmax(whole, 1.0) : whole + 1.0;
    if (count > SIDE_MOST) {
        return (struct axis){.origin = low, .cell = size / SIDE_MOST, .count = SIDE_MOST};
    }
    return (struct axis){.origin = low, .cell = wraps ? size / count : cell, .count = (int)count};
}

static void choose_layout(struct column_layout *layout) {
    const struct run_discs *discs = layout->discs;
    double low_x = 0.0, low_y = 0.0, high_x = discs->width, high_y = discs->height;
    if (!discs->wraps) {
        low_x = high_x = discs->x[0];
        low_y = high_y = discs->y[0];
        for (int32_t i = 1; i < discs->count; i++) {
            low_x = fmin(low_x, discs->x[i]);
            high_x = fmax(high_x, discs->x[i]);
            low_y = fmin(low_y, discs->y[i]);
            high_y = fmax(high_y, discs->y[i]);
        }
    }
    const double width = high_x - low_x, height = high_y - low_y;
    const double longer = fmax(width, height);
    const double cell = fmax(sqrt(width * height / discs->count), longer / discs->count);
    layout->across = choose_axis(low_x, width, cell > 0.0 ? cell : 1.0, discs->wraps);
    layout->down = choose_axis(low_y, height, cell > 0.0 ? cell : 1.0, discs->wraps);
}

static int cell_on(const struct axis *axis, double place) {
    const double cell = floor((place - axis->origin) / axis->cell);
    return cell < 0.0 ? 0 : cell >= axis->count ? axis->count - 1 : (int)cell;
}

static int cell_of(const struct column_layout *layout, int32_t disc) {
    return cell_on(&layout->down, layout->discs->y[disc]) * layout->across.count +
           cell_on(&layout->across, layout->discs->x[disc]);
}

static bool make_neighbor_room(int32_t **array, int32_t *room, int32_t count) {
    if (count > *room) {
        int32_t *bigger = realloc(*array, (size_t)count * sizeof *bigger);
        if (bigger == NULL) {
            return false;
        }
        *array = bigger;
        *room = count;
    }
    return true;
}

/* A counting sort of the discs by cell. */
static bool sort_discs(struct column_layout *layout, struct run_cells *cells) {
    const int count = layout->across.count * layout->down.count;
    if (!make_neighbor_room(&cells->begin, &cells->begin_room, count + 1) ||
        !make_neighbor_room(&cells->item, &cells->item_room, layout->discs->count)) {
        return false;
    }
    for (int cell = 0; cell <= count; cell++) {
        cells->begin[cell] = 0;
    }
    for (int32_t i = 0; i < layout->discs->count; i++) {
        cells->begin[cell_of(layout, i)]++;
    }
    for (int cell = 1; cell <= count; cell++) {
        cells->begin[cell] += cells->begin[cell - 1];
    }
    for (int32_t i = layout->discs->count; i-- > 0;) {
        cells->item[--cells->begin[cell_of(layout, i)]] = i;
    }
    return true;
}

/* ---- what is around a disc ---- */

static double short_way(double difference, double size) {
    return difference > size / 2.0    ? difference - size
           : difference < -size / 2.0 ? difference + size
                                      : difference;
}

static double squared_distance(const struct run_discs *discs, int32_t a, int32_t b) {
    double dx = discs->x[b] - discs->x[a], dy = discs->y[b] - discs->y[a];
    if (discs->wraps) {
        dx = short_way(dx, discs->width);
        dy = short_way(dy, discs->height);
    }
    return dx * dx + dy * dy;
}

/* What a walk over the discs around one finds. */
struct found {
    double nearest; /* squared */
    uint64_t overlaps;
};

static void look_in(const struct column_layout *layout, int32_t disc, int cell, struct found *found) {
    const struct run_discs *discs = layout->discs;
    const struct run_cells *cells = layout->cells;
    for (int32_t k = cells->begin[cell]; k < cells->begin[cell + 1]; k++) {
        const int32_t other = cells->item[k];
        if (other == disc) {
            continue;
        }
        const double squared = squared_distance(discs, disc, other);
        const double reach = discs->radius[disc] + discs->radius[other];
        found->nearest = squared < found->nearest ? squared : found->nearest;
        found->overlaps += other > disc && squared < reach * reach ? 1 : 0;
    }
}

/* The cells of an axis that are at most `steps` from a cell: *first and how many follow, each once. */
static int span(const struct axis *axis, bool wraps, int cell, int steps, int *first) {
    if (wraps) {
        const bool is_all = 2 * steps + 1 >= axis->count;
        *first = is_all ? 0 : (cell - steps + axis->count) % axis->count;
        return is_all ? axis->count : 2 * steps + 1;
    }
    const int last = cell + steps < axis->count ? cell + steps : axis->count - 1;
    *first = cell > steps ? cell - steps : 0;
    return last - *first + 1;
}

/* Looks at all discs within `steps` cells. Returns whether that is all of them. */
static bool look_around(const struct column_layout *layout, int32_t disc, int steps, struct found *found) {
    const struct run_discs *discs = layout->discs;
    int first_x = 0, first_y = 0;
    const int columns =
        span(&layout->across, discs->wraps, cell_on(&layout->across, discs->x[disc]), steps, &first_x);
    const int rows =
        span(&layout->down, discs->wraps, cell_on(&layout->down, discs->y[disc]), steps, &first_y);
    *found = (struct found){.nearest = (double)INFINITY};
    for (int j = 0; j < rows; j++) {
        const int row = (first_y + j) % layout->down.count;
        for (int i = 0; i < columns; i++) {
            look_in(layout, disc, row * layout->across.count + (first_x + i) % layout->across.count, found);
        }
    }
    return columns == layout->across.count && rows == layout->down.count;
}

/* False without memory. */
static bool run_neighbors_measure(const struct run_discs *discs, struct run_cells *cells,
                                  struct run_neighbors *out) {
    struct column_layout layout = {.discs = discs, .cells = cells};
    double sum = 0.0, largest = 0.0;
    *out = (struct run_neighbors){.nearest = (double)NAN};
    if (discs->count < 2) {
        return true;
    }
    choose_layout(&layout);
    if (!sort_discs(&layout, cells)) {
        return false;
    }
    for (int32_t i = 0; i < discs->count; i++) {
        largest = fmax(largest, discs->radius[i]);
    }
    const double side = fmin(layout.across.cell, layout.down.cell);
    for (int32_t i = 0; i < discs->count; i++) {
        const double reach = ceil((discs->radius[i] + largest) / side);
        int steps = reach > SIDE_MOST ? SIDE_MOST : reach < 1.0 ? 1 : (int)reach;
        struct found found;
        bool is_all = look_around(&layout, i, steps, &found);
        while (!is_all && found.nearest > (double)steps * side * ((double)steps * side)) {
            steps *= 2;
            is_all = look_around(&layout, i, steps, &found);
        }
        assert(isfinite(found.nearest));
        sum += sqrt(found.nearest);
        out->overlaps += found.overlaps;
    }
    out->nearest = sum / discs->count;
    return true;
}

/* ---- measures ---- */

/* Sums are formed in doubles in ascending order of ids, so they depend on the world alone. */

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
    *value = column->measure == RUN_OVERLAPS    ? (double)found->overlaps
             : column->measure == RUN_NEAREST_M ? found->nearest / (double)world_meter(world)
                                                : found->nearest;
    return true;
}

static double sum_of(const uint64_t counts[LIMIT_KINDS], int kind) {
    double sum = 0.0;
    for (int k = 0; k < LIMIT_KINDS; k++) {
        sum += kind < 0 || kind == k ? (double)counts[k] : 0.0;
    }
    return sum;
}

/* Of an area. */
static double measure_inside(const struct world *world, const struct run_column *column) {
    struct area_count counts[LIMIT_AREAS];
    world_count_areas(world, counts);
    const struct area_count *inside = &counts[column->kind];
    const double meter = (double)world_meter(world), agents = (double)inside->agents;
    switch (column->measure) {
    case RUN_INSIDE:
        return agents;
    case RUN_INSIDE_PER_M2:
        return agents * meter * meter / area_size(&world_scenery(world)->def.areas[column->kind]);
    case RUN_INSIDE_SPEED:
        return inside->agents > 0 ? inside->mean_speed : (double)NAN;
    default:
        return inside->agents > 0 ? inside->mean_speed / meter : (double)NAN;
    }
}

static bool measure(struct run_meter *meter, const struct world *world, const struct run_column *column,
                    double *value) {
    const struct run_agents *agents = meter->agents;
    switch (column->measure) {
    case RUN_SPEED:
        *value = mean_speed(agents, column);
        break;
    case RUN_SPEED_M_S:
        *value = mean_speed(agents, column) / (double)world_meter(world);
        break;
    case RUN_POLARIZATION:
        *value = polarization(agents, column);
        break;
    case RUN_MILLING:
        *value = milling(agents, world, column);
        break;
    case RUN_NEAREST:
    case RUN_NEAREST_M:
    case RUN_OVERLAPS:
        return measure_neighbors(meter, world, column, value);
    case RUN_CAUGHT:
        *value = sum_of(meter->caught, column->kind);
        break;
    case RUN_REACHED:
        *value = sum_of(meter->reached, column->kind);
        break;
    case RUN_FORWARD:
        *value = (double)world_gate_count(world, column->kind).forward;
        break;
    case RUN_BACKWARD:
        *value = (double)world_gate_count(world, column->kind).backward;
        break;
    case RUN_INSIDE:
    case RUN_INSIDE_PER_M2:
    case RUN_INSIDE_SPEED:
    case RUN_INSIDE_SPEED_M_S:
        *value = measure_inside(world, column);
        break;
    default:
        *value = count_agents(agents, column);
        break;
    }
    return true;
}

static bool needs_agents(const struct run_column *column) {
    return column->measure != RUN_CAUGHT && column->measure != RUN_REACHED && column->measure < RUN_FORWARD;
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

/* ---- columns ---- */

/* The names of measures. See run.h. */

static const char *const measure_names[RUN_MEASURE_COUNT] = {
    "count",     "speed",    "speed_m_s",     "polarization", "milling",         "nearest",
    "nearest_m", "overlaps", "caught",        "reached",      "at_rest",         "forward",
    "backward",  "inside",   "inside_per_m2", "inside_speed", "inside_speed_m_s"};

/* In meters: of worlds that have a scale. */
static bool is_missing(const struct world *world, enum run_measure measure) {
    return !(world_meter(world) > 0.0f) && (measure == RUN_SPEED_M_S || measure == RUN_NEAREST_M ||
                                            measure == RUN_INSIDE_PER_M2 || measure == RUN_INSIDE_SPEED_M_S);
}

/* Those of a gate or an area; the others are of a kind. */
static bool is_instrument(enum run_measure measure) {
    return measure >= RUN_FORWARD;
}

/* How many kinds, gates or areas have such a measure. */
static int count_subjects(const struct world *world, enum run_measure measure) {
    const struct geometry_def *geometry = &world_scenery(world)->def;
    return !is_instrument(measure) ? world_kind_count(world)
           : measure < RUN_INSIDE  ? geometry->gate_count
                                   : geometry->area_count;
}

static const char *subject_name(const struct world *world, enum run_measure measure, int subject) {
    const struct geometry_def *geometry = &world_scenery(world)->def;
    return !is_instrument(measure) ? world_kind(world, subject)->name
           : measure < RUN_INSIDE  ? geometry->gates[subject].name
                                   : geometry->areas[subject].name;
}

static struct run_column column_of(const struct world *world, enum run_measure measure, int kind, int state) {
    struct run_column column = {.measure = measure, .kind = kind, .state = state};
    if (kind < 0) {
        (void)snprintf(column.name, sizeof column.name, "%s", measure_names[measure]);
        return column;
    }
    const char *name = subject_name(world, measure, kind);
    (void)snprintf(column.name, sizeof column.name, "%s.%s%s%s", measure_names[measure], name,
                   state < 0 ? "" : ".", state < 0 ? "" : world_kind(world, kind)->states[state].name);
    return column;
}

static int count_states(const struct world *world, enum run_measure measure, int kind) {
    const int states = measure == RUN_COUNT ? world_kind(world, kind)->state_count : 0;
    return states > 1 ? states : 0;
}

static int add(struct run_columns *columns, const struct run_column *column, struct failure *failure) {
    for (int i = 0; i < columns->count; i++) {
        if (strcmp(columns->rows[i].name, column->name) == 0) {
            return failure_set(failure, FAILURE_BAD_PARAM, "--measure", "--measure: %s twice; allowed: once",
                               column->name);
        }
    }
    struct run_column *rows = realloc(columns->rows, ((size_t)columns->count + 1) * sizeof *rows);
    if (rows == NULL) {
        return failure_set(failure, FAILURE_BUSY, "--measure", "out of memory");
    }
    columns->rows = rows;
    columns->rows[columns->count++] = *column;
    return 0;
}

/* All agents, each kind, and of a count the states of each kind; or each gate or area. */
static int add_measure(const struct world *world, enum run_measure measure, struct run_columns *columns,
                       struct failure *failure) {
    struct run_column column = column_of(world, measure, -1, -1);
    if (!is_instrument(measure) && add(columns, &column, failure) != 0) {
        return -1;
    }
    for (int kind = 0; kind < count_subjects(world, measure); kind++) {
        for (int state = -1; state < count_states(world, measure, kind); state++) {
            column = column_of(world, measure, kind, state);
            if (add(columns, &column, failure) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

static int fail_scale(const char *option, const char *name, struct failure *failure) {
    return failure_set(
        failure, FAILURE_BAD_PARAM, option,
        "%s: %.60s: the world has no scale; \"meter\" in the \"world\" of its scenario gives it one", option,
        name);
}

/* The one column of this name. */
static int find_column(const struct world *world, const char *option, const char *name,
                       struct run_column *column, struct failure *failure) {
    struct nearest_name nearest = nearest_name_begin(name);
    char list[240] = "";
    char hint[NEAREST_HINT_BYTES];
    for (int measure = 0; measure < RUN_MEASURE_COUNT; measure++) {
        const int subjects = count_subjects(world, (enum run_measure)measure);
        const bool misses = is_missing(world, (enum run_measure)measure);
        if (is_instrument((enum run_measure)measure) && subjects == 0) {
            continue;
        }
        if (!misses) {
            text_list_add(list, sizeof list, measure_names[measure], false);
        }
        for (int kind = -1; kind < subjects; kind++) {
            const int states = kind < 0 ? 0 : count_states(world, (enum run_measure)measure, kind);
            for (int state = -1; state < states; state++) {
                *column = column_of(world, (enum run_measure)measure, kind, state);
                if (strcmp(column->name, name) == 0) {
                    return misses ? fail_scale(option, name, failure) : 0;
                }
                if (!misses) {
                    nearest_name_offer(&nearest, column->name);
                }
            }
        }
    }
    nearest_name_hint(&nearest, hint);
    return failure_set(failure, FAILURE_BAD_PARAM, option,
                       "%s: no measure \"%.60s\"%s; there are %s, each also of a kind: count.KIND", option,
                       name, hint, list);
}

static int add_name(const struct world *world, const char *name, struct run_columns *columns,
                    struct failure *failure) {
    struct run_column column;
    if (find_column(world, "--measure", name, &column, failure) != 0) {
        return -1;
    }
    return column.kind < 0 ? add_measure(world, column.measure, columns, failure)
                           : add(columns, &column, failure);
}

static int add_list(const struct world *world, const char *list, struct run_columns *columns,
                    struct failure *failure) {
    for (;;) {
        char name[RUN_COLUMN_CHARS];
        const size_t length = strcspn(list, ",");
        (void)snprintf(name, sizeof name, "%.*s", length >= sizeof name ? (int)sizeof name - 1 : (int)length,
                       list);
        if (add_name(world, name, columns, failure) != 0) {
            return -1;
        }
        if (list[length] == '\0') {
            return 0;
        }
        list += length + 1;
    }
}

int run_columns_make(const struct world *world, const char *list, struct run_columns *columns,
                     struct failure *failure) {
    int result = 0;
    *columns = (struct run_columns){0};
    if (list[0] != '\0') {
        result = add_list(world, list, columns, failure);
    }
    for (int measure = 0; list[0] == '\0' && measure < RUN_MEASURE_COUNT && result == 0; measure++) {
        if (!is_missing(world, (enum run_measure)measure)) {
            result = add_measure(world, (enum run_measure)measure, columns, failure);
        }
    }
    if (result != 0) {
        run_columns_fini(columns);
    }
    return result;
}

void run_columns_fini(struct run_columns *columns) {
    free(columns->rows);
    *columns = (struct run_columns){0};
}

/* ---- when a run ends ---- */

static int fail_until(const char *text, struct failure *failure) {
    return failure_set(failure, FAILURE_BAD_PARAM, "--until",
                       "--until: \"%.60s\" is not understood; allowed: a measure, one of < <= > >= == !=, a "
                       "number, as caught>=5",
                       text);
}

/* The comparison that a text begins with, and its length; 0: none. */
static size_t read_comparison(const char *text, enum run_comparison *comparison) {
    static const struct {
        const char *text;
        enum run_comparison comparison;
    } rows[] = {{"<=", RUN_AT_MOST}, {">=", RUN_AT_LEAST}, {"==", RUN_EQUAL}, {"!=", RUN_DIFFERENT},
                {"<", RUN_LESS},     {">", RUN_MORE},      {"=", RUN_EQUAL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t length = strlen(rows[i].text);
        if (strncmp(text, rows[i].text, length) == 0) {
            *comparison = rows[i].comparison;
            return length;
        }
    }
    return 0;
}

int run_until_read(const struct world *world, const char *text, struct run_until *until,
                   struct failure *failure) {
    char name[RUN_COLUMN_CHARS];
    *until = (struct run_until){.is_set = text[0] != '\0'};
    if (!until->is_set) {
        return 0;
    }
    const char *start = text + strspn(text, " ");
    const size_t length = strcspn(start, " <>=!");
    const char *sign = start + length + strspn(start + length, " ");
    const size_t sign_length = read_comparison(sign, &until->comparison);
    const char *number = sign + sign_length + strspn(sign + sign_length, " ");
    if (length == 0 || length >= sizeof name || sign_length == 0 ||
        !run_number_read(number, strlen(number), &until->value)) {
        return fail_until(text, failure);
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)length, start);
    return find_column(world, "--until", name, &until->column, failure);
}
