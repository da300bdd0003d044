/* The page's side of clock.h: the browser's clocks. */
#include "common/system/clock.h"
#include "web/page_host.h"

uint64_t clock_now_ns(void) {
    return (uint64_t)(page_host_now_ms() * 1e6);
}

uint64_t clock_thread_ns(void) {
    return clock_now_ns(); /* the browser does not say how busy the processor was */
}

int64_t clock_wall_s(void) {
    return (int64_t)(page_host_wall_ms() * 1e-3);
}
