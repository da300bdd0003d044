/* See obstacles.h. */
#include "server/sim/scenery/obstacles.h"

#include <assert.h>

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

static struct solid from_polygon(const vec2 *points, int count) {
    assert(count >= 3 && count <= LIMIT_OBSTACLE_POINTS);
    struct solid solid = {.shape = SOLID_CONVEX, .count = count};
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

struct solid solid_from_obstacle(const struct obstacle_def *obstacle) {
    if (obstacle->shape == OBSTACLE_POLYGON) {
        return from_polygon(obstacle->points, obstacle->point_count);
    }
    if (obstacle->shape == OBSTACLE_CIRCLE) {
        return (struct solid){.shape = SOLID_CIRCLE, .center = obstacle->at, .radius = obstacle->radius};
    }
    const vec2 half = vec2_scale(obstacle->size, 0.5f);
    struct solid solid = {.shape = SOLID_CONVEX, .center = vec2_add(obstacle->at, half), .count = 4};
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

struct solid solid_from_wall(const struct wall_def *wall) {
    const vec2 half = vec2_scale(vec2_sub(wall->to, wall->from), 0.5f);
    struct solid solid = {.shape = SOLID_WALL, .center = vec2_add(wall->from, half), .count = 2};
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

/* From outside a convex solid, or from anywhere to a wall: the nearest point of all sides. */
static struct touch touch_outline(const struct solid *solid, vec2 place) {
    struct touch touch = {3e38f, any_way};
    float best = 3e38f;
    for (int i = 0; i < solid->count; i++) {
        const vec2 nearest =
            nearest_on_line(solid->corners[i], solid->corners[(i + 1) % solid->count], place);
        const vec2 away = vec2_sub(place, nearest);
        const float squared = vec2_length_squared(away);
        if (squared < best) {
            best = squared;
            touch = (struct touch){sqrtf(squared), unit_or(away, solid->normals[i])};
        }
    }
    return touch;
}

struct touch solid_touch(const struct solid *solid, vec2 place) {
    if (solid->shape == SOLID_CIRCLE) {
        const float distance = vec2_length(place);
        return (struct touch){distance - solid->radius, unit_or(place, any_way)};
    }
    if (solid->shape == SOLID_CONVEX) {
        struct touch inside = {-3e38f, any_way};
        for (int i = 0; i < solid->count; i++) {
            const float height = vec2_dot(vec2_sub(place, solid->corners[i]), solid->normals[i]);
            if (height > inside.distance) {
                inside = (struct touch){height, solid->normals[i]};
            }
        }
        if (inside.distance < 0.0f) {
            return inside;
        }
    }
    return touch_outline(solid, place);
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
        sweep_side(solid, i, solid->normals[i], place, way, length, radius, &contact);
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
