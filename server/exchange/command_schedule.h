/* The commands that wait for a tick of the world (`at`). Pure.
 *
 * 1. They are due in order of their ticks, and those of one tick in order of arrival.
 * 2. A command that is withdrawn, because its session or its world has gone, is due at once.
 * 3. At most COMMAND_SCHEDULE_CAPACITY wait, whose requests have at most COMMAND_SCHEDULE_EXTRA_BYTES of extras.
 */
#ifndef DROVER_SERVER_EXCHANGE_COMMAND_SCHEDULE_H
#define DROVER_SERVER_EXCHANGE_COMMAND_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/exchange/command.h"

enum { COMMAND_SCHEDULE_CAPACITY = 4096 };
#define COMMAND_SCHEDULE_EXTRA_BYTES ((size_t)64 * 1024 * 1024)

/** No command waits for a tick. */
#define COMMAND_NEVER_DUE UINT64_MAX

struct command_schedule {
    struct command *waiting;   /* owned; in the order in which they are due */
    struct command *withdrawn; /* owned; the same */
    size_t count, extra_bytes; /* of both */
};

/** Frees the commands. */
void command_schedule_fini(struct command_schedule *schedule);
/** Takes a command over, unless there is no room: then it returns false. */
NODISCARD bool command_schedule_add(struct command_schedule *schedule, struct command *command);
/** Withdraws the commands of a session, or of every session (0). */
void command_schedule_withdraw(struct command_schedule *schedule, uint32_t session);
/** A command that was withdrawn, or else the first whose tick has come, the caller's to free; NULL: there is none. */
struct command *command_schedule_take(struct command_schedule *schedule, uint64_t tick);
/** The tick from which on command_schedule_take has a command; COMMAND_NEVER_DUE: it has none. */
uint64_t command_schedule_due(const struct command_schedule *schedule);

#endif
