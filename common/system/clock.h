/* The monotonic clock. server/sim never includes this. */
#ifndef DROVER_COMMON_SYSTEM_CLOCK_H
#define DROVER_COMMON_SYSTEM_CLOCK_H

#include <stdint.h>

/** Nanoseconds since an arbitrary start (CLOCK_MONOTONIC). */
uint64_t clock_now_ns(void);

#endif
