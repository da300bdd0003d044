/* See replay.h. */
#include "server/recording/replay.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/limits.h"
#include "common/json/json_check.h"
#include "common/protocol/request.h"
#include "server/commands/command_apply.h"
#include "server/recording/recording_line.h"

void agent_pairs_fini(struct agent_pairs *pairs) {
    free(pairs->ids[0]);
    free(pairs->ids[1]);
    free(pairs->pairs);
    free(pairs->differs);
    free(pairs->singles);
    *pairs = (struct agent_pairs){.world = {NULL}};
}

/* ---- pairing ---- */

static bool read_ids(struct agent_pairs *pairs, int side) {
    const int32_t count = world_agent_count(pairs->world[side]);
    uint32_t *ids = calloc((size_t)count + 1, sizeof *ids);
    if (ids == NULL) {
        return false;
    }
    int32_t row = 0;
    int32_t done = 0;
    uint32_t first = 0;
    uint32_t run = 0;
    while (world_image_ids(pairs->world[side], &row, &first, &run)) {
        for (uint32_t i = 0; i < run && done < count; i++) {
            ids[done++] = first + i;
        }
    }
    pairs->ids[side] = ids;
    pairs->count[side] = done;
    return true;
}

static void add_single(struct agent_pairs *pairs, uint32_t id, int side) {
    pairs->singles[pairs->single_count++] = (struct agent_single){id, side};
}

static bool take_memory(struct agent_pairs *pairs) {
    const int32_t most = pairs->count[0] < pairs->count[1] ? pairs->count[0] : pairs->count[1];
    const size_t all = (size_t)pairs->count[0] + (size_t)pairs->count[1];
    pairs->pairs = calloc((size_t)most + 1, sizeof *pairs->pairs);
    pairs->differs = calloc((size_t)most + 1, sizeof *pairs->differs);
    pairs->singles = calloc(all + 1, sizeof *pairs->singles);
    return pairs->pairs != NULL && pairs->differs != NULL && pairs->singles != NULL;
}

static bool pair_up(struct agent_pairs *pairs) {
    int32_t a = 0;
    int32_t b = 0;
    if (!take_memory(pairs)) {
        return false;
    }
    while (a < pairs->count[0] || b < pairs->count[1]) {
        const bool has_a = a < pairs->count[0];
        const bool has_b = b < pairs->count[1];
        if (has_a && has_b && pairs->ids[0][a] == pairs->ids[1][b]) {
            pairs->pairs[pairs->pair_count][0] = a++;
            pairs->pairs[pairs->pair_count++][1] = b++;
        } else if (!has_b || (has_a && pairs->ids[0][a] < pairs->ids[1][b])) {
            add_single(pairs, pairs->ids[0][a++], 0);
        } else {
            add_single(pairs, pairs->ids[1][b++], 1);
        }
    }
    return true;
}

/* ---- columns ---- */

static size_t entry_bytes(const struct image_column *column) {
    return (size_t)column->width * column->count;
}

/* The whole column by row: malloc'd; NULL without memory. */
static unsigned char *take_column(const struct world *world, int index, const struct image_column *column) {
    const int32_t count = world_agent_count(world);
    const size_t bytes = entry_bytes(column);
    unsigned char *entries = calloc((size_t)count + 1, bytes);
    struct image_cursor cursor = {.column = index};
    for (int32_t done = 0; entries != NULL && done < count;) {
        const int32_t taken = world_image_take(world, &cursor, entries + bytes * (size_t)done, count - done);
        if (taken <= 0) {
            break;
        }
        done += taken;
    }
    return entries;
}

static bool compare_column(struct agent_pairs *pairs, int index, const struct image_column *column) {
    const size_t bytes = entry_bytes(column);
    unsigned char *a = take_column(pairs->world[0], index, column);
    unsigned char *b = take_column(pairs->world[1], index, column);
    for (int32_t i = 0; a != NULL && b != NULL && i < pairs->pair_count; i++) {
        pairs->differs[i] |= memcmp(a + bytes * (size_t)pairs->pairs[i][0],
                                    b + bytes * (size_t)pairs->pairs[i][1], bytes) != 0;
    }
    const bool is_done = a != NULL && b != NULL;
    free(a);
    free(b);
    return is_done;
}

/* The body is taken where the column "flags" says that the agent has its own. */
static struct agent_sparse sparse_of(const struct world *world, int32_t row, bool has_body) {
    const struct agent_view view = world_agent(world, row);
    struct agent_sparse sparse = {.heading = view.heading};
    if (has_body) {
        sparse.body[0] = view.mass;
        sparse.body[1] = view.radius;
        sparse.body[2] = view.max_speed;
        sparse.body[3] = view.max_force;
    }
    return sparse;
}

static int flags_column(struct image_column *column) {
    int index = 0;
    while (world_image_column(index, column) && strcmp(column->name, "flags") != 0) {
        index++;
    }
    return index;
}

struct agent_sparse agent_sparse_of(const struct world *world, int32_t row) {
    struct image_column column;
    unsigned char entry[WORLD_ENTRY_BYTES] = {0};
    struct image_cursor cursor = {.column = flags_column(&column), .row = row, .entry = row};
    (void)world_image_take(world, &cursor, entry, 1);
    return sparse_of(world, row, entry[0] != 0);
}

_Static_assert(sizeof(struct agent_sparse) == 6 * sizeof(float), "compared as bytes");

static bool compare_sparse(struct agent_pairs *pairs) {
    struct image_column column;
    const int index = flags_column(&column);
    unsigned char *flags[2] = {take_column(pairs->world[0], index, &column),
                               take_column(pairs->world[1], index, &column)};
    const bool is_done = flags[0] != NULL && flags[1] != NULL;
    for (int32_t i = 0; is_done && i < pairs->pair_count; i++) {
        const int32_t *rows = pairs->pairs[i];
        const struct agent_sparse a = sparse_of(pairs->world[0], rows[0], flags[0][rows[0]] != 0);
        const struct agent_sparse b = sparse_of(pairs->world[1], rows[1], flags[1][rows[1]] != 0);
        pairs->differs[i] |=
            memcmp((const char *)&a, (const char *)&b, sizeof a) != 0; /* floats alone: no padding */
    }
    free(flags[0]);
    free(flags[1]);
    return is_done;
}

/* ---- both ---- */

bool agent_pairs_compare(struct agent_pairs *pairs, const struct world *a, const struct world *b) {
    struct image_column column;
    *pairs = (struct agent_pairs){.world = {a, b}};
    if (!read_ids(pairs, 0) || !read_ids(pairs, 1) || !pair_up(pairs)) {
        return false;
    }
    for (int index = 0; world_image_column(index, &column); index++) {
        if (!column.is_partial && !compare_column(pairs, index, &column)) {
            return false;
        }
    }
    return compare_sparse(pairs);
}

static void add_id(struct agent_difference *out, uint32_t id) {
    if (out->id_count < LIMIT_DIVERGED_AGENTS) {
        out->ids[out->id_count++] = id;
    }
    out->count++;
}

/* Pairs and singles ascend, each by themselves. */
static void list_ids(const struct agent_pairs *pairs, struct agent_difference *out) {
    int32_t single = 0;
    for (int32_t i = 0; i < pairs->pair_count; i++) {
        const uint32_t id = pairs->ids[0][pairs->pairs[i][0]];
        for (; single < pairs->single_count && pairs->singles[single].id < id; single++) {
            add_id(out, pairs->singles[single].id);
        }
        if (pairs->differs[i]) {
            add_id(out, id);
        }
    }
    for (; single < pairs->single_count; single++) {
        add_id(out, pairs->singles[single].id);
    }
}

bool agent_difference_find(const struct world *a, const struct world *b, struct agent_difference *out) {
    struct agent_pairs pairs;
    *out = (struct agent_difference){0};
    const bool is_done = agent_pairs_compare(&pairs, a, b);
    if (is_done) {
        list_ids(&pairs, out);
    }
    agent_pairs_fini(&pairs);
    return is_done;
}

/* ---- replay ---- */

/* A replay owns nothing but a buffer for replies that nothing reads.
 * Invariants: `pending` is the next line that changes something or says how far the world got, and is not after the
 * state yet; state->seq is that of the last line that took effect. */

struct replay {
    struct recording_source source;
    struct world_overrides overrides;
    const atomic_bool *given_up;
    uint32_t world;                /* the number of the world that plays */
    bool has_pending;              /* its spans are the source's */
    struct recording_line pending; /* do, at or world */
    bool is_over;                  /* the source has no more lines */
    bool has_failed;
    struct failure failure;
    bool has_compared; /* a hash at this moment */
    struct recording_moment compared;
    struct recording_moment agreed;
    bool ends_early; /* lines behind source.last are not played */
    struct replay_divergence divergence;
    bool is_new;     /* the divergence, to the caller */
    bool is_at_gap;  /* and has said so */
    bool is_cut_off; /* by a gap behind the divergence: checkpoints say nothing about it */
    bool has_looked; /* for a checkpoint at this moment */
    struct recording_moment looked;
    struct buffer replies;
};

struct replay *replay_create(const struct recording_source *source, const struct world_overrides *overrides,
                             const atomic_bool *given_up) {
    struct replay *replay = calloc(1, sizeof *replay);
    if (replay != NULL) {
        replay->source = *source;
        replay->overrides = *overrides;
        replay->overrides.has_seed = false;
        replay->overrides.tick_hz = 0.0;
        replay->given_up = given_up;
        buffer_init(&replay->replies, LIMIT_CONTROL_BYTES);
    }
    return replay;
}

void replay_destroy(struct replay *replay) {
    if (replay != NULL) {
        buffer_fini(&replay->replies);
        free(replay);
    }
}

int replay_begin(struct replay *replay, struct simulation_state *state, const struct recording_moment *moment,
                 struct failure *failure) {
    if (replay->source.seek(replay->source.context, moment, state, failure) != 0) {
        return -1;
    }
    replay->world = replay->source.world(replay->source.context);
    replay->has_pending = replay->is_over = replay->has_failed = replay->has_compared = false;
    replay->divergence = (struct replay_divergence){0};
    replay->is_new = replay->has_looked = replay->is_cut_off = replay->is_at_gap = false;
    replay->agreed = replay_moment(replay, state);
    return 0;
}

struct recording_moment replay_agreed(const struct replay *replay) {
    return replay->agreed;
}

void replay_end_at(struct replay *replay, const struct recording_moment *moment) {
    replay->source.last = *moment;
    replay->ends_early = true;
}

const struct replay_divergence *replay_divergence(const struct replay *replay) {
    return &replay->divergence;
}

struct recording_moment replay_moment(const struct replay *replay, const struct simulation_state *state) {
    return (struct recording_moment){replay->world, world_tick(state->world), state->seq};
}

/* ---- comparing ---- */

static void diverge(struct replay *replay, const struct recording_moment *moment, uint64_t recorded,
                    uint64_t computed, const char *reason) {
    if (!replay->divergence.has_diverged) {
        replay->divergence = (struct replay_divergence){
            .has_diverged = true, .moment = *moment, .recorded = recorded, .computed = computed};
        (void)snprintf(replay->divergence.reason, sizeof replay->divergence.reason, "%s", reason);
        replay->is_new = true;
    }
}

/* The last request after which the world is as it is now. */
static uint64_t last_seq_now(const struct replay *replay) {
    if (!replay->has_pending) {
        return UINT64_MAX;
    }
    return replay->pending.op == RECORDING_AT ? replay->pending.seq : replay->pending.seq - 1;
}

static bool is_same(const struct recording_moment *a, const struct recording_moment *b) {
    return a->world == b->world && a->tick == b->tick && a->seq == b->seq;
}

static void compare_hash(struct replay *replay, const struct simulation_state *state) {
    const struct recording_moment moment = replay_moment(replay, state);
    uint64_t recorded = 0;
    if ((replay->has_compared && is_same(&replay->compared, &moment)) || replay->divergence.has_diverged ||
        !replay->source.find_hash(replay->source.context, &moment, last_seq_now(replay), &recorded)) {
        return;
    }
    replay->has_compared = true;
    replay->compared = moment;
    const uint64_t computed = simulation_state_hash(state);
    if (computed != recorded) {
        diverge(replay, &moment, recorded, computed, "the hash of the world is not the recorded one");
    } else {
        replay->agreed = moment;
    }
}

/* After the first difference: which agents are not where the next checkpoint has them. */
static void compare_agents(struct replay *replay, const struct simulation_state *state) {
    struct replay_divergence *divergence = &replay->divergence;
    const struct recording_moment moment = replay_moment(replay, state);
    struct built_world recorded = {0};
    if (!divergence->has_diverged || divergence->has_agents || replay->is_cut_off ||
        moment.world != divergence->moment.world ||
        (replay->has_looked && is_same(&replay->looked, &moment)) || replay->source.read_checkpoint == NULL) {
        return;
    }
    replay->has_looked = true;
    replay->looked = moment;
    if (replay->source.read_checkpoint(replay->source.context, &moment, last_seq_now(replay), &recorded)) {
        divergence->has_agents = agent_difference_find(recorded.world, state->world, &divergence->agents);
        divergence->agents_moment = moment;
        built_world_fini(&recorded);
    }
}

/* Between a change and the next line it is not known which of the hashes of this tick is that of this moment. */
static void compare(struct replay *replay, const struct simulation_state *state) {
    if (replay->has_pending || replay->is_over) {
        compare_hash(replay, state);
        compare_agents(replay, state);
    }
}

bool replay_check(struct replay *replay, const struct simulation_state *state) {
    compare(replay, state);
    const bool is_new = replay->is_new;
    replay->is_new = false;
    return !is_new;
}

/* ---- lines ---- */

/* Whether the line is about something that the state has behind it. */
static bool is_past(const struct recording_line *line, const struct simulation_state *state) {
    return line->seq < state->seq ||
           (line->seq == state->seq && (line->op != RECORDING_AT || line->tick <= world_tick(state->world)));
}

static int fail(struct replay *replay) {
    replay->has_failed = true;
    return -1;
}

/* Whether the line is behind the moment at which the replay ends. */
static bool is_behind_end(const struct replay *replay, const struct recording_line *line) {
    const struct recording_moment *last = &replay->source.last;
    return replay->ends_early &&
           (line->seq > last->seq || (line->seq == last->seq && line->tick > last->tick));
}

/* Takes the line as pending when it is one to play. Lines that cannot be used were counted by the source. */
static int consider(struct replay *replay, const struct simulation_state *state, const char *line,
                    size_t length) {
    struct failure failure;
    struct recording_line *pending = &replay->pending;
    if (recording_line_read(line, length, pending, &failure) != 0) {
        replay->failure = failure;
        return failure.code == FAILURE_BUSY ? fail(replay) : 0;
    }
    const bool is_played =
        pending->op == RECORDING_DO || pending->op == RECORDING_AT || pending->op == RECORDING_WORLD;
    replay->has_pending = is_played && !is_past(pending, state);
    if (replay->has_pending && is_behind_end(replay, pending)) {
        replay->has_pending = false;
        replay->is_over = true;
    }
    return 0;
}

static int fetch(struct replay *replay, const struct simulation_state *state) {
    while (!replay->has_pending && !replay->is_over) {
        const char *line = NULL;
        size_t length = 0;
        const int result = replay->source.next(replay->source.context, &line, &length, &replay->failure);
        if (result < 0) {
            return fail(replay);
        }
        replay->is_over = result == 0;
        if (result > 0 && consider(replay, state, line, length) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- requests ---- */

/* The message of an error line; "" when the line is none. Returns whether its code is unsupported. */
static bool read_error(const struct buffer *line, char why[REPLAY_REASON_BYTES]) {
    cJSON *json = line->length == 0 ? NULL : cJSON_ParseWithLength(line->data, line->length);
    const char *message = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "message"));
    const char *code = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "code"));
    const bool is_unsupported = code != NULL && strcmp(code, failure_code_name(FAILURE_UNSUPPORTED)) == 0;
    (void)snprintf(why, REPLAY_REASON_BYTES, "%s", message == NULL ? "" : message);
    cJSON_Delete(json);
    return is_unsupported;
}

/* why: "" or a sentence. */
static void refuse(struct replay *replay, const struct simulation_state *state, const char *op,
                   const char *why) {
    const struct recording_moment moment = replay_moment(replay, state);
    char reason[REPLAY_REASON_BYTES];
    if (replay->source.refused != NULL) {
        replay->source.refused(replay->source.context, replay->pending.seq);
        return;
    }
    (void)snprintf(reason, sizeof reason, "request %llu (%s) took effect then, and is refused now%s%.320s",
                   (unsigned long long)replay->pending.seq, op, why[0] == '\0' ? "" : ": ", why);
    diverge(replay, &moment, 0, 0, reason);
}

/* Whether requests of this op stand in lines `do`. */
static bool is_done_by_lines(enum request_op op) {
    return request_has_trait(op, REQUEST_TRAIT_CHANGES) && request_has_trait(op, REQUEST_TRAIT_WORLD) &&
           op != REQUEST_PAUSE && op != REQUEST_RESUME && op != REQUEST_STEP && op != REQUEST_LOAD &&
           op != REQUEST_REWIND;
}

static void describe_change(const struct recording_line *line, enum request_op op,
                            struct replay_change *change) {
    change->by = line->by;
    memcpy(change->name, line->name, sizeof change->name);
    change->op = op;
}

/* False: the request was refused. */
static bool apply_request(struct replay *replay, struct simulation_state *state,
                          struct replay_change *change) {
    const struct recording_line *line = &replay->pending;
    struct request request;
    struct failure failure;
    const struct json_limits limits = json_limits_admin(); /* any session's */
    if (request_decode_within(line->request, line->request_length, &limits, &request, &failure) != 0) {
        refuse(replay, state, "of which this version cannot read the text", failure.message);
        return false;
    }
    if (!is_done_by_lines(request.op)) {
        request_fini(&request);
        refuse(replay, state, request_op_name(request.op), "it never stands in a line `do`");
        return false;
    }
    const uint64_t before = state->seq;
    request.id[0] = '\0';
    state->session = line->by;
    buffer_clear(&replay->replies);
    change->effects = command_apply(state, &request, 0, &replay->replies);
    request_fini(&request);
    if (state->seq == before) {
        char why[REPLAY_REASON_BYTES];
        const bool is_unsupported = read_error(&replay->replies, why);
        refuse(replay, state, request_op_name(request.op), why);
        replay->divergence.is_unsupported = replay->divergence.is_unsupported || is_unsupported;
        return false;
    }
    describe_change(line, request.op, change);
    return true;
}

static bool play_request(struct replay *replay, struct simulation_state *state,
                         struct replay_change *change) {
    if (replay->pending.tick < world_tick(state->world)) {
        const struct recording_moment moment = replay_moment(replay, state);
        diverge(replay, &moment, 0, 0, "a request stands behind its tick");
    }
    const bool is_applied = apply_request(replay, state, change);
    state->seq = replay->pending.seq;
    replay->has_pending = false;
    return is_applied;
}

/* ---- worlds ---- */

/* Puts in the world of a line that is followed by its checkpoint. */
static int restore_world(struct replay *replay, struct simulation_state *state,
                         const struct scenario *scenario, const char *line, size_t length,
                         struct replay_change *change) {
    struct built_world built = {0};
    struct checkpoint_rest rest;
    if (checkpoint_read(line, length, scenario, &replay->overrides, replay->given_up, &built, &rest,
                        &replay->failure) != 0) {
        return fail(replay);
    }
    const bool is_paused = state->is_paused; /* that of the replay, not of the recording */
    checkpoint_restore(state, &built, &rest);
    state->is_paused = is_paused;
    built_world_fini(&built);
    change->effects = (struct command_effects){.changed = true, .described = true, .loaded = true};
    return 0;
}

/* Puts in the world of a line as its scenario describes it, through the door that `load` takes. */
static int build_world(struct replay *replay, struct simulation_state *state, const struct scenario *scenario,
                       uint32_t by, struct replay_change *change) {
    struct built_world built = {0};
    if (built_world_make(scenario, &replay->overrides, NULL, replay->given_up, &built, &replay->failure) !=
        0) {
        return fail(replay);
    }
    struct request request = request_default(REQUEST_LOAD);
    memcpy(request.body.load.scenario, scenario->name, sizeof request.body.load.scenario);
    state->arrival = &built;
    state->session = by;
    buffer_clear(&replay->replies);
    change->effects = command_apply(state, &request, 0, &replay->replies);
    state->arrival = NULL;
    built_world_fini(&built);
    assert(change->effects.loaded);
    return 0;
}

static int put_in(struct replay *replay, struct simulation_state *state, const struct recording_line *world,
                  const struct scenario *scenario, struct replay_change *change) {
    const char *line = NULL;
    size_t length = 0;
    struct recording_line next = {0};
    const int result = replay->source.next(replay->source.context, &line, &length, &replay->failure);
    if (result < 0) {
        return fail(replay);
    }
    replay->is_over = result == 0;
    const bool is_restored = result > 0 && recording_line_read(line, length, &next, &replay->failure) == 0 &&
                             next.op == RECORDING_CHECKPOINT && next.seq == world->seq;
    if (!is_restored && world->tick > 0) {
        (void)failure_set(&replay->failure, FAILURE_BAD_SAVE, NULL,
                          "a world that begins at tick %llu lacks its checkpoint",
                          (unsigned long long)world->tick);
        return fail(replay);
    }
    const int put = is_restored ? restore_world(replay, state, scenario, line, length, change)
                                : build_world(replay, state, scenario, world->by, change);
    if (put != 0) {
        return -1;
    }
    state->seq = world->seq;
    return result > 0 && !is_restored ? consider(replay, state, line, length) : 0;
}

static int play_world(struct replay *replay, struct simulation_state *state, struct replay_change *change) {
    const struct recording_line world = replay->pending; /* its text is read before the next line */
    struct scenario scenario;
    replay->has_pending = false;
    if (recording_scenario_read(&world, &scenario, &replay->failure) != 0) {
        return fail(replay);
    }
    const int result = put_in(replay, state, &world, &scenario, change);
    scenario_fini(&scenario);
    if (result == 0) {
        replay->world = world.world > replay->world ? world.world : replay->world + 1;
        describe_change(&world, REQUEST_LOAD, change);
    }
    return result;
}

/* ---- gaps ---- */

/* The gap that begins where the state is; NULL: none. */
static const struct recording_gap *gap_at(const struct replay *replay, const struct simulation_state *state) {
    const struct recording_moment at = replay_moment(replay, state);
    for (int i = 0; i < replay->source.gap_count; i++) {
        const struct recording_gap *gap = &replay->source.gaps[i];
        if (gap->before.world == at.world && at.tick >= gap->before.tick && at.seq >= gap->before.seq &&
            at.seq < gap->after.seq && !(replay->ends_early && gap->after.seq > replay->source.last.seq)) {
            return gap;
        }
    }
    return NULL;
}

/* Puts in the world behind the gap. */
static int cross(struct replay *replay, struct simulation_state *state, const struct recording_gap *gap,
                 struct replay_change *change) {
    if (replay->source.seek(replay->source.context, &gap->after, state, &replay->failure) != 0) {
        return fail(replay);
    }
    if (state->seq != gap->after.seq) { /* an earlier checkpoint */
        (void)failure_set(&replay->failure, FAILURE_BAD_SAVE, NULL,
                          "what happened after tick %llu is in no file, and the checkpoint of tick %llu "
                          "behind it cannot be read",
                          (unsigned long long)gap->before.tick, (unsigned long long)gap->after.tick);
        return fail(replay);
    }
    replay->has_pending = replay->is_over = replay->has_compared = replay->has_looked = false;
    replay->is_at_gap = false;
    replay->is_cut_off = replay->divergence.has_diverged;
    if (!replay->is_cut_off) {
        replay->agreed = replay_moment(replay, state);
    }
    change->effects = (struct command_effects){.changed = true, .described = true, .loaded = true};
    change->op = REQUEST_LOAD;
    return 0;
}

/* ---- steps ---- */

static bool is_due(const struct replay *replay, const struct simulation_state *state) {
    return replay->has_pending &&
           (replay->pending.op == RECORDING_WORLD || replay->pending.tick <= world_tick(state->world));
}

static enum replay_step step_at_end(const struct replay *replay, const struct simulation_state *state) {
    const struct recording_moment *last = &replay->source.last;
    return replay->world == last->world && world_tick(state->world) < last->tick ? REPLAY_TICK : REPLAY_END;
}

/* Applies the pending line, which is due. REPLAY_TICK: it changed nothing. */
static enum replay_step play(struct replay *replay, struct simulation_state *state,
                             struct replay_change *change) {
    if (replay->pending.op == RECORDING_AT) {
        state->seq = replay->pending.seq;
        replay->has_pending = false;
        return REPLAY_TICK;
    }
    if (replay->pending.op == RECORDING_DO) {
        return play_request(replay, state, change) ? REPLAY_CHANGED : REPLAY_TICK;
    }
    return play_world(replay, state, change) == 0 ? REPLAY_CHANGED : REPLAY_FAILED;
}

enum replay_step replay_next(struct replay *replay, struct simulation_state *state,
                             struct replay_change *change, struct failure *failure) {
    assert(state->world != NULL);
    *change = (struct replay_change){0};
    while (!replay->has_failed && fetch(replay, state) == 0) {
        compare(replay, state);
        const struct recording_gap *gap = gap_at(replay, state);
        if (gap != NULL && !replay->is_at_gap) {
            replay->is_at_gap = true;
            return REPLAY_GAP;
        }
        if (gap != NULL) {
            return cross(replay, state, gap, change) == 0 ? REPLAY_CHANGED : REPLAY_FAILED;
        }
        if (!replay->has_pending) {
            return step_at_end(replay, state);
        }
        if (!is_due(replay, state)) {
            return REPLAY_TICK;
        }
        if (play(replay, state, change) == REPLAY_CHANGED) {
            return REPLAY_CHANGED;
        }
    }
    *failure = replay->failure;
    return REPLAY_FAILED;
}
