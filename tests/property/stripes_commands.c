/* Commands to a world that ranks share have the replies of one process, and so has every tick after them: its hash and its
 * events.
 *
 * Random worlds run in one process, with random requests between ticks; then on fake ranks with random borders, as
 * copies and in stripes, which apply the same requests. Ranks begin with clones of a whole world, or create theirs
 * together, none of them ever having all of it. What comes of a run is written down as text, and compared line by line.
 *
 * Where DROVER_SLOW is set there are more worlds and ticks. DROVER_PROPERTY_SEED and DROVER_PROPERTY_WORLDS repeat or
 * lengthen the test, DROVER_RANKS=N tries that many ranks alone.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request.h"
#include "server/commands/command_apply.h"
#include "server/sim/world/world_stripes.h"
#include "tests/property/environment.h"
#include "tests/property/other_ways.h"
#include "tests/support/fake_ranks.h"
/* Both have agents to choose from. */
#define some_agent lively_agent
#include "tests/property/lively_world.h"
#undef some_agent
#include "tests/property/random_request.h"
#include "tests/support/request_decode.h"

enum {
    WORLDS = 300, /* of the full run */
    SLOW_WORLDS = 50,
    CUT_WORLDS = 24,
    TICKS = 60,
    CUT_TICKS = 24,
    LINES_MAX = 3, /* requests between two ticks */
    RANKS_MAX = 5,
    TEXT = 320,
    LINE = 2 * TEXT + 64,
};

/* ---- random requests ---- */

static void write_drive(const struct world *world, char *text) {
    (void)snprintf(text, TEXT, "{\"op\":\"drive\",\"kind\":\"%s\",\"vx\":%d,\"vy\":%d}", some_kind(world),
                   below(100), below(100) - 50);
}

static void write_own_radius(const struct world *world, char *text) {
    (void)snprintf(text, TEXT, "{\"op\":\"set_param\",\"agent\":%" PRIu32 ",\"param\":\"%s\",\"value\":%d}",
                   some_agent(world), below(2) ? "radius" : "max_speed", 1 + below(30));
}

static void write_target(char *text) {
    const char *op = below(2) ? "add_target\",\"x\":5,\"y\":7" : "remove_target\"";
    (void)snprintf(text, TEXT, "{\"op\":\"%s,\"name\":\"new%d\"}", op, below(4));
}

static void write_anything(const struct world *world, char *text) {
    const struct place at = some_place(world);
    switch (below(12)) {
    case 0:
        write_drive(world, text);
        break;
    case 1:
        write_own_radius(world, text);
        break;
    case 2:
        write_target(text);
        break;
    case 3:
        (void)snprintf(text, TEXT, "{\"op\":\"spawn\",\"kind\":\"%s\",\"count\":%d}", some_kind(world),
                       1 + below(60));
        break;
    case 4:
        (void)snprintf(text, TEXT, "{\"op\":\"add_obstacle\",\"circle\":[%.3f,%.3f,%d]}", at.x, at.y,
                       5 + below(80));
        break;
    case 5:
        (void)snprintf(text, TEXT,
                       "{\"op\":\"place\",\"agent\":%" PRIu32 ",\"x\":%.3f,\"y\":%.3f,\"vx\":9,\"vy\":-4}",
                       some_agent(world), at.x, at.y);
        break;
    case 6:
        if (below(4) == 0) {
            (void)snprintf(text, TEXT, "{\"op\":\"remove\",\"kind\":\"%s\"}", some_kind(world));
            break;
        }
        write_change(world, text, TEXT);
        break;
    default:
        write_change(world, text, TEXT);
    }
}

/* One or two of them together. */
static void write_line(const struct world *world, char *text) {
    if (below(6) == 0) {
        char first[TEXT], second[TEXT];
        write_change(world, first, TEXT);
        write_change(world, second, TEXT);
        (void)snprintf(text, LINE, "{\"op\":\"batch\",\"requests\":[%s,%s]}", first, second);
    } else {
        write_anything(world, text);
    }
}

/* ---- a run, as text ---- */

struct trial {
    struct world_def def;
    int ticks;
    int line_count[TICKS];
    char lines[TICKS][LINES_MAX][LINE];
    struct buffer expected; /* of one process */
    /* Of ranks. */
    bool is_created_together;
    enum simd simd[RANKS_MAX];
    pthread_mutex_t lock;
    int wrong_rank;      /* -1: none */
    char wrong[3][TEXT]; /* the line of one process, that of the rank, the last request before it */
};

static void must(bool is_so, const char *what) {
    if (!is_so) {
        (void)fprintf(stderr, "%s\n", what); /* an assertion of the test framework is for one thread */
        abort();
    }
}

static void apply_line(struct simulation_state *state, const char *line, struct buffer *out) {
    char text[LINE + 16];
    struct request request;
    struct failure failure;
    (void)snprintf(text, sizeof text, "{\"id\":1,%s", line + 1);
    buffer_append_text(out, "> ");
    buffer_append_text(out, text);
    buffer_append_text(out, "\n");
    if (request_decode(text, strlen(text), &request, &failure) != 0) {
        buffer_append_text(out, "unreadable\n");
        return;
    }
    (void)command_apply(state, &request, 1, out);
    request_fini(&request);
}

static void write_events(const struct world *world, struct buffer *out) {
    const struct world_note *notes;
    uint32_t left_out;
    char text[TEXT];
    const int count = world_notes(world, &notes, &left_out);
    for (int i = 0; i < count; i++) {
        (void)snprintf(text, sizeof text, "event %d of %" PRIu32 ", %" PRIu32 ", %d, %a, %a\n",
                       (int)notes[i].type, notes[i].agent, notes[i].quarry, notes[i].target,
                       (double)notes[i].at.x, (double)notes[i].at.y);
        buffer_append_text(out, text);
    }
    (void)snprintf(text, sizeof text, "%" PRIu32 " left out\n", left_out);
    buffer_append_text(out, text);
    for (int k = 0; k < world_kind_count(world); k++) {
        const struct world_tally tally = world_tally_of(world, k);
        (void)snprintf(text, sizeof text, "%d: %" PRIu32 " %" PRIu32 "\n", world_kind_population(world, k),
                       tally.reached, tally.caught);
        buffer_append_text(out, text);
    }
}

static void write_hash(const struct world *world, struct buffer *out) {
    char text[TEXT];
    (void)snprintf(text, sizeof text, "tick %" PRIu64 " hash %016" PRIx64 "\n", world_tick(world),
                   world_hash(world));
    buffer_append_text(out, text);
}

/* One process thinks of the requests, ranks repeat them. */
static void run(struct trial *trial, struct world *world, bool is_first, struct buffer *out) {
    struct simulation_state state;
    simulation_state_init(&state);
    state.world = world;
    state.exchange = world_exchange(world);
    event_log_init(&state.log, world);
    state.session = 1;
    write_hash(world, out);
    for (int tick = 0; tick < trial->ticks; tick++) {
        if (is_first) {
            trial->line_count[tick] = below(2) ? below(LINES_MAX + 1) : 0;
        }
        for (int i = 0; i < trial->line_count[tick]; i++) {
            if (is_first) {
                write_line(state.world, trial->lines[tick][i]);
            }
            apply_line(&state, trial->lines[tick][i], out);
            write_hash(state.world, out);
        }
        simulation_state_step(&state);
        state.log.count = 0;
        write_events(state.world, out);
        write_hash(state.world, out);
    }
    must(!out->failed, "there is no memory for the test");
    simulation_state_fini(&state);
}

/* ---- ranks ---- */

/* The last request before byte `at`; 0: there is none. */
static size_t request_before(const struct buffer *text, size_t at) {
    while (at > 0 && !(text->data[at] == '>' && text->data[at - 1] == '\n')) {
        at--;
    }
    return at;
}

/* The beginning of the line in which byte `at` is. */
static void copy_line(const struct buffer *text, size_t at, char out[TEXT]) {
    size_t length = 0;
    while (at > 0 && text->data[at - 1] != '\n') {
        at--;
    }
    while (length + 1 < TEXT && at + length < text->length && text->data[at + length] != '\n') {
        out[length] = text->data[at + length];
        length++;
    }
    out[length] = '\0';
}

static void compare(struct trial *trial, int rank, const struct buffer *found) {
    const struct buffer *expected = &trial->expected;
    const size_t length = found->length < expected->length ? found->length : expected->length;
    size_t at = 0;
    while (at < length && found->data[at] == expected->data[at]) {
        at++;
    }
    if (at == found->length && at == expected->length) {
        return;
    }
    pthread_mutex_lock(&trial->lock);
    if (trial->wrong_rank < 0) {
        trial->wrong_rank = rank;
        copy_line(expected, at, trial->wrong[0]);
        copy_line(found, at, trial->wrong[1]);
        copy_line(expected, request_before(expected, at), trial->wrong[2]);
    }
    pthread_mutex_unlock(&trial->lock);
}

static struct world *world_of_rank(const struct trial *trial, const struct exchange *exchange) {
    struct world_def def = trial->def;
    struct world *world = NULL;
    def.exchange = trial->is_created_together ? exchange : NULL;
    must(world_create(&def, &world, NULL) == WORLD_OK, "a rank cannot create its world");
    must(trial->is_created_together || world_join(world, exchange) == 0, "a rank cannot join");
    world_set_simd(world, trial->simd[exchange->rank]);
    return world;
}

static void run_rank(const struct exchange *exchange, void *context) {
    struct trial *trial = context;
    struct buffer out;
    buffer_init(&out, (size_t)1 << 26);
    run(trial, world_of_rank(trial, exchange), false, &out);
    compare(trial, exchange->rank, &out);
    buffer_fini(&out);
}

static int try_ranks(struct trial *trial, int world, enum exchange_mode mode) {
    const int only = (int)environment("DROVER_RANKS", 0), ranks = only > 0 ? only : 2 + below(RANKS_MAX - 1);
    struct fake_ranks *fake = fake_ranks_new(ranks, mode, rng_next(&dice));
    trial->is_created_together = mode == EXCHANGE_STRIPES && below(2);
    trial->wrong_rank = -1;
    for (int r = 0; r < RANKS_MAX; r++) {
        trial->simd[r] = some_width();
    }
    fake_ranks_run(fake, run_rank, trial);
    fake_ranks_destroy(fake);
    if (trial->wrong_rank >= 0) {
        print_message("world %d, %s, %d ranks%s: rank %d has\n  %s\none process\n  %s\nafter\n  %s\n", world,
                      mode == EXCHANGE_COPY ? "copy" : "stripes", ranks,
                      trial->is_created_together ? ", created together" : "", trial->wrong_rank,
                      trial->wrong[1], trial->wrong[0], trial->wrong[2]);
    }
    return trial->wrong_rank >= 0;
}

static int try_def(struct trial *trial, int index) {
    char text[STRIPES_REFUSAL];
    struct world *world = NULL;
    assert_int_equal(world_create(&trial->def, &world, NULL), WORLD_OK);
    if (world_stripes_refusal(world, RANKS_MAX, text, sizeof text) != NULL) {
        fail_msg("world %d is refused: %s", index, text);
    }
    buffer_init(&trial->expected, (size_t)1 << 26);
    run(trial, world, true, &trial->expected);
    const int failures = try_ranks(trial, index, EXCHANGE_COPY) + try_ranks(trial, index, EXCHANGE_STRIPES);
    buffer_fini(&trial->expected);
    world_def_fini(&trial->def);
    return failures;
}

static int try_world(struct trial *trial, int index, uint64_t seed) {
    dice = rng_begin(seed, (uint64_t)index, 0, 0);
    trial->def = lively_def();
    return try_def(trial, index);
}

/* Prey that is too many to be known: hunters look for it within a distance, and it flees from the nearest hunter,
 * wherever that is. */
static struct world_def hunt_def(void) {
    struct world_def def = world_def_default();
    def.size = vec2_make(4000.0f, 3000.0f);
    def.edge = below(2) ? EDGE_WRAP : EDGE_BOUNCE;
    const enum behavior_type types[] = {BEHAVIOR_PURSUE, BEHAVIOR_EVADE};
    const char *const names[] = {"hunter", "prey"};
    for (int k = 0; k < 2; k++) {
        struct kind_def *kind = world_def_add_kind(&def, names[k]);
        struct placement_def *placement = world_def_add_placement(&def, names[k]);
        assert_true(kind != NULL && placement != NULL);
        placement->shape = PLACE_RECT;
        placement->size = def.size;
        placement->count = k == 0 ? 40 : STRIPES_KNOWN_MAX + 500;
        struct state_def *state = &kind->states[0];
        state->behavior_count = 2;
        state->behaviors[0] = behavior_def_default(types[k]);
        copy_text(state->behaviors[0].target.kind, names[1 - k]);
        state->behaviors[0].target.within = k == 0 ? any(10.0f, 120.0f) : 0.0f;
        state->behaviors[1] = behavior_def_default(BEHAVIOR_SEPARATION);
    }
    return def;
}

static void ranks_hunt_as_one_process_does(void **state) {
    const bool is_slow = getenv("DROVER_SLOW") != NULL;
    struct trial *trial = calloc(1, sizeof *trial);
    assert_non_null(trial);
    trial->ticks = is_slow ? TICKS : 6;
    assert_int_equal(pthread_mutex_init(&trial->lock, NULL), 0);
    dice = rng_begin(environment("DROVER_PROPERTY_SEED", 1), 0, 1, 0);
    int failures = 0;
    for (int i = 0; i < (is_slow ? 20 : 2); i++) {
        trial->def = hunt_def();
        failures += try_def(trial, i);
    }
    pthread_mutex_destroy(&trial->lock);
    free(trial);
    assert_int_equal(failures, 0);
}

static void ranks_answer_as_one_process_does(void **state) {
    const uint64_t seed = environment("DROVER_PROPERTY_SEED", 1);
    const int worlds = (int)environment("DROVER_PROPERTY_WORLDS", !is_slow()  ? CUT_WORLDS
                                                                  : is_full() ? WORLDS
                                                                              : SLOW_WORLDS);
    struct trial *trial = calloc(1, sizeof *trial);
    assert_non_null(trial);
    trial->ticks = is_slow() ? TICKS : CUT_TICKS;
    assert_int_equal(pthread_mutex_init(&trial->lock, NULL), 0);
    int failures = 0;
    for (int i = (int)environment("DROVER_PROPERTY_FIRST", 0); i < worlds; i++) {
        failures += try_world(trial, i, seed);
    }
    pthread_mutex_destroy(&trial->lock);
    free(trial);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_answer_as_one_process_does),
                                       cmocka_unit_test(ranks_hunt_as_one_process_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
