/* What the writer and the reader of a checkpoint have in common. For checkpoint*.c alone. */
#ifndef DROVER_SERVER_RECORDING_CHECKPOINT_INTERNAL_H
#define DROVER_SERVER_RECORDING_CHECKPOINT_INTERNAL_H

#include <cjson/cJSON.h>

#include "common/json/json_text.h"
#include "server/recording/checkpoint.h"
#include "server/sim/world/world_image.h"

/* Entries that are encoded or decoded at once: a multiple of 3, so that base64 needs padding at the end alone. */
enum { CHECKPOINT_CHUNK = 768 };

/** By enum obstacle_shape, NULL-ended. */
extern const char *const checkpoint_shapes[];

/* A checkpoint that is being read, and what its readers have in common. For checkpoint_read*.c alone. */

struct checkpoint_reading {
    const struct scenario *scenario;
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
    struct failure *failure;
};

/** The failure bad_save at a place of the line, which may be "". Returns -1. */
int checkpoint_refuse(const struct checkpoint_reading *reading, const char *place, const char *what);
/** The same at an entry of the place part + name. Returns -1. */
int checkpoint_refuse_entry(const struct checkpoint_reading *reading, const char *part, const char *name,
                            const struct image_fault *fault);
/** The failure busy: no memory. Returns -1. */
int checkpoint_run_out(const struct checkpoint_reading *reading);
/** 0, or -1 with a failure (busy) when the server stops. */
NODISCARD int checkpoint_check_given_up(const struct checkpoint_reading *reading);

/** A member of an object; NULL: there is none. */
const cJSON *checkpoint_member(const cJSON *object, const char *key);
/** A whole number from 0 to `most`. 0, or -1 with a failure. */
NODISCARD int checkpoint_read_whole(const struct checkpoint_reading *reading, const cJSON *object,
                                    const char *key, double most, uint64_t *out);
/** 16 lower-case hexadecimal digits. */
NODISCARD bool checkpoint_read_hex64(const cJSON *item, uint64_t *out);

/* Reading what a checkpoint says of agents: columns, in the line or in parts beside it, and the order of slots. For
 * checkpoint_read.c alone. All return 0, or -1 with the reading's failure. */

/** Before there is a world: whether the columns have the length that so many agents need. */
NODISCARD int checkpoint_check_columns(const struct checkpoint_reading *reading);
NODISCARD int checkpoint_read_ids(struct checkpoint_reading *reading);
/** In parts, what agents have by slot stands in those. */
NODISCARD int checkpoint_read_columns(struct checkpoint_reading *reading);
/** What there is of agents beside the line. */
NODISCARD int checkpoint_read_agent_parts(struct checkpoint_reading *reading);
/** The order of slots, in a world with so many cells. */
NODISCARD int checkpoint_read_order(struct checkpoint_reading *reading, const cJSON *order, int32_t cells);

#endif
