/* Escapes in JSON strings. */
#ifndef DROVER_COMMON_JSON_JSON_ESCAPE_H
#define DROVER_COMMON_JSON_JSON_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The number that four hexadecimal digits at text[at] say, or -1 when there are none within length. */
int32_t json_hex4(const char *text, size_t length, size_t at);
/** Whether a \u escape is the first, or the second, half of a surrogate pair. */
bool json_is_high_surrogate(int32_t unit);
bool json_is_low_surrogate(int32_t unit);

#endif
