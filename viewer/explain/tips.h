/* What a row of a panel means, in a sentence with its unit: the words of the tooltips. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_TIPS_H
#define DROVER_VIEWER_EXPLAIN_TIPS_H

/** The sentence for the row of this name ("speed", "order", "trails"), or "" when there is none. Static storage. */
const char *tips_find(const char *name);

#endif
