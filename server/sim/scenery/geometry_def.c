/* See geometry_def.h. */
#include "server/sim/scenery/geometry_def.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/scenery/obstacles.h"
#include "server/sim/space/edge.h"

void geometry_def_fini(struct geometry_def *def) {
    for (int i = 0; i < def->flow_count; i++) {
        free(def->flows[i].vectors);
    }
    free(def->obstacles);
    free(def->walls);
    free(def->paths);
    free(def->flows);
    free(def->areas);
    free(def->gates);
    *def = (struct geometry_def){0};
}

/* Makes room for one more entry and zeroes it; the new array, or NULL (the old one stays). */
static void *grow(void *array, size_t entry, int *count, int limit) {
    if (*count >= limit) {
        return NULL;
    }
    char *grown = realloc(array, entry * (size_t)(*count + 1));
    if (grown != NULL) {
        memset(grown + entry * (size_t)*count, 0, entry);
        ++*count;
    }
    return grown;
}

struct obstacle_def *geometry_def_add_obstacle(struct geometry_def *def) {
    void *grown = grow(def->obstacles, sizeof *def->obstacles, &def->obstacle_count, LIMIT_OBSTACLES);
    def->obstacles = grown != NULL ? grown : def->obstacles;
    return grown != NULL ? &def->obstacles[def->obstacle_count - 1] : NULL;
}

struct wall_def *geometry_def_add_wall(struct geometry_def *def) {
    void *grown = grow(def->walls, sizeof *def->walls, &def->wall_count, LIMIT_WALLS);
    def->walls = grown != NULL ? grown : def->walls;
    return grown != NULL ? &def->walls[def->wall_count - 1] : NULL;
}

struct path_def *geometry_def_add_path(struct geometry_def *def) {
    void *grown = grow(def->paths, sizeof *def->paths, &def->path_count, LIMIT_PATHS);
    def->paths = grown != NULL ? grown : def->paths;
    return grown != NULL ? &def->paths[def->path_count - 1] : NULL;
}

struct flow_def *geometry_def_add_flow(struct geometry_def *def) {
    void *grown = grow(def->flows, sizeof *def->flows, &def->flow_count, LIMIT_FLOW_FIELDS);
    def->flows = grown != NULL ? grown : def->flows;
    return grown != NULL ? &def->flows[def->flow_count - 1] : NULL;
}

struct area_def *geometry_def_add_area(struct geometry_def *def) {
    void *grown = grow(def->areas, sizeof *def->areas, &def->area_count, LIMIT_AREAS);
    def->areas = grown != NULL ? grown : def->areas;
    return grown != NULL ? &def->areas[def->area_count - 1] : NULL;
}

struct gate_def *geometry_def_add_gate(struct geometry_def *def) {
    void *grown = grow(def->gates, sizeof *def->gates, &def->gate_count, LIMIT_GATES);
    def->gates = grown != NULL ? grown : def->gates;
    return grown != NULL ? &def->gates[def->gate_count - 1] : NULL;
}

/* How many cells of at most `cell` px a length has. */
static int32_t cells_along(float length, float cell) {
    const float count = length / cell;
    const int32_t whole = count < (float)LIMIT_WAY_CELLS ? (int32_t)count : LIMIT_WAY_CELLS;
    return whole + ((float)whole < count);
}

int flow_def_begin_way(struct flow_def *flow, float cell, vec2 size) {
    assert(cell > 0.0f && flow->vectors == NULL);
    flow->type = FLOW_WAY;
    flow->columns = cells_along(size.x, cell);
    flow->rows = cells_along(size.y, cell);
    if (flow->columns > LIMIT_WAY_CELLS / flow->rows) {
        return 1;
    }
    flow->vectors = calloc((size_t)flow_def_cells(flow), sizeof *flow->vectors);
    return flow->vectors != NULL ? 0 : -1;
}

/* A copy of count entries; NULL when there are none or no memory. */
static void *duplicate(const void *array, size_t entry, int count) {
    void *copy = count > 0 ? malloc(entry * (size_t)count) : NULL;
    if (copy != NULL) {
        memcpy(copy, array, entry * (size_t)count);
    }
    return copy;
}

static int copy_flows(const struct geometry_def *def, struct geometry_def *out) {
    out->flows = duplicate(def->flows, sizeof *def->flows, def->flow_count);
    if (def->flow_count > 0 && out->flows == NULL) {
        return -1;
    }
    for (int i = 0; i < def->flow_count; i++) {
        struct flow_def *flow = &out->flows[i];
        const int cells = flow_def_cells(flow);
        flow->vectors = duplicate(def->flows[i].vectors, sizeof *flow->vectors, cells);
        out->flow_count = i + 1;
        if (cells > 0 && flow->vectors == NULL) {
            return -1;
        }
    }
    return 0;
}

int geometry_def_copy(const struct geometry_def *def, struct geometry_def *out) {
    *out = (struct geometry_def){.obstacle_count = def->obstacle_count,
                                 .wall_count = def->wall_count,
                                 .path_count = def->path_count,
                                 .area_count = def->area_count,
                                 .gate_count = def->gate_count};
    out->obstacles = duplicate(def->obstacles, sizeof *def->obstacles, def->obstacle_count);
    out->walls = duplicate(def->walls, sizeof *def->walls, def->wall_count);
    out->paths = duplicate(def->paths, sizeof *def->paths, def->path_count);
    out->areas = duplicate(def->areas, sizeof *def->areas, def->area_count);
    out->gates = duplicate(def->gates, sizeof *def->gates, def->gate_count);
    if ((def->obstacle_count > 0 && out->obstacles == NULL) || (def->wall_count > 0 && out->walls == NULL) ||
        (def->path_count > 0 && out->paths == NULL) || (def->area_count > 0 && out->areas == NULL) ||
        (def->gate_count > 0 && out->gates == NULL) || copy_flows(def, out) != 0) {
        geometry_def_fini(out);
        return -1;
    }
    return 0;
}

/* ---- faults ---- */

static float lesser(float a, float b) {
    return a < b ? a : b;
}
static float greater(float a, float b) {
    return a > b ? a : b;
}

void obstacle_def_extent(const struct obstacle_def *obstacle, vec2 *low, vec2 *high) {
    const vec2 radius = {obstacle->radius, obstacle->radius};
    *low = obstacle->at;
    *high = vec2_add(obstacle->at, obstacle->size);
    if (obstacle->shape == OBSTACLE_CIRCLE) {
        *low = vec2_sub(obstacle->at, radius);
        *high = vec2_add(obstacle->at, radius);
    }
    for (int i = 0; obstacle->shape == OBSTACLE_POLYGON && i < obstacle->point_count; i++) {
        const vec2 point = obstacle->points[i];
        *low = i == 0 ? point : vec2_make(lesser(low->x, point.x), lesser(low->y, point.y));
        *high = i == 0 ? point : vec2_make(greater(high->x, point.x), greater(high->y, point.y));
    }
}

static bool is_too_large(vec2 low, vec2 high, vec2 size) {
    return high.x - low.x > 0.5f * size.x || high.y - low.y > 0.5f * size.y;
}

/* What is wrong with it wherever it is. */
static const char *shape_fault(const struct obstacle_def *shape) {
    if (shape->shape == OBSTACLE_POLYGON) {
        if (shape->point_count < 3 || shape->point_count > LIMIT_OBSTACLE_POINTS) {
            return "a polygon needs 3 to 64 points";
        }
        int sides[2];
        if (!polygon_is_convex(shape->points, shape->point_count) &&
            polygon_crossing(shape->points, shape->point_count, sides)) {
            return "the sides of a polygon must meet at its corners alone, and each must have a length";
        }
    }
    return shape->radius >= 0.0f && shape->size.x >= 0.0f && shape->size.y >= 0.0f
               ? NULL
               : "a radius, width and height must not be negative";
}

static const char *motion_fault(const struct obstacle_def *obstacle) {
    const struct move_def *move = &obstacle->move;
    const struct door_def *door = &obstacle->door;
    if (move->speed > 0.0f && door->time > 0.0f) {
        return "an obstacle follows a path (move) or is a door, not both";
    }
    return move->speed >= 0.0f && move->speed <= LIMIT_MOVER_SPEED && move->wait >= 0.0f &&
                   move->wait <= LIMIT_MOVER_TIME && move->start >= 0.0f && move->start <= LIMIT_MOVER_TIME &&
                   door->time >= 0.0f && door->time <= LIMIT_MOVER_TIME &&
                   vec2_length(door->open) <= (float)LIMIT_COORDINATE
               ? NULL
               : "an obstacle moves too fast, too far or for too long";
}

const char *obstacle_def_fault(const struct obstacle_def *obstacle, bool wraps, vec2 size) {
    const char *fault = shape_fault(obstacle);
    fault = fault == NULL ? motion_fault(obstacle) : fault;
    vec2 low, high;
    obstacle_def_extent(obstacle, &low, &high);
    return fault == NULL && wraps && is_too_large(low, high, size)
               ? "in a wrapping world an obstacle may be at most half as wide "
                 "and high as the world"
               : fault;
}

const char *area_def_fault(const struct area_def *area, bool wraps, vec2 size) {
    const char *fault = shape_fault(&area->shape);
    if (fault != NULL) {
        return fault;
    }
    vec2 low, high;
    obstacle_def_extent(&area->shape, &low, &high);
    const vec2 extent = vec2_sub(high, low);
    const struct obstacle_def *shape = &area->shape;
    if (shape->shape == OBSTACLE_CIRCLE
            ? !(shape->radius > 0.0f)
            : shape->shape == OBSTACLE_BOX && !(shape->size.x > 0.0f && shape->size.y > 0.0f)) {
        return "an area needs a radius, or a width and a height, above 0";
    }
    if (!(low.x < size.x && low.y < size.y && high.x > 0.0f && high.y > 0.0f)) {
        return "an area must lie in the world, at least a part of it";
    }
    if (wraps && (extent.x > size.x || extent.y > size.y)) {
        return "in a wrapping world an area may be at most as wide and high as the world";
    }
    return area->speed > 0.0f && area->speed <= 1.0f ? NULL : "an area's speed must be above 0 and at most 1";
}

/* Of all obstacles together. */
static const char *movers_fault(const struct geometry_def *def) {
    int count = 0;
    for (int i = 0; i < def->obstacle_count; i++) {
        const struct obstacle_def *obstacle = &def->obstacles[i];
        count += obstacle_moves(obstacle);
        if (obstacle->move.speed > 0.0f && geometry_def_find_path(def, obstacle->move.path) < 0) {
            return "an obstacle moves along a path that the world does not have";
        }
    }
    return count <= LIMIT_MOVERS ? NULL : "more than 16 obstacles move";
}

/* Whether a line is longer than a wrapping world can have. */
static bool is_too_long(vec2 from, vec2 to, vec2 size) {
    const vec2 low = {lesser(from.x, to.x), lesser(from.y, to.y)};
    const vec2 high = {greater(from.x, to.x), greater(from.y, to.y)};
    return is_too_large(low, high, size);
}

const char *wall_def_fault(const struct wall_def *wall, bool wraps, vec2 size) {
    return wraps && is_too_long(wall->from, wall->to, size)
               ? "in a wrapping world a wall may be at most half as wide and high as the world"
               : NULL;
}

const char *gate_def_fault(const struct gate_def *gate, bool wraps, vec2 size) {
    if (gate->from.x == gate->to.x && gate->from.y == gate->to.y) {
        return "a gate needs a length above 0";
    }
    const bool begins_inside =
        gate->from.x >= 0.0f && gate->from.y >= 0.0f && gate->from.x <= size.x && gate->from.y <= size.y;
    return wraps && (!begins_inside || is_too_long(gate->from, gate->to, size))
               ? "in a wrapping world a gate begins in the world and is at most half as wide and high"
               : NULL;
}

static const char *path_def_fault(const struct path_def *path) {
    if (path->point_count < 2 || path->point_count > LIMIT_PATH_POINTS) {
        return "a path needs 2 to 512 points";
    }
    if (path->radius_count != 0 && path->radius_count != path->point_count) {
        return "a path needs a radius for each of its points, or none of their own";
    }
    float least = path->radius;
    for (int i = 0; i < path->radius_count; i++) {
        least = path->radii[i] <= path->radius ? lesser(least, path->radii[i]) : -1.0f;
    }
    return least >= 0.0f ? NULL : "a path's radius must not be negative, nor that of a point above it";
}

/* How long the parameter of a curve runs from one point to the next: the root of their distance. */
static float stretch_of(vec2 way) {
    const float root = sqrtf(vec2_length(way));
    return root > 1e-3f ? root : 1e-3f;
}

static vec2 between(vec2 a, vec2 b, float share) {
    return vec2_add(a, vec2_scale(vec2_sub(b, a), share));
}

/* A place on the curve from `to[1]` to `to[2]`, points of four in a row relative to to[1]; share: from 0 to 1. */
static vec2 curve_at(const vec2 to[4], float share) {
    float at[4] = {0.0f};
    for (int i = 1; i < 4; i++) {
        at[i] = at[i - 1] + stretch_of(vec2_sub(to[i], to[i - 1]));
    }
    const float t = at[1] + share * (at[2] - at[1]);
    vec2 once[3], twice[2];
    for (int i = 0; i < 3; i++) {
        once[i] = between(to[i], to[i + 1], (t - at[i]) / (at[i + 1] - at[i]));
    }
    for (int i = 0; i < 2; i++) {
        twice[i] = between(once[i], once[i + 1], (t - at[i]) / (at[i + 2] - at[i]));
    }
    return between(twice[0], twice[1], (t - at[1]) / (at[2] - at[1]));
}

/* From a point of a path to the one `step` after it, the short way; beyond the end of a line as if it went on straight. */
static vec2 way_on(const struct path_def *path, const struct bounds *bounds, int point, int step) {
    const int count = path->point_count, next = point + step;
    if (path->is_loop || (next >= 0 && next < count)) {
        return bounds_difference(bounds, path->points[point], path->points[(next + count) % count]);
    }
    return vec2_scale(bounds_difference(bounds, path->points[point], path->points[point - step]), -1.0f);
}

int path_def_smooth(struct path_def *path, uint32_t between_two, const struct bounds *bounds) {
    const int sides = path->is_loop ? path->point_count : path->point_count - 1, each = (int)between_two + 1;
    const int points = sides * each + (path->is_loop ? 0 : 1);
    struct path_def smooth = *path;
    if (points > LIMIT_PATH_POINTS) {
        return points;
    }
    for (int side = 0; side < sides; side++) {
        const vec2 from = path->points[side], ahead = way_on(path, bounds, side, 1);
        const int next = (side + 1) % path->point_count;
        const vec2 to[4] = {way_on(path, bounds, side, -1),
                            {0.0f, 0.0f},
                            ahead,
                            vec2_add(ahead, way_on(path, bounds, next, 1))};
        const float radius = path_radius_at(path, side), last = path_radius_at(path, next);
        for (int i = 0; i < each; i++) {
            const float share = (float)i / (float)each;
            smooth.points[side * each + i] = i == 0 ? from : vec2_add(from, curve_at(to, share));
            smooth.radii[side * each + i] = radius + share * (last - radius);
        }
    }
    if (!path->is_loop) {
        smooth.points[points - 1] = path->points[path->point_count - 1];
        smooth.radii[points - 1] = path_radius_at(path, path->point_count - 1);
    }
    smooth.point_count = points;
    smooth.radius_count = path->radius_count > 0 ? points : 0;
    *path = smooth;
    return points;
}

static const char *flow_def_fault(const struct flow_def *flow) {
    if (flow->type < FLOW_UNIFORM || flow->type > FLOW_WAY) {
        return "a flow field is uniform, vortex, noise, towards, grid or way";
    }
    if (flow->type == FLOW_NOISE && !(flow->scale > 0.0f)) {
        return "the scale of noise must be above 0";
    }
    if (flow->type == FLOW_GRID && (flow->columns < 1 || flow->rows < 1 ||
                                    flow->columns > LIMIT_FLOW_CELLS / flow->rows || flow->vectors == NULL)) {
        return "a grid needs 1 to 16384 cells and a vector for each";
    }
    if (flow->type == FLOW_WAY &&
        (flow->columns < 1 || flow->rows < 1 || flow->columns > LIMIT_WAY_CELLS / flow->rows ||
         flow->vectors == NULL || !(flow->body >= 0.0f) || flow->goal_count < 1 ||
         flow->goal_count > LIMIT_WAY_GOALS)) {
        return "a way needs 1 to 65536 cells, a body that is not negative and 1 to 8 names";
    }
    return NULL;
}

int geometry_def_pieces(const struct geometry_def *def) {
    int pieces = 0;
    for (int i = 0; i < def->obstacle_count; i++) {
        pieces += solids_from_obstacle(&def->obstacles[i], NULL);
    }
    return pieces;
}

const char *geometry_def_fault(const struct geometry_def *def, bool wraps, vec2 size) {
    const char *fault = NULL;
    if (def->obstacle_count > LIMIT_OBSTACLES || def->wall_count > LIMIT_WALLS ||
        def->path_count > LIMIT_PATHS || def->flow_count > LIMIT_FLOW_FIELDS ||
        def->area_count > LIMIT_AREAS || def->gate_count > LIMIT_GATES) {
        return "too many obstacles, walls, paths, flow fields, areas or gates";
    }
    for (int i = 0; i < def->obstacle_count && fault == NULL; i++) {
        fault = obstacle_def_fault(&def->obstacles[i], wraps, size);
    }
    fault = fault == NULL ? movers_fault(def) : fault;
    if (fault == NULL && geometry_def_pieces(def) > LIMIT_PIECES) {
        fault = "the obstacles are more than 1024 convex pieces together";
    }
    for (int i = 0; i < def->wall_count && fault == NULL; i++) {
        fault = wall_def_fault(&def->walls[i], wraps, size);
    }
    for (int i = 0; i < def->path_count && fault == NULL; i++) {
        fault = path_def_fault(&def->paths[i]);
    }
    for (int i = 0; i < def->flow_count && fault == NULL; i++) {
        fault = flow_def_fault(&def->flows[i]);
    }
    for (int i = 0; i < def->area_count && fault == NULL; i++) {
        fault = area_def_fault(&def->areas[i], wraps, size);
    }
    for (int i = 0; i < def->gate_count && fault == NULL; i++) {
        fault = gate_def_fault(&def->gates[i], wraps, size);
    }
    return fault;
}

int geometry_def_find_path(const struct geometry_def *def, const char *name) {
    for (int i = 0; i < def->path_count; i++) {
        if (strcmp(def->paths[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int geometry_def_find_flow(const struct geometry_def *def, const char *name) {
    for (int i = 0; i < def->flow_count; i++) {
        if (strcmp(def->flows[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int geometry_def_find_area(const struct geometry_def *def, const char *name) {
    for (int i = 0; i < def->area_count; i++) {
        if (strcmp(def->areas[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int geometry_def_find_gate(const struct geometry_def *def, const char *name) {
    for (int i = 0; i < def->gate_count; i++) {
        if (strcmp(def->gates[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}
