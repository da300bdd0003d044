/* See state_batch.h. */
#include "server/commands/state_batch.h"

#include <stdlib.h>

void state_batch_destroy(struct state_batch *batch) {
    if (batch != NULL) {
        world_destroy(batch->before);
        free(batch->events);
        free(batch);
    }
}
