/* Compares a recording with what this program computes from it: hash by hash, and, where they part, agent by agent with
 * the checkpoint that follows. */
#ifndef DROVER_CLIENTS_DROVER_COMPARISON_H
#define DROVER_CLIENTS_DROVER_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>

#include "clients/drover/command.h"
#include "clients/drover/player.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"

struct comparison {
    bool has_from;                        /* from a checkpoint or a world, */
    struct recording_moment from;         /* this one; otherwise from the start */
    const struct recording_moment *until; /* NULL: to the end; otherwise no further than its tick */
    uint32_t every;                       /* compares each so many-th hash */
    uint64_t ticks;                       /* done */
    bool differs;                         /* then player_divergence says where */
    struct progress *progress;            /* NULL: none */
};

/** Plays the recording to the first difference, or to its end. 0, or -1 with *failure. */
NODISCARD int comparison_run(struct comparison *comparison, struct player *player, struct failure *failure);
/** Goes on from the difference to the checkpoint that follows, and prints on standard output what differs there, or that no
 * checkpoint follows. json: NULL, or writes the member "checkpoint" in place of it, if one follows. The recording is opened again
 * from path. 0, or -1 with *failure. */
NODISCARD int comparison_print_checkpoint(struct player *player, const char *path, struct json_writer *json,
                                          struct failure *failure);
/** A member that is a list, to be ended behind its rows; nothing without a json. */
void comparison_begin_list(struct json_writer *json, const char *key);
void comparison_end_list(struct json_writer *json);
/** Prints the sentence that says where the recording and this program part. */
void comparison_print_difference(const struct player *player);
/** The same for programs, as the member "difference" of the open object. */
void comparison_write_difference(const struct player *player, struct json_writer *json);

#endif
