/* The world that is being simulated and what surrounds it: which scenario it is, whether it is paused, how
 * many there were before. The simulation thread's own; commands are applied to it (command_apply.h).
 *
 * `epoch` counts the worlds put on the stage, from 1: a snapshot of an earlier epoch is a snapshot of another
 * world.
 */
#ifndef DROVER_SERVER_COMMANDS_STAGE_H
#define DROVER_SERVER_COMMANDS_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"
#include "server/commands/event_log.h"
#include "server/scenario/staging.h"
#include "server/sim/math/parallel.h"
#include "server/sim/world/world.h"

/** What the names of targets that are cursors begin with; a number follows, from 1. */
#define STAGE_CURSOR "cursor-"

/** Whose cursors stand in the world: cursor-N belongs to session owners[N - 1], 0 for none. A session gets
 * the smallest number that is free when it points for the first time, so names follow from what was asked of
 * the world alone, whatever number a session has. */
struct stage_cursors {
    uint32_t owners[LIMIT_TARGETS];
    uint32_t refused[LIMIT_TARGETS]; /* sessions that were told of the lack of room: the last so many */
    uint32_t refused_count;
};

struct stage {
    struct world *world; /* owned; NULL until the first stage_change */
    char name[LIMIT_NAME_CHARS + 1], title[128], description[512];
    uint32_t epoch;
    bool is_paused;
    uint32_t session; /* whose request is being applied */
    struct stage_cursors cursors;
    struct event_log log;         /* what ticks brought about, not yet told */
    struct staging *arrival;      /* the world that the load being applied puts in; NULL: none; not owned */
    struct parallel parallel;     /* shares out the loops of a tick; the caller alone after stage_init */
    const atomic_bool *is_urgent; /* NULL, or says that the world is not wanted any more; not owned */
    bool is_spoiled; /* a tick was given up half done: only what worlds keep from tick to tick holds */
};

void stage_init(struct stage *stage);
void stage_fini(struct stage *stage);
/** One tick of the world, shared out by stage->parallel, unless it is given up (*is_urgent). */
void stage_step(struct stage *stage);
/** Puts a built world on the stage; the one that was there (NULL at first) is in *staging afterwards. */
void stage_change(struct stage *stage, struct staging *staging);
/** What a viewer must know of it, as of now. */
void stage_describe(const struct stage *stage, struct message_scenario *out);

#endif
