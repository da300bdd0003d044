/* See way_field.h. Fast marching: cells become known in order of their time, each from the neighbors that are known. */
#include "server/sim/scenery/way_field.h"

#include <assert.h>
#include <stdlib.h>

#define FAR 3e38f
enum { LEFT, RIGHT, ABOVE, BELOW, SIDES, AROUND = 8 };
enum { UNSEEN = -1, KNOWN = -2 };

int way_room_init(struct way_room *room, int32_t cells) {
    *room = (struct way_room){.cells = cells};
    room->time = calloc((size_t)cells + 1, sizeof *room->time);
    room->heap = calloc((size_t)cells + 1, sizeof *room->heap);
    room->place = calloc((size_t)cells + 1, sizeof *room->place);
    room->is_inside = calloc((size_t)cells + 1, sizeof *room->is_inside);
    return room->time != NULL && room->heap != NULL && room->place != NULL && room->is_inside != NULL ? 0
                                                                                                      : -1;
}

void way_room_fini(struct way_room *room) {
    free(room->time);
    free(room->heap);
    free(room->place);
    free(room->is_inside);
    *room = (struct way_room){0};
}

/* ---- cells ---- */

/* A field being made: one front. */
struct front {
    const struct flow_def *flow;
    const bool *is_solid;
    const bool *is_inside;
    const struct bounds *bounds;
    vec2 cell; /* px */
    float *time;
    int32_t *heap, *place; /* place: in the heap, UNSEEN or KNOWN */
    int32_t count;         /* in the heap */
};

vec2 way_cell_size(const struct flow_def *flow, const struct bounds *bounds) {
    return vec2_make(bounds->size.x / (float)flow->columns, bounds->size.y / (float)flow->rows);
}

vec2 way_cell_middle(const struct flow_def *flow, const struct bounds *bounds, int32_t cell) {
    const vec2 size = way_cell_size(flow, bounds);
    const int32_t column = cell % flow->columns, row = cell / flow->columns;
    return vec2_make(((float)column + 0.5f) * size.x, ((float)row + 0.5f) * size.y);
}

/* Which of `count` columns (or rows) a place is in; outside the world the nearest. */
static int32_t index_of(float place, float size, int32_t count) {
    const float at = place / size * (float)count;
    return at > 0.0f ? at < (float)count ? (int32_t)at : count - 1 : 0;
}

int32_t way_cell_of(const struct flow_def *flow, const struct bounds *bounds, vec2 place) {
    return index_of(place.y, bounds->size.y, flow->rows) * flow->columns +
           index_of(place.x, bounds->size.x, flow->columns);
}

/* The cell beside another, which is in this column, or -1 outside the world. */
static int32_t beside(const struct front *front, int32_t cell, int32_t column, int side) {
    const int32_t columns = front->flow->columns, cells = columns * front->flow->rows;
    const bool wraps = front->bounds->edge == EDGE_WRAP;
    switch (side) {
    case LEFT:
        return column > 0 ? cell - 1 : wraps ? cell + columns - 1 : -1;
    case RIGHT:
        return column < columns - 1 ? cell + 1 : wraps ? cell - columns + 1 : -1;
    case ABOVE:
        return cell >= columns ? cell - columns : wraps ? cell + cells - columns : -1;
    default:
        return cell < cells - columns ? cell + columns : wraps ? cell - cells + columns : -1;
    }
}

/* The same of the eight around a cell: at its sides, then at its corners. */
static int32_t next_to(const struct front *front, int32_t cell, int32_t column, int i) {
    if (i < SIDES) {
        return beside(front, cell, column, i);
    }
    const int32_t row = beside(front, cell, column, i < 6 ? ABOVE : BELOW);
    return row < 0 ? -1 : beside(front, row, column, i % 2 == 0 ? LEFT : RIGHT);
}

/* ---- the heap ---- */

static bool is_before(const struct front *front, int32_t a, int32_t b) {
    const float first = front->time[a], second = front->time[b];
    return first < second || (first == second && a < b);
}

static void put(struct front *front, int32_t place, int32_t cell) {
    front->heap[place] = cell;
    front->place[cell] = place;
}

static void rise(struct front *front, int32_t place) {
    const int32_t cell = front->heap[place];
    for (; place > 0 && is_before(front, cell, front->heap[(place - 1) / 2]); place = (place - 1) / 2) {
        put(front, place, front->heap[(place - 1) / 2]);
    }
    put(front, place, cell);
}

/* The cell whose time is least, which is known then. */
static int32_t take_first(struct front *front) {
    const int32_t first = front->heap[0], cell = front->heap[--front->count];
    int32_t place = 0;
    for (int32_t child = 1; child < front->count; child = 2 * place + 1) {
        child += child + 1 < front->count && is_before(front, front->heap[child + 1], front->heap[child]);
        if (!is_before(front, front->heap[child], cell)) {
            break;
        }
        put(front, place, front->heap[child]);
        place = child;
    }
    put(front, place, cell);
    front->place[first] = KNOWN;
    return first;
}

static void arrive(struct front *front, int32_t cell, float time) {
    if (front->place[cell] == UNSEEN) {
        put(front, front->count++, cell);
    }
    front->time[cell] = time;
    rise(front, front->place[cell]);
}

/* ---- times ---- */

/* When the front was in the cell on this side; FAR: it is not known. */
static float known(const struct front *front, int32_t cell, int32_t column, int side) {
    const int32_t other = beside(front, cell, column, side);
    return other >= 0 && front->place[other] == KNOWN ? front->time[other] : FAR;
}

static float lesser(float a, float b) {
    return a < b ? a : b;
}

/* When the front comes to a cell, from the neighbors that are known. */
static float time_of(const struct front *front, int32_t cell) {
    const vec2 size = front->cell;
    const int32_t column = cell % front->flow->columns;
    const float a = lesser(known(front, cell, column, LEFT), known(front, cell, column, RIGHT));
    const float b = lesser(known(front, cell, column, ABOVE), known(front, cell, column, BELOW));
    float time = lesser(a < FAR ? a + size.x : FAR, b < FAR ? b + size.y : FAR);
    if (a < FAR && b < FAR) { /* ((T - a) / w)^2 + ((T - b) / h)^2 = 1 */
        const float x = 1.0f / (size.x * size.x), y = 1.0f / (size.y * size.y), sum = x + y;
        const float under = sum - x * y * (a - b) * (a - b);
        const float both = under > 0.0f ? (x * a + y * b + sqrtf(under)) / sum : FAR;
        time = both > a && both > b ? lesser(both, time) : time;
    }
    return time;
}

/* A cell, or when a body does not fit there the nearest where it does; -1: nowhere. */
static int32_t nearest_free(const struct front *front, int32_t own) {
    const vec2 middle = way_cell_middle(front->flow, front->bounds, own);
    float least = FAR;
    int32_t nearest = -1;
    if (!front->is_solid[own]) {
        return own;
    }
    for (int32_t cell = 0; cell < flow_def_cells(front->flow); cell++) {
        const vec2 there = way_cell_middle(front->flow, front->bounds, cell);
        const float squared = vec2_length_squared(bounds_difference(front->bounds, middle, there));
        if (!front->is_solid[cell] && squared < least) {
            least = squared;
            nearest = cell;
        }
    }
    return nearest;
}

static void begin_at(struct front *front, int32_t cell) {
    if (cell >= 0 && front->place[cell] == UNSEEN) {
        arrive(front, cell, 0.0f);
    }
}

static void march(struct front *front) {
    while (front->count > 0) {
        const int32_t cell = take_first(front), column = cell % front->flow->columns;
        for (int side = 0; side < SIDES; side++) {
            const int32_t other = beside(front, cell, column, side);
            if (other < 0 || front->is_solid[other] || front->place[other] == KNOWN) {
                continue;
            }
            const float time = time_of(front, other);
            if (time < front->time[other]) {
                arrive(front, other, time);
            }
        }
    }
}

/* ---- flow ---- */

/* How far the time falls towards one of two sides, per px: < 0 to the first, > 0 to the second. */
static float fall(const struct front *front, int32_t cell, int first, float size) {
    const int32_t column = cell % front->flow->columns;
    const float own = front->time[cell], a = known(front, cell, column, first),
                b = known(front, cell, column, first + 1);
    return a <= b ? (a < own ? (a - own) / size : 0.0f) : b < own ? (own - b) / size : 0.0f;
}

/* The middle of the flows beside a cell, of those in earlier rings. */
static vec2 flow_beside(const struct front *front, int32_t cell, int32_t ring) {
    const int32_t column = cell % front->flow->columns;
    vec2 sum = {0.0f, 0.0f};
    for (int i = 0; i < AROUND; i++) {
        const int32_t other = next_to(front, cell, column, i);
        if (other >= 0 && front->place[other] >= 0 && front->place[other] < ring) {
            sum = vec2_add(sum, front->flow->vectors[other]);
        }
    }
    return vec2_with_length(sum, front->flow->strength);
}

/* Rings of cells around those that have a flow get one. place: >= 0 with a flow, the ring; otherwise UNSEEN. which: the
 * cells that may get one. */
static void fill(struct front *front, const bool *which, int32_t rings) {
    int32_t count = 0;
    for (int32_t cell = 0; cell < flow_def_cells(front->flow); cell++) {
        if (front->place[cell] >= 0) {
            front->place[cell] = 0;
            front->heap[count++] = cell;
        }
    }
    for (int32_t first = 0; first < count && front->place[front->heap[first]] < rings; first++) {
        const int32_t cell = front->heap[first], column = cell % front->flow->columns;
        const int32_t ring = front->place[cell] + 1;
        for (int i = 0; i < AROUND; i++) {
            const int32_t other = next_to(front, cell, column, i);
            if (other >= 0 && front->place[other] == UNSEEN && which[other]) {
                front->flow->vectors[other] = flow_beside(front, other, ring);
                front->place[other] = ring;
                front->heap[count++] = other;
            }
        }
    }
}

/* The flow of every cell from the times. */
static void run_down(struct front *front) {
    const int32_t cells = flow_def_cells(front->flow);
    for (int32_t cell = 0; cell < cells; cell++) {
        const vec2 down = front->place[cell] == UNSEEN ? vec2_make(0.0f, 0.0f)
                                                       : vec2_make(fall(front, cell, LEFT, front->cell.x),
                                                                   fall(front, cell, ABOVE, front->cell.y));
        front->flow->vectors[cell] = vec2_with_length(down, front->flow->strength);
    }
    for (int32_t cell = 0; cell < cells; cell++) {
        front->place[cell] = front->place[cell] == KNOWN && !front->is_inside[cell] ? 0 : UNSEEN;
    }
    fill(front, front->is_inside, cells);
    /* Beside solids a flow is mixed with that of cells where no body fits; those of a smaller body reach further in. */
    const float deep = front->flow->body / lesser(front->cell.x, front->cell.y);
    fill(front, front->is_solid, deep > 1.0f ? (int32_t)lesser(deep, (float)cells) + 2 : 3);
}

void way_field_build(const struct flow_def *flow, const bool *is_solid, const struct bounds *bounds,
                     const int32_t *goals, int goal_count, struct way_room *room) {
    struct front front = {.flow = flow,
                          .is_solid = is_solid,
                          .is_inside = room->is_inside,
                          .bounds = bounds,
                          .cell = way_cell_size(flow, bounds),
                          .time = room->time,
                          .heap = room->heap,
                          .place = room->place};
    assert(flow->type == FLOW_WAY && flow_def_cells(flow) <= room->cells);
    for (int32_t cell = 0; cell < flow_def_cells(flow); cell++) {
        front.time[cell] = FAR;
        front.place[cell] = UNSEEN;
    }
    for (int32_t cell = 0; cell < flow_def_cells(flow); cell++) {
        if (front.is_inside[cell]) {
            begin_at(&front, cell);
        }
    }
    for (int i = 0; i < goal_count; i++) {
        begin_at(&front, nearest_free(&front, goals[i]));
    }
    march(&front);
    run_down(&front);
}
