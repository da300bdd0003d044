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

enum { COUNT_WORDS = 3, REPORT_WORDS = 4 };

/* What ranks know of a checkpoint. Each gives its own numbers, and all of them get the sums (sum_reports). */
union reports {
    struct {
        uint64_t writing, failed; /* ranks that are still writing; that have failed */
        uint64_t head_bytes;      /* of rank 0 */
        struct report {
            uint64_t agents, bytes, sum, has_failed; /* of the rank's part */
        } of[EXCHANGE_RANKS_MAX];                    /* by rank: the others add zeros to it */
    };
    uint64_t words[COUNT_WORDS + REPORT_WORDS * EXCHANGE_RANKS_MAX];
};
static_assert(sizeof(union reports) == sizeof((union reports *)0)->words,
              "the sum takes every number, and nothing else");

/* Collective: a rank that does not call it holds up all others. */
static void sum_reports(struct checkpoint_round *round, union reports *out) {
    const struct exchange *exchange = round->exchange;
    memset(out, 0, sizeof *out);
    if (duty_is_busy(&round->duty)) {
        out->writing = 1;
    } else {
        out->of[exchange->rank] = (struct report){.agents = round->facts.agents,
                                                  .bytes = round->facts.bytes,
                                                  .sum = round->facts.sum,
                                                  .has_failed = round->has_failed};
        out->failed = round->has_failed;
        out->head_bytes = exchange->rank == 0 ? round->head.length : 0;
    }
    exchange->sum(exchange->context, out->words, COUNT_WORDS + REPORT_WORDS * exchange->ranks);
}

static void forget(struct checkpoint_round *round) {
    buffer_fini(&round->bytes);
    buffer_fini(&round->head);
    round->phase = PHASE_NONE;
}

static enum checkpoint_progress end_failed(struct checkpoint_round *round, const union reports *reports,
                                           struct failure *failure) {
    int rank = 0;
    while (reports->of[rank].has_failed == 0) {
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

static void begin_head(struct checkpoint_round *round, const union reports *reports) {
    struct checkpoint_part_facts facts[EXCHANGE_RANKS_MAX];
    const int ranks = round->exchange->ranks;
    round->phase = PHASE_HEAD;
    if (round->exchange->rank != 0) {
        return;
    }
    for (int rank = 0; rank < ranks; rank++) {
        const struct report *report = &reports->of[rank];
        facts[rank] = (struct checkpoint_part_facts){report->agents, report->bytes, report->sum};
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
    union reports reports;
    assert(checkpoint_round_is_busy(round));
    *bytes = 0;
    sum_reports(round, &reports);
    if (reports.writing != 0) {
        return CHECKPOINT_WRITING;
    }
    if (reports.failed != 0) {
        return end_failed(round, &reports, failure);
    }
    if (round->phase == PHASE_PARTS) {
        begin_head(round, &reports);
        return CHECKPOINT_WRITING;
    }
    *bytes = reports.head_bytes;
    for (int rank = 0; rank < round->exchange->ranks; rank++) {
        *bytes += reports.of[rank].bytes;
    }
    forget(round);
    return CHECKPOINT_WRITTEN;
}
