/* The names that persons may give themselves: a name that others see must show as what it is.
 *
 * At most LIMIT_PERSON_BYTES of UTF-8 without controls (C0, C1, line and paragraph separators), without what
 * turns the direction of a text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) and without what
 * has no width (U+180E, U+200B to U+200D, U+2060 to U+206F, U+FEFF, U+FFF9 to U+FFFB); not blanks alone.
 * Blanks around it are cut off. protocol.schema.json has the same as a pattern.
 */
#ifndef DROVER_COMMON_TEXT_PERSON_NAME_H
#define DROVER_COMMON_TEXT_PERSON_NAME_H

#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"

/** Writes the name without the blanks around it; an empty text is no name, and fine. 0, or -1 with *failure
 * (bad_param, field `field`), which says what is allowed. */
NODISCARD int person_name_read(const char *text, const char *field, char out[LIMIT_PERSON_BYTES + 1],
                               struct failure *failure);

#endif
