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
 * a moment is computed without it (side_world.h).
 */
#ifndef DROVER_SERVER_LIBRARY_PAST_H
#define DROVER_SERVER_LIBRARY_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"

struct past;
struct past_branch;
struct node;

enum {
    PAST_NAME = 16,     /* "b12" */
    PAST_BRANCHES = 64, /* one on which no other hangs goes then, the first that was left */
    PAST_MARKS = 64,
    PAST_CHANGE_TEXT = 96
};

/** The way to a moment, once it was gone (past_go, side_world.h). */
struct past_way {
    uint32_t number,
        from;           /* of the branch that goes on there, 0: a further one; of the one with the moment */
    uint64_t tick, seq; /* the moment */
    uint64_t last;      /* the tick at which the world goes on: that of the moment, or of the present */
    uint64_t request_tick; /* of the last request up to there, where that is the present; UINT64_MAX: none */
    uint64_t simulated;    /* ticks */
    bool is_without;       /* it leaves a request out, */
    uint32_t left_out;     /* and so many later ones that fail then */
    struct past_branch *branch; /* owned: memory for a further one, with the checkpoint of the moment */
};

/** A moment in a branch. seq 0: before the requests of its tick. */
struct past_place {
    uint64_t serial; /* of the branch; 0: nowhere */
    uint64_t tick, seq;
};

/** A part of a route: the requests up to a moment of a branch. */
struct past_cut {
    size_t end; /* in the lines */
    struct past_place at;
    uint32_t number; /* of the branch */
};

/** What leads to a moment: a saved world, or the world that is there, and the requests from there on. */
struct past_route {
    struct past *past;
    struct node *base; /* in use */
    const char *save;  /* of the base; NULL: the route begins with the world that is there */
    size_t length;
    struct buffer lines;
    struct past_cut cuts[PAST_BRANCHES];
    int cut_count, cut;
    size_t place;
    uint64_t stop;                /* the number of a request: the route ends before it; 0: none */
    uint64_t first_out, last_out; /* the requests that are to be left out, by their numbers; 0: none; */
    uint32_t out_branch;          /* those of this branch alone; 0: of any; */
    bool leaves_out;              /* and whether they are */
    uint64_t line_tick, line_seq; /* of the line that came last */
    struct past_place to;
    uint32_t number, from;  /* as of a way */
    char line[PAST_NAME];   /* the branch that was asked for, */
    char branch[PAST_NAME]; /* and the one that has the moment, from which it may come */
    uint64_t first, last;   /* ticks of that line of branches that can be gone to */
    uint32_t world;         /* struct past_state */
    uint64_t bytes;         /* that a copy of the world takes, as far as is known */
};

/** The past as it is now. */
struct past_state {
    uint32_t world; /* another number with each other world (past_begin) */
    uint64_t lived; /* ticks done in all branches */
    double tick_hz;
    bool is_there, is_current; /* the branch; the world is in it */
    uint64_t last;             /* its last tick */
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
/** branch: "b2"; NULL or "": the one in which the world is. */
struct past_state past_read(struct past *past, const char *branch);
/** Finds the route to a moment.
 *
 * here     NULL, or where a world is; the route begins there when that is no longer than from a checkpoint
 * waits    up to 2 s for a checkpoint that is being made, when none that is there leads to the moment
 * returns  0: *route is the caller's (past_route_fini); or -1 with *failure: out_of_range (the message has the range), bad_param (no
 *          such mark or branch), busy (memory) */
NODISCARD int past_route_find(struct past *past, const struct request_rewind *to,
                              const struct past_place *here, struct past_route *route,
                              struct failure *failure);
/** The next line `do` of the route, valid until past_route_fini. 1; 0: there is none; -1 with *failure. */
int past_route_next(struct past_route *route, const char **line, size_t *length, struct failure *failure);
void past_route_fini(struct past_route *route);

/** False without memory. */
NODISCARD bool past_way_init(struct past_way *way);
/** Takes the checkpoint of the moment, malloc'd; then, of a way that leaves a request out, that of the present. */
NODISCARD bool past_way_keep(struct past_way *way, char *save, size_t length);
/** Adds a request between the two. */
NODISCARD bool past_way_add_line(struct past_way *way, const char *line, size_t length);
void past_way_fini(struct past_way *way);

#endif
