/* A snapshot: the state of the world after one tick as plain arrays of integers, and its wire form.
 *
 * The server copies it out of the world and encodes it; the viewer decodes it. Positions and velocities are
 * integers in hundredths (px, px/s; headings in degrees, 0.00 .. 359.99), so every layout agrees exactly.
 */
#ifndef DROVER_COMMON_SNAPSHOT_SNAPSHOT_H
#define DROVER_COMMON_SNAPSHOT_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/text/names.h"

/** The fields of an agent beside its id; a subscription chooses among them. */
enum snapshot_field {
    SNAPSHOT_POS = 1,
    SNAPSHOT_VEL = 2,
    SNAPSHOT_HEADING = 4,
    SNAPSHOT_STATE = 8,
    SNAPSHOT_KIND = 16,
    SNAPSHOT_STAMINA = 32,
    SNAPSHOT_FORCE = 64,    /* the steering force */
    SNAPSHOT_DESIRED = 128, /* the desired velocity */
    SNAPSHOT_SHARES = 256,  /* each behavior's part of the force; layout objects only */
    SNAPSHOT_PARTS = 512,   /* the parts of those shares that have some; layout objects only, with SHARES */
    SNAPSHOT_TWIN = 1024,   /* where the agent's twin is, while there is a comparison */
    SNAPSHOT_USUAL = 31,    /* when nothing is chosen */
    SNAPSHOT_FORCES = SNAPSHOT_FORCE | SNAPSHOT_DESIRED | SNAPSHOT_SHARES,
};

#define SNAPSHOT_NO_TWIN INT32_MIN

/** A vector in hundredths of its unit. */
struct snapshot_vector {
    int32_t x, y;
};

/** One behavior's share of an agent's steering force. */
struct snapshot_share {
    uint16_t behavior;            /* index in behavior_names ("seek", "flee", "seek2") */
    struct snapshot_vector force; /* mass*px/s^2, after weighting and truncation */
};

/** A part of a behavior's share: one of flock's three rules. The parts of a share add up to it. */
struct snapshot_part {
    uint16_t behavior, part;      /* indices in behavior_names ("flock") and part_names ("separation") */
    struct snapshot_vector force; /* mass*px/s^2, after weighting */
};

/** The columns of every snapshot, X(type, name). */
#define SNAPSHOT_COLUMNS(X)                                                                                  \
    X(uint32_t, id)                                                                                          \
    X(uint16_t, kind)  /* index in kind_names */                                                             \
    X(uint16_t, state) /* index in state_names */                                                            \
    X(int32_t, x)      /* hundredths of px */                                                                \
    X(int32_t, y)                                                                                            \
    X(int32_t, vx) /* hundredths of px/s */                                                                  \
    X(int32_t, vy)                                                                                           \
    X(int32_t, heading) /* hundredths of a degree, 0..35999, from +x towards +y (clockwise on a screen) */   \
    X(int32_t, stamina) /* hundredths */

/** Agents are in ascending order of id. Arrays are owned by the snapshot and hold `capacity` (agents), shares
 * `share_capacity`, parts `part_capacity` entries. */
struct snapshot {
    uint64_t tick;
    double time_s;   /* simulated time, tick / tick_hz */
    double clock_ms; /* the server's monotonic clock when the tick ended */
    bool has_speed;  /* the frame says the speed of the world's time (struct message_pace): */
    double speed;
    uint32_t one_in,
        of; /* a decoded frame: it has one in so many of `of` agents that its view has; 0: not said */
    uint64_t clock_tick; /* clock_ms in ticks: those of a world that ran all the time; not on the wire */
    uint32_t epoch;      /* counts loaded scenarios; not on the wire */
    bool has_forces;
    unsigned fields;     /* enum snapshot_field: what is there; the columns of others hold zeros */
    float width, height; /* px, of the world; not on the wire */
    bool wraps;          /* its edges are joined; not on the wire */

    int32_t count, capacity;
#define SNAPSHOT_MEMBER(type, name) type *name;
    SNAPSHOT_COLUMNS(SNAPSHOT_MEMBER)
#undef SNAPSHOT_MEMBER
    struct snapshot_vector *desired;  /* has_forces: desired velocity, px/s */
    struct snapshot_vector *steering; /* has_forces: total steering force after truncation, mass*px/s^2 */
    int32_t *share_begin; /* has_forces: agent i owns shares [share_begin[i], share_begin[i + 1]) */
    struct snapshot_share *shares;
    int32_t share_count, share_capacity;
    int32_t *part_begin; /* snapshot_has_parts: agent i owns parts [part_begin[i], part_begin[i + 1]) */
    struct snapshot_part *parts; /* those of a behavior one after the other */
    int32_t part_count, part_capacity;

    struct snapshot_vector *twins; /* SNAPSHOT_TWIN: px; x is SNAPSHOT_NO_TWIN of an agent that has none */
    int32_t twin_capacity;

    int32_t target_count;
    uint16_t target_name[LIMIT_TARGETS]; /* index in target_names */
    int32_t target_x[LIMIT_TARGETS], target_y[LIMIT_TARGETS];

    struct name_table kind_names, state_names, behavior_names, part_names, target_names;
};

/** Empty; owns nothing yet. Large (name tables): keep it on the heap. */
NODISCARD struct snapshot *snapshot_create(void);
void snapshot_destroy(struct snapshot *snapshot);
/** Room for count agents, and share_count shares when has_forces. -1 when out of memory (nothing changes). */
NODISCARD int snapshot_reserve(struct snapshot *snapshot, int32_t count, int32_t share_count,
                               bool has_forces);

/** Room for so many parts of the shares of the agents that there is room for; after snapshot_reserve with has_forces.
 * -1 when out of memory (nothing changes). */
NODISCARD int snapshot_reserve_parts(struct snapshot *snapshot, int32_t part_count);

/** Room for the twins of its agents, after snapshot_reserve; none has one yet. -1 when out of memory (nothing changes). */
NODISCARD int snapshot_reserve_twins(struct snapshot *snapshot);

static inline bool snapshot_has_twins(const struct snapshot *snapshot) {
    return (snapshot->fields & (unsigned)SNAPSHOT_TWIN) != 0;
}

/** Whether the parts of shares are there. */
static inline bool snapshot_has_parts(const struct snapshot *snapshot) {
    return snapshot->has_forces && (snapshot->fields & (unsigned)SNAPSHOT_PARTS) != 0;
}

/** Memory that the arrays of a snapshot with so many agents and shares take, in bytes. */
size_t snapshot_bytes(int32_t count, int32_t share_count, bool has_forces);

/** Copies everything, or the agents of `count` rows (ascending), into another snapshot. -1 when out of
 * memory.
 */
NODISCARD int snapshot_copy(const struct snapshot *from, struct snapshot *to);
NODISCARD int snapshot_select(const struct snapshot *from, const int32_t *rows, int32_t count,
                              struct snapshot *to);

/** Appends the "objects" line with its newline, with these fields (enum snapshot_field). Forces of a snapshot without them
 * are left out. Failure is out->failed. */
void snapshot_encode_fields(const struct snapshot *snapshot, unsigned fields, struct buffer *out);

/** Reads an objects line (text need not be NUL-terminated). Accepts any member order and unknown members;
 * refuses wrong types, non-finite and out-of-range numbers, more than LIMIT_AGENTS agents. The name tables
 * grow: indices stay valid from snapshot to snapshot. On failure the snapshot's contents are undefined but it
 * may be reused or destroyed. */
NODISCARD int snapshot_decode(const char *line, size_t length, struct snapshot *snapshot,
                              struct failure *failure);

/* A view: everything in a subscription that decides the bytes of its frames. Plain value.
 *
 * Two equal views get the same bytes, so a frame is encoded once for all of them.
 */

struct snapshot_view {
    int layout;      /* enum layout */
    unsigned fields; /* enum snapshot_field */
    bool has_region;
    float region[4];                                  /* px: x, y, width, height */
    char kinds[LIMIT_KINDS * (LIMIT_NAME_CHARS + 1)]; /* names with a blank between them; "": every kind */
    float grid[2];                                    /* density: columns and rows; 0: by `cell` */
    float cell;                                       /* density: px; 0: by `grid` */
    bool by_kind, mean_speed;                         /* density: has these as well */
    bool has_speed;                                   /* frames say the speed of the world's time */
    bool key_changes;                                 /* packed: keys may come as changes of the one before */
    uint32_t most; /* about so many agents: of more a sample; 0: all of them, and frames do not say it */
};

/** A rectangle in hundredths of px. */
struct snapshot_box {
    int64_t x, y, width, height;
};

/** Which agents a view shows, in a given world. */
struct snapshot_filter {
    bool is_all; /* every agent: nothing below matters */
    bool has_box;
    struct snapshot_box box;
    int64_t wrap_x, wrap_y;          /* hundredths of px: size of a wrapping world; 0: it does not wrap */
    bool kinds[NAME_TABLE_CAPACITY]; /* by index in kind_names */
    uint32_t one_in;                 /* those of a sample; 0 and 1: all */
};

/** Whether an agent is in the sample that has one in n agents, n a power of two: the last bits of its mixed id decide (the
 * finalizer of MurmurHash3, Appleby 2011). So each sample has all agents of smaller ones, and agents that a source or a
 * formation made one after the other are thinned out evenly. */
static inline bool snapshot_in_sample(uint32_t id, uint32_t one_in) {
    if (one_in <= 1) {
        return true;
    }
    uint32_t mixed = (id ^ (id >> 16)) * UINT32_C(0x85EBCA6B);
    mixed = (mixed ^ (mixed >> 13)) * UINT32_C(0xC2B2AE35);
    return ((mixed ^ (mixed >> 16)) & (one_in - 1)) == 0;
}

/** The sample that shows at most about `most` of so many agents: 1, 2, 4 ... before: the last one of the view, or 0; it stays
 * as long as the next larger one would have more than three quarters of `most`, so that a count that goes up and down does not
 * change it each time. */
uint32_t snapshot_choose_sample(uint64_t agents, uint64_t most, uint32_t before);

bool snapshot_view_equals(const struct snapshot_view *a, const struct snapshot_view *b);
/** Whether `kinds` has this name, or is empty. */
bool snapshot_view_has_kind(const struct snapshot_view *view, const char *name);
/** Resolves region and kinds for the snapshot's world. margin: of the region's size, added on each side. */
void snapshot_view_filter(const struct snapshot_view *view, const struct snapshot *snapshot, double margin,
                          struct snapshot_filter *out);
bool snapshot_filter_passes(const struct snapshot_filter *filter, const struct snapshot *snapshot,
                            int32_t row);
/** The rows that pass, ascending; `rows` has room for all. Returns how many. */
int32_t snapshot_filter_rows(const struct snapshot_filter *filter, const struct snapshot *snapshot,
                             int32_t *rows);

/** Adds "speed", or "one_in" and "of", to the whole line of a frame, as its last members: in every layout alike. Failure is
 * out->failed. */
void snapshot_view_add_speed(double speed, struct buffer *out);
void snapshot_view_add_sample(uint32_t one_in, uint64_t of, struct buffer *out);

/** How far past the start of an interval, the short way round when the world wraps (size > 0). */
static inline int64_t snapshot_offset(int64_t value, int64_t start, int64_t size) {
    int64_t offset = value - start;
    if (size > 0 && (offset < 0 || offset >= size)) {
        offset += offset < 0 ? size : -size; /* far enough nearly always, without a division */
        if (offset < 0 || offset >= size) {
            offset %= size;
            offset += offset < 0 ? size : 0;
        }
    }
    return offset;
}

#endif
