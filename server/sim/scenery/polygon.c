/* See polygon.h. */
#include "server/sim/scenery/polygon.h"

#include <assert.h>

struct point {
    int64_t x, y; /* 1/100 px, at most 2 * 10^8 */
};

static int64_t hundredths(float px) {
    const double scaled = (double)px * 100.0;
    return (int64_t)(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5);
}

static struct point point_of(vec2 place) {
    return (struct point){hundredths(place.x), hundredths(place.y)};
}

/* > 0: from a over b to c the way turns right on a screen. */
static int64_t turn(struct point a, struct point b, struct point c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* ---- simple or not ---- */

static bool is_between(int64_t value, int64_t a, int64_t b) {
    return value >= (a < b ? a : b) && value <= (a < b ? b : a);
}

/* Whether a point of the line through a and b lies between them. */
static bool is_on(struct point point, struct point a, struct point b) {
    return is_between(point.x, a.x, b.x) && is_between(point.y, a.y, b.y);
}

/* Whether two straight lines have a point in common. */
static bool do_meet(struct point a, struct point b, struct point c, struct point d) {
    const int64_t c_side = turn(a, b, c), d_side = turn(a, b, d), a_side = turn(c, d, a),
                  b_side = turn(c, d, b);
    if (((c_side > 0 && d_side < 0) || (c_side < 0 && d_side > 0)) &&
        ((a_side > 0 && b_side < 0) || (a_side < 0 && b_side > 0))) {
        return true;
    }
    return (c_side == 0 && is_on(c, a, b)) || (d_side == 0 && is_on(d, a, b)) ||
           (a_side == 0 && is_on(a, c, d)) || (b_side == 0 && is_on(b, c, d));
}

/* Sides i < j. Neighbors share a corner; they must not lie on each other. */
static bool is_crossed(const vec2 *points, int count, int i, int j) {
    const struct point a = point_of(points[i]), b = point_of(points[i + 1]);
    const struct point c = point_of(points[j]), d = point_of(points[(j + 1) % count]);
    if (j == i + 1) {
        return turn(a, b, d) == 0 && (is_on(d, a, b) || is_on(a, b, d));
    }
    if ((j + 1) % count == i) {
        return turn(c, d, b) == 0 && (is_on(b, c, d) || is_on(c, d, b));
    }
    return do_meet(a, b, c, d);
}

bool polygon_crossing(const vec2 *points, int count, int sides[2]) {
    for (int i = 0; i < count; i++) {
        const struct point from = point_of(points[i]), to = point_of(points[(i + 1) % count]);
        if (from.x == to.x && from.y == to.y) {
            sides[0] = sides[1] = i + 1;
            return true;
        }
    }
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            if (is_crossed(points, count, i, j)) {
                sides[0] = i + 1;
                sides[1] = j + 1;
                return true;
            }
        }
    }
    return false;
}

/* Whichever way round: all turns go the same way, and once round is one full turn. */
bool polygon_is_convex(const vec2 *points, int count) {
    double area = 0.0;
    int left = 0, right = 0, flips = 0;
    float previous = 0.0f;
    for (int i = 0; i < count; i++) {
        const vec2 edge = vec2_sub(points[(i + 1) % count], points[i]);
        const vec2 next = vec2_sub(points[(i + 2) % count], points[(i + 1) % count]);
        const double turn = (double)edge.x * (double)next.y - (double)edge.y * (double)next.x;
        left += turn < 0.0;
        right += turn > 0.0;
        area += turn;
        if (vec2_length_squared(edge) == 0.0f) {
            return false;
        }
        /* A star turns one way as well, but goes round more than once: its x changes direction too often. */
        const float way = edge.x > 0.0f ? 1.0f : edge.x < 0.0f ? -1.0f : previous;
        flips += previous != 0.0f && way != previous;
        previous = way;
    }
    return count <= LIMIT_PIECE_POINTS && area != 0.0 && (left == 0 || right == 0) && flips <= 2;
}

/* ---- triangles ---- */

static struct point corner_at(const struct polygon_cut *cut, int corner) {
    return (struct point){cut->x[corner], cut->y[corner]};
}

static int64_t turn_at(const struct polygon_cut *cut, int a, int b, int c) {
    return turn(corner_at(cut, a), corner_at(cut, b), corner_at(cut, c));
}

/* Whether a triangle of three corners that follow each other in what is left can be cut off: it has an area, and no
 * other corner lies in it or on its border. */
static bool is_ear(const struct polygon_cut *cut, const uint8_t *left, int count, int at) {
    const int a = left[(at + count - 1) % count], b = left[at], c = left[(at + 1) % count];
    if (turn_at(cut, a, b, c) <= 0) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const int other = left[i];
        if (other != a && other != b && other != c && turn_at(cut, a, b, other) >= 0 &&
            turn_at(cut, b, c, other) >= 0 && turn_at(cut, c, a, other) >= 0) {
            return false;
        }
    }
    return true;
}

static void cut_ears(struct polygon_cut *cut) {
    uint8_t left[LIMIT_OBSTACLE_POINTS];
    for (int i = 0; i < cut->point_count; i++) {
        left[i] = (uint8_t)i;
    }
    for (int count = cut->point_count; count >= 3; count--) {
        int at = 0;
        while (count > 3 && !is_ear(cut, left, count, at)) {
            at++;
            assert(at < count); /* a simple polygon has two ears */
        }
        cut->pieces[cut->piece_count++] =
            (struct polygon_piece){3, {left[(at + count - 1) % count], left[at], left[(at + 1) % count]}};
        for (int i = at; i + 1 < count; i++) {
            left[i] = left[i + 1];
        }
    }
}

/* ---- pieces ---- */

/* The place of the side from corner a to corner b in a piece, or -1. */
static int find_side(const struct polygon_piece *piece, int a, int b) {
    for (int i = 0; i < piece->count; i++) {
        if (piece->corners[i] == a && piece->corners[(i + 1) % piece->count] == b) {
            return i;
        }
    }
    return -1;
}

static bool is_convex(const struct polygon_cut *cut, const struct polygon_piece *piece) {
    for (int i = 0; i < piece->count; i++) {
        if (turn_at(cut, piece->corners[i], piece->corners[(i + 1) % piece->count],
                    piece->corners[(i + 2) % piece->count]) < 0) {
            return false;
        }
    }
    return true;
}

/* Piece p, whose side `side` is side `back` of piece q the other way round, and q become one, if that is convex. */
static void join(struct polygon_cut *cut, int p, int side, int q, int back) {
    const struct polygon_piece *one = &cut->pieces[p], *two = &cut->pieces[q];
    struct polygon_piece both = {.count = 0};
    if (one->count + two->count - 2 > LIMIT_PIECE_POINTS) {
        return;
    }
    for (int i = 1; i <= one->count; i++) { /* from the side's end once round to its beginning */
        both.corners[both.count++] = one->corners[(side + i) % one->count];
    }
    for (int i = 2; i < two->count; i++) { /* and what q has between these two */
        both.corners[both.count++] = two->corners[(back + i) % two->count];
    }
    if (is_convex(cut, &both)) {
        cut->pieces[p] = both;
        cut->pieces[q] = cut->pieces[--cut->piece_count];
    }
}

/* Takes the cut from corner a to corner b away, if what it divides is convex together. */
static void heal(struct polygon_cut *cut, int a, int b) {
    int p = 0, q = 0, side = -1, back = -1;
    while ((side = find_side(&cut->pieces[p], a, b)) < 0) {
        p++;
        assert(p < cut->piece_count);
    }
    while ((back = find_side(&cut->pieces[q], b, a)) < 0) {
        q++;
        assert(q < cut->piece_count);
    }
    join(cut, p, side, q, back);
}

bool polygon_cut(const vec2 *points, int count, struct polygon_cut *cut) {
    int crossing[2];
    int64_t area = 0; /* twice; the sum of at most 62 turns of at most 8 * 10^16 */
    assert(count >= 3 && count <= LIMIT_OBSTACLE_POINTS);
    if (polygon_crossing(points, count, crossing)) {
        return false;
    }
    for (int i = 1; i + 1 < count; i++) {
        area += turn(point_of(points[0]), point_of(points[i]), point_of(points[i + 1]));
    }
    *cut = (struct polygon_cut){.point_count = count};
    for (int i = 0; i < count; i++) {
        const struct point point = point_of(points[area > 0 ? i : count - 1 - i]);
        cut->x[i] = point.x;
        cut->y[i] = point.y;
    }
    cut_ears(cut);
    uint8_t cuts[POLYGON_PIECES_MAX][2];
    const int triangles = cut->piece_count;
    for (int i = 0; i + 1 < triangles; i++) { /* each ear but the last was cut off along its third side */
        cuts[i][0] = cut->pieces[i].corners[2];
        cuts[i][1] = cut->pieces[i].corners[0];
    }
    for (int i = 0; i + 1 < triangles; i++) {
        heal(cut, cuts[i][0], cuts[i][1]);
    }
    return true;
}
