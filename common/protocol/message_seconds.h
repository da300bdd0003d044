/* The index of static seconds: index.json, which `--seconds` writes and viewers read. docs/deploy.md describes it. */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_SECONDS_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_SECONDS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"

enum { MESSAGE_SECONDS_SCENARIOS = 1024 };

struct message_seconds {
    uint32_t version;
    uint64_t latest, first; /* numbers of seconds; first = latest + 1: there is none */
    int layout;             /* 0: packed, 1: density */
    bool is_paused, has_ended;
    double speed;     /* of the world's time */
    double clock_ms;  /* of the newest frame */
    uint64_t written; /* s since 1970 */
    int scenario_count;
    uint64_t scenarios[MESSAGE_SECONDS_SCENARIOS]; /* seconds from which on there is another one, ascending */
};

/** What an index says that says nothing: version 1, speed 1. */
struct message_seconds message_seconds_empty(void);
/** text: JSON, ends with a NUL. -1 with *failure (bad_param, out_of_range) when it is no index of static seconds. */
NODISCARD int message_seconds_read(const char *text, struct message_seconds *index, struct failure *failure);
/** The text, with a newline. */
void message_seconds_write(const struct message_seconds *index, struct buffer *out);
/** The second whose file describes the world at `number`; 0 when none does. */
uint64_t message_seconds_scenario(const struct message_seconds *index, uint64_t number);
/** The number at the beginning of the text, to three decimals, in any locale: writer and player look for single numbers in lines that
 * they do not read as a whole. */
double message_seconds_decimal(const char *text);

#endif
