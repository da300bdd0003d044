/* Worlds in stripes: rules, spacing, long runs. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/sim/math/rng.h"
#include "server/sim/world/world.h"
#include "server/sim/world/world_stripes.h"
#include "tests/property/each_scenario.h"
#include "tests/property/named_scenario.h"
#include "tests/support/fake_ranks.h"
#include "tests/unit/server/sim/sim_fixture.h"

/* ==== Which worlds stripes run, what they need of the ranks, and why others are refused ==== */

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
    {"courtyard", 90, "", NULL},
    {"crossing_crowds", 120, "", NULL},
    {"doorway", 60, "", NULL},
    {"driven", 150, "", NULL},
    {"escort", 60, "queen guard lady", NULL},
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
    {"guard", 24, "west_guard east_guard thief", NULL},
    {"herd", 260, "sheep dog", NULL},
    {"hide", 28, "hunter", NULL},
    {"hunt", 40, "hunter prey", NULL},
    {"hunters_and_prey", 44, "hunter prey", NULL},
    {"interpose", 0, "alice bob", NULL},
    {"labyrinth", 60, "", NULL},
    {"level_crossing", 0, "", NULL},
    {"low_speed_turn", 90, "", NULL},
    {"map_drive", 90, "", NULL},
    {"measured_door", 60, "", NULL},
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
    {"station", 0, "", NULL},
    {"stay_on_path", 20, "", NULL},
    {"throng", 30, "", NULL},
    {"walk", 110, "", NULL},
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

static int check_world_rules(const struct world *world, const struct verdict *verdict) {
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
    const int failures = check_world_rules(world, verdict_of(name));
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
    assert_int_equal(check_world_rules(world, &verdict), 0);
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

/* ==== world spacing ====
 * Placements with a spacing: bodies keep it, on a torus, beside solids and beside those placed before; what has no room. */

enum { CROWD = 150 };

/* A crowd in a rectangle. */
static struct placement_def *add_crowd(struct world_def *def, uint32_t count, vec2 at, vec2 size,
                                       float spacing) {
    struct placement_def *crowd = world_def_add_placement(def, "agent");
    assert_non_null(crowd);
    *crowd = (struct placement_def){.count = count,
                                    .shape = PLACE_RECT,
                                    .at = at,
                                    .size = size,
                                    .has_spacing = spacing >= 0.0f,
                                    .spacing = spacing};
    copy_text(crowd->kind, "agent");
    return crowd;
}

/* Radii of 5 to 9 px. */
static struct world_def crowd_def(void) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){400.0f, 300.0f});
    def.kinds[0].body.radius = (struct field_range){5.0f, 9.0f};
    return def;
}

/* The agents that have another, of a lower id, nearer than the gap; from row `first` on. */
static int count_near(const struct world *world, const struct bounds *bounds, int32_t first, float gap) {
    int near = 0;
    for (int32_t row = first; row < world_agent_count(world); row++) {
        const struct agent_view one = world_agent(world, row);
        bool is_near = false;
        for (int32_t before = 0; before < row; before++) {
            const struct agent_view other = world_agent(world, before);
            const vec2 between = bounds_difference(bounds, one.position, other.position);
            is_near = is_near || vec2_length(between) < one.radius + other.radius + gap - 1e-3f;
        }
        near += is_near;
    }
    return near;
}

static void test_bodies_keep_their_spacing(void **state) {
    static const int edges[] = {EDGE_OPEN, EDGE_WRAP, EDGE_BOUNCE};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        for (int has_spacing = 0; has_spacing < 2; has_spacing++) {
            struct world_def def = crowd_def();
            int32_t unspaced = -1;
            def.edge = edges[i];
            def.unspaced = &unspaced;
            add_circle(&def, (vec2){700.0f, 500.0f}, 60.0f);
            (void)add_crowd(&def, 20, (vec2){600.0f, 400.0f}, (vec2){300.0f, 300.0f}, -1.0f);
            (void)add_crowd(&def, CROWD, (vec2){600.0f, 400.0f}, (vec2){400.0f, 400.0f},
                            has_spacing ? 2.0f : -1.0f);
            const struct bounds bounds = {def.size, (enum edge)def.edge};
            struct world *world = build(&def);
            assert_int_equal(world_agent_count(world), 20 + CROWD);
            const int near = count_near(world, &bounds, 20, 2.0f);
            assert_int_equal(unspaced, has_spacing ? near : 0);
            assert_true(has_spacing ? near == 0 || edges[i] == EDGE_BOUNCE : near > 20);
            world_destroy(world);
        }
    }
}

static void test_what_has_no_room_is_placed_and_counted(void **state) {
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        struct world_def def = crowd_def();
        int32_t unspaced = 0;
        def.unspaced = &unspaced;
        (void)add_crowd(&def, 1000, (vec2){100.0f, 100.0f}, (vec2){100.0f, 100.0f}, 0.0f);
        const struct bounds bounds = {def.size, (enum edge)def.edge};
        struct world *world = build(&def);
        assert_int_equal(world_agent_count(world), 1000);
        assert_true(unspaced > 800 && unspaced < 990);
        assert_int_equal(count_near(world, &bounds, 0, 0.0f), unspaced);
        hashes[i] = world_hash(world);
        world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* Without a spacing, and where the first place is free, agents are where they always were. */
static void test_only_those_that_are_too_near_are_elsewhere(void **state) {
    struct world *worlds[2];
    for (int i = 0; i < 2; i++) {
        struct world_def def = crowd_def();
        (void)add_crowd(&def, CROWD, (vec2){0.0f, 0.0f}, (vec2){800.0f, 600.0f}, i == 0 ? -1.0f : 0.0f);
        worlds[i] = build(&def);
    }
    int moved = 0;
    for (int32_t row = 0; row < CROWD; row++) {
        const vec2 a = world_agent(worlds[0], row).position, b = world_agent(worlds[1], row).position;
        moved += a.x != b.x || a.y != b.y;
    }
    assert_true(moved > 0 && moved < CROWD / 4);
    world_destroy(worlds[0]);
    world_destroy(worlds[1]);
}

/* A world that ranks create together is the one of one process. */
struct together {
    const struct world_def *def;
    uint64_t hash;
};

static void create_together(const struct exchange *exchange, void *context) {
    const struct together *together = context;
    struct world_def def = *together->def;
    struct world *world = NULL;
    def.exchange = exchange;
    assert_int_equal(world_create(&def, &world, NULL), WORLD_OK);
    assert_true(world_hash(world) == together->hash);
    world_destroy(world);
}

static void test_ranks_place_alike(void **state) {
    static const enum exchange_mode modes[] = {EXCHANGE_COPY, EXCHANGE_STRIPES};
    struct world_def def = crowd_def();
    (void)add_crowd(&def, CROWD, (vec2){100.0f, 50.0f}, (vec2){300.0f, 500.0f}, 3.0f);
    struct world *alone = NULL;
    assert_int_equal(world_create(&def, &alone, NULL), WORLD_OK);
    struct together together = {&def, world_hash(alone)};
    world_destroy(alone);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct fake_ranks *fake = fake_ranks_new(3, modes[i], 5);
        fake_ranks_run(fake, create_together, &together);
        fake_ranks_destroy(fake);
    }
    world_def_fini(&def);
}

/* ==== world run ====
 * Agents as they lie in memory: a strip of the world has all agents that are in it, each once, whatever the edges and however
 * far agents have drifted since they were sorted. */

enum { AGENTS = 1500, STRIPS = 200 };

static struct world *make_world(enum edge edge, enum behavior_type type) {
    struct world_def def = one_kind_def(type, vec2_make(400, 300));
    def.edge = (int)edge;
    def.kinds[0].body.max_speed = (struct field_range){150.0f, 150.0f};
    struct placement_def *placement = world_def_add_placement(&def, "agent");
    assert_non_null(placement);
    placement->count = AGENTS;
    placement->shape = PLACE_RECT;
    placement->size = def.size;
    return build(&def);
}

/* Whether a y is within the strip, the short way round in a world that wraps. */
static bool is_within(double y, double low, double high, double around) {
    const double above = around > 0.0 ? (y - low) - floor((y - low) / around) * around : y - low;
    return above >= 0.0 && above <= high - low;
}

static void check_strip(const struct world *world, double low, double high) {
    static int seen[AGENTS];
    struct world_run runs[2];
    const double around = world_edge(world) == EDGE_WRAP ? (double)world_size(world).y : 0.0;
    const int count = world_runs_between(world, low, high, runs);
    memset(seen, 0, sizeof seen);
    assert_true(count >= 1 && count <= 2);
    for (int r = 0; r < count; r++) {
        for (int32_t i = 0; i < runs[r].count; i++) {
            const struct agent_view agent = world_agent(world, runs[r].row[i]);
            seen[runs[r].row[i]]++;
            assert_true(runs[r].motion[i].x == agent.position.x && runs[r].motion[i].y == agent.position.y);
            assert_int_equal(runs[r].kind[i], agent.kind);
        }
    }
    for (int32_t row = 0; row < AGENTS; row++) {
        assert_true(seen[row] <= 1);
        if (is_within((double)world_agent(world, row).position.y, low, high, around)) {
            assert_int_equal(seen[row], 1);
        }
    }
}

static void check_world_run(enum edge edge, enum behavior_type type) {
    struct world *world = make_world(edge, type);
    struct rng dice = rng_begin(7, 0, 0, RNG_SPAWN_PLACE);
    for (int i = 0; i < STRIPS; i++) {
        const double low = (double)rng_between(&dice, -900.0f, 1500.0f);
        const double height =
            i % 5 == 0 ? 0.0 : (double)rng_between(&dice, 0.0f, i % 7 == 0 ? 900.0f : 90.0f);
        check_strip(world, low, low + height);
        world_step(world);
    }
    world_destroy(world);
}

static void strips_have_their_agents(void **state) {
    check_world_run(EDGE_WRAP, BEHAVIOR_FLOCK);
    check_world_run(EDGE_BOUNCE, BEHAVIOR_FLOCK);
    check_world_run(EDGE_OPEN, BEHAVIOR_SEPARATION);
    check_world_run(EDGE_WRAP, BEHAVIOR_WANDER); /* nobody looks at neighbors: agents are not sorted */
}

static void strips_are_small(void **state) {
    struct world *world = make_world(EDGE_WRAP, BEHAVIOR_SEPARATION);
    struct world_run runs[2];
    world_step(world);
    int32_t found = 0;
    for (int r = world_runs_between(world, 299.0, 301.0, runs) - 1; r >= 0; r--) {
        found += runs[r].count;
    }
    assert_true(found > 0 && found < AGENTS / 2);
    world_destroy(world);
}

static void counts_of_states(void **state) {
    struct world *world = make_world(EDGE_WRAP, BEHAVIOR_FLOCK);
    world_step(world);
    assert_int_equal(world_count_in_state(world, 0, 0, AGENTS + 1), AGENTS);
    assert_true(world_count_in_state(world, 0, 0, 10) >= 10);
    assert_int_equal(world_count_in_state(world, 0, 1, 1), 0);
    assert_int_equal(world_agent_anywhere(world, 3).id, world_agent(world, 3).id);
    world_destroy(world);
}

/* ==== new flocks ====
 * Ranks make the agents of a world that merely flocks, wherever each of them belongs: it is that of one process from tick 0 on, and the memory of what
 * a rank has no more goes back. */

enum { FLOCK_TICKS = 40 };

static void add_flock(struct world_def *def, const char *kind, uint32_t count, vec2 velocity,
                      bool has_heading) {
    struct placement_def *placement = world_def_add_placement(def, kind);
    assert_non_null(placement);
    placement->count = count;
    placement->shape = PLACE_RECT;
    placement->size = def->size;
    placement->velocity = velocity;
    placement->has_heading = has_heading;
    placement->heading = 1.0f;
}

/* kinds: 1 or 2. The first is drawn everywhere and at rest, others have a velocity, or a heading. */
static struct world_def flock_def(int kinds) {
    struct world_def def = one_kind_def(BEHAVIOR_FLOCK, vec2_make(400, 300));
    def.edge = EDGE_WRAP;
    if (kinds == 2) {
        struct kind_def *kind = world_def_add_kind(&def, "other");
        assert_non_null(kind);
        kind->states[0].behavior_count = 1;
        kind->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_FLOCK);
    }
    add_flock(&def, "agent", 300, vec2_make(0, 0), false);
    add_flock(&def, kinds == 2 ? "other" : "agent", 1, vec2_make(20, -10), false);
    add_flock(&def, "agent", 200, vec2_make(0, 0), true);
    return def;
}

struct new_flock {
    struct world_def def;
    bool is_deferred;
    uint64_t hashes[FLOCK_TICKS + 1];
    bool is_wrong[RANKS];
};

static void make_flock(const struct exchange *exchange, void *context) {
    struct new_flock *flock = context;
    struct world_def def = flock->def;
    struct world *world = NULL;
    def.is_deferred = flock->is_deferred;
    def.exchange = flock->is_deferred ? NULL : exchange;
    bool is_made = world_create(&def, &world, NULL) == WORLD_OK;
    is_made = is_made && (!flock->is_deferred || world_populate(world, exchange) == 0);
    for (int tick = 0; is_made && tick <= FLOCK_TICKS; tick++) {
        if (tick > 0) {
            world_step(world);
        }
        flock->is_wrong[exchange->rank] |= world_hash(world) != flock->hashes[tick];
    }
    flock->is_wrong[exchange->rank] |= !is_made;
    world_destroy(world);
}

static void new_flocks_are_those_of_one_process(void **state) {
    for (int turn = 0; turn < 4; turn++) {
        struct new_flock flock = {.def = flock_def(1 + turn / 2), .is_deferred = turn % 2 == 0};
        struct world *alone = NULL;
        assert_int_equal(world_create(&flock.def, &alone, NULL), WORLD_OK);
        for (int tick = 0; tick <= FLOCK_TICKS; tick++) {
            if (tick > 0) {
                world_step(alone);
            }
            flock.hashes[tick] = world_hash(alone);
        }
        world_destroy(alone);
        struct fake_ranks *fake = fake_ranks_new(RANKS, EXCHANGE_STRIPES, 11 + (uint64_t)turn);
        fake_ranks_run(fake, make_flock, &flock);
        assert_true(fake_ranks_given_back(fake) > 0);
        fake_ranks_destroy(fake);
        for (int r = 0; r < RANKS; r++) {
            assert_false(flock.is_wrong[r]);
        }
        world_def_fini(&flock.def);
    }
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
        cmocka_unit_test(test_bodies_keep_their_spacing),
        cmocka_unit_test(test_what_has_no_room_is_placed_and_counted),
        cmocka_unit_test(test_only_those_that_are_too_near_are_elsewhere),
        cmocka_unit_test(test_ranks_place_alike),
        cmocka_unit_test(new_flocks_are_those_of_one_process),
        cmocka_unit_test(strips_have_their_agents),
        cmocka_unit_test(strips_are_small),
        cmocka_unit_test(counts_of_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
