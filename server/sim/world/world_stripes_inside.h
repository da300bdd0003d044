/* The inside of stripes, for world_stripes*.c alone. */
#ifndef DROVER_SERVER_SIM_WORLD_WORLD_STRIPES_INSIDE_H
#define DROVER_SERVER_SIM_WORLD_WORLD_STRIPES_INSIDE_H

#include "server/sim/world/world_internal.h"
#include "server/sim/world/world_stripes.h"

/* Memory for what ranks send each other: it grows when a message is longer than all before. */
struct stripes_room {
    char *bytes; /* owned */
    size_t size;
};
/** Room for so many bytes; what was there is lost. Ends the program without memory. */
void *stripes_room(struct stripes_room *room, size_t size);
/** The same, and what was there stays. */
void *stripes_more_room(struct stripes_room *room, size_t size);

enum { STRIPES_PIECES = 3 }; /* spans of rows that the ghosts of a window are in, at most */

/* Slots that one rank steps and another one sees, in the same order on both: those of the halo, then the known ones that
 * are not in it. */
struct stripes_link {
    int range_count;
    struct world_slots ranges[STRIPES_PIECES]; /* ascending */
    int32_t first_known, known_count;          /* to: of known_out; from: slots */
    int32_t count;                             /* agents in the ranges */
};

struct world_stripes {
    struct stripes_needs needs;
    int32_t halo;                        /* rows */
    int32_t rows;                        /* of the grid; 0: agents are not sorted */
    int32_t columns;                     /* of the last sort */
    int32_t cut[EXCHANGE_RANKS_MAX + 1]; /* rows */
    int32_t sorted_end;                  /* slots behind are those of the known that are not in the halo */
    bool is_bare;                        /* ghosts were dropped, agents may have been appended */
    int32_t used;    /* slots that have had agents since the memory of those behind was given back */
    int32_t shifted; /* rows by which the borders have moved since the memory of cells was given back */
    uint64_t sorts, migrants, ghost_ticks;

    struct stripes_link *to, *from; /* a rank, each */
    int32_t *known_out;             /* slots */
    struct stripes_room room_known, room_out, room_in, room_list;
    struct exchange_part *out, *in; /* a rank, each */
    uint64_t *agents;               /* by row */
};

/* What a rank receives of an agent of another rank that it sees. */
struct stripes_ghost {
    int32_t row, cell; /* cell: in which it was sorted */
    struct motion motion;
    vec2 heading;
};

/* An agent that another rank is to have: all that lies by slot. */
struct stripes_migrant {
    int32_t row, cell;
    struct motion motion;
#define MIGRANT_BY_ROW(type, name)
#define MIGRANT_BY_SLOT(type, name)                                            type name;
#define MIGRANT_MEMBER(number, type, name, initial, saved, hashed, by, copied) MIGRANT_##by(type, name)
    WORLD_COLUMNS(MIGRANT_MEMBER)
#undef MIGRANT_MEMBER
#undef MIGRANT_BY_SLOT
#undef MIGRANT_BY_ROW
};

static inline struct world_slots world_slots_both(struct world_slots a, struct world_slots b) {
    const struct world_slots both = {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
    return both.begin < both.end ? both : (struct world_slots){both.begin, both.begin};
}

/** Notes that so many slots have agents, or had. */
static inline void stripes_note_used(struct world_stripes *stripes, int32_t slots) {
    stripes->used = slots > stripes->used ? slots : stripes->used;
}

/** The rows of a rank's window. */
static inline struct world_slots stripes_rows_of(const struct world_stripes *stripes, int rank) {
    return (struct world_slots){stripes->cut[rank], stripes->cut[rank + 1]};
}

void stripes_free(struct world_stripes *stripes);

/** Gives back the memory of slots that agents have left, when these are many. After a sort. */
void stripes_trim_slots(struct world *world);
/** Gives back what is known of the cells of former windows, when these are many. Before a sort, which finds all of it out anew. */
void stripes_trim_cells(struct world *world);
/** Frees what is needed again when many agents migrate. */
void stripes_free_room(struct stripes_room *room);

/** The rows of cells beyond a window that agents in it see. drift: px, as far as each of two agents may drift; as
 * kernel_make_plan has it. */
int32_t stripes_halo_rows(const struct world *world, float drift);

/** An agent's heading by the columns that world_advance has swapped already. */
vec2 stripes_heading(const struct world *world, int32_t row, int32_t slot);
/** Puts an agent into a slot, its motion in grid.motion or grid.next. */
void stripes_put(struct world *world, struct motion *motion, int32_t slot, const struct stripes_ghost *agent);

/** What lies by slot of an agent, and the same put into a slot. motion: grid.motion or grid.next. */
struct stripes_migrant stripes_pack(const struct world *world, const struct motion *motion, int32_t slot,
                                    int32_t cell);
void stripes_unpack(struct world *world, struct motion *motion, int32_t slot,
                    const struct stripes_migrant *from);

/** Hands agents over to the ranks whose rows they are in, brings ghosts, and sorts. Own slots have grid.next and key; cuts,
 * halo and the shape of the grid are right. Collective. */
void stripes_regroup(struct world *world, const struct parallel *parallel);

#endif
