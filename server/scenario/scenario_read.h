/* Texts of messages about scenarios: paths, the expected and the found value, lists of the allowed names.
 */
#ifndef DROVER_SERVER_SCENARIO_SCENARIO_READ_H
#define DROVER_SERVER_SCENARIO_SCENARIO_READ_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "common/base/failure.h"
#include "common/base/field.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/message_scenario.h"
#include "common/text/names.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world_def.h"

enum { SCENARIO_PATH_BYTES = sizeof((struct failure *)0)->field, SCENARIO_LIST_BYTES = 288 };

/** The names there are, for the message about one that is not there. */
struct scenario_names {
    struct nearest_name nearest;
    char list[SCENARIO_LIST_BYTES];
};

/** Formats a JSON path ("kinds.prey.behaviors[0]"); one that is too long is cut. */
void scenario_path(char out[SCENARIO_PATH_BYTES], const char *text, ...) PRINTF_LIKE(2, 3);
/** 0 when is_right; otherwise fails with "expected WANTED, found a string". */
int scenario_expect(bool is_right, const char *wanted, const cJSON *found, const char *path,
                    struct failure *failure);
/** 0 when the text is a name; otherwise fails with what a name is. */
int scenario_check_name(const char *name, const char *path, struct failure *failure);
/** 0 when people see the text as it is: no control characters (with_lines: but line feeds), no line and paragraph
 * separators, nothing that turns the direction of a text; otherwise fails with the character and what is allowed. */
int scenario_check_text(const char *text, bool with_lines, const char *path, struct failure *failure);
/** No names yet; typed: the caller's, what is not one of them. */
struct scenario_names scenario_names_begin(const char *typed);
/** One more name; it is listed while there is room, and considered for "did you mean" in any case. is_quoted: it
 * is a name of the scenario's author. */
void scenario_names_add(struct scenario_names *names, const char *name, bool is_quoted);
/** Fails with "no WHAT "typed" (did you mean "near"?); WHOSE near, other". */
int scenario_names_fail(const struct scenario_names *names, enum failure_code code, const char *what,
                        const char *whose, const char *path, struct failure *failure);
/** The same of the names of a NULL-ended list. */
int scenario_fail_listed(const char *typed, const char *const *listed, const char *what, const char *path,
                         struct failure *failure);

/** 0 when the definition has a kind of this name; otherwise fails with those there are. */
NODISCARD int scenario_check_kind(const struct world_def *def, const char *name, const char *path,
                                  struct failure *failure);

/* The geometry of a scenario file. Used by the other scenario_*.c files only. */

/** Reads obstacles, walls, paths, flow_fields, areas and gates of the "world" object; def has its size and edge already.
 * 0, or -1 when reading ends here. */
NODISCARD int scenario_read_geometry(const cJSON *world, struct world_def *def,
                                     struct scenario_mistakes *mistakes);

/** Checks that ways lead to what there is, once the targets are read. 0, or -1 when reading ends here. */
NODISCARD int scenario_check_ways(const struct world_def *def, struct scenario_mistakes *mistakes);

/** 0 when the path or flow field that a behavior names is there; otherwise fails with those there are.
 * path: of the behavior in the file */
NODISCARD int scenario_check_geometry(const struct world_def *def, const struct behavior_def *behavior,
                                      const char *path, struct failure *failure);

/* The kinds of a scenario file: bodies, states, behaviors, conditions. Used by scenario.c only. */

/** Reads "kinds" of the file's root object into *def, after the targets (behaviors name them), and adds
 * mistakes to *mistakes. 0, or -1 when reading ends here (scenario_mistake). */
NODISCARD int scenario_read_kinds(const cJSON *root, struct world_def *def,
                                  struct scenario_mistakes *mistakes);

/* Reads "view" and "about" of a scenario: how it wants to be looked at, what it says to a person. Neither is part of
 * the world.
 */

/* The parts of a scenario file: world, targets, kinds, agents. Used by scenario.c only. */

/* Each reads its part of the file's root object into *def and adds mistakes to *mistakes: 0, or -1 when
 * reading ends here (scenario_mistake). In this order: kinds refer to targets, agents to kinds. Only "world"
 * must be there. */
NODISCARD int scenario_read_world(const cJSON *root, struct world_def *def,
                                  struct scenario_mistakes *mistakes);
NODISCARD int scenario_read_targets(const cJSON *root, struct world_def *def,
                                    struct scenario_mistakes *mistakes);
NODISCARD int scenario_read_agents(const cJSON *root, struct world_def *def,
                                   struct scenario_mistakes *mistakes);
/** "formations", which name kinds; scenario_read_kinds calls it, before it looks at what behaviors name. */
NODISCARD int scenario_read_formations(const cJSON *root, struct world_def *def,
                                       struct scenario_mistakes *mistakes);
/** "sources" and "sinks", which name kinds and areas. */
NODISCARD int scenario_read_turnover(const cJSON *root, struct world_def *def,
                                     struct scenario_mistakes *mistakes);

/* The JSON Schema of a scenario (scenario_schema.c has these, the files above write their parts). */

/** A value as the row says: its type, range, default and sentence. */
void scenario_schema_value(struct json_writer *json, const struct field *row);
/** {"$ref": ...} of a definition, as the member `key`, or where a value stands (NULL). */
void scenario_schema_ref(struct json_writer *json, const char *key, const char *definition);
/** Begins the schema of an object whose members the table has (NULL: none) and that has no others: further ones, keys with their
 * schemas, may follow until it is closed. required: one beside those of the table, or NULL. help: a sentence, or NULL. */
void scenario_schema_open(struct json_writer *json, const struct field *table, const char *required,
                          const char *help);
void scenario_schema_close(struct json_writer *json);
/** Closes it, and exactly one of these members must be there. */
void scenario_schema_exactly_one(struct json_writer *json, const char *const *names, int count);
/** Members that are called by a shape: the first ones of obstacle_shape_names or area_shape_names. */
void scenario_schema_shapes(struct json_writer *json, const char *const *names, int count);
/** An array of two values and perhaps a third. */
void scenario_schema_pair(struct json_writer *json, const struct field *pair, const struct field *third);
/** The member `key`, an array: the schema of an entry follows, then json_end. */
void scenario_schema_list(struct json_writer *json, const char *key, unsigned least, unsigned most,
                          const char *help);
/** The member `key`, an object by name: the schema of a member follows, then json_end. */
void scenario_schema_by_name(struct json_writer *json, const char *key, unsigned most, const char *help);

/** Each adds its members to the properties of the scenario, or of its "world"; the last two its definitions. */
void scenario_schema_world(struct json_writer *json);
void scenario_schema_targets(struct json_writer *json);
void scenario_schema_agents(struct json_writer *json);
void scenario_schema_turnover(struct json_writer *json);
void scenario_schema_formations(struct json_writer *json);
void scenario_schema_geometry(struct json_writer *json);
void scenario_schema_kinds(struct json_writer *json);
void scenario_schema_behaviors(struct json_writer *json);
void scenario_schema_conditions(struct json_writer *json);

#endif
