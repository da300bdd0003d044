/* What clients see of a world that ranks share has the bytes that one process gives them: frames of every layout,
 * of regions and kinds, with forces and without, and the replies to requests that ask for agents or move them.
 *
 * Each scenario that stripes accept runs on fake ranks with random borders, and beside it in one process; some run as copies
 * as well. At the end agents are removed until some ranks, then all, have none, and come again one by one: requests of all
 * ops have the same replies, and a save of the world is the same text.
 *
 * DROVER_RANKS_SCENARIO=NAME tries one scenario; DROVER_PROPERTY_SEED repeats or varies borders, views and requests.
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/snapshot/frame_layout.h"
#include "server/commands/command_apply.h"
#include "server/commands/simulation_state.h"
#include "server/frames/frame_form.h"
#include "server/frames/world_snapshot.h"
#include "server/recording/checkpoint.h"
#include "server/sim/world/world_internal.h"
#include "server/sim/world/world_stripes.h"
#include "tests/property/each_scenario.h"
#include "tests/property/environment.h"
#include "tests/property/named_scenario.h"
#include "tests/property/odd_request.h"
#include "tests/support/fake_orders.h"
#include "tests/support/fake_ranks.h"
#include "tests/support/request_decode.h"

enum {
    RANKS = 4,
    ROUNDS = 4,
    VIEWS = 7,
    TEXT_BYTES = 1 << 24,
    MOST_AGENTS = 1500,
    FEW_ROUNDS = 6,
    FEW_REQUESTS = 5,
    EACH_TIMES = 2
};

/* One of the two that must not differ. */
struct side {
    struct simulation_state state;
    struct snapshot *snapshot;
    struct snapshot_extract *extract;
    struct frame_form *forms[VIEWS];
    struct frame_scratch scratch;
    struct buffer answer;
    struct snapshot_gatherer *gatherer; /* one process that does not copy its world out whole; or NULL */
};

/* What all ranks of a trial know. */
struct trial {
    const char *name;
    const struct scenario *scenario;
    int failures;
};

static void begin(struct side *side, const struct scenario *scenario, const struct exchange *exchange) {
    const struct world_overrides overrides = {.has_simd = true, .simd = SIMD_PLAIN};
    struct built_world built;
    struct failure failure;
    simulation_state_init(&side->state);
    side->state.exchange = exchange;
    assert_int_equal(built_world_make(scenario, &overrides, NULL, NULL, &built, &failure), 0);
    simulation_state_change(&side->state, &built);
    built_world_fini(&built);
    side->state.is_paused = true;
    side->snapshot = snapshot_create();
    side->extract = snapshot_extract_create();
    frame_scratch_init(&side->scratch, (size_t)1 << 30);
    buffer_init(&side->answer, TEXT_BYTES);
    assert_true(side->snapshot != NULL && side->extract != NULL);
}

static void end(struct side *side) {
    for (int i = 0; i < VIEWS; i++) {
        frame_form_destroy(side->forms[i], &side->scratch);
    }
    snapshot_destroy(side->snapshot);
    snapshot_extract_destroy(side->extract);
    snapshot_gatherer_destroy(side->gatherer);
    frame_scratch_fini(&side->scratch);
    buffer_fini(&side->answer);
    simulation_state_fini(&side->state);
}

/* ---- frames ---- */

/* Whole worlds, regions across the edges, kinds, each in every layout. */
static struct snapshot_view some_view(const struct world *world, int index) {
    static const unsigned fields[] = {SNAPSHOT_USUAL,
                                      SNAPSHOT_USUAL | SNAPSHOT_STAMINA | SNAPSHOT_FORCES | SNAPSHOT_PARTS,
                                      SNAPSHOT_POS | SNAPSHOT_FORCE | SNAPSHOT_DESIRED};
    const vec2 size = world_size(world);
    struct snapshot_view view = {.layout = index % 3, .has_region = index >= 3};
    const struct frame_layout *layout = frame_layout_row(view.layout);
    view.fields = fields[below(3)] & layout->fields;
    if (view.has_region) {
        view.region[0] = any(-0.3f * size.x, size.x);
        view.region[1] = any(-0.3f * size.y, size.y);
        view.region[2] = any(0.0f, 0.8f * size.x);
        view.region[3] = any(0.0f, 0.8f * size.y);
    }
    if (below(3) == 0) {
        snprintf(view.kinds, sizeof view.kinds, "%s",
                 world_kind(world, below(world_kind_count(world)))->name);
    }
    if (layout->fields != 0 && below(2) == 0) {
        view.most = 1 + (uint32_t)below(400);
    }
    if (layout->takes_grid) {
        view.grid[0] = (float)(1 + below(20));
        view.grid[1] = (float)(1 + below(20));
    }
    return view;
}

static void make_forms(struct side *side, const struct snapshot_view views[VIEWS]) {
    const struct frame_estimate estimate = {.frame = 1024};
    for (int i = 0; i < VIEWS; i++) {
        frame_form_destroy(side->forms[i], &side->scratch);
        side->forms[i] = frame_form_create(&views[i], &estimate);
        assert_non_null(side->forms[i]);
    }
}

static void make_frames(struct side *side, bool is_partial) {
    side->snapshot->epoch = side->state.epoch;
    side->snapshot->clock_ms = (double)side->snapshot->tick;
    side->scratch.extract = is_partial ? side->extract : NULL;
    for (int i = 0; i < VIEWS; i++) {
        frame_form_clear(side->forms[i]);
        assert_true(snapshot_extract_shows(side->scratch.extract, &side->forms[i]->view));
        assert_true(frame_form_make(side->forms[i], side->snapshot, &side->scratch));
    }
}

static bool is_same(const struct shared_bytes *a, const struct shared_bytes *b) {
    return a == b ||
           (a != NULL && b != NULL && a->length == b->length && memcmp(a->data, b->data, a->length) == 0);
}

static void compare_frames(struct trial *trial, struct side *ranks, struct side *one) {
    struct snapshot_demand *demand = calloc(1, sizeof *demand);
    const unsigned all = SNAPSHOT_HEADING | SNAPSHOT_FORCES | SNAPSHOT_PARTS;
    assert_non_null(demand);
    for (int i = 0; i < VIEWS; i++) {
        snapshot_demand_add(demand, &ranks->forms[i]->view);
    }
    demand->fields = all;
    const bool is_partial = world_is_partial(ranks->state.world);
    if (is_partial) {
        assert_int_equal(state_gather_views(&ranks->state, demand, ranks->snapshot, ranks->extract), 0);
    } else {
        assert_int_equal(world_snapshot_copy_wanted(ranks->state.world, all, NULL, ranks->snapshot), 0);
    }
    if (one->gatherer != NULL) {
        assert_int_equal(
            snapshot_gather(one->gatherer, one->state.world, 0, demand, one->snapshot, one->extract), 0);
    } else {
        assert_int_equal(world_snapshot_copy_wanted(one->state.world, all, NULL, one->snapshot), 0);
    }
    make_frames(ranks, is_partial);
    make_frames(one, one->gatherer != NULL);
    for (int i = 0; i < VIEWS; i++) {
        if (!is_same(ranks->forms[i]->frame, one->forms[i]->frame) ||
            !is_same(ranks->forms[i]->key, one->forms[i]->key)) {
            printf("%s: tick %" PRIu64 ": view %d (%s) differs\n", trial->name, ranks->snapshot->tick, i,
                   frame_layout_names[ranks->forms[i]->view.layout]);
            trial->failures++;
        }
    }
    free(demand);
}

/* ---- requests ---- */

static void apply(struct side *side, const struct request *request) {
    buffer_clear(&side->answer);
    const struct command_effects effects = command_apply(&side->state, request, 1, &side->answer);
    if (effects.step_ticks == 0) {
        return;
    }
    struct command_until until = {0};
    const char *met = NULL;
    uint32_t left = effects.step_ticks;
    while (left > 0 && met == NULL) {
        simulation_state_step(&side->state);
        met = command_until_met(&until, &request->body.step, &side->state);
        left--;
    }
    command_finish_step(&side->state, request, left > 0, met, &side->answer);
}

static void compare_request(struct trial *trial, struct side *ranks, struct side *one, const char *line) {
    struct request request;
    struct failure failure;
    assert_int_equal(request_decode(line, strlen(line), &request, &failure), 0);
    apply(ranks, &request);
    apply(one, &request);
    request_fini(&request);
    if (ranks->answer.length != one->answer.length ||
        memcmp(ranks->answer.data, one->answer.data, one->answer.length) != 0) {
        printf("%s: %s\n  one process: %.600s  ranks:       %.600s", trial->name, line, one->answer.data,
               ranks->answer.data);
        trial->failures++;
    }
}

/* An id that may be nobody's. */
static uint32_t some_id(const struct world *world) {
    const int32_t count = world_agent_count(world);
    return count == 0 ? 1 : world->id[below(count)] + (below(9) == 0 ? 1000000u : 0u);
}

static void compare_requests(struct trial *trial, struct side *ranks, struct side *one) {
    const struct world *world = one->state.world;
    const vec2 size = world_size(world);
    const struct kind_def *kind = world_kind(world, below(world_kind_count(world)));
    const char *state = kind->states[below(kind->state_count)].name;
    char line[1024];
    int length =
        snprintf(line, sizeof line, "{\"op\":\"inspect\",\"id\":1,\"agents\":[%" PRIu32, some_id(world));
    for (int i = 0; i < 8; i++) {
        length += snprintf(line + length, sizeof line - (size_t)length, ",%" PRIu32, some_id(world));
    }
    snprintf(line + length, sizeof line - (size_t)length, "]}");
    compare_request(trial, ranks, one, line);
    snprintf(line, sizeof line,
             "{\"op\":\"get\",\"id\":2,\"layout\":\"%s\",\"region\":[%.2f,%.2f,%.2f,%.2f]%s}",
             below(2) ? "packed" : "objects", (double)any(0.0f, size.x), (double)any(0.0f, size.y),
             (double)any(0.0f, size.x), (double)any(0.0f, size.y),
             below(2) ? ",\"fields\":[\"pos\",\"force\",\"stamina\"]" : "");
    compare_request(trial, ranks, one, line);
    snprintf(line, sizeof line, "{\"op\":\"get\",\"id\":3,\"agents\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]}",
             some_id(world), some_id(world), some_id(world));
    compare_request(trial, ranks, one, line);
    snprintf(line, sizeof line,
             "{\"op\":\"place\",\"id\":4,\"agent\":%" PRIu32 ",\"x\":%.2f,\"y\":%.2f,\"vx\":3,\"vy\":1}",
             some_id(world), (double)any(0.0f, size.x), (double)any(0.0f, size.y));
    compare_request(trial, ranks, one, line);
    snprintf(line, sizeof line,
             "{\"op\":\"step\",\"id\":5,\"count\":9,\"return\":\"%s\",\"until\":{\"state\":{\"kind\":\"%s\","
             "\"name\":\"%s\",\"count\":%d}}}",
             below(2) ? "packed" : "objects", kind->name, state, 1 + below(20));
    compare_request(trial, ranks, one, line);
    compare_request(trial, ranks, one, "{\"op\":\"list\",\"id\":6,\"what\":\"kinds\"}");
    compare_request(trial, ranks, one, "{\"op\":\"measure\",\"id\":7}");
}

/* ---- saves ---- */

/* As the server saves a world of ranks: into one that never had an agent. */
static void save(const struct simulation_state *state, struct buffer *out) {
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    const struct world_room none = {0};
    struct world *whole = world_is_partial(state->world) ? world_new_room(&none) : NULL;
    uint64_t hash;
    assert_true(whole == NULL || state_gather_world(state, whole) == 0);
    buffer_init(out, TEXT_BYTES);
    saved_world_write(whole != NULL ? whole : state->world, &rest, state->name, state->text,
                      state->text_length, out, &hash);
    world_destroy(whole);
    assert_false(out->failed);
}

static void compare_saves(struct trial *trial, struct side *ranks, struct side *one) {
    struct buffer of_ranks, of_one;
    save(&ranks->state, &of_ranks);
    save(&one->state, &of_one);
    if (of_ranks.length != of_one.length || memcmp(of_ranks.data, of_one.data, of_one.length) != 0) {
        printf("%s: the save of %d agents differs\n", trial->name, (int)world_agent_count(one->state.world));
        trial->failures++;
    }
    buffer_fini(&of_ranks);
    buffer_fini(&of_one);
}

/* ---- few agents, or none ---- */

static void compare_hashes(struct trial *trial, const struct side *ranks, const struct side *one,
                           const char *what) {
    if (simulation_state_hash(&ranks->state) != simulation_state_hash(&one->state)) {
        printf("%s: another hash after %s\n", trial->name, what);
        trial->failures++;
    }
}

/* What the server refuses in stripes: a spawn with spacing, as a rank does not see all bodies, and an edit. */
static bool is_refused_in_stripes(const char *line) {
    cJSON *json = cJSON_Parse(line); /* names may be written with escapes */
    char *plain = cJSON_PrintUnformatted(json);
    const bool result =
        plain != NULL && (strstr(plain, "\"spacing\"") != NULL || strstr(plain, "\"op\":\"edit\"") != NULL);
    cJSON_free(plain);
    cJSON_Delete(json);
    return result;
}

static void compare_odd_request(struct trial *trial, struct side *ranks, struct side *one,
                                enum request_op op) {
    struct buffer line;
    buffer_init(&line, ODD_BYTES);
    put_odd_request(one->state.world, op, &line);
    line.data[line.length - 1] = '\0'; /* its last brace */
    struct buffer asked;
    buffer_init(&asked, ODD_BYTES);
    buffer_append_text(&asked, line.data);
    buffer_append_text(&asked, ",\"id\":7}");
    buffer_append(&asked, "", 1);
    if (!world_is_partial(ranks->state.world) || !is_refused_in_stripes(asked.data)) {
        compare_request(trial, ranks, one, asked.data);
        compare_hashes(trial, ranks, one, asked.data);
    }
    buffer_fini(&line);
    buffer_fini(&asked);
}

/* Every kind goes, the last one at once or agent by agent. */
static void remove_all(struct trial *trial, struct side *ranks, struct side *one) {
    const struct world *world = one->state.world;
    char line[256];
    for (int kind = 0; kind < world_kind_count(world); kind++) {
        snprintf(line, sizeof line, "{\"op\":\"remove\",\"id\":8,\"kind\":\"%s\"}",
                 world_kind(world, kind)->name);
        compare_request(trial, ranks, one, line);
    }
    assert_int_equal(world_agent_count(world), 0);
}

static void spawn_one(struct trial *trial, struct side *ranks, struct side *one) {
    char line[256];
    snprintf(line, sizeof line, "{\"op\":\"spawn\",\"id\":9,\"kind\":\"%s\"}",
             world_kind(one->state.world, 0)->name);
    compare_request(trial, ranks, one, line);
}

/* Questions and requests of every op that the world answers itself, each to a world of no agent or one. What the server does
 * with it (save, load, record, seek, speed) is tried by tests/cluster. */
static void compare_each_op(struct trial *trial, struct side *ranks, struct side *one, bool has_agent) {
    static const char *const questions[] = {
        "{\"op\":\"get_params\",\"id\":10}",
        "{\"op\":\"list\",\"id\":10,\"what\":\"targets\"}",
        "{\"op\":\"list\",\"id\":10,\"what\":\"behaviors\"}",
        "{\"op\":\"get\",\"id\":10,\"layout\":\"packed\"}",
        "{\"op\":\"pause\",\"id\":10}",
        "{\"op\":\"step\",\"id\":10,\"count\":2}",
    };
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        for (int i = 0; state_ranks_share((enum request_op)op) && i < EACH_TIMES; i++) {
            remove_all(trial, ranks, one);
            if (has_agent) {
                spawn_one(trial, ranks, one);
            }
            compare_odd_request(trial, ranks, one, (enum request_op)op);
        }
    }
    remove_all(trial, ranks, one);
    if (has_agent) {
        spawn_one(trial, ranks, one);
    }
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        compare_request(trial, ranks, one, questions[i]);
        compare_hashes(trial, ranks, one, questions[i]);
    }
}

static enum request_op some_shared_op(void) {
    enum request_op op = (enum request_op)below(REQUEST_OP_COUNT);
    while (!state_ranks_share(op)) {
        op = (enum request_op)below(REQUEST_OP_COUNT);
    }
    return op;
}

static void compare_few(struct trial *trial, struct side *ranks, struct side *one) {
    for (int agents = 0; agents < FEW_ROUNDS; agents++) {
        if (agents < 2) { /* none, one; then what the requests leave */
            compare_each_op(trial, ranks, one, agents == 1);
            remove_all(trial, ranks, one);
        }
        if (agents > 0) {
            spawn_one(trial, ranks, one);
        }
        compare_saves(trial, ranks, one);
        compare_frames(trial, ranks, one);
        compare_requests(trial, ranks, one);
        for (int i = 0; i < FEW_REQUESTS && world_agent_count(one->state.world) <= MOST_AGENTS; i++) {
            compare_odd_request(trial, ranks, one, some_shared_op());
        }
        compare_saves(trial, ranks, one);
    }
    remove_all(trial, ranks, one);
    compare_saves(trial, ranks, one);
}

/* ---- ranks ---- */

static void lead(struct trial *trial, struct side *ranks) {
    struct side *one = calloc(1, sizeof *one);
    struct fake_orders orders;
    assert_non_null(one);
    begin(one, trial->scenario, NULL);
    if (below(2) == 0) {
        one->gatherer = snapshot_gatherer_create(1);
        assert_non_null(one->gatherer);
    }
    fake_orders_init(&orders, ranks->state.exchange);
    ranks->state.ranks = &orders.ranks;
    for (int round = 0; round < ROUNDS; round++) {
        struct snapshot_view views[VIEWS];
        for (int i = 0; i < VIEWS; i++) {
            views[i] = some_view(one->state.world, i);
        }
        if (round % 2 == 0) { /* otherwise keys stay */
            make_forms(ranks, views);
            make_forms(one, views);
        }
        for (int tick = 0; tick < 5; tick++) {
            simulation_state_step(&ranks->state);
            simulation_state_step(&one->state);
        }
        compare_frames(trial, ranks, one);
        compare_requests(trial, ranks, one);
    }
    compare_saves(trial, ranks, one);
    compare_few(trial, ranks, one);
    fake_orders_end(&orders);
    ranks->state.ranks = NULL;
    end(one);
    free(one);
}

static void run_rank(const struct exchange *exchange, void *context) {
    struct trial *trial = context;
    struct side *side = calloc(1, sizeof *side);
    assert_non_null(side);
    begin(side, trial->scenario, exchange);
    if (exchange->rank == 0) {
        lead(trial, side);
    } else {
        fake_orders_follow(&side->state);
    }
    end(side);
    free(side);
}

static int tried[2]; /* by mode */

static bool is_tried(const struct scenario *scenario, enum exchange_mode mode, int ranks) {
    struct world *world = NULL;
    char text[STRIPES_REFUSAL];
    assert_int_equal(world_create(&scenario->def, &world, NULL), WORLD_OK);
    const bool is_accepted =
        world_agent_count(world) <= MOST_AGENTS &&
        (mode == EXCHANGE_COPY || world_stripes_refusal(world, ranks, text, sizeof text) == NULL);
    world_destroy(world);
    return is_accepted;
}

static int failures_with(struct trial *trial, enum exchange_mode mode) {
    const int ranks = 2 + below(RANKS - 1), before = trial->failures;
    if (!is_tried(trial->scenario, mode, ranks)) {
        return 0;
    }
    struct fake_ranks *fake = fake_ranks_new(ranks, mode, 1 + (uint64_t)below(1000000));
    fake_ranks_run(fake, run_rank, trial);
    fake_ranks_destroy(fake);
    tried[mode]++;
    return trial->failures - before;
}

static int failures_of(const char *name) {
    struct scenario scenario;
    struct trial trial = {.name = name, .scenario = &scenario};
    scenario_named(name, &scenario);
    const int failures =
        failures_with(&trial, EXCHANGE_STRIPES) + (below(4) == 0 ? failures_with(&trial, EXCHANGE_COPY) : 0);
    scenario_fini(&scenario);
    return failures;
}

static void ranks_are_seen_as_one_process(void **unused) {
    dice = rng_begin(environment("DROVER_PROPERTY_SEED", 1), 0, 0, RNG_SPAWN_PLACE);
    assert_int_equal(each_scenario(getenv("DROVER_RANKS_SCENARIO"), failures_of), 0);
    printf("%d scenarios in stripes, %d as copies\n", tried[EXCHANGE_STRIPES], tried[EXCHANGE_COPY]);
    assert_true(tried[EXCHANGE_STRIPES] > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_are_seen_as_one_process)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
