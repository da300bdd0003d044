/* See token_guard.h. */
#include "server/sessions/token_guard.h"

#include <arpa/inet.h>
#include <assert.h>
#include <string.h>

/* Addresses that count as one: 4 and the IPv4 address, or 6 and the first half of the IPv6 address. An IPv4
 * address that came through an IPv6 socket is one all the same. */
static void network_of(const char *address, uint8_t network[TOKEN_GUARD_NETWORK]) {
    static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
    uint8_t bytes[16] = {0};
    memset(network, 0, TOKEN_GUARD_NETWORK);
    if (inet_pton(AF_INET, address, bytes) == 1) {
        network[0] = 4;
        memcpy(network + 1, bytes, 4);
    } else if (inet_pton(AF_INET6, address, bytes) == 1) {
        const int is_mapped = memcmp(bytes, mapped, sizeof mapped) == 0;
        network[0] = is_mapped ? 4 : 6;
        memcpy(network + 1, is_mapped ? bytes + 12 : bytes, is_mapped ? 4 : 8);
    }
}

static bool is_row_of(const struct token_guard *guard, int row, const uint8_t network[TOKEN_GUARD_NETWORK]) {
    return guard->rows[row].wrong > 0 && memcmp(guard->rows[row].network, network, TOKEN_GUARD_NETWORK) == 0;
}

/* The row of the network: its own, or else the one with the oldest wrong token, emptied. */
static int row_of(struct token_guard *guard, const uint8_t network[TOKEN_GUARD_NETWORK]) {
    int oldest = 0;
    for (int i = 0; i < TOKEN_GUARD_ROWS; i++) {
        if (is_row_of(guard, i, network)) {
            return i;
        }
        oldest = guard->rows[i].heard_ms < guard->rows[oldest].heard_ms ? i : oldest;
    }
    memset(&guard->rows[oldest], 0, sizeof guard->rows[oldest]);
    memcpy(guard->rows[oldest].network, network, TOKEN_GUARD_NETWORK);
    return oldest;
}

uint64_t token_guard_wrong(struct token_guard *guard, const char *address, uint64_t now_ms) {
    uint8_t network[TOKEN_GUARD_NETWORK];
    network_of(address, network);
    const int row = row_of(guard, network);
    uint32_t *wrong = &guard->rows[row].wrong;
    uint64_t *next_ms = &guard->rows[row].next_ms;
    if (now_ms - guard->rows[row].heard_ms >= TOKEN_GUARD_FORGET_MS) {
        *wrong = 0;
    }
    guard->unreported++;
    guard->rows[row].heard_ms = now_ms;
    if (*wrong < LIMIT_TOKEN_FREE) {
        ++*wrong;
        *next_ms = now_ms;
        return now_ms;
    }
    assert(*wrong == LIMIT_TOKEN_FREE);
    const uint64_t latest_ms = now_ms + TOKEN_GUARD_MOST_MS;
    *next_ms = (*next_ms > now_ms ? *next_ms : now_ms) + TOKEN_GUARD_EACH_MS;
    *next_ms = *next_ms < latest_ms ? *next_ms : latest_ms;
    return *next_ms;
}

bool token_guard_is_full(const struct token_guard *guard, const char *address, uint64_t now_ms) {
    uint8_t network[TOKEN_GUARD_NETWORK];
    network_of(address, network);
    for (int i = 0; i < TOKEN_GUARD_ROWS; i++) {
        if (is_row_of(guard, i, network)) {
            return guard->rows[i].next_ms + TOKEN_GUARD_EACH_MS >= now_ms + TOKEN_GUARD_MOST_MS;
        }
    }
    return false;
}

uint32_t token_guard_report(struct token_guard *guard, uint64_t now_ms) {
    if (guard->unreported == 0 ||
        (guard->reported_ms > 0 && now_ms - guard->reported_ms < TOKEN_GUARD_REPORT_MS)) {
        return 0;
    }
    const uint32_t count = guard->unreported;
    guard->unreported = 0;
    guard->reported_ms = now_ms;
    return count;
}
