/* What a world needs of the ranks that share it in stripes, and which worlds stripes cannot run.
 *
 * An agent sees others in two ways: its zones, and the looks of its behaviors and conditions for the nearest agent of
 * a kind. A rank answers both from the agents it holds: its own, the ghosts in the rows of cells within the halo, and,
 * wherever they are, agents of known kinds and agents that a reference names by id. The nearest agent does not depend
 * on how it is found, so every rank finds the same one.
 *
 * 1. A zone makes the halo at least as wide as it is.
 * 2. A look that is bounded by the halo of the zones costs nothing more.
 * 3. A kind of at most STRIPES_KNOWN_MAX agents that is looked for further than that is known.
 * 4. A larger kind must be looked for within a distance, and the halo becomes as wide.
 * 5. A quarry that is kept may be anywhere: its kind must be known.
 *
 * All of it follows from parameters and populations, not from where agents are: only a command changes it.
 */
#ifndef DROVER_SERVER_SIM_WORLD_WORLD_STRIPES_RULES_H
#define DROVER_SERVER_SIM_WORLD_WORLD_STRIPES_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/sim/world/world.h"

enum {
    STRIPES_KNOWN_MAX = 4096, /* agents of a known kind */
    STRIPES_NAMED_MAX = 1024, /* agents that references name by id */
    STRIPES_REFUSAL = 320     /* bytes that hold every sentence */
};

struct stripes_needs {
    float halo;     /* px: how far agents see others of kinds that are not known */
    uint64_t known; /* bit k: each rank holds all agents of kind k */
    int32_t named_count;
    uint32_t named[STRIPES_NAMED_MAX]; /* ids that references name, ascending; the agents need not be there */
};

/** What a world needs as it is; after each command. Of a world that stripes refuse it is less than that. O(agents)
 * where some have own bodies. */
void world_stripes_needs(const struct world *world, struct stripes_needs *needs);

/** Why so many ranks cannot run the world in stripes, and what is allowed: "kind hunter looks for prey at any distance,
 * and there are 200000 of them; allowed: ...". NULL when they can.
 *
 * text, size  receive the sentence, cut where there is less room than STRIPES_REFUSAL
 * returns     text, or NULL */
const char *world_stripes_refusal(const struct world *world, int ranks, char *text, size_t size);
/** The same of the world that there would be after a spawn, or with a parameter of that value. without_memory: what
 * they return when there is no memory to find out. */
const char *world_stripes_refusal_of_spawn(const struct world *world, int ranks, int kind, uint32_t count,
                                           char *text, size_t size);
const char *world_stripes_refusal_of_param(const struct world *world, int ranks, const struct param_ref *ref,
                                           double value, char *text, size_t size);

#endif
