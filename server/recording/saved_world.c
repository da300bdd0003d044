/* Saved worlds: three lines of a recording. See checkpoint.h. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/recording/checkpoint.h"
#include "server/recording/line_sum.h"
#include "server/recording/recording_line.h"
#include "server/sim/core.h"

/* The two lines before the checkpoint. Returns the sum of the second. */
static uint32_t write_beginning(const struct world *world, const struct checkpoint_rest *rest,
                                const char *scenario, const char *text, size_t text_length, uint64_t hash,
                                struct buffer *out) {
    struct recording_line head = {.op = RECORDING_DROVER, .format = RECORDING_FORMAT, .core = CORE_NUMBER};
    struct recording_line line = {.op = RECORDING_WORLD,
                                  .world = 1,
                                  .tick = world_tick(world),
                                  .seq = rest->seq,
                                  .seed = world_seed(world),
                                  .tick_hz = world_tick_hz(world),
                                  .hash = hash,
                                  .text = text,
                                  .text_length = text_length};
    uint32_t sum = 0;
    size_t begin = out->length;
    assert(strlen(scenario) <= LIMIT_NAME_CHARS);
    (void)snprintf(line.scenario, sizeof line.scenario, "%s", scenario);
    recording_line_write(&head, out);
    line_sum_seal(out, begin, &sum);
    begin = out->length;
    recording_line_write(&line, out);
    line_sum_seal(out, begin, &sum);
    return sum;
}

void saved_world_write(const struct world *world, const struct checkpoint_rest *rest, const char *scenario,
                       const char *text, size_t text_length, struct buffer *out, uint64_t *hash) {
    uint32_t sum = write_beginning(world, rest, scenario, text, text_length, world_hash(world), out);
    const size_t begin = out->length;
    checkpoint_write(world, rest, out, hash);
    line_sum_seal(out, begin, &sum);
}

void saved_world_write_head(const struct world *world, const struct checkpoint_rest *rest,
                            const char *scenario, const char *text, size_t text_length, uint64_t hash,
                            struct buffer *out, struct saved_world_head *head) {
    head->sum = write_beginning(world, rest, scenario, text, text_length, hash, out);
    head->begin = out->length;
    checkpoint_write_head(world, rest, hash, out);
}

void saved_world_end_head(struct saved_world_head *head, const struct checkpoint_part_facts *parts, int count,
                          struct buffer *out) {
    checkpoint_end_head(parts, count, out);
    line_sum_seal(out, head->begin, &head->sum);
}

/* ---- reading ---- */

/* What is left of the text. */
struct lines {
    const char *next, *end;
    struct line_sum_check check; /* of the lines that were taken */
};

static int take_line(struct lines *lines, enum recording_op op, const char *name, const char **line,
                     size_t *length, struct recording_line *out, struct failure *failure) {
    const int number = (int)lines->check.lines + 1;
    const size_t left = (size_t)(lines->end - lines->next);
    const char *newline = left == 0 ? NULL : memchr(lines->next, '\n', left);
    if (newline == NULL) {
        return failure_set(failure, FAILURE_BAD_SAVE, "", "line %d is %s; allowed: three whole lines", number,
                           left == 0 ? "missing" : "not whole");
    }
    *line = lines->next;
    *length = (size_t)(newline - lines->next);
    lines->next = newline + 1;
    if (*length > LIMIT_CHECKPOINT_BYTES) {
        return failure_set(failure, FAILURE_BAD_SAVE, "", "line %d has %zu bytes; allowed: at most %d",
                           number, *length, LIMIT_CHECKPOINT_BYTES);
    }
    const char *wrong = line_sum_wrong(&lines->check, *line, *length);
    if (wrong != NULL) {
        return failure_set(failure, FAILURE_BAD_SAVE, "sum", "line %d is damaged: %s", number, wrong);
    }
    struct failure inner;
    if (recording_line_read(*line, *length, out, &inner) != 0) {
        return failure_set(failure, inner.code, inner.field, "line %d: %s", number, inner.message);
    }
    if (out->op != op) {
        return failure_set(failure, FAILURE_BAD_SAVE, "op", "line %d is another line; allowed: \"%s\"",
                           number, name);
    }
    return 0;
}

/* The scenario that the text of the world line is. */
static int read_scenario(const struct recording_line *world, struct scenario *scenario,
                         struct failure *failure) {
    size_t length;
    struct failure inner;
    char *text = recording_line_text(world, &length);
    if (text == NULL) {
        return failure_set(failure, FAILURE_BUSY, "", "out of memory for the scenario of the saved world");
    }
    int result = -1;
    if (length > LIMIT_SCENARIO_BYTES) {
        (void)failure_set(failure, FAILURE_BAD_SAVE, "text", "text: %zu bytes; allowed: at most %d", length,
                          LIMIT_SCENARIO_BYTES);
    } else if (scenario_read(text, length, scenario, &inner) != 0) {
        const enum failure_code code = inner.code == FAILURE_BUSY ? FAILURE_BUSY : FAILURE_BAD_SAVE;
        (void)failure_set(failure, code, inner.field, "text: %s", inner.message);
    } else {
        memcpy(scenario->name, world->scenario, sizeof scenario->name);
        result = 0;
    }
    free(text);
    return result;
}

static int read_checkpoint(const char *line, size_t length, const struct recording_line *world, uint32_t core,
                           const struct world_overrides *overrides, const atomic_bool *given_up,
                           struct built_world *out, struct checkpoint_rest *rest, struct failure *failure) {
    struct scenario scenario;
    if (read_scenario(world, &scenario, failure) != 0) {
        return -1;
    }
    const int result = checkpoint_read(line, length, &scenario, overrides, given_up, out, rest, failure);
    scenario_fini(&scenario);
    if (result == 0 && core != CORE_NUMBER) {
        out->core = core; /* it is a whole world: from here on it goes by the rules of this core */
    }
    if (result != 0 && core != CORE_NUMBER && failure->code == FAILURE_BAD_SAVE) {
        const struct failure inner = *failure;
        return failure_set(
            failure, FAILURE_VERSION, "core",
            "the save is of core %lu, this server has core %d, and the world comes out different: %s",
            (unsigned long)core, CORE_NUMBER, inner.message);
    }
    return result;
}

int saved_world_read(const char *text, size_t length, const struct world_overrides *overrides,
                     const atomic_bool *given_up, struct built_world *out, struct checkpoint_rest *rest,
                     struct failure *failure) {
    struct lines lines = {text, text + length, {0}};
    struct recording_line head = {.format = 0}, world, checkpoint;
    const char *line = NULL;
    size_t line_length = 0;
    *out = (struct built_world){.world = NULL};
    if (take_line(&lines, RECORDING_DROVER, "drover", &line, &line_length, &head, failure) != 0 ||
        take_line(&lines, RECORDING_WORLD, "world", &line, &line_length, &world, failure) != 0 ||
        take_line(&lines, RECORDING_CHECKPOINT, "checkpoint", &line, &line_length, &checkpoint, failure) !=
            0) {
        return -1;
    }
    if (head.format > RECORDING_FORMAT) {
        return failure_set(failure, FAILURE_VERSION, "format", "format %lu; allowed: %d",
                           (unsigned long)head.format, RECORDING_FORMAT);
    }
    return read_checkpoint(line, line_length, &world, head.core, overrides, given_up, out, rest, failure);
}
