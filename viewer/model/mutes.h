/* Behaviors that were muted, and the weights they had before. Pure. */
#ifndef DROVER_VIEWER_MODEL_MUTES_H
#define DROVER_VIEWER_MODEL_MUTES_H

#include "common/protocol/message.h"

enum { MUTES_MOST = 32 };

struct mutes {
    int count;
    struct mute {
        char kind[LIMIT_NAME_CHARS + 1], param[64];
        double weight;
    } rows[MUTES_MOST]; /* the newest last */
};

/** The value that mutes the behavior of this weight, or, when it is muted, the one it had; 1 when that was never seen.
 * Notes the value it has. The oldest note is forgotten for a new one. */
double mutes_toggle(struct mutes *mutes, const struct message_param *weight);

#endif
