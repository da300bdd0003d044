/* A scenario: what a JSON file says about a world, checked and turned into a struct world_def.
 *
 * 1. A file with a mistake is refused whole. The failure says where (JSON path, line and column), what was found and what is
 * allowed.
 * 2. Unknown keys are mistakes: a typing error must not become a silent default.
 * 3. Names that refer to targets and kinds are checked here, so that world_create has nothing left to refuse
 * but memory and the number of agents.
 *
 * The grammar is in docs/scenarios.md; tables of the core (body_fields, behavior_fields) say what kinds
 * and behaviors can have, so a parameter added there is known here.
 */
#ifndef DROVER_SERVER_SCENARIO_SCENARIO_H
#define DROVER_SERVER_SCENARIO_SCENARIO_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/field.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message_scenario.h"
#include "server/sim/world/world_def.h"

/* The mistakes of a scenario, in the order in which reading finds them.
 *
 * Reading goes on after a mistake for as long as there is room for another: with room for one it ends at the
 * first, as loading does; with room for many it finds what there is, as checking does. What has a mistake
 * stays where it is in the world's definition as far as later parts name it (a target, a kind), so that one
 * mistake is not reported several times.
 */

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

struct scenario {
    char name[LIMIT_NAME_CHARS + 1]; /* of the file, without .json: what `load` takes */
    char title[128];                 /* "name" in the file */
    char description[512];
    struct message_view view;
    struct message_about about;
    struct world_def def;
    double warmup_s; /* ticks of this time are done without pace when the world is fresh */
    char *text;      /* owned: what it was read from, NUL-terminated; NULL: nothing was read */
    size_t text_length;
};

/** Nothing in it; scenario_fini frees what reading adds. */
void scenario_init(struct scenario *scenario);
void scenario_fini(struct scenario *scenario);
/** Reads a scenario from JSON text. `scenario` is initialized by this, also on failure (then it is empty).
 * 0, or -1 with *failure: field is the JSON path, "" when the text is not JSON at all; line and column are its
 * place in the text. */
NODISCARD int scenario_read(const char *text, size_t length, struct scenario *scenario,
                            struct failure *failure);
/** The same for all mistakes, as many as *mistakes has room for; scenario_fini after success
 * alone. */
NODISCARD int scenario_read_all(const char *text, size_t length, struct scenario *scenario,
                                struct scenario_mistakes *mistakes);

#endif
