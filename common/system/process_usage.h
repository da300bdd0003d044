/* What the process takes of its machine: processor, memory, descriptors. */
#ifndef DROVER_COMMON_SYSTEM_PROCESS_USAGE_H
#define DROVER_COMMON_SYSTEM_PROCESS_USAGE_H

#include <stdint.h>

struct process_usage {
    double cpu_s;            /* user and system, of all threads */
    uint64_t resident_bytes; /* 0: unknown */
    uint64_t open_files;     /* 0: unknown */
};

/** As of now; waits for nothing but /proc. */
struct process_usage process_usage_read(void);

#endif
