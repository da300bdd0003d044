/* Playing a recording from memory: what was recorded by hand comes out hash for hash, whatever the instructions;
 * what cannot be played is said. */
#include "tests/unit/server/recording/recorded_run.h"

/* A source in memory, which begins at its first world. */
struct memory {
    const char *text;
    size_t length, next;
    uint64_t hashes; /* that were found */
};

static int memory_next(void *context, const char **line, size_t *length, struct failure *failure) {
    struct memory *memory = context;
    (void)failure;
    if (memory->next >= memory->length) {
        return 0;
    }
    *line = memory->text + memory->next;
    const char *newline = memchr(*line, '\n', memory->length - memory->next);
    assert_non_null(newline);
    *length = (size_t)(newline - *line);
    memory->next += *length + 1;
    return 1;
}

static bool memory_find_hash(void *context, const struct recording_moment *moment, uint64_t last_seq,
                             uint64_t *hash) {
    struct memory *memory = context;
    struct memory reader = {.text = memory->text, .length = memory->length};
    const char *text = NULL;
    size_t length = 0;
    uint32_t world = 0;
    while (memory_next(&reader, &text, &length, NULL) > 0) {
        struct recording_line line;
        struct failure failure;
        if (recording_line_read(text, length, &line, &failure) != 0) {
            continue;
        }
        world += line.op == RECORDING_WORLD;
        if ((line.op == RECORDING_HASH || line.op == RECORDING_CHECKPOINT) && world == moment->world &&
            line.tick == moment->tick && line.seq >= moment->seq && line.seq <= last_seq) {
            *hash = line.hash;
            memory->hashes++;
            return true;
        }
    }
    return false;
}

static int memory_seek(void *context, const struct recording_moment *moment, struct simulation_state *state,
                       struct failure *failure) {
    struct memory *memory = context;
    const char *text = NULL;
    size_t length = 0;
    struct recording_line line;
    (void)moment;
    memory->next = 0;
    assert_int_equal(memory_next(memory, &text, &length, failure), 1); /* drover */
    assert_int_equal(memory_next(memory, &text, &length, failure), 1);
    assert_int_equal(recording_line_read(text, length, &line, failure), 0);
    char *plain = recording_line_text(&line, &length);
    struct built_world built = run_build(line.scenario, plain, line.seed);
    free(plain);
    simulation_state_change(state, &built);
    built_world_fini(&built);
    state->seq = line.seq;
    return 0;
}

static uint32_t memory_world(void *context) {
    (void)context;
    return 1;
}

static struct recording_source source_of(struct memory *memory, const struct run *run) {
    *memory = (struct memory){.text = run->text.data, .length = run->text.length};
    return (struct recording_source){.context = memory,
                                     .next = memory_next,
                                     .find_hash = memory_find_hash,
                                     .seek = memory_seek,
                                     .world = memory_world,
                                     .last = {run->world, world_tick(run->state.world), run->state.seq}};
}

struct played {
    struct simulation_state state;
    struct replay_divergence divergence;
    struct failure failure;
    enum replay_step last;
    uint64_t hashes, ticks, changes;
    struct replay_change first, latest;
    int false_checks;
};

static void play(const struct run *run, enum simd simd, struct played *out) {
    struct memory memory;
    const struct recording_source source = source_of(&memory, run);
    const struct world_overrides overrides = {.has_simd = true, .simd = simd};
    struct replay *replay = replay_create(&source, &overrides, NULL);
    struct replay_change change;
    *out = (struct played){0};
    simulation_state_init(&out->state);
    const struct recording_moment start = {.world = 1};
    assert_int_equal(replay_begin(replay, &out->state, &start, &out->failure), 0);
    world_set_simd(out->state.world, simd);
    while ((out->last = replay_next(replay, &out->state, &change, &out->failure)) < REPLAY_END) {
        if (out->last == REPLAY_CHANGED) {
            out->first = out->changes == 0 ? change : out->first;
            out->latest = change;
            out->changes++;
            out->false_checks += !replay_check(replay, &out->state);
            continue;
        }
        simulation_state_step(&out->state);
        out->ticks++;
        out->false_checks += !replay_check(replay, &out->state);
    }
    out->divergence = *replay_divergence(replay);
    out->hashes = memory.hashes;
    replay_destroy(replay);
}

static void end_played(struct played *played) {
    simulation_state_fini(&played->state);
}

static void everything_comes_out_as_recorded(void **state) {
    struct run run;
    run_everything(&run);
    for (enum simd simd = SIMD_PLAIN; simd < SIMD_COUNT; simd++) {
        if (!simd_is_supported(simd)) {
            continue;
        }
        struct played played;
        play(&run, simd, &played);
        assert_int_equal(played.last, REPLAY_END);
        if (played.divergence.has_diverged) {
            fail_msg("tick %llu: %s", (unsigned long long)played.divergence.moment.tick,
                     played.divergence.reason);
        }
        assert_int_equal(played.false_checks, 0);
        assert_true(played.hashes >= 24);
        assert_true(world_hash(played.state.world) == world_hash(run.state.world));
        assert_true(world_tick(played.state.world) == world_tick(run.state.world));
        assert_true(played.state.seq == run.state.seq);
        assert_string_equal(played.state.name, "lake");
        assert_memory_equal(played.state.cursors.owners, run.state.cursors.owners,
                            sizeof run.state.cursors.owners);
        assert_int_equal(played.first.op, REQUEST_CURSOR);
        assert_int_equal(played.first.by, 3);
        assert_string_equal(played.first.name, "Ann");
        assert_true(played.first.effects.changed);
        assert_int_equal(played.latest.op, REQUEST_SPAWN);
        end_played(&played);
    }
    run_end(&run);
}

/* Puts another text in place of the first one; both have the same length. */
static void replace(struct run *run, const char *text, const char *other) {
    char *found = strstr(run->text.data, text);
    assert_non_null(found);
    assert_int_equal(strlen(text), strlen(other));
    memcpy(found, other, strlen(other));
}

static void other_hash_is_a_divergence_and_the_replay_goes_on(void **state) {
    struct run run;
    struct played played;
    run_begin(&run, "lake", run_lake, 1);
    run_ticks(&run, 10);
    run_hash(&run);
    run_ticks(&run, 10);
    run_hash(&run);
    run_at(&run);
    static const char hash[] = "\"tick\":10,\"seq\":0,\"hash\":\"";
    char *digit = strstr(run.text.data, hash) + strlen(hash);
    *digit = *digit == '0' ? '1' : '0';
    play(&run, SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_END);
    assert_true(played.divergence.has_diverged);
    assert_int_equal(played.divergence.moment.tick, 10);
    assert_int_equal(played.divergence.moment.world, 1);
    assert_true((played.divergence.recorded ^ played.divergence.computed) >> 60 != 0);
    assert_true(((played.divergence.recorded ^ played.divergence.computed) << 4) == 0);
    assert_int_equal(played.false_checks, 1);
    assert_int_equal(played.ticks, 20);
    end_played(&played);
    run_end(&run);
}

static void request_that_is_refused_now_is_a_divergence(void **state) {
    struct run run;
    struct played played;
    run_begin(&run, "lake", run_lake, 1);
    run_ticks(&run, 10);
    assert_true(run_do(&run, 1, "{\"op\":\"add_target\",\"name\":\"rock\",\"x\":1,\"y\":2}"));
    run_ticks(&run, 10);
    assert_true(run_do(&run, 1, "{\"op\":\"remove_target\",\"name\":\"rock\"}"));
    run_ticks(&run, 10);
    run_at(&run);
    replace(&run, "\"name\":\"rock\",", "\"name\":\"stok\",");
    play(&run, SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_END);
    assert_true(played.divergence.has_diverged);
    assert_int_equal(played.divergence.moment.tick, 20);
    assert_non_null(strstr(played.divergence.reason, "remove_target"));
    assert_non_null(strstr(played.divergence.reason, "refused now: no target"));
    assert_int_equal(played.ticks, 30);
    assert_int_equal(played.state.seq, 2);
    end_played(&played);
    run_end(&run);
}

static void what_is_no_request_of_a_do_line_is_a_divergence(void **state) {
    static const char *const wrong[] = {"{\"op\":\"load\",\"scenario\":\"lake\"}",
                                        "{\"op\":\"pause\"}",
                                        "{\"op\":\"step\",\"count\":5}",
                                        "{\"op\":\"hello\",\"name\":\"a\"}",
                                        "{\"op\":\"fly\"}",
                                        "{}",
                                        "{\"op\":\"spawn\",\"kind\":7}",
                                        "{\"op\":\"inspect\",\"agent\":1}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct run run;
        struct played played;
        run_begin(&run, "lake", run_lake, 1);
        run_ticks(&run, 2);
        run.state.seq++;
        struct recording_line line = {.op = RECORDING_DO, .by = 1};
        line.request = wrong[i];
        line.request_length = strlen(wrong[i]);
        run_write(&run, line);
        run_ticks(&run, 2);
        run_at(&run);
        play(&run, SIMD_PLAIN, &played);
        assert_int_equal(played.last, REPLAY_END);
        assert_true(played.divergence.has_diverged);
        assert_false(played.state.is_paused);
        assert_int_equal(played.ticks, 4);
        end_played(&played);
        run_end(&run);
    }
}

/* The hash of a tick stands behind its last request: a comparison in between would find another world. */
static void several_requests_of_a_tick_are_compared_together(void **state) {
    struct run run;
    struct played played;
    run_begin(&run, "lake", run_lake, 1);
    run_ticks(&run, 10);
    assert_true(run_do(&run, 1, "{\"op\":\"add_target\",\"name\":\"rock\",\"x\":1,\"y\":2}"));
    assert_true(run_do(&run, 1, "{\"op\":\"add_target\",\"name\":\"reed\",\"x\":3,\"y\":4}"));
    run_hash(&run);
    run_ticks(&run, 2);
    run_at(&run);
    play(&run, SIMD_PLAIN, &played);
    assert_int_equal(played.false_checks, 0);
    assert_false(played.divergence.has_diverged);
    assert_int_equal(played.hashes, 1);
    end_played(&played);
    run_end(&run);
}

/* A saved world that was loaded: its checkpoint follows the world line. */
static void loaded_save_comes_out_as_recorded(void **state) {
    struct run run;
    struct played played;
    run_begin(&run, "pond", run_pond, 1);
    run_ticks(&run, 20);
    assert_true(run_do(&run, 2, "{\"op\":\"cursor\",\"x\":5,\"y\":6}"));
    run_ticks(&run, 20);
    struct world *saved = world_clone_new(run.state.world);
    const struct checkpoint_rest rest = checkpoint_rest_of(&run.state);
    run_ticks(&run, 30);
    run_at(&run);
    /* the load */
    const uint64_t seq = run.state.seq + 1;
    struct built_world built = run_build("pond", run_pond, 1);
    world_destroy(built.world);
    built.world = saved;
    checkpoint_restore(&run.state, &built, &rest);
    built_world_fini(&built);
    run.state.seq = seq;
    run_write_world(&run, 7);
    run_checkpoint(&run);
    run_ticks(&run, 15);
    assert_true(run_do(&run, 2, "{\"op\":\"cursor\",\"x\":50,\"y\":60}"));
    run_ticks(&run, 15);
    run_hash(&run);
    run_at(&run);
    play(&run, SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_END);
    assert_false(played.divergence.has_diverged);
    assert_true(played.state.seq == run.state.seq);
    assert_int_equal(world_tick(played.state.world), 70);
    assert_true(world_hash(played.state.world) == world_hash(run.state.world));
    end_played(&played);

    char *checkpoint = strstr(run.text.data, "{\"op\":\"checkpoint\"");
    checkpoint[2] = 'x'; /* an op that is not known */
    play(&run, SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_FAILED);
    assert_int_equal(played.failure.code, FAILURE_BAD_SAVE);
    assert_non_null(strstr(played.failure.message, "lacks its checkpoint"));
    end_played(&played);
    run_end(&run);
}

static void scenario_that_cannot_be_read_ends_the_replay(void **state) {
    struct run run;
    struct played played;
    run_begin(&run, "lake", run_lake, 1);
    run_ticks(&run, 5);
    run_load(&run, 1, "pond", run_pond, 2);
    char *found = strstr(run.text.data, "\\\"seek\\\"");
    memcpy(found, "\\\"soek\\\"", 8);
    play(&run, SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_FAILED);
    assert_int_equal(played.failure.code, FAILURE_BAD_SAVE);
    assert_int_equal(played.ticks, 5);
    assert_string_equal(played.state.name, "lake");
    end_played(&played);
    run_end(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_out_as_recorded),
        cmocka_unit_test(other_hash_is_a_divergence_and_the_replay_goes_on),
        cmocka_unit_test(request_that_is_refused_now_is_a_divergence),
        cmocka_unit_test(several_requests_of_a_tick_are_compared_together),
        cmocka_unit_test(what_is_no_request_of_a_do_line_is_a_divergence),
        cmocka_unit_test(loaded_save_comes_out_as_recorded),
        cmocka_unit_test(scenario_that_cannot_be_read_ends_the_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
