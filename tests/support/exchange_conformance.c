/* See exchange_conformance.h. */
#include "tests/support/exchange_conformance.h"

#include <float.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20, MANY = 3000, ROWS = 40 };

static const char *try_sum(const struct exchange *exchange) {
    const uint64_t ranks = (uint64_t)exchange->ranks;
    uint64_t values[MANY];
    for (int i = 0; i < MANY; i++) {
        values[i] = (UINT64_C(1) << 63) + (uint64_t)(i + exchange->rank);
    }
    exchange->sum(exchange->context, values, MANY);
    for (int i = 0; i < MANY; i++) {
        if (values[i] != (ranks << 63) + ranks * (uint64_t)i + ranks * (ranks - 1) / 2) {
            return "sum: not the sum over all ranks, modulo 2^64";
        }
    }
    return NULL;
}

static const char *try_extremes(const struct exchange *exchange) {
    uint32_t least[3] = {UINT32_MAX - (uint32_t)exchange->rank, (uint32_t)exchange->rank, UINT32_MAX};
    float largest[3] = {-FLT_MAX, (float)-exchange->rank, (float)exchange->rank + 0.25f};
    exchange->least(exchange->context, least, 3);
    if (least[0] != UINT32_MAX - (uint32_t)exchange->ranks + 1 || least[1] != 0 || least[2] != UINT32_MAX) {
        return "least: not the least of all ranks";
    }
    exchange->largest(exchange->context, largest, 3);
    if (largest[0] != -FLT_MAX || largest[1] != 0.0f || largest[2] != (float)exchange->ranks - 0.75f) {
        return "largest: not the largest of all ranks";
    }
    return NULL;
}

/* Every third rank has nothing. */
static const char *try_share(const struct exchange *exchange, int round) {
    int32_t first[EXCHANGE_RANKS_MAX + 1] = {0};
    for (int r = 0; r < exchange->ranks; r++) {
        first[r + 1] = first[r] + (r % 3 == 1 ? 0 : 17 * (r + 1) + round);
    }
    const int32_t count = first[exchange->ranks];
    char(*column)[3] = calloc((size_t)count, sizeof *column);
    if (column == NULL) {
        return "share: there is no memory for the test";
    }
    for (int32_t i = first[exchange->rank]; i < first[exchange->rank + 1]; i++) {
        memset(column[i], (i + round) & 127, sizeof *column);
    }
    exchange->share(exchange->context, column, sizeof *column, first);
    bool is_there = true;
    for (int32_t i = 0; i < count; i++) {
        is_there = is_there && column[i][0] == ((i + round) & 127) && column[i][2] == ((i + round) & 127);
    }
    free(column);
    return is_there ? NULL : "share: a rank lacks entries of another one";
}

/* How much a rank gives another one: sometimes nothing. */
static size_t size_between(int from, int to, int round) {
    const int dice = from * 31 + to * 17 + round * 7;
    return dice % 4 == 0 ? 0 : (size_t)(dice % 5 == 0 ? 5000 * (dice % 13 + 1) : dice % 97);
}

static unsigned char byte_between(int from, int to, int round) {
    return (unsigned char)(from * 13 + to * 7 + round + 1);
}

static bool is_all(const struct exchange_part *part, size_t size, unsigned char byte) {
    bool is_right = part->size == size;
    for (size_t i = 0; is_right && i < size; i++) {
        is_right = ((const unsigned char *)part->bytes)[i] == byte;
    }
    return is_right;
}

struct parts {
    struct exchange_part out[EXCHANGE_RANKS_MAX], in[EXCHANGE_RANKS_MAX];
};

static void free_parts(struct parts *parts, int ranks) {
    for (int r = 0; r < ranks; r++) {
        free(parts->out[r].bytes);
        free(parts->in[r].bytes);
    }
    free(parts);
}

/* in: with room. NULL without memory. */
static struct parts *make_parts(const struct exchange *exchange, int round, bool has_in) {
    struct parts *parts = calloc(1, sizeof *parts);
    bool is_there = parts != NULL;
    for (int r = 0; is_there && r < exchange->ranks; r++) {
        const size_t size = size_between(exchange->rank, r, round);
        const size_t in = has_in ? size_between(r, exchange->rank, round) : 0;
        parts->out[r] = (struct exchange_part){malloc(size + 1), size};
        parts->in[r] = (struct exchange_part){has_in ? malloc(in + 1) : NULL, in};
        is_there = parts->out[r].bytes != NULL && (!has_in || parts->in[r].bytes != NULL);
        if (is_there) {
            memset(parts->out[r].bytes, byte_between(exchange->rank, r, round), size);
        }
    }
    if (parts != NULL && !is_there) {
        free_parts(parts, exchange->ranks);
        parts = NULL;
    }
    return parts;
}

static bool has_arrived(const struct exchange *exchange, const struct exchange_part *in, int round) {
    bool is_right = true;
    for (int r = 0; r < exchange->ranks; r++) {
        is_right = is_right && is_all(&in[r], size_between(r, exchange->rank, round),
                                      byte_between(r, exchange->rank, round));
    }
    return is_right;
}

static const char *try_hand_over(const struct exchange *exchange, int round) {
    struct parts *parts = make_parts(exchange, round, false);
    if (parts == NULL) {
        return "hand_over: there is no memory for the test";
    }
    exchange->hand_over(exchange->context, parts->out, parts->in);
    const bool is_right = has_arrived(exchange, parts->in, round);
    memset(parts->in, 0, sizeof parts->in); /* they belong to the exchange */
    free_parts(parts, exchange->ranks);
    return is_right ? NULL : "hand_over: what one rank gave is not what the other one got";
}

static const char *try_begin(const struct exchange *exchange, int round) {
    struct parts *parts = make_parts(exchange, round, true);
    if (parts == NULL) {
        return "begin: there is no memory for the test";
    }
    exchange->begin(exchange->context, parts->out, parts->in);
    for (int i = 0; i < (exchange->rank + round) % 4; i++) { /* not collective */
        exchange->poll(exchange->context);
    }
    exchange->end(exchange->context);
    const bool is_right = has_arrived(exchange, parts->in, round);
    free_parts(parts, exchange->ranks);
    return is_right ? NULL : "end: what one rank sent is not what the other one received";
}

static const char *try_cut(const struct exchange *exchange, int round) {
    static _Thread_local int32_t cuts[EXCHANGE_RANKS_MAX + 1];
    uint64_t agents[ROWS];
    for (int row = 0; row < ROWS; row++) {
        agents[row] = (uint64_t)(row % 5) * 100;
    }
    exchange->cut(exchange->context, round == 0, ROWS, agents, cuts);
    uint32_t same[EXCHANGE_RANKS_MAX + 1], least[EXCHANGE_RANKS_MAX + 1];
    bool ascends = cuts[0] == 0 && cuts[exchange->ranks] == ROWS;
    for (int r = 0; r <= exchange->ranks; r++) {
        ascends = ascends && (r == 0 || cuts[r] >= cuts[r - 1]);
        same[r] = (uint32_t)cuts[r];
        least[r] = UINT32_MAX - same[r];
    }
    exchange->least(exchange->context, same, exchange->ranks + 1);
    exchange->least(exchange->context, least, exchange->ranks + 1);
    for (int r = 0; r <= exchange->ranks; r++) {
        ascends = ascends && same[r] == UINT32_MAX - least[r];
    }
    return ascends ? NULL
                   : "cut: borders do not ascend from 0 to the number of rows, or ranks got different ones";
}

static const char *try_give_back(const struct exchange *exchange, int round) {
    enum { BYTES = 65536, MARK = 0x5A };
    unsigned char *bytes = malloc(BYTES);
    if (bytes == NULL) {
        return "give_back: there is no memory for the test";
    }
    memset(bytes, MARK, BYTES);
    const size_t begin = (size_t)(round % 6) * 4099 + 7, end = BYTES - (size_t)(round % 5) * 5003 - 11;
    exchange->give_back(exchange->context, bytes + begin, end - begin);
    exchange->give_back(exchange->context, bytes + begin, 0);
    exchange->give_back(exchange->context, bytes + begin / 2, (size_t)round);
    bool is_right = true;
    for (size_t i = 0; i < BYTES; i++) {
        const bool is_given = (i >= begin && i < end) || (i >= begin / 2 && i < begin / 2 + (size_t)round);
        is_right = is_right && bytes[i] == (is_given ? 0 : MARK);
    }
    free(bytes);
    return is_right ? NULL : "give_back: bytes are not zero, or others are not as they were";
}

/* Also after a broken promise: other ranks wait for these calls. */
static const char *first_of(const char *a, const char *b) {
    return a != NULL ? a : b;
}

const char *exchange_conformance(const struct exchange *exchange) {
    const char *broken = NULL;
    if (exchange->rank < 0 || exchange->rank >= exchange->ranks || exchange->ranks > EXCHANGE_RANKS_MAX) {
        return "rank: not one of the ranks, or there are more than EXCHANGE_RANKS_MAX";
    }
    for (int round = 0; round < ROUNDS; round++) {
        broken = first_of(broken, try_sum(exchange));
        broken = first_of(broken, try_extremes(exchange));
        broken = first_of(broken, try_share(exchange, round));
        broken = first_of(broken, try_hand_over(exchange, round));
        broken = first_of(broken, try_begin(exchange, round));
        broken = first_of(broken, try_cut(exchange, round));
        broken = first_of(broken, try_give_back(exchange, round));
    }
    return broken;
}
