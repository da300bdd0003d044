/* Texts of messages about scenarios: paths, the expected and the found value, lists of the allowed names.
 */
#ifndef DROVER_SERVER_SCENARIO_SCENARIO_TEXT_H
#define DROVER_SERVER_SCENARIO_SCENARIO_TEXT_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "server/sim/world/world_def.h"

enum { SCENARIO_PATH_BYTES = sizeof((struct failure *)0)->field, SCENARIO_LIST_BYTES = 240 };

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
/** Appends one more quoted name to a list, while there is room. */
void scenario_list_name(char list[SCENARIO_LIST_BYTES], const char *name);

/** Reads exactly `count` numbers, in px; the first two are a place, the rest lengths. wanted: how the array
 * is written, for messages. */
NODISCARD int scenario_read_lengths(const cJSON *json, const char *path, int count, const char *wanted,
                                    float *out, struct failure *failure);

/** 0 when the definition has a kind of this name; otherwise fails with those there are. */
NODISCARD int scenario_check_kind(const struct world_def *def, const char *name, const char *path,
                                  struct failure *failure);

#endif
