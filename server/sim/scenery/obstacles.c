/* See obstacles.h. */
#include "server/sim/scenery/obstacles.h"

#include <assert.h>
#include <stdlib.h>

static const vec2 any_way = {0.0f, -1.0f};

/* a as a unit vector; `otherwise` when it is too short to have a direction. */
static vec2 unit_or(vec2 a, vec2 otherwise) {
    const vec2 unit = vec2_with_length(a, 1.0f);
    return unit.x == 0.0f && unit.y == 0.0f ? otherwise : unit;
}

/* ---- preparing ---- */

/* Outward normals and the radius, from corners that go clockwise on a screen. */
static void finish(struct solid *solid) {
    for (int i = 0; i < solid->count; i++) {
        const vec2 side = vec2_sub(solid->corners[(i + 1) % solid->count], solid->corners[i]);
        solid->normals[i] = unit_or(vec2_make(side.y, -side.x), any_way);
        const float reach = vec2_length(solid->corners[i]);
        solid->radius = reach > solid->radius ? reach : solid->radius;
    }
}

static struct solid from_convex(const vec2 *points, int count) {
    assert(count >= 3 && count <= LIMIT_PIECE_POINTS);
    struct solid solid = {.shape = SOLID_CONVEX, .pieces = 1, .count = count};
    vec2 sum = {0.0f, 0.0f};
    float area = 0.0f;
    for (int i = 0; i < count; i++) {
        const vec2 from = vec2_sub(points[i], points[0]);
        const vec2 to = vec2_sub(points[(i + 1) % count], points[0]);
        sum = vec2_add(sum, from);
        area += vec2_cross(from, to);
    }
    solid.center = vec2_add(points[0], vec2_scale(sum, 1.0f / (float)count));
    for (int i = 0; i < count; i++) {
        solid.corners[i] = vec2_sub(points[area > 0.0f ? i : count - 1 - i], solid.center);
    }
    finish(&solid);
    return solid;
}

/* A corner of a cut polygon, from a place. */
static vec2 corner_from(const struct polygon_cut *cut, int corner, vec2 center) {
    return vec2_make((float)((double)cut->x[corner] / 100.0 - (double)center.x),
                     (float)((double)cut->y[corner] / 100.0 - (double)center.y));
}

/* The pieces of a polygon that is not convex, or has too many corners for one. */
static int from_pieces(const struct obstacle_def *obstacle, struct solid *solids) {
    struct polygon_cut cut;
    double x = 0.0, y = 0.0;
    const bool is_simple = polygon_cut(obstacle->points, obstacle->point_count, &cut);
    assert(is_simple);
    (void)is_simple;
    for (int i = 0; i < cut.point_count; i++) {
        x += (double)cut.x[i];
        y += (double)cut.y[i];
    }
    const double share = 0.01 / (double)cut.point_count;
    const vec2 center = {(float)(x * share), (float)(y * share)};
    float radius = 0.0f;
    for (int i = 0; i < cut.point_count; i++) {
        const float reach = vec2_length(corner_from(&cut, i, center));
        radius = reach > radius ? reach : radius;
    }
    for (int p = 0; solids != NULL && p < cut.piece_count; p++) {
        const struct polygon_piece *piece = &cut.pieces[p];
        struct solid solid = {.shape = SOLID_CONVEX, .piece = (uint8_t)p, .pieces = (uint8_t)cut.piece_count};
        for (int i = 0; i < piece->count; i++) {
            const int from = piece->corners[i], to = piece->corners[(i + 1) % piece->count];
            solid.corners[solid.count++] = corner_from(&cut, from, center);
            solid.seams = (uint16_t)(solid.seams | (to == (from + 1) % cut.point_count ? 0u : 1u << i));
        }
        solid.center = center;
        solid.radius = radius;
        finish(&solid);
        solids[p] = solid;
    }
    return cut.piece_count;
}

static struct solid from_circle_or_box(const struct obstacle_def *obstacle) {
    if (obstacle->shape == OBSTACLE_CIRCLE) {
        return (struct solid){
            .shape = SOLID_CIRCLE, .pieces = 1, .center = obstacle->at, .radius = obstacle->radius};
    }
    const vec2 half = vec2_scale(obstacle->size, 0.5f);
    struct solid solid = {
        .shape = SOLID_CONVEX, .pieces = 1, .center = vec2_add(obstacle->at, half), .count = 4};
    const vec2 corners[] = {{-half.x, -half.y}, {half.x, -half.y}, {half.x, half.y}, {-half.x, half.y}};
    for (int i = 0; i < 4; i++) {
        solid.corners[i] = corners[i];
    }
    finish(&solid);
    /* A box without width or height is a line; its normals are still those of a box. */
    const vec2 normals[] = {{0.0f, -1.0f}, {1.0f, 0.0f}, {0.0f, 1.0f}, {-1.0f, 0.0f}};
    for (int i = 0; i < 4; i++) {
        solid.normals[i] = normals[i];
    }
    return solid;
}

int solids_from_obstacle(const struct obstacle_def *obstacle, struct solid *solids) {
    const bool is_polygon = obstacle->shape == OBSTACLE_POLYGON;
    if (is_polygon && !polygon_is_convex(obstacle->points, obstacle->point_count)) {
        return from_pieces(obstacle, solids);
    }
    if (solids != NULL) {
        *solids =
            is_polygon ? from_convex(obstacle->points, obstacle->point_count) : from_circle_or_box(obstacle);
    }
    return 1;
}

struct solid solid_from_wall(const struct wall_def *wall) {
    const vec2 half = vec2_scale(vec2_sub(wall->to, wall->from), 0.5f);
    struct solid solid = {.shape = SOLID_WALL, .pieces = 1, .center = vec2_add(wall->from, half), .count = 2};
    solid.corners[0] = vec2_scale(half, -1.0f);
    solid.corners[1] = half;
    finish(&solid);
    return solid;
}

vec2 solid_offset(const struct solid *solid, const struct bounds *bounds, vec2 point) {
    return bounds_difference(bounds, solid->center, point);
}

/* ---- distance ---- */

/* The point of the line from a to b that is nearest to a place. */
static vec2 nearest_on_line(vec2 a, vec2 b, vec2 place) {
    const vec2 line = vec2_sub(b, a);
    const float squared = vec2_length_squared(line);
    if (!(squared > 1e-12f)) {
        return a;
    }
    const float share = vec2_dot(vec2_sub(place, a), line) / squared;
    return share <= 0.0f ? a : share >= 1.0f ? b : vec2_add(a, vec2_scale(line, share));
}

static bool is_seam(const struct solid *solid, int side) {
    return (solid->seams >> side & 1) != 0;
}

/* The point of a side that is nearest to a place. */
struct side_spot {
    int side;      /* -1: there is none */
    float squared; /* px^2, of its distance */
    vec2 away;     /* px, from the point to the place */
};

/* left_out: bit i: without side i. */
static struct side_spot nearest_side(const struct solid *solid, vec2 place, unsigned left_out) {
    struct side_spot best = {-1, 3e38f, {0.0f, 0.0f}};
    for (int i = 0; i < solid->count; i++) {
        if ((left_out >> i & 1) != 0) {
            continue;
        }
        const vec2 nearest =
            nearest_on_line(solid->corners[i], solid->corners[(i + 1) % solid->count], place);
        const vec2 away = vec2_sub(place, nearest);
        const float squared = vec2_length_squared(away);
        if (squared < best.squared) {
            best = (struct side_spot){i, squared, away};
        }
    }
    return best;
}

/* How far a place lies outside a side. The two sides of a seam are measured from the same end, so one is exactly the
 * other's negative, and no place between two pieces is outside both. */
static float height_over(const struct solid *solid, int side, vec2 place) {
    vec2 end = solid->corners[side];
    if (is_seam(solid, side)) {
        const vec2 to = solid->corners[(side + 1) % solid->count];
        end = end.x < to.x || (end.x <= to.x && end.y < to.y) ? end : to;
    }
    return vec2_dot(vec2_sub(place, end), solid->normals[side]);
}

/* By all sides, as if there were no other pieces. The distance of a whole solid; of a piece it changes no faster than the
 * place does, which the lookup needs. */
static struct touch touch_alone(const struct solid *solid, vec2 place) {
    if (solid->shape == SOLID_CIRCLE) {
        const float distance = vec2_length(place);
        return (struct touch){distance - solid->radius, unit_or(place, any_way)};
    }
    if (solid->shape == SOLID_CONVEX) {
        struct touch inside = {-3e38f, any_way};
        for (int i = 0; i < solid->count; i++) {
            const float height = height_over(solid, i, place);
            if (height > inside.distance) {
                inside = (struct touch){height, solid->normals[i]};
            }
        }
        if (inside.distance < 0.0f) {
            return inside;
        }
    }
    const struct side_spot spot = nearest_side(solid, place, 0);
    return (struct touch){sqrtf(spot.squared),
                          spot.side < 0 ? any_way : unit_or(spot.away, solid->normals[spot.side])};
}

/* ---- pieces ---- */

/* Whether a place lies in a piece; on a seam it lies in both. */
static bool is_in_piece(const struct solid *solid, vec2 place) {
    for (int i = 0; i < solid->count; i++) {
        const float height = height_over(solid, i, place);
        if (height > 0.0f || (height >= 0.0f && !is_seam(solid, i))) {
            return false;
        }
    }
    return true;
}

/* From inside: to the nearest surface of all pieces, the first of those as near. */
static struct touch touch_from_inside(const struct solid *solid, vec2 place) {
    struct touch touch = {0.0f, any_way};
    float best = 3e38f;
    for (int p = 0; p < solid->pieces; p++) {
        const struct solid *piece = solid - solid->piece + p;
        for (int i = 0; i < piece->count; i++) {
            const vec2 a = piece->corners[i], b = piece->corners[(i + 1) % piece->count];
            const vec2 out = vec2_sub(nearest_on_line(a, b, place), place);
            const float squared = vec2_length_squared(out);
            if (!is_seam(piece, i) && squared < best) {
                best = squared;
                touch = (struct touch){-sqrtf(squared), unit_or(out, piece->normals[i])};
            }
        }
    }
    return touch;
}

/* From outside: to the surface; 3e38 where a seam is nearer by more than rounding may amount to. */
static struct touch touch_surface(const struct solid *solid, vec2 place) {
    const struct side_spot spot = nearest_side(solid, place, solid->seams);
    const float distance = sqrtf(spot.squared);
    const float rounding = 1e-3f + 4e-6f * solid->radius;
    if (spot.side < 0 ||
        (solid->seams != 0 &&
         distance - sqrtf(nearest_side(solid, place, ~(unsigned)solid->seams).squared) > rounding)) {
        return (struct touch){3e38f, any_way};
    }
    return (struct touch){distance, unit_or(spot.away, solid->normals[spot.side])};
}

struct touch solid_touch(const struct solid *solid, vec2 place) {
    if (solid->pieces == 1) {
        return touch_alone(solid, place);
    }
    return is_in_piece(solid, place) ? touch_from_inside(solid, place) : touch_surface(solid, place);
}

/* ---- sweeping ---- */

/* Where the ray enters the circle, or a negative number when it misses it, starts inside or leaves it. */
static float enter_circle(vec2 from_center, vec2 way, float radius) {
    const float outside = vec2_length_squared(from_center) - radius * radius;
    const float approach = vec2_dot(from_center, way);
    if (outside < 0.0f || approach >= 0.0f) {
        return -1.0f;
    }
    /* The distance of the line from the center, not b^2 - c, which loses its digits far away. */
    const float miss = vec2_cross(from_center, way);
    const float under = radius * radius - miss * miss;
    return under <= 0.0f ? -1.0f : -approach - sqrtf(under);
}

static void keep_nearer(struct contact *contact, float distance, float length, vec2 normal) {
    if (distance >= 0.0f && distance <= length && (!contact->is_hit || distance < contact->distance)) {
        *contact = (struct contact){true, distance, normal};
    }
}

/* A corner, grown to a circle by the disc's radius. */
static void sweep_corner(vec2 corner, vec2 place, vec2 way, float length, float radius,
                         struct contact *contact) {
    const vec2 from = vec2_sub(place, corner);
    const float distance = enter_circle(from, way, radius);
    if (distance >= 0.0f) {
        keep_nearer(contact, distance, length,
                    unit_or(vec2_add(from, vec2_scale(way, distance)), vec2_scale(way, -1.0f)));
    }
}

/* A side, moved outwards by the disc's radius; a wall has two of them. */
static void sweep_side(const struct solid *solid, int side, vec2 normal, vec2 place, vec2 way, float length,
                       float radius, struct contact *contact) {
    const vec2 a = solid->corners[side], b = solid->corners[(side + 1) % solid->count];
    const vec2 from = vec2_sub(place, a);
    const float height = vec2_dot(from, normal) - radius, fall = -vec2_dot(way, normal);
    if (height < 0.0f || !(fall > 1e-9f) || height > length * fall) {
        return;
    }
    const float distance = height / fall;
    const vec2 line = vec2_sub(b, a);
    const float along = vec2_dot(vec2_add(from, vec2_scale(way, distance)), line);
    /* A side without length is its corners; as a side it would be met anywhere along its normal's plane. */
    if (vec2_length_squared(line) > 0.0f && along >= 0.0f && along <= vec2_length_squared(line)) {
        keep_nearer(contact, distance, length, normal);
    }
}

struct contact solid_sweep(const struct solid *solid, vec2 place, vec2 way, float length, float radius) {
    struct contact contact = {.is_hit = false};
    const float reach = solid->radius + radius + length;
    if (vec2_length_squared(place) > reach * reach) {
        return contact;
    }
    const struct touch touch = solid_touch(solid, place);
    if (touch.distance < radius) {
        const bool moves_in = vec2_dot(way, touch.normal) < 0.0f;
        return (struct contact){moves_in, 0.0f, touch.normal};
    }
    if (solid->shape == SOLID_CIRCLE) {
        sweep_corner(vec2_make(0.0f, 0.0f), place, way, length, solid->radius + radius, &contact);
        return contact;
    }
    for (int i = 0; i < solid->count; i++) {
        sweep_corner(solid->corners[i], place, way, length, radius, &contact);
        if (!is_seam(solid, i)) {
            sweep_side(solid, i, solid->normals[i], place, way, length, radius, &contact);
        }
    }
    return contact;
}

float solid_reach(const struct solid *solid, vec2 across) {
    if (solid->shape == SOLID_CIRCLE) {
        return solid->radius;
    }
    float reach = -3e38f;
    for (int i = 0; i < solid->count; i++) {
        const float one = vec2_dot(solid->corners[i], across);
        reach = one > reach ? one : reach;
    }
    return reach;
}

/* ---- which solids matter where ---- */

#define CELLS_MIN       1024
#define CELLS_MAX       16384
#define CELLS_PER_SOLID 16
#define BLOCK           8 /* cells along the side of a block, for which all solids are compared once */

static float lesser(float a, float b) {
    return a < b ? a : b;
}
static float greater(float a, float b) {
    return a > b ? a : b;
}

/* The largest integer <= value, |value| < 2^31. */
static int32_t floor_index(float value) {
    const int32_t truncated = (int32_t)value;
    return (float)truncated > value ? truncated - 1 : truncated;
}

static int32_t limit_index(int32_t value, int32_t count) {
    return value < 0 ? 0 : value >= count ? count - 1 : value;
}

/* ---- preparing ---- */

/* The box that the cells fill: the world, and without a torus whatever solid reaches out of it. */
static void lay_out(struct solid_grid *grid, const struct solid *solids, int count,
                    const struct bounds *bounds) {
    vec2 low = {0.0f, 0.0f}, high = bounds->size;
    for (int i = 0; i < count && !grid->wraps; i++) {
        const vec2 center = solids[i].center;
        const float radius = solids[i].radius + 1.0f;
        low = vec2_make(lesser(low.x, center.x - radius), lesser(low.y, center.y - radius));
        high = vec2_make(greater(high.x, center.x + radius), greater(high.y, center.y + radius));
    }
    const vec2 size = vec2_sub(high, low);
    int32_t cells = CELLS_PER_SOLID * count;
    cells = cells < CELLS_MIN ? CELLS_MIN : cells > CELLS_MAX ? CELLS_MAX : cells;
    grid->columns = limit_index((int32_t)sqrtf((float)cells * size.x / size.y), cells) + 1;
    grid->rows = cells / grid->columns + 1;
    grid->origin = low;
    grid->cell = vec2_make(size.x / (float)grid->columns, size.y / (float)grid->rows);
    /* A float has 24 bits; coordinates, differences and roots lose a few of them. */
    const vec2 far = {greater(-low.x, high.x), greater(-low.y, high.y)};
    grid->slack = 0.05f + 4e-6f * (far.x + far.y);
}

/* Appends to the list of the last cell. */
static bool append(struct solid_lists *lists, int32_t *count, int solid) {
    if (*count == lists->capacity) {
        const int32_t capacity = lists->capacity < 512 ? 1024 : 2 * lists->capacity;
        uint16_t *members = realloc(lists->members, (size_t)capacity * sizeof *members);
        if (members == NULL) {
            return false;
        }
        lists->members = members;
        lists->capacity = capacity;
    }
    lists->members[(*count)++] = (uint16_t)solid;
    return true;
}

/* How near the places of a cell are to one solid. px */
struct span {
    float low, high; /* of the distance as solid_touch computes it, by the image that solid_offset takes */
    float any;       /* of the nearest image, from the middle of the cell */
};

/* Whether a solid whose middle is at `offset` is further than `limit`, whatever its shape. */
static bool is_beyond(const struct solid *solid, vec2 offset, float limit) {
    const float reach = solid->radius + limit;
    return reach < 0.0f || vec2_length_squared(offset) > reach * reach;
}

/* A cell, or a block of them. */
struct area {
    vec2 middle, size; /* px */
    float half;        /* px, of the diagonal */
};

static struct area area_at(const struct solid_grid *grid, int32_t column, int32_t row, int32_t cells) {
    const vec2 size = vec2_scale(grid->cell, (float)cells);
    const vec2 middle = {grid->origin.x + (float)column * grid->cell.x + 0.5f * size.x,
                         grid->origin.y + (float)row * grid->cell.y + 0.5f * size.y};
    return (struct area){middle, size, 0.5f * vec2_length(size)};
}

/* limit: px; the distance to a solid whose `low` is above it need not be exact. */
static struct span span_of(const struct solid_grid *grid, const struct bounds *bounds,
                           const struct solid *solid, const struct area *area, float limit) {
    struct span span = {3e38f, -3e38f, 3e38f};
    const float half = area->half;
    const vec2 offset = solid_offset(solid, bounds, area->middle);
    const vec2 most = {0.5f * (bounds->size.x + area->size.x) + grid->slack,
                       0.5f * (bounds->size.y + area->size.y) + grid->slack};
    const float reach = greater(limit, 0.0f) + half + grid->slack;
    if (is_beyond(solid, offset, reach)) { /* the image that is taken, and of all images the nearest */
        return (struct span){3e38f, 3e38f, 3e38f};
    }
    for (int image = 0; image < 9; image++) {
        const int x = image % 3 - 1, y = image / 3 - 1;
        if (!grid->wraps && (x != 0 || y != 0)) {
            continue;
        }
        const vec2 from = {offset.x + (float)x * bounds->size.x, offset.y + (float)y * bounds->size.y};
        /* Whether for some place of the cell this image is the one that solid_offset takes. */
        const bool is_taken =
            !grid->wraps || (from.x <= most.x && -from.x <= most.x && from.y <= most.y && -from.y <= most.y);
        if (is_beyond(solid, from, reach)) {
            span.high = is_taken ? 3e38f : span.high;
            continue;
        }
        const float distance = touch_alone(solid, from).distance;
        span.any = lesser(span.any, distance);
        if (is_taken) {
            span.low = lesser(span.low, distance - half);
            span.high = greater(span.high, distance + half);
        }
    }
    if (solid->pieces > 1 &&
        span.low <= grid->slack) { /* inside, the outline may be as far as the whole is wide */
        span.low = lesser(span.low, -2.0f * solid->radius);
    }
    return span;
}

/* Solids by index, ascending. */
struct solid_list {
    int count;
    uint16_t at[SOLIDS_MAX];
};

/* How near solids are to an area; low and any in the order of the list. px */
struct nearness {
    float low[SOLIDS_MAX], any[SOLIDS_MAX]; /* as of struct span */
    float nearest; /* none that is nearest somewhere in the area has its `low` above it */
};

static void measure(const struct solid_grid *grid, const struct solid *solids, const struct solid_list *list,
                    const struct bounds *bounds, const struct area *area, struct nearness *out) {
    out->nearest = 3e38f;
    for (int i = 0; i < list->count; i++) {
        const struct span span = span_of(grid, bounds, &solids[list->at[i]], area, out->nearest);
        out->low[i] = span.low;
        out->any[i] = span.any;
        out->nearest = lesser(out->nearest, span.high);
    }
}

/* Those of all solids that can be the nearest to some place of a block, or reach into it. */
static void sift(const struct solid_grid *grid, const struct solid *solids, const struct solid_list *all,
                 const struct bounds *bounds, const struct area *block, struct solid_list *near) {
    struct nearness is;
    measure(grid, solids, all, bounds, block, &is);
    near->count = 0;
    for (int i = 0; i < all->count; i++) {
        if (is.low[i] <= is.nearest + grid->slack || is.any[i] <= block->half + grid->slack) {
            near->at[near->count++] = all->at[i];
        }
    }
}

/* Fills the room and the lists of one cell. */
static bool fill_cell(struct solid_grid *grid, const struct solid *solids, const struct solid_list *near,
                      const struct bounds *bounds, int32_t cell, int32_t filled[2]) {
    const struct area area = area_at(grid, cell % grid->columns, cell / grid->columns, 1);
    struct nearness is;
    float room = 3e38f;
    measure(grid, solids, near, bounds, &area, &is);
    for (int i = 0; i < near->count; i++) {
        room = lesser(room, is.low[i]);
        if ((is.any[i] <= area.half + grid->slack && !append(&grid->reach, &filled[1], near->at[i])) ||
            (is.low[i] <= is.nearest + grid->slack && !append(&grid->nearest, &filled[0], near->at[i]))) {
            return false;
        }
    }
    grid->room[cell] = room - grid->slack;
    grid->nearest.begin[cell + 1] = filled[0];
    grid->reach.begin[cell + 1] = filled[1];
    return true;
}

/* lists: one for each block along a row of them. */
static bool fill_cells(struct solid_grid *grid, const struct solid *solids, int count,
                       const struct bounds *bounds, struct solid_list *lists) {
    int32_t filled[2] = {0, 0};
    struct solid_list all = {.count = 0};
    for (int i = 0; i < count; i++) {
        if (solids[i].mover == 0) {
            all.at[all.count++] = (uint16_t)i;
        }
    }
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns && row % BLOCK == 0; column += BLOCK) {
            const struct area block = area_at(grid, column, row, BLOCK);
            sift(grid, solids, &all, bounds, &block, &lists[column / BLOCK]);
        }
        for (int32_t column = 0; column < grid->columns; column++) {
            const int32_t cell = row * grid->columns + column;
            if (!fill_cell(grid, solids, &lists[column / BLOCK], bounds, cell, filled)) {
                return false;
            }
        }
    }
    return true;
}

int solid_grid_init(struct solid_grid *grid, const struct solid *solids, int count,
                    const struct bounds *bounds) {
    assert(count <= SOLIDS_MAX);
    *grid = (struct solid_grid){.wraps = bounds->edge == EDGE_WRAP};
    if (count == 0) {
        return 0;
    }
    lay_out(grid, solids, count, bounds);
    const int32_t cells = grid->columns * grid->rows;
    grid->room = calloc((size_t)cells, sizeof *grid->room);
    grid->nearest.begin = calloc((size_t)cells + 1, sizeof *grid->nearest.begin);
    grid->reach.begin = calloc((size_t)cells + 1, sizeof *grid->reach.begin);
    struct solid_list *lists = calloc((size_t)(grid->columns / BLOCK) + 1, sizeof *lists);
    const bool is_filled = grid->room && grid->nearest.begin && grid->reach.begin && lists &&
                           fill_cells(grid, solids, count, bounds, lists);
    free(lists);
    if (!is_filled) {
        solid_grid_fini(grid);
        return -1;
    }
    return 0;
}

void solid_grid_fini(struct solid_grid *grid) {
    free(grid->room);
    free(grid->nearest.begin);
    free(grid->nearest.members);
    free(grid->reach.begin);
    free(grid->reach.members);
    *grid = (struct solid_grid){0};
}

/* ---- questions ---- */

int32_t solid_grid_cell(const struct solid_grid *grid, const struct bounds *bounds, vec2 place) {
    const vec2 at = grid->wraps ? bounds_settle(bounds, place) : place;
    const vec2 in = vec2_sub(at, grid->origin);
    const float columns = in.x / grid->cell.x, rows = in.y / grid->cell.y;
    if (!grid->wraps &&
        !(columns >= 0.0f && rows >= 0.0f && columns < (float)grid->columns && rows < (float)grid->rows)) {
        return -1;
    }
    /* Rounding may put the last place of a torus one too far. */
    return limit_index((int32_t)rows, grid->rows) * grid->columns +
           limit_index((int32_t)columns, grid->columns);
}

static void add_cell(const struct solid_lists *lists, int32_t cell, struct solid_set *set) {
    for (int32_t i = lists->begin[cell]; i < lists->begin[cell + 1]; i++) {
        const unsigned solid = lists->members[i];
        set->words[solid / 64] |= (uint64_t)1 << (solid % 64);
    }
}

/* The columns (or rows) from low to high px: on a torus as they come, otherwise those that there are. false:
 * once round or more. */
static bool index_range(const struct solid_grid *grid, float low, float high, float cell, int32_t count,
                        int32_t range[2]) {
    if (!grid->wraps) {
        low = lesser(greater(low, -cell), (float)(count + 1) * cell);
        high = lesser(greater(high, -cell), (float)(count + 1) * cell);
    } else if (!(high - low < (float)(count - 1) * cell)) {
        return false;
    }
    range[0] = floor_index(low / cell);
    range[1] = floor_index(high / cell);
    if (!grid->wraps) {
        range[0] = range[0] < 0 ? 0 : range[0];
        range[1] = range[1] >= count ? count - 1 : range[1];
    }
    return true;
}

static int32_t around(int32_t index, int32_t count) {
    const int32_t rest = index % count;
    return rest < 0 ? rest + count : rest;
}

/* From where to where along the way the disc is between two heights, as shares of length; false: never. */
static bool part_between(float start, float step, float low, float high, float *from, float *to) {
    *from = 0.0f;
    *to = 1.0f;
    if (step < 1e-6f && step > -1e-6f) {
        return start + step >= low && start <= high;
    }
    const float a = (low - start) / step, b = (high - start) / step;
    *from = greater(lesser(a, b), 0.0f);
    *to = lesser(greater(a, b), 1.0f);
    return *from <= *to;
}

bool solid_grid_sweep(const struct solid_grid *grid, const struct bounds *bounds, vec2 place, vec2 way,
                      float length, float radius, struct solid_set *set) {
    *set = (struct solid_set){{0}};
    const vec2 start = vec2_sub(grid->wraps ? bounds_settle(bounds, place) : place, grid->origin);
    const vec2 step = vec2_scale(way, length);
    const float wide = radius + grid->slack + 4e-6f * length;
    int32_t rows[2], columns[2];
    if (!index_range(grid, start.y + lesser(step.y, 0.0f) - wide, start.y + greater(step.y, 0.0f) + wide,
                     grid->cell.y, grid->rows, rows)) {
        return false;
    }
    for (int32_t row = rows[0]; row <= rows[1]; row++) {
        const float top = (float)row * grid->cell.y;
        float from, to;
        if (!part_between(start.y, step.y, top - wide, top + grid->cell.y + wide, &from, &to)) {
            continue;
        }
        const float a = start.x + step.x * from, b = start.x + step.x * to;
        if (!index_range(grid, lesser(a, b) - wide, greater(a, b) + wide, grid->cell.x, grid->columns,
                         columns)) {
            *set = (struct solid_set){{0}};
            return false;
        }
        for (int32_t column = columns[0]; column <= columns[1]; column++) {
            const int32_t cell = around(row, grid->rows) * grid->columns + around(column, grid->columns);
            add_cell(&grid->reach, cell, set);
        }
    }
    return true;
}
