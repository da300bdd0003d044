/* What is known of a recording (recording.h) once it is open. */
#ifndef DROVER_SERVER_STORAGE_RECORDING_FACTS_H
#define DROVER_SERVER_STORAGE_RECORDING_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "server/recording/recording_line.h"
#include "server/recording/replay.h"

/** A world of the recording. first_tick is 0 unless the recording begins later. */
struct recording_world {
    uint32_t number; /* as recording_moment has it; they ascend */
    char scenario[LIMIT_NAME_CHARS + 1];
    uint64_t seed, first_tick, last_tick, hash;
    double tick_hz;
    uint32_t by;
    uint32_t core; /* that its lines need */
};

/** The first line that is not as it was written. */
struct recording_damage {
    bool is_there;
    bool
        is_end; /* what is lost is missing at the end: no later file goes on without it, or none as far as it went */
    const char *path;               /* of its file; the recording's */
    uint64_t line, byte;            /* of the file, from 1 */
    char what[160];                 /* what is wrong with the line */
    struct recording_moment before; /* the last one that the lines before it reach; world 0: none */
    uint64_t tick, seq;             /* how far the lines behind it went, as far as they say */
};

struct recording_facts {
    struct recording_line header;
    uint64_t bytes, lines, torn_lines; /* bytes: on disk */
    uint64_t requests;                 /* do lines */
    uint64_t request_ops; /* the ops of those, bits by enum request_op; all bits when one is not known */
    int world_count;
    const struct recording_world *worlds; /* the recording's */
    int checkpoint_count;
    int hash_count;                             /* moments that have one */
    const struct recording_moment *checkpoints; /* in order; the recording's */
    bool has_end;                               /* its last file has an end line */
    char end_reason[RECORDING_VALUE_BYTES];     /* of that line: why it was broken off; "" for in order */
    struct recording_moment last;
    bool is_paused_at_end;
    int files, files_without_sums; /* recording/recording_line.h */
    struct recording_damage damage;
    int gap_count;
    const struct recording_gap *gaps; /* in order; the recording's */
};

#endif
