/* Opens recordings for a command: files, state folders, or standard input as "-". */
#ifndef DROVER_CLIENTS_DROVER_INPUT_H
#define DROVER_CLIENTS_DROVER_INPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "clients/drover/command.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "server/storage/recording.h"

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

#endif
