/* What recordings and worlds are compared by, for `drover diff` (diff.c), `drover verify` and `drover repair`. */
#ifndef DROVER_CLIENTS_DROVER_DIFF_H
#define DROVER_CLIENTS_DROVER_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/drover/command.h"
#include "clients/drover/player.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/json/json_writer.h"
#include "server/recording/replay.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world.h"
#include "server/storage/recording.h"

/* ---- a side ---- */

/* One of two runs that are compared: a recording that is simulated by this program, or by another program of the same kind
 * (command_states) over pipes. The functions behave the same for both. */

/** A tick of a run. */
struct side_row {
    struct recording_moment at; /* seq is not set */
    uint64_t arrived;           /* hash before the requests of this tick took effect */
    uint64_t settled;           /* and afterwards */
};

/** What steers an agent: its behaviors' weighted forces, mass*px/s^2. */
struct side_forces {
    int count;
    struct side_force {
        char label[LIMIT_NAME_CHARS + 16];
        vec2 force;
    } rows[LIMIT_BEHAVIORS + 1];
};

/** What a side is made of. */
struct side_def {
    const char *name;
    const char *argument; /* the recording's, on the command line */
    const char *path;     /* and where it lies */
    const char *program;  /* NULL: this program; otherwise the path of another */
    struct player_means means;
    struct interrupt *interrupt;
};

/* Another program `drover`, started as a child that simulates a recording (command_states) and answers over pipes. */
struct other_program;

struct side {
    const char *name; /* for people: "A" */
    struct player player;
    bool is_open;                /* the player is */
    struct other_program *other; /* NULL: this program */
    uint64_t arrived;            /* of the next row */
    bool is_over;
    struct built_world borrowed; /* the other program's state, for side_world */
};

/** 0, or -1 with *failure; side_close is due in any case. */
NODISCARD int side_open(struct side *side, const struct side_def *def, struct failure *failure);
void side_close(struct side *side);
/** Goes to the last checkpoint or world at or before the moment. */
NODISCARD int side_begin(struct side *side, const struct recording_moment *moment, struct failure *failure);
/** Lets the run do its next `most` ticks: another program begins with them, this one only at side_rows. */
NODISCARD int side_ask(struct side *side, int most, struct failure *failure);
/** The rows of the ticks that were asked for; at the end of the run fewer. Count, or -1 with *failure. */
NODISCARD int side_rows(struct side *side, struct side_row *rows, int most, struct failure *failure);
/** From where it is on to this tick: settled there. */
NODISCARD int side_go(struct side *side, const struct recording_moment *moment, struct failure *failure);
/** One tick. */
NODISCARD int side_tick(struct side *side, struct failure *failure);
/** The world as it is now; valid until the next call. NULL with *failure. */
NODISCARD const struct world *side_world(struct side *side, struct failure *failure);
/** What steers an agent in the coming tick. 0, or -1 with *failure (no_agent). */
NODISCARD int side_explain(struct side *side, uint32_t agent, struct side_forces *out,
                           struct failure *failure);

/* ---- what is recorded ---- */

/* What two recordings are compared by before anything is simulated: inputs, hashes and checkpoints, in short form. */

/** A request that took effect, or a world that was put in. */
struct outline_input {
    struct recording_moment moment; /* of a world: that of its first tick */
    uint32_t by;                    /* the session */
    uint32_t actor;                 /* the same in order of appearance, from 1; 0: the server */
    bool is_world;
    uint64_t digest; /* of what was asked, or of the world */
};

/** A hash that is recorded, of a hash line or of a checkpoint. */
struct outline_hash {
    struct recording_moment moment;
    size_t inputs; /* how many inputs came before */
    uint64_t hash;
    bool is_checkpoint;
};

struct outline {
    size_t input_count, hash_count;
    struct outline_input *inputs; /* owned */
    struct outline_hash *hashes;  /* owned, in order of moments */
};

/** 0, or -1 with *failure; then it is empty. */
NODISCARD int outline_take(struct recording *recording, struct outline *out, struct failure *failure);
/** How many of the inputs are worlds that were put in. */
size_t outline_world_count(const struct outline *outline);
void outline_fini(struct outline *outline);
/** The first input that differs: its index, or the smaller of the counts. */
size_t outline_first_input(const struct outline *a, const struct outline *b);
/** Prints an input, found again in the recording: "tick 75, request 4, session 3 (Ann): {...}". */
NODISCARD int outline_print_input(struct recording *recording, size_t index, struct failure *failure);

/** Where two recordings part by what is recorded. */
struct outline_parting {
    bool has_equal, has_different, has_checkpoint;
    struct recording_moment equal,
        different;    /* the last equal hash before the first different one; moments of a */
    uint64_t hash[2]; /* of `different` */
    struct recording_moment
        checkpoint; /* the last one that is the same in both, before they part by input or hash */
};
void outline_part(const struct outline *a, const struct outline *b, struct outline_parting *out);

/* ---- two worlds ---- */

/* What differs between two worlds: parameters, targets and obstacles, then agents, column by column as checkpoints name
 * them (world_image.h). */

enum { DIFFERENCE_AGENTS = 4, DIFFERENCE_VALUES = 40, DIFFERENCE_NOTES = 8, DIFFERENCE_NOTE = 160 };

/** A number of an agent: a component of a column. */
struct difference_value {
    char field[40]; /* "vx", "stamina" */
    bool is_float, is_signed;
    uint8_t width; /* bytes */
    uint32_t bits[2];
    char name[2][LIMIT_NAME_CHARS + 1]; /* of a kind or state; "" otherwise */
};

struct difference_agent {
    uint32_t id;
    bool is_missing[2]; /* there is no such agent in the one world; then no values */
    int value_count;
    struct difference_value values[DIFFERENCE_VALUES];
};

struct world_difference {
    /* What differs besides agents, a sentence each: of note_count the first DIFFERENCE_NOTES. */
    int note_count;
    char notes[DIFFERENCE_NOTES][DIFFERENCE_NOTE];
    char values[DIFFERENCE_NOTES][2][DIFFERENCE_NOTE]; /* of the one and the other; "" where it has none */
    /* Agents that differ, ascending with their id: of agent_count the first DIFFERENCE_AGENTS. */
    int32_t agent_count, agents_compared;
    struct difference_agent agents[DIFFERENCE_AGENTS];
};

/** Compares two worlds between ticks. 0, or -1 without memory. */
NODISCARD int world_difference_find(const struct world *a, const struct world *b,
                                    struct world_difference *out, struct failure *failure);
/** Prints it on standard output, a line each. name_a, name_b: what the worlds are called. */
void world_difference_print(const struct world_difference *difference, const char *name_a,
                            const char *name_b);
/** Writes it as members of the open object: "agents_differ", "agents", "others" (docs/recording.md). The names are the keys of
 * values. */
void world_difference_write(const struct world_difference *difference, const char *name_a, const char *name_b,
                            struct json_writer *json);

/* ---- a recording and this program ---- */

/* Compares a recording with what this program computes from it: hash by hash, and, where they part, agent by agent with
 * the checkpoint that follows. */

struct comparison {
    bool has_from;                        /* from a checkpoint or a world, */
    struct recording_moment from;         /* this one; otherwise from the start */
    const struct recording_moment *until; /* NULL: to the end; otherwise no further than its tick */
    uint32_t every;                       /* compares each so many-th hash */
    uint64_t ticks;                       /* done */
    bool differs;                         /* then player_divergence says where */
    struct progress *progress;            /* NULL: none */
};

/** Plays the recording to the first difference, or to its end. 0, or -1 with *failure. */
NODISCARD int comparison_run(struct comparison *comparison, struct player *player, struct failure *failure);
/** Goes on from the difference to the checkpoint that follows, and prints on standard output what differs there, or that no
 * checkpoint follows. json: NULL, or writes the member "checkpoint" in place of it, if one follows. The recording is opened again
 * from path. 0, or -1 with *failure. */
NODISCARD int comparison_print_checkpoint(struct player *player, const char *path, struct json_writer *json,
                                          struct failure *failure);
/** A member that is a list, to be ended behind its rows; nothing without a json. */
void comparison_begin_list(struct json_writer *json, const char *key);
void comparison_end_list(struct json_writer *json);
/** Prints the sentence that says where the recording and this program part. */
void comparison_print_difference(const struct player *player);
/** The same for programs, as the member "difference" of the open object. */
void comparison_write_difference(const struct player *player, struct json_writer *json);

#endif
