/* Worlds beside the live one that sessions look at (the request look): each at a moment of the past, on a thread of its own.
 *
 * 1. A look begins with the first request of a session and ends by looks_end, or by itself: then its last message is LOOK_ENDED.
 * 2. A further request of the session takes the place of one that waits. The world goes on from where it is when that is on the
 * way (side_world.h).
 * 3. Frames and answers are made on the look's thread; the loop takes them as messages. At most one frame of a look waits.
 * 4. The worlds together take no more than the bytes of the definition. Frames of each have an allowance of their own.
 */
#ifndef DROVER_SERVER_SIMULATION_LOOKS_H
#define DROVER_SERVER_SIMULATION_LOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/base/shared_bytes.h"
#include "common/protocol/request.h"
#include "common/snapshot/snapshot.h"
#include "server/exchange/command_queue.h"
#include "server/library/past.h"
#include "server/scenario/scenario.h"

enum { LOOKS_MOST = 64 };

struct looks_def {
    struct past *past; /* not owned */
    struct world_overrides overrides;
    int most;                      /* looks at once, 1 to LOOKS_MOST */
    uint64_t bytes;                /* of their worlds together */
    size_t frame_bytes;            /* of the frames of each */
    void (*notify)(void *context); /* messages are ready; any thread */
    void *context;
};

/** What a session sees of its moment. */
struct look_view {
    bool is_active; /* it is subscribed to frames */
    struct snapshot_view view;
    uint64_t every; /* ticks between frames of a moment that goes on */
};

enum look_message_kind { LOOK_ANSWER, LOOK_SCENARIO, LOOK_FRAME, LOOK_ENDED };

/** Owned by who takes it: looks_message_free. */
struct look_message {
    struct look_message *next;
    enum look_message_kind kind;
    uint32_t look; /* its number */
    uint32_t session;
    struct command *command; /* LOOK_ANSWER: the request; owned */
    bool is_first;           /* the same: from here on the session sees the moment */
    char *text;              /* LOOK_ANSWER, LOOK_SCENARIO: the line; owned */
    size_t length;
    struct shared_bytes *key, *frame; /* LOOK_FRAME: a reference each; key: NULL in layouts without */
    uint64_t key_number;
    const char *reason; /* LOOK_ENDED; NULL: it had shown nothing, and ends without an event */
};

struct looks;

/** NULL without memory. */
NODISCARD struct looks *looks_create(const struct looks_def *def);
/** Ends all looks and waits for their threads; answers to what waited can be taken still. */
void looks_stop(struct looks *looks);
/** looks_stop, and frees them. NULL is fine. */
void looks_destroy(struct looks *looks);
/** Gives a request `look` of a session to its look. *number: of the look that it has, 0 for none; of the one that began, afterwards.
 * 0: it is answered by a message; or -1 with *failure (full, busy). */
NODISCARD int looks_move(struct looks *looks, uint32_t *number, const struct command_origin *origin,
                         const struct request *request, const struct look_view *view,
                         struct failure *failure);
/** Gives a query to a look, which answers it of its moment. False: there is none any more, or no memory. */
NODISCARD bool looks_ask(struct looks *looks, uint32_t number, const struct command_origin *origin,
                         const struct request *request);
/** The session's subscription is another one: its next frame is whole. is_untold: it needs the definition of the world again. */
void looks_show(struct looks *looks, uint32_t number, const struct look_view *view, bool is_untold);
/** Ends a look; no message follows but answers to what waits. */
void looks_end(struct looks *looks, uint32_t number);
/** Another world may have been loaded: looks at the one before end. */
void looks_check(struct looks *looks);
/** All messages, oldest first; NULL: there is none. */
struct look_message *looks_take(struct looks *looks);
void looks_message_free(struct look_message *message);

#endif
