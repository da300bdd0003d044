/* One of two runs that are compared: a recording that is simulated by this program, or by another program of the same kind
 * (command_states.c) over pipes. The functions behave the same for both. */
#ifndef DROVER_CLIENTS_DROVER_SIDE_H
#define DROVER_CLIENTS_DROVER_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "clients/drover/interrupt.h"
#include "clients/drover/player.h"
#include "clients/drover/side_row.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/recording/replay.h"
#include "server/scenario/built_world.h"
#include "server/sim/world/world.h"

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
