/* The clock of the picture on simulated networks: behind the newest snapshot, smooth, never backwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "viewer/link/clock_sync.h"

enum { MAX_FLIGHTS = 4096 };

/* Numbers that look random and are the same everywhere. */
static double next_unit(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 40) / 16777216.0;
}

struct network {
    double delay_ms, jitter_ms;    /* least, and uniformly more */
    double stall_chance, stall_ms; /* of a snapshot: what queues behind it waits too (TCP) */
    double clock_drift;            /* server ms per client ms */
    double seconds;
};

struct outcome {
    double late_share;    /* frames drawn beyond the newest snapshot */
    double mean_delay_ms; /* behind the server's present */
    double worst_rate; /* largest |passed server time / passed client time - 1| of a frame without a resync */
    int backward_count;
    uint32_t resyncs;
};

struct run {
    double arrival[MAX_FLIGHTS], server[MAX_FLIGHTS];
    int count;
};

static void fly(const struct network *network, uint64_t seed, struct run *run) {
    double last = 0.0;
    run->count = 0;
    for (double t = 0.0; t < network->seconds * 1000.0 && run->count < MAX_FLIGHTS; t += 1000.0 / 30.0) {
        double arrival = t + network->delay_ms + network->jitter_ms * next_unit(&seed);
        if (next_unit(&seed) < network->stall_chance) {
            arrival += network->stall_ms;
        }
        last = fmax(last, arrival); /* in order */
        run->arrival[run->count] = last;
        run->server[run->count++] = 50000.0 + t * network->clock_drift;
    }
}

static struct outcome simulate(const struct network *network, uint64_t seed) {
    static struct run run;
    static struct clock_sync sync;
    struct outcome outcome = {0};
    double before = 0.0, newest = 0.0, delays = 0.0;
    int next = 0, frames = 0, late = 0;
    uint32_t resyncs = 0;
    fly(network, seed, &run);
    clock_sync_init(&sync, 1000.0 / 30.0);
    for (double now = 0.0; now < network->seconds * 1000.0; now += 1000.0 / 60.0) {
        while (next < run.count && run.arrival[next] <= now) {
            newest = run.server[next];
            clock_sync_add(&sync, run.server[next], run.arrival[next], true);
            next++;
        }
        const double render = clock_sync_advance(&sync, now);
        if (now > 3000.0) {
            const bool jumped = sync.resyncs != resyncs;
            frames++;
            late += render > newest ? 1 : 0;
            delays += 50000.0 + now * network->clock_drift - render;
            outcome.backward_count += render < before && !jumped ? 1 : 0;
            if (!jumped) {
                outcome.worst_rate =
                    fmax(outcome.worst_rate, fabs((render - before) / (1000.0 / 60.0) - 1.0));
            }
        }
        before = render;
        resyncs = sync.resyncs;
    }
    outcome.late_share = (double)late / frames;
    outcome.mean_delay_ms = delays / frames;
    outcome.resyncs = sync.resyncs;
    return outcome;
}

static void lan_is_smooth_and_close(void **state) {
    const struct network lan = {.delay_ms = 0.3, .jitter_ms = 1.0, .clock_drift = 1.0, .seconds = 60};
    const struct outcome outcome = simulate(&lan, 1);
    assert_true(outcome.late_share == 0.0);
    assert_true(outcome.mean_delay_ms > 33.0 && outcome.mean_delay_ms < 60.0);
    assert_true(outcome.worst_rate < 0.02);
    assert_int_equal(outcome.backward_count, 0);
    assert_int_equal(outcome.resyncs, 0);
}

static void wifi_rarely_runs_dry(void **state) {
    const struct network wifi = {.delay_ms = 3,
                                 .jitter_ms = 8,
                                 .stall_chance = 0.01,
                                 .stall_ms = 80,
                                 .clock_drift = 1.0,
                                 .seconds = 60};
    const struct outcome outcome = simulate(&wifi, 2);
    assert_true(outcome.late_share < 0.04);
    assert_true(outcome.mean_delay_ms < 110.0);
    assert_int_equal(outcome.backward_count, 0);
}

static void bad_network_trades_delay_for_smoothness(void **state) {
    const struct network bad = {.delay_ms = 40,
                                .jitter_ms = 30,
                                .stall_chance = 0.02,
                                .stall_ms = 300,
                                .clock_drift = 1.0,
                                .seconds = 60};
    const struct outcome outcome = simulate(&bad, 3);
    assert_true(outcome.late_share < 0.10);
    assert_true(outcome.mean_delay_ms < 450.0); /* 350 at most, and the latency */
    assert_true(outcome.worst_rate <= 0.0801);
    assert_int_equal(outcome.backward_count, 0);
}

static void follows_a_drifting_clock(void **state) {
    const struct network fast = {.delay_ms = 1, .jitter_ms = 1, .clock_drift = 1.0005, .seconds = 60};
    const struct network slow = {.delay_ms = 1, .jitter_ms = 1, .clock_drift = 0.9995, .seconds = 60};
    const struct outcome a = simulate(&fast, 4), b = simulate(&slow, 5);
    assert_true(a.late_share == 0.0 && b.late_share < 0.01);
    assert_true(a.mean_delay_ms < 70.0 && b.mean_delay_ms < 70.0);
    assert_int_equal(a.resyncs + b.resyncs, 0);
}

static void jumps_once_when_far_off(void **state) {
    static struct clock_sync sync;
    clock_sync_init(&sync, 33.0);
    assert_true(clock_sync_advance(&sync, 10.0) == 0.0);
    clock_sync_add(&sync, 1000.0, 20.0, true);
    const double first = clock_sync_advance(&sync, 20.0);
    assert_true(first < 1000.0 && first > 900.0);
    clock_sync_add(&sync, 9000.0, 53.0, true); /* the server's clock is 8 s ahead of the estimate */
    const double second = clock_sync_advance(&sync, 54.0);
    assert_true(second > 8500.0 && second < 9001.0);
    assert_int_equal(sync.resyncs, 1);
    clock_sync_init(&sync, 33.0);
    clock_sync_add(&sync, 1000.0, 0.0, true);
    const double start = clock_sync_advance(&sync, 0.0);
    clock_sync_add(&sync, 1800.0, 1.0, true); /* 800 ms are still too far to walk */
    assert_true(clock_sync_advance(&sync, 2.0) > start + 500.0);
    assert_int_equal(sync.resyncs, 1);
}

static void delay_grows_fast_and_shrinks_slowly(void **state) {
    static struct clock_sync sync;
    clock_sync_init(&sync, 33.0);
    double t = 0.0;
    for (int i = 0; i < 40; i++, t += 33.0) {
        clock_sync_add(&sync, t, t + (i % 4 == 3 ? 150.0 : 0.0), true);
    }
    const double grown = sync.delay_ms;
    assert_true(grown > 150.0);
    for (int i = 0; i < CLOCK_SYNC_SAMPLES; i++, t += 33.0) { /* good samples again, and the bad ones age */
        const double before = sync.delay_ms;
        clock_sync_add(&sync, t, t, true);
        assert_true(sync.delay_ms > before - 0.011 * before);
    }
    assert_true(sync.delay_ms < grown);
}

static void the_same_tick_twice_is_no_period(void **state) {
    static struct clock_sync sync;
    clock_sync_init(&sync, 33.0);
    for (int i = 0; i < 20; i++) { /* each tick three times */
        const int tick = i / 3;
        clock_sync_add(&sync, 1000.0 + 33.0 * tick, 1000.0 + 11.0 * i, true);
    }
    assert_true(fabs(sync.period_ms - 33.0) < 1e-9);
}

static void error_within_limit_is_walked(void **state) {
    static struct clock_sync sync;
    clock_sync_init(&sync, 33.0);
    clock_sync_add(&sync, 1000.0, 0.0, true);
    double before = clock_sync_advance(&sync, 0.0);
    clock_sync_add(&sync, 1200.0, 1.0, true); /* 200 ms ahead */
    for (double now = 16.0; now < 160.0; now += 16.0) {
        const double render = clock_sync_advance(&sync, now);
        assert_true(render - before <= 16.0 * 1.0801 && render - before >= 16.0);
        before = render;
    }
    assert_int_equal(sync.resyncs, 0);
}

static void old_samples_are_forgotten(void **state) {
    static struct clock_sync sync;
    clock_sync_init(&sync, 33.0);
    clock_sync_add(&sync, 1000.0, 1000.0, true); /* offset 0: a path that does not exist any more */
    for (double t = 1100.0; t < 9000.0; t += 33.0) {
        clock_sync_add(&sync, t - 50.0, t, true);
    }
    assert_true(fabs(sync.min_offset_ms - 50.0) < 1e-9);
    assert_true(sync.count <= CLOCK_SYNC_SAMPLES);
    assert_true(fabs(sync.period_ms - 33.0) < 1e-6);
}

static void stale_snapshots_say_nothing(void **state) {
    static struct clock_sync sync;
    clock_sync_init(&sync, 33.0);
    clock_sync_add(&sync, 1000.0, 1010.0, true);
    clock_sync_add(&sync, 1000.0, 9000.0, false); /* a paused world sends its last tick again */
    assert_int_equal(sync.count, 1);
    assert_true(sync.min_offset_ms == 10.0);
    clock_sync_add(&sync, 9000.0, 9005.0, false); /* faster than any other sample: a better estimate */
    assert_true(sync.min_offset_ms == 5.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lan_is_smooth_and_close),
        cmocka_unit_test(wifi_rarely_runs_dry),
        cmocka_unit_test(bad_network_trades_delay_for_smoothness),
        cmocka_unit_test(follows_a_drifting_clock),
        cmocka_unit_test(jumps_once_when_far_off),
        cmocka_unit_test(delay_grows_fast_and_shrinks_slowly),
        cmocka_unit_test(the_same_tick_twice_is_no_period),
        cmocka_unit_test(error_within_limit_is_walked),
        cmocka_unit_test(old_samples_are_forgotten),
        cmocka_unit_test(stale_snapshots_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
