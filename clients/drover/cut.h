/* Writes a part of a recording: its header, the world as it was at the first tick as a checkpoint, and the lines from
 * there to the last tick as they are. */
#ifndef DROVER_CLIENTS_DROVER_CUT_H
#define DROVER_CLIENTS_DROVER_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "clients/drover/interrupt.h"
#include "clients/drover/player.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"

struct cut {
    uint32_t world;    /* from 1 */
    uint64_t from, to; /* ticks; cut_write moves both to ticks that the world has */
    const char *path;  /* "-": standard output */
    bool replaces;
};

/** The player is used for it. 0, or -1 with *failure. */
NODISCARD int cut_write(struct cut *cut, struct player *player, struct interrupt *interrupt,
                        struct failure *failure);

#endif
