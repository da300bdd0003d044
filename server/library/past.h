/* The past of the live world in memory, so that it can go back: checkpoints, the requests between them, branches, marks.
 *
 *     b1  o-----o-----o---+-o---o      left at its end
 *                         |
 *     b2                  o-----o---   where the world is now
 *
 * 1. A checkpoint is a saved world (checkpoint.h), with the requests that took effect since, as lines `do`. A moment is
 * computed from the checkpoint before it and those requests.
 * 2. Nothing is lost by going back: the world goes on in a further branch. The branch that was left keeps its end, where
 * the world can go on again. A branch in which nothing has happened yet is moved instead.
 * 3. Checkpoints are thinned by age: one a second for the last minute, every 10 s for 10 minutes, every minute for an hour,
 * then every 10 minutes. When the bytes are used up, further ones go, then the branch that was left first, then
 * the oldest checkpoints.
 * 4. Functions of the simulation's thread allocate nothing but the lines of requests. Each function takes the lock, shortly;
 * past_go computes without it.
 */
#ifndef DROVER_SERVER_LIBRARY_PAST_H
#define DROVER_SERVER_LIBRARY_PAST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"
#include "server/recording/checkpoint.h"
#include "server/scenario/scenario.h"

struct past;
struct past_branch;

enum {
    PAST_NAME = 16,     /* "b12" */
    PAST_BRANCHES = 64, /* the one that was left first goes then */
    PAST_MARKS = 64,
    PAST_CHANGE_TEXT = 96
};

/** The way to a moment, once it was gone (past_go). */
struct past_way {
    uint32_t number,
        from;           /* of the branch that goes on there, 0: a further one; of the one with the moment */
    uint64_t tick, seq; /* the moment */
    uint64_t simulated; /* ticks */
    struct past_branch *branch; /* owned: memory for a further one, with the checkpoint of the moment */
};

/** bytes: for all of it, 1 or more. NULL without memory. */
NODISCARD struct past *past_create(uint64_t bytes);
/** NULL is fine. When no other thread uses it. */
void past_destroy(struct past *past);

/* For the simulation's thread, between ticks. */

/** Another world: forgets everything, and begins with branch b1 at this moment. */
void past_begin(struct past *past, uint64_t tick, uint64_t seq, double tick_hz);
/** A checkpoint begins at the moment where the world is, with this number of changes; past_put brings it. others: bytes that
 * its making takes beside. Returns its number; 0: there is none now, for lack of memory. */
uint32_t past_add(struct past *past, uint64_t seq, uint64_t others);
/** A request took effect. line: as recorder_write_do writes it. */
void past_note_request(struct past *past, const char *line, size_t length, uint64_t seq);
/** The world has reached this tick. */
void past_note_tick(struct past *past, uint64_t tick);
/** Puts a name on the moment where the world is. 0, or -1 with *failure (full). */
NODISCARD int past_mark(struct past *past, const char *name, uint64_t seq, struct failure *failure);
/** The world is at the end of the way now; seq: of this change. name, from: of the branch that goes on, and of the one in
 * which the moment is. */
void past_arrive(struct past *past, struct past_way *way, uint64_t seq, char name[PAST_NAME],
                 char from[PAST_NAME]);
/** Adds the members "branches", "marks" and "bytes". */
void past_write(struct past *past, struct json_writer *json);
/** Adds the member "changes": the requests that changed the worlds of all branches, the newest first, as protocol.md says. Those of
 * one sort that follow within a second are one row. */
void past_write_changes(struct past *past, struct json_writer *json);

/* For any thread. */

/** The checkpoint of this number, a saved world: malloc'd, the past's from now on. NULL: it could not be made. */
void past_put(struct past *past, uint32_t number, char *save, size_t length);
/** Computes the world of a moment.
 *
 * overrides  as saved_world_read
 * given_up   ends it early when it becomes true
 * returns    0: *out and *rest as saved_world_read, *way is the caller's; or -1 with *failure: out_of_range (the message has
 *            the range), bad_param (no such mark or branch), busy (memory, given up, it takes too long). All are empty then */
NODISCARD int past_go(struct past *past, const struct request_rewind *to,
                      const struct world_overrides *overrides, const atomic_bool *given_up,
                      struct built_world *out, struct checkpoint_rest *rest, struct past_way *way,
                      struct failure *failure);
void past_way_fini(struct past_way *way);

#endif
