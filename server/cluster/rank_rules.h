/* Which rank holds up all others: what ranks say of themselves several times a second, and what follows from it. Pure.
 *
 * A rank's *beat* comes from a thread that does nothing else, so a rank that takes minutes for a tick or a world has beats
 * as any other. Found is, after a span that an option says:
 *
 * 1. a rank without beats: stopped, starved, in a debugger, or its machine is;
 * 2. a rank whose thread has not used its processor, though it waits, which takes some, or though another rank waits for the
 * same thing all that time: the thread hangs, in a file system or a lock;
 * 3. ranks of which all wait, one of them for the same thing all that time: what they wait for does not arrive. While one of them has not used
 * its processor lately it may be the second case, which takes its span.
 *
 * A rank that uses its processor is at work, however long: it is only said which rank all wait for.
 */
#ifndef DROVER_SERVER_CLUSTER_RANK_RULES_H
#define DROVER_SERVER_CLUSTER_RANK_RULES_H

#include <stdbool.h>
#include <stdint.h>

/** What a rank's thread that uses MPI is doing. */
enum rank_doing {
    RANK_WORKS,
    RANK_IS_IDLE, /* it waits for an order */
    RANK_WAITS    /* it waits for other ranks, within a tick or an order */
};

/** What a rank sends; goes as the bytes that it is. */
struct rank_beat {
    uint64_t steps;        /* waits begun and ended, and messages that came while it waited */
    uint64_t processor_ns; /* that the thread has used */
    uint32_t doing;        /* enum rank_doing */
    int32_t code;          /* not 0: the receiver ends with this exit code */
};

/** What is known of a rank. Times are of any clock that does not go back. */
struct rank_pulse {
    bool is_heard; /* whether it sends beats; when not, nothing is said of it */
    struct rank_beat beat;
    uint64_t heard_ns, stepped_ns,
        moved_ns; /* the last beat; one with other steps; with other steps or processor time */
};

enum rank_verdict {
    RANK_IS_FINE,
    RANK_IS_SILENT, /* 1 */
    RANK_HANGS,     /* 2 */
    RANK_IS_STUCK,  /* 3: it waits longest */
    RANK_IS_SLOW    /* it works, and others wait for it */
};

/** Takes in a beat. */
void rank_pulse_take(struct rank_pulse *pulse, const struct rank_beat *beat, uint64_t now_ns);
/** What is so since span_ns; *rank: of which rank, unless all are fine. */
enum rank_verdict rank_watch_judge(const struct rank_pulse *pulses, int count, uint64_t now_ns,
                                   uint64_t span_ns, int *rank);

/* Where the borders between the windows of ranks are to be (struct exchange, cut). Pure. */

/** Each rank gets the rows [cut[r], cut[r + 1]), so that all have about as much to do: the agents of a row cost what an
 * agent of the rank that has the row now costs. Borders move half the way there, since a clock is not exact.
 *
 * works_ns  the time that each rank has worked since the last call; NULL: new borders, all agents cost the same and
 *           nothing stands in `cut` yet
 * agents    by row, of the whole world
 * cut       ranks + 1 entries; cut[0] becomes 0, cut[ranks] `rows` */
void row_cuts_choose(const uint64_t *works_ns, int32_t rows, const uint64_t *agents, int ranks, int32_t *cut);

#endif
