/* Damage to what is kept of a world is never taken for another world.
 *
 * A run is written as the server writes it, line by line with sums; what the world was behind each line is noted. Then
 * single bits are flipped, one at a time: each of the last 4 kB of the newest journal, and others anywhere in the folder. What
 * is opened then must play to a moment of the run, with its hash, and:
 *
 *     it is the end of the run, or the facts say which line is damaged;
 *     no line that stands before the damage is left out, and none at all where other files have what is lost.
 *
 * The same is so where the older journal has lost its last lines, which no sum shows.
 *
 * DROVER_SLOW tries all bits; otherwise some of each byte are tried.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/log.h"
#include "server/recording/recording_line.h"
#include "server/sim/math/rng.h"
#include "server/storage/state_directory.h"
#include "tests/property/environment.h"
#include "tests/unit/server/recording/recorded_run.h"
#include "tests/unit/server/storage/storage_support.h"

enum { LINES = 1024, LAST_BYTES = 4096, ELSEWHERE = 2000, CUT = 16, NEWEST_REQUESTS = 48 };

/* The world behind a line of the run. */
struct moment {
    size_t end; /* of the line, in the text of its file */
    uint64_t tick, seq, hash;
};

/* A file of the folder. */
struct kept {
    char name[64];
    struct buffer text;
    struct moment lines[LINES];
    int line_count;
    uint32_t sum;
};

static struct test_folder folder;
static struct kept kept[3]; /* journal 1, checkpoint 2, journal 2 */

/* ---- writing ---- */

/* Moves what the run has written to the file, with sums; its lines are about the world as it is. */
static void keep(struct run *run, struct kept *file) {
    char *next = run->text.data;
    char *end = next + run->text.length;
    while (next < end) {
        const size_t length = (size_t)((char *)memchr(next, '\n', (size_t)(end - next)) - next) + 1;
        line_sum_append(&file->text, next, length, &file->sum);
        assert_true(file->line_count < LINES && !file->text.failed);
        file->lines[file->line_count++] = (struct moment){file->text.length, world_tick(run->state.world),
                                                          run->state.seq, world_hash(run->state.world)};
        next += length;
    }
    buffer_clear(&run->text);
}

static void do_something(struct run *run, int i) {
    char text[160];
    if (i % 3 == 0) {
        (void)snprintf(text, sizeof text, "{\"op\":\"spawn\",\"kind\":\"duck\",\"x\":%d.25,\"y\":20.5}",
                       7 * i);
    } else if (i % 3 == 1) {
        (void)snprintf(text, sizeof text,
                       "{\"op\":\"set_param\",\"kind\":\"duck\",\"param\":\"max_speed\",\"value\":%d.75}",
                       50 + i);
    } else {
        (void)snprintf(text, sizeof text, "{\"op\":\"place\",\"agent\":%d,\"x\":%d,\"y\":33.5}", 1 + i % 5,
                       100 + i);
    }
    assert_true(run_do(run, 3, text));
}

static void write_folder(void) {
    struct run run;
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"journal-000001.drover", "checkpoint-000002.drover",
                                            "journal-000002.drover"};
        kept[i] = (struct kept){.line_count = 0};
        (void)snprintf(kept[i].name, sizeof kept[i].name, "%s", names[i]);
        buffer_init(&kept[i].text, RUN_BYTES);
    }
    run_begin(&run, "lake", run_lake, 1);
    for (int i = 0; i < 20; i++) {
        keep(&run, &kept[0]);
        do_something(&run, i);
        keep(&run, &kept[0]);
        run_ticks(&run, 2);
        run_at(&run);
        if (i % 8 == 7) {
            run_hash(&run);
        }
    }
    keep(&run, &kept[0]);
    const struct checkpoint_rest rest = checkpoint_rest_of(&run.state);
    saved_world_write(run.state.world, &rest, run.state.name, run.state.text, run.state.text_length,
                      &run.text, NULL);
    keep(&run, &kept[1]);
    run.world = 0;
    run_write_drover(&run.text, CORE_NUMBER);
    run_write_begun_world(&run, 0, 0);
    run_at(&run);
    for (int i = 0; i < NEWEST_REQUESTS;
         i++) { /* no hash: nothing but the sums protects what is behind the first ticks */
        keep(&run, &kept[2]);
        do_something(&run, i);
        keep(&run, &kept[2]);
        if (i < 8) {
            run_ticks(&run, 3);
            run_at(&run);
        }
    }
    keep(&run, &kept[2]);
    run_end(&run);
}

static void put_file(const struct kept *file) {
    char path[512], name[96];
    (void)snprintf(name, sizeof name, "state/%s", file->name);
    test_write_file(test_path(&folder, name, path), file->text.data, file->text.length);
}

static int set_up(void **state) {
    char path[512];
    log_set_level(LOG_ERROR);
    folder = test_folder_make();
    assert_int_equal(mkdir(test_path(&folder, "state", path), 0700), 0);
    write_folder();
    for (int i = 0; i < 3; i++) {
        put_file(&kept[i]);
    }
    return 0;
}

static int tear_down(void **state) {
    for (int i = 0; i < 3; i++) {
        buffer_fini(&kept[i].text);
    }
    test_folder_remove(folder.path);
    return 0;
}

/* ---- playing ---- */

static void play(struct recording *recording, struct simulation_state *state) {
    const struct world_overrides overrides = {0};
    struct recording_source source = recording_source(recording, &overrides);
    struct replay *replay = replay_create(&source, &overrides, NULL);
    struct replay_change change;
    struct failure failure = {0};
    enum replay_step step = REPLAY_TICK;
    simulation_state_init(state);
    assert_non_null(replay);
    if (replay_begin(replay, state, &source.last, &failure) != 0) {
        fail_msg("%s", failure.message);
    }
    while ((step = replay_next(replay, state, &change, &failure)) != REPLAY_END) {
        assert_int_not_equal(step, REPLAY_FAILED);
        if (step == REPLAY_TICK) {
            assert_true(world_tick(state->world) < 100000);
            simulation_state_step(state);
            (void)replay_check(replay, state);
        }
    }
    assert_false(replay_divergence(replay)->has_diverged);
    replay_destroy(replay);
}

/* The state that the folder leads to; false: it is refused. */
static bool come_back(struct recording_facts *facts, struct moment *reached) {
    char path[512];
    struct failure failure = {0};
    struct simulation_state state;
    struct state_directory *directory =
        state_directory_open(test_path(&folder, "state", path), false, &failure);
    assert_non_null(directory);
    struct recording *recording = state_directory_read(directory, &failure);
    state_directory_close(directory);
    if (recording == NULL) {
        assert_true(failure.message[0] != '\0');
        return false;
    }
    *facts = *recording_facts(recording);
    play(recording, &state);
    *reached = (struct moment){0, world_tick(state.world), state.seq, world_hash(state.world)};
    simulation_state_fini(&state);
    recording_close(recording);
    return true;
}

static bool is_same(const struct moment *a, const struct moment *b) {
    return a->tick == b->tick && a->seq == b->seq && a->hash == b->hash;
}

static const struct moment *end_of(const struct kept *file) {
    return &file->lines[file->line_count - 1];
}

/* The line, from 0, in which the byte stands. */
static int line_of(const struct kept *file, size_t at) {
    int line = 0;
    while (file->lines[line].end <= at) {
        line++;
    }
    return line;
}

/* ---- flipping ---- */

static void flip(struct kept *file, size_t at, int bit) {
    const struct kept *newest = &kept[2];
    const int line = line_of(file, at);
    struct recording_facts facts;
    struct moment reached;
    /* The newest journal is followed up to the line; the world of the folder does without the other files' lines. */
    const struct moment *wanted = file != newest ? end_of(newest)
                                  : line < 2     ? end_of(&kept[1])
                                                 : &newest->lines[line - 1];
    const bool is_torn = file == newest && at == newest->text.length - 1;
    file->text.data[at] = (char)(file->text.data[at] ^ 1 << bit);
    put_file(file);
    const bool is_read = come_back(&facts, &reached);
    file->text.data[at] = (char)(file->text.data[at] ^ 1 << bit);
    if (!is_read) {
        fail_msg("%s, byte %zu, bit %d: refused", file->name, at, bit);
    }
    if (!is_same(&reached, wanted)) {
        fail_msg("%s, byte %zu, bit %d (line %d): tick %" PRIu64 " and seq %" PRIu64 ", not tick %" PRIu64
                 " and seq %" PRIu64,
                 file->name, at, bit, line + 1, reached.tick, reached.seq, wanted->tick, wanted->seq);
    }
    const bool is_said =
        facts.damage.is_end && (facts.damage.line == (uint64_t)line + 1 ||
                                (line == 0 && facts.damage.line == 2 /* its sum is not one any more */));
    if (file == newest && !is_torn && !is_said) {
        fail_msg("%s, byte %zu, bit %d: line %d is damaged, and nothing says so", file->name, at, bit,
                 line + 1);
    }
}

static void the_folder_is_followed_to_its_end(void **state) {
    struct recording_facts facts;
    struct moment reached;
    assert_true(kept[2].text.length > LAST_BYTES + 100);
    assert_true(come_back(&facts, &reached));
    assert_true(is_same(&reached, end_of(&kept[2])));
    assert_false(facts.damage.is_there);
    assert_int_equal(facts.files_without_sums, 0);
}

static void each_bit_of_the_last_4_kb(void **state) {
    struct kept *newest = &kept[2];
    for (size_t at = newest->text.length - LAST_BYTES; at < newest->text.length; at++) {
        for (int bit = 0; bit < 8; bit++) {
            const bool is_some = at % 8 == 0 && at / 8 % 8 == (size_t)bit;
            if (is_slow() || is_some || newest->text.data[at] == '\n') {
                flip(newest, at, bit);
            }
        }
    }
    put_file(newest);
}

static void bits_anywhere(void **state) {
    const uint64_t seed = environment("DROVER_PROPERTY_SEED", 1);
    for (int i = 0; i < (is_slow() ? ELSEWHERE : ELSEWHERE / CUT); i++) {
        const uint64_t dice = rng_mix(seed << 32 | (uint64_t)i);
        struct kept *file = &kept[dice % 3];
        flip(file, (size_t)(dice >> 8) % file->text.length, (int)(dice >> 60) % 8);
        put_file(file);
    }
}

/* The newer journal says from which request it goes on: where the older one does not lead to it, it cannot be used. */
static void an_older_journal_without_its_last_lines(void **state) {
    char path[512], name[96];
    const struct kept *older = &kept[0];
    (void)snprintf(name, sizeof name, "state/%s", kept[1].name);
    assert_int_equal(unlink(test_path(&folder, name, path)), 0); /* a checkpoint would do without them */
    for (int lines = 2; lines <= older->line_count; lines++) {
        struct kept some = *older;
        struct recording_facts facts;
        struct moment reached;
        some.text.length = older->lines[lines - 1].end;
        put_file(&some);
        const bool is_whole = older->lines[lines - 1].seq == end_of(older)->seq;
        assert_true(come_back(&facts, &reached));
        if (!is_same(&reached, is_whole ? end_of(&kept[2]) : &older->lines[lines - 1]) ||
            facts.damage.is_end != !is_whole) {
            fail_msg("%d of %d lines: tick %" PRIu64 " and seq %" PRIu64, lines, older->line_count,
                     reached.tick, reached.seq);
        }
    }
    put_file(older);
    put_file(&kept[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_folder_is_followed_to_its_end),
        cmocka_unit_test(each_bit_of_the_last_4_kb),
        cmocka_unit_test(bits_anywhere),
        cmocka_unit_test(an_older_journal_without_its_last_lines),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
