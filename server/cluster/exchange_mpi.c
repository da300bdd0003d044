/* See cluster.h. */
#define _DEFAULT_SOURCE /* madvise */
#include "server/cluster/cluster.h"

#include <assert.h>
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/system/clock.h"
#include "server/cluster/mpi_wait.h"
#include "server/cluster/rank_rules.h"

enum { ENTRY_TYPES = 16, TAG_BEGUN = 1, TAG_HANDED = 2 };

/* Messages between this rank and all others that are under way. Two of one pair keep their order, so pieces do. */
struct transfer {
    MPI_Request *requests; /* owned */
    int count, room;
};

/* A column's entry as one item of MPI's, so that an int counts entries and not bytes. */
struct entry_type {
    size_t bytes;
    MPI_Datatype type;
};

struct exchange_mpi {
    struct exchange exchange;
    const struct cluster *cluster;
    MPI_Comm comm;
    struct transfer begun, handed;
    struct exchange_part *arrived; /* owned, one a rank; size: the room that there is */
    uint64_t *sizes;               /* owned; out, then in, one a rank */
    int *counts, *places;          /* owned; of a column, one a rank */
    struct entry_type types[ENTRY_TYPES];
    int type_count;
    struct exchange_times times;
    uint64_t work_ns;   /* of ticks since the last cut */
    uint64_t *works_ns; /* owned; all ranks' */
};

/* ---- what all functions share ---- */

static uint64_t enter(struct exchange_mpi *mpi) {
    mpi->times.calls++;
    return clock_now_ns();
}

static void leave(struct exchange_mpi *mpi, uint64_t since_ns) {
    mpi->times.wait_ns += clock_now_ns() - since_ns;
}

static _Noreturn void fail_memory(const struct exchange_mpi *mpi) {
    cluster_fail(mpi->cluster, "out of memory for what the ranks tell each other");
}

static size_t pieces_of(size_t size) {
    return (size + MPI_WAIT_PIECE - 1) / MPI_WAIT_PIECE;
}

static void make_room(struct exchange_mpi *mpi, struct transfer *transfer, size_t more) {
    const size_t wanted = (size_t)transfer->count + more;
    if (wanted <= (size_t)transfer->room) {
        return;
    }
    MPI_Request *requests =
        wanted > INT_MAX / 2 ? NULL : realloc(transfer->requests, 2 * wanted * sizeof *requests);
    if (requests == NULL) {
        fail_memory(mpi);
    }
    transfer->requests = requests;
    transfer->room = (int)(2 * wanted);
}

static int piece_at(size_t size, size_t from) {
    return (int)(size - from < MPI_WAIT_PIECE ? size - from : MPI_WAIT_PIECE);
}

static void receive(struct exchange_mpi *mpi, struct transfer *transfer, struct exchange_part part, int from,
                    int tag) {
    make_room(mpi, transfer, pieces_of(part.size));
    for (size_t done = 0; done < part.size; done += MPI_WAIT_PIECE) {
        MPI_Irecv((char *)part.bytes + done, piece_at(part.size, done), MPI_BYTE, from, tag, mpi->comm,
                  &transfer->requests[transfer->count++]);
    }
}

static void give(struct exchange_mpi *mpi, struct transfer *transfer, struct exchange_part part, int to,
                 int tag) {
    make_room(mpi, transfer, pieces_of(part.size));
    mpi->times.bytes += part.size;
    for (size_t done = 0; done < part.size; done += MPI_WAIT_PIECE) {
        MPI_Isend((char *)part.bytes + done, piece_at(part.size, done), MPI_BYTE, to, tag, mpi->comm,
                  &transfer->requests[transfer->count++]);
    }
}

static void keep_own(struct exchange_part out, struct exchange_part in) {
    assert(out.size == in.size);
    if (out.size > 0 && out.bytes != in.bytes) {
        memmove(in.bytes, out.bytes, out.size);
    }
}

static void finish(struct transfer *transfer) {
    mpi_wait(transfer->requests, transfer->count, MPI_WAIT_SPIN);
    transfer->count = 0;
}

/* ---- numbers ---- */

static void reduce(struct exchange_mpi *mpi, void *values, int count, MPI_Datatype type, MPI_Op op) {
    const uint64_t since_ns = enter(mpi);
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values, count, type, op, mpi->comm, &request);
    mpi_wait(&request, 1, MPI_WAIT_SPIN);
    leave(mpi, since_ns);
}

static void sum(void *context, uint64_t *values, int count) {
    reduce(context, values, count, MPI_UINT64_T, MPI_SUM);
}

static void least(void *context, uint32_t *values, int count) {
    reduce(context, values, count, MPI_UINT32_T, MPI_MIN);
}

static void largest(void *context, float *values, int count) {
    reduce(context, values, count, MPI_FLOAT, MPI_MAX);
}

/* ---- columns ---- */

static MPI_Datatype type_of(struct exchange_mpi *mpi, size_t bytes) {
    for (int i = 0; i < mpi->type_count; i++) {
        if (mpi->types[i].bytes == bytes) {
            return mpi->types[i].type;
        }
    }
    if (mpi->type_count == ENTRY_TYPES) {
        MPI_Type_free(&mpi->types[--mpi->type_count].type);
    }
    struct entry_type *type = &mpi->types[mpi->type_count++];
    type->bytes = bytes;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &type->type);
    MPI_Type_commit(&type->type);
    return type->type;
}

static void share(void *context, void *column, size_t entry, const int32_t *first) {
    struct exchange_mpi *mpi = context;
    const uint64_t since_ns = enter(mpi);
    MPI_Request request;
    for (int r = 0; r < mpi->cluster->ranks; r++) {
        mpi->counts[r] = first[r + 1] - first[r];
        mpi->places[r] = first[r];
    }
    mpi->times.bytes += (size_t)mpi->counts[mpi->cluster->rank] * entry;
    const MPI_Datatype type = type_of(mpi, entry);
    MPI_Iallgatherv(MPI_IN_PLACE, 0, type, column, mpi->counts, mpi->places, type, mpi->comm, &request);
    mpi_wait(&request, 1, MPI_WAIT_SPIN);
    leave(mpi, since_ns);
}

/* ---- bytes from any to any ---- */

static void send_sizes(struct exchange_mpi *mpi, const struct exchange_part *out) {
    const int ranks = mpi->cluster->ranks;
    MPI_Request request;
    for (int r = 0; r < ranks; r++) {
        mpi->sizes[r] = out[r].size;
    }
    MPI_Ialltoall(mpi->sizes, 1, MPI_UINT64_T, mpi->sizes + ranks, 1, MPI_UINT64_T, mpi->comm, &request);
    mpi_wait(&request, 1, MPI_WAIT_SPIN);
}

/* The place for what comes from a rank. */
static struct exchange_part place_for(struct exchange_mpi *mpi, int rank) {
    struct exchange_part *place = &mpi->arrived[rank];
    const size_t size = (size_t)mpi->sizes[mpi->cluster->ranks + rank];
    if (size > place->size) {
        free(place->bytes);
        place->size = size + size / 2;
        place->bytes = malloc(place->size);
        if (place->bytes == NULL) {
            fail_memory(mpi);
        }
    }
    return (struct exchange_part){place->bytes, size};
}

static void hand_over(void *context, const struct exchange_part *out, struct exchange_part *in) {
    struct exchange_mpi *mpi = context;
    const uint64_t since_ns = enter(mpi);
    const int own = mpi->cluster->rank;
    send_sizes(mpi, out);
    for (int r = 0; r < mpi->cluster->ranks; r++) {
        in[r] = place_for(mpi, r);
        if (r != own) {
            receive(mpi, &mpi->handed, in[r], r, TAG_HANDED);
        }
    }
    keep_own(out[own], in[own]);
    for (int r = 0; r < mpi->cluster->ranks; r++) {
        if (r != own) {
            give(mpi, &mpi->handed, out[r], r, TAG_HANDED);
        }
    }
    finish(&mpi->handed);
    leave(mpi, since_ns);
}

static void begin(void *context, const struct exchange_part *out, const struct exchange_part *in) {
    struct exchange_mpi *mpi = context;
    const uint64_t since_ns = enter(mpi);
    const int own = mpi->cluster->rank;
    assert(mpi->begun.count == 0);
    for (int r = 0; r < mpi->cluster->ranks; r++) {
        if (r != own) {
            receive(mpi, &mpi->begun, in[r], r, TAG_BEGUN);
        }
    }
    keep_own(out[own], in[own]);
    for (int r = 0; r < mpi->cluster->ranks; r++) {
        if (r != own) {
            give(mpi, &mpi->begun, out[r], r, TAG_BEGUN);
        }
    }
    leave(mpi, since_ns);
}

static void poll(void *context) {
    struct exchange_mpi *mpi = context;
    int done = 0;
    MPI_Testall(mpi->begun.count, mpi->begun.requests, &done, MPI_STATUSES_IGNORE);
    if (done != 0) {
        mpi->begun.count = 0;
    }
}

static void end(void *context) {
    struct exchange_mpi *mpi = context;
    const uint64_t since_ns = enter(mpi);
    finish(&mpi->begun);
    leave(mpi, since_ns);
}

/* ---- borders ---- */

/* Rank 0 decides, so that all ranks have the same, whatever their floats are like. */
static void cut(void *context, int is_new, int32_t rows, const uint64_t *agents, int32_t *cuts) {
    struct exchange_mpi *mpi = context;
    const uint64_t since_ns = enter(mpi);
    const int ranks = mpi->cluster->ranks;
    MPI_Request request;
    MPI_Igather(&mpi->work_ns, 1, MPI_UINT64_T, mpi->works_ns, 1, MPI_UINT64_T, 0, mpi->comm, &request);
    mpi_wait(&request, 1, MPI_WAIT_SPIN);
    mpi->work_ns = 0;
    if (mpi->cluster->rank == 0) {
        row_cuts_choose(is_new != 0 ? NULL : mpi->works_ns, rows, agents, ranks, cuts);
    }
    MPI_Ibcast(cuts, ranks + 1, MPI_INT32_T, 0, mpi->comm, &request);
    mpi_wait(&request, 1, MPI_WAIT_SPIN);
    leave(mpi, since_ns);
}

/* ---- memory ---- */

static void give_back(void *context, void *bytes, size_t size) {
    (void)context;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (page - (uintptr_t)bytes % page) % page;
    char *first = (char *)bytes + before;
    const size_t pages = size > before ? (size - before) / page * page : 0;
    if (pages == 0 || madvise(first, pages, MADV_DONTNEED) != 0) {
        memset(bytes, 0, size); /* as pages are that are locked */
        return;
    }
    memset(bytes, 0, before);
    memset(first + pages, 0, size - before - pages);
}

void exchange_mpi_note_tick(struct exchange_mpi *mpi, uint64_t work_ns) {
    mpi->work_ns += work_ns;
}

/* ---- life ---- */

static bool take_memory(struct exchange_mpi *mpi) {
    const size_t ranks = (size_t)mpi->cluster->ranks;
    const int requests = (int)(2 * ranks);
    mpi->begun.requests = malloc((size_t)requests * sizeof *mpi->begun.requests);
    mpi->handed.requests = malloc((size_t)requests * sizeof *mpi->handed.requests);
    mpi->begun.room = mpi->handed.room = requests;
    mpi->arrived = calloc(ranks, sizeof *mpi->arrived);
    mpi->sizes = calloc(2 * ranks, sizeof *mpi->sizes);
    mpi->counts = calloc(ranks, sizeof *mpi->counts);
    mpi->places = calloc(ranks, sizeof *mpi->places);
    mpi->works_ns = calloc(ranks, sizeof *mpi->works_ns);
    return mpi->begun.requests != NULL && mpi->handed.requests != NULL && mpi->arrived != NULL &&
           mpi->sizes != NULL && mpi->counts != NULL && mpi->places != NULL && mpi->works_ns != NULL;
}

static void free_memory(struct exchange_mpi *mpi) {
    for (int r = 0; mpi->arrived != NULL && r < mpi->cluster->ranks; r++) {
        free(mpi->arrived[r].bytes);
    }
    free(mpi->begun.requests);
    free(mpi->handed.requests);
    free(mpi->arrived);
    free(mpi->sizes);
    free(mpi->counts);
    free(mpi->places);
    free(mpi->works_ns);
    free(mpi);
}

struct exchange_mpi *exchange_mpi_create(const struct cluster *cluster, enum exchange_mode mode) {
    struct exchange_mpi *mpi = calloc(1, sizeof *mpi);
    if (mpi == NULL) {
        return NULL;
    }
    mpi->cluster = cluster;
    if (!take_memory(mpi)) {
        free_memory(mpi);
        return NULL;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi->comm);
    mpi->exchange = (struct exchange){.context = mpi,
                                      .rank = cluster->rank,
                                      .ranks = cluster->ranks,
                                      .mode = mode,
                                      .sum = sum,
                                      .least = least,
                                      .largest = largest,
                                      .share = share,
                                      .hand_over = hand_over,
                                      .begin = begin,
                                      .poll = poll,
                                      .end = end,
                                      .cut = cut,
                                      .give_back = give_back};
    return mpi;
}

void exchange_mpi_destroy(struct exchange_mpi *mpi) {
    if (mpi == NULL) {
        return;
    }
    for (int i = 0; i < mpi->type_count; i++) {
        MPI_Type_free(&mpi->types[i].type);
    }
    MPI_Comm_free(&mpi->comm);
    free_memory(mpi);
}

const struct exchange *exchange_mpi_exchange(const struct exchange_mpi *mpi) {
    return &mpi->exchange;
}

struct exchange_times exchange_mpi_times(const struct exchange_mpi *mpi) {
    return mpi->times;
}
