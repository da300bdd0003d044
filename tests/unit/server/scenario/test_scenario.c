/* Scenario files: a good one read to the last member, and a table of mistakes with the place and message of
 * each. */
#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "server/library/scenario_library.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world.h"

static struct scenario scenario;

static int read_text(const char *text, struct failure *failure) {
    return scenario_read(text, strlen(text), &scenario, failure);
}

static void test_everything(void **state) {
    static const char *const text =
        "{\"name\":\"Title\",\"description\":\"Words\",\"seed\":9007199254740991,\"tick_hz\":30,"
        "\"world\":{\"size\":[640,480],\"edge\":\"contain\"},"
        "\"targets\":{\"mouse\":[400,300],\"dot\":{\"at\":[1,2],\"jump_within\":2,\"jump_margin\":10}},"
        "\"kinds\":{\"prey\":{\"mass\":2,\"max_speed\":[50,150],\"max_turn_rate\":180,\"locomotion\":"
        "\"direct\","
        "\"behaviors\":[{\"flee\":{\"target\":\"dot\",\"weight\":3,\"panic_distance\":90}},"
        "{\"arrive\":{\"target\":\"mouse\",\"slowing_distance\":20,\"law\":\"linear\"}}]},\"rock\":{}},"
        "\"agents\":[{\"kind\":\"prey\",\"at\":[1,2],\"velocity\":[3,4],\"heading\":-90},"
        "{\"kind\":\"rock\",\"count\":40,\"in\":{\"rect\":[5,6,7,8]}},"
        "{\"kind\":\"rock\",\"count\":2,\"in\":{\"circle\":[9,10,11]}},{\"kind\":\"rock\",\"count\":3,\"at\":"
        "[0,0]}]}";
    struct failure failure = {0};
    if (read_text(text, &failure) != 0) {
        fail_msg("%s: %s", failure.field, failure.message);
    }
    const struct world_def *def = &scenario.def;
    assert_string_equal(scenario.title, "Title");
    assert_string_equal(scenario.description, "Words");
    assert_true(def->seed == UINT64_C(9007199254740991));
    assert_true(def->tick_hz == 30.0 && def->size.x == 640.0f && def->size.y == 480.0f);
    assert_int_equal(def->edge, EDGE_CONTAIN);
    assert_int_equal(def->target_count, 2);
    assert_string_equal(def->targets[1].name, "dot");
    assert_true(def->targets[1].jump_within == 2.0f && def->targets[1].jump_margin == 10.0f);
    assert_int_equal(def->kind_count, 2);
    const struct kind_def *prey = &def->kinds[0];
    assert_true(prey->body.mass.low == 2.0f && prey->body.mass.high == 2.0f);
    assert_true(prey->body.max_speed.low == 50.0f && prey->body.max_speed.high == 150.0f);
    assert_true(fabsf(prey->body.max_turn_rate - 3.14159265f) < 1e-5f);
    assert_int_equal(prey->body.locomotion, LOCOMOTION_DIRECT);
    assert_int_equal(prey->state_count, 1);
    assert_string_equal(prey->states[0].name, "flee");
    assert_int_equal(prey->states[0].behavior_count, 2);
    assert_true(prey->states[0].behaviors[0].weight == 3.0f);
    assert_true(prey->states[0].behaviors[0].panic_distance == 90.0f);
    assert_int_equal(prey->states[0].behaviors[1].type, BEHAVIOR_ARRIVE);
    assert_int_equal(prey->states[0].behaviors[1].law, ARRIVE_LINEAR);
    assert_string_equal(def->kinds[1].states[0].name, "idle");
    assert_int_equal(def->placement_count, 4);
    const struct placement_def *placed = def->placements;
    assert_true(placed[0].has_velocity && placed[0].has_heading && placed[0].count == 1);
    assert_true(placed[0].velocity.y == 4.0f && fabsf(placed[0].heading + 1.5707963f) < 1e-6f);
    assert_int_equal(placed[1].shape, PLACE_RECT);
    assert_true(placed[1].at.x == 5.0f && placed[1].size.y == 8.0f && placed[1].count == 40);
    assert_false(placed[1].has_velocity || placed[1].has_heading);
    assert_int_equal(placed[2].shape, PLACE_CIRCLE);
    assert_true(placed[2].radius == 11.0f);
    assert_int_equal(placed[3].shape, PLACE_POINT);
    assert_int_equal(placed[3].count, 3);
    scenario_fini(&scenario);
}

static void test_view_and_about(void **state) {
    static const char *const text =
        "{\"name\":\"t\",\"world\":{\"size\":[800,600]},\"kinds\":{\"p\":{}},\"agents\":[{\"kind\":\"p\","
        "\"at\":[1,2],"
        "\"count\":5}],\"view\":{\"trails\":true,\"color\":\"heading\",\"overlays\":[\"velocity\",\"radii\"],"
        "\"select\":5,\"panel\":false,\"zoom\":2,\"flag\":\"mouse\"},\"about\":{\"group\":\"large\","
        "\"caption\":\"C\",\"try\":"
        "\"T\","
        "\"look_for\":\"L\",\"source\":\"S\"}}";
    struct failure failure = {0};
    if (read_text(text, &failure) != 0) {
        fail_msg("%s: %s", failure.field, failure.message);
    }
    const struct message_view *view = &scenario.view;
    assert_true(view->has ==
                (MESSAGE_VIEW_TRAILS | MESSAGE_VIEW_COLOR | MESSAGE_VIEW_SELECT | MESSAGE_VIEW_PANEL |
                 MESSAGE_VIEW_ZOOM | MESSAGE_VIEW_FLAG | MESSAGE_VIEW_OVERLAYS));
    assert_string_equal(view->flag, "mouse");
    assert_true(view->trails && !view->panel && view->zoom == 2.0f && view->select == 5);
    assert_string_equal(view->color, "heading");
    assert_int_equal(view->overlay_count, 2);
    assert_string_equal(view->overlays[1], "radii");
    assert_string_equal(scenario.about.group, "large");
    assert_string_equal(scenario.about.caption, "C");
    assert_string_equal(scenario.about.to_try, "T");
    assert_string_equal(scenario.about.look_for, "L");
    assert_string_equal(scenario.about.source, "S");
    scenario_fini(&scenario);
    static const char *const plain = "{\"name\":\"t\",\"world\":{\"size\":[800,600]},\"view\":{}}";
    assert_int_equal(read_text(plain, &failure), 0);
    assert_true(scenario.view.has == 0 && scenario.about.group[0] == '\0');
    scenario_fini(&scenario);
}

static void test_strolls(void **state) {
    static const char *const text =
        "{\"name\":\"t\",\"world\":{\"size\":[700,600]},\"targets\":{\"a\":{\"at\":[1,2],\"strolls\":{}},"
        "\"b\":{\"at\":[1,2],\"strolls\":{\"after\":0,\"speed\":20}},\"c\":[1,2],\"d\":{\"at\":[1,2]}}}";
    struct failure failure = {0};
    if (read_text(text, &failure) != 0) {
        fail_msg("%s: %s", failure.field, failure.message);
    }
    const struct target_def *targets = scenario.def.targets;
    assert_true(targets[0].stroll_after == 10.0f && targets[0].stroll_speed == 100.0f);
    assert_true(targets[1].stroll_after == 0.0f && targets[1].stroll_speed == 20.0f);
    assert_true(targets[2].stroll_speed == 0.0f && targets[3].stroll_speed == 0.0f);
    assert_true(targets[0].idle == 0 && targets[2].stroll_after == 0.0f);
    scenario_fini(&scenario);
}

static void test_geometry(void **state) {
    static const char *const text =
        "{\"name\":\"t\",\"world\":{\"size\":[800,600],\"obstacles\":[{\"circle\":[1,2,3]},{\"box\":[4,5,6,7]"
        "},"
        "{\"polygon\":[[0,0],[9,0],[0,9]]}],\"walls\":[[1,2,3,4]],"
        "\"paths\":{\"a\":{\"points\":[[1,2],[3,4],[5,6]],\"radius\":7,\"loop\":true},\"b\":{\"points\":[[1,"
        "2],[3,4]]}},"
        "\"flow_fields\":{\"u\":{\"uniform\":[1,-2]},\"v\":{\"vortex\":[1,2,-3]},\"n\":{\"noise\":{\"scale\":"
        "50,"
        "\"strength\":60,\"seed\":7}},\"t\":{\"towards\":[4,5,6]},\"g\":{\"grid\":{\"cells\":[2,1],"
        "\"vectors\":[[1,2],"
        "[3,4]]}}},\"areas\":{\"a\":{\"rect\":[1,2,3,4]},\"b\":{\"speed\":0.5,\"circle\":[5,6,7]},\"c\":{"
        "\"polygon\":[[0,0],[9,0],[0,9]]}},\"gates\":{\"door\":[1,2,3,4]}},\"kinds\":{\"p\":{\"behaviors\":[{"
        "\"follow_path\":{\"path\":"
        "\"b\",\"direction\":-1}},"
        "{\"follow_flow\":{\"flow_field\":\"g\"}},{\"avoid_obstacles\":{\"horizon\":2}}]}}}";
    struct failure failure = {0};
    if (read_text(text, &failure) != 0) {
        fail_msg("%s: %s", failure.field, failure.message);
    }
    const struct geometry_def *geometry = &scenario.def.geometry;
    assert_int_equal(geometry->obstacle_count, 3);
    assert_true(geometry->obstacles[0].shape == OBSTACLE_CIRCLE && geometry->obstacles[0].radius == 3.0f);
    assert_true(geometry->obstacles[1].shape == OBSTACLE_BOX && geometry->obstacles[1].size.y == 7.0f);
    assert_true(geometry->obstacles[2].point_count == 3 && geometry->obstacles[2].points[1].x == 9.0f);
    assert_true(geometry->wall_count == 1 && geometry->walls[0].to.x == 3.0f);
    assert_int_equal(geometry->path_count, 2);
    assert_true(geometry->paths[0].is_loop && geometry->paths[0].radius == 7.0f);
    assert_true(geometry->paths[0].point_count == 3 && geometry->paths[0].points[2].y == 6.0f);
    assert_false(geometry->paths[1].is_loop);
    assert_int_equal(geometry->flow_count, 5);
    assert_true(geometry->flows[0].type == FLOW_UNIFORM && geometry->flows[0].vector.y == -2.0f);
    assert_true(geometry->flows[1].type == FLOW_VORTEX && geometry->flows[1].strength == -3.0f);
    assert_true(geometry->flows[2].type == FLOW_NOISE && geometry->flows[2].seed == 7);
    assert_true(geometry->flows[3].type == FLOW_TOWARDS && geometry->flows[3].at.x == 4.0f);
    assert_true(geometry->flows[4].columns == 2 && geometry->flows[4].vectors[1].x == 3.0f);
    assert_int_equal(geometry->area_count, 3);
    assert_true(geometry_def_find_gate(geometry, "door") == 0 && geometry->gates[0].to.x == 3.0f);
    assert_true(geometry->areas[0].shape.shape == OBSTACLE_BOX && geometry->areas[0].speed == 1.0f);
    assert_true(geometry->areas[1].shape.radius == 7.0f && geometry->areas[1].speed == 0.5f);
    assert_true(geometry->areas[2].shape.points[1].x == 9.0f && geometry_def_find_area(geometry, "c") == 2);
    const struct behavior_def *behaviors = scenario.def.kinds[0].states[0].behaviors;
    assert_string_equal(behaviors[0].path, "b");
    assert_true(behaviors[0].direction == -1.0f && behaviors[2].horizon == 2.0f);
    assert_string_equal(behaviors[1].flow_field, "g");
    scenario_fini(&scenario);
}

/* What is said of ways that end: a door of 10 px is narrower than the body; a target in an obstacle. */
static void test_way_warnings(void **state) {
#define ROOM(body)                                                                                           \
    "{\"name\":\"t\",\"world\":{\"size\":[400,200],\"edge\":\"contain\",\"walls\":[[200,0,200,95],[200,105," \
    "200,200]],"                                                                                             \
    "\"obstacles\":[{\"box\":[330,80,20,20]}],\"flow_fields\":{\"a\":{\"way\":{\"to\":[\"in\"],"             \
    "\"body\":" body ",\"cell\":2}}}},\"targets\":{\"in\":[340,90]}}"
    static const char *const texts[] = {ROOM("6"), ROOM("4")};
    for (int i = 0; i < 2; i++) {
        const struct world_overrides overrides = {0};
        char warning[WORLD_WARNING_TEXT];
        struct failure failure = {0};
        struct built_world built;
        assert_int_equal(read_text(texts[i], &failure), 0);
        assert_int_equal(built_world_make(&scenario, &overrides, NULL, NULL, &built, &failure), 0);
        if (i == 0) {
            assert_non_null(built_world_warning(&built, 0, warning));
            assert_non_null(strstr(warning, "the way \"a\" leads nowhere"));
            assert_non_null(strstr(warning, "narrower than the body, which is 12 px wide"));
        }
        assert_non_null(built_world_warning(&built, 1 - i, warning));
        assert_non_null(strstr(warning, "in at 340, 90 is in a solid"));
        assert_null(built_world_warning(&built, 2 - i, warning));
        built_world_fini(&built);
        scenario_fini(&scenario);
    }
}

static void test_sources(void **state) {
    struct failure failure = {0};
    static const char *const text =
        "{\"name\":\"t\",\"world\":{\"size\":[800,600],\"areas\":{\"a\":{\"rect\":[0,0,9,9]},\"b\":{"
        "\"circle\":[50,50,"
        "9]}}},\"kinds\":{\"x\":{},\"y\":{}},\"sources\":{\"s\":{\"kind\":\"y\",\"area\":\"b\",\"rate\":2.5,"
        "\"from\":1,"
        "\"until\":20,\"at_most\":30,\"burst\":4,\"spread\":\"random\"},\"d\":{\"kind\":\"x\",\"area\":\"a\","
        "\"rate\":1}},"
        "\"sinks\":{\"out\":{\"area\":\"a\",\"kinds\":[\"y\"]},\"all\":{\"area\":\"b\"}}}";
    assert_int_equal(read_text(text, &failure), 0);
    const struct world_def *def = &scenario.def;
    const struct source_def *s = &def->sources[0], *d = &def->sources[1];
    assert_int_equal(def->source_count, 2);
    assert_true(s->kind == 1 && s->area == 1 && s->rate == 2.5f && s->from == 1.0f && s->until == 20.0f);
    assert_true(s->at_most == 30 && s->burst == 4 && s->spread == SPREAD_RANDOM);
    assert_true(d->kind == 0 && d->area == 0 && d->burst == 1 && d->until == 0.0f && d->at_most == 0);
    assert_string_equal(s->name, "s");
    assert_true(def->sink_count == 2 && def->sinks[0].kinds == 2 && def->sinks[1].kinds == UINT64_MAX);
    scenario_fini(&scenario);
}

/* The movement manager tutorial's hunter. */
static void test_states(void **state) {
    struct failure failure = {0};
    const int result =
        read_text("{\"name\":\"t\",\"world\":{\"size\":[800,600]},\"kinds\":{\"prey\":{},\"hunter\":{\"max_"
                  "stamina\":200,"
                  "\"states\":["
                  "{\"name\":\"rest\",\"when\":{\"exhausted\":true},\"stamina_rate\":60},"
                  "{\"name\":\"pursue\",\"when\":{\"exhausted\":false,\"any\":[{\"has_quarry\":true},"
                  "{\"near\":{\"kind\":\"prey\",\"within\":150}}]},\"stamina_rate\":-120,"
                  "\"behaviors\":[{\"pursue\":{\"kind\":\"prey\",\"keep\":true}}]},"
                  "{\"name\":\"wander\",\"combine\":\"dithered\",\"behaviors\":[{\"wander\":{\"probability\":"
                  "0.5}}]}]}}}",
                  &failure);
    if (result != 0) {
        fail_msg("%s: %s", failure.field, failure.message);
    }
    const struct kind_def *hunter = &scenario.def.kinds[1];
    assert_int_equal(hunter->state_count, 3);
    assert_true(hunter->body.max_stamina == 200.0f && hunter->states[1].stamina_rate == -120.0f);
    const struct condition_def *when = hunter->states[1].conditions;
    const int expected[] = {CONDITION_ALL, CONDITION_NOT,        CONDITION_EXHAUSTED,
                            CONDITION_ANY, CONDITION_HAS_QUARRY, CONDITION_NEAR};
    assert_int_equal(hunter->states[1].condition_count, 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(when[i].type, expected[i]);
    }
    assert_true(when[0].count == 2 && when[3].count == 2 && when[5].target.within == 150.0f);
    assert_string_equal(when[5].target.kind, "prey");
    assert_true(hunter->states[1].behaviors[0].keep);
    assert_int_equal(hunter->states[2].combine, COMBINE_DITHERED);
    assert_true(hunter->states[2].behaviors[0].probability == 0.5f);
    assert_true(hunter->states[2].behaviors[0].wander_radius == 30.0f);
    struct world *world = NULL;
    assert_int_equal(world_create(&scenario.def, &world, NULL), WORLD_OK);
    world_destroy(world);
    scenario_fini(&scenario);
}

/* A car, and one that herds. */
static void test_wheels_and_herd(void **state) {
    (void)state;
    static const char *const text = "{\"name\":\"t\",\"world\":{\"size\":[800,600]},\"targets\":{\"pen\":[1,"
                                    "2]},\"kinds\":{\"p\":{\"locomotion\":"
                                    "\"wheeled\",\"turn_radius\":%s,\"behaviors\":[{\"herd\":{\"%s\":\"p\","
                                    "\"second_target\":\"pen\",\"gather\":7}}]}}}";
    struct failure failure;
    char filled[512];
    (void)snprintf(filled, sizeof filled, text, "25", "kind");
    assert_int_equal(read_text(filled, &failure), 0);
    const struct kind_def *car = &scenario.def.kinds[0];
    assert_int_equal(car->body.locomotion, LOCOMOTION_WHEELED);
    assert_true(car->body.turn_radius == 25.0f && kind_def_default().body.turn_radius == 40.0f);
    assert_true(car->states[0].behaviors[0].gather == 7.0f);
    assert_string_equal(car->states[0].behaviors[0].target.kind, "p");
    scenario_fini(&scenario);
    (void)snprintf(filled, sizeof filled, text, "0", "kind");
    assert_int_equal(read_text(filled, &failure), -1);
    assert_string_equal(failure.field, "kinds.p.turn_radius");
    (void)snprintf(filled, sizeof filled, text, "25", "target"); /* one alone cannot be herded */
    assert_int_equal(read_text(filled, &failure), -1);
    assert_string_equal(failure.field, "kinds.p.behaviors[0].herd.target");
}

/* Paths with radii of points, and smoothed. */
static void test_smooth_paths(void **state) {
    static const char *const text = "{\"name\":\"t\",\"world\":{\"size\":[800,600],\"paths\":{\"road\":{"
                                    "\"points\":[%s],\"radius\":9,\"smooth\":%s}}}}";
    static const char *const wrong[][4] = {
        {"[1,2],[3]", "0", "world.paths.road.points[1]", "expected [x, y] or [x, y, radius], found an array"},
        {"[1,2],[3,4,-1]", "0", "world.paths.road.points[1][2]", "-1 is out of range: 0 to 100000 px"},
        {"[1,2]", "0", "world.paths.road.points", "1 points; allowed are 2 to 512"},
        {"[1,2],[3,4]", "65", "world.paths.road.smooth", "65 is out of range: 0 to 64"},
        {"[1,2],[3,4],[5,6],[7,8],[9,10],[1,3],[2,4],[3,5],[4,6]", "64", "world.paths.road.smooth",
         "it makes 521 points; allowed: at most 512, so a smaller number"},
    };
    struct failure failure;
    char filled[512];
    (void)state;
    (void)snprintf(filled, sizeof filled, text, "[10,10],[110,10,30],[210,10]", "4");
    assert_int_equal(read_text(filled, &failure), 0);
    const struct path_def *road = &scenario.def.geometry.paths[0];
    assert_true(road->point_count == 11 && road->radius_count == 11 && road->radius == 30.0f);
    assert_true(road->radii[0] == 9.0f && road->radii[5] == 30.0f && road->points[5].x == 110.0f);
    scenario_fini(&scenario);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        (void)snprintf(filled, sizeof filled, text, wrong[i][0], wrong[i][1]);
        assert_int_equal(read_text(filled, &failure), -1);
        assert_string_equal(failure.field, wrong[i][2]);
        if (strstr(failure.message, wrong[i][3]) == NULL) {
            fail_msg("%s", failure.message);
        }
    }
}

/* A formation that two kinds keep; what is wrong with one is said at its place. */
static void test_formations(void **state) {
    static const char *const text =
        "{\"name\":\"t\",\"world\":{\"size\":[800,600]},\"kinds\":{\"a\":{\"behaviors\":[{\"formation\":{"
        "\"agent\":1,"
        "\"formation\":\"%s\"}},{\"formation\":{\"agent\":1,\"formation\":\"%s\"}}]}},"
        "\"formations\":{\"court\":{\"places\":[[-10,20],%s]},\"crowd\":{\"places\":[[0,0]]}}}";
    static const char *const wrong[][5] = {
        {"cort", "cort", "[1,2]", "kinds.a.behaviors[0].formation.formation",
         "no formation \"cort\" (did you mean \"court\"?); this scenario has \"court\", \"crowd\""},
        {"court", "crowd", "[1,2]", "kinds.a.behaviors[1].formation.formation",
         "a kind keeps the places of one formation; allowed: \"court\", as in its other behavior"},
        {"court", "court", "[1]", "formations.court.places[1]",
         "expected [ahead, right] or [ahead, right, kind], found an array"},
        {"court", "court", "[1,100001]", "formations.court.places[1][1]", "100001 is out of range"},
        {"court", "court", "[1,2,\"b\"]", "formations.court.places[1][2]", "no kind \"b\""},
        {"court", "court", "[1,2,3]", "formations.court.places[1]", "expected [ahead, right]"},
    };
    struct failure failure;
    char filled[512];
    (void)state;
    (void)snprintf(filled, sizeof filled, text, "court", "court", "[3,-4,\"a\"]");
    assert_int_equal(read_text(filled, &failure), 0);
    const struct formation_def *court = &scenario.def.formations[0];
    assert_int_equal(scenario.def.formation_count, 2);
    assert_int_equal(court->place_count, 2);
    assert_true(court->places[0].at.x == -10.0f && court->places[0].at.y == 20.0f &&
                court->places[0].kind == -1);
    assert_true(court->places[1].at.y == -4.0f && court->places[1].kind == 0);
    assert_string_equal(scenario.def.kinds[0].states[0].behaviors[0].formation, "court");
    scenario_fini(&scenario);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        (void)snprintf(filled, sizeof filled, text, wrong[i][0], wrong[i][1], wrong[i][2]);
        assert_int_equal(read_text(filled, &failure), -1);
        assert_string_equal(failure.field, wrong[i][3]);
        if (strstr(failure.message, wrong[i][4]) == NULL) {
            fail_msg("%s", failure.message);
        }
    }
}

/* What a condition may ask for besides a distance. */
static void test_conditions(void **state) {
    (void)state;
    struct failure failure = {0};
    const int result = read_text(
        "{\"name\":\"t\",\"world\":{\"size\":[800,600],\"areas\":{\"hall\":{\"circle\":[9,9,5]}}},\"kinds\":{"
        "\"p\":{\"states\":["
        "{\"name\":\"a\",\"signal\":\"alarm\",\"when\":{\"near\":{\"kind\":\"p\",\"within\":200,\"field_of_"
        "view\":180,"
        "\"visible\":true,\"remember\":5},\"cooldown\":{\"state\":\"b\",\"seconds\":3},\"chance\":0.25,"
        "\"heard\":{\"signal\":\"alarm\",\"within\":300},\"in\":{\"area\":\"hall\"}}},{\"name\":\"b\"}]}}}",
        &failure);
    if (result != 0) {
        fail_msg("%s: %s", failure.field, failure.message);
    }
    const struct state_def *first = &scenario.def.kinds[0].states[0];
    const struct condition_def *when = first->conditions;
    assert_string_equal(first->signal, "alarm");
    assert_int_equal(first->condition_count, 6);
    assert_true(when[1].type == CONDITION_NEAR && when[1].target.within == 200.0f && when[1].is_visible &&
                when[1].field_of_view == 3.14159265f && when[1].remember == 5.0f);
    assert_true(when[2].type == CONDITION_COOLDOWN && when[2].value == 3.0f && when[2].name[0] == 'b');
    assert_true(when[3].type == CONDITION_CHANCE && when[3].value == 0.25f);
    assert_true(when[4].type == CONDITION_HEARD && when[4].value == 300.0f && when[4].name[0] == 'a');
    assert_true(when[5].type == CONDITION_IN && when[5].name[0] == 'h');
    struct world *world = NULL;
    assert_int_equal(world_create(&scenario.def, &world, NULL), WORLD_OK);
    world_destroy(world);
    scenario_fini(&scenario);
}

static void test_last_words(void **state) {
    struct failure failure;
    assert_int_equal(
        read_text("{\"name\":\"t\",\"world\":{\"size\":[800,600]},\"kinds\":{\"p\":{\"behaviors\":["
                  "{\"orca\":{\"horizon\":3,\"max_neighbors\":5}},{\"contain\":{}},"
                  "{\"contain\":{\"rect\":[10,20,30,40],\"margin\":7}},"
                  "{\"contain\":{\"circle\":[1,2,3],\"prediction\":0.5}},"
                  "{\"separation\":{\"max_neighbors\":7}},{\"flock\":{}}]}}}",
                  &failure),
        0);
    const struct behavior_def *behaviors = scenario.def.kinds[0].states[0].behaviors;
    assert_int_equal(behaviors[0].type, BEHAVIOR_ORCA);
    assert_true(behaviors[0].horizon == 3.0f && behaviors[0].weight == 1.0f &&
                behaviors[0].obstacle_horizon == 0.5f && behaviors[0].max_neighbors == 5);
    assert_int_equal(behaviors[1].region.shape, REGION_WORLD);
    assert_int_equal(behaviors[2].region.shape, REGION_RECT);
    assert_true(behaviors[2].region.at.y == 20.0f && behaviors[2].region.size.x == 30.0f &&
                behaviors[2].margin == 7.0f);
    assert_int_equal(behaviors[3].region.shape, REGION_CIRCLE);
    assert_true(behaviors[3].region.radius == 3.0f && behaviors[3].prediction == 0.5f);
    assert_int_equal(behaviors[4].max_neighbors, 7);
    assert_int_equal(behaviors[5].max_neighbors, 0);
    scenario_fini(&scenario);
}

static void test_defaults(void **state) {
    struct failure failure;
    assert_int_equal(read_text("{\"name\":\"\",\"world\":{\"size\":[1,1]}}", &failure), 0);
    assert_int_equal(scenario.def.seed, 1);
    assert_true(scenario.def.tick_hz == 60.0);
    assert_int_equal(scenario.def.edge, EDGE_OPEN);
    scenario_fini(&scenario);
}

#define WORLD "\"name\":\"t\",\"world\":{\"size\":[800,600]}"
#define MOUSE ",\"targets\":{\"mouse\":[1,2]}"
#define PREY  MOUSE ",\"kinds\":{\"prey\":{}}"

#define IN    "\"name\":\"t\",\"world\":{\"size\":[800,600],"
#define HALL  IN "\"areas\":{\"hall\":{\"rect\":[0,0,99,99]}}},\"kinds\":{\"walker\":{}},"
#define STATE WORLD ",\"kinds\":{\"p\":{\"states\":[{\"name\":\"a\",\"when\":"

#define NEAR "{\"near\":{\"kind\":\"p\",\"remember\":2}}"
#define TIMERS                                                                                               \
    "{\"name\":\"t\",\"when\":{\"any\":[" NEAR "," NEAR "," NEAR "," NEAR                                    \
    ",{\"cooldown\":{\"state\":\"b\",\"seconds\":1}}]}}"

/* text, JSON path, words that the message must contain */
static const char *const mistakes[][3] = {
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"walk\":{}},{\"contain\":{}},{\"orca\":{}}]}}}",
     "kinds.p.behaviors[2].orca",
     "\"walk\" is in the state already; only one of the two can have the last word"},
    {"", "", "the text is empty"},
    {"{\"name\":\"t\",\n\"world\":}", "", "unexpected '}'"},
    {"[]", "", "expected an object"},
    {"{\"world\":{\"size\":[800,600]}}", "name", "missing"},
    {"{\"name\":7,\"world\":{\"size\":[800,600]}}", "name", "expected a string, found a number"},
    {"{\"name\":\"t\"}", "world", "missing"},
    {"{" WORLD ",\"walls\":[]}", "walls",
     "allowed: name, description, seed, tick_hz, warmup, world, targets, kinds, formations, agents"},
    {"{" WORLD ",\"seed\":-1}", "seed", "-1 is out of range: 0 to 9007199254740991"},
    {"{" WORLD ",\"seed\":1.5}", "seed", "integer"},
    {"{" WORLD ",\"tick_hz\":481}", "tick_hz", "481 is out of range: 1 to 480"},
    {"{" WORLD ",\"warmup\":600.1}", "warmup", "600.1 is out of range: 0 to 600 s"},
    {"{" WORLD ",\"warmup\":-1}", "warmup", "-1 is out of range: 0 to 600 s"},
    {"{" WORLD ",\"warmup\":true}", "warmup", "expected a number, found a bool"},
    {"{\"name\":\"t\",\"world\":{}}", "world.size", "missing"},
    {"{\"name\":\"t\",\"world\":{\"size\":800}}", "world.size", "expected a point [x, y], found a number"},
    {"{\"name\":\"t\",\"world\":{\"size\":[0,600]}}", "world.size[0]", "0 is out of range: 1 to 100000"},
    {"{\"name\":\"t\",\"world\":{\"size\":[800,600],\"edge\":\"round\"}}", "world.edge",
     "\"round\" is not one of \"open\", \"wrap\", \"bounce\", \"contain\""},
    {"{" IN "\"obstacle\":[]}}", "world.obstacle",
     "unknown key \"obstacle\" (did you mean \"obstacles\"?); allowed: size, edge, meter, obstacles"},
    {"{" IN "\"obstacles\":{}}}", "world.obstacles", "expected an array, found an object"},
    {"{" IN "\"obstacles\":[{\"ball\":[1,2,3]}]}}", "world.obstacles[0].ball", "no obstacle \"ball\""},
    {"{" IN "\"paths\":{\"rails\":{\"points\":[[0,0],[9,0]]}},"
     "\"obstacles\":[{\"circle\":[1,2,3],\"move\":{\"path\":\"rail\",\"speed\":9}}]}}",
     "world.obstacles[0].move.path", "no path \"rail\" (did you mean \"rails\"?)"},
    {"{" IN "\"obstacles\":[{\"circle\":[1,2,3],\"move\":{\"path\":\"rail\"}}]}}",
     "world.obstacles[0].move.speed", "missing"},
    {"{" IN "\"obstacles\":[{\"circle\":[1,2,3],\"door\":{\"open\":[9,0],\"time\":0}}]}}",
     "world.obstacles[0].door.time", "0.01"},
    {"{" IN "\"obstacles\":[{\"circle\":[1,2,3],\"door\":{\"open\":[9,0],\"time\":1,\"until\":9}}]}}",
     "world.obstacles[0].door.until", "unknown key"},
    {"{" IN "\"obstacles\":[{\"circle\":[1,2,3],\"move\":{\"path\":\"p\",\"speed\":9},"
     "\"door\":{\"open\":[9,0],\"time\":1}}]}}",
     "world.obstacles[0].circle", "not both"},
    {"{" IN "\"obstacles\":[{\"circle\":[1,2]}]}}", "world.obstacles[0].circle",
     "expected [x, y, r], found an array of 2"},
    {"{" IN "\"obstacles\":[{\"circle\":[1,2,3]},{\"box\":[1,2,3,-4]}]}}", "world.obstacles[1].box[3]",
     "-4 is out of range: 0 to 1000000 px"},
    {"{" IN "\"obstacles\":[{\"polygon\":[[1,2],[3,4]]}]}}", "world.obstacles[0].polygon",
     "2 points; allowed are 3 to 64"},
    {"{" IN "\"obstacles\":[{\"polygon\":[[0,0],[9,9],[9,0],[0,9]]}]}}", "world.obstacles[0].polygon",
     "sides 1 and 3 of the polygon cross or touch; the sides of a polygon must meet at its corners alone"},
    {"{" IN "\"obstacles\":[{\"polygon\":[[0,0],[9,0],[9,0],[2,2],[0,9]]}]}}", "world.obstacles[0].polygon",
     "side 2 of the polygon has no length"},
    {"{" IN "\"obstacles\":[{\"polygon\":[[0,0],[9,0],[4,0]]}]}}", "world.obstacles[0].polygon",
     "sides 1 and 2 of the polygon cross or touch"},
    {"{" IN "\"obstacles\":[{\"circle\":[1,2,3],\"box\":[1,2,3,4]}]}}", "world.obstacles[0]", "found 2 keys"},
    {"{" IN "\"edge\":\"wrap\",\"walls\":[[0,0,500,0]]}}", "world.walls[0]", "at most half"},
    {"{" IN "\"walls\":[[0,0,500]]}}", "world.walls[0]", "expected [x1, y1, x2, y2], found an array of 3"},
    {"{" IN "\"paths\":[]}}", "world.paths", "expected an object by name, found an array"},
    {"{" IN "\"paths\":{\"a b\":{}}}}", "world.paths.a b", "is not a name"},
    {"{" IN "\"paths\":{\"a\":{}}}}", "world.paths.a.points", "missing; expected [[x, y], ...]"},
    {"{" IN "\"paths\":{\"a\":{\"points\":[[1,2]]}}}}", "world.paths.a.points",
     "1 points; allowed are 2 to 512"},
    {"{" IN "\"paths\":{\"a\":{\"points\":[[1,2],[3,4]],\"looop\":true}}}}", "world.paths.a.looop",
     "unknown key \"looop\" (did you mean \"loop\"?); allowed: radius, loop, smooth, points"},
    {"{" HALL "\"sources\":[]}", "sources", "expected an object by name, found an array"},
    {"{" HALL "\"sources\":{\"a b\":{}}}", "sources.a b", "is not a name"},
    {"{" HALL "\"sources\":{\"s\":{\"kind\":\"walker\",\"area\":\"hall\"}}}", "sources.s.rate", "missing"},
    {"{" HALL "\"sources\":{\"s\":{\"kind\":\"walkr\",\"area\":\"hall\",\"rate\":1}}}", "sources.s.kind",
     "no kind \"walkr\" (did you mean \"walker\"?)"},
    {"{" HALL "\"sources\":{\"s\":{\"kind\":\"walker\",\"area\":\"hal\",\"rate\":1}}}", "sources.s.area",
     "no area \"hal\" (did you mean \"hall\"?); world.areas has \"hall\""},
    {"{" HALL "\"sources\":{\"s\":{\"kind\":\"walker\",\"area\":\"hall\",\"rate\":1001}}}", "sources.s.rate",
     "out of range"},
    {"{" HALL "\"sources\":{\"s\":{\"kind\":\"walker\",\"area\":\"hall\",\"rate\":1,\"burst\":0}}}",
     "sources.s.burst", "out of range"},
    {"{" HALL "\"sources\":{\"s\":{\"kind\":\"walker\",\"area\":\"hall\",\"rate\":1,\"spread\":\"evn\"}}}",
     "sources.s.spread", "(did you mean \"even\"?)"},
    {"{" HALL
     "\"sources\":{\"s\":{\"kind\":\"walker\",\"area\":\"hall\",\"rate\":1,\"from\":5,\"until\":5}}}",
     "sources.s.until", "it ends before it begins; allowed: 0, or more than from"},
    {"{" HALL "\"sinks\":{\"s\":{\"area\":\"hall\",\"kinds\":[\"walker\",\"x\"]}}}", "sinks.s.kinds[1]",
     "no kind \"x\""},
    {"{" HALL "\"sinks\":{\"s\":{\"kinds\":[\"walker\"]}}}", "sinks.s.area", "missing"},
    {"{" IN "\"areas\":{\"a\":{\"box\":[1,2,3,4]}}}}", "world.areas.a.box",
     "unknown key \"box\"; allowed: speed, circle, rect, polygon"},
    {"{" IN "\"areas\":{\"a\":{\"speed\":0.5}}}}", "world.areas.a", "0 shapes; expected exactly one"},
    {"{" IN "\"areas\":{\"a\":{\"circle\":[1,2,3],\"rect\":[1,2,3,4]}}}}", "world.areas.a", "2 shapes"},
    {"{" IN "\"areas\":{\"a\":{\"rect\":[1,2,3,0]}}}}", "world.areas.a", "above 0"},
    {"{" IN "\"areas\":{\"a\":{\"rect\":[-9,2,9,9]}}}}", "world.areas.a", "must lie in the world"},
    {"{" IN "\"areas\":{\"a\":{\"speed\":0,\"rect\":[1,2,3,4]}}}}", "world.areas.a.speed", "out of range"},
    {"{" IN "\"areas\":{\"a\":{\"polygon\":[[0,0],[9,9],[9,0],[0,9]]}}}}", "world.areas.a",
     "sides 1 and 3 of the polygon cross or touch"},
    {"{" IN "\"edge\":\"wrap\",\"areas\":{\"a\":{\"circle\":[1,2,4000]}}}}", "world.areas.a",
     "at most as wide and high"},
    {"{" IN "\"gates\":{\"g\":[1,2,3]}}}", "world.gates.g", "expected [x1, y1, x2, y2], found an array of 3"},
    {"{" IN "\"gates\":{\"g\":[1,2,1,2]}}}", "world.gates.g", "a gate needs a length above 0"},
    {"{" IN "\"areas\":{\"a\":{\"rect\":[1,2,3,4]}},\"gates\":{\"a\":[1,2,3,4]}}}", "world.gates.a",
     "an area is called \"a\""},
    {"{" IN "\"edge\":\"wrap\",\"gates\":{\"g\":[-5,0,5,0]}}}", "world.gates.g", "begins in the world"},
    {"{" IN "\"flow_fields\":{\"f\":{\"gust\":[1,2]}}}}", "world.flow_fields.f.gust",
     "no flow field \"gust\""},
    {"{" IN "\"flow_fields\":{\"f\":{\"noise\":{\"scale\":9}}}}}", "world.flow_fields.f.noise.strength",
     "missing"},
    {"{" IN "\"flow_fields\":{\"f\":{\"grid\":{\"cells\":[2,1.5],\"vectors\":[]}}}}}",
     "world.flow_fields.f.grid.cells", "whole numbers"},
    {"{" IN "\"flow_fields\":{\"f\":{\"grid\":{\"cells\":[2,2],\"vectors\":[[1,2]]}}}}}",
     "world.flow_fields.f.grid.vectors", "expected an array of 4 vectors [vx, vy], row by row; found 1"},
    {"{" IN "\"flow_fields\":{\"f\":{\"way\":{}}}}}", "world.flow_fields.f.way.to", "missing"},
    {"{" WORLD ",\"kinds\":{\"k\":{\"turn_radius\":9}}}", "kinds.k.turn_radius", "locomotion \"wheeled\""},
    {"{" IN "\"flow_fields\":{\"f\":{\"way\":{\"to\":[]}}}}}", "world.flow_fields.f.way.to", "1 to 8"},
    {"{" IN "\"flow_fields\":{\"f\":{\"way\":{\"to\":[\"a\"],\"cell\":0.5}}}}}",
     "world.flow_fields.f.way.cell", "1600 x 1200 cells are too many; allowed: at most 65536"},
    {"{" IN "\"flow_fields\":{\"f\":{\"way\":{\"to\":[\"a\"],\"speeed\":5}}}}}",
     "world.flow_fields.f.way.speeed", "did you mean \"speed\"?"},
    {"{" IN "\"areas\":{\"hall\":{\"rect\":[1,2,3,4]}},\"flow_fields\":{\"f\":{\"way\":{\"to\":[\"hall\","
     "\"exti\"]}}}},"
     "\"targets\":{\"exit\":[1,2]}}",
     "world.flow_fields.f.way.to[1]", "no area or target \"exti\" (did you mean \"exit\"?)"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"follow_path\":{}}]}}}",
     "kinds.p.behaviors[0].follow_path.path", "missing"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"stay_on_path\":{\"path\":\"a\"}}]}}}",
     "kinds.p.behaviors[0].stay_on_path.path", "no path \"a\"; this world has none"},
    {"{" IN "\"flow_fields\":{\"f\":{\"uniform\":[1,2]}}},\"kinds\":{\"p\":{\"behaviors\":[{\"follow_flow\":{"
     "\"flow_field\":\"g\"}}]}}}",
     "kinds.p.behaviors[0].follow_flow.flow_field", "no flow field \"g\"; this world has \"f\""},
    {"{" WORLD ",\"view\":[]}", "view", "expected an object, found an array"},
    {"{" WORLD ",\"view\":{\"trail\":true}}", "view.trail",
     "unknown key \"trail\" (did you mean \"trails\"?); allowed: trails, color, select, panel, zoom, flag, "
     "overlays"},
    {"{" WORLD ",\"view\":{\"trails\":1}}", "view.trails", "expected true or false, found a number"},
    {"{" WORLD ",\"view\":{\"color\":\"by speed\"}}", "view.color", "\"by speed\" is not a name"},
    {"{" WORLD ",\"view\":{\"zoom\":0}}", "view.zoom", "0 is out of range: 0.1 to 1000"},
    {"{" WORLD ",\"view\":{\"select\":0}}", "view.select", "0 is out of range: 1 to"},
    {"{" WORLD ",\"view\":{\"select\":3}}", "view.select", "no agent 3; this scenario has 0"},
    {"{" WORLD ",\"view\":{\"overlays\":\"radii\"}}", "view.overlays",
     "expected an array of names, found a string"},
    {"{" WORLD ",\"view\":{\"overlays\":[\"a\",\"\"]}}", "view.overlays[1]", "is not a name"},
    {"{" WORLD ",\"view\":{\"overlays\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\",\"j\",\"k\","
     "\"l\",\"m\",\"n\",\"o\","
     "\"p\",\"q\"]}}",
     "view.overlays", "an array of 17 overlays is too long: at most 16"},
    {"{" WORLD ",\"about\":\"words\"}", "about", "expected an object, found a string"},
    {"{" WORLD ",\"about\":{\"title\":\"\"}}", "about.title",
     "unknown key \"title\"; allowed: group, caption, try"},
    {"{" WORLD ",\"about\":{\"group\":\"crowd\"}}", "about.group", "did you mean \"crowds\""},
    {"{" WORLD ",\"about\":{\"group\":7}}", "about.group", "found a number"},
    {"{" WORLD
     ",\"about\":{\"caption\":\"1234567890123456789012345678901234567890123456789012345678901234567890"
     "123456789012345678901234567890123456789012345678901\"}}",
     "about.caption", "a text of 121 bytes is too long: at most 120"},
    {"{" WORLD ",\"about\":{\"caption\":\"a\\u001b[2J\"}}", "about.caption",
     "U+001B at byte 2; a text has no control characters, line separators or characters that turn"},
    {"{" WORLD ",\"about\":{\"try\":\"a\\nb\"}}", "about.try", "U+000A at byte 2"},
    {"{" WORLD ",\"about\":{\"look_for\":\"\xE2\x82\xAC \\u202Eb\"}}", "about.look_for", "U+202E at byte 5"},
    {"{" WORLD ",\"about\":{\"source\":\"\\u2028\"}}", "about.source", "U+2028 at byte 1"},
    {"{" WORLD ",\"description\":\"a\\nb\\u0085\"}", "description", "U+0085 at byte 4"},
    {"{\"name\":\"a\\nb\"}", "name", "U+000A at byte 2"},
    {"{" WORLD ",\"targets\":[]}", "targets", "expected an object"},
    {"{" WORLD ",\"targets\":{\"a b\":[1,2]}}", "targets.a b", "is not a name"},
    {"{" WORLD ",\"targets\":{\"t\":5}}", "targets.t",
     "expected a point [x, y] or an object, found a number"},
    {"{" WORLD ",\"targets\":{\"t\":[1]}}", "targets.t", "found an array of 1"},
    {"{" WORLD ",\"targets\":{\"t\":{}}}", "targets.t.at", "missing"},
    {"{" WORLD ",\"targets\":{\"t\":{\"at\":[1,2],\"strolls\":true}}}", "targets.t.strolls",
     "expected an object, found a bool"},
    {"{" WORLD ",\"targets\":{\"t\":{\"at\":[1,2],\"strolls\":{\"before\":1}}}}", "targets.t.strolls.before",
     "unknown key \"before\"; allowed: after, speed"},
    {"{" WORLD ",\"targets\":{\"t\":{\"at\":[1,2],\"strolls\":{\"after\":-1}}}}", "targets.t.strolls.after",
     "-1 is out of range: 0 to 3600 s"},
    {"{" WORLD ",\"targets\":{\"t\":{\"at\":[1,2],\"strolls\":{\"speed\":0}}}}", "targets.t.strolls.speed",
     "0 is out of range: 0.1 to 20000 px/s"},
    {"{" WORLD ",\"targets\":{\"t\":{\"at\":[1,2],\"jump\":1}}}", "targets.t.jump", "unknown key \"jump\""},
    {"{" WORLD ",\"targets\":{\"t\":{\"at\":[1,2],\"jump_within\":-1}}}", "targets.t.jump_within",
     "-1 is out of range"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"max_speed\":30000}}}", "kinds.p.max_speed",
     "30000 is out of range: 0 to 20000 px/s"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"max_speed\":[9,1]}}}", "kinds.p.max_speed",
     "the minimum must come first"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"speed\":1}}}", "kinds.p.speed",
     "unknown key \"speed\"; allowed: mass, radius"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"states\":[]}}}", "kinds.p.states", "0 states; a kind has 1 to 16"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"states\":{}}}}", "kinds.p.states", "expected an array of states"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"states\":[{}]}}}", "kinds.p.states[0].name", "missing"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[],\"states\":[{\"name\":\"a\"}]}}}", "kinds.p.states",
     "\"behaviors\" is there too"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"states\":[{\"name\":\"a\",\"when\":{\"exhausted\":true}}]}}}",
     "kinds.p.states", "the last state has a condition"},
    {"{" STATE "{}},{\"name\":\"b\"}]}}}", "kinds.p.states[0].when",
     "empty; expected a condition, such as near"},
    {"{" STATE "{\"neer\":{}}},{\"name\":\"b\"}]}}}", "kinds.p.states[0].when.neer",
     "no condition \"neer\" (did you mean \"near\"?); there are near, exhausted, has_quarry"},
    {"{" STATE "{\"exhausted\":1}},{\"name\":\"b\"}]}}}", "kinds.p.states[0].when.exhausted",
     "expected true or false, found a number"},
    {"{" STATE "{\"stamina_below\":2}},{\"name\":\"b\"}]}}}", "kinds.p.states[0].when.stamina_below",
     "2 is out of range: 0 to 1"},
    {"{" STATE "{\"any\":[{\"exhausted\":true},{\"near\":{\"kind\":\"q\"}}]}},{\"name\":\"b\"}]}}}",
     "kinds.p.states[0].when.kind", "no kind \"q\"; this scenario has \"p\""},
    {"{" STATE "{\"near\":{\"kind\":\"p\",\"field_of_view\":361}}},{\"name\":\"b\"}]}}}",
     "kinds.p.states[0].when.near.field_of_view", "0 to 360"},
    {"{" STATE "{\"near\":{\"kind\":\"p\",\"visible\":1}}},{\"name\":\"b\"}]}}}",
     "kinds.p.states[0].when.near.visible", "expected true or false"},
    {"{" STATE "{\"near\":{\"kind\":\"p\",\"remember\":-1}}},{\"name\":\"b\"}]}}}",
     "kinds.p.states[0].when.near.remember", "0 to 1000000"},
    {"{" STATE "{\"cooldown\":{\"state\":\"bb\",\"seconds\":1}}},{\"name\":\"b\"}]}}}",
     "kinds.p.states[0].when.cooldown.state", "no state \"bb\"; this kind has \"a\", \"b\""},
    {"{" STATE "{\"cooldown\":{\"state\":\"b\"}}},{\"name\":\"b\"}]}}}",
     "kinds.p.states[0].when.cooldown.seconds", "missing"},
    {"{" STATE "{\"chance\":-1}},{\"name\":\"b\"}]}}}", "kinds.p.states[0].when.chance", "0 to 1000000"},
    {"{" STATE "{\"heard\":{\"signal\":\"alarms\",\"within\":9}}},{\"name\":\"b\",\"signal\":\"alarm\"}]}}}",
     "kinds.p.states[0].when.heard.signal", "no signal \"alarms\" (did you mean \"alarm\"?)"},
    {"{" STATE "{\"heard\":{\"signal\":\"alarm\",\"within\":0}}},{\"name\":\"b\",\"signal\":\"alarm\"}]}}}",
     "kinds.p.states[0].when.heard.within", "1 to"},
    {"{" STATE "{\"in\":{\"area\":\"hall\"}}},{\"name\":\"b\"}]}}}", "kinds.p.states[0].when.in.area",
     "no area \"hall\""},
    {"{" WORLD ",\"kinds\":{\"p\":{\"states\":[" TIMERS "," TIMERS ",{\"name\":\"b\"}]}}}", "kinds.p.states",
     "10 conditions with \"remember\" or \"cooldown\" are too many: at most 8 in a kind"},
    {"{" STATE "{\"not\":{\"near\":{}}}},{\"name\":\"b\"}]}}}", "kinds.p.states[0].when.target",
     "missing; one of"},
    {"{" STATE
     "{\"all\":[{\"exhausted\":true},{\"exhausted\":true},{\"exhausted\":true},{\"exhausted\":true},"
     "{\"exhausted\":true},{\"exhausted\":true},{\"exhausted\":true},{\"exhausted\":true}]}},{\"name\":\"b\"}"
     "]}}}",
     "kinds.p.states[0].when.all[7].exhausted", "too many parts: at most 8"},
    {"{" WORLD MOUSE ",\"kinds\":{\"p\":{\"behaviors\":[{\"seek\":{\"target\":\"mouse\",\"kind\":\"p\"}}]}}}",
     "kinds.p.behaviors[0].seek", "target, kind and agent are mutually exclusive"},
    {"{" WORLD MOUSE ",\"kinds\":{\"p\":{\"behaviors\":[{\"interpose\":{\"target\":\"mouse\"}}]}}}",
     "kinds.p.behaviors[0].interpose.second_target", "missing; one of second_target"},
    {"{" WORLD ",\"kinds\":{\"p\":7}}", "kinds.p", "expected an object, found a number"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":{}}}}", "kinds.p.behaviors", "expected an array"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[7]}}}", "kinds.p.behaviors[0]", "found a number"},
    {"{" WORLD MOUSE ",\"kinds\":{\"p\":{\"behaviors\":[{}]}}}", "kinds.p.behaviors[0]", "found 0 keys"},
    {"{" WORLD MOUSE ",\"kinds\":{\"p\":{\"behaviors\":[{\"seek\":{},\"flee\":{}}]}}}",
     "kinds.p.behaviors[0]", "found 2 keys"},
    {"{" WORLD MOUSE ",\"kinds\":{\"p\":{\"behaviors\":[{\"fly\":{}}]}}}", "kinds.p.behaviors[0].fly",
     "no behavior \"fly\"; there are seek, flee, arrive"},
    {"{" WORLD MOUSE ",\"kinds\":{\"p\":{\"behaviors\":[{\"conain\":{}}]}}}", "kinds.p.behaviors[0].conain",
     "no behavior \"conain\" (did you mean \"contain\"?); there are seek,"},
    {"{" WORLD MOUSE ",\"kinds\":{\"p\":{\"behaviors\":[{\"seak\":{}}]}}}", "kinds.p.behaviors[0].seak",
     "follow_flow, hide, orca, contain, external"}, /* to the last */
    {"{" WORLD MOUSE ",\"kinds\":{\"p\":{\"behaviors\":[{\"arrive\":{\"slowing_dist\":1}}]}}}",
     "kinds.p.behaviors[0].arrive.slowing_dist",
     "unknown key \"slowing_dist\" (did you mean \"slowing_distance\"?)"},
    {"{" WORLD MOUSE ",\"kinds\":{\"p\":{\"max_sped\":1}}}", "kinds.p.max_sped",
     "unknown key \"max_sped\" (did you mean \"max_speed\"?); allowed: mass"},
    {"{" WORLD MOUSE ",\"kinds\":{\"p\":{\"behaviors\":[{\"seek\":{}}]}}}",
     "kinds.p.behaviors[0].seek.target", "missing"},
    {"{" WORLD MOUSE ",\"kinds\":{\"p\":{\"behaviors\":[{\"seek\":{\"target\":\"mouse\"}},"
     "{\"seek\":{\"target\":\"mous\"}}]}}}",
     "kinds.p.behaviors[1].seek.target",
     "no target \"mous\" (did you mean \"mouse\"?); this scenario has \"mouse\""},
    {"{" WORLD MOUSE
     ",\"kinds\":{\"p\":{\"behaviors\":[{\"seek\":{\"target\":\"mouse\",\"slowing_distance\":1}}]}}}",
     "kinds.p.behaviors[0].seek.slowing_distance", "unknown key"},
    {"{" WORLD PREY ",\"agents\":{}}", "agents", "expected an array"},
    {"{" WORLD PREY ",\"agents\":[{\"at\":[1,2]}]}", "agents[0].kind", "missing"},
    {"{" WORLD PREY ",\"agents\":[{\"kind\":\"prey\",\"at\":[1,2]},{\"kind\":\"bird\",\"at\":[1,2]}]}",
     "agents[1].kind", "no kind \"bird\"; this scenario has \"prey\""},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"separation\":{\"kinds\":[\"p\",\"q\"]}}]}}}",
     "kinds.p.behaviors[0].separation.kinds[1]", "no kind \"q\"; this scenario has \"p\""},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"cohesion\":{\"kinds\":\"p\"}}]}}}",
     "kinds.p.behaviors[0].cohesion.kinds", "expected an array of names"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"flock\":{\"cohesion_view\":361}}]}}}",
     "kinds.p.behaviors[0].flock.cohesion_view", "0 to 360 deg"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"flock\":{\"max_neighbors\":33}}]}}}",
     "kinds.p.behaviors[0].flock.max_neighbors", "33 is out of range: 0 to 32"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"orca\":{\"max_neighbors\":0}}]}}}",
     "kinds.p.behaviors[0].orca.max_neighbors", "0 is out of range: 1 to 32"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"orca\":{\"weight\":2}}]}}}",
     "kinds.p.behaviors[0].orca.weight", "2 is out of range: 0 to 1"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"orca\":{\"kinds\":[\"q\"]}}]}}}",
     "kinds.p.behaviors[0].orca.kinds[0]", "no kind \"q\""},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"contain\":{\"rect\":[1,2,3]}}]}}}",
     "kinds.p.behaviors[0].contain.rect", "expected [x, y, w, h], found an array of 3"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"contain\":{\"circle\":[1,2,-3]}}]}}}",
     "kinds.p.behaviors[0].contain.circle[2]", "-3 is out of range: 0 to 1000000 px"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"contain\":{\"circle\":[1,2,3],\"rect\":[1,2,3,4]}}]}}}",
     "kinds.p.behaviors[0].contain", "a region is one of them, or the world"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"contain\":{\"square\":[1,2,3]}}]}}}",
     "kinds.p.behaviors[0].contain.square",
     "unknown key \"square\"; allowed: weight, margin, prediction, tier, probability, rect, circle"},
    {"{" WORLD ",\"kinds\":{\"p\":{\"behaviors\":[{\"queue\":{}}]}}}", "kinds.p.behaviors[0].queue.target",
     "missing; one of"},
    {"{" WORLD PREY ",\"agents\":[{\"kind\":\"prey\"}]}", "agents[0]", "\"at\" or \"in\""},
    {"{" WORLD PREY ",\"agents\":[{\"kind\":\"prey\",\"at\":[1,2],\"in\":{\"circle\":[1,2,3]}}]}",
     "agents[0].in", "\"at\""},
    {"{" WORLD PREY ",\"agents\":[{\"kind\":\"prey\",\"at\":[1,2],\"spacing\":0}]}", "agents[0].spacing",
     "a spacing goes with \"in\""},
    {"{" WORLD PREY ",\"agents\":[{\"kind\":\"prey\",\"in\":{\"circle\":[1,2,3]},\"spacing\":-1}]}",
     "agents[0].spacing", "-1 is out of range: 0 to 100000 px"},
    {"{" WORLD PREY ",\"agents\":[{\"kind\":\"prey\",\"count\":0,\"at\":[1,2]}]}", "agents[0].count",
     "0 is out of range"},
    {"{" WORLD PREY ",\"agents\":[{\"kind\":\"prey\",\"in\":{\"square\":[1,2,3]}}]}", "agents[0].in",
     "expected exactly"},
    {"{" WORLD PREY ",\"agents\":[{\"kind\":\"prey\",\"in\":{}}]}", "agents[0].in", "expected exactly"},
    {"{" WORLD PREY ",\"agents\":[{\"kind\":\"prey\",\"in\":{\"rect\":[1,2,3]}}]}", "agents[0].in.rect",
     "found an array of 3"},
    {"{" WORLD PREY ",\"agents\":[{\"kind\":\"prey\",\"in\":{\"rect\":[1,2,3,-4]}}]}", "agents[0].in.rect[3]",
     "-4 is out of range"},
    {"{" WORLD PREY ",\"agents\":[{\"kind\":\"prey\",\"in\":{\"circle\":[1,2,\"r\"]}}]}",
     "agents[0].in.circle[2]", "found a string"},
    {"{" WORLD PREY ",\"agents\":[{\"kind\":\"prey\",\"at\":[1,2],\"heading\":361}]}", "agents[0].heading",
     "361 is out of range: -360 to 360"},
    {"{" WORLD PREY ",\"agents\":[{\"kind\":\"prey\",\"at\":[1,2],\"count\":60000000},"
     "{\"kind\":\"prey\",\"at\":[1,2],\"count\":60000000}]}",
     "agents[1]", "100000000 agents"},
};

/* 250 stars of several pieces each: few enough obstacles, but too many pieces. */
static void test_too_many_pieces(void **state) {
    static char text[65536];
    struct failure failure = {0};
    size_t length = (size_t)snprintf(text, sizeof text, "%s", "{" IN "\"obstacles\":[");
    for (int i = 0; i < 250; i++) {
        length += (size_t)snprintf(
            text + length, sizeof text - length,
            "%s{\"polygon\":[[0,9],[2,2],[9,0],[2,-2],[0,-9],[-2,-2],[-9,0],[-2,2],[-9,9],[-3,4]]}",
            i > 0 ? "," : "");
    }
    (void)snprintf(text + length, sizeof text - length, "]}}");
    assert_int_equal(read_text(text, &failure), -1);
    assert_string_equal(failure.field, "world.obstacles");
    assert_non_null(strstr(failure.message, "convex pieces; at most 1024 are allowed"));
}

static void test_mistakes(void **state) {
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct failure failure = {0};
        if (read_text(mistakes[i][0], &failure) == 0) {
            fail_msg("accepted: %s", mistakes[i][0]);
        }
        if (strcmp(failure.field, mistakes[i][1]) != 0 || strstr(failure.message, mistakes[i][2]) == NULL) {
            fail_msg("%s\n  said \"%s\": %s", mistakes[i][0], failure.field, failure.message);
        }
        assert_null(scenario.def.kinds); /* nothing is left behind */
        assert_null(scenario.def.geometry.obstacles);
    }
}

/* Too many targets, kinds, behaviors: one more than allowed. */
static void test_limits(void **state) {
    static const struct {
        const char *before, *item, *after, *words;
        int limit;
    } cases[] = {
        {"{" WORLD ",\"targets\":{", "\"n%d\":[1,2]", "}}", "too many targets: at most 256", LIMIT_TARGETS},
        {"{" WORLD ",\"kinds\":{", "\"n%d\":{}", "}}", "too many kinds: at most 64", LIMIT_KINDS},
        {"{" WORLD MOUSE ",\"kinds\":{\"p\":{\"behaviors\":[",
         "{\"seek\":{\"target\":\"mouse\",\"weight\":%d}}", "]}}}", "at most 16", LIMIT_BEHAVIORS},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int over = 0; over <= 1; over++) {
            struct buffer text;
            buffer_init(&text, 1 << 20);
            buffer_append_text(&text, cases[c].before);
            for (int i = 0; i < cases[c].limit + over; i++) {
                char item[64];
                const char *mark = strstr(cases[c].item, "%d");
                (void)snprintf(item, sizeof item, "%s%.*s%d%s", i == 0 ? "" : ",",
                               (int)(mark - cases[c].item), cases[c].item, i, mark + 2);
                buffer_append_text(&text, item);
            }
            buffer_append_text(&text, cases[c].after);
            struct failure failure = {0};
            const int result = scenario_read(text.data, text.length, &scenario, &failure);
            assert_int_equal(result, over == 0 ? 0 : -1);
            if (over == 1) {
                assert_non_null(strstr(failure.message, cases[c].words));
            }
            scenario_fini(&scenario);
            buffer_fini(&text);
        }
    }
}

/* Line and column of mistakes: of a key, of an element, of what lacks a key, of a byte. */
static void test_places(void **state) {
    static const struct {
        const char *text;
        int line, column;
    } rows[] = {
        {"{\"name\":\"t\",\n\"world\":}", 2, 9},
        {"\n  [7]", 2, 3},
        {"{\"name\":\"t\"}", 1, 1},
        {"{" WORLD ",\n \"kinds\": {\n  \"p\": {\"radius\": 1,\n    \"max_sped\" : 7}}}", 4, 5},
        {"{" WORLD ",\n\"kinds\":{\"p\":{\"behaviors\":[ {},\n {\"seek\":{}}]}}}", 2, 29},
        {"{" WORLD ",\n\"kinds\":{\"p\":{\"behaviors\":[\n {\"seek\":{}}]}}}", 3, 3},
        {"{" IN "\"walls\":[[0,0,1,0],\n\n[0,0,\n 1e9,0]]}}", 4, 2},
        {"{" IN "\"paths\":{\"}],\\\"\":\n{}}}}", 1, 39},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct failure failure = {0};
        assert_int_equal(read_text(rows[i].text, &failure), -1);
        if (failure.line != rows[i].line || failure.column != rows[i].column) {
            fail_msg("%s: %s: %d:%d", rows[i].text, failure.field, failure.line, failure.column);
        }
    }
}

static void test_file(void **state) {
    struct failure failure = {0};
    assert_int_equal(scenario_file_load("scenarios/seek.json", &scenario, &failure), 0);
    assert_string_equal(scenario.name, "seek");
    scenario_fini(&scenario);
    assert_int_equal(scenario_file_load("/nowhere/x.json", &scenario, &failure), -1);
    assert_int_equal(failure.code, FAILURE_NO_SCENARIO);

    char path[] = "/tmp/drover-test-scenario-XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    static const char text[] = "{" WORLD ",\"kinds\":{\"p\":{\"mass\":0}}}";
    assert_int_equal(write(descriptor, text, sizeof text - 1), (int)sizeof text - 1);
    close(descriptor);
    char expected[200];
    (void)snprintf(expected, sizeof expected,
                   "%s:1:54: kinds.p.mass: 0 is out of range: 0.01 to 1000000 mass", path);
    assert_int_equal(scenario_file_load(path, &scenario, &failure), -1);
    assert_int_equal(failure.code, FAILURE_BAD_SCENARIO);
    assert_string_equal(failure.message, expected);
    (void)unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),   cmocka_unit_test(test_view_and_about),
        cmocka_unit_test(test_strolls),      cmocka_unit_test(test_geometry),
        cmocka_unit_test(test_states),       cmocka_unit_test(test_last_words),
        cmocka_unit_test(test_defaults),     cmocka_unit_test(test_too_many_pieces),
        cmocka_unit_test(test_conditions),   cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_limits),       cmocka_unit_test(test_places),
        cmocka_unit_test(test_file),         cmocka_unit_test(test_wheels_and_herd),
        cmocka_unit_test(test_formations),   cmocka_unit_test(test_smooth_paths),
        cmocka_unit_test(test_way_warnings), cmocka_unit_test(test_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
