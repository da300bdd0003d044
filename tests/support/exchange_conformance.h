/* What every struct exchange promises (server/sim/math/exchange.h), for fake ranks and those of a network alike. */
#ifndef DROVER_TESTS_SUPPORT_EXCHANGE_CONFORMANCE_H
#define DROVER_TESTS_SUPPORT_EXCHANGE_CONFORMANCE_H

#include "server/sim/math/exchange.h"

/** Collective. NULL, or the promise that is broken on this rank: a static sentence. */
const char *exchange_conformance(const struct exchange *exchange);

#endif
