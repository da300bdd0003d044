/* The parts of the thread that ticks: clock, meters, workers, reports. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/library/scenario_library.h"
#include "server/scenario/scenario.h"
#include "server/simulation/logbook_internal.h"
#include "server/simulation/rank_report.h"
#include "server/simulation/simulation_internal.h"
#include "server/simulation/tick_clock.h"
#include "server/simulation/worker_pool.h"

/* ---- what they share ---- */

#define SECOND UINT64_C(1000000000)

static const uint64_t millisecond = 1000000;

/* ==== The tick clock: exact deadlines, catching up, dropping, pausing ==== */

static const uint64_t tick_clock_second = 1000000000;

static void test_no_drift(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 60.0, 0);
    assert_int_equal(tick_clock_span_ns(&clock, 1), 16666666);
    assert_int_equal(tick_clock_span_ns(&clock, 2), 33333333);
    assert_int_equal(tick_clock_span_ns(&clock, 3), 50000000);
    assert_int_equal(tick_clock_span_ns(&clock, 60), tick_clock_second);
    /* Ten years of ticks are ten years, to the nanosecond. */
    const uint64_t years = UINT64_C(315360000);
    assert_int_equal(tick_clock_span_ns(&clock, years * 60), years * tick_clock_second);
    assert_int_equal(tick_clock_span_ns(&clock, years * 60 + 1), years * tick_clock_second + 16666666);
    tick_clock_init(&clock, 59.94, 0);
    assert_int_equal(tick_clock_span_ns(&clock, 5994), 100 * tick_clock_second);
    tick_clock_init(&clock, 480.0, 0);
    assert_int_equal(tick_clock_span_ns(&clock, years * 480), years * tick_clock_second);
}

static void test_one_tick_a_period(void **state) {
    struct tick_clock clock;
    const uint64_t start = 7 * tick_clock_second + 123;
    tick_clock_init(&clock, 60.0, start);
    assert_int_equal(tick_clock_take(&clock, start), 0);
    assert_int_equal(tick_clock_deadline_ns(&clock), start + 16666666);
    assert_int_equal(tick_clock_take(&clock, start + 16666665), 0);
    uint64_t ticks = 0;
    for (uint64_t ms = 0; ms <= 10000; ms++) {
        ticks += (uint64_t)tick_clock_take(&clock, start + ms * 1000000);
    }
    assert_int_equal(ticks, 600);
    assert_int_equal(clock.dropped_ticks, 0);
}

/* Asked exactly at each deadline, there is exactly one tick, for awkward rates too. */
static void test_deadlines_are_reached(void **state) {
    static const double rates[] = {1.0, 7.0, 29.97, 60.0, 143.856, 480.0};
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        struct tick_clock clock;
        tick_clock_init(&clock, rates[r], 99);
        for (int i = 0; i < 5000; i++) {
            const uint64_t deadline = tick_clock_deadline_ns(&clock);
            assert_int_equal(tick_clock_take(&clock, deadline - 1), 0);
            assert_int_equal(tick_clock_take(&clock, deadline), 1);
        }
    }
}

static void test_debt_is_dropped(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 100.0, 0);
    assert_int_equal(tick_clock_take(&clock, 50000000), 5); /* five late: all made up */
    assert_int_equal(clock.dropped_ticks, 0);
    assert_int_equal(tick_clock_take(&clock, 50000000 + 60000000 + 1), 5); /* six late */
    assert_int_equal(clock.dropped_ticks, 1);
    assert_int_equal(tick_clock_take(&clock, 3600 * tick_clock_second), 5);
    assert_int_equal(clock.dropped_ticks, 1 + 360000 - 11 - 5);
    assert_int_equal(tick_clock_take(&clock, 3600 * tick_clock_second), 0);
    assert_int_equal(tick_clock_deadline_ns(&clock),
                     3600 * tick_clock_second + 10000000); /* the grid stays */
}

static void test_pause(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 10.0, 0);
    assert_int_equal(tick_clock_take(&clock, tick_clock_second / 10), 1);
    tick_clock_pause(&clock);
    assert_int_equal(tick_clock_take(&clock, 50 * tick_clock_second), 0);
    assert_true(tick_clock_deadline_ns(&clock) == UINT64_MAX);
    tick_clock_set_rate(&clock, 20.0, 60 * tick_clock_second); /* a load while paused */
    assert_true(clock.is_paused);
    tick_clock_resume(&clock, 100 * tick_clock_second);
    assert_int_equal(tick_clock_take(&clock, 100 * tick_clock_second), 0);
    assert_int_equal(tick_clock_deadline_ns(&clock), 100 * tick_clock_second + tick_clock_second / 20);
    assert_int_equal(tick_clock_take(&clock, 100 * tick_clock_second + tick_clock_second / 20), 1);
    assert_int_equal(clock.dropped_ticks, 0);
}

/* A change of rate keeps the part of a period that has passed. */
static void test_a_change_of_rate_does_not_jump(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 10.0, tick_clock_second);
    assert_int_equal(tick_clock_take(&clock, tick_clock_second + tick_clock_second / 10), 1);
    const uint64_t half =
        tick_clock_second + tick_clock_second * 15 / 100; /* half of the second tick's period */
    tick_clock_change_rate(&clock, 1.0, half);
    assert_int_equal(tick_clock_deadline_ns(&clock), half + tick_clock_second / 2);
    tick_clock_change_rate(&clock, 100.0, half);
    assert_int_equal(tick_clock_deadline_ns(&clock), half + tick_clock_second / 200);
    assert_int_equal(tick_clock_take(&clock, half + tick_clock_second / 200), 1);
    assert_int_equal(tick_clock_deadline_ns(&clock),
                     half + tick_clock_second / 200 + tick_clock_second / 100);
    assert_int_equal(clock.dropped_ticks, 0);
}

/* Ticks that are overdue stay so: a change skips none, and the next one is not later for it. */
static void test_a_change_of_rate_keeps_the_debt(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 100.0, tick_clock_second);
    const uint64_t late = tick_clock_second + tick_clock_second * 35 / 1000; /* three ticks and a half */
    tick_clock_change_rate(&clock, 10.0, late);
    assert_int_equal(tick_clock_take(&clock, late), 3);
    assert_int_equal(tick_clock_take(&clock, late), 0);
    assert_int_equal(tick_clock_deadline_ns(&clock), late + tick_clock_second / 20);
    assert_int_equal(clock.dropped_ticks, 0);
}

/* What is too much to be made up is dropped and counted, at the new rate as at the old one. */
static void test_a_long_debt_is_dropped_after_a_change_of_rate(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 100.0, tick_clock_second);
    tick_clock_change_rate(&clock, 200.0, 9 * tick_clock_second);
    assert_int_equal(tick_clock_take(&clock, 9 * tick_clock_second), TICK_CLOCK_CATCH_UP);
    assert_int_equal(tick_clock_take(&clock, 9 * tick_clock_second), 0);
    assert_int_equal(clock.dropped_ticks, 800 - TICK_CLOCK_CATCH_UP);
    tick_clock_change_rate(
        &clock, 0.001, 90 * tick_clock_second); /* more periods than the clock has gone: no time before 0 */
    assert_int_equal(clock.start_ns, 0);
}

/* A slider that is dragged all the time: as many ticks as the mean rate says. */
static void test_rates_that_change_all_the_time(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 0.6, tick_clock_second);
    uint64_t ticks = 0;
    double due = 0.0;
    for (uint64_t ms = 1; ms <= 100000; ms++) {
        const double hz = ms % 16 == 0 ? 0.6 + (double)(ms % 7) : 0.0;
        due += (double)clock.microhertz * 1e-9;
        ticks += (uint64_t)tick_clock_take(&clock, tick_clock_second + ms * 1000000);
        if (hz > 0.0) {
            tick_clock_change_rate(&clock, hz, tick_clock_second + ms * 1000000);
        }
    }
    assert_true((double)ticks >= due - 1.01 && (double)ticks <= due + 1.01);
    assert_int_equal(clock.dropped_ticks, 0);
}

static void test_a_change_of_rate_in_a_pause(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 10.0, 0);
    tick_clock_pause(&clock);
    tick_clock_change_rate(&clock, 1.0, 50 * tick_clock_second);
    assert_true(clock.is_paused);
    assert_int_equal(tick_clock_take(&clock, 90 * tick_clock_second), 0);
    tick_clock_resume(&clock, 100 * tick_clock_second);
    assert_int_equal(tick_clock_deadline_ns(&clock), 101 * tick_clock_second);
}

/* ==== Percentiles of the newest samples ==== */

static void empty(void **state) {
    const struct tick_meter meter = {0};
    const struct tick_meter_summary summary = tick_meter_summarize(&meter);
    assert_true(summary.p50_ms == 0.0 && summary.p99_ms == 0.0 && summary.max_ms == 0.0);
}

static void percentiles(void **state) {
    static struct tick_meter meter;
    for (uint64_t i = 100; i >= 1; i--) {
        tick_meter_add(&meter, i * 1000000);
    }
    const struct tick_meter_summary summary = tick_meter_summarize(&meter);
    assert_true(summary.p50_ms == 50.0);
    assert_true(summary.p99_ms == 99.0);
    assert_true(summary.max_ms == 100.0);
}

static void few_samples_have_their_slowest(void **state) {
    static struct tick_meter meter;
    tick_meter_add(&meter, 1000);
    tick_meter_add(&meter, 50000);
    tick_meter_add(&meter, 2000);
    assert_true(tick_meter_summarize(&meter).p99_ms == 0.05);
}

static void old_samples_go(void **state) {
    static struct tick_meter meter;
    tick_meter_add(&meter, UINT64_C(5000000000));
    for (int i = 0; i < TICK_METER_SAMPLES - 1; i++) {
        tick_meter_add(&meter, 2500);
    }
    assert_true(tick_meter_summarize(&meter).max_ms == 5000.0);
    assert_true(tick_meter_summarize(&meter).p99_ms == 0.002);
    tick_meter_add(&meter, 3000);
    assert_true(tick_meter_summarize(&meter).max_ms == 0.003);
}

static void buckets_have_all_times(void **state) {
    static struct tick_meter meter;
    const uint64_t times_ns[] = {
        0, 50000, 50001, 100000, 800000, 800001, UINT64_C(1638400000), UINT64_C(1638400001)};
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < sizeof times_ns / sizeof *times_ns; i++) {
        tick_meter_add(&meter, times_ns[i]);
        sum_ns += times_ns[i];
    }
    assert_int_equal(tick_meter_within(&meter, 0), 2);
    assert_int_equal(tick_meter_within(&meter, 1), 4);
    assert_int_equal(tick_meter_within(&meter, 3), 4);
    assert_int_equal(tick_meter_within(&meter, 4), 5);
    assert_int_equal(tick_meter_within(&meter, 5), 6);
    assert_int_equal(tick_meter_within(&meter, TICK_METER_BUCKETS - 1), 7);
    assert_int_equal(meter.count, 8);
    assert_int_equal(meter.sum_ns, sum_ns);
    assert_int_equal(tick_meter_bound_ns(TICK_METER_BUCKETS - 1), 1638400000);
}

/* ==== When an overload is reported, and for which place ==== */

/* Two kinds; `crowd` birds in one place, as many wolves there as stand in `wolves`, and some spread out. */
static struct world *make_world(uint32_t crowd, uint32_t wolves) {
    struct world_def def = world_def_default();
    struct kind_def *bird = world_def_add_kind(&def, "bird");
    assert_non_null(bird);
    bird->states[0].behavior_count = 1;
    bird->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_FLOCK);
    assert_non_null(world_def_add_kind(&def, "wolf"));
    const struct {
        const char *kind;
        uint32_t count;
        int shape;
    } placed[] = {{"wolf", wolves, PLACE_POINT}, {"bird", crowd, PLACE_POINT}, {"bird", 200, PLACE_RECT}};
    for (int i = 0; i < 3; i++) {
        struct placement_def *placement = world_def_add_placement(&def, placed[i].kind);
        assert_non_null(placement);
        placement->count = placed[i].count;
        placement->shape = placed[i].shape;
        placement->at = placed[i].shape == PLACE_RECT ? (vec2){0.0f, 0.0f} : (vec2){640.0f, 480.0f};
        placement->size = def.size;
    }
    struct world *world = NULL;
    assert_int_equal(world_create(&def, &world, NULL), WORLD_OK);
    world_def_fini(&def);
    return world;
}

static void test_the_clump(void **state) {
    struct world *world = make_world(1500, 20);
    struct clump clump = overload_look(world);
    assert_true(clump.is_there);
    assert_string_equal(clump.kind, "bird");
    assert_true(fabsf(clump.at.x - 640.0f) < 1.0f && fabsf(clump.at.y - 480.0f) < 1.0f);
    assert_in_range(clump.candidates, 1520, 1720);
    world_destroy(world);
    world = make_world(500, 3000);
    clump = overload_look(world);
    assert_true(clump.is_there);
    assert_string_equal(clump.kind, "wolf"); /* which examines no agent, but is examined */
    world_destroy(world);
    world = make_world(50, 0);
    assert_false(overload_look(world).is_there);
    world_destroy(world);
}

static void test_no_agent_examines_others(void **state) {
    struct world_def def = world_def_default();
    assert_non_null(world_def_add_kind(&def, "rock"));
    struct placement_def *placement = world_def_add_placement(&def, "rock");
    assert_non_null(placement);
    placement->count = 5000;
    struct world *world = NULL;
    struct world_clump clump;
    assert_int_equal(world_create(&def, &world, NULL), WORLD_OK);
    world_def_fini(&def);
    assert_false(world_find_clump(world, &clump));
    world_destroy(world);
}

static void test_slow(void **state) {
    assert_false(overload_is_slow(SECOND / 13, 60.0));
    assert_true(overload_is_slow(SECOND / 11, 60.0));
    assert_false(overload_is_slow(SECOND - 1, 1.0));
    assert_true(overload_is_slow(SECOND, 1.0));
}

static void test_when(void **state) {
    struct overload overload = {
        .clump = {.is_there = true, .kind = "bird", .at = {100.0f, 50.0f}, .candidates = 4000}};
    struct message_event event;
    uint64_t tick_ns = 0;
    assert_false(overload_take_event(&overload, 0, 5 * SECOND, &event, &tick_ns));
    assert_false(overload_take_event(&overload, SECOND - 1, 5 * SECOND, &event, &tick_ns));
    assert_true(overload_take_event(&overload, SECOND, 5 * SECOND, &event, &tick_ns));
    assert_true(tick_ns == SECOND);
    assert_string_equal(event.event, "overload");
    assert_string_equal(event.kind, "bird");
    assert_int_equal(event.x, 10000);
    assert_int_equal(event.y, 5000);
    assert_int_equal(event.candidates, 4000);
    assert_int_equal(event.by, 0);
    overload_note(&overload, 3 * SECOND); /* it is over */
    overload_note(&overload, 2 * SECOND);
    assert_false(overload_take_event(&overload, 0, 15 * SECOND - 1, &event, &tick_ns));
    assert_true(overload_take_event(&overload, 0, 15 * SECOND, &event, &tick_ns));
    assert_true(tick_ns == 3 * SECOND);
    assert_false(overload_take_event(&overload, 0, 60 * SECOND, &event, &tick_ns)); /* no slow tick since */
    overload.clump.is_there = false;
    assert_false(overload_take_event(&overload, 9 * SECOND, 60 * SECOND, &event, &tick_ns));
}

/* ==== server/simulation/worker_pool.h ==== */

enum { ROWS = 100000 };

static void mark(void *context, int32_t begin, int32_t end) {
    unsigned char *marks = context;
    for (int32_t row = begin; row < end; row++) {
        marks[row]++;
    }
}

/* Every row exactly once, whatever the number of threads and the length of the loop, many loops in a row. */
static void test_every_row_once(void **state) {
    unsigned char *marks = malloc(ROWS);
    assert_non_null(marks);
    const int32_t lengths[] = {0, 1, 511, 512, 1023, 1024, 1025, 5000, ROWS};
    for (int threads = 1; threads <= 7; threads += 2) {
        struct worker_pool *pool = worker_pool_create(threads);
        assert_non_null(pool);
        const struct parallel parallel = worker_pool_parallel(pool);
        for (int repeat = 0; repeat < 50; repeat++) {
            for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                memset(marks, 0, ROWS);
                parallel.run(parallel.pool, lengths[i], 512, mark, marks);
                for (int32_t row = 0; row < ROWS; row++) {
                    assert_int_equal(marks[row], row < lengths[i]);
                }
            }
        }
        worker_pool_destroy(pool);
    }
    free(marks);
}

static struct world *crowd(void) {
    struct scenario scenario;
    struct failure failure;
    if (scenario_file_load("scenarios/hunters_and_prey.json", &scenario, &failure) != 0) {
        fail_msg("%s", failure.message);
    }
    scenario.def.placements[1].count = 3000;
    struct world *world = NULL;
    assert_int_equal(world_create(&scenario.def, &world, NULL), WORLD_OK);
    scenario_fini(&scenario);
    return world;
}

/* Enough of them for a sort in several parts, and nothing but a flock. */
static struct world *flock(void) {
    struct world_def def = world_def_default();
    def.size = (vec2){2000.0f, 1500.0f};
    def.edge = EDGE_WRAP;
    struct kind_def *kind = world_def_add_kind(&def, "boid");
    struct placement_def *placement = world_def_add_placement(&def, "boid");
    assert_true(kind && placement);
    kind->states[0].behavior_count = 1;
    kind->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_FLOCK);
    placement->count = 30000;
    placement->shape = PLACE_RECT;
    placement->size = def.size;
    struct world *world = NULL;
    assert_int_equal(world_create(&def, &world, NULL), WORLD_OK);
    world_def_fini(&def);
    return world;
}

/* The contract: 1, 2, 3 and 7 threads, the same hash at every tick. */
static void check_threads(struct world *(*make)(void)) {
    enum { TICKS = 30 };
    uint64_t expected[TICKS];
    const int threads[] = {1, 2, 3, 7};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        struct world *world = make();
        struct worker_pool *pool = worker_pool_create(threads[t]);
        assert_non_null(pool);
        const struct parallel parallel = worker_pool_parallel(pool);
        for (int tick = 0; tick < TICKS; tick++) {
            world_step_parallel(world, &parallel);
            const uint64_t hash = world_hash(world);
            expected[tick] = t == 0 ? hash : expected[tick];
            assert_true(hash == expected[tick]);
        }
        worker_pool_destroy(pool);
        world_destroy(world);
    }
    worker_pool_destroy(NULL);
}

static void test_threads_do_not_change_the_state(void **state) {
    check_threads(crowd);
    check_threads(flock);
}

/* ==== The events of moved targets name the session, and their rate is bounded ==== */

static void one_hand(void **state) {
    static struct target_watch watch;
    target_watch_reset(&watch);
    int told = 0;
    for (uint64_t t = 0; t < 3000; t += 10) {
        told += target_watch_note(&watch, 3, 7, t * millisecond);
    }
    assert_int_equal(told, 3);
    assert_true(target_watch_note(&watch, 4, 7, 3000 * millisecond)); /* another target */
}

static void two_hands(void **state) {
    static struct target_watch watch;
    target_watch_reset(&watch);
    assert_true(target_watch_note(&watch, 0, 1, 5 * millisecond));
    assert_false(target_watch_note(&watch, 0, 2, 204 * millisecond));
    assert_true(target_watch_note(&watch, 0, 2, 205 * millisecond));
    assert_false(target_watch_note(&watch, 0, 2, 1204 * millisecond));
    int told = 0;
    for (uint64_t t = 2000; t < 4000; t += 5) {
        told += target_watch_note(&watch, 0, 1 + (uint32_t)(t / 5 % 2), t * millisecond);
    }
    assert_true(told >= 8 && told <= 10);
    target_watch_reset(&watch);
    assert_true(target_watch_note(&watch, 0, 1, 4001 * millisecond));
}

/* ==== Every change has a line in the log, but not sixty a second of what moves ==== */

static struct change_log changes;

static int set_up_change_log(void **state) {
    memset(&changes, 0, sizeof changes);
    return 0;
}

static int lines(uint32_t session, enum request_op op, uint64_t from_ms, uint64_t to_ms, uint64_t every_ms,
                 uint32_t *left_out) {
    const struct request request = request_default(op);
    int taken = 0;
    for (uint64_t t = from_ms; t < to_ms; t += every_ms) {
        taken += change_log_take(&changes, session, &request, t * millisecond, left_out);
    }
    return taken;
}

static void what_moves_has_a_line_a_second(void **state) {
    uint32_t left_out = 99;
    assert_int_equal(lines(1, REQUEST_MOUSE, 5, 3005, 10, &left_out), 3);
    assert_int_equal(left_out, 99);
    assert_int_equal(lines(1, REQUEST_MOUSE, 3005, 3006, 1, &left_out), 1);
    assert_int_equal(left_out, 99);
    assert_int_equal(lines(2, REQUEST_MOUSE, 3006, 3007, 1, &left_out), 1); /* another session */
    assert_int_equal(left_out, 0);
}

static void the_others_have_each_their_own(void **state) {
    uint32_t left_out = 99;
    assert_int_equal(lines(1, REQUEST_SPAWN, 0, CHANGE_LOG_RATE, 1, &left_out), CHANGE_LOG_RATE);
    assert_int_equal(left_out, 0);
    assert_int_equal(lines(1, REQUEST_SPAWN, CHANGE_LOG_RATE, 100, 1, &left_out), 0);
    assert_int_equal(lines(1, REQUEST_REMOVE, 100, 101, 1, &left_out), 1);
    assert_int_equal(lines(1, REQUEST_SPAWN, 1000, 1001, 1, &left_out), 1);
    assert_int_equal(left_out, 100 - CHANGE_LOG_RATE);
}

static void a_line_says_who_and_what(void **state) {
    struct command command = {.origin = {.session = 3, .line = 7, .name = "Ann"}};
    command.request = request_default(REQUEST_REMOVE_TARGET);
    (void)snprintf(command.request.body.remove_target.name, LIMIT_NAME_CHARS + 1, "den");
    struct buffer out;
    buffer_init(&out, 4096);
    change_log_write(&command, 12, 600, 0, &out);
    assert_string_equal(out.data, "change 12 at tick 600 by session 3 (Ann): "
                                  "{\"op\":\"remove_target\",\"name\":\"den\"}");
    buffer_clear(&out);
    command.origin.name[0] = '\0';
    command.request = request_default(REQUEST_REMOVE);
    command.request.body.remove.agent_count = LIMIT_REMOVE_IDS;
    change_log_write(&command, 13, 601, 59, &out);
    assert_true(out.length < 400);
    assert_non_null(strstr(out.data, "by session 3: {\"op\":\"remove\",\"agents\":[0,0,"));
    assert_non_null(strstr(out.data, "0...; before it 59 more of this op without a line"));
    buffer_fini(&out);
}

/* ==== The last minutes in memory: which part a span begins with, and what is forgotten ==== */

static struct flight_memory memory;

static int set_up_flight_memory(void **unused) {
    flight_memory_init(&memory);
    return 0;
}

static int tear_down(void **unused) {
    flight_memory_fini(&memory);
    return 0;
}

/* A part that begins at this second, with its checkpoint. */
static void begin(uint64_t second) {
    char *line = malloc(2);
    assert_non_null(line);
    memcpy(line, "c\n", 2);
    flight_memory_begin(&memory, second * UINT64_C(1000000000), second * 60, "w\n", 2);
    assert_true(flight_memory_waits(&memory));
    free(flight_memory_put_checkpoint(&memory, line, 2));
    assert_false(flight_memory_waits(&memory));
}

static int find(uint64_t second) {
    return flight_memory_find(&memory, second * UINT64_C(1000000000));
}

static void test_a_span_begins_with_the_newest_part_before_it(void **unused) {
    assert_int_equal(find(5), -1);
    begin(10);
    assert_int_equal(find(50), 0);
    assert_int_equal(find(5), 0); /* there is nothing older */
    begin(70);
    assert_int_equal(find(80), 1);
    assert_int_equal(find(60), 0);
    begin(130);
    assert_int_equal(memory.count, FLIGHT_PARTS);
    assert_int_equal(memory.parts[0].tick, 70 * 60);
    assert_int_equal(find(135), 1);
    assert_int_equal(find(20), 0);
}

static void test_a_part_without_its_checkpoint_is_no_beginning(void **unused) {
    begin(10);
    flight_memory_begin(&memory, UINT64_C(70000000000), 4200, "w\n", 2);
    flight_memory_add(&memory, "x\n", 2);
    assert_int_equal(find(80), 0); /* the lines of both follow it */
    assert_int_equal(memory.parts[1].lines.length, 2);
}

static void test_too_many_lines_forget_the_past(void **unused) {
    char *lines = calloc(1, 1 << 20);
    assert_non_null(lines);
    begin(10);
    begin(70);
    for (int i = 0; i < 9; i++) {
        flight_memory_add(&memory, lines, 1 << 20);
    }
    assert_int_equal(find(80), -1);
    assert_int_equal(find(20), -1);
    begin(130);
    assert_int_equal(find(20), 1);
    flight_memory_clear(&memory);
    assert_int_equal(find(140), -1);
    free(lines);
}

/* ==== What ranks tell of their ticks, and the table of all of them ==== */

static bool is_near(double value, double wanted) {
    return fabs(value - wanted) < 1e-4;
}

static struct rank_report report_of(int32_t rank, double work_ms) {
    struct rank_report report = {.work = {work_ms, 2.0 * work_ms},
                                 .agents = 100,
                                 .ghosts = 10,
                                 .migrants = 1,
                                 .rank = rank,
                                 .row = 8 * rank,
                                 .row_end = 8 * rank + 8};
    memcpy(report.host, "node", sizeof "node");
    return report;
}

static void a_meter_tells_of_a_second(void **state) {
    static struct rank_meter meter;
    struct rank_report report = {0};
    for (uint64_t i = 100; i >= 1; i--) {
        rank_meter_add(&meter, i * 1000000, 500000);
    }
    rank_meter_report(&meter, &report);
    assert_true(is_near(report.work.mean_ms, 50.5));
    assert_true(is_near(report.work.p99_ms, 99.0));
    assert_true(is_near(report.wait.mean_ms, 0.5));
    rank_meter_add(&meter, 2000000, 0);
    rank_meter_report(&meter, &report);
    assert_true(is_near(report.work.mean_ms, 2.0));
    assert_true(is_near(report.wait.p99_ms, 0.0));
}

/* Of few ticks 99 of 100 are all of them: one that was slow is not left out, though the mean has it. */
static void few_ticks_have_their_slowest(void **state) {
    static struct rank_meter meter;
    struct rank_report report = {0};
    for (uint64_t i = 0; i < 4; i++) {
        rank_meter_add(&meter, i == 2 ? 90000000 : 8000000, i == 1 ? 9000000 : 1000000);
    }
    rank_meter_report(&meter, &report);
    assert_true(is_near(report.work.mean_ms, 28.5));
    assert_true(is_near(report.work.p99_ms, 90.0));
    assert_true(is_near(report.wait.mean_ms, 3.0));
    assert_true(is_near(report.wait.p99_ms, 9.0));
}

static void a_pause_keeps_the_figures(void **state) {
    static struct rank_meter meter;
    struct rank_report report = {0};
    rank_meter_report(&meter, &report);
    assert_true(is_near(report.work.mean_ms, 0.0));
    rank_meter_add(&meter, 3000000, 1000000);
    rank_meter_report(&meter, &report);
    rank_meter_report(&meter, &report);
    assert_true(is_near(report.work.mean_ms, 3.0));
    assert_true(is_near(report.wait.mean_ms, 1.0));
}

static void a_meter_keeps_the_newest(void **state) {
    static struct rank_meter meter;
    struct rank_report report = {0};
    for (int i = 0; i < RANK_METER_TICKS; i++) {
        rank_meter_add(&meter, 9000000, 0);
    }
    for (int i = 0; i < RANK_METER_TICKS; i++) {
        rank_meter_add(&meter, 1000000, 0);
    }
    rank_meter_report(&meter, &report);
    assert_true(is_near(report.work.p99_ms, 1.0));
}

static void sums_and_the_longest(void **state) {
    struct rank_report reports[3] = {report_of(0, 2.0), report_of(1, 6.0), report_of(2, 4.0)};
    struct rank_table table = {0};
    rank_table_fill(&table, EXCHANGE_STRIPES, reports, 3, SECOND);
    assert_int_equal(table.ranks, 3);
    assert_int_equal(table.row_count, 3);
    assert_int_equal(table.agents, 300);
    assert_int_equal(table.ghosts, 30);
    assert_int_equal(table.migrants, 3);
    assert_int_equal(table.longest, 1);
    assert_int_equal(table.rows[1].rank, 1);
    assert_true(is_near(table.balance, 4.0 / 6.0));
    assert_true(is_near(table.migrants_hz, 0.0)); /* the first reports */
}

static void migrants_of_all_worlds_add_up(void **state) {
    static const struct {
        uint64_t migrants;
        bool is_new;
        uint64_t ever;
    } reports[] = {{5, true, 5}, {8, false, 8}, {2, true, 10}, {9, true, 19}, {4, false, 23}, {4, false, 23}};
    struct rank_report own = {0};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        rank_report_set_migrants(&own, reports[i].migrants, reports[i].is_new);
        assert_int_equal(own.migrants, reports[i].migrants);
        assert_int_equal(own.migrants_before + own.migrants, reports[i].ever);
    }
}

static void migrants_a_second(void **state) {
    struct rank_report reports[2] = {report_of(0, 1.0), report_of(1, 1.0)};
    struct rank_table table = {0};
    rank_table_fill(&table, EXCHANGE_STRIPES, reports, 2, SECOND);
    reports[1].migrants = 101;
    rank_table_fill(&table, EXCHANGE_STRIPES, reports, 2, 3 * SECOND);
    assert_true(is_near(table.migrants_hz, 50.0));
    reports[1].migrants = 0; /* of another world */
    rank_table_fill(&table, EXCHANGE_STRIPES, reports, 2, 4 * SECOND);
    assert_true(is_near(table.migrants_hz, 0.0));
    assert_int_equal(table.migrants, 1);
}

static void the_longest_has_a_row(void **state) {
    enum { RANKS = RANK_TABLE_ROWS + 6 };
    static struct rank_report reports[RANKS];
    struct rank_table table = {0};
    for (int32_t i = 0; i < RANKS; i++) {
        reports[i] = report_of(i, i == RANKS - 2 ? 5.0 : 1.0);
    }
    rank_table_fill(&table, EXCHANGE_COPY, reports, RANKS, SECOND);
    assert_int_equal(table.ranks, RANKS);
    assert_int_equal(table.row_count, RANK_TABLE_ROWS);
    assert_int_equal(table.agents, 100 * RANKS);
    assert_int_equal(table.longest, RANKS - 2);
    assert_int_equal(table.rows[RANK_TABLE_ROWS - 2].rank, RANK_TABLE_ROWS - 2);
    assert_int_equal(table.rows[RANK_TABLE_ROWS - 1].rank, RANKS - 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_drift),
        cmocka_unit_test(test_one_tick_a_period),
        cmocka_unit_test(test_deadlines_are_reached),
        cmocka_unit_test(test_debt_is_dropped),
        cmocka_unit_test(test_pause),
        cmocka_unit_test(test_a_change_of_rate_does_not_jump),
        cmocka_unit_test(test_a_change_of_rate_keeps_the_debt),
        cmocka_unit_test(test_a_long_debt_is_dropped_after_a_change_of_rate),
        cmocka_unit_test(test_rates_that_change_all_the_time),
        cmocka_unit_test(test_a_change_of_rate_in_a_pause),
        cmocka_unit_test(empty),
        cmocka_unit_test(percentiles),
        cmocka_unit_test(few_samples_have_their_slowest),
        cmocka_unit_test(old_samples_go),
        cmocka_unit_test(buckets_have_all_times),
        cmocka_unit_test(test_the_clump),
        cmocka_unit_test(test_no_agent_examines_others),
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_when),
        cmocka_unit_test(test_every_row_once),
        cmocka_unit_test(test_threads_do_not_change_the_state),
        cmocka_unit_test(one_hand),
        cmocka_unit_test(two_hands),
        cmocka_unit_test_setup(what_moves_has_a_line_a_second, set_up_change_log),
        cmocka_unit_test_setup(the_others_have_each_their_own, set_up_change_log),
        cmocka_unit_test_setup(a_line_says_who_and_what, set_up_change_log),
        cmocka_unit_test_setup_teardown(test_a_span_begins_with_the_newest_part_before_it,
                                        set_up_flight_memory, tear_down),
        cmocka_unit_test_setup_teardown(test_a_part_without_its_checkpoint_is_no_beginning,
                                        set_up_flight_memory, tear_down),
        cmocka_unit_test_setup_teardown(test_too_many_lines_forget_the_past, set_up_flight_memory, tear_down),
        cmocka_unit_test(a_meter_tells_of_a_second),
        cmocka_unit_test(few_ticks_have_their_slowest),
        cmocka_unit_test(a_pause_keeps_the_figures),
        cmocka_unit_test(a_meter_keeps_the_newest),
        cmocka_unit_test(sums_and_the_longest),
        cmocka_unit_test(migrants_a_second),
        cmocka_unit_test(migrants_of_all_worlds_add_up),
        cmocka_unit_test(the_longest_has_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
