/* Worlds whose agents ask for sights a batch at a time against worlds in which each agent searches by itself:
 * the same hash in each tick, whatever commands come in between. */
#include <stdio.h>

#include "server/sim/tick/world_sights.h"
#include "tests/property/random_world.h"

enum { WORLDS = 60, TICKS = 40, KINDS = 4 };

static const char *const kind_names[] = {"k0", "k1", "k2", "k3"};

static void look_for(struct target_ref *ref, float widest) {
    *ref = (struct target_ref){.within = below(3) == 0 ? 0.0f : any(0.02f, 1.0f) * widest};
    copy_text(ref->kind, kind_names[below(KINDS)]);
}

static struct behavior_def random_chase(float widest) {
    static const enum behavior_type types[] = {BEHAVIOR_PURSUE, BEHAVIOR_EVADE, BEHAVIOR_SEEK, BEHAVIOR_FLEE,
                                               BEHAVIOR_INTERPOSE};
    struct behavior_def behavior = behavior_def_default(types[below((int)(sizeof types / sizeof *types))]);
    look_for(&behavior.target, widest);
    if (behavior.type == BEHAVIOR_INTERPOSE) {
        look_for(&behavior.second, widest);
    }
    behavior.keep = behavior.type == BEHAVIOR_PURSUE && below(2) == 0;
    return behavior;
}

static void add_condition(struct state_def *state, enum condition_type type, int count, float widest) {
    struct condition_def *node = &state->conditions[state->condition_count++];
    *node = (struct condition_def){.type = (int)type, .count = count, .value = any(0.0f, 0.3f)};
    if (type == CONDITION_NEAR) {
        look_for(&node->target, widest);
    }
}

static void random_conditions(struct state_def *state, float widest) {
    switch (below(4)) {
    case 0:
        add_condition(state, CONDITION_ANY, 2, widest);
        add_condition(state, CONDITION_HAS_QUARRY, 0, widest);
        break;
    case 1:
        add_condition(state, CONDITION_ALL, 3, widest);
        add_condition(state, CONDITION_NOT, 1, widest);
        add_condition(state, CONDITION_NEAR, 0, widest);
        add_condition(state, CONDITION_TIME_OVER, 0, widest);
        break;
    default:
        break;
    }
    add_condition(state, CONDITION_NEAR, 0, widest);
}

static void fill_kind(struct kind_def *kind, float widest) {
    kind->state_count = 1 + below(3);
    for (int s = 0; s < kind->state_count; s++) {
        struct state_def *state = &kind->states[s];
        (void)snprintf(state->name, sizeof state->name, "s%d", s);
        if (s + 1 < kind->state_count) {
            random_conditions(state, widest);
        }
        state->behavior_count = 2;
        state->behaviors[0] = random_chase(widest);
        state->behaviors[1] = behavior_def_default(below(2) ? BEHAVIOR_SEPARATION : BEHAVIOR_WANDER);
    }
}

static struct world *make_world(uint64_t number) {
    dice = rng_begin(80, number, 0, RNG_WANDER);
    struct world_def def = world_def_default();
    def.edge = (int)(number % 4);
    def.size = vec2_make(any(100.0f, 1500.0f), any(100.0f, 1500.0f));
    const float widest = below(4) == 0 ? 2000.0f : 200.0f;
    for (int k = 0; k < KINDS; k++) {
        struct kind_def *kind = world_def_add_kind(&def, kind_names[k]);
        assert_non_null(kind);
        fill_kind(kind, widest);
    }
    for (int k = 0; k < KINDS; k++) {
        struct placement_def *placement = world_def_add_placement(&def, kind_names[k]);
        assert_non_null(placement);
        placement->count = (uint32_t)(below(3) == 0 ? below(3) : below(200));
        placement->shape = PLACE_RECT;
        placement->size = def.size;
    }
    return build(&def);
}

static void command(struct world *world, int number) {
    uint32_t first_id;
    const struct spawn_def spawn = {.kind = number % KINDS, .count = 5, .shape = PLACE_POINT, .at = {50, 50}};
    struct param_ref ref;
    const uint32_t gone[] = {1, 2, 3, 5, 8, 13, 21, 34};
    switch (number % 5) {
    case 0:
        assert_int_equal(world_spawn(world, &spawn, &first_id), WORLD_OK);
        break;
    case 1:
        (void)world_remove(world, gone, 8, NULL);
        break;
    case 2:
        (void)world_remove_kind(world, number / 5 % KINDS);
        break;
    default:
        for (int i = 0; i < 40; i++) {
            char name[64];
            if (world_param_at(world, number / 5 % KINDS, i, &ref, name) && strstr(name, "within") != NULL) {
                world_set_param(world, &ref, (double)(float)(number * 37 % 400));
            }
        }
    }
}

/* Each agent searches by itself from now on. */
static void forget_looks(struct world *world) {
    for (int k = 0; k < world->kind_count; k++) {
        world->kinds[k].look_count = 0;
    }
}

/* Steps a world, each of whose agents must enter the state that it decides for by itself. */
static void step_and_check_states(struct world *world, int number) {
    static int decided[4096];
    const int32_t count = world_agent_count(world);
    assert_true(count <= 4096);
    for (int32_t row = 0; row < count; row++) {
        decided[row] = world_decide(world, row, (struct sight_place){NULL, 0}).state;
    }
    world_step(world);
    for (int32_t row = 0; row < count; row++) {
        if (world_state(world, row) != decided[row]) {
            fail_msg("world %d, row %d: in state %d, expected %d", number, row, world_state(world, row),
                     decided[row]);
        }
    }
}

static void test_same_as_alone(void **state) {
    int64_t asked = 0;
    for (uint64_t number = 0; number < WORLDS; number++) {
        struct world *world = make_world(number);
        struct world *alone = world_clone_new(world);
        assert_non_null(alone);
        const enum simd simd = (enum simd)(number % SIMD_COUNT);
        world_set_simd(world, simd_is_supported(simd) ? simd : simd_best());
        for (int tick = 0; tick < TICKS; tick++) {
            if (tick % 4 == 3) {
                command(world, (int)number + tick);
                command(alone, (int)number + tick);
            }
            forget_looks(alone);
            step_and_check_states(world, (int)number);
            world_step(alone);
            asked += world->has_sights;
            assert_false(alone->has_sights);
            if (world_hash(world) != world_hash(alone)) {
                fail_msg("world %d, tick %d: the hashes differ", (int)number, tick);
            }
        }
        world_destroy(alone);
        world_destroy(world);
    }
    print_message("%d of %d ticks with sights\n", (int)asked, WORLDS * TICKS);
    assert_true(asked > WORLDS * TICKS / 2);
}

/* A clone in memory of a world without sights finds room for them, when it is made and when it grows. */
static void test_room_of_clones(void **state) {
    struct world_def plain = one_kind_def(BEHAVIOR_SEEK, vec2_make(1.0f, 2.0f));
    for (int i = 0; i < 500; i++) {
        place(&plain, vec2_make((float)i, 10.0f), vec2_make(0.0f, 0.0f));
    }
    struct world *to = build(&plain), *from = make_world(1);
    assert_int_equal(to->sights.capacity, 0);
    assert_false(world_has_room(to, from));
    assert_true(world_clone_reserve(to, from) && world_clone(to, from));
    for (int tick = 0; tick < 8; tick++) {
        uint32_t first_id;
        const struct spawn_def spawn = {.kind = 0, .count = 100, .shape = PLACE_POINT, .at = {50, 50}};
        assert_int_equal(world_spawn(to, &spawn, &first_id), WORLD_OK);
        assert_int_equal(world_spawn(from, &spawn, &first_id), WORLD_OK);
        world_step(to);
        world_step(from);
        assert_true(world_hash(to) == world_hash(from));
    }
    world_destroy(to);
    world_destroy(from);
}

static void test_what_is_known(void **state) {
    static struct world_sights sights = {.count = 1};
    sights.asked[0].kind = 3;
    sights.asked[0].within = 10.0f;
    sights.asked[0].places = 3;
    sights.asked[0].seen.slot[0] = 7;
    sights.asked[0].seen.squared[0] = 25.0f;
    sights.asked[0].seen.slot[1] = -1;
    int32_t slot = -2;
    assert_true(world_sights_find(&sights, 0, 3, 5.0f, &slot));
    assert_int_equal(slot, 7);
    assert_true(world_sights_find(&sights, 0, 3, 4.9999995f, &slot));
    assert_int_equal(slot, -1);
    assert_true(world_sights_find(&sights, 0, 3, 1000.0f, &slot));
    assert_int_equal(slot, 7);
    assert_true(world_sights_find(&sights, 0, 3, 0.0f, &slot));
    assert_int_equal(slot, 7);
    assert_true(world_sights_find(&sights, 1, 3, 10.0f, &slot));
    assert_int_equal(slot, -1);
    assert_false(world_sights_find(&sights, 1, 3, 10.1f, &slot));
    assert_false(world_sights_find(&sights, 1, 3, 0.0f, &slot));
    assert_false(world_sights_find(&sights, 2, 3, 5.0f, &slot));
    assert_false(world_sights_find(&sights, 0, 2, 5.0f, &slot));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_alone),
        cmocka_unit_test(test_room_of_clones),
        cmocka_unit_test(test_what_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
