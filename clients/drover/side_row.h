/* What the two ends of a comparison of runs tell each other: side.h, and the other program of other_program.h. */
#ifndef DROVER_CLIENTS_DROVER_SIDE_ROW_H
#define DROVER_CLIENTS_DROVER_SIDE_ROW_H

#include <stdint.h>

#include "clients/drover/interrupt.h"
#include "clients/drover/player.h"
#include "common/base/limits.h"
#include "common/base/vec2.h"
#include "server/recording/replay.h"

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

#endif
