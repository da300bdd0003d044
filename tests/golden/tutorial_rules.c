/* The tutorials' own update rules, in double precision and their per-frame units, beside the scenarios that
 * claim to be them: after each of 300 ticks every agent is within 0.05 px of where the tutorial's code puts
 * it.
 *
 * sources  Phaser "Seek" (seek), Tuts+ "Understanding Steering Behaviors: Seek" and "Movement Manager"
 * (seek_mass, seek_and_flee), "Boids steering" (boids_target), "Arrival" (arrive: kind tutorial)
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "server/library/scenario_library.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world.h"
#include "tests/unit/server/cmocka_all.h"

enum { TICKS = 300, AGENTS_MAX = 32 };
#define FRAMES_PER_SECOND 60.0
#define TOLERANCE         0.05

struct point {
    double x, y;
};

/* A tutorial's agent: velocities in px a frame (Tuts+, arrival) or px a second (Phaser), as its rule has
 * them. */
struct actor {
    struct point position, velocity;
    double mass, max_speed, max_force; /* in the rule's units */
    int is_direct;
};

static struct point minus(struct point a, struct point b) {
    return (struct point){a.x - b.x, a.y - b.y};
}
static struct point plus(struct point a, struct point b) {
    return (struct point){a.x + b.x, a.y + b.y};
}
static struct point times(struct point a, double s) {
    return (struct point){a.x * s, a.y * s};
}
static double length(struct point a) {
    return sqrt(a.x * a.x + a.y * a.y);
}

static struct point set_magnitude(struct point a, double magnitude) {
    const double now = length(a);
    return now > 0.0 ? times(a, magnitude / now) : a;
}

static struct point truncated(struct point a, double limit) {
    return length(a) > limit ? set_magnitude(a, limit) : a;
}

/* ---- the rules; each moves an actor by one frame, with the target and a second point ---- */

typedef void (*frame_rule)(struct actor *actor, struct point target, struct point other);

static void phaser_seek(struct actor *actor, struct point target, struct point other) {
    (void)other;
    const struct point desired = set_magnitude(minus(target, actor->position), actor->max_speed);
    const struct point steer = truncated(minus(desired, actor->velocity), actor->max_force);
    actor->velocity = truncated(plus(actor->velocity, steer), actor->max_speed);
    actor->position = plus(actor->position, times(actor->velocity, 1.0 / FRAMES_PER_SECOND));
}

static void manager_update(struct actor *actor, struct point steering) {
    steering = times(truncated(steering, actor->max_force), 1.0 / actor->mass);
    actor->velocity = truncated(plus(actor->velocity, steering), actor->max_speed);
    actor->position = plus(actor->position, actor->velocity);
}

static struct point do_seek(const struct actor *actor, struct point target) {
    return minus(set_magnitude(minus(target, actor->position), actor->max_speed), actor->velocity);
}

static struct point do_flee(const struct actor *actor, struct point threat) {
    return minus(set_magnitude(minus(actor->position, threat), actor->max_speed), actor->velocity);
}

static void tuts_seek(struct actor *actor, struct point target, struct point other) {
    (void)other;
    if (actor->is_direct) {
        actor->velocity = set_magnitude(minus(target, actor->position), actor->max_speed);
        actor->position = plus(actor->position, actor->velocity);
        return;
    }
    manager_update(actor, do_seek(actor, target));
}

static void tuts_seek_and_flee(struct actor *actor, struct point target, struct point center) {
    manager_update(actor, plus(do_seek(actor, target), do_flee(actor, center)));
}

static void phaser_boid(struct actor *actor, struct point target, struct point other) {
    (void)other;
    struct point direction = set_magnitude(minus(target, actor->position), actor->max_speed);
    /* The rule scales any difference up to full force, so the rounding error of double precision, where exact
     * arithmetic gives zero, would steer at random. */
    direction = minus(direction, actor->velocity);
    direction =
        length(direction) < 1e-9 ? (struct point){0.0, 0.0} : set_magnitude(direction, actor->max_force);
    actor->velocity = set_magnitude(plus(actor->velocity, direction), actor->max_speed);
    actor->position = plus(actor->position, times(actor->velocity, 1.0 / FRAMES_PER_SECOND));
}

static void arrival(struct actor *actor, struct point target, struct point other) {
    (void)other;
    const double slowing_distance = 20.0, distance = length(minus(target, actor->position));
    struct point desired = set_magnitude(minus(target, actor->position), 1.0);
    desired = times(desired, distance > slowing_distance ? actor->max_speed
                                                         : actor->max_speed * distance / slowing_distance);
    actor->velocity = plus(actor->velocity, truncated(minus(desired, actor->velocity), actor->max_force));
    actor->position = plus(actor->position, actor->velocity);
}

/* ---- running a rule beside the world ---- */

struct comparison {
    const char *scenario, *kind; /* kind NULL: all of them */
    const char *target, *other;
    frame_rule rule;
    double speed_unit, force_unit; /* Drover's px/s and mass*px/s^2 to the rule's units */
};

static struct point double_point(vec2 v) {
    return (struct point){(double)v.x, (double)v.y};
}

static struct actor make_actor(const struct world *world, int32_t row, const struct comparison *c) {
    const struct agent_view agent = world_agent(world, row);
    return (struct actor){
        .position = double_point(agent.position),
        .velocity = times(double_point(agent.velocity), c->speed_unit),
        .mass = (double)agent.mass,
        .max_speed = (double)agent.max_speed * c->speed_unit,
        .max_force = (double)agent.max_force * c->force_unit,
        .is_direct = world_kind(world, agent.kind)->body.locomotion == LOCOMOTION_DIRECT,
    };
}

static struct world *load(const char *name) {
    char path[256];
    snprintf(path, sizeof path, "scenarios/%s.json", name);
    struct scenario scenario;
    struct failure failure;
    if (scenario_file_load(path, &scenario, &failure) != 0) {
        fail_msg("%s", failure.message);
    }
    struct world *world = NULL;
    assert_int_equal(world_create(&scenario.def, &world, NULL), WORLD_OK);
    scenario_fini(&scenario);
    return world;
}

static void compare(const struct comparison *c) {
    struct world *world = load(c->scenario);
    const int target = world_find_target(world, c->target);
    const int other = c->other ? world_find_target(world, c->other) : target;
    assert_true(target >= 0 && other >= 0);
    struct actor actors[AGENTS_MAX];
    int32_t rows[AGENTS_MAX];
    int count = 0;
    for (int32_t row = 0; row < world_agent_count(world); row++) {
        if (!c->kind || strcmp(world_kind(world, world_agent(world, row).kind)->name, c->kind) == 0) {
            rows[count] = row;
            actors[count++] = make_actor(world, row, c);
        }
    }
    assert_true(count > 0);
    double worst = 0.0, traveled = 0.0;
    for (int tick = 0; tick < TICKS; tick++) {
        if (tick == 120) {
            world_set_target(world, target, (vec2){150.0f, 330.0f}); /* the mouse moves */
        }
        /* A target that jumped is read back: the place is random, and the compared positions decide the
         * tick. */
        const struct point at = double_point(world_target_position(world, target));
        const struct point second = double_point(world_target_position(world, other));
        world_step(world);
        for (int i = 0; i < count; i++) {
            const struct point before = actors[i].position;
            c->rule(&actors[i], at, second);
            traveled += length(minus(actors[i].position, before));
            const struct point ours = double_point(world_agent(world, rows[i]).position);
            worst = fmax(worst, length(minus(ours, actors[i].position)));
        }
    }
    print_message("%s: %d agents, %.0f px traveled, furthest apart %.5f px\n", c->scenario, count, traveled,
                  worst);
    assert_true(traveled > 100.0 * count);
    assert_true(worst <= TOLERANCE);
    world_destroy(world);
}

#define PER_FRAME  (1.0 / FRAMES_PER_SECOND)
#define PER_FRAME2 (1.0 / (FRAMES_PER_SECOND * FRAMES_PER_SECOND))

static const struct comparison comparisons[] = {
    {"seek", NULL, "mouse", NULL, phaser_seek, 1.0, PER_FRAME},
    {"seek_mass", NULL, "mouse", NULL, tuts_seek, PER_FRAME, PER_FRAME2},
    {"boids_target", NULL, "target", NULL, phaser_boid, 1.0, PER_FRAME},
    {"seek_and_flee", NULL, "mouse", "center", tuts_seek_and_flee, PER_FRAME, PER_FRAME2},
    {"arrive", "tutorial", "mouse", NULL, arrival, PER_FRAME, PER_FRAME2},
};

static void test_comparison(void **state) {
    compare(*state);
}

int main(void) {
    enum { COUNT = sizeof comparisons / sizeof *comparisons };
    struct comparison rows[COUNT]; /* cmocka's initial_state is not const */
    struct CMUnitTest tests[COUNT];
    memcpy(rows, comparisons, sizeof rows);
    for (size_t i = 0; i < COUNT; i++) {
        tests[i] = (struct CMUnitTest){rows[i].scenario, test_comparison, NULL, NULL, &rows[i]};
    }
    return _cmocka_run_group_tests("tutorial_rules", tests, COUNT, NULL, NULL);
}
