/* See descriptor_limit.h. */
#include "server/descriptor_limit.h"

#include <sys/resource.h>

uint32_t descriptor_limit_raise(uint32_t clients, uint64_t *limit) {
    const rlim_t wanted = (rlim_t)clients + DESCRIPTOR_LIMIT_SPARE;
    struct rlimit now = {0};
    *limit = 0;
    if (getrlimit(RLIMIT_NOFILE, &now) != 0) {
        return clients; /* nothing is known */
    }
    if (now.rlim_cur < wanted) {
        const struct rlimit raised = {.rlim_cur = now.rlim_max < wanted ? now.rlim_max : wanted,
                                      .rlim_max = now.rlim_max};
        now.rlim_cur = setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : now.rlim_cur;
    }
    *limit = (uint64_t)now.rlim_cur;
    if (now.rlim_cur >= wanted) {
        return clients;
    }
    return now.rlim_cur > DESCRIPTOR_LIMIT_SPARE ? (uint32_t)(now.rlim_cur - DESCRIPTOR_LIMIT_SPARE) : 0;
}
