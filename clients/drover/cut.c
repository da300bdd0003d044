/* See cut.h. */
#include "clients/drover/cut.h"

#include <string.h>

#include "clients/drover/output.h"
#include "server/recording/checkpoint.h"
#include "server/recording/recording_line.h"
#include "server/sim/core.h"

struct cutting {
    const struct cut *cut;
    struct output *output;
    uint32_t world;                /* of the line that was visited last */
    struct recording_moment start; /* of the checkpoint */
    uint64_t last_seq;
    uint32_t sum; /* of the lines so far */
};

/* ---- the beginning ---- */

static int go_to_start(const struct cut *cut, struct player *player, struct failure *failure) {
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
    const uint64_t last = player_find_world(player, cut->world)->last_tick;
    cut->from = world_tick(player->state.world);
    cut->to = cut->to < last ? cut->to : last;
    return write_lines(cut, player, &output, failure);
}
