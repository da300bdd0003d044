/* The "packed" layout, writing: a key with the agents' values, deltas against it, as base64 columns of
 * little-endian integers inside JSON. Reading is the second half; protocol.md describes the lines.
 *
 * 1. The integers are those of the objects layout: both agree exactly.
 * 2. A delta is against the key, never against another delta: any subset of a key's deltas can be decoded.
 * 3. A difference beyond 16 bits goes into the column's far list, as index and value. When more than a tenth
 * of a column does, a new key is due.
 * 4. Forces have no part in the key: they are whole values in each delta.
 * 5. A key may also be sent as a change of the key before it: who is gone, who came. The others stay as that has them.
 */
#ifndef DROVER_COMMON_SNAPSHOT_SNAPSHOT_PACKED_H
#define DROVER_COMMON_SNAPSHOT_SNAPSHOT_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/snapshot/frame_layout.h"
#include "common/snapshot/snapshot.h"

enum { PACKED_KEY_MS = 5000 }; /* a key older than this (server's clock) is replaced */

/** The key against which the deltas of one view are formed. */
struct packed_encoder {
    uint64_t number;        /* of the key; 0: there is none yet */
    unsigned fields;        /* enum snapshot_field; SNAPSHOT_SHARES has no place here */
    struct snapshot *base;  /* NULL after packed_encoder_reset, until the next key */
    struct snapshot *spare; /* NULL until a key changes */
    int32_t *pairs;         /* scratch: index and value of far agents */
    int32_t pair_capacity;
};

enum packed_result { PACKED_OK, PACKED_TOO_FAR };

/** No key yet. 0, or -1 when out of memory. */
NODISCARD int packed_encoder_init(struct packed_encoder *encoder, unsigned fields);
void packed_encoder_fini(struct packed_encoder *encoder);
/** Gives up the key and the memory that it takes. */
void packed_encoder_reset(struct packed_encoder *encoder);
/** Memory that the encoder holds, in bytes. */
size_t packed_encoder_bytes(const struct packed_encoder *encoder);
/** Whether there is a key of this world with exactly these agents, young enough. */
bool packed_key_serves(const struct packed_encoder *encoder, const struct snapshot *snapshot);
/** Makes the snapshot the key and appends its line. number: not 0, of no earlier key. Failure is out->failed;
 * there is no key then. */
void packed_encode_key(struct packed_encoder *encoder, const struct snapshot *snapshot, uint64_t number,
                       struct buffer *out);
/** The whole line of the key that there is, once more. Failure is out->failed. */
void packed_encode_key_again(const struct packed_encoder *encoder, struct buffer *out);
/** Makes a key of the snapshot's agents from the key that there is, and appends what changed: the line of who came, with
 * who is gone. number: as of packed_encode_key. False: there is none of this world, it is too old, or a tenth of its agents
 * came or went (nothing changes). Failure is out->failed; there is no key then. */
NODISCARD bool packed_encode_change(struct packed_encoder *encoder, const struct snapshot *snapshot,
                                    uint64_t number, struct buffer *out);
/** Appends the line of a snapshot that the key serves. PACKED_TOO_FAR: nothing was appended, make it the key
 * first (then it never is). Failure is out->failed. */
NODISCARD enum packed_result packed_encode_delta(struct packed_encoder *encoder,
                                                 const struct snapshot *snapshot, struct buffer *out);

/* Reads the keys and deltas of the packed layout.
 *
 * 1. Whatever bytes come, nothing is read or written outside its arrays: lengths, counts, indices, the order
 * of ids and the numbers of keys are checked, and a line that breaks a rule is refused as a whole.
 * 2. A key, whole or a change, that was refused leaves no key; a delta that was refused leaves the key as it was.
 * 3. One decoder a connection. It owns a copy of the key.
 */

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
