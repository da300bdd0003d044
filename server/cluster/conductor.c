/* See conductor.h. */
#include "server/cluster/conductor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "server/commands/simulation_state.h"
#include "server/recording/checkpoint.h"
#include "server/sim/world/world_stripes.h"

enum { REASON_BYTES = 400 };

struct conductor {
    struct state_ranks ranks;
    const struct cluster *cluster;
    struct order_channel *channel;
    struct rank_teller *teller;
    struct lifeline *lifeline;
    bool has_digest;
    uint64_t digest; /* of the order before */
};

static void order(void *context, enum rank_order what, const void *bytes, size_t size) {
    struct conductor *conductor = context;
    const struct order_head head = {.order = (uint32_t)what,
                                    .has_digest = conductor->has_digest,
                                    .digest = conductor->digest,
                                    .size = size};
    conductor->has_digest = false;
    order_channel_give(conductor->channel, &head, bytes);
    if (what == RANK_ORDER_TICK) {
        rank_teller_begin_tick(conductor->teller);
    }
}

static void ticked(void *context) {
    rank_teller_end_tick(((struct conductor *)context)->teller);
}

static const struct rank_report *tell(void *context, const struct simulation_state *state) {
    struct conductor *conductor = context;
    order(conductor, RANK_ORDER_TIMES, NULL, 0);
    return rank_teller_tell(conductor->teller, state);
}

static void check(void *context, uint64_t digest) {
    struct conductor *conductor = context;
    conductor->has_digest = true;
    conductor->digest = digest;
}

static void differ(void *context, const struct world_difference *difference, uint64_t tick) {
    const struct conductor *conductor = context;
    char reason[REASON_BYTES], other[CLUSTER_HOST_BYTES + 64] = "";
    if (difference->other >= 0) {
        (void)snprintf(other, sizeof other, " (or rank %d on %s: they are two)", difference->other,
                       conductor->cluster->all[difference->other].host);
    }
    (void)snprintf(reason, sizeof reason,
                   "it has other bits than the other ranks at tick %" PRIu64 ": %s%s; the world ends here",
                   tick, difference->what, other);
    cluster_differ(conductor->cluster, difference->rank, reason);
}

static void hurry(void *context) {
    lifeline_hurry(((struct conductor *)context)->lifeline);
}

static void give_up(void *context) {
    lifeline_give_up(((struct conductor *)context)->lifeline);
}

static void fail(void *context, const char *reason) {
    const struct conductor *conductor = context;
    cluster_fail(conductor->cluster, reason);
}

static void put(void *context, const struct simulation_state *state, const struct built_world *built) {
    struct conductor *conductor = context;
    const struct order_world world = {.is_fresh = built->is_fresh,
                                      .is_path = built->head != NULL,
                                      .is_paused = state->is_paused,
                                      .seed = world_seed(state->world),
                                      .tick_hz = world_tick_hz(state->world),
                                      .hash = built->hash};
    struct buffer text;
    buffer_init(&text, SIZE_MAX / 2);
    buffer_append(&text, &world, sizeof world);
    if (built->head != NULL) {
        buffer_append(&text, built->head, strlen(built->head) + 1);
    } else if (built->is_fresh) {
        buffer_append(&text, state->text, state->text_length);
    } else {
        const struct checkpoint_rest rest = checkpoint_rest_of(state);
        saved_world_write(state->world, &rest, state->name, state->text, state->text_length, &text, NULL);
    }
    if (text.failed) {
        fail(context, "out of memory for the text of the world");
    }
    order(conductor, RANK_ORDER_WORLD, text.data, text.length);
    buffer_fini(&text);
}

struct conductor *conductor_create(const struct cluster *cluster, struct order_channel *channel,
                                   struct rank_teller *teller, struct lifeline *lifeline) {
    struct conductor *conductor = calloc(1, sizeof *conductor);
    if (conductor != NULL) {
        conductor->cluster = cluster;
        conductor->channel = channel;
        conductor->teller = teller;
        conductor->lifeline = lifeline;
        conductor->ranks = (struct state_ranks){.context = conductor,
                                                .order = order,
                                                .put = put,
                                                .check = check,
                                                .ticked = ticked,
                                                .tell = tell,
                                                .differ = differ,
                                                .fail = fail,
                                                .hurry = hurry,
                                                .give_up = give_up,
                                                .is_lost = lifeline_is_lost(lifeline)};
    }
    return conductor;
}

void conductor_destroy(struct conductor *conductor) {
    if (conductor != NULL) {
        order(conductor, RANK_ORDER_END, NULL, 0);
        free(conductor);
    }
}

const struct state_ranks *conductor_ranks(const struct conductor *conductor) {
    return &conductor->ranks;
}
