/* Rays against every outline of the scenario in double precision, the images of a torus one by one: random worlds, places, headings.
 *
 * No solid is within SCENERY_SKIN of a ray before it ends, and where it ends short of its range, one is. DROVER_PROPERTY_SEED and
 * DROVER_PROPERTY_WORLDS repeat or lengthen a run.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "server/frames/rays.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/world/world_internal.h"
#include "tests/property/environment.h"
#include "tests/unit/server/sim/sim_fixture.h"

#define PI    3.14159265358979323846
#define SLACK 0.02 /* px, beside SCENERY_SKIN: what floats round of places of up to 1000 px, 16 times round */

static struct rng dice;

static float any(float low, float high) {
    return rng_between(&dice, low, high);
}
static int below(int count) {
    return (int)(rng_next(&dice) % (uint64_t)count);
}

static void add_obstacle(struct geometry_def *def, float size) {
    struct obstacle_def *obstacle = geometry_def_add_obstacle(def);
    assert_non_null(obstacle);
    const vec2 at = {any(0.0f, size), any(0.0f, size)};
    *obstacle = (struct obstacle_def){.shape = below(3), .at = at, .radius = any(2.0f, 0.1f * size)};
    obstacle->size = (vec2){any(2.0f, 0.2f * size), any(2.0f, 0.2f * size)};
    obstacle->point_count = 3 + 2 * below(6); /* a star: dents are cut into pieces, with seams */
    for (int i = 0; i < obstacle->point_count; i++) {
        const double angle = 2.0 * PI * (double)i / (double)obstacle->point_count;
        const double out = (double)any(0.05f, 0.2f) * (double)size;
        obstacle->points[i] = (vec2){at.x + (float)(out * cos(angle)), at.y + (float)(out * sin(angle))};
    }
    if (obstacle_def_fault(obstacle, true, (vec2){size, size}) != NULL) {
        obstacle->shape = OBSTACLE_CIRCLE;
    }
}

static struct world *random_world(enum edge edge, float size) {
    struct world_def def = world_def_default();
    def.size = (vec2){size, size};
    def.edge = (int)edge;
    const int obstacles = below(12);
    for (int i = 0; i < obstacles; i++) {
        add_obstacle(&def.geometry, size);
        struct obstacle_def *last = &def.geometry.obstacles[i];
        if (i < 2) { /* a door on its way */
            last->door = (struct door_def){{any(0.0f, size), any(0.0f, size)}, 1.0f, true, 30};
        }
    }
    for (int i = below(12); i > 0; i--) {
        struct wall_def *wall = geometry_def_add_wall(&def.geometry);
        assert_non_null(wall);
        wall->from = (vec2){any(0.0f, size), any(0.0f, size)};
        wall->to = vec2_add(wall->from, (vec2){any(-0.3f, 0.3f) * size, any(-0.3f, 0.3f) * size});
    }
    assert_non_null(world_def_add_kind(&def, "agent"));
    struct world *world = build(&def);
    steps(world, below(40)); /* doors are on their ways */
    return world;
}

/* ---- the reference ---- */

struct point {
    double x, y;
};

static double from_line(struct point a, struct point b, struct point at) {
    const double x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
    double share = square > 0.0 ? ((at.x - a.x) * x + (at.y - a.y) * y) / square : 0.0;
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    return hypot(at.x - a.x - share * x, at.y - a.y - share * y);
}

/* Where the way from a to b crosses the line from c to d: the share of the way, or 2. */
static double crossing(struct point a, struct point b, struct point c, struct point d) {
    const double x = b.x - a.x, y = b.y - a.y, u = d.x - c.x, v = d.y - c.y, turn = x * v - y * u;
    if (fabs(turn) < 1e-12) {
        return 2.0;
    }
    const double way = ((c.x - a.x) * v - (c.y - a.y) * u) / turn;
    const double line = ((c.x - a.x) * y - (c.y - a.y) * x) / turn;
    return way >= 0.0 && way <= 1.0 && line >= 0.0 && line <= 1.0 ? way : 2.0;
}

static double circle_crossing(struct point a, struct point b, struct point middle, double radius) {
    const double x = b.x - a.x, y = b.y - a.y, from_x = a.x - middle.x, from_y = a.y - middle.y;
    const double square = x * x + y * y, half = from_x * x + from_y * y;
    const double under = half * half - square * (from_x * from_x + from_y * from_y - radius * radius);
    const double way = under < 0.0 ? 2.0 : (-half - sqrt(under)) / square;
    return way >= 0.0 && way <= 1.0 ? way : 2.0;
}

/* What one outline is to a question: how far it is from a place, and where a way meets it first. */
struct answer {
    double distance, share;
};

static void ask_line(struct point c, struct point d, struct point a, struct point b, struct answer *answer) {
    answer->distance = fmin(answer->distance, from_line(c, d, b));
    answer->share = fmin(answer->share, crossing(a, b, c, d));
}

static struct point moved(vec2 place, struct point by) {
    return (struct point){(double)place.x + by.x, (double)place.y + by.y};
}

static void ask_obstacle(const struct world *world, int index, struct point image, struct point a,
                         struct point b, struct answer *answer) {
    const struct obstacle_def *obstacle = &world->scenery.def.obstacles[index];
    const vec2 offset = scenery_offset_of(&world->scenery, index);
    const struct point by = {image.x + (double)offset.x, image.y + (double)offset.y};
    const struct point middle = moved(obstacle->at, by);
    struct point corners[LIMIT_OBSTACLE_POINTS];
    int count = obstacle->point_count;
    if (obstacle->shape == OBSTACLE_CIRCLE) {
        answer->distance =
            fmin(answer->distance, fabs(hypot(b.x - middle.x, b.y - middle.y) - (double)obstacle->radius));
        answer->share = fmin(answer->share, circle_crossing(a, b, middle, (double)obstacle->radius));
        return;
    }
    for (int i = 0; obstacle->shape == OBSTACLE_POLYGON && i < count; i++) {
        corners[i] = moved(obstacle->points[i], by);
    }
    if (obstacle->shape == OBSTACLE_BOX) {
        count = 4;
        for (int i = 0; i < 4; i++) {
            const double x = i == 0 || i == 3 ? 0.0 : 1.0,
                         y = i < 2 ? 0.0 : 1.0; /* from its upper left corner */
            corners[i] = (struct point){middle.x + x * (double)obstacle->size.x,
                                        middle.y + y * (double)obstacle->size.y};
        }
    }
    for (int i = 0; i < count; i++) {
        ask_line(corners[i], corners[(i + 1) % count], a, b, answer);
    }
}

/* Of all outlines, in all images: how far the nearest is from b, and the share of the way from a to b to the first. */
static struct answer ask_all(const struct world *world, struct point a, struct point b) {
    const struct geometry_def *def = &world->scenery.def;
    const int around = world->bounds.edge == EDGE_WRAP ? 4 : 0;
    struct answer answer = {1e9, 2.0};
    for (int row = -around; row <= around; row++) {
        for (int column = -around; column <= around; column++) {
            const struct point image = {(double)column * (double)world->bounds.size.x,
                                        (double)row * (double)world->bounds.size.y};
            for (int i = 0; i < def->obstacle_count; i++) {
                ask_obstacle(world, i, image, a, b, &answer);
            }
            for (int i = 0; i < def->wall_count; i++) {
                ask_line(moved(def->walls[i].from, image), moved(def->walls[i].to, image), a, b, &answer);
            }
        }
    }
    return answer;
}

/* Whether the place is in a solid: a ray has no outside to begin in. */
static bool is_inside(const struct world *world, vec2 place) {
    return scenery_nearest_of_all(&world->scenery, &world->bounds, place).touch.distance < 0.05f;
}

static int check_rays(const struct world *world, int32_t x, int32_t y, int32_t heading) {
    const struct rays rays = {1 + (uint32_t)below(8), any(1.0f, 2.0f * world->bounds.size.x),
                              below(2) ? 360.0f : any(0.0f, 359.0f)};
    float found[LIMIT_RAYS];
    int hits = 0;
    rays_cast(world, &rays, x, y, heading, found);
    for (uint32_t i = 0; i < rays.number; i++) {
        const double spread = (double)rays.spread, number = (double)rays.number;
        const double off = spread < 360.0 ? spread * (number > 1.0 ? (double)i / (number - 1.0) - 0.5 : 0.0)
                                          : 360.0 * (double)i / number;
        const double angle = ((double)heading / 100.0 + off) * PI / 180.0, length = (double)found[i];
        const struct point a = {(double)x / 100.0, (double)y / 100.0};
        const struct point b = {a.x + length * cos(angle), a.y + length * sin(angle)};
        const struct answer answer = ask_all(world, a, b);
        assert_true(found[i] >= 0.0f && found[i] <= rays.range);
        assert_true(answer.share > 1.0 || answer.share * length > length - SLACK); /* it passes nothing */
        if (found[i] < rays.range) {
            assert_true(answer.distance < 0.01 + SLACK); /* and ends where something is */
            hits++;
        }
    }
    return hits;
}

static void test_rays(void **state) {
    static const enum edge edges[] = {EDGE_WRAP, EDGE_OPEN, EDGE_BOUNCE};
    const uint64_t first = environment("DROVER_PROPERTY_SEED", 1);
    const uint64_t count = environment("DROVER_PROPERTY_WORLDS", 30);
    int hits = 0;
    (void)state;
    for (uint64_t seed = first; seed < first + count; seed++) {
        dice = rng_begin(seed, 0, 0, RNG_SPAWN_PLACE);
        const float size = any(100.0f, 1000.0f);
        struct world *world = random_world(edges[seed % 3], size);
        for (int question = 0; question < 60; question++) {
            const vec2 at = {any(0.0f, size), any(0.0f, size)};
            const int32_t x = world_snapshot_hundredths(at.x), y = world_snapshot_hundredths(at.y);
            if (!is_inside(world, (vec2){(float)((double)x / 100.0), (float)((double)y / 100.0)})) {
                hits += check_rays(world, x, y, below(36000));
            }
        }
        world_destroy(world);
    }
    print_message("%d rays met something\n", hits);
    assert_true(hits > (int)(10 * count));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
