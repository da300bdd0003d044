/* Every scenario, watched for a minute of simulated time: positions stay finite, no body is in a solid, few
 * bodies overlap, no agent that wants to move is stuck, and resting agents do not tremble. After 5 and 20 s
 * without a mouse the world is one to look at: it moves, bodies are apart and headings are smooth.
 *
 * Measured after the first 10 s: `overlap`, the share of agents that another covers by a quarter or
 * more of their radii, mean over samples a second apart; `tremble`, the share of all agents' seconds that are
 * of rest (below 5 % of max_speed) with more than 60 degrees of turning. From the start: `stuck`, how many
 * once wanted to move at a quarter of max_speed or more for 20 s and stayed within a body's width; `in
 * solids`, how many bodies were by half a px or more in something solid. At the two moments: `still`, the
 * share of agents below 5 % of max_speed; `close`, the share that is closer to another than 0.85 of both radii;
 * `twitch`, the share of 33 ms (of all agents, in the second before) with a turn of more than 25 degrees.
 * DROVER_HEALTH=NAME watches one scenario.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/scenario/scenario.h"
#include "server/sim/world/world.h"
#include "tests/property/each_scenario.h"
#include "tests/property/named_scenario.h"
#include "tests/unit/server/cmocka_all.h"

enum { SECONDS = 60, SETTLE_SECONDS = 10, STUCK_SECONDS = 20, REST_TICKS = 30, MOMENTS = 2 };
static const int moments_s[MOMENTS] = {5, 20};

/* The bounds of a scenario. */
struct bound {
    const char *name;
    double overlap, tremble; /* the largest allowed shares */
    int stuck;
    int ticks; /* 0: a minute's worth */
    const char *why;
};
static const struct bound usual = {"", 0.03, 0.005, 0, 0, ""};
static const struct bound bounds_of[] = {
    {"arrive", 1.0, 0.005, 0, 0, "all three arrive at the same point"},
    {"avoid_obstacles", 0.03, 0.01, 0, 0, "agents between obstacles are pushed by those behind them"},
    {"boids_target", 0.2, 0.005, 0, 0, "the tutorial: all seek one point"},
    {"capture_the_flag", 0.07, 0.005, 0, 0, "five agents; an enemy that catches the seeker covers it"},
    {"containment", 0.12, 0.005, 0, 0, "wanderers: nothing keeps them apart"},
    {"follow_wall", 0.07, 0.005, 0, 0, "one file along a wall, in which the faster pass the slower"},
    {"great_hunt", 0.05, 0.005, 0, 600, "many; hunters run through the prey"},
    {"hunters_and_prey", 0.05, 0.005, 0, 0, "hunters run through the prey that gather at the mouse"},
    {"multiple_pursuit", 0.05, 0.005, 0, 0, "thirty close in on one"},
    {"murmuration_10k", 0.03, 0.005, 0, 660, "many"},
    {"murmuration_100k", 0.0, 0.0, 0, 5, "too many to watch; it runs"},
    {"million", 0.0, 0.0, 0, 1, "too many to watch; it runs"},
    {"pursue_and_evade", 0.08, 0.005, 0, 0, "two hares at the mouse, and a fox that catches one"},
    {"seek_and_flee", 0.7, 0.06, 0, 0,
     "the tutorial: eight at one point of balance, which walks with the mouse"},
    {"seek_mass", 1.0, 0.005, 0, 0, "the tutorial: all seek one point"},
    {"starlings", 0.03, 0.005, 0, 1260,
     "each with seven others; a minute of them costs as much as that of ten others"},
    {"throng", 0.0, 0.0, 0, 5, "too many to watch; it runs"},
};

/* What a person sees at a moment: shares of the agents. */
struct sight {
    double still, close, twitch;
};

/* The bounds of what is seen of a scenario, at each moment. */
struct sight_bound {
    const char *name;
    struct sight most;
    const char *why;
};
static const struct sight_bound usual_sight = {"", {0.5, 0.05, 0.01}, ""};
static const struct sight_bound sight_bounds[] = {
    {"arrive", {0.5, 1.0, 0.06}, "all three arrive at the mouse, and turn to it as it sets out"},
    {"boids_target", {0.5, 0.05, 0.03}, "the tutorial: one of five turns as fast as it may"},
    {"containment", {0.5, 0.12, 0.01}, "moths, ants and flies pass over each other"},
    {"seek", {0.5, 0.05, 0.04}, "the tutorial: one agent that turns round behind the target"},
    {"seek_and_flee", {0.5, 0.65, 0.01}, "the tutorial: eight at one point of balance"},
    {"seek_mass", {0.5, 1.0, 0.23}, "the tutorial: all seek one point, and the light one buzzes on it"},
    {"wander", {0.5, 0.06, 0.01}, "wanderers: nothing keeps them apart"},
};

struct health {
    double overlap, samples;
    int stuck, in_solid;
    double seconds, rests, trembles; /* s, of all agents together */
    struct sight sights[MOMENTS];
};

enum { NEWCOMERS = 4096 /* more than sources bring in a minute */ };

/* The record of an agent. */
struct watched {
    vec2 anchor;  /* px: where it was when it was last seen to move, or not to want to */
    int still;    /* s since then */
    vec2 heading; /* of the tick before */
    vec2 seen;    /* the heading that was last compared */
    int slow;     /* ticks that it has been at rest */
    float turned; /* rad, in the present second of rest */
    bool is_stuck;
};

struct watch {
    struct world *world;
    struct bounds bounds;
    struct watched *watched; /* by id */
    uint32_t ids;
    int32_t *order; /* rows by x */
    struct agent_view *views;
    struct health health;
};

static struct watch watch_start(struct world *world) {
    struct watch watch = {.world = world, .bounds = world_bounds(world)};
    const size_t newcomers = world_source_count(world) > 0 ? NEWCOMERS : 0;
    const size_t count = (size_t)world_agent_count(world) + newcomers;
    watch.ids = (uint32_t)count + 1;
    watch.watched = calloc(count + 1, sizeof *watch.watched);
    watch.views = calloc(count + 1, sizeof *watch.views);
    assert_true(watch.watched && watch.views);
    return watch;
}

/* The record of an agent, begun when it is seen for the first time. */
static struct watched *record_of(struct watch *watch, const struct agent_view *agent) {
    assert_true(agent->id < watch->ids);
    struct watched *watched = &watch->watched[agent->id];
    if (!(vec2_length_squared(watched->heading) > 0.0f)) {
        *watched =
            (struct watched){.anchor = agent->position, .heading = agent->heading, .seen = agent->heading};
    }
    return watched;
}

static int by_x(const void *a, const void *b) {
    const struct agent_view *one = a, *other = b;
    return (one->position.x > other->position.x) - (one->position.x < other->position.x);
}

/* Whether the two are nearer than this share of both radii. */
static bool is_nearer(const struct watch *watch, const struct agent_view *a, const struct agent_view *b,
                      float share) {
    const float limit = share * (a->radius + b->radius);
    return vec2_length_squared(bounds_difference(&watch->bounds, a->position, b->position)) < limit * limit;
}

/* The agents that have another nearer than this share of both radii. Sorted by x, so that only those within a
 * body's width are compared. Overlap across a wrapping edge is not counted. */
static double near_share(struct watch *watch, float share) {
    const int32_t count = world_agent_count(watch->world);
    float widest = 0.0f;
    for (int32_t row = 0; row < count; row++) {
        watch->views[row] = world_agent(watch->world, row);
        widest = fmaxf(widest, watch->views[row].radius);
    }
    qsort(watch->views, (size_t)count, sizeof *watch->views, by_x);
    int32_t overlapping = 0;
    for (int32_t i = 0; i < count; i++) {
        bool has = false;
        for (int32_t step = -1; step <= 1 && !has; step += 2) {
            for (int32_t j = i + step; j >= 0 && j < count && !has; j += step) {
                if (fabsf(watch->views[j].position.x - watch->views[i].position.x) > 2.0f * widest) {
                    break;
                }
                has = is_nearer(watch, &watch->views[i], &watch->views[j], share);
            }
        }
        overlapping += has;
    }
    return count > 0 ? (double)overlapping / (double)count : 0.0;
}

static void look_for_stuck(struct watch *watch, int32_t row) {
    const struct agent_view agent = world_agent(watch->world, row);
    struct watched *watched = record_of(watch, &agent);
    struct steering_view view;
    world_explain(watch->world, row, &view);
    const vec2 moved = bounds_difference(&watch->bounds, watched->anchor, agent.position);
    if (agent.max_speed <= 0.0f || vec2_length(view.desired) < 0.25f * agent.max_speed ||
        vec2_length(moved) > 2.0f * agent.radius) {
        watched->anchor = agent.position;
        watched->still = 0;
    } else if (++watched->still >= STUCK_SECONDS && !watched->is_stuck) {
        watched->is_stuck = true;
        watch->health.stuck++;
    }
}

static void each_second(struct watch *watch, int second) {
    const struct scenery *scenery = world_scenery(watch->world);
    for (int32_t row = 0; row < world_agent_count(watch->world); row++) {
        const struct agent_view agent = world_agent(watch->world, row);
        assert_true(isfinite(agent.position.x) && isfinite(agent.position.y));
        assert_true(isfinite(agent.velocity.x) && isfinite(agent.velocity.y));
        const float distance = scenery_nearest(scenery, &watch->bounds, agent.position).touch.distance;
        watch->health.in_solid += distance < agent.radius - 0.5f;
        look_for_stuck(watch, row);
        watch->health.seconds += second >= SETTLE_SECONDS;
    }
    if (second >= SETTLE_SECONDS) {
        watch->health.overlap += near_share(watch, 0.75f);
        watch->health.samples += 1.0;
    }
}

/* A second of an agent at rest in which it turned by more than 60 degrees altogether is one of trembling. */
static void note_rest(struct watch *watch, struct watched *watched, const struct agent_view *agent) {
    watched->slow = vec2_length(agent->velocity) < 0.05f * agent->max_speed ? watched->slow + 1 : 0;
    if (watched->slow <= REST_TICKS) {
        watched->turned = 0.0f;
        return;
    }
    const float cosine = vec2_dot(agent->heading, watched->heading);
    watched->turned += cosine < 1.0f ? acosf(cosine < -1.0f ? -1.0f : cosine) : 0.0f;
    if ((watched->slow - REST_TICKS) % 60 == 0) {
        watch->health.rests += 1.0;
        watch->health.trembles += watched->turned > 1.05f;
        watched->turned = 0.0f;
    }
}

static void each_tick(struct watch *watch, bool is_settled) {
    for (int32_t row = 0; row < world_agent_count(watch->world); row++) {
        const struct agent_view agent = world_agent(watch->world, row);
        struct watched *watched = record_of(watch, &agent);
        if (is_settled) {
            note_rest(watch, watched, &agent);
        }
        watched->heading = agent.heading;
    }
}

/* ---- what a person sees at a moment ---- */

/* The share of agents that have turned by more than 25 degrees in 33 ms (or in a tick, if that is longer: more,
 * in proportion) since the last call. */
static double twitch_share(struct watch *watch, int ticks, int hz) {
    const float limit = cosf((float)ticks * 750.0f / (float)hz * 3.14159265f / 180.0f);
    const int32_t count = world_agent_count(watch->world);
    int32_t twitching = 0;
    for (int32_t row = 0; row < count; row++) {
        const struct agent_view agent = world_agent(watch->world, row);
        struct watched *watched = record_of(watch, &agent);
        twitching += vec2_dot(agent.heading, watched->seen) < limit;
        watched->seen = agent.heading;
    }
    return count > 0 ? (double)twitching / (double)count : 0.0;
}

static double still_share(const struct watch *watch) {
    const int32_t count = world_agent_count(watch->world);
    int32_t still = 0, movable = 0;
    for (int32_t row = 0; row < count; row++) {
        const struct agent_view agent = world_agent(watch->world, row);
        movable += agent.max_speed > 0.0f;
        still += agent.max_speed > 0.0f && vec2_length(agent.velocity) < 0.05f * agent.max_speed;
    }
    return movable > 0 ? (double)still / (double)movable : 0.0;
}

/* In the second before a moment each 33 ms count; at the moment itself the rest. */
static void look(struct watch *watch, int tick) {
    const int hz = (int)world_tick_hz(watch->world), stride = hz >= 60 ? hz / 30 : 1;
    for (int i = 0; i < MOMENTS; i++) {
        struct sight *sight = &watch->health.sights[i];
        const int left = moments_s[i] * hz - tick;
        if (left < 0 || left > hz || left % stride != 0) {
            continue;
        }
        const double twitch = twitch_share(watch, stride, hz);
        sight->twitch += left < hz ? twitch * stride / hz : 0.0; /* the first call only begins to watch */
        if (left == 0) {
            sight->still = still_share(watch);
            sight->close = near_share(watch, 0.85f);
        }
    }
}

static struct health watch_scenario(const char *name, int ticks) {
    struct watch watch = watch_start(world_named(name));
    const int hz = (int)world_tick_hz(watch.world);
    ticks = ticks ? ticks : SECONDS * hz;
    for (int tick = 0; tick < ticks; tick++) {
        world_step(watch.world);
        if (ticks >= hz) {
            each_tick(&watch, tick >= SETTLE_SECONDS * hz);
            look(&watch, tick + 1);
        }
        if ((tick + 1) % hz == 0 || tick + 1 == ticks) {
            each_second(&watch, tick / hz);
        }
    }
    free(watch.watched);
    free(watch.views);
    world_destroy(watch.world);
    return watch.health;
}

static struct bound bound_of(const char *name) {
    for (size_t i = 0; i < sizeof bounds_of / sizeof *bounds_of; i++) {
        if (strcmp(bounds_of[i].name, name) == 0) {
            return bounds_of[i];
        }
    }
    return usual;
}

static const struct sight_bound *sight_bound_of(const char *name) {
    for (size_t i = 0; i < sizeof sight_bounds / sizeof *sight_bounds; i++) {
        if (strcmp(sight_bounds[i].name, name) == 0) {
            return &sight_bounds[i];
        }
    }
    return &usual_sight;
}

/* Whether each moment stays within its bounds; prints the measurements. */
static bool check_sights(const char *name, const struct health *health) {
    const struct sight *most = &sight_bound_of(name)->most;
    bool is_well = true;
    for (int i = 0; i < MOMENTS; i++) {
        const struct sight *sight = &health->sights[i];
        const bool is_sight_well =
            sight->still <= most->still && sight->close <= most->close && sight->twitch <= most->twitch;
        print_message("%20s after %2d s: still %.3f (%.2f) close %.3f (%.2f) twitch %.4f (%.3f)%s\n", "",
                      moments_s[i], sight->still, most->still, sight->close, most->close, sight->twitch,
                      most->twitch, is_sight_well ? "" : "  <- TOO MUCH");
        is_well = is_well && is_sight_well;
    }
    return is_well;
}

/* Whether the scenario stays within its bounds; prints the measurements. */
static bool check(const char *name) {
    const struct bound bound = bound_of(name);
    const struct health health = watch_scenario(name, bound.ticks);
    const double overlap = health.overlap / fmax(health.samples, 1.0);
    const double tremble = health.trembles / fmax(health.seconds, 1.0);
    const bool is_well = overlap <= bound.overlap && tremble <= bound.tremble &&
                         health.stuck <= bound.stuck && health.in_solid == 0;
    print_message("%-20s overlap %.4f (%.2f) stuck %d (%d) in solids %d tremble %.4f (%.3f)%s\n", name,
                  overlap, bound.overlap, health.stuck, bound.stuck, health.in_solid, tremble, bound.tremble,
                  is_well ? "" : "  <- TOO MUCH");
    return check_sights(name, &health) && is_well;
}

static int failures_of(const char *name) {
    return check(name) ? 0 : 1;
}

static void test_every_scenario(void **state) {
    assert_int_equal(each_scenario(getenv("DROVER_HEALTH"), failures_of), 0);
}

/* What rests slows down: a second after it began to, a hunter is below a fifth of its speed. */
static void a_tired_hunter_slows_down(void **state) {
    enum { HUNTERS = 3, RESTS = 0, SETTLED = 60, TICKS = 1800 };
    int rested[HUNTERS] = {0}, seen = 0;
    struct world *world = world_named("hunters_and_prey");
    for (int tick = 0; tick < TICKS; tick++) {
        world_step(world);
        for (int32_t row = 0; row < HUNTERS; row++) {
            const struct agent_view hunter = world_agent(world, row);
            assert_int_equal(hunter.kind, 0);
            rested[row] = hunter.state == RESTS ? rested[row] + 1 : 0;
            seen += rested[row] > SETTLED ? 1 : 0;
            assert_true(rested[row] <= SETTLED || vec2_length(hunter.velocity) < 0.2f * hunter.max_speed);
        }
    }
    assert_true(seen > HUNTERS * SETTLED);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_scenario),
                                       cmocka_unit_test(a_tired_hunter_slows_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
