/* See cluster.h. */
#include "server/cluster/cluster.h"

#include <assert.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/json/json_check.h"
#include "common/system/clock.h"
#include "server/cluster/mpi_wait.h"
#include "server/commands/command_apply.h"
#include "server/commands/simulation_state.h"
#include "server/recording/checkpoint.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world_stripes.h"
#include "server/simulation/worker_pool.h"
#include "server/storage/checkpoint_round.h"
#include "server/storage/recording.h"

/* A first message has the bytes of most orders. */
enum { FIRST_BYTES = 512, TAG = 1 };
#define SHORT_BYTES (FIRST_BYTES - sizeof(struct order_head))

/* Goes from rank 0 to each rank: on a tree, ranks that nap would hold up those behind them. */
struct first_message {
    struct order_head head;
    char bytes[SHORT_BYTES];
};

struct order_channel {
    const struct cluster *cluster;
    MPI_Comm comm;
    struct first_message first;
    MPI_Request *requests; /* owned, one a rank */
    char *bytes;           /* owned; of an order that was taken */
    size_t room;
};

/* MPI_Ibcast has one argument for what rank 0 gives and for the room of the others. */
union broadcast {
    const char *given;
    char *taken;
};

/* The bytes that did not fit into the first message. */
static void send_rest(struct order_channel *channel, union broadcast bytes, size_t size) {
    for (size_t done = 0; done < size; done += MPI_WAIT_PIECE) {
        MPI_Request request;
        MPI_Ibcast(bytes.taken + done, (int)(size - done < MPI_WAIT_PIECE ? size - done : MPI_WAIT_PIECE),
                   MPI_BYTE, 0, channel->comm, &request);
        mpi_wait(&request, 1, MPI_WAIT_SPIN);
    }
}

static void give_first(struct order_channel *channel) {
    for (int r = 1; r < channel->cluster->ranks; r++) {
        MPI_Isend(&channel->first, (int)sizeof channel->first, MPI_BYTE, r, TAG, channel->comm,
                  &channel->requests[r - 1]);
    }
    mpi_wait(channel->requests, channel->cluster->ranks - 1, MPI_WAIT_SPIN);
}

static void take_first(struct order_channel *channel) {
    MPI_Irecv(&channel->first, (int)sizeof channel->first, MPI_BYTE, 0, TAG, channel->comm,
              &channel->requests[0]);
    mpi_wait(channel->requests, 1, MPI_WAIT_NAP);
}

/* Rank 0: gives the others an order. */
static void order_channel_give(struct order_channel *channel, const struct order_head *head,
                               const void *bytes) {
    assert(channel->cluster->rank == 0);
    const size_t size = (size_t)head->size, now = size < SHORT_BYTES ? size : SHORT_BYTES;
    channel->first.head = *head;
    if (now > 0) {
        memcpy(channel->first.bytes, bytes, now);
    }
    give_first(channel);
    if (size > now) {
        send_rest(channel, (union broadcast){.given = (const char *)bytes + now}, size - now);
    }
}

static void make_room(struct order_channel *channel, size_t size) {
    if (size <= channel->room) {
        return;
    }
    free(channel->bytes);
    channel->bytes = malloc(size);
    channel->room = size;
    if (channel->bytes == NULL) {
        cluster_fail(channel->cluster, "out of memory for an order of rank 0");
    }
}

/* The others: waits for one. Its bytes, with a NUL behind them, are the channel's, valid until the next call. */
static const char *order_channel_take(struct order_channel *channel, struct order_head *head) {
    take_first(channel);
    *head = channel->first.head;
    const size_t size = (size_t)head->size, now = size < SHORT_BYTES ? size : SHORT_BYTES;
    make_room(channel, size + 1);
    memcpy(channel->bytes, channel->first.bytes, now);
    if (size > now) {
        send_rest(channel, (union broadcast){.taken = channel->bytes + now}, size - now);
    }
    channel->bytes[size] = '\0';
    return channel->bytes;
}

struct order_channel *order_channel_create(const struct cluster *cluster) {
    struct order_channel *channel = calloc(1, sizeof *channel);
    if (channel == NULL) {
        return NULL;
    }
    channel->cluster = cluster;
    channel->requests = malloc((size_t)cluster->ranks * sizeof(MPI_Request));
    if (channel->requests == NULL) {
        free(channel);
        return NULL;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &channel->comm);
    return channel;
}

void order_channel_destroy(struct order_channel *channel) {
    if (channel != NULL) {
        MPI_Comm_free(&channel->comm);
        free(channel->requests);
        free(channel->bytes);
        free(channel);
    }
}

/* ---- rank sender ---- */

struct rank_sender {
    const struct cluster *cluster;
    struct exchange_mpi *exchange;
    uint64_t began_ns, waited_ns; /* of the tick under way: when it began, the waiting before it */
    struct rank_meter meter;
    uint32_t epoch; /* of the world of the last report */
    struct rank_report own;
    struct rank_report *all;     /* owned, one a rank; rank 0's */
    struct exchange_part *parts; /* owned, out and in, one a rank */
};

struct rank_sender *rank_sender_create(const struct cluster *cluster, struct exchange_mpi *exchange) {
    struct rank_sender *sender = calloc(1, sizeof *sender);
    if (sender == NULL) {
        return NULL;
    }
    sender->cluster = cluster;
    sender->exchange = exchange;
    sender->all = calloc((size_t)cluster->ranks, sizeof *sender->all);
    sender->parts = calloc(2 * (size_t)cluster->ranks, sizeof *sender->parts);
    if (sender->all == NULL || sender->parts == NULL) {
        rank_sender_destroy(sender);
        return NULL;
    }
    return sender;
}

void rank_sender_destroy(struct rank_sender *sender) {
    if (sender != NULL) {
        free(sender->all);
        free(sender->parts);
        free(sender);
    }
}

/* A tick begins. */
static void rank_sender_begin_tick(struct rank_sender *sender) {
    sender->began_ns = clock_now_ns();
    sender->waited_ns = exchange_mpi_times(sender->exchange).wait_ns;
}

/* It is done. */
static void rank_sender_end_tick(struct rank_sender *sender) {
    const uint64_t all_ns = clock_now_ns() - sender->began_ns;
    const uint64_t wait_ns = exchange_mpi_times(sender->exchange).wait_ns - sender->waited_ns;
    const uint64_t work_ns = all_ns > wait_ns ? all_ns - wait_ns : 0;
    rank_meter_add(&sender->meter, work_ns, wait_ns);
    exchange_mpi_note_tick(sender->exchange, work_ns);
}

/* The part of the agents that a copy steps (world.c). */
static uint64_t part_of_copy(const struct rank_sender *sender, const struct world *world) {
    const uint64_t agents = (uint64_t)world_agent_count(world), rank = (uint64_t)sender->cluster->rank;
    const uint64_t ranks = (uint64_t)sender->cluster->ranks;
    return agents * (rank + 1) / ranks - agents * rank / ranks;
}

static void fill_own(struct rank_sender *sender, const struct simulation_state *state) {
    const struct world_window window = world_window(state->world);
    const bool has_rows = state->exchange->mode == EXCHANGE_STRIPES;
    struct rank_report *own = &sender->own;
    const bool is_new = sender->epoch != state->epoch;
    if (is_new) { /* the times are of the world before */
        sender->epoch = state->epoch;
        sender->meter.count = 0;
        own->work = own->wait = (struct rank_times){0};
    }
    rank_meter_report(&sender->meter, own);
    own->agents =
        has_rows ? (uint64_t)(window.own_end - window.own_begin) : part_of_copy(sender, state->world);
    own->ghosts = (uint64_t)window.ghosts;
    rank_report_set_migrants(own, window.migrants, is_new);
    own->sorts = window.sorts;
    own->rank = sender->cluster->rank;
    own->row = has_rows ? window.first_row : 0;
    own->row_end = has_rows ? window.end_row : 0;
    _Static_assert(sizeof own->host >= CLUSTER_HOST_BYTES, "a host's name fits");
    memcpy(own->host, sender->cluster->all[own->rank].host, CLUSTER_HOST_BYTES);
}

/* Collective (RANK_ORDER_TIMES). Rank 0 gets the reports of all ranks, one a rank, valid until the next call; the others get
 * NULL. */
static const struct rank_report *rank_sender_send(struct rank_sender *sender,
                                                  const struct simulation_state *state) {
    const int ranks = sender->cluster->ranks;
    struct exchange_part *out = sender->parts, *in = sender->parts + ranks;
    fill_own(sender, state);
    for (int r = 0; r < ranks; r++) {
        out[r] = (struct exchange_part){.size = 0};
    }
    out[0] = (struct exchange_part){&sender->own, sizeof sender->own};
    state->exchange->hand_over(state->exchange->context, out, in);
    for (int r = 0; r < ranks && sender->cluster->rank == 0; r++) {
        assert(in[r].size == sizeof sender->own);
        memcpy(&sender->all[r], in[r].bytes, sizeof sender->own);
    }
    return sender->cluster->rank == 0 ? sender->all : NULL;
}

/* ---- conductor ---- */

enum { REASON_BYTES = 400 };

struct conductor {
    struct state_ranks ranks;
    const struct cluster *cluster;
    struct order_channel *channel;
    struct rank_sender *sender;
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
        rank_sender_begin_tick(conductor->sender);
    }
}

static void ticked(void *context) {
    rank_sender_end_tick(((struct conductor *)context)->sender);
}

static const struct rank_report *send_others(void *context, const struct simulation_state *state) {
    struct conductor *conductor = context;
    order(conductor, RANK_ORDER_TIMES, NULL, 0);
    return rank_sender_send(conductor->sender, state);
}

static void check(void *context, uint64_t digest) {
    struct conductor *conductor = context;
    conductor->has_digest = true;
    conductor->digest = digest;
}

static void differ(void *context, const struct rank_difference *difference, uint64_t tick) {
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

static void fail_order(void *context, const char *reason) {
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
        fail_order(context, "out of memory for the text of the world");
    }
    order(conductor, RANK_ORDER_WORLD, text.data, text.length);
    buffer_fini(&text);
}

struct conductor *conductor_create(const struct cluster *cluster, struct order_channel *channel,
                                   struct rank_sender *sender, struct lifeline *lifeline) {
    struct conductor *conductor = calloc(1, sizeof *conductor);
    if (conductor != NULL) {
        conductor->cluster = cluster;
        conductor->channel = channel;
        conductor->sender = sender;
        conductor->lifeline = lifeline;
        conductor->ranks = (struct state_ranks){.context = conductor,
                                                .order = order,
                                                .put = put,
                                                .check = check,
                                                .ticked = ticked,
                                                .tell = send_others,
                                                .differ = differ,
                                                .fail = fail_order,
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

/* ---- follower ---- */

enum { ANSWER_BYTES = 16 * 1024 * 1024 };

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
    rank_sender_begin_tick(follower->def.sender);
    simulation_state_step(&follower->state);
    rank_sender_end_tick(follower->def.sender);
    follower->state.log.count = 0;
}

static void tell(struct follower *follower, const char *bytes, size_t size) {
    (void)bytes;
    (void)size;
    (void)rank_sender_send(follower->def.sender, &follower->state);
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
    lifeline_release(follower->def.lifeline);
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
