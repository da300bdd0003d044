/* See player.h. */
#include "clients/drover/player.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "clients/drover/command.h"
#include "clients/drover/input.h"
#include "server/recording/checkpoint.h"
#include "server/recording/core_changes.h"
#include "server/recording/recording_line.h"
#include "server/sim/core.h"

/* What a file says of its beginning and its end. */
struct ends {
    bool is_known;
    char started[RECORDING_VALUE_BYTES]; /* of its server */
    struct recording_line begun;         /* its first world line; no spans */
    struct recording_world world;        /* its last world */
    struct recording_moment last;
};

static bool take_world(void *context, const char *text, size_t length) {
    struct ends *ends = context;
    struct failure failure;
    const bool is_world =
        recording_line_read(text, length, &ends->begun, &failure) == 0 && ends->begun.op == RECORDING_WORLD;
    ends->begun.text = ends->begun.request = NULL;
    ends->is_known = is_world;
    return !is_world;
}

static bool is_file(const char *argument) {
    struct stat status;
    return strcmp(argument, "-") != 0 && stat(argument, &status) == 0 && S_ISREG(status.st_mode);
}

static struct ends read_ends(const char *argument) {
    struct ends ends = {.is_known = false};
    struct failure failure = {0};
    struct recording *recording = is_file(argument) ? input_open(argument, argument, NULL, &failure) : NULL;
    if (recording == NULL) {
        return ends;
    }
    const struct recording_facts *facts = recording_facts(recording);
    memcpy(ends.started, facts->header.started, sizeof ends.started);
    ends.world = facts->worlds[facts->world_count - 1];
    ends.last = facts->last;
    if (recording_visit(recording, take_world, &ends, &failure) != 0) {
        ends.is_known = false;
    }
    recording_close(recording);
    return ends;
}

/* A saved world knows neither the number of its world in the run nor the hash with which that began. */
static bool is_same_world(const struct ends *before, const struct recording_line *begun) {
    const struct recording_world *world = &before->world;
    const bool is_save = before->started[0] == '\0';
    return strcmp(world->scenario, begun->scenario) == 0 && world->seed == begun->seed &&
           is_same_double(world->tick_hz, begun->tick_hz) &&
           (is_save || (world->number == begun->world && world->hash == begun->hash));
}

static bool continues(const struct ends *before, const struct ends *after) {
    const struct recording_line *begun = &after->begun;
    const bool is_same_run = strcmp(before->started, after->started) == 0;
    return before->is_known && after->is_known && is_same_world(before, begun) &&
           begun->from_seq == before->last.seq &&
           (begun->from_tick == before->last.tick || (is_same_run && begun->from_tick > before->last.tick));
}

int input_group(char *const *arguments, int count) {
    int joined = 1;
    if (count < 2) {
        return joined;
    }
    for (struct ends before = read_ends(arguments[0]); joined < count; joined++) {
        const struct ends after = read_ends(arguments[joined]);
        if (!continues(&before, &after)) {
            break;
        }
        before = after;
    }
    return joined;
}

/* ---- player ---- */

const char *const player_simd_choices[] = {"widest", "plain", "sse2", "avx2", "avx512", NULL};

static int read_means(const struct player_means *means, struct player *player,
                      struct world_overrides *overrides, struct failure *failure) {
    if (means->simd > 0) {
        overrides->has_simd = true;
        overrides->simd = (enum simd)(means->simd - 1);
        if (!simd_is_supported(overrides->simd)) {
            return failure_set(failure, FAILURE_OUT_OF_RANGE, "--simd", "--simd: this machine has no %s",
                               player_simd_choices[means->simd]);
        }
    }
    if (means->threads > 1) {
        player->pool = worker_pool_create((int)means->threads);
        if (player->pool == NULL) {
            return failure_set(failure, FAILURE_BUSY, "--threads", "--threads: %u threads cannot be started",
                               means->threads);
        }
        player->state.parallel = worker_pool_parallel(player->pool);
    }
    return 0;
}

/* ---- hashes: the recording's, counted on their way to the replay ---- */

static int source_next(void *context, const char **line, size_t *length, struct failure *failure) {
    struct player *player = context;
    return player->source.next(player->source.context, line, length, failure);
}

static bool is_same_moment(const struct recording_moment *a, const struct recording_moment *b) {
    return a->world == b->world && a->tick == b->tick && a->seq == b->seq;
}

/* A replay asks more than once about a moment whose hash it does not get. */
static bool source_find_hash(void *context, const struct recording_moment *moment, uint64_t last_seq,
                             uint64_t *hash) {
    struct player *player = context;
    struct player_hashes *hashes = &player->hashes;
    if (is_same_moment(moment, &hashes->skipped) ||
        !player->source.find_hash(player->source.context, moment, last_seq, hash)) {
        return false;
    }
    if (hashes->found++ % hashes->every != 0) {
        hashes->skipped = *moment;
        return false;
    }
    hashes->compared++;
    hashes->previous = hashes->last;
    hashes->last = *moment;
    return true;
}

static int source_seek(void *context, const struct recording_moment *moment, struct simulation_state *state,
                       struct failure *failure) {
    struct player *player = context;
    return player->source.seek(player->source.context, moment, state, failure);
}

static uint32_t source_world(void *context) {
    struct player *player = context;
    return player->source.world(player->source.context);
}

/* ---- opening ---- */

/* A failure of the recording, with its name before it. */
static int name_failure(const struct player *player, const struct failure *inner, struct failure *failure) {
    return failure_set(failure, inner->code, inner->field, "%.200s: %s", player->argument, inner->message);
}

static int check_worlds(const struct player *player, const struct player_means *means,
                        struct failure *failure) {
    struct failure inner = {0};
    if (player->facts->world_count == 0) {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL, "%.200s: the recording has no world",
                           player->argument);
    }
    return means->is_anyway ||
                   recording_check_core(player->recording, NULL, core_changes, CORE_NUMBER, &inner) == 0
               ? 0
               : name_failure(player, &inner, failure);
}

static int open_recording(struct player *player, const char *path, const struct player_means *means,
                          const struct world_overrides *overrides, struct failure *failure) {
    player->recording = input_open(player->argument, path, player->more, failure);
    if (player->recording == NULL) {
        return -1;
    }
    player->facts = recording_facts(player->recording);
    player->source = recording_source(player->recording, overrides);
    recording_let_give_up(player->recording, &player->interrupt->is_set);
    if (check_worlds(player, means, failure) != 0) {
        return -1;
    }
    const struct recording_source source = {.context = player,
                                            .next = source_next,
                                            .find_hash = source_find_hash,
                                            .seek = source_seek,
                                            .world = source_world,
                                            .gaps = player->source.gaps,
                                            .gap_count = player->source.gap_count,
                                            .last = player->source.last,
                                            .is_paused_at_end = player->source.is_paused_at_end};
    player->replay = replay_create(&source, overrides, &player->interrupt->is_set);
    return player->replay != NULL ? 0 : failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
}

int player_open(struct player *player, const char *argument, const char *path,
                const struct player_means *means, struct interrupt *interrupt, struct failure *failure) {
    struct world_overrides overrides = {.max_agents = LIMIT_AGENTS};
    *player = (struct player){
        .argument = argument, .more = means->more, .interrupt = interrupt, .hashes = {.every = 1}};
    simulation_state_init(&player->state);
    player->state.is_urgent = &interrupt->is_set;
    if (read_means(means, player, &overrides, failure) != 0 ||
        open_recording(player, path, means, &overrides, failure) != 0) {
        player_close(player);
        return -1;
    }
    return 0;
}

void player_close(struct player *player) {
    replay_destroy(player->replay);
    recording_close(player->recording);
    simulation_state_fini(&player->state);
    worker_pool_destroy(player->pool);
    player->replay = NULL;
    player->recording = NULL;
    player->pool = NULL;
}

static bool look(struct player *player) {
    return player->look == NULL || player->look(player->context, player);
}

int player_begin(struct player *player, const struct recording_moment *moment, struct failure *failure) {
    struct failure inner = {0};
    player->hashes = (struct player_hashes){.every = player->hashes.every};
    player->asked.moment.seq = 0;
    player->is_at_gap = false;
    if (replay_begin(player->replay, &player->state, moment, &inner) != 0) {
        return name_failure(player, &inner, failure);
    }
    return 0;
}

static enum player_result interrupted(struct failure *failure) {
    (void)failure_set(failure, FAILURE_BUSY, NULL, "interrupted");
    return PLAYER_FAILED;
}

/* A hash is compared by the replay_next that follows: a request that comes with a divergence stands behind that hash. */
static void note_request(struct player *player) {
    if (!player_divergence(player)->has_diverged) {
        player->asked.moment = player_moment(player);
        player->asked.change = player->change;
        if (player->change.op ==
            REQUEST_LOAD) { /* another world: nothing that was asked before is part of it */
            player->asked.moment.seq = 0;
        }
    }
}

enum player_result player_settle(struct player *player, struct failure *failure) {
    struct failure inner = {0};
    for (;;) {
        if (interrupt_is_set(player->interrupt)) {
            return interrupted(failure);
        }
        switch (replay_next(player->replay, &player->state, &player->change, &inner)) {
        case REPLAY_TICK:
            return PLAYER_SETTLED;
        case REPLAY_CHANGED:
            note_request(player);
            if (!look(player)) {
                return PLAYER_STOPPED;
            }
            break;
        case REPLAY_GAP:
            player->is_at_gap = true;
            return PLAYER_SETTLED;
        case REPLAY_END:
            return PLAYER_END;
        case REPLAY_FAILED:
            (void)name_failure(player, &inner, failure);
            return PLAYER_FAILED;
        }
    }
}

enum player_result player_tick(struct player *player, struct failure *failure) {
    if (player->is_at_gap) {
        player->is_at_gap = false;
        return PLAYER_SETTLED;
    }
    simulation_state_step(&player->state);
    if (player->state.is_spoiled) {
        return interrupted(failure);
    }
    return look(player) ? PLAYER_SETTLED : PLAYER_STOPPED;
}

static int fail_gap(const struct player *player, const struct recording_moment *moment,
                    struct failure *failure) {
    return failure_set(failure, FAILURE_OUT_OF_RANGE, NULL,
                       "%.200s: tick %llu of world %lu is in a gap of the recording; drover info names them",
                       player->argument, (unsigned long long)moment->tick, (unsigned long)moment->world);
}

static int fail_tick(const struct player *player, const struct recording_moment *moment,
                     const struct recording_moment *at, struct failure *failure) {
    if (at->world == moment->world) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, NULL,
                           "%.200s: world %lu has no tick %llu; it ends at tick %llu", player->argument,
                           (unsigned long)moment->world, (unsigned long long)moment->tick,
                           (unsigned long long)at->tick);
    }
    return failure_set(failure, FAILURE_OUT_OF_RANGE, NULL, "%.200s: world %lu has no tick %llu",
                       player->argument, (unsigned long)moment->world, (unsigned long long)moment->tick);
}

int player_go(struct player *player, const struct recording_moment *moment, struct failure *failure) {
    for (;;) {
        enum player_result result = player_settle(player, failure);
        const struct recording_moment at = player_moment(player);
        const bool is_there = at.world == moment->world && at.tick >= moment->tick;
        if (result != PLAYER_FAILED && !is_there && (result == PLAYER_END || at.world > moment->world)) {
            return fail_tick(player, moment, &at, failure);
        }
        if (result == PLAYER_SETTLED && !is_there) {
            result = player_tick(player, failure);
        }
        if (result == PLAYER_FAILED) {
            return -1;
        }
        if (is_there && player_find_gap(player, moment, moment) != NULL) {
            return fail_gap(player, moment, failure);
        }
        if (is_there || result == PLAYER_STOPPED) {
            return 0;
        }
    }
}

const struct replay_divergence *player_divergence(const struct player *player) {
    return replay_divergence(player->replay);
}

const struct recording_world *player_find_world(const struct player *player, uint32_t number) {
    for (int i = 0; i < player->facts->world_count; i++) {
        if (player->facts->worlds[i].number == number) {
            return &player->facts->worlds[i];
        }
    }
    return NULL;
}

const struct recording_gap *player_find_gap(const struct player *player, const struct recording_moment *from,
                                            const struct recording_moment *to) {
    for (int i = 0; i < player->facts->gap_count; i++) {
        const struct recording_gap *gap = &player->facts->gaps[i];
        if (gap->before.world == from->world && gap->before.tick < to->tick && gap->after.tick > from->tick) {
            return gap;
        }
    }
    return NULL;
}

struct recording_moment player_first(const struct player *player) {
    const struct recording_world *world = &player->facts->worlds[0];
    return (struct recording_moment){.world = world->number, .tick = world->first_tick};
}

struct recording_moment player_moment(const struct player *player) {
    return replay_moment(player->replay, &player->state);
}

uint64_t player_ticks(const struct player *player, const struct recording_moment *from) {
    uint64_t ticks = 0;
    for (int i = 0; i < player->facts->world_count; i++) {
        const struct recording_world *world = &player->facts->worlds[i];
        const bool is_first = from != NULL && world->number == from->world;
        const uint64_t first = is_first ? from->tick : world->first_tick;
        if (from == NULL || world->number >= from->world) {
            ticks += world->last_tick > first ? world->last_tick - first : 0;
        }
    }
    return ticks;
}

/* ---- cut ---- */

struct cutting {
    const struct cut *cut;
    struct output *output;
    uint32_t world;                /* of the line that was visited last */
    struct recording_moment start; /* of the checkpoint */
    uint64_t last_seq;
    uint32_t sum; /* of the lines so far */
};

/* ---- the beginning ---- */

static int go_to_start(struct cut *cut, struct player *player, struct failure *failure) {
    const struct recording_world *world = player_find_world(player, cut->world);
    if (world == NULL) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--world",
                           "--world: the recording has no world %lu; drover info lists them",
                           (unsigned long)cut->world);
    }
    const uint64_t from = cut->from > world->first_tick ? cut->from : world->first_tick;
    if (from > world->last_tick) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--from",
                           "--from: %llu; world %lu has ticks %llu to %llu", (unsigned long long)from,
                           (unsigned long)cut->world, (unsigned long long)world->first_tick,
                           (unsigned long long)world->last_tick);
    }
    cut->to = cut->to < world->last_tick ? cut->to : world->last_tick;
    struct recording_moment moment = {.world = cut->world, .tick = from};
    if (player_begin(player, &moment, failure) != 0) {
        return -1;
    }
    if (player_moment(player).tick >= from) {
        return 0;
    }
    moment.tick = from - 1; /* then one tick, so that the requests of that tick are still to come */
    if (player_go(player, &moment, failure) != 0) {
        return -1;
    }
    return player_tick(player, failure) == PLAYER_FAILED ? -1 : 0;
}

/* The header, as the recording has it but for the core, which has computed the world that follows: a world and a
 * checkpoint line of the state that the player is at. */
static void write_start(const struct player *player, struct buffer *out, uint32_t *sum) {
    const struct simulation_state *state = &player->state;
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    struct recording_line header = player->facts->header;
    struct buffer saved;
    header.core = CORE_NUMBER;
    recording_line_write(&header, out);
    line_sum_seal(out, 0, sum);
    buffer_init(&saved, out->limit);
    saved_world_write(state->world, &rest, state->name, state->text, state->text_length, &saved, NULL);
    const char *second = saved.failed ? NULL : memchr(saved.data, '\n', saved.length);
    if (second == NULL) {
        out->failed = true;
    } else {
        second++;
        line_sum_append(out, second, saved.length - (size_t)(second - saved.data), sum);
    }
    buffer_fini(&saved);
}

/* ---- the lines ---- */

static bool is_within(const struct cutting *cutting, const struct recording_line *line) {
    if (cutting->world != cutting->cut->world || line->tick > cutting->cut->to ||
        line->tick < cutting->start.tick) {
        return false;
    }
    if (line->op == RECORDING_HASH) {
        return line->seq >= cutting->start.seq;
    }
    if (line->op == RECORDING_CHECKPOINT) {
        return line->tick > cutting->start.tick && line->seq >= cutting->start.seq;
    }
    return (line->op == RECORDING_DO && line->seq > cutting->start.seq) ||
           (line->op == RECORDING_AT && line->seq >= cutting->start.seq);
}

static bool copy_line(void *context, const char *text, size_t length) {
    struct cutting *cutting = context;
    struct recording_line line;
    struct failure failure;
    if (recording_line_read(text, length, &line, &failure) != 0) {
        return true;
    }
    if (line.op == RECORDING_WORLD) {
        cutting->world = line.world;
    }
    if (is_within(cutting, &line)) {
        line_sum_append(&cutting->output->buffer, text, length + 1, &cutting->sum); /* with its newline */
        cutting->last_seq = line.seq > cutting->last_seq ? line.seq : cutting->last_seq;
    }
    return output_flush(cutting->output);
}

static void write_end(struct cutting *cutting) {
    const struct recording_line end = {
        .op = RECORDING_END, .tick = cutting->cut->to, .seq = cutting->last_seq};
    const size_t begin = cutting->output->buffer.length;
    recording_line_write(&end, &cutting->output->buffer);
    line_sum_seal(&cutting->output->buffer, begin, &cutting->sum);
}

static int write_lines(const struct cut *cut, struct player *player, struct output *output,
                       struct failure *failure) {
    struct cutting cutting = {.cut = cut,
                              .output = output,
                              .start = {cut->world, world_tick(player->state.world), player->state.seq},
                              .last_seq = player->state.seq};
    write_start(player, &output->buffer, &cutting.sum);
    if (recording_visit(player->recording, copy_line, &cutting, failure) != 0) {
        output_abandon(output);
        return -1;
    }
    write_end(&cutting);
    return output_finish(output, failure);
}

/* The checkpoint behind a gap stands with a world line, which a part has at its start alone. */
static int check_gaps(const struct cut *cut, const struct player *player, struct failure *failure) {
    const struct recording_moment from = player_moment(player), to = {.tick = cut->to};
    const struct recording_gap *gap = player_find_gap(player, &from, &to);
    return gap == NULL
               ? 0
               : failure_set(failure, FAILURE_OUT_OF_RANGE, "--to",
                             "what happened from tick %llu to %llu is in no file; a part may end "
                             "before it, or begin behind it",
                             (unsigned long long)gap->before.tick, (unsigned long long)gap->after.tick);
}

int cut_write(struct cut *cut, struct player *player, struct interrupt *interrupt, struct failure *failure) {
    struct output output;
    if (go_to_start(cut, player, failure) != 0 || check_gaps(cut, player, failure) != 0 ||
        output_begin(&output, interrupt, cut->path, cut->replaces, failure) != 0) {
        return -1;
    }
    cut->from = world_tick(player->state.world);
    return write_lines(cut, player, &output, failure);
}
