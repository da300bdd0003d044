/* A world as plain values, for those that write it down and read it again.
 *
 * What decides the future (docs/architecture.md) is the definition, the values of struct world_image, the targets,
 * obstacles and parameters, the columns of agents and, where agents have kept their slots for some ticks, the order of
 * these slots. Taking them out changes nothing: it never sorts.
 *
 * Columns follow the list in world_columns.h: those that are `saved`, a struct as one column for each of its members
 * (world_image.c). An entry is `count` numbers of `width` bytes, integers or the bits of floats, in this machine's
 * order.
 *
 * A world is restored in this order:
 *
 *     world_restore_begin   the definition, its targets and obstacles as they were, and the image
 *     world_restore_param, world_restore_kind   for each kind
 *     world_restore_ids
 *     world_image_put       for each column, in order
 *     world_restore_sort
 *     world_restore_order   where drift is not 0
 *     or, where the image is by slot: world_image_put for the columns by row; then for some agents after others
 *     world_restore_slots, world_image_put_slots for the columns by slot; world_restore_arrange
 *     world_restore_end
 *
 * Every value is checked where it is put in, so that no world comes out whose ticks would go wrong. When a value is
 * refused, what is left is world_destroy.
 */
#ifndef DROVER_SERVER_SIM_WORLD_WORLD_IMAGE_H
#define DROVER_SERVER_SIM_WORLD_WORLD_IMAGE_H

#include "server/sim/world/world.h"

/** What there is one of, beside the definition. Plain value. */
struct world_image {
    uint64_t tick;
    uint32_t next_id, next_obstacle;
    int32_t agent_count;
    bool is_pure_flock; /* agents face where they go; only those at rest have a heading of their own */
    float drift;        /* px: how far agents may have drifted in their slots; 0: slots are not part of it */
    bool is_by_slot;    /* restoring: agents get their slots by world_restore_slots */
};
struct world_image world_image_of(const struct world *world);

/** The most bytes of an entry. */
enum { WORLD_ENTRY_BYTES = 16 };

struct image_column {
    const char *name; /* "wander", "aim_point"; static */
    uint8_t width, count;
    bool is_float; /* otherwise integers */
    bool is_signed;
    bool is_partial; /* some agents may have no entry */
    bool
        is_by_slot; /* of ranks that share a world in stripes, each has the entries of its own agents alone */
};

/** The columns, from 0; false behind the last. */
bool world_image_column(int index, struct image_column *out);
/** How many agents have an entry: all; in "own_body" those with a body of their own; in "heading" of a pure flock
 * those at rest. */
int32_t world_image_entries(const struct world *world, int column);

/** Whether the column may be left out: no agent has an entry, or what a new agent has is allowed. */
bool world_image_may_be_initial(const struct world *world, int column);

/** Where in a column taking or putting has got. Begins with row and entry 0. */
struct image_cursor {
    int column;
    int32_t row, entry;
};
/** Takes the next entries by row, at most `most`; returns how many; 0 at the end. */
int32_t world_image_take(const struct world *world, struct image_cursor *cursor, void *entries, int32_t most);

/** Agents that lie side by side: those in slots [begin, end). Where drift is not 0, and the agents are sorted into
 * cells, they are those of the cells [first_cell, end_cell). */
struct image_slots {
    int32_t begin, end, first_cell, end_cell;
};
/** The slots that make the whole of a world in one process; those of its own agents where ranks share it. */
struct image_slots world_image_own(const struct world *world);
/** By slot its row. Owned by the world. */
const int32_t *world_image_rows(const struct world *world);
/** The columns that have an entry which is not as a new agent has it: bit i for column i. Of columns by slot the agents
 * of these slots are looked at, of columns by row all agents, and none unless with_rows. */
uint64_t world_image_changed(const struct world *world, const struct image_slots *slots, bool with_rows);
/** Takes the next entries of a column by slot, at most `most`, of the agents of these slots; the cursor begins with row
 * 0, which here counts slots from slots->begin on. Returns how many; 0 at the end. */
int32_t world_image_take_slots(const struct world *world, const struct image_slots *slots,
                               struct image_cursor *cursor, void *entries, int32_t most);

/** The ids from a row on: the first, and how many follow one another. False behind the last. */
bool world_image_ids(const struct world *world, int32_t *row, uint32_t *first, uint32_t *count);

/** The order of slots, where drift is not 0: by slot its row, and by cell its first slot (one more entry than
 * *cells). Owned by the world. */
struct image_order {
    const int32_t *row, *begin;
    int32_t cells;
};
struct image_order world_image_order(const struct world *world);

const struct target_def *world_image_target(const struct world *world, int target);
struct aim world_image_aim(const struct world *world, int kind);
/** Whether agents of the kind never had stamina. */
bool world_image_is_tireless(const struct world *world, int kind);

/** What sources and sinks have done: how many have been due and have come, by source; how many have left, by sink. */
struct image_turnover {
    uint32_t limit; /* agents up to which sources fill the world */
    uint32_t due[LIMIT_SOURCES], spawned[LIMIT_SOURCES], removed[LIMIT_SINKS];
};
struct image_turnover world_image_turnover(const struct world *world);

enum {
    FORMATION_WORDS = sizeof(struct formation_state) / sizeof(uint32_t)
}; /* of 32 bits, as checkpoints have it */
struct formation_state world_image_formation(const struct world *world, int formation);

/** A parameter exactly as it is: a number, or the ends of a range to draw from. Angles in rad. */
struct image_param {
    double low, high; /* equal when it is no range */
};
struct image_param world_image_param(const struct world *world, const struct param_ref *ref);

/* ---- restoring ---- */

/** Why a value was refused: the first one of what was put in. */
struct image_fault {
    const char *what; /* a sentence: what is wrong; what is allowed. Static */
    int32_t index;    /* of the entry; -1: no entry of its own */
};

/** Begins a world without its agents: room for them, their entries as new agents have them.
 *
 * def      targets and obstacles (with ids) as they were; placements are not looked at; given_up ends
 *          world_restore_sort early
 * returns  as world_create; WORLD_BAD_DEF with *what */
NODISCARD enum world_result world_restore_begin(const struct world_def *def, const struct world_image *image,
                                                struct world **out, const char **what);
/** False when the value is not allowed. */
NODISCARD bool world_restore_param(struct world *world, const struct param_ref *ref,
                                   struct image_param value);
/** False when more have come than were due, or the limit is none that the world may have. */
NODISCARD bool world_restore_turnover(struct world *world, const struct image_turnover *turnover);
/** False when the heading is none that an agent has. */
NODISCARD bool world_restore_formation(struct world *world, int formation,
                                       const struct formation_state *state);
/** After the parameters of the kind. False when the aim is not allowed. */
NODISCARD bool world_restore_kind(struct world *world, int kind, struct aim aim, bool is_tireless);
/** Pairs of a first id and a count; all agents. False with *fault. */
NODISCARD bool world_restore_ids(struct world *world, const uint32_t (*runs)[2], int32_t count,
                                 struct image_fault *fault);
/** Puts in the next entries of a column; there must be as many left. A column that is left out stays as new agents
 * have it. False with *fault. */
NODISCARD bool world_image_put(struct world *world, struct image_cursor *cursor, const void *entries,
                               int32_t count, struct image_fault *fault);
/** How many agents of these slots have an entry in a column. */
int32_t world_image_entries_of(const struct world *world, int column, const struct image_slots *slots);
/** Where agents are not here: how many of them have an entry in a partial column by slot. motion: of each. */
int32_t world_image_entries_with(const struct world *world, const int32_t *row, const void *motion,
                                 int32_t count);
/** Where the image is by slot, after the columns by row: gives these agents the next slots, with entries as new agents have them.
 * row: rows of the world, each once over all calls. */
void world_restore_slots(struct world *world, const int32_t *row, int32_t count);
/** Where drift is not 0: the agents in these slots were sorted into this cell. Cells ascend with slots. */
void world_restore_cell(struct world *world, int32_t slot, int32_t count, int32_t cell);
/** Puts in the entries of a column by slot, of those of the agents from a slot on that have one; columns in order. False with
 * *fault. */
NODISCARD bool world_image_put_slots(struct world *world, int column, int32_t slot, int32_t count,
                                     const void *entries, struct image_fault *fault);
/** The same instead of world_restore_sort and world_restore_order. is_share: what has slots is a share of the agents, which
 * may be none; ranks that each restored another share bring them together (world_join). cells: how many the cells were taken from,
 * where drift is not 0. WORLD_OK, WORLD_GIVEN_UP; WORLD_BAD_DEF with *fault and *place. */
NODISCARD enum world_result world_restore_arrange(struct world *world, float drift, bool is_share,
                                                  int64_t cells, const char **place,
                                                  struct image_fault *fault);
/** After the columns: sorts the agents into *cells cells, which is how many the order of slots has where drift is not
 * 0. WORLD_OK or WORLD_GIVEN_UP. */
NODISCARD enum world_result world_restore_sort(struct world *world, int32_t *cells);
/** Where drift is not 0: by slot its row, and by cell how many agents it has. False with *fault and *place: "drift",
 * "row" or "cells". */
NODISCARD bool world_restore_order(struct world *world, float drift, const int32_t *row,
                                   const int32_t *counts, const char **place, struct image_fault *fault);
/** Ends it. False when the world is no pure flock, and was said to be one. */
NODISCARD bool world_restore_end(struct world *world);

#endif
