/* A checkpoint that is being read, and what its readers have in common. For checkpoint_read*.c alone. */
#ifndef DROVER_SERVER_RECORDING_CHECKPOINT_READING_H
#define DROVER_SERVER_RECORDING_CHECKPOINT_READING_H

#include <cjson/cJSON.h>

#include "common/json/json_lift.h"
#include "server/recording/checkpoint.h"
#include "server/sim/world/world_image.h"

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

#endif
