/* What differs between two worlds: parameters, targets and obstacles, then agents, column by column as checkpoints name
 * them (world_image.h). */
#ifndef DROVER_CLIENTS_DROVER_WORLD_DIFFERENCE_H
#define DROVER_CLIENTS_DROVER_WORLD_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "server/sim/world/world.h"

enum { DIFFERENCE_AGENTS = 4, DIFFERENCE_VALUES = 40, DIFFERENCE_NOTES = 8, DIFFERENCE_NOTE = 160 };

/** A number of an agent: a component of a column. */
struct difference_value {
    char field[40]; /* "vx", "stamina" */
    bool is_float;
    uint8_t width; /* bytes */
    uint32_t bits[2];
    char name[2][LIMIT_NAME_CHARS + 1]; /* of a kind or state; "" otherwise */
};

struct difference_agent {
    uint32_t id;
    bool is_missing[2]; /* there is no such agent in the one world; then no values */
    int value_count;
    struct difference_value values[DIFFERENCE_VALUES];
};

struct world_difference {
    /* What differs besides agents, a sentence each: of note_count the first DIFFERENCE_NOTES. */
    int note_count;
    char notes[DIFFERENCE_NOTES][DIFFERENCE_NOTE];
    char values[DIFFERENCE_NOTES][2][DIFFERENCE_NOTE]; /* of the one and the other; "" where it has none */
    /* Agents that differ, ascending with their id: of agent_count the first DIFFERENCE_AGENTS. */
    int32_t agent_count, agents_compared;
    struct difference_agent agents[DIFFERENCE_AGENTS];
};

/** Compares two worlds between ticks. 0, or -1 without memory. */
NODISCARD int world_difference_find(const struct world *a, const struct world *b,
                                    struct world_difference *out, struct failure *failure);
/** Prints it on standard output, a line each. name_a, name_b: what the worlds are called. */
void world_difference_print(const struct world_difference *difference, const char *name_a,
                            const char *name_b);
/** Writes it as members of the open object: "agents_differ", "agents", "others" (docs/recording.md). The names are the keys of
 * values. */
void world_difference_write(const struct world_difference *difference, const char *name_a, const char *name_b,
                            struct json_writer *json);

#endif
