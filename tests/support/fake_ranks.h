/* Ranks that are threads of one process: struct exchange over plain memory, for tests on every machine.
 *
 * A call that other ranks answer with another function ends the program with a sentence. What hand_over has given is
 * freed at the next call, and what `begin` will receive is junk until `end`, so sanitizers and hashes notice who reads
 * too early or too late.
 */
#ifndef DROVER_TESTS_SUPPORT_FAKE_RANKS_H
#define DROVER_TESTS_SUPPORT_FAKE_RANKS_H

#include "server/sim/math/exchange.h"

struct fake_ranks;

/** seed: of the random borders, of which many leave a rank without rows, or with one; 0: borders that give all ranks as many
 * agents as rows allow. Ends the program without memory. */
struct fake_ranks *fake_ranks_new(int ranks, enum exchange_mode mode, uint64_t seed);
void fake_ranks_destroy(struct fake_ranks *fake);
/** Bytes that ranks have given back so far, all together. */
uint64_t fake_ranks_given_back(const struct fake_ranks *fake);

/** Calls body on every rank, each in a thread of its own, and returns when all have returned. */
void fake_ranks_run(struct fake_ranks *fake, void (*body)(const struct exchange *exchange, void *context),
                    void *context);

#endif
