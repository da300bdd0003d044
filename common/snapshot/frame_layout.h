/* The layouts of frames: one row each (struct frame_layout).
 *
 * Code that treats layouts differently asks the row; an enumerator is used only to choose a layout by name
 * (tests/checks/layouts.py). A new layout is a line of FRAME_LAYOUTS and its codec.
 */
#ifndef DROVER_COMMON_SNAPSHOT_FRAME_LAYOUT_H
#define DROVER_COMMON_SNAPSHOT_FRAME_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"

/* The row of a layout: the options of a subscription to it, and the functions that write and read its frames.
 *
 * Each layout has one constant of this type, its row, at the end of its codec (snapshot_objects.c,
 * snapshot_packed_decode.c, snapshot_density.c); FRAME_LAYOUTS lists the rows.
 */

struct density;
struct density_sums;
struct packed_decoder;
struct packed_encoder;
struct snapshot;
struct snapshot_view;

enum { FRAME_OPS = 3 };

enum frame_result {
    FRAME_REFUSED = -1, /* *failure says why */
    FRAME_KEY = 0,      /* kept; nothing to show */
    FRAME_READY = 1,    /* there is a frame */
};

/** The memory into which a client reads frames, and the key that it keeps between them. Borrowed. */
struct frame_reader {
    struct packed_decoder *key; /* of this connection */
    struct snapshot *snapshot;
    struct density *density; /* for a layout that takes a grid */
};

/** Writes the frames of a layout that has keys; snapshot_packed.h says what a key is. */
struct frame_key_codec {
    /** Makes the snapshot the key and appends its line. number: not 0, of no earlier key. Failure is
     * out->failed; there is no key then. */
    void (*encode_key)(struct packed_encoder *encoder, const struct snapshot *snapshot, uint64_t number,
                       struct buffer *out);
    /** The whole line of the key once more; a key that changes the one before (packed_encode_change). */
    void (*encode_key_again)(const struct packed_encoder *encoder, struct buffer *out);
    bool (*encode_change)(struct packed_encoder *encoder, const struct snapshot *snapshot, uint64_t number,
                          struct buffer *out);
    /** Appends a frame against the key, which serves the snapshot. false: a new key is due, nothing was
     * appended. Failure is out->failed. */
    bool (*encode_delta)(struct packed_encoder *encoder, const struct snapshot *snapshot, struct buffer *out);
    /** Bytes that an agent takes in a key, about. */
    size_t (*agent_bytes)(unsigned fields);
};

/** A row. Members that do not apply are left out (NULL, 0). */
struct frame_layout {
    const char *ops[FRAME_OPS]; /* `op` of its lines, NULL-ended; none: messages are sent, but no frames */
    unsigned fields;    /* enum snapshot_field that may be asked for; 0: agents are not sent one by one */
    bool takes_grid;    /* `grid` or `cell` may be given; a frame has a density */
    size_t entry_bytes; /* of a column's entry for a cell of the grid, about */
    /** Bytes that an agent takes in a frame, about. With `fields`. */
    size_t (*agent_bytes)(unsigned fields);
    /** With keys. NULL: every frame is whole, and `encode` writes it. */
    const struct frame_key_codec *key;
    /** Appends a frame. snapshot: the agents that the view shows; every agent of the world when the layout
     * has no fields. scratch: memory for a density, used again by the next frame. Failure is out->failed. */
    void (*encode)(const struct snapshot_view *view, const struct snapshot *snapshot, struct density *scratch,
                   struct buffer *out);
    /** The same from the sums of the agents that the view shows, with takes_grid. snapshot: for the time and the targets. */
    void (*encode_sums)(const struct density_sums *sums, const struct snapshot *snapshot,
                        struct density *scratch, struct buffer *out);
    /** Reads a line that begins with one of `ops` (it need not be NUL-terminated) into *reader. FRAME_READY:
     * reader->snapshot is the frame; with takes_grid reader->density is, and the snapshot is of the same
     * moment, with the targets and without agents. FRAME_REFUSED: the contents of both are undefined; their
     * memory can be used again. */
    enum frame_result (*decode)(const struct frame_reader *reader, const char *line, size_t length,
                                struct failure *failure);
};

/** Every layout: its enumerator LAYOUT_..., and its name on the wire, which is also that of its row,
 * frame_layout_... */
#define FRAME_LAYOUTS(ROW)                                                                                   \
    ROW(OBJECTS, objects)                                                                                    \
    ROW(PACKED, packed)                                                                                      \
    ROW(DENSITY, density)                                                                                    \
    ROW(EVENTS, events)

#define FRAME_LAYOUT_ENUMERATOR(constant, name) LAYOUT_##constant,
enum layout { FRAME_LAYOUTS(FRAME_LAYOUT_ENUMERATOR) LAYOUT_COUNT };
#undef FRAME_LAYOUT_ENUMERATOR

/** The row of a layout (enum layout). */
const struct frame_layout *frame_layout_row(int layout);
/** The names, in the order of enum layout; NULL-ended. */
extern const char *const frame_layout_names[];
/** Whether frames are sent. Without, a subscription takes neither a region nor kinds. */
bool frame_layout_has_frames(const struct frame_layout *row);
/** The layout of a line that begins as a frame does, {"op":"snapshot", {"op":"key" ...; NULL when it is no
 * frame. */
const struct frame_layout *frame_layout_of_line(const char *line, size_t length);

#endif
