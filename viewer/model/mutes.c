/* See mutes.h. */
#include "viewer/model/mutes.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static int find_mute(const struct mutes *mutes, const struct message_param *weight) {
    for (int i = 0; i < mutes->count; i++) {
        if (strcmp(mutes->rows[i].kind, weight->kind) == 0 &&
            strcmp(mutes->rows[i].param, weight->param) == 0) {
            return i;
        }
    }
    return -1;
}

static void drop(struct mutes *mutes, int index) {
    assert(index >= 0 && index < mutes->count);
    mutes->count--;
    memmove(&mutes->rows[index], &mutes->rows[index + 1],
            (size_t)(mutes->count - index) * sizeof mutes->rows[0]);
}

double mutes_toggle(struct mutes *mutes, const struct message_param *weight) {
    const int found = find_mute(mutes, weight);
    const double before = found >= 0 ? mutes->rows[found].weight : 1.0;
    if (found >= 0) {
        drop(mutes, found);
    }
    if (weight->value == 0.0) {
        return before;
    }
    if (mutes->count == MUTES_MOST) {
        drop(mutes, 0);
    }
    struct mute *row = &mutes->rows[mutes->count++];
    (void)snprintf(row->kind, sizeof row->kind, "%s", weight->kind);
    (void)snprintf(row->param, sizeof row->param, "%s", weight->param);
    row->weight = weight->value;
    return 0.0;
}
