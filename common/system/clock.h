/* The clocks. server/sim never includes this. */
#ifndef DROVER_COMMON_SYSTEM_CLOCK_H
#define DROVER_COMMON_SYSTEM_CLOCK_H

#include <stdint.h>

/** Nanoseconds since an arbitrary start (CLOCK_MONOTONIC). */
uint64_t clock_now_ns(void);
/** Nanoseconds of processor time that this thread has used. */
uint64_t clock_thread_ns(void);
/** Seconds since 1970, of the wall clock. */
int64_t clock_wall_s(void);

#endif
