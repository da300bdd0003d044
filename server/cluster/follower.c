/* See follower.h. */
#include "server/cluster/follower.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_check.h"
#include "server/cluster/conductor.h"
#include "server/commands/command_apply.h"
#include "server/commands/simulation_state.h"
#include "server/recording/checkpoint.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world_stripes.h"
#include "server/simulation/worker_pool.h"
#include "server/storage/checkpoint_round.h"
#include "server/storage/recording.h"

enum { ANSWER_BYTES = 16 * 1024 * 1024, REASON_BYTES = 400 };

struct follower {
    struct follower_def def;
    struct simulation_state state;
    struct worker_pool *pool;
    struct buffer answer;           /* to a request; it is not sent to any client */
    struct checkpoint_round *round; /* owned; NULL: no checkpoint was written yet */
    bool has_digest, has_ended;
    uint64_t digest;    /* what came of the order before */
    const char *before; /* its name */
};

static _Noreturn void fail(const struct follower *follower, const struct failure *failure) {
    cluster_fail(follower->def.cluster, failure->message);
}

/* ---- what is ordered ---- */

/* The scenario's world as rank 0 built it. */
static int build(const struct follower *follower, const struct order_world *order, const char *text,
                 size_t length, struct built_world *built, struct failure *failure) {
    struct world_overrides overrides = follower->def.overrides;
    struct scenario scenario;
    overrides.tick_hz = order->tick_hz;
    if (scenario_read(text, length, &scenario, failure) != 0) {
        return -1;
    }
    const int result = built_world_make(&scenario, &overrides, &order->seed, NULL, built, failure);
    scenario_fini(&scenario);
    if (result == 0 && built->hash != order->hash) {
        return failure_set(failure, FAILURE_INTERNAL, NULL,
                           "builds another world than rank 0: hash %016" PRIx64 ", rank 0 has %016" PRIx64,
                           built->hash, order->hash);
    }
    return result;
}

/* The world of a checkpoint in parts. */
static int restore(struct follower *follower, const char *path, struct failure *failure) {
    struct recording *recording = recording_open(&path, 1, failure);
    if (recording == NULL) {
        return -1;
    }
    const struct recording_source source = recording_source(recording, &follower->def.overrides);
    const struct recording_moment at = recording_facts(recording)->last;
    const int result = source.seek(source.context, &at, &follower->state, failure);
    recording_close(recording);
    return result;
}

static void put_parts(struct follower *follower, const struct order_world *order, const char *path) {
    struct failure failure = {0};
    if (restore(follower, path, &failure) != 0) {
        fail(follower, &failure);
    }
    follower->state.is_paused = order->is_paused;
}

static void put_world(struct follower *follower, const char *bytes, size_t size) {
    struct order_world order;
    struct built_world built;
    struct checkpoint_rest rest = {0};
    struct failure failure = {0};
    memcpy(&order, bytes, sizeof order);
    bytes += sizeof order;
    size -= sizeof order;
    if (order.is_path) {
        put_parts(follower, &order, bytes);
        return;
    }
    const int result = order.is_fresh ? build(follower, &order, bytes, size, &built, &failure)
                                      : saved_world_read(bytes, size, &follower->def.overrides, NULL, &built,
                                                         &rest, &failure);
    if (result != 0) {
        fail(follower, &failure);
    }
    simulation_state_change(&follower->state, &built);
    built_world_fini(&built);
    if (world_exchange(follower->state.world) == NULL) {
        cluster_fail(follower->def.cluster, "out of memory for the world");
    }
}

static void apply(struct follower *follower, const char *bytes, size_t size) {
    struct rank_request head;
    struct request request;
    struct failure failure = {0};
    const struct json_limits limits = json_limits_admin();
    memcpy(&head, bytes, sizeof head);
    const size_t length = size - sizeof head - 1; /* without its newline */
    if (request_decode_within(bytes + sizeof head, length, &limits, &request, &failure) != 0) {
        fail(follower, &failure);
    }
    follower->state.seq = head.seq;
    follower->state.session = head.session;
    follower->state.is_paused = head.is_paused;
    buffer_clear(&follower->answer);
    const struct command_effects effects =
        command_apply(&follower->state, &request, head.line, &follower->answer);
    follower->digest = state_ranks_digest(&follower->state, &effects);
    follower->has_digest = true;
    request_fini(&request);
}

static void give_cursors(struct follower *follower, const char *bytes, size_t size) {
    (void)size;
    uint32_t owners[LIMIT_TARGETS];
    memcpy(owners, bytes, sizeof owners);
    simulation_state_give_cursors(&follower->state, owners);
}

static void tick(struct follower *follower, const char *bytes, size_t size) {
    (void)bytes;
    (void)size;
    rank_teller_begin_tick(follower->def.teller);
    simulation_state_step(&follower->state);
    rank_teller_end_tick(follower->def.teller);
    follower->state.log.count = 0;
}

static void tell(struct follower *follower, const char *bytes, size_t size) {
    (void)bytes;
    (void)size;
    (void)rank_teller_tell(follower->def.teller, &follower->state);
}

static void hash(struct follower *follower, const char *bytes, size_t size) {
    (void)bytes;
    (void)size;
    follower->digest = simulation_state_hash(&follower->state);
    follower->has_digest = true;
}

static void gather(struct follower *follower, const char *bytes, size_t size) {
    if (state_gather_follow(&follower->state, bytes, size) != 0) {
        cluster_fail(follower->def.cluster, "out of memory");
    }
}

static void look_at_folder(struct follower *follower, const char *bytes, size_t size) {
    struct failure failure = {0};
    (void)size;
    const int result = checkpoint_round_check(follower->state.exchange, bytes, &failure);
    (void)result; /* rank 0 has the same, and ends all */
}

static void begin_part(struct follower *follower, const char *bytes, size_t size) {
    (void)size;
    if (follower->round == NULL) {
        follower->round = checkpoint_round_new(follower->state.exchange);
    }
    if (follower->round == NULL) {
        cluster_fail(follower->def.cluster, "out of memory, or of threads, for a checkpoint");
    }
    (void)checkpoint_round_begin(follower->round, &follower->state, bytes);
}

static void look_at_parts(struct follower *follower, const char *bytes, size_t size) {
    struct failure failure = {0};
    uint64_t written;
    (void)bytes;
    (void)size;
    (void)checkpoint_round_look(follower->round, &written, &failure);
}

static void end(struct follower *follower, const char *bytes, size_t size) {
    (void)bytes;
    (void)size;
    lifeline_let_go(follower->def.lifeline);
    follower->has_ended = true;
}

static const struct {
    const char *name;
    void (*follow)(struct follower *follower, const char *bytes, size_t size);
} orders[RANK_ORDER_COUNT] = {
    [RANK_ORDER_WORLD] = {"a world", put_world},
    [RANK_ORDER_REQUEST] = {"a request", apply},
    [RANK_ORDER_CURSORS] = {"cursors", give_cursors},
    [RANK_ORDER_TICK] = {"a tick", tick},
    [RANK_ORDER_GATHER] = {"a question", gather},
    [RANK_ORDER_FOLDER] = {"a folder", look_at_folder},
    [RANK_ORDER_PARTS] = {"a checkpoint", begin_part},
    [RANK_ORDER_LOOK] = {"a look at a checkpoint", look_at_parts},
    [RANK_ORDER_HASH] = {"a hash", hash},
    [RANK_ORDER_TIMES] = {"times", tell},
    [RANK_ORDER_END] = {"the end", end},
};

/* ---- the loop ---- */

/* What came of the order before is the same here as on rank 0. */
static void compare(const struct follower *follower, const struct order_head *head) {
    char reason[REASON_BYTES];
    if (head->has_digest && follower->has_digest && head->digest != follower->digest) {
        (void)snprintf(reason, sizeof reason,
                       "its world is not the one of rank 0: after %s at tick %" PRIu64 " it has %016" PRIx64
                       ", rank 0 %016" PRIx64,
                       follower->before, world_tick(follower->state.world), follower->digest, head->digest);
        cluster_differ(follower->def.cluster, follower->def.cluster->rank, reason);
    }
}

static void follow_one(struct follower *follower) {
    struct order_head head;
    const char *bytes = order_channel_take(follower->def.channel, &head);
    compare(follower, &head);
    follower->has_digest = false;
    follower->before = orders[head.order].name;
    orders[head.order].follow(follower, bytes, (size_t)head.size);
}

static void follow(struct follower *follower) {
    follower->pool = worker_pool_create(follower->def.threads);
    if (follower->pool == NULL) {
        cluster_fail(follower->def.cluster, "cannot start threads");
    }
    simulation_state_init(&follower->state);
    buffer_init(&follower->answer, ANSWER_BYTES);
    follower->state.parallel = worker_pool_parallel(follower->pool);
    follower->state.exchange = follower->def.exchange;
    while (!follower->has_ended) {
        follow_one(follower);
    }
    checkpoint_round_destroy(follower->round);
    simulation_state_fini(&follower->state);
    worker_pool_destroy(follower->pool);
    buffer_fini(&follower->answer);
}

void follower_run(const struct follower_def *def) {
    struct follower *follower = calloc(1, sizeof *follower);
    if (follower != NULL) {
        follower->def = *def;
        follow(follower);
        free(follower);
    } else {
        cluster_fail(def->cluster, "out of memory");
    }
}
