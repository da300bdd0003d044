/* The columns of agents: one entry a row or one a slot, all of them `capacity` long.
 *
 * This list makes the members of struct world and drives room, freeing, the values of a new agent, moving a
 * row or a slot, the hash and clones: to add a column is to add a row here, and its hash function in
 * world_hash.c.
 *
 * X(number, type, name, initial, saved, hashed, by, copied)
 * number   of the column in the hash: never used twice, never changed
 * initial  what a new agent has; entries like that add nothing to the hash
 * saved    whether the column is part of a world that is written down
 * hashed   the function that says what an entry adds to the hash; hash_none
 * by       BY_ROW, or BY_SLOT: entries move with the agent when slots are sorted, and a column next_<name> has
 *          room for that
 * copied   whether entries go along when an agent changes its row, and into clones; otherwise the column is
 *          recomputed
 */
#ifndef DROVER_SERVER_SIM_WORLD_WORLD_COLUMNS_H
#define DROVER_SERVER_SIM_WORLD_WORLD_COLUMNS_H

/* Further columns, for a test. */
#ifndef WORLD_COLUMNS_MORE
#define WORLD_COLUMNS_MORE(X)
#endif

#define WORLD_COLUMNS(X)                                                                                     \
    X(1, uint32_t, id, 0, true, hash_id, BY_ROW, true)                                                       \
    X(2, uint8_t, kind, 0, true, hash_byte, BY_ROW, true)                                                    \
    X(3, uint8_t, state, 0, true, hash_byte, BY_SLOT, true)                                                  \
    X(4, uint8_t, flags, 0, true, hash_none, BY_ROW, true) /* own_body has what matters of them */           \
    X(5, struct memory, memory, MEMORY_INITIAL, true, hash_memory, BY_SLOT, true)                            \
    X(6, struct aim, aim, ((struct aim){.mode = AIM_BEHAVIOR}), true, hash_aim, BY_ROW, true)                \
    X(7, struct body, own_body, ((struct body){0}), true, hash_own_body, BY_ROW, true)                       \
    X(8, vec2, heading, vec2_make(1.0f, 0.0f), true, hash_heading, BY_SLOT, true)                            \
    X(9, struct drive, drive, ((struct drive){.left = 0}), true, hash_drive, BY_ROW, true)                   \
    X(10, struct timers, timers, ((struct timers){{0}}), true, hash_timers, BY_SLOT, true)                   \
    X(11, uint8_t, post, 0, true, hash_byte, BY_ROW, true)                                                   \
    X(0, uint16_t, voice, 0, false, hash_none, BY_SLOT, false)                                               \
    X(0, int32_t, rank, 0, false, hash_none, BY_ROW, false)                                                  \
    X(0, int32_t, by_kind, 0, false, hash_none, BY_ROW, false)                                               \
    WORLD_COLUMNS_MORE(X)

enum column_order { BY_ROW, BY_SLOT };

/* The arrays of a column, X(type, name): WORLD_ARRAYS_ with the column's `by` behind it. */
#define WORLD_ARRAYS_BY_ROW(X, type, name)  X(type, name)
#define WORLD_ARRAYS_BY_SLOT(X, type, name) X(type, name) X(type, next_##name)

#endif
