/* Recordings for a command: opening them, simulating them again, writing a part of one.
 *
 * A player simulates a recording tick by tick:
 *
 *     while ((result = player_settle(player, &failure)) == PLAYER_SETTLED) {
 *         ... player->state ...
 *         result = player_tick(player, &failure);
 *     }
 */
#ifndef DROVER_CLIENTS_DROVER_PLAYER_H
#define DROVER_CLIENTS_DROVER_PLAYER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "clients/drover/command.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/json/json_writer.h"
#include "common/system/options.h"
#include "server/recording/replay.h"
#include "server/simulation/worker_pool.h"
#include "server/storage/recording.h"

/* ---- opening ---- */

enum { INPUT_PATH = 4096 };

/** Finds the file of a recording. "-": standard input, which is read to its end into a file without a name that is
 * there as long as the program and the programs that it starts. 0, or -1 with *failure. */
NODISCARD int input_find(const char *argument, struct interrupt *interrupt, char path[INPUT_PATH],
                         struct failure *failure);
/** Opens it; NULL with *failure, whose message begins with the argument. A folder stands for the journals and checkpoints
 * that it has (of drover-server --state), in the order of time. more: paths of files that follow it and are one recording
 * with it, NULL-ended; NULL for none. */
NODISCARD struct recording *input_open(const char *argument, const char *path, char *const *more,
                                       struct failure *failure);
/** Says which line is damaged, and what is left out for it. Whether one is. */
bool input_print_damage(const char *argument, const struct recording_facts *facts, FILE *out);
/** Names the gaps, one a line. */
void input_print_gaps(const char *argument, const struct recording_facts *facts, FILE *out);
/** The same for programs, as members of the open object: "damage", if there is any, and "gaps". */
void input_write_damage(const struct recording_facts *facts, struct json_writer *json);
void input_write_gaps(const struct recording_facts *facts, struct json_writer *json);
/** A row of "damaged_checkpoints": checkpoint number index, which is not the world that its hash says. */
void input_write_checkpoint(const char *argument, const struct recording_facts *facts, int index,
                            const char *reason, struct json_writer *json);

/* ---- the player ---- */

/** How ticks are computed. For the rows --threads, --simd and --anyway of commands. */
struct player_means {
    uint32_t threads;
    int simd;          /* 0: the widest there is; otherwise 1 + enum simd */
    bool is_anyway;    /* plays a recording of another core, too */
    char *const *more; /* paths of files that follow the first one (input_open); NULL: none */
};
extern const char *const player_simd_choices[];
#define PLAYER_MEANS_ROWS(structure, member)                                                                 \
    OPTION_NUMBER(structure, member.threads, "threads", 1, 64, 1, "N",                                       \
                  "Threads that work on a tick. The results do not depend on it."),                          \
        OPTION_CHOICE(structure, member.simd, "simd", player_simd_choices, "W",                              \
                      "Instructions for sums over neighbors. The results do not depend on it."),             \
        OPTION_FLAG(structure, member.is_anyway, "anyway",                                                   \
                    "Plays a recording of another core as well, whose bits may differ.")

/** The recorded hashes that the world was compared with since player_begin. */
struct player_hashes {
    uint64_t found, compared;
    uint32_t every;                         /* compares each so many-th */
    struct recording_moment skipped;        /* the last one that was not compared */
    struct recording_moment last, previous; /* of those compared */
};

/** The request that was applied last, while the hashes agree. */
struct player_request {
    struct recording_moment moment; /* seq 0: none in this world since player_begin */
    struct replay_change change;
};

struct player {
    const char *argument; /* the recording's name on the command line; not owned */
    char *const *more;    /* of player_means; not owned */
    struct recording *recording;
    const struct recording_facts *facts; /* the recording's */
    struct recording_source source;      /* the recording's */
    struct replay *replay;
    struct player_hashes hashes;
    struct simulation_state state;
    struct worker_pool *pool; /* NULL: this thread alone */
    struct interrupt *interrupt;
    struct replay_change change; /* the last one that was applied */
    struct player_request asked;
    bool is_at_gap; /* the world behind it follows */
    /** Called when the world has been put in, after each tick and after each change; NULL: not. Returns whether to go
     * on: otherwise player_settle and player_tick end with PLAYER_STOPPED. */
    bool (*look)(void *context, struct player *player);
    void *context;
};

enum player_result {
    PLAYER_SETTLED, /* all that is due before the next tick was applied */
    PLAYER_END,     /* the same, and the recording is over */
    PLAYER_STOPPED, /* look returned false */
    PLAYER_FAILED,  /* *failure */
};

/** Opens a recording at path (input_find). 0, or -1 with *failure; player_close is due after success alone. */
NODISCARD int player_open(struct player *player, const char *argument, const char *path,
                          const struct player_means *means, struct interrupt *interrupt,
                          struct failure *failure);
void player_close(struct player *player);
/** Goes to the last checkpoint or world at or before the moment. 0, or -1 with *failure. */
NODISCARD int player_begin(struct player *player, const struct recording_moment *moment,
                           struct failure *failure);
/** Applies what is due before the next tick. */
enum player_result player_settle(struct player *player, struct failure *failure);
/** Does one tick, but none into a gap: PLAYER_SETTLED, PLAYER_STOPPED, or PLAYER_FAILED when it was given up after an interrupt. */
enum player_result player_tick(struct player *player, struct failure *failure);
/** Goes on until the world has this tick and is settled there. Fails when it does not get there. */
NODISCARD int player_go(struct player *player, const struct recording_moment *moment,
                        struct failure *failure);
/** Where the recording and this program part, since player_begin: replay_divergence. */
const struct replay_divergence *player_divergence(const struct player *player);
/** A world of the recording by its number, or NULL. */
const struct recording_world *player_find_world(const struct player *player, uint32_t number);
/** The first gap with ticks after the one and before the other moment, of the same world, or NULL. Both the same: the gap that the
 * tick is in. */
const struct recording_gap *player_find_gap(const struct player *player, const struct recording_moment *from,
                                            const struct recording_moment *to);
/** The beginning of the first world. */
struct recording_moment player_first(const struct player *player);
struct recording_moment player_moment(const struct player *player);
/** How many ticks the recording has: all its worlds together, or from the moment on. */
uint64_t player_ticks(const struct player *player, const struct recording_moment *from);

/* Which of the files on a command line are one run: files of a state folder, or parts of a recording, that continue each
 * other. */

/** How many of the `count` arguments from the first one on continue each other: at least 1. A file continues another one
 * when it says that it begins in the same world, at the tick and after the request at which the other one ends. A state
 * folder is complete by itself. A file that cannot be opened continues none. */
NODISCARD int input_group(char *const *arguments, int count);

/* Writes a part of a recording: its header, the world as it was at the first tick as a checkpoint, and the lines from
 * there to the last tick as they are. */

struct cut {
    uint32_t world;    /* from 1 */
    uint64_t from, to; /* ticks; cut_write moves both to ticks that the world has */
    const char *path;  /* "-": standard output */
    bool replaces;
};

/** The player is used for it. 0, or -1 with *failure. */
NODISCARD int cut_write(struct cut *cut, struct player *player, struct interrupt *interrupt,
                        struct failure *failure);

/* Numbers compared by their bits: -0 and 0 differ, as they do in the hash. */

static inline uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline bool is_same_float(float a, float b) {
    return float_bits(a) == float_bits(b);
}

static inline bool is_same_double(double a, double b) {
    return double_bits(a) == double_bits(b);
}

static inline bool is_same_vec2(vec2 a, vec2 b) {
    return is_same_float(a.x, b.x) && is_same_float(a.y, b.y);
}

#endif
