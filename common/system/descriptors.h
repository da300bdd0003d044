/* The three standard descriptors. */
#ifndef DROVER_COMMON_SYSTEM_DESCRIPTORS_H
#define DROVER_COMMON_SYSTEM_DESCRIPTORS_H

#include "common/base/nodiscard.h"

/** Opens /dev/null in place of those of 0, 1 and 2 that are closed, so that no socket or file gets their
 * numbers (and, with 2, the log). Call it before anything is opened. 0, or -1 with errno. */
NODISCARD int descriptors_fill_standard(void);

#endif
