/* The frames of one view, shared by all sessions that have it. Encodes a snapshot at most once, keeps the key
 * of its packed frames.
 *
 * A packed form with a region keeps to the agents of its key as long as they include all agents inside the
 * region; the key has those within a tenth of the region's size around it as well. So agents that cross
 * the border do not ask for a new key each time. An agent that has left for more than FRAME_KEY_REACH asks for one.
 */
#ifndef DROVER_SERVER_FRAMES_FRAME_FORM_H
#define DROVER_SERVER_FRAMES_FRAME_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "common/base/shared_bytes.h"
#include "common/protocol/message.h"
#include "common/snapshot/snapshot.h"
#include "common/snapshot/snapshot_density.h"
#include "common/snapshot/snapshot_packed.h"
#include "common/snapshot/snapshot_view.h"
#include "server/frames/frame_memory.h"
#include "server/frames/snapshot_extract.h"

/** How far from its region an agent of a key may be, in shares of the region's size. */
#define FRAME_KEY_REACH 0.3

/** Memory that is used while a frame is made; shared by all forms. */
struct frame_scratch {
    struct snapshot *selected; /* NULL until it is needed */
    int32_t *rows;
    int32_t row_capacity;
    struct density density;
    uint64_t last_key;                      /* the highest number of a key so far */
    const struct snapshot_extract *extract; /* of the snapshot at hand, or NULL; not owned. The caller of
                                               frame_form_make sets it */
    struct frame_memory memory;
};

/** What frames of a view are likely to take, in bytes. */
struct frame_estimate {
    size_t frame, key;             /* key: 0 when there is none */
    size_t agent_frame, agent_key; /* of each agent in it */
};

struct frame_form {
    struct snapshot_view view;
    struct packed_encoder packed;
    struct shared_bytes *key;   /* packed: the line of the encoder's key; NULL when there is none */
    struct shared_bytes *frame; /* of the snapshot at hand; NULL when it is not made yet */
    struct frame_estimate next; /* of the next frame and key: from the last ones */
    double tried_ms;            /* clock of the snapshot for which a frame was last tried */
    size_t base_bytes;          /* what the memory counts for the encoder's copy of the key's agents */
    bool is_asked;              /* of the snapshot at hand; the broadcast's mark */
    bool is_used, is_read;      /* by a subscription, by one that keeps up; the broadcast's marks */
};

/** memory_limit: bytes that frames may take together. */
void frame_scratch_init(struct frame_scratch *scratch, size_t memory_limit);
void frame_scratch_fini(struct frame_scratch *scratch);
/** NULL when memory is short. */
NODISCARD struct frame_form *frame_form_create(const struct snapshot_view *view,
                                               const struct frame_estimate *estimate);
/** From how many agents of its kinds there are, evenly over the world. */
struct frame_estimate frame_form_estimate(const struct snapshot_view *view,
                                          const struct message_scenario *scenario);
/** Bytes for which there must be room before frame_form_make, as an estimate. */
size_t frame_form_needs(const struct frame_form *form);
void frame_form_destroy(struct frame_form *form, struct frame_scratch *scratch);
/** Makes form->frame, and form->key when it needs one, unless they are there. false when the limit leaves no
 * room (frame_form_needs says more then) or the system has no memory. */
NODISCARD bool frame_form_make(struct frame_form *form, const struct snapshot *snapshot,
                               struct frame_scratch *scratch);
/** Gives up the key and what belongs to it; the next frame makes another one. */
void frame_form_drop_key(struct frame_form *form, struct frame_scratch *scratch);
/** Forgets the frame: another snapshot comes. The key stays. */
void frame_form_forget(struct frame_form *form);

#endif
