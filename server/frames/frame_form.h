/* The frames of one view, shared by all sessions that have it. Encodes a snapshot at most once, keeps the key
 * of its packed frames.
 *
 * A packed form with a region keeps to the agents of its key as long as they include all agents inside the
 * region; the key has those within a tenth of the region's size around it as well. So agents that cross
 * the border do not ask for a new key each time. An agent that has left for more than FRAME_KEY_REACH asks for one.
 *
 * For readers that can (view.key_changes) a key that differs from the one before in a few agents is made as a change of
 * it; the whole line is made only when a session has not got the one before.
 */
#ifndef DROVER_SERVER_FRAMES_FRAME_FORM_H
#define DROVER_SERVER_FRAMES_FRAME_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "common/base/shared_bytes.h"
#include "common/protocol/message.h"
#include "common/snapshot/snapshot.h"
#include "common/snapshot/snapshot_density.h"
#include "common/snapshot/snapshot_packed.h"

/* What there is, beside a snapshot, of a world that is not copied out whole, since no process has it whole or since it is
 * large: which views its agents are for, and what all agents of the world add up to in the grids of others.
 *
 * Of a world that ranks share in stripes the snapshot has at most about LIMIT_STRIPES_AGENTS agents of a view: of more a
 * sample, or none when the view asks for more of them.
 */

/** A view, and what there is of it. */
struct extract_view {
    struct snapshot_view view;
    uint64_t shown;           /* agents; in a layout with keys those around the region as well */
    uint64_t inside;          /* the same without those around it */
    uint32_t one_in;          /* the snapshot has a sample of them: snapshot_in_sample */
    bool is_left_out;         /* it has none */
    struct density_sums sums; /* with a grid alone */
};

struct snapshot_extract {
    int count;
    struct extract_view views[LIMIT_FORMS];
};

/** Without views; NULL when out of memory. */
NODISCARD struct snapshot_extract *snapshot_extract_create(void);
void snapshot_extract_destroy(struct snapshot_extract *extract);
/** Forgets all views. */
void snapshot_extract_clear(struct snapshot_extract *extract);
/** One more view without agents. snapshot: for the size of the world and the names of its kinds. -1 when out of memory
 * (nothing changes). There are fewer than LIMIT_FORMS. */
NODISCARD int snapshot_extract_add(struct snapshot_extract *extract, const struct snapshot_view *view,
                                   const struct snapshot *snapshot);
/** The view in it; NULL when there is none, or no extract. The speed that frames say makes no difference. */
const struct extract_view *snapshot_extract_find(const struct snapshot_extract *extract,
                                                 const struct snapshot_view *view);
/** Whether there is what the view shows. extract: NULL, where the snapshot has every agent of the world. */
bool snapshot_extract_shows(const struct snapshot_extract *extract, const struct snapshot_view *view);

/* The memory that all frames together take: keys, and frames that are made, wait or are being written.
 *
 * The loop has one for all views. It counts the bytes that slow readers can hold on to, not the world and the
 * snapshot that a frame is made from.
 */

struct frame_memory {
    struct byte_meter held;
    size_t limit; /* bytes */
};

/** Bytes that may still be taken. */
static inline size_t frame_memory_room(const struct frame_memory *memory) {
    const size_t held = memory->held.now;
    return held < memory->limit ? memory->limit - held : 0;
}

/* The ticks that the simulation thread copies out as snapshots: the sum of all subscriptions. A plain value.
 */

enum { SNAPSHOT_SCHEDULE_RATES = 16 };

struct snapshot_schedule {
    int count;                               /* 0: no snapshots */
    uint64_t every[SNAPSHOT_SCHEDULE_RATES]; /* distinct; the ticks that are a multiple of one of them */
    bool forces;                             /* with steering vectors */
    bool parts;                              /* with the parts of forces */
    bool twins;                              /* with twins, while there are any */
    uint64_t explained;                      /* forces: struct subscription; 0 without */
    bool headings;                           /* with headings: an arc tangent an agent */
};

/** What snapshots are to hold beside the usual fields (enum snapshot_field). */
unsigned snapshot_schedule_fields(const struct snapshot_schedule *schedule);
/** Adds a subscription. More than SNAPSHOT_SCHEDULE_RATES different rates become every tick. every >= 1. */
void snapshot_schedule_add(struct snapshot_schedule *schedule, uint64_t every, bool forces);
/** Whether this tick is to be copied out. */
bool snapshot_schedule_wants(const struct snapshot_schedule *schedule, uint64_t tick);
/** Whether one of the ticks after `from`, up to `to`, is. */
bool snapshot_schedule_wants_since(const struct snapshot_schedule *schedule, uint64_t from, uint64_t to);

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
    struct shared_bytes *key; /* packed: the line of the encoder's key; NULL when there is none */
    struct shared_bytes
        *change; /* of the snapshot at hand: how the key came out of the one before; NULL: whole, or none */
    uint64_t change_from; /* the number of that one */
    bool
        wants_key; /* the view has key_changes, and a session without that one is due a frame; the broadcast's mark */
    struct shared_bytes *frame; /* of the snapshot at hand; NULL when it is not made yet */
    struct frame_estimate next; /* of the next frame and key: from the last ones */
    uint32_t one_in;       /* the sample that frame and key show; 0: the frame says none, it has all agents */
    uint64_t of;           /* agents that the view has, with one_in */
    double tried_ms;       /* clock of the snapshot for which a frame was last tried */
    size_t base_bytes;     /* what the memory counts for the encoder's copy of the key's agents */
    bool is_asked;         /* of the snapshot at hand; the broadcast's mark */
    bool is_used, is_read; /* by a subscription, by one that keeps up; the broadcast's marks */
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
/** Makes form->frame, and form->key or form->change when it needs one, unless they are there. false when the limit leaves no
 * room (frame_form_needs says more then) or the system has no memory. */
NODISCARD bool frame_form_make(struct frame_form *form, const struct snapshot *snapshot,
                               struct frame_scratch *scratch);
/** Gives up the key and what belongs to it; the next frame makes another one. */
void frame_form_drop_key(struct frame_form *form, struct frame_scratch *scratch);
/** Drops the frame: another snapshot comes. The key stays. */
void frame_form_clear(struct frame_form *form);

#endif
