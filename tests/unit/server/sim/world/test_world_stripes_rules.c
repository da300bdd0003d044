/* Which worlds stripes run, what they need of the ranks, and why others are refused. */
#include <stdio.h>

#include "server/sim/world/world_stripes.h"
#include "tests/property/each_scenario.h"
#include "tests/property/named_scenario.h"
#include "tests/unit/server/sim/sim_fixture.h"

enum { RANKS = 4 };

/* ---- every scenario ---- */

static const struct verdict {
    const char *name;
    int halo;            /* px */
    const char *known;   /* kinds */
    const char *refusal; /* with RANKS ranks; NULL: none */
} verdicts[] = {
    {"alignment", 90, "", NULL},
    {"arrive", 0, "", NULL},
    {"avoid_agents", 300, "", NULL},
    {"avoid_obstacles", 30, "", NULL},
    {"boids", 72, "", NULL},
    {"boids_target", 0, "", NULL},
    {"capture_the_flag", 28, "seeker enemy", NULL},
    {"circle_swap", 200, "compass", NULL},
    {"cohesion", 110, "", NULL},
    {"containment", 24, "", NULL},
    {"corridor", 130, "", NULL},
    {"crossing_crowds", 120, "", NULL},
    {"doorway", 60, "", NULL},
    {"driven", 150, "", NULL},
    {"figure_of_eight", 60, "", NULL},
    {"flock", 75, "", NULL},
    {"follow_flow", 16, "", NULL},
    {"follow_leader", 36, "leader", NULL},
    {"follow_path", 26, "", NULL},
    {"follow_wall", 26, "", NULL},
    {"formation", 420, "goose duck sergeant star", NULL},
    {"great_hunt", 60, "hunter",
     "kind hunter (pursue) keeps a quarry of kind prey wherever it goes, and there are 9300 of these; "
     "allowed: 4096, or without \"keep\" a \"within\" of at most 600 px with 4 ranks, or --mode copy"},
    {"hide", 28, "hunter", NULL},
    {"hunt", 40, "hunter prey", NULL},
    {"hunters_and_prey", 44, "hunter prey", NULL},
    {"interpose", 0, "alice bob", NULL},
    {"million", 60, "", NULL},
    {"multiple_pursuit", 44, "wanderer", NULL},
    {"murmuration_100k", 60, "", NULL},
    {"murmuration_10k", 400, "",
     "kind falcon (pursue) looks for kind starling at any distance, and there are 10000 of these; allowed: "
     "4096, or a \"within\" of at most 225 px with 4 ranks, or --mode copy"},
    {"offset_pursuit", 0, "leader", NULL},
    {"pedestrians", 60, "", NULL},
    {"pursue_and_evade", 70, "fox hare", NULL},
    {"queue", 80, "", NULL},
    {"seek", 0, "", NULL},
    {"seek_and_flee", 0, "", NULL},
    {"seek_mass", 0, "", NULL},
    {"separation", 50, "", NULL},
    {"shepherds", 90, "", NULL},
    {"starlings", 140, "", NULL},
    {"stay_on_path", 20, "", NULL},
    {"throng", 30, "", NULL},
    {"wander", 0, "", NULL},
};

static const struct verdict *verdict_of(const char *name) {
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        if (strcmp(verdicts[i].name, name) == 0) {
            return &verdicts[i];
        }
    }
    fail_msg("scenario %s is in no row of verdicts", name);
    return NULL;
}

/* The names of known kinds, a space between. */
static void known_names(const struct world *world, uint64_t known, char text[256]) {
    text[0] = '\0';
    for (int k = 0; k < world_kind_count(world); k++) {
        if ((known >> k) & 1) {
            const size_t length = strlen(text);
            (void)snprintf(text + length, 256 - length, "%s%s", length > 0 ? " " : "",
                           world_kind(world, k)->name);
        }
    }
}

static int check_world(const struct world *world, const struct verdict *verdict) {
    char text[STRIPES_REFUSAL], known[256];
    struct stripes_needs needs;
    world_stripes_needs(world, &needs);
    known_names(world, needs.known, known);
    const char *refusal = world_stripes_refusal(world, RANKS, text, sizeof text);
    const bool is_refused = verdict->refusal != NULL;
    if ((int)needs.halo != verdict->halo || strcmp(known, verdict->known) != 0 ||
        is_refused != (refusal != NULL) || (is_refused && strcmp(refusal, verdict->refusal) != 0)) {
        print_error("%s: halo %d, known \"%s\": %s\n", verdict->name, (int)needs.halo, known,
                    refusal != NULL ? refusal : "accepted");
        return 1;
    }
    assert_null(world_stripes_refusal(world, 1, text, sizeof text));
    return 0;
}

static int check_scenario(const char *name) {
    struct world *world = world_named(name);
    const int failures = check_world(world, verdict_of(name));
    world_destroy(world);
    return failures;
}

static void every_scenario_has_its_verdict(void **state) {
    assert_int_equal(each_scenario(NULL, check_scenario), 0);
}

/* ---- every reason ---- */

/* A kind "hunter" with one behavior about "prey", and "prey" without any; 1600 x 1600 px, so a quarter of one of four
 * windows is 100 px. */
static struct world_def chase_def(enum behavior_type type, uint32_t hunters, uint32_t prey, float within) {
    struct world_def def = world_def_default();
    def.size = vec2_make(1600.0f, 1600.0f);
    def.edge = EDGE_WRAP;
    const char *names[] = {"hunter", "prey"};
    for (int k = 0; k < 2; k++) {
        assert_non_null(world_def_add_kind(&def, names[k]));
        struct placement_def *placement = world_def_add_placement(&def, names[k]);
        assert_non_null(placement);
        placement->shape = PLACE_RECT;
        placement->size = def.size;
        placement->count = k == 0 ? hunters : prey;
    }
    struct state_def *state = &def.kinds[0].states[0];
    state->behavior_count = 1;
    state->behaviors[0] = behavior_def_default(type);
    copy_text(state->behaviors[0].target.kind, "prey");
    state->behaviors[0].target.within = within;
    return def;
}

static void expect(struct world_def *def, int halo, const char *known, const char *refusal) {
    struct world *world = build(def);
    const struct verdict verdict = {"a world", halo, known, refusal};
    assert_int_equal(check_world(world, &verdict), 0);
    world_destroy(world);
}

static void few_agents_are_known_however_far_they_are_looked_for(void **state) {
    struct world_def def = chase_def(BEHAVIOR_PURSUE, 2, STRIPES_KNOWN_MAX, 0.0f);
    expect(&def, 0, "prey", NULL);
    def = chase_def(BEHAVIOR_PURSUE, 2, STRIPES_KNOWN_MAX, 1000.0f);
    expect(&def, 0, "prey", NULL);
}

static void many_must_be_looked_for_within_a_distance(void **state) {
    struct world_def def = chase_def(BEHAVIOR_PURSUE, 2, STRIPES_KNOWN_MAX + 1, 0.0f);
    expect(&def, 0, "",
           "kind hunter (pursue) looks for kind prey at any distance, and there are 4097 of these; allowed: "
           "4096, or a "
           "\"within\" of at most 100 px with 4 ranks, or --mode copy");
    def = chase_def(BEHAVIOR_EVADE, 2, STRIPES_KNOWN_MAX + 1, 101.0f);
    expect(&def, 101, "",
           "kind hunter (evade) looks for kind prey within 101 px, and there are 4097 of these; allowed: "
           "4096, or a \"within\" of at most 100 px with 4 ranks, fewer ranks (at most 3), a world at least "
           "1616 "
           "px high, or --mode copy");
    def = chase_def(BEHAVIOR_EVADE, 2, STRIPES_KNOWN_MAX + 1, 100.0f);
    expect(&def, 100, "", NULL);
}

static void a_quarry_that_is_kept_must_be_known(void **state) {
    struct world_def def = chase_def(BEHAVIOR_PURSUE, 2, STRIPES_KNOWN_MAX + 1, 50.0f);
    def.kinds[0].states[0].behaviors[0].keep = true;
    expect(&def, 50, "",
           "kind hunter (pursue) keeps a quarry of kind prey wherever it goes, and there are 4097 of these; "
           "allowed: "
           "4096, or without \"keep\" a \"within\" of at most 100 px with 4 ranks, or --mode copy");
    def = chase_def(BEHAVIOR_PURSUE, 2, 3, 50.0f);
    def.kinds[0].states[0].behaviors[0].keep = true;
    expect(&def, 0, "prey", NULL);
}

static void the_second_target_and_conditions_look_too(void **state) {
    struct world_def def = chase_def(BEHAVIOR_INTERPOSE, 2, STRIPES_KNOWN_MAX + 1, 0.0f);
    struct state_def *first = &def.kinds[0].states[0];
    copy_text(first->behaviors[0].target.kind, "hunter");
    copy_text(first->behaviors[0].second.kind, "prey");
    expect(&def, 0, "hunter",
           "kind hunter (interpose) looks for kind prey at any distance, and there are 4097 of these; "
           "allowed: 4096, or "
           "a \"within\" of at most 100 px with 4 ranks, or --mode copy");
    def = chase_def(BEHAVIOR_EVADE, 2, STRIPES_KNOWN_MAX + 1, 50.0f);
    first = &def.kinds[0].states[0];
    def.kinds[0].state_count = 2;
    def.kinds[0].states[1] = *first;
    first->condition_count = 1;
    first->conditions[0].type = CONDITION_NEAR;
    copy_text(first->conditions[0].target.kind, "prey");
    expect(&def, 50, "",
           "kind hunter (near) looks for kind prey at any distance, and there are 4097 of these; allowed: "
           "4096, or a "
           "\"within\" of at most 100 px with 4 ranks, or --mode copy");
}

static void looks_of_kinds_without_agents_do_not_count(void **state) {
    struct world_def def = chase_def(BEHAVIOR_PURSUE, 0, STRIPES_KNOWN_MAX + 1, 0.0f);
    struct world *world = build(&def);
    char text[STRIPES_REFUSAL];
    assert_null(world_stripes_refusal(world, RANKS, text, sizeof text));
    assert_null(world_stripes_refusal_of_spawn(world, RANKS, 1, 5, text, sizeof text));
    assert_non_null(world_stripes_refusal_of_spawn(world, RANKS, 0, 1, text, sizeof text));
    world_destroy(world);
}

static void spawning_may_make_a_known_kind_too_large(void **state) {
    struct world_def def = chase_def(BEHAVIOR_PURSUE, 2, STRIPES_KNOWN_MAX - 3, 0.0f);
    struct world *world = build(&def);
    char text[STRIPES_REFUSAL];
    assert_null(world_stripes_refusal_of_spawn(world, RANKS, 1, 3, text, sizeof text));
    assert_string_equal(
        world_stripes_refusal_of_spawn(world, RANKS, 1, 4, text, sizeof text),
        "kind hunter (pursue) looks for kind prey at any distance, and there are 4097 of these; "
        "allowed: 4096, or a \"within\" of at most 100 px with 4 ranks, or --mode copy");
    world_destroy(world);
}

static struct world *flock_of(uint32_t agents, enum behavior_type type) {
    struct world_def def = chase_def(type, agents, 0, 0.0f);
    def.kinds[0].states[0].behaviors[0].target = (struct target_ref){.agent = 1};
    def.kinds[0].states[0].behaviors[0].zones[ZONE_SEPARATION].radius = 60.0f;
    return build(&def);
}

static const char *refusal_of_param(const struct world *world, const char *name, double value, char *text) {
    struct param_ref ref;
    assert_true(world_find_param(world, 0, name, &ref));
    return world_stripes_refusal_of_param(world, RANKS, &ref, value, text, STRIPES_REFUSAL);
}

static void zones_are_no_wider_than_a_quarter_of_a_window(void **state) {
    char text[STRIPES_REFUSAL];
    struct world *world = flock_of(STRIPES_KNOWN_MAX + 1, BEHAVIOR_SEPARATION);
    assert_null(world_stripes_refusal(world, RANKS, text, sizeof text));
    assert_null(refusal_of_param(world, "separation.radius", 100.0, text));
    assert_string_equal(
        refusal_of_param(world, "separation.radius", 101.0, text),
        "kind hunter (separation) sees neighbors within 101 px; allowed: zones of at most 100 px with "
        "4 ranks, fewer ranks (at most 3), a world at least 1616 px high, or --mode copy");
    assert_string_equal(
        refusal_of_param(world, "separation.radius", 1000.0, text),
        "kind hunter (separation) sees neighbors within 1000 px; allowed: zones of at most 100 "
        "px with 4 ranks, fewer ranks (at most 1), a world at least 16000 px high, or --mode "
        "copy");
    assert_non_null(world_stripes_refusal(world, 7, text, sizeof text));
    assert_null(world_stripes_refusal(world, 6, text, sizeof text)); /* as it says: */
    assert_string_equal(
        world_stripes_refusal(world, 1024, text, sizeof text),
        "kind hunter (separation) sees neighbors within 60 px; allowed: zones of at most 0 px "
        "with 1024 ranks, fewer ranks (at most 6), or --mode copy"); /* no world is so high */
    world_destroy(world);
    world = flock_of(STRIPES_KNOWN_MAX, BEHAVIOR_SEPARATION); /* each rank may hold all of so few */
    assert_null(refusal_of_param(world, "separation.radius", 1000.0, text));
    world_destroy(world);
}

static void whoever_queues_sees_as_far_as_its_elbows(void **state) {
    char text[STRIPES_REFUSAL];
    struct world *world = flock_of(STRIPES_KNOWN_MAX + 1, BEHAVIOR_QUEUE);
    assert_null(refusal_of_param(world, "queue.clearance", 100.0 - 2.0 * 8.0, text));
    assert_non_null(refusal_of_param(world, "queue.clearance", 101.0 - 2.0 * 8.0, text));
    struct param_ref radius;
    assert_true(world_find_param(world, 0, "radius", &radius));
    assert_non_null(world_stripes_refusal_of_param(world, RANKS, &radius, 60.0, text, sizeof text));
    assert_int_equal(world_set_agent_param(world, 7, radius.field, 60.0), WORLD_OK);
    assert_non_null(world_stripes_refusal(world, RANKS, text, sizeof text));
    world_destroy(world);
}

static void agents_that_are_named_are_needed_once_and_in_order(void **state) {
    struct world_def def = chase_def(BEHAVIOR_INTERPOSE, 9, 0, 0.0f);
    struct state_def *first = &def.kinds[0].states[0];
    first->behaviors[0].target = (struct target_ref){.agent = 7};
    first->behaviors[0].second = (struct target_ref){.agent = 3};
    first->behaviors[1] = first->behaviors[0];
    first->behavior_count = 2;
    struct world *world = build(&def);
    struct stripes_needs needs;
    world_stripes_needs(world, &needs);
    assert_int_equal(needs.named_count, 2);
    assert_int_equal(needs.named[0], 3);
    assert_int_equal(needs.named[1], 7);
    assert_true(needs.known == 0 && needs.halo == 0.0f);
    world_destroy(world);
}

static void a_sentence_is_cut_where_there_is_no_room(void **state) {
    struct world_def def = chase_def(BEHAVIOR_PURSUE, 2, STRIPES_KNOWN_MAX + 1, 0.0f);
    struct world *world = build(&def);
    char text[12];
    assert_string_equal(world_stripes_refusal(world, RANKS, text, sizeof text), "kind hunter");
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scenario_has_its_verdict),
        cmocka_unit_test(few_agents_are_known_however_far_they_are_looked_for),
        cmocka_unit_test(many_must_be_looked_for_within_a_distance),
        cmocka_unit_test(a_quarry_that_is_kept_must_be_known),
        cmocka_unit_test(the_second_target_and_conditions_look_too),
        cmocka_unit_test(looks_of_kinds_without_agents_do_not_count),
        cmocka_unit_test(spawning_may_make_a_known_kind_too_large),
        cmocka_unit_test(zones_are_no_wider_than_a_quarter_of_a_window),
        cmocka_unit_test(whoever_queues_sees_as_far_as_its_elbows),
        cmocka_unit_test(agents_that_are_named_are_needed_once_and_in_order),
        cmocka_unit_test(a_sentence_is_cut_where_there_is_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
