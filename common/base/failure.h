/* A failure: a code for programs, the place, and a sentence for people.
 *
 * One table of codes serves the wire ("error" messages), the scenario loader and the command line.
 */
#ifndef DROVER_COMMON_BASE_FAILURE_H
#define DROVER_COMMON_BASE_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"

/* X(ENUMERATOR, "wire name", "when") - protocol.md lists the same rows; a test compares. */
#define FAILURE_CODES(X)                                                                                     \
    X(PARSE, "parse", "the line is not strict JSON (grammar, UTF-8, depth, NUL, number range)")              \
    X(INVALID, "invalid", "JSON, but not a request: not an object, no op, a key twice, a bad id")            \
    X(TOO_LONG, "too_long", "the line is longer than 65536 bytes (an admin's: 1048576); it was skipped")     \
    X(UNKNOWN_OP, "unknown_op", "no such op")                                                                \
    X(BAD_PARAM, "bad_param", "a field is missing, of the wrong type, or not one of its choices")            \
    X(OUT_OF_RANGE, "out_of_range", "a number is outside what is allowed")                                   \
    X(NO_AGENT, "no_agent", "no agent has this id")                                                          \
    X(NO_KIND, "no_kind", "the scenario has no kind of this name")                                           \
    X(NO_TARGET, "no_target", "the scenario has no target of this name")                                     \
    X(NO_OBSTACLE, "no_obstacle", "no obstacle has this id")                                                 \
    X(EXISTS, "exists", "a target or a seat of this name is there already")                                  \
    X(IN_USE, "in_use", "a behavior or condition of the scenario names the target")                          \
    X(NO_PARAM, "no_param", "the kind has no parameter of this name")                                        \
    X(NO_SAVE, "no_save", "no saved world of this name, or no such file")                                    \
    X(BAD_SAVE, "bad_save", "a saved world or a recording cannot be used; the message says why")             \
    X(NO_SCENARIO, "no_scenario", "no scenario of this name")                                                \
    X(BAD_SCENARIO, "bad_scenario", "the scenario file has a mistake, or cannot be read; the message says")  \
    X(NOT_PAUSED, "not_paused", "step needs a paused world")                                                 \
    X(NOT_REPLAYING, "not_replaying", "seek and resume with live need a server that plays a recording")      \
    X(NOT_RECORDING, "not_recording", "record with on false needs a recording that is being written")        \
    X(NOT_SUBSCRIBED, "not_subscribed", "set_region and resync need a subscription to frames")               \
    X(FULL, "full", "a limit is reached; nothing was done")                                                  \
    X(BUSY, "busy", "the server is short of memory or its queue is full; try again")                         \
    X(DENIED, "denied", "your role does not allow it; the message says which does")                          \
    X(LATE, "late", "the tick of at or of go is past")                                                       \
    X(EARLY, "early", "the world has not come to the tick of go yet")                                        \
    X(NO_SEAT, "no_seat", "go needs a seat")                                                                 \
    X(SEATED, "seated", "seats are taken: the world steps when their holders say go")                        \
    X(WITHDRAWN, "withdrawn", "the session or the world of a request that waited for a tick has gone")       \
    X(RATE, "rate", "you send faster than 200 requests a second; you are held back, nothing is lost")        \
    X(VERSION, "version", "the server does not speak this version of the protocol")                          \
    X(REPLAYING, "replaying", "the server plays a recording, which no request may change")                   \
    X(LOOKING, "looking", "the session looks at another time, in which no request can change anything")      \
    X(UNSUPPORTED, "unsupported", "a world over ranks cannot do this; the message says why and what to do")  \
    X(IO, "io", "a file cannot be written; the message says why")                                            \
    X(INTERNAL, "internal", "a bug of the server")

enum failure_code {
    FAILURE_NONE = 0,
#define FAILURE_ENUM(name, wire, when) FAILURE_##name,
    FAILURE_CODES(FAILURE_ENUM)
#undef FAILURE_ENUM
        FAILURE_CODE_COUNT
};

/** A refusal. Plain value: copied freely, owns nothing. All text is NUL-terminated valid UTF-8. */
struct failure {
    enum failure_code code;
    char field[128];   /* the request field or JSON path ("kinds.prey.max_speed"); "" when it has no place */
    char message[384]; /* what was found, and what is allowed */
    int line, column;  /* of the place in a scenario's text, 1-based, column in bytes; 0: not known */
    bool has_index;    /* index: of the request of a batch that was refused */
    uint32_t index;
    bool has_tick; /* tick: the one that the world has */
    uint64_t tick;
};

/** Fills *failure and returns -1, so that `return failure_set(...)` ends a fallible function.
 * field may be NULL (no place). Over-long text is cut at a UTF-8 boundary. */
int failure_set(struct failure *failure, enum failure_code code, const char *field, const char *format, ...)
    PRINTF_LIKE(4, 5);

/** Leaves of the path at the beginning of "PATH: REASON" the name alone: folders of this machine are no affair of clients.
 * Other messages stay. */
void failure_hide_folder(struct failure *failure);

/** The wire name of a code, e.g. "out_of_range"; "none" for FAILURE_NONE. Static storage. */
const char *failure_code_name(enum failure_code code);

/** The code with this wire name, or FAILURE_NONE when there is none. */
enum failure_code failure_code_from_name(const char *name);

#endif
