/* Recordings from files: plain and compressed, several as one, cut and spoiled; played from their start and from every
 * checkpoint. */
#include "tests/unit/server/recording/recorded_run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "server/storage/recording.h"

static char folder[] = "/tmp/drover-recording-XXXXXX";
static int file_number;

static const char *path_of(int number, char path[64]) {
    (void)snprintf(path, 64, "%s/%d", folder, number);
    return path;
}

static void write_file(const char *path, const char *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* A file of these bytes, opened as a recording. NULL with *failure. */
static struct recording *open_bytes(const char *bytes, size_t length, struct failure *failure) {
    char path[64];
    const char *paths[1] = {path_of(file_number++, path)};
    write_file(path, bytes, length);
    struct recording *recording = recording_open(paths, 1, failure);
    assert_int_equal(unlink(path), 0);
    return recording;
}

static struct recording *open_text(const struct buffer *text) {
    struct failure failure = {0};
    struct recording *recording = open_bytes(text->data, text->length, &failure);
    if (recording == NULL) {
        fail_msg("%s", failure.message);
    }
    return recording;
}

struct played {
    struct simulation_state state;
    struct replay_divergence divergence;
    struct failure failure;
    enum replay_step last;
    uint64_t first_tick;
};

static void play_from(struct recording *recording, const struct recording_moment *moment, enum simd simd,
                      struct played *out) {
    const struct world_overrides overrides = {.has_simd = true, .simd = simd};
    const struct recording_source source = recording_source(recording, &overrides);
    struct replay *replay = replay_create(&source, &overrides, NULL);
    struct replay_change change;
    *out = (struct played){0};
    simulation_state_init(&out->state);
    if (replay_begin(replay, &out->state, moment, &out->failure) != 0) {
        out->last = REPLAY_FAILED;
        replay_destroy(replay);
        return;
    }
    out->first_tick = world_tick(out->state.world);
    while ((out->last = replay_next(replay, &out->state, &change, &out->failure)) < REPLAY_END) {
        if (out->last == REPLAY_TICK) {
            simulation_state_step(&out->state);
            (void)replay_check(replay, &out->state);
        }
    }
    out->divergence = *replay_divergence(replay);
    replay_destroy(replay);
}

static void assert_played(struct recording *recording, const struct recording_moment *moment, enum simd simd,
                          const struct run *run) {
    struct played played;
    play_from(recording, moment, simd, &played);
    if (played.last == REPLAY_FAILED) {
        fail_msg("%s", played.failure.message);
    }
    if (played.divergence.has_diverged) {
        fail_msg("from tick %llu: tick %llu: %s", (unsigned long long)played.first_tick,
                 (unsigned long long)played.divergence.moment.tick, played.divergence.reason);
    }
    assert_true(world_hash(played.state.world) == world_hash(run->state.world));
    assert_true(played.state.seq == run->state.seq);
    assert_true(world_tick(played.state.world) == world_tick(run->state.world));
    simulation_state_fini(&played.state);
}

static void facts_are_those_of_the_run(void **state) {
    struct run run;
    run_everything(&run);
    struct recording *recording = open_text(&run.text);
    const struct recording_facts *facts = recording_facts(recording);
    assert_int_equal(facts->header.core, CORE_NUMBER);
    assert_string_equal(facts->header.server, "drover-server test");
    assert_int_equal(facts->bytes, run.text.length);
    assert_int_equal(facts->torn_lines, 0);
    assert_int_equal(facts->world_count, 2);
    assert_string_equal(facts->worlds[0].scenario, "pond");
    assert_string_equal(facts->worlds[1].scenario, "lake");
    assert_int_equal(facts->worlds[0].seed, 77);
    assert_int_equal(facts->worlds[0].last_tick, 230);
    assert_int_equal(facts->worlds[1].number, 2);
    assert_int_equal(facts->worlds[1].by, 3);
    assert_int_equal(facts->worlds[1].last_tick, 79);
    assert_int_equal(facts->checkpoint_count, 4);
    assert_int_equal(facts->checkpoints[0].tick, 91);
    assert_int_equal(facts->checkpoints[3].world, 2);
    assert_int_equal(facts->requests, 131);
    assert_true((facts->request_ops >> REQUEST_MOUSE & 1) == 1);
    assert_true((facts->request_ops >> REQUEST_REMOVE_TARGET & 1) == 0);
    assert_int_equal(facts->last.world, 2);
    assert_int_equal(facts->last.tick, 79);
    assert_true(facts->last.seq == run.state.seq);
    assert_false(facts->is_paused_at_end);
    assert_false(facts->has_end);
    struct scenario scenario;
    struct failure failure;
    assert_int_equal(recording_read_scenario(recording, 1, &scenario, &failure), 0);
    assert_string_equal(scenario.title, "Pond \xC3\xA4");
    assert_int_equal(scenario.def.seed, 77);
    scenario_fini(&scenario);
    assert_int_equal(recording_read_scenario(recording, 3, &scenario, &failure), -1);
    recording_close(recording);
    run_end(&run);
}

static void play_from_everywhere(struct recording *recording, const struct run *run) {
    const struct recording_facts *facts = recording_facts(recording);
    const struct recording_moment start = {.world = facts->worlds[0].number};
    const struct recording_moment second = {.world = 2};
    assert_played(recording, &start, SIMD_PLAIN, run);
    assert_played(recording, &second, simd_best(), run);
    for (int i = 0; i < facts->checkpoint_count; i++) {
        assert_played(recording, &facts->checkpoints[i], i % 2 == 0 ? SIMD_PLAIN : simd_best(), run);
    }
}

static void it_plays_from_the_start_and_from_every_checkpoint(void **state) {
    struct run run;
    run_everything(&run);
    struct recording *recording = open_text(&run.text);
    play_from_everywhere(recording, &run);
    recording_close(recording);
    run_end(&run);
}

/* The lines hash and checkpoint are written when they are ready: each stands some lines later. */
static void late_lines_change_nothing(void **state) {
    struct run run;
    run_everything(&run);
    for (size_t delay = 1; delay < 200; delay = delay * 3) {
        struct buffer text, late;
        struct {
            size_t due, begin, length;
        } waiting[256];
        size_t waiting_count = 0, done = 0, number = 0;
        buffer_init(&text, RUN_BYTES);
        buffer_init(&late, RUN_BYTES);
        for (const char *line = run.text.data; *line != '\0'; number++) {
            const size_t length = (size_t)(strchr(line, '\n') - line) + 1;
            if (strncmp(line, "{\"op\":\"hash\"", 12) == 0 || strncmp(line, "{\"op\":\"ch", 9) == 0) {
                waiting[waiting_count].due = number + delay;
                waiting[waiting_count].begin = late.length;
                waiting[waiting_count++].length = length;
                buffer_append(&late, line, length);
            } else {
                buffer_append(&text, line, length);
            }
            for (; done < waiting_count && waiting[done].due <= number; done++) {
                buffer_append(&text, late.data + waiting[done].begin, waiting[done].length);
            }
            line += length;
        }
        for (; done < waiting_count; done++) {
            buffer_append(&text, late.data + waiting[done].begin, waiting[done].length);
        }
        assert_int_equal(text.length, run.text.length);
        struct recording *recording = open_text(&text);
        assert_int_equal(recording_facts(recording)->checkpoint_count, 4);
        assert_int_equal(recording_facts(recording)->checkpoints[2].world, 1);
        play_from_everywhere(recording, &run);
        recording_close(recording);
        buffer_fini(&text);
        buffer_fini(&late);
    }
    run_end(&run);
}

static struct buffer compressed(const struct buffer *text, size_t frame_bytes) {
    struct buffer out;
    buffer_init(&out, RUN_BYTES);
    for (size_t at = 0; at < text->length; at += frame_bytes) {
        const size_t length = text->length - at < frame_bytes ? text->length - at : frame_bytes;
        const size_t room = ZSTD_compressBound(length);
        char *end = buffer_reserve(&out, room);
        const size_t size = ZSTD_compress(end, room, text->data + at, length, 3);
        assert_false(ZSTD_isError(size));
        buffer_commit(&out, size);
    }
    return out;
}

static void compressed_recording_plays_from_everywhere(void **state) {
    struct run run;
    run_everything(&run);
    for (size_t frame = 1000; frame < 3000000; frame *= 50) {
        struct buffer bytes = compressed(&run.text, frame);
        struct recording *recording = open_text(&bytes);
        assert_int_equal(recording_facts(recording)->torn_lines, 0);
        assert_int_equal(recording_facts(recording)->bytes, bytes.length);
        play_from_everywhere(recording, &run);
        recording_close(recording);
        buffer_fini(&bytes);
    }
    run_end(&run);
}

static struct run small_run(void) {
    struct run run;
    run_begin(&run, "lake", run_lake, 1);
    for (int i = 0; i < 12; i++) {
        char text[96];
        (void)snprintf(text, sizeof text, "{\"op\":\"spawn\",\"kind\":\"duck\",\"x\":%d.5,\"y\":20}", 10 * i);
        assert_true(run_do(&run, 1, text));
        run_ticks(&run, 3);
        run_at(&run);
        if (i % 3 == 0) {
            run_hash(&run);
        }
        if (i == 6) {
            run_checkpoint(&run);
        }
    }
    return run;
}

/* What remains plays, and does not diverge. */
static void assert_cut_plays(const char *bytes, size_t length, size_t *opened) {
    struct failure failure = {0};
    struct recording *recording = open_bytes(bytes, length, &failure);
    if (recording == NULL) {
        assert_int_equal(failure.code, FAILURE_BAD_SAVE);
        assert_true(failure.message[0] != '\0');
        return;
    }
    const struct recording_facts *facts = recording_facts(recording);
    struct played played;
    ++*opened;
    play_from(recording, &facts->last, SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_END);
    assert_false(played.divergence.has_diverged);
    assert_true(world_tick(played.state.world) == facts->last.tick);
    assert_true(played.state.seq == facts->last.seq);
    simulation_state_fini(&played.state);
    recording_close(recording);
}

static void recording_that_is_cut_at_any_byte_plays(void **state) {
    struct run run = small_run();
    size_t opened = 0;
    for (size_t length = 0; length <= run.text.length; length++) {
        assert_cut_plays(run.text.data, length, &opened);
    }
    assert_true(opened > run.text.length / 2);
    run_end(&run);
}

static void compressed_recording_that_is_cut_at_any_byte_plays(void **state) {
    struct run run = small_run();
    struct buffer bytes = compressed(&run.text, 700);
    size_t opened = 0;
    for (size_t length = 0; length <= bytes.length; length++) {
        assert_cut_plays(bytes.data, length, &opened);
    }
    assert_true(opened > bytes.length / 3);
    buffer_fini(&bytes);
    run_end(&run);
}

/* Of each line a frame. A frame that is no frame any more ends the recording before its line, also the last one, which a
 * crash would have left torn. */
static void a_frame_that_is_damaged_ends_the_recording(void **state) {
    struct run run = small_run();
    struct buffer bytes;
    size_t frames[256], count = 0;
    buffer_init(&bytes, RUN_BYTES);
    for (const char *line = run.text.data; *line != '\0'; count++) {
        const size_t length = (size_t)(strchr(line, '\n') - line) + 1;
        const size_t room = ZSTD_compressBound(length);
        frames[count] = bytes.length;
        buffer_commit(&bytes, ZSTD_compress(buffer_reserve(&bytes, room), room, line, length, 3));
        line += length;
    }
    for (size_t i = 2; i < count; i++) {
        struct failure failure = {0};
        bytes.data[frames[i]] ^= 1;
        struct recording *recording = open_bytes(bytes.data, bytes.length, &failure);
        bytes.data[frames[i]] ^= 1;
        assert_non_null(recording);
        const struct recording_facts *facts = recording_facts(recording);
        if (!facts->damage.is_end || facts->damage.line != i + 1 || facts->lines != i) {
            fail_msg("line %zu of %zu: %d lines are read", i + 1, count, (int)facts->lines);
        }
        recording_close(recording);
    }
    buffer_fini(&bytes);
    run_end(&run);
}

/* A tick far out, in a file without sums: nothing is simulated up to there. */
static void a_tick_that_nobody_has_reached_is_refused(void **state) {
    static const char *const lines[] = {
        "{\"op\":\"at\",\"tick\":100000001,\"seq\":12,\"paused\":true}",
        "{\"op\":\"do\",\"tick\":100000001,\"seq\":13,\"by\":1,\"request\":{\"op\":\"resume\"}}",
        "{\"op\":\"hash\",\"tick\":100000001,\"seq\":12,\"hash\":\"0123456789abcdef\"}",
        "{\"op\":\"end\",\"tick\":100000001,\"seq\":12}"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct run run = small_run();
        struct recording *whole = open_text(&run.text);
        const struct recording_moment last = recording_facts(whole)->last;
        recording_close(whole);
        buffer_append_text(&run.text, lines[i]);
        buffer_append_text(&run.text, "\n");
        struct recording *recording = open_text(&run.text);
        const struct recording_facts *facts = recording_facts(recording);
        assert_true(facts->damage.is_end && strstr(facts->damage.what, "100000001") != NULL);
        assert_true(facts->last.tick == last.tick && facts->last.seq == last.seq);
        recording_close(recording);
        run_end(&run);
    }
}

/* Neither a crash nor a hang, whatever a byte becomes. */
static void recording_with_a_spoiled_byte_is_read(void **state) {
    struct run run = small_run();
    struct buffer bytes = compressed(&run.text, 700);
    const struct buffer *all[] = {&run.text, &bytes};
    for (int a = 0; a < 2; a++) {
        for (size_t at = 0; at < all[a]->length; at += 3) {
            struct failure failure = {0};
            const char was = all[a]->data[at];
            all[a]->data[at] = (char)(was ^ (1 << at % 8));
            struct recording *recording = open_bytes(all[a]->data, all[a]->length, &failure);
            all[a]->data[at] = was;
            if (recording == NULL) {
                assert_true(failure.message[0] != '\0');
                continue;
            }
            const struct recording_facts *facts = recording_facts(recording);
            assert_true(facts->damage.is_there || facts->lines + facts->torn_lines > 10);
            if (facts->last.tick < 100000) {
                struct played played;
                play_from(recording, &facts->last, SIMD_PLAIN, &played);
                simulation_state_fini(&played.state);
            }
            recording_close(recording);
        }
    }
    buffer_fini(&bytes);
    run_end(&run);
}

static void checkpoint_that_cannot_be_read_is_passed_over(void **state) {
    struct run run;
    run_everything(&run);
    char *second = strstr(strstr(run.text.data, "{\"op\":\"checkpoint\"") + 1, "{\"op\":\"checkpoint\"");
    second[(size_t)(strchr(second, '\n') - second) * 3 / 4] = '#'; /* of a column */
    struct recording *recording = open_text(&run.text);
    const struct recording_facts *facts = recording_facts(recording);
    assert_int_equal(facts->checkpoint_count, 4);
    assert_int_equal(facts->checkpoints[1].tick, 150);
    struct played played;
    play_from(recording, &facts->checkpoints[1], SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_END);
    assert_int_equal(played.first_tick, 91);
    assert_string_equal(played.divergence.reason, "");
    assert_false(played.divergence.has_diverged);
    assert_true(recording_passed_over(recording)[0] != '\0');
    simulation_state_fini(&played.state);
    recording_close(recording);
    run_end(&run);
}

/* ---- several files ---- */

/* Cuts a run into journals at its `at` lines; each begins with the header and the world as it was known then. */
static struct recording *open_journals(const struct run *run, int *count) {
    const char *header_end = strchr(run->text.data, '\n') + 1;
    const char *world_end = strchr(header_end, '\n') + 1;
    char paths[64][64];
    const char *names[64];
    struct failure failure = {0};
    struct buffer text;
    buffer_init(&text, RUN_BYTES);
    *count = 0;
    buffer_append(&text, run->text.data, (size_t)(world_end - run->text.data));
    for (const char *line = world_end; *line != '\0';) {
        const char *end = strchr(line, '\n') + 1;
        buffer_append(&text, line, (size_t)(end - line));
        if (strncmp(line, "{\"op\":\"at\"", 10) == 0 || *end == '\0') {
            names[*count] = path_of(file_number++, paths[*count]);
            write_file(names[*count], text.data, text.length);
            ++*count;
            buffer_clear(&text);
            buffer_append(&text, run->text.data, (size_t)(world_end - run->text.data));
        }
        line = end;
    }
    buffer_fini(&text);
    struct recording *recording = recording_open(names, *count, &failure);
    if (recording == NULL) {
        fail_msg("%s", failure.message);
    }
    for (int i = 0; i < *count; i++) {
        (void)unlink(names[i]);
    }
    return recording;
}

/* Three journals; the last two have each other's name. What goes on behind the damage ends before what is lost. */
static void journals_in_another_order_say_what_is_missing(void **state) {
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}};
    struct run run;
    struct failure failure = {0};
    size_t begins[4] = {0};
    char paths[3][64];
    run_begin(&run, "lake", run_lake, 1);
    for (int part = 0; part < 3; part++) {
        if (part > 0) {
            begins[part] = run.text.length;
            run.world = 0;
            run_write_drover(&run.text, CORE_NUMBER);
            run_write_begun_world(&run, 0, 0);
            run_at(&run);
        }
        for (int i = 0; i < 3; i++) {
            assert_true(run_do(&run, 1, "{\"op\":\"spawn\",\"kind\":\"duck\",\"x\":20,\"y\":20}"));
        }
    }
    begins[3] = run.text.length;
    for (int order = 0; order < 2; order++) {
        const char *names[3];
        for (int i = 0; i < 3; i++) {
            const int part = orders[order][i];
            names[i] = path_of(file_number++, paths[i]);
            write_file(names[i], run.text.data + begins[part], begins[part + 1] - begins[part]);
        }
        struct recording *recording = recording_open(names, 3, &failure);
        assert_non_null(recording);
        const struct recording_facts *facts = recording_facts(recording);
        assert_int_equal(facts->last.seq, order == 0 ? 9 : 6);
        assert_int_equal(facts->damage.is_end, order != 0);
        assert_int_equal(facts->damage.seq, order == 0 ? 0 : 9);
        recording_close(recording);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(unlink(names[i]), 0);
        }
    }
    run_end(&run);
}

static void journals_are_one_recording(void **state) {
    struct run run = small_run();
    int count = 0;
    struct recording *recording = open_journals(&run, &count);
    assert_true(count > 10);
    assert_int_equal(recording_facts(recording)->world_count, 1);
    assert_int_equal(recording_facts(recording)->requests, 12);
    const struct recording_moment start = {.world = 1};
    assert_played(recording, &start, SIMD_PLAIN, &run);
    assert_played(recording, &recording_facts(recording)->checkpoints[0], simd_best(), &run);
    recording_close(recording);
    run_end(&run);
}

/* The checkpoint of a state folder is a saved world; the journal from then on repeats an earlier world line. */
static void saved_world_and_journal_are_one_recording(void **state) {
    struct run run;
    struct buffer save, journal;
    char paths[2][64];
    struct failure failure = {0};
    buffer_init(&save, RUN_BYTES);
    buffer_init(&journal, RUN_BYTES);
    run_begin(&run, "lake", run_lake, 4);
    buffer_append(&journal, run.text.data, run.text.length);
    run_ticks(&run, 20);
    assert_true(run_do(&run, 1, "{\"op\":\"spawn\",\"kind\":\"duck\",\"count\":2}"));
    run_ticks(&run, 20);
    const struct checkpoint_rest rest = checkpoint_rest_of(&run.state);
    saved_world_write(run.state.world, &rest, run.state.name, run.state.text, run.state.text_length, &save,
                      NULL);
    const size_t begin = run.text.length;
    run_ticks(&run, 20);
    assert_true(run_do(&run, 1, "{\"op\":\"remove\",\"agent\":2}"));
    run_ticks(&run, 10);
    run_hash(&run);
    assert_true(run_do(&run, 1, "{\"op\":\"pause\"}"));
    buffer_append(&journal, run.text.data + begin, run.text.length - begin);
    const char *names[] = {path_of(file_number, paths[0]), path_of(file_number + 1, paths[1])};
    file_number += 2;
    write_file(names[0], save.data, save.length);
    write_file(names[1], journal.data, journal.length);
    struct recording *recording = recording_open(names, 2, &failure);
    assert_non_null(recording);
    const struct recording_facts *facts = recording_facts(recording);
    assert_int_equal(facts->world_count, 1);
    assert_int_equal(facts->worlds[0].first_tick, 40);
    assert_true(facts->is_paused_at_end);
    assert_played(recording, &facts->last, SIMD_PLAIN, &run);
    buffer_clear(&save);
    const struct checkpoint_rest paused = checkpoint_rest_of(&run.state);
    saved_world_write(run.state.world, &paused, run.state.name, run.state.text, run.state.text_length, &save,
                      NULL);
    struct recording *alone = open_text(&save);
    assert_true(recording_facts(alone)->is_paused_at_end);
    recording_close(alone);
    struct played played;
    const struct recording_moment early = {.world = 1, .tick = 39};
    play_from(recording, &early, SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_FAILED);
    assert_int_equal(played.failure.code, FAILURE_OUT_OF_RANGE);
    recording_close(recording);
    (void)unlink(names[0]);
    (void)unlink(names[1]);
    buffer_fini(&save);
    buffer_fini(&journal);
    run_end(&run);
}

/* A recording that begins while the world runs: its world line is that of the world, and says where the file begins. */
static void recording_that_begins_in_the_middle_is_played_from_its_checkpoint(void **state) {
    struct run run;
    struct buffer text;
    struct played played;
    buffer_init(&text, RUN_BYTES);
    run_begin(&run, "lake", run_lake, 4);
    run_ticks(&run, 20);
    assert_true(run_do(&run, 1, "{\"op\":\"spawn\",\"kind\":\"duck\",\"count\":2}"));
    const size_t begin = run.text.length;
    run_write_drover(&run.text, CORE_NUMBER);
    run.world = 0;
    run_write_begun_world(&run, 0, 0);
    run_at(&run);
    run_ticks(&run, 5);
    run_checkpoint(&run);
    run_ticks(&run, 5);
    run_hash(&run);
    run_at(&run);
    buffer_append(&text, run.text.data + begin, run.text.length - begin);
    struct recording *recording = open_text(&text);
    const struct recording_facts *facts = recording_facts(recording);
    assert_int_equal(facts->worlds[0].first_tick, 25);
    assert_played(recording, &facts->checkpoints[0], SIMD_PLAIN, &run);
    const struct recording_moment early = {.world = 1, .tick = 19}, gap = {.world = 1, .tick = 24};
    play_from(recording, &early, SIMD_PLAIN, &played);
    assert_int_equal(played.failure.code, FAILURE_OUT_OF_RANGE);
    play_from(recording, &gap, SIMD_PLAIN, &played);
    assert_int_equal(played.failure.code, FAILURE_OUT_OF_RANGE);
    recording_close(recording);
    buffer_fini(&text);
    run_end(&run);
}

/* ---- cores ---- */

/* A recording of this core, and a next one that computes something otherwise. */
static void recording_of_an_older_core_plays_when_nothing_it_uses_changed(void **state) {
    static const struct core_change untouched[] = {
        {CORE_NUMBER + 1, "Queues are otherwise.", "queue edge:bounce"}, {0, NULL, NULL}};
    static const struct core_change touched[] = {{CORE_NUMBER + 1, "Orca weighs walls otherwise.", "orca"},
                                                 {0, NULL, NULL}};
    static const struct core_change by_request[] = {
        {CORE_NUMBER + 1, "Spawning is otherwise.", "request:spawn"}, {0, NULL, NULL}};
    struct run run;
    struct failure failure = {0};
    run_everything(&run);
    struct recording *recording = open_text(&run.text);
    const struct recording_moment start = {.world = 1}, second = {.world = 2};
    assert_int_equal(recording_check_core(recording, &start, core_changes, CORE_NUMBER, &failure), 0);
    assert_int_equal(recording_check_core(recording, NULL, touched, CORE_NUMBER + 1, &failure), -1);
    assert_int_equal(recording_check_core(recording, &start, untouched, CORE_NUMBER + 1, &failure), 0);
    assert_played(recording, &start, SIMD_PLAIN, &run);
    assert_int_equal(recording_check_core(recording, &start, touched, CORE_NUMBER + 1, &failure), -1);
    assert_int_equal(failure.code, FAILURE_VERSION);
    char words[64];
    (void)snprintf(words, sizeof words, "recorded by core %d; this is core %d", CORE_NUMBER, CORE_NUMBER + 1);
    assert_non_null(strstr(failure.message, words));
    (void)snprintf(words, sizeof words, "orca (%d)", CORE_NUMBER + 1);
    assert_non_null(strstr(failure.message, words));
    assert_non_null(strstr(failure.message, "4 checkpoints"));
    assert_int_equal(recording_check_core(recording, &second, touched, CORE_NUMBER + 1, &failure),
                     0); /* no orca in the lake */
    assert_int_equal(recording_check_core(recording, &start, by_request, CORE_NUMBER + 1, &failure), -1);
    recording_close(recording);
    run_end(&run);
}

/* ---- refusals ---- */

static void assert_refused(const char *text, size_t length, enum failure_code code, const char *part) {
    struct failure failure = {0};
    struct recording *recording = open_bytes(text, length, &failure);
    assert_null(recording);
    assert_int_equal(failure.code, code);
    assert_non_null(strstr(failure.message, part));
}

static void what_is_no_recording_is_refused(void **state) {
    static const char world[] = "{\"op\":\"world\"}\n",
                      later[] = "{\"op\":\"drover\",\"format\":2,\"core\":1}\n",
                      alone[] = "{\"op\":\"drover\",\"format\":1,\"core\":1}\n", no[] = "hello\n";
    assert_refused("", 0, FAILURE_BAD_SAVE, "no line");
    assert_refused("{\"op\":\"drover\"", 14, FAILURE_BAD_SAVE, "no line");
    assert_refused(no, strlen(no), FAILURE_BAD_SAVE, "first line");
    assert_refused(world, strlen(world), FAILURE_BAD_SAVE, "first line");
    assert_refused(alone, strlen(alone), FAILURE_BAD_SAVE, "no \"world\" line");
    assert_refused(later, strlen(later), FAILURE_VERSION, "format 2");
    struct failure failure = {0};
    const char *missing[] = {"/nowhere/at/all.drover"}, *directory[] = {"/tmp"};
    assert_null(recording_open(missing, 1, &failure));
    assert_int_equal(failure.code, FAILURE_NO_SAVE);
    assert_null(recording_open(directory, 1, &failure));
    assert_int_equal(failure.code, FAILURE_IO);
    char path[64];
    assert_int_equal(mkfifo(path_of(file_number++, path), 0600), 0);
    const char *fifo[] = {path};
    assert_null(recording_open(fifo, 1, &failure));
    assert_int_equal(failure.code, FAILURE_IO);
    (void)unlink(path);
}

static bool count_line(void *context, const char *line, size_t length) {
    int *count = context;
    assert_true(length > 0 && line[length] == '\n');
    return --*count > 0;
}

/* What is added after it was opened is not read; what is taken away is an error. */
static void file_that_changes_while_it_is_read_is_no_crash(void **state) {
    struct run run;
    run_everything(&run);
    struct failure failure = {0};
    char path[64];
    const char *paths[] = {path_of(file_number++, path)};
    write_file(path, run.text.data, run.text.length);
    struct recording *recording = recording_open(paths, 1, &failure);
    assert_non_null(recording);
    FILE *file = fopen(path, "ab");
    assert_true(fputs("{\"op\":\"at\",\"tick\":99999,\"seq\":99999,\"paused\":true}\n", file) > 0);
    assert_int_equal(fclose(file), 0);
    const struct recording_moment start = {.world = 1};
    assert_played(recording, &start, SIMD_PLAIN, &run);
    int lines = 1000000;
    assert_int_equal(recording_visit(recording, count_line, &lines, &failure), 0);
    assert_int_equal(1000000 - lines, recording_facts(recording)->lines);
    lines = 3;
    assert_int_equal(recording_visit(recording, count_line, &lines, &failure), 0);
    assert_int_equal(lines, 0);

    assert_int_equal(truncate(path, (off_t)run.text.length / 2), 0);
    struct played played;
    play_from(recording, &recording_facts(recording)->last, SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_FAILED);
    play_from(recording, &start, SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_FAILED);
    assert_int_equal(played.failure.code, FAILURE_IO);
    assert_non_null(strstr(played.failure.message, "shorter"));
    simulation_state_fini(&played.state);
    lines = 1000000;
    assert_int_equal(recording_visit(recording, count_line, &lines, &failure), -1);
    recording_close(recording);
    (void)unlink(path);
    run_end(&run);
}

static int make_folder(void **state) {
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state) {
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_those_of_the_run),
        cmocka_unit_test(it_plays_from_the_start_and_from_every_checkpoint),
        cmocka_unit_test(late_lines_change_nothing),
        cmocka_unit_test(compressed_recording_plays_from_everywhere),
        cmocka_unit_test(recording_that_is_cut_at_any_byte_plays),
        cmocka_unit_test(compressed_recording_that_is_cut_at_any_byte_plays),
        cmocka_unit_test(a_frame_that_is_damaged_ends_the_recording),
        cmocka_unit_test(a_tick_that_nobody_has_reached_is_refused),
        cmocka_unit_test(recording_with_a_spoiled_byte_is_read),
        cmocka_unit_test(checkpoint_that_cannot_be_read_is_passed_over),
        cmocka_unit_test(journals_are_one_recording),
        cmocka_unit_test(journals_in_another_order_say_what_is_missing),
        cmocka_unit_test(saved_world_and_journal_are_one_recording),
        cmocka_unit_test(recording_that_begins_in_the_middle_is_played_from_its_checkpoint),
        cmocka_unit_test(recording_of_an_older_core_plays_when_nothing_it_uses_changed),
        cmocka_unit_test(what_is_no_recording_is_refused),
        cmocka_unit_test(file_that_changes_while_it_is_read_is_no_crash),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
