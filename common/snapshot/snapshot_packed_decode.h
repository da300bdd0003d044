/* Reads the keys and deltas of the packed layout.
 *
 * 1. Whatever bytes come, nothing is read or written outside its arrays: lengths, counts, indices, the order
 * of ids and the numbers of keys are checked, and a line that breaks a rule is refused as a whole.
 * 2. A key that was refused leaves no key; a delta that was refused leaves the key as it was.
 * 3. One decoder a connection. It owns a copy of the key.
 */
#ifndef DROVER_COMMON_SNAPSHOT_SNAPSHOT_PACKED_DECODE_H
#define DROVER_COMMON_SNAPSHOT_SNAPSHOT_PACKED_DECODE_H

#include <stddef.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/snapshot/frame_codec.h"
#include "common/snapshot/snapshot.h"

struct packed_decoder;

/** NULL when out of memory. */
NODISCARD struct packed_decoder *packed_decoder_create(void);
void packed_decoder_destroy(struct packed_decoder *decoder);
/** Reads one line (text need not be NUL-terminated). The snapshot's name tables grow, as with
 * snapshot_decode; columns of fields that the subscription left out hold zeros. */
NODISCARD enum frame_result packed_decode(struct packed_decoder *decoder, const char *line, size_t length,
                                          struct snapshot *snapshot, struct failure *failure);
/** Forgets the key: another connection. */
void packed_decoder_reset(struct packed_decoder *decoder);

#endif
