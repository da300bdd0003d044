/* How fast the world runs: slow servers, pauses, steps, loads, skipped frames, jitter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "viewer/model/meters.h"

/* Where the world and the server's clock are. */
struct world {
    struct real_time meter;
    double time_s, clock_ms;
};

static struct world world_begin(void) {
    struct world world = {.clock_ms = 88000.0};
    real_time_init(&world.meter);
    return world;
}

/* The world runs for this long, with snapshots at this interval, at this factor of its rate. */
static void run(struct world *world, double for_ms, double every_ms, double factor) {
    for (double passed = 0.0; passed < for_ms; passed += every_ms) {
        world->clock_ms += every_ms;
        world->time_s += every_ms * 0.001 * factor;
        real_time_add(&world->meter, world->time_s, world->clock_ms, 1.0, false);
    }
}

static void a_world_that_keeps_up_is_not_behind(void **state) {
    struct world world = world_begin();
    run(&world, 10000.0, 1000.0 / 30.0, 1.0);
    assert_true(fabs(world.meter.factor - 1.0) < 1e-9);
    assert_true(real_time_behind(&world.meter) < 0.0);
}

static void a_slow_world_is_behind_within_seconds(void **state) {
    struct world world = world_begin();
    run(&world, 10000.0, 1000.0 / 30.0, 1.0);
    run(&world, 1000.0, 1000.0 / 3.0, 0.09); /* its snapshots are rare as well */
    assert_true(real_time_behind(&world.meter) > 0.0);
    run(&world, 3000.0, 1000.0 / 3.0, 0.09);
    assert_true(fabs(real_time_behind(&world.meter) - 0.09) < 0.001);
    run(&world, 4000.0, 1000.0 / 30.0, 1.0);
    assert_true(real_time_behind(&world.meter) < 0.0);
}

static void snapshots_seconds_apart_are_enough(void **state) {
    struct world world = world_begin();
    run(&world, 4000.0, 4000.0, 0.02);
    assert_true(real_time_behind(&world.meter) < 0.0); /* one says nothing */
    run(&world, 4000.0, 4000.0, 0.02);
    assert_true(fabs(real_time_behind(&world.meter) - 0.02) < 0.001);
}

static void skipped_and_late_snapshots_change_nothing(void **state) {
    struct world world = world_begin();
    const double gaps_ms[] = {33.0, 700.0, 16.0, 120.0, 1400.0, 33.0};
    for (int i = 0; i < 60; i++) {
        run(&world, gaps_ms[i % 6], gaps_ms[i % 6], 1.0);
        /* a clock that is read some ms late now and then */
        real_time_add(&world.meter, world.time_s + 1e-3, world.clock_ms + (i % 3 == 0 ? 15.0 : 1.0), 1.0,
                      false);
        world.clock_ms += 16.0;
        world.time_s += 0.016;
        assert_true(real_time_behind(&world.meter) < 0.0);
    }
    assert_true(world.meter.factor > 0.97);
}

static void pauses_and_steps_do_not_count(void **state) {
    struct world world = world_begin();
    run(&world, 5000.0, 33.0, 1.0);
    for (int i = 0; i < 70; i++) { /* paused for 70 s, a step now and then, the moment sent again */
        world.clock_ms += 1000.0;
        world.time_s += i % 7 == 0 ? 1.0 / 60.0 : 0.0;
        real_time_add(&world.meter, world.time_s, world.clock_ms, 1.0, true);
    }
    real_time_add(&world.meter, world.time_s, world.clock_ms - 900.0, 1.0,
                  false); /* sent again as it resumes */
    world.clock_ms += 20000.0;
    for (int i = 0; i < 300; i++) {
        run(&world, 33.0, 33.0, 1.0);
        assert_true(real_time_behind(&world.meter) < 0.0);
    }
    assert_true(fabs(world.meter.factor - 1.0) < 1e-9);
}

static void what_was_known_holds_over_a_pause(void **state) {
    struct world world = world_begin();
    run(&world, 5000.0, 500.0, 0.3);
    real_time_add(&world.meter, world.time_s, world.clock_ms, 1.0, true);
    world.clock_ms += 9000.0;
    run(&world, 500.0, 500.0, 0.3);
    assert_true(fabs(real_time_behind(&world.meter) - 0.3) < 1e-9); /* not a green moment in between */
}

static void another_world_is_measured_afresh(void **state) {
    struct world world = world_begin();
    run(&world, 5000.0, 100.0, 0.3);
    assert_true(real_time_behind(&world.meter) > 0.0);
    world.time_s = 0.0; /* a load */
    run(&world, 100.0, 100.0, 1.0);
    assert_true(world.meter.factor < 0.0 && real_time_behind(&world.meter) < 0.0);
    world.clock_ms = 500.0; /* another server */
    run(&world, 3000.0, 100.0, 1.0);
    assert_true(fabs(world.meter.factor - 1.0) < 1e-9);
}

static void the_verdict_does_not_flicker(void **state) {
    struct world world = world_begin();
    run(&world, 5000.0, 50.0, 0.94);
    assert_true(real_time_behind(&world.meter) > 0.0);
    run(&world, 5000.0, 50.0, 0.96);
    assert_true(real_time_behind(&world.meter) > 0.0);
    run(&world, 5000.0, 50.0, 0.98);
    assert_true(real_time_behind(&world.meter) < 0.0);
    run(&world, 5000.0, 50.0, 0.96);
    assert_true(real_time_behind(&world.meter) < 0.0);
}

/* As fast as it goes: how fast that is is known, and nothing is due. */
static void the_pace_is_known_at_any_speed(void **state) {
    struct world world = world_begin();
    assert_true(real_time_pace(&world.meter) < 0.0);
    for (int n = 0; n < 90; n++) {
        world.clock_ms += 1000.0 / 30.0;
        world.time_s += 37.0 / 30.0;
        real_time_add(&world.meter, world.time_s, world.clock_ms, 0.0, false);
    }
    assert_true(fabs(real_time_pace(&world.meter) - 37.0) < 1e-6 && real_time_behind(&world.meter) < 0.0);
    run(&world, 33.0, 33.0, 1.0);
    assert_true(real_time_pace(&world.meter) < 0.0); /* another speed */
}

/* The figure is of the ticks that are due at the speed. */
static void a_slow_or_fast_world_that_keeps_up_is_not_behind(void **state) {
    static const double speeds[] = {0.01, 0.05, 0.5, 4.0, 1000.0};
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        struct world world = world_begin();
        const double every_ms = fmax(1000.0 / 30.0, 1000.0 / 60.0 / speeds[i]);
        for (int n = 0; n < 200; n++) {
            world.clock_ms += every_ms;
            world.time_s += every_ms * 0.001 * speeds[i];
            real_time_add(&world.meter, world.time_s, world.clock_ms, speeds[i], false);
        }
        assert_true(fabs(world.meter.factor - 1.0) < 1e-6);
        assert_true(real_time_behind(&world.meter) < 0.0);
        for (int n = 0; n < 200; n++) { /* a tenth of it */
            world.clock_ms += every_ms;
            world.time_s += every_ms * 0.0001 * speeds[i];
            real_time_add(&world.meter, world.time_s, world.clock_ms, speeds[i], false);
        }
        assert_true(fabs(real_time_behind(&world.meter) - 0.1) < 1e-6);
    }
}

static void nothing_is_due_at_the_highest_speed(void **state) {
    struct world world = world_begin();
    run(&world, 10000.0, 1000.0 / 30.0, 0.5);
    assert_true(real_time_behind(&world.meter) > 0.0);
    for (int n = 0; n < 300; n++) {
        world.clock_ms += 33.0;
        world.time_s += 0.001;
        real_time_add(&world.meter, world.time_s, world.clock_ms, 0.0, false);
        assert_true(real_time_behind(&world.meter) < 0.0);
    }
}

/* At another speed the figure is measured from the start: no flash of amber. */
static void a_change_of_speed_is_not_behind(void **state) {
    struct world world = world_begin();
    run(&world, 5000.0, 1000.0 / 30.0, 1.0);
    for (int n = 0; n < 300; n++) {
        world.clock_ms += 1000.0 / 30.0;
        world.time_s += 0.1 / 30.0;
        real_time_add(&world.meter, world.time_s, world.clock_ms, 0.1, false);
        assert_true(real_time_behind(&world.meter) < 0.0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_that_keeps_up_is_not_behind),
        cmocka_unit_test(a_slow_world_is_behind_within_seconds),
        cmocka_unit_test(snapshots_seconds_apart_are_enough),
        cmocka_unit_test(skipped_and_late_snapshots_change_nothing),
        cmocka_unit_test(pauses_and_steps_do_not_count),
        cmocka_unit_test(what_was_known_holds_over_a_pause),
        cmocka_unit_test(another_world_is_measured_afresh),
        cmocka_unit_test(the_verdict_does_not_flicker),
        cmocka_unit_test(the_pace_is_known_at_any_speed),
        cmocka_unit_test(a_slow_or_fast_world_that_keeps_up_is_not_behind),
        cmocka_unit_test(nothing_is_due_at_the_highest_speed),
        cmocka_unit_test(a_change_of_speed_is_not_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
