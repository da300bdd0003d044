/* One form of frames: what everybody with the same view gets. Encodes a snapshot at most once, keeps the key
 * of its packed frames.
 *
 * A packed form with a region keeps to the agents of its key for as long as everybody inside the region is
 * among them; the key has those within a tenth of the region's size around it as well. So agents that cross
 * the border do not ask for a new key each time.
 */
#ifndef DROVER_SERVER_FRAME_FORM_H
#define DROVER_SERVER_FRAME_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/nodiscard.h"
#include "common/shared_bytes.h"
#include "common/snapshot.h"
#include "common/snapshot_density.h"
#include "common/snapshot_packed.h"
#include "common/snapshot_view.h"

/** What making frames needs for a moment; shared by all forms. */
struct frame_scratch {
    struct snapshot *selected; /* NULL until it is needed */
    int32_t *rows;
    int32_t row_capacity;
    struct density density;
    uint64_t last_key; /* the highest number of a key so far */
};

struct frame_form {
    struct snapshot_view view;
    struct packed_encoder packed;
    struct shared_bytes *key;   /* packed: the line of the encoder's key; NULL when there is none */
    struct shared_bytes *frame; /* of the snapshot at hand; NULL when it is not made yet */
    size_t last_bytes;          /* of the last frame: a guess at the next */
    bool is_used;               /* by a subscription; the broadcast's mark */
};

void frame_scratch_init(struct frame_scratch *scratch);
void frame_scratch_fini(struct frame_scratch *scratch);
/** NULL when memory is short. */
NODISCARD struct frame_form *frame_form_create(const struct snapshot_view *view);
void frame_form_destroy(struct frame_form *form);
/** Makes form->frame, and form->key when it needs one, unless they are there. false when memory is short. */
NODISCARD bool frame_form_make(struct frame_form *form, const struct snapshot *snapshot,
                               struct frame_scratch *scratch);
/** Forgets the frame: another snapshot comes. The key stays. */
void frame_form_forget(struct frame_form *form);

#endif
