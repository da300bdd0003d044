/* Where the first world of the server comes from, when it is no scenario: a recording that is played, a save or a
 * moment of a recording, or the folder of --state. */
#ifndef DROVER_SERVER_ORIGIN_H
#define DROVER_SERVER_ORIGIN_H

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/options.h"
#include "server/simulation/simulation.h"
#include "server/storage/state_directory.h"

struct origin {
    struct recording *recording; /* owned; NULL: a scenario */
    struct simulation_recording start;
};

/** Opens it and puts it into the definition, which needs it until simulation_destroy.
 *
 * directory  that of --state; NULL: none
 * scenario   the name of the scenario that the command line has; NULL: none
 * returns    0; or -1 with *failure, and nothing is open */
NODISCARD int origin_open(struct origin *origin, const struct server_options *options,
                          struct state_directory *directory, const char *scenario, struct simulation_def *def,
                          struct failure *failure);
/** Of a folder that was begun, but has no journal that can be read: the scenario that it begins with again.
 *
 * scenario  the name of the one that the command line has; NULL: none
 * begun     "": the folder does not say; then the command line has it
 * returns   0; or -1 with *failure: it is another one, or neither says */
NODISCARD int origin_read_begun(const struct state_directory *directory, const char *scenario,
                                char begun[LIMIT_NAME_CHARS + 1], struct failure *failure);
void origin_close(struct origin *origin);

#endif
