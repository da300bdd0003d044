/* See scenery.h. */
#define LANES_WIDTH 1 /* path_rules.inc.h: one place at a time */
#include "server/sim/scenery/scenery.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/math/rng.h"
#include "server/sim/scenery/path_rules.inc.h"

#define MIDDLE_PX     20.0f /* within this a vortex and a sink slow down */
#define LATTICE_LIMIT 1000  /* points of noise along an axis */

/* The largest integer <= value; |value| is clamped to 1e6. */
static int32_t floor_int(float value) {
    const float held = value > 1e6f ? 1e6f : value < -1e6f ? -1e6f : value;
    const int32_t whole = (int32_t)held;
    return (float)whole > held ? whole - 1 : whole;
}

/* index into 0 .. count - 1: round and round, or held at the ends. */
static int32_t cell_index(int32_t index, int32_t count, bool wraps) {
    if (wraps) {
        const int32_t rest = index % count;
        return rest < 0 ? rest + count : rest;
    }
    return index < 0 ? 0 : index >= count ? count - 1 : index;
}

static vec2 mix(vec2 a, vec2 b, float share) {
    return vec2_add(a, vec2_scale(vec2_sub(b, a), share));
}

static vec2 grid_at(const struct flow_def *flow, const struct bounds *bounds, vec2 place) {
    const bool wraps = bounds->edge == EDGE_WRAP;
    /* In cells, from the center of the first. */
    const float u = place.x / bounds->size.x * (float)flow->columns - 0.5f;
    const float v = place.y / bounds->size.y * (float)flow->rows - 0.5f;
    const int32_t i = floor_int(u), j = floor_int(v);
    const float s = u - (float)i, t = v - (float)j;
    const float share_x = s < 0.0f   ? 0.0f
                          : s > 1.0f ? 1.0f
                                     : s,
                share_y = t < 0.0f   ? 0.0f
                          : t > 1.0f ? 1.0f
                                     : t;
    const int32_t i0 = cell_index(i, flow->columns, wraps), i1 = cell_index(i + 1, flow->columns, wraps);
    const vec2 *row0 = &flow->vectors[cell_index(j, flow->rows, wraps) * flow->columns];
    const vec2 *row1 = &flow->vectors[cell_index(j + 1, flow->rows, wraps) * flow->columns];
    return mix(mix(row0[i0], row0[i1], share_x), mix(row1[i0], row1[i1], share_x), share_y);
}

/* How many lattice points fit an axis, so that the noise repeats with the world. */
static int32_t lattice_count(float size, float scale) {
    const float count = size / scale;
    return count < 1.5f ? 1 : count > (float)LATTICE_LIMIT ? LATTICE_LIMIT : (int32_t)(count + 0.5f);
}

/* The random height of a lattice point, -1 .. 1. */
static float height(uint32_t seed, int32_t i, int32_t j) {
    struct rng rng = rng_begin(seed, (uint64_t)(uint32_t)i, (uint32_t)j, RNG_FLOW_NOISE);
    return rng_between(&rng, -1.0f, 1.0f);
}

/* Smooth from 0 to 1 (with no slope at both ends), and its slope. */
static float ease(float t, float *slope) {
    *slope = 30.0f * t * t * (t * (t - 2.0f) + 1.0f);
    return t * t * t * (t * (6.0f * t - 15.0f) + 10.0f);
}

static vec2 noise_at(const struct flow_def *flow, const struct bounds *bounds, vec2 place) {
    const int32_t columns = lattice_count(bounds->size.x, flow->scale),
                  rows = lattice_count(bounds->size.y, flow->scale);
    const float u = place.x / bounds->size.x * (float)columns, v = place.y / bounds->size.y * (float)rows;
    const int32_t i = floor_int(u), j = floor_int(v);
    const float s = u - (float)i, t = v - (float)j;
    if (!(s >= 0.0f && s <= 1.0f && t >= 0.0f && t <= 1.0f)) {
        return vec2_make(0.0f, 0.0f); /* millions of periods away */
    }
    const int32_t i0 = cell_index(i, columns, true), i1 = cell_index(i + 1, columns, true);
    const int32_t j0 = cell_index(j, rows, true), j1 = cell_index(j + 1, rows, true);
    const float h00 = height(flow->seed, i0, j0), h10 = height(flow->seed, i1, j0);
    const float h01 = height(flow->seed, i0, j1), h11 = height(flow->seed, i1, j1);
    float slope_x, slope_y;
    const float a = ease(s, &slope_x), b = ease(t, &slope_y);
    const float by_x = slope_x * ((h10 - h00) * (1.0f - b) + (h11 - h01) * b);
    const float by_y = slope_y * ((h01 - h00) * (1.0f - a) + (h11 - h10) * a);
    return vec2_truncate(vec2_scale(vec2_make(by_y, -by_x), flow->strength),
                         flow->strength < 0.0f ? -flow->strength : flow->strength);
}

/* `strength` px/s along `away`, less near the middle. */
static vec2 fading(vec2 away, float strength) {
    const float distance = vec2_length(away);
    return vec2_scale(away, strength / (distance > MIDDLE_PX ? distance : MIDDLE_PX));
}

vec2 flow_at(const struct flow_def *flow, const struct bounds *bounds, vec2 place) {
    const vec2 away = bounds_difference(bounds, flow->at, place);
    switch ((enum flow_type)flow->type) {
    case FLOW_UNIFORM:
        return flow->vector;
    case FLOW_VORTEX:
        return fading(vec2_make(-away.y, away.x), flow->strength);
    case FLOW_NOISE:
        return noise_at(flow, bounds, place);
    case FLOW_TOWARDS:
        return fading(away, -flow->strength);
    case FLOW_GRID:
    case FLOW_WAY:
        return grid_at(flow, bounds, place);
    }
    return vec2_make(0.0f, 0.0f);
}

/* ---- areas ---- */

/* From `low` to a coordinate; on a torus 0 <= result < size. Areas begin less than a world away from it. */
static double along(double low, double value, double size, bool wraps) {
    const double way = value - low;
    return !wraps ? way : way < 0.0 ? way + size : way >= size ? way - size : way;
}

/* Whether the border of a polygon is crossed an odd number of times between a place and the far left. x, y: px from
 * the corner of its extent */
static bool polygon_holds(const struct obstacle_def *polygon, vec2 low, double x, double y) {
    bool is_inside = false;
    for (int i = 0; i < polygon->point_count; i++) {
        const vec2 a = polygon->points[i], b = polygon->points[(i + 1) % polygon->point_count];
        const vec2 from = a.y < b.y ? a : b, to = a.y < b.y ? b : a;
        const double left = (double)from.x - (double)low.x, top = (double)from.y - (double)low.y;
        if (y >= top && y < (double)to.y - (double)low.y) {
            const double turn =
                (x - left) * ((double)to.y - (double)from.y) - (y - top) * ((double)to.x - (double)from.x);
            is_inside = is_inside != (turn >= 0.0);
        }
    }
    return is_inside;
}

bool area_holds(const struct area_def *area, const struct bounds *bounds, vec2 place) {
    const struct obstacle_def *shape = &area->shape;
    if (shape->shape == OBSTACLE_CIRCLE) {
        const vec2 away = bounds_difference(bounds, shape->at, place);
        return (double)away.x * (double)away.x + (double)away.y * (double)away.y <=
               (double)shape->radius * (double)shape->radius;
    }
    const bool wraps = bounds->edge == EDGE_WRAP;
    vec2 low, high;
    obstacle_def_extent(shape, &low, &high);
    const double x = along((double)low.x, (double)place.x, (double)bounds->size.x, wraps);
    const double y = along((double)low.y, (double)place.y, (double)bounds->size.y, wraps);
    if (shape->shape == OBSTACLE_POLYGON) {
        return polygon_holds(shape, low, x, y);
    }
    return x >= 0.0 && y >= 0.0 && x < (double)shape->size.x && y < (double)shape->size.y;
}

double area_size(const struct area_def *area) {
    const struct obstacle_def *shape = &area->shape;
    if (shape->shape == OBSTACLE_CIRCLE) {
        return 3.14159265358979 * (double)shape->radius * (double)shape->radius;
    }
    double twice = 2.0 * (double)shape->size.x * (double)shape->size.y;
    for (int i = 1; shape->shape == OBSTACLE_POLYGON && i + 1 < shape->point_count; i++) {
        const vec2 a = vec2_sub(shape->points[i], shape->points[0]);
        const vec2 b = vec2_sub(shape->points[i + 1], shape->points[0]);
        twice = (i == 1 ? 0.0 : twice) + (double)a.x * (double)b.y - (double)a.y * (double)b.x;
    }
    return 0.5 * (twice < 0.0 ? -twice : twice);
}

/* ---- gates ---- */

struct line {
    double x, y; /* px, from one place to another */
};

/* Of the images of a place on a torus the one that is nearest to the middle. */
static double nearest_image(double place, double middle, double size, bool wraps) {
    const double away = place - middle;
    return !wraps ? place : away > 0.5 * size ? place - size : away < -0.5 * size ? place + size : place;
}

/* A place, from the first point of a gate. */
static struct line from_gate(const struct gate_def *gate, struct line along, const struct bounds *bounds,
                             vec2 place) {
    const bool wraps = bounds->edge == EDGE_WRAP;
    return (struct line){
        nearest_image((double)place.x - (double)gate->from.x, 0.5 * along.x, (double)bounds->size.x, wraps),
        nearest_image((double)place.y - (double)gate->from.y, 0.5 * along.y, (double)bounds->size.y, wraps)};
}

static bool is_longer(double way, double most) {
    return way > most || way < -most;
}

/* Whether something lies to the right of a line through {0, 0}; on_line: where it counts as when it lies on it. */
static bool is_right_of(struct line line, struct line of, bool on_line) {
    const double turn = line.x * of.y - line.y * of.x;
    return turn > 0.0 || (turn >= 0.0 && on_line);
}

/* Whether a place that is moved by the infinitely small amount leaves a line to its right. */
static bool moves_right(struct line line) {
    return line.y < 0.0 || (line.y <= 0.0 && line.x > 0.0);
}

int gate_crossing(const struct gate_def *gate, const struct bounds *bounds, vec2 from, vec2 to) {
    const struct line along = {(double)gate->to.x - (double)gate->from.x,
                               (double)gate->to.y - (double)gate->from.y};
    const struct line start = from_gate(gate, along, bounds, from), end = from_gate(gate, along, bounds, to);
    const bool was_right = is_right_of(along, start, moves_right(along));
    if (was_right == is_right_of(along, end, moves_right(along))) {
        return 0;
    }
    const struct line way = {end.x - start.x, end.y - start.y};
    if (bounds->edge == EDGE_WRAP &&
        (is_longer(way.x, 0.5 * (double)bounds->size.x) || is_longer(way.y, 0.5 * (double)bounds->size.y))) {
        return 0; /* it is on the other side of the world */
    }
    const struct line first = {-start.x, -start.y}, second = {along.x - start.x, along.y - start.y};
    if (is_right_of(way, first, !moves_right(way)) == is_right_of(way, second, !moves_right(way))) {
        return 0;
    }
    return was_right ? -1 : 1;
}

/* ---- scenery ---- */

/* ---- preparing ---- */

/* An obstacle that moves becomes one of the movers. Returns its number, from 1; 0: it stands still. */
static int add_mover(struct scenery *scenery, int owner, vec2 center) {
    const struct obstacle_def *obstacle = &scenery->def.obstacles[owner];
    if (!obstacle_moves(obstacle)) {
        return 0;
    }
    assert(scenery->mover_count < LIMIT_MOVERS);
    scenery->movers[scenery->mover_count++] = (struct mover){.owner = owner, .home = center};
    return scenery->mover_count;
}

static void fill_solids(struct scenery *scenery) {
    const struct geometry_def *def = &scenery->def;
    for (int i = 0; i < scenery->owner_count; i++) {
        struct solid *solids = &scenery->solids[scenery->solid_count];
        int count = 1, mover = 0;
        if (i < def->obstacle_count) {
            count = solids_from_obstacle(&def->obstacles[i], solids);
            mover = add_mover(scenery, i, solids->center);
        } else {
            *solids = solid_from_wall(&def->walls[i - def->obstacle_count]);
        }
        for (int k = 0; k < count; k++) {
            solids[k].owner = (uint16_t)i;
            solids[k].mover = (uint8_t)mover;
        }
        scenery->solid_count += count;
        scenery->first[i + 1] = (uint16_t)scenery->solid_count;
    }
}

/* The way field after `flow`, or the first (NULL); no_way: its part of scenery->no_way. NULL: there is none. */
static struct flow_def *next_way(const struct scenery *scenery, struct flow_def *flow, bool **no_way) {
    struct flow_def *const end = scenery->def.flows + scenery->def.flow_count;
    *no_way = flow == NULL ? scenery->no_way : *no_way + flow_def_cells(flow);
    flow = flow == NULL ? scenery->def.flows : flow + 1;
    while (flow < end && flow->type != FLOW_WAY) {
        flow++;
    }
    return flow < end ? flow : NULL;
}

/* The cells of all way fields together, and those of the largest. */
static size_t way_cells(const struct scenery *scenery, int32_t *most) {
    size_t all = 0;
    *most = 0;
    for (int i = 0; i < scenery->def.flow_count; i++) {
        const struct flow_def *flow = &scenery->def.flows[i];
        const int32_t cells = flow->type == FLOW_WAY ? flow_def_cells(flow) : 0;
        all += (size_t)cells;
        *most = cells > *most ? cells : *most;
    }
    return all;
}

static float still_room(const struct scenery *scenery, const struct bounds *bounds, vec2 place) {
    if (scenery->solid_count == 0) {
        return 3e38f;
    }
    const int32_t cell = solid_grid_cell(&scenery->grid, bounds, place);
    return cell < 0 ? -3e38f : scenery->grid.room[cell];
}

/* How near a place is to one mover that is somewhere else. center: px, where */
static struct touch touch_elsewhere(const struct scenery *scenery, const struct bounds *bounds, int owner,
                                    vec2 center, vec2 place) {
    const vec2 offset = bounds_difference(bounds, center, place);
    struct touch nearest = {3e38f, {0.0f, 0.0f}};
    for (int i = scenery->first[owner]; i < scenery->first[owner + 1]; i++) {
        const struct touch touch = solid_touch(&scenery->solids[i], offset);
        nearest = touch.distance < nearest.distance ? touch : nearest;
    }
    return nearest;
}

/* Whether a door stands in the way, open or closed as it is to be. What follows a path does not count. */
static bool is_at_door(const struct scenery *scenery, const struct bounds *bounds, vec2 place, float body) {
    for (int m = 0; m < scenery->mover_count; m++) {
        const struct mover *mover = &scenery->movers[m];
        const struct door_def *door = &scenery->def.obstacles[mover->owner].door;
        const vec2 to = door->is_closed ? mover->home : vec2_add(mover->home, door->open);
        if (door->time > 0.0f &&
            touch_elsewhere(scenery, bounds, mover->owner, bounds_settle(bounds, to), place).distance <
                body) {
            return true;
        }
    }
    return false;
}

/* Finds the cells in whose middle no body of the field's size fits. */
static void find_solid(const struct scenery *scenery, const struct flow_def *way, const struct bounds *bounds,
                       bool *no_way) {
    const vec2 size = way_cell_size(way, bounds);
    const float half = 0.501f * (size.x > size.y ? size.x : size.y); /* no wall may lie between two cells */
    const float body = way->body > half ? way->body : half;
    for (int32_t cell = 0; cell < flow_def_cells(way); cell++) {
        const vec2 middle = way_cell_middle(way, bounds, cell);
        no_way[cell] = (!(still_room(scenery, bounds, middle) >= body) &&
                        scenery_nearest_at(scenery, bounds, middle, MOMENT_STILL).touch.distance < body) ||
                       is_at_door(scenery, bounds, middle, body);
    }
}

/* Marks the free cells of an area. Whether there are any. */
static bool mark_area(struct scenery *scenery, const struct flow_def *way, const struct area_def *area,
                      const bool *no_way, const struct bounds *bounds) {
    bool is_there = false;
    for (int32_t cell = 0; cell < flow_def_cells(way); cell++) {
        if (!no_way[cell] && area_holds(area, bounds, way_cell_middle(way, bounds, cell))) {
            scenery->room.is_inside[cell] = true;
            is_there = true;
        }
    }
    return is_there;
}

static void build_way(struct scenery *scenery, const struct flow_def *way, const bool *no_way,
                      const struct bounds *bounds) {
    const struct geometry_def *def = &scenery->def;
    int32_t goals[LIMIT_WAY_GOALS];
    int count = 0;
    memset(scenery->room.is_inside, 0, (size_t)flow_def_cells(way) * sizeof *scenery->room.is_inside);
    for (int i = 0; i < way->goal_count; i++) {
        const int area = geometry_def_find_area(def, way->goals[i].name);
        vec2 low = way->goals[i].at, high = low;
        if (area >= 0) {
            obstacle_def_extent(&def->areas[area].shape, &low, &high);
        }
        if (area < 0 || !mark_area(scenery, way, &def->areas[area], no_way, bounds)) {
            const vec2 at = bounds_settle(bounds, vec2_scale(vec2_add(low, high), 0.5f));
            goals[count++] = way_cell_of(way, bounds, at);
        }
    }
    way_field_build(way, no_way, bounds, goals, count, &scenery->room);
}

static void fill_ways(struct scenery *scenery, const struct bounds *bounds) {
    bool *no_way;
    scenery->has_old_ways = scenery->holds_ways;
    if (scenery->holds_ways) {
        return;
    }
    for (struct flow_def *way = next_way(scenery, NULL, &no_way); way != NULL;
         way = next_way(scenery, way, &no_way)) {
        find_solid(scenery, way, bounds, no_way);
        build_way(scenery, way, no_way, bounds);
    }
}

bool scenery_hold_ways(struct scenery *scenery, const struct bounds *bounds, bool is_held) {
    const bool is_due = scenery->has_old_ways && !is_held;
    scenery->holds_ways = is_held;
    if (is_due) {
        fill_ways(scenery, bounds);
    }
    return is_due;
}

static int make_ways(struct scenery *scenery, const struct bounds *bounds) {
    int32_t most;
    const size_t all = way_cells(scenery, &most);
    if (all == 0) {
        return 0;
    }
    scenery->no_way = calloc(all, sizeof *scenery->no_way);
    if (way_room_init(&scenery->room, most) != 0 || scenery->no_way == NULL) {
        return -1;
    }
    fill_ways(scenery, bounds);
    return 0;
}

/* Whether a goal of the way field is of this name and goes to another cell, where it is then. */
static bool moves_goal(struct flow_def *way, const struct bounds *bounds, const char *name, vec2 at) {
    bool has_moved = false;
    for (int i = 0; i < way->goal_count; i++) {
        struct way_goal *goal = &way->goals[i];
        if (strcmp(goal->name, name) == 0 &&
            way_cell_of(way, bounds, goal->at) != way_cell_of(way, bounds, at)) {
            goal->at = at;
            has_moved = true;
        }
    }
    return has_moved;
}

bool scenery_lead_ways(struct scenery *scenery, const struct bounds *bounds, const char *name, vec2 at) {
    bool is_new = false;
    bool *no_way;
    for (struct flow_def *way = next_way(scenery, NULL, &no_way); way != NULL;
         way = next_way(scenery, way, &no_way)) {
        if (moves_goal(way, bounds, name, at)) {
            build_way(scenery, way, no_way, bounds);
            is_new = true;
        }
    }
    return is_new;
}

static bool is_goal(const struct flow_def *way, const struct geometry_def *def, const struct bounds *bounds,
                    int32_t cell) {
    for (int i = 0; i < way->goal_count; i++) {
        const int area = geometry_def_find_area(def, way->goals[i].name);
        if (area >= 0 ? area_holds(&def->areas[area], bounds, way_cell_middle(way, bounds, cell))
                      : way_cell_of(way, bounds, way->goals[i].at) == cell) {
            return true;
        }
    }
    return false;
}

struct way_gaps scenery_way_gaps(const struct scenery *scenery, const struct bounds *bounds, int flow) {
    struct way_gaps gaps = {.goal = -1};
    bool *no_way;
    struct flow_def *way = next_way(scenery, NULL, &no_way);
    while (way != &scenery->def.flows[flow]) {
        way = next_way(scenery, way, &no_way);
    }
    for (int i = way->goal_count - 1; i >= 0; i--) {
        const bool is_area = geometry_def_find_area(&scenery->def, way->goals[i].name) >= 0;
        if (!is_area && no_way[way_cell_of(way, bounds, way->goals[i].at)]) {
            gaps.goal = i;
            gaps.cut_off--; /* another cell stands for it */
        }
    }
    for (int32_t cell = flow_def_cells(way) - 1; cell >= 0; cell--) {
        const vec2 vector = way->vectors[cell];
        gaps.free += !no_way[cell];
        if (!no_way[cell] && vector.x == 0.0f && vector.y == 0.0f &&
            !is_goal(way, &scenery->def, bounds, cell)) {
            gaps.cut_off++;
            gaps.at = way_cell_middle(way, bounds, cell);
        }
    }
    return gaps;
}

static int prepare(struct scenery *scenery, const struct geometry_def *def, const struct bounds *bounds,
                   bool holds_ways) {
    *scenery = (struct scenery){.holds_ways = holds_ways};
    if (geometry_def_copy(def, &scenery->def) != 0) {
        return -1;
    }
    const int solids = geometry_def_pieces(def) + def->wall_count;
    scenery->owner_count = def->obstacle_count + def->wall_count;
    scenery->first = calloc((size_t)scenery->owner_count + 1, sizeof *scenery->first);
    scenery->solids = calloc((size_t)solids + 1, sizeof *scenery->solids);
    scenery->paths = calloc((size_t)def->path_count + 1, sizeof *scenery->paths);
    if (scenery->first == NULL || scenery->solids == NULL || scenery->paths == NULL) {
        scenery_fini(scenery);
        return -1;
    }
    fill_solids(scenery);
    for (int i = 0; i < def->path_count; i++) {
        scenery->paths[i] = path_prepare(&def->paths[i], bounds);
    }
    if (solid_grid_init(&scenery->grid, scenery->solids, scenery->solid_count, bounds) != 0 ||
        make_ways(scenery, bounds) != 0) {
        scenery_fini(scenery);
        return -1;
    }
    return 0;
}

int scenery_init(struct scenery *scenery, const struct geometry_def *def, const struct bounds *bounds) {
    return prepare(scenery, def, bounds, false);
}

int scenery_init_held(struct scenery *scenery, const struct geometry_def *def, const struct bounds *bounds) {
    return prepare(scenery, def, bounds, true);
}

/* ---- doors ---- */

bool scenery_set_door(struct scenery *scenery, const struct bounds *bounds, double tick_hz, uint64_t tick,
                      int obstacle, bool closed) {
    struct door_def *door = &scenery->def.obstacles[obstacle].door;
    assert(door->time > 0.0f);
    if (door->is_closed == closed) {
        return false;
    }
    const uint64_t ticks = (uint64_t)door_ticks(door, tick_hz);
    const uint64_t left = door->until > tick ? door->until - tick : 0;
    door->until = tick + ticks - (left < ticks ? left : ticks);
    door->is_closed = closed;
    if (scenery->no_way != NULL) {
        fill_ways(scenery, bounds);
    }
    return true;
}

void scenery_fini(struct scenery *scenery) {
    if (scenery->block != NULL) {
        free(scenery->block);
    } else {
        geometry_def_fini(&scenery->def);
        free(scenery->first);
        free(scenery->solids);
        free(scenery->paths);
        solid_grid_fini(&scenery->grid);
        free(scenery->no_way);
        way_room_fini(&scenery->room);
    }
    *scenery = (struct scenery){0};
}

/* ---- clones ---- */

/* Arrays that are laid out in a block one after the other. start: NULL, and only bytes are counted. */
struct packing {
    char *start;
    size_t used;
};

/* Room in the block; NULL while bytes are counted. */
static void *take(struct packing *packing, size_t bytes) {
    enum { ALIGNMENT = 16 };
    const size_t at = packing->used;
    packing->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return packing->start == NULL || bytes == 0 ? NULL : packing->start + at;
}

static void *pack(struct packing *packing, const void *array, size_t entry, size_t count) {
    const size_t bytes = array != NULL ? entry * count : 0;
    void *copy = take(packing, bytes);
    return copy == NULL ? NULL : memcpy(copy, array, bytes);
}

static void pack_geometry(struct packing *packing, struct geometry_def *def) {
    def->obstacles = pack(packing, def->obstacles, sizeof *def->obstacles, (size_t)def->obstacle_count);
    def->walls = pack(packing, def->walls, sizeof *def->walls, (size_t)def->wall_count);
    def->paths = pack(packing, def->paths, sizeof *def->paths, (size_t)def->path_count);
    def->areas = pack(packing, def->areas, sizeof *def->areas, (size_t)def->area_count);
    def->gates = pack(packing, def->gates, sizeof *def->gates, (size_t)def->gate_count);
    const struct flow_def *flows = def->flows;
    def->flows = pack(packing, flows, sizeof *flows, (size_t)def->flow_count);
    for (int i = 0; i < def->flow_count; i++) {
        vec2 *vectors = pack(packing, flows[i].vectors, sizeof *vectors, (size_t)flow_def_cells(&flows[i]));
        if (def->flows != NULL) {
            def->flows[i].vectors = vectors;
        }
    }
}

static void pack_lists(struct packing *packing, struct solid_lists *lists, size_t cells) {
    const size_t members = lists->begin != NULL ? (size_t)lists->begin[cells] : 0;
    lists->begin = pack(packing, lists->begin, sizeof *lists->begin, cells + 1);
    lists->members = pack(packing, lists->members, sizeof *lists->members, members);
    lists->capacity = (int32_t)members;
}

/* What is in the room for making ways is not copied. */
static void pack_ways(struct packing *packing, struct scenery *scenery) {
    struct way_room *room = &scenery->room;
    const size_t most = (size_t)room->cells;
    int32_t unused;
    scenery->no_way = pack(packing, scenery->no_way, sizeof *scenery->no_way, way_cells(scenery, &unused));
    room->time = take(packing, most * sizeof *room->time);
    room->heap = take(packing, most * sizeof *room->heap);
    room->place = take(packing, most * sizeof *room->place);
    room->is_inside = take(packing, most * sizeof *room->is_inside);
}

/* The same scenery with its arrays in the packing's block. */
static struct scenery pack_scenery(struct packing *packing, const struct scenery *from) {
    struct scenery scenery = *from;
    const size_t cells = (size_t)from->grid.columns * (size_t)from->grid.rows;
    pack_ways(packing, &scenery);
    pack_geometry(packing, &scenery.def);
    scenery.first = pack(packing, from->first, sizeof *from->first, (size_t)from->owner_count + 1);
    scenery.solids = pack(packing, from->solids, sizeof *from->solids, (size_t)from->solid_count);
    scenery.paths = pack(packing, from->paths, sizeof *from->paths, (size_t)from->def.path_count);
    scenery.grid.room = pack(packing, from->grid.room, sizeof *from->grid.room, cells);
    pack_lists(packing, &scenery.grid.nearest, cells);
    pack_lists(packing, &scenery.grid.reach, cells);
    return scenery;
}

static size_t packed_size(const struct scenery *scenery) {
    struct packing packing = {0};
    (void)pack_scenery(&packing, scenery);
    return packing.used;
}

bool scenery_clone_fits(const struct scenery *to, const struct scenery *from) {
    return to->block != NULL && packed_size(from) <= to->block_size;
}

size_t scenery_clone_size(const struct scenery *from) {
    return packed_size(from);
}

int scenery_reserve(struct scenery *to, size_t size) {
    const size_t own = packed_size(to);
    if (to->block != NULL && size <= to->block_size) {
        return 0;
    }
    size = own > size ? own : size;
    struct packing packing = {.start = malloc(size + 1)}; /* never NULL but for want of memory */
    if (packing.start == NULL) {
        return -1;
    }
    struct scenery moved = pack_scenery(&packing, to);
    moved.block = packing.start;
    moved.block_size = size;
    scenery_fini(to);
    *to = moved;
    return 0;
}

void scenery_clone(struct scenery *to, const struct scenery *from) {
    assert(to != from && scenery_clone_fits(to, from));
    struct packing packing = {.start = to->block};
    struct scenery copy = pack_scenery(&packing, from);
    copy.block = to->block;
    copy.block_size = to->block_size;
    *to = copy;
}

/* ---- questions ---- */

static const struct scenery_touch no_touch = {-1, {3e38f, {0.0f, 0.0f}}};

/* Of two that are as near, the first one stays. */
static void keep_touch(struct touch touch, int owner, struct scenery_touch *nearest) {
    if (touch.distance < nearest->touch.distance ||
        (touch.distance <= nearest->touch.distance && owner < nearest->index)) {
        *nearest = (struct scenery_touch){owner, touch};
    }
}

static void touch_solid(const struct scenery *scenery, const struct bounds *bounds, vec2 place, int index,
                        struct scenery_touch *nearest) {
    const struct solid *solid = &scenery->solids[index];
    keep_touch(solid_touch(solid, solid_offset(solid, bounds, place)), solid->owner, nearest);
}

/* A distance that a mover has at least from a place, in this tick and in the next one. */
static float mover_room(const struct scenery *scenery, const struct bounds *bounds, int mover, vec2 place) {
    const struct mover *moves = &scenery->movers[mover];
    const float away = vec2_length(bounds_difference(bounds, moves->at, place));
    return away - scenery->solids[scenery->first[moves->owner]].radius - vec2_length(moves->step) -
           scenery->grid.slack - 4e-6f * away;
}

struct touch scenery_touch_next(const struct scenery *scenery, const struct bounds *bounds, int mover,
                                vec2 place) {
    const struct mover *moves = &scenery->movers[mover];
    return touch_elsewhere(scenery, bounds, moves->owner, moves->next, place);
}

/* Movers that are further than what is known as the nearest are passed over. */
static void touch_movers(const struct scenery *scenery, const struct bounds *bounds, vec2 place,
                         enum scenery_moment moment, struct scenery_touch *nearest) {
    for (int m = 0; m < scenery->mover_count; m++) {
        const struct mover *mover = &scenery->movers[m];
        if (!(mover_room(scenery, bounds, m, place) > nearest->touch.distance)) {
            const vec2 center = moment == MOMENT_NEXT ? mover->next : mover->at;
            keep_touch(touch_elsewhere(scenery, bounds, mover->owner, center, place), mover->owner, nearest);
        }
    }
}

struct scenery_touch scenery_nearest_of_all(const struct scenery *scenery, const struct bounds *bounds,
                                            vec2 place) {
    struct scenery_touch nearest = no_touch;
    for (int i = 0; i < scenery->solid_count; i++) {
        touch_solid(scenery, bounds, place, i, &nearest);
    }
    return nearest;
}

/* What stands still: the candidates of the cell; outside the grid all of them. */
static void touch_still(const struct scenery *scenery, const struct bounds *bounds, vec2 place,
                        struct scenery_touch *nearest) {
    const int32_t cell = solid_grid_cell(&scenery->grid, bounds, place);
    const struct solid_lists *lists = &scenery->grid.nearest;
    if (cell >= 0) {
        for (int32_t i = lists->begin[cell]; i < lists->begin[cell + 1]; i++) {
            touch_solid(scenery, bounds, place, lists->members[i], nearest);
        }
        return;
    }
    for (int i = 0; i < scenery->solid_count; i++) {
        if (scenery->solids[i].mover == 0) {
            touch_solid(scenery, bounds, place, i, nearest);
        }
    }
}

struct scenery_touch scenery_nearest_at(const struct scenery *scenery, const struct bounds *bounds,
                                        vec2 place, enum scenery_moment moment) {
    if (scenery->solid_count == 0) {
        return no_touch;
    }
    struct scenery_touch nearest = no_touch;
    touch_still(scenery, bounds, place, &nearest);
    if (moment != MOMENT_STILL) {
        touch_movers(scenery, bounds, place, moment, &nearest);
    }
    return nearest;
}

struct scenery_touch scenery_nearest(const struct scenery *scenery, const struct bounds *bounds, vec2 place) {
    return scenery_nearest_at(scenery, bounds, place, MOMENT_NOW);
}

struct touch scenery_touch_of(const struct scenery *scenery, const struct bounds *bounds, int owner,
                              vec2 place) {
    struct scenery_touch nearest = no_touch;
    for (int i = scenery->first[owner]; i < scenery->first[owner + 1]; i++) {
        touch_solid(scenery, bounds, place, i, &nearest);
    }
    return nearest.touch;
}

float scenery_reach_of(const struct scenery *scenery, int owner, vec2 across) {
    float reach = -3e38f;
    for (int i = scenery->first[owner]; i < scenery->first[owner + 1]; i++) {
        const float one = solid_reach(&scenery->solids[i], across);
        reach = one > reach ? one : reach;
    }
    return reach;
}

float scenery_room(const struct scenery *scenery, const struct bounds *bounds, vec2 place) {
    float room = still_room(scenery, bounds, place);
    for (int m = 0; m < scenery->mover_count; m++) {
        const float one = mover_room(scenery, bounds, m, place);
        room = one < room ? one : room;
    }
    return room;
}

/* Of two that are met as soon, the first one stays. */
static void keep_contact(struct contact contact, int owner, struct scenery_contact *first) {
    if (contact.is_hit && (first->index < 0 || contact.distance < first->contact.distance ||
                           (contact.distance <= first->contact.distance && owner < first->index))) {
        *first = (struct scenery_contact){owner, contact};
    }
}

static void sweep_solid(const struct scenery *scenery, const struct bounds *bounds, vec2 place, vec2 way,
                        float radius, int index, struct scenery_contact *first) {
    const struct solid *solid = &scenery->solids[index];
    keep_contact(solid_sweep(solid, solid_offset(solid, bounds, place), way, first->contact.distance, radius),
                 solid->owner, first);
}

struct scenery_contact scenery_sweep_all(const struct scenery *scenery, const struct bounds *bounds,
                                         vec2 place, vec2 way, float length, float radius) {
    struct scenery_contact first = {-1, {false, length, {0.0f, 0.0f}}};
    for (int i = 0; i < scenery->solid_count; i++) {
        sweep_solid(scenery, bounds, place, way, radius, i, &first);
    }
    return first;
}

/* The lowest bit that is set, which is taken away. */
static int take_bit(uint64_t *word) {
    const uint64_t lowest = *word & (~*word + 1);
    *word ^= lowest;
    int bit = 0;
    for (int half = 32; half > 0; half /= 2) {
        bit += lowest >> bit >> half ? half : 0;
    }
    return bit;
}

/* Those that are so many px away, at most, are added; the solids of others are not looked at. */
static void add_movers(const struct scenery *scenery, const struct bounds *bounds, vec2 place, float reach,
                       struct solid_set *set) {
    for (int m = 0; m < scenery->mover_count; m++) {
        const int owner = scenery->movers[m].owner;
        const bool is_near = mover_room(scenery, bounds, m, place) <= reach;
        for (int i = scenery->first[owner]; is_near && i < scenery->first[owner + 1]; i++) {
            set->words[i / 64] |= (uint64_t)1 << (i % 64);
        }
    }
}

static struct scenery_contact sweep_set(const struct scenery *scenery, const struct bounds *bounds,
                                        vec2 place, vec2 way, float length, float radius,
                                        struct solid_set *set) {
    struct scenery_contact first = {-1, {false, length, {0.0f, 0.0f}}};
    for (int word = 0; 64 * word < scenery->solid_count; word++) {
        while (set->words[word] != 0) {
            sweep_solid(scenery, bounds, place, way, radius, 64 * word + take_bit(&set->words[word]), &first);
        }
    }
    return first;
}

struct scenery_contact scenery_sweep(const struct scenery *scenery, const struct bounds *bounds, vec2 place,
                                     vec2 way, float length, float radius) {
    struct solid_set set;
    if (scenery_room(scenery, bounds, place) > length + radius) {
        return (struct scenery_contact){-1, {false, length, {0.0f, 0.0f}}};
    }
    if (!solid_grid_sweep(&scenery->grid, bounds, place, way, length, radius, &set)) {
        return scenery_sweep_all(scenery, bounds, place, way, length, radius);
    }
    add_movers(scenery, bounds, place, length + radius, &set);
    return sweep_set(scenery, bounds, place, way, length, radius, &set);
}

struct scenery_contact scenery_sweep_still(const struct scenery *scenery, const struct bounds *bounds,
                                           vec2 place, vec2 way, float length, float radius) {
    struct solid_set set;
    if (still_room(scenery, bounds, place) > length + radius) {
        return (struct scenery_contact){-1, {false, length, {0.0f, 0.0f}}};
    }
    if (!solid_grid_sweep(&scenery->grid, bounds, place, way, length, radius, &set)) {
        for (int i = 0; i < scenery->solid_count; i++) {
            set.words[i / 64] |= (uint64_t)(scenery->solids[i].mover == 0) << (i % 64);
        }
    }
    return sweep_set(scenery, bounds, place, way, length, radius, &set);
}

struct scenery_contact scenery_meet(const struct scenery *scenery, const struct bounds *bounds, vec2 place,
                                    vec2 way, float speed, float horizon, float radius) {
    struct scenery_contact first = scenery_sweep_still(scenery, bounds, place, way, speed * horizon, radius);
    for (int m = 0; m < scenery->mover_count; m++) {
        const struct mover *mover = &scenery->movers[m];
        const vec2 nears = vec2_sub(vec2_scale(way, speed), mover->velocity); /* as seen from the mover */
        const float rate = vec2_length(nears);
        for (int i = scenery->first[mover->owner]; rate > 1e-6f && i < scenery->first[mover->owner + 1];
             i++) {
            const struct solid *solid = &scenery->solids[i];
            struct contact contact = solid_sweep(solid, solid_offset(solid, bounds, place),
                                                 vec2_scale(nears, 1.0f / rate), rate * horizon, radius);
            contact.distance *= speed / rate;
            keep_contact(contact, solid->owner, &first);
        }
    }
    return first;
}

bool scenery_within(const struct scenery *scenery, const struct bounds *bounds, vec2 place, float reach,
                    struct solid_set *set) {
    const struct solid_grid *grid = &scenery->grid;
    const float margin = 1e-3f + 1e-5f * reach; /* of what a caller makes of distances */
    *set = (struct solid_set){{0}};
    if (scenery_room(scenery, bounds, place) > reach + margin) {
        return true;
    }
    const float columns = 2.0f * reach / grid->cell.x + 2.0f, rows = 2.0f * reach / grid->cell.y + 2.0f;
    if (!(columns * rows < (float)scenery->solid_count) ||
        !solid_grid_sweep(grid, bounds, place, vec2_make(1.0f, 0.0f), 0.0f, reach + margin, set)) {
        return false;
    }
    add_movers(scenery, bounds, place, reach + margin, set);
    return true;
}

/* ---- paths ---- */

struct path path_prepare(const struct path_def *def, const struct bounds *bounds) {
    struct path path = {.is_loop = def->is_loop, .radius = def->radius, .is_even = def->radius_count == 0};
    const int sides = def->is_loop ? def->point_count : def->point_count - 1;
    assert(sides >= 1 && sides <= LIMIT_PATH_POINTS);
    for (int i = 0; i < sides; i++) {
        const vec2 from = def->points[i];
        const vec2 delta = bounds_difference(bounds, from, def->points[(i + 1) % def->point_count]);
        const float length = vec2_length(delta);
        if (length > 1e-6f) {
            const float radius = path_radius_at(def, i);
            const float widening = path_radius_at(def, (i + 1) % def->point_count) - radius;
            path.sides[path.count++] = (struct path_side){from, delta, path.length, length, radius, widening};
            path.length += length;
        }
    }
    if (path.count == 0) {
        path.sides[0] = (struct path_side){.from = def->points[0], .radius = path_radius_at(def, 0)};
        path.count = 1;
    }
    return path;
}

static struct pair pair_of(vec2 a) {
    return (struct pair){a.x, a.y};
}

static vec2 vec2_of(struct pair a) {
    return vec2_make(a.x, a.y);
}

static struct path_spot spot_of(const struct path_spots *spot) {
    return (struct path_spot){spot->s, spot->distance, vec2_of(spot->offset), vec2_of(spot->direction)};
}

struct path_spot path_nearest(const struct path *path, const struct bounds *bounds, vec2 place) {
    const struct path_spots spot = path_spots_nearest(path, bounds, pair_of(place));
    return spot_of(&spot);
}

vec2 path_point(const struct path *path, float s) {
    return vec2_of(path_points(path, s));
}

float path_radius(const struct path *path, float s) {
    return path_radii(path, s);
}
