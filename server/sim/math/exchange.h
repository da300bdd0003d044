/* The ranks that share one world: what a rank tells the others in a tick, and hears of them. The caller lends it, as it
 * lends threads (parallel.h); the core knows no network.
 *
 * All functions but two are collective: every rank calls the same ones in the same order, each from one thread, and each
 * returns when its values are there. None of them fails: a lost rank ends the program. What the ranks compute does not
 * depend on how fast they are; `cut` alone may, since no bit of a world depends on where its borders are.
 */
#ifndef DROVER_SERVER_SIM_MATH_EXCHANGE_H
#define DROVER_SERVER_SIM_MATH_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXCHANGE_RANKS_MAX = 1024 };

/** copy: every rank has the whole world and steps a share of its slots. stripes: a rank has the agents of some rows of
 * cells, and sees those of the rows beside them. */
enum exchange_mode { EXCHANGE_COPY, EXCHANGE_STRIPES };

/** Bytes for one rank, or of one. */
struct exchange_part {
    void *bytes;
    size_t size;
};

struct exchange {
    void *context;
    int rank, ranks; /* 0 <= rank < ranks */
    enum exchange_mode mode;
    /** values[i] becomes the sum over all ranks. */
    void (*sum)(void *context, uint64_t *values, int count);
    /** values[i] becomes the least of all ranks. */
    void (*least)(void *context, uint32_t *values, int count);
    /** values[i] becomes the largest of all ranks; no value is NaN. */
    void (*largest)(void *context, float *values, int count);
    /** A column of which rank r has the entries [first[r], first[r + 1]): every rank has all of them afterwards.
     * entry: bytes of one. */
    void (*share)(void *context, void *column, size_t entry, const int32_t *first);
    /** Bytes of any size from any rank to any other. out, in: one part a rank. in[r] belongs to the exchange and is
     * valid until the next call of any function. */
    void (*hand_over)(void *context, const struct exchange_part *out, struct exchange_part *in);
    /** The same where both sides know the sizes; it may go on while the rank works. Memory of out must not change, that
     * of in (the caller's) not be read, until `end` has returned; then every part is there. */
    void (*begin)(void *context, const struct exchange_part *out, const struct exchange_part *in);
    /** Lets what was begun go on. Not collective. */
    void (*poll)(void *context);
    void (*end)(void *context);
    /** Where the borders between ranks are to be: rank r gets the rows of cells [cut[r], cut[r + 1]), which may be none;
     * cut[0] is 0, cut[ranks] is `rows`. cut: those of now, unless is_new. agents: of the whole world, by row. The same for
     * all ranks. */
    void (*cut)(void *context, int is_new, int32_t rows, const uint64_t *agents, int32_t *cut);
    /** These bytes say nothing any more: they become zero bytes, and their memory may go back to the system until they are
     * written. Not collective. */
    void (*give_back)(void *context, void *bytes, size_t size);
};

/** Whether something is so on every rank. exchange: NULL in one process. Collective. */
static inline bool exchange_is_so_on_all(const struct exchange *exchange, bool is_so) {
    uint64_t others = is_so ? 0 : 1;
    if (exchange != NULL) {
        exchange->sum(exchange->context, &others, 1);
    }
    return others == 0;
}

/** Sends the same bytes to all other ranks. in: ranks parts; in[r] receives those of rank r, and nothing of this one; valid as
 * those of hand_over. Collective. */
static inline void exchange_send_to_all(const struct exchange *exchange, void *bytes, size_t size,
                                        struct exchange_part in[EXCHANGE_RANKS_MAX]) {
    struct exchange_part out[EXCHANGE_RANKS_MAX];
    for (int rank = 0; rank < exchange->ranks; rank++) {
        out[rank] = (struct exchange_part){bytes, rank == exchange->rank ? 0 : size};
    }
    exchange->hand_over(exchange->context, out, in);
}

#endif
