/* A page has no users and no processes. */
#ifndef DROVER_WEB_SERVER_SYSTEM_UNISTD_H
#define DROVER_WEB_SERVER_SYSTEM_UNISTD_H

#define getpid library_getpid
#include_next <unistd.h>
#undef getpid

static inline int getpid(void) {
    return 1;
}
static inline uid_t geteuid(void) {
    return 0;
}

#endif
