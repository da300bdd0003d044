/* Names by a few letters; radii by parameters' names; the numbers of the plots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/model/meters.h"
#include "viewer/model/radius_overlay.h"
#include "viewer/panels/hud_internal.h"

static void letters_find_names(void **state) {
    assert_int_equal(fuzzy_score("xyz", "hunters_and_prey"), 0);
    assert_int_equal(fuzzy_score("yh", "hunters"), 0); /* in order */
    assert_true(fuzzy_score("", "anything") > 0);
    assert_true(fuzzy_score("HAP", "hunters_and_prey") > fuzzy_score("hap", "shape_and_path"));
    assert_true(fuzzy_score("seek", "seek_and_flee") > fuzzy_score("seek", "snakes_eat_cake_k"));
    assert_true(fuzzy_score("flow", "follow_flow") > fuzzy_score("flow", "follow_wall"));
    assert_true(fuzzy_score("and prey", "hunters_and_prey") > 0);
}

static void words_find_texts(void **state) {
    assert_int_equal(fuzzy_words_score("orca", "Walkers of reach and care"),
                     0); /* letters alone are not enough */
    assert_true(fuzzy_words_score("ORCA", "reciprocal avoidance (orca)") > 0);
    assert_true(fuzzy_words_score("prey falcon", "A falcon chases its prey") > 0);
    assert_int_equal(fuzzy_words_score("prey eagle", "A falcon chases its prey"), 0);
    assert_true(fuzzy_words_score("con", "a convoy") > fuzzy_words_score("con", "a falcon"));
    assert_true(fuzzy_words_score(" ", "anything") > 0);
}

static struct message_param param(const char *kind, const char *name, double value) {
    struct message_param made = {.value = value};
    (void)snprintf(made.kind, sizeof made.kind, "%s", kind);
    (void)snprintf(made.param, sizeof made.param, "%s", name);
    return made;
}

static void parameters_become_reaches(void **state) {
    const struct message_param params[] = {
        param("boid", "radius", 4),
        param("boid", "flock.alignment_radius", 60),
        param("boid", "flock.alignment_view", 90),
        param("boid", "wander/wander.radius", 30),
        param("boid", "wander/wander.distance", 50),
        param("boid", "seek/arrive.slowing_distance", 20),
        param("boid", "seek/arrive.within", 0),
        param("boid", "queue.radius", 80),
        param("boid", "queue.field_of_view", 180),
        param("cat", "seek.within", 300),
    };
    struct radius_overlay found[RADIUS_OVERLAY_MOST];
    const int count = (int)(sizeof params / sizeof params[0]);
    assert_int_equal(radius_overlay_find(params, count, "boid", "wander", found), 3);
    assert_int_equal(found[0].form, RADIUS_VIEW);
    assert_string_equal(found[0].behavior, "alignment");
    assert_true(found[0].radius == 60.0f && fabsf(found[0].view - 1.5708f) < 1e-3f);
    assert_int_equal(found[1].form, RADIUS_WANDER);
    assert_true(found[1].radius == 30.0f && found[1].distance == 50.0f);
    assert_true(fabsf(found[2].view - 3.1416f) < 1e-3f);
    assert_int_equal(radius_overlay_find(params, count, "boid", "seek", found), 3);
    assert_int_equal(found[1].form, RADIUS_SLOWING);
    assert_string_equal(found[1].behavior, "arrive");
    assert_int_equal(radius_overlay_find(params, count, "cat", "seek", found), 1);
    assert_int_equal(found[0].form, RADIUS_NOTICE);
    assert_int_equal(radius_overlay_find(params, count, "dog", "seek", found), 0);
    assert_int_equal(radius_overlay_find(NULL, 0, "cat", "seek", found), 0);
}

static void rings_have_names(void **state) {
    const struct radius_overlay rings[] = {
        {.form = RADIUS_VIEW, .behavior = "separation", .radius = 20},
        {.form = RADIUS_VIEW, .behavior = "alignment", .radius = 50},
        {.form = RADIUS_VIEW, .behavior = "cohesion", .radius = 50.2f},
        {.form = RADIUS_SLOWING, .behavior = "arrive", .radius = 50},
    };
    char words[64], few[12];
    assert_true(radius_overlay_name(rings, 4, 0, words, sizeof words));
    assert_string_equal(words, "separation 20 px");
    assert_true(radius_overlay_name(rings, 4, 1, words, sizeof words));
    assert_string_equal(words, "alignment, cohesion 50 px");
    assert_false(radius_overlay_name(rings, 4, 2, words, sizeof words));
    assert_true(radius_overlay_name(rings, 4, 3, words, sizeof words));
    assert_string_equal(words, "arrive slows down 50 px");
    assert_true(radius_overlay_name(rings, 4, 1, few, sizeof few));
    assert_string_equal(few, "alignment, ");
}

static void plots_are_means_and_stay_a_minute(void **state) {
    static struct plots plots;
    const struct test_agent agents[] = {{.id = 1, .vx = 30, .state = "seek"},
                                        {.id = 2, .vx = -30, .state = "flee"},
                                        {.id = 3, .vy = 60, .state = "seek"}};
    plots_init(&plots);
    for (int i = 0; i < 2000; i++) {
        struct snapshot *snapshot = make_snapshot(i * 50.0, agents, 3);
        plots_add(&plots, snapshot);
        snapshot_destroy(snapshot);
    }
    assert_int_equal(plots.count, PLOTS_SAMPLES);
    const struct plots_sample *newest = plots_at(&plots, plots.count - 1);
    assert_true(fabsf(newest->mean_speed - 40.0f) < 1e-3f);
    assert_true(fabsf(newest->order - 1.0f / 3.0f) < 1e-3f);
    assert_string_equal(plots.state_names[0], "seek");
    assert_true(newest->states[0] == 2.0f && newest->states[1] == 1.0f);
    assert_true(fabs(newest->time_s - plots_at(&plots, 0)->time_s - 59.9) < 0.2);
    struct snapshot *last = make_snapshot(1999 * 50.0, agents, 3);
    for (int i = 0; i < 100; i++) { /* paused: the server's clock goes on, the world's does not */
        last->clock_ms += 200.0;
        plots_add(&plots, last);
    }
    snapshot_destroy(last);
    assert_true(plots_at(&plots, plots.count - 1) == newest);
    assert_int_equal(plots_find(&plots, 1e9), PLOTS_SAMPLES - 1);
    assert_int_equal(plots_find(&plots, 1.0), -1);
    const int found = plots_find(&plots, newest->time_s - 3.0);
    assert_true(fabs(plots_at(&plots, found)->time_s - newest->time_s + 3.0) < 0.051);
    FILE *file = tmpfile();
    char head[64] = "", line[64] = "";
    assert_non_null(file);
    assert_int_equal(plots_write_csv(&plots, file), 0);
    rewind(file);
    assert_non_null(fgets(head, sizeof head, file));
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(head, "time_s,mean_speed,order,seek,flee\n");
    assert_non_null(strstr(line, ",40.000,0.333,2,1\n"));
    fclose(file);
    assert_false(plots_is_part(plots_at(&plots, plots.count - 1)));
}

static void plots_of_a_part_say_so(void **state) {
    static struct plots plots;
    const struct test_agent agents[] = {{.id = 1, .vx = 30}, {.id = 2, .vx = 50}};
    char text[160] = "";
    plots_init(&plots);
    struct snapshot *snapshot = make_snapshot(0.0, agents, 2);
    plots_add(&plots, snapshot);
    snapshot->time_s = 1.0;
    plots.in_world = 50000.0; /* those around what is visible are sent alone */
    plots_add(&plots, snapshot);
    snapshot_destroy(snapshot);
    assert_false(plots_is_part(plots_at(&plots, 0)));
    assert_true(plots_is_part(plots_at(&plots, 1)));
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(plots_write_csv(&plots, file), 0);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_string_equal(text, "time_s,mean_speed,order,seek,agents_in_view,agents_in_world\n"
                              "0.000,40.000,1.000,2,2,2\n1.000,40.000,1.000,2,2,50000\n");
    fclose(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(letters_find_names),
                                       cmocka_unit_test(words_find_texts),
                                       cmocka_unit_test(parameters_become_reaches),
                                       cmocka_unit_test(rings_have_names),
                                       cmocka_unit_test(plots_are_means_and_stay_a_minute),
                                       cmocka_unit_test(plots_of_a_part_say_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
