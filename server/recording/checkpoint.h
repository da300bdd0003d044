/* A world and what belongs to it as one line of a recording, and back. Pure.
 *
 * 1. Writing only reads: it never sorts and never changes the future.
 * 2. A checkpoint is complete: the world that is read back has the same hash, and with the same requests every
 * later one (property.time_travel).
 * 3. Columns are little-endian arrays in base64, floats as their bits. A column whose entries are all as a new agent
 * has them is left out.
 * 4. Reading trusts nothing: numbers are checked before anything is allocated, references before they are used; the
 * hash of the world that was built must be the line's.
 */
#ifndef DROVER_SERVER_RECORDING_CHECKPOINT_H
#define DROVER_SERVER_RECORDING_CHECKPOINT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/commands/simulation_state.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world_image.h"

/* A checkpoint in parts: of a world that ranks share, each writes what it has of the agents. Pure.
 *
 *     head    the checkpoint line without the columns by slot and without the order of slots, but with
 *             "parts":[{"agents":N,"bytes":B,"sum":"16 hexadecimal digits"},…], and in "order" with `drift` alone
 *     part    a line of JSON, and behind its newline blocks of bytes: little-endian numbers
 *
 *         {"op":"part","format":1,"part":0,"of":2,"tick":T,"seq":S,"hash":"…","agents":N,
 *          "blocks":{"row":4N,"motion":16N,…,"cells":4C}}
 *
 * `blocks` has the bytes of each block, in their order. row: the agents' rows, in the order of slots; the columns by
 * slot that are not as new agents have them, entry by entry in that order; cells, where drift is not 0: how many agents
 * each cell has, of the cells that the part is about. Parts follow one another as their slots and cells do.
 *
 * 1. Any number of ranks, or one process, reads any number of parts: agents are found by their rows.
 * 2. The line is the authority: a part with another length or sum, or of another checkpoint, is refused by name.
 * 3. Reading trusts nothing, as with a checkpoint in one piece.
 */

enum { CHECKPOINT_PART_FORMAT = 1, CHECKPOINT_PARTS_MAX = 1024 };

/** Which part of which checkpoint. Plain value. */
struct checkpoint_part {
    uint32_t number, count; /* 0 <= number < count */
    uint64_t tick, seq, hash;
};

/** What the checkpoint line says of a part. Plain value. */
struct checkpoint_part_facts {
    uint64_t agents, bytes, sum;
};

/** Appends a part: the agents of these slots. Only reads. Failure is out->failed. */
void checkpoint_part_write(const struct world *world, const struct image_slots *slots,
                           const struct checkpoint_part *part, struct buffer *out);
/** The sum of a part's bytes, its line included. */
uint64_t checkpoint_part_sum(const char *bytes, size_t length);

/** Where the parts of a checkpoint come from. Both return 0, or -1 with *failure. */
struct checkpoint_parts {
    void *context;
    /** Begins with the part of this number, from 0; *length receives its bytes. */
    int (*open)(void *context, uint32_t number, uint64_t *length, struct failure *failure);
    /** Bytes [at, at + size) of the part that was begun last, which has them. */
    int (*read)(void *context, uint64_t at, void *bytes, size_t size, struct failure *failure);
};

/** What the parts that were read have brought. */
struct checkpoint_assembly {
    int32_t agents;          /* of the whole world */
    int32_t begin, end;      /* of all slots of all parts, those whose agents are put in */
    unsigned char *is_there; /* owned; a bit a row */
    int32_t slots, cells;    /* so far */
    int32_t in_cells;        /* agents of parts that have cells */
};

/** share: of so many shares of the agents the one that is put in. 0, or -1 without memory; checkpoint_assembly_fini is due in
 * both cases. */
NODISCARD int checkpoint_assembly_init(struct checkpoint_assembly *assembly, int32_t agents, int share,
                                       int shares);
void checkpoint_assembly_fini(struct checkpoint_assembly *assembly);

/** Checks a part, and puts those of its agents that are in the share into a world that is being restored by slot and has its
 * columns by row. A part is read piece by piece.
 *
 * part      which one it must be
 * facts     what it must have
 * returns   0; or -1 with *failure: bad_save, with the part's number and the place ("part 2: columns.motion[17]"), or
 *           busy (memory) */
NODISCARD int checkpoint_part_read(struct world *world, const struct checkpoint_parts *parts,
                                   const struct checkpoint_part *part,
                                   const struct checkpoint_part_facts *facts,
                                   struct checkpoint_assembly *assembly, struct failure *failure);

enum { CHECKPOINT_FORMAT = 1 };

/** What of a simulation state is written beside its world. Plain value. */
struct checkpoint_rest {
    uint64_t seq;
    bool is_paused;
    struct state_cursors cursors; /* owners alone; refused sessions are not kept */
    struct event_log log;         /* its second, taken and left_out; no events wait at a tick boundary */
    const char *
        text; /* of the scenario where an edit has made it another one than the world line's; otherwise NULL. Not owned, and not
                         read */
    size_t text_length;
};

/** What goes beside the world of this state now. */
struct checkpoint_rest checkpoint_rest_of(const struct simulation_state *state);

/** Appends the line with its newline. The world's own thread may go on with another world, such as a clone. Failure
 * is out->failed (the buffer's limit, or memory). hash: NULL, or receives the hash that the line states. */
void checkpoint_write(const struct world *world, const struct checkpoint_rest *rest, struct buffer *out,
                      uint64_t *hash);

/** The head of a checkpoint in parts: all but the list of its parts. Looks at no agent by slot.
 * hash: the world's, which ranks have made together. */
void checkpoint_write_head(const struct world *world, const struct checkpoint_rest *rest, uint64_t hash,
                           struct buffer *out);
/** Ends the line of a head with the list of its parts and a newline. */
void checkpoint_end_head(const struct checkpoint_part_facts *parts, int count, struct buffer *out);

/** Builds the world of a checkpoint line (without its newline).
 *
 * scenario   read from the text of the world line that the checkpoint belongs to; its agents are not placed
 * overrides  seed and rate are not taken from it: they are the checkpoint's
 * given_up   NULL, or ends it early when it becomes true
 * returns    0: *out as built_world_make, *rest; or -1 with *failure: bad_save with the place
 *            ("order.row[17]"; a checkpoint in parts), busy (memory, given up). Then *out is empty */
NODISCARD int checkpoint_read(const char *line, size_t length, const struct scenario *scenario,
                              const struct world_overrides *overrides, const atomic_bool *given_up,
                              struct built_world *out, struct checkpoint_rest *rest, struct failure *failure);

/** The same of a checkpoint that may be in parts. parts: NULL, or where they come from. With overrides->stripes a world in parts is
 * deferred (world_is_deferred): of the share of overrides->stripes_rank alone, and with the hash that the line states, which is to be
 * compared once the ranks have joined it. */
NODISCARD int checkpoint_read_parts(const char *line, size_t length, const struct scenario *scenario,
                                    const struct checkpoint_parts *parts,
                                    const struct world_overrides *overrides, const atomic_bool *given_up,
                                    struct built_world *out, struct checkpoint_rest *rest,
                                    struct failure *failure);

/** Puts a world that was read into the state (simulation_state_change), with all that belongs to it; *built has the
 * former one afterwards. A load into a running state goes on with that state's seq: its caller puts it into a copy of
 * *rest. */
void checkpoint_restore(struct simulation_state *state, struct built_world *built,
                        const struct checkpoint_rest *rest);

/** What goes with the world that is in the state now, but for the number of changes and the pause. */
void checkpoint_restore_rest(struct simulation_state *state, const struct checkpoint_rest *rest);

/** A saved world is a recording of three lines: drover, world, checkpoint. Saves and the checkpoints of a state folder
 * are such files. Appends them. scenario, text: of the state whose world it is. */
void saved_world_write(const struct world *world, const struct checkpoint_rest *rest, const char *scenario,
                       const char *text, size_t text_length, struct buffer *out, uint64_t *hash);
/** Where the last line of a head begins, and the sum of the line before. */
struct saved_world_head {
    size_t begin;
    uint32_t sum;
};
/** The same of a checkpoint in parts, up to where saved_world_end_head goes on. */
void saved_world_write_head(const struct world *world, const struct checkpoint_rest *rest,
                            const char *scenario, const char *text, size_t text_length, uint64_t hash,
                            struct buffer *out, struct saved_world_head *head);
void saved_world_end_head(struct saved_world_head *head, const struct checkpoint_part_facts *parts, int count,
                          struct buffer *out);
/** Reads the first three lines of a saved world (further lines are not looked at). As checkpoint_read; out->core says
 * whose core it is, if not this one's: such a world goes on by the rules of this core. It is refused (version) when its
 * hash does not come out. */
NODISCARD int saved_world_read(const char *text, size_t length, const struct world_overrides *overrides,
                               const atomic_bool *given_up, struct built_world *out,
                               struct checkpoint_rest *rest, struct failure *failure);

#endif
