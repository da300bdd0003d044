/* A page has no limits of processes that it could read. */
#ifndef DROVER_WEB_SERVER_SYSTEM_RESOURCE_H
#define DROVER_WEB_SERVER_SYSTEM_RESOURCE_H

typedef unsigned long long rlim_t;
struct rlimit {
    rlim_t rlim_cur, rlim_max;
};

enum { RLIMIT_NOFILE, RLIMIT_STACK };

static inline int getrlimit(int resource, struct rlimit *limit) {
    (void)resource;
    (void)limit;
    return -1;
}
static inline int setrlimit(int resource, const struct rlimit *limit) {
    (void)resource;
    (void)limit;
    return -1;
}

#endif
