/* The clocks: one system call each, no state. */
#include "common/system/clock.h"

#include <time.h>

static uint64_t read_ns(clockid_t which) {
    struct timespec now = {0};
    (void)clock_gettime(which, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_ns(void) {
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_thread_ns(void) {
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

int64_t clock_wall_s(void) {
    return (int64_t)time(NULL);
}
