/* The mistakes of a scenario, in the order in which reading finds them.
 *
 * Reading goes on after a mistake for as long as there is room for another: with room for one it ends at the
 * first, as loading does; with room for many it finds what there is, as checking does. What has a mistake
 * stays where it is in the world's definition as far as later parts name it (a target, a kind), so that one
 * mistake is not reported several times.
 */
#ifndef DROVER_SERVER_SCENARIO_SCENARIO_MISTAKES_H
#define DROVER_SERVER_SCENARIO_SCENARIO_MISTAKES_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/field.h"
#include "common/base/nodiscard.h"

struct scenario_mistakes {
    struct failure *rows; /* the caller's */
    int count, capacity;  /* capacity: 1 or more */
};

/** Takes a mistake in. Whether reading is to go on: there is room for another, and memory is not what is
 * short.
 */
bool scenario_mistake(struct scenario_mistakes *mistakes, const struct failure *failure);
/** As fields_read, but goes on after a mistake. 0, or -1 when reading ends here. *is_whole: whether there was
 * none. */
NODISCARD int scenario_read_fields(const struct field *table, const cJSON *json, const char *path,
                                   const char *const *known, void *object, uint64_t *present, bool *is_whole,
                                   struct scenario_mistakes *mistakes);

#endif
