/* Plays recordings without a file reader or a test library, so that it runs on other processors (tests/cross): every recorded
 * hash must come out, and every checkpoint must be the same line when its world is written again.
 *
 *     golden_recording FILE.drover...
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "server/recording/recording_line.h"
#include "server/recording/replay.h"

struct moment_hash {
    uint32_t world;
    uint64_t tick, seq, hash;
};

/* A file in memory. */
struct memory {
    char *text;
    size_t length, next;
    struct moment_hash *hashes;
    size_t hash_count, found;
    struct recording_moment last;
};

static void die(const char *what, const char *why) {
    (void)fprintf(stderr, "golden_recording: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        die(path, "cannot be read");
    }
    const long size = ftell(file);
    char *text = size > 0 ? malloc((size_t)size) : NULL;
    rewind(file);
    if (text == NULL || fread(text, 1, (size_t)size, file) != (size_t)size) {
        die(path, "cannot be read");
    }
    (void)fclose(file);
    *length = (size_t)size;
    return text;
}

/* ---- the source ---- */

static int memory_next(void *context, const char **line, size_t *length, struct failure *failure) {
    struct memory *memory = context;
    (void)failure;
    *line = memory->text + memory->next;
    const char *newline = memchr(*line, '\n', memory->length - memory->next);
    if (newline == NULL) {
        return 0;
    }
    *length = (size_t)(newline - *line);
    memory->next += *length + 1;
    return 1;
}

static bool memory_find_hash(void *context, const struct recording_moment *moment, uint64_t last_seq,
                             uint64_t *hash) {
    struct memory *memory = context;
    for (size_t i = 0; i < memory->hash_count; i++) {
        const struct moment_hash *entry = &memory->hashes[i];
        if (entry->world == moment->world && entry->tick == moment->tick && entry->seq >= moment->seq &&
            entry->seq <= last_seq) {
            *hash = entry->hash;
            memory->found++;
            return true;
        }
    }
    return false;
}

/* To the first world, wherever it is asked to go. */
static int memory_seek(void *context, const struct recording_moment *moment, struct simulation_state *state,
                       struct failure *failure) {
    struct memory *memory = context;
    struct recording_line line = {.op = RECORDING_OTHER};
    struct scenario scenario;
    struct built_world built = {0};
    const char *text = NULL;
    size_t length = 0;
    (void)moment;
    memory->next = 0;
    while (line.op != RECORDING_WORLD) {
        if (memory_next(memory, &text, &length, failure) == 0 ||
            recording_line_read(text, length, &line, failure) != 0) {
            return -1;
        }
    }
    if (recording_scenario_read(&line, &scenario, failure) != 0) {
        return -1;
    }
    const struct world_overrides overrides = {.has_simd = false};
    const int result = built_world_make(&scenario, &overrides, NULL, NULL, &built, failure);
    if (result == 0) {
        simulation_state_change(state, &built);
        state->seq = line.seq;
    }
    built_world_fini(&built);
    scenario_fini(&scenario);
    return result;
}

static uint32_t memory_world(void *context) {
    (void)context;
    return 1;
}

/* ---- what is proved ---- */

/* Parameters that came after the recordings were made, with the values that worlds without them have. */
enum { LATER_BYTES = 64 }; /* of all of them in a line */
static const char *const later[] = {"\"queue.time_gap\",0,"};

static void leave_out_later(struct buffer *line) {
    for (size_t i = 0; i < sizeof later / sizeof *later && !line->failed; i++) {
        const size_t size = strlen(later[i]);
        for (size_t at = 0; at + size <= line->length;) {
            if (memcmp(line->data + at, later[i], size) != 0) {
                at++;
                continue;
            }
            memmove(line->data + at, line->data + at + size, line->length - at - size);
            line->length -= size;
        }
    }
}

/* The world of the line, written again, is the line without its sum and what came later. */
static void check_checkpoint(const char *path, const struct recording_line *world, const char *text,
                             size_t length) {
    struct scenario scenario;
    struct built_world built;
    struct checkpoint_rest rest;
    struct failure failure = {0};
    struct buffer again;
    const struct world_overrides overrides = {.has_simd = false};
    buffer_init(&again, length + 2 + LATER_BYTES);
    if (recording_scenario_read(world, &scenario, &failure) != 0 ||
        checkpoint_read(text, length, &scenario, &overrides, NULL, &built, &rest, &failure) != 0) {
        die(path, failure.message);
    }
    checkpoint_write(built.world, &rest, &again, NULL);
    leave_out_later(&again);
    uint32_t sum;
    const size_t found = line_sum_find(text, length, &sum), own = found > 0 ? found : length - 1;
    if (again.failed || again.length != own + 2 || memcmp(again.data, text, own) != 0) {
        die(path, "a checkpoint is another line when it is written again");
    }
    buffer_fini(&again);
    built_world_fini(&built);
    scenario_fini(&scenario);
}

static void note_hash(struct memory *memory, const struct recording_line *line) {
    struct moment_hash *hashes = realloc(memory->hashes, (memory->hash_count + 1) * sizeof *hashes);
    if (hashes == NULL) {
        die("memory", "there is not enough");
    }
    hashes[memory->hash_count++] =
        (struct moment_hash){memory->last.world, line->tick, line->seq, line->hash};
    memory->hashes = hashes;
}

/* Reads all lines; returns how many checkpoints there were, each of which is right. */
static int look_through(const char *path, struct memory *memory) {
    struct recording_line line, world = {.op = RECORDING_OTHER};
    struct failure failure = {0};
    const char *text = NULL;
    size_t length = 0;
    int checkpoints = 0;
    while (memory_next(memory, &text, &length, &failure) > 0) {
        if (recording_line_read(text, length, &line, &failure) != 0) {
            die(path, failure.message);
        }
        if (line.op == RECORDING_WORLD) {
            world = line;
            memory->last.world++;
        }
        if (line.op == RECORDING_CHECKPOINT) {
            check_checkpoint(path, &world, text, length);
            checkpoints++;
        }
        if (line.op == RECORDING_HASH || line.op == RECORDING_CHECKPOINT) {
            note_hash(memory, &line);
        }
        if (line.op != RECORDING_DROVER && line.op != RECORDING_OTHER) {
            memory->last.tick = line.tick;
            memory->last.seq = line.seq;
        }
    }
    return checkpoints;
}

static void play(const char *path, struct memory *memory) {
    const struct recording_source source = {.context = memory,
                                            .next = memory_next,
                                            .find_hash = memory_find_hash,
                                            .seek = memory_seek,
                                            .world = memory_world,
                                            .last = memory->last};
    const struct world_overrides overrides = {.has_simd = false};
    const struct recording_moment start = {.world = 1};
    struct simulation_state state;
    struct replay_change change;
    struct failure failure = {0};
    enum replay_step step;
    struct replay *replay = replay_create(&source, &overrides, NULL);
    simulation_state_init(&state);
    if (replay == NULL || replay_begin(replay, &state, &start, &failure) != 0) {
        die(path, failure.message);
    }
    while ((step = replay_next(replay, &state, &change, &failure)) < REPLAY_END) {
        if (step == REPLAY_TICK) {
            simulation_state_step(&state);
            (void)replay_check(replay, &state);
        }
    }
    if (step == REPLAY_FAILED || replay_divergence(replay)->has_diverged) {
        die(path, step == REPLAY_FAILED ? failure.message : replay_divergence(replay)->reason);
    }
    replay_destroy(replay);
    simulation_state_fini(&state);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        struct memory memory = {.text = NULL};
        memory.text = read_file(argv[i], &memory.length);
        const int checkpoints = look_through(argv[i], &memory);
        play(argv[i], &memory);
        (void)printf("%s: %" PRIu32 " worlds, %zu hashes, %d checkpoints\n", argv[i], memory.last.world,
                     memory.found, checkpoints);
        if (memory.found == 0) {
            die(argv[i], "no hash was compared");
        }
        free(memory.hashes);
        free(memory.text);
    }
    return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
