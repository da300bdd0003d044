/* All that the equations of an agent say, as plain text to paste. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_AGENT_TEXT_H
#define DROVER_VIEWER_EXPLAIN_AGENT_TEXT_H

#include <stddef.h>

#include "common/protocol/message_agent.h"

/** Its title, then for each behavior its formula in words and in numbers, then the sum. Returns the text, which the
 * caller frees; NULL without memory. */
char *agent_text(const struct message_agent *agent);

#endif
