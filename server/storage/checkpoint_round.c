/* See checkpoint_round.h.
 *
 * Invariant: `bytes` is the thread's while the duty is busy, otherwise that of the rank's own thread. */
#include "server/storage/checkpoint_round.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/system/duty.h"
#include "common/system/log.h"
#include "server/recording/checkpoint.h"
#include "server/sim/world/world_image.h"
#include "server/storage/disk_file.h"
#include "server/storage/state_directory.h"

enum phase { PHASE_NONE, PHASE_PARTS, PHASE_HEAD };

struct checkpoint_round {
    const struct exchange *exchange;
    struct duty duty;
    enum phase phase; /* the same on all ranks */
    char head_path[PART_FILES_PATH], path[PART_FILES_PATH];
    struct buffer bytes, head; /* the part, or what is being written; the head, on rank 0 */
    struct saved_world_head head_line;
    struct checkpoint_part_facts facts;
    bool has_failed; /* the thread: the file is not on disk */
    struct failure failure;
};

/* ---- the thread ---- */

static void write_part(struct checkpoint_round *round) {
    const int error = file_write_part(round->path, round->bytes.data, round->bytes.length);
    round->has_failed = error != 0;
    round->facts.bytes = round->bytes.length;
    round->facts.sum = checkpoint_part_sum(round->bytes.data, round->bytes.length);
    if (error != 0) {
        (void)failure_set(&round->failure, FAILURE_IO, NULL, "%.200s: %s", round->path, strerror(error));
    }
}

static void work(void *argument) {
    struct checkpoint_round *round = argument;
    if (round->phase == PHASE_PARTS) {
        write_part(round);
        buffer_fini(&round->bytes);
    } else {
        round->has_failed = file_write_whole(round->head_path, round->head.data, round->head.length, true,
                                             &round->failure) != 0;
    }
}

static void start_work(struct checkpoint_round *round, enum phase phase) {
    round->phase = phase;
    duty_order(&round->duty);
}

/* ---- life ---- */

struct checkpoint_round *checkpoint_round_new(const struct exchange *exchange) {
    struct checkpoint_round *round = calloc(1, sizeof *round);
    if (round == NULL) {
        return NULL;
    }
    round->exchange = exchange;
    buffer_init(&round->bytes, SIZE_MAX / 2);
    buffer_init(&round->head, SIZE_MAX / 2);
    if (duty_start(&round->duty, work, round) != 0) {
        free(round);
        return NULL;
    }
    return round;
}

void checkpoint_round_destroy(struct checkpoint_round *round) {
    if (round == NULL) {
        return;
    }
    duty_end(&round->duty);
    buffer_fini(&round->bytes);
    buffer_fini(&round->head);
    free(round);
}

bool checkpoint_round_is_busy(const struct checkpoint_round *round) {
    return round->phase != PHASE_NONE;
}

/* ---- the folder ---- */

/* Every rank has said something, by its number: names those that said it. */
static void name_ranks(const uint64_t *said, int ranks, char *out, size_t size) {
    size_t length = 0;
    out[0] = '\0';
    for (int rank = 0; rank < ranks && length + 8 < size; rank++) {
        if (said[rank] != 0) {
            length += (size_t)snprintf(out + length, size - length, "%s%d", length == 0 ? "" : ", ", rank);
        }
    }
}

int checkpoint_round_check(const struct exchange *exchange, const char *folder, struct failure *failure) {
    char path[PART_FILES_PATH], names[64];
    uint64_t made = 0, missing[EXCHANGE_RANKS_MAX] = {0};
    int error = 0, file = -1;
    (void)snprintf(path, sizeof path, "%.*s/ranks", PART_FILES_PATH - 16, folder);
    if (exchange->rank == 0) { /* without a sync, for which the others would wait */
        file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
        error = file < 0 || close(file) != 0 ? errno : 0;
        file = -1;
    }
    made = exchange->rank == 0 && error == 0;
    exchange->sum(exchange->context, &made, 1);
    if (made != 0 && exchange->rank != 0) {
        file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        missing[exchange->rank] = file < 0;
    }
    if (file >= 0) {
        (void)close(file);
    }
    exchange->sum(exchange->context, missing, exchange->ranks);
    if (exchange->rank == 0) {
        (void)unlink(path);
    }
    if (made == 0) {
        return failure_set(failure, FAILURE_IO, "state", "%.200s: %s", folder,
                           exchange->rank == 0 ? strerror(error) : "rank 0 cannot write there");
    }
    name_ranks(missing, exchange->ranks, names, sizeof names);
    return names[0] == '\0'
               ? 0
               : failure_set(failure, FAILURE_IO, "state",
                             "%.200s: ranks %s do not see the folder of rank 0; allowed: one folder for all "
                             "ranks, on one machine or on a network file system",
                             folder, names);
}

/* ---- a checkpoint ---- */

/* Rank 0 alone counts requests that change nothing in the world. */
static uint64_t seq_of_rank_0(const struct exchange *exchange, const struct checkpoint_rest *rest) {
    uint64_t seq = exchange->rank == 0 ? rest->seq : 0;
    exchange->sum(exchange->context, &seq, 1);
    return seq;
}

uint64_t checkpoint_round_begin(struct checkpoint_round *round, const struct simulation_state *state,
                                const char *path) {
    const struct exchange *exchange = round->exchange;
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    const uint64_t hash = world_hash(state->world);
    const struct image_slots slots = world_image_own(state->world);
    const struct checkpoint_part part = {.number = (uint32_t)exchange->rank,
                                         .count = (uint32_t)exchange->ranks,
                                         .tick = world_tick(state->world),
                                         .seq = seq_of_rank_0(exchange, &rest),
                                         .hash = hash};
    assert(!checkpoint_round_is_busy(round));
    (void)snprintf(round->head_path, sizeof round->head_path, "%s", path);
    part_file_path(path, part.number, round->path);
    buffer_clear(&round->bytes);
    checkpoint_part_write(state->world, &slots, &part, &round->bytes);
    if (exchange->rank == 0) {
        buffer_clear(&round->head);
        saved_world_write_head(state->world, &rest, state->name, state->text, state->text_length, hash,
                               &round->head, &round->head_line);
    }
    round->facts = (struct checkpoint_part_facts){.agents = (uint64_t)(slots.end - slots.begin)};
    round->has_failed = round->bytes.failed || round->head.failed;
    if (round->has_failed) {
        (void)failure_set(&round->failure, FAILURE_BUSY, NULL, "out of memory for a checkpoint");
        round->phase = PHASE_PARTS;
    } else {
        start_work(round, PHASE_PARTS);
    }
    return hash;
}

/* What all ranks say: how many are still writing, how many have failed, the bytes of the head; and of each rank: */
enum { SAID_WORKING, SAID_FAILED, SAID_HEAD, SAID_BY_RANK };
enum { RANK_AGENTS, RANK_BYTES, RANK_SUM, RANK_FAILED, RANK_WORDS };
struct said {
    uint64_t words[SAID_BY_RANK + RANK_WORDS * EXCHANGE_RANKS_MAX];
};

static uint64_t *of_rank(struct said *said, int rank) {
    return &said->words[SAID_BY_RANK + RANK_WORDS * rank];
}

static void hear(struct checkpoint_round *round, struct said *out) {
    const struct exchange *exchange = round->exchange;
    uint64_t *own = of_rank(out, exchange->rank);
    memset(out, 0, sizeof *out);
    if (duty_is_busy(&round->duty)) {
        out->words[SAID_WORKING] = 1;
    } else {
        own[RANK_AGENTS] = round->facts.agents;
        own[RANK_BYTES] = round->facts.bytes;
        own[RANK_SUM] = round->facts.sum;
        own[RANK_FAILED] = round->has_failed;
        out->words[SAID_FAILED] = round->has_failed;
        out->words[SAID_HEAD] = exchange->rank == 0 ? round->head.length : 0;
    }
    exchange->sum(exchange->context, out->words, SAID_BY_RANK + RANK_WORDS * exchange->ranks);
}

static void forget(struct checkpoint_round *round) {
    buffer_fini(&round->bytes);
    buffer_fini(&round->head);
    round->phase = PHASE_NONE;
}

static enum checkpoint_progress end_failed(struct checkpoint_round *round, struct said *said,
                                           struct failure *failure) {
    int rank = 0;
    while (of_rank(said, rank)[RANK_FAILED] == 0) {
        rank++;
    }
    if (rank == round->exchange->rank) {
        *failure = round->failure;
    } else {
        (void)failure_set(failure, FAILURE_IO, NULL, "rank %d cannot write its part of the checkpoint", rank);
    }
    if (round->has_failed) {
        log_write(LOG_ERROR, "checkpoint", "rank %d: %s", round->exchange->rank, round->failure.message);
    }
    (void)unlink(round->path);
    forget(round);
    return CHECKPOINT_FAILED;
}

static void begin_head(struct checkpoint_round *round, struct said *said) {
    struct checkpoint_part_facts facts[EXCHANGE_RANKS_MAX];
    const int ranks = round->exchange->ranks;
    round->phase = PHASE_HEAD;
    if (round->exchange->rank != 0) {
        return;
    }
    for (int rank = 0; rank < ranks; rank++) {
        const uint64_t *words = of_rank(said, rank);
        facts[rank] = (struct checkpoint_part_facts){words[RANK_AGENTS], words[RANK_BYTES], words[RANK_SUM]};
    }
    saved_world_end_head(&round->head_line, facts, ranks, &round->head);
    if (round->head.failed) {
        round->has_failed = true;
        (void)failure_set(&round->failure, FAILURE_BUSY, NULL, "out of memory for a checkpoint");
    } else {
        start_work(round, PHASE_HEAD);
    }
}

enum checkpoint_progress checkpoint_round_look(struct checkpoint_round *round, uint64_t *bytes,
                                               struct failure *failure) {
    struct said said;
    assert(checkpoint_round_is_busy(round));
    *bytes = 0;
    hear(round, &said);
    if (said.words[SAID_WORKING] != 0) {
        return CHECKPOINT_WRITING;
    }
    if (said.words[SAID_FAILED] != 0) {
        return end_failed(round, &said, failure);
    }
    if (round->phase == PHASE_PARTS) {
        begin_head(round, &said);
        return CHECKPOINT_WRITING;
    }
    *bytes = said.words[SAID_HEAD];
    for (int rank = 0; rank < round->exchange->ranks; rank++) {
        *bytes += of_rank(&said, rank)[RANK_BYTES];
    }
    forget(round);
    return CHECKPOINT_WRITTEN;
}
