/* Why an agent does what it does, in a sentence: for the card beside the selected agent. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_WHY_H
#define DROVER_VIEWER_EXPLAIN_WHY_H

#include <stddef.h>

#include "common/protocol/message_agent.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The term with the strongest part of the net force; where no force acts, the first that has its desired velocity. NULL
 * for none. */
const struct message_agent_term *explain_strongest(const struct message_agent *agent);
/** "keeps its distance from 3 neighbors": what a term makes the agent do. "" for a behavior that is not known. */
void explain_why(const struct message_agent *agent, const struct message_agent_term *term, char *out,
                 size_t size);

#ifdef __cplusplus
}
#endif

#endif
