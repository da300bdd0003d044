/* A checkpoint in parts: of a world that ranks share, each writes what it has of the agents. Pure.
 *
 *     head    the checkpoint line (checkpoint.h) without the columns by slot and without the order of slots, but with
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
 * 3. Reading trusts nothing, as checkpoint.h says.
 */
#ifndef DROVER_SERVER_RECORDING_CHECKPOINT_PART_H
#define DROVER_SERVER_RECORDING_CHECKPOINT_PART_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/sim/world/world_image.h"

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

/** What the parts that were read have left for the order of slots. */
struct checkpoint_assembly {
    int32_t agents;          /* of the whole world */
    unsigned char *is_there; /* owned; by row */
    int32_t *row;            /* owned; by slot, `slots` of them so far */
    int32_t slots;
    int32_t *counts; /* owned; by cell */
    size_t cells;
};

/** 0, or -1 without memory. Empty either way. */
NODISCARD int checkpoint_assembly_init(struct checkpoint_assembly *assembly, int32_t agents);
void checkpoint_assembly_fini(struct checkpoint_assembly *assembly);

/** Puts the agents of a part into a world that is being restored and has its columns by row.
 *
 * part      which one it must be
 * facts     what it must have
 * returns   0; or -1 with *failure: bad_save, with the part's number and the place ("part 2: columns.motion[17]"), or
 *           busy (memory) */
NODISCARD int checkpoint_part_read(struct world *world, const char *bytes, size_t length,
                                   const struct checkpoint_part *part,
                                   const struct checkpoint_part_facts *facts,
                                   struct checkpoint_assembly *assembly, struct failure *failure);

#endif
