/* See descriptor_limit.h. */
#include "server/sessions/descriptor_limit.h"

#include <sys/resource.h>

#include "common/base/limits.h"
#include "common/system/log.h"
#include "common/system/process_usage.h"

enum { BYES = 64, SHARES = 4 }; /* byes and web get no more than one of so many shares each */

/* The soft limit, raised where that is allowed; UINT64_MAX: nothing is known. */
static uint64_t raise_limit(uint64_t wanted) {
    struct rlimit now = {0};
    if (getrlimit(RLIMIT_NOFILE, &now) != 0) {
        return UINT64_MAX;
    }
    if (now.rlim_cur < wanted) {
        const struct rlimit raised = {.rlim_cur = now.rlim_max < wanted ? now.rlim_max : (rlim_t)wanted,
                                      .rlim_max = now.rlim_max};
        now.rlim_cur = setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : now.rlim_cur;
    }
    return (uint64_t)now.rlim_cur;
}

static uint32_t at_most(uint32_t wanted, uint64_t share) {
    return share < wanted ? (uint32_t)share : wanted;
}

int descriptor_limit_divide(uint32_t clients, bool has_web, struct descriptor_room *room,
                            struct failure *failure) {
    const uint32_t web = has_web ? LIMIT_WEB_CONNECTIONS : 0;
    const uint64_t own = process_usage_read().open_files + DESCRIPTOR_LIMIT_OWN;
    const uint64_t limit = raise_limit(own + clients + BYES + web);
    const uint64_t least = own + 2 * SHARES;
    if (limit < least) {
        return failure_set(failure, FAILURE_BUSY, NULL,
                           "open files are limited to %llu (ulimit -Hn); the server needs at least %llu",
                           (unsigned long long)limit, (unsigned long long)least);
    }
    const uint64_t left = limit - own;
    *room =
        (struct descriptor_room){.byes = at_most(BYES, left / SHARES), .web = at_most(web, left / SHARES)};
    room->sessions = at_most(clients, left - room->byes - room->web);
    if (room->sessions < clients) {
        log_write(
            LOG_WARN, "server",
            "open files are limited to %llu (ulimit -Hn): at most %u clients, not the %u of --max-clients",
            (unsigned long long)limit, room->sessions, clients);
    }
    return 0;
}
