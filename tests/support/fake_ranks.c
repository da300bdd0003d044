/* See fake_ranks.h. */
#include "tests/support/fake_ranks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JUNK = 0xA5 };

enum call { CALL_SUM, CALL_LEAST, CALL_LARGEST, CALL_SHARE, CALL_HAND_OVER, CALL_END, CALL_CUT };

/* What a rank shows the others. */
struct fake_rank {
    struct fake_ranks *fake;
    struct exchange exchange;
    enum call call;
    const void *shown; /* values, a column or parts */
    bool has_begun;
    struct exchange_part out[EXCHANGE_RANKS_MAX], in[EXCHANGE_RANKS_MAX]; /* of what was begun */
    void *received[EXCHANGE_RANKS_MAX];                                   /* by hand_over */
    uint64_t cuts;                                                        /* calls so far */
    void (*body)(const struct exchange *exchange, void *context);
    void *context;
};

struct fake_ranks {
    int ranks;
    uint64_t seed;
    pthread_barrier_t barrier;
    _Atomic uint64_t given_back; /* bytes */
    struct fake_rank *each;
};

static void *room(size_t size) {
    void *memory = malloc(size > 0 ? size : 1);
    if (memory == NULL) {
        fputs("fake ranks: there is no memory\n", stderr);
        abort();
    }
    return memory;
}

static void meet(struct fake_rank *rank) {
    pthread_barrier_wait(&rank->fake->barrier);
}

static void drop_received(struct fake_rank *rank) {
    for (int r = 0; r < rank->fake->ranks; r++) {
        free(rank->received[r]);
        rank->received[r] = NULL;
    }
}

/* Shows something and waits until all have. */
static void show(struct fake_rank *rank, enum call call, const void *shown) {
    drop_received(rank);
    rank->call = call;
    rank->shown = shown;
    meet(rank);
    for (int r = 0; r < rank->fake->ranks; r++) {
        if (rank->fake->each[r].call != call) {
            fprintf(stderr,
                    "fake ranks: rank %d calls function %d, rank %d function %d; they must be the same\n",
                    rank->exchange.rank, (int)call, r, (int)rank->fake->each[r].call);
            abort();
        }
    }
}

#define REDUCE(name, type, call, step)                                                                       \
    static void name(void *context, type *values, int count) {                                               \
        struct fake_rank *rank = context;                                                                    \
        type *result = room(sizeof *result * (size_t)count);                                                 \
        show(rank, call, values);                                                                            \
        for (int i = 0; i < count; i++) {                                                                    \
            result[i] = ((const type *)rank->fake->each[0].shown)[i];                                        \
            for (int r = 1; r < rank->fake->ranks; r++) {                                                    \
                const type value = ((const type *)rank->fake->each[r].shown)[i];                             \
                result[i] = step;                                                                            \
            }                                                                                                \
        }                                                                                                    \
        meet(rank);                                                                                          \
        memcpy(values, result, sizeof *result *(size_t)count);                                               \
        free(result);                                                                                        \
    }

REDUCE(sum, uint64_t, CALL_SUM, result[i] + value)
REDUCE(least, uint32_t, CALL_LEAST, value < result[i] ? value : result[i])
REDUCE(largest, float, CALL_LARGEST, value > result[i] ? value : result[i])

static void copy(void *to, const void *from, size_t size) {
    if (size > 0) {
        memcpy(to, from, size);
    }
}

static void share(void *context, void *column, size_t entry, const int32_t *first) {
    struct fake_rank *rank = context;
    show(rank, CALL_SHARE, column);
    for (int r = 0; r < rank->fake->ranks; r++) {
        const size_t begin = entry * (size_t)first[r], end = entry * (size_t)first[r + 1];
        if (r != rank->exchange.rank) {
            copy((char *)column + begin, (const char *)rank->fake->each[r].shown + begin, end - begin);
        }
    }
    meet(rank);
}

static void hand_over(void *context, const struct exchange_part *out, struct exchange_part *in) {
    struct fake_rank *rank = context;
    show(rank, CALL_HAND_OVER, out);
    for (int r = 0; r < rank->fake->ranks; r++) {
        const struct exchange_part *part =
            (const struct exchange_part *)rank->fake->each[r].shown + rank->exchange.rank;
        rank->received[r] = room(part->size);
        copy(rank->received[r], part->bytes, part->size);
        in[r] = (struct exchange_part){rank->received[r], part->size};
    }
    meet(rank);
}

static void begin(void *context, const struct exchange_part *out, const struct exchange_part *in) {
    struct fake_rank *rank = context;
    drop_received(rank);
    if (rank->has_begun) {
        fputs("fake ranks: begin is called twice without end\n", stderr);
        abort();
    }
    rank->has_begun = true;
    for (int r = 0; r < rank->fake->ranks; r++) {
        rank->out[r] = out[r];
        rank->in[r] = in[r];
        if (in[r].size > 0) {
            memset(in[r].bytes, JUNK, in[r].size);
        }
    }
}

static void poll_nothing(void *context) {
    (void)context;
}

static void end(void *context) {
    struct fake_rank *rank = context;
    show(rank, CALL_END, rank->out);
    for (int r = 0; r < rank->fake->ranks; r++) {
        const struct exchange_part *part =
            (const struct exchange_part *)rank->fake->each[r].shown + rank->exchange.rank;
        if (part->size != rank->in[r].size) {
            fprintf(stderr, "fake ranks: rank %d sends %zu bytes, rank %d expects %zu\n", r, part->size,
                    rank->exchange.rank, rank->in[r].size);
            abort();
        }
        copy(rank->in[r].bytes, part->bytes, part->size);
    }
    rank->has_begun = false;
    meet(rank);
}

/* ---- borders ---- */

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

static int by_row(const void *a, const void *b) {
    const int32_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/* One time in four borders are near the first row, or the last one, so that windows are narrow or empty. */
static void cut_at_random(uint64_t seed, int ranks, int32_t rows, int32_t *cuts) {
    const uint64_t dice = mix(seed);
    const int32_t spread = dice % 4 == 0 && rows > ranks ? ranks : rows;
    const int32_t base = dice % 8 == 0 ? rows - spread : 0;
    for (int r = 1; r < ranks; r++) {
        cuts[r] =
            base + (int32_t)(mix(seed + (uint64_t)r * UINT64_C(0x9E3779B97F4A7C15)) % (uint64_t)(spread + 1));
    }
    qsort(cuts + 1, (size_t)(ranks - 1), sizeof *cuts, by_row);
}

static void cut_evenly(int ranks, int32_t rows, const uint64_t *agents, int32_t *cuts) {
    uint64_t all = 0, sum = 0;
    for (int32_t row = 0; row < rows; row++) {
        all += agents[row];
    }
    int next = 1;
    for (int32_t row = 0; row < rows; row++) {
        sum += agents[row];
        while (next < ranks && sum * (uint64_t)ranks >= all * (uint64_t)next) {
            cuts[next++] = row + 1;
        }
    }
    while (next < ranks) {
        cuts[next++] = rows;
    }
}

static void cut(void *context, int is_new, int32_t rows, const uint64_t *agents, int32_t *cuts) {
    struct fake_rank *rank = context;
    (void)is_new;
    show(rank, CALL_CUT, NULL);
    cuts[0] = 0;
    cuts[rank->fake->ranks] = rows;
    if (rank->fake->seed != 0) {
        cut_at_random(rank->fake->seed + 1000 * rank->cuts++, rank->fake->ranks, rows, cuts);
    } else {
        cut_evenly(rank->fake->ranks, rows, agents, cuts);
    }
    meet(rank);
}

/* ---- memory ---- */

static void give_back(void *context, void *bytes, size_t size) {
    struct fake_rank *rank = context;
    if (size > 0) {
        memset(bytes, 0, size);
    }
    atomic_fetch_add(&rank->fake->given_back, size);
}

uint64_t fake_ranks_given_back(const struct fake_ranks *fake) {
    return atomic_load(&fake->given_back);
}

/* ---- threads ---- */

struct fake_ranks *fake_ranks_new(int ranks, enum exchange_mode mode, uint64_t seed) {
    struct fake_ranks *fake = room(sizeof *fake);
    *fake = (struct fake_ranks){.ranks = ranks, .seed = seed};
    fake->each = room(sizeof *fake->each * (size_t)ranks);
    pthread_barrier_init(&fake->barrier, NULL, (unsigned)ranks);
    for (int r = 0; r < ranks; r++) {
        fake->each[r] = (struct fake_rank){.fake = fake};
        fake->each[r].exchange = (struct exchange){.context = &fake->each[r],
                                                   .rank = r,
                                                   .ranks = ranks,
                                                   .mode = mode,
                                                   .sum = sum,
                                                   .least = least,
                                                   .largest = largest,
                                                   .share = share,
                                                   .hand_over = hand_over,
                                                   .begin = begin,
                                                   .poll = poll_nothing,
                                                   .end = end,
                                                   .cut = cut,
                                                   .give_back = give_back};
    }
    return fake;
}

void fake_ranks_destroy(struct fake_ranks *fake) {
    for (int r = 0; r < fake->ranks; r++) {
        drop_received(&fake->each[r]);
    }
    pthread_barrier_destroy(&fake->barrier);
    free(fake->each);
    free(fake);
}

static void *be_rank(void *argument) {
    struct fake_rank *rank = argument;
    rank->body(&rank->exchange, rank->context);
    return NULL;
}

void fake_ranks_run(struct fake_ranks *fake, void (*body)(const struct exchange *exchange, void *context),
                    void *context) {
    pthread_t *threads = room(sizeof *threads * (size_t)fake->ranks);
    for (int r = 0; r < fake->ranks; r++) {
        fake->each[r].body = body;
        fake->each[r].context = context;
        if (pthread_create(&threads[r], NULL, be_rank, &fake->each[r]) != 0) {
            fputs("fake ranks: a thread cannot be started\n", stderr);
            abort();
        }
    }
    for (int r = 0; r < fake->ranks; r++) {
        pthread_join(threads[r], NULL);
    }
    free(threads);
}
