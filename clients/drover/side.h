/* One of two runs that are compared: a recording that is simulated by this program, or by another program of the same kind
 * (command_states.c) over pipes. The functions behave the same for both. */
#ifndef DROVER_CLIENTS_DROVER_SIDE_H
#define DROVER_CLIENTS_DROVER_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "clients/drover/command.h"
#include "clients/drover/player.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "server/recording/replay.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world.h"

/** A tick of a run. */
struct side_row {
    struct recording_moment at; /* seq is not set */
    uint64_t arrived;           /* hash before the requests of this tick took effect */
    uint64_t settled;           /* and afterwards */
};

/** What steers an agent: its behaviors' weighted forces, mass*px/s^2. */
struct side_forces {
    int count;
    struct side_force {
        char label[LIMIT_NAME_CHARS + 16];
        vec2 force;
    } rows[LIMIT_BEHAVIORS + 1];
};

/** What a side is made of. */
struct side_def {
    const char *name;
    const char *argument; /* the recording's, on the command line */
    const char *path;     /* and where it lies */
    const char *program;  /* NULL: this program; otherwise the path of another */
    struct player_means means;
    struct interrupt *interrupt;
};

/** The first line of another program's answers; the number is raised when they change. */
#define SIDE_GREETING "drover states 1"

/* Another program `drover`, started as a child that simulates a recording (command_states.c) and answers over pipes.
 * Its functions do what those of a side do. */

struct other_program;

/* What the two ends of a comparison of runs tell each other: a side here, and the other program. */

struct other_program;

struct side {
    const char *name; /* for people: "A" */
    struct player player;
    bool is_open;                /* the player is */
    struct other_program *other; /* NULL: this program */
    uint64_t arrived;            /* of the next row */
    bool is_over;
    struct built_world borrowed; /* the other program's state, for side_world */
};

/** 0, or -1 with *failure; side_close is due in any case. */
NODISCARD int side_open(struct side *side, const struct side_def *def, struct failure *failure);
void side_close(struct side *side);
/** Goes to the last checkpoint or world at or before the moment. */
NODISCARD int side_begin(struct side *side, const struct recording_moment *moment, struct failure *failure);
/** Lets the run do its next `most` ticks: another program begins with them, this one only at side_rows. */
NODISCARD int side_ask(struct side *side, int most, struct failure *failure);
/** The rows of the ticks that were asked for; at the end of the run fewer. Count, or -1 with *failure. */
NODISCARD int side_rows(struct side *side, struct side_row *rows, int most, struct failure *failure);
/** From where it is on to this tick: settled there. */
NODISCARD int side_go(struct side *side, const struct recording_moment *moment, struct failure *failure);
/** One tick. */
NODISCARD int side_tick(struct side *side, struct failure *failure);
/** The world as it is now; valid until the next call. NULL with *failure. */
NODISCARD const struct world *side_world(struct side *side, struct failure *failure);
/** What steers an agent in the coming tick. 0, or -1 with *failure (no_agent). */
NODISCARD int side_explain(struct side *side, uint32_t agent, struct side_forces *out,
                           struct failure *failure);

/* The same of this program alone, for command_states.c. */

NODISCARD int side_player_row(struct player *player, uint64_t *arrived, struct side_row *row, bool *is_over,
                              struct failure *failure);
NODISCARD int side_player_explain(const struct player *player, uint32_t agent, struct side_forces *out,
                                  struct failure *failure);

#endif
