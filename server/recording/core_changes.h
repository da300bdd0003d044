/* What changed from core to core (sim/core.h), so that a recording of an older core of which nothing was touched plays
 * exactly. Pure.
 */
#ifndef DROVER_SERVER_RECORDING_CORE_CHANGES_H
#define DROVER_SERVER_RECORDING_CORE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/scenario/scenario.h"

/** A change of bits. touches: words with a blank between them: "all", or any of
 *
 *     orca               a behavior by its name
 *     edge:wrap          an edge
 *     locomotion:direct  a locomotion
 *     dithered           a way to combine forces other than "sum"
 *     filtered_tiers     states with orca over behaviors of several tiers
 *     conditions         states with conditions
 *     stamina            kinds that have stamina
 *     geometry           obstacles and walls
 *     jumps              targets that jump
 *     strolls            targets that stroll
 *     request:spawn      a request
 *
 * A word that is none of these counts as "all". */
struct core_change {
    uint32_t core;    /* the number that it raised the core to */
    const char *what; /* one sentence, "orca weighs walls otherwise." */
    const char *touches;
};

/** Ends with a row whose core is 0; in ascending order. */
extern const struct core_change core_changes[];

/** Lists what changed for this scenario since the core that recorded it, for people: "orca (3), edge:wrap (4)".
 *
 * changes      core_changes, or a table of a test
 * newest       CORE_NUMBER, or that of the test
 * request_ops  the requests that the recording has, bits by enum request_op (recording_facts)
 * out          receives the list, cut when it is longer; "" for nothing
 * returns      whether something changed; also for a recording of a newer core, about which nothing is known here */
bool core_affects(const struct core_change *changes, uint32_t recorded, uint32_t newest,
                  const struct scenario *scenario, uint64_t request_ops, char *out, size_t size);

#endif
