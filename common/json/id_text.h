/* The id of a request, as JSON text: read from a line, echoed in its answer. */
#ifndef DROVER_COMMON_JSON_ID_TEXT_H
#define DROVER_COMMON_JSON_ID_TEXT_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "common/base/limits.h"

enum { ID_TEXT_BYTES = LIMIT_ID_CHARS * 6 + 3 };

/** An integer 0..2^53-1 or a string of at most LIMIT_ID_CHARS characters, as JSON text. false: neither (out
 * is ""). */
bool id_text_read(const cJSON *value, char out[ID_TEXT_BYTES]);

#endif
