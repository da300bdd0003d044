/* Each behavior has its color wherever it is shown; the states of each scenario of the tree look different, for
 * color-blind eyes too, and do not depend on what was seen first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/library/scenario_library.h"
#include "server/scenario/scenario.h"
#include "server/sim/steering/behavior_def.h"
#include "server/sim/world/world.h"
#include "tests/property/each_scenario.h"
#include "tests/unit/server/cmocka_all.h"
#include "viewer/draw/canvas.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"

/* ---- a model of a scenario, as the server describes it ---- */

enum { PARAMS_MOST = 4096 };

static void add_params(struct server_model *model, const struct world *world, int kind) {
    struct param_ref ref;
    char name[64];
    for (int i = 0; world_param_at(world, kind, i, &ref, name); i++) {
        assert_true(model->param_count < PARAMS_MOST);
        struct message_param *param = &model->params[model->param_count++];
        (void)snprintf(param->kind, sizeof param->kind, "%s", world_kind(world, kind)->name);
        (void)snprintf(param->param, sizeof param->param, "%s", name);
    }
}

static void note_state(struct server_model *model, int kind, const char *state) {
    char *first = model->kind_states[kind];
    bool is_new = model->legend_count < SERVER_MODEL_LEGEND_ROWS;
    for (int i = 0; i < model->legend_count; i++) {
        is_new = is_new && strcmp(model->legend[i].state, state) != 0;
    }
    if (is_new) {
        (void)snprintf(model->legend[model->legend_count++].state, LIMIT_NAME_CHARS + 1, "%s", state);
    }
    if (first[0] == '\0') {
        (void)snprintf(first, LIMIT_NAME_CHARS + 1, "%s", state);
    }
    model->names_count++;
}

/* backwards: the states are seen in the opposite order. */
static struct server_model *model_of(const char *name, bool backwards) {
    char path[512];
    struct scenario *scenario = calloc(1, sizeof *scenario);
    struct server_model *model = calloc(1, sizeof *model);
    struct failure failure = {0};
    assert_non_null(scenario);
    assert_non_null(model);
    (void)snprintf(path, sizeof path, "scenarios/%s.json", name);
    assert_int_equal(scenario_file_load(path, scenario, &failure), 0);
    struct world *world = NULL;
    scenario->def.placement_count = 0; /* a million agents take their time */
    assert_int_equal(world_create(&scenario->def, &world, NULL), WORLD_OK);
    model->params = calloc(PARAMS_MOST, sizeof *model->params);
    assert_non_null(model->params);
    model->scenario.kind_count = world_kind_count(world);
    for (int k = 0; k < world_kind_count(world); k++) {
        (void)snprintf(model->scenario.kinds[k].name, LIMIT_NAME_CHARS + 1, "%s", world_kind(world, k)->name);
        add_params(model, world, k);
    }
    for (int i = 0; i < world_kind_count(world); i++) {
        const int k = backwards ? world_kind_count(world) - 1 - i : i;
        const struct kind_def *kind = world_kind(world, k);
        for (int s = 0; s < kind->state_count; s++) {
            note_state(model, k, kind->states[backwards ? kind->state_count - 1 - s : s].name);
        }
    }
    world_destroy(world);
    scenario_fini(scenario);
    free(scenario);
    return model;
}

static void model_free(struct server_model *model) {
    free(model->params);
    free(model);
}

/* ---- tests ---- */

static int failures_of(const char *name) {
    struct server_model *model = model_of(name, false), *other = model_of(name, true);
    static struct state_colors colors, again;
    int failures = 0;
    state_colors_init(&colors);
    state_colors_init(&again);
    state_colors_update(&colors, model);
    state_colors_update(&again, other);
    assert_memory_equal(colors.rows, again.rows, sizeof colors.rows);
    assert_true(colors.count > 0);
    for (int p = 0; p < PALETTE_COUNT; p++) {
        const bool is_safe = p == PALETTE_SAFE || p == PALETTE_SAFE_LIGHT;
        for (int i = 0; i < colors.count; i++) {
            assert_int_equal(colors.rows[i].fill[p] >> 24, 255);
            for (int j = 0; j < i; j++) {
                const struct color_seen a = color_seen_of(colors.rows[i].fill[p]),
                                        b = color_seen_of(colors.rows[j].fill[p]);
                const float distance =
                    is_safe ? color_seen_least(&a, &b) : color_seen_distance(&a, &b, VISION_NORMAL);
                const float least = colors.count <= 5 ? 20.0f : 13.0f; /* kinds differ in shape as well */
                if (distance < least) {
                    print_message("%s, palette %d: %s and %s are %.1f apart\n", name, p, colors.rows[i].name,
                                  colors.rows[j].name, (double)distance);
                    failures++;
                }
            }
        }
    }
    model_free(model);
    model_free(other);
    return failures;
}

static void the_states_of_a_scenario_look_different(void **state) {
    assert_int_equal(each_scenario(NULL, failures_of), 0);
}

static const struct state_color *find(const struct state_colors *colors, const char *name) {
    for (int i = 0; i < colors->count; i++) {
        if (strcmp(colors->rows[i].name, name) == 0) {
            return &colors->rows[i];
        }
    }
    return NULL;
}

static void states_have_the_colors_of_behaviors(void **state) {
    static struct state_colors colors;
    struct server_model *model = model_of("hunters_and_prey", false);
    state_colors_init(&colors);
    state_colors_update(&colors, model);
    assert_int_equal(colors.count, 5); /* wander is one for both kinds */
    const char *const names[] = {"pursue", "wander", "evade", "seek"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (int p = 0; p < PALETTE_COUNT; p++) {
            assert_int_equal(find(&colors, names[i])->fill[p],
                             explain_behavior_color((enum palette)p, names[i]));
        }
    }
    assert_int_equal(state_colors_fill(&colors, model, PALETTE_SAFE, 0, "pursue"),
                     explain_behavior_color(PALETTE_SAFE, "pursue"));
    assert_string_equal(state_colors_words(&colors, 0, "pursue"), "pursue");
    assert_true(state_colors_kind(&colors, PALETTE_SAFE, 0) != state_colors_kind(&colors, PALETTE_SAFE, 1));
    model_free(model);
}

/* "seek" is the first behavior of the ships, which flee as well. */
static void kinds_without_states_go_by_their_names(void **state) {
    static struct state_colors colors;
    struct server_model *model = model_of("seek_and_flee", false);
    state_colors_init(&colors);
    state_colors_update(&colors, model);
    assert_int_equal(colors.count, 1);
    assert_true(find(&colors, "ship")->is_kind);
    assert_null(find(&colors, "seek"));
    assert_string_equal(state_colors_words(&colors, 0, "seek"), "");
    assert_int_equal(find(&colors, "ship")->fill[0], explain_behavior_color(PALETTE_SAFE, "seek"));
    model_free(model);
    model = model_of("doorway", false); /* come and leave are two colors */
    state_colors_update(&colors, model);
    assert_true(find(&colors, "come")->fill[0] != find(&colors, "leave")->fill[0]);
    model_free(model);
}

static void every_behavior_has_its_color(void **state) {
    for (int type = 0; behavior_type_name((enum behavior_type)type) != NULL; type++) {
        const char *name = behavior_type_name((enum behavior_type)type);
        assert_true(explain_is_behavior(name));
        assert_string_equal(explain_behavior_name(type), name); /* all of them, in the same order */
        for (int other = 0; other < type; other++) {
            const struct color_seen a = color_seen_of(explain_behavior_color(PALETTE_SAFE, name)),
                                    b = color_seen_of(
                                        explain_behavior_color(PALETTE_SAFE, explain_behavior_name(other)));
            assert_true(color_seen_distance(&a, &b, VISION_NORMAL) > 14.0f);
        }
    }
    assert_int_equal(explain_behavior_color(PALETTE_SAFE, "seek2"),
                     explain_behavior_color(PALETTE_SAFE, "seek"));
    assert_int_equal(explain_behavior_color(PALETTE_SAFE, "hunt/seek12"),
                     explain_behavior_color(PALETTE_SAFE, "seek"));
    assert_int_equal(explain_behavior_color(PALETTE_SAFE, "flock.separation"),
                     explain_behavior_color(PALETTE_SAFE, "separation"));
    assert_false(explain_is_behavior("orbit"));
    assert_false(explain_is_behavior(""));
    assert_int_equal(explain_behavior_color(PALETTE_SAFE, "containment"),
                     explain_behavior_color(PALETTE_SAFE, "contain"));
    assert_null(explain_behavior_name(-1));
}

/* Alone and together: the three rules of a flock, and what is shown beside them. */
static void forces_of_one_agent_differ(void **state) {
    const char *const names[] = {"separation", "alignment", "cohesion", "wander", "flee"};
    for (int p = 0; p < PALETTE_COUNT; p += PALETTE_SAFE_LIGHT) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            for (size_t j = 0; j < i; j++) {
                const struct color_seen a = color_seen_of(explain_behavior_color((enum palette)p, names[i])),
                                        b = color_seen_of(explain_behavior_color((enum palette)p, names[j]));
                assert_true(color_seen_least(&a, &b) > 15.0f);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_states_of_a_scenario_look_different),
        cmocka_unit_test(states_have_the_colors_of_behaviors),
        cmocka_unit_test(kinds_without_states_go_by_their_names),
        cmocka_unit_test(every_behavior_has_its_color),
        cmocka_unit_test(forces_of_one_agent_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
