/* See rank_teller.h. */
#include "server/cluster/rank_teller.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/clock.h"
#include "server/sim/world/world_stripes.h"

struct rank_teller {
    const struct cluster *cluster;
    struct exchange_mpi *exchange;
    uint64_t began_ns, waited_ns; /* of the tick under way: when it began, the waiting before it */
    struct rank_meter meter;
    uint32_t epoch; /* of the world of the last report */
    struct rank_report own;
    struct rank_report *all;     /* owned, one a rank; rank 0's */
    struct exchange_part *parts; /* owned, out and in, one a rank */
};

struct rank_teller *rank_teller_create(const struct cluster *cluster, struct exchange_mpi *exchange) {
    struct rank_teller *teller = calloc(1, sizeof *teller);
    if (teller == NULL) {
        return NULL;
    }
    teller->cluster = cluster;
    teller->exchange = exchange;
    teller->all = calloc((size_t)cluster->ranks, sizeof *teller->all);
    teller->parts = calloc(2 * (size_t)cluster->ranks, sizeof *teller->parts);
    if (teller->all == NULL || teller->parts == NULL) {
        rank_teller_destroy(teller);
        return NULL;
    }
    return teller;
}

void rank_teller_destroy(struct rank_teller *teller) {
    if (teller != NULL) {
        free(teller->all);
        free(teller->parts);
        free(teller);
    }
}

void rank_teller_begin_tick(struct rank_teller *teller) {
    teller->began_ns = clock_now_ns();
    teller->waited_ns = exchange_mpi_times(teller->exchange).wait_ns;
}

void rank_teller_end_tick(struct rank_teller *teller) {
    const uint64_t all_ns = clock_now_ns() - teller->began_ns;
    const uint64_t wait_ns = exchange_mpi_times(teller->exchange).wait_ns - teller->waited_ns;
    const uint64_t work_ns = all_ns > wait_ns ? all_ns - wait_ns : 0;
    rank_meter_add(&teller->meter, work_ns, wait_ns);
    exchange_mpi_note_tick(teller->exchange, work_ns);
}

/* The part of the agents that a copy steps (world.c). */
static uint64_t part_of_copy(const struct rank_teller *teller, const struct world *world) {
    const uint64_t agents = (uint64_t)world_agent_count(world), rank = (uint64_t)teller->cluster->rank;
    const uint64_t ranks = (uint64_t)teller->cluster->ranks;
    return agents * (rank + 1) / ranks - agents * rank / ranks;
}

static void fill_own(struct rank_teller *teller, const struct simulation_state *state) {
    const struct world_window window = world_window(state->world);
    const bool has_rows = state->exchange->mode == EXCHANGE_STRIPES;
    struct rank_report *own = &teller->own;
    const bool is_new = teller->epoch != state->epoch;
    if (is_new) { /* the times are of the world before */
        teller->epoch = state->epoch;
        teller->meter.count = 0;
        own->work = own->wait = (struct rank_times){0};
    }
    rank_meter_report(&teller->meter, own);
    own->agents =
        has_rows ? (uint64_t)(window.own_end - window.own_begin) : part_of_copy(teller, state->world);
    own->ghosts = (uint64_t)window.ghosts;
    rank_report_set_migrants(own, window.migrants, is_new);
    own->sorts = window.sorts;
    own->rank = teller->cluster->rank;
    own->row = has_rows ? window.first_row : 0;
    own->row_end = has_rows ? window.end_row : 0;
    _Static_assert(sizeof own->host >= CLUSTER_HOST_BYTES, "a host's name fits");
    memcpy(own->host, teller->cluster->all[own->rank].host, CLUSTER_HOST_BYTES);
}

const struct rank_report *rank_teller_tell(struct rank_teller *teller, const struct simulation_state *state) {
    const int ranks = teller->cluster->ranks;
    struct exchange_part *out = teller->parts, *in = teller->parts + ranks;
    fill_own(teller, state);
    for (int r = 0; r < ranks; r++) {
        out[r] = (struct exchange_part){.size = 0};
    }
    out[0] = (struct exchange_part){&teller->own, sizeof teller->own};
    state->exchange->hand_over(state->exchange->context, out, in);
    for (int r = 0; r < ranks && teller->cluster->rank == 0; r++) {
        assert(in[r].size == sizeof teller->own);
        memcpy(&teller->all[r], in[r].bytes, sizeof teller->own);
    }
    return teller->cluster->rank == 0 ? teller->all : NULL;
}
