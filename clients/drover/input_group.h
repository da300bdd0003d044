/* Which of the files on a command line are one run: files of a state folder, or parts of a recording, that continue each
 * other. */
#ifndef DROVER_CLIENTS_DROVER_INPUT_GROUP_H
#define DROVER_CLIENTS_DROVER_INPUT_GROUP_H

#include "common/base/failure.h"
#include "common/base/nodiscard.h"

/** How many of the `count` arguments from the first one on continue each other: at least 1. A file continues another one
 * when it says that it begins in the same world, at the tick and after the request at which the other one ends. A state
 * folder is complete by itself. A file that cannot be opened continues none. */
NODISCARD int input_group(char *const *arguments, int count);

#endif
