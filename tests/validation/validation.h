/* drover-validation: worlds of scenarios/validation, stepped and measured, one CSV a case.
 *
 * A meter is 25 px. A case is a row of a table (flock_cases, crowd_cases): its function writes the header and a row for each point of the
 * study and seed. A run is exact, so a row is the same text on every machine; the last column is the hash of the world at its end.
 */
#ifndef DROVER_TESTS_VALIDATION_VALIDATION_H
#define DROVER_TESTS_VALIDATION_VALIDATION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/sim/world/world.h"

#define METER 25.0 /* px */

/** A member of the scenario that is given another value: "agents.0.count". */
struct setting {
    const char *path;
    double value;
    const char *text; /* NULL: the value; "{...": JSON; otherwise a string */
};

struct plan {
    bool is_cut; /* one seed, and the points of the cut alone */
    bool shows;  /* scenarios are printed instead of run */
};

struct validation_case {
    const char *name;
    void (*run)(const struct plan *plan);
};

extern const struct validation_case flock_cases[], crowd_cases[],
    building_cases[]; /* end with a name that is NULL */

/** The world of scenarios/validation/NAME.json with other values; NULL when it was printed. Owned by the caller. Ends the program when
 * the scenario has a mistake. */
NODISCARD struct world *validation_world(const struct plan *plan, const char *name, uint64_t seed,
                                         const struct setting *settings, int count);
/** Seeds of a point: 1 up to this. */
int validation_seeds(const struct plan *plan);
/** Seconds of simulated time. */
void validation_step(struct world *world, double seconds);
/** Ends a row: ",HASH", and the world. */
void validation_end_row(struct world *world);

#endif
