/* See order_channel.h. */
#include "server/cluster/order_channel.h"

#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "server/cluster/mpi_wait.h"

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
static void tell_rest(struct order_channel *channel, union broadcast bytes, size_t size) {
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

void order_channel_give(struct order_channel *channel, const struct order_head *head, const void *bytes) {
    assert(channel->cluster->rank == 0);
    const size_t size = (size_t)head->size, now = size < SHORT_BYTES ? size : SHORT_BYTES;
    channel->first.head = *head;
    if (now > 0) {
        memcpy(channel->first.bytes, bytes, now);
    }
    give_first(channel);
    if (size > now) {
        tell_rest(channel, (union broadcast){.given = (const char *)bytes + now}, size - now);
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

const char *order_channel_take(struct order_channel *channel, struct order_head *head) {
    take_first(channel);
    *head = channel->first.head;
    const size_t size = (size_t)head->size, now = size < SHORT_BYTES ? size : SHORT_BYTES;
    make_room(channel, size + 1);
    memcpy(channel->bytes, channel->first.bytes, now);
    if (size > now) {
        tell_rest(channel, (union broadcast){.taken = channel->bytes + now}, size - now);
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
