/* One recording of each core is kept in tests/golden/recordings: as long as no change of the core touches it, it plays
 * hash for hash; otherwise its checkpoints can be read, and the refusal says what changed.
 * write_recording.py writes one of this core with a server.
 */
#include "tests/unit/server/recording/recorded_run.h"

#include "server/storage/recording.h"
#include "tests/property/each_scenario.h"

static const char folder[] = "tests/golden/recordings";

static struct recording *open_file(const char *name) {
    char path[512];
    const char *paths[] = {path};
    struct failure failure = {0};
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    struct recording *recording = recording_open(paths, 1, &failure);
    if (recording == NULL) {
        fail_msg("%s: %s", path, failure.message);
    }
    assert_int_equal(recording_facts(recording)->torn_lines, 0);
    return recording;
}

/* Plays from the moment on; stops there when it is a look at a checkpoint only. */
static void play(struct recording *recording, const struct recording_moment *moment, enum simd simd,
                 bool is_look) {
    const struct world_overrides overrides = {.has_simd = true, .simd = simd};
    const struct recording_source source = recording_source(recording, &overrides);
    struct replay *replay = replay_create(&source, &overrides, NULL);
    struct simulation_state state;
    struct replay_change change;
    struct failure failure = {0};
    enum replay_step step = is_look ? REPLAY_END : REPLAY_TICK;
    simulation_state_init(&state);
    if (replay_begin(replay, &state, moment, &failure) != 0) {
        fail_msg("world %u tick %llu: %s", moment->world, (unsigned long long)moment->tick, failure.message);
    }
    while (step != REPLAY_END && (step = replay_next(replay, &state, &change, &failure)) < REPLAY_END) {
        if (step == REPLAY_TICK) {
            simulation_state_step(&state);
            (void)replay_check(replay, &state);
        }
    }
    const struct replay_divergence *divergence = replay_divergence(replay);
    if (step == REPLAY_FAILED || divergence->has_diverged) {
        fail_msg("world %u tick %llu: %s%s", divergence->moment.world,
                 (unsigned long long)divergence->moment.tick, failure.message, divergence->reason);
    }
    replay_destroy(replay);
    simulation_state_fini(&state);
}

/* All from the start with the widest instructions; the second half, from each checkpoint, with the plain ones. */
static void play_all(struct recording *recording) {
    const struct recording_facts *facts = recording_facts(recording);
    const struct recording_moment start = {.world = facts->worlds[0].number};
    struct failure failure = {0};
    const bool is_exact = recording_check_core(recording, &start, core_changes, CORE_NUMBER, &failure) == 0;
    if (is_exact) {
        play(recording, &start, simd_best(), false);
    } else {
        assert_int_equal(failure.code, FAILURE_VERSION);
        (void)printf("%s\n", failure.message);
    }
    for (int i = 0; i < facts->checkpoint_count; i++) {
        play(recording, &facts->checkpoints[i], SIMD_PLAIN, !is_exact || i + 1 < facts->checkpoint_count);
    }
}

static void recordings_of_every_core_play(void **state) {
    struct dirent **entries;
    bool has_this_core = false;
    const int count = scandir(folder, &entries, NULL, scenario_by_name);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        if (strstr(entries[i]->d_name, ".drover") != NULL) {
            struct recording *recording = open_file(entries[i]->d_name);
            has_this_core = has_this_core || recording_facts(recording)->header.core == CORE_NUMBER;
            play_all(recording);
            recording_close(recording);
        }
        free(entries[i]);
    }
    free(entries);
    assert_true(has_this_core);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(recordings_of_every_core_play)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
