/* What the writer and the reader of a checkpoint have in common. For checkpoint*.c alone. */
#ifndef DROVER_SERVER_RECORDING_CHECKPOINT_INTERNAL_H
#define DROVER_SERVER_RECORDING_CHECKPOINT_INTERNAL_H

#include <cjson/cJSON.h>

#include "common/base/field.h"
#include "common/json/json_text.h"
#include "server/recording/checkpoint.h"
#include "server/sim/world/world_image.h"

/* Entries that are encoded or decoded at once: a multiple of 3, so that base64 needs padding at the end alone. */
enum { CHECKPOINT_CHUNK = 768 };

/** The members of a target; those of one that strolls as well, all or none; those of a way's goal; those of
 * an obstacle behind its id. */
extern const struct field checkpoint_target_fields[], checkpoint_stroll_fields[], checkpoint_way_fields[],
    checkpoint_obstacle_fields[];

/* A checkpoint that is being read, and what its readers have in common. For checkpoint_read*.c alone. */

struct checkpoint_reading {
    const struct scenario *scenario; /* the world line's, or own */
    struct scenario *own;            /* owned: of the line; NULL: it has none */
    const struct world_overrides *overrides;
    const struct checkpoint_parts *parts; /* NULL: there are none */
    const atomic_bool *given_up;
    struct json_lift lift;
    cJSON *root;
    struct world_def def;        /* shares the scenario's arrays, but for the obstacles */
    struct obstacle_def *stones; /* owned: def's obstacles */
    struct world_image image;
    uint64_t stated, seq;                /* of the line */
    struct world *world;                 /* owned */
    struct checkpoint_assembly assembly; /* of parts; owned */
    bool is_share;                       /* of parts: this rank's alone */
    struct failure *failure;
};

/* Reading what a checkpoint says of agents: columns, in the line or in parts beside it, and the order of slots. For
 * checkpoint_read.c alone. All return 0, or -1 with the reading's failure. */

#endif
