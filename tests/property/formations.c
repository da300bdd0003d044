/* The places of formations: as many as can be are taken, the first ones first, for the least sum of squared ways that there is,
 * which a search through all ways to do it finds as well; roles are kept; agents keep their places until a member or the
 * leader comes or goes or the leader turns by more than 60 degrees; and a world that is saved at any tick goes on the same.
 */
#include <stdlib.h>
#include <string.h>

#include "server/recording/checkpoint.h"
#include "server/sim/math/rng.h"
#include "server/sim/world/world_internal.h"
#include "tests/property/named_scenario.h"
#include "tests/unit/server/recording/save_fixture.h"

static struct rng dice;

static int below(int count) {
    return (int)(rng_next(&dice) % (uint64_t)count);
}

/* ---- the reference: all ways to do it ---- */

enum { PLACES = 5, MEMBERS = 6 };

struct outcome {
    int64_t empty; /* a bit each, the first place the highest */
    int64_t ways;  /* squared tenths of a px */
};

struct trial {
    int places, members;
    int64_t cost[PLACES][MEMBERS]; /* < 0: the place is not for it */
};

static bool is_better(struct outcome a, struct outcome b) {
    return a.empty < b.empty || (a.empty == b.empty && a.ways < b.ways);
}

static void try_all(const struct trial *trial, int place, unsigned used, struct outcome sum,
                    struct outcome *best) {
    if (place == trial->places) {
        *best = is_better(sum, *best) ? sum : *best;
        return;
    }
    struct outcome left = sum;
    left.empty += INT64_C(1) << (trial->places - 1 - place);
    try_all(trial, place + 1, used, left, best);
    for (int m = 0; m < trial->members; m++) {
        if ((used >> m & 1) == 0 && trial->cost[place][m] >= 0) {
            struct outcome taken = sum;
            taken.ways += trial->cost[place][m];
            try_all(trial, place + 1, used | 1u << m, taken, best);
        }
    }
}

/* A world of a leader, kind 0, and members of kinds 1 and 2 anywhere, on a torus or not. */
static struct world *any_world(struct world_def *def) {
    struct world *world = NULL;
    *def = world_def_default();
    def->edge = below(2) == 0 ? EDGE_WRAP : EDGE_OPEN;
    def->seed = (uint64_t)below(1000000);
    struct formation_def *formation = &def->formations[def->formation_count++];
    memcpy(formation->name, "f", 2);
    formation->place_count = 1 + below(PLACES);
    for (int i = 0; i < formation->place_count; i++) {
        formation->places[i] = (struct formation_place){
            {(float)(below(41) - 20) * 5.0f, (float)(below(41) - 20) * 5.0f}, below(4) - 1};
        formation->places[i].kind += formation->places[i].kind == 0 ? 1 : 0;
    }
    static const char *const names[] = {"leader", "one", "two"};
    for (int k = 0; k < 3; k++) {
        struct kind_def *kind = world_def_add_kind(def, names[k]);
        if (k > 0) {
            struct behavior_def *behavior = &kind->states[0].behaviors[kind->states[0].behavior_count++];
            *behavior = behavior_def_default(BEHAVIOR_FORMATION);
            memcpy(behavior->formation, "f", 2);
            memcpy(behavior->target.kind, "leader", 7);
        }
        struct placement_def *placement = world_def_add_placement(def, names[k]);
        placement->count = k == 0 ? 1 : (uint32_t)below(MEMBERS / 2 + 1);
        placement->shape = PLACE_RECT;
        placement->size = def->size;
        if (placement->count == 0) {
            def->placement_count--;
        }
    }
    assert_int_equal(world_create(def, &world, NULL), WORLD_OK);
    return world;
}

static struct trial trial_of(const struct world *world, const struct formation_def *def) {
    struct trial trial = {.places = def->place_count, .members = world_agent_count(world) - 1};
    const struct agent_view leader = world_agent(world, 0);
    for (int p = 0; p < trial.places; p++) {
        for (int m = 0; m < trial.members; m++) {
            const struct agent_view member = world_agent(world, m + 1);
            const vec2 at = def->places[p].at, ahead = vec2_scale(leader.heading, at.x);
            const vec2 right = vec2_scale(vec2_make(-leader.heading.y, leader.heading.x), at.y);
            const vec2 to = bounds_difference(&world->bounds, member.position, leader.position),
                       none = {0.0f, 0.0f};
            const vec2 way = bounds_difference(&world->bounds, none, vec2_add(to, vec2_add(ahead, right)));
            const int64_t x = (int64_t)(way.x * 10.0f), y = (int64_t)(way.y * 10.0f);
            trial.cost[p][m] =
                def->places[p].kind >= 0 && def->places[p].kind != member.kind ? -1 : x * x + y * y;
        }
    }
    return trial;
}

static void test_least_cost(void **unused) {
    int roles_left_empty = 0;
    (void)unused;
    for (int i = 0; i < 300; i++) {
        struct world_def def;
        struct world *world = any_world(&def);
        const struct trial trial = trial_of(world, &def.formations[0]);
        struct outcome best = {INT64_MAX, INT64_MAX}, found = {0, 0};
        try_all(&trial, 0, 0, (struct outcome){0, 0}, &best);
        world_step(world);
        for (int p = 0; p < trial.places; p++) {
            int takers = 0;
            for (int m = 0; m < trial.members; m++) {
                if (world->post[m + 1] == p + 1) {
                    assert_true(trial.cost[p][m] >= 0); /* of its role */
                    found.ways += trial.cost[p][m];
                    takers++;
                }
            }
            assert_true(takers <= 1);
            found.empty += takers == 0 ? INT64_C(1) << (trial.places - 1 - p) : 0;
        }
        assert_true(found.empty == best.empty && found.ways == best.ways);
        roles_left_empty += found.empty != 0 && trial.members >= trial.places;
        world_destroy(world);
        world_def_fini(&def);
    }
    assert_true(roles_left_empty > 20);
}

/* ---- escort ---- */

static int count_posts(const struct world *world, int first, int last) {
    int count = 0;
    for (int32_t row = 0; row < world->agent_count; row++) {
        count += world->post[row] > first && world->post[row] <= last;
    }
    return count;
}

static void put_escort(struct simulation_state *state) {
    struct scenario scenario;
    simulation_state_init(state);
    scenario_named("escort", &scenario);
    put_world(state, scenario.text, "escort");
    scenario_fini(&scenario);
}

/* A guard that goes leaves the last of the guards' places empty, whichever guard it was; a lady never takes one. */
static void test_closing_up(void **unused) {
    struct simulation_state state;
    (void)unused;
    put_escort(&state);
    const struct world *world = state.world;
    step_state(&state, 1);
    assert_int_equal(count_posts(world, 0, 17), 17);
    uint8_t posts[32];
    memcpy(posts, world->post, sizeof posts[0] * (size_t)world->agent_count);
    step_state(&state, 120);
    assert_memory_equal(posts, world->post, (size_t)world->agent_count); /* while it goes straight on */
    for (int gone = 1; gone <= 3; gone++) {
        char request[64];
        (void)snprintf(request, sizeof request, "{\"op\":\"remove\",\"agent\":%d}", 1 + gone);
        apply_text(&state, 1, request);
        step_state(&state, 1);
        world = state.world;
        assert_int_equal(count_posts(world, 0, 10 - gone), 10 - gone);
        assert_int_equal(count_posts(world, 10 - gone, 10), 0);
        assert_int_equal(count_posts(world, 10, 17), 7);
        for (int32_t row = 0; row < world->agent_count; row++) {
            assert_true(world->post[row] == 0 || world->post[row] > 15 ||
                        (world->post[row] <= 10) == (world_agent(world, row).kind == 1));
        }
    }
    apply_text(&state, 1, "{\"op\":\"spawn\",\"kind\":\"guard\",\"x\":300,\"y\":300}");
    step_state(&state, 1);
    assert_int_equal(count_posts(state.world, 0, 8), 8);
    simulation_state_fini(&state);
}

/* At the corners of the queen's path places change hands, once at each: agents swap them no more often than that. */
static void test_turning(void **unused) {
    struct world *world = world_named("escort");
    uint8_t posts[32] = {0};
    int deals = 0;
    (void)unused;
    world_step(world);
    for (int tick = 1; tick < 60 * 60; tick++) {
        memcpy(posts, world->post, (size_t)world->agent_count);
        world_step(world);
        deals += memcmp(posts, world->post, (size_t)world->agent_count) != 0;
    }
    print_message("places changed hands %d times in a minute, on a way with 8 corners\n", deals);
    assert_true(deals >= 4 && deals <= 12);
    world_destroy(world);
}

static void test_saves(void **unused) {
    struct simulation_state state;
    (void)unused;
    put_escort(&state);
    for (int round = 0; round < 30; round++) {
        const struct world_overrides overrides = {.max_agents = 1000};
        struct simulation_state loaded;
        state_through_save(&state, &overrides, &loaded);
        for (int tick = 0; tick < 53; tick++) {
            step_state(&state, 1);
            step_state(&loaded, 1);
            assert_true(world_hash(loaded.world) == world_hash(state.world));
        }
        simulation_state_fini(&loaded);
    }
    simulation_state_fini(&state);
}

/* The bits that decide about the next deal are in the hash. */
static void test_hash(void **unused) {
    struct world *world = world_named("escort");
    (void)unused;
    world_step(world);
    const uint64_t hash = world_hash(world);
    struct formation_state *state = &world->formations[0].state;
    const struct formation_state kept = *state;
    state->heading.x = -state->heading.x;
    assert_true(world_hash(world) != hash);
    *state = kept;
    state->leader++;
    assert_true(world_hash(world) != hash);
    *state = kept;
    state->ids++;
    assert_true(world_hash(world) != hash);
    *state = kept;
    world->post[3]++;
    assert_true(world_hash(world) != hash);
    world->post[3]--;
    world->formations[0].def.places[2].at.x += 1.0f;
    assert_true(world_hash(world) != hash);
    world->formations[0].def.places[2].at.x -= 1.0f;
    world->formations[0].def.places[2].kind = -1;
    assert_true(world_hash(world) != hash);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_cost), cmocka_unit_test(test_closing_up), cmocka_unit_test(test_turning),
        cmocka_unit_test(test_saves),      cmocka_unit_test(test_hash),
    };
    dice = rng_begin(1, 0, 0, RNG_TARGET_JUMP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
