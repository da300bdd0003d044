/* The lines of a recording (.drover): JSON objects, one a line, as docs/recording.md describes them. Pure.
 *
 * 1. The first line is `drover`. A `world` line stands before all lines about that world; a recording has one for
 * each world that was put in.
 * 2. A `do` line is a request that took effect between two ticks: `tick` is the tick that the world had then,
 * `seq` the number of the request (struct simulation_state). Lines `do`, `at` and `world` stand in order of seq.
 * 3. `hash` and `checkpoint` lines are written when they are ready, so they may stand later than their tick: they
 * are about the world as it was at their tick after the request seq.
 * 4. Lines with another op, and members that a line is not known to have, are skipped.
 */
#ifndef DROVER_SERVER_RECORDING_RECORDING_LINE_H
#define DROVER_SERVER_RECORDING_RECORDING_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/protocol/request.h"
#include "server/commands/simulation_state.h"
#include "server/scenario/scenario.h"

/* The sums of lines: what a line of a recording ends with, so that damage is seen (docs/recording.md). Pure.
 *
 *     {"op":"at","tick":96,"seq":3,"paused":true,"sum":"5c1a60f2"}
 *
 * 1. A sum is the CRC-32 (that of zlib, gzip and PNG) of what stands before its comma, and begins with the sum of the
 * line before in the same file; that of the first line begins with 0. So it covers all lines up to its own.
 * 2. The first line decides: where it has a sum, every line of the file must have the right one. A first line with a
 * sum that is not at its end is wrong.
 */

enum { LINE_SUM_BYTES = 17 /* ,"sum":"5c1a60f2" */ };

/** The sum of the bytes that follow those with the sum `before`. */
uint32_t line_sum(uint32_t before, const char *bytes, size_t length);
void line_sum_text(uint32_t sum, char out[LINE_SUM_BYTES]);
/** The length of a line (without its newline) up to its sum, and *sum; 0: it has none. */
size_t line_sum_find(const char *line, size_t length, uint32_t *sum);
/** Gives the last line of a buffer, which begins at `begin` and has its newline and no sum, its own. *sum: that of the
 * line before; then its own. */
void line_sum_seal(struct buffer *out, size_t begin, uint32_t *sum);
/** Appends whole lines with their sums, in place of those that they have. */
void line_sum_append(struct buffer *out, const char *lines, size_t length, uint32_t *sum);

/** What is known of a file whose lines are read in order; zero is its beginning. */
struct line_sum_check {
    uint64_t lines;
    bool has_sums;
    uint32_t sum; /* that the line before states */
};

/** Takes the next line (without its newline). NULL: it is as it was written, as far as sums say; otherwise what is
 * wrong. */
const char *line_sum_wrong(struct line_sum_check *check, const char *line, size_t length);

enum { RECORDING_FORMAT = 1, RECORDING_VALUE_BYTES = 96 };

enum recording_op {
    RECORDING_DROVER,     /* what wrote the file */
    RECORDING_WORLD,      /* a world was put in */
    RECORDING_DO,         /* a request took effect */
    RECORDING_AT,         /* how far the world had got, and whether it was paused */
    RECORDING_HASH,       /* of the world */
    RECORDING_CHECKPOINT, /* the world (checkpoint.h) */
    RECORDING_END,        /* the recording was ended in order; or broken off, then with a reason */
    RECORDING_OTHER       /* an op that this version does not have */
};

/** One line. Only the members of its op mean something. Plain value but for the spans, which point into the line
 * it was read from. */
struct recording_line {
    enum recording_op op;
    /* drover */
    uint32_t format, core;
    char server[RECORDING_VALUE_BYTES];  /* "drover-server 0.2.0" */
    char started[RECORDING_VALUE_BYTES]; /* "2026-11-21T19:00:00Z" */
    char build[RECORDING_VALUE_BYTES];   /* compiler, instructions; for people */
    /* all others */
    uint64_t tick, seq;
    /* world, do, at: the session that did it (0: the server) and its name ("" for none) */
    uint32_t by;
    char name[LIMIT_PERSON_BYTES + 1];
    /* world */
    uint32_t world;                      /* its number in the recording, from 1 */
    char scenario[LIMIT_NAME_CHARS + 1]; /* what `load` took */
    uint64_t seed;                       /* effective, as the world has it */
    double tick_hz;                      /* the same */
    uint32_t source_limit;               /* agents up to which sources fill the world; 0: as usual */
    uint64_t from_tick,
        from_seq;     /* where the file begins, when requests to this world were before that; else 0 */
    const char *text; /* the scenario's, as JSON string contents, escapes and all; a span */
    size_t text_length;
    /* do: the request, a JSON object; a span */
    const char *request;
    size_t request_length;
    /* at, checkpoint */
    bool is_paused;
    /* world, hash, checkpoint */
    uint64_t hash;
    /* end */
    char reason[RECORDING_VALUE_BYTES]; /* "" when it ended in order */
};

/** Reads a line without its newline; checks it strictly (json_check.h) but for a checkpoint's columns, which
 * checkpoint_read checks. 0, or -1 with *failure (bad_save, field: the member). */
NODISCARD int recording_line_read(const char *line, size_t length, struct recording_line *out,
                                  struct failure *failure);
/** The text of a world line without its escapes: malloc'd, NUL-terminated, the caller's. NULL without memory. */
NODISCARD char *recording_line_text(const struct recording_line *line, size_t *length);
/** Appends a line of any op but checkpoint (checkpoint_write) with its newline. For world, `text` is the plain
 * text here, not escaped, with a NUL behind its text_length bytes. `request` may end with the newline that request_encode
 * puts there. Failure is out->failed: the buffer may have a part of the line then. */
void recording_line_write(const struct recording_line *line, struct buffer *out);

/* The scenario of a world line of a recording. Pure. */

/** Reads the text of a world line, with the name, seed and rate that the line says. 0: scenario_fini it; or -1 with
 * *failure (bad_save, field: the place in the scenario; busy), *out is empty then. */
NODISCARD int recording_scenario_read(const struct recording_line *line, struct scenario *out,
                                      struct failure *failure);

/* Formats the lines that a running simulation gives its recordings (recording_line.h). Pure.
 *
 * 1. Lines are appended to `out`, whose memory stays: a line allocates nothing once the buffers are warm.
 * 2. The recorder keeps the world line of the world that runs, so that a further file can begin with it.
 */

/** The session whose request a line is about. */
struct recorder_session {
    uint32_t by;      /* 0: the server */
    const char *name; /* "" for none */
};

struct recorder {
    struct buffer out;           /* the lines so far; the caller hands them on and clears it */
    struct buffer request;       /* one request as text */
    struct recording_line world; /* of the world that runs; its text is the state's */
};

/** Allocates the usual sizes. 0, or -1 without memory. */
NODISCARD int recorder_init(struct recorder *recorder);
void recorder_fini(struct recorder *recorder);

/** The world that runs from now on; its number is one more than that of the world before it.
 * hash: of the world as it was put in. Writes nothing. */
void recorder_set_world(struct recorder *recorder, const struct simulation_state *state, uint64_t hash,
                        struct recorder_session session);

/** The first two lines of a file: drover and world. started, build: see recording_line.h. */
void recorder_write_header(struct recorder *recorder, const char *started, const char *build);
void recorder_write_world(struct recorder *recorder, const struct simulation_state *state);
/** A request that took effect: one with REQUEST_TRAIT_CHANGES that recorder_is_do. */
void recorder_write_do(struct recorder *recorder, const struct simulation_state *state,
                       const struct request *request, struct recorder_session session);
/** How far the state has got. */
void recorder_write_at(struct recorder *recorder, const struct simulation_state *state,
                       struct recorder_session session);
void recorder_write_hash(struct recorder *recorder, uint64_t tick, uint64_t seq, uint64_t hash);
/** reason: "" for an end in order. */
void recorder_write_end(struct recorder *recorder, const struct simulation_state *state, const char *reason);

/** Whether a request that took effect is a `do` line: it changes the world, and neither its time nor the world
 * itself (pause, resume, step, load). */
bool recorder_is_do(enum request_op op);

#endif
