/* Another program `drover`, started as a child that simulates a recording (command_states.c) and answers over pipes.
 * Its functions do what those of side.h do. */
#ifndef DROVER_CLIENTS_DROVER_OTHER_PROGRAM_H
#define DROVER_CLIENTS_DROVER_OTHER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "clients/drover/side_row.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/scenario/built_world.h"

struct other_program;

/** NULL with *failure. */
NODISCARD struct other_program *other_program_start(const struct side_def *def, struct failure *failure);
/** Ends the child. NULL is fine. */
void other_program_end(struct other_program *other);
NODISCARD int other_program_begin(struct other_program *other, const struct recording_moment *moment,
                                  struct failure *failure);
NODISCARD int other_program_ask(struct other_program *other, int most, struct failure *failure);
NODISCARD int other_program_rows(struct other_program *other, struct side_row *rows, int most, bool *is_over,
                                 struct failure *failure);
NODISCARD int other_program_go(struct other_program *other, const struct recording_moment *moment,
                               struct failure *failure);
NODISCARD int other_program_tick(struct other_program *other, struct failure *failure);
/** *out is empty before, and the caller's afterwards. */
NODISCARD int other_program_world(struct other_program *other, struct built_world *out,
                                  struct failure *failure);
NODISCARD int other_program_explain(struct other_program *other, uint32_t agent, struct side_forces *out,
                                    struct failure *failure);

#endif
